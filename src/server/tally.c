/*
 * Tallies: made, merged, read, and kept as bytes.
 *
 * Tally frame:
 * offset  size  what (little-endian)
 *      0     4  magic "STT1"
 *      4    16  spec id
 *     20     4  epoch u32
 *     24     1  phase: 0 warm-up, 1 main
 *     25     3  0
 *     28     8  reports folded u64
 *     36        reports of each arm u64, where each report counts for one arm only (per-arm
 *               parameters in warm-up, or with tags): arms of them
 *               sums i64: dim for shared parameters, arms x dim for per-arm, or one per tick
 *
 * Valid: exactly as long as the spec and phase say, the magic, zeros, this spec's id, a phase it
 * has, at most SOTTO_REPORTS_MAX reports, arm counts that add up to them, and no sum larger than
 * the reports that count for it can make it.
 */
#include "tally.h"
#include "core/bytes.h"
#include "core/method.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES 36u

static const uint8_t magic[4] = {'S', 'T', 'T', '1'};

bool sotto__tally_counts_arms(const sotto_tally *tally)
{
    if (tally->terms.spec.parameters != SOTTO_PARAMETERS_PER_ARM) return false;
    return tally->phase == SOTTO_PHASE_WARM_UP || tally->terms.codebook[tally->phase].groups > 1;
}

static uint32_t sums_count_of(const sotto_terms *terms)
{
    if (!sotto_terms_reports_indices(terms)) return terms->lattice.dim;
    if (terms->spec.parameters == SOTTO_PARAMETERS_PER_ARM) {
        return sotto__parameter_count(&terms->spec);
    }
    return terms->codebook[SOTTO_PHASE_MAIN].dim;
}

/* The longest codeword of any phase: a tally may go from one to the next. */
static uint32_t codeword_dim_of(const sotto_terms *terms)
{
    uint32_t warm_up = terms->codebook[SOTTO_PHASE_WARM_UP].dim;
    uint32_t main = terms->codebook[SOTTO_PHASE_MAIN].dim;
    return warm_up > main ? warm_up : main;
}

sotto_status sotto_tally_new(const sotto_terms *terms, uint32_t epoch, sotto_phase phase,
                             sotto_tally **out)
{
    if (out == NULL) return SOTTO_E_ARGUMENT;
    *out = NULL;
    if (terms == NULL) return SOTTO_E_ARGUMENT;
    char text[SOTTO_FAULT_BYTES];
    if (sotto_spec_fault(&terms->spec, text) != NULL) return SOTTO_E_FAULT;
    bool per_arm = terms->spec.parameters == SOTTO_PARAMETERS_PER_ARM;
    if (phase != SOTTO_PHASE_MAIN && !(phase == SOTTO_PHASE_WARM_UP && per_arm)) {
        return SOTTO_E_PHASE;
    }
    size_t sums = sums_count_of(terms), arms = terms->spec.arms;
    size_t dim = codeword_dim_of(terms);
    size_t bytes = (sums + arms) * sizeof(int64_t) + dim * sizeof(int32_t) + arms;
    sotto_tally *tally = calloc(1, sizeof *tally + bytes);
    if (tally == NULL) return SOTTO_E_MEMORY;
    tally->terms = *terms;
    tally->sums_count = (uint32_t)sums;
    tally->sum = (int64_t *)(tally + 1);
    tally->arm_count = (uint64_t *)(tally->sum + sums);
    tally->codeword = (int32_t *)(tally->arm_count + arms);
    tally->sign = (int8_t *)(tally->codeword + dim);
    sotto__tally_begin(tally, epoch, phase);
    *out = tally;
    return SOTTO_OK;
}

void sotto__tally_begin(sotto_tally *tally, uint32_t epoch, sotto_phase phase)
{
    bool empty = tally->count == 0; /* and then so is all else */
    tally->epoch = epoch;
    tally->phase = phase;
    tally->count = 0;
    if (empty) return;
    memset(tally->sum, 0, tally->sums_count * sizeof tally->sum[0]);
    memset(tally->arm_count, 0, tally->terms.spec.arms * sizeof tally->arm_count[0]);
}

void sotto_tally_free(sotto_tally *tally)
{
    free(tally);
}

sotto_status sotto_tally_merge(sotto_tally *tally, const sotto_tally *from)
{
    if (tally == NULL || from == NULL) return SOTTO_E_ARGUMENT;
    if (memcmp(from->terms.id, tally->terms.id, SOTTO_SPEC_ID_BYTES) != 0) {
        return SOTTO_E_SPEC;
    }
    if (from->epoch != tally->epoch) return SOTTO_E_EPOCH;
    if (from->phase != tally->phase) return SOTTO_E_PHASE;
    if (from->count > SOTTO_REPORTS_MAX - tally->count) return SOTTO_E_FULL;

    for (uint32_t i = 0; i < tally->sums_count; i++) {
        tally->sum[i] += from->sum[i];
    }
    for (uint32_t k = 0; k < tally->terms.spec.arms; k++) {
        tally->arm_count[k] += from->arm_count[k];
    }
    tally->count += from->count;
    return SOTTO_OK;
}

uint64_t sotto_tally_count(const sotto_tally *tally)
{
    return tally == NULL ? 0 : tally->count;
}

const int64_t *sotto_tally_sums(const sotto_tally *tally, uint32_t *count)
{
    if (count != NULL) *count = tally == NULL ? 0 : tally->sums_count;
    if (tally == NULL || count == NULL) return NULL;
    return tally->sum;
}

uint64_t sotto_tally_arm_count(const sotto_tally *tally, uint32_t arm)
{
    if (tally == NULL || arm >= tally->terms.spec.arms) return 0;
    return sotto__tally_counts_arms(tally) ? tally->arm_count[arm] : tally->count;
}

/* With tags every report says something of every arm: a report of another tag is a zero. In warm-up
 * only the reports assigned to an arm do. */
void sotto_tally_mean(const sotto_tally *tally, double *out)
{
    if (tally == NULL || out == NULL) return;
    bool indices = sotto_terms_reports_indices(&tally->terms);
    bool per_arm = tally->terms.spec.parameters == SOTTO_PARAMETERS_PER_ARM;
    double unit = indices ? tally->terms.codebook[tally->phase].scale * 0x1p-30
                          : ldexp(1, tally->terms.lattice.grid_log2);
    uint32_t row = per_arm ? tally->sums_count / tally->terms.spec.arms : tally->sums_count;
    for (uint32_t i = 0; i < tally->sums_count; i++) {
        bool assigned = tally->phase == SOTTO_PHASE_WARM_UP;
        uint64_t count = assigned ? sotto_tally_arm_count(tally, i / row) : tally->count;
        out[i] = count == 0 ? 0 : unit * (double)tally->sum[i] / (double)count;
    }
}

size_t sotto_tally_bytes(const sotto_tally *tally)
{
    if (tally == NULL) return 0;
    size_t arms = sotto__tally_counts_arms(tally) ? tally->terms.spec.arms : 0;
    return HEAD_BYTES + 8 * (arms + tally->sums_count);
}

sotto_status sotto_tally_encode(const sotto_tally *tally, uint8_t *out, size_t capacity_bytes)
{
    if (tally == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    if (capacity_bytes < sotto_tally_bytes(tally)) return SOTTO_E_LENGTH;
    memcpy(out, magic, sizeof magic);
    memcpy(out + 4, tally->terms.id, SOTTO_SPEC_ID_BYTES);
    sotto__put_u32(out + 20, tally->epoch);
    sotto__put_u32(out + 24, (uint32_t)tally->phase);
    sotto__put_u64(out + 28, tally->count);
    uint8_t *at = out + HEAD_BYTES;
    uint32_t arms = sotto__tally_counts_arms(tally) ? tally->terms.spec.arms : 0;
    for (uint32_t k = 0; k < arms; k++, at += 8) {
        sotto__put_u64(at, tally->arm_count[k]);
    }
    for (uint32_t i = 0; i < tally->sums_count; i++, at += 8) {
        sotto__put_u64(at, (uint64_t)tally->sum[i]);
    }
    return SOTTO_OK;
}

/* Fills an empty tally; false if the numbers contradict each other. */
static bool decode_numbers(sotto_tally *tally, const uint8_t *at)
{
    uint32_t arms = sotto__tally_counts_arms(tally) ? tally->terms.spec.arms : 0;
    uint64_t left = tally->count;
    for (uint32_t k = 0; k < arms; k++, at += 8) {
        tally->arm_count[k] = sotto__get_u64(at);
        if (tally->arm_count[k] > left) return false;
        left -= tally->arm_count[k];
    }
    if (arms > 0 && left != 0) return false;
    uint64_t each =
        sotto_terms_reports_indices(&tally->terms) ? UINT64_C(1) << 30 : UINT64_C(1) << 31;
    uint32_t row = arms > 0 ? tally->sums_count / arms : tally->sums_count;
    for (uint32_t i = 0; i < tally->sums_count; i++, at += 8) {
        int64_t bound = (int64_t)(sotto_tally_arm_count(tally, i / row) * each);
        tally->sum[i] = (int64_t)sotto__get_u64(at);
        if (tally->sum[i] > bound || tally->sum[i] < -bound) return false;
    }
    return true;
}

sotto_status sotto_tally_decode(const sotto_terms *terms, const uint8_t *bytes, size_t bytes_count,
                                sotto_tally **out)
{
    if (out == NULL) return SOTTO_E_ARGUMENT;
    *out = NULL;
    if (terms == NULL || bytes == NULL) return SOTTO_E_ARGUMENT;
    if (bytes_count < HEAD_BYTES || memcmp(bytes, magic, sizeof magic) != 0) return SOTTO_E_FRAME;
    if (memcmp(bytes + 4, terms->id, SOTTO_SPEC_ID_BYTES) != 0) return SOTTO_E_SPEC;
    uint32_t phase = sotto__get_u32(bytes + 24);
    if (phase >= SOTTO_PHASES) return SOTTO_E_FRAME;
    sotto_tally *tally;
    sotto_status status =
        sotto_tally_new(terms, sotto__get_u32(bytes + 20), (sotto_phase)phase, &tally);
    if (status != SOTTO_OK) return status;

    tally->count = sotto__get_u64(bytes + 28);
    bool valid = tally->count <= SOTTO_REPORTS_MAX && bytes_count == sotto_tally_bytes(tally) &&
                 decode_numbers(tally, bytes + HEAD_BYTES);
    if (!valid) {
        sotto_tally_free(tally);
        return SOTTO_E_FRAME;
    }
    *out = tally;
    return SOTTO_OK;
}
