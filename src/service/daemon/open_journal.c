#include "open_journal.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define TIMEOUT_MS 3000u /* of one answer of the database */

postgres_settings daemon_postgres(const sottod_config *config)
{
    return (postgres_settings){.url = config->journal, .timeout_ms = TIMEOUT_MS};
}

/* The tokens of the admin port lie there all the same. */
static bool make_folder(const char *path, char *fault)
{
    if (mkdir(path, 0700) == 0 || errno == EEXIST) return true;
    snprintf(fault, JOURNAL_FAULT_BYTES, "%.400s cannot be made: %s", path, strerror(errno));
    return false;
}

bool daemon_open_journal(const sottod_config *config, bool read_only, sottod_journal **out,
                         char fault[JOURNAL_FAULT_BYTES])
{
    const journal_settings kept = {
        .folder = config->data,
        .read_only = read_only,
        .recover_to = read_only ? 0 : config->recover_to,
    };
    const postgres_settings shared = daemon_postgres(config);
    *out = NULL;
    if (config->journal[0] == '\0') return journal_open(&kept, out, fault);
    if (config->recover_to > 0) {
        snprintf(
            fault, JOURNAL_FAULT_BYTES,
            "--recover-to: allowed for the journal in a folder only. Restore the database from "
            "a copy");
        return false;
    }
    return (read_only || make_folder(config->data, fault)) &&
           postgres_journal_open(&shared, out, fault);
}
