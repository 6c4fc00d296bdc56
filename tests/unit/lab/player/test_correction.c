/* Corrections: which match can undo which departure, and what those that cannot are told. */
#include "lab/math/dense.h"
#include "lab/player/correction.h"
#include "players.h"

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
    char text[SOTTO_FAULT_BYTES] = "", whole[SOTTO_FAULT_BYTES] = "";
    assert_non_null(sotto__correction_fault(match, text));
    if (strstr(text, wanted) == NULL) fail_msg("\"%s\" does not say \"%s\"", text, wanted);
    assert_non_null(sotto_match_fault(match, whole));
    assert_string_equal(whole, text);
}

static void unknown_corrections_are_refused(void **state)
{
    (void)state;
    sotto_match match =
        published(SOTTO_PLAYER_LDP_SGD, SOTTO_PARAMETERS_SHARED, SOTTO_STEP_INVERSE);
    match.corrections = 1u << SOTTO_CORRECTIONS;
    assert_fault(&match, "corrections = 512: not known");
    match.corrections = UINT32_MAX;
    assert_fault(&match, "not known");
}

static void other_calibrations_have_nothing_to_correct(void **state)
{
    (void)state;
    const sotto_calibration others[] = {SOTTO_CALIBRATION_EXACT, SOTTO_CALIBRATION_PAPER};
    for (int i = 0; i < 2; i++) {
        sotto_match match =
            published(SOTTO_PLAYER_LDP_SGD, SOTTO_PARAMETERS_SHARED, SOTTO_STEP_INVERSE);
        char text[SOTTO_FAULT_BYTES];
        match.calibration = others[i];
        assert_null(sotto__correction_fault(&match, text));
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

static void each_belongs_to_its_methods(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < SOTTO_CORRECTIONS; c++) {
        assert_string_equal(sotto_correction_name(c), table[c].name);
        for (uint32_t i = 0; i < 16; i++) {
            uint32_t method = i / 4, per_arm = i / 2 % 2, second = i % 2;
            sotto_match match =
                published((sotto_player)(SOTTO_PLAYER_LDP_SGD + method),
                          per_arm ? SOTTO_PARAMETERS_PER_ARM : SOTTO_PARAMETERS_SHARED,
                          second ? SOTTO_STEP_SQRT : SOTTO_STEP_INVERSE);
            char text[SOTTO_FAULT_BYTES];
            match.corrections = 1u << c;
            bool fits = sotto__correction_fault(&match, text) == NULL;
            if (fits != table[c].fits[method][per_arm][second]) {
                fail_msg("%s, method %u, per-arm %u, second scheme %u: %d", table[c].name, method,
                         per_arm, second, fits);
            }
        }
    }
    assert_null(sotto_correction_name(SOTTO_CORRECTIONS));
}

static void misfits_name_what_fits(void **state)
{
    (void)state;
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

/* The first misfit is told even where another correction fits. */
static void one_misfit_among_many_is_enough(void **state)
{
    (void)state;
    sotto_match match =
        published(SOTTO_PLAYER_LDP_SGD, SOTTO_PARAMETERS_SHARED, SOTTO_STEP_INVERSE);
    char text[SOTTO_FAULT_BYTES];
    match.corrections = 1u << SOTTO_CORRECTION_RADIUS | 1u << SOTTO_CORRECTION_STEP;
    assert_null(sotto__correction_fault(&match, text));
    match.corrections |= 1u << SOTTO_CORRECTION_RANK;
    assert_fault(&match, "correct = rank");
}

static void exact_noise_needs_bounded_contexts(void **state)
{
    (void)state;
    sotto_match match =
        published(SOTTO_PLAYER_LDP_OLS, SOTTO_PARAMETERS_PER_ARM, SOTTO_STEP_INVERSE);
    char text[SOTTO_FAULT_BYTES];
    match.corrections = 1u << SOTTO_CORRECTION_NOISE;
    assert_null(sotto__correction_fault(&match, text));
    match.spec.context_norm_max = 1.01;
    assert_fault(&match, "correct = noise: contexts are up to 1.01 long");
}

static void a_whole_matrix_has_its_limit(void **state)
{
    (void)state;
    sotto_match match =
        published(SOTTO_PLAYER_LDP_GLOC, SOTTO_PARAMETERS_PER_ARM, SOTTO_STEP_INVERSE);
    char text[SOTTO_FAULT_BYTES];
    match.corrections = 1u << SOTTO_CORRECTION_RANK;
    match.spec.dim = SOTTO__DENSE_MAX / 2;
    match.spec.arms = 2;
    assert_null(sotto__correction_fault(&match, text));
    match.spec.arms = 3;
    assert_fault(&match, "correct = rank: dim x arms at most");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_corrections_are_refused),
        cmocka_unit_test(other_calibrations_have_nothing_to_correct),
        cmocka_unit_test(each_belongs_to_its_methods),
        cmocka_unit_test(misfits_name_what_fits),
        cmocka_unit_test(one_misfit_among_many_is_enough),
        cmocka_unit_test(exact_noise_needs_bounded_contexts),
        cmocka_unit_test(a_whole_matrix_has_its_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
