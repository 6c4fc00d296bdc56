/* How a method stands next to one arm for all. */
#include "verdict.h"
#include "lab/math/moments.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define ERRORS 3         /* standard errors that make a difference */
#define NEAR_CHANCE 0.05 /* further above it nobody is called no better than chance */

static const char *sentence_of(sotto_replay_verdict verdict)
{
    switch (verdict) {
    case SOTTO_VERDICT_NONE: return "";
    case SOTTO_VERDICT_FEW_PEOPLE: return "fewer people came than were announced";
    case SOTTO_VERDICT_SORTED: return "the file seems sorted";
    case SOTTO_VERDICT_FEW_SEEDS: return "too few seeds to tell";
    case SOTTO_VERDICT_ONE_LOGGED: return "the log gave one arm only";
    case SOTTO_VERDICT_NOTHING_YET: return "says nothing yet: the interval holds all rewards";
    case SOTTO_VERDICT_BEST_ARM: return "one arm for all: what this epsilon buys without context";
    case SOTTO_VERDICT_ABOVE_ONE_ARM: return "better than one arm for all";
    case SOTTO_VERDICT_BELOW_ONE_ARM: return "worse than one arm for all";
    case SOTTO_VERDICT_BELOW_HINDSIGHT: return "worse than the best arm in hindsight";
    case SOTTO_VERDICT_CHANCE: return "no better than chance";
    case SOTTO_VERDICT_ABOVE_LOGGING:
        return "better than the logging policy, not known to beat one arm for all";
    case SOTTO_VERDICT_LIKE_ONE_ARM: return "cannot be told apart from one arm for all";
    }
    return "";
}

const char *sotto_replay_verdict_text(sotto_replay_verdict verdict, uint32_t seeds,
                                      char text[SOTTO_VERDICT_BYTES])
{
    if (text == NULL) return NULL;
    int length = snprintf(text, SOTTO_VERDICT_BYTES, "%s", sentence_of(verdict));
    if (verdict != SOTTO_VERDICT_LIKE_ONE_ARM || seeds == 0) return text;
    snprintf(text + length, SOTTO_VERDICT_BYTES - (size_t)length, " with %" PRIu32 " seed%s", seeds,
             seeds == 1 ? "" : "s");
    return text;
}

sotto_span sotto__span_of(const double *number, uint32_t count)
{
    double mean = sotto__mean(number, count);
    double reach = ERRORS * sotto__standard_error(number, count);
    return (sotto_span){mean - reach, mean + reach};
}

bool sotto__is_above(sotto_span ahead, sotto_span ahead_best_arm)
{
    return ahead.lo > 0 && !(ahead_best_arm.lo <= 0);
}

bool sotto__is_below_one_arm(sotto_span ahead, sotto_span ahead_best_arm)
{
    return isnan(ahead_best_arm.hi) ? ahead.hi < 0 : ahead_best_arm.hi < 0;
}

sotto_replay_verdict sotto__verdict_on_labels(sotto_span ahead, sotto_span ahead_best_arm,
                                              sotto_span chance)
{
    if (sotto__is_above(ahead, ahead_best_arm)) return SOTTO_VERDICT_ABOVE_ONE_ARM;
    if (sotto__is_below_one_arm(ahead, ahead_best_arm)) return SOTTO_VERDICT_BELOW_ONE_ARM;
    if (chance.lo <= 0 && chance.hi >= 0 && chance.hi < NEAR_CHANCE) return SOTTO_VERDICT_CHANCE;
    return ahead.hi < 0 ? SOTTO_VERDICT_BELOW_HINDSIGHT : SOTTO_VERDICT_LIKE_ONE_ARM;
}

sotto_replay_verdict sotto__verdict_on_log(sotto_span ahead, sotto_span ahead_best_arm,
                                           sotto_estimate method, sotto_estimate logging)
{
    if (sotto__is_above(ahead, ahead_best_arm)) return SOTTO_VERDICT_ABOVE_ONE_ARM;
    if (sotto__is_below_one_arm(ahead, ahead_best_arm)) return SOTTO_VERDICT_BELOW_ONE_ARM;
    if (ahead.hi < 0) return SOTTO_VERDICT_BELOW_HINDSIGHT;
    return method.lo > logging.hi ? SOTTO_VERDICT_ABOVE_LOGGING : SOTTO_VERDICT_LIKE_ONE_ARM;
}

bool sotto__says_nothing(double lo, double hi, sotto_span range)
{
    return lo <= range.lo && hi >= range.hi;
}
