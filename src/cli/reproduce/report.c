/* The report: all sections as one page, and a line for each check on the standard output. */
#include "cli/option/args.h"
#include "reproduce.h"

#include <stdio.h>

/* The sum of what was checked goes to the top. */
static const char *lead_text(reproduction *r, const sotto__html_section *section, uint32_t count)
{
    uint32_t checks = 0, passed = 0;
    for (uint32_t s = 0; s < count; s++) {
        for (uint32_t c = 0; c < section[s].checks_count; c++) {
            checks++;
            passed += section[s].check[c].passed;
        }
    }
    const char *checked =
        checks == 0 ? "" : sotto__pool_print(&r->pool, " %u of %u checks passed.", passed, checks);
    return sotto__pool_print(
        &r->pool,
        "The experiments of Generalized Linear Bandits with Local Differential Privacy (Han, "
        "Liang, Wang, Zhang, NeurIPS 2021), played again. Published is what the authors' code "
        "does; exact is what ships, with every claim kept to the letter.%s",
        checked);
}

/* A line of the terminal for each check. */
static void print_checks(const sotto__html_section *section)
{
    printf("%s: %s\n", section->id, section->heading);
    for (uint32_t i = 0; i < section->checks_count; i++) {
        printf("  %s  %s\n", section->check[i].passed ? "pass" : "FAIL", section->check[i].text);
    }
}

/* Figures and section of an experiment. */
static int add_section(reproduction *r, const sotto__experiment *experiment,
                       sotto__html_section *section)
{
    reproduce_drawn drawn;
    if (!reproduce_section(r, experiment, section)) {
        r->pool.failed = 1;
        return EXIT_FAILED;
    }
    int code = reproduce_figures(r, experiment, &drawn);
    if (code != EXIT_OK) return code;
    section->figures_count = drawn.count;
    section->figure = drawn.name;
    section->figure_alt = drawn.alt;
    print_checks(section);
    return EXIT_OK;
}

int reproduce_report(reproduction *r)
{
    char fault[SOTTO_FAULT_BYTES];
    uint32_t count = 0;
    int code = EXIT_OK;
    sotto__html_section *section =
        sotto__pool_take(&r->pool, (sotto__experiments_count + 1) * sizeof *section);
    if (section != NULL && r->only == NULL)
        code = add_section(r, &reproduce_glance, &section[count++]);
    for (uint32_t e = 0; section != NULL && code == EXIT_OK && e < sotto__experiments_count; e++) {
        if (!reproduce_wants(r, &sotto__experiments[e])) continue;
        code = add_section(r, &sotto__experiments[e], &section[count++]);
    }
    if (r->pool.failed) {
        fprintf(stderr, REPRODUCE ": %s\n", sotto_status_text(SOTTO_E_MEMORY));
        return EXIT_FAILED;
    }
    if (code != EXIT_OK) return code;
    const sotto__html_page report = {
        .title = "Generalized linear bandits with local differential privacy, reproduced",
        .lead = lead_text(r, section, count),
        .notice = reproduce_loan_notice(r),
        .command = r->command,
        .version = sotto__pool_print(&r->pool, "sotto %s", sotto_version()),
        .sections_count = count,
        .section = section,
    };
    if (sotto__html_write(&report, r->out, fault) != NULL) {
        fprintf(stderr, REPRODUCE ": %s\n", fault);
        return EXIT_FAILED;
    }
    printf("\n%s/index.html\n", r->out);
    return r->undrawn ? EXIT_FAILED : EXIT_OK;
}
