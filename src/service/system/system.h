/* What other rooms may use from this one. */
#ifndef SOTTO_SERVICE_SYSTEM_ROOM_H
#define SOTTO_SERVICE_SYSTEM_ROOM_H

#include <sotto/core.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- clock ---------------------------------------------------------------------------------- */

/* Time. Decisions use a clock that cannot jump; the time of day is only for people. */

/* Milliseconds since some moment before the start; never goes back. */
uint64_t clock_steady_ms(void);
uint64_t clock_steady_us(void); /* the same in microseconds, for durations */
/* Minutes since 1970, by the wall clock, which may jump. Reports and publishes are stored with no finer time. */
uint64_t clock_minute(void);
/* Seconds since 1970; 0 if earlier. */
uint64_t clock_wall_s(void);
/* Identifies the current run of the machine, to which the steady time belongs; 0: unknown. */
uint64_t clock_boot(void);

/* ---- entropy -------------------------------------------------------------------------------- */

/* The only source of randomness in the service: for tokens, keys of hashes, and series. */

/* False if the system gave no randomness; `out` is then zeroed. */
bool entropy_draw(void *out, size_t bytes);

/* ---- lists ---------------------------------------------------------------------------------- */

/* Makes room for one more item in a list that doubles; `list` is the address of its pointer. False: no memory, and
 * nothing changed. */
bool list_grow(void *list, uint32_t count, uint32_t *room, size_t item_bytes);

/* ---- log ------------------------------------------------------------------------------------ */

/* Log lines: one JSON object per line, on stderr. They contain no content of reports, no addresses, no tokens. */

typedef enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR } log_level;

/* A named value of a line: a text, or a number if the text is NULL. */
typedef struct log_value {
    const char *name;
    const char *text;
    uint64_t number;
} log_value;

typedef struct sottod_log sottod_log;
/* Lines below `least` are dropped. `fd` stays open and is not owned. NULL: no memory. */
sottod_log *log_new(int fd, log_level least);
void log_free(sottod_log *log);
/* Other threads may write meanwhile. */
void log_set_level(sottod_log *log, log_level least);

/* {"time":"2026-11-16T12:58Z","level":"info","event":"published","experiment":"…","epoch":4}: `values` ends with a
 * name that is NULL. If the log is NULL, nothing is written. */
void log_write(sottod_log *log, log_level level, const char *event, const log_value *values);
/* The same at every level: for what must be on record. */
void log_record(sottod_log *log, log_level level, const char *event, const log_value *values);
/* A line with one value, "why". */
void log_why(sottod_log *log, log_level level, const char *event, const char *why);
/* "debug", "info", "warning", "error"; NULL for any other number. */
const char *log_level_name(log_level level);

/* ---- parents -------------------------------------------------------------------------------- */

/* The directories above a directory. */

/* Makes the missing ones, accessible only to their owner, durably; the last part of the path is not made. False with
 * errno on failure. */
bool parents_make(const char *path);
/* Makes the names in a directory durable. False with errno on failure. */
bool names_sync(const char *directory);

/* ---- supervisor ----------------------------------------------------------------------------- */

/* Tells systemd, or any program that named a socket in NOTIFY_SOCKET, a state such as "READY=1" (sd_notify). False
 * with errno on failure; true if there is no such socket. */
bool supervisor_tell(const char *state);

/* ---- refusal -------------------------------------------------------------------------------- */

/* Why a request was refused: a fault with an HTTP status. The answer shows it as {error, field, value, allowed}. */

/* What the service lacks although the request is valid; for counters. */
typedef enum refusal_lack {
    LACK_NOTHING, /* the request is at fault */
    LACK_JOURNAL, /* the journal accepts nothing now */
    LACK_NONCES,  /* more than nonces_max */
    LACK_MEMORY
} refusal_lack;

typedef struct sottod_refusal {
    uint32_t status; /* HTTP: 400 to 599 */
    refusal_lack lacks;
    /* Its field is a path in the JSON, a header, or a part of the URL; its value never has bytes of a report. */
    sotto_fault fault;
} sottod_refusal;

/* These fill all fields and return false, for the function that refuses. */

/* A faulty request; NULL is an empty text, and longer texts are cut. */
bool refusal_set(sottod_refusal *out, uint32_t status, const char *error, const char *field,
                 const char *value, const char *allowed);
/* 400, with the fault of a field in this object, named by its path: spec.epsilon. */
bool refusal_set_fault(sottod_refusal *out, const char *object, const sotto_fault *fault);
/* 503, because the service lacks something. */
bool refusal_set_lack(sottod_refusal *out, refusal_lack lacks, const char *error);

/* ---- hex ------------------------------------------------------------------------------------ */

/* Bytes as hexadecimal digits, in lower case only: an id has one spelling. */

/* Writes 2 x count digits and a 0. */
void hex_write(const uint8_t *bytes, size_t count, char *out);
/* False unless `text`, which need not end there, is 2 x count such digits. */
bool hex_read(const char *text, size_t length, uint8_t *out, size_t count);

#define SPEC_ID_TEXT_BYTES (2 * SOTTO_SPEC_ID_BYTES + 1)

void spec_id_print(const uint8_t id[SOTTO_SPEC_ID_BYTES], char text[SPEC_ID_TEXT_BYTES]);
bool spec_id_read(const char *text, size_t bytes, uint8_t id[SOTTO_SPEC_ID_BYTES]);

#endif
