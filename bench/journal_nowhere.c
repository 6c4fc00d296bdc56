/* A journal that keeps nothing and never fails, so that only the service's own work is measured. */
#include "journal_nowhere.h"
#include "service/store/store.h"

static uint64_t last;

static bool nowhere_read_experiments(sottod_journal *journal,
                                     bool (*take)(void *self, const journal_experiment *),
                                     void *self)
{
    (void)journal, (void)take, (void)self;
    return true;
}

static bool nowhere_read_snapshot(sottod_journal *journal, uint32_t experiment,
                                  bool (*take)(void *self, const journal_snapshot *), void *self,
                                  bool *found)
{
    (void)journal, (void)experiment, (void)take, (void)self;
    *found = false;
    return true;
}

static bool nowhere_read_rows(sottod_journal *journal, uint32_t experiment, uint64_t after,
                              bool (*take)(void *self, const journal_row *), void *self)
{
    (void)journal, (void)experiment, (void)after, (void)take, (void)self;
    return true;
}

static bool nowhere_read_span(sottod_journal *journal, const journal_span *span,
                              bool (*take)(void *self, const journal_history *), void *self)
{
    (void)journal, (void)span, (void)take, (void)self;
    return true;
}

static const sotto_fault *nowhere_fault(const sottod_journal *journal)
{
    (void)journal;
    static const sotto_fault wanted = {.sentence = ""};
    return &wanted;
}

static bool nowhere_begin(sottod_journal *journal)
{
    (void)journal;
    return true;
}

static bool nowhere_commit(sottod_journal *journal)
{
    (void)journal;
    return true;
}

static void nowhere_abandon(sottod_journal *journal)
{
    (void)journal;
}

static bool nowhere_add_experiment(sottod_journal *journal, journal_experiment *experiment)
{
    (void)journal;
    experiment->number = 1;
    return true;
}

static bool nowhere_set_state(sottod_journal *journal, uint32_t experiment, journal_state state)
{
    (void)journal, (void)experiment, (void)state;
    return true;
}

static bool nowhere_append(sottod_journal *journal, journal_row *row)
{
    (void)journal;
    row->seq = ++last;
    return true;
}

static bool nowhere_put_snapshot(sottod_journal *journal, const journal_snapshot *snapshot)
{
    (void)journal, (void)snapshot;
    return true;
}

static bool nowhere_add_history(sottod_journal *journal, const journal_history *history)
{
    (void)journal, (void)history;
    return true;
}

static bool nowhere_tidy(sottod_journal *journal, uint64_t before_minute, bool *more)
{
    (void)journal, (void)before_minute;
    *more = false;
    return true;
}

static bool nowhere_remove_rows(sottod_journal *journal, uint32_t experiment, uint64_t seq)
{
    (void)journal, (void)experiment, (void)seq;
    return true;
}

static bool nowhere_scrub(sottod_journal *journal)
{
    (void)journal;
    return true;
}

/* The benchmarks never call the functions that are missing here. */
static const journal_table table = {
    .read_experiments = nowhere_read_experiments,
    .read_snapshot = nowhere_read_snapshot,
    .read_rows = nowhere_read_rows,
    .read_span = nowhere_read_span,
    .fault = nowhere_fault,
    .begin = nowhere_begin,
    .commit = nowhere_commit,
    .abandon = nowhere_abandon,
    .add_experiment = nowhere_add_experiment,
    .set_state = nowhere_set_state,
    .append = nowhere_append,
    .put_snapshot = nowhere_put_snapshot,
    .add_history = nowhere_add_history,
    .tidy = nowhere_tidy,
    .remove_rows = nowhere_remove_rows,
    .scrub = nowhere_scrub,
};

static sottod_journal nowhere = {&table};

sottod_journal *journal_nowhere(void)
{
    return &nowhere;
}
