/* Players: names, and which are private. */
#include "lab/math/math.h"
#include "lab/player/player.h"
#include "players.h"
#include "scenes.h"
#include "test.h"

TEST(names_end)
{
    assert_string_equal(sotto_player_name(SOTTO_PLAYER_LDP_SGD), "ldp-sgd");
    assert_string_equal(sotto_player_name(SOTTO_PLAYER_ORACLE), "oracle");
    assert_null(sotto_player_name(SOTTO_PLAYERS));
    assert_string_equal(sotto_calibration_name(SOTTO_CALIBRATION_PUBLISHED), "published");
    assert_null(sotto_calibration_name(3));
}

TEST(names_are_found_and_others_are_not)
{
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        sotto_player found = SOTTO_PLAYERS;
        assert_true(sotto_player_from_name(sotto_player_name(p), &found));
        assert_int_equal(found, p);
    }
    sotto_player player = SOTTO_PLAYER_SGD;
    assert_false(sotto_player_from_name("Sotto", &player) || sotto_player_from_name("", &player));
    assert_int_equal(player, SOTTO_PLAYER_SGD);
    sotto_calibration calibration;
    assert_true(sotto_calibration_from_name("paper", &calibration));
    assert_int_equal(calibration, SOTTO_CALIBRATION_PAPER);
    assert_false(sotto_calibration_from_name("papers", &calibration));
}

TEST(methods_that_ship_come_first_and_are_private)
{
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        const char *method = sotto_method_name(p);
        assert_int_equal(sotto_player_is_private((sotto_player)p), method != NULL);
        if (method != NULL) assert_string_equal(method, sotto_player_name(p));
    }
}

TEST(freeing_nothing_is_harmless)
{
    sotto__player_free(NULL);
}

TEST(a_player_that_repairs_nothing_says_so)
{
    assert_int_equal(sotto__player_no_repairs(NULL), 0);
}

/* The table of players: every row can be played. */

/* The player of a match shows in the results: the same match with another calibration gives another
 * regret, except for the gradients that the paper and we share. */
TEST(each_calibration_has_its_own_player)
{
    const sotto_player players[] = {SOTTO_PLAYER_LDP_SGD, SOTTO_PLAYER_LDP_OLS,
                                    SOTTO_PLAYER_LDP_UCB, SOTTO_PLAYER_LDP_GLOC};
    for (int p = 0; p < 4; p++) {
        for (int at = 0; at < 2; at++) {
            double regret[3];
            for (int c = 0; c < 3; c++) {
                sotto_match match = small_match(players[p], (sotto_calibration)c,
                                                (sotto_parameters)at, SOTTO_LINK_IDENTITY, 400);
                match.environment.noise = 0.1;
                match.learning.warm_up = 0;
                regret[c] = play_match(&match, 5).regret;
            }
            bool same = players[p] == SOTTO_PLAYER_LDP_SGD && at == 0;
            assert_int_equal(regret[0] == regret[1], same);
            assert_true(regret[1] != regret[2]);
        }
    }
}

/* The authors' ldp-sgd warms up with noisy least squares, although its spec has no delta. */
TEST(the_authors_per_arm_gradients_warm_up)
{
    sotto_scene scene = {.dim = 3,
                         .arms = 4,
                         .parameters = SOTTO_PARAMETERS_PER_ARM,
                         .environment = SOTTO_ENVIRONMENT_PUBLISHED,
                         .horizon = 100};
    sotto_match match =
        sotto_match_default(SOTTO_PLAYER_LDP_SGD, SOTTO_CALIBRATION_PUBLISHED, &scene, 5, 0.1);
    assert_ok(sotto_match_set_learning(&match));
    assert_true(match.learning.warm_up > match.horizon && match.spec.delta == 0);
    double error = play_match(&match, 5).estimation_error;
    assert_true(error > 0 && fabs(error - 4) > 1e-9); /* 4 is the error of estimates that are 0 */
}

TEST(a_player_s_estimate_is_finite_all_along)
{
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        for (uint32_t at = 0; at < 8; at++) {
            sotto_link link = (sotto_link)(at / 2);
            sotto_scene scene = {.dim = 3,
                                 .arms = 4,
                                 .parameters = (sotto_parameters)(at % 2),
                                 .link = link,
                                 .reward_kind = sotto_link_reward_kind(link),
                                 .environment = SOTTO_ENVIRONMENT_BALL,
                                 .horizon = 200};
            sotto_match match =
                sotto_match_default((sotto_player)p, SOTTO_CALIBRATION_EXACT, &scene, 1, 1e-6);
            if (sotto_match_set_learning(&match) != SOTTO_OK) continue;
            if (sotto_match_fault(&match, NULL) != SOTTO_OK) continue;
            sotto_point point[200];
            for (uint32_t i = 0; i < 200; i++) {
                point[i].t = i + 1;
            }
            sotto_run_result result;
            bool finished;
            assert_ok(sotto_match_play(&match, 9, point, 200, NULL, &result, &finished));
            for (uint32_t i = 0; i < 200; i++) {
                bool has_none = p == SOTTO_PLAYER_BEST_ARM || p == SOTTO_PLAYER_MERINO;
                assert_true(has_none ? isnan(point[i].estimation_error)
                                     : isfinite(point[i].estimation_error));
            }
        }
    }
}

/* Corrections: which match can undo which departure, and the sentence for those that cannot. */

static sotto_match published(sotto_player player, sotto_parameters parameters, sotto_step step)
{
    sotto_match match = match_of(player, parameters, 3, 4);
    match.spec.method = (sotto_method)player;
    match.calibration = SOTTO_CALIBRATION_PUBLISHED;
    match.learning.step = step;
    return match;
}

static void assert_fault(const sotto_match *match, const char *wanted)
{
    sotto_fault fault, whole;
    assert_status(sotto__correction_fault(match, &fault), SOTTO_E_FAULT);
    if (strstr(fault.sentence, wanted) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", fault.sentence, wanted);
    assert_status(sotto_match_fault(match, &whole), SOTTO_E_FAULT);
    assert_string_equal(whole.sentence, fault.sentence);
}

TEST(unknown_corrections_are_refused)
{
    sotto_match match =
        published(SOTTO_PLAYER_LDP_SGD, SOTTO_PARAMETERS_SHARED, SOTTO_STEP_INVERSE);
    match.corrections = 1u << SOTTO_CORRECTIONS;
    assert_fault(&match, "corrections = 512: not known");
    match.corrections = UINT32_MAX;
    assert_fault(&match, "not known");
}

TEST(other_calibrations_have_nothing_to_correct)
{
    const sotto_calibration others[] = {SOTTO_CALIBRATION_EXACT, SOTTO_CALIBRATION_PAPER};
    for (int i = 0; i < 2; i++) {
        sotto_match match =
            published(SOTTO_PLAYER_LDP_SGD, SOTTO_PARAMETERS_SHARED, SOTTO_STEP_INVERSE);
        match.calibration = others[i];
        assert_ok(sotto__correction_fault(&match, NULL));
        match.corrections = 1u << SOTTO_CORRECTION_RADIUS;
        assert_fault(&match, "correct = radius: only under calibration published");
    }
}

/* Whether a match of the authors' methods takes the correction, by method (in the order of
 * sotto_player from ldp-sgd on), parameters and scheme. */
static const struct {
    const char *name;
    bool fits[4][2][2]; /* [method][per-arm][second scheme] */
} table[SOTTO_CORRECTIONS] = {
    [SOTTO_CORRECTION_REGULARISER] = {"regulariser", {[1] = {{true, false}}}},
    [SOTTO_CORRECTION_NOISE] =
        {"noise", {[1] = {{true, true}, {true, true}}, [2] = {{true, true}, {true, true}}}},
    [SOTTO_CORRECTION_RADIUS] = {"radius", {[0] = {{true, true}, {true, true}}}},
    [SOTTO_CORRECTION_STEP] = {"step", {[0] = {{true, false}}}},
    [SOTTO_CORRECTION_BOUNDED] = {"bounded", {[3] = {{true, true}}}},
    [SOTTO_CORRECTION_EXPLORATION] = {"exploration", {[3] = {{false, true}}}},
    [SOTTO_CORRECTION_SHIFT] = {"shift", {[2] = {{false, true}}}},
    [SOTTO_CORRECTION_DIMENSION] = {"dimension", {[0] = {[1] = {true, true}}}},
    [SOTTO_CORRECTION_RANK] = {"rank", {[3] = {[1] = {true, true}}}},
};

TEST(each_belongs_to_its_methods)
{
    for (uint32_t c = 0; c < SOTTO_CORRECTIONS; c++) {
        assert_string_equal(sotto_correction_name(c), table[c].name);
        for (uint32_t i = 0; i < 16; i++) {
            uint32_t method = i / 4, per_arm = i / 2 % 2, second = i % 2;
            sotto_match match =
                published((sotto_player)(SOTTO_PLAYER_LDP_SGD + method),
                          per_arm ? SOTTO_PARAMETERS_PER_ARM : SOTTO_PARAMETERS_SHARED,
                          second ? SOTTO_STEP_SQRT : SOTTO_STEP_INVERSE);
            match.corrections = 1u << c;
            bool fits = sotto__correction_fault(&match, NULL) == SOTTO_OK;
            if (fits != table[c].fits[method][per_arm][second]) {
                fail_msg("%s, method %u, per-arm %u, second scheme %u: %d", table[c].name, method,
                         per_arm, second, fits);
            }
        }
    }
    assert_null(sotto_correction_name(SOTTO_CORRECTIONS));
}

TEST(misfits_name_what_fits)
{
    sotto_match match =
        published(SOTTO_PLAYER_LDP_SGD, SOTTO_PARAMETERS_SHARED, SOTTO_STEP_INVERSE);
    match.corrections = 1u << SOTTO_CORRECTION_SHIFT;
    assert_fault(&match, "correct = shift: method ldp-sgd does not depart there; ldp-ucb does");
    match.corrections = 1u << SOTTO_CORRECTION_DIMENSION;
    assert_fault(&match, "correct = dimension: only with parameters per-arm");
    match = published(SOTTO_PLAYER_LDP_OLS, SOTTO_PARAMETERS_PER_ARM, SOTTO_STEP_INVERSE);
    match.corrections = 1u << SOTTO_CORRECTION_REGULARISER;
    assert_fault(&match, "correct = regulariser: only with parameters shared");
    match = published(SOTTO_PLAYER_LDP_OLS, SOTTO_PARAMETERS_SHARED, SOTTO_STEP_SQRT);
    match.corrections = 1u << SOTTO_CORRECTION_REGULARISER;
    assert_fault(&match, "correct = regulariser: only with step 1/t");
    match = published(SOTTO_PLAYER_LDP_GLOC, SOTTO_PARAMETERS_SHARED, SOTTO_STEP_INVERSE);
    match.corrections = 1u << SOTTO_CORRECTION_EXPLORATION;
    assert_fault(&match, "correct = exploration: only with step 1/sqrt");
}

/* The first misfit is reported even if another correction fits. */
TEST(one_misfit_among_many_is_enough)
{
    sotto_match match =
        published(SOTTO_PLAYER_LDP_SGD, SOTTO_PARAMETERS_SHARED, SOTTO_STEP_INVERSE);
    match.corrections = 1u << SOTTO_CORRECTION_RADIUS | 1u << SOTTO_CORRECTION_STEP;
    assert_ok(sotto__correction_fault(&match, NULL));
    match.corrections |= 1u << SOTTO_CORRECTION_RANK;
    assert_fault(&match, "correct = rank");
}

TEST(exact_noise_needs_bounded_contexts)
{
    sotto_match match =
        published(SOTTO_PLAYER_LDP_OLS, SOTTO_PARAMETERS_PER_ARM, SOTTO_STEP_INVERSE);
    match.corrections = 1u << SOTTO_CORRECTION_NOISE;
    assert_ok(sotto__correction_fault(&match, NULL));
    match.spec.context_norm_max = 1.01;
    assert_fault(&match, "correct = noise: contexts are up to 1.01 long");
}

TEST(a_whole_matrix_has_its_limit)
{
    sotto_match match =
        published(SOTTO_PLAYER_LDP_GLOC, SOTTO_PARAMETERS_PER_ARM, SOTTO_STEP_INVERSE);
    match.corrections = 1u << SOTTO_CORRECTION_RANK;
    match.spec.dim = SOTTO__DENSE_MAX / 2;
    match.spec.arms = 2;
    assert_ok(sotto__correction_fault(&match, NULL));
    match.spec.arms = 3;
    assert_fault(&match, "correct = rank: dim x arms at most");
}
