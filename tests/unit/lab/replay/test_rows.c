/* What a run tells at its check-points, from sums by hand. */
#include "lab/replay/rows.h"
#include "players.h"

typedef struct game {
    sotto_match match[2];
    sotto__replay_run run[4]; /* two matches with two seeds */
    sotto__replay_point point[2];
    sotto__replay replay;
} game;

static void begin(game *g)
{
    *g = (game){.match = {match_of(SOTTO_PLAYER_SOTTO, SOTTO_PARAMETERS_PER_ARM, 2, 2),
                          match_of(SOTTO_PLAYER_OLS, SOTTO_PARAMETERS_PER_ARM, 2, 2)}};
    g->match[0].spec.epsilon = 0.5;
    for (uint32_t r = 0; r < 4; r++) {
        g->run[r] =
            (sotto__replay_run){.match = &g->match[r / 2], .point = g->point, .points_count = 2};
    }
    g->replay =
        (sotto__replay){.settings = {.match = g->match, .matches_count = 2, .seeds_count = 2},
                        .runs_count = 4,
                        .run = g->run};
}

static void a_log_that_agreed_with_nobody_has_no_value(void **state)
{
    (void)state;
    game g;
    begin(&g);
    g.point[0].t = 5;
    sotto_replay_row row = sotto__replay_row_of(&g.replay, 0, 0);
    assert_int_equal(row.learnt, 0);
    assert_true(isnan(row.replayed.value));
    assert_true(isnan(row.replayed.lo));
    assert_true(isnan(row.self_normalised));
    assert_true(row.effective_size == 0);
}

static void a_row_names_its_run(void **state)
{
    (void)state;
    game g;
    begin(&g);
    g.point[1] = (sotto__replay_point){.t = 100, .reward = 61, .best = 100};
    sotto_replay_row first = sotto__replay_row_of(&g.replay, 0, 1);
    sotto_replay_row last = sotto__replay_row_of(&g.replay, 3, 1);
    assert_string_equal(first.method, "sotto");
    assert_true(first.epsilon == 0.5);
    assert_int_equal(first.seed, 1);
    assert_string_equal(last.method, "ols");
    assert_true(isinf(last.epsilon)); /* whatever its spec says */
    assert_int_equal(last.seed, 2);
    assert_int_equal(last.t, 100);
    assert_true(last.reward == 61);
    assert_true(last.regret == 39);
    assert_int_equal(sotto__replay_row_of(&g.replay, 2, 0).seed, 1);
    assert_int_equal(sotto__replay_row_of(&g.replay, 2, 0).t, 0);
}

/* Learnt from: rewards 1 and 0. Agreed: the same and another 1, at propensities 0.5, 0.5, 0.25, of
 * 10 events: w = 2, 2, 4, so that value (2 + 0 + 4)/10, self-normalised 6/8, effective 64/24. */
static void a_log_is_valued_by_all_its_events(void **state)
{
    (void)state;
    game g;
    begin(&g);
    sotto__replay_point *p = &g.point[0];
    p->t = 10;
    sotto__off_policy_add(&p->replayed, 1, 1, 0);
    sotto__off_policy_add(&p->replayed, 0, 1, 0);
    sotto__off_policy_add(&p->weighted, 1, 0.5, 0.01);
    sotto__off_policy_add(&p->weighted, 0, 0.5, 0.01);
    sotto__off_policy_add(&p->weighted, 1, 0.25, 0.01);
    sotto_replay_row row = sotto__replay_row_of(&g.replay, 0, 0);
    assert_int_equal(row.learnt, 2);
    assert_near(row.replayed.value, 0.5, 1e-12);
    assert_near(row.weighted.value, 0.6, 1e-12);
    assert_near(row.self_normalised, 0.75, 1e-12);
    assert_near(row.effective_size, 64.0 / 24, 1e-12);
    assert_true(row.weighted.lo < 0.6 && row.weighted.hi > 0.6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_log_that_agreed_with_nobody_has_no_value),
        cmocka_unit_test(a_row_names_its_run),
        cmocka_unit_test(a_log_is_valued_by_all_its_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
