/* Sections of the page: what all of them say, and which kind of experiment fills what. */
#include "sections.h"
#include "agreement.h"
#include "constants.h"
#include "glance.h"
#include "rates.h"
#include "regrets.h"
#include "simulate_command.h"

#include <inttypes.h>

/* Which figure of the paper, what differs from it. */
static void add_texts(sotto__section *s)
{
    const sotto__experiment *e = s->experiment;
    sotto__section_add_paragraph(s, e->about);
    if (sotto__reproduction_is_synthetic(s->reproduction, e)) {
        sotto__section_add_paragraph(
            s, "The customers are SYNTHETIC: no number here is a result on the data.");
    }
    if (e->kind == SOTTO__EXPERIMENT_GLANCE) { /* of all figures, and no one of its own */
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
