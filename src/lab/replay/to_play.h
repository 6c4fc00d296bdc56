/* From what is asked of a replay to the matches that it plays. */
#ifndef SOTTO_LAB_REPLAY_TO_PLAY_H
#define SOTTO_LAB_REPLAY_TO_PLAY_H

#include "replay.h"

/* How many people will be played, as far as can be known. `survey` is what a look at the file
 * found; NULL: nobody looked. */
uint64_t sotto__replay_people(const sotto_replay_request *request, const sotto__yardstick *survey);

/* A replay to be played. `settings` borrows the matches, and the check-points of the request. */
typedef struct sotto__replay_matches {
    sotto__replay_settings settings;
    sotto_match *match;
    double *rewards,
        *arm_feature; /* copies of the schema's, which the settings borrow; NULL: none */
} sotto__replay_matches;

/* The matches of a file, method by method, each at every epsilon. The request has no fault.
 * SOTTO_E_FAULT: `text` is "METHOD: " and what cannot be used. Unless it is SOTTO_OK, `out` is
 * empty. */
SOTTO_CHECK sotto_status sotto__replay_matches_of(const sotto_replay_request *request,
                                                  const sotto_schema *schema,
                                                  const sotto__yardstick *survey,
                                                  sotto__replay_matches *out,
                                                  char text[SOTTO_FAULT_BYTES]);
void sotto__replay_matches_free(sotto__replay_matches *matches);

/* The methods without privacy that are always played: one explores, the other is greedy. */
sotto_player sotto__replay_explorer(sotto_link link);
sotto_player sotto__replay_greedy(sotto_link link);

/* Whether a method is private and gives everybody one arm: the yardstick of those with a context. */
bool sotto__replay_is_one_arm(sotto_player player);

/* The epsilon of a match; INFINITY: it is not private. */
double sotto__replay_epsilon(const sotto_match *match);

#endif
