#include "core/core.h"
#include "server.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/*
 * Folding: one report into the sums, in integers. z is the report's codeword, expanded here from
 * its nonce; s and the assigned arm come from the same nonce.
 *
 *   shared, joint   sum += z
 *   warm-up         sum[assigned arm] += z
 *   signs           sum[k] += s_k z, for every arm k
 *   tags            sum[tag] += z
 *   best-arm        sum[arm that the nonce gets of the epoch's shares] += z, of one coordinate
 *   split           sum[k] += z_k, each arm's own codeword (in warm-up the assigned arm's only)
 *   nulls           counted, and nothing is summed
 *   measure rounds  the reward, +1 or -1, by role, and for control by assigned arm
 *   ticks           sum += ticks (in warm-up the assigned arm's block only: the others are noise)
 *
 * `way` is 1, or -1 to take the report out again: all that it added is subtracted.
 */

static void add_codeword(sotto_tally *tally, const sotto_report *report, uint32_t slot,
                         uint32_t codebook_arm, uint32_t row, int32_t sign, int32_t way)
{
    const sotto_codebook *codebook = &tally->terms.codebook[tally->phase];
    sotto_status status =
        sotto_codebook_expand(codebook, tally->terms.stream_key, report->nonce,
                              (uint32_t)report->value[slot], codebook_arm, tally->codeword);
    assert(status == SOTTO_OK); /* sotto_tally_fold has checked the index */
    (void)status;
    int64_t *sum = tally->sum + (size_t)row * codebook->dim;
    for (uint32_t j = 0; j < codebook->dim; j++) {
        sum[j] += way * sign * tally->codeword[j];
    }
    if (tally->watch == NULL) return;
    sotto__watch_codeword(tally->watch, tally->phase, (uint32_t)report->value[slot],
                          tally->codeword, row, tally->sign, way);
}

/* Only reports of one index have nulls. */
static bool is_null(const sotto_tally *tally, const sotto_report *report)
{
    return (uint32_t)report->value[0] >= tally->terms.codebook[tally->phase].size;
}

static void fold_whole(sotto_tally *tally, const sotto_report *report, int32_t way)
{
    add_codeword(tally, report, 0, 0, 0, 1, way);
}

static void fold_assigned(sotto_tally *tally, const sotto_report *report, int32_t way)
{
    bool split = tally->terms.spec.split == SOTTO_SPLIT_PER_ARM;
    uint32_t arm = sotto__assigned_arm(&tally->terms, report->nonce);
    if (!is_null(tally, report))
        add_codeword(tally, report, split ? arm : 0, split ? arm : 0, arm, 1, way);
    tally->arm_count[arm] += (uint64_t)way;
}

static void fold_shared_out(sotto_tally *tally, const sotto_report *report, int32_t way)
{
    uint32_t arm = sotto__shared_arm(&tally->terms, tally->shares, report->nonce);
    add_codeword(tally, report, 0, 0, arm, 1, way);
    tally->arm_count[arm] += (uint64_t)way;
}

static void fold_signs(sotto_tally *tally, const sotto_report *report, int32_t way)
{
    uint32_t dim = tally->terms.spec.dim, arms = tally->terms.spec.arms;
    sotto__arm_signs(&tally->terms, report->nonce, tally->sign);
    add_codeword(tally, report, 0, 0, 0, tally->sign[0], way);
    for (uint32_t k = 1; k < arms; k++) {
        int64_t *sum = tally->sum + (size_t)k * dim;
        int32_t sign = way * tally->sign[k];
        for (uint32_t j = 0; j < dim; j++) {
            sum[j] += sign * tally->codeword[j];
        }
    }
}

static void fold_tags(sotto_tally *tally, const sotto_report *report, int32_t way)
{
    /* M/2 is a multiple of the groups, so a codeword and its opposite share a tag. */
    uint32_t tag = (uint32_t)report->value[0] % tally->terms.codebook[tally->phase].groups;
    add_codeword(tally, report, 0, 0, tag, 1, way);
    tally->arm_count[tag] += (uint64_t)way;
}

static void fold_split(sotto_tally *tally, const sotto_report *report, int32_t way)
{
    for (uint32_t k = 0; k < tally->terms.spec.arms; k++) {
        add_codeword(tally, report, k, k, k, 1, way);
    }
}

static void fold_ticks(sotto_tally *tally, const sotto_report *report, int32_t way)
{
    for (uint32_t i = 0; i < tally->sums_count; i++) {
        tally->sum[i] += (int64_t)way * report->value[i];
    }
}

static void fold_assigned_ticks(sotto_tally *tally, const sotto_report *report, int32_t way)
{
    uint32_t arm = sotto__assigned_arm(&tally->terms, report->nonce);
    uint32_t block = tally->sums_count / tally->terms.spec.arms;
    for (uint32_t i = arm * block; i < (arm + 1) * block; i++) {
        tally->sum[i] += (int64_t)way * report->value[i];
    }
    tally->arm_count[arm] += (uint64_t)way;
}

static sotto_status check_indices(const sotto_tally *tally, const sotto_report *report)
{
    const sotto_codebook *codebook = &tally->terms.codebook[tally->phase];
    uint32_t bound = codebook->size + codebook->nulls;
    for (uint32_t i = 0; i < report->count; i++) {
        if ((uint32_t)report->value[i] >= bound) return SOTTO_E_INDEX;
    }
    return SOTTO_OK;
}

/* A dishonest client may send any tick; ticks above what honest noise makes are refused. */
static sotto_status check_ticks(const sotto_tally *tally, const sotto_report *report)
{
    double most = sotto__lattice_tick_max(&tally->terms.lattice, tally->terms.spec.noise_law);
    int32_t largest = (int32_t)fmin(most, INT32_MAX);
    int32_t highest = 0, lowest = 0;
    for (uint32_t i = 0; i < report->count; i++) {
        highest = report->value[i] > highest ? report->value[i] : highest;
        lowest = report->value[i] < lowest ? report->value[i] : lowest;
    }
    return highest > largest || lowest < -largest ? SOTTO_E_TICK : SOTTO_OK;
}

typedef void fold_function(sotto_tally *tally, const sotto_report *report, int32_t way);

static fold_function *fold_of(const sotto_tally *tally)
{
    const sotto_spec *spec = &tally->terms.spec;
    const sotto_codebook *codebook = &tally->terms.codebook[tally->phase];
    bool indices = sotto__reports_indices(&tally->terms);
    if (tally->phase != SOTTO_PHASE_MAIN) return indices ? fold_assigned : fold_assigned_ticks;
    if (!indices) return fold_ticks;
    if (tally->shares != NULL) return fold_shared_out;
    if (spec->parameters == SOTTO_PARAMETERS_SHARED) return fold_whole;
    if (spec->split == SOTTO_SPLIT_PER_ARM) return fold_split;
    if (codebook->groups > 1) return fold_tags;
    return codebook->dim > spec->dim ? fold_whole : fold_signs;
}

static void fold_learn(sotto_tally *tally, const sotto_report *report, int32_t way)
{
    bool null = sotto__reports_indices(&tally->terms) && is_null(tally, report);
    if (!null || tally->phase != SOTTO_PHASE_MAIN) fold_of(tally)(tally, report, way);
    tally->count += (uint64_t)way;
    if (!null) tally->heard += (uint64_t)way;
}

/* A measure round: index 0 or 1 of the codebook of dimension 1, and 0 in all other places. */
static sotto_status check_measured(const sotto_report *report)
{
    for (uint32_t i = 0; i < report->count; i++) {
        if ((uint32_t)report->value[i] > (i == 0)) return SOTTO_E_INDEX;
    }
    return SOTTO_OK;
}

static void fold_measured(sotto_tally *tally, const sotto_report *report, sotto_role role,
                          int32_t way)
{
    const sotto_codebook codebook = sotto__measure_codebook(&tally->terms.codebook[tally->phase]);
    int32_t codeword;
    sotto_status status = sotto_codebook_expand(&codebook, tally->terms.stream_key, report->nonce,
                                                (uint32_t)report->value[0], 0, &codeword);
    assert(status == SOTTO_OK); /* check_measured has seen the index */
    (void)status;
    sotto__measured *of = role == SOTTO_ROLE_FOLLOW
                              ? &tally->follow
                              : &tally->control[sotto__assigned_arm(&tally->terms, report->nonce)];
    of->count += (uint64_t)way;
    of->sum += codeword > 0 ? way : -way;
    tally->measured += (uint64_t)way;
}

static void fold(sotto_tally *tally, const sotto_report *report, sotto_role role, int32_t way)
{
    if (role == SOTTO_ROLE_LEARN) {
        fold_learn(tally, report, way);
    } else {
        fold_measured(tally, report, role, way);
    }
}

/* Everything that a report must satisfy to count, and its role. */
static sotto_status check(const sotto_tally *tally, const sotto_report *report, sotto_role *role)
{
    if (memcmp(report->spec_id, tally->terms.id, SOTTO_SPEC_ID_BYTES) != 0) return SOTTO_E_SPEC;
    if (report->epoch != tally->epoch) return SOTTO_E_EPOCH; /* one tally for each open epoch */
    if (sotto__tally_all(tally) == SOTTO_REPORTS_MAX) return SOTTO_E_FULL;
    if (report->count != sotto__report_count(&tally->terms)) return SOTTO_E_LENGTH;
    *role = sotto__role_of(&tally->terms, report->nonce, tally->decides);
    if (*role != SOTTO_ROLE_LEARN) return check_measured(report);
    if (tally->served) return SOTTO_E_SERVED;
    bool indices = sotto__reports_indices(&tally->terms);
    return indices ? check_indices(tally, report) : check_ticks(tally, report);
}

sotto_status sotto__tally_check(const sotto_tally *tally, const sotto_report *report)
{
    sotto_role role;
    return report->value == NULL ? SOTTO_E_ARGUMENT : check(tally, report, &role);
}

sotto_status sotto_tally_fold(sotto_tally *tally, const sotto_report *report)
{
    sotto_role role;
    if (tally == NULL || report == NULL || report->value == NULL) return SOTTO_E_ARGUMENT;
    sotto_status status = check(tally, report, &role);
    if (status != SOTTO_OK) return status;
    fold(tally, report, role, 1);
    return SOTTO_OK;
}

void sotto__tally_unfold(sotto_tally *tally, const sotto_report *report)
{
    fold(tally, report, sotto__role_of(&tally->terms, report->nonce, tally->decides), -1);
}
