/* What there is in a file, and how well its schema fits. */
#ifndef SOTTO_LAB_REPLAY_DESCRIBE_H
#define SOTTO_LAB_REPLAY_DESCRIBE_H

#include "lab/dataset/schema.h"
#include "yardstick.h"

typedef struct sotto__description {
    sotto_dataset_counts counted;
    uint32_t columns, numbers, categories,
        ignored;      /* columns that the schema names, and their kinds */
    uint32_t buckets; /* of VW text: numbers that other names share, none of the columns */
    uint32_t dim, arms;
    double *share; /* arms: which part of the rows has this label, or this action */
    bool log;
    /* Of a log. */
    double logging_reward; /* its mean reward */
    double propensity_min;
    double clipped_share; /* of events with a propensity below the clip */
} sotto__description;

/* `yardstick` and `counted` are of all rows. */
SOTTO_CHECK sotto_status sotto__describe(const sotto_schema *schema,
                                         const sotto__yardstick *yardstick,
                                         const sotto_dataset_counts *counted,
                                         sotto__description *out);
void sotto__description_free(sotto__description *description);

/* Whether ranges and levels are public, or taken from people's rows: "public", "data". */
const char *sotto__ranges_name(const sotto_schema *schema);

/* Where much was clipped or missing, the schema may not fit the file. */
#define SOTTO__MISFIT_SHARE 0.01 /* is much */
typedef struct sotto__misfit {
    double clipped; /* of numbers and rewards: outside of their range */
    double missing; /* of numbers and categories: without a value */
    double unknown; /* of categories: none of their levels */
} sotto__misfit;

/* Shares of what was read; NAN: there is no such column. */
sotto__misfit sotto__misfit_of(const sotto_schema *schema, const sotto_dataset_counts *counted);

#endif
