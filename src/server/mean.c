/*
 * The mean phase.
 *
 * Its n reports carry x/||x||. With z their unit codewords and B the scale of the codebook,
 *
 *     mhat = (B/n) sum z                      the mean of x/||x||, without bias
 *     s = max(0, 1 - B^2/(n ||mhat||^2))      the part of ||mhat||^2 that is not noise; 0 if mhat = 0
 *     g = sqrt(.7 s) mhat/||mhat||
 *
 * in which B cancels: with L = ||sum z||, s = max(0, 1 - n/L^2) and g = sqrt(.7 s) sum z/L.
 *
 * Devices then use x - (g . x) g at its old length: with s = 1 that leaves 0.3 of what contexts have
 * along their mean, so that a constant among the features is still there to be learned.
 *
 * The phase pays if T >= 30 dim V, V the smaller of the variances B^2 q of a report in warm-up and in the
 * main phase, and then lasts for min(.03 T, 10 B^2) reports. By measurement.
 */
#include "mean.h"
#include "core/calibrate.h"
#include "core/linalg.h"
#include "core/method.h"
#include "core/terms_resolve.h"

#include <math.h>

#define TAKEN_OFF 0.7

void sotto__mean_add(sotto__mean *mean, const sotto_spec *spec, uint64_t reports, const double *sum)
{
    for (uint32_t i = 0; i < spec->arms * spec->dim; i++) {
        mean->sum[i % spec->dim] += sum[i];
    }
    mean->reports += reports;
}

void sotto__mean_direction(const sotto__mean *mean, uint32_t dim, double *g)
{
    double length = sotto__norm(mean->sum, dim);
    double sure = length > 0 ? fmax(0, 1 - (double)mean->reports / (length * length)) : 0;
    double scale = sure > 0 ? sqrt(TAKEN_OFF * sure) / length : 0;
    for (uint32_t i = 0; i < dim; i++) {
        g[i] = scale * mean->sum[i];
    }
}

static double variance(const sotto_terms *terms, sotto_phase phase)
{
    return sotto__codebook_variance(&terms->codebook[phase], terms->spec.epsilon,
                                    sotto__score_size(&terms->spec, phase));
}

uint64_t sotto_learning_mean_phase(const sotto_terms *terms, uint64_t horizon)
{
    if (terms == NULL || !sotto__phase_exists(&terms->spec, SOTTO_PHASE_MEAN)) return 0;
    double t = (double)horizon, scale = terms->codebook[SOTTO_PHASE_MEAN].scale;
    double least = fmin(variance(terms, SOTTO_PHASE_WARM_UP), variance(terms, SOTTO_PHASE_MAIN));
    if (horizon == 0 || t < 30 * terms->spec.dim * least) return 0;
    return (uint64_t)fmin(0.03 * t, 10 * scale * scale);
}
