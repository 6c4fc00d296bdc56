/* The fault finder names the first field that cannot be used, its value and what is allowed. */
#include "test.h"

#include <math.h>

static sotto_spec continuous(void)
{
    return sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
}

static sotto_spec lattice(sotto_method method)
{
    sotto_spec spec = continuous();
    spec.method = method;
    spec.score = method == SOTTO_METHOD_LDP_GLOC ? SOTTO_SCORE_GLOC_PAIR : SOTTO_SCORE_MOMENTS;
    spec.delta = 1e-6;
    return spec;
}

static void assert_fault(sotto_spec spec, const char *wanted)
{
    sotto_fault fault;
    assert_fault_says(sotto_spec_fault(&spec, &fault), fault, wanted);
}

static void assert_no_fault(sotto_spec spec)
{
    sotto_fault fault;
    if (sotto_spec_fault(&spec, &fault) != SOTTO_OK)
        fail_msg("unexpected fault: %s", fault.sentence);
}

/* One field of a spec is changed; the fault is this text. */
#define ASSERT_FIELD_FAULT(base, field, value, text)                                               \
    do {                                                                                           \
        sotto_spec spec_ = (base);                                                                 \
        spec_.field = (value);                                                                     \
        assert_fault(spec_, (text));                                                               \
    } while (0)
#define ASSERT_FIELD_FITS(base, field, value)                                                      \
    do {                                                                                           \
        sotto_spec spec_ = (base);                                                                 \
        spec_.field = (value);                                                                     \
        assert_no_fault(spec_);                                                                    \
    } while (0)

TEST(dimensions_and_arms_out_of_range_are_named)
{
    sotto_spec s = continuous();
    ASSERT_FIELD_FAULT(s, dim, 0, "dim = 0: allowed 1 to 1024");
    ASSERT_FIELD_FAULT(s, dim, 1025, "dim = 1025: allowed 1 to 1024");
    ASSERT_FIELD_FAULT(s, dim, UINT32_MAX, "dim = 4294967295: allowed 1 to 1024");
    ASSERT_FIELD_FAULT(s, arms, 0, "arms = 0: allowed 2 to 1024");
    ASSERT_FIELD_FAULT(s, arms, 1, "arms = 1: allowed 2 to 1024");
    ASSERT_FIELD_FAULT(s, arms, 1025, "arms = 1025: allowed 2 to 1024");
    ASSERT_FIELD_FAULT(s, arms, 1000000000, "arms = 1000000000: allowed 2 to 1024");
    ASSERT_FIELD_FITS(s, dim, 1);
    ASSERT_FIELD_FITS(s, dim, 1024);
    ASSERT_FIELD_FITS(s, arms, 2);
    ASSERT_FIELD_FITS(s, arms, 1024);
    s.dim = 1024;
    ASSERT_FIELD_FITS(s, arms, 64);
    ASSERT_FIELD_FAULT(s, arms, 65, "arms = 65: dim x arms is at most 65536, and dim = 1024");
}

TEST(unknown_kinds_are_named)
{
    sotto_spec s = continuous();
    ASSERT_FIELD_FAULT(s, parameters, (sotto_parameters)2,
                       "parameters = 2: not one of the known kinds (shared, ...)");
    ASSERT_FIELD_FAULT(s, link, (sotto_link)4,
                       "link = 4: not one of the known kinds (identity, ...)");
    ASSERT_FIELD_FAULT(s, reward_kind, (sotto_reward_kind)3,
                       "reward_kind = 3: not one of the known kinds (continuous, ...)");
    ASSERT_FIELD_FAULT(s, method, (sotto_method)7,
                       "method = 7: not one of the known kinds (sotto, ...)");
    ASSERT_FIELD_FAULT(s, score, (sotto_score)8,
                       "score = 8: not one of the known kinds (sign, ...)");
    ASSERT_FIELD_FAULT(s, split, (sotto_split)2,
                       "split = 2: not one of the known kinds (joint, ...)");
    ASSERT_FIELD_FAULT(s, noise_law, (sotto_noise_law)255,
                       "noise_law = 255: not one of the known kinds (gaussian, ...)");
    ASSERT_FIELD_FAULT(s, method, (sotto_method)-1,
                       "method = 4294967295: not one of the known kinds (sotto, ...)");
}

TEST(one_arm_for_all_measures_every_round_already)
{
    sotto_spec s = continuous();
    s.method = SOTTO_METHOD_BEST_ARM;
    ASSERT_FIELD_FAULT(s, score, SOTTO_SCORE_SIGN, "score = sign: method best-arm allows reward");
    s.score = SOTTO_SCORE_REWARD;
    ASSERT_FIELD_FAULT(
        s, measure, 1u << 30,
        "measure = 0.25: allowed 0 (every round of method best-arm reports its reward)");
    ASSERT_FIELD_FAULT(s, split, SOTTO_SPLIT_PER_ARM,
                       "split = per-arm: only ldp-sgd with per-arm parameters splits");
    ASSERT_FIELD_FITS(s, parameters, SOTTO_PARAMETERS_PER_ARM);
    ASSERT_FIELD_FITS(s, link, SOTTO_LINK_LOGIT);
    s.method = SOTTO_METHOD_SOTTO;
    ASSERT_FIELD_FAULT(s, score, SOTTO_SCORE_REWARD,
                       "score = reward: method sotto allows sign, self, huber, centred");
}

TEST(epsilon_out_of_range_is_named)
{
    sotto_spec s = continuous();
    ASSERT_FIELD_FAULT(s, epsilon, 0, "epsilon = 0: allowed 0.01 to 8");
    ASSERT_FIELD_FAULT(s, epsilon, -1, "epsilon = -1: allowed 0.01 to 8");
    ASSERT_FIELD_FAULT(s, epsilon, 1e-9, "epsilon = 1e-09: allowed 0.01 to 8");
    ASSERT_FIELD_FAULT(s, epsilon, 5e-324, "epsilon = 4.94065645841247e-324: allowed 0.01 to 8");
    ASSERT_FIELD_FAULT(s, epsilon, 1e300, "epsilon = 1e+300: allowed 0.01 to 8");
    ASSERT_FIELD_FAULT(s, epsilon, NAN, "epsilon = nan: allowed 0.01 to 8");
    ASSERT_FIELD_FAULT(s, epsilon, INFINITY, "epsilon = inf: allowed 0.01 to 8");
    ASSERT_FIELD_FAULT(s, epsilon, -INFINITY, "epsilon = -inf: allowed 0.01 to 8");
    ASSERT_FIELD_FAULT(s, epsilon, 8.1, "epsilon = 8.1: allowed 0.01 to 8");
    ASSERT_FIELD_FAULT(s, epsilon, 8.0000000000001, "epsilon = 8.0000000000001: allowed 0.01 to 8");
    ASSERT_FIELD_FITS(s, epsilon, 0.01);
    ASSERT_FIELD_FITS(s, epsilon, 8);
    s = lattice(SOTTO_METHOD_LDP_OLS);
    ASSERT_FIELD_FITS(s, epsilon, 8.1);
    ASSERT_FIELD_FITS(s, epsilon, 50);
    ASSERT_FIELD_FAULT(s, epsilon, 50.5, "epsilon = 50.5: allowed 0.01 to 50");
}

TEST(delta_that_does_not_belong_is_named)
{
    const char *pure = "delta = 1e-06: must be 0, this release is purely epsilon-private";
    ASSERT_FIELD_FAULT(continuous(), delta, 1e-6, pure);
    ASSERT_FIELD_FAULT(continuous(), delta, 5e-324,
                       "delta = 4.94065645841247e-324: must be 0, this release is purely "
                       "epsilon-private");
    sotto_spec s = lattice(SOTTO_METHOD_LDP_UCB);
    ASSERT_FIELD_FAULT(s, noise_law, SOTTO_NOISE_LAPLACE, pure);
    ASSERT_FIELD_FAULT(s, delta, 0, "delta = 0: allowed 1e-12 to 0.5 for gaussian noise");
    ASSERT_FIELD_FAULT(s, delta, 1e-13, "delta = 1e-13: allowed 1e-12 to 0.5 for gaussian noise");
    ASSERT_FIELD_FAULT(s, delta, 1e-5, "delta = 1e-05: above 1e-6 only with allow_weak_delta");
    ASSERT_FIELD_FAULT(s, delta, -1e-7, "delta = -1e-07: allowed 0 to 0.5");
    ASSERT_FIELD_FAULT(s, delta, NAN, "delta = nan: allowed 0 to 0.5");
    ASSERT_FIELD_FITS(s, delta, 1e-12);
    s.allow_weak_delta = true;
    ASSERT_FIELD_FITS(s, delta, 0.5);
    ASSERT_FIELD_FAULT(s, delta, 0.6, "delta = 0.6: allowed 0 to 0.5");
    s.noise_law = SOTTO_NOISE_LAPLACE;
    ASSERT_FIELD_FITS(s, delta, 0);
}

TEST(norms_and_tau_out_of_range_are_named)
{
    sotto_spec s = continuous();
    ASSERT_FIELD_FAULT(s, context_norm_max, 0, "context_norm_max = 0: allowed 1e-06 to 1000000");
    ASSERT_FIELD_FAULT(s, context_norm_max, NAN,
                       "context_norm_max = nan: allowed 1e-06 to 1000000");
    ASSERT_FIELD_FAULT(s, context_norm_max, 1e308,
                       "context_norm_max = 1e+308: allowed 1e-06 to 1000000");
    ASSERT_FIELD_FAULT(s, theta_norm_max, -1, "theta_norm_max = -1: allowed 1e-06 to 1000000");
    ASSERT_FIELD_FAULT(s, theta_norm_max, INFINITY,
                       "theta_norm_max = inf: allowed 1e-06 to 1000000");
    ASSERT_FIELD_FAULT(s, huber_tau, 0, "huber_tau = 0: allowed 1e-06 to 1000000");
    ASSERT_FIELD_FAULT(s, huber_tau, NAN, "huber_tau = nan: allowed 1e-06 to 1000000");
    ASSERT_FIELD_FITS(s, context_norm_max, 1e-6);
    ASSERT_FIELD_FITS(s, theta_norm_max, 1e6);
}

TEST(reward_ranges_that_make_no_sense_are_named)
{
    sotto_spec s = continuous();
    ASSERT_FIELD_FAULT(s, reward_lo, NAN, "reward_lo = nan: allowed -1000000 to 1000000");
    ASSERT_FIELD_FAULT(s, reward_lo, -INFINITY, "reward_lo = -inf: allowed -1000000 to 1000000");
    ASSERT_FIELD_FAULT(s, reward_hi, 1e308, "reward_hi = 1e+308: allowed -1000000 to 1000000");
    ASSERT_FIELD_FAULT(
        s, reward_lo, 1,
        "reward_lo, reward_hi = 1, 1: the first must be at least 1e-6 below the second");
    ASSERT_FIELD_FAULT(
        s, reward_lo, 2,
        "reward_lo, reward_hi = 2, 1: the first must be at least 1e-6 below the second");
    ASSERT_FIELD_FAULT(s, reward_default, NAN, "reward_default = nan: allowed -1000000 to 1000000");
    ASSERT_FIELD_FAULT(s, reward_default, 1.5,
                       "reward_default = 1.5: allowed -1 to 1 (the reward range)");
    ASSERT_FIELD_FAULT(s, reward_default, -1.5,
                       "reward_default = -1.5: allowed -1 to 1 (the reward range)");
    ASSERT_FIELD_FITS(s, reward_default, -1);
    ASSERT_FIELD_FAULT(sotto_spec_default(SOTTO_REWARD_BINARY), reward_hi, 2,
                       "reward_lo, reward_hi = 0, 2: allowed 0, 1 for binary rewards");
    ASSERT_FIELD_FAULT(sotto_spec_default(SOTTO_REWARD_COUNT), reward_lo, -0.5,
                       "reward_lo = -0.5: allowed at least 0 for counts");
}

TEST(epochs_out_of_range_are_named)
{
    sotto_spec s = continuous();
    ASSERT_FIELD_FAULT(s, epoch_reports_max, 0, "epoch_reports_max = 0: allowed 1 to 2147483648");
    ASSERT_FIELD_FAULT(s, epoch_reports_max, UINT64_C(2147483649),
                       "epoch_reports_max = 2147483649: allowed 1 to 2147483648");
    ASSERT_FIELD_FAULT(s, epoch_reports_max, UINT64_MAX,
                       "epoch_reports_max = 18446744073709551615: allowed 1 to 2147483648");
    ASSERT_FIELD_FAULT(s, window_reports, UINT64_C(1) << 63,
                       "window_reports = 9223372036854775808: allowed 0 to 2147483648");
    ASSERT_FIELD_FAULT(s, epoch_lag_max, 17, "epoch_lag_max = 17: allowed 0 to 16");
    ASSERT_FIELD_FITS(s, epoch_reports_max, UINT64_C(1) << 31);
    ASSERT_FIELD_FITS(s, window_reports, UINT64_C(1) << 31);
    ASSERT_FIELD_FITS(s, epoch_lag_max, 16);
}

TEST(methods_refuse_what_they_cannot_do)
{
    sotto_spec s = continuous();
    ASSERT_FIELD_FAULT(s, score, SOTTO_SCORE_MOMENTS,
                       "score = moments: method sotto allows sign, self, huber, centred");
    ASSERT_FIELD_FAULT(s, method, SOTTO_METHOD_LDP_SGD,
                       "score = sign: method ldp-sgd allows gradient");
    ASSERT_FIELD_FAULT(s, link, SOTTO_LINK_LOGIT,
                       "link = logit: score sign needs the identity link");
    ASSERT_FIELD_FAULT(s, split, SOTTO_SPLIT_PER_ARM,
                       "split = per-arm: only ldp-sgd with per-arm parameters splits");
    ASSERT_FIELD_FAULT(s, noise_law, SOTTO_NOISE_LAPLACE,
                       "noise_law = laplace: method sotto adds no lattice noise");
    ASSERT_FIELD_FAULT(sotto_spec_default(SOTTO_REWARD_BINARY), score, SOTTO_SCORE_SIGN,
                       "score = sign: not for binary rewards; use self");
    ASSERT_FIELD_FAULT(sotto_spec_default(SOTTO_REWARD_COUNT), score, SOTTO_SCORE_HUBER,
                       "score = huber: not for count rewards; use self");
    ASSERT_FIELD_FAULT(lattice(SOTTO_METHOD_LDP_OLS), link, SOTTO_LINK_PROBIT,
                       "link = probit: method ldp-ols needs the identity link");
    ASSERT_FIELD_FITS(lattice(SOTTO_METHOD_LDP_GLOC), link, SOTTO_LINK_PROBIT);

    s.score = SOTTO_SCORE_MOMENTS;
    s.method = SOTTO_METHOD_SOTTO_OLS;
    ASSERT_FIELD_FAULT(s, parameters, SOTTO_PARAMETERS_PER_ARM,
                       "parameters = per-arm: method sotto-ols has shared parameters only");
    s.score = SOTTO_SCORE_GRADIENT;
    s.method = SOTTO_METHOD_LDP_SGD;
    ASSERT_FIELD_FAULT(s, split, SOTTO_SPLIT_PER_ARM,
                       "split = per-arm: only ldp-sgd with per-arm parameters splits");
    s.parameters = SOTTO_PARAMETERS_PER_ARM;
    ASSERT_FIELD_FITS(s, split, SOTTO_SPLIT_PER_ARM);
}

/* 360 x 361/2 + 360 + 1 = 65341 coordinates fit a codeword, 361 x 362/2 + 361 + 1 = 65703 do not;
 * 51 x 52/2 + 51 = 1377 ticks for each of 761 arms fit a report, for 762 they do not. */
TEST(reports_that_would_be_too_long_are_named)
{
    sotto_spec s = continuous();
    s.method = SOTTO_METHOD_SOTTO_OLS;
    s.score = SOTTO_SCORE_MOMENTS;
    ASSERT_FIELD_FITS(s, dim, 360);
    ASSERT_FIELD_FAULT(s, dim, 361, "dim = 361: moments have at most 65536 coordinates");
    s = lattice(SOTTO_METHOD_LDP_OLS);
    s.dim = 51;
    s.parameters = SOTTO_PARAMETERS_PER_ARM;
    ASSERT_FIELD_FITS(s, arms, 761);
    ASSERT_FIELD_FAULT(s, arms, 762,
                       "dim = 51: a report would have 1049274 ticks, at most 1048576");
    s.parameters = SOTTO_PARAMETERS_SHARED;
    ASSERT_FIELD_FITS(s, arms, 762);
    s.dim = SOTTO_DIM_MAX;
    s.noise_law = SOTTO_NOISE_LAPLACE;
    s.delta = 0;
    ASSERT_FIELD_FAULT(s, epsilon, 0.01,
                       "epsilon = 0.01: laplace noise on 525824 numbers needs at least 0.06268");
    ASSERT_FIELD_FITS(s, epsilon, 525824 / (0x1p23 - 2));
}

TEST(the_first_fault_in_the_order_of_the_fields_is_named)
{
    sotto_spec s = continuous();
    s.huber_tau = -1;
    s.epsilon = NAN;
    s.arms = 1;
    assert_fault(s, "arms = 1: allowed 2 to 1024");
    s.arms = 2;
    assert_fault(s, "epsilon = nan: allowed 0.01 to 8");
    s.epsilon = 1;
    assert_fault(s, "huber_tau = -1: allowed 1e-06 to 1000000");
}

TEST(defaults_have_no_fault_and_their_kind_s_range)
{
    static const struct {
        double lo, hi;
        sotto_link link;
        sotto_score score;
    } wanted[] = {{-1, 1, SOTTO_LINK_IDENTITY, SOTTO_SCORE_SIGN},
                  {0, 1, SOTTO_LINK_LOGIT, SOTTO_SCORE_SELF},
                  {0, 10, SOTTO_LINK_LOG, SOTTO_SCORE_CENTRED}};
    for (uint32_t kind = 0; kind < 3; kind++) {
        sotto_spec s = sotto_spec_default((sotto_reward_kind)kind);
        assert_no_fault(s);
        assert_int_equal(s.reward_kind, kind);
        assert_true(s.reward_lo == wanted[kind].lo);
        assert_true(s.reward_hi == wanted[kind].hi);
        assert_ints(s.link, wanted[kind].link, s.score, wanted[kind].score, s.method,
                    SOTTO_METHOD_SOTTO, s.parameters, SOTTO_PARAMETERS_SHARED);
        assert_true(s.epsilon == 1);
        assert_true(s.delta == 0);
        assert_false(s.allow_weak_delta);
    }
    assert_fault(sotto_spec_default((sotto_reward_kind)7),
                 "reward_kind = 7: not one of the known kinds (continuous, ...)");
}

TEST(another_version_is_refused)
{
    sotto_spec s = continuous();
    assert_int_equal(s.version, 2);
    ASSERT_FIELD_FAULT(s, version, 0, "version = 0: this library supports only terms of version 2");
    ASSERT_FIELD_FAULT(s, version, 1, "version = 1: this library supports only terms of version 2");
    ASSERT_FIELD_FAULT(s, version, 3, "version = 3: this library supports only terms of version 2");
}

TEST(times_and_rates_out_of_range_are_named)
{
    sotto_spec s = continuous();
    ASSERT_FIELD_FITS(s, series, UINT32_MAX);
    ASSERT_FIELD_FITS(s, reward_window_s, 31536000);
    ASSERT_FIELD_FAULT(s, reward_window_s, 31536001,
                       "reward_window_s = 31536001: allowed 0 to 31536000");
    ASSERT_FIELD_FAULT(s, send_spread_s, UINT32_MAX,
                       "send_spread_s = 4294967295: allowed 0 to 31536000");
    ASSERT_FIELD_FAULT(s, reward_rate, 1.5, "reward_rate = 1.5: allowed 0 to 1");
    ASSERT_FIELD_FAULT(s, reward_rate, NAN, "reward_rate = nan: allowed 0 to 1");
}

TEST(measure_rounds_out_of_range_are_named)
{
    sotto_spec s = continuous();
    ASSERT_FIELD_FITS(s, measure, 4294967);
    ASSERT_FIELD_FITS(s, measure, 1u << 31);
    ASSERT_FIELD_FAULT(s, measure, 4294966,
                       "measure = 0.000999999698: allowed 0, or 0.001 to 0.5 (of 2^32)");
    ASSERT_FIELD_FAULT(s, measure, (1u << 31) + 1, "measure = 2147483649: allowed 0 to 2147483648");
    sotto_spec noisy = lattice(SOTTO_METHOD_LDP_OLS);
    ASSERT_FIELD_FAULT(
        noisy, measure, 1u << 30,
        "measure = 0.25: allowed 0 (method ldp-ols adds lattice noise, and only codebook "
        "methods have measure rounds)");
}

TEST(the_centred_score_is_for_counts_under_the_log_link)
{
    sotto_spec s = sotto_spec_default(SOTTO_REWARD_COUNT);
    ASSERT_FIELD_FITS(s, score, SOTTO_SCORE_CENTRED);
    s.score = SOTTO_SCORE_CENTRED;
    ASSERT_FIELD_FAULT(s, link, SOTTO_LINK_IDENTITY,
                       "score = centred: for count rewards under the log link only");
    s.reward_hi = 1;
    ASSERT_FIELD_FAULT(s, reward_kind, SOTTO_REWARD_BINARY,
                       "score = centred: for count rewards under the log link only");
}
