/* A whole journal, with some bytes changed: refused with a sentence, or it says what it said before. Each three
 * bytes of the input are a place in the file and what is added to the byte there. */
#include "core/core.h"
#include "service/store/sqlite/sqlite.h"
#include "specs.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES_MAX 65536u /* a place has 16 bits */

static char directory[64], file[100];
static uint8_t whole[FILE_BYTES_MAX], said[SOTTO__DIGEST_BYTES];
static size_t whole_bytes;

static void read_whole(const char *path, void *out, size_t *bytes)
{
    int fd = open(path, O_RDONLY);
    fuzz_require(fd >= 0);
    ssize_t got = read(fd, out, FILE_BYTES_MAX);
    fuzz_require(got > 0 && got < (ssize_t)FILE_BYTES_MAX);
    *bytes = (size_t)got;
    close(fd);
}

/* The golden journal, as a file. */
static void make_whole(void)
{
    static char sql[FILE_BYTES_MAX];
    size_t bytes;
    sqlite3 *made;
    snprintf(directory, sizeof directory, "fuzz_journal_XXXXXX");
    fuzz_require(mkdtemp(directory) != NULL);
    snprintf(file, sizeof file, "%s/journal.sqlite", directory);
    read_whole(SOTTO_GOLDEN_DIR "/journal.sql", sql, &bytes);
    sql[bytes] = '\0';
    fuzz_require(sqlite3_open(file, &made) == SQLITE_OK);
    fuzz_require(sqlite3_exec(made, "PRAGMA page_size=1024; PRAGMA journal_mode=WAL", NULL, NULL,
                              NULL) == SQLITE_OK);
    fuzz_require(sqlite3_exec(made, sql, NULL, NULL, NULL) == SQLITE_OK);
    fuzz_require(sqlite3_close(made) == SQLITE_OK);
    fuzz_require(chmod(file, 0600) == 0);
    read_whole(file, whole, &whole_bytes);
}

/* ---- all that a journal says */

static void add_bytes(sotto__digest *digest, journal_bytes bytes)
{
    sotto__digest_add(digest, &bytes.bytes, sizeof bytes.bytes);
    if (bytes.bytes > 0) sotto__digest_add(digest, bytes.at, bytes.bytes);
}

static void add_number(sotto__digest *digest, uint64_t number)
{
    sotto__digest_add(digest, &number, sizeof number);
}

static bool take_experiment(void *self, const journal_experiment *e)
{
    sotto__digest *digest = self;
    add_number(digest, e->number);
    add_number(digest, e->state);
    add_number(digest, e->created_minute);
    add_number(digest, e->epoch_reports_min + e->epoch_seconds_min);
    add_number(digest, e->epoch_reports_expected + e->quarantine);
    sotto__digest_add(digest, e->id, sizeof e->id);
    sotto__digest_add(digest, e->report_key, sizeof e->report_key);
    add_bytes(digest, e->terms);
    add_bytes(digest, e->start);
    sotto__digest_add(digest, e->labels, strlen(e->labels));
    return true;
}

static bool take_row(void *self, const journal_row *row)
{
    sotto__digest *digest = self;
    add_number(digest, row->seq);
    add_number(digest, row->experiment);
    add_number(digest, row->kind);
    add_number(digest, row->epoch);
    add_number(digest, row->minute);
    add_number(digest, row->late);
    add_number(digest, row->duplicate);
    add_number(digest, row->conflicting);
    add_bytes(digest, row->frames);
    return true;
}

static bool take_history(void *self, const journal_history *row)
{
    sotto__digest *digest = self;
    add_number(digest, row->epoch);
    add_number(digest, row->minute);
    add_number(digest, row->learn);
    add_number(digest, row->alarms);
    return true;
}

static bool take_snapshot(void *self, const journal_snapshot *snapshot)
{
    add_number(self, snapshot->seq);
    add_bytes(self, snapshot->learner);
    return true;
}

/* False if it was refused, at once or on the way. */
static bool read_journal(uint8_t out[SOTTO__DIGEST_BYTES])
{
    sotto_fault fault = {.field = ""};
    const journal_settings settings = {.directory = directory, .read_only = true};
    sottod_journal *journal;
    if (journal_open(&settings, &journal, &fault) != SOTTO_OK) {
        fuzz_require(journal == NULL && fault.sentence[0] != '\0' &&
                     strlen(fault.sentence) < sizeof fault.sentence);
        return false;
    }
    sotto__digest digest;
    sotto__digest_begin(&digest);
    bool read = journal_read_experiments(journal, take_experiment, &digest) &&
                journal_read_rows(journal, 0, 0, take_row, &digest);
    for (uint32_t i = 1; read && i <= 3; i++) {
        bool found;
        read = journal_read_history(journal, i, take_history, &digest) &&
               journal_read_snapshot(journal, i, take_snapshot, &digest, &found);
    }
    fuzz_require(read || journal_fault(journal)->sentence[0] != '\0');
    sotto__digest_end(&digest, out);
    journal_close(journal);
    return read;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[FILE_BYTES_MAX];
    uint8_t now[SOTTO__DIGEST_BYTES];
    if (whole_bytes == 0) {
        make_whole();
        fuzz_require(read_journal(said));
    }
    memcpy(bytes, whole, whole_bytes);
    for (size_t i = 0; i + 3 <= size; i += 3) {
        size_t place = (size_t)(data[i] | data[i + 1] << 8) % whole_bytes;
        bytes[place] = (uint8_t)(bytes[place] + data[i + 2]);
    }
    int fd = open(file, O_WRONLY | O_TRUNC);
    fuzz_require(fd >= 0 && write(fd, bytes, whole_bytes) == (ssize_t)whole_bytes);
    close(fd);
    if (read_journal(now)) fuzz_require(memcmp(now, said, sizeof now) == 0);
    return 0;
}
