#include "decide_held.h"

#include "held_rows.h"
#include "locks.h"
#include "look_before.h"

bool postgres__end_fallback(postgres_connection *connection, uint32_t experiment, bool *done)
{
    postgres_before found;
    *done = false;
    if (!postgres__look_before(connection, experiment, &found)) return false;
    if (!found.found || found.state != JOURNAL_OPEN || found.held.reports > 0) {
        connection->changed = true; /* who asks does not know it yet */
        *done = found.found && (found.held.alarms & JOURNAL_ALARM_HARM) != 0; /* it is there */
        return true;
    }
    const journal_held ends = {.experiment = experiment,
                               .epoch = found.epoch,
                               .alarms = JOURNAL_ALARM_HARM,
                               .reports = 1, /* 0 would be no row */
                               .decision = JOURNAL_PUBLISH};
    *done = postgres__put_held(connection, &ends) &&
            postgres__ask(connection, "NOTIFY " POSTGRES_CHANNEL, NULL, 0, NULL, NULL);
    return *done;
}

bool postgres__decide(postgres_connection *connection, uint32_t experiment, uint32_t epoch,
                      journal_kind decision, bool *held)
{
    postgres_before found;
    *held = false;
    if (decision != JOURNAL_PUBLISH && decision != JOURNAL_DISCARD)
        return postgres__refuse(connection,
                                "a held epoch is decided with %u: allowed are 1, publish, and 2, "
                                "discard",
                                (unsigned)decision);
    if (!postgres__look_before(connection, experiment, &found)) return false;
    if (!found.found || found.state != JOURNAL_OPEN || found.held.reports == 0 ||
        found.held.epoch != epoch || (found.held.alarms & JOURNAL_ALARM_HARM) != 0) {
        connection->changed = true; /* who asks does not know it yet */
        return true;
    }
    found.held.decision = decision;
    *held = postgres__put_held(connection, &found.held) &&
            postgres__ask(connection, "NOTIFY " POSTGRES_CHANNEL, NULL, 0, NULL, NULL);
    return *held;
}
