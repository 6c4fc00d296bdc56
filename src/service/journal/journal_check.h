/* What is wrong with a journal, and what could be kept of it. */
#ifndef SERVICE_JOURNAL_CHECK_H
#define SERVICE_JOURNAL_CHECK_H

#include "journal_inside.h"

/* Of one experiment. */
typedef struct journal_verdict {
    uint64_t bad_seq;  /* the first row that is damaged or missing; 0: none */
    bool bad_snapshot; /* and its rows are all there, so that it can do without */
} journal_verdict;

typedef struct journal_damage {
    bool found;
    bool hopeless;       /* giving up rows does not help */
    char place[200];     /* the first one, in words */
    uint64_t limit;      /* rows up to this one are good; UINT64_MAX: all that can be read are */
    uint64_t last;       /* the last number that any row had */
    journal_verdict *of; /* of experiment 1, 2, …; NULL if there is none */
} journal_damage;

/* Checks everything, and fills entries and `last` of the journal. False if it could not be checked: no
 * memory, or the disk refused. Free the damage in any case. */
bool journal__check(sottod_journal *journal, journal_damage *damage);
void journal__damage_free(journal_damage *damage);
/* Refuses, with the place and what can be done. */
bool journal__refuse_damage(sottod_journal *journal, const journal_damage *damage);

#endif
