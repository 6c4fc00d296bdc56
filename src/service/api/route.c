/* Finding routes. A table has a dozen rows: they are tried one after the other. */
#include "route.h"

#include "service/system/spec_id.h"

#include <stdio.h>
#include <string.h>

const char *route_method_name(front_method method)
{
    switch (method) {
    case FRONT_GET: return "GET";
    case FRONT_POST: return "POST";
    case FRONT_PUT: return "PUT";
    case FRONT_DELETE: return "DELETE";
    case FRONT_OPTIONS: return "OPTIONS";
    case FRONT_OTHER: return "other";
    }
    return "other";
}

/* {id} stands for one part of a path; *id is where that begins, NULL if there is none. */
static bool matches(const char *pattern, const char *path, const char **id, size_t *id_bytes)
{
    *id = NULL;
    *id_bytes = 0;
    while (*pattern != '\0') {
        if (*pattern == '{') {
            *id = path;
            *id_bytes = strcspn(path, "/");
            if (*id_bytes == 0) return false;
            path += *id_bytes;
            pattern += strlen("{id}");
            continue;
        }
        if (*pattern++ != *path++) return false;
    }
    return *path == '\0';
}

bool route_methods(const route_table *table, const char *path, char allow[ROUTE_ALLOW_BYTES])
{
    const char *id;
    size_t id_bytes, used = 0;
    allow[0] = '\0';
    for (size_t i = 0; i < table->count; i++) {
        const api_route *route = &table->route[i];
        if (!matches(route->path, path, &id, &id_bytes)) continue;
        const char *head = route->method == FRONT_GET ? "GET, HEAD" : NULL;
        int more = snprintf(allow + used, ROUTE_ALLOW_BYTES - used, "%s%s", used > 0 ? ", " : "",
                            head != NULL ? head : route_method_name(route->method));
        used += more > 0 ? (size_t)more : 0;
    }
    if (used == 0) return false;
    if (table->options) snprintf(allow + used, ROUTE_ALLOW_BYTES - used, ", OPTIONS");
    return true;
}

static bool refuse_id(sottod_refusal *why, uint32_t status, const char *error, const char *text,
                      size_t bytes, const char *allowed)
{
    char said[64];
    snprintf(said, sizeof said, "%.*s", (int)(bytes < 40 ? bytes : 40), text);
    refusal_set(why, status, error, "id", said, allowed);
    return false;
}

static bool find_experiment(sottod_experiments *all, const api_route *route, const char *text,
                            size_t bytes, route_call *call, sottod_refusal *why)
{
    uint8_t id[SOTTO_SPEC_ID_BYTES];
    if (!spec_id_read(text, bytes, id)) {
        return refuse_id(why, 404, "This is no id of an experiment.", text, bytes,
                         "32 hexadecimal digits, small letters");
    }
    if (experiments_is_damaged(all, id)) {
        return refuse_id(why, 503, "The experiment is damaged in the journal, and is not used.",
                         text, bytes, NULL);
    }
    call->experiment = experiments_seek(all, id);
    if (call->experiment == NULL) {
        return refuse_id(why, 404, "There is no experiment with this id.", text, bytes,
                         "the id of an experiment of this service");
    }
    if (experiment_state(call->experiment) == JOURNAL_DELETED && !route->gone) {
        return refuse_id(why, 410, "The experiment was deleted.", text, bytes,
                         "an experiment that is not deleted");
    }
    return true;
}

const api_route *route_find(const route_table *table, sottod_experiments *all,
                            const front_request *request, route_call *call,
                            char allow[ROUTE_ALLOW_BYTES], sottod_refusal *why)
{
    const char *path = front_request_path(request), *id;
    front_method method = front_request_method(request);
    size_t id_bytes;
    *call = (route_call){.request = request, .experiment = NULL};
    allow[0] = '\0';
    for (size_t i = 0; i < table->count; i++) {
        const api_route *route = &table->route[i];
        if (route->method != method || !matches(route->path, path, &id, &id_bytes)) continue;
        if (id == NULL) return route;
        return find_experiment(all, route, id, id_bytes, call, why) ? route : NULL;
    }
    if (route_methods(table, path, allow)) {
        refusal_set(why, 405, "This path has no such method.", "method", route_method_name(method),
                    allow);
    } else {
        refusal_set(why, 404, "There is no such path.", "path", path, "the paths of openapi.json");
    }
    return NULL;
}
