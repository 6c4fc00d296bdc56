/* What other rooms may use of this one. */
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
uint64_t clock_steady_us(void); /* the same in microseconds, for how long something took */
/* Minutes since 1970, by the wall clock: it may jump. Nothing finer is kept of reports and publishes. */
uint64_t clock_minute(void);
/* Seconds since 1970; 0 before. */
uint64_t clock_wall_s(void);
/* A number of the present run of the machine, from whose start the steady time counts; 0: not known. */
uint64_t clock_boot(void);

/* ---- entropy -------------------------------------------------------------------------------- */

/* The only place of the service that draws: tokens, the keys of hashes, and series. */

/* False if the system gave no randomness; `out` is then zero. */
bool entropy_draw(void *out, size_t bytes);

/* ---- log ------------------------------------------------------------------------------------ */

/* Log lines: one JSON object a line, on stderr. No report's content, no address, no token. */

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
/* From now on; other threads may write meanwhile. */
void log_set_level(sottod_log *log, log_level least);

/* {"time":"2026-11-16T12:58Z","level":"info","event":"published","experiment":"…","epoch":4}: `values`
 * ends with a name that is NULL. NULL for the log: nothing is written. */
void log_write(sottod_log *log, log_level level, const char *event, const log_value *values);
/* The same, whatever the least level is: for what must be on record. */
void log_record(sottod_log *log, log_level level, const char *event, const log_value *values);
/* "debug", "info", "warning", "error"; NULL for another number. */
const char *log_level_name(log_level level);

/* ---- parents -------------------------------------------------------------------------------- */

/* The directories above a directory. */

/* Makes those that are not there, only for their owner, durably; the last part of the path is not made. False
 * with errno if one cannot be made. */
bool parents_make(const char *path);

/* ---- supervisor ----------------------------------------------------------------------------- */

/* Tells systemd, or any program that named a socket in NOTIFY_SOCKET, a state such as "READY=1" (sd_notify). False with errno
 * if that failed; true also if nobody asked. */
bool supervisor_tell(const char *state);

/* ---- refusal -------------------------------------------------------------------------------- */

/* Why a request was refused, as the answer says it: {error, field, value, allowed}. */

/* What the service lacks although the request is valid; for counters. */
typedef enum refusal_lack {
    LACK_NOTHING, /* the request is at fault */
    LACK_JOURNAL, /* it takes nothing now */
    LACK_NONCES,  /* room for more than nonces_max */
    LACK_MEMORY
} refusal_lack;

/* Texts are cut when they are longer. `field`, `value` and `allowed` may be empty. */
typedef struct sottod_refusal {
    uint32_t status; /* HTTP: 400 to 599 */
    refusal_lack lacks;
    char error[256];   /* a sentence */
    char field[64];    /* the path in the JSON, the header, or the part of the address at fault */
    char value[96];    /* what was there; never bytes of a report */
    char allowed[256]; /* what could be there */
} sottod_refusal;

/* Fills all of it, for a request that is at fault; NULL is an empty text. */
void refusal_set(sottod_refusal *out, uint32_t status, const char *error, const char *field,
                 const char *value, const char *allowed);
/* 400, with what is wrong with a field of this object, by its path: spec.epsilon. */
void refusal_set_fault(sottod_refusal *out, const char *object, const sotto_fault *fault);
/* 503, since the service lacks something. */
void refusal_set_lack(sottod_refusal *out, refusal_lack lacks, const char *error);

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
