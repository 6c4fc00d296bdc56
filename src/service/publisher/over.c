#include "inner.h"

/* between two attempts if the last reports cannot be folded */
#define AGAIN_MS (600u * 1000u)

void publisher_over_note(publisher_pass *pass, const journal_experiment *row)
{
    for (uint32_t i = 0; i < pass->gone_count; i++) {
        if (pass->gone[i].number == row->number && pass->gone[i].state == row->state) return;
    }
    if (!list_grow(&pass->gone, pass->gone_count, &pass->gone_capacity, sizeof *pass->gone)) return;
    pass->gone[pass->gone_count++] = (publisher_gone){.number = row->number, .state = row->state};
}

/* ---- the last reports of a closed experiment */

typedef struct closing {
    publisher_pass *pass;
    uint32_t number;
    uint64_t now_ms;
    publisher_known *known;
    folding_cut cut; /* everything up to here is counted */
    bool ended;
    bool broken; /* impossible now */
} closing;

static bool take_cut(void *context, const folding_model *model)
{
    closing *self = context;
    return publisher_cut_copy(&model->cut, &self->cut);
}

static bool take_end(void *context, const folding_model *ended)
{
    closing *self = context;
    self->ended = true;
    return publisher_cut_copy(&ended->cut, &self->cut);
}

static bool take_row(void *context, const journal_experiment *row)
{
    closing *self = context;
    sotto_fault fault;
    if (row->number != self->number || row->damaged || row->state != JOURNAL_CLOSED) return true;
    self->known = publisher_known_new(row, self->pass->nonces_max, self->now_ms, &fault);
    return true;
}

static void say(const publisher_pass *pass, log_level level, const char *event,
                const publisher_known *known, const char *why)
{
    const log_value values[] = {
        {.name = "experiment", .text = known == NULL ? "" : known->id_text},
        {.name = "why", .text = why},
        {.name = NULL},
    };
    log_write(pass->log, level, event, values);
}

/* Rows that cannot be folded stay, and are tried again. */
static bool fold_last(closing *self, const folding_cut *to)
{
    publisher_pass *pass = self->pass;
    if (!folding_read_experiments(pass->folding, take_row, self)) return false;
    /* it was deleted meanwhile, or is damaged, which the log says */
    if (self->known == NULL) return true;
    epoch_outcome outcome = publisher_known_load(self->known, pass->folding);
    if (outcome == EPOCH_DONE)
        outcome = publisher_attempt_last(self->known, pass->folding, pass->fold, to);
    self->broken = outcome == EPOCH_BROKEN;
    if (self->broken)
        say(pass, LOG_ERROR, "cannot_publish", self->known, self->known->fault.sentence);
    if (outcome == EPOCH_DONE) {
        self->ended = true;
        return publisher_cut_copy(to, &self->cut);
    }
    return outcome != EPOCH_AWAY;
}

/* Whether rows exist after one cut: with reports, or with counts of frames that gateways dropped. */
static bool goes_further(const folding_cut *to, const folding_cut *from)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < to->places; i++) {
        while (k < from->places && from->place[k].gateway < to->place[i].gateway) {
            k++;
        }
        bool is_known = k < from->places && from->place[k].gateway == to->place[i].gateway;
        if (!is_known || from->place[k].gseq < to->place[i].gseq) return true;
    }
    return false;
}

static bool close_one(closing *self)
{
    const folding_cut *to;
    uint64_t reports;
    publisher_pass *pass = self->pass;
    if (!folding_read_models(pass->folding, self->number, 0, take_cut, self) ||
        !folding_read_ended(pass->folding, self->number, take_end, self))
        return false;
    if (self->ended) return true;
    if (!folding_waiting(pass->folding, self->number, &self->cut, &to, &reports)) return false;
    return !goes_further(to, &self->cut) || fold_last(self, to);
}

/* A closed experiment has no open epoch: once its last reports are counted, all are removed. */
static bool empty_closed(publisher_pass *pass, publisher_gone *gone, uint64_t now_ms)
{
    closing self = {.pass = pass, .number = gone->number, .now_ms = now_ms};
    folding_retention rule = pass->retention;
    rule.slab_s_max = 0; /* a new empty slab replaces the present one, which is removed */
    bool done = close_one(&self) &&
                folding_retain(pass->folding, gone->number, &rule, &self.cut, UINT32_MAX, 0);
    if (self.broken) gone->again_ms = now_ms + AGAIN_MS;
    publisher_known_free(self.known);
    folding_cut_free(&self.cut);
    return done;
}

/* ---- all */

/* Whether the closed experiments noted so far accept no more reports. */
static bool settle(publisher_pass *pass, uint64_t now_ms, bool *settled)
{
    bool busy = false;
    *settled = true;
    for (uint32_t i = pass->emptied; i < pass->gone_count; i++) {
        if (pass->gone[i].state != JOURNAL_CLOSED || now_ms < pass->gone[i].again_ms) continue;
        if (!folding_settle(pass->folding, &busy)) return false;
        *settled = !busy;
        return true;
    }
    return true;
}

static bool empty_one(publisher_pass *pass, publisher_gone *gone, uint64_t now_ms)
{
    static const folding_cut nothing = {.places = 0};
    if (gone->state == JOURNAL_CLOSED) return empty_closed(pass, gone, now_ms);
    return folding_retain(pass->folding, gone->number, &pass->retention, &nothing, 0, 0);
}

bool publisher_over_empty(publisher_pass *pass, uint64_t now_ms)
{
    bool settled;
    if (!settle(pass, now_ms, &settled)) {
        if (!folding_holds(pass->folding)) return false;
        say(pass, LOG_WARNING, "retention_put_off", NULL, folding_fault(pass->folding)->sentence);
        settled = false;
    }
    for (uint32_t i = pass->emptied; i < pass->gone_count; i++) {
        publisher_gone gone = pass->gone[i];
        /* gateways are busy, or an earlier attempt failed */
        if (gone.state == JOURNAL_CLOSED && (!settled || now_ms < gone.again_ms)) continue;
        bool done = empty_one(pass, &gone, now_ms);
        pass->gone[i] = gone;
        if (done && now_ms < gone.again_ms) continue;
        if (done) {
            pass->gone[i] = pass->gone[pass->emptied];
            pass->gone[pass->emptied++] = gone;
            continue;
        }
        if (!folding_holds(pass->folding)) return false;
        say(pass, LOG_WARNING, "retention_put_off", NULL, folding_fault(pass->folding)->sentence);
    }
    return true;
}
