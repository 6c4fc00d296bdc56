/* What a folder knows of one experiment: its newest model, and the nonces of its open epochs. All of it
 * follows from the database. */
#ifndef SERVICE_FOLDER_KNOWN_H
#define SERVICE_FOLDER_KNOWN_H

#include "service/experiment/due.h"
#include "service/experiment/told.h"
#include "service/postgres/folding.h"
#include "service/system/spec_id.h"

/* What came of a step. */
typedef enum folder_outcome {
    FOLDER_DONE,
    FOLDER_TOO_FEW, /* too few of the reports count: nothing happened */
    FOLDER_HELD, /* the watch has an alarm, and the experiment is in quarantine: nothing happened */
    FOLDER_FENCED, /* another folder published this epoch, or a decision changed: nothing happened */
    FOLDER_ENDED,  /* the experiment cannot go on, and was closed */
    FOLDER_AWAY,   /* the database is; folding_fault says why */
    FOLDER_BROKEN  /* it cannot be done, now or ever; known->fault says why */
} folder_outcome;

typedef struct folder_known {
    uint32_t number;
    char id_text[SPEC_ID_TEXT_BYTES];
    journal_state state;
    uint32_t epoch_seconds_min;
    due_rule rule;
    bool quarantine;
    journal_held held;         /* as the database has it: perhaps of an epoch that is over */
    uint64_t reports_expected; /* as its owner says, for the watch; 0: not said */
    sotto__harm harm_before;   /* what the last publish changed */
    uint32_t alarms;           /* of the watch, if the last attempt looked: a bit per test */
    double age;                /* of the reports of the last publish here, in epochs */
    sotto_terms terms;
    size_t frame_bytes;
    /* The newest model, or what was before the first. */
    sotto_learner *learner;
    experiment_told told;
    folding_cut cut;
    journal_counts counts;
    sotto_nonce_set *nonces; /* NULL: it is not loaded */
    /* When to look at it. */
    uint64_t published_ms; /* or when it was loaded */
    uint64_t ask_ms;
    uint64_t retain_ms; /* when what nobody needs is looked for, also without a publish */
    uint64_t tried;     /* reports of the last attempt that had too few; 0: none */
    uint64_t waiting;   /* reports, as asked last */
    /* When it could not be folded. */
    bool broken;       /* it is left alone */
    uint64_t again_ms; /* until then */
    uint64_t pause_ms; /* how long that was; 0: never since the last publish */
    char fault[JOURNAL_FAULT_BYTES];
    char said[JOURNAL_FAULT_BYTES]; /* the fault that is in the log; empty: none */
} folder_known;

/* Before its first model, and not loaded. NULL: no memory, or `fault` says what is wrong with the row. */
folder_known *folder_known_new(const journal_experiment *row, uint32_t nonces_max, uint64_t now_ms,
                               char fault[JOURNAL_FAULT_BYTES]);
void folder_known_free(folder_known *known);
/* The newest model and the nonces, from the models and the rows between their cuts. */
folder_outcome folder_known_load(folder_known *known, sottod_folding *folding);

uint32_t folder_known_epoch(const folder_known *known);
uint32_t folder_known_oldest(const folder_known *known); /* the oldest open epoch */
/* Its epoch is held, for one that is loaded; and what was decided of it. */
bool folder_known_is_held(const folder_known *known);
journal_kind folder_known_decision(const folder_known *known);
/* Room for so many more nonces. False: no memory. */
bool folder_known_reserve(folder_known *known, uint64_t more);
/* Sets the fault. Always FOLDER_BROKEN. */
folder_outcome folder_known_break(folder_known *known, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* What a function of folding that answered false means: FOLDER_AWAY, or FOLDER_BROKEN with its fault. */
folder_outcome folder_known_failed(folder_known *known, const sottod_folding *folding);
/* False: no memory. */
bool folder_cut_copy(const folding_cut *from, folding_cut *to);

#endif
