/* The page: all sections, their figures beside it, and what was checked at the top. */
#include "core/core.h"
#include "inner.h"

/* The text at the top: the number of checks, unless findings stand there. */
static const char *lead_text(sotto__pool *pool, const sotto__html_section *section, uint32_t count)
{
    uint32_t checks = 0, passed = 0;
    for (uint32_t s = 0; s < count; s++) {
        for (uint32_t c = 0; c < section[s].checks_count; c++) {
            checks++;
            passed += section[s].check[c].passed;
        }
    }
    const char *checked =
        checks == 0 ? "" : sotto__pool_print(pool, " %u of %u checks passed.", passed, checks);
    return sotto__pool_print(
        pool,
        "Learning which offer suits whom from reports that hide each person's data: Han, Liang, "
        "Wang and Zhang (NeurIPS 2021), played again. Regret is what people lose because the "
        "server "
        "is still learning.%s",
        checked);
}

typedef struct making {
    sotto__reproduction *r;
    const sotto__reproduction_listener *listener;
    sotto_fault *fault;
} making;

/* Writes the numbers of a figure and draws it. Without rsvg-convert its PNG and PDF are left out. */
static sotto_status write_figure(const making *m, const sotto__figure *figure)
{
    const sotto__reproduction_listener *listener = m->listener;
    const char *directory = m->r->settings.out;
    sotto_fault wrong;
    if (listener->stops(listener->state)) return sotto__reproduction_stopped(m->r, m->fault);
    if (sotto__figure_csv(figure, directory, m->fault) != SOTTO_OK) return SOTTO_E_FAULT;
    if (sotto__figure_svg(figure, directory, m->fault) != SOTTO_OK) return SOTTO_E_FAULT;
    if (m->r->undrawn || sotto__figure_convert(figure, directory, &wrong) == SOTTO_OK)
        return SOTTO_OK;
    if (listener->stops(listener->state)) return sotto__reproduction_stopped(m->r, m->fault);
    listener->tell(
        listener->state,
        sotto__pool_print(&m->r->pool,
                          "%s; PNG and PDF are left out, but the page and its SVG are complete",
                          wrong.sentence));
    m->r->undrawn = true;
    return SOTTO_OK;
}

/* The section of an experiment, with its figures. */
static sotto_status make_section(const making *m, const sotto__experiment *experiment,
                                 sotto__html_section *section)
{
    sotto__figures figures;
    if (!sotto__section_of(m->r, experiment, section) ||
        !sotto__figures_of(m->r, experiment, &figures)) {
        return sotto__fault_status(m->fault, SOTTO_E_MEMORY);
    }
    for (uint32_t i = 0; i < figures.count; i++) {
        if (write_figure(m, &figures.figure[i]) != SOTTO_OK) return SOTTO_E_FAULT;
    }
    section->figures_count = figures.count;
    section->figure = figures.figure;
    section->figure_alt = figures.alt;
    m->listener->section(m->listener->state, section);
    return SOTTO_OK;
}

static sotto_status make_sections(const making *m, sotto__html_section *section, uint32_t *count)
{
    const sotto__reproduction_settings *settings = &m->r->settings;
    sotto_status status = SOTTO_OK;
    *count = 0;
    if (settings->only == NULL) status = make_section(m, &sotto__glance, &section[(*count)++]);
    for (uint32_t e = 0; e < sotto__experiments_count && status == SOTTO_OK; e++) {
        if (!sotto__reproduction_wants(settings, &sotto__experiments[e])) continue;
        status = make_section(m, &sotto__experiments[e], &section[(*count)++]);
    }
    return status;
}

/* The first screen: the paper's figure and, with all experiments, what was found. */
typedef struct first_screen {
    sotto__figure figure;
    const char *alt;
    const char *finding[SOTTO__PAPER_FINDINGS];
} first_screen;

static sotto_status make_first(const making *m, const sotto__html_section *section, uint32_t count,
                               first_screen *first)
{
    if (!sotto__overview_figure(m->r, &first->figure, &first->alt)) {
        return sotto__fault_status(m->fault, SOTTO_E_MEMORY);
    }
    if (m->r->settings.only == NULL) {
        sotto__paper_findings findings = sotto__paper_findings_of(m->r, section, count);
        sotto__paper_findings_text(&findings, &m->r->pool, first->finding);
    }
    return first->figure.panels_count == 0 ? SOTTO_OK : write_figure(m, &first->figure);
}

sotto_status sotto__reproduction_page(sotto__reproduction *reproduction,
                                      const sotto__reproduction_listener *listener,
                                      sotto_fault *fault)
{
    sotto__pool *pool = &reproduction->pool;
    const sotto__reproduction_settings *settings = &reproduction->settings;
    const making m = {reproduction, listener, fault};
    uint32_t count = 0;
    sotto__html_section *section =
        sotto__pool_take(pool, (sotto__experiments_count + 1) * sizeof *section);
    if (section != NULL && make_sections(&m, section, &count) != SOTTO_OK) return SOTTO_E_FAULT;
    first_screen first = {0};
    bool all = settings->only == NULL;
    if (section != NULL && make_first(&m, section, count, &first) != SOTTO_OK) return SOTTO_E_FAULT;
    const sotto__html_page page = {
        .title = "Generalized linear bandits with local differential privacy, reproduced",
        .lead = lead_text(pool, section, all ? 0 : count),
        .findings_count = all ? SOTTO__PAPER_FINDINGS : 0,
        .finding = first.finding,
        .figure = all ? &first.figure : NULL,
        .figure_alt = first.alt,
        .notice = sotto__customers_notice(&reproduction->customers, settings->data, pool),
        .command = settings->command,
        .version = sotto__pool_print(pool, "sotto %s", sotto_version()),
        .sections_count = count,
        .section = section,
    };
    if (pool->failed) return sotto__fault_status(fault, SOTTO_E_MEMORY);
    return sotto__html_write(&page, settings->out, fault);
}
