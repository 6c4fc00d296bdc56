/* sottod export and import: an experiment as a journal of its own, in one file. sottod backup: all of them, as a
 * directory. sottod add-token and remove-token: who may use the admin port. */
#include "daemon.h"
#include "inner.h"
#include "service/api/api.h"
#include "service/archive/archive.h"
#include "service/store/sqlite/sqlite.h"
#include "service/system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(const char *subject, const char *sentence)
{
    fprintf(stderr, "sottod: %s: %s\n", subject, sentence);
    return 1;
}

/* A shared journal is neither a file nor a directory: its rows are in the database. */
static bool is_in_directory(const sottod_config *config, const char *name)
{
    if (config->journal[0] == '\0') return true;
    fprintf(stderr,
            "sottod: %s: works only for a journal in a directory. For a database, use pg_dump and "
            "pg_restore\n",
            name);
    return false;
}

/* ---- a journal in a temporary directory -------------------------------------------------------- */

#define PATH_BYTES 1024u

typedef struct short_directory {
    char path[PATH_BYTES];
    char file[PATH_BYTES + 32];
} short_directory;

/* False with errno. */
static bool make_short(short_directory *directory, const char *path, const char *ending)
{
    int length = snprintf(directory->path, sizeof directory->path, "%s%s", path, ending);
    snprintf(directory->file, sizeof directory->file, "%s/journal.sqlite", directory->path);
    errno = ENAMETOOLONG;
    return length > 0 && (size_t)length < sizeof directory->path &&
           mkdir(directory->path, 0700) == 0;
}

/* Removes all files that a journal may leave there. */
static void remove_short(const short_directory *directory)
{
    static const char *const name[] = {
        "journal.sqlite",     "journal.sqlite-wal",         "journal.sqlite-shm",
        "journal.sqlite.new", "journal.sqlite.new-journal", "lock"};
    char path[PATH_BYTES + 32];
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", directory->path, name[i]);
        unlink(path);
    }
    rmdir(directory->path);
}

/* ---- export --------------------------------------------------------------------------------- */

/* Syncs the file, removes its log, and renames it to `path`, which must not exist. */
static bool give_name(const short_directory *directory, const char *path)
{
    char log[PATH_BYTES + 40];
    snprintf(log, sizeof log, "%s-wal", directory->file);
    int fd = open(directory->file, O_RDONLY | O_CLOEXEC);
    bool kept = fd >= 0 && fsync(fd) == 0;
    int why = errno;
    if (fd >= 0) close(fd);
    errno = why;
    if (!kept) return false;
    if (access(log, F_OK) == 0) {
        errno = EIO;
        return false;
    }
    if (link(directory->file, path) == 0) return true;
    /* the file system has no hard links */
    return errno == EPERM && rename(directory->file, path) == 0;
}

static sotto_status write_new(sottod_journal *from, const uint8_t id[SOTTO_SPEC_ID_BYTES],
                              bool with_reports, const short_directory *directory, const char *path,
                              sotto_fault *fault)
{
    sottod_journal *to = NULL;
    const journal_settings settings = {.directory = directory->path};
    sotto_status status = journal_open(&settings, &to, fault);
    if (status == SOTTO_OK) status = archive_write(from, id, with_reports, to, fault);
    journal_close(to);
    if (status != SOTTO_OK || give_name(directory, path)) return status;
    return sotto__refuse(fault, "%.300s: %s", path, strerror(errno));
}

int directory_export(const sottod_config *config, const char *id, const char *path,
                     bool with_reports)
{
    uint8_t wanted[SOTTO_SPEC_ID_BYTES];
    sotto_fault fault;
    sottod_journal *from = NULL;
    short_directory directory;
    if (!spec_id_read(id, strlen(id), wanted))
        return fail(id, "not an id; allowed 32 lower-case hexadecimal digits") + 1;
    if (daemon_open_journal(config, true, &from, &fault) != SOTTO_OK)
        return fail("export", fault.sentence);
    bool is_there = access(path, F_OK) == 0;
    if (is_there || !make_short(&directory, path, ".new")) {
        int why = is_there ? EEXIST : errno;
        journal_close(from);
        return fail(is_there ? path : directory.path, strerror(why));
    }
    sotto_status status = write_new(from, wanted, with_reports, &directory, path, &fault);
    journal_close(from);
    remove_short(&directory);
    return status == SOTTO_OK ? 0 : fail(id, fault.sentence);
}

/* ---- import --------------------------------------------------------------------------------- */

/* Copies the file, so that both readings see the same bytes. False with errno. */
static bool copy_file(const char *from, const char *to)
{
    uint8_t bytes[65536];
    ssize_t got = -1;
    int in = open(from, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int out = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    while (out >= 0 && (got = read(in, bytes, sizeof bytes)) > 0) {
        if (write(out, bytes, (size_t)got) == got) continue;
        if (errno == 0) errno = ENOSPC;
        got = -1;
        break;
    }
    int why = errno;
    if (in >= 0) close(in);
    if (out >= 0) close(out);
    errno = why;
    return got == 0;
}

/* Reports a fault of the journal's copy as one of the file. */
static int fail_of(const char *path, const short_directory *directory, const char *fault)
{
    size_t length = strlen(directory->file);
    return fail(path, strncmp(fault, directory->file, length) == 0 ? fault + length + 1 : fault);
}

static int import_to(sottod_journal *to, const short_directory *directory, const char *path)
{
    uint8_t id[SOTTO_SPEC_ID_BYTES];
    char text[SPEC_ID_TEXT_BYTES];
    sotto_fault fault;
    sottod_journal *from = NULL;
    const journal_settings settings = {.directory = directory->path, .read_only = true};
    errno = 0;
    if (!copy_file(path, directory->file)) return fail(path, strerror(errno));
    sotto_status status = journal_open(&settings, &from, &fault);
    if (status == SOTTO_OK) status = archive_read(from, to, id, &fault);
    journal_close(from);
    if (status != SOTTO_OK) return fail_of(path, directory, fault.sentence);
    spec_id_print(id, text);
    printf("%s\n", text);
    return 0;
}

int directory_import(const sottod_config *config, const char *path)
{
    sotto_fault fault;
    sottod_journal *to = NULL;
    short_directory directory;
    const journal_settings settings = {.directory = config->data};
    if (!is_in_directory(config, "import")) return 1;
    if (access(path, R_OK) != 0) return fail(path, strerror(errno));
    if (journal_open(&settings, &to, &fault) != SOTTO_OK) return fail(path, fault.sentence);
    bool made = make_short(&directory, config->data, "/import.new");
    if (!made && errno == EEXIST) { /* an earlier import was interrupted */
        remove_short(&directory);
        made = make_short(&directory, config->data, "/import.new");
    }
    int code = made ? import_to(to, &directory, path) : fail(directory.path, strerror(errno));
    if (made) remove_short(&directory);
    journal_close(to);
    return code;
}

int directory_backup(const sottod_config *config, const char *path)
{
    sotto_fault fault;
    if (!is_in_directory(config, "backup")) return 1;
    if (journal_backup(config->data, path, &fault) != SOTTO_OK) {
        fprintf(stderr, "sottod: %s\n", fault.sentence);
        return 1;
    }
    printf("%s: all digests are correct\n", path);
    return 0;
}

/* ---- tokens ----------------------------------------------------------------------------------- */

static int wrong(const char *what, const char *value, const char *allowed)
{
    fprintf(stderr, "sottod: %s %s: allowed %s\n", what, value, allowed);
    return 2;
}

/* A change can be done and still have a fault, which is printed, too. */
static int end_change(bool done, sotto_status status, const sotto_fault *fault)
{
    if (status != SOTTO_OK) fprintf(stderr, "sottod: %s\n", fault->sentence);
    if (!done) return 1;
    fprintf(stderr,
            "sottod: a running service reads the change at SIGHUP (systemctl reload sottod)\n");
    return 0;
}

int directory_add_token(const sottod_config *config, int words, char **word)
{
    char path[PATH_MAX];
    sotto_fault fault;
    token_row row = {.role = token_role_read(word[1], strlen(word[1]))};
    if (!token_name_fits(word[0], strlen(word[0])))
        return wrong("name", word[0],
                     "1 to 32 of a-z, 0-9, '.', '_', '-', the first a letter or a digit");
    if (row.role == AUTH_NOBODY) return wrong("role", word[1], "admin or reader");
    if (words > 2) row.last_day = token_day_read(word[2], strlen(word[2]));
    if (words > 2 && row.last_day == 0)
        return wrong("last day", word[2], "a date such as 2027-01-31");
    snprintf(row.name, sizeof row.name, "%s", word[0]);
    sotto_status status = auth_add(config->data, &row, token_today(), path, sizeof path, &fault);
    if (status == SOTTO_OK) printf("token  %s\n", path);
    return end_change(status == SOTTO_OK, status, &fault);
}

int directory_remove_token(const sottod_config *config, const char *name)
{
    bool done;
    sotto_fault fault;
    sotto_status status = auth_remove(config->data, name, token_today(), &done, &fault);
    return end_change(done, status, &fault);
}
