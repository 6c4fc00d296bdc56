/*
 * Model frames: what the server publishes at the end of an epoch.
 *
 * offset  size  what (little-endian; f64 is the IEEE 754 binary64 bit pattern)
 *      0     4  magic "STM1"; "STM2" where the spec has a mean phase; "STM3" of best-arm; "STF1" and "STF2"
 *               for the first two with a fallback that is served
 *      4     1  version, 1; 2 under STM2 and STF2, 3 under STM3
 *      5     1  phase: 0 warm-up, 1 main, 2 mean
 *      6     2  0; under STF1 and STF2 what is served u16: 1 to arms: that arm + 1, arms + 1: random arms
 *      8    16  spec id
 *     24     4  epoch u32
 *     28     8  reports folded u64
 *     36        arrays of f64, those that the method has, in this order (P = dim for shared
 *               parameters, arms x dim for per-arm, one row per arm):
 *                 theta        P    every method
 *                 tbar         P    sotto, shared, unless score self with dim >= 5
 *                 theta_h      P    ldp-gloc
 *                 frozen       P    ldp-sgd and ldp-ols, per-arm
 *                 elimination  1    with frozen; +infinity means that no arm is dropped
 *                 beta         1    ldp-ucb, ldp-gloc
 *                 factor       dim(dim+1)/2 for shared, arms times that for per-arm: ldp-ucb,
 *                                   ldp-gloc; lower triangles of Cholesky factors, row by row
 *                 g            dim  where the spec has a mean phase (STM2)
 *               best-arm has none of them, and u32 instead (STM3): shares, arms of them
 *
 * Valid: exactly as long as the spec says, the magic, version, zeros, something served under STF1 and
 * STF2 alone and only if the spec has measure rounds, this spec's id, a phase that the spec has (shared
 * parameters have no warm-up), every number finite (elimination may be +infinity) and elimination,
 * beta >= 0, every diagonal entry of a factor > 0; shares with the sum 2^32.
 */
#include "core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES 36u

/* Indexed by whether the model serves a fallback, and by version. best-arm has no measure rounds,
 * so it serves nothing. */
static const uint8_t magics[2][4][4] = {
    {[1] = {'S', 'T', 'M', '1'}, [2] = {'S', 'T', 'M', '2'}, [3] = {'S', 'T', 'M', '3'}},
    {[1] = {'S', 'T', 'F', '1'}, [2] = {'S', 'T', 'F', '2'}},
};

/* How many doubles each part has; shares are u32. */
typedef struct layout {
    uint32_t theta, tbar, theta_h, frozen, elimination, beta, factor, g, shares;
} layout;

/* The version of the frame, which may be below that of the terms. */
static uint8_t version_of(const layout *l)
{
    if (l->shares > 0) return 3;
    return l->g > 0 ? 2 : 1;
}

static layout layout_of(const sotto_spec *spec)
{
    const sotto__method *method = sotto__method_of(spec);
    bool per_arm = spec->parameters == SOTTO_PARAMETERS_PER_ARM;
    uint32_t parameters = sotto__parameter_count(spec);
    bool frozen = method->eliminates && per_arm;
    return (layout){
        .theta = parameters,
        .tbar = sotto__method_averages(spec) ? parameters : 0,
        .theta_h = method->online_estimate ? parameters : 0,
        .frozen = frozen ? parameters : 0,
        .elimination = frozen ? 1 : 0,
        .beta = method->confidence ? 1 : 0,
        .factor = method->confidence ? sotto__tri_count(spec->dim) * (per_arm ? spec->arms : 1) : 0,
        .g = sotto__phase_exists(spec, SOTTO_PHASE_MEAN) ? spec->dim : 0,
        .shares = method->one_for_all ? spec->arms : 0,
    };
}

/* Numbers of a model, without the shares. */
static size_t layout_total(const layout *l)
{
    return (size_t)l->theta + l->tbar + l->theta_h + l->frozen + l->elimination + l->beta +
           l->factor + l->g;
}

/* True for the diagonal entries of packed triangles. */
static bool is_diagonal(uint32_t entry, uint32_t dim)
{
    uint32_t within = entry % sotto__tri_count(dim);
    uint32_t row = (uint32_t)((sqrt(8.0 * within + 1) - 1) / 2);
    return within == sotto__tri_count(row) + row;
}

static void set_identities(double *factor, uint32_t count, uint32_t dim)
{
    for (uint32_t i = 0; i < count; i++) {
        factor[i] = is_diagonal(i, dim) ? 1 : 0;
    }
}

sotto_status sotto_model_new(const sotto_terms *terms, sotto_model **out)
{
    if (out == NULL) return SOTTO_E_ARGUMENT;
    *out = NULL;
    if (terms == NULL) return SOTTO_E_ARGUMENT;
    if (sotto_spec_fault(&terms->spec, NULL) != SOTTO_OK) return SOTTO_E_FAULT;
    layout l = layout_of(&terms->spec);
    size_t numbers = layout_total(&l);
    sotto_model *model =
        calloc(1, sizeof *model + numbers * sizeof(double) + l.shares * sizeof(uint32_t));
    if (model == NULL) return SOTTO_E_MEMORY;

    memcpy(model->spec_id, terms->id, SOTTO_SPEC_ID_BYTES);
    bool warm_up = sotto__phase_exists(&terms->spec, SOTTO_PHASE_WARM_UP);
    model->phase = warm_up ? SOTTO_PHASE_WARM_UP : SOTTO_PHASE_MAIN;
    model->elimination = INFINITY;
    double *next = (double *)(model + 1);
    model->theta = l.theta > 0 ? next : NULL;
    next += l.theta;
    model->tbar = l.tbar > 0 ? next : NULL;
    next += l.tbar;
    model->theta_h = l.theta_h > 0 ? next : NULL;
    next += l.theta_h;
    model->frozen = l.frozen > 0 ? next : NULL;
    next += l.frozen;
    model->factor = l.factor > 0 ? next : NULL;
    next += l.factor;
    model->g = l.g > 0 ? next : NULL;
    next += l.g;
    if (l.shares > 0) {
        model->shares = (uint32_t *)next;
        sotto__shares_set_equal(l.shares, model->shares);
    }
    set_identities(model->factor, l.factor, terms->spec.dim);
    *out = model;
    return SOTTO_OK;
}

void sotto_model_free(sotto_model *model)
{
    free(model);
}

const double *sotto__deciding_estimate(const sotto_model *model)
{
    return model->tbar != NULL ? model->tbar : model->theta;
}

bool sotto__model_decides(const sotto_spec *spec, const sotto_model *model)
{
    if (model->phase != SOTTO_PHASE_MAIN) return false;
    if (model->shares != NULL) return model->reports > 0;
    const double *estimate = sotto__deciding_estimate(model);
    for (uint32_t i = 0; i < sotto__parameter_count(spec); i++) {
        if (estimate[i] != 0) return true;
    }
    return false;
}

size_t sotto_model_bytes(const sotto_terms *terms)
{
    if (terms == NULL) return 0;
    layout l = layout_of(&terms->spec);
    return HEAD_BYTES + 8 * layout_total(&l) + 4 * (size_t)l.shares;
}

/* The parts of a model in the order of the frame, except the shares. */
#define PARTS 8
typedef struct part {
    double *number;
    uint32_t count;
} part;

static void parts_of(const layout *l, sotto_model *model, part parts[PARTS])
{
    parts[0] = (part){model->theta, l->theta};
    parts[1] = (part){model->tbar, l->tbar};
    parts[2] = (part){model->theta_h, l->theta_h};
    parts[3] = (part){model->frozen, l->frozen};
    parts[4] = (part){&model->elimination, l->elimination};
    parts[5] = (part){&model->beta, l->beta};
    parts[6] = (part){model->factor, l->factor};
    parts[7] = (part){model->g, l->g};
}

/* True if the model has every array that its spec asks for. */
static bool is_whole(const layout *l, const sotto_model *model)
{
    return (l->theta == 0 || model->theta != NULL) && (l->tbar == 0 || model->tbar != NULL) &&
           (l->theta_h == 0 || model->theta_h != NULL) &&
           (l->frozen == 0 || model->frozen != NULL) && (l->factor == 0 || model->factor != NULL) &&
           (l->g == 0 || model->g != NULL) && (l->shares == 0 || model->shares != NULL);
}

/* A fallback takes the place of learning until measure rounds speak for the policy again. */
static bool can_serve(const sotto_spec *spec, uint32_t served)
{
    return served == 0 || (spec->measure > 0 && served <= spec->arms + 1);
}

static sotto_status check(const sotto_terms *terms, const layout *l, const sotto_model *model)
{
    if (memcmp(model->spec_id, terms->id, SOTTO_SPEC_ID_BYTES) != 0) return SOTTO_E_SPEC;
    if (!can_serve(&terms->spec, model->served)) return SOTTO_E_FAULT;
    if (!sotto__phase_exists(&terms->spec, (uint32_t)model->phase)) return SOTTO_E_PHASE;
    if (!is_whole(l, model)) return SOTTO_E_ARGUMENT;
    if (l->shares == 0) return SOTTO_OK;
    return sotto__shares_are_whole(model->shares, l->shares) ? SOTTO_OK : SOTTO_E_FAULT;
}

sotto_status sotto_model_check(const sotto_terms *terms, const sotto_model *model)
{
    if (terms == NULL || model == NULL) return SOTTO_E_ARGUMENT;
    layout l = layout_of(&terms->spec);
    return check(terms, &l, model);
}

bool sotto_model_decides(const sotto_terms *terms, const sotto_model *model)
{
    if (sotto_model_check(terms, model) != SOTTO_OK) return false;
    return sotto__model_decides(&terms->spec, model);
}

/* An array that the method does not have may be NULL. */
static inline void copy_numbers(const double *from, uint32_t count, double *to)
{
    if (count > 0) memcpy(to, from, count * sizeof to[0]);
}

sotto_status sotto_model_copy(const sotto_terms *terms, const sotto_model *from, sotto_model *to)
{
    if (terms == NULL || from == NULL || to == NULL) return SOTTO_E_ARGUMENT;
    layout l = layout_of(&terms->spec);
    sotto_status status = check(terms, &l, from);
    if (status == SOTTO_OK) status = check(terms, &l, to);
    if (status != SOTTO_OK) return status;

    to->epoch = from->epoch;
    to->phase = from->phase;
    to->reports = from->reports;
    to->served = from->served;
    copy_numbers(from->theta, l.theta, to->theta);
    copy_numbers(from->tbar, l.tbar, to->tbar);
    copy_numbers(from->theta_h, l.theta_h, to->theta_h);
    copy_numbers(from->frozen, l.frozen, to->frozen);
    copy_numbers(&from->elimination, l.elimination, &to->elimination);
    copy_numbers(&from->beta, l.beta, &to->beta);
    copy_numbers(from->factor, l.factor, to->factor);
    copy_numbers(from->g, l.g, to->g);
    if (l.shares > 0) memcpy(to->shares, from->shares, l.shares * sizeof to->shares[0]);
    return SOTTO_OK;
}

/* Checks every number of a frame, before it is used and before it is handed out. */
static bool numbers_valid(const sotto_spec *spec, const layout *l, const uint8_t *at)
{
    uint32_t plain = l->theta + l->tbar + l->theta_h + l->frozen;
    for (uint32_t i = 0; i < plain; i++, at += 8) {
        if (!isfinite(sotto__get_f64(at))) return false;
    }
    for (uint32_t i = 0; i < l->elimination; i++, at += 8) {
        if (!(sotto__get_f64(at) >= 0)) return false; /* infinity is valid, NaN is not */
    }
    for (uint32_t i = 0; i < l->beta; i++, at += 8) {
        double beta = sotto__get_f64(at);
        if (!(beta >= 0 && isfinite(beta))) return false;
    }
    for (uint32_t i = 0; i < l->factor; i++, at += 8) {
        double entry = sotto__get_f64(at);
        if (!isfinite(entry)) return false;
        if (is_diagonal(i, spec->dim) && !(entry > 0)) return false;
    }
    for (uint32_t i = 0; i < l->g; i++, at += 8) {
        if (!isfinite(sotto__get_f64(at))) return false;
    }
    uint64_t shares = 0;
    for (uint32_t k = 0; k < l->shares; k++, at += 4) {
        shares += sotto__get_u32(at);
    }
    return l->shares == 0 || shares == UINT64_C(1) << 32;
}

sotto_status sotto_model_encode(const sotto_terms *terms, const sotto_model *model, uint8_t *out,
                                size_t capacity_bytes)
{
    if (out == NULL) return SOTTO_E_ARGUMENT;
    sotto_status status = sotto_model_check(terms, model);
    if (status != SOTTO_OK) return status;
    if (capacity_bytes < sotto_model_bytes(terms)) return SOTTO_E_LENGTH;

    layout l = layout_of(&terms->spec);
    memcpy(out, magics[model->served > 0][version_of(&l)], sizeof magics[0][0]);
    out[4] = version_of(&l);
    out[5] = (uint8_t)model->phase;
    sotto__put_u16(out + 6, (uint16_t)model->served); /* at most arms + 1 */
    memcpy(out + 8, model->spec_id, SOTTO_SPEC_ID_BYTES);
    sotto__put_u32(out + 24, model->epoch);
    sotto__put_u64(out + 28, model->reports);

    part parts[PARTS];
    sotto_model shallow = *model;
    parts_of(&l, &shallow, parts);
    uint8_t *at = out + HEAD_BYTES;
    for (int p = 0; p < PARTS; p++) {
        for (uint32_t i = 0; i < parts[p].count; i++, at += 8) {
            sotto__put_f64(at, parts[p].number[i]);
        }
    }
    for (uint32_t k = 0; k < l.shares; k++, at += 4) {
        sotto__put_u32(at, model->shares[k]);
    }
    bool valid = numbers_valid(&terms->spec, &l, out + HEAD_BYTES);
    return valid ? SOTTO_OK : SOTTO_E_FAULT;
}

/* Magic, version and `served` agree. */
static bool head_valid(const sotto_spec *spec, const layout *l, const uint8_t *bytes)
{
    uint32_t served = sotto__get_u16(bytes + 6);
    const uint8_t *magic = magics[served > 0][version_of(l)];
    return memcmp(bytes, magic, sizeof magics[0][0]) == 0 && bytes[4] == version_of(l) &&
           can_serve(spec, served);
}

sotto_status sotto_model_decode(const sotto_terms *terms, const uint8_t *bytes, size_t bytes_count,
                                sotto_model *out)
{
    if (terms == NULL || bytes == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    if (memcmp(out->spec_id, terms->id, SOTTO_SPEC_ID_BYTES) != 0) return SOTTO_E_SPEC;
    layout l = layout_of(&terms->spec);
    if (!is_whole(&l, out)) return SOTTO_E_ARGUMENT;
    if (bytes_count < HEAD_BYTES || !head_valid(&terms->spec, &l, bytes)) return SOTTO_E_FRAME;
    if (memcmp(bytes + 8, terms->id, SOTTO_SPEC_ID_BYTES) != 0) return SOTTO_E_SPEC;
    if (bytes_count != sotto_model_bytes(terms)) return SOTTO_E_FRAME;
    if (!sotto__phase_exists(&terms->spec, bytes[5])) return SOTTO_E_PHASE;
    const uint8_t *at = bytes + HEAD_BYTES;
    if (!numbers_valid(&terms->spec, &l, at)) return SOTTO_E_FRAME;

    out->phase = (sotto_phase)bytes[5];
    out->epoch = sotto__get_u32(bytes + 24);
    out->reports = sotto__get_u64(bytes + 28);
    out->served = sotto__get_u16(bytes + 6);
    part parts[PARTS];
    parts_of(&l, out, parts);
    for (int p = 0; p < PARTS; p++) {
        for (uint32_t i = 0; i < parts[p].count; i++, at += 8) {
            parts[p].number[i] = sotto__get_f64(at);
        }
    }
    for (uint32_t k = 0; k < l.shares; k++, at += 4) {
        out->shares[k] = sotto__get_u32(at);
    }
    return SOTTO_OK;
}
