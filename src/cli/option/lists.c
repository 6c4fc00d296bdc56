/* Lists in the values of options. */
#include "lists.h"
#include "core/fault.h"
#include "lab/run/comparison.h"
#include "names.h"
#include "words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void *field_of(const option *row, void *fields)
{
    return (char *)fields + row->field;
}

const char *player_list_parse(const option *row, const char *text, void *fields,
                              char fault[SOTTO_FAULT_BYTES])
{
    player_list *list = field_of(row, fields);
    char word[WORD_BYTES];
    uint32_t value, seen = 0;
    list->count = 0;
    if (word_list_fault(text, fault) != NULL) return fault;
    while (word_next(&text, word)) {
        if (name_find(word, names_of_player, &value, fault) != NULL) return fault;
        if (seen >> value & 1)
            return sotto__fault(fault, "%s: each method may be given only once", word);
        seen |= 1u << value;
        list->player[list->count++] = (sotto_player)value;
    }
    return NULL;
}

/* The epsilon of a row is that of its run: both have 15 digits. */
static double as_printed(double epsilon)
{
    char text[32];
    snprintf(text, sizeof text, "%.15g", epsilon);
    return strtod(text, NULL);
}

static bool has_epsilon(const epsilon_list *list, double value)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->epsilon[i] == value) return true;
    }
    return false;
}

const char *epsilon_list_parse(const option *row, const char *text, void *fields,
                               char fault[SOTTO_FAULT_BYTES])
{
    epsilon_list *list = field_of(row, fields);
    char word[WORD_BYTES];
    double value;
    list->count = 0;
    if (word_list_fault(text, fault) != NULL) return fault;
    while (word_next(&text, word)) {
        if (!word_real(word, row->lo, row->hi, &value)) {
            return sotto__fault(fault, "%s: allowed %g to %g", word, row->lo, row->hi);
        }
        value = as_printed(value);
        if (has_epsilon(list, value)) {
            return sotto__fault(fault, "%s: each value may be given only once", word);
        }
        if (list->count == EPSILONS_MAX) {
            return sotto__fault(fault, "%s: allowed at most %u values", word, EPSILONS_MAX);
        }
        list->epsilon[list->count++] = value;
    }
    return NULL;
}

const char *point_list_parse(const option *row, const char *text, void *fields,
                             char fault[SOTTO_FAULT_BYTES])
{
    point_list *list = field_of(row, fields);
    char word[WORD_BYTES];
    uint64_t t;
    list->count = 0;
    if (word_list_fault(text, fault) != NULL) return fault;
    while (word_next(&text, word)) {
        if (!word_whole(word, &t) || t < 1) {
            return sotto__fault(fault, "%s: allowed rounds 1 to the horizon", word);
        }
        if (list->count > 0 && t <= list->at[list->count - 1]) {
            return sotto__fault(fault, "%s: rounds must increase", word);
        }
        if (list->count == SOTTO_POINTS_MAX - 1) {
            return sotto__fault(fault, "%s: allowed at most %u rounds", word, SOTTO_POINTS_MAX - 1);
        }
        list->at[list->count++] = t;
    }
    return NULL;
}

const char *point_list_end(point_list *list, uint64_t horizon, char fault[SOTTO_FAULT_BYTES])
{
    if (list->count == 0) list->count = sotto__usual_points(horizon, list->at);
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->at[i] <= horizon) continue;
        return sotto__fault(fault, "%" PRIu64 ": allowed rounds 1 to the horizon", list->at[i]);
    }
    bool ended = list->count > 0 && list->at[list->count - 1] == horizon;
    if (!ended) list->at[list->count++] = horizon;
    return NULL;
}
