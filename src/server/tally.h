/* What a tally is made of. */
#ifndef SOTTO_TALLY_H
#define SOTTO_TALLY_H

#include "side.h"
#include "watch.h"

#include <sotto/server.h>

/* Rewards as measure rounds report them. */
typedef struct sotto__measured {
    uint64_t count;
    int64_t sum; /* of +1 and -1 */
} sotto__measured;

/* True if so many reports can have this sum; for a count below 2^63. */
bool sotto__measured_possible(const sotto__measured *measured);

struct sotto_tally {
    sotto_terms terms;
    uint32_t epoch;
    sotto_phase phase;
    bool decides;        /* the epoch's model does: some rounds follow it */
    uint64_t count;      /* learn reports folded */
    uint64_t heard;      /* those of them that are not null */
    uint64_t measured;   /* reports of measure rounds */
    uint32_t sums_count; /* dim, arms x dim, or ticks */
    int64_t *sum;
    uint64_t *arm_count;      /* arms: reports of each, where sotto__tally_counts_arms; else 0 */
    sotto__measured *control; /* arms: by assigned arm */
    sotto__measured follow;
    uint32_t *shares;    /* arms: of the epoch's model, for best-arm; else NULL */
    int32_t *codeword;   /* scratch of fold */
    int8_t *sign;        /* scratch of fold: arms */
    sotto__watch *watch; /* NULL: nobody watches */
};

/* As sotto_tally_new, of an epoch whose model is of this phase, and decides or not. SOTTO_E_PHASE for
 * a phase that the spec does not have. */
SOTTO_CHECK sotto_status sotto__tally_new(const sotto_terms *terms, uint32_t epoch,
                                          sotto_phase phase, bool decides, sotto_tally **out);

/* Sets the shares that the arms of the epoch follow; equal ones otherwise. Nothing to do, and shares may
 * be NULL, unless the method is best-arm. */
void sotto__tally_share(sotto_tally *tally, const uint32_t *shares);

/* Empties a tally for another epoch of its spec, in a phase that the spec has. */
void sotto__tally_begin(sotto_tally *tally, uint32_t epoch, sotto_phase phase, bool decides);

/* What sotto_tally_fold would answer; nothing changes. */
SOTTO_CHECK sotto_status sotto__tally_check(const sotto_tally *tally, const sotto_report *report);

/* Takes a report out again that sotto_tally_fold has added: to the bit as if it had not come. */
void sotto__tally_unfold(sotto_tally *tally, const sotto_report *report);

/* The memory of a tally: numbers of 8 bytes that are 0 while it is empty, and scratch of fold, which
 * tallies of one thread can share. */
size_t sotto__tally_numbers(const sotto_terms *terms);
size_t sotto__tally_scratch_bytes(const sotto_terms *terms);
/* Makes an empty tally in such memory, of numbers that are all 0. Its shares are still NULL. */
void sotto__tally_lay(sotto_tally *tally, const sotto_terms *terms, uint64_t *numbers,
                      void *scratch);

/* Learn reports and those of measure rounds: at most SOTTO_REPORTS_MAX. */
uint64_t sotto__tally_all(const sotto_tally *tally);

/* True if each report counts for one arm only: per-arm warm-up and mean phase, and tags. */
bool sotto__tally_counts_arms(const sotto_tally *tally);

#endif
