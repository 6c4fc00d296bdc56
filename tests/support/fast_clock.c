/*
 * Clocks that run faster, to be loaded before the C library's (LD_PRELOAD). FAST_CLOCK is "FACTOR DAY STEADY":
 * how many times faster, and the nanoseconds of the time of day and of the steady clock at which that begins, so
 * that programs one after the other live in one time. Who waits for a while waits so much shorter.
 *
 * FAST_CLOCK_LEAK is so many bytes that are lost at each fsync, FAST_CLOCK_LEAK_POLL at each poll: a leak that a
 * measurement of memory must find.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))
#define SECOND_NS INT64_C(1000000000)

static struct {
    int64_t factor, day, steady;
    size_t leak, leak_poll;
} settings = {.factor = 1};

__attribute__((constructor)) static void read_settings(void)
{
    const char *text = getenv("FAST_CLOCK"), *leak = getenv("FAST_CLOCK_LEAK");
    const char *leak_poll = getenv("FAST_CLOCK_LEAK_POLL");
    long long factor, day, steady;
    if (leak != NULL) settings.leak = strtoul(leak, NULL, 10);
    if (leak_poll != NULL) settings.leak_poll = strtoul(leak_poll, NULL, 10);
    if (text == NULL) return;
    if (sscanf(text, "%lld %lld %lld", &factor, &day, &steady) != 3 || factor < 1) {
        fprintf(stderr, "fast_clock: FAST_CLOCK = %s: FACTOR DAY STEADY is allowed\n", text);
        abort();
    }
    settings.factor = factor;
    settings.day = day;
    settings.steady = steady;
}

VISIBLE int clock_gettime(clockid_t clock, struct timespec *out)
{
    long answer = syscall(SYS_clock_gettime, clock, out);
    bool is_day = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
    bool is_steady = clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ||
                     clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME;
    if (answer != 0 || (!is_day && !is_steady)) return (int)answer;
    int64_t begin = is_day ? settings.day : settings.steady;
    int64_t now = out->tv_sec * SECOND_NS + out->tv_nsec;
    now = begin + (now - begin) * settings.factor;
    out->tv_sec = now / SECOND_NS;
    out->tv_nsec = now % SECOND_NS;
    return 0;
}

VISIBLE time_t time(time_t *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out != NULL) *out = now.tv_sec;
    return now.tv_sec;
}

VISIBLE int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *out = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

/* Never 0 for a wait that was above 0. */
static int shorter(int timeout_ms)
{
    if (timeout_ms <= 0) return timeout_ms;
    return (int)((timeout_ms + settings.factor - 1) / settings.factor);
}

static void leak(size_t bytes)
{
    if (bytes == 0) return;
    char *lost = malloc(bytes);
    if (lost != NULL) memset(lost, 1, bytes);
    __asm__ volatile("" : : "r"(lost) : "memory"); /* otherwise the compiler removes both */
}

VISIBLE int poll(struct pollfd *fd, nfds_t count, int timeout_ms)
{
    int (*real)(struct pollfd *, nfds_t, int);
    *(void **)&real = dlsym(RTLD_NEXT, "poll");
    leak(settings.leak_poll);
    return real(fd, count, shorter(timeout_ms));
}

VISIBLE int epoll_wait(int fd, struct epoll_event *events, int count, int timeout_ms)
{
    int (*real)(int, struct epoll_event *, int, int);
    *(void **)&real = dlsym(RTLD_NEXT, "epoll_wait");
    return real(fd, events, count, shorter(timeout_ms));
}

VISIBLE int fsync(int fd)
{
    leak(settings.leak);
    return (int)syscall(SYS_fsync, fd);
}

VISIBLE int fdatasync(int fd)
{
    leak(settings.leak);
    return (int)syscall(SYS_fdatasync, fd);
}
