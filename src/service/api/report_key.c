#include "inner.h"

#include "core/core.h"

#include <assert.h>
#include <string.h>

static_assert(JOURNAL_DIGEST_BYTES == SOTTO__DIGEST_BYTES, "both are SHA-256");

static bool is_key(const char *text, size_t bytes)
{
    if (bytes < REPORT_KEY_BYTES_MIN || bytes > REPORT_KEY_BYTES_MAX) return false;
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] < '!' || text[i] > '~') return false;
    }
    return true;
}

bool report_key_read(const char *text, size_t bytes, uint8_t digest[JOURNAL_DIGEST_BYTES])
{
    if (!is_key(text, bytes)) return false;
    sotto__digest hash;
    sotto__digest_begin(&hash);
    sotto__digest_add(&hash, text, bytes);
    sotto__digest_end(&hash, digest);
    return true;
}

static const char *read_list(const json_t *list, experiment_access *out)
{
    size_t count = json_array_size(list);
    if (!json_is_array(list) || count > EXPERIMENT_KEYS_MAX)
        return "This is not a list of at most two keys.";
    out->keys = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        const json_t *key = json_array_get(list, i);
        if (!json_is_string(key) ||
            !report_key_read(json_string_value(key), json_string_length(key), out->key[i]))
            return "A report key is not valid.";
    }
    bool same = count == 2 && memcmp(out->key[0], out->key[1], sizeof out->key[0]) == 0;
    return same ? "The two keys are the same." : NULL;
}

bool report_key_read_body(const void *body, size_t bytes, experiment_access *out,
                          sottod_refusal *why)
{
    static const char *const names[] = {"report_keys"};
    json_t *root = json_read_object(body, bytes, why);
    if (root == NULL) return false;
    bool done = json_read_known(root, "", names, 1, why);
    const char *wrong = done ? read_list(json_object_get(root, "report_keys"), out) : NULL;
    json_decref(root);
    if (wrong == NULL) return done;
    return refusal_set(
        why, 400, wrong, "report_keys", NULL,
        "an empty list, one key, or the old and the new key during a change; each has 16 "
        "to 128 visible ASCII characters, without blanks");
}

bool report_key_admits(const sottod_experiment *experiment, const char *shown, sottod_refusal *why)
{
    const experiment_access access = experiment_access_of(experiment);
    if (access.keys == 0) return true;
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    bool known = false, read = shown != NULL && report_key_read(shown, strlen(shown), digest);
    for (uint32_t k = 0; read && k < access.keys; k++) {
        uint8_t differ = 0;
        for (size_t i = 0; i < sizeof digest; i++) {
            differ |= (uint8_t)(digest[i] ^ access.key[k][i]);
        }
        known = known || differ == 0;
    }
    if (known) return true;
    return refusal_set(why, 403,
                       shown == NULL ? "The experiment requires a report key."
                                     : "The report key is not that of the experiment.",
                       REPORT_KEY_HEADER, NULL,
                       "the key that the owner of the experiment gives out");
}
