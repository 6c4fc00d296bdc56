/* The four laws of rewards, each by inversion or by shift from one luck. */
#include "reward_law.h"
#include "core/link.h"

#include <math.h>

#define COUNT_MAX 1000
#define POISSON_MEAN_MAX 700 /* e^-mean is still a normal number */

static double draw_uniform(const sotto__ziggurat *ziggurat, sotto__seeded *stream)
{
    (void)ziggurat;
    return sotto__uniform(sotto__seeded_next(stream));
}

static double gaussian_reward(double mean, double noise, double luck)
{
    return mean + noise * luck;
}

static double none_reward(double mean, double noise, double luck)
{
    (void)noise;
    (void)luck;
    return mean;
}

static double bernoulli_reward(double mean, double noise, double luck)
{
    (void)noise;
    return luck < mean ? 1 : 0;
}

/* The smallest k with luck < F(k), F(k) = sum_{i<=k} e^-m m^i/i!. Past the mean, chances too small
 * to be added end the search: the rounded F may never reach the luck. */
static double poisson_reward(double mean, double noise, double luck)
{
    (void)noise;
    if (mean > POISSON_MEAN_MAX) return COUNT_MAX;
    double chance = exp(-mean), below = chance;
    int k = 0;
    while (luck >= below && k < COUNT_MAX && !(k > mean && chance < 0x1p-60)) {
        k++;
        chance *= mean / k;
        below += chance;
    }
    return k;
}

static const struct {
    double (*luck)(const sotto__ziggurat *ziggurat, sotto__seeded *stream);
    double (*reward)(double mean, double noise, double luck);
} laws[] = {
    [SOTTO_LAW_GAUSSIAN] = {sotto__normal, gaussian_reward},
    [SOTTO_LAW_NONE] = {draw_uniform, none_reward},
    [SOTTO_LAW_BERNOULLI] = {draw_uniform, bernoulli_reward},
    [SOTTO_LAW_POISSON] = {draw_uniform, poisson_reward},
};

double sotto__draw_luck(sotto_reward_law law, const sotto__ziggurat *ziggurat,
                        sotto__seeded *stream)
{
    return laws[law].luck(ziggurat, stream);
}

double sotto__reward(sotto_reward_law law, double mean, double noise, double luck)
{
    return laws[law].reward(mean, noise, luck);
}

double sotto__mean_reward(const sotto_spec *spec, double v)
{
    double mean = sotto__link_mean(spec->link, v);
    return spec->reward_kind == SOTTO_REWARD_BINARY ? fmax(0, fmin(1, mean)) : mean;
}
