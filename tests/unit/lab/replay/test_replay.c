/* A data set played by many runs: blocks and passes, threads that do not change results, and
 * failures. */
#include "lab/replay/replay.h"
#include "players.h"
#include "why.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

OWNED(sotto__replay, sotto__replay_free)

#define DIM 3u
#define ARMS 2u
#define SEEDS 3u

/* ---- a file that is none ------------------------------------------------------------------ */

/* Rows come in blocks of a few, so that there are many blocks. */
typedef struct file {
    uint32_t rows, block, at;
    uint32_t rewinds;
    uint32_t broken_at; /* this row cannot be read; UINT32_MAX: all can */
    bool pipe;
} file;

sotto_status __wrap_sotto_dataset_next(sotto_dataset *dataset, sotto_people *people,
                                       sotto_fault *fault);
sotto_status __wrap_sotto_dataset_next(sotto_dataset *dataset, sotto_people *people,
                                       sotto_fault *fault)
{
    file *f = (file *)dataset;
    people->rows = 0;
    for (; people->rows < f->block && f->at < f->rows; f->at++) {
        if (f->at == f->broken_at) {
            sotto__fault_at(fault, "", "row %u is broken", f->at);
            return SOTTO_E_FAULT;
        }
        uint32_t i = people->rows++;
        people->context[DIM * i] = f->at % 3 == 0 ? 0.6 : -0.6;
        people->context[DIM * i + 1] = 0.01 * (f->at % 7);
        people->context[DIM * i + 2] = 0.5;
        people->arm[i] = f->at % 3 == 0;
        people->reward[i] = people->propensity[i] = 1;
    }
    return SOTTO_OK;
}

sotto_status __wrap_sotto_dataset_rewind(sotto_dataset *dataset, sotto_fault *fault);
sotto_status __wrap_sotto_dataset_rewind(sotto_dataset *dataset, sotto_fault *fault)
{
    file *f = (file *)dataset;
    if (f->pipe) {
        sotto__fault_at(fault, "", "a pipe");
        return SOTTO_E_FAULT;
    }
    f->at = 0;
    f->rewinds++;
    return SOTTO_OK;
}

/* Threads that the system can start. */
static atomic_uint threads_allowed = 1000;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
                          void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
                          void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
                          void *arg)
{
    if (atomic_load(&threads_allowed) == 0) return EAGAIN;
    atomic_fetch_sub(&threads_allowed, 1);
    return __real_pthread_create(thread, attr, start, arg);
}

/* ---- replays ------------------------------------------------------------------------------ */

static const uint64_t at[] = {1, 10, 50};

static sotto__replay_settings settings_of(const sotto_match *match, uint32_t threads)
{
    return (sotto__replay_settings){
        .match = match,
        .matches_count = 2,
        .seeds_count = SEEDS,
        .rules = {.shuffle = true,
                  .clip = 0.01,
                  .at = at,
                  .at_count = 3,
                  .people_max = UINT64_MAX,
                  .tail_from = 90,
                  .tail_until = UINT64_MAX},
        .passes = 1,
        .threads = threads,
    };
}

static void set_matches(sotto_match match[2])
{
    match[0] = match_of(SOTTO_PLAYER_SOTTO, SOTTO_PARAMETERS_PER_ARM, DIM, ARMS);
    match[0].spec.delta = 0;
    match[0].spec.allow_weak_delta = false;
    match[1] = match_of(SOTTO_PLAYER_OLS, SOTTO_PARAMETERS_PER_ARM, DIM, ARMS);
}

static sotto__replay *played(const sotto__replay_settings *settings, file *f)
{
    sotto__replay *replay;
    assert_ok(sotto__replay_new(settings, DIM, &replay));
    const char *wrong = WHY(sotto__replay_play, replay, (sotto_dataset *)f, NULL);
    if (wrong != NULL) fail_msg("%s", wrong);
    return replay;
}

static const char *failed(const sotto__replay_settings *settings, file *f)
{
    sotto__replay *replay;
    assert_ok(sotto__replay_new(settings, DIM, &replay));
    const char *wrong = WHY(sotto__replay_play, replay, (sotto_dataset *)f, NULL);
    assert_int_equal(replay->run[0].points_count == 0 || replay->run[0].point[0].t == 1, 1);
    sotto__replay_free(replay);
    return wrong;
}

TEST(what_cannot_be_read_ends_it)
{
    sotto_match match[2];
    set_matches(match);
    sotto__replay_settings settings = settings_of(match, 2);
    file first = {.rows = 100, .block = 16, .broken_at = 0};
    assert_string_equal(failed(&settings, &first), "row 0 is broken");
    file later = {.rows = 100, .block = 16, .broken_at = 40};
    assert_string_equal(failed(&settings, &later), "row 40 is broken");
    file pipe = {.rows = 100, .block = 16, .broken_at = UINT32_MAX, .pipe = true};
    settings.passes = 2;
    assert_string_equal(failed(&settings, &pipe), "a pipe");
}

TEST(a_run_that_fails_ends_it)
{
    sotto_match match[2];
    sotto__replay *replay;
    set_matches(match);
    sotto__replay_settings settings = settings_of(match, 2);
    match[0].spec.epsilon = 1000;
    assert_status(sotto__replay_new(&settings, DIM, &replay), SOTTO_E_FAULT);
    assert_null(replay);
    set_matches(match);
    file f = {.rows = 100, .block = 16, .broken_at = UINT32_MAX};
    atomic_store(&threads_allowed, 0);
    assert_string_equal(failed(&settings, &f), sotto_status_text(SOTTO_E_MEMORY));
    atomic_store(&threads_allowed, 1000);
    sotto__replay_free(NULL);
}

static sotto_status refuse_to_learn(sotto__player *self, double reward)
{
    (void)self, (void)reward;
    return SOTTO_E_FULL;
}

TEST(a_player_that_fails_is_told)
{
    sotto_match match[2];
    OWN(sotto__replay) replay;
    set_matches(match);
    sotto__replay_settings settings = settings_of(match, 2);
    file f = {.rows = 100, .block = 16, .broken_at = UINT32_MAX};
    assert_ok(sotto__replay_new(&settings, DIM, &replay));
    replay->run[4].player->learn = refuse_to_learn;
    const char *wrong = WHY(sotto__replay_play, replay, (sotto_dataset *)&f, NULL);
    assert_string_equal(wrong, sotto_status_text(SOTTO_E_FULL));
    assert_int_equal(replay->run[4].now.t, 1);
}

TEST(all_rows_are_played_once)
{
    sotto_match match[2];
    set_matches(match);
    sotto__replay_settings settings = settings_of(match, 2);
    file f = {.rows = 100, .block = 16, .broken_at = UINT32_MAX};
    OWN(sotto__replay) replay = played(&settings, &f);
    assert_ints(f.rewinds, 0, replay->runs_count, 6, replay->yardstick->rows, 100);
    assert_int_equal(replay->yardstick->arm_count[1], 34);
    for (uint64_t r = 0; r < 6; r++) {
        const sotto__replay_run *run = &replay->run[r];
        assert_ptr_equal(run->match, &match[r / SEEDS]);
        assert_ints(run->points_count, 4, run->point[3].t, 100);
        assert_int_equal(run->tail_arm_count[0] + run->tail_arm_count[1], 10);
    }
}

/* In the order of the file these are its first ones. Shuffled, they are any of the blocks that have
 * to be read. */
TEST(no_more_people_than_asked_for)
{
    sotto_match match[2];
    set_matches(match);
    sotto__replay_settings settings = settings_of(match, 1);
    const uint64_t people[] = {16, 20, 1, 16, 20, 1};
    const uint64_t rows[] = {16, 20, 1, 16, 32, 16}, ones[] = {6, 7, 1, 6, 11, 6};
    for (int i = 0; i < 6; i++) {
        settings.rules.shuffle = i >= 3;
        file f = {.rows = 100, .block = 16, .broken_at = UINT32_MAX};
        settings.rules.people_max = people[i];
        OWN(sotto__replay) replay = played(&settings, &f);
        assert_ints(replay->run[5].now.t, people[i], f.at, i % 3 == 1 ? 32 : 16);
        assert_ints(replay->yardstick->rows, rows[i], replay->yardstick->arm_count[1], ones[i]);
    }
}

TEST(the_file_is_read_again)
{
    sotto_match match[2];
    set_matches(match);
    sotto__replay_settings settings = settings_of(match, 2);
    settings.passes = 3;
    file f = {.rows = 40, .block = 16, .broken_at = UINT32_MAX};
    sotto__replay *replay = played(&settings, &f);
    assert_ints(f.rewinds, 2, replay->run[0].now.t, 120);
    assert_int_equal(replay->yardstick->rows, 40); /* each person once */
    sotto__replay_free(replay);

    file cut = {.rows = 40, .block = 16, .broken_at = UINT32_MAX};
    settings.rules.people_max = 50;
    replay = played(&settings, &cut);
    assert_ints(replay->run[0].now.t, 50, replay->yardstick->rows, 40);
    sotto__replay_free(replay);
}

TEST(threads_change_nothing)
{
    sotto_match match[2];
    sotto__replay *replay[3];
    const uint32_t threads[] = {1, 2, 40};
    set_matches(match);
    for (int i = 0; i < 3; i++) {
        sotto__replay_settings settings = settings_of(match, threads[i]);
        file f = {.rows = 400, .block = 64, .broken_at = UINT32_MAX};
        if (i == 1) atomic_store(&threads_allowed, 1); /* of 2: one is enough */
        replay[i] = played(&settings, &f);
        atomic_store(&threads_allowed, 1000);
    }
    for (uint64_t r = 0; r < 6; r++) {
        for (int i = 1; i < 3; i++) {
            assert_memory_equal(replay[i]->run[r].point, replay[0]->run[r].point,
                                4 * sizeof(sotto__replay_point));
            assert_true(replay[i]->run[r].tail_reward == replay[0]->run[r].tail_reward);
        }
    }
    assert_true(replay[0]->run[0].now.reward != replay[0]->run[1].now.reward ||
                replay[0]->run[0].now.reward != replay[0]->run[2].now.reward);
    for (int i = 0; i < 3; i++) {
        sotto__replay_free(replay[i]);
    }
}

/* The label is a linear function of the row: 400 people teach it, one seed like the other. */
/* Methods are compared on the same last people, and each seed has its own. */
TEST(a_seed_is_one_order_for_all_methods)
{
    sotto_match match[2];
    set_matches(match);
    sotto__replay_settings settings = settings_of(match, 2);
    settings.rules.tail_from = 200;
    file f = {.rows = 400, .block = 400, .broken_at = UINT32_MAX};
    OWN(sotto__replay) replay = played(&settings, &f);
    const sotto__replay_run *run = replay->run;
    for (uint32_t i = 0; i < SEEDS; i++) {
        assert_int_equal(run[i].tail_arm_count[1], run[SEEDS + i].tail_arm_count[1]);
    }
    assert_int_not_equal(run[0].tail_arm_count[1], run[1].tail_arm_count[1]);
    assert_int_not_equal(run[1].tail_arm_count[1], run[2].tail_arm_count[1]);
}

TEST(what_can_be_learnt_is_learnt)
{
    sotto_match match[2];
    set_matches(match);
    sotto__replay_settings settings = settings_of(match, 2);
    settings.rules.tail_from = 300;
    file f = {.rows = 400, .block = 64, .broken_at = UINT32_MAX};
    OWN(sotto__replay) replay = played(&settings, &f);
    for (uint64_t r = SEEDS; r < 2 * SEEDS; r++) {
        assert_true(replay->run[r].tail_reward == 100);
    }
}

static bool count_progress(void *state, uint64_t rounds)
{
    *(uint64_t *)state = rounds;
    return true;
}

static bool stop_at_once(void *state, uint64_t rounds)
{
    *(uint64_t *)state = rounds;
    return false;
}

TEST(a_listener_can_stop_it)
{
    sotto_match match[2];
    OWN(sotto__replay) replay;
    uint64_t rounds = 0;
    const sotto_replay_listener listener = {stop_at_once, &rounds};
    set_matches(match);
    sotto__replay_settings settings = settings_of(match, 2);
    file f = {.rows = 3000, .block = 1000, .broken_at = UINT32_MAX};
    assert_ok(sotto__replay_new(&settings, DIM, &replay));
    const char *wrong = WHY(sotto__replay_play, replay, (sotto_dataset *)&f, &listener);
    assert_string_equal(wrong, SOTTO_REPLAY_STOPPED);
    assert_true(rounds < 18000);
}

TEST(progress_counts_all_rounds)
{
    sotto_match match[2];
    OWN(sotto__replay) replay;
    uint64_t rounds = 0;
    const sotto_replay_listener listener = {count_progress, &rounds};
    set_matches(match);
    sotto__replay_settings settings = settings_of(match, 2);
    file f = {.rows = 3000, .block = 1000, .broken_at = UINT32_MAX};
    assert_ok(sotto__replay_new(&settings, DIM, &replay));
    assert_null(WHY(sotto__replay_play, replay, (sotto_dataset *)&f, &listener));
    assert_int_equal(rounds, 18000);
}
