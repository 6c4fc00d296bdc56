/* A journal in memory, as a journal kind of its own. It keeps lists of plain rows whose bytes are
 * never freed before the end, so a rollback only restores the earlier lists. */
#include "journal_memory.h"
#include "core/core.h"
#include "service/store/sqlite/sqlite.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct list {
    void *at;
    size_t each;
    uint32_t count, capacity;
} list;

typedef struct content {
    list experiments, rows, snapshots, history;
    uint64_t seq;
} content;

typedef struct block {
    struct block *next;
} block;

typedef struct memory {
    sottod_journal base;
    content now, before;
    bool inside;
    block *blocks;
    uint32_t calls_left;
    bool failed;
    uint32_t scrubs, thinned;
    uint64_t commits;
} memory;

static void *list_add(list *l)
{
    if (l->count == l->capacity) {
        l->capacity = l->capacity == 0 ? 16 : 2 * l->capacity;
        l->at = realloc(l->at, l->capacity * l->each);
        assert(l->at != NULL);
    }
    return memset((char *)l->at + l->each * l->count++, 0, l->each);
}

static void list_drop(list *l, uint32_t i)
{
    char *at = (char *)l->at + l->each * i;
    memmove(at, at + l->each, l->each * (--l->count - i));
}

static void list_copy(list *to, const list *from)
{
    if (to->capacity < from->count) {
        to->capacity = from->capacity;
        to->at = realloc(to->at, to->capacity * to->each);
        assert(to->at != NULL);
    }
    to->count = from->count;
    if (from->count > 0) memcpy(to->at, from->at, from->each * from->count);
}

static void content_copy(content *to, const content *from)
{
    list_copy(&to->experiments, &from->experiments);
    list_copy(&to->rows, &from->rows);
    list_copy(&to->snapshots, &from->snapshots);
    list_copy(&to->history, &from->history);
    to->seq = from->seq;
}

static const content empty = {.experiments = {.each = sizeof(journal_experiment)},
                              .rows = {.each = sizeof(journal_row)},
                              .snapshots = {.each = sizeof(journal_snapshot)},
                              .history = {.each = sizeof(journal_history)}};

static void content_free(content *c)
{
    free(c->experiments.at);
    free(c->rows.at);
    free(c->snapshots.at);
    free(c->history.at);
}

static void memory_close(sottod_journal *base)
{
    memory *journal = (memory *)base;
    content_free(&journal->now);
    content_free(&journal->before);
    while (journal->blocks != NULL) {
        block *next = journal->blocks->next;
        free(journal->blocks);
        journal->blocks = next;
    }
    free(journal);
}

static void *keep(memory *journal, const void *bytes, size_t count)
{
    block *kept = malloc(sizeof *kept + count + 1);
    assert(kept != NULL);
    kept->next = journal->blocks;
    journal->blocks = kept;
    if (count > 0) memcpy(kept + 1, bytes, count);
    return kept + 1;
}

static journal_bytes keep_bytes(memory *journal, journal_bytes bytes)
{
    return (journal_bytes){keep(journal, bytes.at, bytes.bytes), bytes.bytes};
}

static const sotto_fault *memory_fault(const sottod_journal *base)
{
    (void)base;
    static const sotto_fault wanted = {.sentence = "the journal failed as the test wants"};
    return &wanted;
}

static uint64_t memory_last(const sottod_journal *base)
{
    return ((const memory *)base)->now.seq;
}

static uint64_t memory_disk_bytes(const sottod_journal *base)
{
    (void)base;
    return 0;
}

static uint64_t memory_commits(const sottod_journal *base, uint64_t *last_us)
{
    *last_us = 0;
    return ((const memory *)base)->commits;
}

/* ---- what tests want */

void journal_memory_fail_after(sottod_journal *base, uint32_t calls)
{
    memory *journal = (memory *)base;
    journal->calls_left = calls;
    journal->failed = false;
}

bool journal_memory_has_failed(const sottod_journal *base)
{
    return ((const memory *)base)->failed;
}

static bool works(memory *journal)
{
    if (journal->calls_left == UINT32_MAX || journal->calls_left-- > 0) return true;
    journal->failed = true;
    return false; /* calls_left is UINT32_MAX again: once */
}

static bool writes(memory *journal)
{
    assert(journal->inside);
    return works(journal);
}

uint32_t journal_memory_rows(const sottod_journal *base, uint32_t experiment, uint64_t *oldest)
{
    const memory *journal = (const memory *)base;
    const journal_row *row = journal->now.rows.at;
    uint32_t count = 0;
    *oldest = 0;
    for (uint32_t i = 0; i < journal->now.rows.count; i++) {
        if (row[i].experiment != experiment) continue;
        if (count++ == 0) *oldest = row[i].seq;
    }
    return count;
}

uint32_t journal_memory_scrubs(const sottod_journal *base)
{
    return ((const memory *)base)->scrubs;
}

uint32_t journal_memory_thinned(const sottod_journal *base)
{
    return ((const memory *)base)->thinned;
}

journal_row *journal_memory_row(sottod_journal *base, uint64_t seq)
{
    memory *journal = (memory *)base;
    journal_row *row = journal->now.rows.at;
    for (uint32_t i = 0; i < journal->now.rows.count; i++) {
        if (row[i].seq == seq) return &row[i];
    }
    return NULL;
}

static journal_experiment *find_experiment(memory *journal, uint32_t number)
{
    journal_experiment *experiment = journal->now.experiments.at;
    return number >= 1 && number <= journal->now.experiments.count ? &experiment[number - 1] : NULL;
}

static journal_snapshot *find_snapshot(memory *journal, uint32_t number)
{
    journal_snapshot *snapshot = journal->now.snapshots.at;
    for (uint32_t i = 0; i < journal->now.snapshots.count; i++) {
        if (snapshot[i].experiment == number) return &snapshot[i];
    }
    return NULL;
}

/* ---- reading */

static bool memory_read_experiments(sottod_journal *base,
                                    bool (*take)(void *self, const journal_experiment *),
                                    void *self)
{
    memory *journal = (memory *)base;
    assert(!journal->inside);
    const journal_experiment *experiment = journal->now.experiments.at;
    for (uint32_t i = 0; i < journal->now.experiments.count; i++) {
        if (!take(self, &experiment[i])) return false;
    }
    return true;
}

static bool memory_read_snapshot(sottod_journal *base, uint32_t experiment,
                                 bool (*take)(void *self, const journal_snapshot *), void *self,
                                 bool *found)
{
    const journal_snapshot *snapshot = find_snapshot((memory *)base, experiment);
    *found = snapshot != NULL;
    return snapshot == NULL || take(self, snapshot);
}

static bool memory_read_rows(sottod_journal *base, uint32_t experiment, uint64_t after,
                             bool (*take)(void *self, const journal_row *), void *self)
{
    const list *rows = &((memory *)base)->now.rows;
    const journal_row *row = rows->at;
    for (uint32_t i = 0; i < rows->count; i++) {
        if (experiment != 0 && row[i].experiment != experiment) continue;
        if (row[i].seq > after && !take(self, &row[i])) return false;
    }
    return true;
}

static bool memory_read_span(sottod_journal *base, const journal_span *span,
                             bool (*take)(void *self, const journal_history *), void *self)
{
    memory *journal = (memory *)base;
    const journal_history *history = journal->now.history.at;
    uint32_t rows = 0;
    for (uint32_t i = 0; rows < span->rows_max && i < journal->now.history.count; i++) {
        const journal_history *h = &history[i];
        if (h->experiment != span->experiment) continue;
        if (h->epoch < span->first || h->epoch > span->last) continue;
        if (h->minute < span->from || h->minute >= span->before) continue;
        if (!take(self, h)) return false;
        rows++;
    }
    return true;
}

/* ---- writing */

static bool memory_begin(sottod_journal *base)
{
    memory *journal = (memory *)base;
    assert(!journal->inside);
    if (!works(journal)) return false;
    content_copy(&journal->before, &journal->now);
    journal->inside = true;
    return true;
}

static bool memory_commit(sottod_journal *base)
{
    memory *journal = (memory *)base;
    if (!writes(journal)) return false;
    journal->inside = false;
    journal->commits++;
    return true;
}

static void memory_abandon(sottod_journal *base)
{
    memory *journal = (memory *)base;
    assert(journal->inside);
    content_copy(&journal->now, &journal->before);
    journal->inside = false;
}

static bool memory_add_experiment(sottod_journal *base, journal_experiment *experiment)
{
    memory *journal = (memory *)base;
    if (!writes(journal)) return false;
    experiment->number = journal->now.experiments.count + 1;
    journal_experiment *added = list_add(&journal->now.experiments);
    *added = *experiment;
    added->terms = keep_bytes(journal, experiment->terms);
    added->start = keep_bytes(journal, experiment->start);
    added->labels = keep(journal, experiment->labels, strlen(experiment->labels) + 1);
    return true;
}

/* Takes all rows of an experiment out of a list whose rows have its number at `at`. */
static void drop_all(list *l, size_t at, uint32_t experiment)
{
    for (uint32_t i = l->count; i-- > 0;) {
        uint32_t number;
        memcpy(&number, (char *)l->at + l->each * i + at, sizeof number);
        if (number == experiment) list_drop(l, i);
    }
}

static bool memory_set_state(sottod_journal *base, uint32_t experiment, journal_state state)
{
    memory *journal = (memory *)base;
    if (!writes(journal)) return false;
    journal_experiment *changed = find_experiment(journal, experiment);
    assert(changed != NULL && changed->state != JOURNAL_DELETED);
    changed->state = state;
    if (state != JOURNAL_DELETED) return true;
    changed->terms = changed->start = (journal_bytes){0};
    changed->labels = "";
    drop_all(&journal->now.rows, offsetof(journal_row, experiment), experiment);
    drop_all(&journal->now.snapshots, offsetof(journal_snapshot, experiment), experiment);
    drop_all(&journal->now.history, offsetof(journal_history, experiment), experiment);
    return true;
}

/* Frames are of the experiment, sorted by nonce, and the newest is of the row's epoch. */
static void check_frames(memory *journal, const journal_row *row)
{
    const journal_experiment *of = find_experiment(journal, row->experiment);
    sotto_terms terms;
    uint32_t newest = 0;
    assert(sotto_terms_decode(of->terms.at, of->terms.bytes, &terms) == SOTTO_OK);
    size_t each = sotto_report_bytes(&terms);
    assert(row->frames.bytes % each == 0);
    for (size_t at = 0; at < row->frames.bytes; at += each) {
        const uint8_t *frame = row->frames.at + at;
        uint32_t epoch = sotto__get_u32(frame + 20);
        newest = epoch > newest ? epoch : newest;
        assert(memcmp(frame + SOTTO__REPORT_SPEC_ID_AT, terms.id, sizeof terms.id) == 0);
        assert(at == 0 || memcmp(frame - each + SOTTO__REPORT_NONCE_AT,
                                 frame + SOTTO__REPORT_NONCE_AT, SOTTO_NONCE_BYTES) < 0);
    }
    assert(newest == row->epoch);
}

static bool memory_append(sottod_journal *base, journal_row *row)
{
    memory *journal = (memory *)base;
    if (!writes(journal)) return false;
    const journal_experiment *of = find_experiment(journal, row->experiment);
    assert(of != NULL && of->state != JOURNAL_DELETED);
    if (row->kind == JOURNAL_REPORTS) {
        assert(row->minute == 0);
        assert(row->frames.bytes > 0 || row->late + row->duplicate + row->conflicting > 0);
        check_frames(journal, row);
    }
    row->seq = ++journal->now.seq;
    journal_row *added = list_add(&journal->now.rows);
    *added = *row;
    added->frames = keep_bytes(journal, row->frames);
    return true;
}

static bool memory_put_snapshot(sottod_journal *base, const journal_snapshot *snapshot)
{
    memory *journal = (memory *)base;
    if (!writes(journal)) return false;
    journal_snapshot *there = find_snapshot(journal, snapshot->experiment);
    assert(there == NULL || there->seq <= snapshot->seq);
    if (there == NULL) there = list_add(&journal->now.snapshots);
    *there = *snapshot;
    there->learner = keep_bytes(journal, snapshot->learner);
    return true;
}

static bool memory_add_history(sottod_journal *base, const journal_history *history)
{
    memory *journal = (memory *)base;
    if (!writes(journal)) return false;
    journal_history *there = journal->now.history.at;
    for (uint32_t i = 0; i < journal->now.history.count; i++) {
        if (there[i].experiment != history->experiment || there[i].epoch != history->epoch)
            continue;
        there[i] = *history;
        return true;
    }
    *(journal_history *)list_add(&journal->now.history) = *history;
    return true;
}

static void add_to(journal_history *sum, const journal_history *more)
{
    sum->epoch = more->epoch;
    sum->minute = more->minute;
#define ADD(sign, width, type, name) sum->name += more->name;
    JOURNAL_STATISTIC_MAP(ADD)
#undef ADD
}

static bool memory_tidy(sottod_journal *base, uint64_t before_minute, bool *more)
{
    memory *journal = (memory *)base;
    *more = false;
    if (!writes(journal)) return false;
    journal->thinned += before_minute > 0;
    list *history = &journal->now.history;
    journal_history *at = history->at;
    for (uint32_t i = 0; i < history->count; i++) {
        for (uint32_t j = i + 1; at[i].minute < before_minute && j < history->count;) {
            bool same = at[j].experiment == at[i].experiment && at[j].minute < before_minute &&
                        at[j].minute / 60 == at[i].minute / 60;
            if (same) {
                add_to(&at[i], &at[j]);
                list_drop(history, j);
            } else {
                j++;
            }
        }
    }
    return true;
}

static bool memory_newest(sottod_journal *base, uint32_t experiment, uint32_t *epoch)
{
    memory *journal = (memory *)base;
    const journal_history *h = journal->now.history.at;
    *epoch = 0;
    for (uint32_t i = 0; i < journal->now.history.count; i++) {
        if (h[i].experiment == experiment && h[i].epoch > *epoch) *epoch = h[i].epoch;
    }
    return true;
}

static bool memory_slice(sottod_journal *base, uint32_t experiment, uint64_t oldest_open,
                         uint64_t *to, bool *more)
{
    memory *journal = (memory *)base;
    const list *rows = &journal->now.rows;
    const journal_row *row = rows->at;
    const journal_snapshot *snapshot = find_snapshot(journal, experiment);
    uint64_t weight = 0;
    *to = 0;
    *more = false;
    for (uint32_t i = 0; snapshot != NULL && !*more && i < rows->count; i++) {
        if (row[i].experiment != experiment) continue;
        if (row[i].seq > snapshot->seq) break;
        if (row[i].frames.bytes > 0 && row[i].epoch >= oldest_open) break;
        *more = weight >= JOURNAL_SLICE_BYTES;
        if (!*more) *to = row[i].seq;
        weight += row[i].frames.bytes + JOURNAL_ROW_BYTES;
    }
    return true;
}

static bool memory_remove_rows(sottod_journal *base, uint32_t experiment, uint64_t seq)
{
    memory *journal = (memory *)base;
    if (!writes(journal)) return false;
    const journal_snapshot *snapshot = find_snapshot(journal, experiment);
    assert(snapshot != NULL && seq <= snapshot->seq);
    list *rows = &journal->now.rows;
    uint32_t kept = 0;
    journal_row *row = rows->at;
    for (uint32_t i = 0; i < rows->count; i++) {
        bool removed = row[i].experiment == experiment && row[i].seq <= seq;
        if (!removed) row[kept++] = row[i];
    }
    assert(kept < rows->count); /* callers remove only what exists */
    rows->count = kept;
    return true;
}

static bool memory_probe(sottod_journal *base)
{
    memory *journal = (memory *)base;
    assert(!journal->inside);
    return works(journal);
}

static bool memory_scrub(sottod_journal *base)
{
    memory *journal = (memory *)base;
    assert(!journal->inside);
    if (!works(journal)) return false;
    journal->scrubs++;
    return true;
}

static bool memory_set_quarantine(sottod_journal *base, uint32_t experiment, bool quarantine)
{
    memory *journal = (memory *)base;
    if (!writes(journal)) return false;
    journal_experiment *changed = find_experiment(journal, experiment);
    assert(changed != NULL && changed->state != JOURNAL_DELETED);
    changed->quarantine = quarantine;
    return true;
}

static bool memory_set_access(sottod_journal *base, uint32_t experiment, const char *labels,
                              const uint8_t *report_key)
{
    memory *journal = (memory *)base;
    if (!writes(journal)) return false;
    journal_experiment *changed = find_experiment(journal, experiment);
    assert(changed != NULL && changed->state != JOURNAL_DELETED);
    changed->labels = keep(journal, labels, strlen(labels) + 1);
    changed->has_report_key = report_key != NULL;
    if (report_key != NULL) memcpy(changed->report_key, report_key, sizeof changed->report_key);
    return true;
}

static const char *memory_reason(const sottod_journal *base)
{
    (void)base;
    return NULL;
}

#define ROW(type, name, parameters, arguments) .name = memory_##name,
static const journal_table table = {.publishes_here = true,
                                    .close = memory_close,
                                    .abandon = memory_abandon,
                                    JOURNAL_CALL_MAP(ROW) JOURNAL_ALONE_MAP(ROW)};
#undef ROW

/* ---- made, and let go */

sottod_journal *journal_memory_new(void)
{
    memory *journal = calloc(1, sizeof *journal);
    assert(journal != NULL);
    journal->base.table = &table;
    journal->now = journal->before = empty;
    journal->calls_left = UINT32_MAX;
    return &journal->base;
}

sottod_journal *journal_memory_again(sottod_journal *base)
{
    assert(!((memory *)base)->inside);
    return base;
}

void journal_memory_free(sottod_journal *base)
{
    journal_close(base);
}

journal_experiment *journal_memory_experiment(sottod_journal *base, uint32_t number)
{
    return find_experiment((memory *)base, number);
}

journal_snapshot *journal_memory_snapshot(sottod_journal *base, uint32_t number)
{
    return find_snapshot((memory *)base, number);
}

sotto_status journal_open(const journal_settings *settings, sottod_journal **out,
                          sotto_fault *fault)
{
    (void)settings;
    (void)fault;
    *out = journal_memory_new();
    return true;
}
