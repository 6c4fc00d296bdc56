/* What is wrong with a journal, and what could be kept of it. */
#ifndef SERVICE_JOURNAL_CHECK_H
#define SERVICE_JOURNAL_CHECK_H

#include "journal_inside.h"

typedef struct journal_damage {
    bool found;
    bool hopeless;      /* giving up rows does not help */
    char place[200];    /* the first one, in words */
    uint64_t limit;     /* rows up to this one are good; UINT64_MAX: all that can be read are */
    uint64_t last;      /* the last number that any row had */
    uint64_t last_lost; /* and how many later ones there may have been that are lost */
    /* of experiment 1, 2, …: the first row that is damaged or missing; 0: none */
    uint64_t *bad_seq;
} journal_damage;

/* Checks everything, and fills entries and `last` of the journal. False if it could not be checked: no
 * memory, or the disk refused. Free the damage in any case. */
bool journal__check(journal_sqlite *journal, journal_damage *damage);
void journal__damage_free(journal_damage *damage);
/* Something else that is damaged, found before. */
void journal__damage_note(journal_damage *damage, const char *place);
/* Refuses, with the place and what can be done. */
bool journal__refuse_damage(journal_sqlite *journal, const journal_damage *damage);
/* Makes a new file of what is good, without rows of damaged experiments after recover_to, and keeps a copy
 * of the old one. If true the journal is closed: open it again. */
bool journal__recover(journal_sqlite *journal, const journal_damage *damage, uint64_t recover_to);
/* Makes a new file, of the format of today, of all that is in one of an older format, which was found without
 * damage. If true the journal is closed: open it again. A crash at any moment leaves the old or the new. */
bool journal__upgrade(journal_sqlite *journal, const journal_damage *damage);

#endif
