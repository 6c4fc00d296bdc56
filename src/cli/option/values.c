/* Values of options: names of the lab's kinds, lists, shards, and secrets from files. */
#include "core/core.h"
#include "lab/run/run.h"
#include "option.h"

#include <sotto/lab/shards.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== names ================================================================================== */

#define NAMES(kind, type)                                                                          \
    const char *names_of_##kind(uint32_t value)                                                    \
    {                                                                                              \
        return type##_name((type)value);                                                           \
    }

NAMES(calibration, sotto_calibration)
NAMES(correction, sotto_correction)
NAMES(environment, sotto_environment_kind)
NAMES(link, sotto_link)
NAMES(mechanism, sotto_mechanism_kind)
NAMES(method, sotto_method)
NAMES(noise_law, sotto_noise_law)
NAMES(parameters, sotto_parameters)
NAMES(player, sotto_player)
NAMES(reward_kind, sotto_reward_kind)
NAMES(score, sotto_score)
NAMES(split, sotto_split)
NAMES(step, sotto_step)

/* ==== shard ================================================================================== */

/* The value I/N of --shard. */

/* Reads digits only, because 1e1/20 is more likely a mistake, and moves *text past them. */
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

sotto_status shard_parse(const option *row, const char *text, void *fields, sotto_fault *fault)
{
    option_shard *shard = (option_shard *)(void *)((char *)fields + row->field);
    const char *at = text;
    bool read =
        whole_of(&at, &shard->index) && *at++ == '/' && whole_of(&at, &shard->count) && *at == '\0';
    if (read && sotto_shard_fault(shard->index, shard->count, NULL) == SOTTO_OK) return SOTTO_OK;
    return sotto__refuse(fault,
                         "%.100s: allowed I/N, such as 2/8, with I from 1 to N and N at most %u",
                         text, SOTTO_SHARDS_MAX);
}

/* ==== lists ===================================================================================== */

static void *field_of(const option *row, void *fields)
{
    return (char *)fields + row->field;
}

sotto_status player_list_parse(const option *row, const char *text, void *fields,
                               sotto_fault *fault)
{
    player_list *list = field_of(row, fields);
    char word[WORD_BYTES];
    uint32_t value, seen = 0;
    list->count = 0;
    if (word_list_fault(text, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    while (word_next(&text, word)) {
        if (name_find(word, names_of_player, &value, fault) != SOTTO_OK) return SOTTO_E_FAULT;
        if (seen >> value & 1)
            return sotto__refuse(fault, "%s: each method may be given only once", word);
        seen |= 1u << value;
        list->player[list->count++] = (sotto_player)value;
    }
    return SOTTO_OK;
}

/* The value after printing it with 15 digits and reading it back: rows print epsilon so, and their
 * runs use the same value. */
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

sotto_status epsilon_list_parse(const option *row, const char *text, void *fields,
                                sotto_fault *fault)
{
    epsilon_list *list = field_of(row, fields);
    char word[WORD_BYTES];
    double value;
    list->count = 0;
    if (word_list_fault(text, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    while (word_next(&text, word)) {
        if (!word_real(word, row->lo, row->hi, &value)) {
            return sotto__refuse(fault, "%s: allowed %g to %g", word, row->lo, row->hi);
        }
        value = as_printed(value);
        if (has_epsilon(list, value)) {
            return sotto__refuse(fault, "%s: each value may be given only once", word);
        }
        if (list->count == EPSILONS_MAX) {
            return sotto__refuse(fault, "%s: allowed at most %u values", word, EPSILONS_MAX);
        }
        list->epsilon[list->count++] = value;
    }
    return SOTTO_OK;
}

sotto_status point_list_parse(const option *row, const char *text, void *fields, sotto_fault *fault)
{
    point_list *list = field_of(row, fields);
    char word[WORD_BYTES];
    uint64_t t;
    list->count = 0;
    if (word_list_fault(text, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    while (word_next(&text, word)) {
        if (!word_whole(word, &t) || t < 1) {
            return sotto__refuse(fault, "%s: allowed rounds 1 to the horizon", word);
        }
        if (list->count > 0 && t <= list->at[list->count - 1]) {
            return sotto__refuse(fault, "%s: rounds must increase", word);
        }
        if (list->count == SOTTO_POINTS_MAX - 1) {
            return sotto__refuse(fault, "%s: allowed at most %u rounds", word,
                                 SOTTO_POINTS_MAX - 1);
        }
        list->at[list->count++] = t;
    }
    return SOTTO_OK;
}

sotto_status point_list_end(point_list *list, uint64_t horizon, sotto_fault *fault)
{
    if (list->count == 0) list->count = sotto__usual_points(horizon, list->at);
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->at[i] <= horizon) continue;
        return sotto__refuse(fault, "%" PRIu64 ": allowed rounds 1 to the horizon", list->at[i]);
    }
    bool ended = list->count > 0 && list->at[list->count - 1] == horizon;
    if (!ended) list->at[list->count++] = horizon;
    return SOTTO_OK;
}

/* ==== secret ==================================================================================== */

static bool is_visible(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] < '!' || text[i] > '~') return false;
    }
    return true;
}

bool secret_read(const command_line *line, const char *option_name, const char *path, size_t least,
                 char out[SECRET_BYTES_MAX + 1])
{
    char text[SECRET_BYTES_MAX + 3]; /* room for \r\n, and one byte to detect a longer line */
    FILE *file = fopen(path, "rb");
    if (file == NULL) return option_say(line, "--%s %s: %s", option_name, path, strerror(errno));
    size_t bytes = fread(text, 1, sizeof text, file);
    bool failed = ferror(file) != 0;
    fclose(file);
    if (bytes > 0 && text[bytes - 1] == '\n') bytes--;
    if (bytes > 0 && text[bytes - 1] == '\r') bytes--;
    if (failed || bytes < least || bytes > SECRET_BYTES_MAX || !is_visible(text, bytes)) {
        return option_say(line, "--%s %s: allowed one line of %zu to %u visible characters",
                          option_name, path, least, SECRET_BYTES_MAX);
    }
    memcpy(out, text, bytes);
    out[bytes] = '\0';
    return true;
}
