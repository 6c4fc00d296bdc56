/* Columns of a result, in binary form: false if one is not what it should be. */
#ifndef SERVICE_POSTGRES_COLUMN_H
#define SERVICE_POSTGRES_COLUMN_H

#include "service/journal/journal.h"

#include <libpq-fe.h>
#include <stdbool.h>

/* bigint; the others are in a range of it. */
bool postgres__column_i64(const PGresult *result, int row, int column, int64_t *out);
bool postgres__column_u64(const PGresult *result, int row, int column, uint64_t *out);
bool postgres__column_u32(const PGresult *result, int row, int column, uint32_t *out);
bool postgres__column_bool(const PGresult *result, int row, int column, bool *out);
/* Valid as long as the result. */
bool postgres__column_bytes(const PGresult *result, int row, int column, journal_bytes *out);
bool postgres__column_text(const PGresult *result, int row, int column, const char **out);
/* Bytes of exactly this length, copied. */
bool postgres__column_exact(const PGresult *result, int row, int column, uint8_t *out,
                            size_t bytes);

#endif
