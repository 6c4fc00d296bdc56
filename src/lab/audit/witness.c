/* The likelihood ratio that a claim implies, family by family, and the order of a codebook. */
#include "client/client.h"
#include "core/core.h"
#include "inner.h"

#include <math.h>
#include <stdlib.h>

/* ==== ranking ================================================================================ */

/* Order of a codebook: by |<z_i, v>| in 2^-46ths, then by index (docs/privacy.md, section 2). */

sotto_status sotto__ranking_new(const sotto__privacy_claim *claim, sotto__ranking *out)
{
    uint32_t dim = claim->dim;
    *out = (sotto__ranking){
        .claim = claim,
        .unit = calloc(2 * (size_t)dim, sizeof(double)),
        .normal = calloc(dim, sizeof(int32_t)),
        .cosine = calloc(claim->codebook.size, sizeof(double)),
    };
    if (out->unit != NULL && out->normal != NULL && out->cosine != NULL) return SOTTO_OK;
    sotto__ranking_free(out);
    return SOTTO_E_MEMORY;
}

void sotto__ranking_free(sotto__ranking *ranking)
{
    free(ranking->unit);
    free(ranking->normal);
    free(ranking->cosine);
    *ranking = (sotto__ranking){.claim = NULL};
}

double sotto__ranking_direct(sotto__ranking *ranking, uint32_t which, const double *x)
{
    uint32_t dim = ranking->claim->dim;
    double *unit = ranking->unit + (size_t)which * dim;
    sotto__clip_vector(x, dim, ranking->claim->radius, unit);
    double norm = sotto__norm(unit, dim);
    uint32_t groups = ranking->claim->codebook.groups;
    ranking->arm[which] = sotto__largest(unit, groups < dim ? groups : dim);
    for (uint32_t j = 0; j < dim && norm > 0; j++) {
        unit[j] /= norm;
    }
    return norm / ranking->claim->radius;
}

void sotto__ranking_expand(sotto__ranking *ranking, const uint8_t *nonce, uint32_t directions)
{
    uint32_t dim = ranking->claim->dim, half = ranking->claim->codebook.size / 2;
    for (uint32_t i = 0; i < half; i++) {
        sotto__block_at at = {ranking->claim->stream_key, nonce, SOTTO__STREAM_CODEBOOK, i, 0};
        double norm = sqrt(sotto__codeword_normals(&at, dim, ranking->normal));
        for (uint32_t which = 0; which < directions; which++) {
            const double *unit = ranking->unit + (size_t)which * dim;
            double product = 0;
            for (uint32_t j = 0; j < dim; j++) {
                product += ranking->normal[j] * unit[j];
            }
            ranking->cosine[which * half + i] = product / norm;
        }
    }
}

static double size_of(double cosine)
{
    return floor(fmin(1, fabs(cosine)) * 0x1p46);
}

uint32_t sotto__ranking_of(const sotto__ranking *ranking, uint32_t which, uint32_t index,
                           bool *better)
{
    uint32_t half = ranking->claim->codebook.size / 2, own = index % half;
    uint32_t groups = ranking->claim->codebook.groups, arm = ranking->arm[which];
    const double *cosine = ranking->cosine + (size_t)which * half;
    double size = size_of(cosine[own]);
    uint32_t nearer = 0;
    *better = (cosine[own] < 0) == (index >= half);
    if (own % groups != arm) return half;
    for (uint32_t i = arm; i < half; i += groups) {
        double other = size_of(cosine[i]);
        nearer += other > size || (other == size && i < own);
    }
    return nearer;
}

/* ==== known witnesses ======================================================================== */

typedef struct known_score {
    sotto__witness base; /* first, so that a pointer to it is a pointer to the whole */
    const sotto__privacy_claim *claim;
    double *f[2];      /* LATTICE: the statistics in ticks; VECTOR: the directions */
    double norm[2];    /* CODEBOOK, VECTOR: the lengths over R */
    double density[2]; /* VECTOR: inside and outside the cap, relative to uniform */
    sotto__ranking ranking;
} known_score;

static void known_free(sotto__witness *witness)
{
    known_score *self = (known_score *)witness;
    free(self->f[0]);
    free(self->f[1]);
    sotto__ranking_free(&self->ranking);
    free(self);
}

/* sum_i (y_i - (f_i + f'_i)/2)(f_i - f'_i)/sigma^2 */
static double gaussian_of(sotto__witness *witness, const sotto__subject_answer *answer)
{
    const known_score *self = (const known_score *)witness;
    double sigma = self->claim->lattice.scale_ticks, sum = 0;
    for (uint32_t i = 0; i < self->claim->dim; i++) {
        double middle = (self->f[0][i] + self->f[1][i]) / 2;
        sum += (answer->value[i] - middle) * (self->f[0][i] - self->f[1][i]);
    }
    return sum / (sigma * sigma);
}

/* sum_i (|y_i - f'_i| - |y_i - f_i|)/b */
static double laplace_of(sotto__witness *witness, const sotto__subject_answer *answer)
{
    const known_score *self = (const known_score *)witness;
    double sum = 0;
    for (uint32_t i = 0; i < self->claim->dim; i++) {
        sum += fabs(answer->value[i] - self->f[1][i]) - fabs(answer->value[i] - self->f[0][i]);
    }
    return sum / self->claim->lattice.scale_ticks;
}

/* A short input of length n is a unit input whose sign is flipped with probability (1-n)/2. */
static double mixed(double norm, double as_it_is, double flipped)
{
    return (1 + norm) / 2 * as_it_is + (1 - norm) / 2 * flipped;
}

/* With nulls, a short input is heard with chance n; if it is not heard, the nulls are heavy. */
static double weight_with_nulls(const known_score *self, uint32_t s, uint32_t index)
{
    const sotto_codebook *codebook = &self->claim->codebook;
    double top = (double)codebook->weight_top, rest = (double)codebook->weight_rest;
    bool better = false, null = index >= codebook->size;
    bool near_enough =
        !null && sotto__ranking_of(&self->ranking, s, index, &better) < codebook->top;
    return self->norm[s] * (near_enough && better ? top : rest) +
           (1 - self->norm[s]) * (null ? top : rest);
}

static double codebook_of(sotto__witness *witness, const sotto__subject_answer *answer)
{
    known_score *self = (known_score *)witness;
    const sotto_codebook *codebook = &self->claim->codebook;
    double top = (double)codebook->weight_top, rest = (double)codebook->weight_rest, weight[2];
    uint32_t index = (uint32_t)answer->value[0];
    sotto__ranking_expand(&self->ranking, answer->nonce, 2);
    if (codebook->nulls > 0) {
        return log(weight_with_nulls(self, 0, index) / weight_with_nulls(self, 1, index));
    }
    for (uint32_t s = 0; s < 2; s++) {
        bool better;
        bool near_enough = sotto__ranking_of(&self->ranking, s, index, &better) < codebook->top;
        weight[s] = mixed(self->norm[s], near_enough && better ? top : rest,
                          near_enough && !better ? top : rest);
        /* For the input 0 every index is equally likely: W/M of the total weight W. */
        double average = (codebook->top * top + (codebook->size - codebook->top) * rest);
        if (self->norm[s] == 0) weight[s] = average / codebook->size;
    }
    return log(weight[0] / weight[1]);
}

static double vector_of(sotto__witness *witness, const sotto__subject_answer *answer)
{
    const known_score *self = (const known_score *)witness;
    const sotto__privacy_claim *claim = self->claim;
    double length = claim->radius * claim->privunit.scale, density[2];
    for (uint32_t s = 0; s < 2; s++) {
        double t = sotto__dot(answer->value, self->f[s], claim->dim) / length;
        bool in_cap = t >= claim->privunit.cap_height, opposite = -t >= claim->privunit.cap_height;
        density[s] = mixed(self->norm[s], self->density[!in_cap], self->density[!opposite]);
    }
    return log(density[0] / density[1]);
}

/* The likelihood ratio is the surest witness there is. */
static double known_sure(sotto__witness *witness, uint32_t which,
                         const sotto__subject_answer *answer)
{
    (void)which;
    return witness->of(witness, answer);
}

static void know_lattice(known_score *self, const double *const input[2])
{
    for (uint32_t s = 0; s < 2; s++) {
        sotto__lattice_statistic(self->claim, input[s], self->f[s]);
    }
    self->base.of = self->claim->law == SOTTO_NOISE_GAUSSIAN ? gaussian_of : laplace_of;
}

/* The cap has p of the chance and q1 = I_{(1-g)/2}(a, a), a = (d-1)/2, of the sphere. */
static void know_vector(known_score *self, const double *const input[2])
{
    const sotto__privacy_claim *claim = self->claim;
    double a = (claim->dim - 1) / 2.0, p = claim->privunit.cap_chance;
    double cap =
        claim->dim == 1 ? 0.5 : sotto__incomplete_beta((1 - claim->privunit.cap_height) / 2, a, a);
    self->density[0] = p / cap;
    self->density[1] = (1 - p) / (1 - cap);
    for (uint32_t s = 0; s < 2; s++) {
        sotto__clip_vector(input[s], claim->dim, claim->radius, self->f[s]);
        double norm = sotto__norm(self->f[s], claim->dim);
        for (uint32_t i = 0; i < claim->dim && norm > 0; i++) {
            self->f[s][i] /= norm;
        }
        if (norm == 0) self->f[s][0] = 1; /* any direction: both signs are as likely */
        self->norm[s] = norm / claim->radius;
    }
    self->base.of = vector_of;
}

static sotto_status know_codebook(known_score *self, const double *const input[2])
{
    sotto_status status = sotto__ranking_new(self->claim, &self->ranking);
    if (status != SOTTO_OK) return status;
    for (uint32_t s = 0; s < 2; s++) {
        self->norm[s] = sotto__ranking_direct(&self->ranking, s, input[s]);
    }
    self->base.of = codebook_of;
    return SOTTO_OK;
}

sotto_status sotto__witness_known(const sotto__privacy_claim *claim, const double *x,
                                  const double *other, sotto__witness **out)
{
    const double *const input[2] = {x, other};
    *out = NULL;
    known_score *self = calloc(1, sizeof *self);
    if (self == NULL) return SOTTO_E_MEMORY;
    self->base.free = known_free;
    self->base.sure_count = 1;
    self->base.sure = known_sure;
    self->claim = claim;
    sotto_status status = SOTTO_OK;
    for (uint32_t s = 0; s < 2; s++) {
        self->f[s] = malloc(claim->dim * sizeof(double));
        if (self->f[s] == NULL) status = SOTTO_E_MEMORY;
    }
    if (status == SOTTO_OK && claim->family == SOTTO__CODEBOOK) status = know_codebook(self, input);
    if (status == SOTTO_OK && claim->family == SOTTO__LATTICE) know_lattice(self, input);
    if (status == SOTTO_OK && claim->family == SOTTO__VECTOR) know_vector(self, input);
    if (status != SOTTO_OK) {
        known_free(&self->base);
        return status;
    }
    *out = &self->base;
    return SOTTO_OK;
}

void sotto__witness_free(sotto__witness *witness)
{
    if (witness != NULL) witness->free(witness);
}
