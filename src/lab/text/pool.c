/* A pool is a list of pieces, each with a text behind it. */
#include "pool.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct sotto__pool_piece {
    struct sotto__pool_piece *before;
    max_align_t memory[];
};

void *sotto__pool_take(sotto__pool *pool, size_t bytes)
{
    struct sotto__pool_piece *piece = calloc(1, sizeof *piece + bytes);
    if (piece == NULL) {
        pool->failed = 1;
        return NULL;
    }
    piece->before = pool->last;
    pool->last = piece;
    return piece->memory;
}

const char *sotto__pool_print(sotto__pool *pool, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = vsnprintf(NULL, 0, format, values);
    va_end(values);
    char *text = sotto__pool_take(pool, (size_t)length + 1);
    if (text == NULL) return "";
    va_start(values, format);
    vsnprintf(text, (size_t)length + 1, format, values);
    va_end(values);
    return text;
}

void sotto__pool_free(sotto__pool *pool)
{
    while (pool->last != NULL) {
        struct sotto__pool_piece *piece = pool->last;
        pool->last = piece->before;
        free(piece);
    }
}
