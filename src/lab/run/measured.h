/* What the measure rounds of a match say, over its runs. */
#ifndef SOTTO_LAB_RUN_MEASURED_H
#define SOTTO_LAB_RUN_MEASURED_H

#include "results.h"

typedef struct sotto__measured_line {
    uint32_t runs;        /* that were played now and have reports of both roles */
    uint64_t first;       /* the first of them */
    uint32_t held;        /* of these: the true uplift is within its interval */
    uint32_t told;        /* the interval of the uplift lies above 0 */
    uint32_t harm;        /* of these: the alarm fired */
    uint32_t served;      /* and a fallback was served */
    double uplift, truth; /* means over these runs; NAN: there are none */
} sotto__measured_line;

/* The largest share of measure rounds that a device allows unless its policy says otherwise. */
double sotto__measure_share_usual(void);

/* Of match number `match`. */
sotto__measured_line sotto__measured_of(const sotto__comparison *comparison,
                                        const sotto__results *results, uint32_t match);

#endif
