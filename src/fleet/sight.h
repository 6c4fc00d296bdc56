/* What is known of a run at a moment: since its first person, or between two looks. */
#ifndef SOTTO_FLEET_SIGHT_H
#define SOTTO_FLEET_SIGHT_H

#include "blocks.h"
#include "check.h"
#include "curve.h"
#include "latency.h"
#include "worth.h"

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
    sotto__curve curve;     /* both, from the first people to the last */
    sotto__blocks blocks;   /* both, by 1,000 people: whether the loss rises again */
    uint32_t epoch;         /* of the newest model */
    uint64_t publishes;     /* models that came after the first person began */
    uint64_t reports_first; /* that the first of those was made of */
    uint64_t reports_last;  /* and the newest */
    sotto__latency latency; /* of requests that were answered: from sent to acknowledged */
    sotto__worth_seen worth;
    char trouble[SOTTO_FAULT_BYTES]; /* "", or in words what last went wrong */
} sotto__sight;

/* Rates and means between two looks. */
typedef struct sotto__pace {
    double seconds;
    double people_per_s, reports_per_s; /* begun; acknowledged */
    double regret, regret_random;       /* per person; NAN: nobody began */
    double p50_ms, p90_ms, p99_ms;      /* NAN: no answer came */
} sotto__pace;

sotto__pace sotto__pace_between(const sotto__sight *before, const sotto__sight *after);

#endif
