/* Ctrl-C as a request. */
#include "cli/print/print.h"
#include "test.h"

#include <unistd.h>

/* Takes the signal that waits, so that it does not end the test. */
static void take(const sigset_t *held)
{
    int got;
    assert_int_equal(sigwait(held, &got), 0);
}

static void let_go(const sigset_t *held)
{
    assert_int_equal(sigprocmask(SIG_UNBLOCK, held, NULL), 0);
}

TEST(a_signal_that_is_ignored_stays_ignored)
{
    signal(SIGINT, SIG_IGN);
    sigset_t held = stop_signals_hold();
    assert_false(sigismember(&held, SIGINT));
    assert_true(sigismember(&held, SIGTERM));
    kill(getpid(), SIGINT);
    assert_false(stop_signals_came(&held));
    let_go(&held);
    signal(SIGINT, SIG_DFL);
}

TEST(other_signals_ask_for_nothing)
{
    sigset_t held = stop_signals_hold();
    assert_false(sigismember(&held, SIGQUIT));
    assert_false(sigismember(&held, SIGUSR1));
    assert_false(stop_signals_came(&held));
    let_go(&held);
}

TEST(a_signal_waits_until_it_is_asked_for)
{
    const int stopping[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < 2; i++) {
        sigset_t held = stop_signals_hold();
        assert_false(stop_signals_came(&held));
        kill(getpid(), stopping[i]);
        assert_true(stop_signals_came(&held));
        assert_true(stop_signals_came(&held)); /* it is not used up */
        take(&held);
        assert_false(stop_signals_came(&held));
        let_go(&held);
    }
}
