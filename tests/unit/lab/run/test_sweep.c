/* Sweeps: who is told what, on which thread, and that threads do not change results.
 * sotto_match_play is replaced, so that runs can be slow, fail, or wait to be stopped. */
#include "test.h"

#include <sotto/lab/runs.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { MATCHES = 3, SEEDS = 7, RUNS = MATCHES * SEEDS, POINTS = 3, HORIZON = 5000 };
static const uint64_t at[POINTS] = {1, 1000, HORIZON};

/* ---- what the runs do --------------------------------------------------------------------- */

#define NO_SEED 0 /* no sweep here has it */

static struct {
    uint64_t failing_seed; /* this seed's runs fail */
    bool plugin;           /* by custom code */
    uint64_t endless_seed; /* this seed's runs, and later ones, end only when stopped */
    bool stubborn;         /* and then they finish all the same */
    sotto_status stopped;  /* what they give if they do not */
    uint32_t threads_allowed;
    uint32_t pause_us;
    atomic_uint started, endless, threads;
} world;

sotto_status __wrap_sotto_match_play(const sotto_match *match, uint64_t seed, sotto_point *point,
                                     uint32_t points_count, const sotto_run_watch *watch,
                                     sotto_run_result *result, bool *finished);
sotto_status __wrap_sotto_match_play(const sotto_match *match, uint64_t seed, sotto_point *point,
                                     uint32_t points_count, const sotto_run_watch *watch,
                                     sotto_run_result *result, bool *finished)
{
    const struct timespec pause = {0, 1000L * world.pause_us};
    atomic_fetch_add(&world.started, 1);
    *finished = false;
    if (seed == world.failing_seed && world.plugin) {
        *result = (sotto_run_result){.fault = {.sentence = "method mine, round 3: no"}};
        return SOTTO_E_PLUGIN;
    }
    if (seed == world.failing_seed) return SOTTO_E_FULL;
    bool endless = world.endless_seed != NO_SEED && seed >= world.endless_seed;
    if (endless) atomic_fetch_add(&world.endless, 1);
    for (uint64_t t = 0; t + 1000 < match->horizon || endless; t += 1000) {
        if (pause.tv_nsec > 0) nanosleep(&pause, NULL);
        if (watch->go_on(watch->state, 1000)) continue;
        if (!world.stubborn) return world.stopped;
        break;
    }
    for (uint32_t i = 0; i < points_count; i++) {
        point[i].regret = (double)(match->spec.dim * seed) + (double)point[i].t;
        point[i].estimation_error = 1.0 / (double)(seed + point[i].t);
    }
    *result = (sotto_run_result){.seconds = (double)seed, .repairs = match->spec.dim};
    *finished = true;
    return SOTTO_OK;
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
                          void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
                          void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
                          void *arg)
{
    if (atomic_load(&world.threads) == world.threads_allowed) return EAGAIN;
    atomic_fetch_add(&world.threads, 1);
    return __real_pthread_create(thread, attr, start, arg);
}

/* ---- who hears of them -------------------------------------------------------------------- */

typedef struct heard {
    pthread_t caller;
    uint32_t order_count;
    uint64_t order[RUNS];
    uint32_t told[RUNS];
    sotto_point point[RUNS][POINTS];
    sotto_run_result result[RUNS];
    uint64_t known_below;    /* runs that need not be played */
    uint32_t finished_max;   /* then the listener stops */
    bool stop_when_endless;  /* once the endless runs are under way */
    uint32_t endless_wanted; /* how many of them */
    uint64_t rounds;
    uint32_t progress_calls;
    uint32_t failed[RUNS];
    uint32_t failed_count, failed_max; /* then it has heard enough of those */
} heard;

static bool hear_known(void *state, uint64_t run)
{
    heard *h = state;
    assert_true(pthread_equal(pthread_self(), h->caller) && run < RUNS);
    return run < h->known_below;
}

static bool hear_finished(void *state, uint64_t run, const sotto_point *point,
                          const sotto_run_result *result)
{
    heard *h = state;
    assert_true(pthread_equal(pthread_self(), h->caller) && run < RUNS);
    assert_true(h->order_count < h->finished_max);
    h->order[h->order_count++] = run;
    h->told[run]++;
    memcpy(h->point[run], point, sizeof h->point[run]);
    h->result[run] = *result;
    return h->order_count < h->finished_max;
}

static bool hear_progress(void *state, uint64_t rounds)
{
    heard *h = state;
    assert_true(pthread_equal(pthread_self(), h->caller) && rounds >= h->rounds);
    h->rounds = rounds;
    h->progress_calls++;
    return !(h->stop_when_endless && atomic_load(&world.endless) >= h->endless_wanted);
}

static bool hear_failed(void *state, uint64_t run, const char *fault)
{
    heard *h = state;
    assert_true(pthread_equal(pthread_self(), h->caller) && run < RUNS);
    assert_string_equal(fault, "method mine, round 3: no");
    h->failed[run]++;
    h->failed_count++;
    return h->failed_count < h->failed_max;
}

typedef struct scene {
    sotto_match match[MATCHES];
    sotto_sweep sweep;
    heard heard;
    sotto_sweep_listener listener;
} scene;

static void set_scene(scene *s, uint32_t threads)
{
    memset(s, 0, sizeof *s);
    world.failing_seed = world.endless_seed = NO_SEED;
    world.threads_allowed = UINT32_MAX;
    world.pause_us = 0;
    world.stubborn = world.plugin = false;
    world.stopped = SOTTO_OK;
    atomic_store(&world.started, 0);
    atomic_store(&world.endless, 0);
    atomic_store(&world.threads, 0);
    for (uint32_t i = 0; i < MATCHES; i++) {
        s->match[i].spec.dim = i + 1;
        s->match[i].horizon = HORIZON;
    }
    s->sweep = (sotto_sweep){s->match, MATCHES, 11, SEEDS, at, POINTS, threads};
    s->heard.caller = pthread_self();
    s->heard.finished_max = s->heard.failed_max = RUNS + 1;
    s->listener = (sotto_sweep_listener){hear_known, hear_finished, hear_progress, &s->heard, NULL};
}

/* ---- bad inputs --------------------------------------------------------------------------- */

TEST(pointers_are_needed)
{
    scene s;
    set_scene(&s, 1);
    assert_status(sotto_sweep_run(NULL, &s.listener), SOTTO_E_ARGUMENT);
    assert_status(sotto_sweep_run(&s.sweep, NULL), SOTTO_E_ARGUMENT);
    s.listener.finished = NULL;
    assert_status(sotto_sweep_run(&s.sweep, &s.listener), SOTTO_E_ARGUMENT);
    set_scene(&s, 1);
    s.sweep.match = NULL;
    assert_status(sotto_sweep_run(&s.sweep, &s.listener), SOTTO_E_ARGUMENT);
    set_scene(&s, 1);
    s.sweep.at = NULL;
    assert_status(sotto_sweep_run(&s.sweep, &s.listener), SOTTO_E_ARGUMENT);
}

TEST(numbers_out_of_range_are_refused)
{
    static const uint64_t zero[] = {0, HORIZON}, twice[] = {7, 7, HORIZON}, early[] = {1, 4999};
    static uint64_t many[SOTTO_POINTS_MAX + 1];
    for (uint32_t i = 0; i <= SOTTO_POINTS_MAX; i++) {
        many[i] = HORIZON - SOTTO_POINTS_MAX + i;
    }
    const struct {
        uint32_t matches, seeds, points, threads;
        uint64_t first_seed;
        const uint64_t *at;
    } bad[] = {
        {0, SEEDS, POINTS, 1, 1, at},
        {MATCHES, 0, POINTS, 1, 1, at},
        {MATCHES, SEEDS, 0, 1, 1, at},
        {MATCHES, SEEDS, SOTTO_POINTS_MAX + 1, 1, 1, many},
        {MATCHES, SEEDS, POINTS, 0, 1, at},
        {MATCHES, SEEDS, POINTS, SOTTO_THREADS_MAX + 1, 1, at},
        {MATCHES, SEEDS, POINTS, 1, UINT64_MAX - SEEDS + 2, at},
        {MATCHES, SEEDS, 2, 1, 1, zero},
        {MATCHES, SEEDS, 3, 1, 1, twice},
        {MATCHES, SEEDS, 2, 1, 1, early},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        scene s;
        set_scene(&s, 1);
        s.sweep = (sotto_sweep){s.match,   bad[i].matches, bad[i].first_seed, bad[i].seeds,
                                bad[i].at, bad[i].points,  bad[i].threads};
        assert_status(sotto_sweep_run(&s.sweep, &s.listener), SOTTO_E_FAULT);
        assert_int_equal(atomic_load(&world.started), 0);
    }
    scene s; /* the horizon of every match is the last checkpoint */
    set_scene(&s, 1);
    s.match[MATCHES - 1].horizon++;
    assert_status(sotto_sweep_run(&s.sweep, &s.listener), SOTTO_E_FAULT);
}

TEST(the_last_seed_there_is_can_be_used)
{
    scene s;
    set_scene(&s, 2);
    s.sweep.first_seed = UINT64_MAX - SEEDS + 1;
    assert_ok(sotto_sweep_run(&s.sweep, &s.listener));
    assert_int_equal(s.heard.order_count, RUNS);
}

TEST(a_failing_run_ends_the_sweep)
{
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        scene s;
        set_scene(&s, threads);
        world.failing_seed = 13;
        world.endless_seed = 14;      /* the others go on until they are stopped */
        world.stopped = SOTTO_E_SPEC; /* the first failure is told, not what came of it */
        assert_status(sotto_sweep_run(&s.sweep, &s.listener), SOTTO_E_FULL);
        assert_int_equal(s.heard.told[2], 0);
        assert_true(atomic_load(&world.started) <= 3 + threads);
    }
}

TEST(custom_code_fails_alone_where_somebody_hears_of_it)
{
    for (uint32_t threads = 1; threads <= 8; threads *= 2) {
        scene s;
        set_scene(&s, threads);
        world.failing_seed = 13;
        world.plugin = true;
        s.listener.failed = hear_failed;
        assert_ok(sotto_sweep_run(&s.sweep, &s.listener));
        for (uint32_t run = 0; run < RUNS; run++) {
            assert_ints(s.heard.failed[run], run % SEEDS == 2, s.heard.told[run], run % SEEDS != 2);
        }
    }
}

TEST(custom_code_ends_the_sweep_where_nobody_wants_to_go_on)
{
    scene s;
    set_scene(&s, 2);
    world.failing_seed = 13;
    world.plugin = true;
    assert_status(sotto_sweep_run(&s.sweep, &s.listener), SOTTO_E_PLUGIN);
    set_scene(&s, 2);
    world.failing_seed = 13;
    world.plugin = true;
    s.listener.failed = hear_failed;
    s.heard.failed_max = 1;
    assert_ok(sotto_sweep_run(&s.sweep, &s.listener));
    assert_int_equal(s.heard.failed_count, 1);
    assert_true(atomic_load(&world.started) < RUNS);
}

TEST(without_any_thread_there_is_no_sweep)
{
    scene s;
    set_scene(&s, 4);
    world.threads_allowed = 0;
    assert_status(sotto_sweep_run(&s.sweep, &s.listener), SOTTO_E_MEMORY);
    assert_int_equal(s.heard.order_count, 0);
}

/* ---- what it gives ------------------------------------------------------------------------ */

static void expect_all(const scene *s)
{
    assert_int_equal(s->heard.order_count, RUNS);
    for (uint64_t run = 0; run < RUNS; run++) {
        uint64_t dim = run / SEEDS + 1, seed = 11 + run % SEEDS;
        assert_int_equal(s->heard.told[run], 1);
        for (uint32_t i = 0; i < POINTS; i++) {
            const sotto_point *point = &s->heard.point[run][i];
            assert_int_equal(point->t, at[i]);
            assert_near(point->regret, (double)(dim * seed + at[i]), 0);
            assert_near(point->estimation_error, 1.0 / (double)(seed + at[i]), 0);
        }
        assert_near(s->heard.result[run].seconds, (double)seed, 0);
        assert_int_equal(s->heard.result[run].repairs, dim);
    }
}

TEST(every_run_is_told_once_with_any_number_of_threads)
{
    const uint32_t threads[] = {1, 2, 3, 8, RUNS, SOTTO_THREADS_MAX};
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        scene s;
        set_scene(&s, threads[i]);
        s.listener.known = NULL;
        assert_ok(sotto_sweep_run(&s.sweep, &s.listener));
        expect_all(&s);
        uint32_t wanted = threads[i] < RUNS ? threads[i] : RUNS;
        assert_int_equal(atomic_load(&world.threads), wanted);
    }
}

TEST(one_thread_plays_in_order)
{
    scene s;
    set_scene(&s, 1);
    assert_ok(sotto_sweep_run(&s.sweep, &s.listener));
    for (uint64_t run = 0; run < RUNS; run++) {
        assert_int_equal(s.heard.order[run], run);
    }
}

TEST(fewer_threads_than_wanted_do)
{
    scene s;
    set_scene(&s, 8);
    world.threads_allowed = 2;
    assert_ok(sotto_sweep_run(&s.sweep, &s.listener));
    expect_all(&s);
}

TEST(known_runs_are_not_played)
{
    scene s;
    set_scene(&s, 3);
    s.heard.known_below = 9;
    assert_ok(sotto_sweep_run(&s.sweep, &s.listener));
    assert_ints(s.heard.order_count, RUNS - 9, atomic_load(&world.started), RUNS - 9);
    for (uint64_t run = 0; run < RUNS; run++) {
        assert_int_equal(s.heard.told[run], run >= 9);
    }
    set_scene(&s, 3);
    s.heard.known_below = RUNS;
    assert_ok(sotto_sweep_run(&s.sweep, &s.listener));
    assert_int_equal(atomic_load(&world.started), 0);
}

static double caller_seconds(void)
{
    struct timespec used;
    assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used), 0);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

/* Each run is slept through, so that the last tick comes after nearly all of it. */
TEST(progress_counts_every_round)
{
    scene s;
    set_scene(&s, 2);
    world.pause_us = 20000;
    s.sweep.matches_count = 1;
    s.sweep.seeds_count = 4;
    double before_s = caller_seconds();
    assert_ok(sotto_sweep_run(&s.sweep, &s.listener));
    assert_true(caller_seconds() - before_s < 0.05); /* it waits, it does not ask and ask */
    /* Four runs of 4 pauses on two threads take at least 0.16 s: one tick, with 2 runs at most
     * still unheard of. No tick counts a round that was not played. */
    assert_true(s.heard.progress_calls >= 1 && s.heard.rounds >= 1000);
    assert_true(s.heard.rounds <= 4 * HORIZON);
    s.listener.progress = NULL;
    assert_ok(sotto_sweep_run(&s.sweep, &s.listener));
    assert_int_equal(s.heard.order_count, 2 * 4);
}

TEST(progress_can_stop_it)
{
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        scene s;
        set_scene(&s, threads);
        world.endless_seed = 14;
        world.pause_us = 100;
        s.heard.stop_when_endless = true;
        s.heard.endless_wanted = threads;
        assert_ok(sotto_sweep_run(&s.sweep, &s.listener));
        assert_ints(atomic_load(&world.endless), threads, s.heard.order_count, 3);
        for (uint64_t run = 0; run < RUNS; run++) {
            assert_int_equal(s.heard.told[run], run < 3);
        }
    }
}

/* Runs 3, 4, 5 and 6 finish just as they are stopped: they are finished, so they are told. */
TEST(what_finishes_while_it_stops_is_told)
{
    scene s;
    set_scene(&s, 4);
    world.endless_seed = 14;
    world.stubborn = true;
    world.pause_us = 100;
    s.heard.stop_when_endless = true;
    s.heard.endless_wanted = 4;
    assert_ok(sotto_sweep_run(&s.sweep, &s.listener));
    assert_int_equal(s.heard.order_count, 3 + 4);
}

TEST(a_listener_that_has_heard_enough_is_left_alone)
{
    for (uint32_t threads = 1; threads <= 8; threads += 7) {
        scene s;
        set_scene(&s, threads);
        s.heard.finished_max = 5;
        assert_ok(sotto_sweep_run(&s.sweep, &s.listener));
        assert_int_equal(s.heard.order_count, 5);
        assert_true(atomic_load(&world.started) <= 5 + threads);
    }
    scene s; /* also by runs that finish after it said so */
    set_scene(&s, 4);
    world.endless_seed = 14;
    world.stubborn = true;
    world.pause_us = 100;
    s.heard.finished_max = 3;
    assert_ok(sotto_sweep_run(&s.sweep, &s.listener));
    assert_int_equal(s.heard.order_count, 3);
}
