/* What files of this room share. */
#ifndef SOTTO_LAB_AUDIT_INNER_H
#define SOTTO_LAB_AUDIT_INNER_H

#include "client/client.h"
#include "lab/random/random.h"

#include <sotto/client.h>
#include <sotto/core.h>
#include <sotto/lab/audits.h>

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- spelling ------------------------------------------------------------------------------- */

/* How an answer is spelled, apart from what its numbers are worth. */

/* Looks at a line, from most to least of it. */
typedef enum sotto__spelling_look {
    SOTTO__SPELLING_SHAPE, /* all bytes, every digit as 0 */
    SOTTO__SPELLING_FORM,  /* the same, a row of digits as one, without minus signs */
    SOTTO__SPELLING_BYTES, /* how many, and 1; 0: an answer that was not spelled */
    SOTTO__SPELLING_TAIL,  /* the last two */
    SOTTO__SPELLING_LOOKS
} sotto__spelling_look;

/* Two lines that are spelled alike have the same. */
typedef struct sotto__spelling {
    uint32_t look[SOTTO__SPELLING_LOOKS];
} sotto__spelling;

sotto__spelling sotto__spelling_of(const char *line, size_t bytes);

/* Looks have keys of their own. */
static inline uint64_t sotto__spelling_key(const sotto__spelling *spelling, uint32_t look)
{
    return (uint64_t)look << 32 | spelling->look[look];
}

/* ---- subject -------------------------------------------------------------------------------- */

/* Subjects: what answers inputs and claims to be private. */

typedef enum sotto__family {
    SOTTO__LATTICE,  /* answers are ticks */
    SOTTO__CODEBOOK, /* a nonce, and the index as the only number */
    SOTTO__VECTOR,   /* privunit's estimate */
    SOTTO__OUTSIDE,  /* numbers of a program, or of a custom mechanism */
} sotto__family;

typedef struct sotto__subject_answer {
    uint32_t count;
    double *value;
    uint8_t nonce[SOTTO_NONCE_BYTES];
    sotto__spelling spelling; /* of a program's line */
} sotto__subject_answer;

/* What a subject says of itself. */
typedef struct sotto__privacy_claim {
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
} sotto__privacy_claim;

/* True if some answers are nulls: then the pair that shows most is an input as long as can be and 0. */
static inline bool sotto__claim_has_nulls(const sotto__privacy_claim *claim)
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
    sotto__privacy_claim claim;
    /* One answer to x (dim numbers), by these coins; NULL: a program outside answers. */
    sotto_status (*draw)(sotto__subject *subject, const double *x, sotto_rng *rng,
                         sotto__subject_answer *out);
    sotto_mechanism_kind kind;     /* in process: which methods' rounds belong to it */
    sotto__rounds rounds;          /* in process */
    sotto_mechanism *mechanism;    /* in process: what answers */
    double *estimate;              /* in process: room for one, dim */
    const char *command;           /* a program: what answers */
    double timeout_s;              /* a program */
    void *custom;                  /* the custom mechanism that answers */
    void (*release)(void *custom); /* frees it */
    sotto_fault fault;             /* why it could not be audited; empty if it could */
};

/* A subject of which nothing is set but its claim, as these settings have it. */
sotto__subject sotto__subject_begin(const sotto_audit_settings *settings);
/* A mechanism of the library, or a program. A custom mechanism has its own file. */
SOTTO_CHECK sotto_status sotto__subject_new(const sotto_audit_settings *settings,
                                            sotto__subject *out);
void sotto__subject_free(sotto__subject *subject);

/* LATTICE: the statistic in ticks. */
void sotto__lattice_statistic(const sotto__privacy_claim *claim, const double *x, double *ticks);

/* ---- script --------------------------------------------------------------------------------- */

/* Scripts: which inputs are put to a subject, in which order, and who takes the answers. */

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

/* Now and then, reports that trial t is done. False: the listener wants no more. */
bool sotto__script_progress(const sotto__script *script, uint64_t t);
/* Tells it at once. */
bool sotto__script_tell(const sotto__script *script, uint64_t t);
#define SOTTO__AUDIT_STOPPED "it was stopped"

/* Who takes the answers, in order; a status other than SOTTO_OK ends the questions. */
typedef struct sotto__taker sotto__taker;
struct sotto__taker {
    sotto_status (*take)(sotto__taker *taker, uint64_t t, const sotto__subject_answer *answer);
};

/* Inputs that go wrong first: bounds, corners, huge, tiny, not finite. */
uint32_t sotto__hard_inputs(void);
void sotto__hard_input(uint32_t which, uint32_t dim, double radius, double *x);

/* ---- ask ------------------------------------------------------------------------------------ */

/* Puts a script to a subject. */

/* Puts the whole script to the subject: by draw, or to its program. One that misbehaves is left
 * with a subject->fault; the status is only that of the audit. */
SOTTO_CHECK sotto_status sotto__ask(sotto__subject *subject, const sotto__script *script,
                                    sotto_rng *rng, sotto__taker *taker);

/* ---- audit ---------------------------------------------------------------------------------- */

/*
 * The audit of a subject. A subject answers inputs and claims to be private; the audit draws from
 * it, compares with the claim, and adds a row to the result for every comparison.
 *
 *   layer 0   deterministic.c, round.c   the same coins for different secrets
 *   layer 1   law.c and its families     the law of the noise; dependence.c for programs
 *   layer 2   gaussian.c                 what accuracy says of a Gaussian mechanism
 *   layer 3   event.c, deterministic.c   what chances say of any mechanism
 *             memory.c                   inputs before, which are the same; every stretch
 */

/* The audit itself, of any subject. `rng` gives the audit's coins and the subject's. */
SOTTO_CHECK sotto_status sotto__audit_subject(const sotto_audit_settings *settings,
                                              sotto__subject *subject, sotto_rng *rng,
                                              const sotto_audit_progress *progress,
                                              sotto_audit_result *result);

/* ---- custom --------------------------------------------------------------------------------- */

/* A custom mechanism, as a subject. */

/* Makes it, and the subject. SOTTO_OK and a subject->fault if it could not be made. */
SOTTO_CHECK sotto_status sotto__custom_mechanism_new(const sotto_audit_settings *settings,
                                                     sotto__subject *subject);

/* ---- recording ------------------------------------------------------------------------------ */

/* A generator and a ledger that the audit hands to a client: they behave as others do, and record
 * what was asked of them. */

/* A seeded generator that counts. */
typedef struct sotto__recording_rng {
    sotto_rng rng; /* first, so that a pointer to it is a pointer to the whole */
    sotto__seeded seeded;
    uint64_t drawn_bytes;
} sotto__recording_rng;

void sotto__recording_rng_begin(sotto__recording_rng *recorder, uint64_t seed);

#define SOTTO__RECORDING_FRAME_BYTES 4096u

/* A ledger without a limit. */
typedef struct sotto__recording_ledger {
    sotto_ledger ledger; /* first, so that a pointer to it is a pointer to the whole */
    bool refuses_debit, refuses_record;
    uint32_t debits, records;                    /* asked for */
    uint64_t entry, recorded_entry;              /* of the last debit, of the last record */
    uint8_t nonce[SOTTO_NONCE_BYTES];            /* of the last debit */
    double epsilon, delta;                       /* of the last debit */
    uint8_t frame[SOTTO__RECORDING_FRAME_BYTES]; /* of the last record */
    size_t frame_bytes;
} sotto__recording_ledger;

void sotto__recording_ledger_begin(sotto__recording_ledger *recorder);

/* ---- audit_device --------------------------------------------------------------------------- */

/* A device under audit: a client with a recording ledger, its round, a model and a report. */

typedef struct sotto__audit_device {
    const sotto__rounds *rounds;
    sotto_terms terms;
    uint32_t context_count; /* numbers of a context */
    sotto__recording_ledger ledger;
    sotto_client *client;
    sotto_round *round;
    sotto_model *model;
    sotto_report *report;
} sotto__audit_device;

/* The client allows all that terms can ask for, and draws from `rng`, borrowed as `rounds` is. Call
 * sotto__audit_device_end whatever it returns. */
SOTTO_CHECK sotto_status sotto__audit_device_begin(sotto__audit_device *device,
                                                   const sotto__rounds *rounds,
                                                   const sotto_terms *terms, sotto_rng *rng);
void sotto__audit_device_end(sotto__audit_device *device);

/* ---- dependence ----------------------------------------------------------------------------- */

/* Layer 1 of programs whose law is not known: their answers must not depend on each other. */

typedef struct sotto__dependence sotto__dependence;

SOTTO_CHECK sotto_status sotto__dependence_new(uint32_t width, sotto__dependence **out);
void sotto__dependence_free(sotto__dependence *dependence);

/* A new pair of inputs begins; middle: 2 x width, a typical answer to each of its secrets; spread: width, a
 * typical distance from it. */
void sotto__dependence_begin(sotto__dependence *dependence, const double *middle,
                             const double *spread);
/* The next answer, in order. */
void sotto__dependence_take(sotto__dependence *dependence, uint32_t secret, const double *value);
/* The pair ends. */
void sotto__dependence_end(sotto__dependence *dependence);
void sotto__dependence_rows(const sotto__dependence *dependence, sotto_audit_result *result);

/* ---- deterministic -------------------------------------------------------------------------- */

/* Layer 0: the same coins for different secrets. */

SOTTO_CHECK sotto_status sotto__audit_deterministic(sotto__subject *subject, uint64_t seed,
                                                    sotto_audit_result *result);

/* ---- event ---------------------------------------------------------------------------------- */

/* Layer 3: what the chances of one event under two secrets say about epsilon. */

/* A trial whose secret is known: large witnesses should speak for secret 0. */
typedef struct sotto__witnessed_trial {
    double witness;
    uint32_t secret; /* 0 or 1 */
} sotto__witnessed_trial;

/* The witnesses on one side of a threshold. */
typedef struct sotto__audit_event {
    double threshold; /* itself inside */
    bool above;
    uint32_t secret; /* for which it speaks */
    double promise;  /* about the epsilon that fresh trials will show */
} sotto__audit_event;

bool sotto__event_holds(const sotto__audit_event *event, double witness);

/* The event that, by this sample, will show the largest epsilon on `fresh` (> 0) other trials. The
 * sample is sorted on return. */
sotto__audit_event sotto__choose_event(sotto__witnessed_trial *sample, uint64_t count,
                                       uint64_t fresh, double delta, double alpha);

/* By secret: trials, and those in which the event held. */
typedef struct sotto__hits {
    uint64_t trials[2], hits[2];
} sotto__hits;

/* A lower bound on the epsilon of any mechanism that showed these hits, wrong with probability at
 * most alpha; `secret` is the one that the event speaks for. 0 if nothing is shown. */
double sotto__epsilon_lower(const sotto__hits *hits, uint32_t secret, double delta, double alpha);

/* The smallest alpha at which these hits contradict (epsilon, delta). */
double sotto__epsilon_p(const sotto__hits *hits, uint32_t secret, double epsilon, double delta);

/* The bound for a mechanism that publishes its input, after `trials` of each secret: the largest. */
double sotto__epsilon_reach(uint64_t trials, double delta, double alpha);

/* ---- gaussian ------------------------------------------------------------------------------- */

/* Layer 2: what the accuracy of a guess says about a Gaussian mechanism. */

/* Delta/sigma of a Gaussian mechanism that is just (epsilon, delta)-private. */
double sotto__gaussian_allowed(double epsilon, double delta);

/* A lower bound on Delta/sigma from `right` guesses in `trials` with a fair coin, wrong with
 * probability at most alpha; 0 if nothing is shown. */
double sotto__gaussian_lower(uint64_t right, uint64_t trials, double alpha);

/* The smallest alpha at which so many right guesses contradict Delta/sigma <= allowed. */
double sotto__gaussian_p(uint64_t right, uint64_t trials, double allowed);

/* The epsilon that a Gaussian mechanism of this Delta/sigma has at delta; 0 below 0.001. */
double sotto__audit_gaussian_epsilon(double ratio, double delta);

/* The shape of noise, seen witness by witness: sums of powers for each secret. */
typedef struct sotto__shape {
    double count[2], power[2][4];
} sotto__shape;

void sotto__shape_add(sotto__shape *shape, uint32_t secret, double witness);

/* True if the witnesses look normal for each secret, and are many enough to tell a Gaussian mechanism
 * of this Delta/sigma from one whose likelihood ratio is bounded. */
bool sotto__shape_normal(const sotto__shape *shape, double ratio);

/* ---- lags ----------------------------------------------------------------------------------- */

/* Correlation of numbers with those 1 to 128 before. */

#define SOTTO__LAGS 128u
#define SOTTO__LAGS_PAST (4 * SOTTO__LAGS)

/* All 0 at the beginning. A sequence is what is added until sotto__lags_end. */
typedef struct sotto__lags {
    float
        past[SOTTO__LAGS_PAST]; /* past[newest + k - 1]: the number k before; 0 before the first */
    uint32_t newest, parts;     /* newest 0: nothing came yet; parts: numbers in `part` */
    float part[SOTTO__LAGS];    /* sums of products, short ones */
    double sum[SOTTO__LAGS];    /* of this sequence */
    double total, squares;
    uint64_t count, all;   /* numbers of this sequence, and of all that have ended */
    double z[SOTTO__LAGS]; /* summed over sequences */
    uint32_t sequences;    /* that varied */
} sotto__lags;

/* Any numbers, best about 0. */
void sotto__lags_add(sotto__lags *lags, double y);
/* Ends the sequence: the next number has none before it. */
void sotto__lags_end(sotto__lags *lags);

typedef struct sotto__worst_lag {
    uint32_t lag;
    double correlation;
    double p; /* that some lag of an independent sequence stands out so far */
} sotto__worst_lag;

/* Of the sequences that have ended. */
sotto__worst_lag sotto__lags_worst(const sotto__lags *lags);

/* ---- law ------------------------------------------------------------------------------------ */

/* Layer 1: what the laws of all families share. */

/* Layer 1 of one family: takes the answers to one input x of length R, then adds its rows. */
typedef struct sotto__law sotto__law;
struct sotto__law {
    sotto__taker taker;
    void (*rows)(sotto__law *law, sotto_audit_result *result);
    void (*free)(sotto__law *law);
};
/* Layer 1 shares this between its rows. */
#define SOTTO__LAW_ALPHA 1e-6
#define SOTTO__LAW_ROWS_MAX 10

/* A row that fails if p is below its share of SOTTO__LAW_ALPHA. */
void sotto__law_row(sotto_audit_result *result, const char *name, double measured, double expected,
                    double p);

/* A row for the lag that stands out most; `numbers`: of how many sequences this is the worst. */
void sotto__law_lag_row(sotto_audit_result *result, const char *name, const sotto__worst_lag *worst,
                        double numbers);

/* ---- law_rows ------------------------------------------------------------------------------- */

/* Layer 1: one law for each family of answers. */

SOTTO_CHECK sotto_status sotto__law_lattice(const sotto__privacy_claim *claim, const double *x,
                                            uint64_t trials, sotto__law **out);
SOTTO_CHECK sotto_status sotto__law_codebook(const sotto__privacy_claim *claim, const double *x,
                                             uint64_t trials, sotto__law **out);
SOTTO_CHECK sotto_status sotto__law_vector(const sotto__privacy_claim *claim, const double *x,
                                           uint64_t trials, sotto__law **out);

/* ---- law_table ------------------------------------------------------------------------------ */

/* Layer 1: the law of a claim, by its family. */

/* The one of the claim's family. */
SOTTO_CHECK sotto_status sotto__law_new(const sotto__privacy_claim *claim, const double *x,
                                        uint64_t trials, sotto__law **out);

/* ---- measured ------------------------------------------------------------------------------- */

/* Layer 0: measure rounds, coin by coin. */

/* Adds no row for mechanisms whose methods have no measure rounds. */
SOTTO_CHECK sotto_status sotto__audit_measured(sotto__subject *subject, uint64_t seed,
                                               sotto_audit_result *result);

/* ---- sure ----------------------------------------------------------------------------------- */

/* Layer 3, all pairs together: guesses that are made only where an answer says much. */

/* Level k guesses on about one in 2^k of the answers that say anything. */
#define SOTTO__SURE_LEVELS 13u

/* The guesses by one witness, whose sign names the secret: above 0 for secret 0. */
typedef struct sotto__sure {
    double threshold[SOTTO__SURE_LEVELS]; /* of the witness's size, rising */
    uint64_t trials;
    uint64_t right[SOTTO__SURE_LEVELS], wrong[SOTTO__SURE_LEVELS]; /* that go no further up */
} sotto__sure;

/* Sets the thresholds for the trials to come by witnesses of other trials, which are spoiled. What was
 * counted stays. */
void sotto__sure_aim(sotto__sure *sure, sotto__witnessed_trial *sample, uint64_t count);

/* A fresh trial, whose secret a fair coin chose. Here, because most are short. */
static inline void sotto__sure_take(sotto__sure *sure, uint32_t secret, double witness)
{
    double size = fabs(witness);
    sure->trials++;
    if (!(size > 0)) return;
    int64_t level = 0; /* without branches, which nobody could predict */
    for (uint32_t k = 1; k < SOTTO__SURE_LEVELS; k++) {
        level += size >= sure->threshold[k];
    }
    uint64_t *count = (witness > 0) == (secret == 0) ? sure->right : sure->wrong;
    count[level]++;
}

/* The right guesses that delta excuses: the smallest b that Bin(trials, delta) exceeds with probability at
 * most SOTTO__SURE_BETA, which is small against the share of any alpha. */
#define SOTTO__SURE_BETA 1e-9
uint64_t sotto__sure_excused(uint64_t trials, double delta);

/* A lower bound on the epsilon of any mechanism that was guessed so well by the best of these
 * witnesses, wrong with probability at most alpha; 0 if nothing is shown. */
double sotto__sure_lower(const sotto__sure *sure, uint32_t count, double delta, double alpha);

/* The smallest alpha at which these guesses contradict (epsilon, delta). */
double sotto__sure_p(const sotto__sure *sure, uint32_t count, double epsilon, double delta);

/* ---- table ---------------------------------------------------------------------------------- */

/* A table of answers: how often each came for either secret, its own and what is recalled of those before. */

typedef struct sotto__table sotto__table;

#define SOTTO__RECALL 4u /* trials before */
/* The secrets of those, and whether two of these and the own are the same: see sotto__past. */
#define SOTTO__RECALLED (SOTTO__RECALL + (SOTTO__RECALL + 1) * SOTTO__RECALL / 2)

/* An answer is counted under the secret of its own trial, label 0, and under what is recalled, labels 1 to
 * SOTTO__RECALLED. */
#define SOTTO__LABELS (1 + SOTTO__RECALLED)

/* Room for `answers_max` different answers. */
SOTTO_CHECK sotto_status sotto__table_new(uint64_t answers_max, sotto__table **out);
void sotto__table_free(sotto__table *table);

/* The answer with this key came once more for this secret; at most answers_max different ones may. Not
 * after sotto__table_settle. */
void sotto__table_add(sotto__table *table, uint64_t key, uint32_t label, uint32_t secret);

/* All has come. SOTTO_E_MEMORY leaves nothing that could be asked. */
SOTTO_CHECK sotto_status sotto__table_settle(sotto__table *table);

/* By label ln (n0 + 1/2)/(n1 + 1/2), n how often it came for secret 0 and 1; NULL if it never came. */
const double *sotto__table_ratios(const sotto__table *table, uint64_t key);

/* ---- witness -------------------------------------------------------------------------------- */

/* Witnesses: one number for an answer, large where it speaks for the first secret of its pair. */

#define SOTTO__SURE_WITNESSES_MAX 5u
#define SOTTO__RECALL_WITNESSES_MAX 5u

/* All that a learned witness says of an answer. */
typedef struct sotto__heard {
    double of, sure[SOTTO__SURE_WITNESSES_MAX];
    double recall[SOTTO__RECALLED][SOTTO__RECALL_WITNESSES_MAX]; /* [k - 1]: of label k */
} sotto__heard;

typedef struct sotto__witness sotto__witness;
struct sotto__witness {
    double (*of)(sotto__witness *witness, const sotto__subject_answer *answer);
    /* Witnesses whose sign names the secret, above 0 the first, for guesses that need to be sure. */
    uint32_t sure_count;
    double (*sure)(sotto__witness *witness, uint32_t which, const sotto__subject_answer *answer);
    /* Learned ones: all at once, and how many there are for each secret before. */
    uint32_t recall_count;
    void (*hear)(sotto__witness *witness, const sotto__subject_answer *answer, sotto__heard *out);
    void (*free)(sotto__witness *witness);
};

/* Of a learned witness: the projection that separates best if the noise is normal, 0 half-way. */
#define SOTTO__SURE_DIRECTION 0u

/* ln P(answer | x)/P(answer | x') by the claim: the best witness there is, if the claim is true. For
 * every family but OUTSIDE. Borrows the claim. */
SOTTO_CHECK sotto_status sotto__witness_known(const sotto__privacy_claim *claim, const double *x,
                                              const double *other, sotto__witness **out);

/* The secrets of the SOTTO__RECALL trials before one, as far as they may be used: bit k - 1 is that of the
 * trial k before, bit SOTTO__RECALL + k - 1 says that it is known; SOTTO__PAST_OWN is the secret of the trial
 * itself. */
typedef uint16_t sotto__past;
#define SOTTO__PAST_OWN 0x100u

/* What is recalled, by label: the sum modulo 2 of the secrets at these bits. The secret k before is label k;
 * the others are 0 where two secrets are the same. Every one has a secret before. */
static const sotto__past sotto__recalled[SOTTO__RECALLED] = {
    0x1, 0x2, 0x4, 0x8, 0x101, 0x102, 0x104, 0x108, 0x3, 0x5, 0x9, 0x6, 0xa, 0xc};

static inline bool sotto__past_known(sotto__past past, uint32_t label)
{
    uint32_t needed = sotto__recalled[label - 1] & 0xfu;
    return ((uint32_t)past >> SOTTO__RECALL & needed) == needed;
}

static inline uint32_t sotto__past_secret(sotto__past past, uint32_t label)
{
    return (uint32_t)__builtin_parity(past & sotto__recalled[label - 1]);
}

/* What a program answered to known secrets. */
typedef struct sotto__sample {
    uint32_t width; /* numbers of an answer */
    uint64_t count;
    double *value; /* count x width */
    uint8_t *secret;
    sotto__past *past;         /* NULL: nothing is known of the trials before */
    sotto__spelling *spelling; /* NULL: answers were not spelled */
} sotto__sample;

/* Learns several witnesses on one sample and keeps the one that by the other will show most on `fresh`
 * trials. `trial` is room for choose->count; *event is the best event of the witness kept. */
SOTTO_CHECK sotto_status sotto__witness_learn(const sotto__sample *train,
                                              const sotto__sample *choose, uint64_t fresh,
                                              double delta, double alpha,
                                              sotto__witnessed_trial *trial,
                                              sotto__audit_event *event, sotto__witness **out);

sotto__subject_answer sotto__sample_answer(const sotto__sample *sample, uint64_t i);

void sotto__witness_free(sotto__witness *witness);

/* The same for the same answer, and hardly ever for another. */
uint64_t sotto__answer_key(const double *y, uint32_t width);

/* ---- memory --------------------------------------------------------------------------------- */

/* Layer 3: what an answer says of the inputs of the trials before its own, and which of them are the same. */

/* All 0 at the beginning. */
typedef struct sotto__memory {
    uint32_t witnesses; /* of each label */
    sotto__sure sure[SOTTO__RECALLED][SOTTO__RECALL_WITNESSES_MAX];
    double turn[SOTTO__RECALLED]; /* +1 or -1: which way a witness that knows no past is read */
} sotto__memory;

/* A learned witness, with so many guesses for each secret: aims by what it said of other trials; `trial` is
 * room for `count`. What was counted stays. */
void sotto__memory_aim(sotto__memory *memory, uint32_t witnesses, const sotto__heard *heard,
                       uint64_t count, sotto__witnessed_trial *trial);

/* The witness of a claim: aims by guesses at the own secret, and by what witnesses were for the past. */
void sotto__memory_aim_known(sotto__memory *memory, const sotto__sure *own, const double *witness,
                             const sotto__past *past, uint64_t count);

/* A fresh trial. */
void sotto__memory_take(sotto__memory *memory, sotto__past past, const sotto__heard *heard);
void sotto__memory_take_known(sotto__memory *memory, sotto__past past, double witness);

/* A row for each of the trials before, and one for whether two inputs are the same; all that is recalled
 * shares alpha. Returns the largest epsilon. */
double sotto__memory_rows(const sotto__memory *memory, double alpha, sotto_audit_result *result);

/* ---- outside -------------------------------------------------------------------------------- */

/* Puts a script to a program outside. */

/* As sotto__ask, for a subject without a draw function. */
SOTTO_CHECK sotto_status sotto__ask_outside(sotto__subject *subject, const sotto__script *script,
                                            sotto__taker *taker);

/* ---- program -------------------------------------------------------------------------------- */

/* A program outside: started once by the shell, lines in, lines out. */

typedef struct sotto__outside {
    pid_t pid; /* also its process group */
    int in;    /* our end of its standard input, -1 once closed */
    int out;   /* our end of its standard output */
} sotto__outside;

/* Starts /bin/sh -c command in a process group of its own. Both ends do not block, are closed on
 * exec, and writing to a program that is gone raises no signal. SOTTO_E_MEMORY if the system has no
 * room. */
SOTTO_CHECK sotto_status sotto__outside_start(const char *command, sotto__outside *out);

/* Sends what fits without waiting; *sent may be 0. False if the program reads no more. */
bool sotto__outside_send(sotto__outside *program, const char *bytes, size_t count, size_t *sent);
/* Ends its input. */
void sotto__outside_close(sotto__outside *program);

/* Reads what is there; *got 0 with true: nothing yet. False at the end of its output. */
bool sotto__outside_receive(sotto__outside *program, char *bytes, size_t capacity, size_t *got);

/* Waits until there is something to read, or (if wanted) room to write. False after timeout_s. */
bool sotto__outside_wait(const sotto__outside *program, bool to_write, double timeout_s);

/* Waits at most timeout_s for its end, then kills the whole group and reaps it. Returns the status
 * of waitpid; SIGKILL of our own counts as one. */
int sotto__outside_end(sotto__outside *program, double timeout_s);

/* ---- rank ----------------------------------------------------------------------------------- */

/* Where an index stands in the order of a codebook, recomputed from its definition. */

typedef struct sotto__ranking {
    const sotto__privacy_claim *claim;
    double *unit;    /* 2 x dim: the directions to rank by */
    int32_t *normal; /* dim */
    double *cosine;  /* 2 x size/2: of each codeword with each direction */
    uint32_t arm[2]; /* of each direction, where codewords carry arm tags; otherwise 0 */
} sotto__ranking;

SOTTO_CHECK sotto_status sotto__ranking_new(const sotto__privacy_claim *claim, sotto__ranking *out);
void sotto__ranking_free(sotto__ranking *ranking);

/* Ranks by v/||v||, v clipped to the ball, from here on as direction 0 or 1; returns ||v||/R. With tags
 * the arm is that of the largest of the first numbers, one per arm. */
double sotto__ranking_direct(sotto__ranking *ranking, uint32_t which, const double *x);

/* Expands the codebook of a nonce and its products with the first `directions` directions. */
void sotto__ranking_expand(sotto__ranking *ranking, const uint8_t *nonce, uint32_t directions);

/* How many codewords (of the first half, of the arm) are nearer to the line of the direction; *better
 * says whether `index` has its better sign. It is in TOP if it has, and its rank is below k. size/2 if
 * it carries another arm's tag. */
uint32_t sotto__ranking_of(const sotto__ranking *ranking, uint32_t which, uint32_t index,
                           bool *better);

/* ---- roles ---------------------------------------------------------------------------------- */

/* Roles: which trials of a pair train a witness, which choose what is judged, and which are judged. */

typedef enum sotto__trial_role {
    SOTTO__TRAIN,
    SOTTO__CHOOSE,
    SOTTO__FRESH,
    SOTTO__TRIAL_ROLES
} sotto__trial_role;

/* Trials of a run have the same role: so that those a few trials apart mostly have. */
#define SOTTO__RUN 8u

typedef struct sotto__roles {
    uint64_t windows;     /* each with one run that trains and one that chooses */
    uint64_t window_runs; /* at least 2 */
    uint8_t *run;         /* windows x window_runs; later trials are fresh */
} sotto__roles;

/* Spreads `learning` trials (rounded down to runs, at least one) of either sort over the first `kept`, at
 * least 4 times as many and 32. */
SOTTO_CHECK sotto_status sotto__roles_new(uint64_t kept, uint64_t learning, sotto__roles *out);
void sotto__roles_free(sotto__roles *roles);

/* Trials that train; as many choose. */
uint64_t sotto__roles_learning(const sotto__roles *roles);

/* New roles by these coins. */
SOTTO_CHECK sotto_status sotto__roles_draw(sotto__roles *roles, sotto_rng *rng);
/* Bit k - 1: the trial k before has the same role, for k up to `reach` (at most 8). */
uint32_t sotto__roles_alike(const sotto__roles *roles, uint64_t trial, uint32_t reach);
sotto__trial_role sotto__role_at(const sotto__roles *roles, uint64_t trial);

/* ---- round ---------------------------------------------------------------------------------- */

/* Layer 0: whole rounds, with the same coins for different secrets. */

SOTTO_CHECK sotto_status sotto__audit_rounds(sotto__subject *subject, uint64_t seed,
                                             sotto_audit_result *result);

/* ---- row ------------------------------------------------------------------------------------ */

/* Rows: one for every comparison that the audit makes. */

/* NAN stands for a number that does not exist. */
void sotto__audit_row(sotto_audit_result *result, uint32_t layer, const char *name,
                      double statistic, double bound, double p_value, bool passed);

/* ---- score ---------------------------------------------------------------------------------- */

/* Learned scores: what was fitted to the answers of a program, and several guesses that read it. */

#define SOTTO__SCORE_BINS 32u
#define SOTTO__WHITEN_MAX 64u /* widest answer whose whole covariance is used */

typedef struct sotto__score sotto__score;

/* The numbers of an answer, and what tables know of it. */
typedef struct sotto__reading {
    const double *y;
    const double *whole, *cells; /* by label, or NULL */
    double spelled[SOTTO__LABELS];
} sotto__reading;

typedef double sotto__guess(const sotto__score *self, const sotto__reading *read);

/* What separates the secrets of the trial k before. */
typedef struct sotto__recollection {
    double *direction, offset;           /* above 0, as by_direction, for secret 0 */
    double energy_middle, energy_factor; /* as by_energy */
} sotto__recollection;

struct sotto__score {
    sotto__witness base; /* first, so that a pointer to it is a pointer to the whole */
    sotto__guess *use, *sure[SOTTO__SURE_WITNESSES_MAX];
    uint32_t width, best; /* best: the coordinate that separates best by itself */
    double *mean[2];      /* by secret */
    double *middle;       /* half-way between the means */
    double *variance;     /* pooled, of each coordinate */
    double *direction;    /* S^-1 (mean - mean'), S the pooled covariance */
    uint32_t some[SOTTO__WHITEN_MAX], some_count; /* wide answers: numbers that separate best ... */
    double some_direction[SOTTO__WHITEN_MAX];     /* ... and S^-1 (mean - mean') of those alone */
    double edge[SOTTO__SCORE_BINS - 1],
        bin_ratio[SOTTO__SCORE_BINS]; /* of the projection on `direction` */
    double *cell;                     /* one over the width of a cell, of each coordinate */
    sotto__table *whole, *cells,
        *one;              /* of whole answers, of their cells, of `best` (wider ones) */
    sotto__table *spelled; /* of spellings; NULL: answers were not spelled */
    sotto__recollection past[SOTTO__RECALLED];
};

/* What an answer says by one guess, large for the first secret. */
#define SOTTO__GUESSES 11u
extern sotto__guess *const sotto__guesses[SOTTO__GUESSES];

/* Once all is fitted: sets what the witness does. */
void sotto__score_begin(sotto__score *self);
void sotto__score_free(sotto__witness *witness);

sotto__reading sotto__score_read(const sotto__score *self, const sotto__subject_answer *answer);

/* <w, y - middle>. */
double sotto__score_project(const double *w, const double *middle, const double *y, uint32_t width);
/* Of y, in standard deviations around the middle, the sum of squares. */
double sotto__score_energy(const sotto__score *self, const double *y);
/* Which bin of the direction y is in. */
uint32_t sotto__score_bin(const sotto__score *self, const double *y);
/* A key for answers of the same cell. */
uint64_t sotto__score_cell(const sotto__score *self, const double *y);

/* 24 bits of a witness. What rests on lower ones is the arithmetic of doubles: it would accuse a
 * program for how its numbers are rounded, which this layer does not mean to search. */
double sotto__coarse(double witness);

/* ---- stretch -------------------------------------------------------------------------------- */

/* Layer 3: guesses over short stretches of answers, so that a while of cheating is not averaged away. */

#define SOTTO__STRETCH 512u /* fresh trials */

/* What is seen of an answer, and what that is looked up by. Answers are told apart by at most so many
 * symbols; what comes later in a stretch shares the last one. */
#define SOTTO__STRETCH_SIGHTS 4u
#define SOTTO__STRETCH_CONTEXTS 3u
#define SOTTO__STRETCH_RULES (1 + SOTTO__STRETCH_SIGHTS * SOTTO__STRETCH_CONTEXTS)
#define SOTTO__STRETCH_SYMBOLS 16u

/* How one rule does in this stretch. */
typedef struct sotto__stretch_rule {
    uint64_t right, wrong;
    int16_t
        balance[SOTTO__STRETCH_SYMBOLS * SOTTO__STRETCH_SYMBOLS * 2]; /* secrets 0 less secrets 1 */
} sotto__stretch_rule;

/* All 0 at the beginning. */
typedef struct sotto__stretch {
    uint64_t trials; /* of this stretch */
    sotto__stretch_rule rule[SOTTO__STRETCH_RULES];
    uint32_t met[SOTTO__STRETCH_SIGHTS][SOTTO__STRETCH_SYMBOLS], met_count[SOTTO__STRETCH_SIGHTS];
    uint32_t last[SOTTO__STRETCH_SIGHTS], last_secret; /* of the trial before */
    uint64_t stretches;                                /* that have ended */
    double worst_share, worst_p; /* of the one with most right guesses; 0 before the first */
} sotto__stretch;

/* An answer. */
typedef struct sotto__stretch_look {
    double witness;                  /* above 0 names secret 0 */
    const double *threshold;         /* of the witness's size, rising, as in sotto__sure */
    const sotto__spelling *spelling; /* NULL, or all 0: it was not spelled */
} sotto__stretch_look;

/* A fresh trial in order, number `t` of all, whose secret a fair coin chose. */
void sotto__stretch_take(sotto__stretch *stretch, const sotto__privacy_claim *claim,
                         uint32_t secret, uint64_t t, const sotto__stretch_look *look);
/* Ends the last stretch and adds the row, which fails if p is below alpha. */
void sotto__stretch_row(sotto__stretch *stretch, const sotto__privacy_claim *claim, double alpha,
                        sotto_audit_result *result);

/* ---- trials --------------------------------------------------------------------------------- */

/* Layers 2 and 3: the trials of every pair of inputs. */

/* What each row may spend on false alarms, and how the trials of a pair are shared out. */
typedef struct sotto__trial_shares {
    uint64_t trials;
    double alpha_event;    /* layer 3, one pair */
    double alpha_gaussian; /* layer 2, one pair; 0: not a Gaussian claim */
    double alpha_sure;     /* layer 3, sure guesses over several pairs */
    double alpha_memory;   /* layer 3, all inputs before */
    double alpha_stretch;  /* layer 3, the worst stretch */
} sotto__trial_shares;

sotto__trial_shares sotto__trial_shares_of(const sotto__privacy_claim *claim, uint64_t trials,
                                           double alpha);

/* How many trials of a pair train; as many choose what the others are judged by. */
uint64_t sotto__trials_learning(uint64_t trials, uint32_t width);

/* True if some mechanism, for example one that publishes its input, could break this claim in so
 * many trials and be caught. */
bool sotto__trials_suffice(const sotto__privacy_claim *claim, const sotto__trial_shares *shares);

/* Asks, adds the rows of layers 2 and 3 (and layer 1 of an outside program), and sets
 * result->epsilon_lower. */
SOTTO_CHECK sotto_status sotto__audit_trials(sotto__subject *subject, const sotto__script *script,
                                             const sotto__trial_shares *shares, sotto_rng *rng,
                                             sotto_audit_result *result);

#endif
