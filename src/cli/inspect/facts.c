#include "cli/print/print.h"
#include "core/core.h"
#include "inner.h"
#include "server/server.h"
#include "text/text.h"

#include <sotto/client.h>
#include <sotto/lab/mechanisms.h>

#include <math.h>
#include <stdio.h>

/* ==== calibration ============================================================================ */

/* sotto inspect calibration: the paper's noise on the moments, compared with the exact one. */

enum { COLUMNS = 10 };
static const print_column column[COLUMNS] = {
    {"epsilon", "epsilon", 7, 4, 0},      {"delta", "delta", 6, 2, 0},
    {"context_norm_max", "C_B", 4, 3, 0}, {"paper_square", "x x'", 7, 4, 0},
    {"paper_product", "r x", 7, 4, 0},    {"exact_square", "x x'", 7, 4, 0},
    {"exact_product", "r x", 7, 4, 0},    {"true_epsilon", "epsilon", 8, 4, 0},
    {"true_delta", "delta", 9, 3, 0},     {"holds", "", 0, 0, 0},
};

static void set_values(const sotto_paper_comparison *row, print_value value[COLUMNS])
{
    const double real[] = {
        row->epsilon,       row->delta,         row->context_norm_max,
        row->paper_square,  row->paper_product, row->exact_square,
        row->exact_product, row->true_epsilon,  row->true_delta,
    };
    for (uint32_t i = 0; i < COLUMNS - 1; i++) {
        value[i] = print_real(real[i]);
    }
    value[COLUMNS - 1] = print_flag(row->holds);
}

static void print_table(const sotto_paper_comparison *row, uint32_t count)
{
    print_value value[COLUMNS];
    uint32_t columns = text_columns_of_tables();
    wrap_print(
        stdout,
        "Standard deviations of the noise on the moments x x' and r x, |r| <= 1; and what the "
        "paper's noise really gives: epsilon at the claimed delta, delta at the claimed "
        "epsilon.",
        0, 0, columns < TEXT_COLUMNS_USUAL ? columns : TEXT_COLUMNS_USUAL);
    bool whole = columns >= TEXT_COLUMNS_USUAL; /* otherwise rows are stacked on several lines */
    if (whole) printf("\nclaimed             paper           exact           paper, really\n");
    if (!whole) printf("\nclaimed; paper; exact; paper, really\n");
    table_head(stdout, column, COLUMNS);
    for (uint32_t i = 0; i < count; i++) {
        set_values(&row[i], value);
        value[COLUMNS - 1] = print_text(row[i].holds ? " holds" : " BROKEN");
        table_row(stdout, column, value, COLUMNS);
    }
}

static void print_json(const sotto_paper_comparison *row, uint32_t count)
{
    print_value value[COLUMNS];
    json_writer j = json_begin(stdout);
    j.lines = true;
    json_open(&j, NULL, '[');
    for (uint32_t i = 0; i < count; i++) {
        set_values(&row[i], value);
        json_object(&j, NULL, column, value, COLUMNS);
    }
    json_close(&j);
    json_end(&j);
}

void inspect_calibration(const double *epsilon, const double *delta, const double *bound, bool json)
{
    sotto_paper_comparison row[SOTTO_PAPER_GRID_MAX];
    uint32_t count = sotto_paper_grid(epsilon, delta, bound, row);
    if (json) {
        print_json(row, count);
    } else {
        print_table(row, count);
    }
}

/* ==== facts ================================================================================== */

/* Facts about a spec, a report, a model, a tally. */

/* The effect of nulls, for scores of the size that the codebook was made for. */
static void null_facts(facts *list, const char *prefix, const sotto_terms *terms, sotto_phase phase)
{
    const sotto_codebook *codebook = &terms->codebook[phase];
    double epsilon = terms->spec.epsilon, size = sotto__score_size(&terms->spec, phase);
    char name[48];
    snprintf(name, sizeof name, "%s_score_size", prefix);
    fact_real(list, name, size, "a: assumed mean size of a score (public)");
    snprintf(name, sizeof name, "%s_null_share", prefix);
    fact_real(list, name, 1 - sotto__codebook_heard(codebook, epsilon, size),
              "1 - q: part of the reports that is null, for such scores");
    snprintf(name, sizeof name, "%s_variance", prefix);
    fact_real(list, name, sotto__codebook_variance(codebook, epsilon, size),
              "B^2 q: how much a report varies, for such scores");
}

static void codebook_facts(facts *list, const char *prefix, const sotto_terms *terms,
                           sotto_phase phase)
{
    const sotto_codebook *codebook = &terms->codebook[phase];
    bool nulls = codebook->nulls > 0;
    char name[48];
#define FACT(add, field, meaning)                                                                  \
    snprintf(name, sizeof name, "%s_%s", prefix, #field);                                          \
    add(list, name, codebook->field, meaning)
    FACT(fact_whole, dim, "coordinates of a codeword");
    FACT(fact_whole, size, "M: codewords, each with its opposite");
    FACT(fact_whole, groups, "arm tags; 1: none");
    FACT(fact_whole, top, "k: codewords nearest to the secret, drawn more often");
    FACT(fact_whole, nulls,
         "indices from M on that carry no information: 0, or k for small scores");
    FACT(fact_natural, weight_top, "w_top: weight of each of them (W in all)");
    FACT(fact_natural, weight_rest, "w_rest: chances for each of the others");
    FACT(fact_real, scale, "B: report = B x unit codeword, unbiased");
#undef FACT
    snprintf(name, sizeof name, "%s_mse", prefix);
    fact_real(list, name, sotto__codebook_variance(codebook, terms->spec.epsilon, 1) - 1,
              nulls ? "B^2 q - 1: its mean squared error, for scores of size 1"
                    : "B^2 - 1: its mean squared error");
    if (nulls) null_facts(list, prefix, terms, phase);
}

void inspect_spec_facts(facts *list, const sotto_terms *terms)
{
    const sotto_spec *spec = &terms->spec;
    fact_hex(list, "spec_id", terms->id, SOTTO_SPEC_ID_BYTES, "travels in every message");
#define WHOLE(field, lo, hi) fact_natural(list, #field, spec->field, "");
#define REAL(field, lo, hi) fact_real(list, #field, spec->field, "");
#define KIND(field, type) fact_text(list, #field, type##_name(spec->field), "");
#define FLAG(field) fact_flag(list, #field, spec->field, "");
    SOTTO__SPEC_FIELDS(WHOLE, WHOLE, REAL, KIND, FLAG)
    if (sotto_terms_reports_indices(terms)) {
        if (spec->parameters == SOTTO_PARAMETERS_PER_ARM) {
            codebook_facts(list, "warm_up", terms, SOTTO_PHASE_WARM_UP);
        }
        codebook_facts(list, "main", terms, SOTTO_PHASE_MAIN);
        if (sotto__phase_exists(spec, SOTTO_PHASE_MEAN)) {
            codebook_facts(list, "mean", terms, SOTTO_PHASE_MEAN);
        }
        fact_real(list, "along_weight", terms->along_weight,
                  "kept of x along the deciding direction");
    } else {
        const sotto_lattice *lattice = &terms->lattice;
        fact_whole(list, "lattice_dim", lattice->dim, "ticks in a report");
        fact_real(list, "lattice_step", ldexp(1, lattice->grid_log2), "size of a tick");
        fact_whole(list, "lattice_scale_ticks", lattice->scale_ticks, "sigma, or b of laplace");
        fact_whole(list, "lattice_clip_ticks", lattice->clip_ticks, "bound on each coordinate");
    }
    fact_natural(list, "report_bytes", sotto_report_bytes(terms), "always");
    fact_natural(list, "model_bytes", sotto_model_bytes(terms), "always");
}

sotto_status inspect_shuffle_facts(facts *list, const sotto_terms *terms, uint64_t reports,
                                   double delta)
{
    double epsilon;
    sotto_status status = sotto_shuffle_epsilon(terms, reports, delta, &epsilon);
    if (status != SOTTO_OK) return status;
    fact_natural(list, "shuffle_reports", reports, "of one epoch, shuffled");
    fact_real(list, "shuffle_delta", delta, "");
    fact_real(list, "shuffle_epsilon", epsilon, "what the server then learns about one person");
    fact_text(list, "shuffle_conditions", sotto_shuffle_text(terms), "");
    return SOTTO_OK;
}

/* A report does not contain its phase, so each phase that has nulls gets a fact. */
static void report_null_facts(facts *list, const sotto_terms *terms, const sotto_report *report)
{
    static const char *const name[] = {"null_warm_up", "null_main"};
    for (int phase = 0; phase < SOTTO_PHASE_MEAN; phase++) {
        const sotto_codebook *codebook = &terms->codebook[phase];
        if (codebook->nulls == 0) continue;
        bool null = (uint32_t)report->value[0] >= codebook->size;
        fact_flag(list, name[phase], null, "carries no information, if its epoch is of this phase");
    }
}

void inspect_report_facts(facts *list, const sotto_terms *terms, const sotto_report *report)
{
    char name[32];
    bool indices = sotto_terms_reports_indices(terms);
    fact_hex(list, "spec_id", report->spec_id, SOTTO_SPEC_ID_BYTES, "the terms agreed on");
    fact_natural(list, "epoch", report->epoch, "of the model by which the device decided");
    fact_hex(list, "nonce", report->nonce, SOTTO_NONCE_BYTES, "seed of the public codebook");
    for (uint32_t i = 0; i < report->count; i++) {
        snprintf(name, sizeof name, "%s_%u", indices ? "index" : "tick", i);
        fact_whole(list, name, report->value[i],
                   i == 0 ? "already private; nothing else depends on the secret" : "");
    }
    if (indices) report_null_facts(list, terms, report);
}

void inspect_tally_facts(facts *list, const sotto_tally *tally)
{
    const sotto_terms *terms = &tally->terms;
    uint64_t count = sotto_tally_count(tally), heard = sotto_tally_heard(tally);
    fact_hex(list, "spec_id", terms->id, SOTTO_SPEC_ID_BYTES, "the terms agreed on");
    fact_natural(list, "epoch", tally->epoch, "");
    fact_text(list, "phase", sotto_phase_name(tally->phase), "");
    fact_natural(list, "reports", count, "to learn from");
    fact_natural(list, "not_null", heard, "those of them that are not null");
    fact_real(list, "null_share", count > 0 ? (double)(count - heard) / (double)count : NAN,
              "part of them that is null");
    if (terms->spec.measure > 0) {
        fact_natural(list, "measure_reports", tally->measured, "of measure rounds, both roles");
    }
    fact_whole(list, "sums", tally->sums_count, "numbers that reports are added to");
}

static void shares_facts(facts *list, const uint32_t *shares, uint32_t arms)
{
    char name[32];
    for (uint32_t k = 0; k < arms; k++) {
        snprintf(name, sizeof name, "share_%u", k);
        fact_real(list, name, shares[k] * 0x1p-32,
                  k == 0 ? "share of people who get this arm" : "");
    }
}

void inspect_model_facts(facts *list, const sotto_terms *terms, const sotto_model *model)
{
    uint32_t count = sotto__parameter_count(&terms->spec);
    fact_hex(list, "spec_id", model->spec_id, SOTTO_SPEC_ID_BYTES, "the terms agreed on");
    fact_natural(list, "epoch", model->epoch, "");
    fact_text(list, "phase", sotto_phase_name(model->phase), "");
    fact_natural(list, "reports", model->reports, "folded so far");
    if (model->shares != NULL) shares_facts(list, model->shares, terms->spec.arms);
    if (model->theta != NULL) fact_vector(list, "theta", model->theta, count, "the estimate");
    if (model->tbar != NULL) {
        fact_vector(list, "tbar", model->tbar, count, "its running average, which decides");
    }
    if (model->theta_h != NULL) {
        fact_vector(list, "theta_h", model->theta_h, count, "the online estimate");
    }
    if (model->frozen != NULL) {
        fact_vector(list, "frozen", model->frozen, count, "the estimate at the end of warm-up");
        fact_real(list, "elimination", model->elimination, "h: arms h/2 below the best are out");
    }
    if (model->factor != NULL) fact_real(list, "beta", model->beta, "width of the bonus");
    if (model->g != NULL) {
        fact_vector(list, "g", model->g, terms->spec.dim, "what devices take off their contexts");
    }
}

/* ==== ledger ================================================================================= */

/* sotto inspect ledger: what a person has spent, and how many reports must still be sent. */

/* Counts the reports that must still be sent. */
static sotto_status count_unsent(sotto_ledger *ledger, uint64_t *count)
{
    sotto_unsent next = {.entry = 0};
    *count = 0;
    for (;; (*count)++) {
        sotto_status status = sotto_ledger_unsent(ledger, next.entry, &next);
        if (status != SOTTO_OK || next.entry == 0) return status;
    }
}

static void print_facts(facts *list, const sotto_ledger *ledger, uint64_t unsent,
                        double delta_total)
{
    uint64_t rounds = sotto_ledger_rounds(ledger), reports = sotto_ledger_reports(ledger);
    double sum = sotto_ledger_epsilon(ledger);
    double epsilon = sotto_ledger_epsilon_optimal(ledger, delta_total);
    fact_natural(list, "rounds", rounds, "booked; each counts, finished or not");
    fact_natural(list, "reports", reports, "kept, and maybe sent");
    fact_natural(list, "unsent", unsent, "of them: not acknowledged or dropped");
    fact_natural(list, "dropped", sotto_ledger_dropped(ledger), "of them: given up");
    fact_natural(list, "open_rounds", rounds - reports,
                 "begun without a report: spent nevertheless");
    fact_real(list, "epsilon_basic", sum, "sum over the rounds, at delta_basic");
    fact_real(list, "delta_basic", sotto_ledger_delta(ledger), "sum over the rounds");
    fact_real(list, "delta_total", delta_total, "at which the rounds are composed");
    fact_real(list, "epsilon_total", epsilon, "the smallest that holds at delta_total");
    fact_text(list, "composition",
              isinf(epsilon)  ? "none"
              : epsilon < sum ? "optimal"
                              : "basic",
              "the bound that counts");
}

sotto_status inspect_ledger_print(const char *path, double delta_total, bool json,
                                  sotto_fault *fault)
{
    sotto_ledger *ledger;
    uint64_t unsent;
    sotto_status status = sotto_ledger_file_fault(path, fault);
    if (status != SOTTO_OK) return status;
    status = sotto_ledger_file_open(path, &ledger);
    if (status == SOTTO_OK) status = count_unsent(ledger, &unsent);
    if (status == SOTTO_OK) {
        facts list = facts_begin(json);
        print_facts(&list, ledger, unsent, delta_total);
        facts_end(&list);
    } else {
        sotto__fault_status(fault, status);
    }
    sotto_ledger_free(ledger);
    return status;
}
