/* Mechanisms on plain vectors: the shipping privatise code for the lab, and PrivUnit as the
 * reference. */
#include "client/client.h"
#include "core/core.h"
#include "inner.h"
#include "lab/random/random.h"

#include <sotto/lab/mechanisms.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sotto_mechanism {
    sotto_mechanism_settings settings;
    sotto_rng system;
    sotto__seeded seeded;
    sotto_rng *rng;
    double scale;
    double *v; /* dim: the clipped vector over R */
    /* codebook and l2ball: */
    sotto_ledger *ledger;
    sotto_terms terms;
    sotto__door_work work;
    sotto_report *report;
    int32_t *codeword;
    /* privunit: */
    sotto_privunit privunit;
    uint64_t *words;
    /* gaussian and laplace: */
    sotto_lattice lattice;
    int64_t *noise;
};

const char *sotto_mechanism_kind_name(sotto_mechanism_kind value)
{
#define NAME(name, text) text,
    static const char *const name[] = {SOTTO_MECHANISM_MAP(NAME)};
    return (uint32_t)value < sizeof name / sizeof name[0] ? name[value] : NULL;
}

bool sotto_mechanism_kind_from_name(const char *name, sotto_mechanism_kind *out)
{
    for (uint32_t i = 0; name != NULL && out != NULL && sotto_mechanism_kind_name(i) != NULL; i++) {
        if (strcmp(name, sotto_mechanism_kind_name(i)) != 0) continue;
        *out = (sotto_mechanism_kind)i;
        return true;
    }
    return false;
}

/* The spec under which a vector is privatised. The number of arms does not matter. */
static sotto_spec vector_spec(const sotto_mechanism_settings *settings)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = settings->dim;
    spec.arms = 2;
    spec.epsilon = settings->epsilon;
    spec.context_norm_max = settings->radius;
    if (settings->kind == SOTTO_MECHANISM_L2BALL) {
        spec.method = SOTTO_METHOD_LDP_SGD;
        spec.score = SOTTO_SCORE_GRADIENT;
    }
    return spec;
}

sotto_mechanism_settings sotto_mechanism_default(sotto_mechanism_kind kind, uint32_t dim,
                                                 double epsilon)
{
    sotto_mechanism_settings settings = {
        .kind = kind,
        .dim = dim,
        .epsilon = epsilon,
        .delta = kind == SOTTO_MECHANISM_GAUSSIAN ? 1e-6 : 0,
        .allow_weak_delta = false,
        .radius = 1,
        .codebook_size = 2,
        .seeded = false,
        .seed = 0,
    };
    sotto_spec spec = vector_spec(&settings);
    sotto_terms terms;
    if (sotto_spec_resolve(&spec, &terms) == SOTTO_OK) {
        settings.codebook_size = terms.codebook[SOTTO_PHASE_MAIN].size;
    }
    return settings;
}

static bool is_lattice(const sotto_mechanism_settings *settings)
{
    return settings->kind == SOTTO_MECHANISM_GAUSSIAN || settings->kind == SOTTO_MECHANISM_LAPLACE;
}

/* Noise for the ball of radius R: the diameter is 2R, or 2R sqrt(d) in the L1 norm. */
static sotto__lattice_need ball_need(const sotto_mechanism_settings *settings)
{
    bool laplace = settings->kind == SOTTO_MECHANISM_LAPLACE;
    return (sotto__lattice_need){
        .law = laplace ? SOTTO_NOISE_LAPLACE : SOTTO_NOISE_GAUSSIAN,
        .epsilon = settings->epsilon,
        .delta = settings->delta,
        .diameter = 2 * settings->radius * (laplace ? sqrt(settings->dim) : 1),
        .dim = settings->dim,
        .coordinate_max = settings->radius,
    };
}

static sotto_status lattice_fault(const sotto_mechanism_settings *settings, sotto_fault *fault)
{
    sotto__lattice_need need = ball_need(settings);
    if (!(settings->epsilon >= 0.01 && settings->epsilon <= 50)) {
        return sotto__fault_at(fault, "epsilon", "%.15g: allowed 0.01 to 50", settings->epsilon);
    }
    if (!(settings->delta >= 0 && settings->delta <= 0.5)) {
        return sotto__fault_at(fault, "delta", "%.15g: allowed 0 to 0.5", settings->delta);
    }
    return sotto__lattice_promise_fault(need.law, need.dim, need.epsilon, need.delta,
                                        settings->allow_weak_delta, fault);
}

sotto_status sotto_mechanism_fault(const sotto_mechanism_settings *settings, sotto_fault *fault)
{
    if (settings == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    if (sotto_mechanism_kind_name(settings->kind) == NULL) {
        return sotto__fault_at(fault, "kind", "%u: not a known mechanism",
                               (unsigned)settings->kind);
    }
    uint32_t size = settings->codebook_size;
    if (size < 2 || size > SOTTO_CODEBOOK_SIZE_MAX || size % 2 != 0) {
        return sotto__fault_at(fault, "codebook_size", "%u: allowed even, 2 to %u", size,
                               SOTTO_CODEBOOK_SIZE_MAX);
    }
    if (size != 2 && settings->kind == SOTTO_MECHANISM_L2BALL) {
        return sotto__fault_at(fault, "codebook_size", "%u: the l2ball is the codebook of size 2",
                               size);
    }
    if (!(settings->radius >= 1e-6 && settings->radius <= 1e6)) {
        return sotto__fault_at(fault, "radius", "%.10g: allowed 1e-06 to 1000000",
                               settings->radius);
    }
    sotto_spec spec = vector_spec(settings);
    bool lattice = is_lattice(settings);
    if (lattice) spec.epsilon = 1; /* lattice noise has its own range of epsilon */
    sotto_status status = sotto_spec_fault(&spec, fault);
    return status == SOTTO_OK && lattice ? lattice_fault(settings, fault) : status;
}

static sotto_status build_codebook(sotto_mechanism *mechanism)
{
    sotto_spec spec = vector_spec(&mechanism->settings);
    sotto_terms *terms = &mechanism->terms;
    sotto_status status =
        sotto__spec_resolve_sized(&spec, mechanism->settings.codebook_size, terms);
    if (status != SOTTO_OK) return status;
    mechanism->scale = terms->codebook[SOTTO_PHASE_MAIN].scale;
    mechanism->codeword = malloc(spec.dim * sizeof mechanism->codeword[0]);
    if (mechanism->codeword == NULL) return SOTTO_E_MEMORY;
    status = sotto__door_work_new(terms, &mechanism->work);
    if (status != SOTTO_OK) return status;
    status = sotto_ledger_memory_new(&mechanism->ledger);
    if (status != SOTTO_OK) return status;
    return sotto_report_new(terms, &mechanism->report);
}

static sotto_status build_lattice(sotto_mechanism *mechanism)
{
    sotto__lattice_need need = ball_need(&mechanism->settings);
    mechanism->lattice = sotto__lattice_constants(&need);
    mechanism->scale = 1;
    mechanism->noise = malloc(need.dim * sizeof mechanism->noise[0]);
    mechanism->report = calloc(1, sizeof(sotto_report) + need.dim * sizeof(int32_t));
    if (mechanism->noise == NULL || mechanism->report == NULL) return SOTTO_E_MEMORY;
    mechanism->report->count = need.dim;
    mechanism->report->value = (int32_t *)(mechanism->report + 1);
    return SOTTO_OK;
}

static sotto_status build_privunit(sotto_mechanism *mechanism)
{
    uint32_t dim = mechanism->settings.dim;
    mechanism->privunit = sotto_privunit_constants(dim, mechanism->settings.epsilon);
    mechanism->scale = mechanism->privunit.scale;
    mechanism->words = malloc(sotto__privunit_words(dim) * sizeof mechanism->words[0]);
    return mechanism->words == NULL ? SOTTO_E_MEMORY : SOTTO_OK;
}

static sotto_status draw_codebook(sotto_mechanism *mechanism, double *estimate)
{
    const sotto_terms *terms = &mechanism->terms;
    sotto__door door = {.terms = terms, .phase = SOTTO_PHASE_MAIN, .epoch = 0};
    sotto_status status = mechanism->rng->fill(mechanism->rng, door.nonce, sizeof door.nonce);
    if (status != SOTTO_OK) return status;
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_lifetime = INFINITY;
    sotto__debit debit = {.spec_id = terms->id,
                          .nonce = door.nonce,
                          .epsilon = terms->spec.epsilon,
                          .delta = 0,
                          .policy = &policy};
    uint64_t entry;
    status = mechanism->ledger->debit(mechanism->ledger, &debit, &entry);
    if (status != SOTTO_OK) return status;
    status = sotto__privatise(&door, mechanism->v, 0, mechanism->rng, &mechanism->work,
                              mechanism->report);
    if (status != SOTTO_OK) return status;
    status =
        sotto_codebook_expand(&terms->codebook[SOTTO_PHASE_MAIN], terms->stream_key, door.nonce,
                              (uint32_t)mechanism->report->value[0], 0, mechanism->codeword);
    if (status != SOTTO_OK) return status;
    double unit = mechanism->settings.radius * mechanism->scale * 0x1p-30;
    for (uint32_t i = 0; i < mechanism->settings.dim; i++) {
        estimate[i] = unit * mechanism->codeword[i];
    }
    return SOTTO_OK;
}

static sotto_status draw_lattice(sotto_mechanism *mechanism, double *estimate)
{
    const sotto_mechanism_settings *settings = &mechanism->settings;
    const sotto_lattice *lattice = &mechanism->lattice;
    sotto_status status =
        sotto__lattice_noise(lattice, ball_need(settings).law, mechanism->rng, mechanism->noise);
    if (status != SOTTO_OK) return status;
    for (uint32_t i = 0; i < settings->dim; i++) {
        mechanism->v[i] *= settings->radius;
    }
    sotto__add_noise(lattice, mechanism->v, settings->dim, 0, mechanism->noise,
                     mechanism->report->value);
    for (uint32_t i = 0; i < settings->dim; i++) {
        estimate[i] = ldexp(mechanism->report->value[i], lattice->grid_log2);
    }
    return SOTTO_OK;
}

static sotto_status draw_privunit(sotto_mechanism *mechanism, double *estimate)
{
    uint32_t dim = mechanism->settings.dim;
    sotto_status status = mechanism->rng->fill(
        mechanism->rng, mechanism->words, sotto__privunit_words(dim) * sizeof mechanism->words[0]);
    if (status != SOTTO_OK) return status;
    sotto__privunit_draw(&mechanism->privunit, mechanism->v, dim, mechanism->words, estimate);
    for (uint32_t i = 0; i < dim; i++) {
        estimate[i] *= mechanism->settings.radius;
    }
    return SOTTO_OK;
}

static const struct {
    sotto_status (*build)(sotto_mechanism *mechanism);
    sotto_status (*draw)(sotto_mechanism *mechanism, double *estimate); /* of mechanism->v */
} mechanisms[] = {
    [SOTTO_MECHANISM_CODEBOOK] = {.build = build_codebook, .draw = draw_codebook},
    [SOTTO_MECHANISM_L2BALL] = {.build = build_codebook, .draw = draw_codebook},
    [SOTTO_MECHANISM_PRIVUNIT] = {.build = build_privunit, .draw = draw_privunit},
    [SOTTO_MECHANISM_GAUSSIAN] = {.build = build_lattice, .draw = draw_lattice},
    [SOTTO_MECHANISM_LAPLACE] = {.build = build_lattice, .draw = draw_lattice},
};

sotto_status sotto_mechanism_new(const sotto_mechanism_settings *settings, sotto_mechanism **out)
{
    if (out == NULL) return SOTTO_E_ARGUMENT;
    *out = NULL;
    if (settings == NULL) return SOTTO_E_ARGUMENT;
    if (sotto_mechanism_fault(settings, NULL) != SOTTO_OK) return SOTTO_E_FAULT;
    sotto_mechanism *mechanism = calloc(1, sizeof *mechanism);
    if (mechanism == NULL) return SOTTO_E_MEMORY;

    mechanism->settings = *settings;
    mechanism->system = sotto__system_rng();
    sotto__seeded_begin(&mechanism->seeded, settings->seed);
    mechanism->rng = settings->seeded ? &mechanism->seeded.rng : &mechanism->system;
    mechanism->v = malloc(settings->dim * sizeof mechanism->v[0]);
    sotto_status status = SOTTO_E_MEMORY;
    if (mechanism->v != NULL) {
        status = mechanisms[settings->kind].build(mechanism);
    }
    if (status != SOTTO_OK) {
        sotto_mechanism_free(mechanism);
        return status;
    }
    *out = mechanism;
    return SOTTO_OK;
}

void sotto_mechanism_free(sotto_mechanism *mechanism)
{
    if (mechanism == NULL) return;
    sotto__door_work_free(&mechanism->work);
    sotto_report_free(mechanism->report);
    sotto_ledger_free(mechanism->ledger);
    free(mechanism->codeword);
    free(mechanism->noise);
    free(mechanism->words);
    free(mechanism->v);
    free(mechanism);
}

sotto_status sotto_mechanism_draw(sotto_mechanism *mechanism, const double *x, double *estimate)
{
    if (mechanism == NULL || x == NULL || estimate == NULL) return SOTTO_E_ARGUMENT;
    const sotto_mechanism_settings *settings = &mechanism->settings;
    sotto__clip_vector(x, settings->dim, settings->radius, mechanism->v);
    for (uint32_t i = 0; i < settings->dim; i++) {
        mechanism->v[i] /= settings->radius;
    }
    return mechanisms[settings->kind].draw(mechanism, estimate);
}

void sotto__mechanism_borrow(sotto_mechanism *mechanism, sotto_rng *rng)
{
    mechanism->rng = rng;
}

const sotto_report *sotto_mechanism_report(const sotto_mechanism *mechanism)
{
    return mechanism == NULL ? NULL : mechanism->report;
}

const sotto_terms *sotto_mechanism_terms(const sotto_mechanism *mechanism)
{
    return mechanism == NULL || mechanism->codeword == NULL ? NULL : &mechanism->terms;
}

const sotto_lattice *sotto_mechanism_lattice(const sotto_mechanism *mechanism)
{
    return mechanism == NULL || mechanism->noise == NULL ? NULL : &mechanism->lattice;
}

double sotto_mechanism_scale(const sotto_mechanism *mechanism)
{
    return mechanism == NULL ? INFINITY : mechanism->scale;
}
