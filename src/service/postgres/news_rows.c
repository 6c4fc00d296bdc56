#include "news_rows.h"

#include "column.h"
#include "held_rows.h"

typedef struct reading {
    bool (*take)(void *self, const journal_news *);
    void *self;
} reading;

static bool take_news(void *self, int question, const PGresult *result)
{
    const reading *all = self;
    (void)question;
    for (int row = 0; row < PQntuples(result); row++) {
        uint32_t state;
        journal_news news;
        if (!postgres__column_u32(result, row, 0, &news.experiment) ||
            !postgres__column_u32(result, row, 1, &state) || state > JOURNAL_DELETED ||
            !postgres__column_bool(result, row, 2, &news.quarantine) ||
            !postgres__column_u32(result, row, 3, &news.epoch) ||
            !postgres__column_bool(result, row, 4, &news.ended))
            continue; /* it is damaged: whoever reads all of it finds that */
        news.state = (journal_state)state;
        if (postgres__held_of(result, row, 5, &news.held) && news.held.epoch != news.epoch)
            news.held = (journal_held){.reports = 0};
        if (!all->take(all->self, &news)) return false;
    }
    return true;
}

bool postgres__read_news(postgres_connection *connection,
                         bool (*take)(void *self, const journal_news *), void *self)
{
    reading all = {take, self};
    return postgres__ask(connection,
                         "SELECT e.number, e.state, e.quarantine, coalesce((SELECT max(m.epoch) "
                         "FROM model AS m WHERE m.experiment = e.number), 0), EXISTS (SELECT 1 "
                         "FROM ended AS d WHERE d.experiment = e.number), " POSTGRES_HELD_COLUMNS
                         " FROM experiment AS e LEFT JOIN held AS h ON h.experiment = e.number "
                         "ORDER BY e.number",
                         NULL, 0, take_news, &all);
}
