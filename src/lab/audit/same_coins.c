/* Layer 0, the same coins for different secrets: what rounds share, and answers of mechanisms. */
#include "client/client.h"
#include "inner.h"
#include "lab/random/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== recording ============================================================================== */

static sotto_status recording_fill(sotto_rng *rng, void *out, size_t bytes)
{
    sotto__recording_rng *recorder = (sotto__recording_rng *)rng;
    recorder->drawn_bytes += bytes;
    return recorder->seeded.rng.fill(&recorder->seeded.rng, out, bytes);
}

void sotto__recording_rng_begin(sotto__recording_rng *recorder, uint64_t seed)
{
    *recorder = (sotto__recording_rng){.rng = {recording_fill}};
    sotto__seeded_begin(&recorder->seeded, seed);
}

static sotto_status recording_debit(sotto_ledger *ledger, const sotto__debit *debit,
                                    uint64_t *entry)
{
    sotto__recording_ledger *recorder = (sotto__recording_ledger *)ledger;
    recorder->debits++;
    if (recorder->refuses_debit) return SOTTO_E_BUDGET;
    memcpy(recorder->nonce, debit->nonce, sizeof recorder->nonce);
    recorder->epsilon = debit->epsilon;
    recorder->delta = debit->delta;
    *entry = recorder->entry = 7000 + recorder->debits; /* a number that a round could not guess */
    return SOTTO_OK;
}

static sotto_status recording_record(sotto_ledger *ledger, uint64_t entry, const uint8_t *frame,
                                     size_t frame_bytes)
{
    sotto__recording_ledger *recorder = (sotto__recording_ledger *)ledger;
    recorder->records++;
    recorder->recorded_entry = entry;
    if (recorder->refuses_record || frame_bytes > sizeof recorder->frame) return SOTTO_E_BUDGET;
    memcpy(recorder->frame, frame, frame_bytes);
    recorder->frame_bytes = frame_bytes;
    return SOTTO_OK;
}

static sotto_status recording_recall(sotto_ledger *ledger, const uint8_t *spec_id, uint8_t *frame,
                                     size_t frame_bytes, bool *found)
{
    (void)ledger, (void)spec_id, (void)frame, (void)frame_bytes;
    *found = false;
    return SOTTO_OK;
}

static void recording_free(sotto_ledger *ledger)
{
    (void)ledger; /* the audit's own memory */
}

void sotto__recording_ledger_begin(sotto__recording_ledger *recorder)
{
    *recorder = (sotto__recording_ledger){.ledger = {.debit = recording_debit,
                                                     .record = recording_record,
                                                     .recall = recording_recall,
                                                     .free = recording_free}};
}

/* ==== device ================================================================================= */

sotto_status sotto__audit_device_begin(sotto__audit_device *device, const sotto__rounds *rounds,
                                       const sotto_terms *terms, sotto_rng *rng)
{
    const sotto_spec *spec = &terms->spec;
    uint32_t rows = spec->parameters == SOTTO_PARAMETERS_SHARED ? spec->arms : 1;
    *device =
        (sotto__audit_device){.rounds = rounds, .terms = *terms, .context_count = rows * spec->dim};
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_per_report_max = 50;
    policy.epsilon_lifetime = INFINITY;
    policy.delta_max = 0.5;
    policy.measure_share_max = 0.5;
    sotto__recording_ledger_begin(&device->ledger);
    sotto_status status = sotto_client_new(&policy, &device->ledger.ledger, &device->client);
    if (status != SOTTO_OK) return status;
    device->client->rng = rng;
    status = rounds->create(device->client, &device->terms, &device->round);
    if (status == SOTTO_OK) status = sotto_model_new(&device->terms, &device->model);
    if (status == SOTTO_OK) status = sotto_report_new(&device->terms, &device->report);
    return status;
}

void sotto__audit_device_end(sotto__audit_device *device)
{
    if (device->round != NULL) device->rounds->free(device->round);
    sotto_client_free(device->client);
    sotto_model_free(device->model);
    sotto_report_free(device->report);
}

/* ==== mechanism ============================================================================== */

/*
 * Layer 0 of a mechanism: hard inputs, each on the same few tapes of coins.
 *
 * On one tape the answers to x and x' differ by exactly f(x) - f(x') (lattice), so their distance
 * is that of the statistics and must stay within the declared diameter. The number of coins used
 * must not depend on x. Every answer is well formed, and no number comes without noise.
 */

#define TAPES 8u

typedef struct runs {
    const sotto__privacy_claim *claim;
    uint32_t inputs, width;
    double *x;             /* dim */
    double *f;             /* inputs x width: the answer without noise */
    double *value;         /* TAPES x inputs x width */
    uint64_t bytes[TAPES]; /* drawn by the first input */
    uint64_t bytes_off;    /* largest difference to it */
    uint64_t malformed;
} runs;

static double *value_of(const runs *r, uint32_t tape, uint32_t input)
{
    return r->value + ((size_t)tape * r->inputs + input) * r->width;
}

static bool well_formed(const sotto__privacy_claim *claim, double value)
{
    switch (claim->family) {
    case SOTTO__LATTICE: return value == rint(value) && fabs(value) <= INT32_MAX;
    case SOTTO__CODEBOOK:
        return value == rint(value) && value >= 0 &&
               value < claim->codebook.size + claim->codebook.nulls;
    case SOTTO__VECTOR:
    case SOTTO__OUTSIDE: return isfinite(value);
    }
    return false;
}

static sotto_status run_all(runs *r, sotto__subject *subject, uint64_t seed)
{
    for (uint32_t tape = 0; tape < TAPES; tape++) {
        for (uint32_t input = 0; input < r->inputs; input++) {
            sotto__recording_rng recorder;
            sotto__recording_rng_begin(&recorder, seed + tape);
            sotto__subject_answer answer = {.count = r->width, .value = value_of(r, tape, input)};
            sotto__hard_input(input, r->claim->dim, r->claim->radius, r->x);
            sotto_status status = subject->draw(subject, r->x, &recorder.rng, &answer);
            if (status != SOTTO_OK) return status;
            if (input == 0) r->bytes[tape] = recorder.drawn_bytes;
            uint64_t off = recorder.drawn_bytes > r->bytes[tape]
                               ? recorder.drawn_bytes - r->bytes[tape]
                               : r->bytes[tape] - recorder.drawn_bytes;
            if (off > r->bytes_off) r->bytes_off = off;
            for (uint32_t i = 0; i < r->width; i++) {
                r->malformed += !well_formed(r->claim, answer.value[i]);
            }
        }
    }
    return SOTTO_OK;
}

/* Counts numbers that equal their value without noise on every tape. */
static uint64_t count_bare(const runs *r)
{
    uint64_t bare = 0;
    for (uint32_t input = 0; input < r->inputs; input++) {
        for (uint32_t i = 0; i < r->width; i++) {
            uint32_t same = 0;
            for (uint32_t tape = 0; tape < TAPES; tape++) {
                same += value_of(r, tape, input)[i] == r->f[(size_t)input * r->width + i];
            }
            bare += same == TAPES;
        }
    }
    return bare;
}

/* The largest distance between the answers to two inputs on one tape. *off is the largest
 * error of a difference of two numbers, against the difference of their statistics. */
static double largest_distance(const runs *r, double *off)
{
    bool l1 = r->claim->law == SOTTO_NOISE_LAPLACE;
    double largest = 0;
    *off = 0;
    for (uint32_t pair = 0; pair < TAPES * r->inputs * r->inputs; pair++) {
        uint32_t tape = pair / (r->inputs * r->inputs);
        uint32_t a = pair / r->inputs % r->inputs, b = pair % r->inputs;
        const double *y = value_of(r, tape, a), *z = value_of(r, tape, b);
        const double *f = r->f + (size_t)a * r->width, *g = r->f + (size_t)b * r->width;
        double sum = 0;
        for (uint32_t i = 0; i < r->width; i++) {
            double gap = fabs(y[i] - z[i]), error = fabs(y[i] - z[i] - (f[i] - g[i]));
            sum += l1 ? gap : gap * gap;
            if (!(error <= *off)) *off = error;
        }
        double distance = l1 ? sum : sqrt(sum);
        if (!(distance <= largest)) largest = distance; /* NaN counts as large */
    }
    return largest;
}

static void lattice_rows(const runs *r, sotto_audit_result *result)
{
    double off, distance = largest_distance(r, &off);
    double allowed = r->claim->diameter_ticks;
    sotto__audit_row(result, 0, "distance of two answers on the same coins (ticks)", distance,
                     allowed, NAN, distance <= allowed);
    /* A number half-way between two ticks may be rounded either way. */
    sotto__audit_row(result, 0, "noise that depends on the input (ticks)", off, 1, NAN, off <= 1);
}

static sotto_status audit(runs *r, sotto__subject *subject, uint64_t seed,
                          sotto_audit_result *result)
{
    sotto_status status = run_all(r, subject, seed);
    if (status != SOTTO_OK) return status;
    for (uint32_t input = 0; input < r->inputs && r->width == r->claim->dim; input++) {
        double *f = r->f + (size_t)input * r->width;
        sotto__hard_input(input, r->claim->dim, r->claim->radius, r->x);
        if (r->claim->family == SOTTO__LATTICE) sotto__lattice_statistic(r->claim, r->x, f);
        if (r->claim->family == SOTTO__VECTOR) {
            sotto__clip_vector(r->x, r->claim->dim, r->claim->radius, f);
        }
    }
    sotto__audit_row(result, 0, "random bytes that depend on the input", (double)r->bytes_off, 0,
                     NAN, r->bytes_off == 0);
    sotto__audit_row(result, 0, "numbers that are not of the mechanism's kind",
                     (double)r->malformed, 0, NAN, r->malformed == 0);
    if (r->claim->family == SOTTO__CODEBOOK) return SOTTO_OK;
    uint64_t bare = count_bare(r);
    sotto__audit_row(result, 0, "numbers without noise in all of 8 answers", (double)bare, 0, NAN,
                     bare == 0);
    if (r->claim->family == SOTTO__LATTICE) lattice_rows(r, result);
    return SOTTO_OK;
}

sotto_status sotto__audit_deterministic(sotto__subject *subject, uint64_t seed,
                                        sotto_audit_result *result)
{
    runs r = {.claim = &subject->claim,
              .inputs = sotto__hard_inputs(),
              .width = subject->claim.answer_count};
    size_t row = (size_t)r.inputs * r.width;
    r.x = malloc((r.claim->dim + (TAPES + 1) * row) * sizeof(double));
    if (r.x == NULL) return SOTTO_E_MEMORY;
    r.f = r.x + r.claim->dim;
    r.value = r.f + row;
    sotto_status status = audit(&r, subject, seed, result);
    free(r.x);
    return status;
}
