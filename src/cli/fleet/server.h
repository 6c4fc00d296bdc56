/* Which experiment is meant, and its admin port. */
#ifndef SOTTO_CLI_FLEET_SERVER_H
#define SOTTO_CLI_FLEET_SERVER_H

#include "fleet/admin.h"
#include "options.h"

typedef struct fleet_server {
    sotto__url url; /* of the experiment */
    char id[SOTTO__ID_CHARS + 1];
    sotto__admin *admin; /* NULL: there is none that can be asked */
    sotto__check_counts before;
} fleet_server;

/* From what was typed. EXIT_OK, or another status after a sentence on stderr. */
int fleet_server_find(const command_line *line, const fleet_options *options, const char *url,
                      fleet_server *out);
void fleet_server_free(fleet_server *server);

#endif
