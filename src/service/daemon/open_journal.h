/* The journal that the settings name: the folder, or a database that several machines share. */
#ifndef SERVICE_OPEN_JOURNAL_H
#define SERVICE_OPEN_JOURNAL_H

#include "service/config/config.h"
#include "service/postgres/postgres.h"

postgres_settings daemon_postgres(const sottod_config *config);
/* `read_only` is for a folder: beside a running service nothing is changed. *out is NULL, and `fault` says
 * why, unless true. */
bool daemon_open_journal(const sottod_config *config, bool read_only, sottod_journal **out,
                         char fault[JOURNAL_FAULT_BYTES]);

#endif
