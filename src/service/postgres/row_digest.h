/* The digests of the rows. Their bytes are specified at the head of row_digest.c. */
#ifndef SERVICE_POSTGRES_ROW_DIGEST_H
#define SERVICE_POSTGRES_ROW_DIGEST_H

#include "folding.h"

/* `before` is the digest of the row before, of the same experiment and gateway; it may be `out`. row->seq is
 * its gseq. */
void postgres__digest_row(const uint8_t before[JOURNAL_DIGEST_BYTES], uint32_t gateway,
                          const journal_row *row, uint8_t out[JOURNAL_DIGEST_BYTES]);
void postgres__digest_experiment(const journal_experiment *experiment,
                                 uint8_t out[JOURNAL_DIGEST_BYTES]);
/* `before` is the digest of the model before, of the same experiment. `cut` is the encoded one. */
void postgres__digest_model(const uint8_t before[JOURNAL_DIGEST_BYTES], const folding_model *model,
                            journal_bytes cut, uint8_t out[JOURNAL_DIGEST_BYTES]);
void postgres__digest_history(const journal_history *history, uint8_t out[JOURNAL_DIGEST_BYTES]);
void postgres__digest_removed(uint32_t experiment, const folding_place *place,
                              uint8_t out[JOURNAL_DIGEST_BYTES]);
/* Of what became of the last reports of a closed experiment. `cut` is the encoded one. */
void postgres__digest_ended(const folding_model *ended, journal_bytes cut,
                            uint8_t out[JOURNAL_DIGEST_BYTES]);
void postgres__digest_held(const journal_held *held, uint8_t out[JOURNAL_DIGEST_BYTES]);

#endif
