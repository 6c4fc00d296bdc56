/* Strict reading. jansson checks the syntax; depth, length and the place of a fault are found here. */
#include "inner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A place in a text: for each open object, the key read last. */
typedef struct text_position {
    uint32_t depth, deepest;
    bool object[JSON_READ_DEPTH_MAX + 1];
    bool wants_key[JSON_READ_DEPTH_MAX + 1];
    const char *key[JSON_READ_DEPTH_MAX + 1];
    size_t key_bytes[JSON_READ_DEPTH_MAX + 1];
} text_position;

static void open_one(text_position *at, bool object)
{
    at->depth++;
    if (at->depth > at->deepest) at->deepest = at->depth;
    if (at->depth > JSON_READ_DEPTH_MAX) return;
    at->object[at->depth] = object;
    at->wants_key[at->depth] = object;
    at->key[at->depth] = NULL;
    at->key_bytes[at->depth] = 0;
}

/* The byte after a string that begins at `from`, or the end. */
static size_t skip_string(const char *text, size_t from, size_t end)
{
    for (size_t i = from + 1; i < end; i++) {
        if (text[i] == '\\') {
            i++;
        } else if (text[i] == '"') {
            return i + 1;
        }
    }
    return end;
}

static void keep_key(text_position *at, const char *text, size_t from, size_t next)
{
    if (at->depth > JSON_READ_DEPTH_MAX || !at->wants_key[at->depth]) return;
    at->wants_key[at->depth] = false;
    at->key[at->depth] = text + from + 1;
    at->key_bytes[at->depth] = next - from > 2 ? next - from - 2 : 0;
}

/* Reads brackets and keys up to `end`. It finds a place even in a text that is not JSON. */
static text_position walk(const char *text, size_t end)
{
    text_position at = {.depth = 0};
    size_t next;
    for (size_t i = 0; i < end; i = next) {
        next = i + 1;
        switch (text[i]) {
        case '"':
            next = skip_string(text, i, end);
            keep_key(&at, text, i, next);
            break;
        case '{': open_one(&at, true); break;
        case '[': open_one(&at, false); break;
        case '}':
        case ']':
            if (at.depth > 0) at.depth--;
            break;
        case ',':
            if (at.depth <= JSON_READ_DEPTH_MAX) at.wants_key[at.depth] = at.object[at.depth];
            break;
        }
    }
    return at;
}

/* The keys that lead to a place, separated by dots; "body" if there are none. */
static void describe(const text_position *at, char path[JSON_READ_PATH_BYTES])
{
    size_t used = 0;
    path[0] = '\0';
    for (uint32_t d = 1; d <= at->depth && d <= JSON_READ_DEPTH_MAX; d++) {
        if (at->key[d] == NULL || used + 1 >= JSON_READ_PATH_BYTES) continue;
        int more = snprintf(path + used, JSON_READ_PATH_BYTES - used, "%s%.*s", used > 0 ? "." : "",
                            (int)at->key_bytes[d], at->key[d]);
        used += more > 0 ? (size_t)more : 0;
    }
    if (path[0] == '\0') snprintf(path, JSON_READ_PATH_BYTES, "body");
}

static void refuse_text(sottod_refusal *why, const char *text, size_t bytes,
                        const json_error_t *error)
{
    char path[JSON_READ_PATH_BYTES], where[96], sentence[256];
    size_t position = error->position > 0 ? (size_t)error->position : 0;
    text_position at = walk(text, position < bytes ? position : bytes);
    describe(&at, path);
    snprintf(where, sizeof where, "line %d, column %d", error->line, error->column);
    if (json_error_code(error) == json_error_duplicate_key) {
        refusal_set(why, 400, "A key appears twice.", path, where, "each key once");
        return;
    }
    snprintf(sentence, sizeof sentence, "The body is not valid JSON: %s.", error->text);
    refusal_set(why, 400, sentence, path, where, "one JSON object");
}

json_t *json_read_object(const void *text, size_t bytes, sottod_refusal *why)
{
    char number[32], path[JSON_READ_PATH_BYTES];
    if (bytes > JSON_READ_BYTES_MAX) {
        snprintf(number, sizeof number, "%zu bytes", bytes);
        refusal_set(why, 413, "The body is too long.", "body", number, "at most 65536 bytes");
        return NULL;
    }
    text_position at = walk(text, bytes);
    if (at.deepest > JSON_READ_DEPTH_MAX) {
        snprintf(number, sizeof number, "%u levels", at.deepest);
        refusal_set(why, 400, "The JSON is nested too deeply.", "body", number, "at most 8 levels");
        return NULL;
    }
    json_error_t error;
    json_t *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL) {
        refuse_text(why, text, bytes, &error);
        return NULL;
    }
    if (json_is_object(root)) return root;
    snprintf(path, sizeof path, "body");
    json_read_refuse(why, "The body is not a JSON object.", path, root, "one JSON object");
    json_decref(root);
    return NULL;
}

void json_read_path(char path[JSON_READ_PATH_BYTES], const char *above, const char *key)
{
    const char *shown = key[0] != '\0' ? key : "\"\"";
    snprintf(path, JSON_READ_PATH_BYTES, "%s%s%s", above, above[0] != '\0' ? "." : "", shown);
}

bool json_read_refuse(sottod_refusal *why, const char *error, const char *path, const json_t *value,
                      const char *allowed)
{
    char *text = value != NULL ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    refusal_set(why, 400, error, path, text != NULL ? text : "", allowed);
    free(text);
    return false;
}

/* The names, separated by commas. */
static void list(char *out, size_t capacity, const char *const *names, size_t names_count)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < names_count && used < capacity; i++) {
        int more = snprintf(out + used, capacity - used, "%s%s", i > 0 ? ", " : "", names[i]);
        used += more > 0 ? (size_t)more : 0;
    }
}

static bool has(const char *const *names, size_t names_count, const char *key)
{
    for (size_t i = 0; i < names_count; i++) {
        if (strcmp(names[i], key) == 0) return true;
    }
    return false;
}

bool json_read_known(json_t *object, const char *path, const char *const *names, size_t names_count,
                     sottod_refusal *why)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (has(names, names_count, key)) continue;
        char full[JSON_READ_PATH_BYTES], allowed[1024];
        json_read_path(full, path, key);
        list(allowed, sizeof allowed, names, names_count);
        return json_read_refuse(why, "There is no field with this name.", full, value, allowed);
    }
    return true;
}
