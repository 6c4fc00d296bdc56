#include "api.h"
#include "core/core.h"
#include "inner.h"
#include "service/system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ==== audit ================================================================================== */

bool audit_is_due(front_method method)
{
    return method != FRONT_GET && method != FRONT_OPTIONS;
}

const char *audit_action(const api_route *route)
{
    static const char one[] = "/v1/experiments/{id}";
    if (route == NULL) return "unknown";
    if (route->method == FRONT_DELETE) return "delete";
    if (strncmp(route->path, one, sizeof one - 1) != 0) return "create";
    return route->path + sizeof one;
}

void audit_write(sottod_log *log, const auth_caller *who, const api_route *route,
                 const char *experiment, uint32_t status)
{
    const log_value values[] = {
        {"action", audit_action(route), 0},
        {"experiment", experiment != NULL ? experiment : "", 0},
        {"token", who->name != NULL ? who->name : "", 0},
        {"role", token_role_name(who->role), 0},
        {"status", NULL, status},
        {NULL, NULL, 0},
    };
    log_record(log, status < 400 ? LOG_INFO : LOG_WARNING, "admin", values);
}

/* ==== auth =================================================================================== */

/* Tokens. In memory there are hashes only, as in token-hashes. */

#define TOKEN_BYTES 32u
#define TOKEN_DIGITS (2u * TOKEN_BYTES)

static const char hashes_file[] = "token-hashes";

struct sottod_auth {
    token_list list;
    bool is_new;
    char directory[PATH_MAX];
    char token_file[PATH_MAX];
};

static void hash_of(const char *token, size_t bytes, uint8_t out[SOTTO__DIGEST_BYTES])
{
    sotto__digest digest;
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, token, bytes);
    sotto__digest_end(&digest, out);
}

static void write_digits(const uint8_t *bytes, size_t count, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * count] = '\0';
}

static bool path_of(char path[PATH_MAX], const char *directory, const char *file,
                    const char *suffix, char *fault)
{
    int bytes = snprintf(path, PATH_MAX, "%s/%s%s", directory, file, suffix);
    if (bytes > 0 && bytes < PATH_MAX) return true;
    snprintf(fault, FRONT_FAULT_BYTES, "the path of the data directory is too long");
    return false;
}

static bool say(char *fault, const char *path, const char *what)
{
    snprintf(fault, FRONT_FAULT_BYTES, "%.150s: %s", path, what);
    return false;
}

/* A plain file that belongs to this user, and that nobody else can read or change. */
static bool is_private(int fd, const char *path, char *fault)
{
    struct stat s;
    if (fstat(fd, &s) != 0) return say(fault, path, strerror(errno));
    if (!S_ISREG(s.st_mode)) return say(fault, path, "is not a regular file");
    if (s.st_uid != geteuid()) return say(fault, path, "belongs to another user");
    if ((s.st_mode & 077) != 0)
        return say(fault, path, "other users have access to it; run chmod 600 on it");
    return true;
}

/* True if the file is not there, or is private. */
static bool check_file(const char *directory, const char *file, char *fault)
{
    char path[PATH_MAX];
    if (!path_of(path, directory, file, "", fault)) return false;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return errno == ENOENT || say(fault, path, strerror(errno));
    bool done = is_private(fd, path, fault);
    close(fd);
    return done;
}

/* Puts a file in place, private, durable, whole or not at all. */
static bool write_file(const char *directory, const char *file, const char *text, char *fault)
{
    char path[PATH_MAX], next[PATH_MAX];
    if (!path_of(path, directory, file, "", fault) ||
        !path_of(next, directory, file, ".new", fault)) {
        return false;
    }
    unlink(next); /* left by a start that was interrupted */
    int fd = open(next, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return say(fault, next, strerror(errno));
    size_t bytes = strlen(text);
    errno = ENOSPC; /* what a short write does not say */
    bool done = fchmod(fd, 0600) == 0 && write(fd, text, bytes) == (ssize_t)bytes && fsync(fd) == 0;
    int error = errno;
    close(fd);
    if (done && rename(next, path) == 0) return true;
    if (done) error = errno;
    unlink(next);
    return say(fault, path, strerror(error));
}

/* The names of the files are durable, too. */
static bool settle_directory(const char *directory, char *fault)
{
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return say(fault, directory, strerror(errno));
    bool done = fsync(fd) == 0;
    int error = errno;
    close(fd);
    return done || say(fault, directory, strerror(error));
}

static bool say_of(char *fault, const char *name, const char *what)
{
    snprintf(fault, FRONT_FAULT_BYTES, "token %.40s: %s", name, what);
    return false;
}

/* A new token for the row: in its file, which is not durable by name yet, and as hash in the row. */
static bool draw(const char *directory, token_row *row, char *fault)
{
    uint8_t drawn[TOKEN_BYTES];
    char line[TOKEN_DIGITS + 2], file[TOKEN_NAME_BYTES + 8];
    if (!entropy_draw(drawn, sizeof drawn))
        return say_of(fault, row->name, "the system provided no randomness for it");
    write_digits(drawn, sizeof drawn, line);
    hash_of(line, TOKEN_DIGITS, row->hash);
    memcpy(line + TOKEN_DIGITS, "\n", 2);
    snprintf(file, sizeof file, "%s.token", row->name);
    return write_file(directory, file, line, fault);
}

/* token-hashes comes last: when it is there, all tokens are, also after a power cut. */
static bool write_list(const char *directory, const token_list *list, char *fault)
{
    char text[TOKEN_LIST_BYTES];
    token_list_write(list, text);
    return settle_directory(directory, fault) && write_file(directory, hashes_file, text, fault) &&
           settle_directory(directory, fault);
}

static bool draw_first(const char *directory, token_list *list, char *fault)
{
    static const auth_role first[] = {AUTH_ADMIN, AUTH_READER};
    *list = (token_list){.count = 0};
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++) {
        token_row *row = &list->row[list->count++];
        row->role = first[i];
        snprintf(row->name, sizeof row->name, "%s", token_role_name(first[i]));
        if (!draw(directory, row, fault)) return false;
    }
    return write_list(directory, list, fault);
}

/* ---- reading ------------------------------------------------------------------------------ */

static bool parse(const char *path, int fd, token_list *out, char *fault)
{
    char text[TOKEN_LIST_BYTES + 1], what[TOKEN_FAULT_BYTES];
    uint32_t line;
    ssize_t bytes = read(fd, text, sizeof text);
    if (bytes < 0) return say(fault, path, strerror(errno));
    if ((size_t)bytes == sizeof text) return say(fault, path, "too long; allowed 64 tokens");
    if (token_list_read(text, (size_t)bytes, out, &line, what)) return true;
    size_t length = strlen(path); /* the end of a long path has the name */
    snprintf(fault, FRONT_FAULT_BYTES, "%.130s:%u: %s", path + (length > 130 ? length - 130 : 0),
             line, what);
    return false;
}

/* *found is false, and nothing else is looked at, if there is no such file. */
static bool read_list(const char *directory, token_list *out, bool *found, char *fault)
{
    char path[PATH_MAX];
    if (!path_of(path, directory, hashes_file, "", fault)) return false;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    *found = fd >= 0 || errno != ENOENT;
    if (!*found) return true;
    if (fd < 0) return say(fault, path, strerror(errno));
    bool done = is_private(fd, path, fault) && parse(path, fd, out, fault);
    close(fd);
    return done;
}

/* The tokens that lie beside their hashes are private, too. */
static bool check_files(const char *directory, const token_list *list, char *fault)
{
    for (uint32_t i = 0; i < list->count; i++) {
        char file[TOKEN_NAME_BYTES + 8];
        snprintf(file, sizeof file, "%s.token", list->row[i].name);
        if (!check_file(directory, file, fault)) return false;
    }
    return true;
}

/* Otherwise nobody could change anything. */
static bool check_admin(const char *directory, const token_list *list, uint32_t today, char *fault)
{
    char path[PATH_MAX];
    if (token_list_has_admin(list, today)) return true;
    return path_of(path, directory, hashes_file, "", fault) &&
           say(fault, path, "no admin token is valid; make one: sottod add-token NAME admin");
}

static bool open_tokens(sottod_auth *auth, const char *directory, uint32_t today, char *fault)
{
    bool found;
    if (!check_file(directory, "admin.token", fault) ||
        !check_file(directory, "reader.token", fault))
        return false;
    if (!path_of(auth->token_file, directory, "admin.token", "", fault)) return false;
    snprintf(auth->directory, sizeof auth->directory, "%s",
             directory); /* the path above is longer */
    if (!read_list(directory, &auth->list, &found, fault)) return false;
    if (found)
        return check_files(directory, &auth->list, fault) &&
               check_admin(directory, &auth->list, today, fault);
    auth->is_new = true;
    return draw_first(directory, &auth->list, fault);
}

sottod_auth *auth_open(const char *directory, uint32_t today, char fault[FRONT_FAULT_BYTES])
{
    sottod_auth *auth = calloc(1, sizeof *auth);
    if (auth == NULL) {
        snprintf(fault, FRONT_FAULT_BYTES, "out of memory");
        return NULL;
    }
    if (open_tokens(auth, directory, today, fault)) return auth;
    auth_free(auth);
    return NULL;
}

void auth_free(sottod_auth *auth)
{
    free(auth);
}

static bool read_known(const char *directory, token_list *out, char *fault)
{
    bool found;
    if (!read_list(directory, out, &found, fault)) return false;
    if (found) return check_files(directory, out, fault);
    char path[PATH_MAX];
    return path_of(path, directory, hashes_file, "", fault) &&
           say(fault, path, "does not exist; sottod makes it when it first starts");
}

bool auth_reload(sottod_auth *auth, uint32_t today, char fault[FRONT_FAULT_BYTES])
{
    token_list next;
    if (!read_known(auth->directory, &next, fault)) return false;
    if (!check_admin(auth->directory, &next, today, fault)) return false;
    auth->list = next;
    return true;
}

const char *auth_token_file(const sottod_auth *auth)
{
    return auth->token_file;
}

bool auth_is_new(const sottod_auth *auth)
{
    return auth->is_new;
}

uint32_t auth_count(const sottod_auth *auth)
{
    return auth->list.count;
}

/* ---- changing ----------------------------------------------------------------------------- */

/* One change at a time: the directory is locked while it is open. -1: `fault` says why. */
static int lock_directory(const char *directory, char *fault)
{
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX) == 0) return fd;
    say(fault, directory, strerror(errno));
    if (fd >= 0) close(fd);
    return -1;
}

static bool add(const char *directory, token_row *row, uint32_t today, char *fault)
{
    token_list list;
    if (!read_known(directory, &list, fault)) return false;
    if (token_list_find(&list, row->name) != NULL)
        return say_of(fault, row->name,
                      "a token with this name exists already; allowed another name");
    if (list.count == TOKEN_LIST_MAX)
        return say_of(fault, row->name, "there are 64 tokens already, the maximum");
    if (row->last_day != 0 && row->last_day < today)
        return say_of(fault, row->name, "the last day is in the past; allowed today or later");
    if (!draw(directory, row, fault)) return false;
    list.row[list.count++] = *row;
    return write_list(directory, &list, fault);
}

bool auth_add(const char *directory, token_row *row, uint32_t today, char *path, size_t path_bytes,
              char fault[FRONT_FAULT_BYTES])
{
    int lock = lock_directory(directory, fault);
    if (lock < 0) return false;
    bool done = add(directory, row, today, fault);
    close(lock);
    snprintf(path, path_bytes, "%s/%s.token", directory, row->name);
    return done;
}

static bool take_out(const char *directory, const char *name, uint32_t today, char *fault)
{
    char path[PATH_MAX];
    token_list list;
    if (!read_known(directory, &list, fault)) return false;
    token_row *row = token_list_find(&list, name);
    if (row == NULL) return say_of(fault, name, "no token has this name");
    bool is_admin = token_is_admin(row, today);
    uint32_t at = (uint32_t)(row - list.row);
    memmove(row, row + 1, (list.count - at - 1) * sizeof *row);
    list.count--;
    if (is_admin && !token_list_has_admin(&list, today))
        return say_of(fault, name, "it is the last valid admin token; add another one first");
    if (list.count == 0)
        return say_of(fault, name, "it is the last token; add an admin token first");
    if (!write_list(directory, &list, fault)) return false;
    if (!path_of(path, directory, name, ".token", fault)) return false;
    if (unlink(path) != 0 && errno != ENOENT) return say(fault, path, strerror(errno));
    if (!settle_directory(directory, fault)) return false;
    fault[0] = '\0';
    (void)check_admin(directory, &list, today, fault); /* reported, although it is done */
    return true;
}

bool auth_remove(const char *directory, const char *name, uint32_t today,
                 char fault[FRONT_FAULT_BYTES])
{
    int lock = lock_directory(directory, fault);
    if (lock < 0) return false;
    bool done = take_out(directory, name, today, fault);
    close(lock);
    return done;
}

/* ---- asking ------------------------------------------------------------------------------- */

/* Looks at every byte, whatever the first ones are. */
static bool same_hash(const uint8_t *one, const uint8_t *other)
{
    volatile uint8_t difference = 0;
    for (size_t i = 0; i < SOTTO__DIGEST_BYTES; i++) {
        difference = (uint8_t)(difference | (one[i] ^ other[i]));
    }
    return difference == 0;
}

auth_caller auth_who(const sottod_auth *auth, const char *authorization, uint32_t today)
{
    static const char scheme[] = "Bearer ";
    uint8_t hash[SOTTO__DIGEST_BYTES];
    auth_caller who = {.role = AUTH_NOBODY};
    if (authorization == NULL) return who;
    if (strncasecmp(authorization, scheme, strlen(scheme)) != 0) return who;
    const char *token = authorization + strlen(scheme);
    if (strlen(token) != TOKEN_DIGITS) return who;
    hash_of(token, TOKEN_DIGITS, hash);
    const token_row *found = NULL;
    for (uint32_t i = 0; i < auth->list.count; i++) {
        if (same_hash(hash, auth->list.row[i].hash)) found = &auth->list.row[i];
    }
    if (found == NULL) return who;
    who.name = found->name;
    who.expired = found->last_day != 0 && today > found->last_day;
    if (!who.expired) who.role = found->role;
    return who;
}

bool auth_admits(const auth_caller *who, auth_role least, sottod_refusal *why)
{
    if (who->role >= least) return true;
    if (who->expired) {
        refusal_set(why, 401, "The token has expired.", "Authorization", NULL,
                    "Bearer and a token that has not expired");
    } else if (who->role == AUTH_NOBODY) {
        refusal_set(why, 401, "The request has no valid token.", "Authorization", NULL,
                    "Bearer and a token, as in the file admin.token or reader.token");
    } else {
        refusal_set(why, 403, "A reader token cannot change anything.", "Authorization", NULL,
                    "Bearer and an admin token, as in the file admin.token");
    }
    return false;
}
