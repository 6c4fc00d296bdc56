#include "parents.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes a folder, and its name durable: what will be kept in it hangs on that. One that is there is left
 * alone. */
static bool make(const char *path)
{
    char above[PATH_MAX + 4];
    if (mkdir(path, 0700) != 0) return errno == EEXIST;
    snprintf(above, sizeof above, "%s/..", path);
    int fd = open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool done = fd >= 0 ? fsync(fd) == 0 : errno == EACCES;
    int why = errno;
    if (fd >= 0) close(fd);
    errno = why;
    return done;
}

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
        if (!make(part)) return false;
        part[i] = '/';
    }
    return true;
}
