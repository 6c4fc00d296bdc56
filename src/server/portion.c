/*
 * Portions of a learner's tallies, one per thread.
 *
 * The numbers of all tallies lie in one block, which is 0 while the portion is empty: so it can be laid out
 * for the next learner without being cleared.
 */
#include "core/core.h"
#include "server.h"

#include <assert.h>
#include <stdlib.h>

struct sotto__portion {
    uint32_t epoch, open_count; /* of the learner that it is laid out for; 0: none */
    uint64_t *numbers;          /* of all tallies */
    size_t numbers_capacity;
    void *rest; /* the tallies, their scratch, the values of the report */
    size_t rest_capacity;
    sotto_tally *tally; /* epoch e at e % open_count */
    sotto_report report;
};

sotto__portion *sotto__portion_new(void)
{
    return calloc(1, sizeof(sotto__portion));
}

void sotto__portion_free(sotto__portion *portion)
{
    if (portion == NULL) return;
    free(portion->numbers);
    free(portion->rest);
    free(portion);
}

static bool reserve(sotto__portion *portion, size_t numbers, size_t rest_bytes)
{
    if (numbers > portion->numbers_capacity) {
        uint64_t *grown = calloc(numbers, sizeof grown[0]);
        if (grown == NULL) return false;
        free(portion->numbers);
        portion->numbers = grown;
        portion->numbers_capacity = numbers;
    }
    if (rest_bytes > portion->rest_capacity) {
        void *grown = malloc(rest_bytes);
        if (grown == NULL) return false;
        free(portion->rest);
        portion->rest = grown;
        portion->rest_capacity = rest_bytes;
    }
    return true;
}

bool sotto__portion_fit(sotto__portion *portion, const sotto_learner *learner)
{
    const sotto_terms *terms = &learner->terms;
    uint32_t count = learner->open_count, values = sotto__report_count(terms);
    size_t each = sotto__tally_numbers(terms);
    size_t scratch_bytes = (sotto__tally_scratch_bytes(terms) + 7) / 8 * 8;
    size_t tallies_bytes = count * sizeof(sotto_tally);
    size_t watched = learner->aim != NULL ? sotto__watch_numbers(terms) : 0;
    size_t watches_bytes = count * sizeof(sotto__watch) + terms->spec.dim * sizeof(double);
    portion->open_count = 0;
    if (!reserve(portion, count * (each + watched),
                 tallies_bytes + watches_bytes + scratch_bytes + values * sizeof(int32_t)))
        return false;
    portion->tally = portion->rest;
    sotto__watch *watch = (sotto__watch *)(portion->tally + count);
    double *mixed = (double *)(watch + count);
    uint8_t *scratch = (uint8_t *)(mixed + terms->spec.dim);
    for (uint32_t e = 0; e < count; e++) {
        const sotto_tally *like = learner->open[e].tally;
        sotto__tally_lay(&portion->tally[e], terms, portion->numbers + e * each, scratch);
        sotto__tally_begin(&portion->tally[e], like->epoch, like->phase, like->decides);
        portion->tally[e].served = like->served;
        portion->tally[e].shares = like->shares; /* borrowed while it fits */
        if (learner->aim == NULL) continue;
        sotto__watch_lay(&watch[e], terms, learner->aim,
                         portion->numbers + count * each + e * watched, mixed);
        portion->tally[e].watch = &watch[e];
    }
    portion->report.count = values;
    portion->report.value = (int32_t *)(void *)(scratch + scratch_bytes);
    portion->epoch = learner->model->epoch;
    portion->open_count = count;
    return true;
}

static bool take(sotto__portion *portion, const uint8_t *frame, size_t frame_bytes)
{
    sotto_report *report = &portion->report;
    const sotto_terms *terms = &portion->tally[0].terms;
    if (sotto_report_decode(terms, frame, frame_bytes, report) != SOTTO_OK) return false;
    if (report->epoch > portion->epoch || portion->epoch - report->epoch >= portion->open_count)
        return false;
    return sotto_tally_fold(&portion->tally[report->epoch % portion->open_count], report) ==
           SOTTO_OK;
}

size_t sotto__portion_take(sotto__portion *portion, const uint8_t *frames, size_t count)
{
    assert(portion->open_count > 0);
    size_t frame_bytes = sotto_report_bytes(&portion->tally[0].terms);
    for (size_t i = 0; i < count; i++) {
        if (!take(portion, frames + i * frame_bytes, frame_bytes)) return i;
    }
    return count;
}

void sotto__portion_merge(sotto__portion *portion, sotto_learner *learner)
{
    for (uint32_t e = 0; e < portion->open_count; e++) {
        if (sotto__tally_all(&portion->tally[e]) == 0) continue;
        sotto_status status = sotto_learner_merge(learner, &portion->tally[e]);
        assert(status == SOTTO_OK); /* it belongs to this learner, which has room */
        (void)status;
    }
    sotto__portion_empty(portion);
}

void sotto__portion_empty(sotto__portion *portion)
{
    for (uint32_t e = 0; e < portion->open_count; e++) {
        sotto_tally *tally = &portion->tally[e];
        sotto__tally_begin(tally, tally->epoch, tally->phase, tally->decides);
    }
}

/* A codeword of the dimension d: its block of the public stream, and 4.5 ns per coordinate. */
static uint64_t codeword_ns(uint32_t dim)
{
    return 50 + 9 * (uint64_t)dim / 2;
}

/* Fitted to bench_fold on a core of 64-bit ARM, for the steps of fold.c. */
static uint64_t frame_ns(const sotto_terms *terms, uint32_t phase, bool assigned)
{
    const sotto_spec *spec = &terms->spec;
    const sotto_codebook *codebook = &terms->codebook[phase];
    if (!sotto__reports_indices(terms)) return 25 + terms->lattice.dim / 2;
    uint64_t one_ns = 30 + codeword_ns(codebook->dim);
    if (assigned) return one_ns + 70;
    if (spec->split == SOTTO_SPLIT_PER_ARM) return 30 + spec->arms * codeword_ns(codebook->dim);
    bool signs = spec->parameters == SOTTO_PARAMETERS_PER_ARM && codebook->groups <= 1 &&
                 codebook->dim == spec->dim;
    return signs ? one_ns + 90 + spec->arms * (6 + (uint64_t)spec->dim / 4) : one_ns;
}

uint64_t sotto__learner_frame_ns(const sotto_learner *learner)
{
    const sotto_phase phase = learner->model->phase;
    return frame_ns(&learner->terms, phase,
                    phase != SOTTO_PHASE_MAIN || learner->model->shares != NULL);
}

uint64_t sotto__terms_frame_ns(const sotto_terms *terms)
{
    uint64_t most_ns = 0;
    for (uint32_t phase = 0; phase < SOTTO_PHASES; phase++) {
        for (uint32_t assigned = 0; assigned < 2; assigned++) {
            const uint64_t ns = frame_ns(terms, phase, assigned != 0);
            if (ns > most_ns) most_ns = ns;
        }
    }
    return most_ns;
}

uint64_t sotto__learner_merge_ns(const sotto_learner *learner)
{
    return 50 + learner->open[0].tally->sums_count / 2;
}
