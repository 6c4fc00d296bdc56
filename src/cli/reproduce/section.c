/* Sections of the report: what all of them have, and which kind fills what. */
#include "section.h"

#include <inttypes.h>

#define PARAGRAPHS_MAX 8u
#define TABLES_MAX 4u
#define CHECKS_MAX 64u

void add_paragraph(filling *f, const char *text)
{
    if (f->section->paragraphs_count < PARAGRAPHS_MAX) {
        f->paragraph[f->section->paragraphs_count++] = text;
    }
}

void add_table(filling *f, const report_table *table)
{
    if (f->section->tables_count < TABLES_MAX) f->table[f->section->tables_count++] = table->html;
}

void add_check(filling *f, const char *text, bool passed)
{
    if (f->section->checks_count == CHECKS_MAX) return;
    f->check[f->section->checks_count++] = (sotto__html_check){.text = text, .passed = passed};
}

const char *number_text(filling *f, double value)
{
    return report_number(&f->r->pool, value);
}

static bool add_settings(filling *f)
{
    static const report_column column[] = {{"part", false}, {"runs", true}, {"command", false}};
    report_table table;
    reproduction *r = f->r;
    if (!report_table_begin(&table, &r->pool, "Settings: commands that play the same runs", column,
                            3, r->parts_count)) {
        return false;
    }
    for (uint32_t i = 0; i < r->parts_count; i++) {
        const reproduce_part *part = &r->part[i];
        if (part->experiment != f->experiment) continue;
        const char **cell = report_table_line(&table, false);
        cell[0] = part->stage->name;
        cell[1] =
            sotto__pool_print(&r->pool, "%" PRIu64, sotto_sweep_runs(&part->comparison.sweep));
        bool file = r->data != NULL && sotto__stage_is_loan(part->stage);
        cell[2] = file ? "none: sotto simulate has synthetic customers only"
                       : reproduce_simulate_command(r, part);
    }
    add_table(f, &table);
    return true;
}

/* Which figure of the paper, what differs from it. */
static void add_texts(filling *f)
{
    const sotto__experiment *e = f->experiment;
    sotto__pool *pool = &f->r->pool;
    add_paragraph(f, e->about);
    if (reproduce_is_synthetic(f->r, e)) {
        add_paragraph(f, "The customers are SYNTHETIC: no number here is a result on the data.");
    }
    add_paragraph(f, sotto__pool_print(pool, "In the paper: %s.", e->where));
    if (e->differs != NULL) {
        add_paragraph(f, sotto__pool_print(pool, "What differs from the paper: %s", e->differs));
    }
}

static bool fill_kind(filling *f)
{
    switch (f->experiment->kind) {
    case SOTTO__EXPERIMENT_GLANCE: return fill_glance(f);
    case SOTTO__EXPERIMENT_CURVES: return fill_regrets(f);
    case SOTTO__EXPERIMENT_EPSILONS: return fill_epsilons(f) && fill_regrets(f);
    case SOTTO__EXPERIMENT_HORIZONS: return fill_growth(f);
    case SOTTO__EXPERIMENT_BOUND: return fill_bound(f);
    case SOTTO__EXPERIMENT_AGREEMENT: return fill_agreement(f);
    case SOTTO__EXPERIMENT_CONSTANTS: return fill_constants(f);
    }
    return false;
}

bool reproduce_section(reproduction *r, const sotto__experiment *experiment,
                       sotto__html_section *section)
{
    filling f = {
        .r = r,
        .experiment = experiment,
        .paragraph = sotto__pool_take(&r->pool, PARAGRAPHS_MAX * sizeof *f.paragraph),
        .table = sotto__pool_take(&r->pool, TABLES_MAX * sizeof *f.table),
        .check = sotto__pool_take(&r->pool, CHECKS_MAX * sizeof *f.check),
        .section = section,
    };
    if (f.paragraph == NULL || f.table == NULL || f.check == NULL) return false;
    *section = (sotto__html_section){
        .id = experiment->name,
        .heading = experiment->title,
        .paragraph = f.paragraph,
        .table = f.table,
        .check = f.check,
    };
    add_texts(&f);
    return fill_kind(&f) && (experiment->stages_count == 0 || add_settings(&f));
}
