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

/* The counts of the senders. */
typedef struct sotto__check_sent {
    uint64_t acknowledged; /* reports that got a 204 */
    uint64_t once;         /* reports that left, at least once */
    uint64_t all;          /* how often reports left, repeats included */
} sotto__check_sent;

/* The counts of the server (docs/operations.md, section 8). */
typedef struct sotto__check_counts {
    uint64_t folded, late, duplicate, conflicting;
} sotto__check_counts;

typedef struct sotto__check {
    bool exact;     /* by the server's counts; false: by its public model */
    bool holds;     /* no violation was found */
    char text[512]; /* in words, with the numbers */
} sotto__check;

/* Checks by the counts of the experiment before and after the run. It requires that nobody else
 * sent reports in between:
 *
 *     acknowledged <= folded + late      each was taken or was too late; a duplicate was taken or
 *                                        too late when it came first
 *     folded       <= once               no report counts twice
 *     folded + late + duplicate <= all   no report counts that was not sent
 *     conflicting   = 0
 *
 * If no report had to be sent again and all were acknowledged, then folded + late = acknowledged
 * and there is no duplicate. */
sotto__check sotto__check_by_counts(const sotto__check_sent *sent,
                                    const sotto__check_counts *before,
                                    const sotto__check_counts *after);

/* Checks by the number of reports in the first and in the last model that were seen: between the
 * two, it cannot grow by more than was sent. This check does not detect a lost report, because a
 * report that is not counted may be of a measure round, late, or of an epoch that is not over.
 * `publishes`: how many models were seen after the first person began. */
sotto__check sotto__check_by_model(const sotto__check_sent *sent, uint64_t publishes,
                                   uint64_t reports_first, uint64_t reports_last);

/* ---- place ---------------------------------------------------------------------------------- */

/* The URL of an experiment. */

#define SOTTO__ID_CHARS (2u * SOTTO_SPEC_ID_BYTES)

/* True if the URL has the route of an experiment, even a malformed one. If false, the URL can only
 * be that of a server. */
bool sotto__place_is_whole(const char *url);

/* Makes the URL of an experiment from that of its server and its id. `field` is the name of the URL
 * in the fault. */
SOTTO_CHECK sotto_status sotto__place_join(const char *field, const char *server, const char *id,
                                           sotto__url *out, sotto_fault *fault);

/* The id of an experiment, in digits. */
void sotto__place_id(const sotto__url *url, char id[SOTTO__ID_CHARS + 1]);

/* ---- admin ---------------------------------------------------------------------------------- */

/* A client of a server's admin port, which reports on experiments to holders of a token. It is not
 * part of the person's side: people have no token, and no data of theirs is sent there. */

typedef struct sotto__admin sotto__admin;

/* `server` is http://HOST:PORT of this machine, or an https URL. The token file is one that sottod
 * wrote. */
SOTTO_CHECK sotto_status sotto__admin_new(const char *server, const char *token_file,
                                          const char *ca_file, sotto__admin **out,
                                          sotto_fault *fault);
void sotto__admin_free(sotto__admin *admin); /* accepts NULL */

#define SOTTO__ADMIN_USUAL "http://127.0.0.1:8788"
#define SOTTO__PATH_BYTES 4096u
/* The default path of the reader's token of sottod (docs/operations.md, section 1). */
void sotto__admin_token_usual(char path[SOTTO__PATH_BYTES]);

/* The server's answer to a request for a path of its API. Valid until the next request. */
typedef struct sotto__admin_answer sotto__admin_answer;
SOTTO_CHECK sotto_status sotto__admin_get(sotto__admin *admin, const char *path,
                                          sotto__admin_answer *out, sotto_fault *fault);

/* The server's counts of an experiment. */
SOTTO_CHECK sotto_status sotto__admin_counts(sotto__admin *admin, const char *id,
                                             sotto__check_counts *out, sotto_fault *fault);

/* The id of the only experiment that is open; a fault if there is none, or there are several. */
SOTTO_CHECK sotto_status sotto__admin_only(sotto__admin *admin, char id[SOTTO__ID_CHARS + 1],
                                           sotto_fault *fault);

/* ---- how the two functions above read an answer (also for tests) */

struct sotto__admin_answer {
    const char *server; /* named in sentences */
    const char *body;
    size_t bytes;
};

SOTTO_CHECK sotto_status sotto__admin_read_counts(const sotto__admin_answer *answer,
                                                  sotto__check_counts *out, sotto_fault *fault);
SOTTO_CHECK sotto_status sotto__admin_read_only(const sotto__admin_answer *answer,
                                                char id[SOTTO__ID_CHARS + 1], sotto_fault *fault);

/* ---- blocks --------------------------------------------------------------------------------- */

/*
 * The loss by blocks of 1,000 people, and whether it rises again. A block's share is its regret
 * divided by that of random arms. A block's rebound is its share minus the lowest share of an
 * earlier block.
 */

#define SOTTO__BLOCK_PEOPLE 1000u
#define SOTTO__BLOCKS_KEPT 1000u /* shares of the first blocks; the rebound is over all blocks */
#define SOTTO__REBOUND_MAX 0.1   /* a larger rebound means that the loss rises again */
#define SOTTO__BLOCKS_TEXT 200u

typedef struct sotto__blocks {
    double regret, random;            /* sums of the current block */
    uint64_t people;                  /* in the current block */
    uint64_t count;                   /* full blocks */
    double share[SOTTO__BLOCKS_KEPT]; /* of the full blocks */
    double lowest;                    /* the lowest share of all full blocks */
    double rebound; /* the largest of all blocks; 0: no share exceeds an earlier one */
    uint64_t at;    /* the block with that rebound, from 0 */
    double share_at, lowest_before; /* its share, and the lowest share before it */
} sotto__blocks;

/* Adds one person. */
void sotto__blocks_add(sotto__blocks *blocks, double regret, double random);
/* How many shares are kept. */
uint32_t sotto__blocks_kept(const sotto__blocks *blocks);
bool sotto__blocks_rise(const sotto__blocks *blocks);
/* A sentence that says whether the loss rises again. */
void sotto__blocks_text(const sotto__blocks *blocks, char text[SOTTO__BLOCKS_TEXT]);

/* ---- verdict -------------------------------------------------------------------------------- */

/* The verdict on a run: the worst finding, which is lost reports before a loss that rises again. */

#define SOTTO__FLEET_VERDICT_TEXT 800u

typedef struct sotto__fleet_verdict {
    bool good; /* no fault was found, by the server's own counts */
    char text[SOTTO__FLEET_VERDICT_TEXT];
} sotto__fleet_verdict;

sotto__fleet_verdict sotto__fleet_verdict_of(const sotto__check *check,
                                             const sotto__blocks *blocks);

/* ---- regret steps --------------------------------------------------------------------------- */

/* Regret from the first person to the last, in at most SOTTO__REGRET_STEPS steps of equal numbers
 * of people. */

#define SOTTO__REGRET_STEPS 20u

typedef struct sotto__regret_steps {
    uint64_t width;                     /* people per step; 0: nobody came yet */
    uint64_t people;                    /* in all steps; the last step may have fewer */
    double regret[SOTTO__REGRET_STEPS]; /* sums */
    double random[SOTTO__REGRET_STEPS];
} sotto__regret_steps;

/* Adds one person. When all steps are full, each pair of steps is merged into one. */
void sotto__regret_steps_add(sotto__regret_steps *steps, double regret, double random);
/* The number of steps with people. */
uint32_t sotto__regret_steps_count(const sotto__regret_steps *steps);
/* The number of people in a step. */
uint64_t sotto__regret_steps_people(const sotto__regret_steps *steps, uint32_t step);

/* ---- match ---------------------------------------------------------------------------------- */

/* Makes a world of the lab from the terms of an experiment. For the same seed it has the same
 * people as `sotto simulate` with these terms. */

/* The terms' method in this environment, with the lab's defaults for noise and parameter.
 * `population`, which is borrowed, is that of environment loan; NULL for other environments. */
sotto_match sotto__fleet_match(const sotto_terms *terms, sotto_environment_kind environment,
                               const sotto_population *population, uint64_t people);

/* SOTTO_OK if people of this environment can take part under these terms; otherwise the fault names
 * the environment, the term, its value and what would fit. */
SOTTO_CHECK sotto_status sotto__fleet_match_fault(const sotto_match *match, sotto_fault *fault);

/* ---- latency -------------------------------------------------------------------------------- */

/* Latencies, counted in cells by the logarithm of the time, so that memory does not grow with their
 * number. */

/* 16 cells per doubling, from 2^-17 s (8 microseconds) to 2^12 s (about an hour), so that a
 * reported time is off by at most 2.2 %. Times outside this range count in the first or the last
 * cell. */
#define SOTTO__LATENCY_CELLS 464u

typedef struct sotto__latency {
    uint64_t count;
    uint64_t cell[SOTTO__LATENCY_CELLS];
} sotto__latency;

void sotto__latency_add(sotto__latency *latency, double seconds);

/* The latencies that were added between two copies of the same counts. */
sotto__latency sotto__latency_between(const sotto__latency *before, const sotto__latency *after);

/* The quantile `part` (0 to 1) in seconds; NAN if there are no latencies. */
double sotto__latency_at(const sotto__latency *latency, double part);

/* ---- policy_value --------------------------------------------------------------------------- */

/*
 * The value of the policy: an estimate from the private reports of measure rounds, beside the truth
 * for the same people, which only the lab knows.
 */

#define SOTTO__POLICY_VALUE_ALPHA 0.05 /* probability that an interval misses the truth */

typedef struct sotto__policy_value sotto__policy_value;

/* Copies the terms. */
SOTTO_CHECK sotto_status sotto__policy_value_new(const sotto_terms *terms,
                                                 sotto__policy_value **out);
void sotto__policy_value_free(sotto__policy_value *value);

/* Adds a report that the server has. `followed`: the model of its round decides
 * (sotto__model_is_followed); `reward`: the person's clipped reward. Reports of learn rounds, and
 * of models that do not decide, change nothing. SOTTO_E_FRAME or another status if the bytes are
 * not a report of these terms. */
SOTTO_CHECK sotto_status sotto__policy_value_take(sotto__policy_value *value, const uint8_t *frame,
                                                  size_t frame_bytes, bool followed, double reward);

/* The estimate and the truth. */
typedef struct sotto__policy_value_seen {
    bool there; /* false: the terms have no measure rounds */
    uint64_t follow_count, control_count;
    sotto_interval uplift; /* follow - control, at SOTTO__POLICY_VALUE_ALPHA; valid at any time */
    double truth;          /* of the same people; NAN until there are rounds of both kinds */
} sotto__policy_value_seen;

sotto__policy_value_seen sotto__policy_value_look(const sotto__policy_value *value);

/* ---- sight ---------------------------------------------------------------------------------- */

/* The state of a run at one moment, since the first person, or the changes between two moments. */

typedef struct sotto__sight {
    double seconds;         /* since the first person */
    uint64_t people;        /* who began a round */
    uint64_t liars;         /* people who lie */
    uint64_t missing;       /* honest people whose reward never came */
    uint64_t served;        /* people who got the server's fallback, and send no report */
    uint64_t put_off;       /* how often a report was not acknowledged and waits to be sent again */
    uint64_t dropped;       /* reports that were given up */
    uint64_t under_way;     /* people whose report is neither acknowledged nor dropped */
    uint64_t sent_default;  /* acknowledged reports of honest people whose reward did not come */
    sotto__check_sent sent; /* what was sent and acknowledged */
    double regret;          /* sum over people of the best arm's mean minus that of their arm */
    double regret_random;   /* the expectation of `regret` if everybody got a random arm */
    sotto__regret_steps steps; /* both regrets, from the first people to the last */
    sotto__blocks blocks;      /* both regrets, by 1,000 people, to see if the loss rises again */
    uint32_t epoch;            /* of the newest model */
    uint64_t publishes;        /* models that came after the first person began */
    uint64_t reports_first;    /* reports in the first of these models */
    uint64_t reports_last;     /* reports in the newest model */
    sotto__latency latency;    /* of answered requests: from sent to acknowledged */
    sotto__policy_value_seen value;
    char trouble[512]; /* the last failure in words; "": none */
} sotto__sight;

/* Rates and means between two moments. */
typedef struct sotto__pace {
    double seconds;
    double people_per_s, reports_per_s; /* begun; acknowledged */
    double regret, regret_random;       /* per person; NAN if nobody began */
    double p50_ms, p90_ms, p99_ms;      /* NAN if no answer came */
} sotto__pace;

sotto__pace sotto__pace_between(const sotto__sight *before, const sotto__sight *after);

/* ---- fleet ---------------------------------------------------------------------------------- */

/*
 * A fleet: simulated people as real clients of a server.
 *
 *     new -> join -> begin -> play -> sight
 *
 * Contexts and rewards are those of the lab, by seed. Everything else is real: policies, ledgers,
 * devices, HTTP, and the privacy noise, which uses the system's randomness.
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
    uint32_t at_once; /* the most people whose report may be under way, at least 1 */
    double seconds;   /* nobody begins after this time; may be infinite */
    /* The run ends if nobody began and no report was acknowledged or dropped for this time plus the
     * time in which reports leave by the terms. */
    double drain_s;
    double liars;          /* share of people, 0 to 0.5 */
    uint32_t grind;        /* nonces that each liar tries, 1 to SOTTO_GRIND_MAX */
    double reward_missing; /* share of people, 0 to 1 */
} sotto__fleet_options;

sotto__fleet_options sotto__fleet_options_default(void);

/* Called about ten times per second. If it returns false, nobody begins any more, and the run waits
 * only briefly for the reports under way. */
typedef struct sotto__fleet_listener {
    bool (*look)(void *state, const sotto__sight *sight);
    void *state;
} sotto__fleet_listener;

/* Copies the options, but borrows their URL and their key. */
SOTTO_CHECK sotto_status sotto__fleet_new(const sotto__fleet_options *options, sotto__fleet **out,
                                          sotto_fault *fault);
void sotto__fleet_free(sotto__fleet *fleet); /* accepts NULL */

/* Fetches terms and model. SOTTO_E_POLICY if the policy refuses them; on another failure the fault
 * names the server and the reason. */
SOTTO_CHECK sotto_status sotto__fleet_join(sotto__fleet *fleet,
                                           const sotto__fleet_listener *listener,
                                           sotto_fault *fault);
const sotto_terms *sotto__fleet_terms(const sotto__fleet *fleet);

/* Makes the world. Copies the match, but borrows its population. */
SOTTO_CHECK sotto_status sotto__fleet_begin(sotto__fleet *fleet, const sotto_match *match,
                                            sotto_fault *fault);

/* Plays until all reports are acknowledged or dropped, or the time is over. A status other than
 * SOTTO_OK says why nobody could begin any more. */
SOTTO_CHECK sotto_status sotto__fleet_play(sotto__fleet *fleet,
                                           const sotto__fleet_listener *listener);

/* Waits until a new model has come, at most `seconds`. */
void sotto__fleet_await_publish(sotto__fleet *fleet, const sotto__fleet_listener *listener,
                                double seconds);

/* The current state. The pointer is valid until the fleet is freed; the content changes during
 * play. */
const sotto__sight *sotto__fleet_sight(const sotto__fleet *fleet);

#endif
