/*
 * When epochs end. Experiments that got reports are looked at once, at the next turn: those that have
 * enough get the time from which on only the backlog keeps them from publishing. A turn at which no such
 * time has come costs nothing, however many experiments there are.
 */
#include "due.h"
#include "parts.h"

#define BACKLOG_MS_MAX (EPOCHS_BACKLOG_S_MAX * UINT64_C(1000))
#define RETRY_MS 1000u

static bool has_enough(const sottod_experiments *all, const sottod_experiment *experiment)
{
    const due_rule rule = {
        .reports_min = experiment->epoch_reports_min,
        .nonces_max = all->settings.nonces_max,
        .epoch_lag_max = experiment->terms->spec.epoch_lag_max,
    };
    return experiment->model == NULL || /* to be closed */
           due_has_enough(&rule, experiment->learner);
}

static void look_at_touched(sottod_experiments *all, uint64_t now_ms)
{
    for (uint32_t i = 0; i < all->touched_count; i++) {
        sottod_experiment *experiment = all->touched[i];
        experiment->touched = false;
        if (experiment->state != JOURNAL_OPEN || experiment->life->hold.held) continue;
        if (!has_enough(all, experiment)) continue;
        uint64_t due_ms = experiment->published_ms + experiment->epoch_seconds_min * UINT64_C(1000);
        if (experiment->ready_ms == EXPERIMENT_NEVER_MS)
            experiment->ready_ms = due_ms > now_ms ? due_ms : now_ms;
        if (experiment->ready_ms < all->ready_ms) all->ready_ms = experiment->ready_ms;
    }
    all->touched_count = 0;
}

/* Publishes; a snapshot follows if it is worth its bytes. */
static bool publish(sottod_experiments *all, sottod_experiment *experiment, uint64_t now_ms,
                    uint64_t minute, bool drained)
{
    uint32_t epoch = experiment_epoch(experiment);
    if (!hold_lets_go(all, experiment)) {
        experiment->ready_ms = EXPERIMENT_NEVER_MS;
        return true;
    }
    if (!experiment_publish(all, experiment, now_ms, minute)) return false;
    if (experiment_epoch(experiment) == epoch) return true; /* it was closed */
    all->publishes++;
    all->publishes_in_backlog += !drained;
    if (!experiment_is_heavy(experiment) || experiment->model == NULL) return true;
    return experiment_keep(all, experiment, now_ms);
}

static bool publish_ready(sottod_experiments *all, uint64_t now_ms, uint64_t minute, bool drained)
{
    const uint64_t wait_ms = drained ? 0 : BACKLOG_MS_MAX;
    bool done = true;
    if (all->ready_ms > now_ms || now_ms - all->ready_ms < wait_ms) return true;
    all->ready_ms = EXPERIMENT_NEVER_MS;
    for (uint32_t i = 0; i < all->live_count; i++) {
        sottod_experiment *experiment = all->live[i];
        if (experiment->state != JOURNAL_OPEN || experiment->ready_ms == EXPERIMENT_NEVER_MS)
            continue;
        /* Reports in a group are of epochs that are open: none may end before the group is durable. */
        bool is_free = experiment->slot == 0;
        if (is_free && experiment->ready_ms <= now_ms && now_ms - experiment->ready_ms >= wait_ms)
            done = publish(all, experiment, now_ms, minute, drained) && done;
        if (experiment->ready_ms < all->ready_ms) all->ready_ms = experiment->ready_ms;
    }
    return done;
}

static bool turn(sottod_experiments *all, uint64_t now_ms, uint64_t minute, bool drained)
{
    look_at_touched(all, now_ms);
    bool published = publish_ready(all, now_ms, minute, drained);
    bool kept = now_ms < experiments_house_ms(all) || experiments_keep_house(all, now_ms, minute);
    all->failed = !published || !kept;
    return !all->failed;
}

static int timeout_ms(const sottod_experiments *all, uint64_t now_ms)
{
    if (all->touched_count > 0) return 0;
    uint64_t house_ms = experiments_house_ms(all);
    /* One that is ready and was not published waits for the backlog, or for the journal. */
    uint64_t ready_ms = all->ready_ms <= now_ms ? now_ms + RETRY_MS : all->ready_ms;
    uint64_t next_ms = ready_ms < house_ms ? ready_ms : house_ms;
    if (all->failed && next_ms < now_ms + RETRY_MS) next_ms = now_ms + RETRY_MS;
    uint64_t left_ms = next_ms <= now_ms ? 0 : next_ms - now_ms;
    return left_ms > INT32_MAX ? INT32_MAX : (int)left_ms;
}

/* Nobody else changes anything. */
static bool catch_up(sottod_experiments *all)
{
    (void)all;
    return false;
}

const experiments_mode experiments_alone = {
    .has_nonces = true,
    .recover = experiment_recover,
    .turn = turn,
    .timeout_ms = timeout_ms,
    .keep = experiments_keep_all,
    .catch_up = catch_up,
};

bool epochs_turn(sottod_experiments *all, uint64_t now_ms, uint64_t minute, bool drained)
{
    return all->mode->turn(all, now_ms, minute, drained);
}

int epochs_timeout_ms(const sottod_experiments *all, uint64_t now_ms)
{
    return all->mode->timeout_ms(all, now_ms);
}

void epochs_notice(sottod_experiments *all)
{
    if (journal_changed(all->journal)) all->stale = true;
}

bool epochs_keep(sottod_experiments *all)
{
    return all->mode->keep(all);
}

uint64_t epochs_published(const sottod_experiments *all)
{
    return all->publishes;
}

uint64_t epochs_published_in_backlog(const sottod_experiments *all)
{
    return all->publishes_in_backlog;
}
