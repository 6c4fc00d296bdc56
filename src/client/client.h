/* What other rooms may use of this one. */
#ifndef SOTTO_CLIENT_ROOM_H
#define SOTTO_CLIENT_ROOM_H

#include "core/core.h"
#include "side.h"

#include <sotto/client.h>
#include <sotto/core.h>

#include <float.h>
#include <math.h>

/* ---- budget --------------------------------------------------------------------------------- */

/* What a person has spent, and whether a policy admits another report. */

typedef struct sotto__spent {
    uint64_t rounds;
    double epsilon; /* sum over all rounds */
    double delta;
    double epsilon_max; /* largest of one round */
    double delta_max;
    /* epsilon_per_report_max of the policy that booked the first round: rounds are composed at it and
     * at no other. 0: not known. Means nothing before the first round. */
    double composed_at;
} sotto__spent;

/* SOTTO_OK if the policy admits another round of (epsilon, delta); otherwise SOTTO_E_BUDGET, and
 * the fault says which limit it would pass. */
SOTTO_CHECK sotto_status sotto__budget_refusal(const sotto__spent *spent, double epsilon,
                                               double delta, const sotto_policy *policy,
                                               sotto_fault *fault);

void sotto__spend(sotto__spent *spent, double epsilon, double delta);
/* Before each round is booked: the first one settles at which epsilon rounds are composed. */
void sotto__settle(sotto__spent *spent, const sotto_policy *policy);

/* The smallest total epsilon at this total delta: by the sum, or by optimal composition of as many
 * rounds at the largest epsilon and delta. Infinite if neither has so small a delta. */
double sotto__spent_epsilon(const sotto__spent *spent, double delta_total);

/* ---- entropy -------------------------------------------------------------------------------- */

/* Secret randomness, handed in: a function that draws takes a sotto_rng, and fails if the rng
 * fails. */

typedef struct sotto_rng sotto_rng;
struct sotto_rng {
    /* Fills all of `out` with unpredictable bytes, or returns SOTTO_E_ENTROPY. */
    sotto_status (*fill)(sotto_rng *rng, void *out, size_t bytes);
};

/* The system's generator; it has no state here and no weaker second choice. */
sotto_rng sotto__system_rng(void);

SOTTO_CHECK sotto_status sotto__draw_u64(sotto_rng *rng, uint64_t *out);

/* Uniform in [0, bound), bound >= 1, exactly: draws again on the remainder. How often depends on
 * the bound and on chance, never on a secret. */
SOTTO_CHECK sotto_status sotto__draw_below(sotto_rng *rng, uint64_t bound, uint64_t *out);

/* ---- choose_codeword ------------------------------------------------------------------------ */

/* The choice of a codeword: the one place where a secret meets chance. */

/* What the choice is made from; all public. */
typedef struct sotto__choice {
    const sotto_codebook *codebook;
    const uint8_t *stream_key;
    const uint8_t *nonce;
    uint32_t arm; /* the arm's codebook under split per-arm, otherwise 0 */
} sotto__choice;

/* How many of `count` codewords are expanded at once: 8, 4 or 1. */
uint32_t sotto__codewords_at_once(uint32_t count);

/* Working memory, all of it secret: wipe it after use. */
typedef struct sotto__choice_work {
    int32_t *normal; /* codeword dim x sotto__codewords_at_once(size/2) */
    double *unit;    /* codeword dim */
    /* size/2 each: the upper and lower half of the key that ranks a codeword, largest first; the
     * lower halves of those with a certain upper one, else 0; 1 if the opposite codeword is the
     * better one. */
    uint32_t *key_high, *key_low, *tied_low;
    uint8_t *flipped;
} sotto__choice_work;

/* The coins of one choice. Every choice draws all of them, in this order. */
typedef struct sotto__coins {
    uint64_t sign;    /* for inputs shorter than 1 */
    uint64_t member;  /* in [0, W) */
    uint64_t uniform; /* in [0, M), for the input 0 */
} sotto__coins;

SOTTO_CHECK sotto_status sotto__draw_coins(const sotto_codebook *codebook, sotto_rng *rng,
                                           sotto__coins *coins);

/* What becomes of a score before codewords are ranked; each is 0 or 1. */
typedef struct sotto__hearing {
    uint64_t
        zero; /* it is 0, or so short that its square underflows: the direction means nothing */
    uint64_t heard; /* TOP are the codewords nearest to the direction; otherwise the nulls */
} sotto__hearing;

/* The index, once the keys and signs of `work` are set: only integers. */
uint32_t sotto__choose_ranked(const sotto_codebook *codebook, const sotto__hearing *aim,
                              const sotto__coins *coins, sotto__choice_work *work);

/* The index for v in the unit ball, TOP chosen among the codewords of `group`. Deterministic, and
 * the same work for every v and group. */
uint32_t sotto__choose_codeword(const sotto__choice *choice, const double *v, uint32_t group,
                                const sotto__coins *coins, sotto__choice_work *work);

/* ---- lattice_noise -------------------------------------------------------------------------- */

/* Exact integer noise for ticks: no floating point, so nothing hides in low bits. */

/* Fills noise[0 .. lattice->dim): independent samples of the law with scale lattice->scale_ticks.
 * Drawn before there is a secret, because the time it takes depends on the noise. SOTTO_E_ENTROPY if
 * the randomness fails, or is so regular that a sample does not end; `noise` is then all 0. */
SOTTO_CHECK sotto_status sotto__lattice_noise(const sotto_lattice *lattice, sotto_noise_law law,
                                              sotto_rng *rng, int64_t *noise);

/* Its type: the lab simulates with a faster function of the same law. */
typedef sotto_status sotto__noise_function(const sotto_lattice *lattice, sotto_noise_law law,
                                           sotto_rng *rng, int64_t *noise);

/* ---- ledger --------------------------------------------------------------------------------- */

/* The interface every ledger implements, wherever it keeps its record. */

/* What a round books before it may see a context. */
typedef struct sotto__debit {
    const uint8_t *spec_id;
    const uint8_t *nonce;
    double epsilon;
    double delta;
    const sotto_policy *policy; /* the limits that it must fit */
} sotto__debit;

/* When a round was begun and when its report leaves, in milliseconds since 1970. */
typedef struct sotto__due {
    uint64_t begun_ms; /* 1 to SOTTO__BEGUN_MS_MAX */
    uint64_t send_at_ms;
} sotto__due;

#define SOTTO__BEGUN_MS_MAX (UINT64_C(1) << 62)

struct sotto_ledger {
    /* Books a round and gives its number. SOTTO_E_BUDGET, with nothing booked, if it does not fit
     * the policy. */
    sotto_status (*debit)(sotto_ledger *ledger, const sotto__debit *debit, uint64_t *entry);
    /* Stores the final report of the round that was booked under this number. Only then may it
     * leave. */
    sotto_status (*record)(sotto_ledger *ledger, uint64_t entry, const uint8_t *frame,
                           size_t frame_bytes);
    /* The same for a held round: in place of the report that `hold` kept, which must be there and
     * not sealed. */
    sotto_status (*replace)(sotto_ledger *ledger, uint64_t entry, const uint8_t *frame,
                            size_t frame_bytes);
    /* Books when the report of a round leaves: once, and before `hold`. */
    sotto_status (*due)(sotto_ledger *ledger, uint64_t entry, const sotto__due *due);
    /* Keeps a report that `replace` may still replace. */
    sotto_status (*hold)(sotto_ledger *ledger, uint64_t entry, const uint8_t *frame,
                         size_t frame_bytes);
    /* The next four are those of sotto_ledger_seal, _acknowledge, _drop and _unsent. */
    sotto_status (*seal)(sotto_ledger *ledger, uint64_t entry, uint8_t *frame,
                         size_t capacity_bytes);
    sotto_status (*acknowledge)(sotto_ledger *ledger, uint64_t entry);
    sotto_status (*drop)(sotto_ledger *ledger, uint64_t entry);
    sotto_status (*unsent)(sotto_ledger *ledger, uint64_t after, sotto_unsent *out);
    /* The report of the last round booked for a spec, if it was kept and cannot change. */
    sotto_status (*recall)(sotto_ledger *ledger, const uint8_t *spec_id, uint8_t *frame,
                           size_t frame_bytes, bool *found);
    void (*free)(sotto_ledger *ledger);
    sotto__spent spent;
    uint64_t reports;     /* rounds that ended in one */
    uint64_t dropped;     /* reports that were given up */
    sotto_status refused; /* SOTTO_OK, or how the last call failed: `fault` says why */
    sotto_fault fault;
};

/* Refuses a call; the ledger's fault says why. */
#define sotto__ledger_refuse(ledger, ...)                                                          \
    (sotto__refuse(&(ledger)->fault, __VA_ARGS__), (ledger)->refused = SOTTO_E_LEDGER)

/* ---- client --------------------------------------------------------------------------------- */

/* What a client is made of. The lab builds clients with randomness of its own; nobody else may. */

struct sotto_client {
    sotto_policy policy;
    sotto_ledger *ledger;
    sotto_rng system;
    sotto_rng *rng;               /* &system, in every client that sotto_client_new made */
    sotto__noise_function *noise; /* likewise sotto__lattice_noise */
};

/* ---- clip ----------------------------------------------------------------------------------- */

/* Bounds, enforced here whatever the caller promised. */

/* out = x with NaN and infinities replaced by 0, scaled down to norm at most `norm_max`. */
void sotto__clip_vector(const double *x, uint32_t dim, double norm_max, double *out);
/* The same for each of `count` rows of dim numbers. */
void sotto__clip_rows(const double *rows, uint32_t count, uint32_t dim, double norm_max,
                      double *out);

/* The reward within the spec's range; its default for NaN and infinities. */
double sotto__clip_reward(const sotto_spec *spec, double reward);

/* v if it is finite, otherwise 0: a hostile model must not spread NaN or infinity. */
static inline double sotto__finite_or_zero(double v)
{
    /* isfinite() is quiet about NaN, and slower for it */
    return sotto__masked(v, 0 - (uint64_t)(fabs(v) <= DBL_MAX));
}

/* ---- decide --------------------------------------------------------------------------------- */

/* Which arm: from a model and clipped contexts. */

/* Doubles of scratch that deciding needs. */
size_t sotto__decide_doubles(const sotto_spec *spec);

/* The arm for a context that is already clipped. `scratch` has sotto__decide_doubles. */
uint32_t sotto__decide(const sotto_terms *terms, const sotto_model *model, const uint8_t *nonce,
                       const double *context, double *scratch);

/* Likewise where a unit of reward from arm a is worth worth[a], finite and at least 0. */
uint32_t sotto__decide_worth(const sotto_terms *terms, const sotto_model *model,
                             const uint8_t *nonce, const double *context, const double *worth,
                             double *scratch);

/* ---- privatise ------------------------------------------------------------------------------ */

/* The only way out: what it returns is private, and nothing else leaves. */

/* A round as the server will see it. */
typedef struct sotto__door {
    const sotto_terms *terms;
    sotto_phase phase;
    uint32_t epoch;
    uint8_t nonce[SOTTO_NONCE_BYTES];
} sotto__door;

/* Working memory for one report; secret, and wiped before privatise returns. */
typedef struct sotto__door_work {
    sotto__choice_work choice;
    double *input;    /* codeword dim: what enters the randomiser */
    int8_t *sign;     /* arms */
    int64_t *noise;   /* lattice methods: one for each tick */
    bool noise_drawn; /* and not used yet */
    void *memory;     /* all of the above */
    size_t memory_bytes;
} sotto__door_work;

SOTTO_CHECK sotto_status sotto__door_work_new(const sotto_terms *terms, sotto__door_work *work);
void sotto__door_work_free(sotto__door_work *work);

/* Draws the noise of a lattice report by `noise`, before there is a secret. Does nothing for
 * other methods. */
SOTTO_CHECK sotto_status sotto__door_begin(const sotto_terms *terms, sotto__noise_function *noise,
                                           sotto_rng *rng, sotto__door_work *work);

/* Makes the report of a score v of an arm. Codebook methods: whatever v, arm and the model that led
 * to them, the report is epsilon-private. Lattice methods: v is a statistic of sotto__score_of, and
 * the report is (epsilon, delta)-private; SOTTO_E_ORDER unless sotto__door_begin has drawn noise
 * that no report has used. On failure all values of the report are 0. */
SOTTO_CHECK sotto_status sotto__privatise(const sotto__door *door, const double *v, uint32_t arm,
                                          sotto_rng *rng, sotto__door_work *work,
                                          sotto_report *report);

/* Makes the report of a measure round, by the codebook of dimension 1: y is the reward, scaled to [-1,
 * 1]. Index 0 or 1 stands in the frame's first place, and 0 in the others. Only codebook methods;
 * epsilon-private, whatever y is. */
SOTTO_CHECK sotto_status sotto__privatise_reward(const sotto__door *door, double y, sotto_rng *rng,
                                                 sotto__door_work *work, sotto_report *report);

/* ---- round ---------------------------------------------------------------------------------- */

/*
 * Rounds for the lab, in the floating-point environment of its thread. The functions of sotto/client.h are
 * these behind SOTTO__DEFAULT_FLOATS, which reads the flags twice and each time waits for pending
 * arithmetic: that is 2 to 3 % of a round of two numbers.
 */

sotto_status sotto__round_begin(sotto_round *round, const sotto_model *model);
sotto_status sotto__round_decide(sotto_round *round, const double *context, uint32_t context_count,
                                 uint32_t *arm);
sotto_status sotto__round_decide_worth(sotto_round *round, const double *context,
                                       uint32_t context_count, const double *worth, uint32_t *arm);
sotto_status sotto__round_finish(sotto_round *round, double reward, uint8_t *frame,
                                 size_t capacity_bytes);

/* ---- score ---------------------------------------------------------------------------------- */

/* Scores: what a report says about a round. For codebook methods a vector of the unit ball, for
 * lattice methods the statistic in its own units; sotto__statistic_dim numbers. */

/* The secret of one round, clipped, and the public numbers it is scored by. */
typedef struct sotto__scored {
    const sotto_spec *spec;
    double along_weight;
    const double *x;      /* the chosen arm's context */
    double reward;        /* within the spec's range */
    const double *theta;  /* the chosen arm's parameter */
    const double *online; /* the same of the online estimate, for ldp-gloc; otherwise NULL */
    const double *decide; /* the estimate that decides, for shared parameters; otherwise NULL */
} sotto__scored;

typedef void sotto__score_function(const sotto__scored *scored, double *v);

/* v = psi y/||y||, y = x - (1 - w)(x . u) u, u = decide/||decide|| (y = x where that is 0). w < 1
 * spends less of the report on the direction that the greedy choice already pins down. */
void sotto__score_along(const sotto__scored *scored, double psi, double *v);

/* v = (svec(x x'), lambda last x): what the moments and the pair have in common. */
void sotto__score_svec(const sotto__scored *scored, double last, double *v);

/* x . theta, finite for every model. */
double sotto__score_prediction(const sotto__scored *scored);

/* ---- score_table ---------------------------------------------------------------------------- */

/* The table of scores: which one a spec has. */

/* The function of a spec's score. */
sotto__score_function *sotto__score_of(const sotto_spec *spec);

/* ---- ticks ---------------------------------------------------------------------------------- */

/* From a statistic and its noise to the ticks of a report. */

/* value[0 .. lattice->dim): `noise`, with the statistic f (block_dim numbers) rounded to the grid,
 * clipped in ticks and added in block number `block`. The lattice is one or more such blocks. */
void sotto__add_noise(const sotto_lattice *lattice, const double *f, uint32_t block_dim,
                      uint32_t block, const int64_t *noise, int32_t *value);

#endif
