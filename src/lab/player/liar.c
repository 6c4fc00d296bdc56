/*
 * Liars.
 *
 * A decision is argmax x . theta (per-arm: argmax x . theta_k). Scaling the estimate does not
 * change it, nor does adding one vector to all arms; only a change of direction does. Let D* and D
 * be the truth and the estimate that decides, per-arm less the mean over arms. The angle between
 * them grows fastest when D moves against
 *
 *   g = D* - (<D*, D>/<D, D>) D,      the part of D* that is orthogonal to D (D = 0: D*).
 *
 * Scores and gradients are subtracted (theta -= step sum), so the liar moves the sum along g. With
 * moments theta follows the vector part (theta = A^-1 sum), so there the liar moves it along -g. Of
 * all reports that the fold accepts, the liar sends the one that moves the sum furthest:
 *
 *   index   the codeword of the nonce's own codebook with the largest <what it adds, g>; of several
 *           nonces the best (grinding)
 *   ticks   each tick where g is not 0, at the largest size that is not refused, with the sign of
 *           g; the others stay honest
 *
 * The lab knows the truth; a liar may not. This is the most harmful of the directions that were
 * tried. A liar who knows only the model does less harm: moving against the estimate changes only
 * its length, and any other direction is a guess.
 */
#include "client/client.h"
#include "core/core.h"
#include "player.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sotto__liar {
    sotto_terms terms;
    const sotto__world *world;
    sotto__seeded random;
    double share;      /* of people who lie */
    uint32_t grind;    /* nonces that each tries */
    uint32_t row_dim;  /* numbers of the goal for one arm, or all of it for shared parameters */
    uint32_t theta_at; /* where in such a row what theta moves by begins */
    double direction;  /* 1 where theta moves against the sum, -1 where it follows */
    double *truth;     /* D*: as many numbers as theta* */
    double *estimate;  /* D: likewise */
    double *goal;      /* g or -g, laid out as the sums of a tally */
    double *mixed;     /* scratch: dim */
    double *memory;    /* all doubles above */
    int32_t *normal;   /* scratch: one codeword */
    int8_t *sign;      /* scratch: arms */
    int32_t *attempt;  /* the values of one nonce's best report */
};

/* ---- the goal ----------------------------------------------------------------------------- */

/* out = theta; per-arm: less the mean of its rows. */
static void centre(const sotto_spec *spec, const double *theta, uint32_t count, double *out)
{
    uint32_t rows = count / spec->dim;
    for (uint32_t j = 0; j < spec->dim; j++) {
        double sum = 0;
        for (uint32_t i = j; i < count; i += spec->dim) {
            sum += theta[i];
        }
        double mean = rows > 1 ? sum / rows : 0;
        for (uint32_t i = j; i < count; i += spec->dim) {
            out[i] = theta[i] - mean;
        }
    }
}

static void aim(sotto__liar *liar, const sotto_model *model)
{
    const sotto_spec *spec = &liar->terms.spec;
    uint32_t count = liar->world->theta_count;
    centre(spec, liar->world->theta, count, liar->truth);
    centre(spec, sotto__deciding_estimate(model), count, liar->estimate);
    double square = sotto__dot(liar->estimate, liar->estimate, count);
    double along = square > 0 ? sotto__dot(liar->truth, liar->estimate, count) / square : 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i / spec->dim * liar->row_dim + liar->theta_at + i % spec->dim;
        liar->goal[at] = liar->direction * (liar->truth[i] - along * liar->estimate[i]);
    }
}

/* ---- ticks -------------------------------------------------------------------------------- */

static void forge_ticks(const sotto__liar *liar, sotto_report *report)
{
    const sotto_terms *terms = &liar->terms;
    double edge = floor(sotto__lattice_tick_max(&terms->lattice, terms->spec.noise_law));
    int32_t largest = (int32_t)fmin(edge, INT32_MAX);
    for (uint32_t i = 0; i < report->count; i++) {
        if (liar->goal[i] > 0) report->value[i] = largest;
        if (liar->goal[i] < 0) report->value[i] = -largest;
    }
}

/* ---- indices ------------------------------------------------------------------------------ */

/* The index of one codebook with the largest <z, toward>, and that product. A codeword with a tag
 * uses the row of that tag. */
static double best_index(const sotto__liar *liar, const sotto_codebook *codebook,
                         const uint8_t *nonce, uint32_t arm, const double *toward, int32_t *index)
{
    uint32_t half = codebook->size / 2, dim = codebook->dim;
    sotto__block_at at = {liar->terms.stream_key, nonce, SOTTO__STREAM_CODEBOOK, 0, arm};
    double best = -1;
    for (uint32_t i = 0; i < half; i++) {
        const double *row = toward + (size_t)(i % codebook->groups) * dim;
        at.codeword = i;
        double norm = sqrt(sotto__codeword_normals(&at, dim, liar->normal));
        double product = 0;
        for (uint32_t j = 0; j < dim; j++) {
            product += liar->normal[j] * row[j];
        }
        if (fabs(product) <= best * norm) continue;
        best = fabs(product) / norm;
        *index = (int32_t)(product < 0 ? i + half : i);
    }
    return best;
}

/* sum_k s_k g_k: the fold adds s_k z to the row of every arm k. */
static const double *mix_by_signs(sotto__liar *liar, const uint8_t *nonce)
{
    const sotto_spec *spec = &liar->terms.spec;
    sotto__arm_signs(&liar->terms, nonce, liar->sign);
    memset(liar->mixed, 0, spec->dim * sizeof liar->mixed[0]);
    for (uint32_t k = 0; k < spec->arms; k++) {
        for (uint32_t j = 0; j < spec->dim; j++) {
            liar->mixed[j] += liar->sign[k] * liar->goal[(size_t)k * spec->dim + j];
        }
    }
    return liar->mixed;
}

/* The best report of a nonce into liar->attempt; returns how far it moves the sum along g. */
static double attempt(sotto__liar *liar, sotto_phase phase, const uint8_t *nonce)
{
    const sotto_spec *spec = &liar->terms.spec;
    const sotto_codebook *codebook = &liar->terms.codebook[phase];
    bool split = spec->split == SOTTO_SPLIT_PER_ARM;
    if (phase == SOTTO_PHASE_WARM_UP) {
        uint32_t arm = sotto__assigned_arm(&liar->terms, nonce);
        uint32_t slot = split ? arm : 0;
        return best_index(liar, codebook, nonce, slot, liar->goal + (size_t)arm * spec->dim,
                          &liar->attempt[slot]);
    }
    if (split) {
        double all = 0;
        for (uint32_t k = 0; k < spec->arms; k++) {
            all += best_index(liar, codebook, nonce, k, liar->goal + (size_t)k * spec->dim,
                              &liar->attempt[k]);
        }
        return all;
    }
    bool signs = spec->parameters == SOTTO_PARAMETERS_PER_ARM && codebook->groups == 1 &&
                 codebook->dim == spec->dim;
    const double *toward = signs ? mix_by_signs(liar, nonce) : liar->goal;
    return best_index(liar, codebook, nonce, 0, toward, &liar->attempt[0]);
}

/* The first nonce is the one that the person's own device drew. Nonces of measure rounds are
 * skipped, because those rounds do not move theta. */
static void forge_indices(sotto__liar *liar, const sotto_model *model, sotto_report *report)
{
    uint8_t nonce[SOTTO_NONCE_BYTES];
    double best = -1;
    bool followed = sotto__model_is_followed(&liar->terms.spec, model);
    memcpy(nonce, report->nonce, sizeof nonce);
    for (uint32_t n = 0; n < liar->grind; n++) {
        if (n > 0) {
            sotto__put_u64(nonce, sotto__seeded_next(&liar->random));
            sotto__put_u64(nonce + 8, sotto__seeded_next(&liar->random));
        }
        if (sotto__role_of(&liar->terms, nonce, followed) != SOTTO_ROLE_LEARN) continue;
        double moved = attempt(liar, model->phase, nonce);
        if (moved <= best) continue;
        best = moved;
        memcpy(report->nonce, nonce, sizeof nonce);
        memcpy(report->value, liar->attempt, report->count * sizeof report->value[0]);
    }
}

/* ---- a person ----------------------------------------------------------------------------- */

bool sotto__liar_comes(sotto__liar *liar)
{
    return sotto__uniform(sotto__seeded_next(&liar->random)) < liar->share;
}

void sotto__liar_forge(sotto__liar *liar, const sotto_model *model, sotto_report *report)
{
    aim(liar, model);
    if (sotto_terms_reports_indices(&liar->terms)) {
        forge_indices(liar, model, report);
    } else {
        forge_ticks(liar, report);
    }
}

/* ---- made and freed ----------------------------------------------------------------------- */

/* Moments have their vector after the d(d+1)/2 numbers of svec(x x'). That of ldp-gloc, a residual
 * times x, is a gradient. */
static void lay_out(sotto__liar *liar)
{
    const sotto_spec *spec = &liar->terms.spec;
    bool moments = spec->score == SOTTO_SCORE_MOMENTS;
    bool pair = spec->score == SOTTO_SCORE_GLOC_PAIR;
    liar->row_dim = sotto__statistic_dim(spec);
    liar->theta_at = moments || pair ? spec->dim * (spec->dim + 1) / 2 : 0;
    liar->direction = moments ? -1 : 1;
}

void sotto__liar_free(sotto__liar *liar)
{
    if (liar == NULL) return;
    free(liar->memory);
    free(liar->normal);
    free(liar->sign);
    free(liar->attempt);
    free(liar);
}

static sotto_status allocate(sotto__liar *liar)
{
    const sotto_terms *terms = &liar->terms;
    const sotto_spec *spec = &terms->spec;
    size_t theta = liar->world->theta_count;
    size_t sums = theta / spec->dim * liar->row_dim; /* no codebook has more numbers */
    liar->memory = calloc(2 * theta + sums + spec->dim, sizeof liar->memory[0]);
    liar->normal = calloc(sums, sizeof liar->normal[0]);
    liar->sign = calloc(spec->arms, sizeof liar->sign[0]);
    liar->attempt = calloc(sotto_report_count(terms), sizeof liar->attempt[0]);
    bool some = liar->memory != NULL && liar->normal != NULL;
    if (!some || liar->sign == NULL || liar->attempt == NULL) return SOTTO_E_MEMORY;
    liar->truth = liar->memory;
    liar->estimate = liar->truth + theta;
    liar->goal = liar->estimate + theta;
    liar->mixed = liar->goal + sums;
    return SOTTO_OK;
}

sotto_status sotto__liar_new(const sotto_match *match, const sotto_terms *terms, uint64_t seed,
                             const sotto__world *world, sotto__liar **out)
{
    *out = NULL;
    sotto__liar *liar = calloc(1, sizeof *liar);
    if (liar == NULL) return SOTTO_E_MEMORY;
    liar->terms = *terms;
    liar->world = world;
    liar->share = match->liars;
    liar->grind = match->grind;
    sotto__stream_begin(&liar->random, seed, SOTTO__PURPOSE_LIARS);
    lay_out(liar);
    sotto_status status = allocate(liar);
    if (status != SOTTO_OK) {
        sotto__liar_free(liar);
        return status;
    }
    *out = liar;
    return SOTTO_OK;
}
