/* Reads what terms_encode.c writes, where the format stands, and nothing else. */
#include "bytes.h"
#include "fault.h"
#include "float_environment.h"
#include "spec_fields.h"
#include "terms_encode.h"

#include <string.h>

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

/* What the bytes say, believed or not. */
static void read_fields(const uint8_t *bytes, sotto_resolved *resolved)
{
    memset(resolved, 0, sizeof *resolved);
    sotto_spec *spec = &resolved->spec;
    const uint8_t *at = bytes + sizeof sotto__spec_magic;
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
    if (memcmp(bytes, sotto__spec_magic, sizeof sotto__spec_magic) != 0) return SOTTO_E_FRAME;
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
    if (memcmp(bytes, sotto__spec_magic, sizeof sotto__spec_magic) != 0) {
        return sotto__fault(text, "the first four bytes are not STS1");
    }
    sotto_resolved resolved;
    read_fields(bytes, &resolved);
    if (!is_canonical(&resolved, bytes)) {
        return sotto__fault(text, "a flag is not 0 or 1, or a number is -0");
    }
    return sotto_resolved_fault(&resolved, text);
}
