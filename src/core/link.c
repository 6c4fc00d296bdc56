/* The four links and their derivatives. */
#include "core.h"

#include <math.h>

static double held(double v)
{
    return sotto__within(v, -700, 700);
}

static double identity_mean(double v)
{
    return v;
}

static double identity_slope(double v)
{
    (void)v;
    return 1;
}

/* mu(v) = 1/(1 + e^-v), mu' = mu (1 - mu). */
static double logit_mean(double v)
{
    return 1 / (1 + exp(-held(v)));
}

static double logit_slope(double v)
{
    return logit_mean(v) * logit_mean(-v);
}

/* mu(v) = Phi(v), mu' the normal density. */
static double probit_mean(double v)
{
    return 0.5 * sotto__erfc(-v * 0.70710678118654752440);
}

static double probit_slope(double v)
{
    return 0.39894228040143267794 * exp(-0.5 * v * v);
}

/* mu(v) = mu'(v) = e^v. */
static double log_mean(double v)
{
    return exp(held(v));
}

static const struct {
    double (*mean)(double v);
    double (*slope)(double v);
    bool slope_peaks_at_zero; /* otherwise mu' never falls */
} links[] = {
    [SOTTO_LINK_IDENTITY] = {.mean = identity_mean, .slope = identity_slope},
    [SOTTO_LINK_LOGIT] = {.mean = logit_mean, .slope = logit_slope, .slope_peaks_at_zero = true},
    [SOTTO_LINK_PROBIT] = {.mean = probit_mean, .slope = probit_slope, .slope_peaks_at_zero = true},
    [SOTTO_LINK_LOG] = {.mean = log_mean, .slope = log_mean},
};

double sotto__link_mean(sotto_link link, double v)
{
    return links[link].mean(v);
}

double sotto__link_slope(sotto_link link, double v)
{
    return links[link].slope(v);
}

double sotto__link_slope_max(sotto_link link, double bound)
{
    return links[link].slope(links[link].slope_peaks_at_zero ? 0 : bound);
}

double sotto__link_slope_min(sotto_link link, double bound)
{
    return links[link].slope(-bound);
}
