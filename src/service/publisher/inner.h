/* What files of this room share. */
#ifndef SOTTO_SERVICE_PUBLISHER_INNER_H
#define SOTTO_SERVICE_PUBLISHER_INNER_H

#include "publisher.h"
#include "service/experiment/experiment.h"
#include "service/fold/fold.h"
#include "service/store/postgres/postgres.h"
#include "service/system/system.h"

#include <pthread.h>

/* ---- known ---------------------------------------------------------------------------------- */

/* What a publisher knows of one experiment: its newest model, and the nonces of its open epochs. All of it
 * follows from the database. */

/* What attempts folded that did not end the epoch: attempt.c. */
typedef struct publisher_kept publisher_kept;

typedef struct publisher_known {
    uint32_t number;
    char id_text[SPEC_ID_TEXT_BYTES];
    journal_state state;
    /* The newest model, or what was before the first; and what is kept of an attempt. Without nonces it is not loaded. What
     * is held is as the database has it: perhaps of an epoch that is over. */
    epoch_engine *engine;
    publisher_kept *kept; /* NULL: nothing */
    folding_cut cut;      /* of the model */
    epoch_ending ending;  /* the last one here */
    /* When to look at it. */
    uint64_t ask_ms;
    uint64_t retain_ms;   /* when what nobody needs is looked for, also without a publish */
    uint64_t retained_ms; /* when it was, last; 0: not yet */
    uint64_t waiting;     /* reports, as asked last */
    uint64_t fresh;       /* of them, those that no attempt has seen */
    bool mine;            /* it is folded here: crew.c */
    uint64_t arrived_ms;  /* when rows of it came last, as far as is known here; 0: never */
    uint64_t try_ms;      /* not before this it is tried to fold it here */
    uint64_t wanted_ms;   /* since when something is to be done of it, and nobody does; 0: not */
    bool awake;           /* it has rows that nobody looked at here */
    uint32_t retains;     /* how often what nobody needs is looked for, until something changes */
    bool paced;           /* its engine has the time of the database */
    uint64_t looked_said; /* frames of the kept rows when gateways last heard of them */
    /* When it could not be folded. */
    bool broken;       /* it is not tried for now */
    uint64_t again_ms; /* until then */
    uint64_t pause_ms; /* how long that was; 0: never since the last publish */
    sotto_fault fault;
    sotto_fault said; /* what is in the log; an empty sentence: none */
} publisher_known;

/* Before its first model, and not loaded. NULL: no memory, or `fault` says what is wrong with the row. */
publisher_known *publisher_known_new(const journal_experiment *row, uint32_t nonces_max,
                                     uint64_t now_ms, sotto_fault *fault);
void publisher_known_free(publisher_known *known);
/* As before it was loaded. */
void publisher_known_unload(publisher_known *known);
/* The newest model and the nonces, from the models and the rows between their cuts. */
epoch_outcome publisher_known_load(publisher_known *known, sottod_folding *folding);

/* Sets the fault. Always EPOCH_BROKEN. */
epoch_outcome publisher_known_break(publisher_known *known, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* What a function of folding that answered false means: EPOCH_AWAY, or EPOCH_BROKEN with its fault. */
epoch_outcome publisher_known_failed(publisher_known *known, const sottod_folding *folding);
/* False: no memory. */
bool publisher_cut_copy(const folding_cut *from, folding_cut *to);

/* ---- attempt -------------------------------------------------------------------------------- */

/* One attempt to end an epoch: rows are folded on a copy, and published if enough of them count. */

/* Frames are sorted in the order of folding_read_rows, and counted in the engine. Those that are new are gathered for
 * folding; what the nonces learned can be taken back. */

typedef struct publisher_nonce {
    uint32_t epoch;
    uint8_t nonce[SOTTO_NONCE_BYTES];
} publisher_nonce;

typedef struct publisher_sorter {
    publisher_known *known;
    publisher_nonce *added;
    uint32_t added_count, added_capacity;
    uint8_t *frames; /* new ones that are not folded yet */
    size_t frames_bytes, frames_capacity;
    bool
        goes_on; /* rows were taken by an earlier attempt: perhaps some that come after those of this one */
    bool
        contested; /* and a frame met another one of its nonce: which of them counts may depend on the order */
} publisher_sorter;

/* All frames of a row. EPOCH_BROKEN: one is of an epoch that has not begun, or the row is not whole. */
epoch_outcome publisher_sorter_take(publisher_sorter *sorter, const journal_row *row);
/* The nonces are as before; nothing was taken. */
void publisher_sorter_forget(publisher_sorter *sorter);
/* Lets go of what is not needed between two attempts: all that was gathered is folded. */
void publisher_sorter_rest(publisher_sorter *sorter);
void publisher_sorter_free(publisher_sorter *sorter);

/* Rows after publisher_attempt_cut up to `to`. A held epoch ends as was decided. EPOCH_DONE: it is durable, and the known
 * is the new model. EPOCH_TOO_FEW, EPOCH_HELD: what was folded is kept for the next attempt. After all others it must
 * be loaded again. */
epoch_outcome publisher_attempt(publisher_known *known, sottod_folding *folding, sottod_fold *fold,
                                const folding_cut *to, uint64_t minute);
/* Up to which rows the learner took them: that of the model if nothing is kept. */
const folding_cut *publisher_attempt_cut(const publisher_known *known);
/* How many frames are in those rows since the model, and how many of them count. */
uint64_t publisher_attempt_looked(const publisher_known *known);
uint64_t publisher_attempt_distinct(const publisher_known *known);
void publisher_kept_free(publisher_kept *kept);
/* Of a closed experiment: rows after the last model are folded and counted, and no epoch ends (folding_end).
 * EPOCH_DONE: that is durable. The known is not used any more. */
epoch_outcome publisher_attempt_last(publisher_known *known, sottod_folding *folding,
                                     sottod_fold *fold, const folding_cut *to);

/* ---- crew ----------------------------------------------------------------------------------- */

/* Which experiments this process publishes. All processes that may publish are a crew: each experiment belongs to
 * one of them, by a lock that ends with its connection, and each takes about the same number of busy ones. */

typedef struct publisher_crew {
    uint32_t size;     /* as counted last; 0: not yet */
    uint64_t count_ms; /* when it is counted next */
    uint64_t again_ms; /* when those that are others' are tried again, all together */
    uint32_t most;     /* experiments that one may have; 0: 1,000 */
    bool full;         /* it has so many, and others want something */
    uint32_t from;     /* where those that want something are looked for next */
    uint32_t mine;     /* experiments that are this one's */
    uint32_t *left;    /* that were, and are not known any more: let go at the next turn */
    uint32_t left_count, left_capacity;
} publisher_crew;

/* Something is to be done of this experiment now. */
typedef bool publisher_wants(const publisher_known *known, uint64_t now_ms);

/* Tries to get those that want something, up to this one's share, and lets go of what is quiet or too much. What is not
 * this one's is not loaded. False: the database is away. */
bool publisher_crew_turn(publisher_crew *crew, sottod_folding *folding,
                         publisher_known *const *known, uint32_t count, publisher_wants *wants,
                         uint64_t now_ms);
/* It will not be known any more. Asks nothing: the next turn lets it go. */
void publisher_crew_drop(publisher_crew *crew, const publisher_known *known);
/* Nothing is known any more. */
void publisher_crew_forget(publisher_crew *crew);

/* ---- pass ----------------------------------------------------------------------------------- */

/* One pass over all experiments: what is due is folded and published. */

/* An experiment that is closed or deleted. */
typedef struct publisher_gone {
    uint32_t number;
    journal_state state;
    uint64_t again_ms; /* its last reports could not be folded: not before this */
} publisher_gone;

typedef struct publisher_pass {
    sottod_folding *folding;
    sottod_fold *fold;
    sottod_log *log;
    watch_totals *totals;
    uint32_t nonces_max;
    bool leads; /* this process removes reports of closed and deleted experiments */
    publisher_crew crew;
    folding_retention retention;
    publisher_known **known; /* of all experiments that are open or paused, by number */
    uint32_t known_count, known_capacity;
    publisher_gone *gone; /* those that are over: first those that were emptied */
    uint32_t gone_count, gone_capacity;
    uint32_t emptied;     /* how many were */
    damaged_list damaged; /* experiments that cannot be read */
    bool stale;           /* experiments are read again */
    uint64_t read_ms;     /* when they were read last */
    uint64_t thin_ms;     /* when history is thinned next */
    bool polled;          /* which experiments have new rows, since nothing was known */
    uint64_t poll_ms;     /* when that is asked next */
    uint64_t arrived_ms;  /* when something came last */
    uint64_t waiting;     /* reports, of all experiments */
    uint64_t distinct;    /* of them, those that were folded and count */
    uint64_t publishes, fenced, fold_us;
} publisher_pass;

/* False: the database is away, and the lock is lost; folding_fault says why. */
bool publisher_pass_run(publisher_pass *pass, uint64_t now_ms, uint64_t minute);
/* Milliseconds until something may be due. */
uint64_t publisher_pass_ms(const publisher_pass *pass, uint64_t now_ms);
/* The ids of experiments that are not folded because what the database has of them is at fault, one after the
 * other; NULL: there is no more. */
const char *publisher_pass_stopped(const publisher_pass *pass, uint32_t i);
/* Nothing is known any more. */
void publisher_pass_forget(publisher_pass *pass);

/* ---- over ----------------------------------------------------------------------------------- */

/* Experiments that are over: closed ones have their last reports folded, and all reports of both go. */

/* It is closed or deleted: noted once for each state. Without memory, at the next reading. */
void publisher_over_note(publisher_pass *pass, const journal_experiment *row);
/* Empties those that were noted. What is busy now goes after another reading. False: the database is away. */
bool publisher_over_empty(publisher_pass *pass, uint64_t now_ms);

#endif
