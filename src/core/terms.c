#include "core.h"

#include <string.h>

/* ==== terms encode =========================================================================== */

/*
 * The canonical bytes of terms, and their id: the first 16 bytes of the SHA-256 of those.
 *
 * offset  size  what (little-endian; f64 is the IEEE 754 binary64 bit pattern)
 *      0     4  magic "STS2"
 *      4     8  dim u32, arms u32
 *     12     8  parameters, link, reward_kind, method, score, split, noise_law, allow_weak_delta u8
 *     20    64  reward_lo, reward_hi, reward_default, context_norm_max, theta_norm_max, epsilon,
 *               delta, huber_tau f64
 *     84    20  epoch_reports_max u64, window_reports u64, epoch_lag_max u32
 *    104    24  series u32, measure u32, reward_rate f64, reward_window_s u32, send_spread_s u32
 *    128   132  codebooks of warm-up, main and mean, each: dim, size, groups, top, nulls u32,
 *               weight_top, weight_rest u64, scale f64
 *    260    16  lattice: dim u32, grid_log2 i32, scale_ticks u32, clip_ticks u32
 *    276     8  along_weight f64
 *    284        end
 *
 * Valid: exactly so many bytes, the magic, every field within its range (sotto_spec_fault), constants
 * that sotto_terms_check accepts. Constants of the mechanism that the method does not use, and of
 * phases that it does not have, are 0.
 */

static const uint8_t magic[4] = {'S', 'T', 'S', '2'};

static uint8_t *put_codebook(uint8_t *at, const sotto_codebook *codebook)
{
    sotto__put_u32(at, codebook->dim);
    sotto__put_u32(at + 4, codebook->size);
    sotto__put_u32(at + 8, codebook->groups);
    sotto__put_u32(at + 12, codebook->top);
    sotto__put_u32(at + 16, codebook->nulls);
    sotto__put_u64(at + 20, codebook->weight_top);
    sotto__put_u64(at + 28, codebook->weight_rest);
    sotto__put_f64(at + 36, codebook->scale);
    return at + 44;
}

size_t sotto_terms_encode(const sotto_terms *terms, uint8_t out[SOTTO_TERMS_BYTES])
{
    if (terms == NULL || out == NULL) return 0;
    const sotto_spec *spec = &terms->spec;
    uint8_t *at = out;
    memcpy(at, magic, sizeof magic);
    at += sizeof magic;
#define PUT_U32(field, lo, hi) sotto__put_u32(at, spec->field), at += 4;
#define PUT_U64(field, lo, hi) sotto__put_u64(at, spec->field), at += 8;
#define PUT_F64(field, lo, hi) sotto__put_f64(at, spec->field + 0.0), at += 8; /* -0 is 0 */
#define PUT_KIND(field, type) *at++ = (uint8_t)spec->field;
#define PUT_FLAG(field) *at++ = spec->field ? 1 : 0;
    SOTTO__SPEC_FIELDS(PUT_U32, PUT_U64, PUT_F64, PUT_KIND, PUT_FLAG)
    for (int phase = 0; phase < SOTTO_PHASES; phase++) {
        at = put_codebook(at, &terms->codebook[phase]);
    }
    sotto__put_u32(at, terms->lattice.dim);
    sotto__put_u32(at + 4, (uint32_t)terms->lattice.grid_log2);
    sotto__put_u32(at + 8, terms->lattice.scale_ticks);
    sotto__put_u32(at + 12, terms->lattice.clip_ticks);
    sotto__put_f64(at + 16, terms->along_weight + 0.0);
    return (size_t)(at + 24 - out);
}

void sotto__terms_name(sotto_terms *terms)
{
    uint8_t bytes[SOTTO_TERMS_BYTES], whole[SOTTO__DIGEST_BYTES];
    sotto__digest digest;
    size_t count = sotto_terms_encode(terms, bytes);
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, bytes, count);
    sotto__digest_end(&digest, whole);
    memcpy(terms->id, whole, SOTTO_SPEC_ID_BYTES);
    sotto_stream_key_derive(terms->id, terms->stream_key);
}

/* ==== terms decode =========================================================================== */

/* Reads what terms.c writes, and nothing else. The format is at the head of that file. */

static const uint8_t *get_codebook(const uint8_t *at, sotto_codebook *codebook)
{
    codebook->dim = sotto__get_u32(at);
    codebook->size = sotto__get_u32(at + 4);
    codebook->groups = sotto__get_u32(at + 8);
    codebook->top = sotto__get_u32(at + 12);
    codebook->nulls = sotto__get_u32(at + 16);
    codebook->weight_top = sotto__get_u64(at + 20);
    codebook->weight_rest = sotto__get_u64(at + 28);
    codebook->scale = sotto__get_f64(at + 36);
    return at + 44;
}

/* "STS" and another digit than ours. */
static bool is_other_version(const uint8_t *bytes, size_t bytes_count)
{
    return bytes_count >= sizeof magic && memcmp(bytes, magic, 3) == 0 && bytes[3] != magic[3] &&
           bytes[3] >= '0' && bytes[3] <= '9';
}

/* The fields as the bytes have them, not checked. */
static void read_fields(const uint8_t *bytes, sotto_terms *terms)
{
    memset(terms, 0, sizeof *terms);
    sotto_spec *spec = &terms->spec;
    const uint8_t *at = bytes + sizeof magic;
    spec->version = 2;
#define GET_U32(field, lo, hi) spec->field = sotto__get_u32(at), at += 4;
#define GET_U64(field, lo, hi) spec->field = sotto__get_u64(at), at += 8;
#define GET_F64(field, lo, hi) spec->field = sotto__get_f64(at), at += 8;
#define GET_KIND(field, type) spec->field = (type)*at++;
#define GET_FLAG(field) spec->field = *at++ != 0;
    SOTTO__SPEC_FIELDS(GET_U32, GET_U64, GET_F64, GET_KIND, GET_FLAG)
    for (int phase = 0; phase < SOTTO_PHASES; phase++) {
        at = get_codebook(at, &terms->codebook[phase]);
    }
    terms->lattice.dim = sotto__get_u32(at);
    terms->lattice.grid_log2 = (int32_t)sotto__get_u32(at + 4);
    terms->lattice.scale_ticks = sotto__get_u32(at + 8);
    terms->lattice.clip_ticks = sotto__get_u32(at + 12);
    terms->along_weight = sotto__get_f64(at + 16);
    sotto__terms_name(terms);
}

/* Two encodings of the same terms would be two ids: only the bytes that we write are valid. */
static bool is_canonical(const sotto_terms *terms, const uint8_t *bytes)
{
    uint8_t again[SOTTO_TERMS_BYTES];
    return memcmp(again, bytes, sotto_terms_encode(terms, again)) == 0;
}

sotto_status sotto_terms_decode(const uint8_t *bytes, size_t bytes_count, sotto_terms *out)
{
    if (bytes == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    if (bytes_count != SOTTO_TERMS_BYTES || memcmp(bytes, magic, sizeof magic) != 0)
        return SOTTO_E_FRAME;
    sotto_terms terms;
    read_fields(bytes, &terms);
    if (!is_canonical(&terms, bytes)) return SOTTO_E_FRAME;
    sotto_status status = sotto_terms_check(&terms);
    if (status != SOTTO_OK) return status;
    *out = terms;
    return SOTTO_OK;
}

sotto_status sotto_terms_bytes_fault(const uint8_t *bytes, size_t bytes_count, sotto_fault *fault)
{
    if (bytes == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    if (is_other_version(bytes, bytes_count)) {
        return sotto__refuse(fault, "terms of version %c: this library reads version 2", bytes[3]);
    }
    if (bytes_count != SOTTO_TERMS_BYTES) {
        return sotto__refuse(fault, "%zu bytes: terms have %u", bytes_count, SOTTO_TERMS_BYTES);
    }
    if (memcmp(bytes, magic, sizeof magic) != 0) {
        return sotto__refuse(fault, "the first four bytes are not STS2");
    }
    sotto_terms terms;
    read_fields(bytes, &terms);
    if (!is_canonical(&terms, bytes)) {
        return sotto__refuse(fault, "a flag is not 0 or 1, or a number is -0");
    }
    return sotto_terms_fault(&terms, fault);
}
