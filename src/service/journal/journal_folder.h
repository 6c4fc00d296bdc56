/* The folder of the journal: whose it is, who uses it, and which file is in it. */
#ifndef SERVICE_JOURNAL_FOLDER_H
#define SERVICE_JOURNAL_FOLDER_H

#include "journal.h"

#define JOURNAL_PATH_BYTES 1100u

typedef struct journal_folder {
    char path[JOURNAL_PATH_BYTES];
    char file[JOURNAL_PATH_BYTES];  /* path/journal.sqlite */
    char log[JOURNAL_PATH_BYTES];   /* path/journal.sqlite-wal */
    char index[JOURNAL_PATH_BYTES]; /* path/journal.sqlite-shm */
    char
        unborn[JOURNAL_PATH_BYTES]; /* path/journal.sqlite.new: becomes the file when it is whole */
    char lock_file[JOURNAL_PATH_BYTES]; /* path/lock */
    int lock;                           /* held while it is open; -1: none */
    uint64_t log_inode;                 /* once it was seen; 0: not yet */
    uint32_t format;                    /* of the file; the one of today if there is none yet */
} journal_folder;

/* Makes the folder if it is not there, takes the lock, and checks owner, modes and the head of the file.
 * *is_new: there is no file yet. With `read_only` nothing is made and no lock is taken. Close it in any
 * case. */
bool journal__folder_open(journal_folder *folder, const char *path, bool read_only, bool *is_new,
                          char fault[JOURNAL_FAULT_BYTES]);
void journal__folder_close(journal_folder *folder);
/* An empty file for journal__folder_adopt, readable by its owner only. */
bool journal__folder_unborn(journal_folder *folder, char fault[JOURNAL_FAULT_BYTES]);
/* Makes the names in it durable. */
bool journal__folder_sync(const journal_folder *folder, char fault[JOURNAL_FAULT_BYTES]);
/* Makes the unborn file the file, durably. */
bool journal__folder_adopt(journal_folder *folder, char fault[JOURNAL_FAULT_BYTES]);
/* Whether the names of the lock and of the log still lead to those that are open. */
bool journal__folder_is_in_place(journal_folder *folder, char fault[JOURNAL_FAULT_BYTES]);
/* Bytes of the file, its log and its index. */
uint64_t journal__folder_bytes(const journal_folder *folder);
/* Copies the file and its log to path/journal.before-recovery-N[-wal], durably; N is the first number
 * that is free. `copy` is told the name. */
bool journal__folder_keep(journal_folder *folder, char copy[JOURNAL_PATH_BYTES],
                          char fault[JOURNAL_FAULT_BYTES]);

#endif
