/* A shard: which runs it has. */
#include "core/core.h"
#include "run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MORE_BYTES 24u /* of " and N more" */

static bool is_shard(uint32_t index, uint32_t count)
{
    return index >= 1 && index <= count && count <= SOTTO_SHARDS_MAX;
}

sotto_status sotto_shard_fault(uint32_t index, uint32_t count, sotto_fault *fault)
{
    if (is_shard(index, count)) return SOTTO_OK;
    return sotto__fault_at(fault, "shard", "%u of %u: allowed 1 to N, N at most %u",
                           (unsigned)index, (unsigned)count, SOTTO_SHARDS_MAX);
}

bool sotto_shard_holds(uint64_t run, uint32_t index, uint32_t count)
{
    return is_shard(index, count) && run % count == index - 1;
}

/* How many r below `runs` have r mod count = index - 1. */
uint64_t sotto_shard_runs(uint64_t runs, uint32_t index, uint32_t count)
{
    if (!is_shard(index, count)) return 0;
    return runs / count + (runs % count >= index ? 1 : 0);
}

bool sotto__shard_has(const sotto__shard *shard, uint64_t run)
{
    return shard->count == 0 || sotto_shard_holds(shard->dealt + run, shard->index, shard->count);
}

uint64_t sotto__shard_count(const sotto__shard *shard, uint64_t runs)
{
    if (shard->count == 0) return runs;
    return sotto_shard_runs(shard->dealt + runs, shard->index, shard->count) -
           sotto_shard_runs(shard->dealt, shard->index, shard->count);
}

void sotto__shard_list_add(sotto__shard_list *list, uint32_t index)
{
    char word[16];
    int length = snprintf(word, sizeof word, "%s%" PRIu32, list->count == 0 ? "" : ",", index);
    list->count++;
    if (list->left_out > 0 ||
        list->length + (size_t)length >= SOTTO__SHARD_LIST_BYTES - MORE_BYTES) {
        list->left_out++;
        return;
    }
    memcpy(list->text + list->length, word, (size_t)length + 1);
    list->length += (size_t)length;
}

const char *sotto__shard_list_text(sotto__shard_list *list)
{
    if (list->left_out == 0) return list->text;
    snprintf(list->text + list->length, SOTTO__SHARD_LIST_BYTES - list->length,
             " and %" PRIu32 " more", list->left_out);
    return list->text;
}
