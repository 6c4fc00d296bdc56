/* What digests of rows are made of, in every kind of journal. Integers are little-endian; bytes(x) is the length
 * of x as u64, then x. */
#ifndef SERVICE_JOURNAL_DIGEST_PARTS_H
#define SERVICE_JOURNAL_DIGEST_PARTS_H

#include "core/bytes.h"
#include "core/digest.h"
#include "journal.h"

#include <assert.h>
#include <string.h>

static_assert(JOURNAL_DIGEST_BYTES == SOTTO__DIGEST_BYTES, "one SHA-256");

static inline void journal__add_u32(sotto__digest *digest, uint32_t value)
{
    uint8_t bytes[4];
    sotto__put_u32(bytes, value);
    sotto__digest_add(digest, bytes, sizeof bytes);
}

static inline void journal__add_u64(sotto__digest *digest, uint64_t value)
{
    uint8_t bytes[8];
    sotto__put_u64(bytes, value);
    sotto__digest_add(digest, bytes, sizeof bytes);
}

static inline void journal__add_bytes(sotto__digest *digest, const void *at, size_t bytes)
{
    journal__add_u64(digest, bytes);
    if (bytes > 0) sotto__digest_add(digest, at, bytes);
}

/* Begins with the name of a table. */
static inline void journal__begin_digest(sotto__digest *digest, const char *name)
{
    sotto__digest_begin(digest);
    sotto__digest_add(digest, name, strlen(name));
}

#endif
