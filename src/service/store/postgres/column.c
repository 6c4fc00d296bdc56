#include "inner.h"

#include <string.h>

/* The value, if it is not NULL and has this many bytes. */
static const uint8_t *value_of(const PGresult *result, int row, int column, int bytes)
{
    if (row >= PQntuples(result) || column >= PQnfields(result)) return NULL;
    if (PQgetisnull(result, row, column)) return NULL;
    if (PQgetlength(result, row, column) != bytes) return NULL;
    return (const uint8_t *)PQgetvalue(result, row, column);
}

bool postgres__column_i64(const PGresult *result, int row, int column, int64_t *out)
{
    const uint8_t *value = value_of(result, row, column, 8);
    uint64_t bits = 0;
    if (value == NULL) return false;
    for (int i = 0; i < 8; i++) {
        bits = bits << 8 | value[i];
    }
    *out = (int64_t)bits;
    return true;
}

bool postgres__column_u64(const PGresult *result, int row, int column, uint64_t *out)
{
    int64_t value;
    if (!postgres__column_i64(result, row, column, &value) || value < 0) return false;
    *out = (uint64_t)value;
    return true;
}

bool postgres__column_u32(const PGresult *result, int row, int column, uint32_t *out)
{
    uint64_t value;
    if (!postgres__column_u64(result, row, column, &value) || value > UINT32_MAX) return false;
    *out = (uint32_t)value;
    return true;
}

bool postgres__column_bool(const PGresult *result, int row, int column, bool *out)
{
    const uint8_t *value = value_of(result, row, column, 1);
    if (value == NULL) return false;
    *out = value[0] != 0;
    return true;
}

bool postgres__column_bytes(const PGresult *result, int row, int column, journal_bytes *out)
{
    if (row >= PQntuples(result) || column >= PQnfields(result)) return false;
    if (PQgetisnull(result, row, column)) return false;
    out->at = (const uint8_t *)PQgetvalue(result, row, column);
    out->bytes = (size_t)PQgetlength(result, row, column);
    return true;
}

bool postgres__column_text(const PGresult *result, int row, int column, const char **out)
{
    journal_bytes bytes;
    if (!postgres__column_bytes(result, row, column, &bytes)) return false;
    *out = (const char *)bytes.at; /* libpq puts a zero after it */
    return strlen(*out) == bytes.bytes;
}

bool postgres__column_exact(const PGresult *result, int row, int column, uint8_t *out, size_t bytes)
{
    const uint8_t *value = value_of(result, row, column, (int)bytes);
    if (value == NULL) return false;
    memcpy(out, value, bytes);
    return true;
}
