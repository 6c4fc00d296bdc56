/*
 * A fleet: simulated people as real clients of a server.
 *
 *     new -> join -> begin -> play -> sight
 *
 * Contexts and rewards are those of the lab, by seed. All else is real: policies, ledgers, devices, HTTP, and the
 * privacy noise, which is drawn from the system.
 */
#ifndef SOTTO_FLEET_FLEET_H
#define SOTTO_FLEET_FLEET_H

#include "match.h"
#include "sight.h"

#include <sotto/transport.h>

typedef struct sotto__fleet sotto__fleet;

typedef struct sotto__fleet_options {
    const char *url; /* of the experiment, as sotto_site_options has it */
    sotto_wire_options wire;
    const char *report_key; /* as sotto_site_options has it; NULL: none */
    uint32_t refresh_ms;    /* as sotto_site_options has it; default 100 */
    sotto_policy policy;    /* of everybody */
    uint64_t seed;
    uint64_t people;  /* at least 1 */
    double rate;      /* people per second; 0: as fast as it goes */
    uint32_t at_once; /* people whose report is under way, at least 1 */
    double seconds;   /* nobody begins after so long; infinite: no end */
    /* It ends when nobody began and no report was acknowledged or dropped for so long, and for the time
     * in which reports leave by the terms. */
    double drain_s;
    double liars;          /* part of people, 0 to 0.5 */
    uint32_t grind;        /* nonces that each of them tries, 1 to SOTTO_GRIND_MAX */
    double reward_missing; /* part of people, 0 to 1 */
} sotto__fleet_options;

sotto__fleet_options sotto__fleet_options_default(void);

/* Follows a run, about ten times a second. False: nobody begins any more, and those under way are waited for
 * briefly. */
typedef struct sotto__fleet_listener {
    bool (*look)(void *state, const sotto__sight *sight);
    void *state;
} sotto__fleet_listener;

/* Copies the options; borrows their URL and their key. NULL, with *out set, or `text`. */
const char *sotto__fleet_new(const sotto__fleet_options *options, sotto__fleet **out,
                             char text[SOTTO_FAULT_BYTES]);
void sotto__fleet_free(sotto__fleet *fleet); /* accepts NULL */

/* Gets terms and model. NULL, or `text`: the server, and why it has none, or that the policy refuses them. */
const char *sotto__fleet_join(sotto__fleet *fleet, const sotto__fleet_listener *listener,
                              char text[SOTTO_FAULT_BYTES]);
const sotto_terms *sotto__fleet_terms(const sotto__fleet *fleet);

/* Makes the world. Copies the match, and borrows its population. NULL, or `text`. */
const char *sotto__fleet_begin(sotto__fleet *fleet, const sotto_match *match,
                               char text[SOTTO_FAULT_BYTES]);

/* Plays until everybody's report is acknowledged or dropped, or the time is over. NULL, or `text`: why nobody
 * could begin any more. */
const char *sotto__fleet_play(sotto__fleet *fleet, const sotto__fleet_listener *listener,
                              char text[SOTTO_FAULT_BYTES]);

/* Goes on asking for models, for so long or until a new one has come. */
void sotto__fleet_await_publish(sotto__fleet *fleet, const sotto__fleet_listener *listener,
                                double seconds);

/* What is known now. Valid until the fleet is freed; it changes while it plays. */
const sotto__sight *sotto__fleet_sight(const sotto__fleet *fleet);

#endif
