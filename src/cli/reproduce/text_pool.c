/* A pool is a list of pieces, each with a text behind it. */
#include "text_pool.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct text_piece {
    struct text_piece *before;
    max_align_t memory[];
};

void *text_pool_take(text_pool *pool, size_t bytes)
{
    struct text_piece *piece = calloc(1, sizeof *piece + bytes);
    if (piece == NULL) {
        pool->failed = 1;
        return NULL;
    }
    piece->before = pool->last;
    pool->last = piece;
    return piece->memory;
}

const char *text_pool_print(text_pool *pool, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = vsnprintf(NULL, 0, format, values);
    va_end(values);
    char *text = text_pool_take(pool, (size_t)length + 1);
    if (text == NULL) return "";
    va_start(values, format);
    vsnprintf(text, (size_t)length + 1, format, values);
    va_end(values);
    return text;
}

void text_pool_free(text_pool *pool)
{
    while (pool->last != NULL) {
        struct text_piece *piece = pool->last;
        pool->last = piece->before;
        free(piece);
    }
}
