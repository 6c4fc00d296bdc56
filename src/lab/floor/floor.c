#include "core/core.h"
#include "inner.h"
#include "lab/math/math.h"

#include <sotto/lab/floors.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/*
 * The regret that local privacy itself costs. docs/methods.md, section 16, has the proofs.
 *
 * theta* = D times a uniform unit vector, I the sum of the tangent Fisher traces of all reports so
 * far. Any direction computed from the reports has, in the mean, at most this cosine with theta*:
 *
 *     A(I) = sqrt(I/((d - 1)^2 + I)).
 *
 * With link identity the next person loses at least l(I) = D M (1 - A(I)), M the mean of the
 * largest of K projections.
 *
 *     proved   I' = G(l(I)), G of tradeoff.c: exploring on top of what ignorance costs never pays
 *              off. The first person, about whom nothing is known, loses D M.
 *     local    I += min(rho^2, E|S|^2) of the arm that is best at theta*; a person loses what an
 *              angle with cosine A(I) to theta* costs.
 *     start    the same, times sd^2/(sd^2 + D^2 P), P = (1 - A(I)^2)/d.
 *
 * Per-arm parameters (link identity): a report whose arm is public gives J_1 = rho^2. A report
 * whose arm is hidden gives J_h = max over m of rho_m^2, with contexts uniform on the sphere. In
 * the first n rounds, for the best n, the arm is public and random, and a person loses D M. Later
 * persons lose D M (1 - A(I/(K - 1))), and `start` has A(I/K) in P.
 */

#define ANGLES 64u

typedef struct problem {
    uint32_t dim, arms;
    double rounds;
    double epsilon;
    sotto__floor_score score;
    double reach; /* M */
} problem;

/* A(I). */
static double cosine(const problem *of, double information)
{
    double free = of->dim - 1.0;
    return sqrt(information / (free * free + information));
}

/* 1 - A, without cancellation. */
static double missing(const problem *of, double information)
{
    double free = of->dim - 1.0, a = cosine(of, information);
    return free * free / (free * free + information) / (1 + a);
}

/* How many rounds after round t are computed in one step. */
static double stride(double t, double end)
{
    return fmin(end - t, fmax(1, floor(t / 100)));
}

/* ---- every policy ------------------------------------------------------------------------- */

static sotto_status set_proved(const problem *of, sotto_floor *out)
{
    sotto__tradeoff tradeoff;
    sotto_status status =
        sotto__tradeoff_make(&of->score, of->dim, of->arms, of->epsilon, &tradeoff);
    if (status != SOTTO_OK) return status;
    double regret = of->reach, information = sotto__tradeoff_at(&tradeoff, of->reach);
    for (double t = 1; t < of->rounds;) { /* in continuous time, which is not above the sum */
        double step = fmin(of->rounds - t, t / 200);
        double rate = sotto__tradeoff_at(&tradeoff, of->reach * missing(of, information));
        double loss = of->reach * missing(of, information + rate * step / 2);
        regret += step * loss;
        information += step * sotto__tradeoff_at(&tradeoff, loss);
        t += step;
    }
    out->proved = of->score.theta_norm * regret;
    return SOTTO_OK;
}

/* ---- near theta*, shared ------------------------------------------------------------------- */

/* Regret of an angle over 1 - its cosine, at equally spaced angles from 0 to a right one. */
typedef struct loss_table {
    double at[ANGLES + 1];
} loss_table;

static double loss_at_angle(const problem *of, const sotto__cells *greedy, double angle)
{
    double a = cos(angle), b = sin(angle), norm = of->score.theta_norm, sum = 0;
    for (uint32_t i = 0; i < greedy->count; i++) {
        const sotto__cell *x = &greedy->cell[i];
        double best = sotto__link_mean(of->score.link, norm * x->c);
        double left = sotto__link_mean(of->score.link, norm * (a * x->c - b * x->y));
        double right = sotto__link_mean(of->score.link, norm * (a * x->c + b * x->y));
        sum += x->weight * (best - (left + right) / 2);
    }
    return sum;
}

static loss_table losses(const problem *of, const sotto__cells *greedy)
{
    const double right_angle = 1.57079632679489661923;
    loss_table table;
    for (uint32_t i = 0; i <= ANGLES; i++) {
        double angle = i == 0 ? 1e-3 : right_angle * i / ANGLES;
        double half = sin(angle / 2);
        table.at[i] = loss_at_angle(of, greedy, angle) / (2 * half * half);
    }
    return table;
}

static double loss_of(const problem *of, const loss_table *table, double information)
{
    const double right_angle = 1.57079632679489661923;
    double place = ANGLES * acos(cosine(of, information)) / right_angle;
    uint32_t i = place >= ANGLES ? ANGLES - 1 : (uint32_t)place;
    double part = place - i;
    return ((1 - part) * table->at[i] + part * table->at[i + 1]) * missing(of, information);
}

/* The share of a report's information that is left while theta* is not known: 1 - A^2 is
 * `unknown`. */
static double starting(const problem *of, double information)
{
    double noise = of->score.noise, norm = of->score.theta_norm, a = cosine(of, information);
    double unknown = norm * norm * (1 - a * a) / of->dim;
    return noise * noise / (noise * noise + unknown);
}

static double walk_shared(const problem *of, const loss_table *table, double rate, bool start)
{
    double information = 0, regret = 0;
    for (double t = 0; t < of->rounds;) {
        double n = stride(t, of->rounds);
        double now = rate * (start ? starting(of, information) : 1);
        double middle = information + now * (n - 1) / 2;
        regret += n * loss_of(of, table, middle);
        information += n * rate * (start ? starting(of, middle) : 1);
        t += n;
    }
    return regret;
}

static sotto_status set_near(const problem *of, bool straight, sotto_floor *out)
{
    sotto__cells *greedy = sotto__cells_greedy(of->dim, of->arms);
    if (greedy == NULL) return SOTTO_E_MEMORY;
    double root = sotto__information_root(greedy, &of->score, of->epsilon, 1, 1);
    double rate = fmin(root * root, sotto__information_open(greedy, &of->score));
    loss_table table = losses(of, greedy);
    out->local = walk_shared(of, &table, rate, false);
    if (straight) out->start = walk_shared(of, &table, rate, true);
    free(greedy);
    return SOTTO_OK;
}

/* ---- per-arm ------------------------------------------------------------------------------- */

typedef struct arm_rates {
    double known, hidden; /* J_1, J_h */
} arm_rates;

static double walk_arms(const problem *of, arm_rates rate, double public_rounds, bool start)
{
    double information = 0, regret = 0, arms = of->arms;
    for (double t = 0; t < of->rounds;) {
        bool known = t < public_rounds;
        double n = stride(t, known ? fmin(public_rounds, of->rounds) : of->rounds);
        double each = known ? rate.known : rate.hidden;
        double now = each * (start ? starting(of, information / arms) : 1);
        double middle = information + now * (n - 1) / 2;
        regret += n * of->reach * (known ? 1 : missing(of, middle / (arms - 1)));
        information += n * each * (start ? starting(of, middle / arms) : 1);
        t += n;
    }
    return of->score.theta_norm * regret;
}

/* The regret with the best number of public rounds, found to within an eighth: that costs 0.2 % of
 * the regret at most. */
static double least_of_arms(const problem *of, arm_rates rate, bool start)
{
    double least = walk_arms(of, rate, 0, start);
    for (double n = 1; n <= of->rounds; n += fmax(1, floor(n / 8))) {
        least = fmin(least, walk_arms(of, rate, n, start));
    }
    return least;
}

/* The next m to try: every m up to 16, then in steps of an eighth, and the last one. */
static uint32_t further(uint32_t m, uint32_t arms)
{
    uint32_t next = m + (m < 16 ? 1 : m / 8);
    return next < arms ? next : arms;
}

static sotto_status set_arms(const problem *of, sotto_floor *out)
{
    sotto__cells *any = sotto__cells_greedy(of->dim, 1);
    if (any == NULL) return SOTTO_E_MEMORY;
    double open = sotto__information_open(any, &of->score);
    double root = sotto__information_root(any, &of->score, of->epsilon, 1, 1);
    arm_rates rate = {.known = fmin(root * root, open)};
    for (uint32_t m = 1; m <= of->arms; m = m < of->arms ? further(m, of->arms) : m + 1) {
        double spread = sotto__information_root(any, &of->score, of->epsilon, m, of->arms);
        rate.hidden = fmax(rate.hidden, fmin(spread * spread, open));
    }
    free(any);
    out->local = least_of_arms(of, rate, false);
    out->start = least_of_arms(of, rate, true);
    return SOTTO_OK;
}

/* ---- the door ------------------------------------------------------------------------------ */

/* False if there is no floor. */
static bool problem_of(const sotto_match *match, problem *out)
{
    const sotto_environment *world = &match->environment;
    const sotto_spec *spec = &match->spec;
    *out = (problem){
        .dim = spec->dim,
        .arms = spec->arms,
        .rounds = (double)match->horizon,
        .epsilon = spec->epsilon,
        .score = {spec->link, world->law, world->noise, world->theta_norm},
    };
    if (world->kind != SOTTO_ENVIRONMENT_SPHERE || world->custom != NULL) return false;
    if (match->worth != NULL || spec->delta != 0) return false;
    if (!(spec->epsilon >= 0.001 && spec->epsilon <= 20)) return false;
    if (spec->dim < 2 || spec->arms < 2 || match->horizon < 1) return false;
    return match->horizon <= SOTTO_HORIZON_MAX && sotto__score_exists(&out->score);
}

sotto_status sotto_floor_of(const sotto_match *match, sotto_floor *out)
{
    problem of;
    if (match == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    *out = (sotto_floor){NAN, NAN, NAN};
    if (!problem_of(match, &of)) return SOTTO_OK;
    of.reach = sotto__sphere_max_mean(of.dim, of.arms);
    bool straight = of.score.link == SOTTO_LINK_IDENTITY && of.score.law == SOTTO_LAW_GAUSSIAN;
    if (match->spec.parameters == SOTTO_PARAMETERS_PER_ARM) {
        return straight ? set_arms(&of, out) : SOTTO_OK;
    }
    sotto_status status = set_near(&of, straight, out);
    if (status == SOTTO_OK && straight) status = set_proved(&of, out);
    return status;
}
