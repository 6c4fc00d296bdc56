/* For systems without inotify: nothing is watched, and the times of a file must do; nor is there a gate. */
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
