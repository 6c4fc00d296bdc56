/* Requests made by hand. */
#include "asked.h"
#include "borrowed.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct front_request {
    front_method method;
    char path[512];
    char arguments[512];
    char argument[8][128]; /* that were asked for last */
    uint32_t asked_for;
    const front_header *headers;
    const uint8_t *body;
    size_t bytes;
};

struct sottod_front {
    uint16_t port;
    front_counts counts;
};

front_method front_request_method(const front_request *request)
{
    return request->method;
}

const char *front_request_path(const front_request *request)
{
    return request->path;
}

const char *front_request_argument(const front_request *request, const char *name)
{
    front_request *own = (front_request *)(uintptr_t)request;
    const char *at = request->arguments;
    size_t bytes = strlen(name);
    while (*at != '\0') {
        size_t all = strcspn(at, "&");
        if (strncmp(at, name, bytes) == 0 && at[bytes] == '=') {
            char *value = own->argument[own->asked_for++ % 8];
            snprintf(value, sizeof own->argument[0], "%.*s", (int)(all - bytes - 1),
                     at + bytes + 1);
            return value;
        }
        at += all + (at[all] == '&');
    }
    return NULL;
}

void front_request_arguments(const front_request *request,
                             bool (*take)(void *self, const char *name, const char *value),
                             void *self)
{
    for (const char *at = request->arguments; *at != '\0';) {
        char name[128];
        size_t all = strcspn(at, "&"), bytes = strcspn(at, "=&");
        snprintf(name, sizeof name, "%.*s", (int)bytes, at);
        const char *value = at[bytes] == '=' ? front_request_argument(request, name) : NULL;
        if (!take(self, name, value)) return;
        at += all + (at[all] == '&');
    }
}

const char *front_request_header(const front_request *request, const char *name)
{
    for (const front_header *h = request->headers; h != NULL && h->name != NULL; h++) {
        if (strcasecmp(h->name, name) == 0) return h->value;
    }
    return NULL;
}

const uint8_t *front_request_body(const front_request *request, size_t *bytes)
{
    *bytes = request->bytes;
    return request->body;
}

front_counts front_count(const sottod_front *front)
{
    return front->counts;
}

uint16_t front_port(const sottod_front *front)
{
    return front->port;
}

sottod_front *asked_front_new(uint16_t port, front_counts counts)
{
    sottod_front *front = malloc(sizeof *front);
    assert_non_null(front);
    *front = (sottod_front){port, counts};
    return front;
}

/* All of them, 100 bytes at a time. */
static void read_pieces(const front_pieces *pieces, asked *got)
{
    char piece[100];
    ptrdiff_t more;
    while ((more = pieces->more(pieces->self, piece, sizeof piece)) >= 0) {
        got->body = realloc(got->body, got->bytes + (size_t)more + 1);
        assert_non_null(got->body);
        memcpy(got->body + got->bytes, piece, (size_t)more);
        got->bytes += (size_t)more;
        got->body[got->bytes] = '\0';
    }
    got->cut = more == FRONT_PIECES_FAIL;
    pieces->end(pieces->self);
}

asked asked_of(const front_answer *answer)
{
    asked got = {.status = answer->status, .bytes = answer->body_bytes, .headers = answer->headers};
    bool in_pieces = answer->pieces.more != NULL;
    assert_true((answer->type == NULL) == (answer->body == NULL && !in_pieces));
    assert_true(answer->headers <= FRONT_HEADERS_MAX);
    snprintf(got.type, sizeof got.type, "%s", answer->type != NULL ? answer->type : "");
    got.body = calloc(1, answer->body_bytes + 1);
    assert_non_null(got.body);
    if (answer->body_bytes > 0) memcpy(got.body, answer->body, answer->body_bytes);
    for (uint32_t i = 0; i < answer->headers; i++) {
        snprintf(got.name[i], sizeof got.name[i], "%s", answer->header[i].name);
        snprintf(got.value[i], sizeof got.value[i], "%s", answer->header[i].value);
    }
    if (in_pieces) read_pieces(&answer->pieces, &got);
    after_test(free, got.body);
    return got;
}

asked ask(const front_door *door, front_method method, const char *path,
          const front_header *headers, const void *body, size_t bytes)
{
    front_request request = {.method = method, .headers = headers, .body = NULL, .bytes = 0};
    front_answer answer = {.status = 0};
    size_t most = 0, path_bytes = strcspn(path, "?");
    snprintf(request.path, sizeof request.path, "%.*s", (int)path_bytes, path);
    if (path[path_bytes] == '?') {
        snprintf(request.arguments, sizeof request.arguments, "%s", path + path_bytes + 1);
    }
    if (!door->admit(door->self, &request, &most, &answer)) {
        asked got = asked_of(&answer);
        got.early = true;
        return got;
    }
    if (bytes > most) {
        door->refuse(door->self, 413, "the body is too long", "so much", &answer);
        return asked_of(&answer);
    }
    request.body = body;
    request.bytes = bytes;
    answer = (front_answer){.status = 0};
    if (door->answer(door->self, &request, &answer) == FRONT_WAITS) return (asked){.status = 0};
    assert_true(answer.status != 0);
    return asked_of(&answer);
}

const char *asked_header(const asked *got, const char *name)
{
    for (uint32_t i = 0; i < got->headers; i++) {
        if (strcasecmp(got->name[i], name) == 0) return got->value[i];
    }
    return "";
}

json_t *asked_json(const asked *got)
{
    json_error_t error;
    assert_string_equal(got->type, "application/json");
    json_t *read = json_loadb(got->body, got->bytes, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(read)) fail_msg("%s: %s", error.text, got->body);
    return read;
}

const char *asked_text(const asked *got, const char *key, char out[257])
{
    json_t *read = asked_json(got);
    const char *text = json_string_value(json_object_get(read, key));
    snprintf(out, 257, "%s", text != NULL ? text : "");
    json_decref(read);
    return out;
}
