#include "inner.h"

#include "service/front/front.h"

#include <stdlib.h>
#include <string.h>

struct sottod_list {
    const sottod_experiments *all;
    uint32_t next;   /* where to continue */
    uint32_t number; /* of the last experiment; 0: none yet */
    bool over;
    char *text; /* of one row; NULL: none */
    size_t at, bytes;
};

sottod_list *list_open(const sottod_experiments *all)
{
    sottod_list *list = calloc(1, sizeof *list);
    if (list == NULL) return NULL;
    list->all = all;
    list->text = strdup("{\"experiments\":[");
    if (list->text == NULL) {
        free(list);
        return NULL;
    }
    list->bytes = strlen(list->text);
    return list;
}

/* Experiments after a deleted one have moved forward; numbers only grow. */
static const sottod_experiment *next_of(sottod_list *list)
{
    uint32_t count = experiments_count(list->all);
    if (list->next > count) list->next = count;
    while (list->next > 0 &&
           experiment_number(experiments_at(list->all, list->next - 1)) > list->number) {
        list->next--;
    }
    return experiments_at(list->all, list->next);
}

/* False: no memory. */
static bool step(sottod_list *list)
{
    const sottod_experiment *experiment = next_of(list);
    json_t *row = experiment != NULL ? describe_row(experiment) : NULL;
    free(list->text);
    list->text = row != NULL ? json_dumps(row, JSON_COMPACT) : strdup("]}");
    json_decref(row);
    if (list->text == NULL || (experiment != NULL && row == NULL)) return false;
    list->bytes = strlen(list->text);
    list->at = 0;
    list->over = experiment == NULL;
    if (experiment == NULL) return true;
    list->number = experiment_number(experiment);
    list->next++;
    return true;
}

/* A comma precedes every row but the first. */
static bool wants_comma(sottod_list *list)
{
    return list->at == list->bytes && list->number > 0 && next_of(list) != NULL;
}

ptrdiff_t list_more(void *self, char *at, size_t room)
{
    sottod_list *list = self;
    size_t used = 0;
    while (used < room) {
        size_t left = list->bytes - list->at;
        if (left == 0 && list->over) break;
        if (left == 0) {
            if (wants_comma(list)) at[used++] = ',';
            if (!step(list)) return FRONT_PIECES_FAIL;
            continue;
        }
        size_t bytes = left < room - used ? left : room - used;
        memcpy(at + used, list->text + list->at, bytes);
        list->at += bytes;
        used += bytes;
    }
    return used > 0 ? (ptrdiff_t)used : FRONT_PIECES_END;
}

void list_free(void *self)
{
    sottod_list *list = self;
    if (list == NULL) return;
    free(list->text);
    free(list);
}
