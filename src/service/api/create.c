/* Reads the body that creates an experiment. */
#include "inner.h"

#include "service/system/system.h"

#include <stdio.h>
#include <string.h>

static bool refuse_label(sottod_refusal *why, const char *error, const char *key,
                         const json_t *value, const char *allowed)
{
    char path[JSON_READ_PATH_BYTES];
    json_read_path(path, "labels", key);
    return json_read_refuse(why, error, path, value, allowed);
}

/* Each label is a short text under a short name. */
static bool check_labels(json_t *labels, sottod_refusal *why)
{
    const char *key;
    json_t *value;
    if (!json_is_object(labels)) {
        return json_read_refuse(why, "The labels are not a JSON object.", "labels", labels,
                                "an object whose values are texts");
    }
    if (json_object_size(labels) > CREATE_LABELS_MAX) {
        char count[32];
        snprintf(count, sizeof count, "%zu labels", json_object_size(labels));
        return refusal_set(why, 400, "There are too many labels.", "labels", count,
                           "at most 32 labels");
    }
    json_object_foreach(labels, key, value)
    {
        size_t name_bytes = strlen(key);
        if (name_bytes < 1 || name_bytes > CREATE_LABEL_NAME_BYTES_MAX) {
            return refuse_label(why, "The name of a label has the wrong length.", key, value,
                                "names of 1 to 64 bytes");
        }
        if (!json_is_string(value) || json_string_length(value) > CREATE_LABEL_BYTES_MAX) {
            return refuse_label(why, "A label is not a text, or is too long.", key, value,
                                "a text of at most 256 bytes");
        }
    }
    return true;
}

static bool read_labels(json_t *labels, create_request *out, sottod_refusal *why)
{
    out->request.labels = out->labels;
    strcpy(out->labels, "{}");
    if (labels == NULL) return true;
    if (!check_labels(labels, why)) return false;
    size_t bytes = json_dumpb(labels, out->labels, CREATE_LABELS_BYTES_MAX, JSON_COMPACT);
    if (bytes == 0 || bytes > CREATE_LABELS_BYTES_MAX)
        return refusal_set(why, 400, "The labels are too long.", "labels", NULL,
                           "at most 16384 bytes of JSON");
    out->labels[bytes] = '\0';
    return true;
}

/* The value is not repeated in the refusal, because it may be a mistyped key. */
static bool read_key(const json_t *key, create_request *out, sottod_refusal *why)
{
    if (key == NULL) return true;
    experiment_access *access = &out->request.access;
    bool fits = json_is_string(key) &&
                report_key_read(json_string_value(key), json_string_length(key), access->key[0]);
    access->keys = fits ? 1 : 0;
    if (fits) return true;
    return refusal_set(why, 400, "The report key is not valid.", "report_key", NULL,
                       "a text of 16 to 128 visible ASCII characters, without blanks");
}

/* Unless the owner chooses a series, it is random: the same terms then have another id at another service, and a
 * report to one experiment fits no other. 0 is only for owners who choose it. */
static bool draw_series(const json_t *spec, create_request *out, sottod_refusal *why)
{
    uint32_t series;
    if (json_object_get(spec, "series") != NULL) return true;
    if (!entropy_draw(&series, sizeof series))
        return refusal_set_lack(why, LACK_MEMORY,
                                "The system provided no randomness for the series.");
    out->request.spec.series = series != 0 ? series : 1;
    return true;
}

static bool read_parts(json_t *body, create_request *out, sottod_refusal *why)
{
    static const char *const names[] = {"spec",       "learning",   "labels",
                                        "report_key", "quarantine", "origins"};
    if (!json_read_known(body, "", names, sizeof names / sizeof names[0], why)) return false;
    if (!spec_json_read(json_object_get(body, "spec"), &out->request, why)) return false;
    if (!draw_series(json_object_get(body, "spec"), out, why)) return false;
    sotto_status status = sotto_spec_resolve(&out->request.spec, &out->terms);
    if (status != SOTTO_OK)
        return refusal_set(why, 400, sotto_status_text(status), "spec", NULL, NULL);
    json_t *learning = json_object_get(body, "learning");
    if (!spec_json_read_learning(learning, &out->terms, &out->request, why)) return false;
    if (!read_key(json_object_get(body, "report_key"), out, why)) return false;
    out->request.access.origins = out->origins;
    if (!origins_read(json_object_get(body, "origins"), out->origins, why)) return false;
    if (!watch_read_flag(json_object_get(body, "quarantine"), &out->request.quarantine, why))
        return false;
    return read_labels(json_object_get(body, "labels"), out, why);
}

bool create_read(const void *body, size_t bytes, create_request *out, sottod_refusal *why)
{
    memset(out, 0, sizeof *out);
    json_t *root = json_read_object(body, bytes, why);
    if (root == NULL) return false;
    bool done = read_parts(root, out, why);
    json_decref(root);
    return done;
}
