/* What other rooms may use from this one. */
#ifndef SOTTO_SERVICE_STORE_SQLITE_ROOM_H
#define SOTTO_SERVICE_STORE_SQLITE_ROOM_H

#include "service/store/store.h"

/* The SQLite journal in a directory, for one process. */

typedef struct journal_settings {
    const char *directory; /* made if needed */
    bool read_only;        /* for inspect and export beside a running service: changes nothing */
    /* 0, or: give up rows of damaged experiments after this one. The old file is kept as journal.before-recovery-N */
    uint64_t recover_to;
} journal_settings;

/* Checks format, owner and every digest. *out is NULL unless SOTTO_OK. */
SOTTO_CHECK sotto_status journal_open(const journal_settings *settings, sottod_journal **out,
                                      sotto_fault *fault);
/* Copies the journal of a directory to a new directory, which must not exist: as it is at one moment, complete, with
 * every digest checked. A service may use the first one meanwhile and is not delayed. Other files (tokens) are not
 * copied. Unless SOTTO_OK, nothing remains of the new directory. */
SOTTO_CHECK sotto_status journal_backup(const char *from, const char *to, sotto_fault *fault);

#endif
