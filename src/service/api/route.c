/* Finding routes. A table has about a dozen rows, which are tried in order. */
#include "inner.h"

#include "service/system/system.h"

#include <assert.h>
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

/* {id} matches one part of a path; *id is its beginning, NULL if there is none. */
static bool matches(const char *pattern, const char *path, const char **id, size_t *id_bytes)
{
    *id = NULL;
    *id_bytes = 0;
    while (*pattern != '\0') {
        if (strncmp(pattern, "{?", 2) == 0) break;
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
    return refusal_set(why, status, error, "id", said, allowed);
}

bool route_find_experiment(sottod_experiments *all, const api_route *route, const char *text,
                           size_t bytes, route_call *call, sottod_refusal *why)
{
    uint8_t id[SOTTO_SPEC_ID_BYTES];
    if (!spec_id_read(text, bytes, id)) {
        return refuse_id(why, 404, "This is not the id of an experiment.", text, bytes,
                         "32 lower-case hexadecimal digits");
    }
    if (experiments_is_damaged(all, id)) {
        return refuse_id(
            why, 503,
            "This experiment's row in the journal is damaged, so the service does not use it.",
            text, bytes, NULL);
    }
    call->experiment = experiments_seek(all, id);
    if (call->experiment == NULL) {
        return refuse_id(why, 404, "There is no experiment with this id.", text, bytes,
                         "the id of an experiment of this service");
    }
    if (experiment_state(call->experiment) == JOURNAL_DELETED && (route == NULL || !route->gone)) {
        return refuse_id(why, 410, "The experiment was deleted.", text, bytes,
                         "an experiment that is not deleted");
    }
    return true;
}

uint32_t route_kind(const route_table *table, const front_request *request)
{
    const char *id;
    size_t id_bytes;
    for (uint32_t i = 0; i < table->count; i++) {
        const api_route *route = &table->route[i];
        if (route->method != front_request_method(request)) continue;
        if (matches(route->path, front_request_path(request), &id, &id_bytes)) return i + 1u;
    }
    return 0;
}

sottod_experiment *route_experiment(sottod_experiments *all, const char *path)
{
    static const char before[] = "/v1/experiments/";
    uint8_t id[SOTTO_SPEC_ID_BYTES];
    if (strncmp(path, before, sizeof before - 1) != 0) return NULL;
    path += sizeof before - 1;
    if (!spec_id_read(path, strcspn(path, "/"), id)) return NULL;
    return experiments_is_damaged(all, id) ? NULL : experiments_seek(all, id);
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
        return route_find_experiment(all, route, id, id_bytes, call, why) ? route : NULL;
    }
    if (route_methods(table, path, allow)) {
        refusal_set(why, 405, "This path does not support this method.", "method",
                    route_method_name(method), allow);
    } else {
        refusal_set(why, 404, "There is no such path.", "path", path, "the paths in openapi.json");
    }
    return NULL;
}

front_verdict route_answer(const api_route *route, void *port, api_answers *answers,
                           route_call *call, front_answer *answer)
{
    sottod_refusal why;
    call->route = route;
    call->why = &why;
    *answer = (front_answer){.status = 0};
    if (!route->answer(port, call, answer)) answer_refusal(answers, &why, answer);
    return answer->status != 0 ? FRONT_ANSWERED : FRONT_WAITS;
}

typedef struct argument_check {
    char list[64]; /* the route's arguments, separated by commas */
    uint64_t seen; /* one bit per position in the list */
    bool fine;
    sottod_refusal *why;
} argument_check;

/* The position of a name in a list separated by commas; SIZE_MAX: none. */
static size_t place_of(const char *list, const char *name)
{
    size_t bytes = strlen(name);
    for (const char *at = list; *at != '\0'; at += *at != '\0') {
        if (bytes == strcspn(at, ",") && strncmp(at, name, bytes) == 0) return (size_t)(at - list);
        at += strcspn(at, ",");
    }
    return SIZE_MAX;
}

static bool take_argument(void *self, const char *name, const char *value)
{
    argument_check *check = self;
    size_t place = place_of(check->list, name);
    check->fine = false;
    if (place == SIZE_MAX || name[0] == '\0')
        return refusal_set(check->why, 400, "This path has no such query argument.", name, value,
                           check->list[0] != '\0' ? check->list : "none");
    assert(place < 64);
    if ((check->seen >> place & 1u) != 0)
        return refusal_set(check->why, 400, "The query argument appears twice.", name, value,
                           "once");
    if (value == NULL)
        return refusal_set(check->why, 400, "The query argument has no value.", name, NULL,
                           "NAME=VALUE");
    check->seen |= UINT64_C(1) << place;
    check->fine = true;
    return true;
}

bool route_check_arguments(const api_route *route, const front_request *request,
                           sottod_refusal *why)
{
    argument_check check = {.fine = true, .why = why};
    const char *list = strstr(route->path, "{?");
    if (list != NULL)
        snprintf(check.list, sizeof check.list, "%.*s", (int)strcspn(list + 2, "}"), list + 2);
    front_request_arguments(request, take_argument, &check);
    return check.fine;
}
