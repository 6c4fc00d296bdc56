#include "lab/math/math.h"
#include "lab/player/player.h"
#include "run.h"

#include <sotto/lab/mechanisms.h>

#include <math.h>
#include <stdlib.h>

/* ==== true privacy =========================================================================== */

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

/* Per-arm: an arm's block is released at half of epsilon and delta after warm-up; without a
 * warm-up, every block is. */
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
    if (match->custom != NULL) return none("custom by people: nothing is proved of it");
    if (sotto_player_is_rival(match->player))
        return none("a rival: its promise is of another kind");
    if (!sotto_player_is_private(match->player)) return none("no privacy: for comparison");
    switch (match->calibration) {
    case SOTTO_CALIBRATION_EXACT:
        return (sotto__true_privacy){match->spec.epsilon, match->spec.delta, "as claimed"};
    case SOTTO_CALIBRATION_PAPER: return of_paper(match);
    case SOTTO_CALIBRATION_PUBLISHED: return of_published(match);
    }
    return none("unknown calibration");
}

/* ==== summary ================================================================================ */

/* The results of a comparison. */

/* Over the runs played here: the share of reports that came late, and the mean age
 * of those learnt from. */
static void set_delay(const sotto__run_record *run, uint32_t runs, sotto_comparison_line *line)
{
    double came = 0, late = 0, learnt = 0, epochs_late = 0;
    for (uint32_t i = 0; i < runs; i++) {
        const sotto_run_delay *delay = &run[i].delay;
        if (!run[i].done || !run[i].played || !delay->there) continue;
        came += (double)(delay->arrived + delay->late);
        late += (double)delay->late;
        learnt += (double)delay->learnt;
        epochs_late += (double)delay->epochs_late;
    }
    line->late_share = came > 0 ? late / came : NAN;
    line->age = learnt > 0 ? epochs_late / learnt : NAN;
}

/* Fills all but the cost. `regret` and `error` have room for one number per seed. */
static sotto_comparison_line line_of(const sotto__comparison *comparison,
                                     const sotto__results *results, uint32_t match, double *regret,
                                     double *error)
{
    const sotto_sweep *sweep = &comparison->sweep;
    sotto_comparison_line line = {
        .method = sotto__match_method(&comparison->match[match]),
        .epsilon = comparison->epsilon[match],
        .t = comparison->match[match].horizon,
    };
    double seconds = 0, rounds = 0, learn = 0, null = 0;
    for (uint32_t i = 0; i < sweep->seeds_count; i++) {
        uint64_t r = (uint64_t)match * sweep->seeds_count + i;
        const sotto__run_record *run = &results->run[r];
        if (!run->done) continue;
        const sotto_point *last = sotto__results_points(results, r) + sweep->at_count - 1;
        regret[line.seeds] = last->regret;
        error[line.seeds] = last->estimation_error;
        line.seeds++;
        if (!run->played) continue;
        line.repairs += run->repairs;
        learn += (double)run->learn_reports;
        null += (double)run->null_reports;
        seconds += run->seconds;
        rounds += (double)last->t;
    }
    line.regret_mean = sotto__mean_of(regret, line.seeds);
    line.regret_se = sotto__standard_error(regret, line.seeds);
    line.error_mean = sotto__mean_of(error, line.seeds);
    sotto__sort(regret, line.seeds);
    line.regret_median = sotto__quantile(regret, line.seeds, 0.5);
    line.regret_p10 = sotto__quantile(regret, line.seeds, 0.1);
    line.regret_p90 = sotto__quantile(regret, line.seeds, 0.9);
    line.cost = NAN;
    set_delay(&results->run[(uint64_t)match * sweep->seeds_count], sweep->seeds_count, &line);
    line.null_share = learn > 0 ? null / learn : NAN;
    line.rounds_per_second = seconds > 0 ? rounds / seconds : NAN;
    return line;
}

/* Ranks the methods that costs are relative to; the largest is the best choice, 0 is none. */
static int rank_of(const sotto_match *match)
{
    bool identity = match->spec.link == SOTTO_LINK_IDENTITY;
    if (match->custom != NULL) return 0;
    if (match->player == SOTTO_PLAYER_OLS) return identity;
    if (match->player == SOTTO_PLAYER_GLM) return identity ? 0 : 2;
    return match->player == SOTTO_PLAYER_GLM_UCB && !identity;
}

/* The cost of privacy: regret divided by that of the same learning without privacy. */
static void set_costs(const sotto__comparison *comparison, sotto_comparison_line *line)
{
    uint32_t count = comparison->sweep.matches_count;
    for (uint32_t i = 0; i < count; i++) {
        int best = 0;
        for (uint32_t j = 0; j < count; j++) {
            int rank = rank_of(&comparison->match[j]);
            bool same = line[j].epsilon == line[i].epsilon && line[j].regret_mean > 0;
            if (!same || rank == 0 || rank < best) continue;
            best = rank;
            line[i].cost = line[i].regret_mean / line[j].regret_mean;
        }
    }
}

/* Floors are of reports that keep their promise: pure epsilon, calibrated exactly, no liars. */
static bool has_floor(const sotto_match *match)
{
    return match->custom == NULL && sotto_player_is_private(match->player) &&
           match->calibration == SOTTO_CALIBRATION_EXACT && match->liars == 0;
}

/* Whether two matches agree in all that a floor depends on. */
static bool same_floor(const sotto_match *a, const sotto_match *b)
{
    const sotto_environment *x = &a->environment, *y = &b->environment;
    return a->spec.parameters == b->spec.parameters && a->spec.link == b->spec.link &&
           a->spec.dim == b->spec.dim && a->spec.arms == b->spec.arms &&
           a->spec.epsilon == b->spec.epsilon && a->spec.delta == b->spec.delta &&
           a->horizon == b->horizon && a->worth == b->worth && x->kind == y->kind &&
           x->law == y->law && x->noise == y->noise && x->theta_norm == y->theta_norm &&
           x->custom == y->custom;
}

/* Computes each distinct floor once, because one takes a fraction of a second. */
static sotto_status set_floors(const sotto__comparison *comparison, sotto_comparison_line *line)
{
    const sotto_match *match = comparison->match;
    for (uint32_t i = 0; i < comparison->sweep.matches_count; i++) {
        line[i].floor = (sotto_floor){NAN, NAN, NAN};
        if (!has_floor(&match[i])) continue;
        uint32_t j = 0;
        while (j < i && !(has_floor(&match[j]) && same_floor(&match[j], &match[i]))) {
            j++;
        }
        if (j < i) {
            line[i].floor = line[j].floor;
            continue;
        }
        sotto_status status = sotto_floor_of(&match[i], &line[i].floor);
        if (status != SOTTO_OK) return status;
    }
    return SOTTO_OK;
}

/* Drops the heuristic where a method lost less, by three standard errors: it is then not a floor.
 * This happens with many arms in few dimensions. */
static void drop_refuted_starts(const sotto__comparison *comparison, sotto_comparison_line *line)
{
    const sotto_match *match = comparison->match;
    uint32_t count = comparison->sweep.matches_count;
    for (uint32_t i = 0; i < count; i++) {
        if (!(line[i].regret_mean + 3 * line[i].regret_se < line[i].floor.start)) continue;
        for (uint32_t j = 0; j < count; j++) {
            if (same_floor(&match[i], &match[j])) line[j].floor.start = NAN;
        }
    }
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* True if each finished run of a match is finished in an earlier match too, with the same end. */
static bool runs_are_repeated(const sotto__results *results, const sotto_sweep *sweep,
                              uint32_t match, uint32_t earlier)
{
    for (uint32_t i = 0; i < sweep->seeds_count; i++) {
        uint64_t mine = (uint64_t)match * sweep->seeds_count + i;
        uint64_t other = (uint64_t)earlier * sweep->seeds_count + i;
        if (!results->run[mine].done) continue;
        if (!results->run[other].done) return false;
        const sotto_point *a = sotto__results_points(results, mine) + sweep->at_count - 1;
        const sotto_point *b = sotto__results_points(results, other) + sweep->at_count - 1;
        if (!same_number(a->regret, b->regret)) return false;
        if (!same_number(a->estimation_error, b->estimation_error)) return false;
    }
    return true;
}

static bool is_same_method(const sotto_match *a, const sotto_match *b)
{
    return a->custom == b->custom && (a->custom != NULL || a->player == b->player);
}

/* If all matches of a method without privacy have the same runs, removes the epsilon from its
 * lines and marks all but the first as repeated. */
static void drop_epsilon(const sotto__comparison *comparison, const sotto__results *results,
                         uint32_t first, sotto_comparison_line *line)
{
    const sotto_sweep *sweep = &comparison->sweep;
    const sotto_match *match = &comparison->match[first];
    for (uint32_t j = first + 1; j < sweep->matches_count; j++) {
        bool mine = is_same_method(&comparison->match[j], match);
        if (mine && !runs_are_repeated(results, sweep, j, first)) return;
    }
    for (uint32_t j = first; j < sweep->matches_count; j++) {
        if (!is_same_method(&comparison->match[j], match)) continue;
        line[j].epsilon = INFINITY;
        line[j].repeated = j > first;
    }
}

static void drop_epsilons(const sotto__comparison *comparison, const sotto__results *results,
                          sotto_comparison_line *line)
{
    for (uint32_t i = 0; i < comparison->sweep.matches_count; i++) {
        const sotto_match *match = &comparison->match[i];
        bool claims = match->custom != NULL ? match->custom->claims_privacy
                                            : sotto_player_is_private(match->player) ||
                                                  sotto_player_is_rival(match->player);
        bool first = true;
        for (uint32_t j = 0; j < i && first; j++) {
            first = !is_same_method(&comparison->match[j], match);
        }
        if (first && !claims) drop_epsilon(comparison, results, i, line);
    }
}

sotto_status sotto__summary_of(const sotto__comparison *comparison, const sotto__results *results,
                               sotto_comparison_line *out)
{
    const sotto_sweep *sweep = &comparison->sweep;
    double *numbers = calloc(2 * (size_t)sweep->seeds_count, sizeof *numbers);
    if (numbers == NULL) return SOTTO_E_MEMORY;
    for (uint32_t i = 0; i < sweep->matches_count; i++) {
        out[i] = line_of(comparison, results, i, numbers, numbers + sweep->seeds_count);
    }
    set_costs(comparison, out);
    drop_epsilons(comparison, results, out);
    free(numbers);
    sotto_status status = set_floors(comparison, out);
    drop_refuted_starts(comparison, out);
    return status;
}
