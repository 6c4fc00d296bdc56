/*
 * What files of this room share. The audit draws answers from a subject, compares them with its
 * claim, and adds a row to the result for every comparison.
 *
 *   layer 0   same_coins.c, round.c, measured.c   the same coins for different secrets
 *   layer 1   law.c, dependence.c   the law of the noise; of programs, independent answers
 *   layer 2   trials.c              bounds from the accuracy of guesses; Gaussian claims
 *   layer 3   trials.c, memory.c    bounds from probabilities, any mechanism; earlier inputs, equal
 *                                   inputs, and every stretch of answers
 */
#ifndef SOTTO_LAB_AUDIT_INNER_H
#define SOTTO_LAB_AUDIT_INNER_H

#include "client/client.h"
#include "lab/math/math.h"
#include "lab/random/random.h"

#include <sotto/client.h>
#include <sotto/core.h>
#include <sotto/lab/audits.h>

#include <sys/types.h>

/* ---- subjects ------------------------------------------------------------------------------- */

/* How an answer is spelled, whatever its numbers are. Views of its line, from the most detailed to
 * the least. */
typedef enum sotto__spelling_look {
    SOTTO__SPELLING_SHAPE, /* all bytes, every digit as 0 */
    SOTTO__SPELLING_FORM,  /* as SHAPE, a run of digits as one digit, without minus signs */
    SOTTO__SPELLING_BYTES, /* the number of bytes plus 1; 0: the answer has no spelling */
    SOTTO__SPELLING_TAIL,  /* the last two bytes */
    SOTTO__SPELLING_LOOKS
} sotto__spelling_look;

/* Lines with the same spelling have equal looks. */
typedef struct sotto__spelling {
    uint32_t look[SOTTO__SPELLING_LOOKS];
} sotto__spelling;

sotto__spelling sotto__spelling_of(const char *line, size_t bytes);

/* Different looks never share a key. */
static inline uint64_t sotto__spelling_key(const sotto__spelling *spelling, uint32_t look)
{
    return (uint64_t)look << 32 | spelling->look[look];
}

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

/* What a subject claims about itself. */
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

/* True if some answers are nulls. Then the pair that shows most is an input of the largest length
 * and 0. */
static inline bool sotto__claim_has_nulls(const sotto__privacy_claim *claim)
{
    return claim->family == SOTTO__CODEBOOK && claim->codebook.nulls > 0;
}

/* The functions of a round. Tests put broken ones here. */
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

extern const sotto__rounds sotto__client_rounds; /* the functions of sotto/client.h */

typedef struct sotto__subject sotto__subject;
struct sotto__subject {
    sotto__privacy_claim claim;
    /* Draws one answer to x (dim numbers) with the coins of `rng`. NULL: a program answers. */
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
    sotto_fault fault;             /* why the subject could not be audited; empty if it could */
};

/* Makes the subject for a mechanism of the library, a custom mechanism or a program. If a custom
 * mechanism cannot be made, returns SOTTO_OK and sets subject->fault. */
SOTTO_CHECK sotto_status sotto__subject_new(const sotto_audit_settings *settings,
                                            sotto__subject *out);
void sotto__subject_free(sotto__subject *subject);
/* LATTICE: the statistic in ticks. */
void sotto__lattice_statistic(const sotto__privacy_claim *claim, const double *x, double *ticks);

/* ---- scripts -------------------------------------------------------------------------------- */

/* Which inputs a subject gets, in which order. Trial t uses pair t / trials, and coin t chooses one
 * of the pair's two inputs. */
typedef struct sotto__script {
    uint32_t dim, pairs;
    uint64_t trials;                      /* of each pair */
    const double *input;                  /* pairs x 2 x dim */
    const uint8_t *coins;                 /* a bit for each trial of each pair */
    const sotto_audit_progress *progress; /* the listener, or NULL */
    uint64_t progress_start, progress_total;
} sotto__script;

#define SOTTO__AUDIT_PAIRS 5u
/* input: SOTTO__AUDIT_PAIRS x 2 x dim. */
SOTTO_CHECK sotto_status sotto__audit_pairs(uint32_t dim, double radius, sotto_rng *rng,
                                            double *input);
uint32_t sotto__script_coin(const sotto__script *script, uint64_t t);
const double *sotto__script_input(const sotto__script *script, uint64_t t);
/* Reports from time to time that trial t is done. False if the listener asks to stop. */
bool sotto__script_progress(const sotto__script *script, uint64_t t);
/* Reports trial t immediately. False if the listener asks to stop. */
bool sotto__script_tell(const sotto__script *script, uint64_t t);
#define SOTTO__AUDIT_STOPPED "it was stopped"

/* Receives the answers in order. A status other than SOTTO_OK ends the script. */
typedef struct sotto__taker sotto__taker;
struct sotto__taker {
    sotto_status (*take)(sotto__taker *taker, uint64_t t, const sotto__subject_answer *answer);
};

/* Inputs that are likely to expose errors: bounds, corners, huge, tiny, not finite. */
uint32_t sotto__hard_inputs(void);
void sotto__hard_input(uint32_t which, uint32_t dim, double radius, double *x);

/* Runs the whole script against the subject, by its draw function or its program. If the subject
 * misbehaves, subject->fault is set and the status is SOTTO_OK. Any other status is a failure of
 * the audit itself. */
SOTTO_CHECK sotto_status sotto__ask(sotto__subject *subject, const sotto__script *script,
                                    sotto_rng *rng, sotto__taker *taker);

/* Roles of the trials of a pair: to train a witness, to choose what is judged, or to be judged. */
typedef enum sotto__trial_role {
    SOTTO__TRAIN,
    SOTTO__CHOOSE,
    SOTTO__FRESH,
    SOTTO__TRIAL_ROLES
} sotto__trial_role;

/* Trials of a run have the same role, so trials that are close together usually have it too. */
#define SOTTO__RUN 8u

typedef struct sotto__roles {
    uint64_t windows;     /* each with one run that trains and one that chooses */
    uint64_t window_runs; /* at least 2 */
    uint8_t *run;         /* windows x window_runs; later trials are fresh */
} sotto__roles;

/* Spreads `learning` trials that train and as many that choose (whole runs, at least one) over the
 * first `kept` trials, which are at least 4 times `learning`, and at least 32. */
SOTTO_CHECK sotto_status sotto__roles_new(uint64_t kept, uint64_t learning, sotto__roles *out);
void sotto__roles_free(sotto__roles *roles);
/* How many trials train. The same number choose. */
uint64_t sotto__roles_learning(const sotto__roles *roles);
SOTTO_CHECK sotto_status sotto__roles_draw(sotto__roles *roles, sotto_rng *rng);
/* Bit k - 1: the trial k before has the same role, for k up to `reach` (at most 8). */
uint32_t sotto__roles_alike(const sotto__roles *roles, uint64_t trial, uint32_t reach);
sotto__trial_role sotto__role_at(const sotto__roles *roles, uint64_t trial);

/* ---- programs ------------------------------------------------------------------------------- */

/* As sotto__ask, for a subject without a draw function. */
SOTTO_CHECK sotto_status sotto__ask_outside(sotto__subject *subject, const sotto__script *script,
                                            sotto__taker *taker);

/* An outside program, started once by the shell. It reads lines and writes lines. */
typedef struct sotto__outside {
    pid_t pid; /* also its process group */
    int in;    /* our end of its standard input, -1 once closed */
    int out;   /* our end of its standard output */
} sotto__outside;

/* Starts /bin/sh -c command in a process group of its own. Both ends are non-blocking and closed on
 * exec, and writing to a program that has exited raises no signal. SOTTO_E_MEMORY if the system is
 * out of resources. */
SOTTO_CHECK sotto_status sotto__outside_start(const char *command, sotto__outside *out);
/* Sends what fits without waiting; *sent may be 0. False if the program no longer reads. */
bool sotto__outside_send(sotto__outside *program, const char *bytes, size_t count, size_t *sent);
/* Closes the program's standard input. */
void sotto__outside_close(sotto__outside *program);
/* Reads what is available; *got is 0 if nothing has arrived yet. False at the end of the program's
 * output. */
bool sotto__outside_receive(sotto__outside *program, char *bytes, size_t capacity, size_t *got);
/* Waits until there is something to read or, if wanted, room to write. False after timeout_s. */
bool sotto__outside_wait(const sotto__outside *program, bool to_write, double timeout_s);
/* Waits at most timeout_s for the program to exit, then kills its whole process group and reaps it.
 * Returns the status of waitpid, which is that of SIGKILL if the program was killed here. */
int sotto__outside_end(sotto__outside *program, double timeout_s);

/* ---- layer 0 -------------------------------------------------------------------------------- */

/* A seeded generator that counts the bytes it gives. */
typedef struct sotto__recording_rng {
    sotto_rng rng; /* first, so that a pointer to it is a pointer to the whole */
    sotto__seeded seeded;
    uint64_t drawn_bytes;
} sotto__recording_rng;

void sotto__recording_rng_begin(sotto__recording_rng *recorder, uint64_t seed);

#define SOTTO__RECORDING_FRAME_BYTES 4096u
/* A ledger without a limit that records what it was asked for. */
typedef struct sotto__recording_ledger {
    sotto_ledger ledger; /* first, so that a pointer to it is a pointer to the whole */
    bool refuses_debit, refuses_record;
    uint32_t debits, records;                    /* how often each was asked for */
    uint64_t entry, recorded_entry;              /* of the last debit, of the last record */
    uint8_t nonce[SOTTO_NONCE_BYTES];            /* of the last debit */
    double epsilon, delta;                       /* of the last debit */
    uint8_t frame[SOTTO__RECORDING_FRAME_BYTES]; /* of the last record */
    size_t frame_bytes;
} sotto__recording_ledger;

void sotto__recording_ledger_begin(sotto__recording_ledger *recorder);

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

/* The client's policy allows everything that terms can ask for. The client draws from `rng`; `rng`
 * and `rounds` are borrowed. Call sotto__audit_device_end even if this fails. */
SOTTO_CHECK sotto_status sotto__audit_device_begin(sotto__audit_device *device,
                                                   const sotto__rounds *rounds,
                                                   const sotto_terms *terms, sotto_rng *rng);
void sotto__audit_device_end(sotto__audit_device *device);

/* The same coins for different secrets: answers of the mechanism, whole rounds, and rounds that
 * measure, coin by coin. The last two add no row if the mechanism has no such rounds. */
typedef sotto_status sotto__layer_0(sotto__subject *subject, uint64_t seed,
                                    sotto_audit_result *result);
sotto__layer_0 sotto__audit_deterministic, sotto__audit_rounds, sotto__audit_measured;

/* ---- layer 1 -------------------------------------------------------------------------------- */

/* Adds a row, one for every comparison. NAN stands for a number that does not exist. */
void sotto__audit_row(sotto_audit_result *result, uint32_t layer, const char *name,
                      double statistic, double bound, double p_value, bool passed);

/* Layer 1 of one family: takes the answers to one input x of length R, then adds its rows. */
typedef struct sotto__law sotto__law;
struct sotto__law {
    sotto__taker taker;
    void (*rows)(sotto__law *law, sotto_audit_result *result);
    void (*free)(sotto__law *law);
};
#define SOTTO__LAW_ALPHA 1e-6 /* of layer 1, shared by its rows */
#define SOTTO__LAW_ROWS_MAX 10
/* A row that fails if p is below its share of SOTTO__LAW_ALPHA. */
void sotto__law_row(sotto_audit_result *result, const char *name, double measured, double expected,
                    double p);
/* A row for the lag that stands out most. `numbers` is how many sequences it is the worst of. */
void sotto__law_lag_row(sotto_audit_result *result, const char *name, const sotto__worst_lag *worst,
                        double numbers);

/* Makes the law of the claim's family; NULL for OUTSIDE. */
SOTTO_CHECK sotto_status sotto__law_new(const sotto__privacy_claim *claim, const double *x,
                                        uint64_t trials, sotto__law **out);

/* Layer 1 for programs, whose law is not known: their answers must not depend on each other. */
typedef struct sotto__dependence sotto__dependence;

SOTTO_CHECK sotto_status sotto__dependence_new(uint32_t width, sotto__dependence **out);
void sotto__dependence_free(sotto__dependence *dependence);
/* Begins a pair of inputs, which _end ends. `middle`: 2 x width, a typical answer to each of its secrets.
 * `spread`: width, a typical distance from it. */
void sotto__dependence_begin(sotto__dependence *dependence, const double *middle,
                             const double *spread);
/* Takes the next answer, in order. */
void sotto__dependence_take(sotto__dependence *dependence, uint32_t secret, const double *value);
void sotto__dependence_end(sotto__dependence *dependence);
void sotto__dependence_rows(const sotto__dependence *dependence, sotto_audit_result *result);

/* ---- witnesses ------------------------------------------------------------------------------ */

#define SOTTO__RECALL 4u /* earlier trials */
/* The secrets of those trials, and whether two of these and the trial's own secret are equal: see
 * sotto__past. */
#define SOTTO__RECALLED (SOTTO__RECALL + (SOTTO__RECALL + 1) * SOTTO__RECALL / 2)

/* An answer is counted under the secret of its own trial, label 0, and under what is recalled,
 * labels 1 to SOTTO__RECALLED. */
#define SOTTO__LABELS (1 + SOTTO__RECALLED)

/* A table of answers: how often each came with either secret, of its own trial and of earlier
 * trials. Room for `answers_max` different answers. */
typedef struct sotto__table sotto__table;
SOTTO_CHECK sotto_status sotto__table_new(uint64_t answers_max, sotto__table **out);
void sotto__table_free(sotto__table *table);
/* Counts one more answer with this key and secret. At most answers_max different keys. Must not be
 * called after sotto__table_settle. */
void sotto__table_add(sotto__table *table, uint64_t key, uint32_t label, uint32_t secret);
/* Ends counting, before the first sotto__table_ratios. After SOTTO_E_MEMORY the table must not be
 * queried. */
SOTTO_CHECK sotto_status sotto__table_settle(sotto__table *table);
/* Per label ln (n0 + 1/2)/(n1 + 1/2), where n0 and n1 are how often the answer came with secret 0
 * and 1. NULL if it never came. */
const double *sotto__table_ratios(const sotto__table *table, uint64_t key);

#define SOTTO__SURE_WITNESSES_MAX 5u
#define SOTTO__RECALL_WITNESSES_MAX 5u

/* All values of a learned witness for one answer. */
typedef struct sotto__heard {
    double of, sure[SOTTO__SURE_WITNESSES_MAX];
    double recall[SOTTO__RECALLED][SOTTO__RECALL_WITNESSES_MAX]; /* [k - 1]: of label k */
} sotto__heard;

/* A witness gives one number for an answer, large if the answer indicates the first secret of its
 * pair. */
typedef struct sotto__witness sotto__witness;
struct sotto__witness {
    double (*of)(sotto__witness *witness, const sotto__subject_answer *answer);
    /* Witnesses for sure guesses: the sign is the guess, above 0 for the first secret. */
    uint32_t sure_count;
    double (*sure)(sotto__witness *witness, uint32_t which, const sotto__subject_answer *answer);
    /* Learned witnesses only: `hear` computes all values at once; recall_count is the number of
     * witnesses for each label of earlier secrets. */
    uint32_t recall_count;
    void (*hear)(sotto__witness *witness, const sotto__subject_answer *answer, sotto__heard *out);
    void (*free)(sotto__witness *witness);
};

/* Of a learned witness: the projection that separates best if the noise is normal, with 0
 * half-way. */
#define SOTTO__SURE_DIRECTION 0u

/* ln P(answer | x)/P(answer | x') by the claim: the best witness there is, if the claim is true.
 * For every family but OUTSIDE. Borrows the claim. */
SOTTO_CHECK sotto_status sotto__witness_known(const sotto__privacy_claim *claim, const double *x,
                                              const double *other, sotto__witness **out);

/* The secrets of the SOTTO__RECALL trials before a trial, as far as they may be used. Bit k - 1 is
 * the secret of the trial k before; bit SOTTO__RECALL + k - 1 says that it is known.
 * SOTTO__PAST_OWN is the secret of the trial itself. */
typedef uint16_t sotto__past;
#define SOTTO__PAST_OWN 0x100u

/* What each label recalls: the sum modulo 2 of the secrets at these bits. Label k is the secret of
 * the trial k before. Each of the other labels compares two secrets, and is 0 if they are equal.
 * Every label includes an earlier secret. */
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

/* Learns several witnesses on `train` and keeps the one that should show most on `fresh` trials,
 * judging by `choose`. `trial` is room for choose->count; *event is the best event of the witness
 * kept. */
SOTTO_CHECK sotto_status sotto__witness_learn(const sotto__sample *train,
                                              const sotto__sample *choose, uint64_t fresh,
                                              double delta, double alpha,
                                              sotto__witnessed_trial *trial,
                                              sotto__audit_event *event, sotto__witness **out);
sotto__subject_answer sotto__sample_answer(const sotto__sample *sample, uint64_t i);
void sotto__witness_free(sotto__witness *witness);
/* A key of an answer. Equal answers have equal keys, and different answers hardly ever do. */
uint64_t sotto__answer_key(const double *y, uint32_t width);

/* The order of a codebook, recomputed from its definition. */
typedef struct sotto__ranking {
    const sotto__privacy_claim *claim;
    double *unit;    /* 2 x dim: the directions to rank by */
    int32_t *normal; /* dim */
    double *cosine;  /* 2 x size/2: of each codeword with each direction */
    uint32_t arm[2]; /* of each direction, where codewords carry arm tags; otherwise 0 */
} sotto__ranking;

SOTTO_CHECK sotto_status sotto__ranking_new(const sotto__privacy_claim *claim, sotto__ranking *out);
void sotto__ranking_free(sotto__ranking *ranking);
/* Sets direction 0 or 1 to v/||v||, where v is x clipped to the ball; returns ||v||/R. With arm
 * tags, the arm is that of the largest of the first numbers, one per arm. */
double sotto__ranking_direct(sotto__ranking *ranking, uint32_t which, const double *x);
/* Expands the codebook of a nonce and computes its products with the first `directions`
 * directions. */
void sotto__ranking_expand(sotto__ranking *ranking, const uint8_t *nonce, uint32_t directions);
/* The rank of `index`: how many codewords (of the first half, of the arm) are nearer to the line of
 * the direction. *better says whether `index` has its better sign. `index` is in TOP if it has, and
 * its rank is below k. Returns size/2 if `index` carries another arm's tag. */
uint32_t sotto__ranking_of(const sotto__ranking *ranking, uint32_t which, uint32_t index,
                           bool *better);

#define SOTTO__SCORE_BINS 32u
#define SOTTO__WHITEN_MAX 64u /* widest answer whose whole covariance is used */

/* What was fitted to the answers of a program. */
typedef struct sotto__score sotto__score;

/* The numbers of an answer, and its entries in the tables. */
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

/* A guess gives one number for an answer, large for the first secret. */
#define SOTTO__GUESSES 11u
extern sotto__guess *const sotto__guesses[SOTTO__GUESSES];

/* Sets the functions of the witness. Call it after everything is fitted. */
void sotto__score_begin(sotto__score *self);
void sotto__score_free(sotto__witness *witness);
sotto__reading sotto__score_read(const sotto__score *self, const sotto__subject_answer *answer);
/* <w, y - middle>. */
double sotto__score_project(const double *w, const double *middle, const double *y, uint32_t width);
/* The sum of squares of y - middle, in standard deviations. */
double sotto__score_energy(const sotto__score *self, const double *y);
/* The bin of the projection of y on `direction`. */
uint32_t sotto__score_bin(const sotto__score *self, const double *y);
/* A key for answers of the same cell. */
uint64_t sotto__score_cell(const sotto__score *self, const double *y);
/* Keeps 24 bits of a witness. Lower bits depend on the rounding of doubles, for which this layer is
 * not meant to accuse a program. */
double sotto__coarse(double witness);

/* ---- layer 3 -------------------------------------------------------------------------------- */

/* What an answer shows about the inputs of earlier trials, and about which inputs are equal.
 * Initialise to all zeros. */
typedef struct sotto__memory {
    uint32_t witnesses; /* of each label */
    sotto__sure sure[SOTTO__RECALLED][SOTTO__RECALL_WITNESSES_MAX];
    double turn[SOTTO__RECALLED]; /* +1 or -1: sign of a witness not learned for the past */
} sotto__memory;

/* Aims a learned witness with `witnesses` guesses per label, by its values for `count` other
 * trials. `trial` is room for `count`. Keeps the counts. */
void sotto__memory_aim(sotto__memory *memory, uint32_t witnesses, const sotto__heard *heard,
                       uint64_t count, sotto__witnessed_trial *trial);
/* Aims the known witness of a claim, by the guesses at the trial's own secret and by the witnesses
 * of other trials. */
void sotto__memory_aim_known(sotto__memory *memory, const sotto__sure *own, const double *witness,
                             const sotto__past *past, uint64_t count);
/* Counts a fresh trial. */
void sotto__memory_take(sotto__memory *memory, sotto__past past, const sotto__heard *heard);
void sotto__memory_take_known(sotto__memory *memory, sotto__past past, double witness);
/* Adds a row for each earlier trial and one for whether two inputs are equal. All labels share
 * alpha. Returns the largest epsilon. */
double sotto__memory_rows(const sotto__memory *memory, double alpha, sotto_audit_result *result);

/* Sights are what is seen of an answer; contexts are what a sight is looked up by. At most
 * SOTTO__STRETCH_SYMBOLS symbols tell answers apart. Those that come later in a stretch share the
 * last one. */
#define SOTTO__STRETCH_SIGHTS 4u
#define SOTTO__STRETCH_CONTEXTS 3u
#define SOTTO__STRETCH_RULES (1 + SOTTO__STRETCH_SIGHTS * SOTTO__STRETCH_CONTEXTS)
#define SOTTO__STRETCH_SYMBOLS 16u

/* The results of one rule in this stretch. */
typedef struct sotto__stretch_rule {
    uint64_t right, wrong;
    int16_t
        balance[SOTTO__STRETCH_SYMBOLS * SOTTO__STRETCH_SYMBOLS * 2]; /* secrets 0 less secrets 1 */
} sotto__stretch_rule;

/* Guesses over short stretches of answers, so that cheating for a short time is not averaged away.
 * Initialise to all zeros. */
typedef struct sotto__stretch {
    uint64_t trials; /* of this stretch */
    sotto__stretch_rule rule[SOTTO__STRETCH_RULES];
    uint32_t met[SOTTO__STRETCH_SIGHTS][SOTTO__STRETCH_SYMBOLS], met_count[SOTTO__STRETCH_SIGHTS];
    uint32_t last[SOTTO__STRETCH_SIGHTS], last_secret; /* of the trial before */
    uint64_t stretches;                                /* that have ended */
    double worst_share, worst_p; /* of the stretch with most right guesses; 0 before the first */
} sotto__stretch;

/* An answer. */
typedef struct sotto__stretch_look {
    double witness;          /* above 0 names secret 0 */
    const double *threshold; /* of the witness's absolute value, ascending, as in sotto__sure */
    const sotto__spelling *spelling; /* NULL, or all 0: it was not spelled */
} sotto__stretch_look;

/* Takes the next fresh trial, number `t` of all, whose secret a fair coin chose. */
void sotto__stretch_take(sotto__stretch *stretch, const sotto__privacy_claim *claim,
                         uint32_t secret, uint64_t t, const sotto__stretch_look *look);
/* Ends the last stretch and adds the row, which fails if p is below alpha. */
void sotto__stretch_row(sotto__stretch *stretch, const sotto__privacy_claim *claim, double alpha,
                        sotto_audit_result *result);

/* ---- trials --------------------------------------------------------------------------------- */

/* The chance of a false alarm that each row may have, and the trials of each pair. */
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

/* How many trials of a pair train. The same number choose how the others are judged. */
uint64_t sotto__trials_learning(uint64_t trials, uint32_t width);
/* True if some mechanism that breaks this claim, for example one that publishes its input, could be
 * caught in this many trials. */
bool sotto__trials_suffice(const sotto__privacy_claim *claim, const sotto__trial_shares *shares);

/* Runs the script, adds the rows of layers 2 and 3 (and of layer 1 for an outside program), and
 * sets result->epsilon_lower. */
SOTTO_CHECK sotto_status sotto__audit_trials(sotto__subject *subject, const sotto__script *script,
                                             const sotto__trial_shares *shares, sotto_rng *rng,
                                             sotto_audit_result *result);

/* Audits any subject. `rng` gives the coins of the audit and of the subject. */
SOTTO_CHECK sotto_status sotto__audit_subject(const sotto_audit_settings *settings,
                                              sotto__subject *subject, sotto_rng *rng,
                                              const sotto_audit_progress *progress,
                                              sotto_audit_result *result);

#endif
