/* The first section: every figure of the paper in one table. */
#include "inner.h"

#include <sotto/lab/floors.h>

#include <math.h>

/* The best of some methods at an epsilon. */
typedef struct best {
    double mean;
    sotto_player player;
} best;

static best best_of(const sotto__part *part, double epsilon, bool (*counts)(sotto_player))
{
    best found = {NAN, SOTTO_PLAYERS};
    for (uint32_t m = 0; part != NULL && m < part->comparison.sweep.matches_count; m++) {
        sotto_player player = part->comparison.match[m].player;
        if (!counts(player) || part->comparison.epsilon[m] != epsilon) continue;
        double mean = sotto__part_spread(part, m, sotto__part_last_point(part)).mean;
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

static bool is_best_arm(sotto_player player)
{
    return player == SOTTO_PLAYER_BEST_ARM;
}

static bool is_random(sotto_player player)
{
    return player == SOTTO_PLAYER_RANDOM;
}

static const char *best_text(sotto__section *s, best found)
{
    if (found.player == SOTTO_PLAYERS) return "-";
    return sotto__pool_print(s->pool, "%s (%s)", sotto__section_number(s, found.mean),
                             sotto_player_name(found.player));
}

static const char *kept_text(sotto__section *s, sotto__papers_best kept)
{
    if (kept.player == SOTTO_PLAYERS) return "-";
    return sotto__pool_print(s->pool, "%s (%s, %s)", sotto__section_number(s, kept.mean),
                             sotto_player_name(kept.player), kept.stage->name);
}

/* The regret that epsilon alone costs: what is proved, and for a method that starts from nothing.
 * False: no memory. */
static bool floor_text(sotto__section *s, const sotto__part *exact, double epsilon,
                       const char **out)
{
    uint32_t m = exact == NULL ? UINT32_MAX : sotto__part_match(exact, SOTTO_PLAYER_SOTTO, epsilon);
    sotto_floor floor = {NAN, NAN, NAN};
    if (m != UINT32_MAX && sotto_floor_of(&exact->comparison.match[m], &floor) != SOTTO_OK) {
        return false;
    }
    *out = isnan(floor.start)
               ? "-"
               : sotto__pool_print(s->pool, "%s / %s", sotto__section_number(s, floor.proved),
                                   sotto__section_number(s, floor.start));
    return true;
}

static bool add_line(sotto__section *s, sotto__page_table *table, const sotto__experiment *e,
                     double epsilon)
{
    uint32_t horizons;
    bool theirs = e->stage[0].calibration == SOTTO_CALIBRATION_PUBLISHED;
    const sotto__part *published =
        theirs ? sotto__reproduction_stage(s->reproduction, &e->stage[0], &horizons) : NULL;
    const sotto__part *exact =
        sotto__reproduction_stage(s->reproduction, &e->stage[e->stages_count - 1], &horizons);
    sotto__papers_best kept = sotto__papers_best_of(s->reproduction, e, epsilon);
    best sotto = best_of(exact, epsilon, is_sotto);
    const char **cell = sotto__page_table_line(table, false);
    cell[0] = sotto__pool_print(s->pool, "%s, epsilon %g", e->title, epsilon);
    cell[1] = sotto__section_number(s, sotto.mean);
    cell[3] = sotto__section_number(s, sotto.mean / kept.mean);
    cell[4] = kept_text(s, kept);
    cell[5] = best_text(s, best_of(published, epsilon, sotto__player_is_papers));
    cell[6] = best_text(s, best_of(exact, epsilon, is_open));
    cell[7] = sotto__section_number(s, best_of(exact, epsilon, is_best_arm).mean);
    cell[8] = sotto__section_number(s, best_of(exact, epsilon, is_random).mean);
    return floor_text(s, exact, epsilon, &cell[2]);
}

bool sotto__glance_fill(sotto__section *s)
{
    enum { COLUMNS = 9 };
    static const sotto__page_column column[COLUMNS] = {
        {"setting", SOTTO__HTML_SENTENCE},
        {"sotto, exact", SOTTO__HTML_OWN},
        {"epsilon alone costs: proved / heuristic", SOTTO__HTML_NUMBER},
        {"over the paper's best", SOTTO__HTML_NUMBER},
        {"paper's best that keeps its claim", SOTTO__HTML_NUMBER},
        {"paper's best, as published", SOTTO__HTML_NUMBER},
        {"without privacy", SOTTO__HTML_NUMBER},
        {"one arm for all (best-arm), exact", SOTTO__HTML_NUMBER},
        {"random arms, exact", SOTTO__HTML_NUMBER},
    };
    sotto__page_table table;
    if (!sotto__page_table_begin(&table, s->pool, "Mean regret at the last round", column, COLUMNS,
                                 sotto__experiments_count * SOTTO__STAGE_EPSILONS)) {
        return false;
    }
    for (uint32_t i = 0; i < sotto__experiments_count; i++) {
        const sotto__experiment *e = &sotto__experiments[i];
        if (e->kind != SOTTO__EXPERIMENT_CURVES) continue;
        for (uint32_t k = 0; k < sotto__stage_epsilons(&e->stage[0]); k++) {
            if (!add_line(s, &table, e, e->stage[0].epsilon[k])) return false;
        }
    }
    sotto__section_add_table(s, &table);
    sotto__paper_findings findings = sotto__paper_findings_of(s->reproduction, NULL, 0);
    const char *behind = sotto__paper_findings_behind(&findings, s->pool);
    if (behind != NULL) sotto__section_add_note(s, behind);
    return true;
}

const sotto__experiment sotto__glance = {
    .name = "glance",
    .title = "At a glance",
    .where = "the figures of its experiments",
    .about = "Regret of all people together, for all figures below: smaller is better.",
    .differs =
        "Published is what the authors' code does; exact is what ships, with every claim kept "
        "exactly. A method keeps its claim if its true epsilon and delta, in the tables below, are "
        "no larger than claimed; some do as published, all do in exact. The two have different "
        "rewards and, per-arm, different contexts, so regrets of published and exact are on "
        "different scales there. What epsilon alone costs, if delta is 0: no method loses less on "
        "average (proved); one that starts from nothing loses about this much (heuristic). One arm "
        "for all is the result of this epsilon without context. A dash: not known.",
    .kind = SOTTO__EXPERIMENT_GLANCE,
};
