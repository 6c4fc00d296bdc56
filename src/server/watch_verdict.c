/*
 * The tests of the watch. Honest devices draw nonces at random, before they know a context, and public streams
 * of a nonce are as good as independent random numbers. docs/guarantees.md proves each line.
 *
 *   index   within a tag every codeword index is equally likely: entropy of the counts, over tags and epochs.
 *           Not in dimension 1, where ties make the first ones likelier; nulls are not counted
 *   tail    P(|<z, u>| > t) <= c P(|U_1| > t), c = (M/2)(w_top + w_rest)/(k w_top + (M - k) w_rest): of a
 *           pair z, -z at most one is in TOP. Binomial, for each phase, direction and level
 *   roles   control is Bin(reports, floor(m/2)/2^32), follow Bin(reports of epochs that decide, rest of m);
 *           of epochs that serve a fallback, which have no learn reports, control is Bin(reports, floor(m/2)/m)
 *   arms    assigned arms are equally likely: entropy, of warm-up and mean phase, and of control; those of
 *           best-arm are as likely as their shares
 *   count   a rule of the owner, not a chance
 */
#include "core/core.h"
#include "inner.h"

#include <math.h>

#define CHANCES 4.0 /* tests that share alpha */
#define LOOKS (SOTTO_PHASES * SOTTO__AIM_WAYS * SOTTO__AIM_LEVELS)

/*
 * ---- chances
 *
 *   binomial   P(X >= x) = I_q(x, n - x + 1),    P(X <= x) = I_{1-q}(n - x, x + 1)
 *
 *   entropy    n counts of m equally likely cells, phat = counts/n, have
 *
 *                  E exp(s n D(phat || uniform)) <= (1 - s)^-(m-1),     0 <= s < 1
 *
 *              (Agrawal 2020, "Finite-sample concentration of the multinomial in relative entropy"): for
 *              every n, small cells included. Sums of independent ones multiply, so with F the sum of
 *              their m - 1, by Markov at the best s = 1 - F/x:
 *
 *                  P(sum n D >= x) <= e^(F - x) (x/F)^F,     x > F
 *
 *              2 n D is the chi-square statistic of the likelihood ratio; its tables hold only for
 *              large n.
 */

double sotto__chance_above(uint64_t x, uint64_t n, double chance)
{
    if (x == 0 || chance >= 1) return 1;
    return sotto__incomplete_beta(chance, (double)x, (double)(n - x) + 1);
}

double sotto__chance_two_sided(uint64_t x, uint64_t n, double chance)
{
    double above = sotto__chance_above(x, n, chance);
    double below = sotto__chance_above(n - x, n, 1 - chance);
    return fmin(1, 2 * fmin(above, below));
}

double sotto__entropy_of(const uint64_t *count, uint32_t cells, uint32_t stride, uint64_t *total)
{
    uint64_t n = 0;
    double sum = 0;
    for (uint32_t i = 0; i < cells; i++) {
        n += count[(uint64_t)i * stride];
    }
    *total += n;
    for (uint32_t i = 0; i < cells; i++) {
        double c = (double)count[(uint64_t)i * stride];
        if (c > 0) sum += c * log(c * cells / (double)n);
    }
    return sum;
}

double sotto__entropy_chance(double x, double freedom)
{
    if (x <= freedom) return 1;
    return freedom == 0 ? 1 : exp(freedom - x + freedom * log(x / freedom));
}

/* ---- index */

/* The counts of one tally and their degrees of freedom. Codeword i and its opposite i + M/2 share a
 * tag. */
static double index_entropy(const sotto_tally *tally, double *freedom)
{
    const sotto_codebook *codebook = &tally->terms.codebook[tally->phase];
    double sum = 0;
    if (tally->watch == NULL || codebook->dim < 2) return 0;
    uint32_t groups = codebook->groups, cells = codebook->size / groups;
    for (uint32_t tag = 0; tag < groups; tag++) {
        uint64_t seen = 0;
        sum += sotto__entropy_of(tally->watch->index + tag, cells, groups, &seen);
        *freedom += seen > 0 ? cells - 1 : 0;
    }
    return sum;
}

static double index_chance(const sotto_learner *learner)
{
    double sum = 0, freedom = 0;
    for (uint32_t e = 0; e < learner->open_count; e++) {
        sum += index_entropy(learner->open[e].tally, &freedom);
    }
    return sotto__entropy_chance(sum, freedom);
}

/* ---- tail */

static double tail_factor(const sotto_codebook *codebook)
{
    double top = (double)codebook->weight_top, rest = (double)codebook->weight_rest;
    double all = codebook->top * top + (codebook->size - codebook->top) * rest;
    return codebook->size / 2.0 * (top + rest) / all * SOTTO__WATCH_MARGIN;
}

/* The reports of one phase along one way. */
static double tail_chance_of(const sotto_learner *learner, sotto_phase phase, uint32_t way)
{
    uint64_t aimed = 0, tail[SOTTO__AIM_LEVELS] = {0};
    double factor = tail_factor(&learner->terms.codebook[phase]), least = 1;
    for (uint32_t e = 0; e < learner->open_count; e++) {
        const sotto_tally *tally = learner->open[e].tally;
        if (tally->phase != phase || tally->watch == NULL) continue;
        aimed += tally->watch->aimed[way];
        for (uint32_t l = 0; l < SOTTO__AIM_LEVELS; l++) {
            tail[l] += tally->watch->tail[way][l];
        }
    }
    for (uint32_t l = 0; aimed > 0 && l < learner->aim->levels[phase]; l++) {
        least = fmin(least, sotto__chance_above(tail[l], aimed, factor * sotto__aim_chance(l)));
    }
    return least;
}

static double tail_chance(const sotto_learner *learner)
{
    double least = 1;
    if (learner->aim == NULL) return 1;
    for (int phase = 0; phase < SOTTO_PHASES; phase++) {
        if (learner->aim->shape[phase] == SOTTO__AIM_NONE) continue;
        for (uint32_t w = 0; w < SOTTO__AIM_WAYS; w++) {
            least = fmin(least, tail_chance_of(learner, (sotto_phase)phase, w));
        }
    }
    return fmin(1, LOOKS * least);
}

/* ---- roles */

static double roles_chance(const sotto_learner *learner)
{
    uint32_t measure = learner->terms.spec.measure;
    uint64_t all = 0, control = 0, decided = 0, follow = 0, served = 0, served_control = 0;
    if (measure == 0) return 1;
    for (uint32_t e = 0; e < learner->open_count; e++) {
        const sotto_tally *tally = learner->open[e].tally;
        uint64_t reports = sotto__tally_all(tally);
        if (tally->served) {
            served += reports;
            served_control += tally->measured - tally->follow.count;
            continue;
        }
        all += reports;
        control += tally->measured - tally->follow.count;
        if (!tally->decides) continue;
        decided += reports;
        follow += tally->follow.count;
    }
    double of_control = sotto__chance_two_sided(control, all, measure / 2 * 0x1p-32);
    double of_follow = sotto__chance_two_sided(follow, decided, (measure - measure / 2) * 0x1p-32);
    if (served == 0) return fmin(1, 2 * fmin(of_control, of_follow));
    double share = (double)(measure / 2) / measure;
    double of_served = sotto__chance_two_sided(served_control, served, share);
    return fmin(1, 3 * fmin(of_served, fmin(of_control, of_follow)));
}

bool sotto__roles_alarm(const sotto_learner *learner)
{
    return roles_chance(learner) < SOTTO__WATCH_ALPHA / CHANCES;
}

/* ---- arms */

static double control_entropy(const sotto_tally *tally, double *freedom)
{
    uint32_t arms = tally->terms.spec.arms;
    uint64_t control = tally->measured - tally->follow.count;
    double sum = 0;
    for (uint32_t k = 0; control > 0 && k < arms; k++) {
        double c = (double)tally->control[k].count;
        if (c > 0) sum += c * log(c * arms / (double)control);
    }
    *freedom += control > 0 ? arms - 1 : 0;
    return sum;
}

static double shares_entropy(const sotto_tally *tally, double *freedom)
{
    uint32_t arms = tally->terms.spec.arms;
    double sum = 0, n = (double)tally->count;
    for (uint32_t k = 0; k < arms; k++) {
        double c = (double)tally->arm_count[k];
        if (c > 0) sum += c * log(c / (n * tally->shares[k] * 0x1p-32));
    }
    *freedom += n > 0 ? arms - 1 : 0;
    return sum;
}

static double arms_chance(const sotto_learner *learner)
{
    double sum = 0, freedom = 0;
    for (uint32_t e = 0; e < learner->open_count; e++) {
        const sotto_tally *tally = learner->open[e].tally;
        uint64_t seen = 0;
        sum += control_entropy(tally, &freedom);
        if (tally->shares != NULL) sum += shares_entropy(tally, &freedom);
        if (learner->arm_count == NULL || tally->phase == SOTTO_PHASE_MAIN) continue;
        sum += sotto__entropy_of(tally->arm_count, tally->terms.spec.arms, 1, &seen);
        freedom += seen > 0 ? tally->terms.spec.arms - 1 : 0;
    }
    return sotto__entropy_chance(sum, freedom);
}

sotto__watch_verdict sotto__learner_verdict(const sotto_learner *learner, double alpha,
                                            uint64_t reports_expected)
{
    sotto__watch_verdict verdict = {
        .chance =
            {
                [SOTTO__WATCH_INDEX] = index_chance(learner),
                [SOTTO__WATCH_TAIL] = tail_chance(learner),
                [SOTTO__WATCH_ROLES] = roles_chance(learner),
                [SOTTO__WATCH_ARMS] = arms_chance(learner),
                [SOTTO__WATCH_COUNT] = 1,
            },
    };
    for (uint32_t e = 0; e < learner->open_count; e++) {
        verdict.reports += sotto__tally_all(learner->open[e].tally);
    }
    for (uint32_t t = 0; t < SOTTO__WATCH_TESTS; t++) {
        verdict.alarms |= (uint32_t)(verdict.chance[t] < alpha / CHANCES) << t;
    }
    bool many = reports_expected > 0 && verdict.reports / SOTTO__WATCH_TIMES >= reports_expected &&
                verdict.reports > SOTTO__WATCH_TIMES * reports_expected;
    verdict.alarms |= (uint32_t)many << SOTTO__WATCH_COUNT;
    return verdict;
}
