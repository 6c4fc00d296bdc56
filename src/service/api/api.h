/* What other rooms may use from this one. */
#ifndef SOTTO_SERVICE_API_ROOM_H
#define SOTTO_SERVICE_API_ROOM_H

#include "core/core.h"
#include "service/experiment/experiment.h"
#include "service/front/front.h"
#include "service/publisher/publisher.h"
#include "service/system/system.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- api ------------------------------------------------------------------------------------ */

/* What the two ports answer: tables of routes over the experiments. */

/* What routes may use. */
typedef struct api_service {
    sottod_experiments *experiments;
    sottod_intake *intake;
    sottod_journal *journal;
    sottod_log *log;
    sottod_publisher *publisher;      /* of a shared journal; NULL: this process never publishes */
    const sottod_front *public_front; /* for its counters; NULL before it is open */
    const sottod_front *admin_front;
    const char *admin_address; /* the address of the admin port; NULL: 127.0.0.1 */
    /* names that Host may contain besides the admin port's own address */
    const char *admin_hosts;
    const char *data; /* the directory */
    uint64_t started_ms;
    bool stopping;      /* /readyz says 503 */
    bool failing;       /* the journal's last commit failed: /readyz says 503 */
    const char *reason; /* journal_reason after that commit */
    bool keep_reports;
    uint64_t folded_us, commits, commit_us, publish_us; /* for /metrics */
    /* requests without the key of their experiment, counted by the public port */
    uint64_t refused_key;
    uint64_t acknowledged; /* reports answered with 204, counted by the public port */
} api_service;

/* ---- the public port */
typedef struct api_public api_public;
api_public *api_public_new(api_service *service);
void api_public_free(api_public *port);
front_door api_public_door(api_public *port);
/* The answer for front_settle: 204, or the refusal as JSON. Valid until the next call. */
/* NULL: accepted */
front_answer api_public_settled(api_public *port, const sottod_refusal *why);

/* ---- the admin port */
typedef struct api_admin api_admin;
/* Reads the token hashes from the directory; at the first start, draws two tokens and writes them, readable only by
 * their owner. *out is NULL after a fault. */
SOTTO_CHECK sotto_status api_admin_new(api_service *service, api_admin **out, sotto_fault *fault);
void api_admin_free(api_admin *port);
front_door api_admin_door(api_admin *port);
/* True if clients that wait for a change must be answered now; `answer` is for front_settle and valid until the next
 * call. */
bool api_admin_turn(api_admin *port, uint64_t now_ms, front_answer *answer);
/* Milliseconds until api_admin_turn must be called again; -1: no client waits. */
int api_admin_timeout_ms(const api_admin *port, uint64_t now_ms);
/* Reads the hashes again; *tokens: their number. After a fault nothing has changed. */
SOTTO_CHECK sotto_status api_admin_reload(api_admin *port, uint32_t *tokens, sotto_fault *fault);
/* The path of the admin token, and whether this start drew it. */
const char *api_admin_token_file(const api_admin *port);
bool api_admin_token_is_new(const api_admin *port);

/* ---- token_list ----------------------------------------------------------------------------- */

/* The tokens that a service knows, as stored in the file token-hashes. Its format is at the head of token_list.c. */

#define TOKEN_LIST_MAX 64u
#define TOKEN_NAME_BYTES 33u /* 1 to 32 letters, and a NUL */
#define TOKEN_LIST_BYTES                                                                           \
    (TOKEN_LIST_MAX * (6u + 1u + 2u * SOTTO__DIGEST_BYTES + 1u + TOKEN_NAME_BYTES + 11u))

/* Each role includes the rights of those before it. */
typedef enum auth_role { AUTH_NOBODY, AUTH_READER, AUTH_ADMIN } auth_role;

typedef struct token_row {
    auth_role role;
    uint8_t hash[SOTTO__DIGEST_BYTES];
    char name[TOKEN_NAME_BYTES];
    uint32_t last_day; /* see token_day_read; 0: it does not expire */
} token_row;

typedef struct token_list {
    uint32_t count;
    token_row row[TOKEN_LIST_MAX];
} token_list;

/* A fault, with its line (from 1), for anything that does not match the format. */
SOTTO_CHECK sotto_status token_list_read(const char *text, size_t bytes, token_list *out,
                                         uint32_t *line, sotto_fault *fault);
/* Writes what token_list_read reads; returns its length. */
size_t token_list_write(const token_list *list, char out[TOKEN_LIST_BYTES]);
/* The row of this name; NULL: none. */
token_row *token_list_find(token_list *list, const char *name);
/* Whether this is an admin's token and valid today. */
bool token_is_admin(const token_row *row, uint32_t today);
/* Whether such a token exists. A list without one can be read, so that one can be added, but no service accepts it. */
bool token_list_has_admin(const token_list *list, uint32_t today);

/* "admin", "reader"; "nobody". */
const char *token_role_name(auth_role role);
/* AUTH_NOBODY for any other word. */
auth_role token_role_read(const char *text, size_t bytes);
bool token_name_fits(const char *text, size_t bytes);
/* "2027-01-31" as 20270131; 0 if this is not a day. */
uint32_t token_day_read(const char *text, size_t bytes);
/* The current day, UTC. */
uint32_t token_today(void);

/* ---- auth ----------------------------------------------------------------------------------- */

/*
 * Tokens, which the admin port requires. They have names and roles; a reader cannot change anything. In the directory:
 *
 *   NAME.token     the token, 64 hexadecimal digits, for the operator; may be moved away: the service does not need it
 *   token-hashes   role, SHA-256, name and last day of each token, one per line (token_list.c); the service checks
 *                  tokens against it
 *
 * All files must be readable only by their owner; otherwise the service does not start. If there is no token-hashes, the
 * service draws two tokens, `admin` and `reader`. auth_add and auth_remove change the files; a running service applies
 * the change in auth_reload. So an old token and its successor can be valid at the same time. */

typedef struct sottod_auth sottod_auth;

/* Reads the hashes, or draws the tokens. A fault, and *out is NULL, if that is impossible, if a file is accessible to
 * others than its owner, or if no admin's token is valid `today`. */
SOTTO_CHECK sotto_status auth_open(const char *directory, uint32_t today, sottod_auth **out,
                                   sotto_fault *fault);
void auth_free(sottod_auth *auth);
/* Reads the hashes again. After a fault, which names file and line, the previous tokens stay in force. */
SOTTO_CHECK sotto_status auth_reload(sottod_auth *auth, uint32_t today, sotto_fault *fault);
const char *auth_token_file(const sottod_auth *auth);
bool auth_is_new(const sottod_auth *auth); /* auth_open drew the tokens */
uint32_t auth_count(const sottod_auth *auth);

/* Draws another token; sets row->hash, and `path` to its file. Refuses a name that exists, and a last day before
 * `today`. */
SOTTO_CHECK sotto_status auth_add(const char *directory, token_row *row, uint32_t today, char *path,
                                  size_t path_bytes, sotto_fault *fault);
/* Removes a token and its file. Refuses the last admin token that is valid `today`, and the last of all tokens. A
 * fault with *done: the removal was done, but no admin token is valid any more, so no service accepts the list. */
SOTTO_CHECK sotto_status auth_remove(const char *directory, const char *name, uint32_t today,
                                     bool *done, sotto_fault *fault);

typedef struct auth_caller {
    auth_role role; /* also AUTH_NOBODY if the token has expired */
    /* the token's name, until the next auth_reload; NULL: not one of our tokens */
    const char *name;
    bool expired;
} auth_caller;

/* The caller by the value of the Authorization header; NULL: nobody. Takes the same time for every token. */
auth_caller auth_who(const sottod_auth *auth, const char *authorization, uint32_t today);
/* True if `who` has at least the role `least`; otherwise 401 for nobody, 403 for a reader. */
bool auth_admits(const auth_caller *who, auth_role least, sottod_refusal *why);

/* ---- starting ------------------------------------------------------------------------------- */

/*
 * Answers of the two ports while the service starts: another thread reads the journal, which can take minutes after a
 * kill. /healthz says that the process is alive, /readyz that it is not ready. Terms and models are served as soon as
 * the newest model is known. All other requests get 503 with Retry-After. */

typedef struct api_starting api_starting;

/* NULL: no memory. */
api_starting *api_starting_new(void);
void api_starting_free(api_starting *starting); /* NULL is allowed */

/* Called by the reading thread: the experiment's current model is its newest. Copies everything. */
void api_starting_know(void *starting, const sottod_experiment *experiment);

front_door api_starting_public(api_starting *starting);
front_door api_starting_admin(api_starting *starting);

#endif
