#include "waiting.h"
#include "parts.h"

#define ASK_MS 1000u

/* Without a connection nobody waits for a new one here. */
static bool ask(sottod_experiments *all, sottod_experiment *const *some, uint32_t count)
{
    uint32_t number[WAITING_ASKED_MAX];
    uint64_t reports[WAITING_ASKED_MAX];
    for (uint32_t i = 0; i < count; i++) {
        number[i] = some[i]->number;
    }
    bool known =
        journal_fd(all->journal) >= 0 && journal_read_waiting(all->journal, number, count, reports);
    for (uint32_t i = 0; i < count; i++) {
        some[i]->knows_unfolded = known;
        if (known) some[i]->unfolded = reports[i];
    }
    return known;
}

void waiting_ask(sottod_experiments *all, sottod_experiment *experiment)
{
    if (journal_is_shared(all->journal)) ask(all, &experiment, 1);
}

void waiting_ask_all(sottod_experiments *all, uint64_t now_ms)
{
    sottod_experiment *some[WAITING_ASKED_MAX];
    uint32_t count = all->live_count < WAITING_ASKED_MAX ? all->live_count : WAITING_ASKED_MAX;
    if (!journal_is_shared(all->journal) || count == 0 || now_ms < all->waiting_ms) return;
    all->waiting_ms = now_ms + ASK_MS;
    for (uint32_t i = 0; i < count; i++) {
        some[i] = all->live[(all->waiting_next + i) % all->live_count];
    }
    all->waiting_next = (all->waiting_next + count) % all->live_count;
    if (ask(all, some, count)) return;
    for (uint32_t i = 0; i < all->live_count; i++) {
        all->live[i]->knows_unfolded = false;
    }
}

bool waiting_reports(const sottod_experiment *experiment, uint64_t *reports)
{
    *reports = experiment->unfolded;
    return experiment->knows_unfolded;
}
