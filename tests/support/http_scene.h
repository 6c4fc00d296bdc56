/* A scripted HTTP/1.1 server on a loopback port that the system chooses. It runs in the thread of
 * the test, only when the test calls http_run, so nothing is shared and the order of events is
 * fixed. */
#ifndef SOTTO_HTTP_SCENE_H
#define SOTTO_HTTP_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_HEAD_BYTES_MAX 8192
#define HTTP_CONNECTIONS_MAX 1024

typedef struct http_request {
    char method[8];
    char path[1200];
    char head[HTTP_HEAD_BYTES_MAX + 1]; /* as it came, with the empty line */
    uint8_t *body;
    size_t body_bytes;
    size_t connection; /* on which it came, from 0; a new one gets a new number */
} http_request;

typedef enum http_act {
    HTTP_ANSWERS,
    HTTP_IS_SILENT, /* answers only by http_answer_late; the connection stays open */
    HTTP_CLOSES,
    HTTP_SAYS,                /* sends these bytes as they are, and closes */
    HTTP_NEVER_ENDS_ITS_HEAD, /* sends header lines for as long as the client reads */
    HTTP_NEVER_ENDS_ITS_BODY, /* likewise after a valid head */
} http_act;

typedef struct http_answer {
    http_act act;
    int status;
    const char *headers; /* whole lines; NULL: none but Content-Length */
    const void *body;
    size_t body_bytes;
} http_answer;

typedef http_answer http_script(void *state, const http_request *request);

typedef struct http_connection {
    int fd; /* -1: it is closed */
    uint8_t *heard;
    size_t heard_bytes;
    http_act act;  /* of its last answer */
    bool is_asked; /* has a request that is not answered yet */
} http_connection;

typedef struct http_scene {
    int listener;
    uint16_t port;
    http_script *script;
    void *state;
    http_connection connection[HTTP_CONNECTIONS_MAX];
    size_t connections; /* so far */
    http_request **request;
    size_t requests;     /* so far */
    size_t silent;       /* requests that wait for an answer on open connections */
    uint64_t said_bytes; /* of heads and bodies without an end */
} http_scene;

http_scene *http_scene_new(http_script *script, void *state);
void http_scene_free(http_scene *scene);
/* A loopback port where no one listens. It stays reserved until the process ends, so that no other
 * program takes it. */
uint16_t http_port_of_nobody(void);

/* Takes connections and requests that have arrived, and answers them. Never waits. */
void http_run(http_scene *scene);
/* Answers the request of this number, which has had no answer so far. */
void http_answer_late(http_scene *scene, size_t number, http_answer answer);
/* Connections that are open. */
size_t http_open(const http_scene *scene);
/* The value of a header in `out`; NULL if there is none. */
const char *http_header(const http_request *request, const char *name, char out[256]);

#endif
