/*
 * The centred score, for counts under the log link: a sign that is right in the mean.
 *
 * With m = clip(e^(x . theta), 0.02, 600), R = clip(Poisson(m), lo, hi) and q its median:
 *
 *   psi = +1                                     if r < q
 *         -1                                     if r > q
 *         (P(R > q) - P(R < q))/P(R = q)         if r = q
 *
 * so that E psi = 0 where the prediction is true. Its steps do not depend on the secret: 1,024 terms
 * of the Poisson law, of which at m = 600 all but 1e-50 are below.
 */
#include "core/secret.h"
#include "score_rows.h"

#include <math.h>

#define TERMS 1024

/* The chances that R is below, at and above q: clip is monotone, so q is the clipped median of
 * Poisson(m). */
typedef struct split {
    double below, at, above, median;
} split;

static double clip(double count, const sotto_spec *spec)
{
    return sotto__within(count, spec->reward_lo, spec->reward_hi);
}

static split split_at_median(double mean, const sotto_spec *spec)
{
    double chance = exp(-mean), sum = 0, median = 0;
    for (int j = 0; j < TERMS; j++) {
        sum += chance;
        median += sum < 0.5; /* counts the numbers below the median */
        chance *= mean / (j + 1);
    }
    split s = {.median = clip(median, spec)};
    chance = exp(-mean);
    for (int j = 0; j < TERMS; j++) {
        double count = clip(j, spec);
        s.below += chance * (count < s.median);
        s.at += chance * (count == s.median);
        s.above += chance * (count > s.median);
        chance *= mean / (j + 1);
    }
    return s;
}

void sotto__score_centred(const sotto__scored *scored, double *v)
{
    double mean = sotto__within(exp(sotto__score_prediction(scored)), 0.02, 600);
    split s = split_at_median(mean, scored->spec);
    double level = (s.above - s.below) / s.at; /* within [-1, 1]: q is a median */
    double less = scored->reward<s.median, more = scored->reward> s.median;
    double psi = less - more + (1 - less - more) * sotto__within(level, -1, 1);
    sotto__score_along(scored, psi, v);
}
