/* Who plays a round under audit: refused terms leave nothing behind, and the rest plays. */
#include "lab/audit/cast.h"
#include "test.h"

static sotto_terms terms_of(sotto_parameters parameters)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 3;
    spec.arms = 4;
    spec.epsilon = 8; /* more than a policy allows by default, as is the next */
    spec.measure = UINT32_C(1) << 31;
    spec.parameters = parameters;
    sotto_terms terms;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    return terms;
}

static void terms_that_a_device_refuses_have_no_round(void **state)
{
    (void)state;
    sotto__cast cast;
    sotto__spy_rng rng;
    sotto__spy_rng_begin(&rng, 1);
    sotto_terms terms = terms_of(SOTTO_PARAMETERS_SHARED);
    terms.id[0] ^= 1;
    assert_status(sotto__cast_begin(&cast, &sotto__client_rounds, &terms, &rng.rng), SOTTO_E_SPEC);
    assert_null(cast.round);
    sotto__cast_end(&cast);
}

static void the_cast_plays_and_is_watched(void **state)
{
    (void)state;
    static const double context[12] = {0.5, 0, 0, 0, 0.5};
    for (int per_arm = 0; per_arm < 2; per_arm++) {
        sotto__cast cast;
        sotto__spy_rng rng;
        sotto__spy_rng_begin(&rng, 1);
        sotto_terms terms = terms_of((sotto_parameters)per_arm);
        assert_ok(sotto__cast_begin(&cast, &sotto__client_rounds, &terms, &rng.rng));
        assert_int_equal(cast.context_count, per_arm ? 3 : 12);
        uint8_t frame[SOTTO__SPY_FRAME_BYTES];
        uint32_t arm;
        assert_ok(cast.rounds->begin(cast.round, cast.model));
        assert_ok(cast.rounds->decide(cast.round, context, cast.context_count, &arm));
        assert_ok(cast.rounds->finish(cast.round, 0.5, frame, sizeof frame));
        assert_int_equal(cast.ledger.debits, 1);
        assert_true(rng.drawn_bytes > 0);
        size_t bytes = sotto_report_bytes(&cast.terms);
        assert_ok(sotto_report_decode(&cast.terms, frame, bytes, cast.report));
        sotto__cast_end(&cast);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_that_a_device_refuses_have_no_round),
        cmocka_unit_test(the_cast_plays_and_is_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
