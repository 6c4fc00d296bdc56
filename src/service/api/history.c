/* History as JSON. */
#include "history.h"

#include "service/journal/hours.h"
#include "watch.h"

static bool take(void *self, const journal_history *h)
{
    json_t *row = json_pack(
        "{sIsIsIsIsIsIsIsIsIsIsIsosf}", "epoch", (json_int_t)h->epoch, "minute",
        (json_int_t)h->minute, "publishes", (json_int_t)h->publishes, "learn", (json_int_t)h->learn,
        "control", (json_int_t)h->control, "control_sum", (json_int_t)h->control_sum, "follow",
        (json_int_t)h->follow, "follow_sum", (json_int_t)h->follow_sum, "late", (json_int_t)h->late,
        "duplicate", (json_int_t)h->duplicate, "conflicting", (json_int_t)h->conflicting, "alarms",
        watch_alarms(h->alarms), "age", journal_age(h->alarms));
    return row != NULL && json_array_append_new(self, row) == 0;
}

json_t *history_json(sottod_journal *journal, const sottod_experiment *experiment)
{
    json_t *rows = json_array();
    if (rows == NULL || !journal_read_history(journal, experiment_number(experiment), take, rows)) {
        json_decref(rows);
        return NULL;
    }
    return json_pack("{ssso}", "id", experiment_id_text(experiment), "rows", rows);
}
