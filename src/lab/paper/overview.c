/* The paper's own figure, two by two, with sotto in it. */
#include "overview.h"
#include "figures.h"

#include <string.h>

static const struct {
    const char *experiment;
    const char *title;
} column[] = {{"shared-d2", "one parameter"}, {"per-arm-d20", "one per arm"}};

static const double row[] = {1, 5};

const sotto__part *sotto__overview_part(const sotto__reproduction *reproduction, uint32_t panel,
                                        double *epsilon)
{
    const char *name = column[panel % 2].experiment;
    uint32_t horizons;
    *epsilon = row[panel / 2];
    for (uint32_t e = 0; e < sotto__experiments_count; e++) {
        const sotto__experiment *experiment = &sotto__experiments[e];
        if (strcmp(experiment->name, name) != 0) continue;
        return sotto__reproduction_stage(
            reproduction, &experiment->stage[experiment->stages_count - 1], &horizons);
    }
    return NULL;
}

/* Seeds of the two columns, which may differ. */
static const char *runs_text(const sotto__reproduction *reproduction, sotto__pool *pool)
{
    double epsilon;
    const sotto__part *left = sotto__overview_part(reproduction, 0, &epsilon);
    const sotto__part *right = sotto__overview_part(reproduction, 1, &epsilon);
    uint32_t seeds = left == NULL ? 0 : left->comparison.sweep.seeds_count;
    uint32_t others = right == NULL ? seeds : right->comparison.sweep.seeds_count;
    const char *more = seeds == others ? "" : sotto__pool_print(pool, " (per arm: %u)", others);
    return sotto__pool_print(
        pool,
        "Lower is better; the private ones at the same epsilon. Mean ± half a standard deviation, "
        "runs: %u%s",
        seeds, more);
}

/* For those who meet the methods here for the first time. */
static const char *const label_of[SOTTO_PLAYERS] = {
    [SOTTO_PLAYER_LDP_SGD] = "ldp-sgd (paper)",   [SOTTO_PLAYER_LDP_OLS] = "ldp-ols (paper)",
    [SOTTO_PLAYER_LDP_UCB] = "ldp-ucb (earlier)", [SOTTO_PLAYER_LDP_GLOC] = "ldp-gloc (earlier)",
    [SOTTO_PLAYER_OLS] = "ols (no privacy)",      [SOTTO_PLAYER_RANDOM] = "random arms",
    [SOTTO_PLAYER_BEST_ARM] = "best-arm (no context)",
};

bool sotto__overview_figure(sotto__reproduction *reproduction, sotto__figure *out, const char **alt)
{
    sotto__pool *pool = &reproduction->pool;
    *out = (sotto__figure){
        .name = "paper-figure",
        .title = "What learning costs: the paper's figure, with sotto in it",
        .caption = "The paper's figure, with sotto in it.",
        .x_label = "people",
        .x_log = true,
        .band = runs_text(reproduction, pool),
    };
    *alt = "Regret over that of random arms against people, one line per method";
    for (uint32_t p = 0; p < SOTTO__OVERVIEW_PANELS; p++) {
        double epsilon;
        const sotto__part *part = sotto__overview_part(reproduction, p, &epsilon);
        if (part == NULL) continue;
        sotto__panel *panel = &out->panel[out->panels_count++];
        if (!sotto__panel_of_shares(pool, part, epsilon, label_of, panel)) return false;
        const sotto_scene *scene = &part->stage->scene;
        panel->title = sotto__pool_print(pool, "epsilon %g, %s, dim %u, %u arms", epsilon,
                                         column[p % 2].title, scene->dim, scene->arms);
    }
    return true;
}
