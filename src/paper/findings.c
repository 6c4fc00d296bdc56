/* The findings of a reproduction, in numbers and in three sentences. */
#include "inner.h"

#include <math.h>
#include <string.h>

/* ---- numbers ------------------------------------------------------------------------------ */

static void count(sotto__verdicts *verdicts, sotto__difference_verdict verdict)
{
    switch (verdict) {
    case SOTTO__VERDICT_YES: verdicts->yes++; break;
    case SOTTO__VERDICT_NO: verdicts->no++; break;
    case SOTTO__VERDICT_CANNOT_TELL: verdicts->cannot_tell++; break;
    case SOTTO__VERDICT_NOT_PLAYED: break;
    }
}

static sotto__spread last_spread(const sotto__part *part, sotto_player player, double epsilon)
{
    return sotto__part_spread(part, sotto__part_match(part, player, epsilon),
                              sotto__part_last_point(part));
}

/* Compares sotto with the best of the paper's methods as published. That one met other people, so
 * the comparison is not seed by seed. */
static sotto__difference_verdict verdict_of_difference(const sotto__reproduction *r,
                                                       const sotto__part *exact,
                                                       const sotto__papers_best *best,
                                                       double epsilon)
{
    uint32_t horizons;
    const sotto__part *part = sotto__reproduction_stage(r, best->stage, &horizons);
    sotto__spread theirs = last_spread(part, best->player, epsilon);
    sotto__spread ours = last_spread(exact, SOTTO_PLAYER_SOTTO, epsilon);
    double error = sqrt(theirs.error * theirs.error + ours.error * ours.error);
    return sotto__verdict_of(theirs.mean - ours.mean, error);
}

/* The worse of two verdicts. */
static sotto__difference_verdict both_of(sotto__difference_verdict one,
                                         sotto__difference_verdict other)
{
    if (one == SOTTO__VERDICT_NO || other == SOTTO__VERDICT_NO) return SOTTO__VERDICT_NO;
    return one == SOTTO__VERDICT_YES ? other : one;
}

static void add_setting(sotto__paper_findings *f, const sotto__reproduction *r,
                        const sotto__experiment *e, double epsilon)
{
    uint32_t horizons;
    const sotto__part *exact =
        sotto__reproduction_stage(r, &e->stage[e->stages_count - 1], &horizons);
    const sotto__part *published =
        e->stages_count == 2 ? sotto__reproduction_stage(r, &e->stage[0], &horizons) : NULL;
    sotto__difference_verdict ours = sotto__regret_difference_of_sotto(exact, epsilon).verdict;
    if (ours == SOTTO__VERDICT_NOT_PLAYED) return;
    sotto__papers_best best = sotto__papers_best_of(r, e, epsilon);
    if (best.stage != exact->stage)
        ours = both_of(ours, verdict_of_difference(r, exact, &best, epsilon));
    count(&f->sotto, ours);
    count(&f->exact, sotto__regret_difference_of_paper(exact, epsilon).verdict);
    count(&f->published, sotto__regret_difference_of_paper(published, epsilon).verdict);
    if (best.mean < last_spread(exact, SOTTO_PLAYER_SOTTO, epsilon).mean) f->behind++;
}

static void add_figure(sotto__paper_findings *f, const sotto__reproduction *r)
{
    f->ratio_least = INFINITY;
    f->ratio_most = -INFINITY;
    for (uint32_t p = 0; p < SOTTO__OVERVIEW_PANELS; p++) {
        double epsilon;
        const sotto__part *part = sotto__overview_part(r, p, &epsilon);
        if (part == NULL) continue;
        double ratio = sotto__papers_best_of(r, part->experiment, epsilon).mean /
                       last_spread(part, SOTTO_PLAYER_SOTTO, epsilon).mean;
        f->ratio_least = fmin(f->ratio_least, ratio);
        f->ratio_most = fmax(f->ratio_most, ratio);
    }
    if (f->ratio_least > f->ratio_most) f->ratio_least = f->ratio_most = NAN;
}

sotto__paper_findings sotto__paper_findings_of(const sotto__reproduction *reproduction,
                                               const sotto__html_section *section,
                                               uint32_t sections_count)
{
    sotto__paper_findings f = {0};
    for (uint32_t i = 0; i < sotto__experiments_count; i++) {
        const sotto__experiment *e = &sotto__experiments[i];
        if (e->kind != SOTTO__EXPERIMENT_CURVES) continue;
        if (sotto__reproduction_is_synthetic(reproduction, e)) continue;
        for (uint32_t k = 0; k < sotto__stage_epsilons(&e->stage[0]); k++) {
            add_setting(&f, reproduction, e, e->stage[0].epsilon[k]);
        }
    }
    add_figure(&f, reproduction);
    for (uint32_t s = 0; s < sections_count; s++) {
        if (strcmp(section[s].id, "agreement") != 0) continue;
        for (uint32_t c = 0; c < section[s].checks_count; c++) {
            f.compared++;
            f.agreed += section[s].check[c].passed;
        }
    }
    return f;
}

/* ---- words -------------------------------------------------------------------------------- */

static uint32_t sum_of(const sotto__verdicts *v)
{
    return v->yes + v->no + v->cannot_tell;
}

const char *sotto__times(sotto__pool *pool, double ratio)
{
    return sotto__pool_print(pool, ratio < 10 ? "%.1f" : "%.0f", ratio);
}

/* " (cannot tell in 3, more in 1)" */
static const char *rest_text(const sotto__verdicts *v, const char *no, sotto__pool *pool)
{
    if (v->cannot_tell + v->no == 0) return "";
    if (v->no == 0) return sotto__pool_print(pool, " (cannot tell in %u)", v->cannot_tell);
    return sotto__pool_print(pool, " (cannot tell in %u, %s in %u)", v->cannot_tell, no, v->no);
}

static const char *sotto_text(const sotto__paper_findings *f, sotto__pool *pool)
{
    const sotto__verdicts *v = &f->sotto;
    const char *figure = "has less regret", *rest = rest_text(v, "more", pool);
    if (isfinite(f->ratio_most) && f->ratio_most > 1) {
        const char *least = f->ratio_least < 1 ? "up" : sotto__times(pool, f->ratio_least);
        figure =
            sotto__pool_print(pool,
                              "has %s to %s times less regret than the best method of the paper "
                              "in its own figure, and less",
                              least, sotto__times(pool, f->ratio_most));
    }
    return sotto__pool_print(
        pool,
        "sotto, our own method, %s than every other private method in %u of %u settings%s. "
        "A setting is one figure at one epsilon.",
        figure, v->yes, sum_of(v), rest);
}

static const char *claim_text(const sotto__paper_findings *f, sotto__pool *pool)
{
    return sotto__pool_print(
        pool,
        "The paper's own methods beat the earlier ones in %u of %u settings as the authors' code "
        "plays them%s, and in %u of %u when all of them keep the privacy that they claim%s.",
        f->published.yes, sum_of(&f->published), rest_text(&f->published, "lose", pool),
        f->exact.yes, sum_of(&f->exact), rest_text(&f->exact, "lose", pool));
}

static const char *agreement_text(const sotto__paper_findings *f, sotto__pool *pool)
{
    if (f->compared == 0) return "The authors' own code was not compared: too few runs.";
    return sotto__pool_print(
        pool,
        "Played as published, the methods agree with the authors' own code in %u of %u "
        "comparisons.",
        f->agreed, f->compared);
}

void sotto__paper_findings_text(const sotto__paper_findings *findings, sotto__pool *pool,
                                const char *text[SOTTO__PAPER_FINDINGS])
{
    text[0] = sotto_text(findings, pool);
    text[1] = claim_text(findings, pool);
    text[2] = agreement_text(findings, pool);
}

const char *sotto__paper_findings_behind(const sotto__paper_findings *findings, sotto__pool *pool)
{
    if (findings->behind == 0) return NULL;
    return sotto__pool_print(pool,
                             "In %u of %u settings the best of the paper's methods that keeps its "
                             "claim has less regret in the mean than sotto.",
                             findings->behind, sum_of(&findings->sotto));
}
