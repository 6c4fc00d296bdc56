/* Files are the same if they are one on the disk, by whatever name. */
#include "targets.h"

#include <stdio.h>
#include <sys/stat.h>

static bool is_same(const char *one, const char *other)
{
    struct stat first, second;
    if (one == NULL || other == NULL || stat(one, &first) != 0 || stat(other, &second) != 0) {
        return false;
    }
    return S_ISREG(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

static bool is_apart(const replay_options *o, const char *name, const char *path)
{
    const char *read = is_same(path, o->data) ? "data" : is_same(path, o->schema) ? "schema" : NULL;
    if (read == NULL) return true;
    fprintf(stderr, "sotto replay: --%s: %s is the file of --%s, and would be overwritten\n", name,
            path, read);
    return false;
}

bool replay_targets_fit(const replay_options *o)
{
    static const char *const ending[] = {"csv", "svg", "png", "pdf"};
    if (!is_apart(o, "out", o->out)) return false;
    for (size_t i = 0; o->figure != NULL && i < sizeof ending / sizeof ending[0]; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s.%s", o->figure, ending[i]);
        if (!is_apart(o, "figure", path)) return false;
    }
    return true;
}
