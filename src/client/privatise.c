/*
 * From a score v of an arm to a report, by the kind of experiment:
 *
 *   shared, warm-up   codebook(v): the arm is not in v, or it is public
 *   per-arm, signs    codebook(s_arm v), the signs s from the nonce
 *   per-arm, tags     codebook(v) with TOP among the arm's own codewords
 *   per-arm, joint    codebook(v in the arm's block of R^(arms x dim), 0 elsewhere)
 *   per-arm, split    for each arm b: codebook_b(v if b is the arm, else 0)
 *   lattice           v in ticks + noise
 *   lattice, per-arm  (v in the arm's block, 0 elsewhere) in ticks + noise
 *   measure rounds    codebook of dimension 1 (reward)
 *
 * The arm enters by arithmetic alone: the same work and the same coins for every arm, and no branch
 * and no address that depends on the score or the arm (tests/system/secret_branches.c).
 */
#include "core/core.h"
#include "inner.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

sotto_status sotto__door_work_new(const sotto_terms *terms, sotto__door_work *work)
{
    size_t arms = terms->spec.arms;
    uint32_t dim = 0, half = 0;
    for (int phase = 0; phase < SOTTO_PHASES; phase++) {
        dim = larger(dim, terms->codebook[phase].dim);
        half = larger(half, terms->codebook[phase].size / 2);
    }

    uint32_t at_once = sotto__codewords_at_once(half);
    memset(work, 0, sizeof *work);
    work->memory_bytes = dim * (2 * sizeof(double) + at_once * sizeof(int32_t)) +
                         half * (3 * sizeof(uint32_t) + sizeof(uint8_t)) + arms +
                         terms->lattice.dim * sizeof(int64_t);
    work->memory = calloc(1, work->memory_bytes);
    if (work->memory == NULL) return SOTTO_E_MEMORY;
    /* Widest first, so that each part is aligned. */
    work->noise = work->memory;
    work->input = (double *)(work->noise + terms->lattice.dim);
    work->choice.unit = work->input + dim;
    work->choice.normal = (int32_t *)(work->choice.unit + dim);
    work->choice.key_high = (uint32_t *)(work->choice.normal + at_once * dim);
    work->choice.key_low = work->choice.key_high + half;
    work->choice.tied_low = work->choice.key_low + half;
    work->choice.flipped = (uint8_t *)(work->choice.tied_low + half);
    work->sign = (int8_t *)(work->choice.flipped + half);
    return SOTTO_OK;
}

void sotto__door_work_free(sotto__door_work *work)
{
    if (work->memory != NULL) sotto__wipe(work->memory, work->memory_bytes);
    free(work->memory);
    work->memory = NULL;
}

/* s_arm, read without an address that depends on the arm. */
static double sign_of_arm(const sotto__door *door, uint32_t arm, int8_t *sign)
{
    sotto__arm_signs(door->terms, door->nonce, sign);
    int chosen = 0;
    for (uint32_t k = 0; k < door->terms->spec.arms; k++) {
        chosen += sign[k] * (k == arm);
    }
    return chosen;
}

/* out = v or 0. */
static void keep_or_zero(const double *restrict v, uint32_t dim, bool kept, double *restrict out)
{
    uint64_t mask = sotto__mask(kept);
    for (uint32_t i = 0; i < dim; i++) {
        out[i] = sotto__masked(sotto__finite_or_zero(v[i]), mask);
    }
}

/* The vector for the one codebook of a report that is not split. */
static void prepare_input(const sotto__door *door, const double *v, uint32_t arm,
                          sotto__door_work *work)
{
    const sotto_spec *spec = &door->terms->spec;
    const sotto_codebook *codebook = &door->terms->codebook[door->phase];
    bool hides_arm = spec->parameters == SOTTO_PARAMETERS_PER_ARM &&
                     door->phase == SOTTO_PHASE_MAIN && codebook->groups == 1;
    if (hides_arm && codebook->dim > spec->dim) {
        for (uint32_t b = 0; b < spec->arms; b++) {
            keep_or_zero(v, spec->dim, b == arm, work->input + (size_t)b * spec->dim);
        }
        return;
    }
    double sign = hides_arm ? sign_of_arm(door, arm, work->sign) : 1;
    for (uint32_t i = 0; i < codebook->dim; i++) {
        work->input[i] = sign * sotto__finite_or_zero(v[i]);
    }
}

static sotto_status choose(const sotto__door *door, const sotto_codebook *codebook,
                           uint32_t arm_codebook, uint32_t group, sotto_rng *rng,
                           sotto__door_work *work, int32_t *index)
{
    sotto__choice choice = {codebook, door->terms->stream_key, door->nonce, arm_codebook};
    sotto__coins coins;
    sotto_status status = sotto__draw_coins(codebook, rng, &coins);
    if (status == SOTTO_OK) {
        *index =
            (int32_t)sotto__choose_codeword(&choice, work->input, group, &coins, &work->choice);
    }
    sotto__wipe(&coins, sizeof coins);
    return status;
}

sotto_status sotto__door_begin(const sotto_terms *terms, sotto__noise_function *noise,
                               sotto_rng *rng, sotto__door_work *work)
{
    if (sotto__reports_indices(terms)) return SOTTO_OK;
    sotto_status status = noise(&terms->lattice, terms->spec.noise_law, rng, work->noise);
    work->noise_drawn = status == SOTTO_OK;
    return status;
}

static sotto_status make_ticks(const sotto__door *door, const double *v, uint32_t arm,
                               sotto__door_work *work, sotto_report *report)
{
    const sotto_terms *terms = door->terms;
    bool per_arm = terms->spec.parameters == SOTTO_PARAMETERS_PER_ARM;
    if (!work->noise_drawn) return SOTTO_E_ORDER;
    work->noise_drawn = false;
    sotto__add_noise(&terms->lattice, v, sotto__statistic_dim(&terms->spec), per_arm ? arm : 0,
                     work->noise, report->value);
    return SOTTO_OK;
}

static sotto_status make_indices(const sotto__door *door, const double *v, uint32_t arm,
                                 sotto_rng *rng, sotto__door_work *work, sotto_report *report)
{
    const sotto_spec *spec = &door->terms->spec;
    const sotto_codebook *codebook = &door->terms->codebook[door->phase];
    if (spec->split == SOTTO_SPLIT_JOINT) {
        prepare_input(door, v, arm, work);
        uint32_t group = codebook->groups == 1 ? 0 : arm;
        return choose(door, codebook, 0, group, rng, work, &report->value[0]);
    }
    sotto_status status = SOTTO_OK;
    for (uint32_t b = 0; b < spec->arms && status == SOTTO_OK; b++) {
        keep_or_zero(v, spec->dim, b == arm, work->input);
        status = choose(door, codebook, b, 0, rng, work, &report->value[b]);
    }
    return status;
}

/* Wipes the secret and completes the head of the report, which is private now. */
static sotto_status close_door(const sotto__door *door, sotto_status status, sotto__door_work *work,
                               sotto_report *report)
{
    sotto__wipe(work->memory, work->memory_bytes);
    if (status != SOTTO_OK) {
        memset(report->value, 0, report->count * sizeof report->value[0]);
        return status;
    }
    memcpy(report->spec_id, door->terms->id, SOTTO_SPEC_ID_BYTES);
    memcpy(report->nonce, door->nonce, SOTTO_NONCE_BYTES);
    report->epoch = door->epoch;
    return SOTTO_OK;
}

sotto_status sotto__privatise(const sotto__door *door, const double *v, uint32_t arm,
                              sotto_rng *rng, sotto__door_work *work, sotto_report *report)
{
    sotto_status status = sotto__reports_indices(door->terms)
                              ? make_indices(door, v, arm, rng, work, report)
                              : make_ticks(door, v, arm, work, report);
    return close_door(door, status, work, report);
}

sotto_status sotto__privatise_reward(const sotto__door *door, double y, sotto_rng *rng,
                                     sotto__door_work *work, sotto_report *report)
{
    assert(sotto__reports_indices(door->terms));
    const sotto_codebook codebook = sotto__measure_codebook(&door->terms->codebook[door->phase]);
    memset(report->value, 0, report->count * sizeof report->value[0]);
    work->input[0] = sotto__finite_or_zero(y);
    sotto_status status = choose(door, &codebook, 0, 0, rng, work, &report->value[0]);
    return close_door(door, status, work, report);
}
