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

/* Tokens. Memory holds only hashes, as does token-hashes. */

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

static sotto_status path_of(char path[PATH_MAX], const char *directory, const char *file,
                            const char *suffix, sotto_fault *fault)
{
    int bytes = snprintf(path, PATH_MAX, "%s/%s%s", directory, file, suffix);
    if (bytes > 0 && bytes < PATH_MAX) return SOTTO_OK;
    return sotto__refuse(fault, "the path of the data directory is too long");
}

static sotto_status refuse_path(sotto_fault *fault, const char *path, const char *what)
{
    return sotto__refuse(fault, "%.150s: %s", path, what);
}

/* Requires a plain file that belongs to this user and that nobody else can read or change. */
static sotto_status check_private(int fd, const char *path, sotto_fault *fault)
{
    struct stat s;
    if (fstat(fd, &s) != 0) return refuse_path(fault, path, strerror(errno));
    if (!S_ISREG(s.st_mode)) return refuse_path(fault, path, "is not a regular file");
    if (s.st_uid != geteuid()) return refuse_path(fault, path, "belongs to another user");
    if ((s.st_mode & 077) != 0)
        return refuse_path(fault, path, "other users have access to it; run chmod 600 on it");
    return SOTTO_OK;
}

/* Accepts a missing file, or a private one. */
static sotto_status check_file(const char *directory, const char *file, sotto_fault *fault)
{
    char path[PATH_MAX];
    if (path_of(path, directory, file, "", fault) != SOTTO_OK) return SOTTO_E_FAULT;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return errno == ENOENT ? SOTTO_OK : refuse_path(fault, path, strerror(errno));
    sotto_status status = check_private(fd, path, fault);
    close(fd);
    return status;
}

/* Writes a private file, durably, completely or not at all. */
static sotto_status write_file(const char *directory, const char *file, const char *text,
                               sotto_fault *fault)
{
    char path[PATH_MAX], next[PATH_MAX];
    if (path_of(path, directory, file, "", fault) != SOTTO_OK ||
        path_of(next, directory, file, ".new", fault) != SOTTO_OK)
        return SOTTO_E_FAULT;
    unlink(next); /* left by an interrupted start */
    int fd = open(next, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return refuse_path(fault, next, strerror(errno));
    size_t bytes = strlen(text);
    errno = ENOSPC; /* a short write sets no errno */
    bool done = fchmod(fd, 0600) == 0 && write(fd, text, bytes) == (ssize_t)bytes && fsync(fd) == 0;
    int error = errno;
    close(fd);
    if (done && rename(next, path) == 0) return SOTTO_OK;
    if (done) error = errno;
    unlink(next);
    return refuse_path(fault, path, strerror(error));
}

/* Makes the names of the files durable. */
static sotto_status settle_directory(const char *directory, sotto_fault *fault)
{
    return names_sync(directory) ? SOTTO_OK : refuse_path(fault, directory, strerror(errno));
}

static sotto_status refuse_token(sotto_fault *fault, const char *name, const char *what)
{
    return sotto__refuse(fault, "token %.40s: %s", name, what);
}

/* Draws a token: writes it to its file, whose name is not durable yet, and its hash to the row. */
static sotto_status draw(const char *directory, token_row *row, sotto_fault *fault)
{
    uint8_t drawn[TOKEN_BYTES];
    char line[TOKEN_DIGITS + 2], file[TOKEN_NAME_BYTES + 8];
    if (!entropy_draw(drawn, sizeof drawn))
        return refuse_token(fault, row->name, "the system provided no randomness for it");
    hex_write(drawn, sizeof drawn, line);
    hash_of(line, TOKEN_DIGITS, row->hash);
    memcpy(line + TOKEN_DIGITS, "\n", 2);
    snprintf(file, sizeof file, "%s.token", row->name);
    return write_file(directory, file, line, fault);
}

/* token-hashes is written last: once it exists, all tokens do, even after a power cut. */
static sotto_status write_list(const char *directory, const token_list *list, sotto_fault *fault)
{
    char text[TOKEN_LIST_BYTES];
    token_list_write(list, text);
    sotto_status status = settle_directory(directory, fault);
    if (status == SOTTO_OK) status = write_file(directory, hashes_file, text, fault);
    return status == SOTTO_OK ? settle_directory(directory, fault) : status;
}

static sotto_status draw_first(const char *directory, token_list *list, sotto_fault *fault)
{
    static const auth_role first[] = {AUTH_ADMIN, AUTH_READER};
    *list = (token_list){.count = 0};
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++) {
        token_row *row = &list->row[list->count++];
        row->role = first[i];
        snprintf(row->name, sizeof row->name, "%s", token_role_name(first[i]));
        if (draw(directory, row, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    }
    return write_list(directory, list, fault);
}

/* ---- reading ------------------------------------------------------------------------------ */

static sotto_status parse(const char *path, int fd, token_list *out, sotto_fault *fault)
{
    char text[TOKEN_LIST_BYTES + 1];
    uint32_t line;
    ssize_t bytes = read(fd, text, sizeof text);
    if (bytes < 0) return refuse_path(fault, path, strerror(errno));
    if ((size_t)bytes == sizeof text)
        return refuse_path(fault, path, "too long; allowed 64 tokens");
    if (token_list_read(text, (size_t)bytes, out, &line, fault) == SOTTO_OK) return SOTTO_OK;
    size_t length = strlen(path); /* the name is at the end of a long path */
    return sotto__fault_within(fault, "%.130s:%u: ", path + (length > 130 ? length - 130 : 0),
                               line);
}

/* *found is false, and nothing else is checked, if there is no such file. */
static sotto_status read_list(const char *directory, token_list *out, bool *found,
                              sotto_fault *fault)
{
    char path[PATH_MAX];
    if (path_of(path, directory, hashes_file, "", fault) != SOTTO_OK) return SOTTO_E_FAULT;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    *found = fd >= 0 || errno != ENOENT;
    if (!*found) return SOTTO_OK;
    if (fd < 0) return refuse_path(fault, path, strerror(errno));
    sotto_status status = check_private(fd, path, fault);
    if (status == SOTTO_OK) status = parse(path, fd, out, fault);
    close(fd);
    return status;
}

/* Token files beside the hashes must be private, too. */
static sotto_status check_files(const char *directory, const token_list *list, sotto_fault *fault)
{
    for (uint32_t i = 0; i < list->count; i++) {
        char file[TOKEN_NAME_BYTES + 8];
        snprintf(file, sizeof file, "%s.token", list->row[i].name);
        if (check_file(directory, file, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    }
    return SOTTO_OK;
}

/* Without a valid admin token, nobody could change anything. */
static sotto_status check_admin(const char *directory, const token_list *list, uint32_t today,
                                sotto_fault *fault)
{
    char path[PATH_MAX];
    if (token_list_has_admin(list, today)) return SOTTO_OK;
    if (path_of(path, directory, hashes_file, "", fault) != SOTTO_OK) return SOTTO_E_FAULT;
    return refuse_path(fault, path,
                       "no admin token is valid; make one: sottod add-token NAME admin");
}

static sotto_status open_tokens(sottod_auth *auth, const char *directory, uint32_t today,
                                sotto_fault *fault)
{
    bool found;
    if (check_file(directory, "admin.token", fault) != SOTTO_OK ||
        check_file(directory, "reader.token", fault) != SOTTO_OK ||
        path_of(auth->token_file, directory, "admin.token", "", fault) != SOTTO_OK)
        return SOTTO_E_FAULT;
    snprintf(auth->directory, sizeof auth->directory, "%s",
             directory); /* shorter than the path above */
    if (read_list(directory, &auth->list, &found, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    auth->is_new = !found;
    if (!found) return draw_first(directory, &auth->list, fault);
    sotto_status status = check_files(directory, &auth->list, fault);
    return status == SOTTO_OK ? check_admin(directory, &auth->list, today, fault) : status;
}

sotto_status auth_open(const char *directory, uint32_t today, sottod_auth **out, sotto_fault *fault)
{
    *out = NULL;
    sottod_auth *auth = calloc(1, sizeof *auth);
    if (auth == NULL) return sotto__fault_status(fault, SOTTO_E_MEMORY);
    sotto_status status = open_tokens(auth, directory, today, fault);
    if (status == SOTTO_OK) {
        *out = auth;
    } else {
        auth_free(auth);
    }
    return status;
}

void auth_free(sottod_auth *auth)
{
    free(auth);
}

static sotto_status read_known(const char *directory, token_list *out, sotto_fault *fault)
{
    bool found;
    char path[PATH_MAX];
    if (read_list(directory, out, &found, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    if (found) return check_files(directory, out, fault);
    if (path_of(path, directory, hashes_file, "", fault) != SOTTO_OK) return SOTTO_E_FAULT;
    return refuse_path(fault, path, "does not exist; sottod makes it when it first starts");
}

sotto_status auth_reload(sottod_auth *auth, uint32_t today, sotto_fault *fault)
{
    token_list next;
    sotto_status status = read_known(auth->directory, &next, fault);
    if (status == SOTTO_OK) status = check_admin(auth->directory, &next, today, fault);
    if (status == SOTTO_OK) auth->list = next;
    return status;
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

/* Allows one change at a time: the directory is locked while *out is open. */
static sotto_status lock_directory(const char *directory, int *out, sotto_fault *fault)
{
    *out = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*out >= 0 && flock(*out, LOCK_EX) == 0) return SOTTO_OK;
    refuse_path(fault, directory, strerror(errno));
    if (*out >= 0) close(*out);
    return SOTTO_E_FAULT;
}

static sotto_status add(const char *directory, token_row *row, uint32_t today, sotto_fault *fault)
{
    token_list list;
    if (read_known(directory, &list, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    if (token_list_find(&list, row->name) != NULL)
        return refuse_token(fault, row->name,
                            "a token with this name exists already; allowed another name");
    if (list.count == TOKEN_LIST_MAX)
        return refuse_token(fault, row->name, "there are 64 tokens already, the maximum");
    if (row->last_day != 0 && row->last_day < today)
        return refuse_token(fault, row->name,
                            "the last day is in the past; allowed today or later");
    if (draw(directory, row, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    list.row[list.count++] = *row;
    return write_list(directory, &list, fault);
}

sotto_status auth_add(const char *directory, token_row *row, uint32_t today, char *path,
                      size_t path_bytes, sotto_fault *fault)
{
    int lock;
    if (lock_directory(directory, &lock, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    sotto_status status = add(directory, row, today, fault);
    close(lock);
    snprintf(path, path_bytes, "%s/%s.token", directory, row->name);
    return status;
}

static sotto_status take_out(const char *directory, const char *name, uint32_t today, bool *done,
                             sotto_fault *fault)
{
    char path[PATH_MAX];
    token_list list;
    if (read_known(directory, &list, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    token_row *row = token_list_find(&list, name);
    if (row == NULL) return refuse_token(fault, name, "no token has this name");
    bool is_admin = token_is_admin(row, today);
    uint32_t at = (uint32_t)(row - list.row);
    memmove(row, row + 1, (list.count - at - 1) * sizeof *row);
    list.count--;
    if (is_admin && !token_list_has_admin(&list, today))
        return refuse_token(fault, name, "it is the last valid admin token; add another one first");
    if (list.count == 0)
        return refuse_token(fault, name, "it is the last token; add an admin token first");
    if (write_list(directory, &list, fault) != SOTTO_OK ||
        path_of(path, directory, name, ".token", fault) != SOTTO_OK)
        return SOTTO_E_FAULT;
    if (unlink(path) != 0 && errno != ENOENT) return refuse_path(fault, path, strerror(errno));
    if (settle_directory(directory, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    *done = true;
    return check_admin(directory, &list, today, fault);
}

sotto_status auth_remove(const char *directory, const char *name, uint32_t today, bool *done,
                         sotto_fault *fault)
{
    int lock;
    *done = false;
    if (lock_directory(directory, &lock, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    sotto_status status = take_out(directory, name, today, done, fault);
    close(lock);
    return status;
}

/* ---- asking ------------------------------------------------------------------------------- */

/* Compares all bytes, whatever the first ones are. */
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
    if (who->expired)
        return refusal_set(why, 401, "The token has expired.", "Authorization", NULL,
                           "Bearer and a token that has not expired");
    if (who->role == AUTH_NOBODY)
        return refusal_set(why, 401, "The request has no valid token.", "Authorization", NULL,
                           "Bearer and a token, as in the file admin.token or reader.token");
    return refusal_set(why, 403, "A reader token cannot change anything.", "Authorization", NULL,
                       "Bearer and an admin token, as in the file admin.token");
}
