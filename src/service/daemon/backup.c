/* sottod backup: all that the service must not lose, as a folder of its own. */
#include "commands.h"
#include "service/journal/journal.h"

int folder_backup(const sottod_config *config, const char *path)
{
    char fault[JOURNAL_FAULT_BYTES];
    if (config->journal[0] != '\0') {
        fprintf(stderr,
                "sottod: backup: allowed for the journal in a folder only. pg_dump copies a "
                "database\n");
        return 1;
    }
    if (!journal_backup(config->data, path, fault)) {
        fprintf(stderr, "sottod: %s\n", fault);
        return 1;
    }
    printf("%s: every digest is right\n", path);
    return 0;
}
