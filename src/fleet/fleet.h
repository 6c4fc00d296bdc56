/* What other rooms may use of this one. */
#ifndef SOTTO_FLEET_ROOM_H
#define SOTTO_FLEET_ROOM_H

#include "transport/transport.h"

#include <sotto/core.h>
#include <sotto/lab/matches.h>
#include <sotto/server.h>
#include <sotto/transport.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- check ---------------------------------------------------------------------------------- */

/* Whether the server still has every report that it acknowledged. */

/* What the senders know. */
typedef struct sotto__check_sent {
    uint64_t acknowledged; /* reports that got a 204 */
    uint64_t once;         /* reports that left, at least once */
    uint64_t all;          /* how often a report left, again and again included */
} sotto__check_sent;

/* What the server says that it counted (docs/operations.md, section 8). */
typedef struct sotto__check_counts {
    uint64_t folded, late, duplicate, conflicting;
} sotto__check_counts;

typedef struct sotto__check {
    bool exact;     /* by the server's counts; otherwise by what its public model says */
    bool holds;     /* nothing shows that it does not */
    char text[512]; /* in words, with the numbers */
} sotto__check;

/* By the counts of the experiment before and after, if nobody else sent to it in between:
 *
 *     acknowledged <= folded + late      each was taken, or came too late. One that is a duplicate
 *                                        was taken or late when it came first
 *     folded       <= once               nobody counts twice
 *     folded + late + duplicate <= all   nothing comes from nowhere
 *     conflicting   = 0
 *
 * If no report had to be sent again, and all were acknowledged, then folded + late = acknowledged and there is
 * no duplicate. */
sotto__check sotto__check_by_counts(const sotto__check_sent *sent,
                                    const sotto__check_counts *before,
                                    const sotto__check_counts *after);

/* By the reports that a model was made of: at the first publish that was seen, and at the last. In between nothing
 * can have come but what was sent. A report that is missing does not show: it may be of a measure round, late, or in
 * an epoch that is not over. `publishes`: how many models were seen after the first person began. */
sotto__check sotto__check_by_model(const sotto__check_sent *sent, uint64_t publishes,
                                   uint64_t reports_first, uint64_t reports_last);

/* ---- place ---------------------------------------------------------------------------------- */

/* Where an experiment is. */

#define SOTTO__ID_CHARS (2u * SOTTO_SPEC_ID_BYTES)

/* True if the URL has the route of an experiment, rightly written or not; otherwise it can only be that of a
 * server. */
bool sotto__place_is_whole(const char *url);

/* The URL of an experiment from that of its server and its id; `field` is what the URL is called in the fault. */
SOTTO_CHECK sotto_status sotto__place_join(const char *field, const char *server, const char *id,
                                           sotto__url *out, sotto_fault *fault);

/* The id of an experiment, in digits. */
void sotto__place_id(const sotto__url *url, char id[SOTTO__ID_CHARS + 1]);

/* ---- admin ---------------------------------------------------------------------------------- */

/* The admin port of a server: what it says of an experiment to a holder of a token. Not the person's side: people
 * have no token, and nothing of theirs goes here. */

typedef struct sotto__admin sotto__admin;

/* `server` is http://HOST:PORT of this machine, or https; the token stands in a file, as sottod writes it. */
SOTTO_CHECK sotto_status sotto__admin_new(const char *server, const char *token_file,
                                          const char *ca_file, sotto__admin **out,
                                          sotto_fault *fault);
void sotto__admin_free(sotto__admin *admin); /* accepts NULL */

#define SOTTO__ADMIN_USUAL "http://127.0.0.1:8788"
#define SOTTO__PATH_BYTES 4096u
/* Where sottod keeps the reader's token unless its settings say otherwise: docs/operations.md, section 1. */
void sotto__admin_token_usual(char path[SOTTO__PATH_BYTES]);

/* What the server answers at a path of its API. Valid until the next question. */
typedef struct sotto__admin_answer sotto__admin_answer;
SOTTO_CHECK sotto_status sotto__admin_get(sotto__admin *admin, const char *path,
                                          sotto__admin_answer *out, sotto_fault *fault);

/* What the server counts of an experiment. */
SOTTO_CHECK sotto_status sotto__admin_counts(sotto__admin *admin, const char *id,
                                             sotto__check_counts *out, sotto_fault *fault);

/* The id of the only experiment that is open; a fault if there is none, or there are several. */
SOTTO_CHECK sotto_status sotto__admin_only(sotto__admin *admin, char id[SOTTO__ID_CHARS + 1],
                                           sotto_fault *fault);

/* ---- what the two above make of an answer (also for tests) */

struct sotto__admin_answer {
    const char *server; /* for sentences */
    const char *body;
    size_t bytes;
};

SOTTO_CHECK sotto_status sotto__admin_read_counts(const sotto__admin_answer *answer,
                                                  sotto__check_counts *out, sotto_fault *fault);
SOTTO_CHECK sotto_status sotto__admin_read_only(const sotto__admin_answer *answer,
                                                char id[SOTTO__ID_CHARS + 1], sotto_fault *fault);

/* ---- blocks --------------------------------------------------------------------------------- */

/*
 * The loss by blocks of 1,000 people, and whether it rises again. A block's share is its regret over what random arms
 * would have lost. Its rebound is its share less that of the lowest earlier block.
 */

#define SOTTO__BLOCK_PEOPLE 1000u
#define SOTTO__BLOCKS_KEPT 1000u /* shares of the first blocks; the rebound is of all */
#define SOTTO__REBOUND_MAX 0.1   /* above it the loss rises again */
#define SOTTO__BLOCKS_TEXT 200u

typedef struct sotto__blocks {
    double regret, random;            /* sums of the block at hand */
    uint64_t people;                  /* in it */
    uint64_t count;                   /* full blocks */
    double share[SOTTO__BLOCKS_KEPT]; /* of the full ones */
    double lowest;                    /* share of all full ones */
    double rebound; /* the largest of all blocks; 0: none lost more than an earlier one */
    uint64_t at;    /* the block that has it, from 0 */
    double share_at, lowest_before; /* its share, and the lowest one before it */
} sotto__blocks;

/* One person more. */
void sotto__blocks_add(sotto__blocks *blocks, double regret, double random);
/* How many shares are kept. */
uint32_t sotto__blocks_kept(const sotto__blocks *blocks);
bool sotto__blocks_rise(const sotto__blocks *blocks);
/* Whether the loss rises again, as a sentence. */
void sotto__blocks_text(const sotto__blocks *blocks, char text[SOTTO__BLOCKS_TEXT]);

/* ---- verdict -------------------------------------------------------------------------------- */

/* What a run shows, the worst first: lost reports, then a loss that rises again. */

#define SOTTO__FLEET_VERDICT_TEXT 800u

typedef struct sotto__fleet_verdict {
    bool good; /* nothing shows a fault, by the server's own counts */
    char text[SOTTO__FLEET_VERDICT_TEXT];
} sotto__fleet_verdict;

sotto__fleet_verdict sotto__fleet_verdict_of(const sotto__check *check,
                                             const sotto__blocks *blocks);

/* ---- regret steps --------------------------------------------------------------------------- */

/* How regret falls from the first people to the last, in at most SOTTO__REGRET_STEPS steps of as many people each. */

#define SOTTO__REGRET_STEPS 20u

typedef struct sotto__regret_steps {
    uint64_t width;                     /* people of a step; 0: nobody came yet */
    uint64_t people;                    /* in all: the last step may have fewer than the others */
    double regret[SOTTO__REGRET_STEPS]; /* sums */
    double random[SOTTO__REGRET_STEPS];
} sotto__regret_steps;

/* One person more. When all steps are full, two and two become one. */
void sotto__regret_steps_add(sotto__regret_steps *steps, double regret, double random);
/* Steps that have people in them. */
uint32_t sotto__regret_steps_count(const sotto__regret_steps *steps);
/* People of a step. */
uint64_t sotto__regret_steps_people(const sotto__regret_steps *steps, uint32_t step);

/* ---- match ---------------------------------------------------------------------------------- */

/* From the terms of an experiment to a world of the lab: the same people, for the same seed, as `sotto simulate`
 * has for these terms. */

/* The terms' method in this environment, with the defaults of the lab for noise and parameter. `population` is that of
 * environment loan, otherwise NULL; it is borrowed. */
sotto_match sotto__fleet_match(const sotto_terms *terms, sotto_environment_kind environment,
                               const sotto_population *population, uint64_t people);

/* SOTTO_OK if people of this environment can take part under these terms; otherwise the environment, the term, its value
 * and what would fit. */
SOTTO_CHECK sotto_status sotto__fleet_match_fault(const sotto_match *match, sotto_fault *fault);

/* ---- latency -------------------------------------------------------------------------------- */

/* Latencies: counts by the logarithm of the time, so that memory does not depend on their number. */

/* 16 cells for each doubling, from 2^-17 s (8 microseconds) to 2^12 s (an hour): what is said of a time is
 * off by at most 2.2 %. What is outside counts in the first or the last cell. */
#define SOTTO__LATENCY_CELLS 464u

typedef struct sotto__latency {
    uint64_t count;
    uint64_t cell[SOTTO__LATENCY_CELLS];
} sotto__latency;

void sotto__latency_add(sotto__latency *latency, double seconds);

/* What came between two looks at the same counts. */
sotto__latency sotto__latency_between(const sotto__latency *before, const sotto__latency *after);

/* The time, in seconds, that `part` of all (0 to 1) did not exceed. NAN if there are none. */
double sotto__latency_at(const sotto__latency *latency, double part);

/* ---- policy_value --------------------------------------------------------------------------- */

/*
 * The value of the policy: seen in the reports of measure rounds, which are private, and beside it the truth of
 * the same people, which nobody but the lab knows.
 */

#define SOTTO__POLICY_VALUE_ALPHA 0.05 /* chance that an interval fails */

typedef struct sotto__policy_value sotto__policy_value;

/* Of these terms, which are copied. */
SOTTO_CHECK sotto_status sotto__policy_value_new(const sotto_terms *terms,
                                                 sotto__policy_value **out);
void sotto__policy_value_free(sotto__policy_value *value);

/* A report that the server has. `followed`: the model of its round decides (sotto__model_is_followed);
 * `reward`: what its person got, clipped. Reports of learn rounds, and of models that do not decide, change
 * nothing. SOTTO_E_FRAME and others for bytes that are not a report of these terms. */
SOTTO_CHECK sotto_status sotto__policy_value_take(sotto__policy_value *value, const uint8_t *frame,
                                                  size_t frame_bytes, bool followed, double reward);

/* What is seen, and what is true. */
typedef struct sotto__policy_value_seen {
    bool there; /* false: the terms have no measure rounds */
    uint64_t follow_count, control_count;
    sotto_interval
        uplift;   /* follow - control, at SOTTO__POLICY_VALUE_ALPHA; may be looked at any time */
    double truth; /* of the same people; NAN: not both kinds yet */
} sotto__policy_value_seen;

sotto__policy_value_seen sotto__policy_value_look(const sotto__policy_value *value);

/* ---- sight ---------------------------------------------------------------------------------- */

/* What is known of a run at a moment: since its first person, or between two looks. */

typedef struct sotto__sight {
    double seconds;         /* since the first person */
    uint64_t people;        /* who began a round */
    uint64_t liars;         /* of them */
    uint64_t missing;       /* of them: honest people whose reward never came */
    uint64_t served;        /* of them: got the server's fallback, and send no report */
    uint64_t put_off;       /* times that a report was not acknowledged and waits to go again */
    uint64_t dropped;       /* reports that were given up */
    uint64_t under_way;     /* people whose report is neither acknowledged nor dropped */
    uint64_t sent_default;  /* reports, acknowledged, of honest people whose reward did not come */
    sotto__check_sent sent; /* what was sent and acknowledged */
    double regret;          /* sum over people: the best mean less that of the arm they got */
    double regret_random;   /* the same, had everybody got a random arm: its expectation */
    sotto__regret_steps steps; /* both, from the first people to the last */
    sotto__blocks blocks;      /* both, by 1,000 people: whether the loss rises again */
    uint32_t epoch;            /* of the newest model */
    uint64_t publishes;        /* models that came after the first person began */
    uint64_t reports_first;    /* that the first of those was made of */
    uint64_t reports_last;     /* and the newest */
    sotto__latency latency;    /* of requests that were answered: from sent to acknowledged */
    sotto__policy_value_seen value;
    char trouble[512]; /* "", or in words what last went wrong */
} sotto__sight;

/* Rates and means between two looks. */
typedef struct sotto__pace {
    double seconds;
    double people_per_s, reports_per_s; /* begun; acknowledged */
    double regret, regret_random;       /* per person; NAN: nobody began */
    double p50_ms, p90_ms, p99_ms;      /* NAN: no answer came */
} sotto__pace;

sotto__pace sotto__pace_between(const sotto__sight *before, const sotto__sight *after);

/* ---- fleet ---------------------------------------------------------------------------------- */

/*
 * A fleet: simulated people as real clients of a server.
 *
 *     new -> join -> begin -> play -> sight
 *
 * Contexts and rewards are those of the lab, by seed. All else is real: policies, ledgers, devices, HTTP, and the
 * privacy noise, which is drawn from the system.
 */

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

/* Copies the options; borrows their URL and their key. */
SOTTO_CHECK sotto_status sotto__fleet_new(const sotto__fleet_options *options, sotto__fleet **out,
                                          sotto_fault *fault);
void sotto__fleet_free(sotto__fleet *fleet); /* accepts NULL */

/* Gets terms and model. SOTTO_E_POLICY if the policy refuses them; otherwise the fault says the server, and why it has
 * none. */
SOTTO_CHECK sotto_status sotto__fleet_join(sotto__fleet *fleet,
                                           const sotto__fleet_listener *listener,
                                           sotto_fault *fault);
const sotto_terms *sotto__fleet_terms(const sotto__fleet *fleet);

/* Makes the world. Copies the match, and borrows its population. */
SOTTO_CHECK sotto_status sotto__fleet_begin(sotto__fleet *fleet, const sotto_match *match,
                                            sotto_fault *fault);

/* Plays until everybody's report is acknowledged or dropped, or the time is over. Another status than SOTTO_OK says why
 * nobody could begin any more. */
SOTTO_CHECK sotto_status sotto__fleet_play(sotto__fleet *fleet,
                                           const sotto__fleet_listener *listener);

/* Goes on asking for models, for so long or until a new one has come. */
void sotto__fleet_await_publish(sotto__fleet *fleet, const sotto__fleet_listener *listener,
                                double seconds);

/* What is known now. Valid until the fleet is freed; it changes while it plays. */
const sotto__sight *sotto__fleet_sight(const sotto__fleet *fleet);

#endif
