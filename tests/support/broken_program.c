/* Programs outside, played in process. */
#include "broken_program.h"
#include "client/clip.h"
#include "lab/random/random.h"

#include <math.h>

/* The noise of most answers, and of a few, in units of what the claim needs. */
static const struct {
    bool gaussian;
    double most, chance_of_few, few;
} noise_of[] = {
    [PROGRAM_LAPLACE] = {false, 1, 0, 0},
    [PROGRAM_GAUSSIAN] = {true, 1, 0, 0},
    [PROGRAM_HEAVY_TAIL] = {true, 1, 0.05, 10},
    [PROGRAM_RESPONSE] = {false, 0, 0, 0},
    [PROGRAM_LAPLACE_RELEASE] = {false, 1, 1.0 / 4000, 0},
    [PROGRAM_GAUSSIAN_RELEASE] = {true, 1, 1.0 / 4000, 0},
    [PROGRAM_NEAR_RELEASE] = {false, 1, 1.0 / 4000, 1e-7},
    [PROGRAM_MIXTURE] = {true, 0.65, 0.05, 0.1},
    [PROGRAM_DISJOINT] = {false, 1, 0, 0},
};

static double laplace(double uniform)
{
    return uniform < 0.5 ? log(2 * uniform) : -log(2 * (1 - uniform));
}

/* Multiples of 40 R/4,096 within 20 R, odd where x is positive. */
static double disjoint(double x, double noise, double radius)
{
    double step = 40 * radius / 4096;
    double half = fmax(-1024, fmin(1023, floor((x + noise) / step / 2)));
    return (2 * half + (x > 0)) * step;
}

/* The sign of x, true with chance e^epsilon/(1 + e^epsilon); of 0 either sign. */
static double response(double x, double epsilon, double uniform, double other)
{
    double truth = x != 0 ? copysign(1, x) : copysign(1, other - 0.5);
    return uniform < 1 / (1 + exp(-epsilon)) ? truth : -truth;
}

sotto_status broken_program_draw(const broken_program *program, const sotto__claim *claim,
                                 const double *x, sotto_rng *rng, sotto__answer *out)
{
    uint32_t which = program->which;
    uint64_t word[3];
    sotto_status status = rng->fill(rng, word, sizeof word[0]);
    bool few = sotto__uniform(word[0]) < noise_of[which].chance_of_few;
    double scale = program->scale * (few ? noise_of[which].few : noise_of[which].most);
    sotto__clip_vector(x, claim->dim, claim->radius, out->value);
    out->count = claim->dim;
    for (uint32_t i = 0; i < claim->dim && status == SOTTO_OK; i++) {
        double *y = &out->value[i], normal[2];
        status = rng->fill(rng, word, sizeof word);
        double uniform = sotto__uniform(word[2]);
        sotto__normal_pair(word[0], word[1], normal);
        double noise = scale * (noise_of[which].gaussian ? normal[0] : laplace(uniform));
        if (which == PROGRAM_RESPONSE) {
            *y = response(*y, claim->epsilon, uniform, sotto__uniform(word[0]));
        } else if (which == PROGRAM_DISJOINT) {
            *y = disjoint(*y, noise, claim->radius);
        } else {
            *y += noise;
        }
    }
    return status;
}

void broken_program_claim(sotto__subject *subject, uint32_t which, broken_program *out)
{
    sotto__claim claim = {.family = SOTTO__OUTSIDE,
                          .dim = subject->claim.dim,
                          .answer_count = subject->claim.dim,
                          .epsilon = subject->claim.epsilon,
                          .delta = subject->claim.delta,
                          .radius = subject->claim.radius};
    double diameter = 2 * claim.radius;
    subject->claim = claim;
    out->which = which;
    out->scale = noise_of[which].gaussian
                     ? sotto_gaussian_sigma(claim.epsilon, claim.delta, diameter)
                     : diameter * sqrt(claim.dim) / claim.epsilon;
}
