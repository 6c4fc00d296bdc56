/* The real journal in temporary directories, for tests written for the journal in memory. Calls
 * fail through the linker: the test is linked with --wrap for each function below. */
#include "directory.h"
#include "journal_memory.h"
#include "journals.h"

#define PLACES 4

/* A test has few journals at a time. */
static struct {
    journals made[PLACES];
    bool taken[PLACES];
    sottod_journal *failing;
    uint32_t calls_left;
    bool failed;
} disk = {.calls_left = UINT32_MAX};

static int place_of(const sottod_journal *journal)
{
    for (int i = 0; i < PLACES; i++) {
        if (disk.taken[i] && disk.made[i].journal == journal) return i;
    }
    fail_msg("no such journal");
    return 0;
}

sottod_journal *journal_memory_new(void)
{
    int i = 0;
    while (disk.taken[i]) {
        i++;
        assert_true(i < PLACES);
    }
    disk.taken[i] = true;
    disk.made[i] = journals_new();
    journals_open(&disk.made[i]);
    return disk.made[i].journal;
}

sottod_journal *journal_memory_again(sottod_journal *journal)
{
    journals *test = &disk.made[place_of(journal)];
    journals_reopen(test);
    return test->journal;
}

void journal_memory_free(sottod_journal *journal)
{
    int i = place_of(journal);
    journals_free(&disk.made[i]);
    disk.taken[i] = false;
}

void journal_memory_fail_after(sottod_journal *journal, uint32_t calls)
{
    disk.failing = journal;
    disk.calls_left = calls;
    disk.failed = false;
}

bool journal_memory_has_failed(const sottod_journal *journal)
{
    return disk.failing == journal && disk.failed;
}

static bool works(const sottod_journal *journal)
{
    if (disk.failing != journal || disk.calls_left == UINT32_MAX) return true;
    if (disk.calls_left-- > 0) return true;
    disk.failed = true;
    return false;
}

#define WRAPPED(name, arguments, ...)                                                              \
    bool __real_##name arguments;                                                                  \
    bool __wrap_##name arguments;                                                                  \
    bool __wrap_##name arguments                                                                   \
    {                                                                                              \
        return works(journal) && __real_##name(__VA_ARGS__);                                       \
    }

WRAPPED(journal_begin, (sottod_journal * journal), journal)
WRAPPED(journal_commit, (sottod_journal * journal), journal)
WRAPPED(journal_append, (sottod_journal * journal, journal_row *row), journal, row)
WRAPPED(journal_put_snapshot, (sottod_journal * journal, const journal_snapshot *snapshot), journal,
        snapshot)
WRAPPED(journal_add_history, (sottod_journal * journal, const journal_history *history), journal,
        history)
WRAPPED(journal_tidy, (sottod_journal * journal, uint64_t before_minute, bool *more), journal,
        before_minute, more)
WRAPPED(journal_remove_rows, (sottod_journal * journal, uint32_t experiment, uint64_t seq), journal,
        experiment, seq)
WRAPPED(journal_scrub, (sottod_journal * journal), journal)
