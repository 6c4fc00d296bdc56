/* What other rooms may use of this one. */
#ifndef SOTTO_LAB_ENVIRONMENT_ROOM_H
#define SOTTO_LAB_ENVIRONMENT_ROOM_H

#include "lab/random/random.h"

#include <sotto/core.h>
#include <sotto/lab.h>
#include <sotto/lab/environments.h>
#include <sotto/lab/matches.h>

#include <stdint.h>

/* ---- custom --------------------------------------------------------------------------------- */

/* A custom environment. */

/* Why the table cannot be used, whatever the match. */
SOTTO_CHECK sotto_status sotto__custom_environment_fault(const sotto_environment_table *table,
                                                         sotto_fault *fault);

/* The name as people know it: that of its kind, or that of the custom table. */
const char *sotto__environment_name(const sotto_environment *environment);

/* ---- world ---------------------------------------------------------------------------------- */

/* The world of a run, which methods cannot see: true parameters, people's contexts, rewards. */

typedef struct sotto__world sotto__world;

/* An environment, where people come from: a row of the table. Parameters of one length in
 * directions drawn uniformly are common to all. */
typedef struct sotto__environment {
    bool shared, per_arm; /* which parameters it has a meaning for */
    /* NULL, or why these terms do not fit it. May be NULL. */
    sotto_status (*fault)(const sotto_match *match, sotto_fault *fault);
    /* C_B: no context is longer. NULL for a custom environment, whose table says it. */
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

/* A person arrives with contexts and a random draw of their own, whichever arm they get: methods that
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
    double draw; /* the current person's: a normal or a uniform, as the law needs */
    /* People are drawn many at a time, which is faster than one by one. */
    uint32_t crowd;        /* people at a time */
    double *crowd_context; /* their contexts */
    double *crowd_draw;
    /* Of a custom environment: */
    void *custom;       /* what it keeps */
    bool theta_unknown; /* there is no theta*: nobody can be far from it */
    sotto_fault fault;  /* what it did wrong; empty while nothing is, as for ours */
};

/* A world of this environment, from its seed; the match fits it. */
SOTTO_CHECK sotto_status sotto__world_begin(const sotto__environment *environment,
                                            const sotto_match *match, uint64_t seed,
                                            sotto__world **out);
void sotto__world_free(sotto__world *world);

/* The next person: context, means and the draw are made, and theta* is where it is for them. A custom
 * environment may fail: world->fault says how, here as after sotto__world_reward, and the world is of no
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

/* ---- environment ---------------------------------------------------------------------------- */

/* The table of environments: which of them a match has, and whether it fits. */

const sotto__environment *sotto__environment_of(sotto_environment_kind kind);

/* NULL if the match has a world; otherwise `text`: the field, its value and what is allowed. */
SOTTO_CHECK sotto_status sotto__environment_fault(const sotto_match *match, sotto_fault *fault);

/* A world of a match, from its seed. SOTTO_E_FAULT if sotto__environment_fault finds one. */
SOTTO_CHECK sotto_status sotto__world_new(const sotto_match *match, uint64_t seed,
                                          sotto__world **out);

/* ---- gaussian ------------------------------------------------------------------------------- */

/* The lower bound's instance. */

/* ||theta*|| of the lower bound's instance: min(1, d/((e^eps - 1) sqrt T)), small enough
 * that no method finds it in time. */
double sotto__lower_bound_theta_norm(uint32_t dim, double epsilon, uint64_t horizon);

/* ---- reward_law ----------------------------------------------------------------------------- */

/* How rewards fall around their means. A person has one random number, the draw, drawn before any arm
 * is chosen: with it and the mean of an arm, the reward of that arm is fixed. */

/* One draw per person, whatever the law: a standard normal, or a uniform in (0, 1). */
double sotto__reward_draw(sotto_reward_law law, const sotto__ziggurat *ziggurat,
                          sotto__seeded *stream);

/* The reward of a person of this draw. `noise` is the sd of law gaussian. Of law poisson: counts
 * stop at 1000, and means above 700 give 1000. */
double sotto__reward(sotto_reward_law law, double mean, double noise, double draw);

/* The mean reward where x . theta* = v: mu(v). A chance is from 0 to 1: binary rewards under the identity
 * link have the nearest to v that is one, as the score self takes it. */
double sotto__mean_reward(const sotto_spec *spec, double v);

#endif
