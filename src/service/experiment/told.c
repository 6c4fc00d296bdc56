#include "told.h"

#include <stdlib.h>

bool told_make(experiment_told *told, const sotto_learner *learner, const sotto_terms *terms)
{
    *told = (experiment_told){.follow = {0}};
    if (terms->spec.measure == 0) return true;
    told->results.control_arm = calloc(terms->spec.arms, sizeof(sotto__measured));
    told->next.control_arm = calloc(terms->spec.arms, sizeof(sotto__measured));
    if (told->results.control_arm == NULL || told->next.control_arm == NULL) {
        told_free(told);
        return false;
    }
    sotto__measures_copy(&learner->measures, terms->spec.arms, &told->results);
    return true;
}

void told_free(experiment_told *told)
{
    free(told->results.control_arm);
    free(told->next.control_arm);
    *told = (experiment_told){.follow = {0}};
}

static bool none_or_enough(uint64_t count, uint64_t reports_min)
{
    return count == 0 || count >= reports_min;
}

static bool batch_is_whole(const experiment_told *told, uint32_t arms, uint64_t reports_min)
{
    const sotto__measures *then = &told->results, *now = &told->next;
    bool any = now->follow.count > then->follow.count;
    if (!none_or_enough(now->follow.count - then->follow.count, reports_min)) return false;
    for (uint32_t a = 0; a < arms; a++) {
        uint64_t new_ones = now->control_arm[a].count - then->control_arm[a].count;
        if (!none_or_enough(new_ones, reports_min)) return false;
        any = any || new_ones > 0;
    }
    return any;
}

/* Whether both parts of a role's batch, before the recent uplift began and since, may be told. */
static bool parts_are_whole(const sotto__measured *recent, const sotto__measured *now,
                            const sotto__measured *then, uint64_t reports_min)
{
    return none_or_enough(recent->count, reports_min) &&
           none_or_enough(now->count - then->count - recent->count, reports_min);
}

/* Whether the recent uplift stays hidden: it began in this batch and parts it badly, or in one before. */
static bool recent_is_hidden(const experiment_told *told, uint64_t reports_min)
{
    const sotto__measures *then = &told->results, *now = &told->next;
    if (now->doublings == then->doublings) return told->hides_recent;
    return !parts_are_whole(&now->recent_follow, &now->follow, &then->follow, reports_min) ||
           !parts_are_whole(&now->recent_control, &now->control, &then->control, reports_min);
}

/* Nothing if history has more than there is, as that of a file that somebody made. */
static void since(const sotto__measured *now, const sotto__measured *then, uint64_t *count,
                  int64_t *sum)
{
    if (now->count < then->count) return;
    *count = now->count - then->count;
    *sum = now->sum - then->sum;
}

bool told_prepare(experiment_told *told, const sotto_learner *learner, uint64_t reports_min,
                  journal_history *history)
{
    history->control = history->follow = 0;
    history->control_sum = history->follow_sum = 0;
    if (told->next.control_arm == NULL) return false;
    sotto__learner_next_measures(learner, &told->next);
    if (!batch_is_whole(told, learner->terms.spec.arms, reports_min)) return false;
    told->will_hide_recent = recent_is_hidden(told, reports_min);
    if (told->will_hide_recent)
        told->next.recent_follow = told->next.recent_control = (sotto__measured){0};
    since(&told->next.follow, &told->follow, &history->follow, &history->follow_sum);
    since(&told->next.control, &told->control, &history->control, &history->control_sum);
    return true;
}

void told_done(experiment_told *told, uint32_t arms)
{
    sotto__measures_copy(&told->next, arms, &told->results);
    told->follow = told->next.follow;
    told->control = told->next.control;
    told->hides_recent = told->will_hide_recent;
}
