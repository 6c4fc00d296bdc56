/* Each function of store.h is passed on to that of the journal's kind. */
#include "store.h"

#include <stddef.h>

const char *journal_state_name(journal_state state)
{
    static const char *const names[] = {
#define NAME(name, text) [JOURNAL_##name] = text,
        JOURNAL_STATE_MAP(NAME)
#undef NAME
    };
    return (uint32_t)state < sizeof names / sizeof names[0] ? names[state] : NULL;
}

void journal_close(sottod_journal *journal)
{
    if (journal != NULL) journal->table->close(journal);
}

const char *journal_fault(const sottod_journal *journal)
{
    return journal->table->fault(journal);
}

const char *journal_reason(const sottod_journal *journal)
{
    return journal->table->reason(journal);
}

uint64_t journal_last(const sottod_journal *journal)
{
    return journal->table->last(journal);
}

uint64_t journal_disk_bytes(const sottod_journal *journal)
{
    return journal->table->disk_bytes(journal);
}

uint64_t journal_commits(const sottod_journal *journal, uint64_t *last_us)
{
    return journal->table->commits(journal, last_us);
}

bool journal_read_experiments(sottod_journal *journal,
                              bool (*take)(void *self, const journal_experiment *), void *self)
{
    return journal->table->read_experiments(journal, take, self);
}

bool journal_read_snapshot(sottod_journal *journal, uint32_t experiment,
                           bool (*take)(void *self, const journal_snapshot *), void *self,
                           bool *found)
{
    return journal->table->read_snapshot(journal, experiment, take, self, found);
}

bool journal_read_rows(sottod_journal *journal, uint32_t experiment, uint64_t after,
                       bool (*take)(void *self, const journal_row *), void *self)
{
    return journal->table->read_rows(journal, experiment, after, take, self);
}

bool journal_read_history(sottod_journal *journal, uint32_t experiment,
                          bool (*take)(void *self, const journal_history *), void *self)
{
    const journal_span all = {
        .experiment = experiment, .last = UINT32_MAX, .before = INT64_MAX, .rows_max = UINT32_MAX};
    return journal_read_span(journal, &all, take, self);
}

bool journal_read_span(sottod_journal *journal, const journal_span *span,
                       bool (*take)(void *self, const journal_history *), void *self)
{
    return journal->table->read_span(journal, span, take, self);
}

bool journal_newest(sottod_journal *journal, uint32_t experiment, uint32_t *epoch)
{
    return journal->table->newest(journal, experiment, epoch);
}

bool journal_slice(sottod_journal *journal, uint32_t experiment, uint64_t oldest_open, uint64_t *to,
                   bool *more)
{
    return journal->table->slice(journal, experiment, oldest_open, to, more);
}

bool journal_begin(sottod_journal *journal)
{
    return journal->table->begin(journal);
}

bool journal_commit(sottod_journal *journal)
{
    return journal->table->commit(journal);
}

void journal_abandon(sottod_journal *journal)
{
    journal->table->abandon(journal);
}

bool journal_add_experiment(sottod_journal *journal, journal_experiment *experiment)
{
    return journal->table->add_experiment(journal, experiment);
}

bool journal_set_state(sottod_journal *journal, uint32_t experiment, journal_state state)
{
    return journal->table->set_state(journal, experiment, state);
}

bool journal_set_quarantine(sottod_journal *journal, uint32_t experiment, bool quarantine)
{
    return journal->table->set_quarantine(journal, experiment, quarantine);
}

bool journal_set_access(sottod_journal *journal, uint32_t experiment, const char *labels,
                        const uint8_t *report_key)
{
    return journal->table->set_access(journal, experiment, labels, report_key);
}

bool journal_append(sottod_journal *journal, journal_row *row)
{
    return journal->table->append(journal, row);
}

bool journal_put_snapshot(sottod_journal *journal, const journal_snapshot *snapshot)
{
    return journal->table->put_snapshot(journal, snapshot);
}

bool journal_add_history(sottod_journal *journal, const journal_history *history)
{
    return journal->table->add_history(journal, history);
}

bool journal_tidy(sottod_journal *journal, uint64_t before_minute, bool *more)
{
    return journal->table->tidy(journal, before_minute, more);
}

bool journal_remove_rows(sottod_journal *journal, uint32_t experiment, uint64_t seq)
{
    return journal->table->remove_rows(journal, experiment, seq);
}

bool journal_probe(sottod_journal *journal)
{
    return journal->table->probe(journal);
}

bool journal_scrub(sottod_journal *journal)
{
    return journal->table->scrub(journal);
}

bool journal_read_news(sottod_journal *journal, uint32_t only,
                       bool (*take)(void *self, const journal_news *), void *self)
{
    return journal->table->read_news(journal, only, take, self);
}

uint64_t journal_session(const sottod_journal *journal)
{
    return journal->table->session == NULL ? 0 : journal->table->session(journal);
}

bool journal_read_waiting(sottod_journal *journal, const uint32_t *experiment, uint32_t count,
                          uint64_t *reports)
{
    if (journal->table->read_waiting != NULL)
        return journal->table->read_waiting(journal, experiment, count, reports);
    memset(reports, 0, count * sizeof *reports);
    return true;
}

bool journal_end_fallback(sottod_journal *journal, uint32_t experiment, bool *done)
{
    return journal->table->end_fallback(journal, experiment, done);
}

bool journal_decide(sottod_journal *journal, uint32_t experiment, uint32_t epoch,
                    journal_kind decision, bool *held)
{
    *held = true;
    return journal->table->decide == NULL ||
           journal->table->decide(journal, experiment, epoch, decision, held);
}

int journal_fd(const sottod_journal *journal)
{
    return journal->table->fd == NULL ? -1 : journal->table->fd(journal);
}

bool journal_changed(sottod_journal *journal)
{
    return journal->table->changed != NULL && journal->table->changed(journal);
}

bool journal_changed_one(sottod_journal *journal, uint32_t *experiment)
{
    return journal->table->changed_one != NULL && journal->table->changed_one(journal, experiment);
}

bool journal_publishes_here(const sottod_journal *journal)
{
    return journal->table->publishes_here;
}
