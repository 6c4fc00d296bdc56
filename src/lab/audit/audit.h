/*
 * The audit's parts. A subject answers inputs and claims to be private; the audit draws from it,
 * compares with the claim, and adds a row to the result for every comparison.
 *
 *   layer 0   audit_deterministic.c, audit_round.c   the same coins for different secrets
 *   layer 1   audit_law.c and its families           the law of the noise
 *   layer 2   audit_gaussian.c                       what accuracy says of a Gaussian mechanism
 *   layer 3   audit_event.c, audit_sure.c            what chances say of any mechanism
 */
#ifndef SOTTO_LAB_AUDIT_AUDIT_H
#define SOTTO_LAB_AUDIT_AUDIT_H

#include "client/entropy.h"

#include <sotto/client.h>
#include <sotto/lab.h>

typedef enum sotto__family {
    SOTTO__LATTICE,  /* answers are ticks */
    SOTTO__CODEBOOK, /* a nonce, and the index as the only number */
    SOTTO__VECTOR,   /* privunit's estimate */
    SOTTO__OUTSIDE,  /* a program's numbers */
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
    uint32_t answer_count; /* numbers of an answer; OUTSIDE: the first answer sets it */
    double epsilon, delta, radius;
    sotto_noise_law law; /* LATTICE */
    sotto_lattice lattice;
    double diameter_ticks;   /* L2 for gaussian, L1 for laplace */
    sotto_codebook codebook; /* CODEBOOK */
    uint8_t stream_key[SOTTO_SPEC_ID_BYTES];
    sotto_privunit privunit; /* VECTOR */
} sotto__claim;

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
    sotto_mechanism_kind kind;             /* in process: which methods' rounds belong to it */
    sotto__rounds rounds;                  /* in process */
    sotto_mechanism *mechanism;            /* in process: what answers */
    double *estimate;                      /* in process: room for one, dim */
    const char *command;                   /* OUTSIDE: what answers */
    double timeout_s;                      /* OUTSIDE */
    char reason[SOTTO_AUDIT_REASON_BYTES]; /* why it could not be audited; "" if it could */
};

/* The library's own mechanism as a subject. */
SOTTO_CHECK sotto_status sotto__subject_new(const sotto_audit_settings *settings,
                                            sotto__subject *out);
void sotto__subject_free(sotto__subject *subject);

/* Inputs in order: pair t / trials, of it the one that coin t chooses. */
typedef struct sotto__script {
    uint32_t dim, pairs;
    uint64_t trials;                      /* of each pair */
    const double *input;                  /* pairs x 2 x dim */
    const uint8_t *coins;                 /* a bit for each trial of each pair */
    const sotto_audit_progress *progress; /* who hears of it, or NULL */
    uint64_t progress_start, progress_total;
} sotto__script;

#define SOTTO__AUDIT_PAIRS 5u

/* input: SOTTO__AUDIT_PAIRS x 2 x dim. */
SOTTO_CHECK sotto_status sotto__audit_pairs(uint32_t dim, double radius, sotto_rng *rng,
                                            double *input);
uint32_t sotto__script_coin(const sotto__script *script, uint64_t t);
const double *sotto__script_input(const sotto__script *script, uint64_t t);

/* Now and then, tells that trial t is done. */
void sotto__script_progress(const sotto__script *script, uint64_t t);

/* Who takes the answers, in order; a status other than SOTTO_OK ends the questions. */
typedef struct sotto__taker sotto__taker;
struct sotto__taker {
    sotto_status (*take)(sotto__taker *taker, uint64_t t, const sotto__answer *answer);
};

/* Puts the whole script to the subject: by draw, or to its program. One that misbehaves is left
 * with a subject->reason; the status is that of the audit alone. */
SOTTO_CHECK sotto_status sotto__ask(sotto__subject *subject, const sotto__script *script,
                                    sotto_rng *rng, sotto__taker *taker);
SOTTO_CHECK sotto_status sotto__ask_outside(sotto__subject *subject, const sotto__script *script,
                                            sotto__taker *taker);

/* Inputs that go wrong first: bounds, corners, huge, tiny, not finite. */
uint32_t sotto__hard_inputs(void);
void sotto__hard_input(uint32_t which, uint32_t dim, double radius, double *x);

/* LATTICE: the statistic in ticks. */
void sotto__lattice_statistic(const sotto__claim *claim, const double *x, double *ticks);

/* ---- rows --------------------------------------------------------------------------------- */

/* NAN stands for a number that does not exist. */
void sotto__audit_row(sotto_audit_result *result, uint32_t layer, const char *name,
                      double statistic, double bound, double p_value, bool passed);

/* Layer 1 shares this between its rows. */
#define SOTTO__LAW_ALPHA 1e-6

/* ---- layers ------------------------------------------------------------------------------- */

SOTTO_CHECK sotto_status sotto__audit_deterministic(sotto__subject *subject, uint64_t seed,
                                                    sotto_audit_result *result);
SOTTO_CHECK sotto_status sotto__audit_rounds(sotto__subject *subject, uint64_t seed,
                                             sotto_audit_result *result);

/* Layer 1 of one family: takes the answers to one input x of length R, then adds its rows. */
typedef struct sotto__law sotto__law;
struct sotto__law {
    sotto__taker taker;
    void (*rows)(sotto__law *law, sotto_audit_result *result);
    void (*free)(sotto__law *law);
};
SOTTO_CHECK sotto_status sotto__law_lattice(const sotto__claim *claim, const double *x,
                                            uint64_t trials, sotto__law **out);
SOTTO_CHECK sotto_status sotto__law_codebook(const sotto__claim *claim, const double *x,
                                             uint64_t trials, sotto__law **out);
SOTTO_CHECK sotto_status sotto__law_vector(const sotto__claim *claim, const double *x,
                                           uint64_t trials, sotto__law **out);
/* The one of the claim's family. */
SOTTO_CHECK sotto_status sotto__law_new(const sotto__claim *claim, const double *x, uint64_t trials,
                                        sotto__law **out);

/* The audit itself, of any subject. `rng` gives the audit's coins and the subject's. */
SOTTO_CHECK sotto_status sotto__audit_subject(const sotto_audit_settings *settings,
                                              sotto__subject *subject, sotto_rng *rng,
                                              const sotto_audit_progress *progress,
                                              sotto_audit_result *result);

#endif
