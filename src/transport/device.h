/* What a device is made of. */
#ifndef SOTTO_TRANSPORT_DEVICE_H
#define SOTTO_TRANSPORT_DEVICE_H

#include "backoff.h"
#include "site.h"

/* A report from the moment at which it is kept in the ledger until it is acknowledged or dropped. */
typedef struct sotto__device_report sotto__device_report;
struct sotto__device_report {
    sotto__parcel parcel; /* first */
    sotto_device *device;
    uint64_t entry;                        /* the ledger's number of the round */
    bool sent;                             /* at least once */
    bool rewarded;                         /* it is not the report of the default reward */
    sotto__device_report *next, *previous; /* by age */
};

/* A round whose time has not come. Its handle has its secret until a reward comes. It keeps its place also
 * after that: if rewards made room for more rounds, the number of reports would tell of them. */
typedef struct sotto__device_round {
    sotto_round *round; /* made when it is first used */
    uint64_t entry;     /* 0: it is free */
    bool decided;
    bool finished;                /* or a try to do so failed: no other reward counts */
    sotto__device_report *report; /* of a decided one */
    uint64_t due_ms;              /* when its report leaves, by the steady clock */
} sotto__device_round;

struct sotto_device {
    sotto_site *site;
    sotto_device_options options;
    sotto_client *client;
    sotto__device_round *round; /* rounds_max */
    uint8_t *frame;             /* scratch: what finish writes */
    sotto__device_report *oldest, *newest;
    size_t waiting;
    sotto_device_counts counts;
    sotto__backoff ledger_backoff;
    uint64_t ledger_after_ms; /* before this nothing is asked of a ledger that did not answer */
    const char *fault;        /* `text`, or NULL */
    char text[SOTTO_FAULT_BYTES];
};

/* Says in words why a call on the ledger failed, and gives the status back. */
sotto_status sotto__device_refuse(sotto_device *device, sotto_status status);
/* The round of this number; NULL if there is none, or its report left. */
sotto__device_round *sotto__device_find(const sotto_device *device, uint64_t entry);
/* The handle is free for another round. */
void sotto__device_forget(sotto__device_round *round);

/* All that a report needs to leave, made before the ledger keeps it under this number: without memory
 * none is kept. */
SOTTO_CHECK sotto_status sotto__device_prepare(sotto_device *device, uint64_t entry,
                                               sotto__device_report **out);
/* None was kept. */
void sotto__device_unprepare(sotto__device_report *report);
/* It was kept: it leaves in wait_ms. */
void sotto__device_queue(sotto__device_report *report, uint64_t wait_ms);
/* Takes over what the ledger has of this experiment. */
SOTTO_CHECK sotto_status sotto__device_recover(sotto_device *device);
void sotto__device_leave(sotto_device *device);

#endif
