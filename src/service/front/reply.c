#include "reply.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* All that an answer says, one after the other. */
typedef struct key_text {
    size_t bytes;
    bool whole; /* it had room */
    uint8_t at[REPLY_KEY_BYTES];
} key_text;

static void key_add(key_text *key, const void *at, size_t bytes)
{
    if (!key->whole || bytes + sizeof bytes > sizeof key->at - key->bytes) {
        key->whole = false;
        return;
    }
    memcpy(key->at + key->bytes, &bytes, sizeof bytes);
    key->bytes += sizeof bytes;
    if (bytes > 0) memcpy(key->at + key->bytes, at, bytes);
    key->bytes += bytes;
}

static void key_add_text(key_text *key, const char *text)
{
    key_add(key, text, text != NULL ? strlen(text) : 0);
}

static void key_of(key_text *key, const front_answer *answer, bool close)
{
    key->bytes = 0;
    key->whole = true;
    key_add(key, &answer->status, sizeof answer->status);
    key_add(key, &close, sizeof close);
    key_add(key, answer->body, answer->body_bytes);
    key_add_text(key, answer->type);
    for (uint32_t i = 0; i < answer->headers; i++) {
        key_add_text(key, answer->header[i].name);
        key_add_text(key, answer->header[i].value);
    }
}

static struct MHD_Response *response_of(const front_answer *answer, bool close)
{
    /* The copy is libmicrohttpd's: it takes the pointer without const, and only reads. */
    struct MHD_Response *response = MHD_create_response_from_buffer(
        answer->body_bytes, (void *)(uintptr_t)answer->body, MHD_RESPMEM_MUST_COPY);
    if (response == NULL) return NULL;

    bool good = true;
    if (answer->type != NULL) {
        good = MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->type);
    }
    for (uint32_t i = 0; good && i < answer->headers; i++) {
        good = MHD_add_response_header(response, answer->header[i].name, answer->header[i].value);
    }
    if (good && close) {
        good = MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    }
    if (good) return response;
    MHD_destroy_response(response);
    return NULL;
}

static front_reply *reply_new(const front_answer *answer, bool close)
{
    front_reply *reply = malloc(sizeof *reply);
    if (reply == NULL) return NULL;
    reply->response = response_of(answer, close);
    if (reply->response == NULL) {
        free(reply);
        return NULL;
    }
    reply->status = answer->status;
    reply->holders = 1;
    reply->used = 0;
    reply->key_bytes = 0;
    return reply;
}

/* The reply with this key; otherwise NULL, and *oldest is the place to use next. */
static front_reply *find(reply_memory *memory, const key_text *key, uint32_t *oldest)
{
    uint64_t oldest_used = UINT64_MAX;
    for (uint32_t i = 0; i < REPLY_MEMORY; i++) {
        front_reply *reply = memory->reply[i];
        uint64_t used = reply != NULL ? reply->used : 0;
        if (used < oldest_used) {
            oldest_used = used;
            *oldest = i;
        }
        if (reply == NULL || reply->key_bytes != key->bytes) continue;
        if (memcmp(reply->key, key->at, key->bytes) == 0) return reply;
    }
    return NULL;
}

front_reply *reply_of(reply_memory *memory, const front_answer *answer, bool close)
{
    assert(answer->headers <= FRONT_HEADERS_MAX);
    key_text key;
    key_of(&key, answer, close);
    if (!key.whole) return reply_new(answer, close);

    memory->asked++;
    uint32_t place = 0;
    front_reply *reply = find(memory, &key, &place);
    if (reply == NULL) {
        reply = reply_new(answer, close);
        if (reply == NULL) return NULL;
        memcpy(reply->key, key.at, key.bytes);
        reply->key_bytes = key.bytes;
        if (memory->reply[place] != NULL) reply_drop(memory->reply[place]);
        memory->reply[place] = reply;
    }
    reply->used = memory->asked;
    reply_hold(reply);
    return reply;
}

void reply_hold(front_reply *reply)
{
    reply->holders++;
}

void reply_drop(front_reply *reply)
{
    assert(reply->holders > 0);
    reply->holders--;
    if (reply->holders > 0) return;
    MHD_destroy_response(reply->response);
    free(reply);
}

void reply_memory_clear(reply_memory *memory)
{
    for (uint32_t i = 0; i < REPLY_MEMORY; i++) {
        if (memory->reply[i] != NULL) reply_drop(memory->reply[i]);
        memory->reply[i] = NULL;
    }
}
