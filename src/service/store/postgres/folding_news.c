#include "core/core.h"
#include "inner.h"

#include <stdlib.h>

/* ==== waiting rows =========================================================================== */

/* The database itself decodes the cut of the last model (or of the end): 44 bytes per gateway (cut.c). It finds later
 * rows by the primary keys of the slabs, so the cost depends on the waiting rows only. */
#define WAITING                                                                                    \
    "WITH last AS MATERIALIZED (SELECT coalesce((SELECT cut FROM ended WHERE experiment = $1), "   \
    "(SELECT cut "                                                                                 \
    "FROM model WHERE experiment = $1 ORDER BY epoch DESC LIMIT 1), ''::bytea) AS cut), "          \
    "place AS MATERIALIZED (SELECT (SELECT sum(get_byte(cut, 44 * i + b)::bigint << 8 * b) FROM "  \
    "generate_series(0, 3) AS b)::bigint AS gateway, (SELECT sum(get_byte(cut, 44 * i + 4 + "      \
    "b)::bigint << 8 * b) FROM generate_series(0, 7) AS b)::bigint AS gseq FROM last, "            \
    "generate_series(0, octet_length(cut) / 44 - 1) AS i) "                                        \
    "SELECT coalesce(sum(new.reports), 0)::bigint FROM gateway AS g LEFT JOIN place AS p ON "      \
    "p.gateway = g.number CROSS JOIN LATERAL (SELECT sum(j.reports + j.late + "                    \
    "j.duplicate + j.conflicting) AS reports FROM journal AS j WHERE j.slab BETWEEN $2 AND $3 "    \
    "AND j.gateway = g.number AND j.gseq > coalesce(p.gseq, "                                      \
    "0)) AS new"

static bool take_waiting(void *self, int question, const PGresult *result)
{
    uint64_t *reports = self;
    return postgres__column_u64(result, 0, 0, &reports[question]);
}

bool postgres__read_waiting(postgres_connection *connection, const uint32_t *experiment,
                            uint32_t count, uint64_t *reports)
{
    for (uint32_t i = 0; i < count; i++) {
        const postgres_value value[] = {POSTGRES_U(experiment[i]),
                                        POSTGRES_U(postgres__slab_first(experiment[i])),
                                        POSTGRES_U(postgres__slab_last(experiment[i]))};
        if (!postgres__queue(connection, WAITING, value, 3)) return false;
    }
    return count == 0 || postgres__run(connection, take_waiting, reports);
}

/* ==== news rows ============================================================================== */

typedef struct news_reader {
    bool (*take)(void *self, const journal_news *);
    void *self;
} news_reader;

/* Unreadable values are ignored. */
static void news_rows_take_pace(const PGresult *result, int row, journal_news *news)
{
    uint32_t epoch;
    if (postgres__column_u32(result, row, 12, &epoch) && epoch == news->epoch &&
        postgres__column_u64(result, row, 13, &news->looks) &&
        postgres__column_u64(result, row, 14, &news->distinct))
        return;
    news->looks = 0;
}

static bool take_news(void *self, int question, const PGresult *result)
{
    const news_reader *all = self;
    (void)question;
    for (int row = 0; row < PQntuples(result); row++) {
        uint32_t state;
        journal_bytes mark;
        journal_news news = {.looks = 0};
        /* damaged: the function that reads whole rows reports it */
        if (!postgres__column_u32(result, row, 0, &news.experiment) ||
            !postgres__column_u32(result, row, 1, &state) || state > JOURNAL_DELETED ||
            !postgres__column_bool(result, row, 2, &news.quarantine) ||
            !postgres__column_u32(result, row, 3, &news.epoch) ||
            !postgres__column_bool(result, row, 4, &news.ended) ||
            !postgres__column_bytes(result, row, 11, &mark) || mark.bytes != 8)
            continue;
        news.state = (journal_state)state;
        news.mark = sotto__get_u64(mark.at);
        if (postgres__held_of(result, row, 5, &news.held) && news.held.epoch != news.epoch)
            news.held = (journal_held){.reports = 0};
        news_rows_take_pace(result, row, &news);
        if (!all->take(all->self, &news)) return false;
    }
    return true;
}

bool postgres__read_news(postgres_connection *connection, uint32_t only,
                         bool (*take)(void *self, const journal_news *), void *self)
{
    news_reader all = {take, self};
    const postgres_value value[] = {POSTGRES_U(only == 0 ? 1 : only),
                                    POSTGRES_U(only == 0 ? INT64_MAX : only)};
    return postgres__ask(connection,
                         "SELECT e.number, e.state, e.quarantine, coalesce((SELECT max(m.epoch) "
                         "FROM model AS m WHERE m.experiment = e.number), 0), EXISTS (SELECT 1 "
                         "FROM ended AS d WHERE d.experiment = e.number), " POSTGRES_HELD_COLUMNS
                         ", substr(e.digest, 1, 8), p.epoch, p.looks, p.distinct_reports FROM "
                         "experiment AS e LEFT JOIN held AS h ON h.experiment = e.number LEFT JOIN "
                         "pace AS p ON p.experiment = e.number WHERE e.number BETWEEN $1 AND $2 "
                         "ORDER BY e.number",
                         value, 2, take_news, &all);
}

/* ==== folding news =========================================================================== */

/*
 * What a publisher asks about all experiments at once, so that the number of queries does not grow with theirs: which
 * experiments have new rows (table `arrival`), and how old their epochs are (table `pace`). */

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* ---- new rows ----------------------------------------------------------------------------- */

/* A gateway is one connection, so its ticks become durable in order. */
#define ARRIVALS                                                                                   \
    "SELECT g.number, coalesce(a.tick, 0), coalesce(a.experiment, 0) FROM gateway AS g "           \
    "LEFT JOIN unnest($1::bigint[], $2::bigint[]) AS seen (gateway, tick) ON seen.gateway = "      \
    "g.number LEFT JOIN LATERAL (SELECT b.tick, b.experiment FROM arrival AS b WHERE b.gateway "   \
    "= g.number AND b.tick > coalesce(seen.tick, 0)) AS a ON true ORDER BY g.number, a.tick"

typedef struct arriving {
    sottod_folding *folding;
    folding_cut next; /* the last tick of each gateway */
    bool (*take)(void *self, uint32_t experiment);
    void *self;
} arriving;

static bool take_arrival(arriving *all, const PGresult *result, int row)
{
    uint32_t gateway, experiment;
    uint64_t tick;
    if (!postgres__column_u32(result, row, 0, &gateway) ||
        !postgres__column_u64(result, row, 1, &tick) ||
        !postgres__column_u32(result, row, 2, &experiment))
        return postgres__refuse(&all->folding->connection, "the table arrival cannot be read");
    folding_cut *next = &all->next;
    folding_place place = {.gateway = gateway, .gseq = tick};
    const folding_place *seen = postgres__cut_find(&all->folding->ticks, gateway);
    if (tick == 0 && seen != NULL) place.gseq = seen->gseq;
    if (next->places > 0 && next->place[next->places - 1].gateway == gateway) {
        next->place[next->places - 1] = place;
    } else if (place.gseq > 0 && !postgres__cut_add(next, &place)) {
        return postgres__refuse(&all->folding->connection, "no memory for a cut");
    }
    return experiment == 0 || all->take(all->self, experiment);
}

static bool take_arrivals(void *self, int question, const PGresult *result)
{
    (void)question;
    for (int row = 0; row < PQntuples(result); row++) {
        if (!take_arrival(self, result, row)) return false;
    }
    return true;
}

bool folding_arrivals(sottod_folding *folding, bool anew,
                      bool (*take)(void *self, uint32_t experiment), void *self)
{
    if (!folding__ready(folding)) return false;
    if (anew) folding_cut_free(&folding->ticks);
    arriving all = {.folding = folding, .take = take, .self = self};
    char *gateways = postgres__cut_gateways(&folding->ticks);
    char *ticks = postgres__cut_gseqs(&folding->ticks);
    bool done = false;
    if (gateways == NULL || ticks == NULL) {
        postgres__refuse(&folding->connection, "no memory for a cut");
    } else {
        const postgres_value value[] = {POSTGRES_NUMBERS(gateways), POSTGRES_NUMBERS(ticks)};
        done =
            postgres__ask(&folding->connection, ARRIVALS, value, COUNT(value), take_arrivals, &all);
    }
    free(gateways);
    free(ticks);
    if (!done) {
        folding_cut_free(&all.next);
        return false;
    }
    folding_cut_free(&folding->ticks);
    folding->ticks = all.next;
    return true;
}

/* ---- time --------------------------------------------------------------------------------- */

#define NOW_MS "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

/* The clock of a new experiment begins now. If the stored time is in the future, the experiment counts as published
 * just now. */
#define BEGIN_PACE                                                                                 \
    "INSERT INTO pace (experiment, published_ms, epoch, looks, distinct_reports) SELECT "          \
    "e.number, " NOW_MS ", 0, 0, 0 FROM experiment AS e LEFT JOIN pace AS p ON p.experiment = "    \
    "e.number WHERE p.experiment IS NULL AND e.state < 2 AND e.number BETWEEN $1 AND $2 ON "       \
    "CONFLICT (experiment) DO NOTHING"
#define READ_PACE                                                                                  \
    "SELECT experiment, greatest(0, " NOW_MS " - published_ms) FROM pace WHERE "                   \
    "experiment BETWEEN $1 AND $2 ORDER BY experiment"

typedef struct pacing {
    postgres_connection *connection;
    bool (*take)(void *self, uint32_t experiment, uint64_t elapsed_ms);
    void *self;
} pacing;

static bool folding_news_take_pace(void *self, int question, const PGresult *result)
{
    const pacing *all = self;
    (void)question;
    for (int row = 0; row < PQntuples(result); row++) {
        uint32_t experiment;
        uint64_t elapsed_ms;
        if (!postgres__column_u32(result, row, 0, &experiment) ||
            !postgres__column_u64(result, row, 1, &elapsed_ms))
            return postgres__refuse(all->connection, "the table pace cannot be read");
        if (!all->take(all->self, experiment, elapsed_ms)) return false;
    }
    return true;
}

bool folding_read_pace(sottod_folding *folding, uint32_t only,
                       bool (*take)(void *self, uint32_t experiment, uint64_t elapsed_ms),
                       void *self)
{
    pacing all = {.connection = &folding->connection, .take = take, .self = self};
    const postgres_value value[] = {POSTGRES_U(only == 0 ? 1 : only),
                                    POSTGRES_U(only == 0 ? INT64_MAX : only)};
    return folding__ready(folding) &&
           postgres__ask(&folding->connection, BEGIN_PACE, value, COUNT(value), NULL, NULL) &&
           postgres__ask(&folding->connection, READ_PACE, value, COUNT(value),
                         folding_news_take_pace, &all);
}

bool folding__put_pace(sottod_folding *folding, uint32_t experiment, uint32_t epoch)
{
    const postgres_value value[] = {POSTGRES_U(experiment), POSTGRES_U(epoch)};
    return postgres__queue(&folding->connection,
                           "INSERT INTO pace (experiment, published_ms, epoch, looks, "
                           "distinct_reports) VALUES ($1, " NOW_MS ", $2, 0, 0) ON CONFLICT "
                           "(experiment) DO UPDATE SET published_ms = excluded.published_ms, "
                           "epoch = excluded.epoch, distinct_reports = 0",
                           value, COUNT(value));
}

bool folding_tell_look(sottod_folding *folding, uint32_t experiment, uint32_t epoch,
                       uint64_t distinct)
{
    postgres_connection *connection = &folding->connection;
    const postgres_value value[] = {POSTGRES_U(experiment), POSTGRES_U(epoch),
                                    POSTGRES_U(distinct)};
    if (!folding__may_fold(folding, experiment)) return false;
    if (postgres__queue(connection, "BEGIN", NULL, 0) &&
        postgres__queue(connection,
                        "UPDATE pace SET epoch = $2, looks = looks + 1, distinct_reports = $3 "
                        "WHERE experiment = $1",
                        value, COUNT(value)) &&
        postgres__queue(connection, POSTGRES_NAME_ONE, value, 1) &&
        postgres__ask(connection, "COMMIT", NULL, 0, NULL, NULL))
        return true;
    return folding__fail(folding);
}
