/* Where rows come from: whether they are synthetic. */
#ifndef SOTTO_LAB_LOAN_ORIGIN_H
#define SOTTO_LAB_LOAN_ORIGIN_H

#include "row.h"

/* There is no kind that says real: nothing in a file can prove it. */
#define SOTTO__LOAN_ORIGIN_MAP(X)                                                                  \
    X(MARKED, "known by their column SYNTHETIC")                                                   \
    X(SYNTHETIC, "known by their payments")                                                        \
    X(UNKNOWN, "unknown: taken as given")
#define SOTTO__ENUMERATOR_LOAN_ORIGIN(name, text) SOTTO__LOAN_##name,
typedef enum sotto__loan_origin {
    SOTTO__LOAN_ORIGIN_MAP(SOTTO__ENUMERATOR_LOAN_ORIGIN)
} sotto__loan_origin;
#undef SOTTO__ENUMERATOR_LOAN_ORIGIN
const char *sotto__loan_origin_name(sotto__loan_origin origin);

/* The signs of a synthetic file. */
typedef struct sotto__loan_signs {
    bool column; /* it has a column SYNTHETIC */
    uint64_t rows;
    uint64_t marked;     /* rows whose cents are sotto__loan_mark */
    uint64_t millionths; /* rows whose payment has six decimals: no fewer, no more */
} sotto__loan_signs;

/* The cents, 0 to 99, that a synthetic payment has: by chance one in a hundred others has them. */
uint32_t sotto__loan_mark(const sotto__loan_row *row);
void sotto__loan_signs_add(sotto__loan_signs *signs, const sotto__loan_row *row);
sotto__loan_origin sotto__loan_origin_of(const sotto__loan_signs *signs);

#endif
