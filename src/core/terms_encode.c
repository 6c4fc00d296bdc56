/*
 * The canonical bytes of terms, and their id: the first 16 bytes of the SHA-256 of those.
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
 * Version 2 has more in two places:
 *      0     4  magic "STS2"
 *      4   100  as above
 *    104    24  series u32, measure u32, reward_rate f64, reward_window_s u32, send_spread_s u32
 *    128   132  codebooks of warm-up, main and mean, each: dim, size, groups, top, nulls u32,
 *               weight_top, weight_rest u64, scale f64
 *    260    16  lattice
 *    276     8  along_weight f64
 *    284        end
 *
 * Valid: exactly so many bytes, the magic, every field within its range (sotto_spec_fault), constants
 * that sotto_terms_check accepts. Constants of the mechanism that the method does not use, and of
 * phases that it does not have, are 0.
 */
#include "terms_encode.h"
#include "bytes.h"
#include "digest.h"
#include "spec_fields.h"

#include <string.h>

const uint8_t sotto__terms_magic[3][4] = {[1] = {'S', 'T', 'S', '1'}, [2] = {'S', 'T', 'S', '2'}};

static uint8_t *put_codebook(uint8_t *at, const sotto_codebook *codebook, uint32_t version)
{
    sotto__put_u32(at, codebook->dim);
    sotto__put_u32(at + 4, codebook->size);
    sotto__put_u32(at + 8, codebook->groups);
    sotto__put_u32(at + 12, codebook->top);
    at += 16;
    if (version == 2) sotto__put_u32(at, codebook->nulls), at += 4;
    sotto__put_u64(at, codebook->weight_top);
    sotto__put_u64(at + 8, codebook->weight_rest);
    sotto__put_f64(at + 16, codebook->scale);
    return at + 24;
}

size_t sotto_terms_encode(const sotto_terms *terms, uint8_t out[SOTTO_TERMS_BYTES])
{
    if (terms == NULL || out == NULL) return 0;
    const sotto_spec *spec = &terms->spec;
    uint32_t version = spec->version == 1 ? 1 : 2;
    uint8_t *at = out;
    memcpy(at, sotto__terms_magic[version], sizeof sotto__terms_magic[version]);
    at += sizeof sotto__terms_magic[version];
#define PUT_U32(field, lo, hi) sotto__put_u32(at, spec->field), at += 4;
#define PUT_U64(field, lo, hi) sotto__put_u64(at, spec->field), at += 8;
#define PUT_F64(field, lo, hi) sotto__put_f64(at, spec->field + 0.0), at += 8; /* -0 is 0 */
#define PUT_KIND(field, type) *at++ = (uint8_t)spec->field;
#define PUT_FLAG(field) *at++ = spec->field ? 1 : 0;
    SOTTO__SPEC_FIELDS(PUT_U32, PUT_U64, PUT_F64, PUT_KIND, PUT_FLAG)
    if (version == 2) {
        SOTTO__SPEC_FIELDS_2(PUT_U32, PUT_F64)
    }
    for (int phase = 0; phase < (version == 1 ? SOTTO_PHASE_MEAN : SOTTO_PHASES); phase++) {
        at = put_codebook(at, &terms->codebook[phase], version);
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
