/* The admin port of a server: what it says of an experiment to whoever has a token. Not the person's side: people
 * have no token, and nothing of theirs goes here. */
#ifndef SOTTO_FLEET_ADMIN_H
#define SOTTO_FLEET_ADMIN_H

#include "check.h"
#include "place.h"

typedef struct sotto__admin sotto__admin;

/* `server` is http://HOST:PORT of this machine, or https; the token stands in a file, as sottod writes it.
 * NULL, with *out set, or `text`: what is wrong. */
const char *sotto__admin_new(const char *server, const char *token_file, const char *ca_file,
                             sotto__admin **out, char text[SOTTO_FAULT_BYTES]);
void sotto__admin_free(sotto__admin *admin); /* accepts NULL */

/* What the server counts of an experiment. NULL, or `text`. */
const char *sotto__admin_counts(sotto__admin *admin, const char *id, sotto__check_counts *out,
                                char text[SOTTO_FAULT_BYTES]);

/* The id of the only experiment that is open. NULL, or `text`: there is none, or there are several. */
const char *sotto__admin_only(sotto__admin *admin, char id[SOTTO__ID_CHARS + 1],
                              char text[SOTTO_FAULT_BYTES]);

/* ---- what the two above make of an answer (also for tests) */

typedef struct sotto__admin_answer {
    const char *server; /* for sentences */
    const char *body;
    size_t bytes;
} sotto__admin_answer;

const char *sotto__admin_read_counts(const sotto__admin_answer *answer, sotto__check_counts *out,
                                     char text[SOTTO_FAULT_BYTES]);
const char *sotto__admin_read_only(const sotto__admin_answer *answer, char id[SOTTO__ID_CHARS + 1],
                                   char text[SOTTO_FAULT_BYTES]);

#endif
