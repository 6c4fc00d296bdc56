#include "inner.h"
#include "service/system/system.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define TURN_MS 100

typedef struct job {
    bool (*work)(void *self);
    void *self;
    bool fine;
    int done; /* becomes readable when the work is done */
} job;

static void *run(void *context)
{
    job *one = context;
    one->fine = one->work(one->self);
    eventfd_write(one->done, 1);
    return NULL;
}

static bool is_done(const job *one, const sottod_front *public_front,
                    const sottod_front *admin_front, int signals)
{
    struct pollfd fd[] = {
        {.fd = front_fd(public_front), .events = POLLIN},
        {.fd = front_fd(admin_front), .events = POLLIN},
        {.fd = one->done, .events = POLLIN},
        {.fd = signals, .events = POLLIN},
    };
    return poll(fd, 4, TURN_MS) > 0 && fd[2].revents != 0;
}

bool start_beside(sottod_front *public_front, sottod_front *admin_front, int signals,
                  bool (*work)(void *self), void (*say)(void *self), void (*end)(void *self),
                  void *self)
{
    job one = {.work = work, .self = self, .done = eventfd(0, EFD_CLOEXEC)};
    pthread_t thread;
    if (one.done < 0) return false;
    if (pthread_create(&thread, NULL, run, &one) != 0) {
        close(one.done);
        return false;
    }
    const uint64_t say_ms = clock_steady_ms() + START_SAY_MS;
    bool said = false, reloads = false;
    while (!is_done(&one, public_front, admin_front, signals)) {
        const signals_kind came = signals_take(signals);
        if (came == SIGNALS_END) end(self);
        reloads = reloads || came == SIGNALS_RELOAD;
        front_run(public_front);
        front_run(admin_front);
        if (said || clock_steady_ms() < say_ms) continue;
        said = true;
        say(self);
    }
    pthread_join(thread, NULL);
    close(one.done);
    if (reloads) raise(SIGHUP); /* the loop will take it */
    return one.fine;
}
