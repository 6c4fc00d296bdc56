/*
 * Report frames: what a device sends, once, already private.
 *
 * offset  size  what (little-endian)
 *      0     4  magic "STR1"
 *      4    16  spec id
 *     20     4  epoch u32: of the model that the person acted on
 *     24    16  nonce: the seed of this round's public codebook, signs and assigned arm
 *     40        payload, by the spec:
 *               codebook methods: index u16 (1; under split per-arm one for each arm)
 *               lattice methods: tick i32, one for each coordinate of the statistic
 *
 * Valid: exactly as long as the spec says (42 bytes for one index), the magic, this spec's id, and
 * every index below the larger of the spec's two codebooks; fold holds an index to the codebook of
 * its epoch's phase. Any epoch, nonce and tick is valid.
 */
#include "core.h"

#include <sotto/core.h>

#include <stdlib.h>
#include <string.h>

static const uint8_t magic[4] = {'S', 'T', 'R', '1'};

uint32_t sotto_report_count(const sotto_terms *terms)
{
    return terms == NULL ? 0 : sotto__report_count(terms);
}

static size_t bytes_of(const sotto_terms *terms)
{
    size_t value_bytes = sotto__reports_indices(terms) ? 2 : 4;
    return SOTTO__REPORT_HEAD_BYTES + value_bytes * sotto__report_count(terms);
}

static uint32_t index_bound(const sotto_terms *terms)
{
    uint32_t bound = 0;
    for (int phase = 0; phase < SOTTO_PHASES; phase++) {
        uint32_t indices = terms->codebook[phase].size + terms->codebook[phase].nulls;
        bound = indices > bound ? indices : bound;
    }
    return bound;
}

sotto_status sotto_report_new(const sotto_terms *terms, sotto_report **out)
{
    if (out == NULL) return SOTTO_E_ARGUMENT;
    *out = NULL;
    if (terms == NULL) return SOTTO_E_ARGUMENT;
    if (sotto_spec_fault(&terms->spec, NULL) != SOTTO_OK) return SOTTO_E_FAULT;
    uint32_t count = sotto__report_count(terms);
    sotto_report *report = calloc(1, sizeof *report + count * sizeof report->value[0]);
    if (report == NULL) return SOTTO_E_MEMORY;
    memcpy(report->spec_id, terms->id, SOTTO_SPEC_ID_BYTES);
    report->count = count;
    report->value = (int32_t *)(report + 1);
    *out = report;
    return SOTTO_OK;
}

void sotto_report_free(sotto_report *report)
{
    free(report);
}

size_t sotto_report_bytes(const sotto_terms *terms)
{
    return terms == NULL ? 0 : bytes_of(terms);
}

bool sotto__report_head_is(const uint8_t head[SOTTO__REPORT_HEAD_BYTES], const uint8_t *spec_id,
                           const uint8_t *nonce)
{
    return memcmp(head, magic, sizeof magic) == 0 &&
           memcmp(head + 4, spec_id, SOTTO_SPEC_ID_BYTES) == 0 &&
           memcmp(head + 24, nonce, SOTTO_NONCE_BYTES) == 0;
}

sotto_status sotto_report_encode(const sotto_terms *terms, const sotto_report *report, uint8_t *out,
                                 size_t capacity_bytes)
{
    if (terms == NULL || report == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    if (report->value == NULL) return SOTTO_E_ARGUMENT;
    if (memcmp(report->spec_id, terms->id, SOTTO_SPEC_ID_BYTES) != 0) return SOTTO_E_SPEC;
    if (report->count != sotto__report_count(terms)) return SOTTO_E_LENGTH;
    if (capacity_bytes < bytes_of(terms)) return SOTTO_E_LENGTH;
    bool indices = sotto__reports_indices(terms);
    for (uint32_t i = 0; indices && i < report->count; i++) {
        if ((uint32_t)report->value[i] >= index_bound(terms)) return SOTTO_E_INDEX;
    }

    memcpy(out, magic, sizeof magic);
    memcpy(out + 4, report->spec_id, SOTTO_SPEC_ID_BYTES);
    sotto__put_u32(out + SOTTO__REPORT_EPOCH_AT, report->epoch);
    memcpy(out + 24, report->nonce, SOTTO_NONCE_BYTES);
    uint8_t *at = out + SOTTO__REPORT_HEAD_BYTES;
    for (uint32_t i = 0; indices && i < report->count; i++) {
        sotto__put_u16(at + 2 * i, (uint16_t)report->value[i]);
    }
    if (!indices) sotto__put_i32s(at, report->value, report->count);
    return SOTTO_OK;
}

sotto_status sotto_report_decode(const sotto_terms *terms, const uint8_t *bytes, size_t bytes_count,
                                 sotto_report *out)
{
    if (terms == NULL || bytes == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    if (out->value == NULL) return SOTTO_E_ARGUMENT;
    if (out->count != sotto__report_count(terms)) return SOTTO_E_LENGTH;
    if (bytes_count < SOTTO__REPORT_HEAD_BYTES || memcmp(bytes, magic, sizeof magic) != 0)
        return SOTTO_E_FRAME;
    /* A frame of another spec may have another length: say which of the two is wrong. */
    if (memcmp(bytes + 4, terms->id, SOTTO_SPEC_ID_BYTES) != 0) return SOTTO_E_SPEC;
    if (bytes_count != bytes_of(terms)) return SOTTO_E_FRAME;

    const uint8_t *at = bytes + SOTTO__REPORT_HEAD_BYTES;
    bool indices = sotto__reports_indices(terms);
    for (uint32_t i = 0; indices && i < out->count; i++) {
        if (sotto__get_u16(at + 2 * i) >= index_bound(terms)) return SOTTO_E_INDEX;
    }
    memcpy(out->spec_id, bytes + 4, SOTTO_SPEC_ID_BYTES);
    out->epoch = sotto__get_u32(bytes + SOTTO__REPORT_EPOCH_AT);
    memcpy(out->nonce, bytes + 24, SOTTO_NONCE_BYTES);
    for (uint32_t i = 0; indices && i < out->count; i++) {
        out->value[i] = sotto__get_u16(at + 2 * i);
    }
    if (!indices) sotto__get_i32s(at, out->value, out->count);
    return SOTTO_OK;
}
