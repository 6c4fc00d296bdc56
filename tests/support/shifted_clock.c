/* Clocks that jump or stand still, to be loaded before the C library's (LD_PRELOAD). The file that
 * the environment variable CLOCK_SHIFT names contains the seconds to add to the time of day; the
 * file of STEADY_SHIFT, those to add to the steady clock. After an equals sign the number is the
 * time at which the clock stands still. No variable, no file, or no number in it: 0 is added. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))

static void shift(const char *variable, struct timespec *time)
{
    char text[32] = "";
    const char *path = getenv(variable);
    int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    ssize_t bytes = read(file, text, sizeof text - 1);
    close(file);
    if (bytes > 0 && text[0] == '=')
        *time = (struct timespec){strtol(text + 1, NULL, 10), 0};
    else
        time->tv_sec += strtol(text, NULL, 10);
}

VISIBLE int clock_gettime(clockid_t clock, struct timespec *out)
{
    long answer = syscall(SYS_clock_gettime, clock, out);
    if (answer == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        shift("CLOCK_SHIFT", out);
    if (answer == 0 && (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ||
                        clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME))
        shift("STEADY_SHIFT", out);
    return (int)answer;
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
