#include "shared_memory.h"
#include "core/core.h"
#include "service/store/store.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

shared_database shared;

typedef struct block {
    struct block *next;
} block;

typedef struct gateway {
    sottod_journal base;
    uint32_t number;
    uint64_t seen; /* changes */
    uint64_t commits;
    bool inside, failed;
    /* What the transaction does when it is committed. */
    journal_row row[64];
    uint32_t rows;
    journal_experiment *added;
    journal_experiment *changed;
    journal_state state;
    bool quarantine;
    const char *labels; /* NULL: these and the key do not change */
    const uint8_t *report_key;
    const journal_held *decided; /* the new value of held */
    journal_held decision;
    sotto_fault fault;
} gateway;

void shared_memory_start(void)
{
    shared = (shared_database){.away = false, .crew = 1};
    pthread_mutex_init(&shared.mutex, NULL);
}

void shared_memory_end(void)
{
    for (block *b = shared.block; b != NULL;) {
        block *next = b->next;
        free(b);
        b = next;
    }
    pthread_mutex_destroy(&shared.mutex);
}

void shared_memory_set_away(bool away)
{
    pthread_mutex_lock(&shared.mutex);
    shared.away = away;
    if (away) shared.publisher = NULL;
    for (uint32_t i = 0; away && i < 16; i++) {
        shared.owner[i] = NULL;
    }
    pthread_mutex_unlock(&shared.mutex);
}

journal_bytes shared_keep(journal_bytes bytes)
{
    block *kept = malloc(sizeof *kept + bytes.bytes + 1);
    assert(kept != NULL);
    kept->next = shared.block;
    shared.block = kept;
    if (bytes.bytes > 0) memcpy(kept + 1, bytes.at, bytes.bytes);
    ((uint8_t *)(kept + 1))[bytes.bytes] = 0;
    return (journal_bytes){(const uint8_t *)(kept + 1), bytes.bytes};
}

const shared_model *shared_newest(uint32_t experiment)
{
    const shared_model *newest = NULL;
    for (uint32_t i = 0; i < shared.models; i++) {
        const shared_model *model = &shared.model[i];
        if (model->experiment != experiment) continue;
        if (newest == NULL || model->epoch > newest->epoch) newest = model;
    }
    return newest;
}

/* ---- a gateway */

static gateway *of(sottod_journal *base)
{
    return (gateway *)base;
}

static bool refuse(gateway *g, const char *why)
{
    strcpy(g->fault.sentence, why);
    g->failed = true;
    return false;
}

/* Takes the mutex. False, without the mutex, if the database is away. */
static bool enter(gateway *g)
{
    pthread_mutex_lock(&shared.mutex);
    shared.calls += !shared.away;
    if (!shared.away) return true;
    pthread_mutex_unlock(&shared.mutex);
    return refuse(g, "the database is away, as the test wants");
}

static bool leave(bool answer)
{
    pthread_mutex_unlock(&shared.mutex);
    return answer;
}

static void gateway_close(sottod_journal *base)
{
    free(base);
}

static const sotto_fault *gateway_fault(const sottod_journal *base)
{
    return &((const gateway *)base)->fault;
}

static uint64_t none(const sottod_journal *base)
{
    (void)base;
    return 0;
}

static uint64_t gateway_commits(const sottod_journal *base, uint64_t *last_us)
{
    *last_us = 0;
    return ((const gateway *)base)->commits;
}

static bool gateway_read_experiments(sottod_journal *base,
                                     bool (*take)(void *self, const journal_experiment *),
                                     void *self)
{
    bool goes_on = true;
    if (!enter(of(base))) return false;
    for (uint32_t i = 0; goes_on && i < shared.experiments; i++) {
        goes_on = take(self, &shared.experiment[i]);
    }
    return leave(goes_on);
}

static bool gateway_read_snapshot(sottod_journal *base, uint32_t experiment,
                                  bool (*take)(void *self, const journal_snapshot *), void *self,
                                  bool *found)
{
    *found = false;
    if (!enter(of(base))) return false;
    shared.snapshots_read++;
    const shared_model *model = shared_newest(experiment);
    const shared_model *all[] = {model, &shared.ended[experiment - 1]};
    bool goes_on = true;
    for (uint32_t i = 0; goes_on && i < 2; i++) {
        if (all[i] == NULL || (i == 1 && all[i]->learner.bytes == 0)) continue;
        const journal_snapshot snapshot = {.experiment = experiment,
                                           .seq = all[i]->epoch,
                                           .counts = all[i]->counts,
                                           .learner = all[i]->learner,
                                           .results = all[i]->results,
                                           .ended = i == 1};
        *found = true;
        goes_on = take(self, &snapshot);
    }
    return leave(goes_on);
}

static bool gateway_read_news(sottod_journal *base, uint32_t only,
                              bool (*take)(void *self, const journal_news *), void *self)
{
    bool goes_on = true;
    if (!enter(of(base))) return false;
    for (uint32_t i = 0; goes_on && i < shared.experiments; i++) {
        const journal_experiment *e = &shared.experiment[i];
        const shared_model *model = shared_newest(e->number);
        if (only != 0 && e->number != only) continue;
        journal_news news = {.experiment = e->number,
                             .state = e->state,
                             .quarantine = e->quarantine,
                             .epoch = model == NULL ? 0 : model->epoch,
                             .held = shared.held[i],
                             .ended = shared.ended[i].learner.bytes > 0,
                             .mark = e->mark,
                             .looks = shared.looks[i],
                             .distinct = shared.distinct[i]};
        if (news.held.epoch != news.epoch) news.held = (journal_held){.reports = 0};
        goes_on = take(self, &news);
    }
    shared.changes += shared.changes_meanwhile;
    shared.changes_meanwhile = false;
    return leave(goes_on);
}

static bool gateway_read_rows(sottod_journal *base, uint32_t experiment, uint64_t after,
                              bool (*take)(void *self, const journal_row *), void *self)
{
    (void)experiment, (void)after, (void)take, (void)self;
    return refuse(of(base), "a gateway reads no rows");
}

static bool gateway_read_span(sottod_journal *base, const journal_span *span,
                              bool (*take)(void *self, const journal_history *), void *self)
{
    bool goes_on = true;
    if (!enter(of(base))) return false;
    uint32_t rows = 0;
    for (uint32_t i = 0; goes_on && rows < span->rows_max && i < shared.histories; i++) {
        const journal_history *h = &shared.history[i];
        if (h->experiment != span->experiment) continue;
        if (h->epoch < span->first || h->epoch > span->last) continue;
        if (h->minute < span->from || h->minute >= span->before) continue;
        goes_on = take(self, h);
        rows++;
    }
    return leave(goes_on);
}

static bool gateway_begin(sottod_journal *base)
{
    gateway *g = of(base);
    assert(!g->inside);
    if (!enter(g)) return false;
    g->inside = true;
    g->failed = false;
    g->rows = 0;
    g->added = g->changed = NULL;
    g->labels = NULL;
    g->decided = NULL;
    return leave(true);
}

static void gateway_abandon(sottod_journal *base)
{
    assert(of(base)->inside);
    of(base)->inside = false;
}

static journal_experiment *find(uint32_t number)
{
    return number >= 1 && number <= shared.experiments ? &shared.experiment[number - 1] : NULL;
}

/* Frames are of the experiment, sorted by nonce, and the newest is of the row's epoch. */
static void check_frames(const journal_experiment *experiment, const journal_row *row)
{
    sotto_terms terms;
    uint32_t newest = 0;
    assert(sotto_terms_decode(experiment->terms.at, experiment->terms.bytes, &terms) == SOTTO_OK);
    size_t each = sotto_report_bytes(&terms);
    assert(row->frames.bytes % each == 0);
    assert(row->frames.bytes > 0 || row->late + row->duplicate > 0);
    assert(row->conflicting == 0); /* only the publisher sets it */
    for (size_t at = 0; at < row->frames.bytes; at += each) {
        const uint8_t *frame = row->frames.at + at;
        uint32_t epoch = sotto__get_u32(frame + SOTTO__REPORT_EPOCH_AT);
        newest = epoch > newest ? epoch : newest;
        assert(at == 0 || memcmp(frame - each + SOTTO__REPORT_NONCE_AT,
                                 frame + SOTTO__REPORT_NONCE_AT, SOTTO_NONCE_BYTES) <= 0);
    }
    assert(newest == row->epoch);
}

static bool gateway_append(sottod_journal *base, journal_row *row)
{
    gateway *g = of(base);
    assert(g->inside);
    if (!enter(g)) return false;
    const journal_experiment *experiment = find(row->experiment);
    assert(experiment != NULL && row->kind == JOURNAL_REPORTS);
    if (experiment->state >= JOURNAL_CLOSED) {
        g->seen = UINT64_MAX;
        return leave(refuse(g, "the experiment is over meanwhile"));
    }
    check_frames(experiment, row);
    assert(g->rows < 64);
    g->row[g->rows] = *row;
    g->row[g->rows++].frames = shared_keep(row->frames);
    return leave(true);
}

static bool gateway_add_experiment(sottod_journal *base, journal_experiment *experiment)
{
    gateway *g = of(base);
    assert(g->inside);
    if (!enter(g)) return false;
    for (uint32_t i = 0; i < shared.experiments; i++) {
        if (memcmp(shared.experiment[i].id, experiment->id, sizeof experiment->id) == 0)
            return leave(refuse(g, "an experiment of this id is there"));
    }
    experiment->number = shared.experiments + 1;
    experiment->mark = 1;
    g->added = experiment;
    return leave(true);
}

static bool gateway_set_state(sottod_journal *base, uint32_t experiment, journal_state state)
{
    gateway *g = of(base);
    assert(g->inside);
    if (!enter(g)) return false;
    g->changed = find(experiment);
    assert(g->changed != NULL);
    if (g->changed->state == JOURNAL_DELETED) return leave(refuse(g, "it is deleted"));
    if (g->changed->state == JOURNAL_CLOSED && state < JOURNAL_CLOSED)
        return leave(refuse(g, "it is closed"));
    g->state = state;
    g->quarantine = g->changed->quarantine;
    return leave(true);
}

static bool gateway_set_quarantine(sottod_journal *base, uint32_t experiment, bool quarantine)
{
    gateway *g = of(base);
    assert(g->inside);
    if (!enter(g)) return false;
    g->changed = find(experiment);
    assert(g->changed != NULL);
    g->state = g->changed->state;
    g->quarantine = quarantine;
    return leave(true);
}

static bool gateway_set_access(sottod_journal *base, uint32_t experiment, const char *labels,
                               const uint8_t *report_key)
{
    gateway *g = of(base);
    assert(g->inside);
    if (!enter(g)) return false;
    g->changed = find(experiment);
    assert(g->changed != NULL);
    g->state = g->changed->state;
    g->quarantine = g->changed->quarantine;
    g->labels = labels;
    g->report_key = report_key;
    return leave(true);
}

/* Marks the row as changed. */
static void change_experiment(const gateway *g)
{
    journal_experiment *changed = g->changed;
    changed->mark++;
    changed->state = g->state;
    changed->quarantine = g->quarantine;
    if (g->labels == NULL) return;
    const journal_bytes labels = {(const uint8_t *)g->labels, strlen(g->labels)};
    changed->labels = (const char *)shared_keep(labels).at;
    changed->has_report_key = g->report_key != NULL;
    if (g->report_key != NULL)
        memcpy(changed->report_key, g->report_key, sizeof changed->report_key);
}

static bool gateway_read_waiting(sottod_journal *base, const uint32_t *experiment, uint32_t count,
                                 uint64_t *reports)
{
    if (!enter(of(base))) return false;
    for (uint32_t i = 0; i < count; i++) {
        sotto_terms terms;
        const shared_model *model = shared_newest(experiment[i]);
        const journal_bytes *bytes = &find(experiment[i])->terms;
        assert(sotto_terms_decode(bytes->at, bytes->bytes, &terms) == SOTTO_OK);
        reports[i] = 0;
        for (uint32_t k = 0; k < shared.rows; k++) {
            const shared_row *row = &shared.row[k];
            if (row->row.experiment == experiment[i] &&
                (model == NULL || row->row.seq > model->cut.gseq[row->gateway]))
                reports[i] += row->row.frames.bytes / sotto_report_bytes(&terms) + row->row.late +
                              row->row.duplicate;
        }
    }
    return leave(true);
}

static bool gateway_decide(sottod_journal *base, uint32_t experiment, uint32_t epoch,
                           journal_kind decision, bool *held)
{
    gateway *g = of(base);
    assert(g->inside && experiment >= 1 && experiment <= shared.experiments);
    *held = false;
    if (!enter(g)) return false;
    const shared_model *model = shared_newest(experiment);
    const journal_held *there = &shared.held[experiment - 1];
    *held = there->reports > 0 && there->epoch == epoch &&
            epoch == (model == NULL ? 0 : model->epoch) && find(experiment)->state == JOURNAL_OPEN;
    if (!*held) return leave(true);
    g->decided = there;
    g->decision = *there;
    g->decision.decision = decision;
    return leave(true);
}

static void add_row(const gateway *g, const journal_row *row)
{
    uint64_t gseq = 0;
    for (uint32_t i = 0; i < shared.rows; i++) {
        const shared_row *there = &shared.row[i];
        if (there->gateway == g->number && there->row.experiment == row->experiment)
            gseq = there->row.seq;
    }
    assert(shared.rows < SHARED_MOST);
    shared.row[shared.rows] = (shared_row){g->number, *row};
    shared.row[shared.rows++].row.seq = gseq + 1;
}

static void add_experiment(const journal_experiment *added)
{
    assert(shared.experiments < 16);
    journal_experiment *to = &shared.experiment[shared.experiments++];
    const journal_bytes labels = {(const uint8_t *)added->labels, strlen(added->labels)};
    *to = *added;
    to->terms = shared_keep(added->terms);
    to->start = shared_keep(added->start);
    to->labels = (const char *)shared_keep(labels).at;
}

static bool gateway_commit(sottod_journal *base)
{
    gateway *g = of(base);
    assert(g->inside);
    if (g->failed || !enter(g)) return false;
    for (uint32_t i = 0; i < g->rows; i++) {
        add_row(g, &g->row[i]);
    }
    if (g->added != NULL) add_experiment(g->added);
    if (g->changed != NULL) change_experiment(g);
    if (g->decided != NULL) shared.held[g->decision.experiment - 1] = g->decision;
    if (g->added != NULL || g->changed != NULL || g->decided != NULL) shared.changes++;
    g->inside = false;
    g->commits++;
    return leave(true);
}

static bool gateway_probe(sottod_journal *base)
{
    return enter(of(base)) && leave(true);
}

static int gateway_fd(const sottod_journal *base)
{
    (void)base;
    pthread_mutex_lock(&shared.mutex);
    int fd = shared.away ? -1 : 0; /* tests never poll it */
    pthread_mutex_unlock(&shared.mutex);
    return fd;
}

static bool gateway_changed(sottod_journal *base)
{
    gateway *g = of(base);
    pthread_mutex_lock(&shared.mutex);
    bool changed = g->seen != shared.changes;
    if (!shared.away) g->seen = shared.changes;
    return leave(changed);
}

static uint64_t gateway_session(const sottod_journal *base)
{
    (void)base;
    return shared.session;
}

/* The functions that are missing here belong to the publisher. */
static const journal_table table = {
    .close = gateway_close,
    .fault = gateway_fault,
    .last = none,
    .disk_bytes = none,
    .commits = gateway_commits,
    .read_experiments = gateway_read_experiments,
    .read_snapshot = gateway_read_snapshot,
    .read_rows = gateway_read_rows,
    .read_span = gateway_read_span,
    .begin = gateway_begin,
    .commit = gateway_commit,
    .abandon = gateway_abandon,
    .add_experiment = gateway_add_experiment,
    .set_state = gateway_set_state,
    .set_quarantine = gateway_set_quarantine,
    .set_access = gateway_set_access,
    .append = gateway_append,
    .probe = gateway_probe,
    .read_news = gateway_read_news,
    .read_waiting = gateway_read_waiting,
    .decide = gateway_decide,
    .session = gateway_session,
    .fd = gateway_fd,
    .changed = gateway_changed,
};

sottod_journal *shared_memory_gateway(void)
{
    gateway *g = calloc(1, sizeof *g);
    assert(g != NULL);
    g->base.table = &table;
    pthread_mutex_lock(&shared.mutex);
    g->number = ++shared.gateways;
    pthread_mutex_unlock(&shared.mutex);
    assert(g->number <= SHARED_GATEWAYS_MAX);
    return &g->base;
}
