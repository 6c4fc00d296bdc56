/* Directions of the watch: how codewords lie in the parameters, and what a model points at. */
#include "kinds.h"
#include "server/watch_aim.h"
#include "test.h"

#include <math.h>

static sotto_terms terms_of(uint32_t dim, uint32_t version)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    sotto_terms terms;
    spec.dim = dim, spec.version = version;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    return terms;
}

static sotto__aim *aim_of(const sotto_terms *terms)
{
    sotto__aim *aim;
    assert_ok(sotto__aim_new(terms, &aim));
    return aim;
}

static void ticks_and_lines_have_no_direction(void **state)
{
    (void)state;
    const sotto_terms terms[] = {resolved_of(TICKS), resolved_of(PER_ARM_TICKS), terms_of(1, 2)};
    for (int i = 0; i < 3; i++) {
        sotto__aim *aim = aim_of(&terms[i]);
        assert_int_equal(aim->shape[SOTTO_PHASE_MAIN], SOTTO__AIM_NONE);
        assert_int_equal(aim->levels[SOTTO_PHASE_MAIN], 0);
        sotto__aim_free(aim);
    }
}

static void a_model_that_knows_nothing_has_none_either(void **state)
{
    (void)state;
    sotto_terms terms = resolved_of(SHARED);
    sotto__aim *aim = aim_of(&terms);
    sotto_model *model;
    assert_ok(sotto_model_new(&terms, &model));
    sotto__aim_set(aim, model);
    assert_true(aim->way[0].whole == 0);
    assert_true(aim->way[1].whole == 0);
    model->theta[0] = model->tbar[0] = INFINITY;
    sotto__aim_set(aim, model);
    assert_true(aim->way[0].whole == 0);
    sotto_model_free(model);
    sotto__aim_free(aim);
}

static void each_kind_of_report_has_its_shape(void **state)
{
    (void)state;
    static const sotto__aim_shape shape[INDEX_KINDS] = {
        SOTTO__AIM_ROWS, SOTTO__AIM_SIGNS, SOTTO__AIM_ROWS, SOTTO__AIM_WHOLE, SOTTO__AIM_ROWS};
    for (int k = 0; k < INDEX_KINDS; k++) {
        sotto_terms terms = resolved_of((kind)k);
        sotto__aim *aim = aim_of(&terms);
        assert_int_equal(aim->shape[SOTTO_PHASE_MAIN], shape[k]);
        bool warms_up = terms.codebook[SOTTO_PHASE_WARM_UP].dim > 0;
        assert_int_equal(aim->shape[SOTTO_PHASE_WARM_UP],
                         warms_up ? SOTTO__AIM_ROWS : SOTTO__AIM_NONE);
        sotto__aim_free(aim);
    }
}

static void far_tails_are_left_out_in_few_dimensions(void **state)
{
    (void)state;
    static const uint32_t levels[] = {0, 0, 2, 3, 4, 4};
    for (uint32_t dim = 2; dim < 6; dim++) {
        sotto_terms terms = terms_of(dim, 2);
        sotto__aim *aim = aim_of(&terms);
        assert_int_equal(aim->levels[SOTTO_PHASE_MAIN], levels[dim]);
        sotto__aim_free(aim);
    }
}

static void shared_parameters_point_as_they_are(void **state)
{
    (void)state;
    sotto_terms terms = resolved_of(SHARED);
    sotto__aim *aim = aim_of(&terms);
    sotto_model *model;
    assert_ok(sotto_model_new(&terms, &model));
    model->tbar[0] = 3, model->tbar[1] = 4;
    model->theta[0] = 3, model->theta[1] = 4, model->theta[2] = -2;
    sotto__aim_set(aim, model);
    assert_near(aim->way[0].whole, 5, 1e-12);
    assert_near(aim->way[0].norm[0], 5, 1e-12);
    assert_near(aim->way[1].at[2], -2, 1e-12);
    assert_near(aim->way[1].whole, 2, 1e-12);
    sotto_model_free(model);
    sotto__aim_free(aim);
}

static void what_all_arms_have_in_common_is_left_out(void **state)
{
    (void)state;
    sotto_terms terms = resolved_of(SIGNS);
    sotto__aim *aim = aim_of(&terms);
    sotto_model *model;
    assert_ok(sotto_model_new(&terms, &model));
    for (int k = 0; k < ARMS; k++) {
        model->theta[k * DIM] = 10; /* in common */
        model->theta[k * DIM + 1] = k - 1;
    }
    sotto__aim_set(aim, model);
    for (int k = 0; k < ARMS; k++) {
        assert_near(aim->way[0].at[k * DIM], 0, 1e-12);
        assert_near(aim->way[0].at[k * DIM + 1], k - 1, 1e-12);
        assert_near(aim->way[0].norm[k], fabs(k - 1.0), 1e-12);
    }
    assert_true(aim->way[1].whole == 0); /* it has no running average */
    sotto_model_free(model);
    sotto__aim_free(aim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_and_lines_have_no_direction),
        cmocka_unit_test(a_model_that_knows_nothing_has_none_either),
        cmocka_unit_test(each_kind_of_report_has_its_shape),
        cmocka_unit_test(far_tails_are_left_out_in_few_dimensions),
        cmocka_unit_test(shared_parameters_point_as_they_are),
        cmocka_unit_test(what_all_arms_have_in_common_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
