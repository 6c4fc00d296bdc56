/* Liars: people whose reports are made to do harm. The server's checks cannot tell these from honest
 * ones. */
#ifndef SOTTO_LAB_PLAYER_LIAR_H
#define SOTTO_LAB_PLAYER_LIAR_H

#include "lab/environment/world.h"

typedef struct sotto__liar sotto__liar;

/* The liars of a run: match->liars of all people, each trying match->grind nonces. `world` is
 * borrowed, and outlives them. */
SOTTO_CHECK sotto_status sotto__liar_new(const sotto_match *match, const sotto_terms *terms,
                                         uint64_t seed, const sotto__world *world,
                                         sotto__liar **out);
void sotto__liar_free(sotto__liar *liar); /* accepts NULL */

/* Whether the next person lies. */
bool sotto__liar_comes(sotto__liar *liar);

/* Makes an honest report of the model's epoch the most harmful one that the server takes. */
void sotto__liar_forge(sotto__liar *liar, const sotto_model *model, sotto_report *report);

#endif
