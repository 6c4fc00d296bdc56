/* A journal that keeps nothing and never fails: what is left is the service's own work. */
#include "journal_nowhere.h"

static uint64_t last;

const char *journal_state_name(journal_state state)
{
    (void)state;
    return "";
}

bool journal_read_experiments(sottod_journal *journal,
                              bool (*take)(void *self, const journal_experiment *), void *self)
{
    (void)journal, (void)take, (void)self;
    return true;
}

bool journal_read_snapshot(sottod_journal *journal, uint32_t experiment,
                           bool (*take)(void *self, const journal_snapshot *), void *self,
                           bool *found)
{
    (void)journal, (void)experiment, (void)take, (void)self;
    *found = false;
    return true;
}

bool journal_read_rows(sottod_journal *journal, uint32_t experiment, uint64_t after,
                       bool (*take)(void *self, const journal_row *), void *self)
{
    (void)journal, (void)experiment, (void)after, (void)take, (void)self;
    return true;
}

bool journal_read_history(sottod_journal *journal, uint32_t experiment,
                          bool (*take)(void *self, const journal_history *), void *self)
{
    (void)journal, (void)experiment, (void)take, (void)self;
    return true;
}

const char *journal_fault(const sottod_journal *journal)
{
    (void)journal;
    return "";
}

bool journal_begin(sottod_journal *journal)
{
    (void)journal;
    return true;
}

bool journal_commit(sottod_journal *journal)
{
    (void)journal;
    return true;
}

void journal_abandon(sottod_journal *journal)
{
    (void)journal;
}

bool journal_add_experiment(sottod_journal *journal, journal_experiment *experiment)
{
    (void)journal;
    experiment->number = 1;
    return true;
}

bool journal_set_state(sottod_journal *journal, uint32_t experiment, journal_state state)
{
    (void)journal, (void)experiment, (void)state;
    return true;
}

bool journal_append(sottod_journal *journal, journal_row *row)
{
    (void)journal;
    row->seq = ++last;
    return true;
}

bool journal_put_snapshot(sottod_journal *journal, const journal_snapshot *snapshot)
{
    (void)journal, (void)snapshot;
    return true;
}

bool journal_add_history(sottod_journal *journal, const journal_history *history)
{
    (void)journal, (void)history;
    return true;
}

bool journal_thin_history(sottod_journal *journal, uint64_t before_minute)
{
    (void)journal, (void)before_minute;
    return true;
}

bool journal_remove_rows(sottod_journal *journal, uint32_t experiment, uint64_t seq)
{
    (void)journal, (void)experiment, (void)seq;
    return true;
}

bool journal_scrub(sottod_journal *journal)
{
    (void)journal;
    return true;
}
