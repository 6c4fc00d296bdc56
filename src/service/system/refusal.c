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
    out->lacks = LACK_NOTHING;
    copy(out->error, sizeof out->error, error);
    copy(out->field, sizeof out->field, field);
    copy(out->value, sizeof out->value, value);
    copy(out->allowed, sizeof out->allowed, allowed);
}

void refusal_set_lack(sottod_refusal *out, refusal_lack lacks, const char *error)
{
    refusal_set(out, 503, error, NULL, NULL, NULL);
    out->lacks = lacks;
}
