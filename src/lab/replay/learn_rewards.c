/* Two looks at a log, for the model of its rewards. */
#include "learn_rewards.h"
#include "core/fault.h"
#include "lab/dataset/fit.h"

typedef void look_function(sotto__reward_model *model, const sotto_people *people);

/* One look at all rows, back to the first one. *bytes: of earlier looks, and of this one after it. */
static const char *look(look_function *take, sotto__reward_model *model, sotto_dataset *dataset,
                        sotto_people *people, uint64_t people_max, uint64_t *bytes,
                        const sotto_replay_listener *listener, char *fault)
{
    uint64_t rows = 0, before = *bytes;
    do {
        const char *wrong = sotto_dataset_next(dataset, people, fault);
        if (wrong != NULL) return wrong;
        take(model, people);
        rows += people->rows;
        *bytes = before + sotto_dataset_counted(dataset)->bytes;
        if (listener != NULL && !listener->progress(listener->state, *bytes)) {
            return sotto__fault(fault, "%s", SOTTO_REPLAY_STOPPED);
        }
    } while (people->rows > 0 && rows < people_max);
    return sotto_dataset_rewind(dataset, fault);
}

static const char *learn(sotto_dataset *dataset, sotto_people *people, uint64_t people_max,
                         const sotto_replay_listener *listener, sotto__rewards *out, char *fault)
{
    uint64_t bytes = 0;
    const char *wrong = look(sotto__reward_model_add, out->model, dataset, people, people_max,
                             &bytes, listener, fault);
    if (wrong != NULL) return wrong;
    if (!sotto__reward_model_solve(out->model)) {
        sotto__reward_model_free(out->model);
        *out = (sotto__rewards){NULL, SOTTO_UNTOLD_FEW_EVENTS};
        return NULL;
    }
    return look(sotto__reward_model_score, out->model, dataset, people, people_max, &bytes,
                listener, fault);
}

const char *sotto__learn_rewards(const sotto_schema *schema, sotto_dataset *dataset,
                                 uint64_t people_max, const sotto_replay_listener *listener,
                                 sotto__rewards *out, char fault[SOTTO_FAULT_BYTES])
{
    uint32_t arms = sotto_schema_arms(schema), dim = sotto_schema_dim(schema);
    sotto_people *people = NULL;
    *out = (sotto__rewards){NULL, SOTTO_UNTOLD_NONE};
    if (!sotto_schema_is_log(schema)) return NULL;
    if (sotto__reward_model_bytes(arms, dim) > SOTTO__REWARD_MODEL_BYTES_MAX) {
        out->untold = SOTTO_UNTOLD_LARGE;
        return NULL;
    }
    sotto_status status = sotto__reward_model_new(arms, dim, &out->model);
    if (status == SOTTO_OK) status = sotto_people_new(dim, &people);
    const char *wrong = status == SOTTO_OK
                            ? learn(dataset, people, people_max, listener, out, fault)
                            : sotto__fault(fault, "%s", sotto_status_text(status));
    sotto_people_free(people);
    if (wrong != NULL) sotto__rewards_free(out);
    return wrong;
}

void sotto__rewards_free(sotto__rewards *rewards)
{
    sotto__reward_model_free(rewards->model);
    *rewards = (sotto__rewards){0};
}
