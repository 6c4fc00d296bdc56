/* The table `model`: publishes. */
#ifndef SERVICE_POSTGRES_MODEL_ROWS_H
#define SERVICE_POSTGRES_MODEL_ROWS_H

#include "connection.h"
#include "folding.h"

/* What of an experiment's models is read. */
typedef enum postgres_models { POSTGRES_MODELS_FROM, POSTGRES_MODEL_LAST } postgres_models;

/* From an epoch on, oldest first; or the last one alone. Each digest, and the chain of those that are read, is
 * checked. */
bool postgres__read_models(postgres_connection *connection, uint32_t experiment,
                           postgres_models which, uint32_t from,
                           bool (*take)(void *self, const folding_model *), void *self);
/* Queues it. `before` is the digest of the model before. */
bool postgres__put_model(postgres_connection *connection, const folding_model *model,
                         const uint8_t before[JOURNAL_DIGEST_BYTES]);

#endif
