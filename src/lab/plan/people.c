/*
 * How many people a target takes: the fewest N such that an experiment planned for N people, and one planned for any
 * larger number up to SOTTO_HORIZON_MAX, costs each of them at most the target in the mean.
 *
 * Let r(N) be the mean regret. The smallest N that reaches the target is not the answer, because r
 * may rise again. With per-arm parameters an experiment begins with random arms, and their number
 * grows with N: by one person every 5 to 50, where r has a tooth, and all at once where a mean
 * phase begins. Between two such N the phases are the same and later people lose less than earlier
 * ones, so r falls: [a, b) is a piece, and r is largest at a. With shared parameters there is one
 * piece.
 *
 * The total regret N r(N) hardly ever falls as N grows. So if N reaches the target, all from
 * N r(N)/target to N do. We go down from the largest N in such steps, with 1 % to spare but by at
 * least 5 %, and stop on the way where a mean phase begins. Between the first N that fails and the
 * last that does not, only teeth are left. We find the last piece that begins above the target by
 * bisection, and then look at some more pieces, because teeth are not quite even. The answer is in
 * that piece.
 */
#include "core/core.h"
#include "inner.h"

#include <math.h>

#define STEP 1.05
#define SPARE 1.01
#define PIECES_AHEAD 32u /* pieces that are checked one by one, */
#define LOOKS 16u        /* at most this many times */

static double regret_of(const sotto_plan *plan, uint64_t people)
{
    sotto__delayed d = sotto__delayed_begin(plan, people, true);
    sotto__delayed_advance(&d, people);
    return d.regret;
}

static bool is_reached(const sotto_plan *plan, double target, uint64_t people)
{
    return regret_of(plan, people) / (double)people <= target;
}

/* ---- pieces ------------------------------------------------------------------------------- */

/* How many people get random arms. It never falls as people grow. */
static uint64_t phases(const sotto_plan *plan, uint64_t people)
{
    sotto_learning learning = sotto_learning_default(&plan->terms, people);
    return learning.mean_phase + learning.warm_up;
}

/* Where the piece of `people` begins, but not before `least`. */
static uint64_t piece_begin(const sotto_plan *plan, uint64_t least, uint64_t people)
{
    uint64_t length = phases(plan, people), before = least;
    if (phases(plan, least) == length) return least;
    while (people - before > 1) {
        uint64_t middle = before + (people - before) / 2;
        *(phases(plan, middle) < length ? &before : &people) = middle;
    }
    return people;
}

/* Where the next piece begins, but not after `most`. */
static uint64_t next_piece(const sotto_plan *plan, uint64_t people, uint64_t most)
{
    uint64_t length = phases(plan, people), stride = 1;
    while (stride < most - people && phases(plan, people + stride) == length) {
        stride *= 2;
    }
    uint64_t to = stride < most - people ? people + stride : most;
    return phases(plan, to) == length ? to : piece_begin(plan, people, to);
}

/* The fewest people with a mean phase; 1 if there never is one. */
static uint64_t first_mean_phase(const sotto_plan *plan)
{
    uint64_t without = 1, with = SOTTO_HORIZON_MAX;
    if (sotto_learning_mean_phase(&plan->terms, with) == 0) return 1;
    while (with - without > 1) {
        uint64_t middle = without + (with - without) / 2;
        *(sotto_learning_mean_phase(&plan->terms, middle) > 0 ? &with : &without) = middle;
    }
    return with;
}

/* ---- from above --------------------------------------------------------------------------- */

typedef struct between {
    uint64_t few, enough; /* the target is not reached by few, which may be 0, and is by enough */
} between;

/* `enough` reaches the target. */
static between go_down(const sotto_plan *plan, double target, uint64_t enough)
{
    uint64_t jump = first_mean_phase(plan);
    double regret = regret_of(plan, enough);
    while (enough > 1) {
        double sure = SPARE * regret / target;
        uint64_t few = (uint64_t)fmax(1, fmin(sure, (double)enough / STEP));
        if (few < jump && jump < enough) few = jump;
        regret = regret_of(plan, few);
        if (!(regret / (double)few <= target)) return (between){few, enough};
        enough = few;
    }
    return (between){0, 1};
}

/* The last piece in `b` whose beginning misses the target, if teeth are even. */
static uint64_t last_bad_piece(const sotto_plan *plan, double target, between b)
{
    uint64_t least = b.few, begin = piece_begin(plan, least, b.enough);
    if (begin == least || !is_reached(plan, target, begin)) return begin;
    while (b.enough - b.few > 1) {
        uint64_t middle = b.few + (b.enough - b.few) / 2;
        begin = piece_begin(plan, least, middle);
        bool good = begin > least && is_reached(plan, target, begin);
        *(good ? &b.enough : &b.few) = middle;
    }
    return piece_begin(plan, least, b.few);
}

/* The last of the next pieces after `bad` whose beginning misses the target, or `bad`. */
static uint64_t look_ahead(const sotto_plan *plan, double target, uint64_t bad)
{
    uint64_t begin = bad;
    for (uint32_t i = 0; i < PIECES_AHEAD && begin < SOTTO_HORIZON_MAX; i++) {
        begin = next_piece(plan, begin, SOTTO_HORIZON_MAX);
        if (!is_reached(plan, target, begin)) bad = begin;
    }
    return bad;
}

/* The first N in `b` that reaches the target, by bisection. r must fall in `b`. */
static uint64_t first_reached(const sotto_plan *plan, double target, between b)
{
    while (b.enough - b.few > 1) {
        uint64_t middle = b.few + (b.enough - b.few) / 2;
        *(is_reached(plan, target, middle) ? &b.enough : &b.few) = middle;
    }
    return b.enough;
}

uint64_t sotto_plan_people(const sotto_plan *plan, double target)
{
    if (plan == NULL || !is_reached(plan, target, SOTTO_HORIZON_MAX)) return 0;
    between b = go_down(plan, target, SOTTO_HORIZON_MAX);
    if (b.few == 0) return b.enough;
    uint64_t bad = last_bad_piece(plan, target, b), before = 0;
    for (uint32_t i = 0; i < LOOKS && bad != before; i++) {
        before = bad;
        bad = look_ahead(plan, target, bad);
    }
    uint64_t most = bad < b.enough ? b.enough : SOTTO_HORIZON_MAX,
             end = next_piece(plan, bad, most);
    return first_reached(plan, target, (between){bad, is_reached(plan, target, end) ? end : most});
}
