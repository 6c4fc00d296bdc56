/*
 * Canonical bytes of a spec and its name.
 *
 * The golden files were written by a Python script from the table at the head of terms.c, with
 * weights and ticks computed by mpmath; the ids are Python's hashlib over those files.
 */
#include "test.h"

#include "core/core.h"
#include "golden.h"

#include <string.h>

static const char *const goldens[] = {"spec_default.bin", "spec_tagged.bin", "spec_split.bin",
                                      "spec_ticks.bin", "spec_gloc.bin"};
#define GOLDENS (sizeof goldens / sizeof goldens[0])

static sotto_spec golden_spec(size_t i)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    static const sotto_method method[GOLDENS] = {SOTTO_METHOD_SOTTO, SOTTO_METHOD_SOTTO,
                                                 SOTTO_METHOD_LDP_SGD, SOTTO_METHOD_LDP_OLS,
                                                 SOTTO_METHOD_LDP_GLOC};
    static const sotto_score score[GOLDENS] = {SOTTO_SCORE_SIGN, SOTTO_SCORE_SIGN,
                                               SOTTO_SCORE_GRADIENT, SOTTO_SCORE_MOMENTS,
                                               SOTTO_SCORE_GLOC_PAIR};
    static const uint32_t dim[GOLDENS] = {10, 20, 4, 2, 3}, arms[GOLDENS] = {10, 3, 3, 2, 2};
    spec.method = method[i], spec.score = score[i], spec.dim = dim[i], spec.arms = arms[i];
    spec.parameters = i == 0 || i == 3 ? SOTTO_PARAMETERS_SHARED : SOTTO_PARAMETERS_PER_ARM;
    spec.split = i == 2 ? SOTTO_SPLIT_PER_ARM : SOTTO_SPLIT_JOINT, spec.epsilon = i == 1 ? 5 : 1;
    spec.delta = i >= 3 ? 1e-6 : 0;
    if (i == 4) spec.link = SOTTO_LINK_LOGIT;
    return spec;
}

/* To the last bit, since scales have 40 of them. */
TEST(resolving_the_golden_specs_gives_the_golden_bytes)
{
    for (size_t i = 0; i < GOLDENS; i++) {
        uint8_t bytes[SOTTO_TERMS_BYTES], again[SOTTO_TERMS_BYTES];
        sotto_spec spec = golden_spec(i);
        sotto_terms terms;
        assert_int_equal(golden_read(goldens[i], bytes, sizeof bytes), sizeof bytes);
        assert_ok(sotto_spec_resolve(&spec, &terms));
        assert_int_equal(sotto_terms_encode(&terms, again), sizeof bytes);
        assert_memory_equal(again, bytes, sizeof bytes);
    }
}

TEST(resolving_the_golden_spec_with_a_mean_phase_gives_the_golden_bytes)
{
    uint8_t bytes[SOTTO_TERMS_BYTES], again[SOTTO_TERMS_BYTES];
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.dim = 3, spec.arms = 2, spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    sotto_terms terms = resolved(&spec);
    assert_int_equal(golden_read("spec_mean.bin", bytes, sizeof bytes), sizeof bytes);
    assert_int_equal(sotto_terms_encode(&terms, again), sizeof bytes);
    assert_memory_equal(again, bytes, sizeof bytes);
    static const uint8_t id[] = {0xdf, 0xa9, 0x7d, 0x79, 0xaf, 0x42, 0xa3, 0x28,
                                 0x28, 0x9e, 0x25, 0x52, 0x2a, 0x57, 0xa2, 0x0d};
    assert_memory_equal(terms.id, id, sizeof id);
    assert_ok(sotto_terms_decode(bytes, sizeof bytes, &terms));
    assert_memory_equal(terms.id, id, sizeof id);
}

/* By tests/golden/make_arms.py. */
TEST(resolving_the_golden_spec_of_best_arm_gives_the_golden_bytes)
{
    uint8_t bytes[SOTTO_TERMS_BYTES], again[SOTTO_TERMS_BYTES];
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.dim = 2, spec.arms = 5, spec.method = SOTTO_METHOD_BEST_ARM;
    spec.score = SOTTO_SCORE_REWARD;
    sotto_terms terms = resolved(&spec);
    assert_int_equal(golden_read("spec_arms.bin", bytes, sizeof bytes), sizeof bytes);
    assert_int_equal(sotto_terms_encode(&terms, again), sizeof bytes);
    assert_memory_equal(again, bytes, sizeof bytes);
    assert_ok(sotto_terms_decode(bytes, sizeof bytes, &terms));
    terms.codebook[SOTTO_PHASE_MAIN].size = 64;
    assert_status(sotto_terms_check(&terms), SOTTO_E_FAULT);
}

/* Fields that keep their default in every golden spec. */
TEST(every_field_has_its_place)
{
    sotto_spec spec = golden_spec(3);
    spec.allow_weak_delta = true, spec.delta = 0.25, spec.reward_lo = -3, spec.reward_hi = 4;
    spec.reward_default = 2, spec.context_norm_max = 5, spec.theta_norm_max = 6, spec.epsilon = 7;
    spec.huber_tau = 8, spec.epoch_reports_max = 9, spec.window_reports = 10;
    spec.epoch_lag_max = 11;
    uint8_t bytes[SOTTO_TERMS_BYTES];
    sotto_terms terms = resolved(&spec);
    sotto_terms_encode(&terms, bytes);
    assert_int_equal(bytes[19], 1);
    for (int i = 0; i < 8; i++) {
        static const double wanted[8] = {-3, 4, 2, 5, 6, 7, 0.25, 8};
        assert_true(sotto__get_f64(bytes + 20 + 8 * i) == wanted[i]);
    }
    assert_true(sotto__get_u64(bytes + 84) == 9);
    assert_true(sotto__get_u64(bytes + 92) == 10);
    assert_true(sotto__get_u32(bytes + 100) == 11);
}

/* Two texts of one number would be two names. */
TEST(no_number_is_written_as_minus_zero)
{
    uint8_t bytes[SOTTO_TERMS_BYTES], again[SOTTO_TERMS_BYTES];
    sotto_spec spec = golden_spec(0);
    sotto_terms terms = resolved(&spec);
    assert_true(terms.spec.delta == 0);
    sotto_terms_encode(&terms, bytes);
    terms.spec.delta = -0.0;
    assert_memory_equal(again, bytes, sotto_terms_encode(&terms, again));
}

TEST(what_follows_the_lag_stands_where_the_format_says)
{
    uint8_t bytes[SOTTO_TERMS_BYTES], first[SOTTO_TERMS_BYTES];
    sotto_spec spec = golden_spec(0);
    sotto_terms terms = resolved(&spec);
    assert_int_equal(sotto_terms_encode(&terms, first), SOTTO_TERMS_BYTES);
    spec.series = 0x01020304, spec.measure = 1u << 30, spec.reward_rate = 0.25;
    spec.reward_window_s = 3600, spec.send_spread_s = 60;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    terms.codebook[SOTTO_PHASE_MAIN].nulls = 7;
    terms.codebook[SOTTO_PHASE_MEAN] = (sotto_codebook){1, 2, 3, 4, 5, 6, 7, 8};
    assert_int_equal(sotto_terms_encode(&terms, bytes), SOTTO_TERMS_BYTES);
    assert_memory_equal(bytes, "STS2", 4);
    assert_memory_equal(bytes + 4, first + 4, 100);
    assert_ints(sotto__get_u32(bytes + 104), 0x01020304, sotto__get_u32(bytes + 108), 1u << 30);
    assert_true(sotto__get_f64(bytes + 112) == 0.25);
    assert_ints(sotto__get_u32(bytes + 120), 3600, sotto__get_u32(bytes + 124), 60);
    const sotto_codebook *main = &terms.codebook[SOTTO_PHASE_MAIN];
    assert_ints(sotto__get_u32(bytes + 172 + 12), main->top, sotto__get_u32(bytes + 172 + 16), 7);
    assert_true(sotto__get_u64(bytes + 172 + 20) == main->weight_top);
    assert_true(sotto__get_f64(bytes + 172 + 36) == main->scale);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(sotto__get_u32(bytes + 216 + 4 * i), i + 1);
    }
    assert_true(sotto__get_u64(bytes + 236) == 6 && sotto__get_u64(bytes + 244) == 7);
    assert_true(sotto__get_f64(bytes + 252) == 8);
    assert_true(sotto__get_f64(bytes + 276) == terms.along_weight);
}

/* The id of spec_ticks.bin, by hashlib; spec_ticks has no number of a libm. */
TEST(the_name_is_the_digest_of_the_bytes)
{
    static const uint8_t id[16] = {0xad, 0xfc, 0xfd, 0x9b, 0x9c, 0xfe, 0x56, 0x51,
                                   0x98, 0x85, 0xf9, 0xe9, 0x57, 0x20, 0x91, 0xae};
    sotto_spec spec = golden_spec(3);
    sotto_terms terms = resolved(&spec);
    memset(terms.id, 0, sizeof terms.id);
    memset(terms.stream_key, 0, sizeof terms.stream_key);
    sotto__terms_name(&terms);
    assert_memory_equal(terms.id, id, sizeof id);
    uint8_t key[sizeof terms.stream_key];
    sotto_stream_key_derive(terms.id, key);
    assert_memory_equal(terms.stream_key, key, sizeof key);
    terms.lattice.scale_ticks++;
    sotto__terms_name(&terms);
    assert_memory_not_equal(terms.id, id, sizeof id);
}
