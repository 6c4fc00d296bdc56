/* Files are the same if they are one on the disk, by whatever name. */
#include "targets.h"
#include "options.h"

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

static bool is_apart(const command_line *line, size_t field, const char *path)
{
    const replay_options *o = line->fields;
    const char *read = is_same(path, o->data) ? "data" : is_same(path, o->schema) ? "schema" : NULL;
    if (read == NULL) return true;
    return option_say(line, "--%s: %s is the file of --%s, and would be overwritten",
                      option_name(line, field), path, read);
}

bool replay_targets_fit(const command_line *line)
{
    static const char *const ending[] = {"csv", "svg", "png", "pdf"};
    const replay_options *o = line->fields;
    if (!is_apart(line, offsetof(replay_options, out), o->out)) return false;
    for (uint32_t i = 0; o->export_vw != NULL && i < 2; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s%s", o->export_vw, i == 0 ? "" : ".schema");
        if (!is_apart(line, offsetof(replay_options, export_vw), path)) return false;
    }
    for (size_t i = 0; o->figure != NULL && i < sizeof ending / sizeof ending[0]; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s.%s", o->figure, ending[i]);
        if (!is_apart(line, offsetof(replay_options, figure), path)) return false;
    }
    return true;
}
