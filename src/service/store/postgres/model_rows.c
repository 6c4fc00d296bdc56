#include "inner.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))
#define COLUMNS                                                                                    \
    "experiment, epoch, kind, minute, folded, late, duplicate, conflicting, cut, learner, told, "  \
    "before, digest"

typedef struct model_reader {
    postgres_connection *connection;
    bool (*take)(void *self, const folding_model *);
    void *self;
    uint32_t experiment;
    uint32_t epoch; /* of the previous model; 0: none was read */
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    folding_cut cut;
} model_reader;

/* Chains the model to the previous one, if that was read. */
static bool is_whole(model_reader *all, const PGresult *result, int row, const folding_model *model,
                     journal_bytes cut)
{
    uint8_t before[JOURNAL_DIGEST_BYTES], digest[JOURNAL_DIGEST_BYTES];
    uint8_t stored[JOURNAL_DIGEST_BYTES];
    if (!postgres__column_exact(result, row, 11, before, sizeof before) ||
        !postgres__column_exact(result, row, 12, stored, sizeof stored))
        return false;
    postgres__digest_model(before, model, cut, digest);
    if (memcmp(digest, stored, sizeof digest) != 0) return false;
    if (all->epoch > 0) {
        if (model->epoch != all->epoch + 1) return false;
        if (memcmp(before, all->digest, sizeof before) != 0) return false;
    }
    all->epoch = model->epoch;
    memcpy(all->digest, digest, sizeof digest);
    return true;
}

static bool model_of(model_reader *all, const PGresult *result, int row, folding_model *out)
{
    uint32_t kind;
    journal_bytes cut;
    if (!postgres__column_u32(result, row, 0, &out->experiment) ||
        !postgres__column_u32(result, row, 1, &out->epoch) ||
        !postgres__column_u32(result, row, 2, &kind) ||
        !postgres__column_u64(result, row, 3, &out->minute) ||
        !postgres__column_u64(result, row, 4, &out->counts.folded) ||
        !postgres__column_u64(result, row, 5, &out->counts.late) ||
        !postgres__column_u64(result, row, 6, &out->counts.duplicate) ||
        !postgres__column_u64(result, row, 7, &out->counts.conflicting) ||
        !postgres__column_bytes(result, row, 8, &cut) ||
        !postgres__column_bytes(result, row, 9, &out->learner) ||
        !postgres__column_bytes(result, row, 10, &out->results))
        return false;
    if (kind < JOURNAL_PUBLISH || kind > JOURNAL_END_FALLBACK) return false;
    out->kind = (journal_kind)kind;
    if (!postgres__cut_decode(cut, &all->cut)) return false;
    out->cut = all->cut;
    return is_whole(all, result, row, out, cut);
}

static bool take_model(void *self, int question, const PGresult *result)
{
    model_reader *all = self;
    char place[200];
    (void)question;
    for (int row = 0; row < PQntuples(result); row++) {
        folding_model model = {.epoch = 0};
        if (!model_of(all, result, row, &model)) {
            return postgres__refuse(
                all->connection,
                "%s is damaged: the model of experiment %u that opened epoch %u is unreadable, "
                "does not follow the one before, or has a wrong digest. Restore a copy",
                postgres__place(all->connection, place, sizeof place), all->experiment,
                model.epoch);
        }
        if (!all->take(all->self, &model)) return false;
    }
    return true;
}

bool postgres__read_models(postgres_connection *connection, uint32_t experiment,
                           postgres_models which, uint32_t from,
                           bool (*take)(void *self, const folding_model *), void *self)
{
    static const char *const sql[] = {
        [POSTGRES_MODELS_FROM] =
            "SELECT " COLUMNS " FROM model WHERE experiment = $1 AND epoch >= $2 ORDER BY epoch",
        [POSTGRES_MODEL_LAST] = "SELECT " COLUMNS " FROM model WHERE experiment = $1 AND epoch >= "
                                "$2 ORDER BY epoch DESC LIMIT 1",
    };
    model_reader all = {
        .connection = connection, .take = take, .self = self, .experiment = experiment};
    const postgres_value value[] = {POSTGRES_U(experiment), POSTGRES_U(from)};
    bool done = postgres__queue(connection, sql[which], value, COUNT(value)) &&
                postgres__run_by_rows(connection, take_model, &all);
    folding_cut_free(&all.cut);
    return done;
}

bool postgres__put_model(postgres_connection *connection, const folding_model *model,
                         const uint8_t before[JOURNAL_DIGEST_BYTES])
{
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    size_t cut_bytes = postgres__cut_bytes(&model->cut);
    uint8_t *cut = malloc(cut_bytes + 1);
    if (cut == NULL) return postgres__refuse(connection, "no memory for a cut");
    postgres__cut_encode(&model->cut, cut);
    postgres__digest_model(before, model, (journal_bytes){cut, cut_bytes}, digest);
    const postgres_value value[] = {
        POSTGRES_U(model->experiment),
        POSTGRES_U(model->epoch),
        POSTGRES_U(model->kind),
        POSTGRES_U(model->minute),
        POSTGRES_U(model->counts.folded),
        POSTGRES_U(model->counts.late),
        POSTGRES_U(model->counts.duplicate),
        POSTGRES_U(model->counts.conflicting),
        POSTGRES_BYTES(cut, cut_bytes),
        POSTGRES_BYTES(model->learner.at, model->learner.bytes),
        POSTGRES_BYTES(model->results.at, model->results.bytes),
        POSTGRES_BYTES(before, JOURNAL_DIGEST_BYTES),
        POSTGRES_BYTES(digest, sizeof digest),
    };
    bool queued = postgres__queue(connection,
                                  "INSERT INTO model (" COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, "
                                  "$7, $8, $9, $10, $11, $12, $13)",
                                  value, COUNT(value));
    free(cut);
    return queued;
}
