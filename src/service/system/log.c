/* A line is made in memory and written by one call, so that lines never mix. */
#include "log.h"

#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct sottod_log {
    int fd;
    log_level least;
};

typedef struct log_line {
    char text[1024];
    size_t bytes;
} log_line;

const char *log_level_name(log_level level)
{
    static const char *const names[] = {"debug", "info", "warning", "error"};
    return (uint32_t)level < sizeof names / sizeof names[0] ? names[level] : NULL;
}

sottod_log *log_new(int fd, log_level least)
{
    sottod_log *log = malloc(sizeof *log);
    if (log != NULL) *log = (sottod_log){.fd = fd, .least = least};
    return log;
}

void log_free(sottod_log *log)
{
    free(log);
}

/* Keeps room for `}` and the end of the line. */
static void put(log_line *line, const char *text)
{
    size_t bytes = strlen(text), room = sizeof line->text - 2 - line->bytes;
    if (bytes > room) return;
    memcpy(line->text + line->bytes, text, bytes);
    line->bytes += bytes;
}

/* A JSON string; other bytes than printable ASCII become \u00XX, so that a line is always valid. */
static void escape(const char *text, char *out, size_t capacity)
{
    size_t at = 0;
    out[at++] = '"';
    for (; *text != '\0' && at + 8 < capacity; text++) {
        unsigned char c = (unsigned char)*text;
        bool plain = c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
        at += (size_t)snprintf(out + at, capacity - at, plain ? "%c" : "\\u%04x", c);
    }
    out[at++] = '"';
    out[at] = '\0';
}

/* All of a value, or none of it. */
static void put_value(log_line *line, const log_value *value)
{
    char text[300], number[24], pair[400];
    snprintf(number, sizeof number, "%llu", (unsigned long long)value->number);
    if (value->text != NULL) escape(value->text, text, sizeof text);
    snprintf(pair, sizeof pair, ",\"%s\":%s", value->name, value->text != NULL ? text : number);
    put(line, pair);
}

void log_write(sottod_log *log, log_level level, const char *event, const log_value *values)
{
    if (log == NULL || level < log->least) return;
    log_line line = {.bytes = 0};
    time_t now = time(NULL);
    struct tm parts;
    char head[128];
    gmtime_r(&now, &parts);
    strftime(line.text, 32, "{\"time\":\"%Y-%m-%dT%H:%MZ\"", &parts);
    line.bytes = strlen(line.text);
    snprintf(head, sizeof head, ",\"level\":\"%s\",\"event\":\"%s\"", log_level_name(level), event);
    put(&line, head);
    for (; values != NULL && values->name != NULL; values++) {
        put_value(&line, values);
    }
    memcpy(line.text + line.bytes, "}\n", 2);
    /* A log that cannot be written is no reason to stop, and one that nobody reads none to wait: the line is lost. */
    struct pollfd reader = {.fd = log->fd, .events = POLLOUT};
    if (poll(&reader, 1, 0) == 0) return;
    ssize_t written = write(log->fd, line.text, line.bytes + 2);
    (void)written;
}
