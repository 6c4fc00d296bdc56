/* How answers look. A port holds the memory of its last answer: the front copies it before it asks again. */
#ifndef SERVICE_ANSWER_H
#define SERVICE_ANSWER_H

#include "error_json.h"
#include "service/front/front.h"

#include <jansson.h>

/* What a port's answers have in common. */
typedef struct answer_style {
    front_header header[2]; /* in every answer; a name that is NULL: none */
} answer_style;

typedef struct api_answers {
    const answer_style *style;
    char *text; /* of the last answer; NULL or from malloc */
    char error[ERROR_JSON_BYTES];
} api_answers;

void answers_init(api_answers *answers, const answer_style *style);
void answers_end(api_answers *answers);

/* An answer without a body. */
void answer_empty(api_answers *answers, uint32_t status, front_answer *out);
/* Bytes that stay where they are until the call returns. */
void answer_bytes(api_answers *answers, uint32_t status, const char *type, const void *body,
                  size_t bytes, front_answer *out);
/* Takes the JSON over. NULL, as from json_pack when memory is out: 503. */
void answer_json(api_answers *answers, uint32_t status, json_t *body, front_answer *out);
/* Takes text from malloc over. */
void answer_text(api_answers *answers, uint32_t status, const char *type, char *text, size_t bytes,
                 front_answer *out);
/* {error, field, value, allowed}; 503 says when to come back, 401 how to say who one is. */
void answer_refusal(api_answers *answers, const sottod_refusal *why, front_answer *out);
/* A refusal of the front itself: the status tells which part of the request is at fault. `allowed` may be
 * NULL. */
void answer_front_refusal(api_answers *answers, uint32_t status, const char *sentence,
                          const char *allowed, front_answer *out);
/* The value must live as long as the answer. */
void answer_add_header(front_answer *out, const char *name, const char *value);

#endif
