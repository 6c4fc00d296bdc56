/* Reads what terms_encode.c writes, and nothing else. The format is at the head of that file. */
#include "bytes.h"
#include "fault.h"
#include "float_environment.h"
#include "spec_fields.h"
#include "terms_encode.h"

#include <string.h>

static const uint8_t *get_codebook(const uint8_t *at, sotto_codebook *codebook, uint32_t version)
{
    codebook->dim = sotto__get_u32(at);
    codebook->size = sotto__get_u32(at + 4);
    codebook->groups = sotto__get_u32(at + 8);
    codebook->top = sotto__get_u32(at + 12);
    at += 16;
    if (version == 2) codebook->nulls = sotto__get_u32(at), at += 4;
    codebook->weight_top = sotto__get_u64(at);
    codebook->weight_rest = sotto__get_u64(at + 8);
    codebook->scale = sotto__get_f64(at + 16);
    return at + 24;
}

/* 1 or 2; 0 if these are no terms. */
static uint32_t version_of(const uint8_t *bytes, size_t bytes_count)
{
    static const size_t length[] = {0, SOTTO_TERMS_1_BYTES, SOTTO_TERMS_BYTES};
    for (uint32_t version = 1; version <= 2; version++) {
        if (bytes_count == length[version] &&
            memcmp(bytes, sotto__terms_magic[version], sizeof sotto__terms_magic[version]) == 0) {
            return version;
        }
    }
    return 0;
}

/* What the bytes say, believed or not. */
static void read_fields(const uint8_t *bytes, uint32_t version, sotto_terms *terms)
{
    memset(terms, 0, sizeof *terms);
    sotto_spec *spec = &terms->spec;
    const uint8_t *at = bytes + sizeof sotto__terms_magic[version];
    spec->version = version;
#define GET_U32(field, lo, hi) spec->field = sotto__get_u32(at), at += 4;
#define GET_U64(field, lo, hi) spec->field = sotto__get_u64(at), at += 8;
#define GET_F64(field, lo, hi) spec->field = sotto__get_f64(at), at += 8;
#define GET_KIND(field, type) spec->field = (type)*at++;
#define GET_FLAG(field) spec->field = *at++ != 0;
    SOTTO__SPEC_FIELDS(GET_U32, GET_U64, GET_F64, GET_KIND, GET_FLAG)
    if (version == 2) {
        SOTTO__SPEC_FIELDS_2(GET_U32, GET_F64)
    }
    for (int phase = 0; phase < (version == 1 ? SOTTO_PHASE_MEAN : SOTTO_PHASES); phase++) {
        at = get_codebook(at, &terms->codebook[phase], version);
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
    SOTTO__DEFAULT_FLOATS;
    if (bytes == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    uint32_t version = version_of(bytes, bytes_count);
    if (version == 0) return SOTTO_E_FRAME;
    sotto_terms terms;
    read_fields(bytes, version, &terms);
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
    if (bytes_count != SOTTO_TERMS_BYTES && bytes_count != SOTTO_TERMS_1_BYTES) {
        return sotto__fault(text, "%zu bytes: terms have %u, or %u in version 1", bytes_count,
                            SOTTO_TERMS_BYTES, SOTTO_TERMS_1_BYTES);
    }
    uint32_t version = version_of(bytes, bytes_count);
    if (version == 0) {
        return sotto__fault(text, "the first four bytes of %zu are not %s", bytes_count,
                            bytes_count == SOTTO_TERMS_BYTES ? "STS2" : "STS1");
    }
    sotto_terms terms;
    read_fields(bytes, version, &terms);
    if (!is_canonical(&terms, bytes)) {
        return sotto__fault(text, "a flag is not 0 or 1, or a number is -0");
    }
    return sotto_terms_fault(&terms, text);
}
