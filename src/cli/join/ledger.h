/* The ledger of whoever runs the command. */
#ifndef SOTTO_CLI_JOIN_LEDGER_H
#define SOTTO_CLI_JOIN_LEDGER_H

#include "options.h"

#include <limits.h>

typedef struct join_ledger {
    char path[PATH_MAX];
    bool usual;           /* the path is the default one: its folder is made too */
    bool there;           /* the file is, so the ledger is the one in it */
    sotto_ledger *ledger; /* in memory and empty while there is no file */
} join_ledger;

/* Opens it; makes nothing. False, with a sentence, if it is refused. */
bool join_ledger_open(const command_line *line, const join_options *options, join_ledger *out);
/* Makes the file if there is none. False, with a sentence. */
bool join_ledger_make(const command_line *line, join_ledger *own);
void join_ledger_close(join_ledger *own);

/* The reports of these terms that must still be sent. */
typedef struct join_unsent {
    uint32_t count;
    uint64_t first_ms, last_ms; /* when the first and the last of them leave */
} join_unsent;
bool join_ledger_unsent(const command_line *line, const join_ledger *own, const sotto_terms *terms,
                        join_unsent *out);

#endif
