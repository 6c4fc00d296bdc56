/*
 * The choice with nulls once more, slow and obvious, as a table of integer weights; and twins of it
 * with a fault. A score is heard with chance ||v||; then the k codewords of its group that are nearest
 * to it are heavy, otherwise the k nulls are.
 */
#ifndef SOTTO_BROKEN_NULLS_H
#define SOTTO_BROKEN_NULLS_H

#include "lab/audit/subject.h"

typedef enum nulls_fault {
    NULLS_NONE, /* the shipping code itself, not a twin */
    NULLS_FAITHFUL,
    NULLS_ONE_UNIT_MORE,   /* the first null has one unit of weight too much */
    NULLS_HEAVY,           /* heavy nulls have 20 % too much */
    NULLS_BY_SIGN,         /* a score is heard if its first coordinate is above 0 */
    NULLS_COUNT_BY_SECRET, /* a score that is not heard has one null, the others have k */
    NULLS_ALL_HEARD,       /* small scores are heard as if they were large */
    NULLS_FAULTS
} nulls_fault;

#define NULLS_INDICES_MAX (SOTTO_CODEBOOK_SIZE_MAX + SOTTO_CODEBOOK_SIZE_MAX / 2)

typedef struct nulls_law {
    uint64_t weight[NULLS_INDICES_MAX];
    bool heavy[NULLS_INDICES_MAX]; /* TOP */
    uint64_t total;
} nulls_law;

/* The law of a score v, of a pulled arm, by the coin that says whether it is heard. codeword: size/2
 * rows of dim numbers of norm 1, as twin_expand makes them. */
void nulls_law_of(const sotto_codebook *codebook, const double *codeword, const double *v,
                  uint32_t group, uint64_t sign, nulls_fault fault, nulls_law *law);

/* The index that owns `member`, of [0, total): TOP comes first, then the others, each by index. */
uint32_t nulls_law_owner(const sotto_codebook *codebook, const nulls_law *law, uint64_t member);

#endif
