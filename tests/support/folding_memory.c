#include "folding_memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct sottod_folding {
    folding_cut cut; /* of the last folding_waiting */
    uint32_t rows_seen;
    uint64_t seen; /* changes */
    sotto_fault fault;
};

static struct {
    folding_memory_calls calls;
    shared_model fence;
    bool fences;
    uint32_t busy, unsettled;
} memory;

folding_memory_calls folding_memory_look(void)
{
    pthread_mutex_lock(&shared.mutex);
    folding_memory_calls calls = memory.calls;
    pthread_mutex_unlock(&shared.mutex);
    return calls;
}

void folding_memory_fence(const shared_model *by)
{
    memory.fence = *by;
    memory.fences = true;
}

void folding_memory_busy(uint32_t times)
{
    memory.busy = times;
}

void folding_memory_unsettled(uint32_t times)
{
    memory.unsettled = times;
}

static void leave_all(const sottod_folding *folding)
{
    for (uint32_t i = 0; i < 16; i++) {
        if (shared.owner[i] == folding) shared.owner[i] = NULL;
    }
}

sottod_folding *folding_new(const postgres_settings *settings)
{
    (void)settings;
    memory.calls = (folding_memory_calls){0};
    memory.fences = false;
    memory.busy = memory.unsettled = 0;
    return calloc(1, sizeof(sottod_folding));
}

void folding_free(sottod_folding *folding)
{
    if (folding == NULL) return;
    pthread_mutex_lock(&shared.mutex);
    if (shared.publisher == folding) shared.publisher = NULL;
    leave_all(folding);
    pthread_mutex_unlock(&shared.mutex);
    folding_cut_free(&folding->cut);
    free(folding);
}

const sotto_fault *folding_fault(const sottod_folding *folding)
{
    return &folding->fault;
}

void folding_cut_free(folding_cut *cut)
{
    free(cut->place);
    *cut = (folding_cut){.places = 0};
}

static bool refuse(sottod_folding *folding, const char *why)
{
    snprintf(folding->fault.sentence, sizeof folding->fault.sentence, "%s", why);
    return false;
}

/* Takes the mutex; false, without it, if the database is away. */
static bool enter(sottod_folding *folding)
{
    pthread_mutex_lock(&shared.mutex);
    if (!shared.away) return true;
    pthread_mutex_unlock(&shared.mutex);
    return refuse(folding, "the database is away, as the test wants");
}

static bool leave(bool answer)
{
    pthread_mutex_unlock(&shared.mutex);
    return answer;
}

bool folding_lock(sottod_folding *folding, bool *held)
{
    pthread_mutex_lock(&shared.mutex);
    *held = false;
    if (shared.away) return leave(refuse(folding, "the database is away, as the test wants"));
    if (shared.publisher == NULL) shared.publisher = folding;
    *held = shared.publisher == folding;
    return leave(true);
}

bool folding_holds(const sottod_folding *folding)
{
    (void)folding;
    pthread_mutex_lock(&shared.mutex);
    return leave(!shared.away);
}

void folding_hang_up(sottod_folding *folding)
{
    pthread_mutex_lock(&shared.mutex);
    if (shared.publisher == folding) shared.publisher = NULL;
    leave_all(folding);
    leave(true);
}

bool folding_take(sottod_folding *folding, const uint32_t *experiment, uint32_t count)
{
    if (!enter(folding)) return false;
    memory.calls.taken++;
    for (uint32_t i = 0; i < count; i++) {
        const void **owner = &shared.owner[experiment[i] - 1];
        assert(*owner != folding);
        if (*owner == NULL) *owner = folding;
    }
    return leave(true);
}

bool folding_is_mine(const sottod_folding *folding, uint32_t experiment)
{
    pthread_mutex_lock(&shared.mutex);
    return leave(shared.owner[experiment - 1] == folding);
}

bool folding_leave(sottod_folding *folding, uint32_t experiment)
{
    if (!enter(folding)) return false;
    if (shared.owner[experiment - 1] == folding) shared.owner[experiment - 1] = NULL;
    return leave(true);
}

bool folding_crew(sottod_folding *folding, uint32_t *crew)
{
    if (!enter(folding)) return false;
    *crew = shared.crew;
    return leave(true);
}

bool folding_arrivals(sottod_folding *folding, bool anew,
                      bool (*take)(void *self, uint32_t experiment), void *self)
{
    bool goes_on = true;
    if (!enter(folding)) return false;
    memory.calls.arrivals++;
    if (anew) folding->rows_seen = 0;
    for (; goes_on && folding->rows_seen < shared.rows; folding->rows_seen++) {
        goes_on = take(self, shared.row[folding->rows_seen].row.experiment);
    }
    return leave(goes_on);
}

bool folding_read_pace(sottod_folding *folding, uint32_t only,
                       bool (*take)(void *self, uint32_t experiment, uint64_t elapsed_ms),
                       void *self)
{
    bool goes_on = true;
    if (!enter(folding)) return false;
    for (uint32_t i = 0; goes_on && i < shared.experiments; i++) {
        if (only != 0 && (only != shared.experiment[i].number || !shared.paces)) continue;
        goes_on = take(self, shared.experiment[i].number, shared.elapsed_ms[i]);
    }
    return leave(goes_on);
}

bool folding_tell_look(sottod_folding *folding, uint32_t experiment, uint32_t epoch,
                       uint64_t distinct)
{
    (void)epoch;
    if (!enter(folding)) return false;
    assert(shared.owner[experiment - 1] == folding);
    shared.looks[experiment - 1]++;
    shared.distinct[experiment - 1] = distinct;
    shared.changes++;
    return leave(true);
}

static uint64_t place_in(const folding_cut *cut, uint32_t gateway)
{
    for (uint32_t i = 0; i < cut->places; i++) {
        if (cut->place[i].gateway == gateway) return cut->place[i].gseq;
    }
    return 0;
}

static void fill_cut(folding_cut *cut, const shared_cut *from)
{
    cut->place = realloc(cut->place, SHARED_GATEWAYS_MAX * sizeof cut->place[0]);
    assert(cut->place != NULL);
    cut->capacity = SHARED_GATEWAYS_MAX;
    cut->places = 0;
    for (uint32_t g = 1; g <= SHARED_GATEWAYS_MAX; g++) {
        if (from->gseq[g] > 0)
            cut->place[cut->places++] = (folding_place){.gateway = g, .gseq = from->gseq[g]};
    }
}

static folding_model model_of(const shared_model *from, folding_cut *cut)
{
    fill_cut(cut, &from->cut);
    return (folding_model){.experiment = from->experiment,
                           .epoch = from->epoch,
                           .kind = from->kind,
                           .minute = from->minute,
                           .counts = from->counts,
                           .learner = from->learner,
                           .results = from->results,
                           .cut = *cut};
}

static shared_model kept(const folding_model *from)
{
    shared_model to = {.experiment = from->experiment,
                       .epoch = from->epoch,
                       .kind = from->kind,
                       .minute = from->minute,
                       .counts = from->counts,
                       .learner = shared_keep(from->learner),
                       .results = shared_keep(from->results)};
    for (uint32_t i = 0; i < from->cut.places; i++) {
        to.cut.gseq[from->cut.place[i].gateway] = from->cut.place[i].gseq;
    }
    return to;
}

bool folding_read_experiments(sottod_folding *folding,
                              bool (*take)(void *self, const journal_experiment *), void *self)
{
    bool goes_on = true;
    if (!enter(folding)) return false;
    for (uint32_t i = 0; goes_on && i < shared.experiments; i++) {
        goes_on = take(self, &shared.experiment[i]);
    }
    return leave(goes_on);
}

bool folding_read_models(sottod_folding *folding, uint32_t experiment, uint32_t from,
                         bool (*take)(void *self, const folding_model *), void *self)
{
    bool goes_on = true;
    folding_cut cut = {.places = 0};
    if (!enter(folding)) return false;
    for (uint32_t i = 0; goes_on && i < shared.models; i++) {
        const shared_model *model = &shared.model[i];
        if (model->experiment != experiment || model->epoch < from) continue;
        const folding_model given = model_of(model, &cut);
        goes_on = take(self, &given);
    }
    folding_cut_free(&cut);
    return leave(goes_on);
}

bool folding_waiting(sottod_folding *folding, uint32_t experiment, const folding_cut *from,
                     const folding_cut **cut, uint64_t *reports)
{
    shared_cut last = {.gseq = {0}};
    sotto_terms terms;
    if (!enter(folding)) return false;
    memory.calls.waiting++;
    const journal_bytes *bytes = &shared.experiment[experiment - 1].terms;
    assert(sotto_terms_decode(bytes->at, bytes->bytes, &terms) == SOTTO_OK);
    *reports = 0;
    for (uint32_t i = 0; i < shared.rows; i++) {
        const shared_row *there = &shared.row[i];
        if (there->row.experiment != experiment) continue;
        last.gseq[there->gateway] = there->row.seq;
        if (there->row.seq > place_in(from, there->gateway))
            *reports += there->row.frames.bytes / sotto_report_bytes(&terms);
    }
    fill_cut(&folding->cut, &last);
    *cut = &folding->cut;
    return leave(true);
}

bool folding_read_rows(sottod_folding *folding, uint32_t experiment, const folding_cut *from,
                       const folding_cut *to, bool (*take)(void *self, const journal_row *),
                       void *self)
{
    bool goes_on = true;
    if (!enter(folding)) return false;
    for (uint32_t g = 1; goes_on && g <= SHARED_GATEWAYS_MAX; g++) {
        for (uint32_t i = 0; goes_on && i < shared.rows; i++) {
            const shared_row *there = &shared.row[i];
            if (there->row.experiment != experiment || there->gateway != g) continue;
            if (there->row.seq <= place_in(from, g) || there->row.seq > place_in(to, g)) continue;
            memory.calls.rows_read++;
            goes_on = take(self, &there->row);
        }
    }
    return leave(goes_on);
}

bool folding_end(sottod_folding *folding, const folding_model *ended, bool *fenced)
{
    *fenced = false;
    if (!enter(folding)) return false;
    const shared_model *model = shared_newest(ended->experiment);
    shared_model *to = &shared.ended[ended->experiment - 1];
    *fenced = to->learner.bytes > 0 || ended->epoch != (model == NULL ? 0 : model->epoch) ||
              shared.experiment[ended->experiment - 1].state != JOURNAL_CLOSED;
    if (!*fenced) *to = kept(ended);
    shared.changes += !*fenced;
    return leave(true);
}

bool folding_read_ended(sottod_folding *folding, uint32_t experiment,
                        bool (*take)(void *self, const folding_model *), void *self)
{
    folding_cut cut = {.places = 0};
    if (!enter(folding)) return false;
    if (shared.ended[experiment - 1].learner.bytes == 0) return leave(true);
    const folding_model given = model_of(&shared.ended[experiment - 1], &cut);
    bool goes_on = take(self, &given);
    folding_cut_free(&cut);
    return leave(goes_on);
}

bool folding_settle(sottod_folding *folding, bool *busy)
{
    *busy = false;
    if (!enter(folding)) return false;
    *busy = memory.unsettled > 0;
    memory.unsettled -= *busy;
    memory.calls.settled += !*busy;
    return leave(true);
}

static bool is_there(uint32_t experiment, uint32_t epoch)
{
    for (uint32_t i = 0; i < shared.models; i++) {
        if (shared.model[i].experiment == experiment && shared.model[i].epoch == epoch) return true;
    }
    return false;
}

bool folding_publish(sottod_folding *folding, const folding_model *model,
                     const journal_history *history, bool by_force, bool *fenced)
{
    (void)by_force;
    *fenced = false;
    if (!enter(folding)) return false;
    if (memory.fences) shared.model[shared.models++] = memory.fence;
    memory.fences = false;
    journal_held *held = &shared.held[model->experiment - 1];
    bool is_held = held->reports > 0 && held->epoch + 1 == model->epoch;
    *fenced = is_there(model->experiment, model->epoch) ||
              (is_held ? held->decision : JOURNAL_REPORTS) != model->decided ||
              shared.experiment[model->experiment - 1].state == JOURNAL_CLOSED;
    if (*fenced) return leave(true);
    assert(shared.models < SHARED_MOST);
    shared.model[shared.models++] = kept(model);
    shared.history[shared.histories++] = *history;
    *held = (journal_held){.reports = 0};
    shared.changes++;
    return leave(true);
}

bool folding_hold(sottod_folding *folding, const journal_held *held, bool *fenced)
{
    *fenced = false;
    if (!enter(folding)) return false;
    const shared_model *model = shared_newest(held->experiment);
    *fenced = held->epoch != (model == NULL ? 0 : model->epoch);
    assert(held->reports > 0 && held->alarms != 0);
    if (!*fenced) shared.held[held->experiment - 1] = *held;
    shared.changes += !*fenced;
    return leave(true);
}

bool folding_read_held(sottod_folding *folding, bool (*take)(void *self, const journal_held *),
                       void *self)
{
    bool goes_on = true;
    if (!enter(folding)) return false;
    for (uint32_t i = 0; goes_on && i < shared.experiments; i++) {
        if (shared.held[i].reports > 0) goes_on = take(self, &shared.held[i]);
    }
    return leave(goes_on);
}

bool folding_set_state(sottod_folding *folding, uint32_t experiment, journal_state state)
{
    if (!enter(folding)) return false;
    shared.experiment[experiment - 1].state = state;
    shared.changes++;
    return leave(true);
}

bool folding_retain(sottod_folding *folding, uint32_t experiment, const folding_retention *rule,
                    const folding_cut *cut, uint32_t oldest_open, uint32_t keep_models_from)
{
    (void)experiment;
    if (!enter(folding)) return false;
    memory.calls.retained++;
    memory.calls.cut_places = cut->places;
    memory.calls.oldest_open = oldest_open;
    memory.calls.keep_models_from = keep_models_from;
    memory.calls.keep_reports = rule->keep_reports;
    if (memory.busy == 0) return leave(true);
    memory.busy--;
    return leave(refuse(folding, "busy, as the test wants"));
}

bool folding_thin_history(sottod_folding *folding, uint64_t before_minute)
{
    (void)before_minute;
    return enter(folding) && leave(true);
}

bool folding_wait(sottod_folding *folding, int timeout_ms, bool *changed)
{
    *changed = false;
    for (int ms = 0; ms < timeout_ms; ms++) {
        const struct timespec slice = {.tv_nsec = 1000000};
        if (!enter(folding)) return false;
        *changed = folding->seen != shared.changes;
        folding->seen = shared.changes;
        leave(true);
        if (*changed) return true;
        nanosleep(&slice, NULL);
    }
    return true;
}
