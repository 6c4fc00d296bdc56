/* Whether the server has what it acknowledged. */
#include "check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 3, 4))) static sotto__check say(bool exact, bool holds,
                                                              const char *format, ...)
{
    sotto__check check = {.exact = exact, .holds = holds};
    va_list list;
    va_start(list, format);
    vsnprintf(check.text, sizeof check.text, format, list);
    va_end(list);
    return check;
}

static bool grew(const sotto__check_counts *before, const sotto__check_counts *after)
{
    return after->folded >= before->folded && after->late >= before->late &&
           after->duplicate >= before->duplicate && after->conflicting >= before->conflicting;
}

sotto__check sotto__check_by_counts(const sotto__check_sent *sent,
                                    const sotto__check_counts *before,
                                    const sotto__check_counts *after)
{
    if (!grew(before, after)) {
        return say(true, false, "the server counts fewer reports than before this run");
    }
    uint64_t folded = after->folded - before->folded, late = after->late - before->late;
    uint64_t duplicate = after->duplicate - before->duplicate;
    uint64_t conflicting = after->conflicting - before->conflicting;
    if (folded + late < sent->acknowledged) {
        return say(true, false,
                   "%" PRIu64 " reports were acknowledged, and the server has %" PRIu64
                   " folded and %" PRIu64 " late: %" PRIu64 " are lost",
                   sent->acknowledged, folded, late, sent->acknowledged - folded - late);
    }
    if (folded > sent->once || folded + late + duplicate > sent->all) {
        return say(true, false,
                   "%" PRIu64 " reports were sent, %" PRIu64
                   " times in all, and the server has %" PRIu64 " folded, %" PRIu64
                   " late and %" PRIu64 " duplicate: somebody else sends, too, or it counts twice",
                   sent->once, sent->all, folded, late, duplicate);
    }
    if (conflicting > 0) {
        return say(true, false,
                   "%" PRIu64 " reports had the nonce of another one: somebody else sends, too",
                   conflicting);
    }
    return say(true, true,
               "%" PRIu64 " acknowledged; the server has %" PRIu64 " folded, %" PRIu64
               " late, %" PRIu64 " duplicate of what was sent again",
               sent->acknowledged, folded, late, duplicate);
}

sotto__check sotto__check_by_model(const sotto__check_sent *sent, uint64_t publishes,
                                   uint64_t reports_first, uint64_t reports_last)
{
    if (publishes < 2 || reports_last < reports_first) {
        return say(
            false, true,
            "weak: no two new models were published meanwhile, so they say nothing of the %" PRIu64
            " reports that were acknowledged",
            sent->acknowledged);
    }
    uint64_t grown = reports_last - reports_first;
    if (grown > sent->once) {
        return say(false, false,
                   "%" PRIu64 " reports were sent, and between two models %" PRIu64
                   " were folded: somebody else sends, too, or the server counts twice",
                   sent->once, grown);
    }
    return say(false, true,
               "weak: %" PRIu64 " acknowledged; models show %" PRIu64
               " of them folded, and cannot show those of measure rounds, late ones, and those of "
               "epochs that "
               "are not over",
               sent->acknowledged, grown);
}
