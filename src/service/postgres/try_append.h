/* Whether the database takes rows, for a gateway whose row it refused. A change of a few bytes does not tell: it finds
 * room in a page that is there, also on a disk that is full. */
#ifndef SERVICE_POSTGRES_TRY_APPEND_H
#define SERVICE_POSTGRES_TRY_APPEND_H

#include "connection.h"

/* A row that was refused: whose it was, and how many bytes of frames it had. */
typedef struct postgres_refused {
    uint32_t experiment; /* 0: there was none */
    size_t bytes;
} postgres_refused;

/* Appends a row like that one, of the experiment's present slab, and takes it back. Outside of a transaction. True
 * also if that experiment takes no reports any more, or if its own tables are damaged: others can be written. */
bool postgres__try_append(postgres_connection *connection, uint32_t gateway,
                          const postgres_refused *refused);

/* Why the last question was refused, in words for anybody: no names, nothing of a row. NULL: only the fault tells. */
const char *postgres__reason(const postgres_connection *connection);

#endif
