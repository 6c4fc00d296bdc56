/* Bytes of a spec: bad ones first, and those of the golden files, which test_terms_encode.c has. */
#include "test.h"

#include "core/core.h"
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
    if (bytes == NULL) return;
    assert_int_equal(sotto_terms_bytes_fault(bytes, count, NULL) == SOTTO_OK, wanted == SOTTO_OK);
}

TEST(what_is_wrong_with_bytes_is_said)
{
    uint8_t bytes[SOTTO_TERMS_BYTES];
    sotto_fault fault;
    assert_int_equal(golden_read("spec_default.bin", bytes, sizeof bytes), SOTTO_TERMS_BYTES);
    assert_ok(sotto_terms_bytes_fault(bytes, sizeof bytes, &fault));
    assert_fault_says(sotto_terms_bytes_fault(bytes, 7, &fault), fault, "7 bytes: terms have 284");
    bytes[19] = 2;
    assert_fault_says(sotto_terms_bytes_fault(bytes, sizeof bytes, &fault), fault,
                      "a flag is not 0 or 1, or a number is -0");
    bytes[19] = 0;
    bytes[4] = 0;
    assert_fault_says(sotto_terms_bytes_fault(bytes, sizeof bytes, &fault), fault,
                      "dim = 0: allowed 1 to 1024");
    bytes[0] = 'X';
    assert_fault_says(sotto_terms_bytes_fault(bytes, sizeof bytes, &fault), fault,
                      "the first four bytes are not STS2");
    memcpy(bytes, "STS1", 4);
    for (size_t count = 207; count < 210; count++) {
        assert_fault_says(sotto_terms_bytes_fault(bytes, count, &fault), fault,
                          "terms of version 1: this library reads version 2");
        assert_decode(bytes, count, SOTTO_E_FRAME);
    }
    bytes[3] = '3';
    assert_fault_says(sotto_terms_bytes_fault(bytes, sizeof bytes, &fault), fault,
                      "terms of version 3: this library reads version 2");
    bytes[3] = 'x';
    assert_fault_says(sotto_terms_bytes_fault(bytes, sizeof bytes, &fault), fault,
                      "the first four bytes are not STS2");
}

TEST(frames_of_any_other_length_are_refused)
{
    uint8_t bytes[SOTTO_TERMS_BYTES + 1] = {0};
    assert_int_equal(golden_read("spec_default.bin", bytes, SOTTO_TERMS_BYTES), SOTTO_TERMS_BYTES);
    for (size_t count = 0; count < SOTTO_TERMS_BYTES; count++) {
        assert_decode(bytes, count, SOTTO_E_FRAME);
    }
    assert_decode(bytes, SOTTO_TERMS_BYTES + 1, SOTTO_E_FRAME);
    assert_decode(bytes, SOTTO_TERMS_BYTES, SOTTO_OK);
}

TEST(numbers_that_are_not_numbers_are_faults)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308};
    for (size_t i = 0; i < 8 * sizeof bad / sizeof bad[0]; i++) {
        uint8_t bytes[SOTTO_TERMS_BYTES];
        assert_int_equal(golden_read("spec_default.bin", bytes, SOTTO_TERMS_BYTES),
                         SOTTO_TERMS_BYTES);
        sotto__put_f64(bytes + 20 + 8 * (i % 8), bad[i / 8]);
        assert_decode(bytes, sizeof bytes, SOTTO_E_FAULT);
    }
    static const size_t constant[] = {128 + 36, 172 + 36, 276}; /* scales and along_weight */
    for (size_t i = 0; i < 3; i++) {
        uint8_t bytes[SOTTO_TERMS_BYTES];
        assert_int_equal(golden_read("spec_default.bin", bytes, SOTTO_TERMS_BYTES),
                         SOTTO_TERMS_BYTES);
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
    uint8_t bytes[SOTTO_TERMS_BYTES], again[SOTTO_TERMS_BYTES];
    sotto_terms original, other;
    assert_int_equal(golden_read(golden, bytes, SOTTO_TERMS_BYTES), SOTTO_TERMS_BYTES);
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
    assert_int_equal(offset, SOTTO_TERMS_BYTES);
}

/* w_top = 0x2b7e1516: a 0 that becomes 1 exceeds e^eps, a 1 that becomes 0 protects more unless it
 * is the highest, which takes w_top below w_rest. */
#define CODEBOOK_OF_DEFAULT                                                                        \
    {"codebook.dim", 4, SOTTO_E_FAULT, 0, 0},                                                      \
        {"codebook.size", 4, SOTTO_E_FAULT, 0xfbe, 0}, /* even, 46 to 4096 */                      \
        {"codebook.groups", 4, SOTTO_E_FAULT, 0, 0},                                               \
        {"codebook.top", 4, SOTTO_E_FAULT, 0x1f, 0}, /* 1 to 32 */                                 \
        {"codebook.nulls", 4, SOTTO_E_FAULT, 0, 0},                                                \
        {"codebook.weight_top", 8, SOTTO_E_WEAK, 0x0b7e1516, 0},                                   \
        {"codebook.weight_rest", 8, SOTTO_E_WEAK, 0, 0},                                           \
    {                                                                                              \
        "codebook.scale", 8, SOTTO_E_FAULT, LOW(62), 0                                             \
    } /* 1 to the largest finite */

#define UNUSED_WORD                                                                                \
    {                                                                                              \
        "codebook", 8, SOTTO_E_FAULT, 0, 0                                                         \
    }
#define UNUSED_CODEBOOK                                                                            \
    UNUSED_WORD, UNUSED_WORD, UNUSED_WORD, UNUSED_WORD, UNUSED_WORD,                               \
    {                                                                                              \
        "codebook", 4, SOTTO_E_FAULT, 0, 0                                                         \
    }

TEST(a_flipped_bit_is_refused_or_makes_another_spec)
{
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
        {"series", 4, SOTTO_E_FAULT, LOW(32), 0},
        {"measure", 4, SOTTO_E_FAULT, LOW(32) & ~LOW(23), 0},              /* 2^23 to 2^31 */
        {"reward_rate", 8, SOTTO_E_FAULT, LOW(62) | UINT64_C(1) << 63, 0}, /* -0 is not written */
        {"reward_window_s", 4, SOTTO_E_FAULT, LOW(25), 0},                 /* up to a year */
        {"send_spread_s", 4, SOTTO_E_FAULT, LOW(25), 0},
        CODEBOOK_OF_DEFAULT,
        CODEBOOK_OF_DEFAULT,
        UNUSED_CODEBOOK, /* there is no mean phase */
        {"lattice.dim", 4, SOTTO_E_FAULT, 0, 0},
        {"lattice.grid_log2", 4, SOTTO_E_FAULT, 0, 0},
        {"lattice.scale_ticks", 4, SOTTO_E_FAULT, 0, 0},
        {"lattice.clip_ticks", 4, SOTTO_E_FAULT, 0, 0},
        {"along_weight", 8, SOTTO_E_FAULT, LOW(62), 0}, /* 0 to 1 */
    };
    assert_flips("spec_default.bin", 0, fields, sizeof fields / sizeof fields[0]);
}

/* 73427 = 0x11ed3 ticks, of which 73426 are needed: bit 0 is to spare. Bit 16 leaves 7891 ticks,
 * enough for the range but not for privacy. */
TEST(a_flipped_bit_of_a_lattice_is_refused_or_adds_noise)
{
    static const field fields[] = {
        UNUSED_CODEBOOK,
        UNUSED_CODEBOOK,
        UNUSED_CODEBOOK,
        {"lattice.dim", 4, SOTTO_E_FAULT, 0, 0},
        {"lattice.grid_log2", 4, SOTTO_E_FAULT, 0, 0}, /* clip_ticks would not fit */
        {"lattice.scale_ticks", 4, SOTTO_E_FAULT, 0xfee12d, 0x011ed2},
        {"lattice.clip_ticks", 4, SOTTO_E_FAULT, 0, 0},
        {"along_weight", 8, SOTTO_E_FAULT, UINT64_C(0x3ff) << 52, 0},
    };
    assert_flips("spec_ticks.bin", 128, fields, sizeof fields / sizeof fields[0]);
}

static const struct golden {
    const char *file;
    uint8_t id[16], stream_key[16];
} goldens[] = {
    {"spec_default.bin",
     {0x22, 0x9c, 0x7d, 0xb2, 0x59, 0x00, 0xc1, 0x5a, 0x48, 0xa4, 0x02, 0x34, 0xd8, 0xb1, 0x7d,
      0xdc},
     {0x7f, 0x46, 0x80, 0x46, 0xc1, 0xe4, 0x31, 0x65, 0x97, 0xa8, 0xcb, 0xb8, 0x58, 0x7c, 0x03,
      0xb2}},
    {"spec_tagged.bin",
     {0xd9, 0xdd, 0x2c, 0xfb, 0x8f, 0x50, 0x4b, 0x7b, 0xa3, 0xab, 0x29, 0x04, 0x72, 0x72, 0xaf,
      0xe8},
     {0xcd, 0x8b, 0x3a, 0x49, 0xe7, 0x13, 0x38, 0xac, 0x9f, 0x38, 0xf1, 0xcc, 0x24, 0xbf, 0x47,
      0x99}},
    {"spec_split.bin",
     {0xbf, 0xa1, 0x11, 0x49, 0xc2, 0x79, 0xf5, 0x0d, 0x3c, 0xba, 0x79, 0x82, 0x57, 0xd5, 0x66,
      0xbe},
     {0x5a, 0x90, 0xa5, 0x42, 0xed, 0x4b, 0xa9, 0x8c, 0xad, 0x6d, 0x45, 0xa9, 0x88, 0xa1, 0x4a,
      0xeb}},
    {"spec_ticks.bin",
     {0xad, 0xfc, 0xfd, 0x9b, 0x9c, 0xfe, 0x56, 0x51, 0x98, 0x85, 0xf9, 0xe9, 0x57, 0x20, 0x91,
      0xae},
     {0xfb, 0x80, 0xa6, 0xa2, 0xa8, 0x44, 0x11, 0x01, 0x70, 0xd8, 0xe9, 0xb6, 0x96, 0xd1, 0x90,
      0xf6}},
    {"spec_gloc.bin",
     {0x4d, 0xf7, 0x06, 0xad, 0x7b, 0x20, 0xc7, 0xfe, 0x9e, 0xaa, 0xd4, 0x82, 0x09, 0x14, 0xaa,
      0x2b},
     {0xe6, 0x5e, 0x2a, 0xdb, 0xa6, 0xda, 0x67, 0x44, 0x39, 0x25, 0x4b, 0x46, 0x43, 0xb3, 0x93,
      0x3a}},
};
#define GOLDENS (sizeof goldens / sizeof goldens[0])

TEST(golden_files_decode_to_their_names_and_encode_to_themselves)
{
    for (size_t i = 0; i < GOLDENS; i++) {
        uint8_t bytes[SOTTO_TERMS_BYTES], again[SOTTO_TERMS_BYTES];
        sotto_terms decoded;
        assert_int_equal(golden_read(goldens[i].file, bytes, SOTTO_TERMS_BYTES), SOTTO_TERMS_BYTES);
        assert_ok(sotto_terms_decode(bytes, sizeof bytes, &decoded));
        assert_memory_equal(decoded.id, goldens[i].id, sizeof decoded.id);
        assert_memory_equal(decoded.stream_key, goldens[i].stream_key, sizeof decoded.stream_key);
        sotto_terms_encode(&decoded, again);
        assert_memory_equal(again, bytes, sizeof bytes);
    }
}

/* Fields that keep their default in every golden spec. */
TEST(every_field_survives_the_round_trip)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.method = SOTTO_METHOD_LDP_OLS, spec.score = SOTTO_SCORE_MOMENTS;
    spec.allow_weak_delta = true, spec.delta = 0.25, spec.reward_lo = -3, spec.reward_hi = 4;
    spec.reward_default = 2, spec.context_norm_max = 5, spec.theta_norm_max = 6, spec.epsilon = 7;
    spec.huber_tau = 8, spec.epoch_reports_max = 9, spec.window_reports = 10;
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
