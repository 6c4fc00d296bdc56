/* The world of a run: true parameters, people's contexts, rewards. What a method cannot know. */
#ifndef SOTTO_LAB_ENVIRONMENT_WORLD_H
#define SOTTO_LAB_ENVIRONMENT_WORLD_H

#include "lab/random/stream.h"

#include <sotto/lab/matches.h>

typedef struct sotto__world sotto__world;

/* Where people come from: a row of the table of environments. Parameters of one length in
 * directions drawn uniformly are common to all. */
typedef struct sotto__environment {
    bool shared, per_arm; /* which parameters it has a meaning for */
    /* NULL, or why these terms do not fit it. May be NULL. */
    const char *(*fault)(const sotto_match *match, char *text);
    /* C_B: no context is longer. NULL for what people brought: its table says it. */
    double (*context_norm_max)(const sotto_spec *spec);
    /* Draws what the world keeps for the whole run (world->axis), once theta* is drawn. May be
     * NULL. */
    void (*begin)(sotto__world *world);
    /* Draws the contexts of the next people from world->contexts, one person after the other: what
     * people bring does not depend on what is done with those before them. */
    void (*draw)(sotto__world *world, uint32_t people, double *context);
    /* Moves theta* from round to round, after world->t has grown. May be NULL. */
    void (*turn)(sotto__world *world);
    /* Sets the means of the current person. NULL: by the link and theta*. */
    void (*means)(sotto__world *world);
    /* What the current person would answer. NULL: by the law of the match. */
    double (*reward)(const sotto__world *world, uint32_t arm);
    /* Frees what `begin` made. May be NULL. */
    void (*end)(sotto__world *world);
} sotto__environment;

/* A person arrives with contexts and with a luck of their own, whichever arm they get: methods that
 * are compared meet the same people. */
struct sotto__world {
    const sotto_match *match; /* borrowed */
    const sotto__environment *environment;
    sotto__ziggurat ziggurat;
    sotto__seeded parameters; /* one stream for each purpose */
    sotto__seeded contexts;
    sotto__seeded rewards;
    uint64_t t;             /* rounds begun */
    uint32_t theta_count;   /* dim, or arms x dim */
    uint32_t context_count; /* arms x dim, or dim */
    double *theta;          /* theta*: one row, or one per arm */
    double *axis;           /* twice theta_count numbers for the environment's own use */
    const double *context;  /* of the current person */
    double *mean;           /* arms: mu_a of the current person */
    double *value;          /* arms: worth_a mu_a, or mu_a without worths */
    double value_best;
    double luck; /* the current person's: a normal or a uniform, as the law needs */
    /* People are drawn many at a time, which is faster than one by one. */
    uint32_t crowd;        /* people at a time */
    double *crowd_context; /* their contexts */
    double *crowd_luck;
    /* Of an environment that people brought: */
    void *brought;                 /* what it keeps */
    bool theta_unknown;            /* there is no theta*: nobody can be far from it */
    char fault[SOTTO_FAULT_BYTES]; /* what it did wrong; "" while nothing is, as for ours */
};

/* A world of this environment, from its seed; the match fits it. */
SOTTO_CHECK sotto_status sotto__world_begin(const sotto__environment *environment,
                                            const sotto_match *match, uint64_t seed,
                                            sotto__world **out);
void sotto__world_free(sotto__world *world);

/* The next person: context, means and luck are drawn, and theta* is where it is for them. What people
 * brought may fail: world->fault says how, here as after sotto__world_reward, and the world is of no
 * use any more. */
void sotto__world_next(sotto__world *world);

/* What the current person would answer to an arm. Not clipped: the device does that. */
double sotto__world_reward(const sotto__world *world, uint32_t arm);

/* ||estimate - theta*||; per-arm parameters: the sum over arms. NaN where there is no theta*, or no
 * estimate (NULL). */
double sotto__world_error(const sotto__world *world, const double *estimate);

/* out: dim numbers, uniform on the sphere of this radius. */
void sotto__draw_sphere(const sotto__ziggurat *ziggurat, sotto__seeded *stream, uint32_t dim,
                        double radius, double *out);

/* Likewise among the vectors orthogonal to a unit vector; dim at least 2. */
void sotto__draw_orthogonal(const sotto__ziggurat *ziggurat, sotto__seeded *stream,
                            const double *axis, uint32_t dim, double radius, double *out);

#endif
