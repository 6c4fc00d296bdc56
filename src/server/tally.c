/*
 * Tallies: how they are made, merged, read and stored as bytes.
 *
 * Tally frame:
 * offset  size  what (little-endian)
 *      0     4  magic "STT2"
 *      4    16  spec id
 *     20     4  epoch u32
 *     24     1  phase: 0 warm-up, 1 main, 2 mean
 *     25     1  1 if there are measure rounds and the epoch's model decides, otherwise 0
 *     26     2  0
 *     28     8  learn reports folded u64
 *     36     8  those of them that are not null u64
 *     44        where the terms have measure rounds, count u64 and sum i64 of each role: follow, then
 *               control by assigned arm, arms of them
 *               best-arm: shares of the epoch's model u32, arms of them
 *               reports of each arm u64, where each report counts for one arm only (per-arm
 *               parameters in warm-up, or with tags; best-arm): arms of them
 *               sums i64: dim for shared parameters, arms x dim for per-arm, one per tick, or
 *               one per arm (best-arm)
 *
 * The tally of an epoch that serves a fallback has the magic "STT3", and no learn report; otherwise as STT2.
 *
 * Valid: exactly as long as the spec and phase say, the magic, zeros, this spec's id, a phase it
 * has, at most SOTTO_REPORTS_MAX reports, arm counts that add up to them, no sum larger than the
 * reports that count for it can make it, and shares with the sum 2^32.
 */
#include "core/core.h"
#include "server.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES 44u

static const uint8_t magic[4] = {'S', 'T', 'T', '2'}, magic_served[4] = {'S', 'T', 'T', '3'};

/* Measured pairs in a frame: follow, and control of each arm. */
static uint32_t pairs_of(const sotto_tally *tally)
{
    return tally->terms.spec.measure > 0 ? 1 + tally->terms.spec.arms : 0;
}

static sotto__measured *pair_at(const sotto_tally *tally, uint32_t i)
{
    return i == 0 ? (sotto__measured *)&tally->follow : &tally->control[i - 1];
}

bool sotto__tally_counts_arms(const sotto_tally *tally)
{
    if (sotto__method_of(&tally->terms.spec)->one_for_all) return true;
    if (tally->terms.spec.parameters != SOTTO_PARAMETERS_PER_ARM) return false;
    return tally->phase != SOTTO_PHASE_MAIN || tally->terms.codebook[tally->phase].groups > 1;
}

static uint32_t sums_count_of(const sotto_terms *terms)
{
    if (!sotto_terms_reports_indices(terms)) return terms->lattice.dim;
    if (sotto__method_of(&terms->spec)->one_for_all) return terms->spec.arms;
    if (terms->spec.parameters == SOTTO_PARAMETERS_PER_ARM) {
        return sotto__parameter_count(&terms->spec);
    }
    return terms->codebook[SOTTO_PHASE_MAIN].dim;
}

/* The longest codeword of any phase: a tally may go from one to the next. */
static uint32_t codeword_dim_of(const sotto_terms *terms)
{
    uint32_t longest = 1; /* measure rounds have one coordinate */
    for (int phase = 0; phase < SOTTO_PHASES; phase++) {
        uint32_t dim = terms->codebook[phase].dim;
        longest = dim > longest ? dim : longest;
    }
    return longest;
}

static uint32_t shares_count_of(const sotto_terms *terms)
{
    return sotto__method_of(&terms->spec)->one_for_all ? terms->spec.arms : 0;
}

size_t sotto__tally_numbers(const sotto_terms *terms)
{
    static_assert(sizeof(sotto__measured) == 2 * sizeof(uint64_t), "two numbers");
    return sums_count_of(terms) + 3 * (size_t)terms->spec.arms;
}

size_t sotto__tally_scratch_bytes(const sotto_terms *terms)
{
    return codeword_dim_of(terms) * sizeof(int32_t) + terms->spec.arms;
}

void sotto__tally_lay(sotto_tally *tally, const sotto_terms *terms, uint64_t *numbers,
                      void *scratch)
{
    size_t sums = sums_count_of(terms), arms = terms->spec.arms;
    *tally = (sotto_tally){.terms = *terms, .sums_count = (uint32_t)sums};
    tally->sum = (int64_t *)numbers;
    tally->arm_count = numbers + sums;
    tally->control = (sotto__measured *)(tally->arm_count + arms);
    tally->codeword = scratch;
    tally->sign = (int8_t *)(tally->codeword + codeword_dim_of(terms));
}

sotto_status sotto__tally_new(const sotto_terms *terms, uint32_t epoch, sotto_phase phase,
                              bool decides, sotto_tally **out)
{
    if (out == NULL) return SOTTO_E_ARGUMENT;
    *out = NULL;
    if (terms == NULL) return SOTTO_E_ARGUMENT;
    if (sotto_spec_fault(&terms->spec, NULL) != SOTTO_OK) return SOTTO_E_FAULT;
    if (!sotto__phase_exists(&terms->spec, (uint32_t)phase)) return SOTTO_E_PHASE;
    size_t numbers_bytes = sotto__tally_numbers(terms) * sizeof(uint64_t);
    size_t shares_bytes = shares_count_of(terms) * sizeof(uint32_t);
    sotto_tally *tally =
        calloc(1, sizeof *tally + numbers_bytes + shares_bytes + sotto__tally_scratch_bytes(terms));
    if (tally == NULL) return SOTTO_E_MEMORY;
    uint8_t *numbers = (uint8_t *)(tally + 1), *shares = numbers + numbers_bytes;
    sotto__tally_lay(tally, terms, (uint64_t *)numbers, shares + shares_bytes);
    if (shares_bytes > 0) {
        tally->shares = (uint32_t *)shares;
        sotto__shares_set_equal(terms->spec.arms, tally->shares);
    }
    sotto__tally_begin(tally, epoch, phase, decides);
    *out = tally;
    return SOTTO_OK;
}

uint64_t sotto__tally_all(const sotto_tally *tally)
{
    return tally->count + tally->measured;
}

sotto_status sotto_tally_new(const sotto_terms *terms, const sotto_model *model, sotto_tally **out)
{
    if (out != NULL) *out = NULL;
    if (terms == NULL || model == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    sotto_status status = sotto_model_check(terms, model);
    if (status != SOTTO_OK) return status;
    status = sotto__tally_new(terms, model->epoch, model->phase,
                              sotto__model_is_followed(&terms->spec, model), out);
    if (status == SOTTO_OK) (*out)->served = model->served > 0;
    if (status == SOTTO_OK) sotto__tally_share(*out, model->shares);
    return status;
}

void sotto__tally_share(sotto_tally *tally, const uint32_t *shares)
{
    if (tally->shares == NULL) return;
    memcpy(tally->shares, shares, tally->terms.spec.arms * sizeof shares[0]);
}

static bool has_shares_of(const sotto_tally *tally, const sotto_tally *other)
{
    if (tally->shares == NULL) return true;
    size_t bytes = tally->terms.spec.arms * sizeof tally->shares[0];
    return memcmp(tally->shares, other->shares, bytes) == 0;
}

void sotto__tally_begin(sotto_tally *tally, uint32_t epoch, sotto_phase phase, bool decides)
{
    bool empty = sotto__tally_all(tally) == 0; /* and then everything else is */
    tally->epoch = epoch;
    tally->phase = phase;
    tally->decides = decides;
    if (empty) return;
    if (tally->watch != NULL) sotto__watch_empty(tally->watch);
    if (tally->measured > 0) {
        memset(tally->control, 0, tally->terms.spec.arms * sizeof tally->control[0]);
    }
    tally->count = tally->heard = tally->measured = 0;
    tally->follow = (sotto__measured){0};
    memset(tally->sum, 0, tally->sums_count * sizeof tally->sum[0]);
    if (sotto__sums_by_arm(&tally->terms.spec)) {
        memset(tally->arm_count, 0, tally->terms.spec.arms * sizeof tally->arm_count[0]);
    }
}

void sotto_tally_free(sotto_tally *tally)
{
    if (tally == NULL) return;
    sotto__watch_free(tally->watch);
    free(tally);
}

sotto_status sotto_tally_merge(sotto_tally *tally, const sotto_tally *from)
{
    if (tally == NULL || from == NULL) return SOTTO_E_ARGUMENT;
    if (memcmp(from->terms.id, tally->terms.id, SOTTO_SPEC_ID_BYTES) != 0) {
        return SOTTO_E_SPEC;
    }
    if (from->epoch != tally->epoch || !has_shares_of(tally, from)) return SOTTO_E_EPOCH;
    if (from->phase != tally->phase || from->decides != tally->decides) return SOTTO_E_PHASE;
    if (from->served != tally->served) return SOTTO_E_PHASE;
    if (sotto__tally_all(from) > SOTTO_REPORTS_MAX - sotto__tally_all(tally)) return SOTTO_E_FULL;

    for (uint32_t i = 0; i < tally->sums_count; i++) {
        tally->sum[i] += from->sum[i];
    }
    for (uint32_t k = 0; k < tally->terms.spec.arms; k++) {
        tally->arm_count[k] += from->arm_count[k];
    }
    for (uint32_t i = 0; i < pairs_of(tally); i++) {
        pair_at(tally, i)->count += pair_at(from, i)->count;
        pair_at(tally, i)->sum += pair_at(from, i)->sum;
    }
    tally->count += from->count;
    tally->heard += from->heard;
    tally->measured += from->measured;
    if (tally->watch != NULL && from->watch != NULL) sotto__watch_add(tally->watch, from->watch);
    return SOTTO_OK;
}

uint64_t sotto_tally_heard(const sotto_tally *tally)
{
    return tally == NULL ? 0 : tally->heard;
}

uint64_t sotto_tally_measured(const sotto_tally *tally, sotto_role role, uint32_t arm, int64_t *sum)
{
    if (sum != NULL) *sum = 0;
    if (tally == NULL || sum == NULL) return 0;
    bool control = role == SOTTO_ROLE_CONTROL && arm < tally->terms.spec.arms;
    if (!control && !(role == SOTTO_ROLE_FOLLOW && arm == 0)) return 0;
    const sotto__measured *of = control ? &tally->control[arm] : &tally->follow;
    *sum = of->sum;
    return of->count;
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

/* With tags every report counts for every arm: a report of another tag counts as zero. In warm-up
 * and under best-arm only the reports assigned to an arm count for it. */
void sotto_tally_mean(const sotto_tally *tally, double *out)
{
    if (tally == NULL || out == NULL) return;
    bool indices = sotto_terms_reports_indices(&tally->terms);
    bool per_arm = sotto__sums_by_arm(&tally->terms.spec);
    double unit = indices ? tally->terms.codebook[tally->phase].scale * 0x1p-30
                          : ldexp(1, tally->terms.lattice.grid_log2);
    uint32_t row = per_arm ? tally->sums_count / tally->terms.spec.arms : tally->sums_count;
    for (uint32_t i = 0; i < tally->sums_count; i++) {
        bool assigned = tally->phase != SOTTO_PHASE_MAIN || tally->shares != NULL;
        uint64_t count = assigned ? sotto_tally_arm_count(tally, i / row) : tally->count;
        out[i] = count == 0 ? 0 : unit * (double)tally->sum[i] / (double)count;
    }
}

size_t sotto_tally_bytes(const sotto_tally *tally)
{
    if (tally == NULL) return 0;
    size_t arms = sotto__tally_counts_arms(tally) ? tally->terms.spec.arms : 0;
    size_t more = 16 * (size_t)pairs_of(tally) + 4 * (size_t)shares_count_of(&tally->terms);
    return HEAD_BYTES + more + 8 * (arms + tally->sums_count);
}

sotto_status sotto_tally_encode(const sotto_tally *tally, uint8_t *out, size_t capacity_bytes)
{
    if (tally == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    if (capacity_bytes < sotto_tally_bytes(tally)) return SOTTO_E_LENGTH;
    memcpy(out, tally->served ? magic_served : magic, sizeof magic);
    memcpy(out + 4, tally->terms.id, SOTTO_SPEC_ID_BYTES);
    sotto__put_u32(out + 20, tally->epoch);
    sotto__put_u32(out + 24, (uint32_t)tally->phase | (uint32_t)tally->decides << 8);
    sotto__put_u64(out + 28, tally->count);
    sotto__put_u64(out + 36, tally->heard);
    uint8_t *at = out + HEAD_BYTES;
    for (uint32_t i = 0; i < pairs_of(tally); i++, at += 16) {
        sotto__put_u64(at, pair_at(tally, i)->count);
        sotto__put_u64(at + 8, (uint64_t)pair_at(tally, i)->sum);
    }
    for (uint32_t k = 0; k < shares_count_of(&tally->terms); k++, at += 4) {
        sotto__put_u32(at, tally->shares[k]);
    }
    uint32_t arms = sotto__tally_counts_arms(tally) ? tally->terms.spec.arms : 0;
    for (uint32_t k = 0; k < arms; k++, at += 8) {
        sotto__put_u64(at, tally->arm_count[k]);
    }
    for (uint32_t i = 0; i < tally->sums_count; i++, at += 8) {
        sotto__put_u64(at, (uint64_t)tally->sum[i]);
    }
    return SOTTO_OK;
}

/* Each report is +1 or -1, so sum and number are both even or both odd. */
bool sotto__measured_possible(const sotto__measured *measured)
{
    int64_t count = (int64_t)measured->count;
    return measured->sum <= count && measured->sum >= -count && (measured->sum & 1) == (count & 1);
}

/* False if the numbers contradict each other. */
static bool decode_roles(sotto_tally *tally, const uint8_t **at)
{
    if (tally->heard > tally->count) return false;
    if (tally->terms.codebook[tally->phase].nulls == 0 && tally->heard != tally->count)
        return false;
    for (uint32_t i = 0; i < pairs_of(tally); i++, *at += 16) {
        sotto__measured *pair = pair_at(tally, i);
        pair->count = sotto__get_u64(*at);
        pair->sum = (int64_t)sotto__get_u64(*at + 8);
        if (pair->count > SOTTO_REPORTS_MAX - sotto__tally_all(tally)) return false;
        if (!sotto__measured_possible(pair)) return false;
        if (i == 0 && pair->count > 0 && !tally->decides) return false;
        tally->measured += pair->count;
    }
    return true;
}

static bool decode_shares(sotto_tally *tally, const uint8_t **at)
{
    uint32_t count = shares_count_of(&tally->terms);
    for (uint32_t k = 0; k < count; k++, *at += 4) {
        tally->shares[k] = sotto__get_u32(*at);
    }
    return count == 0 || sotto__shares_are_whole(tally->shares, count);
}

/* Fills an empty tally; false if the numbers contradict each other. */
static bool decode_numbers(sotto_tally *tally, const uint8_t *at)
{
    uint32_t arms = sotto__tally_counts_arms(tally) ? tally->terms.spec.arms : 0;
    bool tags = tally->terms.codebook[tally->phase].groups > 1; /* a null has none */
    uint64_t left = tags ? tally->heard : tally->count;
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
    if (bytes_count < HEAD_BYTES) return SOTTO_E_FRAME;
    bool served = terms->spec.measure > 0 && memcmp(bytes, magic_served, sizeof magic) == 0;
    if (!served && memcmp(bytes, magic, sizeof magic) != 0) return SOTTO_E_FRAME;
    if (memcmp(bytes + 4, terms->id, SOTTO_SPEC_ID_BYTES) != 0) return SOTTO_E_SPEC;
    uint32_t flags = sotto__get_u32(bytes + 24), phase = flags & 0xff;
    bool decides = flags >> 8 == 1;
    if (phase >= SOTTO_PHASES || flags >> 8 > 1) return SOTTO_E_FRAME;
    bool measures = phase == SOTTO_PHASE_MAIN && terms->spec.measure > 0;
    if (decides && !measures) return SOTTO_E_FRAME;
    sotto_tally *tally;
    sotto_status status =
        sotto__tally_new(terms, sotto__get_u32(bytes + 20), (sotto_phase)phase, decides, &tally);
    if (status != SOTTO_OK) return status;

    tally->served = served;
    tally->count = sotto__get_u64(bytes + 28);
    tally->heard = sotto__get_u64(bytes + 36);
    const uint8_t *at = bytes + HEAD_BYTES;
    bool valid = tally->count <= (served ? 0 : SOTTO_REPORTS_MAX) &&
                 bytes_count == sotto_tally_bytes(tally) && decode_roles(tally, &at) &&
                 decode_shares(tally, &at) && decode_numbers(tally, at);
    if (!valid) {
        sotto_tally_free(tally);
        return SOTTO_E_FRAME;
    }
    *out = tally;
    return SOTTO_OK;
}
