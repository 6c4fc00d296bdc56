/*
 * What a match truly promises.
 *
 * Gaussian noise of sd s on statistics that lie at most D apart is (epsilon, delta)-LDP for the
 * epsilon with
 *
 *   Phi(w/2 - epsilon/w) - e^epsilon Phi(-w/2 - epsilon/w) = delta,   w = D/s
 *
 * and for no smaller one if two secrets are D apart.
 */
#include "true_privacy.h"

#include <sotto/lab/mechanisms.h>

#include <math.h>

/* D of (x x' on and above the diagonal, r x) with ||x|| <= 1, |r| <= 1: sqrt 4.5. */
#define MOMENTS_DIAMETER 2.1213203435596424

static sotto__true_privacy none(const char *why)
{
    return (sotto__true_privacy){.epsilon = INFINITY, .delta = 1, .why = why};
}

/* The authors' sd on every moment: 6 sqrt(2 ln(2.5/delta))/epsilon. */
static sotto__true_privacy of_authors_moments(const sotto_match *match)
{
    double sigma = 6 * sqrt(2 * log(2.5 / match->delta)) / match->spec.epsilon;
    return (sotto__true_privacy){
        .epsilon = sotto_gaussian_epsilon(match->delta, MOMENTS_DIAMETER / sigma),
        .delta = match->delta,
        .why = "more Gaussian noise than the claim needs",
    };
}

static sotto__true_privacy of_published(const sotto_match *match)
{
    bool unbounded = match->environment.kind == SOTTO_ENVIRONMENT_PUBLISHED &&
                     match->spec.parameters == SOTTO_PARAMETERS_PER_ARM;
    if (unbounded) return none("contexts are not bounded, nor clipped");
    if (match->player == SOTTO_PLAYER_LDP_GLOC) {
        return none("what is reported is not bounded: its estimate is not kept in a ball");
    }
    if (match->player == SOTTO_PLAYER_LDP_SGD) {
        return (sotto__true_privacy){match->spec.epsilon, 0, "as claimed: the gradient is clipped"};
    }
    return of_authors_moments(match);
}

/* After warm-up each arm's block is released at half of both; without one, all are. */
double sotto__paper_whitened(const sotto_match *match)
{
    const sotto_spec *spec = &match->spec;
    bool halves = spec->parameters == SOTTO_PARAMETERS_PER_ARM && match->learning.warm_up == 0;
    double part = halves ? 0.5 : 1;
    return sotto_paper_moments_calibrate(part * spec->epsilon, part * spec->delta,
                                         spec->context_norm_max)
        .whitened;
}

static sotto__true_privacy of_paper(const sotto_match *match)
{
    const sotto_spec *spec = &match->spec;
    if (spec->delta == 0) return (sotto__true_privacy){spec->epsilon, 0, "as claimed"};
    return (sotto__true_privacy){
        .epsilon = sotto_gaussian_epsilon(spec->delta, sotto__paper_whitened(match)),
        .delta = spec->delta,
        .why = "less Gaussian noise than the claim needs",
    };
}

sotto__true_privacy sotto__true_privacy_of(const sotto_match *match)
{
    if (match->brought != NULL) return none("brought by people: nothing is proved of it");
    if (!sotto_player_is_private(match->player)) return none("no privacy: for comparison");
    switch (match->calibration) {
    case SOTTO_CALIBRATION_EXACT:
        return (sotto__true_privacy){match->spec.epsilon, match->spec.delta, "as claimed"};
    case SOTTO_CALIBRATION_PAPER: return of_paper(match);
    case SOTTO_CALIBRATION_PUBLISHED: return of_published(match);
    }
    return none("unknown calibration");
}
