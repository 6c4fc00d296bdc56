/* What an audit found. */
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const char *subject_name(const sotto_audit_settings *settings)
{
    if (settings->command != NULL) return settings->command;
    return sotto_mechanism_kind_name((uint32_t)settings->mechanism.kind);
}

static void print_cell(double value, int width)
{
    if (isnan(value)) {
        printf(" %*s", width, "-");
    } else {
        printf(" %*.5g", width, value);
    }
}

static void print_sentence(const sotto_audit_settings *settings, const sotto_audit_result *result)
{
    double epsilon = settings->mechanism.epsilon;
    uint32_t failed = 0;
    for (uint32_t i = 0; i < result->rows_count; i++) {
        failed += !result->row[i].passed;
    }
    switch (result->verdict) {
    case SOTTO_AUDIT_NO_VIOLATION:
        printf("No violation found: epsilon >= %.4g (claimed %g), with confidence %g. This is no "
               "proof of the claim.\n",
               result->epsilon_lower, epsilon, 1 - settings->alpha);
        return;
    case SOTTO_AUDIT_VIOLATION:
        printf("VIOLATION: %u of %u rows failed; epsilon >= %.4g (claimed %g), with confidence "
               "%g.\n",
               failed, result->rows_count, result->epsilon_lower, epsilon, 1 - settings->alpha);
        return;
    case SOTTO_AUDIT_INCONCLUSIVE: printf("Inconclusive: %s.\n", result->reason); return;
    }
}

void audit_report_table(const sotto_audit_settings *settings, const sotto_audit_result *result)
{
    printf("%s, dim %u, epsilon %g: %" PRIu64 " trials of each of %u pairs, %.1f s\n\n",
           subject_name(settings), settings->mechanism.dim, settings->mechanism.epsilon,
           settings->trials, result->pairs, result->seconds);
    if (result->rows_count > 0) {
        printf("%-5s %-66s %11s %11s %9s\n", "layer", "what", "measured", "allowed", "p");
    }
    for (uint32_t i = 0; i < result->rows_count; i++) {
        const sotto_audit_row *row = &result->row[i];
        printf("%-5u %-66s", row->layer, row->name);
        print_cell(row->statistic, 11);
        print_cell(row->bound, 11);
        if (isnan(row->p_value)) {
            printf(" %9s", "-");
        } else {
            printf(" %9.2g", row->p_value);
        }
        printf(" %s\n", row->passed ? "ok" : "FAILED");
    }
    printf("%s", result->rows_count > 0 ? "\n" : "");
    print_sentence(settings, result);
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void json_text(const char *text)
{
    printf("\"");
    for (const char *at = text; *at != '\0'; at++) {
        unsigned char c = (unsigned char)*at;
        if (c == '"' || c == '\\') {
            printf("\\%c", c);
        } else if (c < ' ' || c == 0x7f) {
            printf("\\u%04x", c);
        } else {
            printf("%c", c);
        }
    }
    printf("\"");
}

static void json_real(const char *key, double value)
{
    if (isfinite(value)) {
        printf(", \"%s\": %.17g", key, value);
    } else {
        printf(", \"%s\": null", key);
    }
}

static void json_row(const sotto_audit_row *row)
{
    printf("{\"layer\": %u, \"name\": ", row->layer);
    json_text(row->name);
    json_real("statistic", row->statistic);
    json_real("bound", row->bound);
    json_real("p_value", row->p_value);
    printf(", \"passed\": %s}", row->passed ? "true" : "false");
}

void audit_report_json(const sotto_audit_settings *settings, const sotto_audit_result *result)
{
    const sotto_mechanism_settings *claim = &settings->mechanism;
    bool has_delta = settings->command != NULL || claim->kind == SOTTO_MECHANISM_GAUSSIAN;
    printf("{\"mechanism\": ");
    json_text(subject_name(settings));
    printf(", \"dim\": %u", claim->dim);
    json_real("epsilon_claimed", claim->epsilon);
    json_real("delta_claimed", has_delta ? claim->delta : 0);
    json_real("epsilon_lower", result->epsilon_lower);
    json_real("confidence", 1 - settings->alpha);
    printf(", \"trials\": %" PRIu64, settings->trials);
    json_real("alpha", settings->alpha);
    printf(", \"pairs\": %u, \"layers\": [", result->pairs);
    for (uint32_t i = 0; i < result->rows_count; i++) {
        printf("%s", i == 0 ? "" : ", ");
        json_row(&result->row[i]);
    }
    printf("], \"verdict\": \"%s\"", sotto_audit_verdict_name((uint32_t)result->verdict));
    if (result->reason[0] != '\0') {
        printf(", \"reason\": ");
        json_text(result->reason);
    }
    json_real("seconds", result->seconds);
    printf(", \"version\": \"%s\"", sotto_version());
    if (claim->seeded) {
        printf(", \"seed\": %" PRIu64 "}\n", claim->seed);
    } else {
        printf(", \"seed\": null}\n");
    }
}
