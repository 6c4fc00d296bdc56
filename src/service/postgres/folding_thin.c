/* One row of history per hour instead of one per publish. */
#include "folding_inside.h"

#include "history_rows.h"

#include <stdlib.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))
#define HOUR_MIN 60u

/* Rows of one experiment, next to each other, in one hour. */
typedef struct hour {
    journal_history sum;
    uint32_t first_epoch;
    uint32_t rows;
} hour;

typedef struct hours {
    hour *at;
    size_t count, room;
    bool no_memory;
} hours;

static void add(hour *to, const journal_history *row)
{
    to->rows++;
    to->sum.epoch = row->epoch;
    if (row->minute > to->sum.minute) to->sum.minute = row->minute;
    to->sum.publishes += row->publishes;
    to->sum.learn += row->learn;
    to->sum.control += row->control;
    to->sum.follow += row->follow;
    to->sum.control_sum += row->control_sum;
    to->sum.follow_sum += row->follow_sum;
    to->sum.late += row->late;
    to->sum.duplicate += row->duplicate;
    to->sum.conflicting += row->conflicting;
    to->sum.alarms |= row->alarms;
}

static bool gather(void *self, const journal_history *row)
{
    hours *all = self;
    hour *last = all->count > 0 ? &all->at[all->count - 1] : NULL;
    if (last != NULL && last->sum.experiment == row->experiment &&
        last->sum.minute / HOUR_MIN == row->minute / HOUR_MIN) {
        add(last, row);
        return true;
    }
    if (all->at == NULL || all->count == all->room) {
        size_t room = all->room == 0 ? 256 : all->room * 2;
        hour *more = realloc(all->at, room * sizeof *more);
        if (more == NULL) {
            all->no_memory = true;
            return false;
        }
        all->at = more;
        all->room = room;
    }
    all->at[all->count++] = (hour){.sum = *row, .first_epoch = row->epoch, .rows = 1};
    return true;
}

/* Rows of another hour between two of this one stay: the clock may jump. */
static bool thin(postgres_connection *connection, const hour *one)
{
    uint64_t start = one->sum.minute - one->sum.minute % HOUR_MIN;
    const postgres_value value[] = {
        POSTGRES_U(one->sum.experiment), POSTGRES_U(one->first_epoch),
        POSTGRES_U(one->sum.epoch),      POSTGRES_U(start),
        POSTGRES_U(start + HOUR_MIN),
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
    uint64_t before = before_minute - before_minute % HOUR_MIN; /* whole hours only */
    hours all = {.count = 0};
    if (!folding__is_folder(folding)) return false;
    bool done = postgres__ask(connection, "BEGIN", NULL, 0, NULL, NULL) &&
                postgres__read_history(connection, 0, folding->thinned, before, gather, &all);
    for (size_t i = 0; done && i < all.count; i++) {
        if (all.at[i].rows > 1) done = thin(connection, &all.at[i]);
    }
    free(all.at);
    if (all.no_memory) postgres__refuse(connection, "no memory for the history");
    done = done && postgres__ask(connection, "COMMIT", NULL, 0, NULL, NULL);
    if (!done) return folding__fail(folding);
    if (before > folding->thinned) folding->thinned = before;
    return true;
}
