/* sottod export and import: an experiment as one file. sottod backup: all of them, as a folder. */
#include "commands.h"
#include "service/archive/archive.h"
#include "service/system/spec_id.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(const char *subject, const char *sentence)
{
    fprintf(stderr, "sottod: %s: %s\n", subject, sentence);
    return 1;
}

/* A shared journal is no file and no folder: its rows are the database's. */
static bool is_in_folder(const sottod_config *config, const char *command)
{
    if (config->journal[0] == '\0') return true;
    fprintf(stderr,
            "sottod: %s: allowed for the journal in a folder only. pg_dump copies a database, and "
            "pg_restore brings it back\n",
            command);
    return false;
}

/* A new file that its owner alone can read; NULL if there is one by that name. */
static FILE *open_new(const char *path)
{
    if (strcmp(path, "-") == 0) return stdout;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return fd < 0 ? NULL : fdopen(fd, "wb");
}

/* The file is on the disk when this is true. */
static bool close_new(FILE *file)
{
    if (file == stdout) return fflush(file) == 0;
    bool kept = fflush(file) == 0 && fsync(fileno(file)) == 0;
    return fclose(file) == 0 && kept;
}

int folder_export(const sottod_config *config, const char *id, const char *path, bool with_reports)
{
    uint8_t wanted[SOTTO_SPEC_ID_BYTES];
    char fault[JOURNAL_FAULT_BYTES];
    sottod_journal *journal = NULL;
    const journal_settings settings = {.folder = config->data, .read_only = true};
    if (!is_in_folder(config, "export")) return 1;
    if (!spec_id_read(id, strlen(id), wanted))
        return fail(id, "an id has 32 hexadecimal digits, small letters") + 1;
    if (!journal_open(&settings, &journal, fault)) return fail(config->data, fault);
    FILE *file = open_new(path);
    if (file == NULL) {
        int why = errno;
        journal_close(journal);
        return fail(path, strerror(why));
    }
    bool fine = archive_write(journal, wanted, with_reports, file, fault);
    journal_close(journal);
    if (!close_new(file) && fine) {
        fine = false;
        snprintf(fault, sizeof fault, "the file cannot be written: is the disk full?");
    }
    if (fine) return 0;
    if (file != stdout) unlink(path);
    return fail(id, fault);
}

int folder_import(const sottod_config *config, const char *path)
{
    uint8_t id[SOTTO_SPEC_ID_BYTES];
    char text[SPEC_ID_TEXT_BYTES], fault[JOURNAL_FAULT_BYTES];
    sottod_journal *journal = NULL;
    const journal_settings settings = {.folder = config->data};
    if (!is_in_folder(config, "import")) return 1;
    FILE *file = fopen(path, "rb");
    if (file == NULL) return fail(path, strerror(errno));
    bool fine = journal_open(&settings, &journal, fault) && archive_read(file, journal, id, fault);
    journal_close(journal);
    fclose(file);
    if (!fine) return fail(path, fault);
    spec_id_print(id, text);
    printf("%s\n", text);
    return 0;
}

int folder_backup(const sottod_config *config, const char *path)
{
    char fault[JOURNAL_FAULT_BYTES];
    if (!is_in_folder(config, "backup")) return 1;
    if (!journal_backup(config->data, path, fault)) {
        fprintf(stderr, "sottod: %s\n", fault);
        return 1;
    }
    printf("%s: every digest is right\n", path);
    return 0;
}
