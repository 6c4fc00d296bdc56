#include "refusal.h"

#include <stdio.h>

static void copy(char *out, size_t capacity, const char *text)
{
    snprintf(out, capacity, "%s", text != NULL ? text : "");
}

void refusal_set(sottod_refusal *out, uint32_t status, const char *error, const char *field,
                 const char *value, const char *allowed)
{
    out->status = status;
    copy(out->error, sizeof out->error, error);
    copy(out->field, sizeof out->field, field);
    copy(out->value, sizeof out->value, value);
    copy(out->allowed, sizeof out->allowed, allowed);
}
