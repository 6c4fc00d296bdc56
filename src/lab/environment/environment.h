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

/* Says why the table cannot be used with any match. */
SOTTO_CHECK sotto_status sotto__custom_environment_fault(const sotto_environment_table *table,
                                                         sotto_fault *fault);

/* The name of the environment: that of its kind, or that of the custom table. */
const char *sotto__environment_name(const sotto_environment *environment);

/* ---- world ---------------------------------------------------------------------------------- */

/* The world of a run, which methods cannot see: true parameters, people's contexts, and rewards. */

typedef struct sotto__world sotto__world;

/* An environment says where people come from; each is a row of the table. All draw the parameters
 * in the same way: a fixed length, in uniformly random directions. */
typedef struct sotto__environment {
    bool shared, per_arm; /* which kinds of parameters it supports */
    /* Sets a fault if these terms do not fit the environment. May be NULL. */
    sotto_status (*fault)(const sotto_match *match, sotto_fault *fault);
    /* C_B: no context is longer. NULL for a custom environment, whose table has it. */
    double (*context_norm_max)(const sotto_spec *spec);
    /* Draws what the world keeps for the whole run (world->axis), after theta* is drawn. May be
     * NULL. */
    void (*begin)(sotto__world *world);
    /* Draws the contexts of the next people from world->contexts, one person after the other, so
     * that later people do not depend on what is done with earlier ones. */
    void (*draw)(sotto__world *world, uint32_t people, double *context);
    /* Moves theta* from round to round, after world->t was incremented. May be NULL. */
    void (*turn)(sotto__world *world);
    /* Sets the means of the current person. NULL: they follow from the link and theta*. */
    void (*means)(sotto__world *world);
    /* What the current person would answer. NULL: it follows from the law of the match. */
    double (*reward)(const sotto__world *world, uint32_t arm);
    /* Frees what `begin` made. May be NULL. */
    void (*end)(sotto__world *world);
} sotto__environment;

/* Each person has contexts and a random draw that do not depend on the arm they get, so methods
 * that are compared meet the same people. */
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
    /* People are drawn in batches, which is faster than one by one. */
    uint32_t crowd;        /* people at a time */
    double *crowd_context; /* their contexts */
    double *crowd_draw;
    /* Of a custom environment: */
    void *custom;       /* its state */
    bool theta_unknown; /* there is no theta* to compare estimates with */
    sotto_fault fault;  /* what it did wrong; empty if nothing, and always for our own */
};

/* A world of this environment, from a seed. The match must fit the environment. */
SOTTO_CHECK sotto_status sotto__world_begin(const sotto__environment *environment,
                                            const sotto_match *match, uint64_t seed,
                                            sotto__world **out);
void sotto__world_free(sotto__world *world);

/* Moves to the next person: makes the context, the means and the draw, and moves theta*. A custom
 * environment may fail here and in sotto__world_reward. Then world->fault says how, and the world
 * must not be used any more. */
void sotto__world_next(sotto__world *world);

/* What the current person would answer to an arm. Not clipped: the device does that. */
double sotto__world_reward(const sotto__world *world, uint32_t arm);

/* ||estimate - theta*||; with per-arm parameters the sum over arms. NaN if there is no theta* or no
 * estimate (NULL). */
double sotto__world_error(const sotto__world *world, const double *estimate);

/* out: dim numbers, uniform on the sphere of this radius. */
void sotto__draw_sphere(const sotto__ziggurat *ziggurat, sotto__seeded *stream, uint32_t dim,
                        double radius, double *out);

/* The same, among the vectors orthogonal to a unit vector; dim at least 2. */
void sotto__draw_orthogonal(const sotto__ziggurat *ziggurat, sotto__seeded *stream,
                            const double *axis, uint32_t dim, double radius, double *out);

/* ---- environment ---------------------------------------------------------------------------- */

/* The table of environments: which one a match has, and whether it fits. */

const sotto__environment *sotto__environment_of(sotto_environment_kind kind);

/* Checks that the match has a world. Otherwise the fault names the field, its value and what is
 * allowed. */
SOTTO_CHECK sotto_status sotto__environment_fault(const sotto_match *match, sotto_fault *fault);

/* Makes the world of a match, from a seed. SOTTO_E_FAULT if sotto__environment_fault finds
 * a fault. */
SOTTO_CHECK sotto_status sotto__world_new(const sotto_match *match, uint64_t seed,
                                          sotto__world **out);

/* ---- gaussian ------------------------------------------------------------------------------- */

/* The lower bound's instance. */

/* ||theta*|| of the lower bound's instance: min(1, d/((e^eps - 1) sqrt T)), small enough
 * that no method finds it in time. */
double sotto__lower_bound_theta_norm(uint32_t dim, double epsilon, uint64_t horizon);

/* ---- reward_law ----------------------------------------------------------------------------- */

/* How rewards are distributed around their means. Each person has one random number, the draw, made
 * before any arm is chosen. The draw and the mean of an arm determine the reward of that arm. */

/* One draw per person, whatever the law: a standard normal, or a uniform in (0, 1). */
double sotto__reward_draw(sotto_reward_law law, const sotto__ziggurat *ziggurat,
                          sotto__seeded *stream);

/* The reward of a person with this draw. `noise` is the sd of law gaussian. With law poisson,
 * counts stop at 1000, and means above 700 give 1000. */
double sotto__reward(sotto_reward_law law, double mean, double noise, double draw);

/* The mean reward mu(v) where x . theta* = v. Binary rewards under the identity link have the
 * chance in [0, 1] that is nearest to v, as the score self does. */
double sotto__mean_reward(const sotto_spec *spec, double v);

#endif
