/* Sends requests to a door of the service without a network, through a front that takes requests
 * made by hand. A test with asked.c does not link the real front. */
#ifndef SOTTO_ASKED_H
#define SOTTO_ASKED_H

#include "service/front/front.h"

#include <jansson.h>

/* An answer. */
typedef struct asked {
    uint32_t status; /* 0: the request waits */
    char type[96];   /* "" if there is none */
    char *body;      /* valid until the test ends; followed by a zero byte that is not counted */
    size_t bytes;
    uint32_t headers;
    char name[FRONT_HEADERS_MAX][64];
    char value[FRONT_HEADERS_MAX][300];
    bool early; /* refused by admit, before the body was read */
    bool cut;   /* producing a piece of it failed */
} asked;

/* A request with headers, whose list ends with a name that is NULL (NULL: none), and a body, which is
 * checked against what admit says as the front does. The path may have arguments after "?". */
asked ask(const front_door *door, front_method method, const char *path,
          const front_header *headers, const void *body, size_t bytes);
/* The answer as front_settle would send it. */
asked asked_of(const front_answer *answer);
/* "" if there is none. */
const char *asked_header(const asked *got, const char *name);
/* The body as JSON, which must be an object. The caller releases it. */
json_t *asked_json(const asked *got);
/* The text at a key of the body, for use in messages; cut to 256 bytes, "" for null. */
const char *asked_text(const asked *got, const char *key, char out[257]);

/* A front that serves nothing, with a port and counts. */
sottod_front *asked_front_new(uint16_t port, front_counts counts);

#endif
