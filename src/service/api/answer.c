/* How answers look. */
#include "answer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void answers_init(api_answers *answers, const answer_style *style)
{
    memset(answers, 0, sizeof *answers);
    answers->style = style;
}

void answers_end(api_answers *answers)
{
    free(answers->text);
    answers->text = NULL;
}

void answer_add_header(front_answer *out, const char *name, const char *value)
{
    assert(out->headers < FRONT_HEADERS_MAX);
    out->header[out->headers++] = (front_header){name, value};
}

void answer_bytes(api_answers *answers, uint32_t status, const char *type, const void *body,
                  size_t bytes, front_answer *out)
{
    *out = (front_answer){.status = status, .type = type, .body = body, .body_bytes = bytes};
    for (size_t i = 0; i < 2; i++) {
        const front_header *header = &answers->style->header[i];
        if (header->name != NULL) answer_add_header(out, header->name, header->value);
    }
}

void answer_empty(api_answers *answers, uint32_t status, front_answer *out)
{
    answer_bytes(answers, status, NULL, NULL, 0, out);
}

void answer_text(api_answers *answers, uint32_t status, const char *type, char *text, size_t bytes,
                 front_answer *out)
{
    free(answers->text);
    answers->text = text;
    if (text != NULL) {
        answer_bytes(answers, status, type, text, bytes, out);
        return;
    }
    sottod_refusal why;
    refusal_set_lack(&why, LACK_MEMORY, "There is no memory for the answer.");
    answer_refusal(answers, &why, out);
}

void answer_json(api_answers *answers, uint32_t status, json_t *body, front_answer *out)
{
    char *text = body != NULL ? json_dumps(body, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    json_decref(body);
    answer_text(answers, status, "application/json", text, text != NULL ? strlen(text) : 0, out);
}

static front_refusal counted_as(refusal_lack lacks)
{
    switch (lacks) {
    case LACK_NOTHING: return FRONT_REFUSED_ROUTE;
    case LACK_JOURNAL: return FRONT_REFUSED_JOURNAL;
    case LACK_NONCES: return FRONT_REFUSED_NONCES;
    case LACK_MEMORY: return FRONT_REFUSED_MEMORY;
    }
    return FRONT_REFUSED_ROUTE;
}

void answer_refusal(api_answers *answers, const sottod_refusal *why, front_answer *out)
{
    size_t bytes = error_json(why, answers->error);
    answer_bytes(answers, why->status, "application/json", answers->error, bytes, out);
    out->why = counted_as(why->lacks);
    if (why->status == 503 || why->status == 429) answer_add_header(out, "Retry-After", "1");
    if (why->status == 401) {
        answer_add_header(out, "WWW-Authenticate", "Bearer realm=\"sottod\"");
    }
}

void answer_front_refusal(api_answers *answers, uint32_t status, const char *sentence,
                          const char *allowed, front_answer *out)
{
    static const struct {
        uint32_t status;
        const char *field;
    } parts[] = {
        {411, "Content-Length"}, {413, "body"}, {414, "path"}, {429, "address"}, {431, "head"}};
    sottod_refusal why;
    const char *field = NULL;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].status == status) field = parts[i].field;
    }
    refusal_set(&why, status, sentence, field, NULL, allowed);
    answer_refusal(answers, &why, out);
}
