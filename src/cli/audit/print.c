/* What an audit found. */
#include "cli/print/print.h"
#include "inner.h"

#include <inttypes.h>
#include <stdio.h>

static const char *subject_name(const sotto_audit_settings *settings)
{
    if (settings->custom != NULL) return settings->custom->name;
    if (settings->command != NULL) return settings->command;
    return sotto_mechanism_kind_name(settings->mechanism.kind);
}

static void print_sentence(FILE *file, const sotto_audit_settings *settings,
                           const sotto_audit_result *result)
{
    double epsilon = settings->mechanism.epsilon;
    uint32_t failed = 0;
    for (uint32_t i = 0; i < result->rows_count; i++) {
        failed += !result->row[i].passed;
    }
    switch (result->verdict) {
    case SOTTO_AUDIT_NO_VIOLATION:
        fprintf(file,
                "No violation found: epsilon >= %.4g (claimed %g), with confidence %g. This does "
                "not prove the claim.\n",
                result->epsilon_lower, epsilon, 1 - settings->alpha);
        return;
    case SOTTO_AUDIT_VIOLATION:
        fprintf(file,
                "VIOLATION: %u of %u rows failed; epsilon >= %.4g (claimed %g), with confidence "
                "%g.\n",
                failed, result->rows_count, result->epsilon_lower, epsilon, 1 - settings->alpha);
        return;
    case SOTTO_AUDIT_INCONCLUSIVE:
        fprintf(file, "Inconclusive: %s.\n", result->reason.sentence);
        return;
    }
}

/* ---- tests, one per row ------------------------------------------------------------------- */

enum { COLUMNS = 6 };
static const print_column column[COLUMNS] = {
    {"layer", "layer", -5, 0, 0},   {"statistic", "measured", 10, 5, 0},
    {"bound", "allowed", 10, 5, 0}, {"p_value", "p", 8, 2, 0},
    {"passed", "passed", 6, 0, 0},  {"name", "what", 0, 0, 0},
};

static void set_values(const sotto_audit_row *row, print_value value[COLUMNS])
{
    value[0] = print_natural(row->layer);
    value[1] = print_real(row->statistic);
    value[2] = print_real(row->bound);
    value[3] = print_real(row->p_value);
    value[4] = print_flag(row->passed);
    value[5] = print_text(row->name);
}

void audit_print_table(const sotto_audit_settings *settings, const sotto_audit_result *result)
{
    static const verdict_tone tone[] = {
        [SOTTO_AUDIT_NO_VIOLATION] = VERDICT_GOOD,
        [SOTTO_AUDIT_VIOLATION] = VERDICT_BAD,
        [SOTTO_AUDIT_INCONCLUSIVE] = VERDICT_OPEN,
    };
    print_value value[COLUMNS];
    print_page p;
    page_begin(&p, stdout);
    p.tone = tone[result->verdict];
    print_sentence(p.file, settings, result);
    fprintf(p.file, "\n%s, dim %u, epsilon %g: %" PRIu64 " trials of each of %u pairs, %.1f s\n",
            subject_name(settings), settings->mechanism.dim, settings->mechanism.epsilon,
            settings->trials, result->pairs, result->seconds);
    page_end(&p, stdout);
    if (result->rows_count > 0) putchar('\n');
    if (result->rows_count > 0) print_head(stdout, PRINT_TABLE, column, COLUMNS);
    for (uint32_t i = 0; i < result->rows_count; i++) {
        set_values(&result->row[i], value);
        value[4] = print_text(result->row[i].passed ? "ok" : "FAILED");
        print_row(stdout, PRINT_TABLE, column, value, COLUMNS);
    }
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void print_claim(json_writer *j, const sotto_audit_settings *settings)
{
    const sotto_mechanism_settings *claim = &settings->mechanism;
    bool has_delta = settings->command != NULL || settings->custom != NULL ||
                     claim->kind == SOTTO_MECHANISM_GAUSSIAN;
    json_text(j, "mechanism", subject_name(settings));
    json_natural(j, "dim", claim->dim);
    json_real(j, "epsilon_claimed", claim->epsilon);
    json_real(j, "delta_claimed", has_delta ? claim->delta : 0);
}

void audit_print_json(const sotto_audit_settings *settings, const sotto_audit_result *result)
{
    print_value value[COLUMNS];
    json_writer j = json_begin(stdout);
    json_open(&j, NULL, '{');
    print_claim(&j, settings);
    json_real(&j, "epsilon_lower", result->epsilon_lower);
    json_real(&j, "confidence", 1 - settings->alpha);
    json_natural(&j, "trials", settings->trials);
    json_real(&j, "alpha", settings->alpha);
    json_natural(&j, "pairs", result->pairs);
    json_open(&j, "layers", '[');
    for (uint32_t i = 0; i < result->rows_count; i++) {
        set_values(&result->row[i], value);
        json_object(&j, NULL, column, value, COLUMNS);
    }
    json_close(&j);
    json_text(&j, "verdict", sotto_audit_verdict_name(result->verdict));
    if (result->reason.sentence[0] != '\0') json_text(&j, "reason", result->reason.sentence);
    json_real(&j, "seconds", result->seconds);
    json_text(&j, "version", sotto_version());
    if (settings->mechanism.seeded) {
        json_natural(&j, "seed", settings->mechanism.seed);
    } else {
        json_null(&j, "seed");
    }
    json_close(&j);
    json_end(&j);
}
