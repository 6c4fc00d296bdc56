/* Whatever the bytes: refused, with a sentence, or a learner that encodes to the very same bytes, takes a
 * report, publishes, and can be written and read again. */
#include "core/core.h"
#include "specs.h"
#include "why.h"

#include <sotto/server.h>

#include <string.h>

#define CHECK_BYTES 16u

/* Makes the hash right, so that the fuzzer gets past it. */
static void seal(uint8_t *frame, size_t size)
{
    uint8_t hash[SOTTO__DIGEST_BYTES];
    sotto__digest digest;
    if (size < CHECK_BYTES) return;
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, frame, size - CHECK_BYTES);
    sotto__digest_end(&digest, hash);
    memcpy(frame + size - CHECK_BYTES, hash, CHECK_BYTES);
}

/* Numbers as large as a double can be may grow beyond it; no other learner cannot be written. */
static void learn(const sotto_terms *terms, sotto_learner *learner)
{
    sotto_report *report;
    sotto_learner *again;
    fuzz_require(sotto_report_new(terms, &report) == SOTTO_OK);
    report->epoch = sotto_learner_model(learner)->epoch;
    sotto_status status = sotto_learner_take(learner, report);
    fuzz_require(status == SOTTO_OK || status == SOTTO_E_FULL || status == SOTTO_E_SERVED);
    sotto_report_free(report);
    status = sotto_learner_publish(learner);
    fuzz_require(status == SOTTO_OK || status == SOTTO_E_EPOCH);
    size_t size = sotto_learner_bytes(learner);
    uint8_t *frame = malloc(size);
    fuzz_require(frame != NULL);
    status = sotto_learner_encode(learner, frame, size);
    fuzz_require(status == SOTTO_OK || status == SOTTO_E_FAULT);
    if (status == SOTTO_OK) {
        fuzz_require(sotto_learner_decode(terms, frame, size, &again) == SOTTO_OK);
        sotto_learner_free(again);
    }
    free(frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int which = 0; which < FUZZ_SPECS; which++) {
        const sotto_terms *terms = fuzz_spec(which);
        sotto_learner *learner;
        uint8_t *frame = fuzz_frame(terms, data, size, 4);
        seal(frame, size);
        sotto_status status = sotto_learner_decode(terms, frame, size, &learner);
        const char *fault = WHY(sotto_learner_bytes_fault, terms, frame, size);
        fuzz_require((status == SOTTO_OK) == (fault == NULL));
        if (status == SOTTO_OK) {
            uint8_t *again = malloc(size);
            fuzz_require(again != NULL && sotto_learner_bytes(learner) == size);
            fuzz_require(sotto_learner_encode(learner, again, size) == SOTTO_OK);
            fuzz_require(memcmp(again, frame, size) == 0);
            free(again);
            learn(terms, learner);
            sotto_learner_free(learner);
        }
        free(frame);
    }
    return 0;
}
