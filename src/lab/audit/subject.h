/* Subjects: what answers inputs and claims to be private. */
#ifndef SOTTO_LAB_AUDIT_SUBJECT_H
#define SOTTO_LAB_AUDIT_SUBJECT_H

#include "client/entropy.h"

#include <sotto/client.h>
#include <sotto/lab/audits.h>

typedef enum sotto__family {
    SOTTO__LATTICE,  /* answers are ticks */
    SOTTO__CODEBOOK, /* a nonce, and the index as the only number */
    SOTTO__VECTOR,   /* privunit's estimate */
    SOTTO__OUTSIDE,  /* numbers of a program, or of a mechanism that people brought */
} sotto__family;

typedef struct sotto__answer {
    uint32_t count;
    double *value;
    uint8_t nonce[SOTTO_NONCE_BYTES];
} sotto__answer;

/* What a subject says of itself. */
typedef struct sotto__claim {
    sotto__family family;
    uint32_t dim;
    uint32_t answer_count; /* numbers of an answer; a program: the first answer sets it */
    double epsilon, delta, radius;
    sotto_noise_law law; /* LATTICE */
    sotto_lattice lattice;
    double diameter_ticks;   /* L2 for gaussian, L1 for laplace */
    sotto_codebook codebook; /* CODEBOOK */
    uint8_t stream_key[SOTTO_SPEC_ID_BYTES];
    sotto_privunit privunit; /* VECTOR */
} sotto__claim;

/* True if some answers are nulls: then the pair that shows most is an input as long as can be and 0. */
static inline bool sotto__claim_has_nulls(const sotto__claim *claim)
{
    return claim->family == SOTTO__CODEBOOK && claim->codebook.nulls > 0;
}

/* How a round is run; tests put broken rounds here. */
typedef struct sotto__rounds {
    sotto_status (*create)(sotto_client *client, const sotto_terms *terms, sotto_round **out);
    void (*free)(sotto_round *round);
    sotto_status (*begin)(sotto_round *round, const sotto_model *model);
    sotto_status (*decide)(sotto_round *round, const double *context, uint32_t context_count,
                           uint32_t *arm);
    sotto_status (*finish)(sotto_round *round, double reward, uint8_t *frame,
                           size_t capacity_bytes);
    sotto_status (*resend)(const sotto_round *round, uint8_t *frame, size_t capacity_bytes);
} sotto__rounds;

extern const sotto__rounds sotto__client_rounds; /* those of sotto/client.h */

typedef struct sotto__subject sotto__subject;
struct sotto__subject {
    sotto__claim claim;
    /* One answer to x (dim numbers), by these coins; NULL: a program outside answers. */
    sotto_status (*draw)(sotto__subject *subject, const double *x, sotto_rng *rng,
                         sotto__answer *out);
    sotto_mechanism_kind kind;      /* in process: which methods' rounds belong to it */
    sotto__rounds rounds;           /* in process */
    sotto_mechanism *mechanism;     /* in process: what answers */
    double *estimate;               /* in process: room for one, dim */
    const char *command;            /* a program: what answers */
    double timeout_s;               /* a program */
    void *brought;                  /* what people brought: what answers */
    void (*release)(void *brought); /* frees it */
    char reason[SOTTO_FAULT_BYTES]; /* why it could not be audited; "" if it could */
};

/* A subject of which nothing is set but its claim, as these settings have it. */
sotto__subject sotto__subject_begin(const sotto_audit_settings *settings);
/* A mechanism of the library, or a program. What people brought has its own: see brought.h. */
SOTTO_CHECK sotto_status sotto__subject_new(const sotto_audit_settings *settings,
                                            sotto__subject *out);
void sotto__subject_free(sotto__subject *subject);

/* LATTICE: the statistic in ticks. */
void sotto__lattice_statistic(const sotto__claim *claim, const double *x, double *ticks);

#endif
