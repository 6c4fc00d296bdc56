/*
 * Rows of gateways: which rows wait, and reading them in the order in which they count.
 *
 * Rows are removed from the old end (folding_retain.c). The table `removed` has, for each experiment and gateway,
 * the last removed row and its digest: there the chain begins. A gateway that has ended and has no rows left is in
 * none of the tables. */
#include "inner.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))
#define ROWS_AT_ONCE 256

static bool refuse_row(sottod_folding *folding, uint32_t experiment, uint32_t gateway,
                       uint64_t gseq, const char *what)
{
    char place[200];
    return postgres__refuse(&folding->connection,
                            "%s is damaged: row %" PRIu64 " of gateway %u, experiment %u, %s",
                            postgres__place(&folding->connection, place, sizeof place), gseq,
                            gateway, experiment, what);
}

/* ---- what waits --------------------------------------------------------------------------- */

/* For each gateway: its last row after the given place, and how much came since. */
#define WAITING                                                                                    \
    "SELECT g.number, last.gseq, last.digest, new.rows, new.reports FROM gateway AS g "            \
    "LEFT JOIN unnest($2::bigint[], $3::bigint[]) AS seen (gateway, gseq) ON seen.gateway = "      \
    "g.number CROSS JOIN LATERAL (SELECT count(*) AS rows, coalesce(sum(j.reports), 0)::bigint "   \
    "AS reports FROM journal AS j WHERE j.slab BETWEEN $1 AND $4 AND j.gateway = g.number AND "    \
    "j.gseq > coalesce(seen.gseq, 0)) AS new LEFT JOIN LATERAL (SELECT j.gseq, j.digest FROM "     \
    "journal AS j WHERE j.slab BETWEEN $1 AND $4 AND j.gateway = g.number AND j.gseq > "           \
    "coalesce(seen.gseq, 0) ORDER BY j.gseq DESC LIMIT 1) AS last ON true ORDER BY g.number"

typedef struct looking {
    sottod_folding *folding;
    uint32_t experiment;
    const folding_cut *seen;
    folding_cut next;
    uint64_t reports;
} looking;

static bool take_gateway(looking *all, const PGresult *result, int row)
{
    uint32_t gateway;
    uint64_t rows, reports;
    folding_place place = {.gseq = 0};
    if (!postgres__column_u32(result, row, 0, &gateway) ||
        !postgres__column_u64(result, row, 3, &rows) ||
        !postgres__column_u64(result, row, 4, &reports))
        return postgres__refuse(&all->folding->connection,
                                "the count of waiting rows is unreadable");
    const folding_place *seen = postgres__cut_find(all->seen, gateway);
    if (seen != NULL) place = *seen;
    uint64_t before = place.gseq;
    place.gateway = gateway;
    if (rows > 0 && (!postgres__column_u64(result, row, 1, &place.gseq) ||
                     !postgres__column_exact(result, row, 2, place.digest, sizeof place.digest)))
        return refuse_row(all->folding, all->experiment, gateway, place.gseq, "cannot be read");
    if (place.gseq - before != rows)
        return refuse_row(all->folding, all->experiment, gateway, place.gseq,
                          "or one of those before it, is missing");
    all->reports += reports;
    if (place.gseq == 0 || postgres__cut_add(&all->next, &place)) return true;
    return postgres__refuse(&all->folding->connection, "no memory for a cut");
}

static bool take_waiting(void *self, int question, const PGresult *result)
{
    (void)question;
    for (int row = 0; row < PQntuples(result); row++) {
        if (!take_gateway(self, result, row)) return false;
    }
    return true;
}

static bool ask_waiting(looking *all)
{
    postgres_connection *connection = &all->folding->connection;
    char *gateways = postgres__cut_gateways(all->seen), *gseqs = postgres__cut_gseqs(all->seen);
    bool done = false;
    if (gateways == NULL || gseqs == NULL) {
        postgres__refuse(connection, "no memory for a cut");
    } else {
        const postgres_value value[] = {POSTGRES_U(postgres__slab_first(all->experiment)),
                                        POSTGRES_NUMBERS(gateways), POSTGRES_NUMBERS(gseqs),
                                        POSTGRES_U(postgres__slab_last(all->experiment))};
        done = postgres__ask(connection, WAITING, value, COUNT(value), take_waiting, all);
    }
    free(gateways);
    free(gseqs);
    return done;
}

bool folding_waiting(sottod_folding *folding, uint32_t experiment, const folding_cut *from,
                     const folding_cut **cut, uint64_t *reports)
{
    if (!folding__ready(folding)) return false;
    folding_look *look = folding__look(folding, experiment);
    if (look == NULL) return false;
    bool same = !look->doubted && postgres__cut_is_same(from, &look->from);
    looking all = {.folding = folding, .experiment = experiment, .seen = same ? &look->seen : from};
    if (!ask_waiting(&all) || !postgres__cut_copy(from, &look->from)) {
        folding_cut_free(&all.next);
        return false;
    }
    look->reports = all.reports + (same ? look->reports : 0);
    folding_cut_free(&look->seen);
    look->seen = all.next;
    look->doubted = false;
    *cut = &look->seen;
    *reports = look->reports;
    return true;
}

/* ---- rows in order ------------------------------------------------------------------------ */

/* The known gateways, and the last removed row of each. */
typedef struct begins {
    sottod_folding *folding;
    uint32_t experiment;
    folding_cut all; /* gseq 0: none was removed */
} begins;

static bool take_begin(void *self, int question, const PGresult *result)
{
    begins *out = self;
    uint8_t stored[JOURNAL_DIGEST_BYTES], digest[JOURNAL_DIGEST_BYTES];
    (void)question;
    for (int row = 0; row < PQntuples(result); row++) {
        folding_place place = {.gseq = 0};
        bool is_sound = postgres__column_u32(result, row, 0, &place.gateway);
        if (is_sound && !PQgetisnull(result, row, 1)) {
            is_sound = postgres__column_u64(result, row, 1, &place.gseq) &&
                       postgres__column_exact(result, row, 2, place.digest, sizeof place.digest) &&
                       postgres__column_exact(result, row, 3, stored, sizeof stored);
            postgres__digest_removed(out->experiment, &place, digest);
            is_sound = is_sound && memcmp(digest, stored, sizeof digest) == 0;
        }
        if (!is_sound)
            return refuse_row(out->folding, out->experiment, place.gateway, place.gseq,
                              "the last removed one, has a wrong digest. Restore a copy");
        if (!postgres__cut_add(&out->all, &place))
            return postgres__refuse(&out->folding->connection, "no memory for a cut");
    }
    return true;
}

typedef struct rows_reading {
    sottod_folding *folding;
    uint32_t experiment;
    folding_place at; /* the last row that was read */
    bool (*take)(void *self, const journal_row *);
    void *self;
} rows_reading;

static bool row_of(const PGresult *result, int row, journal_row *out, uint8_t *stored)
{
    return postgres__column_u64(result, row, 0, &out->seq) &&
           postgres__column_u32(result, row, 1, &out->epoch) &&
           postgres__column_u32(result, row, 2, &out->late) &&
           postgres__column_u32(result, row, 3, &out->duplicate) &&
           postgres__column_u32(result, row, 4, &out->conflicting) &&
           postgres__column_bytes(result, row, 5, &out->frames) &&
           postgres__column_exact(result, row, 6, stored, JOURNAL_DIGEST_BYTES);
}

static bool take_rows(void *self, int question, const PGresult *result)
{
    rows_reading *all = self;
    uint8_t stored[JOURNAL_DIGEST_BYTES];
    (void)question;
    for (int i = 0; i < PQntuples(result); i++) {
        journal_row row = {.experiment = all->experiment, .kind = JOURNAL_REPORTS};
        const uint64_t next = all->at.gseq + 1;
        if (!row_of(result, i, &row, stored))
            return refuse_row(all->folding, all->experiment, all->at.gateway, next,
                              "cannot be read. Restore a copy");
        if (row.seq != next)
            return refuse_row(all->folding, all->experiment, all->at.gateway, next, "is missing");
        postgres__digest_row(all->at.digest, all->at.gateway, &row, all->at.digest);
        if (memcmp(all->at.digest, stored, sizeof stored) != 0)
            return refuse_row(all->folding, all->experiment, all->at.gateway, next,
                              "or the one before it, has a wrong digest. Restore a copy");
        all->at.gseq = row.seq;
        if (!all->take(all->self, &row)) return false;
    }
    return true;
}

/* The rows of one gateway, up to a place. */
static bool read_gateway(rows_reading *all, const folding_place *to)
{
    postgres_connection *connection = &all->folding->connection;
    while (all->at.gseq < to->gseq) {
        const uint64_t before = all->at.gseq;
        const postgres_value value[] = {
            POSTGRES_U(postgres__slab_first(all->experiment)),
            POSTGRES_U(postgres__slab_last(all->experiment)),
            POSTGRES_U(to->gateway),
            POSTGRES_U(before),
            POSTGRES_U(to->gseq),
            POSTGRES_U(ROWS_AT_ONCE),
        };
        if (!postgres__queue(connection,
                             "SELECT gseq, epoch, late, duplicate, conflicting, frames, digest "
                             "FROM journal WHERE slab BETWEEN $1 AND $2 AND gateway = $3 AND "
                             "gseq > $4 AND gseq <= $5 ORDER BY gseq LIMIT $6",
                             value, COUNT(value)) ||
            !postgres__run_by_rows(connection, take_rows, all))
            return false;
        if (all->at.gseq == before)
            return refuse_row(all->folding, all->experiment, to->gateway, before + 1, "is missing");
    }
    if (memcmp(all->at.digest, to->digest, sizeof to->digest) == 0) return true;
    return refuse_row(all->folding, all->experiment, to->gateway, to->gseq,
                      "differs from the one that the model has counted. Restore a copy");
}

static bool read_all(rows_reading *all, const begins *begin, const folding_cut *from,
                     const folding_cut *to)
{
    for (uint32_t i = 0; i < to->places; i++) {
        const folding_place *end = &to->place[i];
        const folding_place *there = postgres__cut_find(&begin->all, end->gateway);
        const folding_place *taken = postgres__cut_find(from, end->gateway);
        if (there == NULL) continue; /* it ended, and all its rows were removed */
        all->at = taken != NULL && taken->gseq >= there->gseq ? *taken : *there;
        if (all->at.gseq >= end->gseq) continue;
        if (!read_gateway(all, end)) return false;
    }
    return true;
}

bool folding_read_rows(sottod_folding *folding, uint32_t experiment, const folding_cut *from,
                       const folding_cut *to, bool (*take)(void *self, const journal_row *),
                       void *self)
{
    begins begin = {.folding = folding, .experiment = experiment};
    rows_reading all = {.folding = folding, .experiment = experiment, .take = take, .self = self};
    const postgres_value value[] = {POSTGRES_U(experiment)};
    bool done = folding__ready(folding) &&
                postgres__ask(&folding->connection,
                              "SELECT g.number, r.gseq, r.last, r.digest FROM gateway AS g LEFT "
                              "JOIN removed AS r ON r.gateway = g.number AND r.experiment = $1 "
                              "ORDER BY g.number",
                              value, 1, take_begin, &begin) &&
                read_all(&all, &begin, from, to);
    folding_cut_free(&begin.all);
    if (!done && experiment > 0 && experiment <= folding->looks)
        folding->look[experiment - 1].doubted = true;
    return done;
}
