#include "inner.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))
#define COLUMNS "experiment, epoch, folded, late, duplicate, conflicting, cut, learner, digest"

typedef struct ended_reader {
    postgres_connection *connection;
    bool (*take)(void *self, const folding_model *);
    void *self;
    uint32_t experiment;
} ended_reader;

/* The caller frees the cut, also if this returns false. */
static bool ended_of(const PGresult *result, folding_model *out)
{
    journal_bytes cut;
    uint8_t stored[JOURNAL_DIGEST_BYTES], digest[JOURNAL_DIGEST_BYTES];
    if (!postgres__column_u32(result, 0, 0, &out->experiment) ||
        !postgres__column_u32(result, 0, 1, &out->epoch) ||
        !postgres__column_u64(result, 0, 2, &out->counts.folded) ||
        !postgres__column_u64(result, 0, 3, &out->counts.late) ||
        !postgres__column_u64(result, 0, 4, &out->counts.duplicate) ||
        !postgres__column_u64(result, 0, 5, &out->counts.conflicting) ||
        !postgres__column_bytes(result, 0, 6, &cut) ||
        !postgres__column_bytes(result, 0, 7, &out->learner) ||
        !postgres__column_exact(result, 0, 8, stored, sizeof stored) ||
        !postgres__cut_decode(cut, &out->cut))
        return false;
    postgres__digest_ended(out, cut, digest);
    return memcmp(digest, stored, sizeof digest) == 0;
}

static bool take_ended(void *self, int question, const PGresult *result)
{
    ended_reader *all = self;
    char place[200];
    folding_model ended = {.kind = JOURNAL_REPORTS};
    (void)question;
    if (PQntuples(result) == 0) return true;
    bool done = ended_of(result, &ended);
    if (done) {
        done = all->take(all->self, &ended);
    } else {
        postgres__refuse(all->connection,
                         "%s is damaged: the end of experiment %u is unreadable, or its digest is "
                         "wrong. Restore a copy",
                         postgres__place(all->connection, place, sizeof place), all->experiment);
    }
    folding_cut_free(&ended.cut);
    return done;
}

bool postgres__read_ended(postgres_connection *connection, uint32_t experiment,
                          bool (*take)(void *self, const folding_model *), void *self)
{
    ended_reader all = {connection, take, self, experiment};
    const postgres_value number[] = {POSTGRES_U(experiment)};
    return postgres__ask(connection, "SELECT " COLUMNS " FROM ended WHERE experiment = $1", number,
                         1, take_ended, &all);
}

bool postgres__put_ended(postgres_connection *connection, const folding_model *ended)
{
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    size_t cut_bytes = postgres__cut_bytes(&ended->cut);
    uint8_t *cut = malloc(cut_bytes + 1);
    if (cut == NULL) return postgres__refuse(connection, "no memory for a cut");
    postgres__cut_encode(&ended->cut, cut);
    postgres__digest_ended(ended, (journal_bytes){cut, cut_bytes}, digest);
    const postgres_value value[] = {
        POSTGRES_U(ended->experiment),
        POSTGRES_U(ended->epoch),
        POSTGRES_U(ended->counts.folded),
        POSTGRES_U(ended->counts.late),
        POSTGRES_U(ended->counts.duplicate),
        POSTGRES_U(ended->counts.conflicting),
        POSTGRES_BYTES(cut, cut_bytes),
        POSTGRES_BYTES(ended->learner.at, ended->learner.bytes),
        POSTGRES_BYTES(digest, sizeof digest),
    };
    bool queued = postgres__queue(
        connection, "INSERT INTO ended (" COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        value, COUNT(value));
    free(cut);
    return queued;
}
