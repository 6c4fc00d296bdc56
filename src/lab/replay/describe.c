#include "core/core.h"
#include "lab/dataset/dataset.h"
#include "replay.h"

#include <math.h>
#include <stdlib.h>

/* ==== survey ================================================================================= */

/* One look at a file before it is played. */

static sotto_status read_all(sotto__yardstick *yardstick, sotto_dataset *dataset,
                             sotto_people *people, uint64_t people_max,
                             const sotto_replay_listener *listener, sotto_fault *fault)
{
    do {
        sotto_status wrong = sotto_dataset_next(dataset, people, fault);
        if (wrong != SOTTO_OK) return wrong;
        sotto__yardstick_add(yardstick, people);
        if (listener == NULL) continue;
        if (!SOTTO__ASK(
                listener->progress(listener->state, sotto_dataset_counted(dataset)->bytes))) {
            return sotto__refuse(fault, "%s", SOTTO_REPLAY_STOPPED);
        }
    } while (people->rows > 0 && yardstick->rows < people_max);
    return SOTTO_OK;
}

sotto_status sotto__survey(const sotto_schema *schema, sotto_dataset *dataset, double clip,
                           uint64_t people_max, const sotto_replay_listener *listener,
                           sotto__yardstick **out, sotto_fault *fault)
{
    sotto_people *people = NULL;
    sotto_status status = sotto__yardstick_new(sotto_schema_arms(schema), clip, out);
    if (status == SOTTO_OK) status = sotto_people_new(sotto_schema_dim(schema), &people);
    sotto_status wrong = status == SOTTO_OK
                             ? read_all(*out, dataset, people, people_max, listener, fault)
                             : sotto__fault_status(fault, status);
    sotto_people_free(people);
    if (wrong == SOTTO_OK) return SOTTO_OK;
    sotto__yardstick_free(*out);
    *out = NULL;
    return wrong;
}

/* ==== describe =============================================================================== */

/* What a file contains, and how well its schema fits. */

static uint32_t columns_of_kind(const sotto_schema *schema, sotto__column_kind kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < schema->columns_count; i++) {
        if (schema->column[i].kind == kind) count++;
    }
    return count;
}

sotto_status sotto__describe(const sotto_schema *schema, const sotto__yardstick *yardstick,
                             const sotto_dataset_counts *counted, sotto__description *out)
{
    double rows = (double)yardstick->rows;
    *out = (sotto__description){
        .counted = *counted,
        .columns = schema->columns_count - schema->hash,
        .numbers = columns_of_kind(schema, SOTTO__COLUMN_NUMBER) - schema->hash,
        .buckets = schema->hash,
        .categories = columns_of_kind(schema, SOTTO__COLUMN_CATEGORY),
        .ignored = columns_of_kind(schema, SOTTO__COLUMN_IGNORE),
        .dim = sotto_schema_dim(schema),
        .arms = yardstick->arms,
        .share = calloc(yardstick->arms, sizeof *out->share),
        .log = sotto_schema_is_log(schema),
        .logging_reward = sotto__off_policy_value(&yardstick->logging, yardstick->rows).value,
        .propensity_min = yardstick->propensity_min,
        .clipped_share = (double)yardstick->clipped / rows,
    };
    if (out->share == NULL) return SOTTO_E_MEMORY;
    for (uint32_t a = 0; a < yardstick->arms; a++) {
        out->share[a] = (double)yardstick->arm_count[a] / rows;
    }
    return SOTTO_OK;
}

void sotto__description_free(sotto__description *description)
{
    free(description->share);
    *description = (sotto__description){0};
}

const char *sotto__ranges_name(const sotto_schema *schema)
{
    return schema->from_data ? "data" : "public";
}

static double share_of(uint64_t count, uint64_t fields)
{
    return fields == 0 ? NAN : (double)count / (double)fields;
}

sotto__misfit sotto__misfit_of(const sotto_schema *schema, const sotto_dataset_counts *counted)
{
    uint64_t numbers = columns_of_kind(schema, SOTTO__COLUMN_NUMBER) * counted->rows;
    uint64_t categories = columns_of_kind(schema, SOTTO__COLUMN_CATEGORY) * counted->rows;
    uint64_t rewards = columns_of_kind(schema, SOTTO__COLUMN_REWARD) * counted->rows;
    return (sotto__misfit){
        .clipped = share_of(counted->clipped, numbers + rewards),
        .missing = share_of(counted->missing, numbers + categories),
        .unknown = share_of(counted->unknown, categories),
    };
}
