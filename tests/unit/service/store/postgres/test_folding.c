/* The lock of the publisher, and waiting for changes. */
#include "postgres_scene.h"
#include "service/system/system.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

OWNED(sottod_folding, folding_free)

static int start(void **state)
{
    return scene_fresh(state);
}

TEST_WITH(settings_at_fault_are_told_by_each_function, start, NULL)
{
    bool held = true;
    const postgres_settings wrong[] = {{.url = "mysql://a:secret@b/c", .timeout_ms = 1000},
                                       {.url = scene.url, .timeout_ms = 99},
                                       {.url = scene.url, .timeout_ms = 600001}};
    const char *const words[] = {"is not valid", "timeout_ms = 99: allowed 100 to 600000",
                                 "timeout_ms = 600001"};
    for (int i = 0; i < 3; i++) {
        sottod_folding *folding = folding_new(&wrong[i]);
        assert_not_folded(folding, folding_lock(folding, &held), words[i]);
        assert_false(held);
        assert_null(strstr(folding_fault(folding)->sentence, "secret"));
        assert_not_folded(folding, folding_set_state(folding, 1, JOURNAL_CLOSED), words[i]);
        folding_free(folding);
    }
    folding_free(NULL);
}

TEST_WITH(one_connection_holds_the_lock_until_it_ends, start, NULL)
{
    bool held = true;
    sottod_folding *one = scene_publisher(), *other = scene_folding();
    assert_folded(other, folding_lock(other, &held));
    assert_false(held);
    assert_folded(one, folding_lock(one, &held)); /* asked again */
    assert_true(held);
    folding_free(one);
    for (int tries = 0; !held || tries == 0; tries++) {
        assert_folded(other, folding_lock(other, &held));
        assert_true(tries < 10000);
    }
    folding_free(other);
}

TEST_WITH(a_connection_that_is_cut_loses_the_lock, start, NULL)
{
    bool held = true, fenced;
    const folding_model model = {.experiment = 1, .epoch = 1, .kind = JOURNAL_PUBLISH};
    const journal_history history = {.experiment = 1, .epoch = 1};
    OWN(sottod_folding) one = scene_publisher();
    assert_true(folding_holds(one));
    scene_sql("SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE "
              "application_name = 'sottod'");
    assert_false(folding_lock(one, &held));
    assert_false(held);
    assert_false(folding_holds(one));
    nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 50000000}, NULL);
    assert_not_folded(one, folding_publish(one, &model, &history, false, &fenced),
                      "does not hold the lock"); /* although it is connected again */
    assert_folded(one, folding_lock(one, &held));
    assert_true(held);
}

/* A process that holds the lock, until it is killed. */
static pid_t start_holder(void)
{
    int ready[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        bool held = false;
        const postgres_settings settings = scene_settings();
        sottod_folding *folding = folding_new(&settings);
        bool done = folding_lock(folding, &held) && held;
        if (!done || write(ready[1], "1", 1) != 1) _exit(1);
        for (;;) {
            pause();
        }
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return pid;
}

TEST_WITH(a_standby_gets_the_lock_when_the_holder_is_killed, start, NULL)
{
    bool held = true;
    OWN(sottod_folding) standby = scene_folding();
    pid_t holder = start_holder();
    assert_folded(standby, folding_lock(standby, &held));
    assert_false(held);
    kill(holder, SIGKILL);
    uint64_t start_us = clock_steady_us();
    while (!held) {
        assert_folded(standby, folding_lock(standby, &held));
        assert_true(clock_steady_us() - start_us < 60000000);
    }
    print_message("the lock went to the standby after %llu us\n",
                  (unsigned long long)(clock_steady_us() - start_us));
    waitpid(holder, NULL, 0);
}

/* A change at the last moment is reported, too. */
static bool told_at_once(sottod_folding *folding)
{
    bool changed = false;
    for (int tries = 0; tries < 1000 && !changed; tries++) {
        assert_folded(folding, folding_wait(folding, 1, &changed));
    }
    return changed;
}

TEST_WITH(a_change_by_another_ends_the_waiting, start, NULL)
{
    sottod_journal *gateway = scene_gateway();
    OWN(sottod_folding) folding = scene_publisher();
    bool changed;
    assert_folded(folding, folding_wait(folding, 0, &changed)); /* nobody was listening before */
    uint64_t start_ms = clock_steady_ms();
    assert_folded(folding, folding_wait(folding, 50, &changed));
    assert_false(changed);
    assert_true(clock_steady_ms() - start_ms >= 50);
    scene_experiment(gateway, "one");
    assert_folded(folding, folding_wait(folding, 60000, &changed));
    assert_true(changed);
    scene_append(gateway, 1, 1, 'a', 1); /* notifies nobody */
    scene_state(gateway, 1, JOURNAL_PAUSED);
    assert_folded(folding, folding_wait(folding, 60000, &changed));
    assert_true(changed);
    scene_state(gateway, 1, JOURNAL_OPEN); /* even without time to wait */
    assert_true(told_at_once(folding));
    journal_close(gateway);
}

TEST_WITH(without_a_connection_waiting_lasts_and_is_refused, start, NULL)
{
    OWN(sottod_folding) folding = scene_folding();
    bool changed;
    uint64_t start_ms = clock_steady_ms();
    assert_not_folded(folding, folding_wait(folding, 30, &changed), "no connection");
    assert_true(clock_steady_ms() - start_ms >= 30);
}

static bool take_experiment(void *self, const journal_experiment *experiment)
{
    uint32_t *state = self;
    state[experiment->number] = (uint32_t)experiment->state;
    return true;
}

TEST_WITH(a_publisher_sees_experiments_and_closes_them, start, NULL)
{
    uint32_t states[3] = {9, 9, 9};
    sottod_journal *gateway = scene_gateway();
    OWN(sottod_folding) folding = scene_folding();
    scene_experiment(gateway, "one");
    scene_experiment(gateway, "two");
    scene_state(gateway, 2, JOURNAL_DELETED);
    assert_folded(folding, folding_set_state(folding, 1, JOURNAL_CLOSED));
    assert_folded(folding, folding_read_experiments(folding, take_experiment, states));
    assert_ints(states[1], JOURNAL_CLOSED, states[2], JOURNAL_DELETED);
    assert_not_folded(folding, folding_set_state(folding, 2, JOURNAL_CLOSED),
                      "deleted, which cannot be undone");
    assert_not_folded(folding, folding_set_state(folding, 3, JOURNAL_CLOSED), "no experiment 3");
    journal_close(gateway);
}
