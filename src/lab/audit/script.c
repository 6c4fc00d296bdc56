/* The inputs of an audit, the device that plays its rounds, and the generator and ledger that
 * record what rounds ask for. */
#include "client/client.h"
#include "core/core.h"
#include "inner.h"
#include "lab/random/random.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== device ================================================================================= */

/* A device under audit. */

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

/* ==== recording ============================================================================== */

/* The recording generator and ledger. */

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

/* ==== script ================================================================================= */

/* The inputs of an audit. */

/* Draws a uniform direction times `length`. */
static sotto_status draw_direction(uint32_t dim, double length, sotto_rng *rng, double *x)
{
    for (uint32_t i = 0; i < dim; i += 2) {
        uint64_t word[2];
        double normal[2];
        sotto_status status = rng->fill(rng, word, sizeof word);
        if (status != SOTTO_OK) return status;
        sotto__normal_pair(word[0], word[1], normal);
        x[i] = normal[0];
        if (i + 1 < dim) x[i + 1] = normal[1];
    }
    double factor = length / sotto__norm(x, dim);
    for (uint32_t i = 0; i < dim; i++) {
        x[i] *= factor;
    }
    return SOTTO_OK;
}

/* Five pairs (x, x'), e_i the i-th axis, 1 the vector of ones, u and w random directions:
 *
 *   (R e_1, -R e_1)             a full diameter, all of it in one coordinate
 *   (R 1/sqrt d, -R 1/sqrt d)   a full diameter, the longest possible in L1
 *   (R u, -R u)                 a full diameter, in a random direction
 *   (10 R w, -1.2 R w)          outside the ball, far and near: detects missing clipping
 *   (R e_d/2, 0)                inside the ball; the last coordinate; an input without a direction
 */
sotto_status sotto__audit_pairs(uint32_t dim, double radius, sotto_rng *rng, double *input)
{
    for (uint32_t i = 0; i < SOTTO__AUDIT_PAIRS * 2 * dim; i++) {
        input[i] = 0;
    }
    input[0] = radius;
    for (uint32_t i = 0; i < dim; i++) {
        input[2 * dim + i] = radius / sqrt(dim);
    }
    sotto_status status = draw_direction(dim, radius, rng, input + 4 * dim);
    if (status == SOTTO_OK) status = draw_direction(dim, 10 * radius, rng, input + 6 * dim);
    if (status != SOTTO_OK) return status;
    for (uint32_t pair = 0; pair < 4; pair++) {
        double *x = input + (size_t)pair * 2 * dim;
        for (uint32_t i = 0; i < dim; i++) {
            x[dim + i] = -x[i];
        }
    }
    for (uint32_t i = 7 * dim; i < 8 * dim; i++) {
        input[i] *= 0.12;
    }
    input[9 * dim - 1] = radius / 2;
    return SOTTO_OK;
}

uint32_t sotto__script_coin(const sotto__script *script, uint64_t t)
{
    return script->coins[t / 8] >> (t % 8) & 1;
}

const double *sotto__script_input(const sotto__script *script, uint64_t t)
{
    uint64_t pair = t / script->trials;
    return script->input + (2 * pair + sotto__script_coin(script, t)) * script->dim;
}

bool sotto__script_tell(const sotto__script *script, uint64_t t)
{
    const sotto_audit_progress *progress = script->progress;
    return progress == NULL ||
           SOTTO__ASK(
               progress->show(progress->state, script->progress_start + t, script->progress_total));
}

bool sotto__script_progress(const sotto__script *script, uint64_t t)
{
    return t % 256 != 0 || sotto__script_tell(script, t);
}

/* The first coordinate, every other one, and the last; in multiples of R if scaled. */
static const struct {
    double first, rest, last;
    bool scaled;
} hard[] = {
    {0, 0, 0, true},
    {-0.0, -0.0, -0.0, true},
    {1, 0, 0, true},
    {-1, 0, 0, true},
    {0, 0, 1, true},
    {0, 0, -1, true},
    {1.1, 0, 0, true},
    {-1.2, 0, 0, true},
    {2, 0, 0, true},
    {-2, 0, 0, true},
    {1, 1, 1, true}, /* the corners, outside the ball */
    {-1, -1, -1, true},
    {1, -1, 1, true},
    {1 + DBL_EPSILON, 0, 0, true},
    {0.5, 0.5, 0.5, true},
    {1.2, 0, -1.2, true},
    {1e308, 1e308, 1e308, false},
    {-1e308, 1e308, -1e308, false},
    {1e308, 0, -1e-308, false},
    {5e-324, 5e-324, 5e-324, false},
    {-5e-324, 0, 5e-324, false},
    {1e-300, 0, 0, false},
    {NAN, NAN, NAN, false},
    {NAN, 0, 1, true},
    {INFINITY, INFINITY, INFINITY, false},
    {-INFINITY, 1, INFINITY, false},
    {INFINITY, NAN, -1e308, false},
};

uint32_t sotto__hard_inputs(void)
{
    return sizeof hard / sizeof hard[0];
}

void sotto__hard_input(uint32_t which, uint32_t dim, double radius, double *x)
{
    double unit = hard[which].scaled ? radius : 1;
    for (uint32_t i = 0; i < dim; i++) {
        x[i] = unit * hard[which].rest;
    }
    x[dim - 1] = unit * hard[which].last;
    x[0] = unit * hard[which].first;
}
