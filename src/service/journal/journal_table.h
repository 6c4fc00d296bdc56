/* A kind of journal: journal.c passes each function of journal.h on to that of its kind. What they do is
 * said in journal.h; a kind that cannot do something answers false and says why. */
#ifndef SERVICE_JOURNAL_TABLE_H
#define SERVICE_JOURNAL_TABLE_H

#include "journal.h"

typedef struct journal_table {
    bool shared;
    void (*close)(sottod_journal *journal);
    const char *(*fault)(const sottod_journal *journal);
    const char *(*reason)(const sottod_journal *journal);
    uint64_t (*last)(const sottod_journal *journal);
    uint64_t (*disk_bytes)(const sottod_journal *journal);
    uint64_t (*commits)(const sottod_journal *journal, uint64_t *last_us);
    bool (*read_experiments)(sottod_journal *journal,
                             bool (*take)(void *self, const journal_experiment *), void *self);
    bool (*read_snapshot)(sottod_journal *journal, uint32_t experiment,
                          bool (*take)(void *self, const journal_snapshot *), void *self,
                          bool *found);
    bool (*read_rows)(sottod_journal *journal, uint32_t experiment, uint64_t after,
                      bool (*take)(void *self, const journal_row *), void *self);
    bool (*read_history)(sottod_journal *journal, uint32_t experiment,
                         bool (*take)(void *self, const journal_history *), void *self);
    bool (*begin)(sottod_journal *journal);
    bool (*commit)(sottod_journal *journal);
    void (*abandon)(sottod_journal *journal);
    bool (*add_experiment)(sottod_journal *journal, journal_experiment *experiment);
    bool (*set_state)(sottod_journal *journal, uint32_t experiment, journal_state state);
    bool (*set_quarantine)(sottod_journal *journal, uint32_t experiment, bool quarantine);
    bool (*append)(sottod_journal *journal, journal_row *row);
    bool (*put_snapshot)(sottod_journal *journal, const journal_snapshot *snapshot);
    bool (*add_history)(sottod_journal *journal, const journal_history *history);
    bool (*thin_history)(sottod_journal *journal, uint64_t before_minute);
    bool (*remove_rows)(sottod_journal *journal, uint32_t experiment, uint64_t seq);
    bool (*probe)(sottod_journal *journal);
    bool (*scrub)(sottod_journal *journal);
    bool (*read_news)(sottod_journal *journal, bool (*take)(void *self, const journal_news *),
                      void *self);
    bool (*read_waiting)(sottod_journal *journal, const uint32_t *experiment, uint32_t count,
                         uint64_t *reports);
    bool (*end_fallback)(sottod_journal *journal, uint32_t experiment, bool *done);
    bool (*decide)(sottod_journal *journal, uint32_t experiment, uint32_t epoch,
                   journal_kind decision, bool *held);
    int (*fd)(const sottod_journal *journal);
    bool (*changed)(sottod_journal *journal);
} journal_table;

/* The first member of each kind's own struct. */
struct sottod_journal {
    const journal_table *table;
};

#endif
