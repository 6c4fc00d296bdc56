#include "front_scene.h"

#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void note(char *out, size_t bytes, const char *text)
{
    snprintf(out, bytes, "%s", text != NULL ? text : "");
}

static bool note_argument(void *self, const char *name, const char *value)
{
    front_scene *scene = self;
    size_t at = strlen(scene->arguments);
    snprintf(scene->arguments + at, sizeof scene->arguments - at, "%s%s%s;", name,
             value != NULL ? "=" : "", value != NULL ? value : "");
    return strcmp(name, "stop") != 0;
}

static bool admit(void *self, const front_request *request, size_t *body_max, front_answer *answer)
{
    front_scene *scene = self;
    scene->admitted++;
    scene->method = front_request_method(request);
    note(scene->path, sizeof scene->path, front_request_path(request));
    note(scene->argument, sizeof scene->argument, front_request_argument(request, "name"));
    note(scene->header, sizeof scene->header, front_request_header(request, "x-name"));
    scene->arguments[0] = '\0';
    front_request_arguments(request, note_argument, scene);
    size_t bytes = 1;
    front_request_body(request, &bytes);
    assert_int_equal(bytes, 0);
    if (scene->refuses != 0) {
        *answer = (front_answer){
            .status = scene->refuses, .type = "text/plain", .body = "no", .body_bytes = 2};
        return false;
    }
    *body_max = scene->body_max;
    return true;
}

static front_verdict answer_now(void *self, const front_request *request, front_answer *answer)
{
    front_scene *scene = self;
    scene->answered++;
    const uint8_t *body = front_request_body(request, &scene->body_bytes);
    scene->body_bytes_sum += scene->body_bytes;
    if (scene->body_bytes > 0) {
        size_t bytes =
            scene->body_bytes < sizeof scene->body ? scene->body_bytes : sizeof scene->body;
        memcpy(scene->body, body, bytes);
    }
    if (scene->waits) return FRONT_WAITS;

    *answer = (front_answer){.status = 204, .close = scene->closes};
    if (scene->pieces.more != NULL) {
        answer->status = 200;
        answer->pieces = scene->pieces;
        answer->type = "text/plain";
    } else if (scene->content != NULL) {
        answer->status = 200;
        answer->type = "text/plain";
        answer->body = scene->content;
        answer->body_bytes = strlen(scene->content);
        answer->headers = 1;
        answer->header[0] = (front_header){.name = "X-Path", .value = front_request_path(request)};
    }
    return FRONT_ANSWERED;
}

static void refuse(void *self, uint32_t status, const char *sentence, const char *allowed,
                   front_answer *answer)
{
    front_scene *scene = self;
    scene->refused++;
    scene->refused_status = status;
    snprintf(scene->refused_allowed, sizeof scene->refused_allowed, "%s", allowed ? allowed : "");
    *answer = (front_answer){
        .status = status, .type = "text/plain", .body = sentence, .body_bytes = strlen(sentence)};
}

front_scene *scene_new(void)
{
    front_scene *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    scene->settings = (front_settings){.address = "127.0.0.1",
                                       .connections_max = 100,
                                       .idle_s_max = 60,
                                       .head_s_max = 10,
                                       .rate_min = 1000,
                                       .bodies_bytes_max = 1u << 20};
    scene->body_max = SCENE_BODY_MAX;
    return scene;
}

void scene_open(front_scene *scene)
{
    const front_door door = {.admit = admit, .answer = answer_now, .refuse = refuse, .self = scene};
    assert_ok(front_open(&scene->settings, &door, &scene->front, NULL));
}

void scene_free(front_scene *scene)
{
    front_close(scene->front);
    free(scene);
}

bool scene_run(front_scene *scene, int wait_ms)
{
    int own_ms = front_timeout_ms(scene->front);
    if (own_ms >= 0 && own_ms < wait_ms) wait_ms = own_ms;
    struct pollfd ready = {.fd = front_fd(scene->front), .events = POLLIN};
    poll(&ready, 1, wait_ms);
    bool moved = front_run(scene->front);
    if (scene->settles) front_settle(scene->front, &(front_answer){.status = 204});
    return moved;
}

void scene_drain(front_scene *scene)
{
    int64_t end = now_ms() + SCENE_HANGS_MS;
    while (scene_run(scene, 1)) {
        if (now_ms() > end) fail_msg("the front always has something to do");
    }
}

void scene_empty(front_scene *scene)
{
    int64_t end = now_ms() + SCENE_HANGS_MS;
    while (front_count(scene->front).connections > 0) {
        scene_run(scene, 1);
        if (now_ms() > end) fail_msg("a connection stays open that nobody has");
    }
}

int client_new(const front_scene *scene)
{
    int client = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(client >= 0);
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(front_port(scene->front)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(connect(client, (const struct sockaddr *)&to, sizeof to), 0);
    return client;
}

void client_send(front_scene *scene, int client, const void *bytes, size_t count)
{
    const char *at = bytes;
    int64_t end = now_ms() + SCENE_HANGS_MS;
    while (count > 0) {
        ssize_t sent = send(client, at, count, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent > 0) {
            at += sent;
            count -= (size_t)sent;
            continue;
        }
        if (errno != EAGAIN) return; /* the server hung up: what it sent before can still be read */
        scene_run(scene, 1);
        if (now_ms() > end) fail_msg("the server reads no more");
    }
}

void client_say(front_scene *scene, int client, const char *text)
{
    client_send(scene, client, text, strlen(text));
}

/* Runs the front until `answers` have come or the connection ended. */
static void hear(front_scene *scene, int client, uint32_t answers, client_heard *out)
{
    *out = (client_heard){0};
    int64_t end = now_ms() + SCENE_HANGS_MS;
    while (!out->ended && heard_answers(out) < answers) {
        size_t room = sizeof out->text - 1u - out->bytes;
        assert_true(room > 0);
        ssize_t got = recv(client, out->text + out->bytes, room, MSG_DONTWAIT);
        if (got > 0) {
            out->bytes += (size_t)got;
            continue;
        }
        out->ended = got == 0 || errno != EAGAIN;
        if (!out->ended) scene_run(scene, 1);
        if (now_ms() > end) fail_msg("no answer comes; so far: \"%s\"", out->text);
    }
}

void client_hear(front_scene *scene, int client, uint32_t answers, client_heard *out)
{
    hear(scene, client, answers, out);
}

void client_hear_all(front_scene *scene, int client, client_heard *out)
{
    hear(scene, client, UINT32_MAX, out);
}

uint32_t client_ask(front_scene *scene, const char *text, client_heard *out)
{
    int client = client_new(scene);
    client_say(scene, client, text);
    client_hear(scene, client, 1, out);
    close(client);
    return heard_status(out);
}

uint32_t heard_status(const client_heard *heard)
{
    unsigned status = 0;
    if (sscanf(heard->text, "HTTP/1.%*1[01] %3u", &status) != 1) return 0;
    return status;
}

/* The bytes of a body by its head, which is `bytes` long. */
static size_t length_of(const char *head, size_t bytes)
{
    static const char name[] = "\r\nContent-Length: ";
    for (const char *at = head; at + sizeof name <= head + bytes; at++) {
        if (strncasecmp(at, name, sizeof name - 1u) == 0) {
            return strtoull(at + sizeof name - 1u, NULL, 10);
        }
    }
    return 0;
}

uint32_t heard_answers(const client_heard *heard)
{
    uint32_t answers = 0;
    const char *at = heard->text;
    const char *end = heard->text + heard->bytes;
    for (;;) {
        const char *blank = strstr(at, "\r\n\r\n");
        if (blank == NULL) return answers;
        const char *next = blank + 4 + length_of(at, (size_t)(blank - at));
        if (next > end) return answers;
        at = next;
        answers++;
    }
}

int scene_start(void **state)
{
    front_scene *scene = scene_new();
    scene_open(scene);
    *state = scene;
    return 0;
}

int scene_end_served(void **state)
{
    front_scene *scene = *state;
    static const char good[] = "POST /v1/x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello";
    client_heard heard;
    scene->refuses = 0;
    scene->waits = false;
    bool served = client_ask(scene, good, &heard) == 204;
    scene_drain(scene);
    bool clean = front_begun(scene->front) == 0;
    scene_free(scene);
    return served && clean ? 0 : 1;
}

void scene_refuses(front_scene *scene, const char *text, uint32_t status)
{
    uint32_t answered = scene->answered;
    int client = client_new(scene);
    client_say(scene, client, text);
    client_heard heard;
    client_hear_all(scene, client, &heard);
    close(client);
    if (heard_status(&heard) != status) {
        fail_msg("\"%.60s\": wanted %u, heard \"%s\"", text, status, heard.text);
    }
    assert_int_equal(scene->answered, answered);
}
