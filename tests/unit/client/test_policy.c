/* A device's policy: each fault and each refusal names its field, its value and what is allowed. */
#include "core/core.h"
#include "made.h"
#include "test.h"
#include "why.h"

#include <sotto/client.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static void assert_says(const char *found, const char *wanted)
{
    assert_non_null(found);
    assert_string_equal(found, wanted);
}

TEST(numbers_out_of_range_are_named)
{
    const struct {
        double per_report, lifetime, delta, delta_lifetime;
        const char *says;
    } rows[] = {
        {0, 8, 0, 0, "epsilon_per_report_max = 0: allowed above 0 to 50"},
        {-1, 8, 0, 0, "epsilon_per_report_max = -1: allowed above 0 to 50"},
        {50.5, 8, 0, 0, "epsilon_per_report_max = 50.5: allowed above 0 to 50"},
        {INFINITY, 8, 0, 0, "epsilon_per_report_max = inf: allowed above 0 to 50"},
        {2, 0, 0, 0, "epsilon_lifetime = 0: allowed above 0"},
        {2, -INFINITY, 0, 0, "epsilon_lifetime = -inf: allowed above 0"},
        {2, 8, -1e-9, 0, "delta_max = -1e-09: allowed 0 to 0.5"},
        {2, 8, 0.51, 0, "delta_max = 0.51: allowed 0 to 0.5"},
        {2, 8, INFINITY, 0, "delta_max = inf: allowed 0 to 0.5"},
        {2, 8, 0, -1e-9, "delta_lifetime = -1e-09: allowed 0 to 0.5"},
        {2, 8, 0, 0.51, "delta_lifetime = 0.51: allowed 0 to 0.5"},
        {2, 8, 0, INFINITY, "delta_lifetime = inf: allowed 0 to 0.5"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sotto_policy policy = sotto_policy_default();
        policy.epsilon_per_report_max = rows[i].per_report;
        policy.epsilon_lifetime = rows[i].lifetime, policy.delta_max = rows[i].delta;
        policy.delta_lifetime = rows[i].delta_lifetime;
        assert_says(WHY(sotto_policy_fault, &policy), rows[i].says);
    }
}

TEST(nan_is_in_no_range)
{
    const char *fields[] = {
        "epsilon_per_report_max = ", "epsilon_lifetime = ", "delta_max = ", "delta_lifetime = "};
    for (int i = 0; i < 4; i++) {
        sotto_policy policy = sotto_policy_default();
        double *field[] = {&policy.epsilon_per_report_max, &policy.epsilon_lifetime,
                           &policy.delta_max, &policy.delta_lifetime};
        *field[i] = NAN;
        assert_non_null(WHY(sotto_policy_fault, &policy));
        assert_memory_equal(why_fault.sentence, fields[i], strlen(fields[i]));
        assert_non_null(strstr(why_fault.sentence, "nan"));
    }
}

TEST(sizes_out_of_range_are_named)
{
    const struct {
        uint32_t dim, arms;
        const char *says;
    } rows[] = {
        {0, 2, "dim_max = 0: allowed 1 to 1024"},
        {1025, 2, "dim_max = 1025: allowed 1 to 1024"},
        {UINT32_MAX, 2, "dim_max = 4294967295: allowed 1 to 1024"},
        {1, 0, "arms_max = 0: allowed 2 to 1024"},
        {1, 1, "arms_max = 1: allowed 2 to 1024"},
        {1, 1025, "arms_max = 1025: allowed 2 to 1024"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sotto_policy policy = sotto_policy_default();
        policy.dim_max = rows[i].dim, policy.arms_max = rows[i].arms;
        assert_says(WHY(sotto_policy_fault, &policy), rows[i].says);
    }
}

TEST(the_default_and_the_ends_of_every_range_can_be_used)
{
    sotto_policy policy = sotto_policy_default();
    assert_true(policy.epsilon_per_report_max == 2 && policy.epsilon_lifetime == 8);
    assert_true(policy.delta_max == 1e-6 && policy.delta_lifetime == 1e-5);
    assert_null(WHY(sotto_policy_fault, &policy));
    policy = (sotto_policy){50, INFINITY, 0.5, 0.5, 0, SOTTO_DIM_MAX, SOTTO_ARMS_MAX, 0.5};
    assert_null(WHY(sotto_policy_fault, &policy));
    policy = (sotto_policy){5e-324, 5e-324, 0, 0, UINT32_MAX, 1, 2, 0};
    assert_null(WHY(sotto_policy_fault, &policy));
}

TEST(a_spec_beyond_the_policy_is_refused_by_name)
{
    const sotto_policy policy = {1, 8, 1e-7, 1e-5, UINT32_MAX, 8, 4, 0.1};
    sotto_spec good = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    good.dim = 8;
    good.arms = 4;
    good.delta = 1e-7;
    assert_null(WHY(sotto_policy_refusal, &policy, &good));

    sotto_spec spec = good;
    spec.epsilon = nextafter(1, 2);
    assert_non_null(WHY(sotto_policy_refusal, &policy, &spec));
    spec.epsilon = 1.5;
    assert_says(WHY(sotto_policy_refusal, &policy, &spec),
                "epsilon = 1.5: this device allows at most 1");
    spec.epsilon = NAN;
    assert_non_null(WHY(sotto_policy_refusal, &policy, &spec));
    spec = good;
    spec.delta = 2e-7;
    assert_says(WHY(sotto_policy_refusal, &policy, &spec),
                "delta = 2e-07: this device allows at most 1e-07");
    spec.delta = NAN;
    assert_non_null(WHY(sotto_policy_refusal, &policy, &spec));
    spec = good;
    spec.dim = 9;
    assert_says(WHY(sotto_policy_refusal, &policy, &spec), "dim = 9: allowed 1 to 8");
    spec = good;
    spec.arms = 5;
    assert_says(WHY(sotto_policy_refusal, &policy, &spec), "arms = 5: allowed 2 to 4");
}

TEST(methods_are_allowed_one_by_one)
{
    char says[SOTTO_FAULT_BYTES];
    for (uint32_t method = 0; sotto_method_name(method) != NULL; method++) {
        sotto_policy policy = sotto_policy_default();
        sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
        spec.method = (sotto_method)method;
        policy.methods_allowed = 1u << method;
        assert_null(WHY(sotto_policy_refusal, &policy, &spec));
        policy.methods_allowed = ~(1u << method);
        snprintf(says, sizeof says, "method = %s: not allowed on this device",
                 sotto_method_name(method));
        assert_says(WHY(sotto_policy_refusal, &policy, &spec), says);
    }
}

TEST(an_unknown_method_is_never_allowed)
{
    const sotto_policy policy = sotto_policy_default();
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.method = (sotto_method)32;
    assert_says(WHY(sotto_policy_refusal, &policy, &spec),
                "method = unknown: not allowed on this device");
    spec.method = (sotto_method)UINT32_MAX;
    assert_non_null(WHY(sotto_policy_refusal, &policy, &spec));
}

static void assert_refused(sotto_client *client, const sotto_terms *terms, sotto_status why)
{
    sotto_round *round = (sotto_round *)client; /* anything but NULL */
    assert_status(sotto_round_new(client, terms, &round), why);
    assert_null(round);
}

static sotto_client *new_client(const sotto_policy *policy, sotto_ledger **ledger)
{
    sotto_client *client;
    assert_ok(sotto_ledger_memory_new(ledger));
    assert_ok(sotto_client_new(policy, *ledger, &client));
    return client;
}

/* What the policy refuses, and statistics that the client lacks, make no round. */
TEST(a_refused_spec_makes_no_round)
{
    const struct {
        uint32_t dim, arms;
        sotto_method method;
        sotto_score score;
        double epsilon, delta;
        sotto_status why;
    } rows[] = {
        {3, 4, SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, 2.01, 0, SOTTO_E_POLICY},
        {4, 4, SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, 1, 0, SOTTO_E_POLICY},
        {3, 5, SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, 1, 0, SOTTO_E_POLICY},
        {3, 4, SOTTO_METHOD_LDP_SGD, SOTTO_SCORE_GRADIENT, 1, 0, SOTTO_E_POLICY},
        {3, 4, SOTTO_METHOD_LDP_UCB, SOTTO_SCORE_MOMENTS, 1, 1e-6, SOTTO_E_POLICY},
        {3, 4, SOTTO_METHOD_LDP_UCB, SOTTO_SCORE_MOMENTS, 1, 1e-7, SOTTO_OK},
        {3, 4, SOTTO_METHOD_LDP_OLS, SOTTO_SCORE_MOMENTS, 1, 1e-7, SOTTO_OK},
        {3, 4, SOTTO_METHOD_LDP_GLOC, SOTTO_SCORE_GLOC_PAIR, 1, 1e-7, SOTTO_OK},
        {3, 4, SOTTO_METHOD_SOTTO_OLS, SOTTO_SCORE_MOMENTS, 1, 0, SOTTO_OK},
    };
    const sotto_policy policy = {2, 8, 1e-7, 1e-5, ~(1u << SOTTO_METHOD_LDP_SGD), 3, 4, 0.1};
    OWN(sotto_ledger) ledger = NULL;
    OWN(sotto_client) client = new_client(&policy, &ledger);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sotto_terms terms;
        sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
        spec.dim = rows[i].dim, spec.arms = rows[i].arms;
        spec.method = rows[i].method, spec.score = rows[i].score;
        spec.epsilon = rows[i].epsilon, spec.delta = rows[i].delta;
        assert_ok(sotto_spec_resolve(&spec, &terms));
        sotto_round *round = (sotto_round *)client; /* anything but NULL */
        assert_status(sotto_round_new(client, &terms, &round), rows[i].why);
        assert_true((round != NULL) == (rows[i].why == SOTTO_OK));
        sotto_round_free(round);
    }
}

TEST(weaker_or_malformed_constants_are_refused)
{
    const sotto_policy policy = sotto_policy_default();
    const sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    OWN(sotto_ledger) ledger = NULL;
    OWN(sotto_client) client = new_client(&policy, &ledger);
    sotto_terms honest = resolved(&spec);
    for (int i = 0; i < 9; i++) {
        sotto_terms tampered = honest;
        sotto_codebook *codebook = &tampered.codebook[i % 2];
        if (i / 2 == 0) codebook->weight_top += 1;
        if (i / 2 == 1) codebook->weight_rest -= 1;
        if (i / 2 == 2) codebook->weight_top = codebook->weight_rest - 1;
        if (i == 6) codebook->top = codebook->size / 2 + 1;
        if (i == 7) tampered.spec.epsilon = NAN;
        if (i == 8) tampered.along_weight = -0.5;
        sotto__terms_name(&tampered); /* as a server would, to look consistent */
        assert_refused(client, &tampered, i < 6 ? SOTTO_E_WEAK : SOTTO_E_FAULT);
    }
    sotto_terms renamed = honest;
    renamed.id[3] ^= 1;
    assert_refused(client, &renamed, SOTTO_E_SPEC);
    renamed = honest;
    renamed.stream_key[15] ^= 0x80;
    assert_refused(client, &renamed, SOTTO_E_SPEC);
}

TEST(more_measure_rounds_than_allowed_are_refused)
{
    sotto_policy policy = sotto_policy_default();
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.measure = 429496730; /* round(0.1 2^32) */
    assert_null(WHY(sotto_policy_refusal, &policy, &spec));
    spec.measure++;
    assert_string_equal(WHY(sotto_policy_refusal, &policy, &spec),
                        "measure = 0.100000000326: this device allows at most 0.1");
    policy.measure_share_max = 0;
    spec.measure = 4294967;
    assert_non_null(WHY(sotto_policy_refusal, &policy, &spec));
    const double bad[] = {-0.1, 0.51, NAN};
    for (int i = 0; i < 3; i++) {
        policy.measure_share_max = bad[i];
        assert_non_null(WHY(sotto_policy_fault, &policy));
        assert_non_null(strstr(why_fault.sentence, "measure_share_max"));
    }
}
