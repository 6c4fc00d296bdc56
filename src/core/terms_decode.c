/* Reads what terms_encode.c writes, and nothing else. The format is at the head of that file. */
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
static void read_fields(const uint8_t *bytes, sotto_terms *terms)
{
    memset(terms, 0, sizeof *terms);
    sotto_spec *spec = &terms->spec;
    const uint8_t *at = bytes + sizeof sotto__terms_magic;
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
    sotto_terms_encode(terms, again);
    return memcmp(again, bytes, sizeof again) == 0;
}

sotto_status sotto_terms_decode(const uint8_t *bytes, size_t bytes_count, sotto_terms *out)
{
    SOTTO__DEFAULT_FLOATS;
    if (bytes == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    if (bytes_count != SOTTO_TERMS_BYTES) return SOTTO_E_FRAME;
    if (memcmp(bytes, sotto__terms_magic, sizeof sotto__terms_magic) != 0) return SOTTO_E_FRAME;
    sotto_terms terms;
    read_fields(bytes, &terms);
    if (!is_canonical(&terms, bytes)) return SOTTO_E_FRAME;
    sotto_status status = sotto_terms_check(&terms);
    if (status != SOTTO_OK) return status;
    *out = terms;
    return SOTTO_OK;
}

const char *sotto_terms_bytes_fault(const uint8_t *bytes, size_t bytes_count,
                                    char text[SOTTO_FAULT_BYTES])
{
    SOTTO__DEFAULT_FLOATS;
    if (bytes == NULL || text == NULL) return sotto_status_text(SOTTO_E_ARGUMENT);
    if (bytes_count != SOTTO_TERMS_BYTES) {
        return sotto__fault(text, "%zu bytes: terms have %u", bytes_count, SOTTO_TERMS_BYTES);
    }
    if (memcmp(bytes, sotto__terms_magic, sizeof sotto__terms_magic) != 0) {
        return sotto__fault(text, "the first four bytes are not STS1");
    }
    sotto_terms terms;
    read_fields(bytes, &terms);
    if (!is_canonical(&terms, bytes)) {
        return sotto__fault(text, "a flag is not 0 or 1, or a number is -0");
    }
    return sotto_terms_fault(&terms, text);
}
