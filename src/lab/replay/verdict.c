/* How a method stands next to what needs no learning. */
#include "verdict.h"
#include "lab/math/moments.h"

#include <inttypes.h>
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
    case SOTTO_VERDICT_ABOVE_MAJORITY: return "better than the majority arm";
    case SOTTO_VERDICT_CHANCE: return "no better than chance";
    case SOTTO_VERDICT_BELOW_MAJORITY: return "worse than the majority arm";
    case SOTTO_VERDICT_LIKE_MAJORITY: return "cannot be told apart from the majority arm";
    case SOTTO_VERDICT_ABOVE_LOGGING: return "better than the logging policy";
    case SOTTO_VERDICT_BELOW_LOGGING: return "worse than the logging policy";
    case SOTTO_VERDICT_LIKE_LOGGING: return "cannot be told apart from the logging policy";
    }
    return "";
}

const char *sotto_replay_verdict_text(sotto_replay_verdict verdict, uint32_t seeds,
                                      char text[SOTTO_VERDICT_BYTES])
{
    if (text == NULL) return NULL;
    int length = snprintf(text, SOTTO_VERDICT_BYTES, "%s", sentence_of(verdict));
    if (verdict != SOTTO_VERDICT_LIKE_MAJORITY) return text;
    snprintf(text + length, SOTTO_VERDICT_BYTES - (size_t)length, " with %" PRIu32 " seeds", seeds);
    return text;
}

sotto_span sotto__span_of(const double *number, uint32_t count)
{
    double mean = sotto__mean(number, count);
    double reach = ERRORS * sotto__standard_error(number, count);
    return (sotto_span){mean - reach, mean + reach};
}

sotto_replay_verdict sotto__verdict_on_labels(sotto_span ahead, sotto_span chance)
{
    if (ahead.lo > 0) return SOTTO_VERDICT_ABOVE_MAJORITY;
    if (chance.lo <= 0 && chance.hi >= 0 && chance.hi < NEAR_CHANCE) return SOTTO_VERDICT_CHANCE;
    return ahead.hi < 0 ? SOTTO_VERDICT_BELOW_MAJORITY : SOTTO_VERDICT_LIKE_MAJORITY;
}

sotto_replay_verdict sotto__verdict_on_log(sotto_estimate method, sotto_estimate logging)
{
    if (method.lo > logging.hi) return SOTTO_VERDICT_ABOVE_LOGGING;
    return method.hi < logging.lo ? SOTTO_VERDICT_BELOW_LOGGING : SOTTO_VERDICT_LIKE_LOGGING;
}
