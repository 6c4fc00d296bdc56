/*
 * A disk with faults, to be loaded before the C library (LD_PRELOAD). calls.c stands between a program and
 * the calls that change files of one directory, the one that FAULTS_DIRECTORY names: each is an event with a number,
 * from 1. Calls on other files, and of programs without that variable, are left alone.
 *
 *     power_cut.c       forgets what was not made durable, and ends the process
 *     failing_calls.c   lets a call fail
 *
 * Both write a line per fault to the file that FAULTS_REPORT names, so that a test knows that it took place.
 */
#ifndef FAULTS_CALLS_H
#define FAULTS_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef enum faults_kind {
    FAULTS_OPEN,
    FAULTS_WRITE,
    FAULTS_SYNC,
    FAULTS_SYNC_DIRECTORY, /* fsync of a directory: names become durable */
    FAULTS_TRUNCATE,
    FAULTS_RENAME,
    FAULTS_UNLINK,
    FAULTS_MKDIR,
    FAULTS_KINDS
} faults_kind;

#define FAULTS_PATH_BYTES 1024u
#define FAULTS_FILES_MAX 512u

/* A file or directory that the program opened, by what it is and not by its name. */
typedef struct faults_file {
    dev_t device;
    ino_t inode;
    bool is_directory;
    int own; /* a descriptor of ours. It is never closed: that would take the program's locks away, and
              * another file could get the same number */
} faults_file;

typedef struct faults_call {
    faults_kind kind;
    uint64_t number; /* of this event */
    const char *way; /* the function; NULL: that of its kind */
    const char *path, *to;
    bool creates; /* an open that makes a file */
    int file;     /* its place in the list of files; -1: none */
    const void *bytes;
    size_t count;
    off_t at; /* where it is written, or the length of a file that is cut */
} faults_call;

/* calls.c */
const char *faults_kind_name(faults_kind kind);
const char *faults_directory(void);
/* Whether it is the directory, or in it. */
bool faults_is_inside(const char *path);
/* The place in the list of the file of this name, which is taken up if it is new; -1: there is none. */
int faults_find(const char *path);
const faults_file *faults_at(int file);
/* One line in the report. */
__attribute__((format(printf, 1, 2))) void faults_say(const char *format, ...);
const char *faults_setting(const char *name);

/* power_cut.c: `begin` once, true if there is such a disk; `see` when a file is taken up; `before` each call, which does not return if the
 * power goes; `after` those that were done, with what they answered. */
bool power_begin(void);
void power_see(int file, const char *path, bool is_new);
void power_before(const faults_call *call);
void power_after(const faults_call *call, ssize_t answer);
/* A sync failed: the bytes that it was for never become durable, though the program reads them as if they were.
 * A new length does, at a later sync: systems keep it in mind. */
void power_lost(int file);
void power_end(void);
/* It goes now. Does not return. */
void power_now(void);

/* failing_calls.c: true if the call fails, or is short. *count: so many bytes are written all the same;
 * *error: what errno is then, 0 for a call that is short and does not fail. */
void failing_begin(void);
bool failing_now(const faults_call *call, size_t *count, int *error);
void failing_end(void);

#endif
