/* What a whole reproduction found, in numbers and in three sentences. */
#include "lab/math/math.h"
#include "methods_made.h"
#include "paper/inner.h"
#include "paper/paper.h"
#include "reproductions.h"
#include "test.h"

OWNED(sotto__reproduction, sotto__reproduction_free)

TEST(what_was_not_played_is_not_found)
{
    sotto__reproduction_settings settings = settings_made("constants", 2, 100);
    OWN(sotto__reproduction) r = reproduction_made(&settings, regret_by_method);
    sotto__paper_findings f = sotto__paper_findings_of(r, NULL, 0);
    const char *text[SOTTO__PAPER_FINDINGS];
    assert_int_equal(f.sotto.yes + f.sotto.no + f.sotto.cannot_tell, 0);
    assert_true(isnan(f.ratio_least) && isnan(f.ratio_most));
    sotto__paper_findings_text(&f, &r->pool, text);
    assert_string_equal(text[0],
                        "sotto, our own method, has less regret than every other private "
                        "method in 0 of 0 settings. A setting is one figure at one epsilon.");
    assert_string_equal(text[2], "The authors' own code was not compared: too few runs.");
    assert_null(sotto__paper_findings_behind(&f, &r->pool));
}

/* Customers that are made up are no finding. */
TEST(synthetic_customers_do_not_count)
{
    OWN(sotto__reproduction) r = reproduction_of("loan-acceptance", 2, 100, regret_by_method);
    assert_int_equal(sotto__paper_findings_of(r, NULL, 0).sotto.yes, 0);
    r->customers.synthetic = false;
    assert_int_equal(sotto__paper_findings_of(r, NULL, 0).sotto.yes, 3);
}

TEST(settings_are_counted)
{
    OWN(sotto__reproduction) r = reproduction_of("shared-d2", 2, 100, regret_by_method);
    const sotto__html_check check[] = {{"a", true}, {"b", false}, {"c", true}};
    const sotto__html_section section[] = {{.id = "lower-bound", .checks_count = 3, .check = check},
                                           {.id = "agreement", .checks_count = 3, .check = check}};
    sotto__paper_findings f = sotto__paper_findings_of(r, section, 2);
    assert_ints(f.sotto.yes, 3, f.exact.yes, 3, f.published.no, 3);
    assert_int_equal(f.behind, 0); /* ldp-gloc has 10 as published, and keeps no claim */
    assert_nears(1e-12, f.ratio_least, 5, f.ratio_most, 5);
    assert_ints(f.compared, 3, f.agreed, 2);
}

/* As published, ldp-sgd keeps its claim and has 2, 5.5 and 20 at the three epsilons; sotto
 * has 6 ± 1. */
static double published_is_better(const sotto__part *part, uint32_t match, uint32_t seed,
                                  uint64_t t)
{
    bool theirs = part->stage->calibration == SOTTO_CALIBRATION_PUBLISHED;
    double epsilon = part->comparison.epsilon[match];
    if (!theirs || part->comparison.match[match].player != SOTTO_PLAYER_LDP_SGD) {
        return regret_by_method(part, match, seed, t);
    }
    return epsilon == 0.5 ? 2 : epsilon == 1 ? 5.5 : 20;
}

/* Nobody is left out because that flatters us. */
TEST(the_authors_code_counts_where_it_keeps_its_claim)
{
    OWN(sotto__reproduction) r = reproduction_of("shared-d2", 2, 100, published_is_better);
    sotto__paper_findings f = sotto__paper_findings_of(r, NULL, 0);
    assert_ints(f.sotto.no, 1, f.sotto.cannot_tell, 1, f.sotto.yes, 1, f.behind, 2);
    assert_nears(1e-12, f.ratio_least, 5.5 / 6, f.ratio_most, 20.0 / 6);
}

TEST(the_words_have_all_numbers)
{
    HELD(sotto__pool) pool = {0};
    const char *text[SOTTO__PAPER_FINDINGS];
    sotto__paper_findings f = {.sotto = {15, 0, 3},
                               .ratio_least = 1.62,
                               .ratio_most = 139.7,
                               .behind = 2,
                               .published = {8, 0, 10},
                               .exact = {2, 1, 15},
                               .agreed = 11,
                               .compared = 12};
    sotto__paper_findings_text(&f, &pool, text);
    assert_string_equal(text[0], "sotto, our own method, has 1.6 to 140 times less regret than the "
                                 "best method of the paper in its own figure, and less than every "
                                 "other private method in 15 of 18 settings (cannot tell in 3). A "
                                 "setting is one figure at one epsilon.");
    assert_string_equal(text[1],
                        "The paper's own methods beat the earlier ones in 8 of 18 settings "
                        "as the authors' code plays them (cannot tell in 10), and in 2 of 18 when "
                        "all of them keep the privacy that they claim (cannot tell in 15, lose in "
                        "1).");
    assert_string_equal(
        text[2], "Played as published, the methods agree with the authors' own code in 11 of 12 "
                 "comparisons.");
    assert_non_null(strstr(sotto__paper_findings_behind(&f, &pool), "In 2 of 18 settings"));
    f.sotto = (sotto__verdicts){18, 0, 0};
    sotto__paper_findings_text(&f, &pool, text);
    assert_non_null(
        strstr(text[0], "and less than every other private method in 18 of 18 settings."));
    f.ratio_least = 0.7; /* sotto has more somewhere */
    sotto__paper_findings_text(&f, &pool, text);
    assert_non_null(strstr(text[0], "method, has up to 140 times less"));
    f.ratio_most = 0.9;
    sotto__paper_findings_text(&f, &pool, text);
    assert_non_null(strstr(text[0], "method, has less regret than every other private method"));
    f.sotto = (sotto__verdicts){16, 1, 1};
    sotto__paper_findings_text(&f, &pool, text);
    assert_non_null(strstr(text[0], "settings (cannot tell in 1, more in 1)."));
}

/* The best of the paper's methods that keep their claim. */

TEST(what_was_not_played_has_no_best)
{
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    OWN(sotto__reproduction) r = reproduction_made(&settings, regret_by_method);
    const sotto__papers_best none[] = {sotto__papers_best_of(r, settings.only, 7),
                                       sotto__papers_best_of(r, experiment_named("shared-d20"), 1)};
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(isnan(none[i].mean));
        assert_int_equal(none[i].player, SOTTO_PLAYERS);
        assert_null(none[i].stage);
    }
}

TEST(only_the_papers_methods_count)
{
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        bool papers = p == SOTTO_PLAYER_LDP_SGD || p == SOTTO_PLAYER_LDP_OLS ||
                      p == SOTTO_PLAYER_LDP_UCB || p == SOTTO_PLAYER_LDP_GLOC;
        assert_true(sotto__player_is_papers((sotto_player)p) == papers);
    }
}

/* The authors' ldp-gloc has 10, and promises nothing; sotto is not theirs. */
TEST(the_best_keeps_its_claim)
{
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    OWN(sotto__reproduction) r = reproduction_made(&settings, regret_by_method);
    sotto__papers_best best = sotto__papers_best_of(r, settings.only, 1);
    assert_near(best.mean, 30, 1e-12);
    assert_int_equal(best.player, SOTTO_PLAYER_LDP_OLS);
    assert_ptr_equal(best.stage, &settings.only->stage[1]);
}

static double published_is_best(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    double regret = regret_by_method(part, match, seed, t);
    bool published = part->stage->calibration == SOTTO_CALIBRATION_PUBLISHED;
    return published && part->comparison.match[match].player == SOTTO_PLAYER_LDP_SGD ? regret / 2
                                                                                     : regret;
}

TEST(it_may_be_one_as_published)
{
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    OWN(sotto__reproduction) r = reproduction_made(&settings, published_is_best);
    sotto__papers_best best = sotto__papers_best_of(r, settings.only, 5);
    assert_near(best.mean, 25, 1e-12);
    assert_int_equal(best.player, SOTTO_PLAYER_LDP_SGD);
    assert_ptr_equal(best.stage, &settings.only->stage[0]);
}

/* Which of two methods has less regret, and whether so few runs can tell. */

/* The earlier methods have 30 and 50 by seed, the paper's own 45, sotto 44. */
static double noisy(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    sotto_player player = part->comparison.match[match].player;
    (void)t;
    if (player == SOTTO_PLAYER_SOTTO) return 44;
    if (player == SOTTO_PLAYER_LDP_SGD || player == SOTTO_PLAYER_LDP_OLS) return 45;
    return seed == 0 ? 30 : 50;
}

TEST(three_standard_errors_make_a_verdict)
{
    assert_int_equal(sotto__verdict_of(0, 0), SOTTO__VERDICT_CANNOT_TELL);
    assert_int_equal(sotto__verdict_of(3, 1), SOTTO__VERDICT_CANNOT_TELL);
    assert_int_equal(sotto__verdict_of(-3, 1), SOTTO__VERDICT_CANNOT_TELL);
    assert_int_equal(sotto__verdict_of(3.1, 1), SOTTO__VERDICT_YES);
    assert_int_equal(sotto__verdict_of(-3.1, 1), SOTTO__VERDICT_NO);
}

TEST(what_was_not_played_is_not_judged)
{
    OWN(sotto__reproduction) r = reproduction_of("shared-d2", 2, 100, regret_by_method);
    sotto__regret_difference difference =
        sotto__regret_difference_of_sotto(&r->part[0], 1); /* the authors' code */
    assert_int_equal(difference.verdict, SOTTO__VERDICT_NOT_PLAYED);
    assert_string_equal(sotto__regret_difference_text(&difference, &r->pool), "-");
    assert_int_equal(sotto__regret_difference_of_paper(&r->part[0], 7).verdict,
                     SOTTO__VERDICT_NOT_PLAYED);
    assert_int_equal(sotto__regret_difference_of_paper(NULL, 1).verdict, SOTTO__VERDICT_NOT_PLAYED);
}

/* The worse of its own methods against the better of the others. */
TEST(the_claim_of_the_paper_is_judged)
{
    OWN(sotto__reproduction) r = reproduction_of("shared-d2", 2, 100, regret_by_method);
    sotto__regret_difference difference = sotto__regret_difference_of_paper(&r->part[1], 5);
    assert_ints(difference.verdict, SOTTO__VERDICT_YES, difference.one, SOTTO_PLAYER_LDP_SGD);
    assert_int_equal(difference.other, SOTTO_PLAYER_LDP_UCB);
    assert_nears(1e-12, difference.less, 25, difference.error, 0);
    difference = sotto__regret_difference_of_paper(&r->part[0], 5);
    assert_int_equal(difference.verdict, SOTTO__VERDICT_NO);
    assert_near(difference.less, -40, 1e-12);
}

TEST(sotto_is_held_against_the_best_of_the_paper)
{
    OWN(sotto__reproduction) r = reproduction_of("shared-d2", 2, 100, regret_by_method);
    sotto__regret_difference difference = sotto__regret_difference_of_sotto(&r->part[1], 1);
    assert_ints(difference.verdict, SOTTO__VERDICT_YES, difference.other, SOTTO_PLAYER_LDP_OLS);
    assert_near(difference.less, 24, 1e-12);
}

/* A difference is never negative: it is more, or it is less. */
TEST(words_say_less_or_more)
{
    OWN(sotto__reproduction) r = reproduction_of("shared-d2", 2, 100, noisy);
    sotto__regret_difference difference = sotto__regret_difference_of_paper(&r->part[1], 1);
    assert_int_equal(difference.verdict, SOTTO__VERDICT_CANNOT_TELL);
    assert_string_equal(sotto__regret_difference_text(&difference, &r->pool),
                        "cannot tell: ldp-sgd has 5 ± 10 more than ldp-ucb");
    difference = (sotto__regret_difference){SOTTO__VERDICT_NO, SOTTO_PLAYER_SOTTO,
                                            SOTTO_PLAYER_LDP_OLS, -5310, 1234.5};
    assert_string_equal(sotto__regret_difference_text(&difference, &r->pool),
                        "no: sotto has 5,310 ± 1,234 more than ldp-ols");
    difference.less = 5310;
    difference.verdict = SOTTO__VERDICT_YES;
    assert_string_equal(sotto__regret_difference_text(&difference, &r->pool),
                        "yes: sotto has 5,310 ± 1,234 less than ldp-ols");
}

/* Our runs beside those of the authors' own code. */

static sotto__reproduction *filled(sotto__section *s, uint32_t seeds, made_regret *regret)
{
    sotto__reproduction_settings settings = settings_made("agreement", seeds, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret);
    assert_true(sotto__section_begin(s, r, settings.only) && sotto__agreement_fill(s));
    return r;
}

/* Above all of theirs. */
static double far_above(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    (void)part, (void)match, (void)t;
    return 1e6 + seed;
}

/* Theirs, a little more: no value is on both sides. */
static double theirs(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    const sotto__reference *reference = sotto__reference_of(&part->comparison.match[match]);
    (void)t;
    return reference->regret[seed % reference->seeds] + 1e-6 * (seed + 1);
}

/* With two seeds against ten the smallest p is 2/66. */
TEST(too_few_seeds_cannot_tell)
{
    sotto__section s;
    OWN(sotto__reproduction) r = filled(&s, 2, far_above);
    assert_int_equal(s.html.checks_count, 0);
    assert_row(&s.html.table[0], 0,
               "one parameter, linear, 2 dimensions, 10 arms|0.5|ldp-sgd|1,000,000 (1,000,000 to "
               "1,000,001)|2,387 (634 "
               "to 15,539)|2, 10|0.03: too few seeds to tell");
}

/* 2/C(17, 7) = 1.0e-4 and 2/C(18, 8) = 4.6e-5, of which only the second is below 1e-3/12. */
TEST(eight_seeds_are_the_fewest_that_tell)
{
    sotto__section s;
    sotto__reproduction *r = filled(&s, 7, far_above);
    assert_int_equal(s.html.checks_count, 0);
    sotto__reproduction_free(r);
    r = filled(&s, 8, far_above);
    assert_int_equal(s.html.checks_count, 12);
    assert_false(s.html.check[0].passed);
    sotto__reproduction_free(r);
}

/* 2/C(40, 10) = 2.4e-9; a cell of 12 may reject below 1e-3/12. */
TEST(regrets_of_another_law_fail)
{
    sotto__section s;
    OWN(sotto__reproduction) r = filled(&s, 30, far_above);
    assert_ints(s.html.table[0].rows_count, 12, s.html.checks_count, 12);
    assert_row(&s.html.table[0], 0,
               "one parameter, linear, 2 dimensions, 10 arms|0.5|ldp-sgd|1,000,014 (1,000,000 to "
               "1,000,029)|2,387 (634 "
               "to 15,539)|30, 10|2.4e-09");
    for (uint32_t i = 0; i < 12; i++) {
        assert_false(s.html.check[i].passed);
    }
    assert_string_equal(
        s.html.check[0].text,
        "one parameter, linear, 2 dimensions, 10 arms, epsilon 0.5, ldp-sgd: p = 2.4e-09, at "
        "least 8.3e-05 wanted");
}

TEST(more_seeds_than_can_be_ranked_still_tell)
{
    sotto__section s;
    OWN(sotto__reproduction) r = filled(&s, SOTTO__RANK_TEST_MAX + 1, theirs);
    assert_int_equal(s.html.checks_count, 12);
    for (uint32_t i = 0; i < 12; i++) {
        assert_true(s.html.check[i].passed);
    }
}

TEST(regrets_of_their_law_pass)
{
    sotto__section s;
    OWN(sotto__reproduction) r = filled(&s, 30, theirs);
    assert_int_equal(s.html.checks_count, 12);
    for (uint32_t i = 0; i < 12; i++) {
        assert_true(s.html.check[i].passed);
    }
    assert_int_equal(s.html.paragraphs_count, 1);
    assert_non_null(strstr(s.html.paragraph[0], "d = 2 only"));
}

/* What the authors' code gave. */

static sotto_match published(double epsilon, double delta, uint64_t rounds)
{
    const sotto_scene scene = {
        .dim = 2, .arms = 10, .environment = SOTTO_ENVIRONMENT_PUBLISHED, .horizon = rounds};
    return sotto_match_default(SOTTO_PLAYER_LDP_SGD, SOTTO_CALIBRATION_PUBLISHED, &scene, epsilon,
                               delta);
}

TEST(another_setting_has_none)
{
    sotto_match match = published(1, 0.01, 100001);
    assert_non_null(sotto__reference_of(&match));
    match.calibration = SOTTO_CALIBRATION_EXACT;
    assert_null(sotto__reference_of(&match));
    const sotto_match others[] = {published(2, 0.01, 100001), published(1, 0.1, 100001),
                                  published(1, 0.01, 100000)};
    for (uint32_t i = 0; i < 3; i++) {
        assert_null(sotto__reference_of(&others[i]));
    }
    match = published(1, 0.01, 100001);
    match.spec.dim = 3;
    assert_null(sotto__reference_of(&match));
    match = published(1, 0.01, 100001);
    match.spec.link = SOTTO_LINK_PROBIT;
    assert_null(sotto__reference_of(&match));
}

/* Their ten seeds have a median of 1136 there. */
TEST(values_are_those_of_the_setting)
{
    sotto_match match = published(1, 0.01, 100001);
    const sotto__reference *theirs = sotto__reference_of(&match);
    uint32_t below = 0;
    assert_int_equal(theirs->seeds, 10);
    for (uint32_t i = 0; i < 10; i++) {
        below += theirs->regret[i] < 1136;
    }
    assert_int_equal(below, 5);
}

TEST(every_cell_is_whole_and_belongs_to_an_experiment)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < sotto__references_count; i++) {
        assert_true(sotto__references[i].seeds >= 3);
        for (uint32_t s = 0; s < SOTTO__REFERENCE_SEEDS; s++) {
            bool there = s < sotto__references[i].seeds;
            assert_true(there == (sotto__references[i].regret[s] > 0));
        }
    }
    for (uint32_t e = 0; e < sotto__experiments_count; e++) {
        const sotto__experiment *experiment = &sotto__experiments[e];
        if (experiment->kind != SOTTO__EXPERIMENT_AGREEMENT) continue;
        for (uint32_t s = 0; s < experiment->stages_count; s++) {
            const sotto__stage *stage = &experiment->stage[s];
            uint64_t rounds = stage->size[SOTTO__SCALE_FULL].horizon[0];
            for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
                for (uint32_t i = 0; i < sotto__stage_epsilons(stage); i++) {
                    sotto_match match;
                    if ((stage->players >> p & 1) == 0) continue;
                    assert_int_equal(sotto__stage_match(stage, NULL, (sotto_player)p,
                                                        stage->epsilon[i], rounds, &match),
                                     SOTTO_OK);
                    assert_non_null(sotto__reference_of(&match));
                    found++;
                }
            }
        }
    }
    assert_int_equal(found, sotto__references_count);
}

/* How regret grows with T and with 1/epsilon, beside theory. */

typedef bool filler(sotto__section *section);

static sotto__reproduction *filled_rates(sotto__section *s, const char *name, made_regret *regret,
                                         filler *fill)
{
    sotto__reproduction_settings settings = settings_made(name, 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret);
    assert_true(sotto__section_begin(s, r, settings.only) && fill(s));
    return r;
}

static double one(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    (void)part, (void)match, (void)seed, (void)t;
    return 1;
}

TEST(what_was_not_played_says_nothing)
{
    static const char *const name[] = {"rates-epsilon", "rates-horizon", "lower-bound"};
    static filler *const fill[] = {sotto__epsilons_fill, sotto__growth_fill, sotto__bound_fill};
    OWN(sotto__reproduction) r = reproduction_of("shared-d2", 2, 100, one);
    for (uint32_t i = 0; i < 3; i++) {
        sotto__section s;
        assert_true(sotto__section_begin(&s, r, experiment_named(name[i])) && fill[i](&s));
        assert_int_equal(s.html.checks_count, 0);
        for (uint32_t t = 0; t < s.html.tables_count; t++) {
            assert_int_equal(s.html.table[t].rows_count, 0);
        }
    }
}

/* epsilon^-1.5 of sotto, epsilon^-2 of ldp-sgd, a jump at 1 of ldp-ols, the same for all of ols;
 * beyond 1 anything. */
static double by_epsilon(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    double epsilon = part->comparison.epsilon[match];
    (void)seed, (void)t;
    if (epsilon > 1) return 1e6;
    switch (part->comparison.match[match].player) {
    case SOTTO_PLAYER_SOTTO: return pow(epsilon, -1.5);
    case SOTTO_PLAYER_LDP_SGD: return pow(epsilon, -2);
    case SOTTO_PLAYER_LDP_OLS: return epsilon < 1 ? 1 : 2;
    default: return 7;
    }
}

TEST(exponents_of_epsilon_are_fitted_up_to_1)
{
    sotto__section s;
    OWN(sotto__reproduction)
    r = filled_rates(&s, "rates-epsilon", by_epsilon, sotto__epsilons_fill);
    const sotto__html_table *table = &s.html.table[0];
    assert_int_equal(table->rows_count, 6);
    assert_row(table, 0, "sotto|-1.50|0.00|-");
    assert_row(table, 1, "ldp-sgd|-2.00|0.00|-2");
    assert_row(table, 2, "ldp-ols|0.26|0.00|-2");
    assert_row(table, 3, "ldp-ucb|0.00|0.00|-1");
    assert_row(table, 5, "ols|0.00|0.00|0");
    assert_true(table->strong[0] && !table->strong[1]);
}

/* sqrt T of the first seed, 3 sqrt T of the second: the exponent has no error. */
static double root(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    (void)part, (void)match;
    return (1 + 2 * seed) * sqrt((double)t);
}

TEST(exponents_of_t_stand_beside_theory)
{
    sotto__section s;
    OWN(sotto__reproduction) r = filled_rates(&s, "rates-horizon", root, sotto__growth_fill);
    const sotto__html_table *table = &s.html.table[0];
    assert_int_equal(table->rows_count, 4 * 3);
    assert_string_equal(table->head[2], "T = 1,000");
    assert_string_equal(table->head[6], "T = 100,000");
    assert_row(table, 1,
               "margin 1, on the sphere: epsilon 5, 2 dimensions, 10 "
               "arms|ldp-sgd|63.2|110|200|346|632|0.500|"
               "0.000|log T");
    assert_row(
        table, 6,
        "margin 0.5: epsilon 5, 2 dimensions, 2 arms|sotto|63.2|110|200|346|632|0.500|0.000|-");
    assert_row(table, 7,
               "margin 0.5: epsilon 5, 2 dimensions, 2 "
               "arms|ldp-sgd|63.2|110|200|346|632|0.500|0.000|0.25");
}

/* By hand: 4 x 16/pi^2 x 5/6 = 5.4038 and e^0.5 x 16/pi^2 x 5/6 = 2.22736. */
TEST(the_least_ratio_is_that_of_the_proof)
{
    assert_nears(1e-6, sotto__least_ratio(5, 1), 0.0519681, sotto__least_ratio(5, 0.25), 0.1129955);
    assert_true(sotto__least_ratio(5, 1) < sotto__least_ratio(2, 1));
}

/* Regret that is twice the bound, but that of ldp-sgd, 0.05 of it at epsilon 1 and the first T. */
static double over_bound(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    double epsilon = part->comparison.epsilon[match];
    bool low =
        part->comparison.match[match].player == SOTTO_PLAYER_LDP_SGD && epsilon == 1 && t <= 1000;
    (void)seed;
    return (low ? 0.05 : 2) * sotto__part_bound(part, epsilon);
}

TEST(a_private_method_below_the_bound_fails)
{
    sotto__section s;
    OWN(sotto__reproduction) r = filled_rates(&s, "lower-bound", over_bound, sotto__bound_fill);
    assert_int_equal(s.html.table[0].rows_count, 9);
    assert_row(&s.html.table[0], 0, "sotto|0.25|0.113|2|2|2|2|2");
    assert_row(&s.html.table[0], 5, "ldp-sgd|1|0.052|0.05|2|2|2|2");
    assert_int_equal(s.html.checks_count, 6); /* random arms promise nothing */
    for (uint32_t i = 0; i < 6; i++) {
        assert_true(s.html.check[i].passed == (i != 5));
    }
    assert_string_equal(s.html.check[5].text,
                        "ldp-sgd, epsilon 1: regret over the bound is 0.05 at least; the theorem "
                        "leaves none below 0.052");
}
