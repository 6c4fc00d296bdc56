/* Facts about a spec, a report, a model. */
#include "core/method.h"
#include "core/spec_fields.h"
#include "inspect.h"

#include <math.h>
#include <stdio.h>

static void codebook_facts(facts *list, const char *phase, const sotto_codebook *codebook)
{
    char name[48];
#define FACT(add, field, meaning)                                                                  \
    snprintf(name, sizeof name, "%s_%s", phase, #field);                                           \
    add(list, name, codebook->field, meaning)
    FACT(fact_whole, dim, "coordinates of a codeword");
    FACT(fact_whole, size, "M: codewords, each with its opposite");
    FACT(fact_whole, groups, "arm tags; 1: none");
    FACT(fact_whole, top, "k: codewords nearest to the secret, drawn more often");
    FACT(fact_natural, weight_top, "w_top: chances in W for each of them");
    FACT(fact_natural, weight_rest, "w_rest: chances for each of the others");
    FACT(fact_real, scale, "B: report = B x unit codeword, unbiased");
    snprintf(name, sizeof name, "%s_mse", phase);
    fact_real(list, name, codebook->scale * codebook->scale - 1, "B^2 - 1: its mean squared error");
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
            codebook_facts(list, "warm_up", &terms->codebook[SOTTO_PHASE_WARM_UP]);
        }
        codebook_facts(list, "main", &terms->codebook[SOTTO_PHASE_MAIN]);
        if (sotto__phase_exists(spec, SOTTO_PHASE_MEAN)) {
            codebook_facts(list, "mean", &terms->codebook[SOTTO_PHASE_MEAN]);
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
}

void inspect_model_facts(facts *list, const sotto_terms *terms, const sotto_model *model)
{
    uint32_t count = sotto__parameter_count(&terms->spec);
    fact_hex(list, "spec_id", model->spec_id, SOTTO_SPEC_ID_BYTES, "the terms agreed on");
    fact_natural(list, "epoch", model->epoch, "");
    fact_text(list, "phase", sotto_phase_name(model->phase), "");
    fact_natural(list, "reports", model->reports, "folded so far");
    fact_vector(list, "theta", model->theta, count, "the estimate");
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
