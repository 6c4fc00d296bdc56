/* A second implementation of lab/plan/plan.c that shares no code with it. */
#include "plan_twin.h"
#include "core/core.h"
#include "test.h"

#include <math.h>

/* The formulas at the head of plan.c, applied report by report, in terms of P. */
typedef struct twin {
    double d, arms, bound, noise, reach, level, across, chosen, near, worse, most;
    double scale_warm, scale_main;   /* B */
    double louder_warm, louder_main; /* q/qhat */
    double sharing;                  /* K^2 with signs, K with tags */
    uint64_t mean_phase, warm_up;
    bool per_arm, sign, centred;
    bool slow, cut; /* per-arm self; 0/1 rewards, identity link */
    sotto_link link;
    double lo, hi, prior;
} twin;

/* The length of scores that the terms expect: 2/K in warm-up, 0.3 after. */
static double twin_expected(const sotto_plan *plan, sotto_phase phase)
{
    return phase == SOTTO_PHASE_WARM_UP ? fmin(1, 2.0 / plan->match.spec.arms) : 0.3;
}

/* q of scores of mean length a. */
static double twin_heard(const sotto_plan *plan, sotto_phase phase, double a)
{
    const sotto_codebook *c = &plan->terms.codebook[phase];
    double top = exp(plan->match.spec.epsilon), heard = c->size - c->top, nulls = c->nulls;
    if (c->nulls == 0) return 1;
    double codewords = a * (c->top * top + heard) + (1 - a) * c->size;
    return codewords / (codewords + a * nulls + (1 - a) * nulls * top);
}

/* The server's q: no more than the terms expect. */
static double twin_counted(const sotto_plan *plan, sotto_phase phase)
{
    return fmin(twin_heard(plan, phase, twin_expected(plan, phase)),
                twin_heard(plan, phase, plan->score_size[phase]));
}

/* B, or with nulls B sqrt qhat. */
static double twin_length(const sotto_plan *plan, sotto_phase phase)
{
    return plan->terms.codebook[phase].scale * sqrt(twin_counted(plan, phase));
}

static double twin_louder(const sotto_plan *plan, sotto_phase phase)
{
    return twin_heard(plan, phase, plan->score_size[phase]) / twin_counted(plan, phase);
}

static twin twin_of(const sotto_plan *plan, bool private)
{
    const sotto_spec *spec = &plan->match.spec;
    const sotto_codebook *codebook = plan->terms.codebook;
    double k = spec->arms;
    bool tags = codebook[SOTTO_PHASE_MAIN].groups > 1;
    twin w = {
        .d = spec->dim,
        .arms = k,
        .bound = spec->theta_norm_max,
        .noise = plan->match.environment.noise,
        .reach = plan->reach,
        .level = plan->level,
        .across = plan->across,
        .chosen = plan->chosen_slope,
        .near = plan->near_loss,
        .most = plan->best_reward - plan->chance_reward,
        .scale_warm = private ? twin_length(plan, SOTTO_PHASE_WARM_UP) : 1,
        .scale_main = private ? twin_length(plan, SOTTO_PHASE_MAIN) : 1,
        .louder_warm = private ? twin_louder(plan, SOTTO_PHASE_WARM_UP) : 1,
        .louder_main = private ? twin_louder(plan, SOTTO_PHASE_MAIN) : 1,
        .sharing = tags || !private ? k : k * k,
        .per_arm = spec->parameters == SOTTO_PARAMETERS_PER_ARM,
        .sign = spec->score == SOTTO_SCORE_SIGN,
        .centred = spec->score == SOTTO_SCORE_CENTRED,
        .slow = spec->score == SOTTO_SCORE_SELF && spec->parameters == SOTTO_PARAMETERS_PER_ARM,
        .cut = spec->reward_kind == SOTTO_REWARD_BINARY && spec->link == SOTTO_LINK_IDENTITY,
        .link = spec->link,
        .lo = spec->reward_lo,
        .hi = spec->reward_hi,
    };
    w.worse = !w.per_arm && (w.sign || w.d < 5) ? 1.2 : 1.0;
    w.prior = w.bound * w.bound / w.d;
    if (w.per_arm) {
        double c = fmax(0.5, fmin(3, 1.5 * k / w.d)), t = (double)plan->match.horizon;
        double b = w.slow ? codebook[SOTTO_PHASE_MEAN].scale : codebook[SOTTO_PHASE_WARM_UP].scale;
        double wanted = ceil(c * k * 2 * atan(1) * w.d * (private ? b * b : 1));
        w.warm_up =
            (uint64_t)(w.slow ? fmax(t / 50, fmin(t / 10, wanted)) : fmin(wanted, floor(t / 5)));
    }
    if (w.slow && private) {
        w.mean_phase = sotto_learning_mean_phase(&plan->terms, plan->match.horizon);
    }
    if (w.slow && w.link == SOTTO_LINK_IDENTITY) w.prior = 0.5 * (w.hi - w.lo) * (w.hi - w.lo);
    return w;
}

/* The mean of the centred score of Poisson(m) counts, where the true mean is m e^shift. */
static double centred_mean(double m, double shift)
{
    double below = 0, p = exp(-m), truth = m * exp(shift);
    int q = 0;
    for (; below + p < 0.5; p *= m / ++q) {
        below += p;
    }
    double mean = 0, chance = exp(-truth);
    for (int r = 0; r < 60; chance *= truth / ++r) {
        mean += chance * (r < q ? 1 : r > q ? -1 : (1 - 2 * below - p) / p);
    }
    return mean;
}

static double twin_centred_slope(double m)
{
    assert_near(centred_mean(m, 0), 0, 1e-12);
    return (centred_mean(m, -1e-5) - centred_mean(m, 1e-5)) / 2e-5;
}

static double twin_slope(const twin *w, double P, bool random)
{
    if (w->sign) return 0.8 / sqrt(w->noise * w->noise + P);
    double at = random ? 0 : w->level * w->bound, mu = sotto__link_mean(w->link, at);
    if (w->centred) return twin_centred_slope(mu);
    if (w->cut && random) return 0.5;
    return sotto__link_slope(w->link, at) / (mu - w->lo > w->hi - mu ? mu - w->lo : w->hi - mu);
}

/* The cost of arms that no one gets. */
static double twin_hidden(const twin *w, double u)
{
    if (w->arms <= w->d) return 0;
    double y = pow(w->arms / (w->d * w->d + 3 * w->d - 5), 2.2);
    double slope = sotto__link_slope(w->link, w->level * w->bound);
    return 0.08 * w->bound * slope * pow(u, 0.8) * 1.2 * y / (2 + y);
}

/* 1 - cos^2 after the warm-up of an arm, of scores that are not self: the server has a guess s0 of the noise,
 * and steps by it. */
static double twin_unknown(const twin *w)
{
    double P = w->prior, s0 = 0.15 * (w->hi - w->lo), b = 1, n = 0;
    double reports = floor((double)w->warm_up / w->arms), steps = reports < 2000 ? reports : 2000;
    for (double i = 0; i < steps; i++) {
        double I = reports / steps / (w->d * w->scale_warm * w->scale_warm);
        double S = w->sign ? 0.8 / sqrt(s0 * s0 + P) : 0.5;
        double truly = twin_slope(w, b * b * w->bound * w->bound / w->d + n, false);
        P = 1 / (1 / P + I * S * S);
        double pull = fmin(0.9, P * I * S * truly);
        b *= 1 - pull;
        n = n * (1 - pull) * (1 - pull) + P * P * I * S * S;
    }
    double across = w->d * n / (w->bound * w->bound);
    return across > 0 ? across / ((1 - b) * (1 - b) + across) : 1;
}

/* The cost of an estimate with this cosine. */
static double twin_loss(const twin *w, double cosine)
{
    double m = 1 - cosine, straight = w->worse * w->near * m;
    if (w->cut && !w->per_arm) {
        return fmin(w->most, w->worse * m * (cosine * w->near + m * w->most));
    }
    double missing = w->worse * w->near < w->most ? w->most - w->worse * w->near : 0;
    return fmin(w->most, straight + missing * m * m);
}

/* The server's own P: its estimate is (1 - b) theta* + noise of variance n. Per-arm score self, and 0/1 rewards with
 * link identity. */
static double twin_slow_regret(const twin *w, uint64_t people)
{
    double b = 1, n = 0, P = w->prior, regret = 0, range = w->hi - w->lo, hidden = 0;
    for (uint64_t t = 0; t < people; t++) {
        bool mean = t < w->mean_phase, random = t < w->mean_phase + w->warm_up;
        double B = random ? w->scale_warm : w->scale_main;
        double sharing = !w->per_arm ? 1 : random ? w->arms : w->sharing;
        double guess = w->link == SOTTO_LINK_IDENTITY ? (w->per_arm ? 1.2 : 1.6) / range : 0.5;
        double server = guess * (random ? 1 : 0.7);
        double across = (w->per_arm ? w->d : w->d - 1) * n / (w->bound * w->bound);
        double cosine = b < 1 ? (1 - b) / sqrt((1 - b) * (1 - b) + across) : 0;
        if (t == w->mean_phase + w->warm_up && w->per_arm) {
            hidden = twin_hidden(w, 1 - cosine * cosine);
        }
        double lost = random ? w->most : twin_loss(w, cosine) + hidden;
        regret += lost < w->most ? lost : w->most;
        if (mean) continue;
        double I = server * server / (sharing * w->d * B * B);
        double truly = w->per_arm ? twin_slope(w, P, random) : 0.5 + cosine * (w->chosen - 0.5);
        double pull = P * I * truly / server;
        b *= 1 - pull;
        n = n * (1 - pull) * (1 - pull) + P * P * I * (random ? w->louder_warm : w->louder_main);
        double damping = w->per_arm ? 1 + range * range * (1 / P - 1 / w->prior) / 6 : 1;
        P = 1 / (1 / P + I / damping);
    }
    return regret;
}

static double regret_of(const twin *w, uint64_t people)
{
    double P = w->bound * w->bound / w->d, regret = 0;
    if (w->slow || (w->cut && !w->per_arm && w->d >= 5)) return twin_slow_regret(w, people);
    double hidden = w->per_arm ? twin_hidden(w, twin_unknown(w)) : 0;
    for (uint64_t t = 0; t < people; t++) {
        double unknown = w->d * P / (w->bound * w->bound);
        double cosine = sqrt(1 - unknown), v = 1 - cosine;
        if (!w->per_arm) cosine = 1 - v + (v - v * v * v * v) / w->d;
        bool random = t < w->warm_up;
        double steep = twin_slope(w, P, random) * (1 - (1 - unknown) * (1 - w->across));
        if (w->cut && !w->per_arm) steep = 0.5 + cosine * (w->chosen - 0.5);
        double B = random ? w->scale_warm : w->scale_main;
        double sharing = !w->per_arm ? 1 : random ? w->arms : w->sharing;
        double lost = random ? w->most : twin_loss(w, cosine) + hidden;
        regret += lost < w->most ? lost : w->most;
        P = 1 / (1 / P + steep * steep / (sharing * w->d * B * B));
    }
    return regret;
}

double plan_twin_regret(const sotto_plan *plan, bool private, uint64_t people)
{
    const twin w = twin_of(plan, private);
    return regret_of(&w, people);
}
