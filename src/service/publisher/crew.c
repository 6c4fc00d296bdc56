#include "inner.h"

#include <stdlib.h>

#define COUNT_MS 5000u /* between two counts of the crew */
#define AGAIN_MS 1000u /* before another process's experiment is tried again */
/* after which an experiment that nobody took is taken, whatever the share */
#define ALONE_MS 2000u
#define BUSY_MS 10000u  /* an experiment counts as busy for so long after its last rows */
#define QUIET_MS 60000u /* after which an experiment that is not busy is released */
#define ASKED_MAX 256u  /* locks per query */
/* Locks of one process: a server with default settings has room for 6,400, and slabs need some. */
#define MINE_MAX 1000u
/* one in so many is released for others, if more experiments are wanted */
#define ROOM_PART 4u

static bool is_busy(const publisher_known *known, uint64_t now_ms)
{
    return known->arrived_ms != 0 && now_ms - known->arrived_ms < BUSY_MS;
}

static uint32_t most_of(const publisher_crew *crew)
{
    return crew->most == 0 ? MINE_MAX : crew->most;
}

typedef struct load {
    uint32_t mine;  /* busy experiments that are ours */
    uint32_t share; /* our share of all busy ones */
} load;

/* Equal shares, with some slack, so that nothing waits for a process that is slow to take its share. */
static load load_of(const publisher_crew *crew, publisher_known *const *known, uint32_t count,
                    uint64_t now_ms)
{
    load out = {.mine = 0, .share = most_of(crew)};
    uint32_t busy = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_one = is_busy(known[i], now_ms);
        busy += is_one;
        out.mine += is_one && known[i]->mine;
    }
    if (crew->size <= 1) return out;
    out.share = (busy + crew->size - 1) / crew->size;
    out.share += out.share / 8 + 1;
    return out;
}

static bool leave(publisher_crew *crew, sottod_folding *folding, publisher_known *known)
{
    known->mine = false;
    known->waiting = known->fresh = 0;
    crew->mine--;
    publisher_known_unload(known);
    return folding_leave(folding, known->number);
}

/* Without memory the lock stays until the connection ends. */
void publisher_crew_drop(publisher_crew *crew, const publisher_known *known)
{
    if (!known->mine) return;
    crew->mine--;
    if (!list_grow(&crew->left, crew->left_count, &crew->left_capacity, sizeof *crew->left)) return;
    crew->left[crew->left_count++] = known->number;
}

void publisher_crew_forget(publisher_crew *crew)
{
    free(crew->left);
    *crew = (publisher_crew){.most = crew->most};
}

static bool leave_dropped(publisher_crew *crew, sottod_folding *folding)
{
    while (crew->left_count > 0) {
        if (!folding_leave(folding, crew->left[--crew->left_count])) return false;
    }
    return true;
}

static bool leave_some(publisher_crew *crew, sottod_folding *folding, publisher_known *const *known,
                       uint32_t count, load *all, uint64_t now_ms)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!known[i]->mine || known[i]->broken) continue;
        bool is_quiet = known[i]->arrived_ms + QUIET_MS < now_ms && !known[i]->awake;
        bool is_too_much = all->mine > all->share && is_busy(known[i], now_ms);
        /* Another process would have to repeat the folding of a kept attempt, so such an experiment is released last. */
        if (!(is_quiet || is_too_much) || known[i]->kept != NULL) continue;
        known[i]->try_ms = now_ms + ALONE_MS; /* others first */
        all->mine -= is_busy(known[i], now_ms);
        if (!leave(crew, folding, known[i])) return false;
    }
    return true;
}

/* More experiments are wanted than one process may hold: those that wait for rows or time are released, first those
 * without a kept attempt. Each is checked before its release, so that all get their turn. */
static bool make_place(publisher_crew *crew, sottod_folding *folding, publisher_known *const *known,
                       uint32_t count, uint64_t now_ms)
{
    uint32_t wanted = most_of(crew) / ROOM_PART + 1;
    for (int also_kept = 0; also_kept < 2; also_kept++) {
        for (uint32_t i = 0; i < count && wanted > 0; i++) {
            const bool rests = !known[i]->awake || now_ms < known[i]->ask_ms;
            if (!known[i]->mine || known[i]->broken || !rests) continue;
            if (known[i]->kept != NULL && also_kept == 0) continue;
            known[i]->try_ms = now_ms + ALONE_MS;
            wanted--;
            if (!leave(crew, folding, known[i])) return false;
        }
    }
    crew->full = false;
    return true;
}

typedef struct takeover {
    publisher_known *known[ASKED_MAX];
    uint32_t number[ASKED_MAX];
    uint32_t count;
} takeover;

/* Asks for several experiments of others in one query. */
static bool ask(publisher_crew *crew, sottod_folding *folding, takeover *some)
{
    if (some->count == 0) return true;
    if (!folding_take(folding, some->number, some->count)) return false;
    for (uint32_t i = 0; i < some->count; i++) {
        publisher_known *known = some->known[i];
        known->mine = folding_is_mine(folding, known->number);
        crew->mine += known->mine;
        known->paced = known->paced && !known->mine; /* another process may have published it */
        known->try_ms = crew->again_ms;
        known->wanted_ms = 0;
    }
    some->count = 0;
    return true;
}

static bool take_some(publisher_crew *crew, sottod_folding *folding, publisher_known *const *known,
                      uint32_t count, const load *all, publisher_wants *wants, uint64_t now_ms)
{
    takeover some = {.count = 0};
    const uint32_t from = count == 0 ? 0 : crew->from % count;
    for (uint32_t i = 0; i < count; i++) {
        publisher_known *one = known[(from + i) % count];
        if (one->mine || now_ms < one->try_ms || !wants(one, now_ms)) continue;
        if (one->wanted_ms == 0) one->wanted_ms = now_ms;
        bool is_left = now_ms - one->wanted_ms >= ALONE_MS; /* nobody took it */
        bool fits = !is_busy(one, now_ms) || all->mine + some.count < all->share || is_left;
        bool is_full = crew->mine + some.count >= most_of(crew);
        crew->full = crew->full || is_full;
        if (!fits || is_full) continue;
        crew->from = from + i + 1; /* the next search begins there, so that all get their turn */
        some.known[some.count] = one;
        some.number[some.count++] = one->number;
        if (some.count == ASKED_MAX && !ask(crew, folding, &some)) return false;
    }
    return ask(crew, folding, &some);
}

bool publisher_crew_turn(publisher_crew *crew, sottod_folding *folding,
                         publisher_known *const *known, uint32_t count, publisher_wants *wants,
                         uint64_t now_ms)
{
    bool counts = now_ms >= crew->count_ms;
    if (now_ms >= crew->again_ms) crew->again_ms = now_ms + AGAIN_MS;
    if (!leave_dropped(crew, folding)) return false;
    if (counts) {
        if (!folding_crew(folding, &crew->size)) return false;
        crew->count_ms = now_ms + COUNT_MS;
    }
    load all = load_of(crew, known, count, now_ms);
    if (counts && !leave_some(crew, folding, known, count, &all, now_ms)) return false;
    if (crew->full && !make_place(crew, folding, known, count, now_ms)) return false;
    return take_some(crew, folding, known, count, &all, wants, now_ms);
}
