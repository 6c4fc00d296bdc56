/* What an experiment gave, as figures. */
#include "methods_made.h"
#include "paper/inner.h"
#include "reproductions.h"
#include "test.h"
#include "why.h"

OWNED(sotto__reproduction, sotto__reproduction_free)

TEST(what_was_not_played_is_not_drawn)
{
    static const char *const name[] = {"rates-epsilon", "rates-horizon", "lower-bound", "agreement",
                                       "constants"};
    OWN(sotto__reproduction) r = reproduction_of("shared-d2", 2, 100, regret_by_method);
    sotto__figures figures;
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(sotto__figures_of(r, experiment_named(name[i]), &figures));
        assert_int_equal(figures.count, 0);
    }
    assert_true(sotto__figures_of(r, &sotto__glance, &figures));
    assert_int_equal(figures.count, 0);
}

TEST(curves_have_a_figure_for_each_epsilon_and_two_panels_for_each_stage)
{
    static const char *const name[] = {"shared-d2-epsilon-0.5", "shared-d2-epsilon-1",
                                       "shared-d2-epsilon-5"};
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    OWN(sotto__reproduction) r = reproduction_made(&settings, regret_by_method);
    sotto__figures figures;
    assert_true(sotto__figures_of(r, settings.only, &figures));
    assert_int_equal(figures.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const sotto__figure *figure = &figures.figure[i];
        assert_string_equal(figure->name, name[i]);
        assert_int_equal(figure->panels_count, 4);
        /* Exact first: sotto is there. */
        assert_string_equal(figure->panel[0].title, "exact: the claim kept");
        assert_string_equal(figure->panel[1].title, "exact: over random arms");
        assert_string_equal(figure->panel[2].title, "as published: the authors' code");
        assert_string_equal(figure->panel[3].title, "published: over random arms");
        assert_true(figure->panel[0].y_log && !figure->panel[1].y_log);
        assert_ints(figure->panel[0].curves_count, 8, figure->panel[1].curves_count, 8);
        assert_int_equal(figure->panel[2].curves_count, 5);
        assert_int_equal(figure->panel[0].curve[0].player, SOTTO_PLAYER_SOTTO);
        assert_near(figure->panel[0].curve[0].y[6], 6, 1e-12);
        assert_near(figure->panel[1].curve[0].y[6], 6.0 / 90, 1e-12);
        assert_string_equal(figure->band, "mean ± one standard error of 2 runs");
        assert_string_equal(figure->panel[0].gap, "5.0 times less"); /* 30 of ldp-ols, and 6 */
        assert_int_equal(figure->panel[0].curve[figure->panel[0].gap_curve[0]].player,
                         SOTTO_PLAYER_SOTTO);
        assert_int_equal(figure->panel[0].curve[figure->panel[0].gap_curve[1]].player,
                         SOTTO_PLAYER_LDP_OLS);
        assert_null(figure->panel[1].gap);
        assert_null(figure->panel[2].gap); /* without sotto */
    }
    assert_string_equal(figures.figure[1].title,
                        "One parameter for all arms, 2 dimensions, 10 arms, epsilon 1");
    assert_string_equal(figures.figure[1].caption, "Epsilon 1.");
    assert_string_equal(figures.alt[1], "Regret against people at epsilon 1, one line per method");
}

TEST(synthetic_customers_are_said_to_be)
{
    sotto__reproduction_settings settings = settings_made("loan-revenue", 2, 100);
    OWN(sotto__reproduction) r = reproduction_made(&settings, regret_by_method);
    sotto__figures figures;
    assert_true(sotto__figures_of(r, settings.only, &figures));
    assert_non_null(strstr(figures.figure[0].title, ", epsilon 1 (SYNTHETIC)"));
    assert_string_equal(figures.figure[0].caption, "Epsilon 1 (SYNTHETIC).");
    assert_int_equal(figures.figure[0].panels_count, 2);
    r->customers.synthetic = false;
    assert_true(sotto__figures_of(r, settings.only, &figures));
    assert_null(strstr(figures.figure[0].title, "SYNTHETIC"));
}

TEST(rates_have_a_line_for_each_method_and_epsilon)
{
    sotto__reproduction_settings settings = settings_made("lower-bound", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
    sotto__figures figures;
    assert_true(sotto__figures_of(r, settings.only, &figures));
    assert_int_equal(figures.count, 1);
    assert_string_equal(figures.figure[0].name, "lower-bound-gaussian");
    assert_string_equal(figures.figure[0].panel[0].y_label,
                        "regret over sqrt(T d)/(e^epsilon - 1)");
    const sotto__panel *panel = &figures.figure[0].panel[0];
    assert_int_equal(panel->curves_count, 9);
    assert_string_equal(panel->curve[4].label, "ldp-sgd, epsilon 0.5");
    assert_ints(panel->curve[4].dash, 1, panel->curve[4].count, 5);
    sotto__reproduction_free(r);

    settings = settings_made("rates-horizon", 2, 100);
    r = reproduction_made(&settings, regret_by_method);
    assert_true(sotto__figures_of(r, settings.only, &figures));
    assert_int_equal(figures.count, 4);
    assert_string_equal(figures.figure[3].name, "rates-horizon-margin-0");
    assert_null(figures.figure[3].panel[0].curve[0].label); /* one epsilon: the name is enough */
    sotto__reproduction_free(r);

    settings = settings_made("rates-epsilon", 2, 100);
    r = reproduction_made(&settings, regret_by_method);
    assert_true(sotto__figures_of(r, settings.only, &figures));
    assert_int_equal(figures.count, 1);
    assert_string_equal(figures.figure[0].title,
                        "What an epsilon costs: regret of 100 people, 2 dimensions, 10 arms");
    assert_int_equal(figures.figure[0].panel[0].curves_count, 6);
    assert_int_equal(figures.figure[0].panel[0].curve[1].player, SOTTO_PLAYER_LDP_SGD);
    assert_near(figures.figure[0].panel[0].curve[1].y[0], 35, 1e-12);
    sotto__reproduction_free(r);
}

/* Regret as curves. */

/* 0, 0, 0 and 4 t by seed: mean t, standard error t. */
static double wide(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    (void)part, (void)match;
    return seed == 3 ? 4 * (double)t : 0;
}

/* t less 1 and t more 1, times epsilon. */
static double narrow(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    return part->comparison.epsilon[match] * ((double)t + (seed == 0 ? -1 : 1));
}

/* The mean less its error is 0, which has no place on a logarithmic axis. */
TEST(a_band_ends_at_a_tenth_of_the_mean)
{
    OWN(sotto__reproduction) r = reproduction_of("shared-d2", 4, 100, wide);
    sotto__curve curve = {0};
    assert_true(sotto__curve_along(&r->part[0], 0, &r->pool, &curve));
    assert_int_equal(curve.count, 7);
    assert_near(curve.x[6], 100, 0);
    assert_nears(1e-9, curve.y[6], 100, curve.lo[6], 10, curve.hi[6], 200);
}

TEST(along_t_the_last_three_decades_are_drawn)
{
    OWN(sotto__reproduction) r = reproduction_of("shared-d2", 2, 20000, narrow);
    sotto__curve curve = {0};
    uint32_t match = sotto__part_match(&r->part[1], SOTTO_PLAYER_LDP_SGD, 5);
    assert_true(sotto__curve_along(&r->part[1], match, &r->pool, &curve));
    static const double at[] = {20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000};
    assert_int_equal(curve.count, 10);
    for (uint32_t i = 0; i < 10; i++) {
        assert_near(curve.x[i], at[i], 0);
        assert_nears(1e-9, curve.y[i], 5 * at[i], curve.lo[i], 5 * at[i] - 5);
        assert_near(curve.hi[i], 5 * at[i] + 5, 1e-9);
    }
}

/* Over random arms, and without an end at a tenth of the mean: the axis is linear. */
TEST(shares_are_of_random_arms)
{
    OWN(sotto__reproduction) r = reproduction_of("shared-d2", 4, 100, wide);
    sotto__curve curve = {0};
    uint32_t random = sotto__part_match(&r->part[0], SOTTO_PLAYER_RANDOM, 1);
    assert_true(sotto__curve_of_shares(&r->part[0], 0, random, &r->pool, &curve));
    assert_int_equal(curve.count, 7);
    assert_near(curve.x[6], 100, 0);
    assert_nears(1e-12, curve.y[6], 1, curve.lo[6], 0, curve.hi[6], 2);
}

TEST(horizons_are_divided_by_the_bound_where_it_is_the_subject)
{
    static const char *const name[] = {"rates-horizon", "lower-bound"};
    for (uint32_t i = 0; i < 2; i++) {
        sotto__reproduction_settings settings = settings_made(name[i], 2, 100);
        OWN(sotto__reproduction) r = reproduction_made(&settings, narrow);
        uint32_t horizons;
        const sotto__part *part = sotto__reproduction_stage(r, &settings.only->stage[0], &horizons);
        sotto__curve curve = {0};
        assert_true(sotto__curve_over_horizons(part, horizons, 0, &r->pool, &curve));
        assert_int_equal(curve.count, 5);
        double epsilon = part->comparison.epsilon[0]; /* 5 and 0.25 */
        double unit = i == 0 ? 1 : sqrt(3000 * 5.0) / (exp(0.25) - 1);
        assert_near(curve.x[1], 3000, 0);
        assert_near(curve.y[1], epsilon * 3000 / unit, 1e-9);
        assert_near(curve.hi[1], epsilon * (3000 + 1) / unit, 1e-9);
    }
}

TEST(epsilons_are_those_of_the_stage)
{
    OWN(sotto__reproduction) r = reproduction_of("rates-epsilon", 2, 100, narrow);
    static const double epsilon[] = {0.1, 0.2, 0.5, 1, 2, 4, 8};
    sotto__curve curve = {0};
    assert_true(sotto__curve_over_epsilons(&r->part[0], SOTTO_PLAYER_OLS, &r->pool, &curve));
    assert_int_equal(curve.count, 7);
    for (uint32_t i = 0; i < 7; i++) {
        assert_near(curve.x[i], epsilon[i], 0);
        assert_near(curve.y[i], 100 * epsilon[i], 1e-9);
    }
}

TEST(where_sotto_is_not_ahead_there_is_no_gap)
{
    const double y[] = {3, 2, 1};
    const sotto__curve curve[] = {
        {.player = SOTTO_PLAYER_SOTTO, .count = 1, .y = &y[0]},
        {.player = SOTTO_PLAYER_LDP_SGD, .count = 1, .y = &y[0]},
        {.player = SOTTO_PLAYER_LDP_OLS, .count = 1, .y = &y[1]},
        {.player = SOTTO_PLAYER_BEST_ARM, .count = 1, .y = &y[2]},
    };
    OWN(sotto__reproduction) r = reproduction_of("shared-d2", 2, 100, regret_by_method);
    for (uint32_t count = 1; count <= 4; count++) {
        sotto__panel panel = {.curve = curve, .curves_count = count};
        sotto__panel_show_gap(&r->pool, &panel);
        assert_null(panel.gap);
    }
}

/* The paper's own figure, with sotto in it. */

TEST(what_was_not_played_has_no_panel)
{
    sotto__reproduction_settings settings = settings_made("logistic", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
    sotto__figure figure;
    const char *alt;
    assert_true(sotto__overview_figure(r, &figure, &alt));
    assert_int_equal(figure.panels_count, 0);
    sotto__reproduction_free(r);
    settings = settings_made("shared-d2", 2, 100);
    r = reproduction_made(&settings, regret_by_method);
    assert_true(sotto__overview_figure(r, &figure, &alt));
    assert_int_equal(figure.panels_count, 2); /* the left column */
    sotto__reproduction_free(r);
}

/* Rows are epsilons, columns the kinds of parameters, as in the paper. */
TEST(it_is_two_by_two)
{
    static const char *const title[] = {
        "epsilon 1: 2 dimensions, 10 arms", "epsilon 1, per arm: 20 dimensions, 3 arms",
        "epsilon 5: 2 dimensions, 10 arms", "epsilon 5, per arm: 20 dimensions, 3 arms"};
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    settings.only = NULL;
    OWN(sotto__reproduction) r = reproduction_made(&settings, regret_by_method);
    sotto__figure figure;
    const char *alt;
    assert_true(sotto__overview_figure(r, &figure, &alt));
    assert_string_equal(figure.name, "paper-figure");
    assert_string_equal(alt, "Regret over that of random arms against people, one line per method");
    assert_int_equal(figure.panels_count, 4);
    for (uint32_t p = 0; p < 4; p++) {
        assert_string_equal(figure.panel[p].title, title[p]);
        assert_string_equal(figure.panel[p].y_label, "regret over that of random arms");
        assert_true(figure.panel[p].y_log);
        assert_string_equal(figure.panel[p].gap, "5.0 times less");
        assert_int_equal(figure.panel[p].curves_count, 8);
        assert_int_equal(figure.panel[p].curve[0].player, SOTTO_PLAYER_SOTTO);
        assert_null(figure.panel[p].curve[0].label);
        assert_near(figure.panel[p].curve[0].y[6], 6.0 / 90, 1e-12);
        assert_string_equal(figure.panel[p].curve[6].label, "ols (no privacy)");
    }
    assert_string_equal(
        figure.band,
        "Lower is better. All private methods have the same epsilon. Mean ± one standard "
        "error, runs: 2");
}

/* What a part gave, in numbers. */

/* A part of its own with one method at two epsilons. */
typedef struct small {
    sotto__experiment experiment;
    sotto__stage stage;
    sotto__part part;
} small;

static void begin_kind(small *s, sotto__experiment_kind kind, uint32_t seeds, uint64_t horizon,
                       made_regret *regret)
{
    const sotto__part_runs runs = {.first_seed = 1, .seeds_count = seeds, .threads = 1};
    s->experiment = (sotto__experiment){.name = "small", .kind = kind};
    s->stage = experiment_named("shared-d2")->stage[1];
    s->stage.players = 1u << SOTTO_PLAYER_RANDOM;
    s->stage.epsilon[1] = 2;
    s->stage.epsilon[2] = 0;
    s->part = (sotto__part){.experiment = &s->experiment, .stage = &s->stage, .horizon = horizon};
    if (WHY(sotto__part_fill, &s->part, &runs) != NULL) fail_msg("%s", why_fault.sentence);
    part_made(&s->part, regret);
}

static void begin(small *s, uint32_t seeds, uint64_t horizon, made_regret *regret)
{
    begin_kind(s, SOTTO__EXPERIMENT_HORIZONS, seeds, horizon, regret);
}

/* 10, 60, 20 of the second match; ten times less of the first. */
static double by_seed(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    static const double regret[] = {1, 6, 2};
    (void)part;
    (void)t;
    return regret[seed] * (match == 1 ? 10 : 1);
}

TEST(what_is_not_played_has_no_match)
{
    small s;
    begin(&s, 3, 100, by_seed);
    assert_int_equal(sotto__part_match(&s.part, SOTTO_PLAYER_SOTTO, 2), UINT32_MAX);
    assert_int_equal(sotto__part_match(&s.part, SOTTO_PLAYER_RANDOM, 3), UINT32_MAX);
    assert_int_equal(sotto__part_match(&s.part, SOTTO_PLAYER_RANDOM, 0.5), 0);
    assert_int_equal(sotto__part_match(&s.part, SOTTO_PLAYER_RANDOM, 2), 1);
    sotto__part_free(&s.part);
}

TEST(a_spread_is_that_of_the_seeds)
{
    small s;
    begin(&s, 3, 100, by_seed);
    assert_int_equal(sotto__part_last_point(&s.part), 0);
    double regret[3];
    sotto__part_regrets(&s.part, 1, 0, regret);
    assert_nears(0, regret[0], 10, regret[1], 60, regret[2], 20);
    sotto__spread spread = sotto__part_spread(&s.part, 1, 0);
    assert_near(spread.mean, 30, 1e-12);
    assert_nears(1e-12, spread.error, 10 * sqrt(7 / 3.0), spread.median, 20);
    assert_near(sotto__part_spread(&s.part, 0, 0).mean, 3, 1e-12);
    sotto__part_free(&s.part);
}

/* Seed 1 of round t has t + 1. */
static double by_round(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    (void)part, (void)match;
    return (double)(t + seed);
}

TEST(every_check_point_has_its_own_regrets)
{
    small s;
    double regret[2];
    begin_kind(&s, SOTTO__EXPERIMENT_CURVES, 2, 10, by_round);
    assert_int_equal(sotto__part_last_point(&s.part), 3); /* 1, 2, 5, 10 */
    for (uint32_t point = 0; point < 4; point++) {
        sotto__part_regrets(&s.part, 0, point, regret);
        assert_near(regret[1], (double)s.part.comparison.at[point] + 1, 0);
    }
    sotto__part_free(&s.part);
}

TEST(the_bound_is_the_formula)
{
    small s;
    begin(&s, 3, 200, by_seed);
    assert_near(sotto__part_bound(&s.part, 1), 20 / (exp(1) - 1), 1e-12); /* sqrt(200 x 2) = 20 */
    sotto__part_free(&s.part);
}

/* e^T of the first seed, e^(2 T) of the second. */
static double exponential(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    (void)part;
    (void)match;
    return exp((double)(t - 10) * (1 + seed));
}

/* Without the first seed the slope is 2, without the second 1: their squares about the mean add up
 * to 1/2, times (n - 1)/n is 1/4. */
TEST(the_error_of_an_exponent_is_that_of_the_jackknife)
{
    small s[2];
    const sotto__part *part[2] = {&s[0].part, &s[1].part};
    const uint32_t match[2] = {1, 1};
    const double log_x[2] = {0, 1};
    for (uint32_t i = 0; i < 2; i++) {
        begin(&s[i], 2, 10 + i, exponential);
    }
    sotto__exponent exponent = sotto__exponent_of(part, match, log_x, 2);
    assert_nears(1e-12, exponent.slope, log((exp(1) + exp(2)) / 2), exponent.error, 0.5);
    for (uint32_t i = 0; i < 2; i++) {
        sotto__part_free(&s[i].part);
        begin(&s[i], 1, 10 + i, exponential);
    }
    exponent = sotto__exponent_of(part, match, log_x, 2);
    assert_near(exponent.slope, 1, 1e-12);
    assert_true(isnan(exponent.error)); /* one seed has none */
    for (uint32_t i = 0; i < 2; i++) {
        sotto__part_free(&s[i].part);
    }
}

/* Regret at the last round: every method, what it promises, and who has less. */

static sotto__reproduction *filled(sotto__section *s, const char *name, made_regret *regret)
{
    sotto__reproduction_settings settings = settings_made(name, 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret);
    assert_true(sotto__section_begin(s, r, settings.only) && sotto__regrets_fill(s));
    return r;
}

TEST(a_stage_that_is_not_played_has_no_line)
{
    OWN(sotto__reproduction) r = reproduction_of("shared-d2", 2, 100, regret_by_method);
    sotto__section s;
    assert_true(sotto__section_begin(&s, r, experiment_named("logistic")));
    assert_true(sotto__regrets_fill(&s));
    assert_int_equal(s.html.tables_count, 1); /* and nothing to judge */
    assert_int_equal(s.html.table[0].rows_count, 0);
}

TEST(every_method_has_its_line)
{
    sotto__section s;
    OWN(sotto__reproduction) r = filled(&s, "shared-d2", regret_by_method);
    const sotto__html_table *table = &s.html.table[1];
    assert_int_equal(s.html.tables_count, 2);
    assert_true(table->folded);
    assert_int_equal(table->rows_count, 3 * (5 + 8));
    assert_row(table, 13,
               "1|published|ldp-sgd|50|1|50|1.67|1|0|as claimed: the gradient is clipped");
    assert_row(table, 16,
               "1|published|ldp-gloc|10|1|10|0.333|none|-|what is reported is not bounded: its "
               "estimate is not kept in a ball");
    assert_row(table, 18, "1|exact|sotto|6|1|6|0.2|1|0|as claimed");
    assert_row(table, 24, "1|exact|ols|3|1|3|0.1|none|-|no privacy: for comparison");
    for (uint32_t i = 0; i < table->rows_count; i++) {
        bool sotto = strcmp(table->cell[10 * i + 2], "sotto") == 0;
        assert_true(table->strong[i] == sotto);
    }
}

/* A small table instead of paragraphs: sotto, the paper's own methods, and the same as published. */
TEST(claims_are_judged_in_both_parts)
{
    sotto__section s;
    sotto__reproduction *r = filled(&s, "shared-d2", regret_by_method);
    const sotto__html_table *table = &s.html.table[0];
    assert_int_equal(s.html.paragraphs_count, 0);
    assert_non_null(strstr(table->caption, "after 100 people"));
    assert_false(table->folded);
    assert_int_equal(table->rows_count, 3);
    assert_row(table, 1,
               "1|yes: sotto has 24 ± 0 less than ldp-ols|yes: ldp-sgd has 25 ± 0 less than "
               "ldp-ucb|no: ldp-sgd has 40 ± 0 more than ldp-gloc");
    sotto__reproduction_free(r);
    r = filled(&s, "loan-revenue", regret_by_method);
    assert_int_equal(s.html.table[0].columns_count, 3); /* nothing is published */
    sotto__reproduction_free(r);
    r = filled(&s, "rates-epsilon", regret_by_method);
    assert_int_equal(s.html.tables_count, 1); /* one figure over all epsilons: nothing to judge */
    sotto__reproduction_free(r);
}
