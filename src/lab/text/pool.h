/* Many short texts that are freed together. */
#ifndef SOTTO_LAB_TEXT_POOL_H
#define SOTTO_LAB_TEXT_POOL_H

#include <stddef.h>

typedef struct sotto__pool {
    struct sotto__pool_piece *last;
    int failed; /* out of memory once; texts made since are "" */
} sotto__pool;

/* Memory that lives as long as the pool, zeroed; NULL if there is none. */
void *sotto__pool_take(sotto__pool *pool, size_t bytes);
/* A formatted text. Never NULL. */
__attribute__((format(printf, 2, 3))) const char *sotto__pool_print(sotto__pool *pool,
                                                                    const char *format, ...);
void sotto__pool_free(sotto__pool *pool);

#endif
