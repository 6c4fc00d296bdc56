#include "inner.h"
#include "lab/run/run.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ==== sections =============================================================================== */

/* Sections of the page: what all of them say, and which kind of experiment fills what. */

/* Says which figure of the paper it is, and what differs from it. */
static void add_texts(sotto__section *s)
{
    const sotto__experiment *e = s->experiment;
    sotto__section_add_paragraph(s, e->about);
    if (sotto__reproduction_is_synthetic(s->reproduction, e)) {
        sotto__section_add_paragraph(
            s, "The customers are SYNTHETIC: no number here is a result on the data.");
    }
    if (e->kind == SOTTO__EXPERIMENT_GLANCE) { /* about all figures, with none of its own */
        sotto__section_add_note(s, e->differs);
        return;
    }
    sotto__section_add_note(s, sotto__pool_print(s->pool, "In the paper: %s.", e->where));
    if (e->differs == NULL) return;
    sotto__section_add_note(
        s, sotto__pool_print(s->pool, "What differs from the paper: %s", e->differs));
}

static bool add_commands(sotto__section *s)
{
    const sotto__reproduction *r = s->reproduction;
    sotto__html_command *command =
        sotto__pool_take(s->pool, (r->parts_count + 1) * sizeof *command);
    if (command == NULL) return false;
    s->html.command = command;
    for (uint32_t i = 0; i < r->parts_count; i++) {
        const sotto__part *part = &r->part[i];
        if (part->experiment != s->experiment) continue;
        uint64_t runs = sotto_sweep_runs(&part->comparison.sweep);
        bool file = r->settings.data != NULL && sotto__stage_is_loan(part->stage);
        command[s->html.commands_count++] = (sotto__html_command){
            .about = sotto__pool_print(s->pool, "%s, T = %s: %" PRIu64 " runs", part->stage->name,
                                       sotto__section_number(s, (double)part->horizon), runs),
            .text = file ? "none: sotto simulate has synthetic customers only"
                         : sotto__simulate_command(part, s->pool),
        };
    }
    return true;
}

static bool fill_kind(sotto__section *s)
{
    switch (s->experiment->kind) {
    case SOTTO__EXPERIMENT_GLANCE: return sotto__glance_fill(s);
    case SOTTO__EXPERIMENT_CURVES: return sotto__regrets_fill(s);
    case SOTTO__EXPERIMENT_EPSILONS: return sotto__epsilons_fill(s) && sotto__regrets_fill(s);
    case SOTTO__EXPERIMENT_HORIZONS: return sotto__growth_fill(s);
    case SOTTO__EXPERIMENT_BOUND: return sotto__bound_fill(s);
    case SOTTO__EXPERIMENT_AGREEMENT: return sotto__agreement_fill(s);
    case SOTTO__EXPERIMENT_CONSTANTS: return sotto__constants_fill(s);
    }
    return false;
}

bool sotto__section_of(sotto__reproduction *reproduction, const sotto__experiment *experiment,
                       sotto__html_section *out)
{
    sotto__section section;
    if (!sotto__section_begin(&section, reproduction, experiment)) return false;
    add_texts(&section);
    bool filled = fill_kind(&section) && (experiment->stages_count == 0 || add_commands(&section));
    *out = section.html;
    return filled;
}

/* ==== section ================================================================================ */

/* What all sections have. */

bool sotto__section_begin(sotto__section *section, sotto__reproduction *reproduction,
                          const sotto__experiment *experiment)
{
    sotto__pool *pool = &reproduction->pool;
    *section = (sotto__section){
        .reproduction = reproduction,
        .experiment = experiment,
        .pool = pool,
        .paragraph =
            sotto__pool_take(pool, SOTTO__SECTION_PARAGRAPHS_MAX * sizeof *section->paragraph),
        .note = sotto__pool_take(pool, SOTTO__SECTION_NOTES_MAX * sizeof *section->note),
        .table = sotto__pool_take(pool, SOTTO__SECTION_TABLES_MAX * sizeof *section->table),
        .check = sotto__pool_take(pool, SOTTO__SECTION_CHECKS_MAX * sizeof *section->check),
    };
    section->html = (sotto__html_section){
        .id = experiment->name,
        .heading = experiment->title,
        .paragraph = section->paragraph,
        .note = section->note,
        .table = section->table,
        .check = section->check,
    };
    return section->paragraph != NULL && section->note != NULL && section->table != NULL &&
           section->check != NULL;
}

void sotto__section_add_paragraph(sotto__section *section, const char *text)
{
    assert(section->html.paragraphs_count < SOTTO__SECTION_PARAGRAPHS_MAX);
    section->paragraph[section->html.paragraphs_count++] = text;
}

void sotto__section_add_note(sotto__section *section, const char *text)
{
    assert(section->html.notes_count < SOTTO__SECTION_NOTES_MAX);
    section->note[section->html.notes_count++] = text;
}

void sotto__section_add_table(sotto__section *section, const sotto__page_table *table)
{
    assert(section->html.tables_count < SOTTO__SECTION_TABLES_MAX);
    section->table[section->html.tables_count++] = table->html;
}

void sotto__section_add_check(sotto__section *section, const char *text, bool passed)
{
    assert(section->html.checks_count < SOTTO__SECTION_CHECKS_MAX);
    section->check[section->html.checks_count++] =
        (sotto__html_check){.text = text, .passed = passed};
}

const char *sotto__section_number(const sotto__section *section, double value)
{
    return sotto__page_number(section->pool, value);
}

/* ==== papers best ============================================================================ */

/* The best of the paper's methods: those that promise what they claim. */

bool sotto__player_is_papers(sotto_player player)
{
    return sotto_player_is_private(player) && player != SOTTO_PLAYER_SOTTO &&
           player != SOTTO_PLAYER_SOTTO_OLS && player != SOTTO_PLAYER_BEST_ARM;
}

/* Whether what a method truly promises is what it claims. */
static bool keeps_claim(const sotto_match *match, double epsilon)
{
    sotto__true_privacy truth = sotto__true_privacy_of(match);
    return truth.epsilon <= epsilon * (1 + 1e-9) && truth.delta <= match->delta;
}

sotto__papers_best sotto__papers_best_of(const sotto__reproduction *reproduction,
                                         const sotto__experiment *experiment, double epsilon)
{
    sotto__papers_best best = {NAN, SOTTO_PLAYERS, NULL};
    for (uint32_t i = 0; i < reproduction->parts_count; i++) {
        const sotto__part *part = &reproduction->part[i];
        for (uint32_t m = 0;
             part->experiment == experiment && m < part->comparison.sweep.matches_count; m++) {
            const sotto_match *match = &part->comparison.match[m];
            bool counts = sotto__player_is_papers(match->player) &&
                          part->comparison.epsilon[m] == epsilon && keeps_claim(match, epsilon);
            if (!counts) continue;
            double mean = sotto__part_spread(part, m, sotto__part_last_point(part)).mean;
            if (!(mean >= best.mean)) best = (sotto__papers_best){mean, match->player, part->stage};
        }
    }
    return best;
}

/* ==== overview =============================================================================== */

/* The paper's own figure, two by two, with sotto in it. */

static const struct {
    const char *experiment;
    const char *title;
} column[] = {{"shared-d2", ""}, {"per-arm-d20", ", per arm"}};

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
        "Lower is better. All private methods have the same epsilon. Mean ± one standard "
        "error, runs: %u%s",
        seeds, more);
}

/* For readers who do not know the methods. */
static const char *const label_of[SOTTO_PLAYERS] = {
    [SOTTO_PLAYER_LDP_SGD] = "ldp-sgd (paper)",
    [SOTTO_PLAYER_LDP_OLS] = "ldp-ols (paper)",
    [SOTTO_PLAYER_LDP_UCB] = "ldp-ucb (Zheng 2020)",
    [SOTTO_PLAYER_LDP_GLOC] = "ldp-gloc (Zheng 2020)",
    [SOTTO_PLAYER_OLS] = "ols (no privacy)",
    [SOTTO_PLAYER_RANDOM] = "random arms",
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
        panel->y_log = true; /* methods differ by powers of ten */
        sotto__panel_show_gap(pool, panel);
        panel->title = sotto__pool_print(pool, "epsilon %g%s: %u dimensions, %u arms", epsilon,
                                         column[p % 2].title, scene->dim, scene->arms);
    }
    return true;
}
