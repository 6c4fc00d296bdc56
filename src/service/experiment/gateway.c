/*
 * One of several services with a shared journal: it reads experiments, states and models again when another process
 * changed something. A model whose epoch is not newer is ignored, so that epochs never go back. If something cannot be
 * used, the log says so, it is retried, and the last usable state is kept; without one, this service does not use the
 * experiment. The others continue. */
#include "inner.h"
#include "service/system/system.h"

#include <stdlib.h>
#include <string.h>

#define READINGS_MAX 20u   /* per second */
#define READ_AT_ONCE 1000u /* experiments; if there are more, readings are rarer */
#define SECOND_MS 1000u
#define CATCH_UPS_MAX 100u /* per second */
#define RETRY_MS 1000u     /* without a connection, which would wake us */
#define LATEST_MS 60000u   /* a reading happens at least this often */
#define COUNTS_MS 100u     /* how long counts of copies and late frames wait for reports */
#define DAMAGED_MS 10000u  /* between two readings of damaged rows */

/* ---- a model */

typedef struct model_restore {
    sottod_experiment *experiment;
    sotto_fault *fault;
} model_restore;

static bool refuse(const model_restore *self, const char *why)
{
    (void)sotto__refuse(self->fault, "experiment %u, its model: %s", self->experiment->number, why);
    return false;
}

/* A closed experiment also has reports after its last model, which are not published: the model and the published
 * measurements stay. */
static bool take_end(const model_restore *self, const journal_snapshot *snapshot)
{
    sottod_experiment *experiment = self->experiment;
    epoch_engine *engine = experiment->engine;
    engine_model end;
    if (experiment->ended || snapshot->seq != engine_epoch(engine)) return true;
    if (engine_read_model(engine, snapshot, &end, self->fault) != SOTTO_OK) return false;
    sotto_learner_free(engine->learner);
    engine->learner = end.learner;
    end.learner = NULL;
    engine_model_free(&end);
    engine->counts = snapshot->counts;
    experiment->waiting = 0;
    experiment->ended = true;
    return true;
}

static bool take_model(void *context, const journal_snapshot *snapshot)
{
    const model_restore *self = context;
    sottod_experiment *experiment = self->experiment;
    epoch_engine *engine = experiment->engine;
    engine_model read;
    if (snapshot->ended) return take_end(self, snapshot);
    if (snapshot->seq <= engine_epoch(engine)) return true;
    if (engine_read_model(engine, snapshot, &read, self->fault) != SOTTO_OK) return false;
    uint8_t *model = malloc(experiment->model_bytes);
    const bool fits =
        model != NULL && sotto_model_encode(&engine->terms, sotto_learner_model(read.learner),
                                            model, experiment->model_bytes) == SOTTO_OK;
    if (fits) {
        engine_take_model(engine, &read, &snapshot->counts);
        memcpy(experiment->model, model, experiment->model_bytes);
        experiment->waiting = 0;
    }
    engine_model_free(&read);
    free(model);
    return fits || refuse(self, "not enough memory, or it has numbers that devices refuse");
}

/* Without a connection, no other model can be read either. */
static sotto_status read_model(sottod_journal *journal, sottod_experiment *experiment,
                               sotto_fault *fault)
{
    bool found;
    model_restore self = {experiment, fault};
    fault->sentence[0] = '\0';
    if (journal_read_snapshot(journal, experiment->number, take_model, &self, &found)) {
        experiment->blind = false;
        return SOTTO_OK;
    }
    if (fault->sentence[0] == '\0') *fault = *journal_fault(journal);
    return SOTTO_E_FAULT;
}

static sotto_status recover_one(sottod_journal *journal, sottod_experiment *experiment,
                                sotto_fault *fault)
{
    if (!experiment_encode_model(experiment))
        return sotto__refuse(fault,
                             "experiment %u: its first model has numbers that devices refuse",
                             experiment->number);
    experiment->blind = true;
    sotto_status status = read_model(journal, experiment, fault);
    return journal_fd(journal) >= 0 ? SOTTO_OK : status;
}

static sotto_status recover(sottod_experiments *all, sotto_fault *fault)
{
    sotto_status status = SOTTO_OK;
    for (uint32_t i = 0; status == SOTTO_OK && i < all->live_count; i++) {
        status = recover_one(all->journal, all->live[i], fault);
    }
    return status;
}

/* ---- all */

typedef struct refreshing {
    sottod_experiments *all;
    uint64_t now_ms;
    /* an experiment is unknown here, or has changed; or it is time to read all */
    bool unknown;
} refreshing;

/* Numbers begin at 1 without gaps, so it usually is at its own index. */
static sottod_experiment *find_number(const sottod_experiments *all, uint32_t number)
{
    if (number <= all->every_count && all->every[number - 1]->number == number)
        return all->every[number - 1];
    for (uint32_t i = 0; i < all->every_count; i++) {
        if (all->every[i]->number == number) return all->every[i];
    }
    return NULL;
}

/* The publisher folded the waiting reports and few of them count: the others take no room. */
static void hear_of_look(sottod_experiment *known, const journal_news *news)
{
    if (news->looks == 0 || news->looks == known->looks) return;
    known->looks = news->looks;
    if (news->epoch == experiment_epoch(known) && news->distinct < known->waiting)
        known->waiting = news->distinct;
}

/* Notifications are not trusted: the row itself is read and its digest checked. */
static bool take_news(void *context, const journal_news *news)
{
    refreshing *self = context;
    sottod_experiments *all = self->all;
    sottod_experiment *known = find_number(all, news->experiment);
    bool damaged = damaged_has_number(&all->damaged, news->experiment) &&
                   self->now_ms - all->all_read_ms < DAMAGED_MS;
    bool is_so = known != NULL && (known->state == JOURNAL_DELETED ||
                                   (known->state == news->state &&
                                    known->engine->hold.quarantine == news->quarantine &&
                                    known->mark == news->mark));
    if (!is_so && !damaged) self->unknown = true;
    if (known == NULL || known->state == JOURNAL_DELETED) return true;
    known->newest = news->epoch;
    hear_of_look(known, news);
    known->will_end = news->ended;
    hold_hear(&known->engine->hold, &news->held);
    return true;
}

static void take_over(sottod_experiments *all, sottod_experiment *known,
                      const journal_experiment *row)
{
    if (known->state == JOURNAL_DELETED) return;
    known->engine->hold.quarantine = row->quarantine;
    if (row->state != JOURNAL_DELETED && experiment_take_access(known, row))
        known->mark = row->mark;
    if (known->state != row->state) experiment_become(all, known, row->state);
}

static bool take_experiment(void *context, const journal_experiment *row)
{
    const refreshing *self = context;
    sotto_fault fault;
    if (row->damaged) {
        damaged_note(&self->all->damaged, row, self->all->log);
        return true;
    }
    sottod_experiment *known = experiments_find(self->all, row->id);
    if (known != NULL) {
        take_over(self->all, known, row);
        return true;
    }
    if (experiments_take(self->all, row, self->now_ms, &fault) != SOTTO_OK) {
        log_why(self->all->log, LOG_ERROR, "experiment_cannot_be_used", fault.sentence);
        return true;
    }
    sottod_experiment *added = experiments_find(self->all, row->id);
    added->newest = UINT32_MAX; /* unknown yet */
    added->blind = true;
    if (added->model != NULL) experiment_encode_model(added);
    return true;
}

static bool read_experiments(refreshing *self)
{
    sottod_experiments *all = self->all;
    damaged_begin(&all->damaged);
    if (!journal_read_experiments(all->journal, take_experiment, self)) return false;
    damaged_end(&all->damaged, all->log);
    all->all_read_ms = self->now_ms;
    return true;
}

/* An unusable model is read again, but not at once. */
static bool is_to_be_read(const sottod_experiment *experiment, uint64_t now_ms)
{
    bool has_more = experiment->blind || experiment->newest > experiment_epoch(experiment) ||
                    experiment->will_end != experiment->ended;
    if (experiment->model == NULL || !has_more) return false;
    return !experiment->unusable || experiment->unusable_epoch != experiment->newest ||
           now_ms - experiment->unusable_ms >= DAMAGED_MS;
}

static void note_unusable(sottod_experiments *all, sottod_experiment *experiment, uint64_t now_ms,
                          const sotto_fault *fault)
{
    if (!experiment->unusable || experiment->unusable_epoch != experiment->newest)
        log_why(all->log, LOG_ERROR, "model_cannot_be_used", fault->sentence);
    experiment->unusable = true;
    experiment->unusable_epoch = experiment->newest;
    experiment->unusable_ms = now_ms;
}

/* False: the database is unreachable. */
static bool read_newer_model(sottod_experiments *all, sottod_experiment *experiment,
                             uint64_t now_ms)
{
    sotto_fault fault;
    if (!is_to_be_read(experiment, now_ms)) return true;
    bool reads_end = experiment->will_end;
    bool read = read_model(all->journal, experiment, &fault) == SOTTO_OK;
    if (!read && journal_fd(all->journal) < 0) return false;
    if (read) experiment->ended = reads_end;
    if (read) experiment->unusable = false;
    if (!read) note_unusable(all, experiment, now_ms, &fault);
    return true;
}

static bool read_newer_models(sottod_experiments *all, uint64_t now_ms)
{
    all->has_unusable = false;
    for (uint32_t i = 0; i < all->live_count; i++) {
        if (!read_newer_model(all, all->live[i], now_ms)) return false;
        all->has_unusable = all->has_unusable || all->live[i]->unusable;
    }
    return true;
}

static void count_reading(sottod_experiments *all, uint64_t now_ms)
{
    if (now_ms - all->second_ms >= SECOND_MS) {
        all->second_ms = now_ms;
        all->readings = 0;
    }
    all->readings++;
    all->refreshed_ms = now_ms;
}

static bool refresh(sottod_experiments *all, uint64_t now_ms)
{
    refreshing self = {
        .all = all, .now_ms = now_ms, .unknown = now_ms - all->all_read_ms >= LATEST_MS};
    count_reading(all, now_ms);
    all->named_count = 0;
    bool read = journal_read_news(all->journal, 0, take_news, &self) &&
                (!self.unknown || read_experiments(&self)) && read_newer_models(all, now_ms);
    all->failed = all->stale = !read;
    return read;
}

/* Reads one experiment that was announced to have a new model. If anything else of it changed, all are read at the
 * next turn. */
static bool refresh_one(sottod_experiments *all, uint32_t number, uint64_t now_ms)
{
    refreshing self = {.all = all, .now_ms = now_ms};
    sottod_experiment *known = find_number(all, number);
    if (known == NULL || known->state == JOURNAL_DELETED) {
        all->stale = true;
        return true;
    }
    bool read = journal_read_news(all->journal, number, take_news, &self) &&
                read_newer_model(all, known, now_ms);
    all->failed = !read;
    if (!read || self.unknown) all->stale = true;
    all->has_unusable = all->has_unusable || known->unusable;
    return read;
}

/* Reads the announced experiments; if `stale` is set, all are read instead. */
static bool refresh_named(sottod_experiments *all, uint64_t now_ms)
{
    bool read = true;
    while (read && all->named_count > 0) {
        read = refresh_one(all, all->named[--all->named_count], now_ms);
    }
    return read;
}

static bool turn(sottod_experiments *all, uint64_t now_ms, uint64_t minute, bool drained)
{
    (void)minute, (void)drained;
    all->ready_ms = EXPERIMENT_NEVER_MS; /* epochs do not end in this process */
    epochs_notice(all);
    bool names_only = all->named_count > 0 && !all->stale && !all->failed &&
                      journal_fd(all->journal) >= 0 && now_ms - all->refreshed_ms < LATEST_MS;
    bool read = names_only ? refresh_named(all, now_ms) : refresh(all, now_ms);
    epochs_notice(all); /* a change that arrived during the reading causes no other wake-up */
    return read;
}

/* Reading many experiments takes long. */
static bool is_too_often(const sottod_experiments *all, uint64_t now_ms)
{
    uint32_t most = all->live_count <= READ_AT_ONCE ? READINGS_MAX
                                                    : READINGS_MAX * READ_AT_ONCE / all->live_count;
    return all->readings > 0 && all->readings >= most && now_ms - all->second_ms < SECOND_MS;
}

static uint64_t wait_ms(const sottod_experiments *all, uint64_t now_ms)
{
    bool damaged = all->damaged.count > 0 || all->has_unusable;
    uint64_t next_ms = all->refreshed_ms + (damaged ? DAMAGED_MS : LATEST_MS);
    if (journal_fd(all->journal) < 0) next_ms = all->refreshed_ms + RETRY_MS;
    if (all->stale) next_ms = is_too_often(all, now_ms) ? all->second_ms + SECOND_MS : now_ms;
    if (all->named_count > 0) next_ms = now_ms;
    if (all->failed) next_ms = all->refreshed_ms + RETRY_MS;
    return next_ms <= now_ms ? 0 : next_ms - now_ms;
}

/* A client that sends frames of an epoch that never began causes queries to the database; this limits them. */
static bool may_catch_up(sottod_experiments *all, uint64_t now_ms)
{
    if (now_ms - all->caught_ms >= SECOND_MS) {
        all->caught_ms = now_ms;
        all->caught = 0;
    }
    return all->caught++ < CATCH_UPS_MAX;
}

static bool read_changes(sottod_experiments *all, const sottod_experiment *only)
{
    uint64_t now_ms = clock_steady_ms();
    if (all->failed || !may_catch_up(all, now_ms)) return false;
    if (only != NULL && !all->stale) {
        if (!refresh_one(all, only->number, now_ms)) return false;
        if (!all->stale) return !only->unusable; /* otherwise it has changed: all are read */
    }
    if (is_too_often(all, now_ms)) return false;
    /* otherwise an epoch unknown here may have begun */
    return refresh(all, now_ms) && !all->has_unusable;
}

static bool catch_up(sottod_experiments *all, const sottod_experiment *only, sottod_refusal *why)
{
    if (read_changes(all, only)) return true;
    if (why != NULL)
        refusal_set_lack(why, LACK_JOURNAL,
                         "This server does not know yet whether the epoch of a frame has begun. "
                         "Send the reports again.");
    return false;
}

/* ---- reports */

static bool reserve(sottod_experiments *all, sottod_experiment *experiment, uint64_t frames)
{
    copies_prepare(experiment, journal_session(all->journal), frames);
    return true;
}

/* Stores all frames except late ones and copies of frames that this process stored. An epoch that has ended here has
 * ended everywhere, because a gateway can only lag behind. The publisher decides what else is late, duplicate or
 * conflicting; it keeps the nonces of all waiting frames in memory, so their number must be limited, also while an
 * epoch is held. */
static sotto_status sort(const sottod_experiments *all, group_slot *slot, const uint8_t *frame,
                         bool *is_new)
{
    const sottod_experiment *experiment = slot->experiment;
    const bool is_late = frame_head(frame).epoch < engine_oldest(experiment->engine);
    const bool is_copy = !is_late && copies_has(experiment, frame);
    *is_new = !is_late && !is_copy;
    slot->counts.late += is_late;
    slot->counts.duplicate += is_copy;
    const bool fits = experiment->waiting + slot->frames < all->settings.nonces_max;
    return fits || !*is_new ? SOTTO_OK : SOTTO_E_FULL;
}

static bool begin(sottod_experiment *experiment)
{
    (void)experiment; /* no nonces: the publisher has them */
    return true;
}

static void touch(sottod_experiments *all, sottod_experiment *experiment)
{
    (void)all, (void)experiment; /* epochs do not end here */
}

static void settle(sottod_experiments *all, const group_slot *slot)
{
    (void)all;
    slot->experiment->waiting += slot->frames;
}

/* Leaves it to the publisher. */
static bool end_fallback(sottod_experiments *all, sottod_experiment *experiment, bool *done)
{
    if (!journal_begin(all->journal) ||
        !journal_finish(all->journal, journal_end_fallback(all->journal, experiment->number, done)))
        return false;
    experiment->engine->hold.fallback_ends = *done;
    return true;
}

static void overwrite_removed(sottod_experiments *all)
{
    (void)all; /* the publisher does it */
}

const service_kind service_gateway = {
    .recover = recover,
    .begin = begin,
    .turn = turn,
    .wait_ms = wait_ms,
    .catch_up = catch_up,
    .reserve = reserve,
    .sort = sort,
    .touch = touch,
    .settle = settle,
    .end_fallback = end_fallback,
    .overwrite_removed = overwrite_removed,
    .counts_wait_ms = COUNTS_MS,
};
