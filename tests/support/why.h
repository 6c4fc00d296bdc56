/* Why a call refuses, for tests of calls whose last argument is a fault. */
#ifndef SOTTO_WHY_H
#define SOTTO_WHY_H

#include <sotto/core.h>

#include <stddef.h>

static sotto_fault why_fault __attribute__((unused));

static inline const char *why_of(sotto_status status)
{
    return status == SOTTO_OK ? NULL : why_fault.sentence;
}

/* The sentence of the fault that function(..., &fault) fills; NULL if it returns SOTTO_OK. Valid until the next one. */
#define WHY(function, ...) why_of(function(__VA_ARGS__, &why_fault))

#endif
