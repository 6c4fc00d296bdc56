/* Whatever the bytes: refused, or a model that encodes to the very same bytes and under which a
 * round ends in a report, or in none where a fallback is served. */
#include "specs.h"

#include <sotto/client.h>

#include <math.h>
#include <string.h>

static void play_a_round(const sotto_terms *terms, const sotto_model *model)
{
    static const double context[1024] = {0.5, -0.2, 0.9, 1e300, -0.0, 0.1};
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_per_report_max = 8;
    sotto_ledger *ledger;
    sotto_client *client;
    sotto_round *round;
    uint32_t arm;
    uint8_t frame[1024];
    fuzz_require(sotto_ledger_memory_new(&ledger) == SOTTO_OK);
    fuzz_require(sotto_client_new(&policy, ledger, &client) == SOTTO_OK);
    if (sotto_round_new(client, terms, &round) == SOTTO_OK) {
        bool shared = terms->spec.parameters == SOTTO_PARAMETERS_SHARED;
        uint32_t count = terms->spec.dim * (shared ? terms->spec.arms : 1);
        fuzz_require(count <= 1024);
        fuzz_require(sotto_round_begin(round, model) == SOTTO_OK);
        fuzz_require(sotto_round_decide(round, context, count, &arm) == SOTTO_OK);
        fuzz_require(arm < terms->spec.arms);
        bool reports = sotto_round_reports(round);
        fuzz_require(reports || model->served > 0);
        fuzz_require(sotto_round_finish(round, NAN, frame, sizeof frame) ==
                     (reports ? SOTTO_OK : SOTTO_E_SERVED));
        fuzz_require(sotto_ledger_rounds(ledger) == reports);
        sotto_round_free(round);
    }
    sotto_client_free(client);
    sotto_ledger_free(ledger);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int which = 0; which < FUZZ_SPECS; which++) {
        const sotto_terms *terms = fuzz_spec(which);
        sotto_model *model;
        fuzz_require(sotto_model_new(terms, &model) == SOTTO_OK);
        uint8_t *frame = fuzz_frame(terms, data, size, 8);
        if (sotto_model_decode(terms, frame, size, model) == SOTTO_OK) {
            uint8_t *again = malloc(size);
            fuzz_require(again != NULL);
            fuzz_require(sotto_model_encode(terms, model, again, size) == SOTTO_OK);
            fuzz_require(memcmp(again, frame, size) == 0);
            free(again);
            play_a_round(terms, model);
        }
        free(frame);
        sotto_model_free(model);
    }
    return 0;
}
