/* From what is asked of a replay to the matches that it plays. */
#ifndef SOTTO_LAB_REPLAY_MATCHES_H
#define SOTTO_LAB_REPLAY_MATCHES_H

#include "replay.h"

#define SOTTO__REPLAY_UNSAID UINT64_MAX

/* What is asked of a replay, whatever its file. Arrays are borrowed. */
typedef struct sotto__replay_request {
    const sotto_player *player; /* each once; one without privacy is always played too */
    uint32_t players_count;     /* at least 1 */
    const double *epsilon;      /* each once; methods without privacy are played once */
    uint32_t epsilons_count;    /* at least 1 */
    sotto_parameters parameters;
    sotto_link link;
    double delta; /* of methods with gaussian noise */
    bool allow_weak_delta;
    uint32_t seeds_count, passes, threads; /* as in sotto__replay_settings */
    bool shuffle;
    uint64_t people_max; /* no more are played; SOTTO__REPLAY_UNSAID: all who come */
    uint64_t warm_up;    /* rounds of random arms; SOTTO__REPLAY_UNSAID: what the method wants */
    double clip;         /* of a log: a smaller propensity counts as this */
    const uint64_t *at;  /* check-points, increasing, the last at most sotto__replay_people */
    uint32_t at_count;
} sotto__replay_request;

/* NULL, or `text` naming the first field that cannot be used with such a file, and its value:
 * "method = oracle: ...". */
const char *sotto__replay_request_fault(const sotto__replay_request *request, bool log,
                                        char text[SOTTO_FAULT_BYTES]);

/* How many people will be played, as far as can be known. `survey` is what a look at the file
 * found; NULL: nobody looked. */
uint64_t sotto__replay_people(const sotto__replay_request *request, const sotto__yardstick *survey);

/* A replay to be played. `settings` borrows the matches, and the check-points of the request. */
typedef struct sotto__replay_matches {
    sotto__replay_settings settings;
    sotto_match *match;
} sotto__replay_matches;

/* The matches of a file, method by method, each at every epsilon. The request has no fault.
 * SOTTO_E_FAULT: `text` is "METHOD: " and what cannot be used. Unless it is SOTTO_OK, `out` is
 * empty. */
SOTTO_CHECK sotto_status sotto__replay_matches_of(const sotto__replay_request *request,
                                                  const sotto__schema *schema,
                                                  const sotto__yardstick *survey,
                                                  sotto__replay_matches *out,
                                                  char text[SOTTO_FAULT_BYTES]);
void sotto__replay_matches_free(sotto__replay_matches *matches);

/* The epsilon of a match; INFINITY: it is not private. */
double sotto__replay_epsilon(const sotto_match *match);

#endif
