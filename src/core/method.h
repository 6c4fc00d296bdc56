/* A method is a row of a table: what it reports, how, and what its model must contain. */
#ifndef SOTTO_METHOD_H
#define SOTTO_METHOD_H

#include "ieee.h"

#include <sotto/core.h>

#include <assert.h>

typedef struct sotto__method {
    uint32_t scores;      /* bit s is set if the method may report score s */
    bool lattice;         /* reports are ticks with lattice noise, not a codeword index */
    bool unit_score;      /* a score of Sotto's own: spares the deciding direction, tags arms */
    bool l2ball;          /* codebooks of size 2; per-arm: joint or split */
    bool lifted;          /* moments lifted to a sphere by one coordinate more */
    bool identity_only;   /* its statistic makes sense for the identity link alone */
    bool shared_only;     /* defined for shared parameters alone */
    bool confidence;      /* decides by upper confidence bounds */
    bool eliminates;      /* per-arm: drops arms by the warm-up estimate */
    bool online_estimate; /* publishes theta_h */
    bool one_for_all;     /* no context: public arms, by the shares of the model; reports rewards */
    double moment_weight; /* lambda of the moments (svec(x x'), lambda r x) */
} sotto__method;

#define SOTTO__METHODS (SOTTO_METHOD_BEST_ARM + 1)
extern const sotto__method sotto__methods[SOTTO__METHODS];

/* Inline, like those below: every report asks these questions more than once. */
static inline const sotto__method *sotto__method_of(const sotto_spec *spec)
{
    assert((size_t)spec->method < SOTTO__METHODS);
    return &sotto__methods[spec->method];
}

/* See sotto_terms_reports_indices. */
static inline bool sotto__reports_indices(const sotto_terms *terms)
{
    return !sotto__method_of(&terms->spec)->lattice;
}

/* 8 for codebook methods, 50 for lattice methods. */
double sotto__epsilon_max(const sotto_spec *spec);

/* True if the estimator publishes the running average tbar and decides by it. */
static inline bool sotto__method_averages(const sotto_spec *spec)
{
    if (!sotto__method_of(spec)->unit_score) return false;
    if (spec->parameters != SOTTO_PARAMETERS_SHARED) return false;
    bool mean_model = spec->score == SOTTO_SCORE_SELF || spec->score == SOTTO_SCORE_CENTRED;
    return !mean_model || spec->dim < 5;
}

/* True if there is one row of sums for each arm. */
static inline bool sotto__sums_by_arm(const sotto_spec *spec)
{
    return spec->parameters == SOTTO_PARAMETERS_PER_ARM || sotto__method_of(spec)->one_for_all;
}

/* Estimated coordinates: dim, or arms x dim; 0 without contexts. */
static inline uint32_t sotto__parameter_count(const sotto_spec *spec)
{
    if (sotto__method_of(spec)->one_for_all) return 0;
    return spec->parameters == SOTTO_PARAMETERS_SHARED ? spec->dim : spec->arms * spec->dim;
}

/* Per-arm scores `self` of version 2 are made for real data, whose contexts are alike and whose rewards
 * follow no model: they have a mean phase and a slower estimate. */
static inline bool sotto__for_real_data(const sotto_spec *spec)
{
    return spec->parameters == SOTTO_PARAMETERS_PER_ARM && spec->version == 2 &&
           sotto__method_of(spec)->unit_score && spec->score == SOTTO_SCORE_SELF;
}

/* True if there is such a phase: main always; warm-up for per-arm parameters, but not for one arm for all;
 * mean for those above. */
static inline bool sotto__phase_exists(const sotto_spec *spec, uint32_t phase)
{
    switch (phase) {
    case SOTTO_PHASE_WARM_UP:
        return spec->parameters == SOTTO_PARAMETERS_PER_ARM && !sotto__method_of(spec)->one_for_all;
    case SOTTO_PHASE_MAIN: return true;
    case SOTTO_PHASE_MEAN: return sotto__for_real_data(spec);
    }
    return false;
}

/* True if codebooks of this phase may have nulls: scores that are often small, the tracked estimator,
 * version 2. */
bool sotto__phase_may_have_nulls(const sotto_spec *spec, uint32_t phase);

/* c_r: no reward is larger in size. */
double sotto__reward_bound(const sotto_spec *spec);

/* Coordinates of the statistic before any split over arms. */
static inline uint32_t sotto__statistic_dim(const sotto_spec *spec)
{
    uint32_t d = spec->dim;
    uint32_t moments = d * (d + 1) / 2 + d;
    switch (spec->score) {
    case SOTTO_SCORE_SIGN:
    case SOTTO_SCORE_SELF:
    case SOTTO_SCORE_HUBER:
    case SOTTO_SCORE_CENTRED:
    case SOTTO_SCORE_GRADIENT: return d;
    case SOTTO_SCORE_GLOC_PAIR:
    case SOTTO_SCORE_MOMENTS: return sotto__method_of(spec)->lifted ? moments + 1 : moments;
    case SOTTO_SCORE_REWARD: return 1;
    }
    return 0;
}

#endif
