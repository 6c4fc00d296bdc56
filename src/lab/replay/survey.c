/* One look at a file before it is played. */
#include "survey.h"
#include "core/fault.h"
#include "lab/dataset/fit.h"

static const char *read_all(sotto__yardstick *yardstick, sotto_dataset *dataset,
                            sotto_people *people, uint64_t people_max,
                            const sotto_replay_listener *listener, char *fault)
{
    do {
        const char *wrong = sotto_dataset_next(dataset, people, fault);
        if (wrong != NULL) return wrong;
        sotto__yardstick_add(yardstick, people);
        if (listener == NULL) continue;
        if (!listener->progress(listener->state, sotto_dataset_counted(dataset)->bytes)) {
            return sotto__fault(fault, "%s", SOTTO_REPLAY_STOPPED);
        }
    } while (people->rows > 0 && yardstick->rows < people_max);
    return NULL;
}

const char *sotto__survey(const sotto_schema *schema, sotto_dataset *dataset, double clip,
                          uint64_t people_max, const sotto_replay_listener *listener,
                          sotto__yardstick **out, char fault[SOTTO_FAULT_BYTES])
{
    sotto_people *people = NULL;
    sotto_status status = sotto__yardstick_new(sotto_schema_arms(schema), clip, out);
    if (status == SOTTO_OK) status = sotto_people_new(sotto_schema_dim(schema), &people);
    const char *wrong = status == SOTTO_OK
                            ? read_all(*out, dataset, people, people_max, listener, fault)
                            : sotto__fault(fault, "%s", sotto_status_text(status));
    sotto_people_free(people);
    if (wrong == NULL) return NULL;
    sotto__yardstick_free(*out);
    *out = NULL;
    return wrong;
}
