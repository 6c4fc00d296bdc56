/* One table of fields defines what is read, written and allowed. */
#include "inner.h"

#include "core/core.h"
#include "server/server.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef enum field_kind {
    FIELD_U32,
    FIELD_U64,
    FIELD_F64,
    FIELD_F64_OR_NONE, /* null: infinity */
    FIELD_NAME,        /* an enumeration, by name */
    FIELD_FLAG,
    FIELD_FALLBACK /* an arm, or a word */
} field_kind;

typedef struct field {
    const char *name;
    field_kind kind;
    size_t offset; /* in experiment_request */
    uint64_t lo, hi;
    const char *(*text)(uint32_t value); /* for FIELD_NAME; NULL after the last value */
} field;

#define TEXT(type)                                                                                 \
    static_assert(sizeof(type) == sizeof(uint32_t), "enumerations have 32 bits");                  \
    static const char *type##_text(uint32_t value)                                                 \
    {                                                                                              \
        return type##_name((type)value);                                                           \
    }
TEXT(sotto_parameters)
TEXT(sotto_link)
TEXT(sotto_reward_kind)
TEXT(sotto_method)
TEXT(sotto_score)
TEXT(sotto_split)
TEXT(sotto_noise_law)
TEXT(sotto_step)
#undef TEXT

#define AT(member) offsetof(experiment_request, member)
#define U32_FIELD(name, lo, hi) {#name, FIELD_U32, AT(spec.name), lo, hi, NULL},
#define U64_FIELD(name, lo, hi) {#name, FIELD_U64, AT(spec.name), lo, hi, NULL},
#define F64_FIELD(name, lo, hi) {#name, FIELD_F64, AT(spec.name), 0, 0, NULL},
#define NAME_FIELD(name, type) {#name, FIELD_NAME, AT(spec.name), 0, 0, type##_text},
#define FLAG_FIELD(name) {#name, FIELD_FLAG, AT(spec.name), 0, 0, NULL},
static const field spec_fields[] = {
    SOTTO__SPEC_FIELDS(U32_FIELD, U64_FIELD, F64_FIELD, NAME_FIELD, FLAG_FIELD) /**/
    U32_FIELD(version, 2, 2)};

static const field learning_fields[] = {
    {"horizon", FIELD_U64, AT(learning.horizon), 0, SOTTO_HORIZON_MAX, NULL},
    {"warm_up", FIELD_U64, AT(learning.warm_up), 0, SOTTO_HORIZON_MAX, NULL},
    {"mean_phase", FIELD_U64, AT(learning.mean_phase), 0, SOTTO_HORIZON_MAX, NULL},
    {"epoch", FIELD_U64, AT(learning.epoch), 0, SOTTO_REPORTS_MAX, NULL},
    {"alpha", FIELD_F64, AT(learning.alpha), 0, 0, NULL},
    {"step", FIELD_NAME, AT(learning.step), 0, 0, sotto_step_text},
    {"eta0", FIELD_F64, AT(learning.eta0), 0, 0, NULL},
    {"project", FIELD_FLAG, AT(learning.project), 0, 0, NULL},
    {"shift_scale", FIELD_F64, AT(learning.shift_scale), 0, 0, NULL},
    {"elimination_scale", FIELD_F64_OR_NONE, AT(learning.elimination_scale), 0, 0, NULL},
    {"prior_variance", FIELD_F64, AT(learning.prior_variance), 0, 0, NULL},
    {"fallback", FIELD_FALLBACK, AT(learning.fallback), 0, SOTTO_ARMS_MAX - 1, NULL},
    {"epoch_seconds_min", FIELD_U32, AT(epoch_seconds_min), 1, SOTTO__YEAR_S, NULL},
    {"epoch_reports_min", FIELD_U64, AT(epoch_reports_min), 1, SOTTO_REPORTS_MAX, NULL},
    {"epoch_reports_expected", FIELD_U64, AT(epoch_reports_expected), 0, SOTTO_REPORTS_MAX, NULL},
};

typedef struct section {
    const char *name;
    const field *fields;
    size_t count;
} section;
#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define FIELDS_MAX 32u
#define SHARE_WHOLE 4294967296.0 /* 2^32: all rounds */
static const section spec_section = {"spec", spec_fields, COUNT(spec_fields)};
static const section learning_section = {"learning", learning_fields, COUNT(learning_fields)};
static_assert(COUNT(spec_fields) <= FIELDS_MAX && COUNT(learning_fields) <= FIELDS_MAX,
              "names fit an array on the stack");

static bool read_whole(const field *f, const char *path, const json_t *value, void *to,
                       sottod_refusal *why)
{
    char allowed[96];
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < 0 || (uint64_t)number < f->lo ||
        (uint64_t)number > f->hi) {
        snprintf(allowed, sizeof allowed, "a whole number, %" PRIu64 " to %" PRIu64, f->lo, f->hi);
        return json_read_refuse(why,
                                json_is_integer(value) ? "The number is out of its range."
                                                       : "This is not a whole number.",
                                path, value, allowed);
    }
    if (f->kind == FIELD_U32) {
        uint32_t narrow = (uint32_t)number; /* every hi of a FIELD_U32 is below 2^32 */
        memcpy(to, &narrow, sizeof narrow);
    } else {
        uint64_t wide = (uint64_t)number;
        memcpy(to, &wide, sizeof wide);
    }
    return true;
}

/* Ranges of real numbers are left to the _fault functions, which know how fields depend on each other. */
static bool read_real(const field *f, const char *path, const json_t *value, void *to,
                      sottod_refusal *why)
{
    bool none = f->kind == FIELD_F64_OR_NONE && json_is_null(value);
    if (!json_is_number(value) && !none) {
        return json_read_refuse(why, "This is not a number.", path, value,
                                f->kind == FIELD_F64_OR_NONE ? "a number, or null for none"
                                                             : "a number");
    }
    double number = none ? INFINITY : json_number_value(value);
    memcpy(to, &number, sizeof number);
    return true;
}

/* The share of measure rounds is a fraction for people, and a multiple of 2^-32 in a spec. */
static bool is_share(const field *f)
{
    return f->offset == AT(spec.measure);
}

static bool read_share(const char *path, const json_t *value, void *to, sottod_refusal *why)
{
    double share = json_number_value(value);
    if (!json_is_number(value) || !(share == 0 || (share >= 0.001 && share <= 0.5))) {
        return json_read_refuse(why, "This is not a valid share of rounds.", path, value,
                                "0, or 0.001 to 0.5");
    }
    uint32_t parts = (uint32_t)rint(share * SHARE_WHOLE);
    memcpy(to, &parts, sizeof parts);
    return true;
}

double spec_json_share(uint32_t measure)
{
    double share = measure / SHARE_WHOLE, brief = rint(share * 1e9) / 1e9;
    return rint(brief * SHARE_WHOLE) == measure ? brief : share;
}

static void list_names(const field *f, char *out, size_t capacity)
{
    size_t used = 0;
    for (uint32_t i = 0; f->text(i) != NULL && used < capacity; i++) {
        int more = snprintf(out + used, capacity - used, "%s%s", i > 0 ? ", " : "", f->text(i));
        used += more > 0 ? (size_t)more : 0;
    }
}

static bool read_name(const field *f, const char *path, const json_t *value, void *to,
                      sottod_refusal *why)
{
    const char *name = json_string_value(value);
    for (uint32_t i = 0; name != NULL && f->text(i) != NULL; i++) {
        if (strcmp(f->text(i), name) != 0) continue;
        memcpy(to, &i, sizeof i);
        return true;
    }
    char allowed[256] = "";
    list_names(f, allowed, sizeof allowed);
    return json_read_refuse(why, "This name is unknown.", path, value, allowed);
}

static bool read_flag(const char *path, const json_t *value, void *to, sottod_refusal *why)
{
    bool flag = json_is_true(value);
    if (!json_is_boolean(value)) {
        return json_read_refuse(why, "This is neither true nor false.", path, value, "true, false");
    }
    memcpy(to, &flag, sizeof flag);
    return true;
}

/* sotto_learning_fault checks that the arm exists. */
static bool read_fallback(const char *path, const json_t *value, void *to, sottod_refusal *why)
{
    const char *word = json_string_value(value);
    json_int_t arm = json_integer_value(value);
    uint32_t fallback = 0;
    if (word != NULL && strcmp(word, "random") == 0) {
        fallback = SOTTO_FALLBACK_RANDOM;
    } else if (json_is_integer(value) && arm >= 0 && arm < SOTTO_ARMS_MAX) {
        fallback = (uint32_t)arm + 1;
    } else if (word == NULL || strcmp(word, "none") != 0) {
        return json_read_refuse(why, "This is not a valid fallback.", path, value,
                                "the number of an arm from 0 on, \"random\", \"none\"");
    }
    memcpy(to, &fallback, sizeof fallback);
    return true;
}

json_t *spec_json_fallback(uint32_t fallback)
{
    if (fallback == 0) return json_string("none");
    if (fallback == SOTTO_FALLBACK_RANDOM) return json_string("random");
    return json_integer(fallback - 1);
}

static bool read_field(const section *s, const field *f, const json_t *value,
                       experiment_request *request, sottod_refusal *why)
{
    char path[JSON_READ_PATH_BYTES];
    void *to = (char *)request + f->offset;
    json_read_path(path, s->name, f->name);
    switch (f->kind) {
    case FIELD_U32:
        return is_share(f) ? read_share(path, value, to, why) : read_whole(f, path, value, to, why);
    case FIELD_U64: return read_whole(f, path, value, to, why);
    case FIELD_F64:
    case FIELD_F64_OR_NONE: return read_real(f, path, value, to, why);
    case FIELD_NAME: return read_name(f, path, value, to, why);
    case FIELD_FLAG: return read_flag(path, value, to, why);
    case FIELD_FALLBACK: return read_fallback(path, value, to, why);
    }
    return false;
}

/* Reads all fields present. */
static bool read_section(const section *s, json_t *object, experiment_request *request,
                         sottod_refusal *why)
{
    const char *names[FIELDS_MAX];
    for (size_t i = 0; i < s->count; i++) {
        names[i] = s->fields[i].name;
    }
    if (!json_read_known(object, s->name, names, s->count, why)) return false;
    for (size_t i = 0; i < s->count; i++) {
        const json_t *value = json_object_get(object, s->fields[i].name);
        if (value != NULL && !read_field(s, &s->fields[i], value, request, why)) return false;
    }
    return true;
}

/* Reads one field before the others that depend on it. True, with nothing changed, if it is absent. */
static bool read_first(const section *s, const char *name, json_t *object,
                       experiment_request *request, sottod_refusal *why)
{
    const json_t *value = json_object_get(object, name);
    for (size_t i = 0; value != NULL && i < s->count; i++) {
        if (strcmp(s->fields[i].name, name) != 0) continue;
        return read_field(s, &s->fields[i], value, request, why);
    }
    return true;
}

bool spec_json_read(json_t *spec, experiment_request *request, sottod_refusal *why)
{
    sotto_fault fault;
    if (!json_is_object(spec)) {
        return json_read_refuse(why, "The spec is not a JSON object.", "spec", spec, "an object");
    }
    if (json_object_get(spec, "reward_kind") == NULL) {
        return json_read_refuse(why, "The spec does not name the kind of reward.",
                                "spec.reward_kind", NULL, "continuous, binary, count");
    }
    if (!read_first(&spec_section, "reward_kind", spec, request, why)) return false;
    request->spec = sotto_spec_default(request->spec.reward_kind);
    request->spec.epoch_lag_max = SPEC_JSON_EPOCH_LAG_MAX;
    if (!read_section(&spec_section, spec, request, why)) return false;
    if (json_object_get(spec, "score") == NULL) sotto__set_only_score(&request->spec);
    bool usable = sotto_spec_fault(&request->spec, &fault) == SOTTO_OK;
    if (!usable) refusal_set_fault(why, "spec", &fault);
    sotto_spec paced = request->spec;
    if (json_object_get(spec, "epoch_lag_max") == NULL) paced.epoch_lag_max = SPEC_JSON_EPOCHS_AWAY;
    request->epoch_seconds_min = sotto__epoch_seconds_min(&paced);
    return usable;
}

bool spec_json_read_learning(json_t *learning, const sotto_terms *terms,
                             experiment_request *request, sottod_refusal *why)
{
    sotto_fault fault;
    request->learning.horizon = 0;
    if (learning != NULL && !json_is_object(learning)) {
        return json_read_refuse(why, "Learning is not a JSON object.", "learning", learning,
                                "an object");
    }
    if (learning != NULL && !read_first(&learning_section, "horizon", learning, request, why)) {
        return false;
    }
    request->learning = sotto_learning_default(terms, request->learning.horizon);
    request->learning.epoch = 0;
    request->epoch_reports_min = SOTTO__EPOCH_REPORTS_MIN;
    request->epoch_reports_expected = 0;
    if (learning != NULL && !read_section(&learning_section, learning, request, why)) return false;
    if (sotto_learning_fault(terms, &request->learning, &fault) == SOTTO_OK) return true;
    return refusal_set_fault(why, "learning", &fault);
}

static json_t *write_field(const field *f, const experiment_request *request)
{
    const char *from = (const char *)request + f->offset;
    uint32_t narrow = 0;
    uint64_t wide = 0;
    double number = 0;
    bool flag = false;
    switch (f->kind) {
    case FIELD_U32:
        memcpy(&narrow, from, sizeof narrow);
        return is_share(f) ? json_real(spec_json_share(narrow)) : json_integer(narrow);
    case FIELD_U64: memcpy(&wide, from, sizeof wide); return json_integer((json_int_t)wide);
    case FIELD_F64:
    case FIELD_F64_OR_NONE:
        memcpy(&number, from, sizeof number);
        return isfinite(number) ? json_real(number) : json_null();
    case FIELD_NAME: memcpy(&narrow, from, sizeof narrow); return json_string(f->text(narrow));
    case FIELD_FLAG: memcpy(&flag, from, sizeof flag); return json_boolean(flag);
    case FIELD_FALLBACK: memcpy(&narrow, from, sizeof narrow); return spec_json_fallback(narrow);
    }
    return NULL;
}

static json_t *write_section(const section *s, const experiment_request *request)
{
    json_t *object = json_object();
    for (size_t i = 0; i < s->count; i++) {
        if (json_object_set_new(object, s->fields[i].name, write_field(&s->fields[i], request)) ==
            0) {
            continue;
        }
        json_decref(object);
        return NULL;
    }
    return object;
}

json_t *spec_json_write(const experiment_request *request)
{
    return write_section(&spec_section, request);
}

json_t *spec_json_write_learning(const experiment_request *request)
{
    return write_section(&learning_section, request);
}
