/*
 * Report frames.
 *
 * The golden files were written by a Python script from the table at the head of report.c; they
 * belong to the golden specs of the same names.
 */
#include "made.h"
#include "test.h"

#include "golden.h"

#include <string.h>

#define FRAME_MAX 512

/* One value for each kind of payload, with what the file says. */
static const struct golden {
    const char *spec, *report;
    uint32_t epoch, count;
    int32_t value[5];
    size_t bytes;
} goldens[] = {
    {"spec_default.bin", "report_index.bin", 7, 1, {41}, 42},
    {"spec_split.bin", "report_split.bin", 0x01020304, 3, {1, 0, 1}, 46},
    {"spec_ticks.bin", "report_ticks.bin", UINT32_MAX, 5, {0, 1, -1, INT32_MAX, INT32_MIN}, 60},
    {"spec_mean.bin", "report_null.bin", 12, 1, {1029}, 42},
};
#define GOLDENS (sizeof goldens / sizeof goldens[0])

/* A golden spec, its frame, and a report with room for it. */
typedef struct fixture {
    sotto_terms terms;
    uint8_t frame[FRAME_MAX];
    size_t bytes;
    sotto_report *report;
} fixture;

static fixture setup(size_t i)
{
    fixture f;
    size_t spec_bytes = golden_read(goldens[i].spec, f.frame, FRAME_MAX);
    assert_ok(sotto_terms_decode(f.frame, spec_bytes, &f.terms));
    f.bytes = golden_read(goldens[i].report, f.frame, FRAME_MAX);
    f.report = made_report(&f.terms);
    return f;
}

/* A refused frame leaves every field of the report as it was. */
static void assert_refused(const fixture *f, const uint8_t *bytes, size_t count,
                           sotto_status wanted)
{
    sotto_report *out = made_report(&f->terms);
    uint8_t before[sizeof *out];
    memset(out->spec_id, 0xab, sizeof out->spec_id);
    memset(out->nonce, 0xab, sizeof out->nonce);
    memset(out->value, 0xab, out->count * sizeof out->value[0]);
    out->epoch = 0xabababab;
    memcpy(before, out, sizeof *out);
    assert_status(sotto_report_decode(&f->terms, bytes, count, out), wanted);
    assert_memory_equal(out, before, sizeof *out);
    for (uint32_t i = 0; i < out->count; i++) {
        assert_int_equal((uint32_t)out->value[i], 0xabababab);
    }
}

TEST(frames_of_any_other_length_are_refused)
{
    for (size_t i = 0; i < GOLDENS; i++) {
        fixture f = setup(i);
        for (size_t count = 0; count < f.bytes; count++) {
            assert_refused(&f, f.frame, count, SOTTO_E_FRAME);
        }
        f.frame[f.bytes] = 0;
        assert_refused(&f, f.frame, f.bytes + 1, SOTTO_E_FRAME);
        assert_ok(sotto_report_decode(&f.terms, f.frame, f.bytes, f.report));
    }
}

TEST(reports_of_another_spec_are_refused_as_such)
{
    fixture index = setup(0), split = setup(1);
    uint8_t out[FRAME_MAX];
    assert_refused(&index, split.frame, split.bytes, SOTTO_E_SPEC);
    assert_refused(&split, index.frame, index.bytes, SOTTO_E_SPEC);
    assert_status(sotto_report_encode(&index.terms, split.report, out, sizeof out), SOTTO_E_SPEC);
    assert_status(sotto_report_decode(&index.terms, index.frame, index.bytes, split.report),
                  SOTTO_E_LENGTH);
}

TEST(reports_that_do_not_fit_are_not_encoded)
{
    for (size_t i = 0; i < GOLDENS; i++) {
        fixture f = setup(i);
        uint8_t out[FRAME_MAX];
        memset(out, 0xab, sizeof out);
        assert_status(sotto_report_encode(&f.terms, f.report, out, f.bytes - 1), SOTTO_E_LENGTH);
        f.report->count++;
        assert_status(sotto_report_encode(&f.terms, f.report, out, sizeof out), SOTTO_E_LENGTH);
        for (size_t b = 0; b < sizeof out; b++) {
            assert_int_equal(out[b], 0xab);
        }
    }
}

TEST(indices_past_the_codebook_are_refused_both_ways)
{
    static const int32_t past[] = {64, 65, 65536, INT32_MAX, -1, INT32_MIN};
    fixture f = setup(0);
    uint8_t out[FRAME_MAX];
    for (size_t i = 0; i < sizeof past / sizeof past[0]; i++) {
        f.report->value[0] = past[i];
        assert_status(sotto_report_encode(&f.terms, f.report, out, sizeof out), SOTTO_E_INDEX);
        f.frame[40] = (uint8_t)past[i];
        f.frame[41] = (uint8_t)(past[i] >> 8);
        if (past[i] > UINT16_MAX || past[i] == INT32_MIN) continue; /* no such index in a frame */
        assert_refused(&f, f.frame, f.bytes, SOTTO_E_INDEX);
    }
    f.report->value[0] = 63;
    assert_ok(sotto_report_encode(&f.terms, f.report, out, sizeof out));

    fixture split = setup(1);
    split.report->value[2] = 2;
    assert_status(sotto_report_encode(&split.terms, split.report, out, sizeof out), SOTTO_E_INDEX);
}

/* The tagged codebook of main has 258 codewords, that of warm-up 256: a report does not say its
 * phase, so the larger is the bound. */
TEST(an_index_of_either_phase_is_valid)
{
    uint8_t bytes[FRAME_MAX], out[FRAME_MAX];
    sotto_terms terms;
    assert_ok(sotto_terms_decode(bytes, golden_read("spec_tagged.bin", bytes, FRAME_MAX), &terms));
    sotto_report *report = made_report(&terms);
    report->value[0] = 257;
    assert_ok(sotto_report_encode(&terms, report, out, sizeof out));
    assert_ok(sotto_report_decode(&terms, out, 42, report));
    assert_int_equal(report->value[0], 257);
    report->value[0] = 258;
    assert_status(sotto_report_encode(&terms, report, out, sizeof out), SOTTO_E_INDEX);
}

/* What a flipped bit of the payload gives: indices are u16 below M, ticks are any i32. */
static sotto_status payload_status(const fixture *f, size_t byte)
{
    if (!sotto_terms_reports_indices(&f->terms)) return SOTTO_OK;
    size_t low = byte - byte % 2;
    uint32_t index = f->frame[low] | (uint32_t)f->frame[low + 1] << 8;
    const sotto_codebook *main = &f->terms.codebook[SOTTO_PHASE_MAIN];
    return index < main->size + main->nulls ? SOTTO_OK : SOTTO_E_INDEX;
}

TEST(a_flipped_bit_is_refused_or_another_report_of_the_spec)
{
    for (size_t i = 0; i < GOLDENS; i++) {
        fixture f = setup(i);
        for (size_t bit = 0; bit < 8 * f.bytes; bit++) {
            size_t byte = bit / 8;
            f.frame[byte] ^= (uint8_t)(1u << bit % 8);
            sotto_status wanted = SOTTO_OK; /* epoch and nonce may be any */
            if (byte < 4) wanted = SOTTO_E_FRAME;
            if (byte >= 4 && byte < 20) wanted = SOTTO_E_SPEC;
            if (byte >= 40) wanted = payload_status(&f, byte);
            if (wanted == SOTTO_OK) {
                uint8_t again[FRAME_MAX];
                assert_ok(sotto_report_decode(&f.terms, f.frame, f.bytes, f.report));
                assert_ok(sotto_report_encode(&f.terms, f.report, again, sizeof again));
                assert_memory_equal(again, f.frame, f.bytes);
            } else {
                assert_refused(&f, f.frame, f.bytes, wanted);
            }
            f.frame[byte] ^= (uint8_t)(1u << bit % 8);
        }
    }
}

TEST(a_new_report_is_of_its_spec_and_empty)
{
    for (size_t i = 0; i < GOLDENS; i++) {
        fixture f = setup(i);
        assert_memory_equal(f.report->spec_id, f.terms.id, SOTTO_SPEC_ID_BYTES);
        assert_ints(f.report->epoch, 0, f.report->count, goldens[i].count,
                    sotto_report_count(&f.terms), goldens[i].count, sotto_report_bytes(&f.terms),
                    goldens[i].bytes);
        for (uint32_t v = 0; v < f.report->count; v++) {
            assert_int_equal(f.report->value[v], 0);
        }
    }
}

TEST(golden_reports_decode_to_what_they_say)
{
    for (size_t i = 0; i < GOLDENS; i++) {
        fixture f = setup(i);
        assert_int_equal(f.bytes, goldens[i].bytes);
        assert_ok(sotto_report_decode(&f.terms, f.frame, f.bytes, f.report));
        assert_int_equal(f.report->epoch, goldens[i].epoch);
        assert_memory_equal(f.report->value, goldens[i].value, goldens[i].count * sizeof(int32_t));
        for (size_t b = 0; b < SOTTO_NONCE_BYTES; b++) {
            assert_int_equal(f.report->nonce[b], 0xa0 + b);
        }
    }
}

TEST(what_they_say_encodes_to_the_golden_reports)
{
    for (size_t i = 0; i < GOLDENS; i++) {
        fixture f = setup(i);
        uint8_t out[FRAME_MAX];
        f.report->epoch = goldens[i].epoch;
        memcpy(f.report->value, goldens[i].value, goldens[i].count * sizeof(int32_t));
        for (size_t b = 0; b < SOTTO_NONCE_BYTES; b++) {
            f.report->nonce[b] = (uint8_t)(0xa0 + b);
        }
        memset(out, 0xab, sizeof out);
        assert_ok(sotto_report_encode(&f.terms, f.report, out, f.bytes));
        assert_memory_equal(out, f.frame, f.bytes);
        assert_int_equal(out[f.bytes], 0xab);
    }
}
