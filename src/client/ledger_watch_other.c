/* For systems without inotify: no watch, so only a file's times show writes, and no gate. */
#include "inner.h"

int sotto__watch_open(const char *path)
{
    (void)path;
    return -1;
}

bool sotto__watch_written(int watch)
{
    (void)watch;
    return false;
}

void sotto__watch_close(int watch)
{
    (void)watch;
}

bool sotto__gate_is_taken(int fd)
{
    (void)fd;
    return false;
}

void sotto__gate_enter(int fd)
{
    (void)fd;
}

void sotto__gate_leave(int fd)
{
    (void)fd;
}
