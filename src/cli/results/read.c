/* Reads the answers of the admin port. */
#include "core/core.h"
#include "inner.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* If a value is missing or invalid, its reader clears `*fine` and returns a value that must not be
 * used. */

static const json_t *part(const json_t *of, const char *key, bool *fine)
{
    const json_t *value = json_object_get(of, key);
    if (value == NULL) *fine = false;
    return value;
}

static uint64_t natural(const json_t *of, const char *key, bool *fine)
{
    const json_t *value = part(of, key, fine);
    if (!json_is_integer(value) || json_integer_value(value) < 0) *fine = false;
    return (uint64_t)json_integer_value(value);
}

/* Returns -1 for null. */
static int64_t natural_or_none(const json_t *of, const char *key, bool *fine)
{
    return json_is_null(part(of, key, fine)) ? -1 : (int64_t)natural(of, key, fine);
}

static double number(const json_t *of, const char *key, bool *fine)
{
    const json_t *value = part(of, key, fine);
    if (json_is_null(value)) return NAN;
    if (!json_is_number(value)) *fine = false;
    return json_number_value(value);
}

static bool flag(const json_t *of, const char *key, bool *fine)
{
    const json_t *value = part(of, key, fine);
    if (!json_is_boolean(value)) *fine = false;
    return json_is_true(value);
}

static const char *text_of(const json_t *of, const char *key, bool *fine)
{
    const char *text = json_string_value(part(of, key, fine));
    if (text == NULL) *fine = false;
    return text != NULL ? text : "";
}

static results_interval interval(const json_t *of, const char *key, bool *fine)
{
    const json_t *value = part(of, key, fine);
    return (results_interval){number(value, "value", fine), number(value, "lo", fine),
                              number(value, "hi", fine)};
}

static results_arm role(const json_t *measurement, const char *key, bool *fine)
{
    const json_t *of = part(measurement, key, fine);
    return (results_arm){.reports = natural(of, "reports", fine),
                         .mean = interval(of, "mean", fine)};
}

static bool read_arms(const json_t *list, results_read *out, bool *fine)
{
    const json_t *of;
    size_t i;
    if (!json_is_array(list) || json_array_size(list) > SOTTO_ARMS_MAX) *fine = false;
    if (!*fine) return true;
    out->arms = (uint32_t)json_array_size(list);
    out->arm = calloc(out->arms + 1u, sizeof *out->arm);
    if (out->arm == NULL) return false;
    json_array_foreach(list, i, of)
    {
        out->arm[i] = (results_arm){.reports = natural(of, "reports", fine),
                                    .mean = interval(of, "mean", fine),
                                    .uplift = interval(of, "uplift", fine)};
    }
    return true;
}

static bool read_measurement(const json_t *measurement, results_read *out, bool *fine)
{
    const json_t *recent = part(measurement, "recent", fine);
    out->measured = true;
    out->follow = role(measurement, "follow", fine);
    out->control = role(measurement, "control", fine);
    out->uplift = interval(measurement, "uplift", fine);
    out->recent = interval(recent, "uplift", fine);
    out->recent_reports =
        natural(recent, "follow_reports", fine) + natural(recent, "control_reports", fine);
    out->fallen = flag(measurement, "fallen", fine);
    return read_arms(part(measurement, "arms", fine), out, fine);
}

sotto_status results_take(json_t *one, json_t *results, results_read *out, sotto_fault *fault)
{
    bool fine = true;
    *out = (results_read){.one = one, .results = results};
    const char *name = json_string_value(json_object_get(json_object_get(one, "labels"), "name"));
    const json_t *harm = part(results, "harm", &fine);
    const json_t *measurement = part(results, "measurement", &fine);
    out->name = name != NULL ? name : "";
    out->id = text_of(one, "id", &fine);
    out->state = text_of(one, "state", &fine);
    out->held = !json_is_null(part(one, "held", &fine));
    out->binary = strcmp(text_of(part(one, "spec", &fine), "reward_kind", &fine), "binary") == 0;
    out->alpha = number(results, "alpha", &fine);
    out->harmed = strcmp(text_of(harm, "verdict", &fine), "yes") == 0;
    out->better_arm = natural_or_none(harm, "below_best_arm", &fine);
    out->served_since = natural_or_none(harm, "served_since_epoch", &fine);
    if (!json_is_null(measurement) && !read_measurement(measurement, out, &fine))
        return sotto__fault_status(fault, SOTTO_E_MEMORY);
    if (fine) return SOTTO_OK;
    return sotto__refuse(fault, "the answer does not come from a sottod of this version");
}

void results_free(results_read *read)
{
    json_decref(read->one);
    json_decref(read->results);
    free(read->arm);
    *read = (results_read){.one = NULL};
}

bool results_print_json(const results_read *read)
{
    char sentence[RESULTS_TEXT_BYTES];
    results_caveats list;
    results_sentence(read, sentence);
    results_list_caveats(read, &list);
    json_t *lines = json_array();
    for (uint32_t i = 0; i < list.count; i++) {
        json_array_append_new(lines, json_string(list.text[i]));
    }
    json_t *all = json_pack("{sssssssosOsO}", "sentence", sentence, "name", read->name, "state",
                            read->state, "caveats", lines, "reports",
                            json_object_get(read->one, "reports"), "results", read->results);
    bool done = all != NULL && json_dumpf(all, stdout, JSON_COMPACT) == 0;
    if (done) putchar('\n');
    json_decref(all);
    return done;
}
