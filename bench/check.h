/* A benchmark that fails stops. */
#ifndef SOTTO_BENCH_CHECK_H
#define SOTTO_BENCH_CHECK_H

#include <sotto/core.h>

#include <stdio.h>
#include <stdlib.h>

static inline void bench_check(sotto_status status)
{
    if (status == SOTTO_OK) return;
    fprintf(stderr, "bench: %s\n", sotto_status_text(status));
    exit(1);
}

#endif
