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

/* What a publisher knows about one experiment: its newest model, and the nonces of its open epochs. All of it follows
 * from the database. */

/* What attempts folded without ending the epoch: attempt.c. */
typedef struct publisher_kept publisher_kept;

typedef struct publisher_known {
    uint32_t number;
    char id_text[SPEC_ID_TEXT_BYTES];
    journal_state state;
    /* The newest model, or the state before the first, and a kept attempt. Not loaded if it has no nonces. A held row
     * is as in the database; its epoch may be over. */
    epoch_engine *engine;
    publisher_kept *kept; /* NULL: none */
    folding_cut cut;      /* of the model */
    epoch_ending ending;  /* of the last attempt here */
    /* When to check it. */
    uint64_t ask_ms;
    uint64_t retain_ms;   /* when superfluous rows are searched next, even without a publish */
    uint64_t retained_ms; /* the last such search; 0: none yet */
    uint64_t waiting;     /* reports, when last asked */
    uint64_t fresh;       /* of these, reports that no attempt has folded */
    bool mine;            /* it is folded by this process: crew.c */
    uint64_t arrived_ms;  /* when its last rows came, as far as known here; 0: never */
    uint64_t try_ms;      /* no attempt to take it before this time */
    uint64_t wanted_ms;   /* since when work has waited without a publisher; 0: none waits */
    bool awake;           /* it has rows not yet checked here */
    uint32_t retains;     /* searches for superfluous rows left until something changes */
    bool paced;           /* its engine has the age of the epoch from the database */
    uint64_t looked_said; /* frames of the kept rows when gateways were last informed */
    /* After a failure. */
    bool broken;       /* not tried for now */
    uint64_t again_ms; /* until then */
    uint64_t pause_ms; /* the length of that pause; 0: none since the last publish */
    sotto_fault fault;
    sotto_fault said; /* the fault in the log; an empty sentence: none */
} publisher_known;

/* Before its first model, and not loaded. NULL: no memory, or `fault` says what is wrong with the row. */
publisher_known *publisher_known_new(const journal_experiment *row, uint32_t nonces_max,
                                     uint64_t now_ms, sotto_fault *fault);
void publisher_known_free(publisher_known *known);
/* Makes it not loaded again. */
void publisher_known_unload(publisher_known *known);
/* Loads the newest model and the nonces, from the models and the rows between their cuts. */
epoch_outcome publisher_known_load(publisher_known *known, sottod_folding *folding);

/* Sets the fault. Always EPOCH_BROKEN. */
epoch_outcome publisher_known_break(publisher_known *known, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* After a function of folding returned false: EPOCH_AWAY, or EPOCH_BROKEN with its fault. */
epoch_outcome publisher_known_failed(publisher_known *known, const sottod_folding *folding);
/* False: no memory. */
bool publisher_cut_copy(const folding_cut *from, folding_cut *to);

/* ---- attempt -------------------------------------------------------------------------------- */

/* One attempt to end an epoch: rows are folded into a copy, and published if enough of them count. */

/* Frames are classified in the order of folding_read_rows and counted in the engine. New ones are gathered for
 * folding; the nonces added can be taken back. */

typedef struct publisher_nonce {
    uint32_t epoch;
    uint8_t nonce[SOTTO_NONCE_BYTES];
} publisher_nonce;

typedef struct publisher_sorter {
    publisher_known *known;
    publisher_nonce *added;
    uint32_t added_count, added_capacity;
    uint8_t *frames; /* new ones, not folded yet */
    size_t frames_bytes, frames_capacity;
    /* an earlier attempt took rows: perhaps some that belong after those of this one */
    bool goes_on;
    /* and a frame shares the nonce of a different one: which of them counts may depend on the order */
    bool contested;
} publisher_sorter;

/* Takes all frames of a row. EPOCH_BROKEN: one is of an epoch that has not begun, or the row is incomplete. */
epoch_outcome publisher_sorter_take(publisher_sorter *sorter, const journal_row *row);
/* Restores the nonces; nothing was taken. */
void publisher_sorter_forget(publisher_sorter *sorter);
/* Frees what is not needed between two attempts; everything gathered is folded. */
void publisher_sorter_rest(publisher_sorter *sorter);
void publisher_sorter_free(publisher_sorter *sorter);

/* Folds rows after publisher_attempt_cut up to `to`. A held epoch ends as its owner decided. EPOCH_DONE: durable, and
 * `known` is the new model. EPOCH_TOO_FEW, EPOCH_HELD: the folded rows are kept for the next attempt. After any other
 * outcome it must be loaded again. */
epoch_outcome publisher_attempt(publisher_known *known, sottod_folding *folding, sottod_fold *fold,
                                const folding_cut *to, uint64_t minute);
/* The cut up to which rows are folded: that of the model if nothing is kept. */
const folding_cut *publisher_attempt_cut(const publisher_known *known);
/* The frames in the rows folded since the model, and how many of them count. */
uint64_t publisher_attempt_looked(const publisher_known *known);
uint64_t publisher_attempt_distinct(const publisher_known *known);
void publisher_kept_free(publisher_kept *kept);
/* For a closed experiment: rows after the last model are folded and counted, and no epoch ends (folding_end).
 * EPOCH_DONE: durable. `known` is not used afterwards. */
epoch_outcome publisher_attempt_last(publisher_known *known, sottod_folding *folding,
                                     sottod_fold *fold, const folding_cut *to);

/* ---- crew ----------------------------------------------------------------------------------- */

/* Which experiments this process publishes. The processes that may publish form a crew: each experiment belongs to
 * one of them, by a lock that ends with its connection, and each process takes about the same number of busy ones. */

typedef struct publisher_crew {
    uint32_t size;     /* when last counted; 0: not yet */
    uint64_t count_ms; /* when it is counted next */
    uint64_t again_ms; /* when others' experiments are tried again, all together */
    uint32_t most;     /* the most experiments for one process; 0: 1,000 */
    bool full;         /* it has that many, and more are wanted */
    uint32_t from;     /* where the next search for wanted experiments begins */
    uint32_t mine;     /* experiments of this process */
    uint32_t *left;    /* experiments to release at the next turn */
    uint32_t left_count, left_capacity;
} publisher_crew;

/* Whether there is work for this experiment now. */
typedef bool publisher_wants(const publisher_known *known, uint64_t now_ms);

/* Tries to take wanted experiments, up to this process's share, and releases quiet or surplus ones. Experiments of
 * others are not loaded. False: the database is unreachable. */
bool publisher_crew_turn(publisher_crew *crew, sottod_folding *folding,
                         publisher_known *const *known, uint32_t count, publisher_wants *wants,
                         uint64_t now_ms);
/* The experiment is no longer known. Sends no query: the next turn releases it. */
void publisher_crew_drop(publisher_crew *crew, const publisher_known *known);
/* Nothing is known any more. */
void publisher_crew_forget(publisher_crew *crew);

/* ---- pass ----------------------------------------------------------------------------------- */

/* One pass over all experiments: folds and publishes what is due. */

/* A closed or deleted experiment. */
typedef struct publisher_gone {
    uint32_t number;
    journal_state state;
    uint64_t again_ms; /* its last reports could not be folded; not tried before this time */
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
    publisher_known **known; /* all open or paused experiments, by number */
    uint32_t known_count, known_capacity;
    publisher_gone *gone; /* closed or deleted ones; those already emptied come first */
    uint32_t gone_count, gone_capacity;
    uint32_t emptied;     /* how many are emptied */
    damaged_list damaged; /* experiments that cannot be read */
    bool stale;           /* experiments must be read again */
    uint64_t read_ms;     /* of the last reading */
    uint64_t thin_ms;     /* when history is thinned next */
    /* the experiments with new rows were asked for since the start or the last loss of the connection */
    bool polled;
    uint64_t poll_ms;    /* when they are asked for next */
    uint64_t arrived_ms; /* when something came last */
    uint64_t waiting;    /* waiting reports of all experiments */
    uint64_t distinct;   /* of these, reports that were folded and count */
    uint64_t publishes, fenced, fold_us;
} publisher_pass;

/* False: the database is unreachable and the lock is lost; folding_fault says why. */
bool publisher_pass_run(publisher_pass *pass, uint64_t now_ms, uint64_t minute);
/* Milliseconds until something may be due. */
uint64_t publisher_pass_ms(const publisher_pass *pass, uint64_t now_ms);
/* The id of the i-th experiment that is not folded because its data in the database are at fault; NULL: no more. */
const char *publisher_pass_stopped(const publisher_pass *pass, uint32_t i);
/* Nothing is known any more. */
void publisher_pass_forget(publisher_pass *pass);

/* ---- over ----------------------------------------------------------------------------------- */

/* Closed and deleted experiments: the last reports of closed ones are folded, and then all reports of both are
 * removed. */

/* Notes a closed or deleted experiment, once per state. Without memory, the next reading repeats it. */
void publisher_over_note(publisher_pass *pass, const journal_experiment *row);
/* Empties the noted experiments. What is busy now is removed after another reading. False: the database is
 * unreachable. */
bool publisher_over_empty(publisher_pass *pass, uint64_t now_ms);

#endif
