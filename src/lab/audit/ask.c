/* Puts a script to a subject. */
#include "ask.h"
#include "outside.h"

#include <stdio.h>
#include <stdlib.h>

static sotto_status ask_in_process(sotto__subject *subject, const sotto__script *script,
                                   sotto_rng *rng, sotto__taker *taker)
{
    sotto__answer answer = {.count = subject->claim.answer_count};
    answer.value = malloc(answer.count * sizeof answer.value[0]);
    if (answer.value == NULL) return SOTTO_E_MEMORY;
    sotto_status status = SOTTO_OK;
    uint64_t total = script->pairs * script->trials;
    for (uint64_t t = 0; t < total && status == SOTTO_OK; t++) {
        status = subject->draw(subject, sotto__script_input(script, t), rng, &answer);
        if (status == SOTTO_OK) status = taker->take(taker, t, &answer);
        if (status != SOTTO_OK || sotto__script_progress(script, t)) continue;
        snprintf(subject->reason, sizeof subject->reason, "%s", SOTTO__AUDIT_STOPPED);
        break;
    }
    free(answer.value);
    bool misbehaved = status == SOTTO_E_PLUGIN; /* the subject has the reason */
    return misbehaved ? SOTTO_OK : status;
}

sotto_status sotto__ask(sotto__subject *subject, const sotto__script *script, sotto_rng *rng,
                        sotto__taker *taker)
{
    if (subject->reason[0] != '\0') return SOTTO_OK; /* it could not be made */
    if (subject->draw == NULL) return sotto__ask_outside(subject, script, taker);
    return ask_in_process(subject, script, rng, taker);
}
