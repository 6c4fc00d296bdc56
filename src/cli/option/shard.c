/* The value I/N of --shard. */
#include "shard.h"
#include "core/fault.h"

#include <sotto/lab/shards.h>

#include <string.h>

/* Digits alone: 1e1/20 would only hide a mistake. Moves on to what follows them. */
static bool whole_of(const char **text, uint32_t *out)
{
    size_t digits = strspn(*text, "0123456789");
    *out = 0;
    if (digits == 0 || digits > 6) return false;
    for (; digits > 0; digits--) {
        *out = 10 * *out + (uint32_t)(*(*text)++ - '0');
    }
    return true;
}

const char *shard_parse(const option *row, const char *text, void *fields,
                        char fault[SOTTO_FAULT_BYTES])
{
    option_shard *shard = (option_shard *)(void *)((char *)fields + row->field);
    const char *at = text;
    bool read =
        whole_of(&at, &shard->index) && *at++ == '/' && whole_of(&at, &shard->count) && *at == '\0';
    if (read && sotto_shard_fault(shard->index, shard->count, fault) == NULL) return NULL;
    return sotto__fault(fault,
                        "%.100s: allowed I/N, such as 2/8, with I from 1 to N and N at most %u",
                        text, SOTTO_SHARDS_MAX);
}
