#include "inner.h"

#include "service/system/system.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES 4096u

static bool same_text(const char *a, const char *b)
{
    if (a == NULL || b == NULL) return a == b;
    return strcmp(a, b) == 0;
}

static bool same(const front_answer *a, const front_answer *b)
{
    if (a->status != b->status || a->close != b->close) return false;
    if (a->body_bytes != b->body_bytes || a->headers != b->headers) return false;
    if (!same_text(a->type, b->type)) return false;
    for (uint32_t i = 0; i < a->headers; i++) {
        if (!same_text(a->header[i].name, b->header[i].name)) return false;
        if (!same_text(a->header[i].value, b->header[i].value)) return false;
    }
    return a->body_bytes == 0 || memcmp(a->body, b->body, a->body_bytes) == 0;
}

static size_t text_bytes(const char *text)
{
    return text != NULL ? strlen(text) + 1u : 0;
}

/* Copies the text to *at and moves *at past it. */
static const char *put(char **at, const char *text)
{
    if (text == NULL) return NULL;
    char *copy = *at;
    size_t bytes = text_bytes(text);
    memcpy(copy, text, bytes);
    *at += bytes;
    return copy;
}

/* Copies all that an answer points to into one piece of memory, the body first. NULL: no memory. */
static char *copy_answer(const front_answer *answer, front_answer *out)
{
    size_t bytes = answer->body_bytes + text_bytes(answer->type);
    for (uint32_t i = 0; i < answer->headers; i++) {
        bytes += text_bytes(answer->header[i].name) + text_bytes(answer->header[i].value);
    }
    char *piece = malloc(bytes + 1u);
    if (piece == NULL) return NULL;

    *out = *answer;
    if (answer->body_bytes > 0) memcpy(piece, answer->body, answer->body_bytes);
    out->body = piece;
    char *at = piece + answer->body_bytes;
    out->type = put(&at, answer->type);
    for (uint32_t i = 0; i < answer->headers; i++) {
        out->header[i].name = put(&at, answer->header[i].name);
        out->header[i].value = put(&at, answer->header[i].value);
    }
    return piece;
}

static bool add_headers(struct MHD_Response *response, const front_answer *answer)
{
    if (answer->type != NULL &&
        !MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->type)) {
        return false;
    }
    for (uint32_t i = 0; i < answer->headers; i++) {
        const front_header *header = &answer->header[i];
        if (!MHD_add_response_header(response, header->name, header->value)) return false;
    }
    if (!answer->close) return true;
    return MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close") == MHD_YES;
}

static ssize_t read_pieces(void *self, uint64_t at, char *to, size_t room)
{
    static_assert(FRONT_PIECES_END == (ptrdiff_t)MHD_CONTENT_READER_END_OF_STREAM, "the same");
    static_assert(FRONT_PIECES_FAIL == (ptrdiff_t)MHD_CONTENT_READER_END_WITH_ERROR, "the same");
    (void)at;
    front_reply *reply = self;
    reply_memory *memory = reply->memory;
    ssize_t bytes = 0;
    if (memory->pieces_us < REPLY_PIECES_US) {
        uint64_t before_us = clock_steady_us();
        bytes = reply->answer.pieces.more(reply->answer.pieces.self, to, room);
        memory->pieces_us += clock_steady_us() - before_us;
    }
    if (bytes > 0) reply->pieces_bytes += (uint64_t)bytes;
    if (bytes != 0) return bytes;
    /* In epoll mode libmicrohttpd may not call again by itself. */
    MHD_suspend_connection(reply->connection);
    reply->paused = memory->paused;
    memory->paused = reply;
    return 0;
}

/* The response owns the reply: libmicrohttpd may send it after its last holder is gone. */
static void end_pieces(void *self)
{
    front_reply *reply = self;
    reply->answer.pieces.end(reply->answer.pieces.self);
    free(reply);
}

static front_reply *reply_in_pieces(reply_memory *memory, const front_answer *answer)
{
    front_reply *reply = calloc(1, sizeof *reply);
    if (reply == NULL) goto fail;
    reply->answer.status = answer->status;
    reply->answer.pieces = answer->pieces;
    reply->memory = memory;
    reply->holders = 1;
    reply->response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE_BYTES, read_pieces,
                                                        reply, end_pieces);
    if (reply->response == NULL) goto fail;
    if (add_headers(reply->response, answer)) return reply;
    reply_drop(reply);
    return NULL;

fail:
    free(reply);
    answer->pieces.end(answer->pieces.self);
    return NULL;
}

static front_reply *reply_new(const front_answer *answer)
{
    front_reply *reply = calloc(1, sizeof *reply);
    if (reply == NULL) return NULL;
    char *piece = copy_answer(answer, &reply->answer);
    if (piece == NULL) goto fail;
    reply->response =
        MHD_create_response_from_buffer_with_free_callback(answer->body_bytes, piece, free);
    if (reply->response == NULL) {
        free(piece);
        goto fail;
    }
    reply->holders = 1;
    if (add_headers(reply->response, answer)) return reply;
    reply_drop(reply);
    return NULL;

fail:
    free(reply);
    return NULL;
}

/* The kept reply with this answer; otherwise NULL, and *oldest is the place to use next. */
static front_reply *find(reply_memory *memory, const front_answer *answer, uint32_t *oldest)
{
    uint64_t oldest_used = UINT64_MAX;
    for (uint32_t i = 0; i < REPLY_MEMORY; i++) {
        front_reply *reply = memory->reply[i];
        if (reply != NULL && same(&reply->answer, answer)) return reply;
        uint64_t used = reply != NULL ? reply->used : 0;
        if (used >= oldest_used) continue;
        oldest_used = used;
        *oldest = i;
    }
    return NULL;
}

front_reply *reply_of(reply_memory *memory, const front_answer *answer)
{
    assert(answer->headers <= FRONT_HEADERS_MAX);
    if (answer->pieces.more != NULL) return reply_in_pieces(memory, answer);
    if (answer->body_bytes > REPLY_BODY_BYTES_MAX) return reply_new(answer);

    uint32_t place = 0;
    front_reply *reply = find(memory, answer, &place);
    if (reply == NULL) {
        reply = reply_new(answer);
        if (reply == NULL) return NULL;
        if (memory->reply[place] != NULL) reply_drop(memory->reply[place]);
        memory->reply[place] = reply;
    }
    memory->asked++;
    reply->used = memory->asked;
    reply_hold(reply);
    return reply;
}

void reply_without_pieces(const front_reply *reply)
{
    assert(reply->answer.pieces.more != NULL);
    /* No chunks; and no length, because the size is unknown. */
    MHD_set_response_options(reply->response, MHD_RF_HTTP_VERSION_1_0_ONLY, MHD_RO_END);
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
    bool in_pieces = reply->answer.pieces.more != NULL;
    MHD_destroy_response(reply->response);
    if (!in_pieces) free(reply);
}

void reply_resume(reply_memory *memory)
{
    memory->pieces_us = 0;
    while (memory->paused != NULL) {
        front_reply *reply = memory->paused;
        memory->paused = reply->paused;
        MHD_resume_connection(reply->connection);
    }
}

void reply_memory_clear(reply_memory *memory)
{
    for (uint32_t i = 0; i < REPLY_MEMORY; i++) {
        if (memory->reply[i] != NULL) reply_drop(memory->reply[i]);
        memory->reply[i] = NULL;
    }
}

/* ---- latency ------------------------------------------------------------------------------ */

static const struct {
    const char *text;
    uint64_t us;
} steps[LATENCY_STEPS] = {
#define LATENCY_ROW(text, us) {text, us},
    LATENCY_MAP(LATENCY_ROW)
#undef LATENCY_ROW
};

void latency_add(front_latency *latency, uint64_t us)
{
    uint32_t step = 0;
    while (step < LATENCY_STEPS && us > steps[step].us) {
        step++;
    }
    if (step < LATENCY_STEPS) latency->within[step]++;
    latency->count++;
    latency->sum_us += us;
}

const char *latency_step(uint32_t step)
{
    return steps[step].text;
}
