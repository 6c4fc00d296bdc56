/* One row of history per hour instead of one per publish. */
#include "folding_inside.h"

#include "history_rows.h"
#include "service/journal/hours.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static bool thin(postgres_connection *connection, const journal_hour *one)
{
    uint64_t start = journal_hour_start(one->sum.minute);
    const postgres_value value[] = {
        POSTGRES_U(one->sum.experiment),      POSTGRES_U(one->first_epoch),
        POSTGRES_U(one->sum.epoch),           POSTGRES_U(start),
        POSTGRES_U(start + JOURNAL_HOUR_MIN),
    };
    return postgres__queue(connection,
                           "DELETE FROM history WHERE experiment = $1 AND epoch BETWEEN $2 AND $3 "
                           "AND minute >= $4 AND minute < $5",
                           value, COUNT(value)) &&
           postgres__put_history(connection, &one->sum) && postgres__run(connection, NULL, NULL);
}

bool folding_thin_history(sottod_folding *folding, uint64_t before_minute)
{
    postgres_connection *connection = &folding->connection;
    uint64_t before = journal_hour_start(before_minute); /* whole hours only */
    journal_hours all = {.count = 0};
    if (!folding__is_folder(folding)) return false;
    bool done =
        postgres__ask(connection, "BEGIN", NULL, 0, NULL, NULL) &&
        postgres__read_history(connection, 0, folding->thinned, before, journal_hours_gather, &all);
    for (size_t i = 0; done && i < all.count; i++) {
        if (all.at[i].rows > 1) done = thin(connection, &all.at[i]);
    }
    if (all.no_memory) postgres__refuse(connection, "no memory for the history");
    journal_hours_free(&all);
    done = done && postgres__ask(connection, "COMMIT", NULL, 0, NULL, NULL);
    if (!done) return folding__fail(folding);
    if (before > folding->thinned) folding->thinned = before;
    return true;
}
