/* Forwards each function of store.h to the store of the journal. */
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

#define CALL(type, name, parameters, arguments)                                                    \
    type journal_##name parameters                                                                 \
    {                                                                                              \
        return journal->table->name arguments;                                                     \
    }
JOURNAL_CALL_MAP(CALL)
JOURNAL_ALONE_MAP(CALL)
JOURNAL_SHARED_MAP(CALL)
#undef CALL

void journal_close(sottod_journal *journal)
{
    if (journal != NULL) journal->table->close(journal);
}

void journal_abandon(sottod_journal *journal)
{
    journal->table->abandon(journal);
}

bool journal_publishes_here(const sottod_journal *journal)
{
    return journal->table->publishes_here;
}

bool journal_read_history(sottod_journal *journal, uint32_t experiment,
                          bool (*take)(void *self, const journal_history *), void *self)
{
    const journal_span all = {
        .experiment = experiment, .last = UINT32_MAX, .before = INT64_MAX, .rows_max = UINT32_MAX};
    return journal_read_span(journal, &all, take, self);
}

bool journal_read_waiting(sottod_journal *journal, const uint32_t *experiment, uint32_t count,
                          uint64_t *reports)
{
    if (journal->table->read_waiting != NULL)
        return journal->table->read_waiting(journal, experiment, count, reports);
    memset(reports, 0, count * sizeof *reports);
    return true;
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

uint64_t journal_session(const sottod_journal *journal)
{
    return journal->table->session == NULL ? 0 : journal->table->session(journal);
}

bool journal_changed_one(sottod_journal *journal, uint32_t *experiment)
{
    return journal->table->changed_one != NULL && journal->table->changed_one(journal, experiment);
}
