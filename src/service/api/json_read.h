/* JSON from outside, read strictly: a body is checked once, and every fault names the path in it, the
 * value there and what is allowed. */
#ifndef SERVICE_JSON_READ_H
#define SERVICE_JSON_READ_H

#include "service/system/refusal.h"

#include <jansson.h>

#include <stdbool.h>

#define JSON_READ_BYTES_MAX 65536u
#define JSON_READ_DEPTH_MAX 8u
#define JSON_READ_PATH_BYTES 64u

/* The object that the bytes are, to be released with json_decref; NULL, and *why, for anything else: no
 * JSON, no object, too long (413), too deep, a key that comes twice. */
json_t *json_read_object(const void *text, size_t bytes, sottod_refusal *why);

/* The path of a key: "spec.epsilon"; the key alone if `above` is empty. A key that is empty is shown as
 * two quotes, so that no path is. */
void json_read_path(char path[JSON_READ_PATH_BYTES], const char *above, const char *key);

/* Refuses what stands at a path: 400, with the value as JSON. NULL: nothing stands there. Returns false. */
bool json_read_refuse(sottod_refusal *why, const char *error, const char *path, const json_t *value,
                      const char *allowed);

/* True if all keys of an object are among these. `path` is its own path, empty for the outermost. */
bool json_read_known(json_t *object, const char *path, const char *const *names, size_t names_count,
                     sottod_refusal *why);

#endif
