/*
 * Who may use the admin port: whoever has a token. There are two, the admin's and the reader's; a reader
 * changes nothing. In the folder:
 *
 *   admin.token    the token, 64 hexadecimal digits, for whoever runs the service to read
 *   reader.token   may be moved away like admin.token: the service does not need them
 *   token-hashes   "admin SHA-256" and "reader SHA-256", one a line: what the service checks by
 *
 * All are readable by their owner alone; otherwise the service does not start. Tokens are drawn when there
 * are no hashes: to change both tokens, remove token-hashes and start again.
 */
#ifndef SERVICE_AUTH_H
#define SERVICE_AUTH_H

#include "service/front/front.h"
#include "service/system/refusal.h"

typedef enum auth_role { AUTH_NOBODY, AUTH_READER, AUTH_ADMIN } auth_role;

typedef struct sottod_auth sottod_auth;

/* Reads the hashes, or draws the tokens. NULL, and a sentence in `fault`, if it cannot, or if a file is not
 * its owner's alone. */
sottod_auth *auth_open(const char *folder, char fault[FRONT_FAULT_BYTES]);
void auth_free(sottod_auth *auth);
const char *auth_token_file(const sottod_auth *auth);
bool auth_is_new(const sottod_auth *auth); /* the tokens were drawn by auth_open */

/* Who the value of an Authorization header is; NULL: nobody. Takes the same time for any token. */
auth_role auth_who(const sottod_auth *auth, const char *authorization);
/* True if `who` may do what needs `least`; otherwise 401 for nobody, 403 for a reader. */
bool auth_admits(auth_role who, auth_role least, sottod_refusal *why);

#endif
