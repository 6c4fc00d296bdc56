#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* ==== clock ================================================================================== */

uint64_t clock_steady_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

uint64_t clock_steady_ms(void)
{
    return clock_steady_us() / 1000;
}

uint64_t clock_minute(void)
{
    return clock_wall_s() / 60;
}

uint64_t clock_wall_s(void)
{
    time_t now = time(NULL);
    return now > 0 ? (uint64_t)now : 0;
}

/* The first 8 bytes of the system's boot id: 8, 4 and 4 hexadecimal digits. */
uint64_t clock_boot(void)
{
    unsigned first, second, third;
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file == NULL) return 0;
    bool known = fscanf(file, "%8x-%4x-%4x", &first, &second, &third) == 3;
    fclose(file);
    return known ? (uint64_t)first << 32 | second << 16 | third : 0;
}

/* ==== lists ================================================================================== */

bool list_grow(void *list, uint32_t count, uint32_t *room, size_t item_bytes)
{
    const uint32_t more = *room == 0 ? 16 : 2 * *room;
    void *items;
    if (count < *room) return true;
    memcpy(&items, list, sizeof items);
    items = realloc(items, more * item_bytes);
    if (items == NULL) return false;
    memcpy(list, &items, sizeof items);
    *room = more;
    return true;
}

/* ==== parents ================================================================================ */

bool names_sync(const char *directory)
{
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool done = fd >= 0 && fsync(fd) == 0;
    int why = errno;
    if (fd >= 0) close(fd);
    errno = why;
    return done;
}

/* Makes a directory, and its name durable, because everything in it depends on it. An existing one is left as it is. */
static bool make(const char *path)
{
    char above[PATH_MAX + 4];
    if (mkdir(path, 0700) != 0) return errno == EEXIST;
    snprintf(above, sizeof above, "%s/..", path);
    return names_sync(above) || errno == EACCES;
}

/* An empty part, as in "a//b", makes the same directory twice, which does no harm. */
bool parents_make(const char *path)
{
    char part[PATH_MAX];
    size_t bytes = strlen(path);
    if (bytes >= sizeof part) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(part, path, bytes + 1);
    while (bytes > 1 && part[bytes - 1] == '/') {
        part[--bytes] = '\0';
    }
    for (size_t i = 1; i < bytes; i++) {
        if (part[i] != '/') continue;
        part[i] = '\0';
        if (!make(part)) return false;
        part[i] = '/';
    }
    return true;
}

/* ==== supervisor ============================================================================= */

/* Sends one datagram to a Unix socket; '@' begins an abstract name. */
bool supervisor_tell(const char *state)
{
    const char *name = getenv("NOTIFY_SOCKET");
    if (name == NULL) return true;
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t bytes = strlen(name), length = offsetof(struct sockaddr_un, sun_path) + bytes;
    errno = EINVAL;
    if ((name[0] != '/' && name[0] != '@') || bytes >= sizeof to.sun_path) return false;
    memcpy(to.sun_path, name, bytes);
    if (name[0] == '@') to.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return false;
    bool sent = sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&to,
                       (socklen_t)length) >= 0;
    int why = errno;
    close(fd);
    errno = why;
    return sent;
}

/* ==== refusal ================================================================================ */

/* Cuts off what does not fit. */
static void copy(char *out, size_t capacity, const char *text)
{
    snprintf(out, capacity, "%.*s", (int)capacity - 1, text != NULL ? text : "");
}

bool refusal_set(sottod_refusal *out, uint32_t status, const char *error, const char *field,
                 const char *value, const char *allowed)
{
    out->status = status;
    out->lacks = LACK_NOTHING;
    copy(out->fault.sentence, sizeof out->fault.sentence, error);
    copy(out->fault.field, sizeof out->fault.field, field);
    copy(out->fault.value, sizeof out->fault.value, value);
    copy(out->fault.allowed, sizeof out->fault.allowed, allowed);
    return false;
}

typedef struct json_path {
    const char *object;
    char text[SOTTO_FAULT_FIELD_BYTES];
} json_path;

/* If a fault has two fields, the first. */
static const char *path_of(void *state, const char *field)
{
    json_path *path = state;
    snprintf(path->text, sizeof path->text, "%s.%.*s", path->object, (int)strcspn(field, ","),
             field);
    return path->text;
}

bool refusal_set_fault(sottod_refusal *out, const char *object, const sotto_fault *fault)
{
    const char *before = "allowed ";
    sotto_fault spelled = *fault;
    json_path path = {.object = object};
    sotto_fault_spell(&spelled, path_of, &path);
    const char *allowed = spelled.allowed;
    if (strncmp(allowed, before, strlen(before)) == 0) allowed += strlen(before);
    return refusal_set(out, 400, spelled.sentence, fault->field[0] == '\0' ? object : spelled.field,
                       spelled.value, allowed);
}

bool refusal_set_lack(sottod_refusal *out, refusal_lack lacks, const char *error)
{
    (void)refusal_set(out, 503, error, NULL, NULL, NULL);
    out->lacks = lacks;
    return false;
}

/* ==== hex ==================================================================================== */

void hex_write(const uint8_t *bytes, size_t count, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * count] = '\0';
}

/* -1 for what is not a digit. */
static int digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

bool hex_read(const char *text, size_t length, uint8_t *out, size_t count)
{
    if (length != 2 * count) return false;
    for (size_t i = 0; i < count; i++) {
        int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        out[i] = (uint8_t)(high * 16 + low);
    }
    return true;
}

void spec_id_print(const uint8_t id[SOTTO_SPEC_ID_BYTES], char text[SPEC_ID_TEXT_BYTES])
{
    hex_write(id, SOTTO_SPEC_ID_BYTES, text);
}

bool spec_id_read(const char *text, size_t bytes, uint8_t id[SOTTO_SPEC_ID_BYTES])
{
    return hex_read(text, bytes, id, SOTTO_SPEC_ID_BYTES);
}

/* ==== log ==================================================================================== */

/* A line is built in memory and written by one call, so that lines never mix. */

struct sottod_log {
    int fd;
    atomic_uint least;
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
    if (log == NULL) return NULL;
    log->fd = fd;
    atomic_init(&log->least, (unsigned)least);
    return log;
}

void log_free(sottod_log *log)
{
    free(log);
}

void log_set_level(sottod_log *log, log_level least)
{
    if (log != NULL) atomic_store(&log->least, (unsigned)least);
}

/* Leaves room for `}` and the end of the line. */
static void put(log_line *line, const char *text)
{
    size_t bytes = strlen(text), room = sizeof line->text - 2 - line->bytes;
    if (bytes > room) return;
    memcpy(line->text + line->bytes, text, bytes);
    line->bytes += bytes;
}

/* A JSON string; bytes other than printable ASCII become \u00XX, so that a line is always valid. */
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

/* Writes a value completely or not at all. */
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
    if (log == NULL || (unsigned)level < atomic_load(&log->least)) return;
    log_record(log, level, event, values);
}

void log_why(sottod_log *log, log_level level, const char *event, const char *why)
{
    const log_value values[] = {{.name = "why", .text = why}, {.name = NULL}};
    log_write(log, level, event, values);
}

void log_record(sottod_log *log, log_level level, const char *event, const log_value *values)
{
    if (log == NULL) return;
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
    /* If the log cannot be written, or nobody reads it, the line is lost: the service neither stops nor waits. */
    struct pollfd reader = {.fd = log->fd, .events = POLLOUT};
    if (poll(&reader, 1, 0) == 0) return;
    ssize_t written = write(log->fd, line.text, line.bytes + 2);
    (void)written;
}
