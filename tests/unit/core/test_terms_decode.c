/* Bytes of a spec: bad ones first, and those of the golden files, which test_terms_encode.c has. */
#include "test.h"

#include "core/bytes.h"
#include "golden.h"

#include <math.h>

/* Decodes into a struct filled with a pattern and sees that a refusal leaves it alone. */
static void assert_decode(const uint8_t *bytes, size_t count, sotto_status wanted)
{
    sotto_terms out, before;
    memset(&out, 0xab, sizeof out);
    memcpy(&before, &out, sizeof out);
    assert_status(sotto_terms_decode(bytes, count, &out), wanted);
    if (wanted != SOTTO_OK) assert_memory_equal(&out, &before, sizeof out);
    char text[SOTTO_FAULT_BYTES];
    if (bytes == NULL) return;
    assert_int_equal(sotto_terms_bytes_fault(bytes, count, text) == NULL, wanted == SOTTO_OK);
}

static void what_is_wrong_with_bytes_is_said(void **state)
{
    (void)state;
    uint8_t bytes[SOTTO_TERMS_1_BYTES];
    char text[SOTTO_FAULT_BYTES];
    assert_int_equal(golden_read("spec_default.bin", bytes, sizeof bytes), SOTTO_TERMS_1_BYTES);
    assert_null(sotto_terms_bytes_fault(bytes, sizeof bytes, text));
    assert_string_equal(sotto_terms_bytes_fault(bytes, 7, text),
                        "7 bytes: terms have 284, or 208 in version 1");
    bytes[19] = 2;
    assert_string_equal(sotto_terms_bytes_fault(bytes, sizeof bytes, text),
                        "a flag is not 0 or 1, or a number is -0");
    bytes[19] = 0;
    bytes[4] = 0;
    assert_string_equal(sotto_terms_bytes_fault(bytes, sizeof bytes, text),
                        "dim = 0: allowed 1 to 1024");
    bytes[0] = 'X';
    assert_string_equal(sotto_terms_bytes_fault(bytes, sizeof bytes, text),
                        "the first four bytes of 208 are not STS1");
}

static void missing_pointers_are_refused(void **state)
{
    (void)state;
    uint8_t bytes[SOTTO_TERMS_1_BYTES];
    sotto_terms terms;
    assert_int_equal(golden_read("spec_default.bin", bytes, SOTTO_TERMS_1_BYTES),
                     SOTTO_TERMS_1_BYTES);
    assert_decode(NULL, SOTTO_TERMS_1_BYTES, SOTTO_E_ARGUMENT);
    assert_status(sotto_terms_decode(bytes, sizeof bytes, NULL), SOTTO_E_ARGUMENT);
    assert_ok(sotto_terms_decode(bytes, sizeof bytes, &terms));
}

static void frames_of_any_other_length_are_refused(void **state)
{
    (void)state;
    uint8_t bytes[SOTTO_TERMS_1_BYTES + 1] = {0};
    assert_int_equal(golden_read("spec_default.bin", bytes, SOTTO_TERMS_1_BYTES),
                     SOTTO_TERMS_1_BYTES);
    for (size_t count = 0; count < SOTTO_TERMS_1_BYTES; count++) {
        assert_decode(bytes, count, SOTTO_E_FRAME);
    }
    assert_decode(bytes, SOTTO_TERMS_1_BYTES + 1, SOTTO_E_FRAME);
    assert_decode(bytes, SOTTO_TERMS_1_BYTES, SOTTO_OK);
}

static void numbers_that_are_not_numbers_are_faults(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308};
    for (size_t i = 0; i < 8 * sizeof bad / sizeof bad[0]; i++) {
        uint8_t bytes[SOTTO_TERMS_1_BYTES];
        assert_int_equal(golden_read("spec_default.bin", bytes, SOTTO_TERMS_1_BYTES),
                         SOTTO_TERMS_1_BYTES);
        sotto__put_f64(bytes + 20 + 8 * (i % 8), bad[i / 8]);
        assert_decode(bytes, sizeof bytes, SOTTO_E_FAULT);
    }
    static const size_t constant[] = {104 + 32, 144 + 32, 200}; /* scales and along_weight */
    for (size_t i = 0; i < 3; i++) {
        uint8_t bytes[SOTTO_TERMS_1_BYTES];
        assert_int_equal(golden_read("spec_default.bin", bytes, SOTTO_TERMS_1_BYTES),
                         SOTTO_TERMS_1_BYTES);
        sotto__put_f64(bytes + constant[i], NAN);
        assert_decode(bytes, sizeof bytes, SOTTO_E_FAULT);
    }
}

/* A field of a frame: which of its bits may be flipped in a valid frame, which of them make the
 * spec weak, and what becomes of the others. */
typedef struct field {
    const char *name;
    uint32_t bytes;
    sotto_status otherwise;
    uint64_t accepted, weak;
} field;

#define LOW(bits) ((UINT64_C(1) << (bits)) - 1)

/* Flips every bit of the fields that start at `offset`. What is accepted is another spec. */
static void assert_flips(const char *golden, size_t offset, const field *fields, size_t count)
{
    uint8_t bytes[SOTTO_TERMS_1_BYTES], again[SOTTO_TERMS_BYTES];
    sotto_terms original, other;
    assert_int_equal(golden_read(golden, bytes, SOTTO_TERMS_1_BYTES), SOTTO_TERMS_1_BYTES);
    assert_ok(sotto_terms_decode(bytes, sizeof bytes, &original));
    for (size_t f = 0; f < count; offset += fields[f].bytes, f++) {
        for (uint32_t bit = 0; bit < 8 * fields[f].bytes; bit++) {
            sotto_status wanted = fields[f].otherwise;
            if (fields[f].weak >> bit & 1) wanted = SOTTO_E_WEAK;
            if (fields[f].accepted >> bit & 1) wanted = SOTTO_OK;
            bytes[offset + bit / 8] ^= (uint8_t)(1u << bit % 8);
            bool negative_zero = bit == 63 && sotto__get_u64(bytes + offset) == UINT64_C(1) << 63;
            if (wanted == SOTTO_OK && negative_zero) wanted = SOTTO_E_FRAME; /* not canonical */
            sotto_status got = sotto_terms_decode(bytes, sizeof bytes, &other);
            if (got != wanted) {
                fail_msg("%s, bit %u: got \"%s\", wanted \"%s\"", fields[f].name, bit,
                         sotto_status_text(got), sotto_status_text(wanted));
            }
            assert_decode(bytes, sizeof bytes, wanted);
            if (got == SOTTO_OK) {
                sotto_terms_encode(&other, again);
                assert_memory_equal(again, bytes, sizeof bytes);
                assert_memory_not_equal(other.id, original.id, sizeof original.id);
            }
            bytes[offset + bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
    }
    assert_int_equal(offset, SOTTO_TERMS_1_BYTES);
}

/* w_top = 0x2b7e1516: a 0 that becomes 1 exceeds e^eps, a 1 that becomes 0 protects more unless it
 * is the highest, which takes w_top below w_rest. */
#define CODEBOOK_OF_DEFAULT                                                                        \
    {"codebook.dim", 4, SOTTO_E_FAULT, 0, 0},                                                      \
        {"codebook.size", 4, SOTTO_E_FAULT, 0xfbe, 0}, /* even, 46 to 4096 */                      \
        {"codebook.groups", 4, SOTTO_E_FAULT, 0, 0},                                               \
        {"codebook.top", 4, SOTTO_E_FAULT, 0x1f, 0}, /* 1 to 32 */                                 \
        {"codebook.weight_top", 8, SOTTO_E_WEAK, 0x0b7e1516, 0},                                   \
        {"codebook.weight_rest", 8, SOTTO_E_WEAK, 0, 0},                                           \
    {                                                                                              \
        "codebook.scale", 8, SOTTO_E_FAULT, LOW(62), 0                                             \
    } /* 1 to the largest finite */

static void a_flipped_bit_is_refused_or_makes_another_spec(void **state)
{
    (void)state;
    static const field fields[] = {
        {"magic", 4, SOTTO_E_FRAME, 0, 0},
        {"dim", 4, SOTTO_E_FAULT, 0, 0},                               /* not the codebook's */
        {"arms", 4, SOTTO_E_FAULT, LOW(10), 0},                        /* 10 +- 2^k, up to 1024 */
        {"parameters", 1, SOTTO_E_FAULT, 1, 0},                        /* per-arm */
        {"link", 1, SOTTO_E_FAULT, 0, 0},                              /* sign is for identity */
        {"reward_kind", 1, SOTTO_E_FAULT, 0, 0},                       /* the range is -1 to 1 */
        {"method", 1, SOTTO_E_FAULT, 0, 0},                            /* sign is sotto's */
        {"score", 1, SOTTO_E_FAULT, 3, 0},                             /* self or huber */
        {"split", 1, SOTTO_E_FAULT, 0, 0},                             /* not sotto's */
        {"noise_law", 1, SOTTO_E_FAULT, 0, 0},                         /* not sotto's */
        {"allow_weak_delta", 1, SOTTO_E_FRAME, 1, 0},                  /* 0 or 1 */
        {"reward_lo", 8, SOTTO_E_FAULT, LOW(62), 0},                   /* -2 to 0 */
        {"reward_hi", 8, SOTTO_E_FAULT, LOW(62), 0},                   /* 0 to 2 */
        {"reward_default", 8, SOTTO_E_FAULT, ~(UINT64_C(1) << 62), 0}, /* not 2 */
        {"context_norm_max", 8, SOTTO_E_FAULT, LOW(57), 0},            /* 2^-16 to 2 */
        {"theta_norm_max", 8, SOTTO_E_FAULT, LOW(57), 0},              /* 2^-16 to 2 */
        {"epsilon", 8, SOTTO_E_FAULT, LOW(52), UINT64_C(7) << 52},     /* weak: 1/2, 1/4, 1/16 */
        {"delta", 8, SOTTO_E_FAULT, UINT64_C(1) << 63, 0},             /* -0 */
        {"huber_tau", 8, SOTTO_E_FAULT, LOW(57), 0},                   /* 2^-17 to 1 */
        {"epoch_reports_max", 8, SOTTO_E_FAULT, LOW(31), 0},           /* up to 2^31 */
        {"window_reports", 8, SOTTO_E_FAULT, LOW(32), 0},              /* up to 2^31 */
        {"epoch_lag_max", 4, SOTTO_E_FAULT, LOW(5), 0},                /* up to 16 */
        CODEBOOK_OF_DEFAULT,
        CODEBOOK_OF_DEFAULT,
        {"lattice.dim", 4, SOTTO_E_FAULT, 0, 0},
        {"lattice.grid_log2", 4, SOTTO_E_FAULT, 0, 0},
        {"lattice.scale_ticks", 4, SOTTO_E_FAULT, 0, 0},
        {"lattice.clip_ticks", 4, SOTTO_E_FAULT, 0, 0},
        {"along_weight", 8, SOTTO_E_FAULT, UINT64_C(0x3ff) << 52, 0}, /* 2^-k */
    };
    assert_flips("spec_default.bin", 0, fields, sizeof fields / sizeof fields[0]);
}

#define UNUSED_WORD                                                                                \
    {                                                                                              \
        "codebook", 8, SOTTO_E_FAULT, 0, 0                                                         \
    }
#define UNUSED_CODEBOOK UNUSED_WORD, UNUSED_WORD, UNUSED_WORD, UNUSED_WORD, UNUSED_WORD

/* 73427 = 0x11ed3 ticks, of which 73426 are needed: bit 0 is to spare. Bit 16 leaves 7891 ticks,
 * enough for the range but not for privacy. */
static void a_flipped_bit_of_a_lattice_is_refused_or_adds_noise(void **state)
{
    (void)state;
    static const field fields[] = {
        UNUSED_CODEBOOK,
        UNUSED_CODEBOOK,
        {"lattice.dim", 4, SOTTO_E_FAULT, 0, 0},
        {"lattice.grid_log2", 4, SOTTO_E_FAULT, 0, 0}, /* clip_ticks would not fit */
        {"lattice.scale_ticks", 4, SOTTO_E_FAULT, 0xfee12d, 0x011ed2},
        {"lattice.clip_ticks", 4, SOTTO_E_FAULT, 0, 0},
        {"along_weight", 8, SOTTO_E_FAULT, UINT64_C(0x3ff) << 52, 0},
    };
    assert_flips("spec_ticks.bin", 104, fields, sizeof fields / sizeof fields[0]);
}

static const struct golden {
    const char *file;
    uint8_t id[16], stream_key[16];
} goldens[] = {
    {"spec_default.bin",
     {0xb7, 0xda, 0x35, 0x57, 0x56, 0xad, 0x88, 0x61, 0x0f, 0xfe, 0xfc, 0x93, 0x7b, 0x51, 0x06,
      0xf8},
     {0x13, 0x0b, 0xbc, 0xf4, 0xd9, 0x6c, 0x60, 0xda, 0x1f, 0xba, 0x3b, 0x24, 0xb7, 0xda, 0xe8,
      0x89}},
    {"spec_tagged.bin",
     {0xb8, 0xe4, 0xa8, 0x96, 0xc0, 0x0c, 0x0d, 0x1c, 0xe1, 0x29, 0xed, 0xc4, 0x80, 0xd5, 0x11,
      0xc0},
     {0x4d, 0xa6, 0x77, 0x4f, 0xcb, 0x6e, 0xa4, 0x83, 0xa4, 0x21, 0x22, 0x0d, 0x4d, 0x51, 0x95,
      0xe5}},
    {"spec_split.bin",
     {0x16, 0xf7, 0x27, 0x6e, 0xb7, 0x2b, 0x5c, 0x78, 0xa2, 0x64, 0xd1, 0x36, 0x83, 0x88, 0x5b,
      0x6d},
     {0xf0, 0x66, 0x9a, 0xcb, 0xd7, 0x9e, 0x18, 0x05, 0x33, 0xad, 0xfe, 0x8b, 0xb3, 0xf0, 0x10,
      0x5c}},
    {"spec_ticks.bin",
     {0xe9, 0x81, 0x29, 0xa6, 0x0d, 0x50, 0xea, 0x42, 0xdd, 0x9f, 0x4d, 0xf8, 0x9f, 0x6f, 0x17,
      0x9c},
     {0x74, 0xee, 0x99, 0xac, 0x15, 0xef, 0x0e, 0xa9, 0x86, 0xb2, 0xcc, 0x6e, 0x5c, 0x5c, 0x88,
      0xfe}},
    {"spec_gloc.bin",
     {0xcd, 0x45, 0xfa, 0xfe, 0xc0, 0x36, 0xba, 0xc0, 0x63, 0x3c, 0x7c, 0x9c, 0xd0, 0xdd, 0x58,
      0xb7},
     {0x0a, 0x30, 0xe0, 0x94, 0x78, 0x1d, 0xa9, 0xa5, 0x02, 0x76, 0xd0, 0x97, 0x9c, 0x4b, 0x7f,
      0x1a}},
};
#define GOLDENS (sizeof goldens / sizeof goldens[0])

static void golden_files_decode_to_their_names_and_encode_to_themselves(void **state)
{
    (void)state;
    for (size_t i = 0; i < GOLDENS; i++) {
        uint8_t bytes[SOTTO_TERMS_1_BYTES], again[SOTTO_TERMS_BYTES];
        sotto_terms decoded;
        assert_int_equal(golden_read(goldens[i].file, bytes, SOTTO_TERMS_1_BYTES),
                         SOTTO_TERMS_1_BYTES);
        assert_ok(sotto_terms_decode(bytes, sizeof bytes, &decoded));
        assert_memory_equal(decoded.id, goldens[i].id, sizeof decoded.id);
        assert_memory_equal(decoded.stream_key, goldens[i].stream_key, sizeof decoded.stream_key);
        sotto_terms_encode(&decoded, again);
        assert_memory_equal(again, bytes, sizeof bytes);
    }
}

/* Fields that keep their default in every golden spec. */
static void every_field_survives_the_round_trip(void **state)
{
    (void)state;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.method = SOTTO_METHOD_LDP_OLS;
    spec.score = SOTTO_SCORE_MOMENTS;
    spec.allow_weak_delta = true;
    spec.delta = 0.25;
    spec.reward_lo = -3;
    spec.reward_hi = 4;
    spec.reward_default = 2;
    spec.context_norm_max = 5;
    spec.theta_norm_max = 6;
    spec.epsilon = 7;
    spec.huber_tau = 8;
    spec.epoch_reports_max = 9;
    spec.window_reports = 10;
    spec.epoch_lag_max = 11;
    sotto_terms terms, out;
    uint8_t bytes[SOTTO_TERMS_BYTES];
    assert_ok(sotto_spec_resolve(&spec, &terms));
    size_t count = sotto_terms_encode(&terms, bytes);
    assert_ok(sotto_terms_decode(bytes, count, &out));
    assert_memory_equal(out.id, terms.id, sizeof out.id);
    assert_true(out.spec.allow_weak_delta);
    assert_true(out.spec.theta_norm_max == 6);
    assert_true(out.spec.window_reports == 10);
    assert_int_equal(out.lattice.grid_log2, terms.lattice.grid_log2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_pointers_are_refused),
        cmocka_unit_test(what_is_wrong_with_bytes_is_said),
        cmocka_unit_test(frames_of_any_other_length_are_refused),
        cmocka_unit_test(numbers_that_are_not_numbers_are_faults),
        cmocka_unit_test(a_flipped_bit_is_refused_or_makes_another_spec),
        cmocka_unit_test(a_flipped_bit_of_a_lattice_is_refused_or_adds_noise),
        cmocka_unit_test(golden_files_decode_to_their_names_and_encode_to_themselves),
        cmocka_unit_test(every_field_survives_the_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
