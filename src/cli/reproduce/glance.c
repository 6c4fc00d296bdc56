/* The first section: every figure of the paper in one table. */
#include "section.h"

#include <math.h>

/* The best of some methods at an epsilon. */
typedef struct best {
    double mean;
    sotto_player player;
} best;

static best best_of(const reproduce_part *part, double epsilon, bool (*counts)(sotto_player))
{
    best found = {NAN, SOTTO_PLAYERS};
    for (uint32_t m = 0; part != NULL && m < part->comparison.sweep.matches_count; m++) {
        sotto_player player = part->comparison.match[m].player;
        if (!counts(player) || part->comparison.epsilon[m] != epsilon) continue;
        double mean = reproduce_spread_of(part, m, reproduce_last_point(part)).mean;
        if (!(mean >= found.mean)) found = (best){mean, player};
    }
    return found;
}

static bool is_sotto(sotto_player player)
{
    return player == SOTTO_PLAYER_SOTTO;
}

static bool is_open(sotto_player player)
{
    return !sotto_player_is_private(player) && player != SOTTO_PLAYER_RANDOM;
}

static bool is_random(sotto_player player)
{
    return player == SOTTO_PLAYER_RANDOM;
}

static const char *best_text(filling *f, best found)
{
    if (found.player == SOTTO_PLAYERS) return "-";
    return sotto__pool_print(&f->r->pool, "%s (%s)", number_text(f, found.mean),
                             sotto_player_name((uint32_t)found.player));
}

static const char *kept_text(filling *f, reproduce_best kept)
{
    if (kept.player == SOTTO_PLAYERS) return "-";
    return sotto__pool_print(&f->r->pool, "%s (%s, %s)", number_text(f, kept.mean),
                             sotto_player_name((uint32_t)kept.player), kept.stage->name);
}

static void add_line(filling *f, report_table *table, const sotto__experiment *e, double epsilon)
{
    uint32_t horizons;
    bool theirs = e->stage[0].calibration == SOTTO_CALIBRATION_PUBLISHED;
    const reproduce_part *published =
        theirs ? reproduce_parts_of(f->r, &e->stage[0], &horizons) : NULL;
    const reproduce_part *exact =
        reproduce_parts_of(f->r, &e->stage[e->stages_count - 1], &horizons);
    reproduce_best kept = reproduce_papers_best(f->r, e, epsilon);
    best sotto = best_of(exact, epsilon, is_sotto);
    const char **cell = report_table_line(table, false);
    cell[0] = e->name;
    cell[1] = sotto__pool_print(&f->r->pool, "%g", epsilon);
    cell[2] = best_text(f, best_of(published, epsilon, reproduce_is_papers));
    cell[3] = kept_text(f, kept);
    cell[4] = number_text(f, sotto.mean);
    cell[5] = number_text(f, sotto.mean / kept.mean);
    cell[6] = best_text(f, best_of(exact, epsilon, is_open));
    cell[7] = number_text(f, best_of(exact, epsilon, is_random).mean);
}

bool fill_glance(filling *f)
{
    static const report_column column[] = {
        {"figure", false},
        {"epsilon", true},
        {"paper's best, as published", true},
        {"paper's best that keeps its claim", true},
        {"sotto, exact", true},
        {"sotto over that", true},
        {"without privacy", true},
        {"random arms, exact", true},
    };
    report_table table;
    if (!report_table_begin(&table, &f->r->pool, "Mean regret at the last round", column, 8,
                            sotto__experiments_count * SOTTO__STAGE_EPSILONS)) {
        return false;
    }
    for (uint32_t i = 0; i < sotto__experiments_count; i++) {
        const sotto__experiment *e = &sotto__experiments[i];
        if (e->kind != SOTTO__EXPERIMENT_CURVES) continue;
        for (uint32_t k = 0; k < sotto__stage_epsilons(&e->stage[0]); k++) {
            add_line(f, &table, e, e->stage[0].epsilon[k]);
        }
    }
    add_table(f, &table);
    return true;
}

const sotto__experiment reproduce_glance = {
    .name = "glance",
    .title = "At a glance",
    .where = "the figures of its experiments",
    .about = "Regret of all people together, for all figures below: smaller is better. A method "
             "keeps its claim if its true epsilon and delta, in the tables below, are no larger "
             "than claimed; some do as published, all do in exact. The two meet other rewards and, "
             "per-arm, other contexts, so that regrets of published and exact are on different "
             "scales there.",
    .kind = SOTTO__EXPERIMENT_GLANCE,
};
