/* What other rooms may use of this one. */
#ifndef SOTTO_SERVICE_STORE_SQLITE_ROOM_H
#define SOTTO_SERVICE_STORE_SQLITE_ROOM_H

#include "service/store/store.h"

/* The journal in a directory, by SQLite: of one process. */

typedef struct journal_settings {
    const char *directory; /* is made if it is not there */
    bool read_only;        /* for inspect and export beside a running service: nothing is changed */
    uint64_t
        recover_to; /* 0, or: rows of damaged experiments after this one are given up, by hand. The
                          * old file is kept as journal.before-recovery-N */
} journal_settings;

/* Checks format, owner, every digest. *out is NULL unless SOTTO_OK. */
SOTTO_CHECK sotto_status journal_open(const journal_settings *settings, sottod_journal **out,
                                      sotto_fault *fault);
/* Copies the journal of a directory to a new directory, which must not be there: as it is at one moment, whole,
 * with every digest checked. A service may use the first one meanwhile, and is not
 * held up. What is beside the journal (tokens) is not copied. Unless SOTTO_OK, nothing is left of the new directory. */
SOTTO_CHECK sotto_status journal_backup(const char *from, const char *to, sotto_fault *fault);

#endif
