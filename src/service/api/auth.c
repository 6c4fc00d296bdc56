/* Tokens. In memory there are hashes only, as in token-hashes. */
#include "auth.h"

#include "core/digest.h"
#include "service/system/entropy.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOKEN_BYTES 32u
#define TOKEN_DIGITS (2u * TOKEN_BYTES)
#define HASH_DIGITS (2u * SOTTO__DIGEST_BYTES)
#define TOKENS 2u

static const struct {
    const char *name;
    const char *file;
    auth_role role;
} kinds[TOKENS] = {
    {"admin", "admin.token", AUTH_ADMIN},
    {"reader", "reader.token", AUTH_READER},
};
static const char hashes_file[] = "token-hashes";

struct sottod_auth {
    uint8_t hash[TOKENS][SOTTO__DIGEST_BYTES];
    bool is_new;
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

static bool read_digits(const char *text, uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < 2 * count; i++) {
        char c = text[i];
        bool letter = c >= 'a' && c <= 'f';
        if (!letter && (c < '0' || c > '9')) return false;
        uint8_t value = (uint8_t)(letter ? c - 'a' + 10 : c - '0');
        bytes[i / 2] = (uint8_t)(i % 2 == 0 ? value << 4 : bytes[i / 2] | value);
    }
    return true;
}

static bool path_of(char path[PATH_MAX], const char *folder, const char *file, const char *suffix,
                    char *fault)
{
    int bytes = snprintf(path, PATH_MAX, "%s/%s%s", folder, file, suffix);
    if (bytes > 0 && bytes < PATH_MAX) return true;
    snprintf(fault, FRONT_FAULT_BYTES, "the name of the data folder is too long");
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
    if (!S_ISREG(s.st_mode)) return say(fault, path, "is no plain file");
    if (s.st_uid != geteuid()) return say(fault, path, "belongs to another user");
    if ((s.st_mode & 077) != 0) return say(fault, path, "others may read it: chmod 600 it");
    return true;
}

/* True if the file is not there, or is private. */
static bool check_file(const char *folder, const char *file, char *fault)
{
    char path[PATH_MAX];
    if (!path_of(path, folder, file, "", fault)) return false;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return errno == ENOENT || say(fault, path, strerror(errno));
    bool done = is_private(fd, path, fault);
    close(fd);
    return done;
}

/* Puts a file in place, private, durable, whole or not at all. */
static bool write_file(const char *folder, const char *file, const char *text, char *fault)
{
    char path[PATH_MAX], next[PATH_MAX];
    if (!path_of(path, folder, file, "", fault) || !path_of(next, folder, file, ".new", fault)) {
        return false;
    }
    unlink(next); /* what a start that was cut left behind */
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
static bool settle_folder(const char *folder, char *fault)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return say(fault, folder, strerror(errno));
    bool done = fsync(fd) == 0;
    int error = errno;
    close(fd);
    return done || say(fault, folder, strerror(error));
}

/* token-hashes comes last: when it is there, both tokens are, also after a power cut. */
static bool draw(sottod_auth *auth, const char *folder, char *fault)
{
    char hashes[TOKENS * (HASH_DIGITS + 16)] = "";
    size_t used = 0;
    for (size_t i = 0; i < TOKENS; i++) {
        uint8_t drawn[TOKEN_BYTES];
        char line[TOKEN_DIGITS + 2], digits[HASH_DIGITS + 1];
        if (!entropy_draw(drawn, sizeof drawn)) {
            snprintf(fault, FRONT_FAULT_BYTES, "the system gave no randomness for the tokens");
            return false;
        }
        write_digits(drawn, sizeof drawn, line);
        hash_of(line, TOKEN_DIGITS, auth->hash[i]);
        line[TOKEN_DIGITS] = '\n';
        line[TOKEN_DIGITS + 1] = '\0';
        if (!write_file(folder, kinds[i].file, line, fault)) return false;
        write_digits(auth->hash[i], SOTTO__DIGEST_BYTES, digits);
        used +=
            (size_t)snprintf(hashes + used, sizeof hashes - used, "%s %s\n", kinds[i].name, digits);
    }
    auth->is_new = true;
    return settle_folder(folder, fault) && write_file(folder, hashes_file, hashes, fault) &&
           settle_folder(folder, fault);
}

/* Exactly the two lines. */
static bool read_hashes(sottod_auth *auth, int fd, const char *path, char *fault)
{
    char text[256];
    ssize_t bytes = read(fd, text, sizeof text - 1);
    if (bytes < 0) return say(fault, path, strerror(errno));
    text[bytes] = '\0';
    const char *at = text;
    for (size_t i = 0; i < TOKENS; i++) {
        size_t name = strlen(kinds[i].name);
        bool good = strlen(at) >= name + 1 + HASH_DIGITS + 1 &&
                    strncmp(at, kinds[i].name, name) == 0 && at[name] == ' ' &&
                    read_digits(at + name + 1, auth->hash[i], SOTTO__DIGEST_BYTES) &&
                    at[name + 1 + HASH_DIGITS] == '\n';
        if (!good) return say(fault, path, "is damaged: remove it, and new tokens are drawn");
        at += name + 1 + HASH_DIGITS + 1;
    }
    return *at == '\0' || say(fault, path, "is damaged: remove it, and new tokens are drawn");
}

static bool open_tokens(sottod_auth *auth, const char *folder, char *fault)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < TOKENS; i++) {
        if (!check_file(folder, kinds[i].file, fault)) return false;
    }
    if (!path_of(auth->token_file, folder, kinds[0].file, "", fault)) return false;
    if (!path_of(path, folder, hashes_file, "", fault)) return false;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT) return draw(auth, folder, fault);
    if (fd < 0) return say(fault, path, strerror(errno));
    bool done = is_private(fd, path, fault) && read_hashes(auth, fd, path, fault);
    close(fd);
    return done;
}

sottod_auth *auth_open(const char *folder, char fault[FRONT_FAULT_BYTES])
{
    sottod_auth *auth = calloc(1, sizeof *auth);
    if (auth == NULL) {
        snprintf(fault, FRONT_FAULT_BYTES, "out of memory");
        return NULL;
    }
    if (open_tokens(auth, folder, fault)) return auth;
    auth_free(auth);
    return NULL;
}

void auth_free(sottod_auth *auth)
{
    free(auth);
}

const char *auth_token_file(const sottod_auth *auth)
{
    return auth->token_file;
}

bool auth_is_new(const sottod_auth *auth)
{
    return auth->is_new;
}

/* Looks at every byte, whatever the first ones are. */
static bool same_hash(const uint8_t *one, const uint8_t *other)
{
    volatile uint8_t difference = 0;
    for (size_t i = 0; i < SOTTO__DIGEST_BYTES; i++) {
        difference = (uint8_t)(difference | (one[i] ^ other[i]));
    }
    return difference == 0;
}

auth_role auth_who(const sottod_auth *auth, const char *authorization)
{
    static const char scheme[] = "Bearer ";
    uint8_t hash[SOTTO__DIGEST_BYTES];
    auth_role who = AUTH_NOBODY;
    if (authorization == NULL) return who;
    if (strncasecmp(authorization, scheme, strlen(scheme)) != 0) return who;
    const char *token = authorization + strlen(scheme);
    if (strlen(token) != TOKEN_DIGITS) return who;
    hash_of(token, TOKEN_DIGITS, hash);
    for (size_t i = 0; i < TOKENS; i++) {
        if (same_hash(hash, auth->hash[i])) who = kinds[i].role;
    }
    return who;
}

bool auth_admits(auth_role who, auth_role least, sottod_refusal *why)
{
    if (who >= least) return true;
    if (who == AUTH_NOBODY) {
        refusal_set(why, 401, "The request has no token of this service.", "Authorization", NULL,
                    "Bearer and a token, as in the file admin.token or reader.token");
    } else {
        refusal_set(why, 403, "The reader's token changes nothing.", "Authorization", NULL,
                    "Bearer and the token of the file admin.token");
    }
    return false;
}
