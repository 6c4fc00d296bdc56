/* Many short texts that are freed together. */
#ifndef SOTTO_CLI_REPRODUCE_TEXT_POOL_H
#define SOTTO_CLI_REPRODUCE_TEXT_POOL_H

#include <stddef.h>

typedef struct text_pool {
    struct text_piece *last;
    int failed; /* out of memory once; texts made since are "" */
} text_pool;

/* Memory that lives as long as the pool, zeroed; NULL if there is none. */
void *text_pool_take(text_pool *pool, size_t bytes);
/* A formatted text. Never NULL. */
__attribute__((format(printf, 2, 3))) const char *text_pool_print(text_pool *pool,
                                                                  const char *format, ...);
void text_pool_free(text_pool *pool);

#endif
