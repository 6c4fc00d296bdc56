/* The privacy card. */
#include "inner.h"

#include "core/core.h"

#include <math.h>
#include <stdio.h>

card_limits card_device_limits(void)
{
    return (card_limits){
        .epsilon_per_report_max = 2,
        .epsilon_lifetime = 8,
        .delta_max = 1e-6,
        .delta_lifetime = 1e-5,
        .measure_share_max = 0.1,
    };
}

static bool refused_by_devices(const sotto_spec *spec, const card_limits *limits)
{
    return spec->epsilon > limits->epsilon_per_report_max || spec->delta > limits->delta_max ||
           spec_json_share(spec->measure) > limits->measure_share_max;
}

/* A device books report k + 1 of (e, d) if (k + 1) d <= D/2, and (k + 1) e <= E or k + 1 reports of (e*, 0) compose
 * to E at D/2: docs/privacy.md 12.1. Sums have a slack of 1e-12 for rounding. */
uint64_t card_reports_per_device(const sotto_spec *spec)
{
    const card_limits limits = card_device_limits();
    const double epsilon_most = limits.epsilon_lifetime * (1 + 1e-12);
    const double delta_most = limits.delta_lifetime / 2 * (1 + 1e-12);
    double epsilon = 0, delta = 0;
    if (refused_by_devices(spec, &limits)) return 0;
    /* A bound for the loop: a spec's epsilon is at least 0.01, and composition at e* = 2 allows fewer reports than
     * that does. */
    for (uint64_t k = 0; k < 1000; k++) {
        epsilon += spec->epsilon;
        delta += spec->delta;
        if (delta > delta_most) return k;
        if (epsilon <= epsilon_most) continue;
        if (sotto_compose_delta(k + 1, limits.epsilon_per_report_max, 0, limits.epsilon_lifetime) >
            limits.delta_lifetime / 2) {
            return k;
        }
    }
    return 1000;
}

static json_t *warning(const char *field, double value, const char *what, double most)
{
    char error[160], allowed[64], text[32];
    snprintf(text, sizeof text, "%.15g", value);
    snprintf(allowed, sizeof allowed, "at most %.15g", most);
    snprintf(error, sizeof error, "By default, devices refuse this %s.", what);
    return json_pack("{ssssssss}", "error", error, "field", field, "value", text, "allowed",
                     allowed);
}

json_t *card_warnings(const sotto_spec *spec)
{
    const card_limits limits = card_device_limits();
    json_t *list = json_array();
    if (spec->epsilon > limits.epsilon_per_report_max) {
        json_array_append_new(
            list, warning("spec.epsilon", spec->epsilon, "epsilon", limits.epsilon_per_report_max));
    }
    if (spec->delta > limits.delta_max) {
        json_array_append_new(list, warning("spec.delta", spec->delta, "delta", limits.delta_max));
    }
    double share = spec_json_share(spec->measure);
    if (share > limits.measure_share_max) {
        json_array_append_new(list, warning("spec.measure", share, "share of measure rounds",
                                            limits.measure_share_max));
    }
    return list;
}

/* By phase; only the phases that the terms have. */
static json_t *codebooks(const sotto_terms *terms)
{
    json_t *list = json_array();
    for (uint32_t p = 0; p < SOTTO_PHASES; p++) {
        const sotto_codebook *book = &terms->codebook[p];
        if (book->size == 0 || !sotto__phase_exists(&terms->spec, (sotto_phase)p)) continue;
        json_array_append_new(
            list, json_pack("{sssIsIsIsIsIsIsIsf}", "phase", sotto_phase_name((sotto_phase)p),
                            "dim", (json_int_t)book->dim, "size", (json_int_t)book->size, "groups",
                            (json_int_t)book->groups, "top", (json_int_t)book->top, "nulls",
                            (json_int_t)book->nulls, "weight_top", (json_int_t)book->weight_top,
                            "weight_rest", (json_int_t)book->weight_rest, "scale", book->scale));
    }
    return list;
}

static json_t *lattice(const sotto_terms *terms)
{
    const sotto_lattice *l = &terms->lattice;
    if (sotto_terms_reports_indices(terms)) return json_null();
    return json_pack("{sIsisIsI}", "dim", (json_int_t)l->dim, "grid_log2", (int)l->grid_log2,
                     "scale_ticks", (json_int_t)l->scale_ticks, "clip_ticks",
                     (json_int_t)l->clip_ticks);
}

static json_t *what_leaves(const sotto_terms *terms)
{
    bool indices = sotto_terms_reports_indices(terms);
    return json_pack(
        "{sIsIss}", "report_bytes", (json_int_t)sotto_report_bytes(terms), "numbers",
        (json_int_t)sotto_report_count(terms), "content",
        indices
            ? "the id of the experiment, the epoch, a random nonce, and which codeword was drawn"
            : "the id of the experiment, the epoch, a random nonce, and statistics with noise");
}

static json_t *per_device(const sotto_spec *spec)
{
    const card_limits limits = card_device_limits();
    return json_pack("{sIsfsfsfsfsf}", "reports_max", (json_int_t)card_reports_per_device(spec),
                     "epsilon_per_report_max", limits.epsilon_per_report_max, "epsilon_lifetime",
                     limits.epsilon_lifetime, "delta_max", limits.delta_max, "delta_lifetime",
                     limits.delta_lifetime, "measure_share_max", limits.measure_share_max);
}

static json_t *what_is_kept(const sotto_spec *spec, const card_retention *retention)
{
    uint64_t open_s = (uint64_t)retention->epoch_seconds_min * (spec->epoch_lag_max + 1);
    return json_pack(
        "{sssIsIsIsbss}", "reports",
        retention->keep_reports
            ? "permanently, because this service was started to keep reports for research"
            : "until their epoch accepts no more reports and the sums are stored; then removed",
        "epoch_seconds_min", (json_int_t)retention->epoch_seconds_min, "epoch_reports_min",
        (json_int_t)retention->epoch_reports_min, "epoch_open_seconds_min", (json_int_t)open_s,
        "keep_reports", (int)retention->keep_reports, "sums",
        "as long as the experiment: sums over all reports, and counts and sums by epoch");
}

json_t *card_json(const sotto_terms *terms, const card_retention *retention)
{
    const sotto_spec *spec = &terms->spec;
    return json_pack("{sfsfsssssssfsosososososs}", "epsilon", spec->epsilon, "delta", spec->delta,
                     "unit", "one report of one person: any context, arm and reward", "method",
                     sotto_method_name(spec->method), "mechanism",
                     sotto_terms_reports_indices(terms) ? "codebook" : "lattice", "measure_share",
                     spec_json_share(spec->measure), "codebooks", codebooks(terms), "lattice",
                     lattice(terms), "leaves_the_device", what_leaves(terms), "device_by_default",
                     per_device(spec), "kept_by_the_server", what_is_kept(spec, retention),
                     "never_stored",
                     "contexts, learned choices, rewards, addresses, and when a report came");
}
