/* Log lines: one JSON object a line, on stderr. No report's content, no address, no token. */
#ifndef SERVICE_LOG_H
#define SERVICE_LOG_H

#include <stdint.h>

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

/* {"time":"2026-11-16T12:58Z","level":"info","event":"published","experiment":"…","epoch":4}: `values`
 * ends with a name that is NULL. NULL for the log: nothing is written. */
void log_write(sottod_log *log, log_level level, const char *event, const log_value *values);
/* "debug", "info", "warning", "error"; NULL for another number. */
const char *log_level_name(log_level level);

#endif
