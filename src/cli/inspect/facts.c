/* Facts about a spec, a report, a model, a tally. */
#include "core/calibrate.h"
#include "core/method.h"
#include "core/spec_fields.h"
#include "core/terms_resolve.h"
#include "inspect.h"
#include "server/tally.h"

#include <math.h>
#include <stdio.h>

/* What nulls do, for scores of the size that the codebook was made for. */
static void null_facts(facts *list, const char *prefix, const sotto_terms *terms, sotto_phase phase)
{
    const sotto_codebook *codebook = &terms->codebook[phase];
    double epsilon = terms->spec.epsilon, size = sotto__score_size(&terms->spec, phase);
    char name[48];
    snprintf(name, sizeof name, "%s_score_size", prefix);
    fact_real(list, name, size, "a: how large scores are in the mean, a public guess");
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
    if (terms->spec.version == 2) {
        FACT(fact_whole, nulls, "indices from M on that say nothing: 0, or k for small scores");
    }
    FACT(fact_natural, weight_top, "w_top: chances in W for each of them");
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
    if (spec->version == 2) {
        SOTTO__SPEC_FIELDS_2(WHOLE, REAL)
    }
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

/* A report does not say of which phase its epoch is. */
static void report_null_facts(facts *list, const sotto_terms *terms, const sotto_report *report)
{
    static const char *const name[] = {"null_warm_up", "null_main"};
    for (int phase = 0; phase < SOTTO_PHASE_MEAN; phase++) {
        const sotto_codebook *codebook = &terms->codebook[phase];
        if (codebook->nulls == 0) continue;
        bool null = (uint32_t)report->value[0] >= codebook->size;
        fact_flag(list, name[phase], null, "says nothing, if its epoch is of this phase");
    }
}

void inspect_report_facts(facts *list, const sotto_terms *terms, const sotto_report *report)
{
    char name[32];
    bool indices = sotto_terms_reports_indices(terms);
    fact_hex(list, "spec_id", report->spec_id, SOTTO_SPEC_ID_BYTES, "the terms agreed on");
    fact_natural(list, "epoch", report->epoch, "of the model acted on");
    fact_hex(list, "nonce", report->nonce, SOTTO_NONCE_BYTES, "seed of the public codebook");
    for (uint32_t i = 0; i < report->count; i++) {
        snprintf(name, sizeof name, "%s_%u", indices ? "index" : "tick", i);
        fact_whole(list, name, report->value[i], i == 0 ? "already private; all there is" : "");
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
    if (terms->spec.version == 2) {
        fact_natural(list, "not_null", heard, "those of them that say something");
        fact_real(list, "null_share", count > 0 ? (double)(count - heard) / (double)count : NAN,
                  "part of them that is null");
    }
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
        fact_real(list, name, shares[k] * 0x1p-32, k == 0 ? "part of people who get this arm" : "");
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
