/* What the files of folding.h share. */
#ifndef SERVICE_POSTGRES_FOLDING_INSIDE_H
#define SERVICE_POSTGRES_FOLDING_INSIDE_H

#include "connection.h"
#include "folding.h"

/* So long gateways may stand behind the one who waits for the lock. */
#define FOLDING_LOCK_MS "50"

/* What was found when folding_waiting was asked last. */
typedef struct folding_look {
    folding_cut from, seen;
    uint64_t reports; /* between the two */
    bool doubted;     /* rows up to there could not be read: it may be wrong */
} folding_look;

struct sottod_folding {
    postgres_connection connection;
    bool usable;        /* the settings */
    bool held;          /* the lock, by this connection */
    folding_look *look; /* by experiment, from 1 on */
    uint32_t looks;
    uint64_t thinned;    /* history before this minute is thin already */
    uint64_t gateway_ms; /* steady time from which on ended gateways are looked for again */
};

/* Connects if need be; the lock is lost then. */
bool folding__ready(sottod_folding *folding);
/* The same, and refuses without the lock. */
bool folding__is_folder(sottod_folding *folding);
/* Ends a transaction that failed. Always false. */
bool folding__fail(sottod_folding *folding);
/* Forgets all looks. */
void folding__forget(sottod_folding *folding);

#endif
