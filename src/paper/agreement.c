/* Our runs of calibration published beside those of the authors' own code. */
#include "core/core.h"
#include "inner.h"
#include "lab/math/math.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define LEVEL 1e-3 /* chance that the whole list fails, if all laws are the same */

/* Formats as "median (smallest to largest)"; sorts `values`. */
static const char *spread_text(sotto__section *s, double *values, uint32_t count)
{
    sotto__sort(values, count);
    return sotto__pool_print(
        s->pool, "%s (%s to %s)", sotto__section_number(s, sotto__quantile(values, count, 0.5)),
        sotto__section_number(s, values[0]), sotto__section_number(s, values[count - 1]));
}

/* The smallest p that the test can give, if all values of one side are above all of the other:
 * 2/C(m + n, n). If even that is not a rejection, the test says nothing. */
static double smallest_p(uint32_t m, uint32_t n)
{
    return 2 * exp(sotto__log_gamma(m + 1.0) + sotto__log_gamma(n + 1.0) -
                   sotto__log_gamma(m + n + 1.0));
}

/* One method in one setting. */
static bool add_cell(sotto__section *s, sotto__page_table *table, const sotto__part *part,
                     uint32_t match, double threshold)
{
    sotto__pool *pool = s->pool;
    const sotto__reference *theirs = sotto__reference_of(&part->comparison.match[match]);
    uint32_t seeds = part->comparison.sweep.seeds_count;
    double *ours = sotto__pool_take(pool, seeds * sizeof *ours), other[SOTTO__REFERENCE_SEEDS];
    assert(theirs != NULL); /* the table has no other settings */
    if (ours == NULL) return false;
    sotto__part_regrets(part, match, sotto__part_last_point(part), ours);
    memcpy(other, theirs->regret, sizeof other);
    uint32_t ranked = seeds < SOTTO__RANK_TEST_MAX ? seeds : SOTTO__RANK_TEST_MAX;
    double p = sotto__rank_test(ours, ranked, other, theirs->seeds);
    const char **cell = sotto__page_table_line(table, false);
    cell[0] = part->stage->title;
    cell[1] = sotto__pool_print(pool, "%g", theirs->epsilon);
    cell[2] = sotto_player_name(theirs->player);
    cell[3] = spread_text(s, ours, seeds);
    cell[4] = spread_text(s, other, theirs->seeds);
    cell[5] = sotto__pool_print(pool, "%u, %u", seeds, theirs->seeds);
    cell[6] = sotto__pool_print(pool, "%.2g", p);
    if (smallest_p(ranked, theirs->seeds) > threshold) {
        cell[6] = sotto__pool_print(pool, "%.2g: too few seeds to tell", p);
        return true;
    }
    sotto__section_add_check(s,
                             sotto__pool_print(pool,
                                               "%s, epsilon %g, %s: p = %.2g, at least %.2g wanted",
                                               cell[0], theirs->epsilon, cell[2], p, threshold),
                             p >= threshold);
    return true;
}

static uint32_t count_cells(const sotto__section *s)
{
    uint32_t cells = 0;
    for (uint32_t i = 0; i < s->reproduction->parts_count; i++) {
        const sotto__part *part = &s->reproduction->part[i];
        if (part->experiment == s->experiment) cells += part->comparison.sweep.matches_count;
    }
    return cells;
}

bool sotto__agreement_fill(sotto__section *s)
{
    static const sotto__page_column column[] = {
        {"setting", SOTTO__HTML_WORDS},
        {"epsilon", SOTTO__HTML_NUMBER},
        {"method", SOTTO__HTML_WORDS},
        {"ours: median (range)", SOTTO__HTML_NUMBER},
        {"theirs: median (range)", SOTTO__HTML_NUMBER},
        {"seeds", SOTTO__HTML_NUMBER},
        {"p", SOTTO__HTML_NUMBER},
    };
    uint32_t cells = count_cells(s);
    sotto__page_table table;
    if (!sotto__page_table_begin(&table, s->pool, "Regret at the last round, ours and theirs",
                                 column, 7, cells)) {
        return false;
    }
    for (uint32_t i = 0; i < s->reproduction->parts_count; i++) {
        const sotto__part *part = &s->reproduction->part[i];
        if (part->experiment != s->experiment) continue;
        for (uint32_t m = 0; m < part->comparison.sweep.matches_count; m++) {
            if (!add_cell(s, &table, part, m, LEVEL / cells)) return false;
        }
    }
    if (s->reproduction->settings.scale == SOTTO__SCALE_QUICK) {
        sotto__section_add_paragraph(
            s, "Quick plays the rows with d = 2 only; full plays all of them.");
    }
    sotto__section_add_table(s, &table);
    return true;
}
