/* What other rooms may use of this one. */
#ifndef SOTTO_LAB_PLAYER_ROOM_H
#define SOTTO_LAB_PLAYER_ROOM_H

#include "lab/environment/environment.h"

#include <sotto/lab.h>
#include <sotto/lab/matches.h>
#include <sotto/lab/runs.h>

/* ---- custom --------------------------------------------------------------------------------- */

/* A custom method, and how a match distinguishes it from the library's own. */

/* Says why the table cannot be used with any match. */
SOTTO_CHECK sotto_status sotto__custom_player_fault(const sotto_player_table *table,
                                                    sotto_fault *fault);

/* The name of the match's method: that of its player, or that of the custom table. */
const char *sotto__match_method(const sotto_match *match);

/* True if the method is one of the library's own and its reports are private. */
bool sotto__match_is_private(const sotto_match *match);

/* ---- correction ----------------------------------------------------------------------------- */

/* Which departures of the authors' code a match can undo. */

/* Names the correction that does not apply to this match, and says where it does. */
SOTTO_CHECK sotto_status sotto__correction_fault(const sotto_match *match, sotto_fault *fault);

/* ---- liar ----------------------------------------------------------------------------------- */

/* Liars: people who send harmful reports. The server's checks cannot distinguish these from honest
 * reports. */

typedef struct sotto__liar sotto__liar;

/* The liars of a run: a share match->liars of all people, each trying match->grind nonces. `world`
 * is borrowed and must outlive them. */
SOTTO_CHECK sotto_status sotto__liar_new(const sotto_match *match, const sotto_terms *terms,
                                         uint64_t seed, const sotto__world *world,
                                         sotto__liar **out);
void sotto__liar_free(sotto__liar *liar); /* accepts NULL */

/* True if the next person lies. */
bool sotto__liar_comes(sotto__liar *liar);

/* Turns an honest report of the model's epoch into the most harmful one that the server accepts. */
void sotto__liar_forge(sotto__liar *liar, const sotto_model *model, sotto_report *report);

/* ---- player --------------------------------------------------------------------------------- */

/*
 * Players: a method in a simulation. Each round is decide, then learn. With a clock it is decide
 * and send, and receive later.
 *
 *   shipped       the methods that ship, by their own client and server code
 *   paper         their moments and gradients with the noise printed in the paper
 *   published     what the authors' code does
 *   baseline      without privacy
 *   rival         published since, with other privacy guarantees
 *   custom        a custom method
 *   player_table  which of them a match has
 */

typedef struct sotto__player sotto__player;
struct sotto__player {
    /* Chooses the arm for a context (laid out as sotto_round_decide takes it). */
    sotto_status (*decide)(sotto__player *self, const double *context, uint32_t *arm);
    /* Takes the reward of that arm. */
    sotto_status (*learn)(sotto__player *self, double reward);
    /* The estimate that decides: dim, or arms x dim numbers. NULL: it has none. */
    const double *(*estimate)(const sotto__player *self);
    /* See sotto_learner_repairs. */
    uint64_t (*repairs)(const sotto__player *self);
    void (*free)(sotto__player *self);
    /* After SOTTO_E_PLUGIN: what a custom method did. NULL for our own. */
    const sotto_fault *(*fault)(const sotto__player *self);
    /* What measure rounds show. NULL: the player has none. */
    sotto_status (*measure)(const sotto__player *self, sotto_run_measurement *out);
    /* Replaces `learn` when reports are delayed. `sent` is what leaves the device: sent_bytes
     * bytes, aligned as a double. `now_ms` is the time at which it arrives. 0 and NULL: the player
     * cannot be used with a clock. */
    size_t sent_bytes;
    sotto_status (*send)(sotto__player *self, double reward, void *sent);
    sotto_status (*receive)(sotto__player *self, const void *sent, double now_ms);
    /* Sets the time to `now_ms`, which ends an epoch that only waited for the clock. NULL: there
     * are no epochs. */
    sotto_status (*wake)(sotto__player *self, double now_ms);
    /* Sets late, epochs, learnt and epochs_late. NULL: they are 0. */
    void (*delayed)(const sotto__player *self, sotto_run_delay *out);
};

/* `world` is only for the oracle and for liars. It and the match are borrowed, and must outlive the
 * player. */
typedef sotto_status sotto__player_maker(const sotto_match *match, uint64_t seed,
                                         const sotto__world *world, sotto__player **out);

void sotto__player_free(sotto__player *player); /* accepts NULL */

/* For players that repair nothing. */
uint64_t sotto__player_no_repairs(const sotto__player *self);

/* ---- player_rows ---------------------------------------------------------------------------- */

/* The rows of the table of players. */

sotto__player_maker sotto__player_shipped_new;
sotto__player_maker sotto__player_paper_new;
sotto__player_maker sotto__player_published_new;
sotto__player_maker sotto__player_baseline_new;
sotto__player_maker sotto__player_rival_new;
sotto__player_maker sotto__player_custom_new;

/* The number of learn reports, and of those that are null. 0 for players that do not ship, and for
 * terms without nulls. */
void sotto__player_shipped_reports(const sotto__player *player, uint64_t *learn, uint64_t *null);

/* ---- player_table --------------------------------------------------------------------------- */

/* The table of players. */

/* The player of a match, by its method and calibration. */
sotto__player_maker sotto__player_new;

#endif
