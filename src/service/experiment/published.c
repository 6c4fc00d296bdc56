/*
 * Bytes of the published measurements (version 1). Little-endian. Without measure rounds: none.
 *
 *   offset  size  meaning
 *        0     4  53 54 44 01: "STD" and the version
 *        4     4  1 if the recent uplift is hidden, else 0
 *        8    16  follow: reports (u64) and their sum (i64)
 *       24    16  recent follow; zeros if it is hidden
 *       40    16  recent control; the same
 *       56    16  control of arm 0, and so on for all arms
 *
 * Valid if each sum is one of so many +1 and -1, all counts together are below 2^62, and recent ones are
 * among all of their kind. The rest follows: control is the sum over arms, doublings the log2 of all.
 */
#include "core/core.h"
#include "experiment.h"

#include <stdlib.h>

bool published_make(published_results *published, const sotto_learner *learner,
                    const sotto_terms *terms)
{
    *published = (published_results){.follow = {0}};
    if (terms->spec.measure == 0) return true;
    published->shown.control_arm = calloc(terms->spec.arms, sizeof(sotto__measured));
    published->next.control_arm = calloc(terms->spec.arms, sizeof(sotto__measured));
    if (published->shown.control_arm == NULL || published->next.control_arm == NULL) {
        published_free(published);
        return false;
    }
    sotto__measures_copy(&learner->measures, terms->spec.arms, &published->shown);
    return true;
}

void published_free(published_results *published)
{
    free(published->shown.control_arm);
    free(published->next.control_arm);
    *published = (published_results){.follow = {0}};
}

static bool none_or_enough(uint64_t count, uint64_t reports_min)
{
    return count == 0 || count >= reports_min;
}

static bool batch_is_whole(const published_results *published, uint32_t arms, uint64_t reports_min)
{
    const sotto__measures *then = &published->shown, *now = &published->next;
    bool any = now->follow.count > then->follow.count;
    if (!none_or_enough(now->follow.count - then->follow.count, reports_min)) return false;
    for (uint32_t a = 0; a < arms; a++) {
        uint64_t new_ones = now->control_arm[a].count - then->control_arm[a].count;
        if (!none_or_enough(new_ones, reports_min)) return false;
        any = any || new_ones > 0;
    }
    return any;
}

/* Whether both parts of a role's batch, before the recent uplift began and since, may be published. */
static bool parts_are_whole(const sotto__measured *recent, const sotto__measured *now,
                            const sotto__measured *then, uint64_t reports_min)
{
    return none_or_enough(recent->count, reports_min) &&
           none_or_enough(now->count - then->count - recent->count, reports_min);
}

/* Whether the recent uplift stays hidden: because of the point at which it began in this batch, or from an earlier
 * batch. */
static bool recent_is_hidden(const published_results *published, uint64_t reports_min)
{
    const sotto__measures *then = &published->shown, *now = &published->next;
    if (now->doublings == then->doublings) return published->hides_recent;
    return !parts_are_whole(&now->recent_follow, &now->follow, &then->follow, reports_min) ||
           !parts_are_whole(&now->recent_control, &now->control, &then->control, reports_min);
}

/* Zero if history has more than the learner, as in an imported file. */
static void since(const sotto__measured *now, const sotto__measured *then, uint64_t *count,
                  int64_t *sum)
{
    if (now->count < then->count) return;
    *count = now->count - then->count;
    *sum = now->sum - then->sum;
}

bool published_prepare(published_results *published, const sotto_learner *learner,
                       uint64_t reports_min, journal_history *history)
{
    history->control = history->follow = 0;
    history->control_sum = history->follow_sum = 0;
    if (published->next.control_arm == NULL) return false;
    sotto__learner_next_measures(learner, &published->next);
    if (!batch_is_whole(published, learner->terms.spec.arms, reports_min)) return false;
    published->will_hide_recent = recent_is_hidden(published, reports_min);
    if (published->will_hide_recent)
        published->next.recent_follow = published->next.recent_control = (sotto__measured){0};
    since(&published->next.follow, &published->follow, &history->follow, &history->follow_sum);
    since(&published->next.control, &published->control, &history->control, &history->control_sum);
    return true;
}

void published_done(published_results *published, uint32_t arms)
{
    sotto__measures_copy(&published->next, arms, &published->shown);
    published->follow = published->next.follow;
    published->control = published->next.control;
    published->hides_recent = published->will_hide_recent;
}

/* ---- bytes */

#define HEAD_BYTES 8u
#define PAIR_BYTES 16u
#define PAIRS_BEFORE_ARMS 3u
#define COUNT_MAX (UINT64_C(1) << 62)

static const uint8_t magic[4] = {'S', 'T', 'D', 1};

size_t published_bytes(const sotto_terms *terms)
{
    if (terms->spec.measure == 0) return 0;
    return HEAD_BYTES + PAIR_BYTES * (PAIRS_BEFORE_ARMS + (size_t)terms->spec.arms);
}

static uint8_t *put_pair(uint8_t *out, const sotto__measured *pair)
{
    sotto__put_u64(out, pair->count);
    sotto__put_u64(out + 8, (uint64_t)pair->sum);
    return out + PAIR_BYTES;
}

void published_encode(const published_results *published, const sotto_terms *terms, uint8_t *out)
{
    const sotto__measures *results = &published->shown;
    if (terms->spec.measure == 0) return;
    memcpy(out, magic, sizeof magic);
    sotto__put_u32(out + 4, published->hides_recent);
    out = put_pair(out + HEAD_BYTES, &results->follow);
    out = put_pair(out, &results->recent_follow);
    out = put_pair(out, &results->recent_control);
    for (uint32_t a = 0; a < terms->spec.arms; a++) {
        out = put_pair(out, &results->control_arm[a]);
    }
}

/* A pair that is possible and within what is left of all counts. */
static bool get_pair(const uint8_t *in, uint64_t *left, sotto__measured *pair)
{
    *pair = (sotto__measured){sotto__get_u64(in), (int64_t)sotto__get_u64(in + 8)};
    if (pair->count > *left || !sotto__measured_possible(pair)) return false;
    *left -= pair->count;
    return true;
}

static bool is_part_of(const sotto__measured *part, const sotto__measured *whole)
{
    if (part->count > whole->count) return false;
    const sotto__measured rest = {whole->count - part->count, whole->sum - part->sum};
    return sotto__measured_possible(&rest);
}

/* Fills all of `to`, which has room for the arms. */
static bool get_measures(const uint8_t *in, uint32_t arms, bool hides_recent, sotto__measures *to)
{
    uint64_t left = COUNT_MAX;
    to->control = (sotto__measured){0};
    if (!get_pair(in, &left, &to->follow) ||
        !get_pair(in + PAIR_BYTES, &left, &to->recent_follow) ||
        !get_pair(in + 2 * PAIR_BYTES, &left, &to->recent_control))
        return false;
    for (uint32_t a = 0; a < arms; a++) {
        const uint8_t *at = in + PAIR_BYTES * (PAIRS_BEFORE_ARMS + (size_t)a);
        if (!get_pair(at, &left, &to->control_arm[a])) return false;
        to->control.count += to->control_arm[a].count;
        to->control.sum += to->control_arm[a].sum;
    }
    if (hides_recent && (to->recent_follow.count > 0 || to->recent_control.count > 0)) return false;
    to->doublings = sotto__measures_doublings(to);
    return is_part_of(&to->recent_follow, &to->follow) &&
           is_part_of(&to->recent_control, &to->control);
}

bool published_decode(published_results *published, const sotto_terms *terms, const uint8_t *bytes,
                      size_t bytes_count)
{
    if (bytes_count != published_bytes(terms)) return false;
    if (bytes_count == 0) return true;
    uint32_t hides_recent = sotto__get_u32(bytes + 4);
    if (memcmp(bytes, magic, sizeof magic) != 0 || hides_recent > 1) return false;
    if (!get_measures(bytes + HEAD_BYTES, terms->spec.arms, hides_recent == 1, &published->next))
        return false;
    published->will_hide_recent = hides_recent == 1;
    published_done(published, terms->spec.arms);
    return true;
}
