#include "parents.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

/* An empty part, as in "a//b", is made once more, which does no harm. */
bool parents_make(const char *path)
{
    char part[PATH_MAX];
    size_t bytes = strlen(path);
    if (bytes >= sizeof part) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(part, path, bytes + 1);
    while (bytes > 1 && part[bytes - 1] == '/') {
        part[--bytes] = '\0';
    }
    for (size_t i = 1; i < bytes; i++) {
        if (part[i] != '/') continue;
        part[i] = '\0';
        if (mkdir(part, 0700) != 0 && errno != EEXIST) return false;
        part[i] = '/';
    }
    return true;
}
