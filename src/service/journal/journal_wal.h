/* The log file of SQLite, looked at before SQLite does. */
#ifndef SERVICE_JOURNAL_WAL_H
#define SERVICE_JOURNAL_WAL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct journal_wal {
    uint64_t bytes; /* of the file; 0 if there is none */
    bool damaged;   /* what was committed after `offset` is lost */
    uint64_t offset;
} journal_wal;

/* False, and errno says why, if it cannot be read. Only for a file that nobody writes to. */
bool journal__wal_check(const char *path, journal_wal *out);

/* *missed: the index at `path` says that its log had commits that are not in the file. It says nothing if it is not
 * there, or if a power cut left no more of it than its name. False, and errno says why, if it cannot be read. */
bool journal__wal_is_missed(const char *path, bool *missed);

#endif
