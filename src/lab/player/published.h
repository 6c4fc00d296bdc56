/*
 * What the methods of the authors' code have in common.
 *
 * n is the number of a round, from 1; T the horizon, alpha the chance of failure. Their code exists
 * in two schemes, which differ in steps and starts: the first has steps 1/t, the second, mostly,
 * 1/sqrt t. Neither contexts nor rewards are clipped.
 */
#ifndef SOTTO_LAB_PLAYER_PUBLISHED_H
#define SOTTO_LAB_PLAYER_PUBLISHED_H

#include "player.h"

typedef struct sotto__published sotto__published;

/* A method of theirs. */
typedef struct sotto__published_method {
    bool warms_up; /* per-arm: arm (n - 1) mod K in the first rounds, learning.warm_up of them */
    /* Sets self->score for a round that is not warm-up. */
    void (*score)(sotto__published *self, const double *context);
    /* Learns from self->x, self->arm and the reward. */
    void (*learn)(sotto__published *self, double reward);
    const double *(*estimate)(const sotto__published *self);
    /* Frees what the method took besides sotto__published_begin. */
    void (*free)(sotto__published *self);
} sotto__published_method;

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
    double *memory;
};

/* A method's struct with its common part filled; `more` receives room for more_count further
 * numbers, all 0. NULL: out of memory. */
sotto__published *sotto__published_begin(const sotto__published_method *method, size_t struct_bytes,
                                         const sotto_match *match, uint64_t seed, size_t more_count,
                                         double **more);

/* Whether the match undoes this departure from the paper; see correction.c. */
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
/* The context of an arm: its own, or everybody's. */
const double *sotto__published_context(const sotto__published *self, const double *context,
                                       uint32_t arm);
/* Per-arm: x in R^(dK) for each arm, one row per arm: x in block a of row a. The other blocks of
 * `rows` are 0 already and stay so. */
void sotto__published_place(const sotto__published *self, const double *context, double *rows);
/* score_a = x_a . theta_a. */
void sotto__published_greedy(sotto__published *self, const double *context);
/* The first NaN if there is one, else the first of the largest: numpy's argmax. */
uint32_t sotto__published_argmax(const double *score, uint32_t count);

/* out_i += sd times a normal. */
void sotto__published_add_noise(sotto__published *self, double sd, double *out, uint32_t count);
/* out: a uniformly random direction, `count` numbers. */
void sotto__published_direction(const sotto__published *self, sotto__seeded *stream, uint32_t count,
                                double *out);

const double *sotto__published_theta(const sotto__published *self);

/* Their l2-ball: z of length `radius`, from g of `count` numbers; a g longer than `bound` counts as
 * one of that length. */
void sotto__published_ball(sotto__published *self, const double *g, uint32_t count, double bound,
                           double radius, double *z);

#endif
