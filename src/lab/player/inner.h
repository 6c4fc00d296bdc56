/* What files of this room share. */
#ifndef SOTTO_LAB_PLAYER_INNER_H
#define SOTTO_LAB_PLAYER_INNER_H

#include "lab/math/math.h"
#include "player.h"

#include <sotto/lab/runs.h>

/* ---- published ------------------------------------------------------------------------------ */

/*
 * What the methods of the authors' code have in common.
 *
 * n is the number of a round, from 1; T the horizon, alpha the chance of failure. The authors' code
 * has two schemes, which differ in steps and starts: the first has steps 1/t; the second, mostly,
 * 1/sqrt t. Neither contexts nor rewards are clipped.
 */

typedef struct sotto__published sotto__published;

/* One of the authors' methods. */
typedef struct sotto__published_method {
    bool warms_up; /* per-arm: arm (n - 1) mod K in the first rounds, learning.warm_up of them */
    /* Sets self->score for a round that is not warm-up. */
    void (*score)(sotto__published *self, const double *context);
    /* Learns from self->x, self->arm and the reward. */
    void (*learn)(sotto__published *self, double reward);
    const double *(*estimate)(const sotto__published *self);
    size_t struct_bytes; /* of the method's own struct */
} sotto__published_method;

/* Sums of x x' + W and y + xi, by block. W is symmetric: its entries on and below the diagonal are
 * independent N(0, sigma^2), as are those of xi. */
typedef struct sotto__noisy_moments {
    uint32_t dim, blocks;
    double *gram;  /* packed, one per block */
    double *cross; /* one per block */
    sotto__dense *solver;
    double *memory;
} sotto__noisy_moments;

/* The common part: the first member of each method's own struct. */
struct sotto__published {
    sotto__player player; /* first, so that a pointer to it is a pointer to the whole */
    const sotto__published_method *method;
    const sotto_match *match;
    sotto__ziggurat ziggurat;
    sotto__seeded initial, noise;
    bool shared, scheme2; /* parameters; scheme */
    uint32_t dim, arms;
    uint32_t theta_count; /* dim, or arms x dim */
    double horizon;       /* T */
    double sigma;         /* of the noise on moments: sotto__published_sigma(match, 2.5), half
                      of it for environment loan, or exact */
    double spread;        /* 4 sqrt d + 2 ln(2T/alpha) */
    uint64_t n;           /* rounds begun */
    uint32_t arm;
    double *x;     /* dim: the current context, of the chosen arm */
    double *score; /* one per arm */
    double *theta; /* theta_count: the estimate that decides */
    double *more;  /* the method's own */
    double *memory;
    sotto__noisy_moments moments; /* empty: the method has none */
};

/* What a method needs besides the common part: more_count numbers, 0 at first, and sums of moments
 * of dimension moments_dim, none if it has 0 blocks. */
typedef struct sotto__published_room {
    size_t more_count;
    uint32_t moments_dim, moments_blocks;
} sotto__published_room;

/* Makes a method's struct with the common part filled. */
SOTTO_CHECK sotto_status sotto__published_begin(const sotto__published_method *method,
                                                const sotto_match *match, uint64_t seed,
                                                sotto__published_room room, sotto__published **out);

/* True if the match undoes this departure from the paper; see correction.c. */
static inline bool sotto__published_corrects(const sotto__published *self, sotto_correction what)
{
    return (self->match->corrections >> what & 1) != 0;
}

/* 6 sqrt(2 ln(k/delta))/epsilon: k = 2.5 for their clients. */
double sotto__published_sigma(const sotto_match *match, double k);
/* upsilon_n = sigma sqrt(n) (4 sqrt d + 2 ln(2T/alpha)). */
double sotto__published_upsilon(const sotto__published *self, double sigma, double n);
/* Of LDP-UCB:
 * beta_n = 2 sigma sqrt(d ln T) + (sqrt(3 upsilon_n) + sigma sqrt(d n/upsilon_n)) d ln T. */
double sotto__published_beta(const sotto__published *self, double n);

/* True in a round of the warm-up. */
bool sotto__published_in_warm_up(const sotto__published *self);
/* Per-arm: x in R^(dK) for each arm, one row per arm: x in block a of row a. The other blocks of
 * `rows` are 0 already and stay so. */
void sotto__published_place(const sotto__published *self, const double *context, double *rows);
/* score_a = x_a . theta_a. */
void sotto__published_greedy(sotto__published *self, const double *context);
/* The first NaN if there is one, else the first of the largest, as numpy's argmax. */
uint32_t sotto__published_argmax(const double *score, uint32_t count);

/* out_i += sd times a normal. */
void sotto__published_add_noise(sotto__published *self, double sd, double *out, uint32_t count);
/* out: a uniformly random direction, `count` numbers. */
void sotto__published_direction(const sotto__published *self, sotto__seeded *stream, uint32_t count,
                                double *out);

const double *sotto__published_theta(const sotto__published *self);

/* The authors' l2-ball: z of length `radius`, from g of `count` numbers. A g longer than `bound` is
 * treated as one of length `bound`. */
void sotto__published_ball(sotto__published *self, const double *g, uint32_t count, double bound,
                           double radius, double *z);

/* ---- published_moments ---------------------------------------------------------------------- */

/* Noisy moments, from which the authors' code computes its least squares. */

SOTTO_CHECK sotto_status sotto__noisy_moments_new(uint32_t dim, uint32_t blocks,
                                                  sotto__noisy_moments *out);
void sotto__noisy_moments_free(sotto__noisy_moments *moments);

/* gram += x x' + W, cross += weight x + xi, drawn in this order from self->noise. x NULL
 * means 0. */
void sotto__noisy_moments_add(sotto__noisy_moments *moments, sotto__published *self, uint32_t block,
                              const double *x, double weight);
/* theta = (gram + shift I)^-1 cross. Leaves theta unchanged if that matrix is singular. */
void sotto__noisy_moments_solve(sotto__noisy_moments *moments, uint32_t block, double shift,
                                double *theta);

/* ---- published_rows ------------------------------------------------------------------------- */

/* The methods of the authors' code: the rows of their table. */

sotto__player_maker sotto__published_sgd_new;
sotto__player_maker sotto__published_ols_new;
sotto__player_maker sotto__published_ucb_new;
sotto__player_maker sotto__published_gloc_new;

/* ---- rival ---------------------------------------------------------------------------------- */

/* What rivals have in common: a person decides and reports, and the server takes the report. */

typedef struct sotto__rival sotto__rival;

typedef struct sotto__rival_method {
    size_t struct_bytes;
    /* Called when the common part is filled. Sets report_bytes. */
    sotto_status (*begin)(sotto__rival *self);
    uint32_t (*choose)(sotto__rival *self);
    void (*report)(sotto__rival *self, double reward, void *out); /* aligned as a double */
    sotto_status (*take)(sotto__rival *self, const void *report);
    const double *(*estimate)(const sotto__rival *self); /* NULL: it has none */
    void (*free)(sotto__rival *self); /* frees what `begin` made, even if it failed; or NULL */
} sotto__rival_method;

/* The first member of each rival's own struct. */
struct sotto__rival {
    sotto__player player; /* first */
    const sotto__rival_method *method;
    const sotto_match *match;
    sotto__ziggurat ziggurat;
    sotto__seeded noise;
    uint32_t dim, arms, arm;
    bool shared;
    double *context, *score; /* clipped; one per arm */
    size_t report_bytes;
    void *report;
};

extern const sotto__rival_method sotto__rival_merino, sotto__rival_shuffle, sotto__rival_joint;

/* The context of the chosen arm. */
static inline const double *sotto__rival_x(const sotto__rival *self)
{
    return self->context + (self->shared ? (size_t)self->arm * self->dim : 0);
}

/* ---- rival_merino --------------------------------------------------------------------------- */

#define SOTTO__MERINO_LEVELS 4u

/* Chances in units of 2^-32: that a bit 1 is sent as 1, that a bit 0 is sent as 1, and that
 * the bit of the reward is flipped. The choice of a level and the reward each keep
 * `epsilon`, in integers. */
typedef struct sotto__merino_chances {
    uint64_t one, zero, reward;
} sotto__merino_chances;

sotto__merino_chances sotto__merino_chances_of(double epsilon);
/* The bits of a level, bit i for level i. */
uint32_t sotto__merino_bits(sotto__seeded *noise, const sotto__merino_chances *chances,
                            uint32_t level);
/* The randomised bit of a reward that lies this part of the way from lo to hi. */
uint32_t sotto__merino_reward(sotto__seeded *noise, const sotto__merino_chances *chances,
                              double part);

/* ---- rival_shuffle -------------------------------------------------------------------------- */

/* The noisy sums of the batches so far, without the solver: packed x x', and lambda r x. */
const double *sotto__shuffle_sums(const sotto__rival *self);

/* ---- rival_joint ---------------------------------------------------------------------------- */

/* Noisy running sums of symmetric matrices, one per person. Each person is in at most `levels`
 * nodes. */
typedef struct sotto__tree {
    uint32_t levels, count; /* numbers of a packed matrix */
    uint64_t t;
    double sigma;  /* of the diagonal; off it sigma/sqrt 2, as one number of two places */
    double *node;  /* levels x count: unfinished sums */
    double *noisy; /* levels x count: finished sums */
    double *sum;   /* of the noisy nodes that together cover all people so far */
} sotto__tree;

SOTTO_CHECK sotto_status sotto__tree_new(uint32_t dim, uint64_t people, double sigma,
                                         sotto__tree *out);
void sotto__tree_free(sotto__tree *tree);
/* Adds the next person: weight x x'. */
void sotto__tree_add(sotto__tree *tree, const sotto__ziggurat *ziggurat, sotto__seeded *noise,
                     const double *x, uint32_t dim, double weight);

/* How joint-glm divides its noise. One person's data moves everything that is released by at most
 * `whitened`, in units of its noise. */
typedef struct sotto__joint_noise {
    double whitened; /* of (epsilon, delta) */
    double warm_up,
        main; /* matrices: sigma of a node for x x' up to C_B^2, and that over its weight */
    double first, second;               /* gradients of the two estimates */
    double warm_up_lambda, main_lambda; /* of both matrices */
    uint32_t warm_up_solves, solves, steps;
    double gradient_max, weight_max;
} sotto__joint_noise;

sotto__joint_noise sotto__joint_noise_of(const sotto_match *match);

/* ---- truth ---------------------------------------------------------------------------------- */

/*
 * The true rewards of people in measure rounds: the same sums as the server's, without noise. Only
 * the lab knows them.
 */

typedef struct sotto__truth sotto__truth;

/* Reports of an epoch arrive `lag` epochs later. */
SOTTO_CHECK sotto_status sotto__truth_new(uint32_t arms, uint32_t lag, sotto__truth **out);
void sotto__truth_free(sotto__truth *truth); /* accepts NULL */

/* Adds a measure round of an epoch in which the model decides. The reward is clipped. */
void sotto__truth_add(sotto__truth *truth, uint32_t epoch, sotto_role role, uint32_t arm,
                      double reward);
/* The server has just published a model that includes the reports of this epoch. For several
 * epochs, call it for the oldest first. When their number passes a power of two, the recent sums
 * start again, as in the server's measures. */
void sotto__truth_arrive(sotto__truth *truth, uint32_t epoch);

/* What the learner measures, and the truth for the same people. */
SOTTO_CHECK sotto_status sotto__truth_measure(const sotto__truth *truth,
                                              const sotto_learner *learner,
                                              sotto_run_measurement *out);

#endif
