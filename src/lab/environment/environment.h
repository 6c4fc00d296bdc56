/* The world of a run: true parameters, people's contexts, rewards. What a method cannot know. */
#ifndef SOTTO_LAB_ENVIRONMENT_ENVIRONMENT_H
#define SOTTO_LAB_ENVIRONMENT_ENVIRONMENT_H

#include "lab/random/stream.h"

#include <sotto/lab.h>

typedef struct sotto__world sotto__world;

/* A row of the table of environments. Parameters of one length in directions drawn uniformly are
 * common to all. */
typedef struct sotto__environment {
    bool shared, per_arm; /* which parameters it has a meaning for */
    /* NULL, or why these terms do not fit it. May be NULL. */
    const char *(*fault)(const sotto_match *match, char *text);
    /* C_B: no context is longer. */
    double (*context_norm_max)(const sotto_spec *spec);
    /* Draws what the world keeps for the whole run (world->axis), once theta* is drawn. May be
     * NULL. */
    void (*begin)(sotto__world *world);
    /* Draws the contexts of the next people from world->contexts, one person after the other: what
     * people bring does not depend on what is done with those before them. */
    void (*draw)(sotto__world *world, uint32_t people, double *context);
    /* Moves theta* from round to round, after world->t has grown. May be NULL. */
    void (*turn)(sotto__world *world);
} sotto__environment;

const sotto__environment *sotto__environment_of(sotto_environment_kind kind);

extern const sotto__environment sotto__environment_sphere;
extern const sotto__environment sotto__environment_ball;
extern const sotto__environment sotto__environment_gaussian;
extern const sotto__environment sotto__environment_anisotropic;
extern const sotto__environment sotto__environment_margin;
extern const sotto__environment sotto__environment_drift;
extern const sotto__environment sotto__environment_published;
extern const sotto__environment sotto__environment_loan;

/* ||theta*|| of the lower bound's instance: min(1, d/((e^eps - 1) sqrt T)). */
double sotto__lower_bound_theta_norm(uint32_t dim, double epsilon, uint64_t horizon);

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
    double *theta;          /* theta*: one row, or one an arm */
    double *axis;           /* twice theta_count numbers for the environment's own use */
    const double *context;  /* of the current person */
    double *mean;           /* arms: mu_a of the current person */
    double *value;          /* arms: worth_a mu_a, or mu_a without worths */
    double value_best;
    double luck; /* the current person's: a normal or a uniform, as the law needs */
    /* People are drawn by the crowd, which is faster than one by one. */
    uint32_t crowd;        /* people at a time */
    double *crowd_context; /* their contexts */
    double *crowd_luck;
};

/* NULL if the match has a world; otherwise `text`: the field, its value and what is allowed. */
const char *sotto__environment_fault(const sotto_match *match, char text[SOTTO_FAULT_BYTES]);

/* A world of a match, from its seed. SOTTO_E_FAULT if sotto__environment_fault finds one. */
SOTTO_CHECK sotto_status sotto__world_new(const sotto_match *match, uint64_t seed,
                                          sotto__world **out);
void sotto__world_free(sotto__world *world);

/* The next person: context, means and luck are drawn, and theta* is where it is for them. */
void sotto__world_next(sotto__world *world);

/* What the current person would answer to an arm. Not clipped: the device does that. */
double sotto__world_reward(const sotto__world *world, uint32_t arm);

/* ||estimate - theta*||; per-arm parameters: the sum over arms. */
double sotto__world_error(const sotto__world *world, const double *estimate);

/* out: dim numbers, uniform on the sphere of this radius. */
void sotto__draw_sphere(const sotto__ziggurat *ziggurat, sotto__seeded *stream, uint32_t dim,
                        double radius, double *out);

/* Likewise among the vectors orthogonal to a unit vector; dim at least 2. */
void sotto__draw_orthogonal(const sotto__ziggurat *ziggurat, sotto__seeded *stream,
                            const double *axis, uint32_t dim, double radius, double *out);

/* ||theta*|| of the lower bound's instance: small enough that no method finds it in time. */
double sotto__lower_bound_theta_norm(uint32_t dim, double epsilon, uint64_t horizon);

#endif
