/*
 * Model frames.
 *
 * The golden files were written by a Python script from the table at the head of model.c; they
 * belong to the golden specs of the same names. That of spec mean has a g. Number i of a golden model is (i+1)/8, negative for
 * odd i; then come elimination 2.5 (split), or beta 0.75 and two factors with 2 on the diagonal
 * and -1/4 below it (gloc).
 */
#include "made.h"
#include "test.h"

#include "core/core.h"
#include "golden.h"

#include <math.h>

#define FRAME_MAX 512
#define NUMBERS_AT 36u

static const struct golden {
    const char *spec, *model;
    sotto_phase phase;
    uint32_t epoch;
    uint64_t reports;
    uint32_t theta, plain; /* numbers of theta, and of all estimates together */
    size_t bytes;
} goldens[] = {
    {"spec_default.bin", "model_default.bin", SOTTO_PHASE_MAIN, 3, UINT64_C(12345678901), 10, 20,
     196},
    {"spec_split.bin", "model_split.bin", SOTTO_PHASE_WARM_UP, 0, 0, 12, 24, 236},
    {"spec_gloc.bin", "model_gloc.bin", SOTTO_PHASE_MAIN, 0xfffffffe, UINT64_C(9223372036854775813),
     6, 12, 236},
    {"spec_mean.bin", "model_mean.bin", SOTTO_PHASE_MAIN, 9, UINT64_C(4294967299), 6, 9, 108},
};
enum { DEFAULT, SPLIT, GLOC, MEAN, GOLDENS };

/* A golden spec, its frame, and a new model of that spec. */
typedef struct fixture {
    sotto_terms terms;
    uint8_t frame[FRAME_MAX];
    size_t bytes;
    sotto_model *model;
} fixture;

static fixture setup(size_t i)
{
    fixture f;
    size_t spec_bytes = golden_read(goldens[i].spec, f.frame, FRAME_MAX);
    assert_ok(sotto_terms_decode(f.frame, spec_bytes, &f.terms));
    f.bytes = golden_read(goldens[i].model, f.frame, FRAME_MAX);
    f.model = made_model(&f.terms);
    return f;
}

/* A refused frame leaves the model as it was, here unlike any frame of these tests. */
static void assert_refused(fixture *f, size_t i, const uint8_t *bytes, size_t count,
                           sotto_status wanted)
{
    uint8_t before[FRAME_MAX], after[FRAME_MAX];
    f->model->epoch = 77;
    f->model->reports = 78;
    f->model->phase = i == SPLIT ? SOTTO_PHASE_MAIN : goldens[i].phase;
    for (uint32_t p = 0; p < goldens[i].theta; p++) {
        f->model->theta[p] = 79;
    }
    assert_ok(sotto_model_encode(&f->terms, f->model, before, sizeof before));
    assert_status(sotto_model_decode(&f->terms, bytes, count, f->model), wanted);
    assert_ok(sotto_model_encode(&f->terms, f->model, after, sizeof after));
    assert_memory_equal(after, before, f->bytes);
}

TEST(frames_of_any_other_length_are_refused)
{
    for (size_t i = 0; i < GOLDENS; i++) {
        fixture f = setup(i);
        for (size_t count = 0; count < f.bytes; count++) {
            assert_refused(&f, i, f.frame, count, SOTTO_E_FRAME);
        }
        f.frame[f.bytes] = 0;
        assert_refused(&f, i, f.frame, f.bytes + 1, SOTTO_E_FRAME);
    }
}

TEST(models_of_another_spec_are_refused_as_such)
{
    fixture a = setup(SPLIT), b = setup(GLOC); /* frames of the same length */
    uint8_t out[FRAME_MAX];
    assert_refused(&a, SPLIT, b.frame, b.bytes, SOTTO_E_SPEC);
    assert_status(sotto_model_decode(&a.terms, a.frame, a.bytes, b.model), SOTTO_E_SPEC);
    assert_status(sotto_model_check(&a.terms, b.model), SOTTO_E_SPEC);
    assert_status(sotto_model_copy(&a.terms, b.model, a.model), SOTTO_E_SPEC);
    assert_status(sotto_model_copy(&a.terms, a.model, b.model), SOTTO_E_SPEC);
    assert_status(sotto_model_encode(&a.terms, b.model, out, sizeof out), SOTTO_E_SPEC);
}

TEST(phases_that_the_spec_does_not_have_are_refused)
{
    fixture f = setup(DEFAULT), per_arm = setup(SPLIT);
    uint8_t out[FRAME_MAX];
    f.frame[5] = SOTTO_PHASE_WARM_UP; /* shared parameters have no warm-up */
    assert_refused(&f, DEFAULT, f.frame, f.bytes, SOTTO_E_PHASE);
    f.model->phase = SOTTO_PHASE_WARM_UP;
    assert_status(sotto_model_check(&f.terms, f.model), SOTTO_E_PHASE);
    assert_status(sotto_model_encode(&f.terms, f.model, out, sizeof out), SOTTO_E_PHASE);
    per_arm.frame[5] = SOTTO_PHASES;
    assert_refused(&per_arm, SPLIT, per_arm.frame, per_arm.bytes, SOTTO_E_PHASE);
    per_arm.model->phase = (sotto_phase)-1;
    assert_status(sotto_model_check(&per_arm.terms, per_arm.model), SOTTO_E_PHASE);
    per_arm.model->phase = SOTTO_PHASE_MAIN;
    assert_ok(sotto_model_check(&per_arm.terms, per_arm.model));
}

/* Terms with a mean phase have it on the wire, and frames of their own. */
TEST(the_mean_phase_and_its_frame_belong_to_terms_that_have_it)
{
    fixture f = setup(MEAN), other = setup(SPLIT);
    uint8_t out[FRAME_MAX];
    f.frame[5] = SOTTO_PHASE_MEAN;
    assert_ok(sotto_model_decode(&f.terms, f.frame, f.bytes, f.model));
    assert_int_equal(f.model->phase, SOTTO_PHASE_MEAN);
    assert_false(sotto_model_decides(&f.terms, f.model));
    assert_ok(sotto_model_encode(&f.terms, f.model, out, sizeof out));
    assert_memory_equal(out, f.frame, f.bytes);
    other.frame[5] = SOTTO_PHASE_MEAN;
    assert_refused(&other, SPLIT, other.frame, other.bytes, SOTTO_E_PHASE);
    f.frame[3] = '1';
    assert_refused(&f, MEAN, f.frame, f.bytes, SOTTO_E_FRAME);
    f.frame[4] = 1;
    assert_refused(&f, MEAN, f.frame, f.bytes, SOTTO_E_FRAME);
    double *g = f.model->g;
    f.model->g = NULL;
    assert_status(sotto_model_check(&f.terms, f.model), SOTTO_E_ARGUMENT);
    f.model->g = g;
    f.model->g[2] = NAN;
    assert_status(sotto_model_encode(&f.terms, f.model, out, sizeof out), SOTTO_E_FAULT);
}

TEST(a_model_that_does_not_fit_is_not_encoded)
{
    fixture f = setup(GLOC);
    uint8_t out[FRAME_MAX] = {0};
    assert_status(sotto_model_encode(&f.terms, f.model, out, f.bytes - 1), SOTTO_E_LENGTH);
    assert_int_equal(out[0], 0);
}

/* Number n of a golden frame: what a decoder may find there. */
static bool number_valid(size_t i, size_t n, double value)
{
    if (n < goldens[i].plain) return isfinite(value);
    if (i == SPLIT) return value >= 0;                               /* elimination */
    if (n == goldens[i].plain) return value >= 0 && isfinite(value); /* beta */
    size_t within = (n - goldens[i].plain - 1) % 6;                  /* of a 3 x 3 triangle */
    bool diagonal = within == 0 || within == 2 || within == 5;
    return isfinite(value) && (!diagonal || value > 0);
}

TEST(numbers_are_finite_and_where_needed_positive)
{
    static const double tried[] = {NAN,   -NAN,   INFINITY, -INFINITY, 0.0,   -0.0,
                                   1e300, -1e300, 5e-324,   -5e-324,   1e308, -2};
    for (size_t i = 0; i < GOLDENS; i++) {
        fixture f = setup(i);
        for (size_t n = 0; n < (f.bytes - NUMBERS_AT) / 8; n++) {
            uint8_t *at = f.frame + NUMBERS_AT + 8 * n;
            double golden = sotto__get_f64(at);
            for (size_t v = 0; v < sizeof tried / sizeof tried[0]; v++) {
                sotto__put_f64(at, tried[v]);
                if (number_valid(i, n, tried[v])) {
                    assert_ok(sotto_model_decode(&f.terms, f.frame, f.bytes, f.model));
                } else {
                    assert_refused(&f, i, f.frame, f.bytes, SOTTO_E_FRAME);
                }
            }
            sotto__put_f64(at, golden);
        }
    }
}

TEST(a_flipped_bit_is_refused_or_another_model_of_the_spec)
{
    for (size_t i = 0; i < GOLDENS; i++) {
        fixture f = setup(i);
        for (size_t bit = 0; bit < 8 * f.bytes; bit++) {
            size_t byte = bit / 8, number = (byte - NUMBERS_AT) / 8;
            f.frame[byte] ^= (uint8_t)(1u << bit % 8);
            sotto_status wanted = SOTTO_OK; /* epoch and reports may be any */
            if (byte < 8) wanted = SOTTO_E_FRAME;
            if (byte == 5) wanted = bit % 8 == 0 && i != DEFAULT ? SOTTO_OK : SOTTO_E_PHASE;
            if (byte >= 8 && byte < 24) wanted = SOTTO_E_SPEC;
            if (byte >= NUMBERS_AT) {
                double value = sotto__get_f64(f.frame + NUMBERS_AT + 8 * number);
                wanted = number_valid(i, number, value) ? SOTTO_OK : SOTTO_E_FRAME;
            }
            if (wanted == SOTTO_OK) {
                uint8_t again[FRAME_MAX];
                assert_ok(sotto_model_decode(&f.terms, f.frame, f.bytes, f.model));
                assert_ok(sotto_model_encode(&f.terms, f.model, again, sizeof again));
                assert_memory_equal(again, f.frame, f.bytes);
            } else {
                assert_refused(&f, i, f.frame, f.bytes, wanted);
            }
            f.frame[byte] ^= (uint8_t)(1u << bit % 8);
        }
    }
}

TEST(a_new_model_is_zero_with_identity_factors)
{
    for (size_t i = 0; i < GOLDENS; i++) {
        fixture f = setup(i);
        const sotto_model *m = f.model;
        assert_ok(sotto_model_check(&f.terms, m));
        assert_ints(m->phase, i == DEFAULT ? SOTTO_PHASE_MAIN : SOTTO_PHASE_WARM_UP, m->epoch, 0);
        assert_true(m->reports == 0 && m->beta == 0 && m->elimination == INFINITY);
        assert_ints(m->tbar != NULL, i == DEFAULT, m->frozen != NULL, i == SPLIT,
                    m->theta_h != NULL, i == GLOC, m->factor != NULL, i == GLOC, m->g != NULL,
                    i == MEAN);
        for (int p = 0; p < 3 && i == MEAN; p++) {
            assert_true(m->g[p] == 0);
        }
        for (uint32_t p = 0; p < goldens[i].theta; p++) {
            assert_true(m->theta[p] == 0);
        }
        for (int e = 0; e < 12 && i == GLOC; e++) {
            assert_true(m->factor[e] == (e % 6 == 0 || e % 6 == 2 || e % 6 == 5));
        }
        assert_int_equal(sotto_model_bytes(&f.terms), goldens[i].bytes);
    }
}

/* Fills a model with the numbers of the golden file, by hand. */
static void fill_golden(size_t i, sotto_model *model)
{
    model->phase = goldens[i].phase;
    model->epoch = goldens[i].epoch;
    model->reports = goldens[i].reports;
    double *const seconds[] = {model->tbar, model->frozen, model->theta_h, model->g};
    double *second = seconds[i];
    const uint32_t theta = goldens[i].theta;
    for (uint32_t n = 0; n < goldens[i].plain; n++) {
        double *to = n < theta ? model->theta + n : second + (n - theta);
        *to = (n % 2 == 0 ? 0.125 : -0.125) * (n + 1);
    }
    if (i == SPLIT) model->elimination = 2.5;
    if (i != GLOC) return;
    model->beta = 0.75;
    for (int e = 0; e < 12; e++) {
        model->factor[e] = e % 6 == 0 || e % 6 == 2 || e % 6 == 5 ? 2 : -0.25;
    }
}

TEST(golden_models_are_what_encode_writes_and_decode_reads)
{
    for (size_t i = 0; i < GOLDENS; i++) {
        fixture f = setup(i);
        uint8_t out[FRAME_MAX];
        assert_int_equal(f.bytes, goldens[i].bytes);
        memset(out, 0xab, sizeof out);
        fill_golden(i, f.model);
        assert_ok(sotto_model_encode(&f.terms, f.model, out, f.bytes));
        assert_memory_equal(out, f.frame, f.bytes);
        assert_int_equal(out[f.bytes], 0xab);
        sotto_model *decoded = made_model(&f.terms);
        assert_ok(sotto_model_decode(&f.terms, f.frame, f.bytes, decoded));
        assert_ints(decoded->phase, goldens[i].phase, decoded->epoch, goldens[i].epoch);
        assert_true(decoded->reports == goldens[i].reports);
        assert_memory_equal(decoded->theta, f.model->theta, goldens[i].theta * sizeof(double));
        assert_true(decoded->elimination == f.model->elimination);
        assert_true(decoded->beta == f.model->beta);
    }
}

TEST(a_copy_encodes_to_the_same_bytes)
{
    for (size_t i = 0; i < GOLDENS; i++) {
        fixture f = setup(i), to = setup(i);
        uint8_t out[FRAME_MAX];
        fill_golden(i, f.model);
        assert_ok(sotto_model_copy(&f.terms, f.model, to.model));
        f.model->theta[0] = 99; /* the copy has its own */
        assert_ok(sotto_model_encode(&f.terms, to.model, out, sizeof out));
        assert_memory_equal(out, f.frame, f.bytes);
    }
}

/* Written by make_learner.py: arm 1 of 2 is served. */
TEST(a_fallback_has_a_magic_of_its_own)
{
    uint8_t bytes[FRAME_MAX], again[FRAME_MAX];
    sotto_terms terms, without;
    sotto_model *model;
    assert_ok(
        sotto_terms_decode(bytes, golden_read("spec_measured.bin", bytes, FRAME_MAX), &terms));
    size_t count = golden_read("model_served.bin", bytes, FRAME_MAX);
    assert_memory_equal(bytes, "STF1", 4);
    assert_ok(sotto_model_new(&terms, &model));
    assert_ok(sotto_model_decode(&terms, bytes, count, model));
    assert_int_equal(model->served, 2);
    assert_ok(sotto_model_encode(&terms, model, again, count));
    assert_memory_equal(again, bytes, count);
    const struct {
        const char *magic;
        uint16_t served;
    } bad[] = {{"STF1", 0}, {"STF1", 4}, {"STF1", 0xffff}, {"STF2", 2}, {"STM1", 2}, {"STM1", 1}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        memcpy(bytes, bad[i].magic, 4);
        sotto__put_u16(bytes + 6, bad[i].served);
        assert_status(sotto_model_decode(&terms, bytes, count, model), SOTTO_E_FRAME);
    }
    assert_int_equal(model->served, 2); /* untouched */
    memcpy(bytes, "STF1", 4);
    sotto__put_u16(bytes + 6, 3); /* random arms */
    assert_ok(sotto_model_decode(&terms, bytes, count, model));
    model->served = 4;
    assert_status(sotto_model_check(&terms, model), SOTTO_E_FAULT);
    assert_status(sotto_model_encode(&terms, model, again, count), SOTTO_E_FAULT);
    sotto_model_free(model);

    sotto_spec spec = terms.spec; /* nothing measures: nothing can be served */
    spec.measure = 0;
    assert_ok(sotto_spec_resolve(&spec, &without));
    assert_ok(sotto_model_new(&without, &model));
    memcpy(bytes + 8, without.id, sizeof without.id);
    assert_status(sotto_model_decode(&without, bytes, count, model), SOTTO_E_FRAME);
    sotto_model_free(model);
}

/* The golden model of a mean phase, whose magic, served arm and id are changed by hand. */
TEST(a_fallback_of_a_mean_phase_keeps_its_direction)
{
    uint8_t bytes[FRAME_MAX], again[FRAME_MAX];
    sotto_terms golden, terms;
    assert_ok(sotto_terms_decode(bytes, golden_read("spec_mean.bin", bytes, FRAME_MAX), &golden));
    sotto_spec spec = golden.spec;
    spec.measure = UINT32_C(1) << 29;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    size_t count = golden_read("model_mean.bin", bytes, FRAME_MAX);
    assert_memory_equal(bytes, "STM2", 4);
    memcpy(bytes + 8, terms.id, sizeof terms.id);
    sotto__put_u16(bytes + 6, 2);
    sotto_model *model = made_model(&terms);
    memcpy(bytes, "STF1", 4); /* that of models without a mean phase */
    assert_status(sotto_model_decode(&terms, bytes, count, model), SOTTO_E_FRAME);
    memcpy(bytes, "STF2", 4);
    assert_ok(sotto_model_decode(&terms, bytes, count, model));
    assert_int_equal(model->served, 2);
    assert_ok(sotto_model_encode(&terms, model, again, count));
    assert_memory_equal(again, bytes, count);
}

/* By tests/golden/make_arms.py. */
TEST(shares_of_any_other_sum_are_refused)
{
    uint8_t spec[SOTTO_TERMS_BYTES], frame[FRAME_MAX], out[FRAME_MAX];
    sotto_terms terms;
    sotto_model *model, *copy;
    assert_ok(sotto_terms_decode(spec, golden_read("spec_arms.bin", spec, sizeof spec), &terms));
    size_t bytes = golden_read("model_arms.bin", frame, sizeof frame);
    assert_ok(sotto_model_new(&terms, &model));
    assert_true(model->theta == NULL && model->phase == SOTTO_PHASE_MAIN);
    assert_int_equal(model->shares[0], 858993460); /* 2^32/5, and what is left */
    assert_int_equal(model->shares[4], 858993459);
    assert_false(sotto_model_decides(&terms, model));
    for (size_t count = 0; count <= bytes + 1; count++) {
        if (count == bytes) continue;
        assert_status(sotto_model_decode(&terms, frame, count, model), SOTTO_E_FRAME);
    }
    for (size_t bit = 8 * NUMBERS_AT; bit < 8 * bytes; bit++) {
        frame[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_status(sotto_model_decode(&terms, frame, bytes, model), SOTTO_E_FRAME);
        frame[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    frame[5] = SOTTO_PHASE_WARM_UP;
    assert_status(sotto_model_decode(&terms, frame, bytes, model), SOTTO_E_PHASE);
    frame[5] = SOTTO_PHASE_MAIN;
    assert_int_equal(model->shares[0], 858993460);
    assert_ok(sotto_model_decode(&terms, frame, bytes, model));
    assert_true(model->shares[0] == 1u << 31 && model->shares[3] == 1 && model->shares[4] == 0);
    assert_true(sotto_model_decides(&terms, model));
    assert_ok(sotto_model_encode(&terms, model, out, sizeof out));
    assert_memory_equal(out, frame, bytes);
    assert_ok(sotto_model_new(&terms, &copy));
    assert_ok(sotto_model_copy(&terms, model, copy));
    assert_memory_equal(copy->shares, model->shares, 5 * sizeof model->shares[0]);
    sotto_model_free(copy);
    model->shares[0]--;
    assert_status(sotto_model_check(&terms, model), SOTTO_E_FAULT);
    assert_status(sotto_model_copy(&terms, model, model), SOTTO_E_FAULT);
    assert_status(sotto_model_encode(&terms, model, out, sizeof out), SOTTO_E_FAULT);
    sotto_model_free(model);
}
