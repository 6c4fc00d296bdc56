/* The curves of a replay, from a summary by hand. */
#include "lab/replay/figure.h"
#include "test.h"

#include <math.h>
#include <string.h>

static sotto_replay_line private_line(sotto_player player, double epsilon, double mean)
{
    return (sotto_replay_line){.player = player,
                               .epsilon = epsilon,
                               .reward_mean = mean,
                               .reward_se = 0.01,
                               .weighted = {mean + 1, mean + 0.5, mean + 2}};
}

/* sotto at three epsilons in no order, linucb, ldp-sgd at the same, then the yardsticks. */
static void set_lines(sotto_replay_line line[9])
{
    const double epsilon[] = {2, 0.5, 8};
    for (uint32_t i = 0; i < 3; i++) {
        line[i] = private_line(SOTTO_PLAYER_SOTTO, epsilon[i], 0.1 * epsilon[i]);
        line[4 + i] = private_line(SOTTO_PLAYER_LDP_SGD, epsilon[i], 0.05 * epsilon[i]);
    }
    line[3] = private_line(SOTTO_PLAYER_LINUCB, INFINITY, 0.9);
    line[7] = private_line(SOTTO_PLAYER_SOTTO, INFINITY, 0.6);
    line[8] = private_line(SOTTO_PLAYER_SOTTO, INFINITY, 0.5);
    line[7].yardstick = line[8].yardstick = true;
}

static void assert_points(const sotto__curve *curve, const double *x, const double *y, double below,
                          double above, uint32_t count)
{
    assert_int_equal(curve->count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_near(curve->x[i], x[i], 1e-12);
        assert_near(curve->y[i], y[i], 1e-12);
        assert_near(curve->lo[i], y[i] - below, 1e-12);
        assert_near(curve->hi[i], y[i] + above, 1e-12);
    }
}

static void a_replay_without_privacy_has_points_without_a_place(void **state)
{
    (void)state;
    sotto_replay_line line[9];
    set_lines(line);
    sotto_replay_line open[] = {line[3], line[7], line[8]};
    const sotto_replay_summary summary = {.lines_count = 3, .line = open};
    sotto__replay_figure *f;
    sotto__replay_figure_free(NULL);
    assert_ok(sotto__replay_figure_new(&summary, "drawn", "people.csv", false, &f));
    assert_int_equal(f->figure.panel[0].curves_count, 2);
    for (uint32_t c = 0; c < 2; c++) {
        assert_int_equal(f->curve[c].count, 1);
        assert_true(isinf(f->curve[c].x[0])); /* which a figure leaves out */
    }
    sotto__replay_figure_free(f);
}

static void a_method_is_a_curve_and_what_has_no_epsilon_a_level(void **state)
{
    (void)state;
    sotto_replay_line line[9];
    set_lines(line);
    const sotto_replay_summary summary = {.lines_count = 9, .line = line, .passes = 1};
    const double x[] = {0.5, 2, 8}, ends[] = {0.5, 8};
    sotto__replay_figure *f;
    assert_ok(sotto__replay_figure_new(&summary, "drawn", "people.csv", false, &f));
    assert_int_equal(f->figure.panels_count, 1);
    assert_int_equal(f->figure.panel[0].curves_count, 4);
    const sotto__curve *curve = f->figure.panel[0].curve;
    assert_points(&curve[0], x, (double[]){0.05, 0.2, 0.8}, 0.01, 0.01, 3);
    assert_points(&curve[1], ends, (double[]){0.9, 0.9}, 0.01, 0.01, 2);
    assert_points(&curve[2], x, (double[]){0.025, 0.1, 0.4}, 0.01, 0.01, 3);
    assert_points(&curve[3], ends, (double[]){0.6, 0.6}, 0.01, 0.01, 2);
    assert_int_equal(curve[0].player, SOTTO_PLAYER_SOTTO);
    assert_int_equal(curve[2].player, SOTTO_PLAYER_LDP_SGD);
    assert_int_equal(curve[3].player, SOTTO_PLAYER_ORACLE);
    assert_null(curve[1].label);
    assert_string_equal(curve[3].label, "the majority arm");
    assert_string_equal(f->figure.panel[0].y_label, "reward per person");
    sotto__replay_figure_free(f);
}

static void a_table_of_rewards_has_a_best_arm(void **state)
{
    (void)state;
    sotto_replay_line line[9];
    set_lines(line);
    const sotto_replay_summary summary = {.by_table = true, .lines_count = 9, .line = line};
    sotto__replay_figure *f;
    assert_ok(sotto__replay_figure_new(&summary, "drawn", "people.csv", false, &f));
    assert_string_equal(f->curve[3].label, "the best fixed arm");
    sotto__replay_figure_free(f);
}

/* The estimate and its interval instead of the mean and its standard error. */
static void a_log_is_drawn_by_its_value(void **state)
{
    (void)state;
    sotto_replay_line line[9];
    set_lines(line);
    const sotto_replay_summary summary = {.log = true, .lines_count = 9, .line = line};
    sotto__replay_figure *f;
    assert_ok(sotto__replay_figure_new(&summary, "drawn", "log.csv", false, &f));
    assert_points(&f->curve[0], (double[]){0.5, 2, 8}, (double[]){1.05, 1.2, 1.8}, 0.5, 1, 3);
    assert_string_equal(f->curve[3].label, "the best fixed arm");
    assert_string_equal(f->figure.band, "95 % interval");
    sotto__replay_figure_free(f);
}

static void the_prefix_is_a_folder_and_a_name(void **state)
{
    (void)state;
    static const struct {
        const char *prefix, *folder, *name;
    } wanted[] = {{"drawn", ".", "drawn"}, {"/drawn", "/", "drawn"}, {"a/b/drawn", "a/b", "drawn"}};
    sotto_replay_line line[9];
    set_lines(line);
    const sotto_replay_summary summary = {.lines_count = 9, .line = line, .passes = 2};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        sotto__replay_figure *f;
        assert_ok(sotto__replay_figure_new(&summary, wanted[i].prefix, "x/people.csv", i > 0, &f));
        assert_string_equal(f->folder, wanted[i].folder);
        assert_string_equal(f->figure.name, wanted[i].name);
        assert_string_equal(f->figure.title,
                            i > 0 ? "people.csv (ranges from people's rows)" : "people.csv");
        assert_string_equal(f->figure.panel[0].y_label, "reward per person, over all passes");
        sotto__replay_figure_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_replay_without_privacy_has_points_without_a_place),
        cmocka_unit_test(a_method_is_a_curve_and_what_has_no_epsilon_a_level),
        cmocka_unit_test(a_table_of_rewards_has_a_best_arm),
        cmocka_unit_test(a_log_is_drawn_by_its_value),
        cmocka_unit_test(the_prefix_is_a_folder_and_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
