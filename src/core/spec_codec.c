/*
 * The canonical bytes of a resolved spec, and its id: the first 16 bytes of their SHA-256.
 *
 * offset  size  what (little-endian; f64 is the IEEE 754 binary64 bit pattern)
 *      0     4  magic "STS1"
 *      4     8  dim u32, arms u32
 *     12     8  parameters, link, reward_kind, method, score, split, noise_law, allow_weak_delta u8
 *     20    64  reward_lo, reward_hi, reward_default, context_norm_max, theta_norm_max, epsilon,
 *               delta, huber_tau f64
 *     84    20  epoch_reports_max u64, window_reports u64, epoch_lag_max u32
 *    104    80  codebook of warm-up, codebook of main, each: dim, size, groups, top u32,
 *               weight_top, weight_rest u64, scale f64
 *    184    16  lattice: dim u32, grid_log2 i32, scale_ticks u32, clip_ticks u32
 *    200     8  along_weight f64
 *    208        end
 *
 * Valid: exactly 208 bytes, the magic, every field within its range (sotto_spec_fault), constants
 * that sotto_resolved_check accepts. Constants of the mechanism that the method does not use are 0.
 */
#include "spec_codec.h"
#include "bytes.h"
#include "digest.h"
#include "fault.h"
#include "float_environment.h"
#include "spec_fields.h"

#include <string.h>

static const uint8_t magic[4] = {'S', 'T', 'S', '1'};

static uint8_t *put_codebook(uint8_t *at, const sotto_codebook *codebook)
{
    sotto__put_u32(at, codebook->dim);
    sotto__put_u32(at + 4, codebook->size);
    sotto__put_u32(at + 8, codebook->groups);
    sotto__put_u32(at + 12, codebook->top);
    sotto__put_u64(at + 16, codebook->weight_top);
    sotto__put_u64(at + 24, codebook->weight_rest);
    sotto__put_f64(at + 32, codebook->scale);
    return at + 40;
}

static const uint8_t *get_codebook(const uint8_t *at, sotto_codebook *codebook)
{
    codebook->dim = sotto__get_u32(at);
    codebook->size = sotto__get_u32(at + 4);
    codebook->groups = sotto__get_u32(at + 8);
    codebook->top = sotto__get_u32(at + 12);
    codebook->weight_top = sotto__get_u64(at + 16);
    codebook->weight_rest = sotto__get_u64(at + 24);
    codebook->scale = sotto__get_f64(at + 32);
    return at + 40;
}

void sotto_spec_encode(const sotto_resolved *resolved, uint8_t out[SOTTO_SPEC_BYTES])
{
    const sotto_spec *spec = &resolved->spec;
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
        at = put_codebook(at, &resolved->codebook[phase]);
    }
    sotto__put_u32(at, resolved->lattice.dim);
    sotto__put_u32(at + 4, (uint32_t)resolved->lattice.grid_log2);
    sotto__put_u32(at + 8, resolved->lattice.scale_ticks);
    sotto__put_u32(at + 12, resolved->lattice.clip_ticks);
    sotto__put_f64(at + 16, resolved->along_weight + 0.0);
}

void sotto__spec_name(sotto_resolved *resolved)
{
    uint8_t bytes[SOTTO_SPEC_BYTES], whole[SOTTO__DIGEST_BYTES];
    sotto__digest digest;
    sotto_spec_encode(resolved, bytes);
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, bytes, sizeof bytes);
    sotto__digest_end(&digest, whole);
    memcpy(resolved->id, whole, SOTTO_SPEC_ID_BYTES);
    sotto_stream_key(resolved->id, resolved->stream_key);
}

/* What the bytes say, believed or not. */
static void read_fields(const uint8_t *bytes, sotto_resolved *resolved)
{
    memset(resolved, 0, sizeof *resolved);
    sotto_spec *spec = &resolved->spec;
    const uint8_t *at = bytes + sizeof magic;
#define GET_U32(field, lo, hi) spec->field = sotto__get_u32(at), at += 4;
#define GET_U64(field, lo, hi) spec->field = sotto__get_u64(at), at += 8;
#define GET_F64(field, lo, hi) spec->field = sotto__get_f64(at), at += 8;
#define GET_KIND(field, type) spec->field = (type)*at++;
#define GET_FLAG(field) spec->field = *at++ != 0;
    SOTTO__SPEC_FIELDS(GET_U32, GET_U64, GET_F64, GET_KIND, GET_FLAG)
    for (int phase = 0; phase < SOTTO_PHASES; phase++) {
        at = get_codebook(at, &resolved->codebook[phase]);
    }
    resolved->lattice.dim = sotto__get_u32(at);
    resolved->lattice.grid_log2 = (int32_t)sotto__get_u32(at + 4);
    resolved->lattice.scale_ticks = sotto__get_u32(at + 8);
    resolved->lattice.clip_ticks = sotto__get_u32(at + 12);
    resolved->along_weight = sotto__get_f64(at + 16);
    sotto__spec_name(resolved);
}

/* Two texts of one spec would be two ids: only the bytes that we would write are valid. */
static bool is_canonical(const sotto_resolved *resolved, const uint8_t *bytes)
{
    uint8_t again[SOTTO_SPEC_BYTES];
    sotto_spec_encode(resolved, again);
    return memcmp(again, bytes, sizeof again) == 0;
}

sotto_status sotto_spec_decode(const uint8_t *bytes, size_t bytes_count, sotto_resolved *out)
{
    SOTTO__DEFAULT_FLOATS;
    if (bytes == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    if (bytes_count != SOTTO_SPEC_BYTES) return SOTTO_E_FRAME;
    if (memcmp(bytes, magic, sizeof magic) != 0) return SOTTO_E_FRAME;
    sotto_resolved resolved;
    read_fields(bytes, &resolved);
    if (!is_canonical(&resolved, bytes)) return SOTTO_E_FRAME;
    sotto_status status = sotto_resolved_check(&resolved);
    if (status != SOTTO_OK) return status;
    *out = resolved;
    return SOTTO_OK;
}

const char *sotto_spec_bytes_fault(const uint8_t *bytes, size_t bytes_count,
                                   char text[SOTTO_FAULT_BYTES])
{
    SOTTO__DEFAULT_FLOATS;
    if (bytes_count != SOTTO_SPEC_BYTES) {
        return sotto__fault(text, "%zu bytes: a spec has %u", bytes_count, SOTTO_SPEC_BYTES);
    }
    if (memcmp(bytes, magic, sizeof magic) != 0) {
        return sotto__fault(text, "the first four bytes are not STS1");
    }
    sotto_resolved resolved;
    read_fields(bytes, &resolved);
    if (!is_canonical(&resolved, bytes)) {
        return sotto__fault(text, "a flag is not 0 or 1, or a number is -0");
    }
    return sotto_resolved_fault(&resolved, text);
}
