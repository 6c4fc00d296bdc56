/*
 * What is removed, and when. Reports are removed by whole slabs, oldest first, so that each gateway loses its
 * oldest rows and the chain of the rest has one beginning (table `removed`).
 *
 * A gateway may read the number of a slab just before a new one is opened, and write to the old one afterwards: its
 * row is acknowledged. So a slab is dropped under a lock that waits for such gateways and keeps others out, and its
 * rows are checked again under that lock. A gateway that comes later finds no slab, and its commit fails. */
#include "inner.h"

#include "service/system/system.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))
#define BUSY "55P03"
#define GATEWAYS_MS 60000u /* between two searches for ended gateways */
#define GATEWAYS_PART 100u /* they take at most 1/100 of the time */

typedef struct retaining {
    sottod_folding *folding;
    uint32_t experiment, oldest_open;
    const char *gateways, *gseqs; /* the cut, as lists */
    uint64_t slab;                /* the present one */
    uint64_t slab_bytes, slab_s;
    uint32_t state;
    bool found;
} retaining;

/* ---- slabs -------------------------------------------------------------------------------- */

/* Its minute is rounded up. A minute in the future comes from a clock that was set back since: the slab counts as old
 * as it is ahead. */
#define PRESENT                                                                                    \
    "SELECT e.state, e.slab, coalesce(pg_total_relation_size(to_regclass('sotto.journal_' || "     \
    "e.slab)), 0), greatest(0, age.s, -60 - age.s)::bigint FROM experiment AS e, "                 \
    "LATERAL (SELECT floor(extract(epoch FROM now()) - 60 * e.slab_minute) AS s) AS age WHERE "    \
    "e.number = $1"
/* A separate query: with the slab as a known value, the server does not examine the other partitions. */
#define IS_EMPTY "SELECT NOT EXISTS (SELECT 1 FROM journal WHERE slab = $1)"

static bool take_flag(void *self, int question, const PGresult *result)
{
    (void)question;
    return postgres__column_bool(result, 0, 0, self);
}

static bool take_present(void *self, int question, const PGresult *result)
{
    retaining *out = self;
    (void)question;
    out->found = PQntuples(result) == 1;
    return out->found && postgres__column_u32(result, 0, 0, &out->state) &&
           postgres__column_u64(result, 0, 1, &out->slab) &&
           postgres__column_u64(result, 0, 2, &out->slab_bytes) &&
           postgres__column_u64(result, 0, 3, &out->slab_s);
}

static bool look_at_present(retaining *all)
{
    postgres_connection *connection = &all->folding->connection;
    const postgres_value number[] = {POSTGRES_U(all->experiment)};
    if (postgres__ask(connection, PRESENT, number, 1, take_present, all)) return true;
    if (!all->found && connection->pg != NULL && connection->failed_at < 0)
        postgres__refuse(connection, "there is no experiment %u", all->experiment);
    return false;
}

static bool open_slab(retaining *all)
{
    postgres_connection *connection = &all->folding->connection;
    const uint64_t next = all->slab + 1;
    const postgres_value value[] = {POSTGRES_U(all->experiment), POSTGRES_U(next)};
    /* the last slab number is never replaced */
    if (next > postgres__slab_last(all->experiment)) return true;
    /* Locks the experiment first, in the same order as the code that adds one; otherwise the two could deadlock. */
    if (postgres__queue(connection, "BEGIN", NULL, 0) &&
        postgres__queue(connection,
                        "UPDATE experiment SET slab = $2, slab_minute = ceil(extract(epoch FROM "
                        "now()) / 60)::bigint WHERE number = $1",
                        value, COUNT(value)) &&
        postgres__slab_make(connection, next) &&
        postgres__ask(connection, "COMMIT", NULL, 0, NULL, NULL)) {
        all->slab = next;
        return true;
    }
    return folding__fail(all->folding);
}

/* True if a row of the slab is not in the cut, or has frames of an open epoch. */
#define IS_NEEDED                                                                                  \
    "SELECT EXISTS (SELECT 1 FROM journal AS j LEFT JOIN unnest($2::bigint[], $3::bigint[]) AS "   \
    "cut (gateway, gseq) ON cut.gateway = j.gateway WHERE j.slab = $1 AND (j.gseq > "              \
    "coalesce(cut.gseq, 0) OR (j.reports > 0 AND j.epoch >= $4)))"
#define LAST_ROWS                                                                                  \
    "SELECT DISTINCT ON (gateway) gateway, gseq, digest FROM journal WHERE slab = $1 ORDER BY "    \
    "gateway, gseq DESC"

static bool queue_is_needed(const retaining *all, uint64_t slab)
{
    const postgres_value value[] = {POSTGRES_U(slab), POSTGRES_NUMBERS(all->gateways),
                                    POSTGRES_NUMBERS(all->gseqs), POSTGRES_U(all->oldest_open)};
    return postgres__queue(&all->folding->connection, IS_NEEDED, value, COUNT(value));
}

/* What was found under the lock. */
typedef struct dropping {
    postgres_connection *connection;
    bool is_needed;
    folding_cut last;
} dropping;

#define LOOKS 4 /* queries before these: BEGIN, SET, two locks */

static bool take_dropping(void *self, int question, const PGresult *result)
{
    dropping *out = self;
    if (question == LOOKS) return take_flag(&out->is_needed, question, result);
    if (question != LOOKS + 1) return true;
    for (int row = 0; row < PQntuples(result); row++) {
        folding_place place;
        if (!postgres__column_u32(result, row, 0, &place.gateway) ||
            !postgres__column_u64(result, row, 1, &place.gseq) ||
            !postgres__column_exact(result, row, 2, place.digest, sizeof place.digest) ||
            !postgres__cut_add(&out->last, &place))
            return postgres__refuse(out->connection,
                                    "the last rows of a slab cannot be read, or there is no "
                                    "memory for them");
    }
    return true;
}

static bool look_locked(const retaining *all, uint64_t slab, dropping *out)
{
    char lock[80];
    postgres_connection *connection = &all->folding->connection;
    const postgres_value number[] = {POSTGRES_U(slab)};
    snprintf(lock, sizeof lock, "LOCK TABLE journal_%" PRIu64 " IN ACCESS EXCLUSIVE MODE", slab);
    /* Locks the table first, in the same order as a gateway; otherwise the two could deadlock. */
    return postgres__queue(connection, "BEGIN", NULL, 0) &&
           postgres__queue(connection, "SET LOCAL lock_timeout = " FOLDING_LOCK_MS, NULL, 0) &&
           postgres__queue(connection, "LOCK TABLE ONLY journal IN ACCESS EXCLUSIVE MODE", NULL,
                           0) &&
           postgres__queue(connection, lock, NULL, 0) && queue_is_needed(all, slab) &&
           postgres__queue(connection, LAST_ROWS, number, 1) &&
           postgres__run(connection, take_dropping, out);
}

static bool queue_removed(const retaining *all, const folding_cut *last)
{
    for (uint32_t i = 0; i < last->places; i++) {
        const folding_place *place = &last->place[i];
        uint8_t digest[JOURNAL_DIGEST_BYTES];
        postgres__digest_removed(all->experiment, place, digest);
        const postgres_value value[] = {POSTGRES_U(all->experiment), POSTGRES_U(place->gateway),
                                        POSTGRES_U(place->gseq),
                                        POSTGRES_BYTES(place->digest, sizeof place->digest),
                                        POSTGRES_BYTES(digest, sizeof digest)};
        if (!postgres__queue(&all->folding->connection,
                             "INSERT INTO removed (experiment, gateway, gseq, last, digest) VALUES "
                             "($1, $2, $3, $4, $5) ON CONFLICT (experiment, gateway) DO UPDATE SET "
                             "gseq = excluded.gseq, last = excluded.last, digest = excluded.digest",
                             value, COUNT(value)))
            return false;
    }
    return true;
}

/* *dropped is false if the slab is needed or busy. */
static bool drop_slab(const retaining *all, uint64_t slab, bool *dropped)
{
    postgres_connection *connection = &all->folding->connection;
    bool deleted = all->state == JOURNAL_DELETED;
    dropping found = {.connection = connection, .is_needed = true};
    *dropped = false;
    bool locked = look_locked(all, slab, &found);
    bool busy = !locked && connection->pg != NULL && strcmp(connection->sqlstate, BUSY) == 0;
    if (!locked || (found.is_needed && !deleted)) {
        folding_cut_free(&found.last);
        postgres__rollback(connection);
        return locked || busy;
    }
    *dropped = queue_removed(all, &found.last) && postgres__slab_drop(connection, slab) &&
               postgres__ask(connection, "COMMIT", NULL, 0, NULL, NULL);
    folding_cut_free(&found.last);
    return *dropped || folding__fail(all->folding);
}

typedef struct slabs {
    uint64_t *at;
    int count;
} slabs;

static bool take_slabs(void *self, int question, const PGresult *result)
{
    slabs *out = self;
    (void)question;
    out->count = PQntuples(result);
    out->at = malloc(((size_t)out->count + 1) * sizeof *out->at);
    if (out->at == NULL) return false;
    for (int row = 0; row < out->count; row++) {
        if (!postgres__column_u64(result, row, 0, &out->at[row])) return false;
    }
    return true;
}

/* Slabs have consecutive numbers and the oldest are removed, so usually only a few exist before the present one. All
 * slabs of all experiments are listed only if there may be more than these. */
#define SLABS_NEAR 32u
#define NEAR                                                                                       \
    "SELECT slab FROM generate_series($1::bigint, $2::bigint) AS slab WHERE "                      \
    "to_regclass('sotto.journal_' || slab) IS NOT NULL ORDER BY slab"
/* Names of other tables do not end in a number, and the server may evaluate this for them first. */
#define SLAB_OF "CASE WHEN c.relname ~ '^journal_[0-9]+$' THEN substr(c.relname, 9)::bigint END"
#define EVERY                                                                                      \
    "SELECT " SLAB_OF " AS slab FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid "   \
    "WHERE i.inhparent = 'sotto.journal'::regclass AND " SLAB_OF                                   \
    " BETWEEN $1 AND $2 ORDER BY slab"

static bool list_slabs(const retaining *all, slabs *out)
{
    postgres_connection *connection = &all->folding->connection;
    const uint64_t first = postgres__slab_first(all->experiment);
    const uint64_t last = postgres__slab_last(all->experiment);
    const uint64_t near = all->slab < first + SLABS_NEAR ? first : all->slab - SLABS_NEAR;
    const postgres_value few[] = {POSTGRES_U(near), POSTGRES_U(all->slab)};
    const postgres_value every[] = {POSTGRES_U(first), POSTGRES_U(last)};
    if (all->slab >= first && all->slab <= last) {
        if (!postgres__ask(connection, NEAR, few, COUNT(few), take_slabs, out)) return false;
        if (near == first || out->count == 0 || out->at[0] != near) return true;
        free(out->at);
        *out = (slabs){.count = 0};
    }
    return postgres__ask(connection, EVERY, every, COUNT(every), take_slabs, out);
}

/* Oldest first, up to the first that must stay. The present one stays, unless the experiment is deleted. */
static bool drop_slabs(const retaining *all)
{
    postgres_connection *connection = &all->folding->connection;
    slabs found = {.count = 0};
    bool done = list_slabs(all, &found);
    bool dropped = true;
    for (int i = 0; done && dropped && i < found.count; i++) {
        bool is_needed = false;
        if (all->state != JOURNAL_DELETED) {
            if (found.at[i] == all->slab) break;
            done = queue_is_needed(all, found.at[i]) &&
                   postgres__run(connection, take_flag, &is_needed);
            if (is_needed) break;
        }
        done = done && drop_slab(all, found.at[i], &dropped);
    }
    free(found.at);
    if (done && !dropped && all->state >= JOURNAL_CLOSED)
        return postgres__refuse(connection,
                                "experiment %u is over, but another process still uses its "
                                "reports; they will be removed later",
                                all->experiment);
    return done;
}

/* ---- the rest ----------------------------------------------------------------------------- */

/* Removes rows that were written while the experiment was being deleted. */
static bool empty_deleted(const retaining *all)
{
    static const char *const remove[] = {
        "DELETE FROM model WHERE experiment = $1", "DELETE FROM history WHERE experiment = $1",
        "DELETE FROM ended WHERE experiment = $1", "DELETE FROM removed WHERE experiment = $1",
        "DELETE FROM pace WHERE experiment = $1",  "DELETE FROM arrival WHERE experiment = $1"};
    const postgres_value number[] = {POSTGRES_U(all->experiment)};
    for (int i = 0; i < COUNT(remove); i++) {
        if (!postgres__ask(&all->folding->connection, remove[i], number, 1, NULL, NULL))
            return false;
    }
    return true;
}

/* Not synced to disk: if a crash restores these rows, the next publish removes them again. */
static bool remove_models(const retaining *all, uint32_t from)
{
    postgres_connection *connection = &all->folding->connection;
    const postgres_value value[] = {POSTGRES_U(all->experiment), POSTGRES_U(from)};
    if (postgres__queue(connection, "BEGIN", NULL, 0) &&
        postgres__queue(connection, "SET LOCAL synchronous_commit = off", NULL, 0) &&
        postgres__queue(connection,
                        "DELETE FROM model WHERE experiment = $1 AND epoch < least($2, (SELECT "
                        "max(epoch) FROM model WHERE experiment = $1))",
                        value, COUNT(value)) &&
        postgres__ask(connection, "COMMIT", NULL, 0, NULL, NULL))
        return true;
    return folding__fail(all->folding);
}

static bool take_list(void *self, int question, const PGresult *result)
{
    char **out = self;
    const char *text;
    (void)question;
    *out = postgres__column_text(result, 0, 0, &text) ? strdup(text) : NULL;
    return *out != NULL;
}

/* With thousands of partitions, PostgreSQL plans a query over all of them for minutes. So rows of ended gateways are
 * searched in ranges of this many experiments. */
#define GATEWAYS_RANGE "128"
#define RANGES                                                                                     \
    "SELECT DISTINCT experiment / " GATEWAYS_RANGE " FROM arrival WHERE gateway = ANY ($1)"
#define WITHOUT_ROWS                                                                               \
    "SELECT coalesce(array_agg(g), '{}')::text FROM unnest($1::bigint[]) AS g WHERE (SELECT 1 "    \
    "FROM journal AS j WHERE j.gateway = g AND j.slab BETWEEN $2 AND $3 LIMIT 1) IS NULL"

/* Reduces *ended to the gateways that have no row left; they never get one again. */
static bool keep_rowless(postgres_connection *connection, char **ended)
{
    slabs ranges = {.count = 0};
    const uint64_t range = strtoull(GATEWAYS_RANGE, NULL, 10) * POSTGRES_SLABS_MAX;
    const postgres_value all[] = {POSTGRES_NUMBERS(*ended)};
    bool done = postgres__ask(connection, RANGES, all, 1, take_slabs, &ranges);
    for (int i = 0; done && strcmp(*ended, "{}") != 0 && i < ranges.count; i++) {
        const uint64_t from = ranges.at[i] * range;
        const postgres_value value[] = {POSTGRES_NUMBERS(*ended), POSTGRES_U(from),
                                        POSTGRES_U(from + range - 1)};
        char *rest = NULL;
        done = postgres__ask(connection, WITHOUT_ROWS, value, COUNT(value), take_list, &rest);
        if (!done) break;
        free(*ended);
        *ended = rest;
    }
    free(ranges.at);
    return done;
}

static bool remove_rowless(postgres_connection *connection, const char *rowless)
{
    const postgres_value value[] = {POSTGRES_NUMBERS(rowless)};
    return postgres__queue(connection, "BEGIN", NULL, 0) &&
           postgres__queue(connection, "DELETE FROM gateway WHERE number = ANY ($1)", value, 1) &&
           postgres__queue(connection,
                           "DELETE FROM removed AS r WHERE NOT EXISTS (SELECT 1 FROM gateway AS g "
                           "WHERE g.number = r.gateway)",
                           NULL, 0) &&
           postgres__queue(connection, "DELETE FROM arrival WHERE gateway = ANY ($1)", value, 1) &&
           postgres__ask(connection, "COMMIT", NULL, 0, NULL, NULL);
}

/* A gateway whose lock is free has ended; if it has no rows left, its entry is removed. */
static bool remove_gateways(sottod_folding *folding)
{
    postgres_connection *connection = &folding->connection;
    uint64_t now_ms = clock_steady_ms();
    char *ended = NULL;
    if (now_ms < folding->gateway_ms) return true;
    folding->gateway_ms = now_ms + GATEWAYS_MS;
    bool done =
        postgres__ask(connection,
                      "SELECT coalesce(array_agg(number), '{}')::text FROM gateway WHERE "
                      "pg_try_advisory_xact_lock(" POSTGRES_GATEWAY_LOCKS ", number::integer)",
                      NULL, 0, take_list, &ended) &&
        keep_rowless(connection, &ended) &&
        (strcmp(ended, "{}") == 0 || remove_rowless(connection, ended));
    free(ended);
    const uint64_t took_ms = clock_steady_ms() - now_ms;
    if (took_ms > GATEWAYS_MS / GATEWAYS_PART)
        folding->gateway_ms = now_ms + GATEWAYS_PART * took_ms;
    return done || folding__fail(folding);
}

/* Whether a new slab must follow the present one. */
static bool is_full(retaining *all, const folding_retention *rule, bool *full)
{
    bool is_empty = true;
    const postgres_value slab[] = {POSTGRES_U(all->slab)};
    *full = false;
    if (all->slab_bytes < rule->slab_bytes_max && all->slab_s < rule->slab_s_max) return true;
    if (!postgres__ask(&all->folding->connection, IS_EMPTY, slab, 1, take_flag, &is_empty))
        return false;
    *full = !is_empty;
    return true;
}

static bool retain(retaining *all, const folding_retention *rule, uint32_t keep_models_from)
{
    if (!look_at_present(all)) return false;
    if (all->state == JOURNAL_DELETED) return drop_slabs(all) && empty_deleted(all);
    bool full;
    if (!is_full(all, rule, &full) || (full && !open_slab(all))) return false;
    return rule->keep_reports || (drop_slabs(all) && remove_models(all, keep_models_from));
}

bool folding_retain(sottod_folding *folding, uint32_t experiment, const folding_retention *rule,
                    const folding_cut *cut, uint32_t oldest_open, uint32_t keep_models_from)
{
    bool done = false;
    if (!folding__may_fold(folding, experiment)) return false;
    char *gateways = postgres__cut_gateways(cut), *gseqs = postgres__cut_gseqs(cut);
    if (gateways == NULL || gseqs == NULL) {
        postgres__refuse(&folding->connection, "no memory for a cut");
    } else {
        retaining all = {.folding = folding,
                         .experiment = experiment,
                         .oldest_open = oldest_open,
                         .gateways = gateways,
                         .gseqs = gseqs};
        done = retain(&all, rule, keep_models_from) && remove_gateways(folding);
    }
    free(gateways);
    free(gseqs);
    return done;
}
