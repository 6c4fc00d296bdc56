/* Signals that stop a long command. */
#include "print.h"

#include <stddef.h>

sigset_t stop_signals_hold(void)
{
    const int stopping[] = {SIGINT, SIGTERM};
    sigset_t held;
    sigemptyset(&held);
    for (size_t i = 0; i < 2; i++) {
        struct sigaction now;
        if (sigaction(stopping[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN) {
            sigaddset(&held, stopping[i]);
        }
    }
    sigprocmask(SIG_BLOCK, &held, NULL);
    return held;
}

bool stop_signals_came(const sigset_t *held)
{
    sigset_t pending;
    sigpending(&pending);
    return (sigismember(held, SIGINT) && sigismember(&pending, SIGINT)) ||
           (sigismember(held, SIGTERM) && sigismember(&pending, SIGTERM));
}
