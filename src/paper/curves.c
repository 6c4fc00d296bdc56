#include "inner.h"
#include "lab/run/run.h"

#include <math.h>

/* ==== regrets ================================================================================ */

/* Regret at the last round: every method, what it promises, and who has less. */

static void fill_line(sotto__section *s, const sotto__part *part, uint32_t match, const char **cell)
{
    sotto__pool *pool = s->pool;
    const sotto_match *m = &part->comparison.match[match];
    double epsilon = part->comparison.epsilon[match];
    sotto__spread spread = sotto__part_spread(part, match, sotto__part_last_point(part));
    sotto__true_privacy truth = sotto__true_privacy_of(m);
    cell[0] = sotto__pool_print(pool, "%g", epsilon);
    cell[1] = part->stage->name;
    cell[2] = sotto_player_name(m->player);
    cell[3] = sotto__section_number(s, spread.mean);
    cell[4] = sotto__section_number(s, spread.error);
    cell[5] = sotto__section_number(s, spread.median);
    cell[6] = sotto__section_number(
        s, spread.mean / sotto__papers_best_of(s->reproduction, part->experiment, epsilon).mean);
    cell[7] = isfinite(truth.epsilon) ? sotto__pool_print(pool, "%.3g", truth.epsilon) : "none";
    cell[8] = isfinite(truth.epsilon) ? sotto__pool_print(pool, "%g", truth.delta) : "-";
    cell[9] = truth.why;
}

static bool add_regrets(sotto__section *s)
{
    static const sotto__page_column column[] = {
        {"epsilon", SOTTO__HTML_NUMBER},
        {"part", SOTTO__HTML_WORDS},
        {"method", SOTTO__HTML_WORDS},
        {"regret", SOTTO__HTML_NUMBER},
        {"± standard error", SOTTO__HTML_NUMBER},
        {"median", SOTTO__HTML_NUMBER},
        {"over the paper's best", SOTTO__HTML_NUMBER},
        {"true epsilon", SOTTO__HTML_NUMBER},
        {"true delta", SOTTO__HTML_NUMBER},
        {"why", SOTTO__HTML_SENTENCE},
    };
    const sotto__experiment *e = s->experiment;
    sotto__page_table table;
    uint32_t rows = e->stages_count * SOTTO_PLAYERS * SOTTO__STAGE_EPSILONS;
    if (!sotto__page_table_begin(&table, s->pool,
                                 "Regret at the last round, and the true privacy of each person",
                                 column, 10, rows)) {
        return false;
    }
    for (uint32_t i = 0; i < sotto__stage_epsilons(&e->stage[0]); i++) {
        for (uint32_t k = 0; k < e->stages_count; k++) {
            uint32_t horizons;
            const sotto__part *part =
                sotto__reproduction_stage(s->reproduction, &e->stage[k], &horizons);
            for (uint32_t p = 0; part != NULL && p < SOTTO_PLAYERS; p++) {
                uint32_t m = sotto__part_match(part, (sotto_player)p, e->stage[k].epsilon[i]);
                if (m == UINT32_MAX) continue;
                fill_line(s, part, m, sotto__page_table_line(&table, p == SOTTO_PLAYER_SOTTO));
            }
        }
    }
    table.html.folded = true;
    sotto__section_add_table(s, &table);
    return true;
}

/* ---- claims ------------------------------------------------------------------------------- */

/* One line per epsilon with verdicts on sotto and on the paper's own methods:
 * yes, no or cannot tell. */
static bool add_claims(sotto__section *s)
{
    static const sotto__page_column column[] = {
        {"epsilon", SOTTO__HTML_NUMBER},
        {"sotto has less regret than the paper's methods", SOTTO__HTML_VERDICT},
        {"the paper's methods have less than the earlier ones, exact", SOTTO__HTML_VERDICT},
        {"the same, as published", SOTTO__HTML_VERDICT},
    };
    const sotto__experiment *e = s->experiment;
    sotto__page_table table;
    uint32_t horizons;
    bool theirs = e->stage[0].calibration == SOTTO_CALIBRATION_PUBLISHED;
    const sotto__part *published = sotto__reproduction_stage(s->reproduction, e->stage, &horizons);
    const sotto__part *exact =
        sotto__reproduction_stage(s->reproduction, &e->stage[e->stages_count - 1], &horizons);
    if (exact == NULL) return true;
    const char *caption = sotto__pool_print(
        s->pool,
        "Who has less regret after %s people? Exact: the best of the paper's methods against "
        "sotto; the worse of the paper's own, LDP-SGD and LDP-OLS, against the better of the "
        "earlier ones, LDP-UCB and LDP-GLOC. To tell takes 3 standard errors over seeds.",
        sotto__section_number(s, (double)exact->horizon));
    if (!sotto__page_table_begin(&table, s->pool, caption, column, theirs ? 4 : 3,
                                 SOTTO__STAGE_EPSILONS)) {
        return false;
    }
    for (uint32_t i = 0; i < sotto__stage_epsilons(&e->stage[0]); i++) {
        double epsilon = e->stage[0].epsilon[i];
        sotto__regret_difference ours = sotto__regret_difference_of_sotto(exact, epsilon);
        sotto__regret_difference paper = sotto__regret_difference_of_paper(exact, epsilon);
        const char **cell = sotto__page_table_line(&table, false);
        cell[0] = sotto__pool_print(s->pool, "%g", epsilon);
        cell[1] = sotto__regret_difference_text(&ours, s->pool);
        cell[2] = sotto__regret_difference_text(&paper, s->pool);
        if (!theirs) continue;
        paper = sotto__regret_difference_of_paper(published, epsilon);
        cell[3] = sotto__regret_difference_text(&paper, s->pool);
    }
    sotto__section_add_table(s, &table);
    return true;
}

bool sotto__regrets_fill(sotto__section *s)
{
    bool claims = s->experiment->kind == SOTTO__EXPERIMENT_CURVES;
    return (!claims || add_claims(s)) && add_regrets(s);
}

/* ==== curves ================================================================================= */

/* Regret as curves. */

/* Room for the numbers of a curve; NULL if there is none. */
static double *take_numbers(sotto__pool *pool, sotto__curve *curve, uint32_t count)
{
    double *numbers = sotto__pool_take(pool, 4 * (size_t)count * sizeof *numbers);
    if (numbers == NULL) return NULL;
    curve->count = count;
    curve->x = numbers;
    curve->y = numbers + count;
    curve->lo = numbers + 2 * (size_t)count;
    curve->hi = numbers + 3 * (size_t)count;
    return numbers;
}

/* A point and its band. A logarithmic axis has no place below 0, so the band ends at a tenth of the
 * mean. */
static void set_point(double *numbers, uint32_t count, uint32_t i, double x,
                      const sotto__spread *spread, double unit)
{
    double y = spread->mean / unit, error = spread->error / unit;
    numbers[i] = x;
    numbers[count + i] = y;
    numbers[2 * count + i] = fmax(y - error, 0.1 * y);
    numbers[3 * count + i] = y + error;
}

/* The first checkpoint to draw. Before it, all arms are guesses. */
static uint32_t first_point(const sotto__part *part)
{
    uint32_t first = 0;
    while (part->comparison.at[first] < part->horizon / 1000) {
        first++;
    }
    return first;
}

bool sotto__curve_along(const sotto__part *part, uint32_t match, sotto__pool *pool,
                        sotto__curve *curve)
{
    const sotto__comparison *comparison = &part->comparison;
    uint32_t first = first_point(part), count = comparison->sweep.at_count - first;
    double *numbers = take_numbers(pool, curve, count);
    if (numbers == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        sotto__spread spread = sotto__part_spread(part, match, first + i);
        set_point(numbers, count, i, (double)comparison->at[first + i], &spread, 1);
    }
    return true;
}

bool sotto__curve_of_shares(const sotto__part *part, uint32_t match, uint32_t random,
                            sotto__pool *pool, sotto__curve *curve)
{
    const sotto__comparison *comparison = &part->comparison;
    uint32_t first = first_point(part), count = comparison->sweep.at_count - first;
    double *numbers = take_numbers(pool, curve, count);
    if (numbers == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        sotto__spread spread = sotto__part_spread(part, match, first + i);
        double unit = sotto__part_spread(part, random, first + i).mean;
        set_point(numbers, count, i, (double)comparison->at[first + i], &spread, unit);
        numbers[2 * count + i] = (spread.mean - spread.error) / unit; /* a linear axis */
    }
    return true;
}

bool sotto__curve_over_horizons(const sotto__part *part, uint32_t horizons, uint32_t match,
                                sotto__pool *pool, sotto__curve *curve)
{
    bool bound = part->experiment->kind == SOTTO__EXPERIMENT_BOUND;
    double *numbers = take_numbers(pool, curve, horizons);
    if (numbers == NULL) return false;
    for (uint32_t i = 0; i < horizons; i++) {
        sotto__spread spread =
            sotto__part_spread(&part[i], match, sotto__part_last_point(&part[i]));
        double unit = bound ? sotto__part_bound(&part[i], part[i].comparison.epsilon[match]) : 1;
        set_point(numbers, horizons, i, (double)part[i].horizon, &spread, unit);
    }
    return true;
}

bool sotto__curve_over_epsilons(const sotto__part *part, sotto_player player, sotto__pool *pool,
                                sotto__curve *curve)
{
    uint32_t count = sotto__stage_epsilons(part->stage);
    double *numbers = take_numbers(pool, curve, count);
    if (numbers == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        double epsilon = part->stage->epsilon[i];
        uint32_t match = sotto__part_match(part, player, epsilon);
        sotto__spread spread = sotto__part_spread(part, match, sotto__part_last_point(part));
        set_point(numbers, count, i, epsilon, &spread, 1);
    }
    return true;
}
