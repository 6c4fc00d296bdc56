/* Comparisons as others use them: faults, runs that end early, rows and lines. */
#include "directory.h"
#include "guests.h"
#include "scarce.h"
#include "scenes.h"
#include "test.h"
#include "texts.h"
#include "why.h"

#include <sotto/lab/shards.h>

OWNED(sotto_comparison, sotto_comparison_free)

enum { HORIZON = 300, MATCHES = 4, SEEDS = 3, POINTS = 2, RUNS = MATCHES * SEEDS };
static const sotto_player players[] = {SOTTO_PLAYER_SOTTO, SOTTO_PLAYER_OLS};
static const double epsilons[] = {0.5, 2};
static const uint64_t points[] = {100, HORIZON};

static sotto_comparison_request small_request(void)
{
    const sotto_scene scene = {.dim = 3, .arms = 4, .horizon = HORIZON};
    sotto_comparison_request request = sotto_comparison_request_default(&scene);
    request.player = players;
    request.players_count = 2;
    request.epsilon = epsilons;
    request.epsilons_count = 2;
    request.first_seed = 5;
    request.seeds = SEEDS;
    request.threads = 2;
    request.at = points;
    request.at_count = POINTS;
    return request;
}

static sotto_comparison *small_comparison(void)
{
    sotto_comparison_request request = small_request();
    sotto_comparison *made;
    assert_ok(sotto_comparison_new(&request, &made));
    return made;
}

TEST(a_request_at_fault_makes_no_comparison)
{
    sotto_comparison_request request = small_request();
    sotto_comparison *made = (void *)&made;
    request.seeds = 0;
    assert_status(sotto_comparison_new(&request, &made), SOTTO_E_FAULT);
    assert_null(made);
    request = small_request();
    request.player = NULL;
    assert_status(sotto_comparison_new(&request, &made), SOTTO_E_ARGUMENT);
}

static bool hear_failed(void *state, uint64_t run, const char *fault)
{
    (void)fault;
    *(uint64_t *)state |= UINT64_C(1) << run;
    return true;
}

/* A method that claims nothing: one line of the summary, and no epsilon. */
TEST(a_custom_method_has_rows_and_lines)
{
    guest user = {.round = 20};
    const sotto_player_table table = guest_player(&user);
    const sotto_player_table *const custom[] = {NULL, &table};
    sotto_comparison_request request = small_request();
    sotto_comparison_row row;
    sotto_comparison_line line[MATCHES];
    sotto_comparison *made;
    uint64_t failed = 0;
    request.custom = custom;
    request.threads = 1; /* a guest counts its own states */
    const sotto_sweep_listener listener = {.state = &failed, .failed = hear_failed};
    assert_ok(sotto_comparison_new(&request, &made));
    assert_ok(sotto_comparison_play(made, &listener));
    assert_int_equal(sotto_comparison_done(made), RUNS);
    assert_true(sotto_comparison_row_at(made, 6 * POINTS, &row));
    assert_string_equal(row.method, "guest");
    assert_ok(sotto_comparison_summarise(made, line, MATCHES));
    assert_string_equal(line[2].method, "guest");
    assert_true(isinf(line[2].epsilon) && line[3].repeated);
    sotto_comparison_free(made);

    user.misdeed = MISDEED_ARM_TOO_LARGE;
    assert_ok(sotto_comparison_new(&request, &made));
    assert_ok(sotto_comparison_play(made, &listener));
    assert_int_equal(failed, 0xfc0); /* runs 6 to 11 */
    assert_int_equal(sotto_comparison_done(made), RUNS / 2);
    assert_status(sotto_comparison_play(made, NULL), SOTTO_E_PLUGIN);
    sotto_comparison_free(made);
}

/* sotto gets terms of version 2; ols, which sends nothing, does not change. */
TEST(measure_rounds_are_told_of_runs_that_have_them)
{
    sotto_comparison_request request = small_request();
    OWN(sotto_comparison) made;
    sotto_run_measurement m = {.there = false};
    assert_true(SOTTO_COMPARISON_CHANGE(&request, spec.measure, 1u << 31));
    assert_ok(sotto_comparison_new(&request, &made));
    const sotto_sweep *sweep = sotto_comparison_sweep(made);
    assert_true(sweep->match[0].spec.measure > 0 && sweep->match[MATCHES - 1].spec.measure == 0);
    assert_false(sotto_comparison_measured(made, 0, &m)); /* not played yet */
    assert_ok(sotto_comparison_play(made, NULL));
    assert_true(sotto_comparison_measured(made, 0, &m));
    assert_true(m.there && m.seen.follow_count > 0 && m.seen.control_count > 0);
    sotto_point point[64];
    sotto_run_result result;
    bool finished;
    for (uint32_t i = 0; i < sweep->at_count; i++) {
        point[i].t = sweep->at[i];
    }
    assert_ok(sotto_match_play(&sweep->match[0], sweep->first_seed, point, sweep->at_count, NULL,
                               &result, &finished));
    assert_true(result.measured.seen.uplift.lo == m.seen.uplift.lo);
    assert_true(result.measured.uplift == m.uplift);
    assert_false(sotto_comparison_measured(made, RUNS - 1, &m));
    assert_false(sotto_comparison_measured(made, RUNS, &m));
    assert_false(sotto_comparison_measured(NULL, 0, &m));
    assert_false(sotto_comparison_measured(made, 0, NULL));
}

TEST(more_rows_than_there_may_be_are_refused)
{
    sotto_comparison_request request = small_request();
    sotto_comparison *made = (void *)&made;
    static uint64_t many[SOTTO_POINTS_MAX];
    for (uint32_t i = 0; i < SOTTO_POINTS_MAX; i++) {
        many[i] = i + 1;
    }
    request.scene.horizon = SOTTO_POINTS_MAX;
    request.at = many;
    request.at_count = SOTTO_POINTS_MAX;
    request.seeds = (1u << 18) + 1; /* 4 matches, 2^12 points */
    assert_status(sotto_comparison_new(&request, &made), SOTTO_E_MEMORY);
    assert_null(made);
}

TEST(memory_that_runs_out_leaves_nothing_behind)
{
    const sotto_comparison_request request = small_request();
    OWN(sotto_comparison) made = NULL;
    sotto_status status = SOTTO_E_MEMORY;
    uint32_t tries = 0;
    for (; tries < 100 && status != SOTTO_OK; tries++) {
        calls_left = tries;
        status = sotto_comparison_new(&request, &made);
        calls_left = UINT32_MAX;
        if (status == SOTTO_OK) break;
        assert_int_equal(status, SOTTO_E_MEMORY);
        assert_null(made);
    }
    assert_ok(status);
    assert_true(tries >= 6);
}

TEST(what_is_not_played_has_no_rows)
{
    OWN(sotto_comparison) made = small_comparison();
    sotto_comparison_row row;
    assert_ints(sotto_comparison_rows(made), RUNS * POINTS, sotto_comparison_done(made), 0);
    assert_false(sotto_comparison_row_at(made, 0, &row));
}

/* Rows are in the order of the sweep, and have the numbers of a single run. */
TEST(rows_have_the_numbers_of_their_runs)
{
    OWN(sotto_comparison) made = small_comparison();
    const sotto_sweep *sweep = sotto_comparison_sweep(made);
    assert_int_equal(sweep->matches_count, MATCHES);
    assert_ok(sotto_comparison_play(made, NULL));
    assert_int_equal(sotto_comparison_done(made), RUNS);
    for (uint32_t r = 0; r < RUNS; r++) {
        const sotto_match *match = &sweep->match[r / SEEDS];
        sotto_point single[POINTS] = {{.t = points[0]}, {.t = points[1]}};
        sotto_run_result result;
        bool finished;
        assert_ok(sotto_match_play(match, 5 + r % SEEDS, single, POINTS, NULL, &result, &finished));
        for (uint32_t i = 0; i < POINTS; i++) {
            sotto_comparison_row row;
            assert_true(sotto_comparison_row_at(made, POINTS * r + i, &row));
            assert_string_equal(row.method, r < 2 * SEEDS ? "sotto" : "ols");
            assert_true(row.epsilon == epsilons[r / SEEDS % 2]);
            assert_ints(row.seed, 5 + r % SEEDS, row.t, points[i]);
            assert_true(row.regret == single[i].regret);
            assert_true(row.estimation_error == single[i].estimation_error);
        }
    }
    sotto_comparison_row row;
    assert_false(sotto_comparison_row_at(made, RUNS * POINTS, &row));
}

static bool stop_after_three(void *state, uint64_t run, const sotto_point *point,
                             const sotto_run_result *result)
{
    (void)run, (void)point, (void)result;
    return ++*(uint32_t *)state != 3;
}

TEST(a_comparison_that_was_ended_goes_on_where_it_stopped)
{
    OWN(sotto_comparison) made = small_comparison();
    uint32_t heard = 0;
    const sotto_sweep_listener listener = {.finished = stop_after_three, .state = &heard};
    assert_ok(sotto_comparison_play(made, &listener));
    assert_int_equal(sotto_comparison_done(made), 3);
    assert_ok(sotto_comparison_play(made, &listener));
    assert_ints(heard, RUNS, sotto_comparison_done(made), RUNS);
}

static bool count_run(void *state, uint64_t run, const sotto_point *point,
                      const sotto_run_result *result)
{
    (void)point, (void)result;
    assert_int_not_equal(run, 1);
    ++*(uint32_t *)state;
    return true;
}

TEST(a_run_that_was_played_before_is_not_played_again)
{
    OWN(sotto_comparison) made = small_comparison();
    sotto_comparison_line line[MATCHES];
    sotto_point point[POINTS] = {{.t = 100, .regret = 3}, {.t = HORIZON, .regret = 1e6}};
    uint32_t heard = 0;
    const sotto_sweep_listener listener = {.finished = count_run, .state = &heard};
    assert_status(sotto_comparison_take(made, 1, point, POINTS - 1), SOTTO_E_LENGTH);
    assert_status(sotto_comparison_take(made, RUNS, point, POINTS), SOTTO_E_FAULT);
    point[0].t = 99;
    assert_status(sotto_comparison_take(made, 1, point, POINTS), SOTTO_E_FAULT);
    point[0].t = 100;
    assert_ok(sotto_comparison_take(made, 1, point, POINTS));
    assert_status(sotto_comparison_take(made, 1, point, POINTS), SOTTO_E_FAULT);
    assert_int_equal(sotto_comparison_done(made), 1);
    assert_ok(sotto_comparison_summarise(made, line, MATCHES));
    assert_int_equal(line[0].seeds, 1);
    assert_true(isnan(line[0].rounds_per_second));
    assert_ok(sotto_comparison_play(made, &listener));
    assert_int_equal(heard, RUNS - 1);
    sotto_comparison_row row;
    assert_true(sotto_comparison_row_at(made, POINTS + 1, &row) && row.regret == 1e6);
}

TEST(a_row_is_a_line_of_csv)
{
    char text[SOTTO_ROW_BYTES], name[102];
    sotto_comparison_row row = {"sotto", 0.5, 7, 100, 12.5, NAN};
    assert_int_equal(sotto_comparison_row_csv(&row, text), strlen("sotto,0.5,7,100,12.5,nan\n"));
    assert_string_equal(text, "sotto,0.5,7,100,12.5,nan\n");
    memset(name, 'x', 101);
    name[101] = '\0';
    row = (sotto_comparison_row){name,       -1.23456789012345e-300,   UINT64_MAX,
                                 UINT64_MAX, -1.2345678901234567e-300, -1.2345678901234567e-300};
    assert_int_equal(sotto_comparison_row_csv(&row, text), 0);
    row.method = name + 1;
    assert_true(sotto_comparison_row_csv(&row, text) > 200);
}

TEST(a_summary_has_a_line_per_match)
{
    OWN(sotto_comparison) made = small_comparison();
    sotto_comparison_line line[MATCHES + 1];
    assert_ok(sotto_comparison_play(made, NULL));
    assert_status(sotto_comparison_summarise(made, line, MATCHES + 1), SOTTO_E_LENGTH);
    assert_status(sotto_comparison_summarise(made, line, MATCHES - 1), SOTTO_E_LENGTH);
    assert_ok(sotto_comparison_summarise(made, line, MATCHES));
    double sum = 0;
    for (uint32_t s = 0; s < SEEDS; s++) {
        sotto_comparison_row row;
        assert_true(sotto_comparison_row_at(made, POINTS * s + 1, &row));
        sum += row.regret;
    }
    assert_string_equal(line[0].method, "sotto");
    assert_int_equal(line[0].seeds, SEEDS);
    assert_near(line[0].regret_mean, sum / SEEDS, 1e-9);
    assert_true(line[2].cost == 1); /* ols over itself */
}

/* One machine of several; it does not know the others. */
typedef struct machine {
    uint32_t index, count;
} machine;

static bool is_of_others(void *state, uint64_t run)
{
    const machine *m = state;
    return !sotto_shard_holds(run, m->index, m->count);
}

TEST(a_shard_needs_all_its_runs_and_a_place)
{
    HELD(directory) where = directory_new();
    machine first = {1, 5};
    const sotto_sweep_listener listener = {.known = is_of_others, .state = &first};
    OWN(sotto_comparison) c = small_comparison();
    assert_says(WHY(sotto_comparison_write_shard, c, 6, 5, where.file), why_fault.sentence,
                "shard = 6 of 5");
    assert_says(WHY(sotto_comparison_write_shard, c, 1, 5, where.file), why_fault.sentence,
                "shard = 1 of 5: not all of its runs are finished");
    assert_int_equal(directory_count(&where), 0);
    assert_ok(sotto_comparison_play(c, &listener));
    assert_int_equal(sotto_comparison_done(c), sotto_shard_runs(RUNS, 1, 5));
    assert_says(WHY(sotto_comparison_write_shard, c, 2, 5, where.file), why_fault.sentence,
                "not all");
    assert_says(WHY(sotto_comparison_write_shard, c, 1, 5, "/nowhere/part"), why_fault.sentence,
                "cannot write /nowhere/part: No such file");
    assert_says(WHY(sotto_comparison_write_shard, c, 1, 5, "/dev/full"), why_fault.sentence,
                "No space left");
    assert_silent(WHY(sotto_comparison_write_shard, c, 1, 5, where.file));
}

TEST(shards_that_are_merged_are_the_rows_of_one_machine)
{
    enum { MACHINES = 5 };
    char name[MACHINES][DIRECTORY_PATH_BYTES + 16];
    static char bytes[RUNS * POINTS * SOTTO_ROW_BYTES], wanted[sizeof bytes];
    const char *path[MACHINES];
    HELD(directory) where = directory_new();
    for (uint32_t i = 0; i < MACHINES; i++) {
        machine m = {i + 1, MACHINES};
        const sotto_sweep_listener listener = {.known = is_of_others, .state = &m};
        OWN(sotto_comparison) c = small_comparison();
        snprintf(name[i], sizeof name[i], "%s/part%u", where.path, i);
        path[i] = name[i];
        assert_ok(sotto_comparison_play(c, &listener));
        assert_silent(WHY(sotto_comparison_write_shard, c, i + 1, MACHINES, path[i]));
    }
    assert_silent(WHY(sotto_shards_merge, path, MACHINES, where.other));
    bytes[file_read(where.other, (uint8_t *)bytes, sizeof bytes - 1)] = '\0';

    OWN(sotto_comparison) whole = small_comparison();
    sotto_comparison_row row;
    assert_ok(sotto_comparison_play(whole, NULL));
    size_t length = (size_t)snprintf(wanted, sizeof wanted, "%s", SOTTO_COMPARISON_HEADER);
    for (uint64_t i = 0; sotto_comparison_row_at(whole, i, &row); i++) {
        length += sotto_comparison_row_csv(&row, wanted + length);
    }
    assert_string_equal(bytes, wanted);
}
