/*
 * A second implementation of the choice with nulls, slow and plain, as a table of integer weights;
 * and versions of it with a fault. A score is heard with probability ||v||; then the k codewords of
 * its group that are nearest to it are heavy, otherwise the k nulls are.
 */
#ifndef SOTTO_BROKEN_NULLS_H
#define SOTTO_BROKEN_NULLS_H

#include "lab/audit/inner.h"

typedef enum nulls_fault {
    NULLS_NONE, /* the shipping code itself, not a twin */
    NULLS_FAITHFUL,
    NULLS_ONE_UNIT_MORE,   /* the first null has one unit of weight too much */
    NULLS_HEAVY,           /* heavy nulls have 20 % too much */
    NULLS_BY_SIGN,         /* a score is heard if its first coordinate is above 0 */
    NULLS_FEWER_BY_SECRET, /* a score that is not heard has one null, the others have k */
    NULLS_MORE_BY_SECRET,  /* it has 2 k, two to an index */
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

/* Whose reports have nulls. */
typedef enum nulls_kind { NULLS_SHARED, NULLS_SIGNS, NULLS_TAGS, NULLS_KINDS } nulls_kind;

/* Terms of epsilon 1 (tags: 2) with few codewords and as many nulls as TOP: 6 dimensions, 3 arms. */
sotto_terms nulls_terms(nulls_kind kind);

/* Audits the client's door under such terms, or a twin of it, seeded. A secret is a vector; its arm is
 * that of the largest of its first numbers, one per arm. */
SOTTO_CHECK sotto_status nulls_audit(nulls_kind kind, nulls_fault fault, uint64_t trials,
                                     uint64_t seed, sotto_audit_result *result);

#endif
