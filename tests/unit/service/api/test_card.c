/* The privacy card. */
#include "person.h"
#include "service/api/inner.h"
#include "test.h"
#include "why.h"

#include <sotto/client.h>

#include <stdlib.h>
#include <string.h>

OWNED(json_t, json_decref)

TEST(the_limits_are_those_of_devices)
{
    card_limits limits = card_device_limits();
    sotto_policy policy = sotto_policy_default();
    assert_true(limits.epsilon_per_report_max == policy.epsilon_per_report_max);
    assert_true(limits.epsilon_lifetime == policy.epsilon_lifetime);
    assert_true(limits.delta_max == policy.delta_max);
    assert_true(limits.delta_lifetime == policy.delta_lifetime);
    assert_true(limits.measure_share_max == policy.measure_share_max);
    /* All other limits admit every spec, so the card can ignore them. */
    assert_ints(policy.methods_allowed, UINT32_MAX, policy.dim_max, SOTTO_DIM_MAX);
    assert_int_equal(policy.arms_max, SOTTO_ARMS_MAX);
}

static sotto_spec gaussian(double epsilon, double delta)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.method = SOTTO_METHOD_LDP_OLS;
    spec.score = SOTTO_SCORE_MOMENTS;
    spec.dim = 2;
    spec.epsilon = epsilon;
    spec.delta = delta;
    return spec;
}

/* How many rounds a device begins before its budget is spent. */
static uint64_t rounds_of_a_device(const sotto_spec *spec)
{
    person p;
    sotto_policy policy = sotto_policy_default();
    uint64_t rounds = 0;
    person_join(&p, spec, &policy, 1);
    while (sotto_round_begin(p.round, p.model) == SOTTO_OK) {
        rounds++;
    }
    return rounds;
}

TEST(a_device_sends_as_many_reports_as_the_card_says)
{
    static const double epsilons[] = {0.01, 0.1, 0.3, 0.5, 1, 1.7, 2};
    for (size_t i = 0; i < sizeof epsilons / sizeof epsilons[0]; i++) {
        sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
        spec.epsilon = epsilons[i];
        uint64_t said = card_reports_per_device(&spec);
        assert_true(said > 0);
        assert_int_equal(said, rounds_of_a_device(&spec));
    }
    sotto_spec first = gaussian(1, 1e-6), second = gaussian(0.5, 1e-7);
    assert_int_equal(card_reports_per_device(&first), rounds_of_a_device(&first));
    assert_int_equal(card_reports_per_device(&second), rounds_of_a_device(&second));
}

TEST(a_spec_outside_of_what_devices_accept_has_warnings_and_no_reports)
{
    sotto_policy policy = sotto_policy_default();
    sotto_spec wide = sotto_spec_default(SOTTO_REWARD_BINARY), weak = gaussian(1, 2e-6);
    wide.epsilon = 2.5;
    wide.measure = 500000000;
    weak.allow_weak_delta = true;
    assert_non_null(WHY(sotto_policy_refusal, &policy, &wide));
    assert_non_null(WHY(sotto_policy_refusal, &policy, &weak));
    assert_ints(card_reports_per_device(&wide), 0, card_reports_per_device(&weak), 0);
    json_t *warnings = card_warnings(&wide);
    char *said = json_dumps(warnings, JSON_COMPACT);
    assert_string_equal(
        said,
        "[{\"error\":\"By default, devices refuse this epsilon.\",\"field\":\"spec.epsilon\","
        "\"value\":\"2.5\",\"allowed\":\"at most 2\"},{\"error\":\"By default, devices refuse this "
        "share of measure rounds.\",\"field\":\"spec.measure\",\"value\":\"0.116415321826935\","
        "\"allowed\":\"at most 0.1\"}]");
    free(said);
    json_decref(warnings);
    warnings = card_warnings(&weak);
    assert_int_equal(json_array_size(warnings), 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(warnings, 0), "field")),
                        "spec.delta");
    json_decref(warnings);
}

TEST(what_devices_accept_has_no_warnings)
{
    sotto_policy policy = sotto_policy_default();
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.epsilon = 2;
    spec.measure = 429496730; /* a tenth */
    assert_null(WHY(sotto_policy_refusal, &policy, &spec));
    json_t *warnings = card_warnings(&spec);
    assert_int_equal(json_array_size(warnings), 0);
    json_decref(warnings);
    assert_true(card_reports_per_device(&spec) > 0);
    spec.measure++;
    assert_non_null(WHY(sotto_policy_refusal, &policy, &spec));
    warnings = card_warnings(&spec);
    assert_int_equal(json_array_size(warnings), 1);
    json_decref(warnings);
}

static const json_t *at(const json_t *object, const char *one, const char *two)
{
    return json_object_get(json_object_get(object, one), two);
}

TEST(the_card_has_the_constants_of_the_terms)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.epoch_lag_max = 2;
    spec.measure = 42949673;
    sotto_terms terms = resolved(&spec);
    const card_retention retention = {30, 20, false};
    OWN(json_t) card = card_json(&terms, &retention);
    assert_non_null(card);
    assert_true(json_number_value(json_object_get(card, "epsilon")) == 1);
    assert_true(json_number_value(json_object_get(card, "delta")) == 0);
    assert_near(json_number_value(json_object_get(card, "measure_share")), 0.01, 1e-9);
    assert_string_equal(json_string_value(json_object_get(card, "mechanism")), "codebook");
    assert_true(json_is_null(json_object_get(card, "lattice")));
    json_t *book = json_array_get(json_object_get(card, "codebooks"), 0);
    const sotto_codebook *wanted = &terms.codebook[SOTTO_PHASE_MAIN];
    assert_string_equal(json_string_value(json_object_get(book, "phase")), "main");
    assert_int_equal(json_integer_value(json_object_get(book, "size")), wanted->size);
    assert_int_equal(json_integer_value(json_object_get(book, "top")), wanted->top);
    assert_true(json_real_value(json_object_get(book, "scale")) == wanted->scale);
    assert_int_equal(json_integer_value(at(card, "leaves_the_device", "report_bytes")),
                     sotto_report_bytes(&terms));
    assert_int_equal(json_integer_value(at(card, "device_by_default", "reports_max")),
                     card_reports_per_device(&spec));
    assert_int_equal(json_integer_value(at(card, "kept_by_the_server", "epoch_open_seconds_min")),
                     90);
    assert_true(json_is_false(at(card, "kept_by_the_server", "keep_reports")));
}

TEST(the_card_of_a_lattice_method_has_its_noise)
{
    sotto_spec spec = gaussian(1, 1e-6);
    sotto_terms terms = resolved(&spec);
    const card_retention retention = {1, 1, true};
    OWN(json_t) card = card_json(&terms, &retention);
    assert_int_equal(json_array_size(json_object_get(card, "codebooks")), 0);
    assert_int_equal(json_integer_value(at(card, "lattice", "scale_ticks")),
                     terms.lattice.scale_ticks);
    assert_int_equal(json_integer_value(at(card, "lattice", "grid_log2")), terms.lattice.grid_log2);
    assert_true(json_is_true(at(card, "kept_by_the_server", "keep_reports")));
}
