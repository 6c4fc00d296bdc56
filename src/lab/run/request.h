/*
 * What a comparison is asked to be: methods at epsilons on one scene. Every match is by the rules,
 * except for those of its fields that are changed.
 */
#ifndef SOTTO_LAB_RUN_REQUEST_H
#define SOTTO_LAB_RUN_REQUEST_H

#include "comparison.h"

#define SOTTO__CHANGES_MAX 32u

/* A field of sotto_match. */
typedef struct sotto__change {
    size_t field; /* its offset */
    size_t bytes;
} sotto__change;

typedef struct sotto__request {
    sotto_scene scene;
    sotto_calibration calibration;
    const sotto_player *player; /* each once; borrowed, as all arrays here */
    /* Methods that people brought, one per player; where it is not NULL the player does not count. NULL:
     * none was. */
    const sotto_player_table *const *brought;
    uint32_t players_count;  /* at least 1 */
    const double *epsilon;   /* each once */
    uint32_t epsilons_count; /* at least 1 */
    double delta;            /* of gaussian noise */
    bool allow_weak_delta;   /* consent to delta above 1e-6 */
    bool unknown_horizon;    /* methods are not told T */
    bool revenue;            /* decide by what a reward is worth: of a scene with a population */
    uint64_t epoch;          /* reports between models; 0: by the rule */
    double growth;           /* as in sotto_match */
    uint64_t first_seed;
    uint32_t seeds, threads;
    const uint64_t *at;     /* check-points, increasing, the last of them the horizon */
    uint32_t at_count;      /* 1 to SOTTO_POINTS_MAX */
    uint32_t changes_count; /* fields of `wanted` that count; the others do not */
    sotto__change change[SOTTO__CHANGES_MAX];
    sotto_match wanted;
} sotto__request;

/* Sets of methods, one bit each. */
#define SOTTO__PLAYERS_PRIVATE ((1u << (SOTTO_PLAYER_LDP_GLOC + 1)) - 1)

/* The methods that a field of sotto_match means something to. */
uint32_t sotto__request_users(size_t field);

/* The comparison. NULL, or why a match cannot be played: *culprit is the number of its method, and
 * `out` is empty. */
const char *sotto__comparison_of(const sotto__request *request, sotto__comparison *out,
                                 uint32_t *culprit, char fault[SOTTO_FAULT_BYTES]);

#endif
