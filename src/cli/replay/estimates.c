/* The estimates of a log: a table for people, columns for programs. */
#include "inner.h"

#include <math.h>
#include <string.h>

/* ---- for people --------------------------------------------------------------------------- */

static const print_column table_columns[] = {
    {NULL, "method", -12, 0, 0},     {NULL, "epsilon", 7, 4, 0}, {NULL, "estimate", -15, 0, 0},
    {NULL, "value", 10, 4, 0},       {NULL, "lo", 10, 4, 0},     {NULL, "hi", 10, 4, 0},
    {NULL, "bootstr. lo", 11, 4, 0}, {NULL, "hi", 10, 4, 0},     {NULL, "", 0, 0, 0},
};
#define TABLE_COLUMNS (sizeof table_columns / sizeof table_columns[0])

static void print_line(FILE *file, const sotto_replay_line *line, const sotto_replay_estimates *e)
{
    for (uint32_t i = 0; i < SOTTO_REPLAY_ESTIMATORS; i++) {
        const sotto_replay_estimate *by = &e->by[i];
        char why[128] = " "; /* a second blank as a separator */
        snprintf(why + 1, sizeof why - 1, "%s", sotto_replay_unavailable_text(by->unavailable));
        const print_value value[TABLE_COLUMNS] = {
            print_text(line->name),
            print_real(line->epsilon),
            print_text(sotto_replay_estimator_name(i)),
            print_real(by->value),
            print_real(by->lo),
            print_real(by->hi),
            print_real(by->bootstrap_lo),
            print_real(by->bootstrap_hi),
            print_text(why),
        };
        uint32_t count = TABLE_COLUMNS - (by->unavailable == SOTTO_UNAVAILABLE_NONE ? 1 : 0);
        print_row(file, PRINT_TABLE, table_columns, value, count);
    }
    if (e->unseen_share > 0) {
        fprintf(file,
                "  %.3g %% of the choices of %s are arms that the log never gave: no estimate "
                "covers what these earn.\n",
                100 * e->unseen_share, line->name);
    }
}

void replay_print_estimates(FILE *file, const sotto_replay_summary *summary,
                            const sotto_replay_estimates *estimates)
{
    fprintf(file, "\n");
    print_head(file, PRINT_TABLE, table_columns, TABLE_COLUMNS - 1);
    for (uint32_t i = 0; i < summary->lines_count; i++) {
        if (!summary->line[i].yardstick) print_line(file, &summary->line[i], &estimates[i]);
    }
    fprintf(
        file,
        "\n"
        "All five value the method while it learns along the log, event by event, not the policy "
        "that it has at the end. 95 %% intervals by the standard error, and by the bootstrap.\n"
        "direct: the mean of what a linear model of the log's rewards predicts. Its intervals do "
        "not include the bias of a wrong model.\n"
        "doubly_robust: the model, corrected by inverse propensity where the log agrees; a wrong "
        "model does not bias it.\n");
}

/* ---- for programs ------------------------------------------------------------------------- */

const print_column replay_estimate_columns[REPLAY_ESTIMATE_COLUMNS] = {
    {.key = "self_normalised_lo"},
    {.key = "self_normalised_hi"},
    {.key = "direct"},
    {.key = "direct_lo"},
    {.key = "direct_hi"},
    {.key = "doubly_robust"},
    {.key = "doubly_robust_lo"},
    {.key = "doubly_robust_hi"},
    {.key = "replay_bootstrap_lo"},
    {.key = "replay_bootstrap_hi"},
    {.key = "ips_bootstrap_lo"},
    {.key = "ips_bootstrap_hi"},
    {.key = "self_normalised_bootstrap_lo"},
    {.key = "self_normalised_bootstrap_hi"},
    {.key = "direct_bootstrap_lo"},
    {.key = "direct_bootstrap_hi"},
    {.key = "doubly_robust_bootstrap_lo"},
    {.key = "doubly_robust_bootstrap_hi"},
    {.key = "unseen_share"},
    {.key = "unavailable"},
};

/* "direct: cannot tell: ...; doubly_robust: ..." */
static void say_unavailable(const sotto_replay_estimates *estimates,
                            char unavailable[REPLAY_UNAVAILABLE_BYTES])
{
    size_t at = 0;
    unavailable[0] = '\0';
    for (uint32_t i = 0; i < SOTTO_REPLAY_ESTIMATORS && at < REPLAY_UNAVAILABLE_BYTES; i++) {
        const char *why = sotto_replay_unavailable_text(estimates->by[i].unavailable);
        if (why[0] == '\0') continue;
        int bytes = snprintf(unavailable + at, REPLAY_UNAVAILABLE_BYTES - at, "%s%s: %s",
                             at > 0 ? "; " : "", sotto_replay_estimator_name(i), why);
        at += (size_t)bytes;
    }
}

print_value *replay_set_estimates(const sotto_replay_estimates *estimates,
                                  char unavailable[REPLAY_UNAVAILABLE_BYTES], print_value *value)
{
    if (estimates == NULL) {
        for (uint32_t i = 0; i + 1 < REPLAY_ESTIMATE_COLUMNS; i++) {
            *value++ = print_real(NAN);
        }
        *value++ = print_text("");
        return value;
    }
    const sotto_replay_estimate *by = estimates->by;
    *value++ = print_real(by[SOTTO_REPLAY_SELF_NORMALISED].lo);
    *value++ = print_real(by[SOTTO_REPLAY_SELF_NORMALISED].hi);
    for (uint32_t i = SOTTO_REPLAY_DIRECT; i <= SOTTO_REPLAY_DOUBLY_ROBUST; i++) {
        *value++ = print_real(by[i].value);
        *value++ = print_real(by[i].lo);
        *value++ = print_real(by[i].hi);
    }
    for (uint32_t i = 0; i < SOTTO_REPLAY_ESTIMATORS; i++) {
        *value++ = print_real(by[i].bootstrap_lo);
        *value++ = print_real(by[i].bootstrap_hi);
    }
    say_unavailable(estimates, unavailable);
    *value++ = print_real(estimates->unseen_share);
    *value++ = print_text(unavailable);
    return value;
}
