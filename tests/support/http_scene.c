/* A scripted HTTP/1.1 server in the thread of the test. */
#define _GNU_SOURCE /* memmem */
#include "http_scene.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_BYTES 65536u

static struct sockaddr_in loopback(void)
{
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

/* A socket bound to a port that the system chose. */
static int bound(uint16_t *port)
{
    struct sockaddr_in address = loopback();
    socklen_t bytes = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, bytes), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &bytes), 0);
    *port = ntohs(address.sin_port);
    return fd;
}

http_scene *http_scene_new(http_script *script, void *state)
{
    http_scene *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    scene->script = script;
    scene->state = state;
    scene->listener = bound(&scene->port);
    assert_int_equal(listen(scene->listener, 64), 0);
    return scene;
}

uint16_t http_port_of_nobody(void)
{
    uint16_t port;
    bound(&port);
    return port;
}

static void hang_up(http_scene *scene, http_connection *one)
{
    if (one->fd >= 0) close(one->fd);
    if (one->is_asked) scene->silent--;
    one->is_asked = false;
    one->fd = -1;
    free(one->heard);
    one->heard = NULL;
    one->heard_bytes = 0;
}

void http_scene_free(http_scene *scene)
{
    if (scene == NULL) return;
    for (size_t i = 0; i < scene->connections; i++) {
        hang_up(scene, &scene->connection[i]);
    }
    for (size_t i = 0; i < scene->requests; i++) {
        free(scene->request[i]->body);
        free(scene->request[i]);
    }
    free(scene->request);
    close(scene->listener);
    free(scene);
}

/* ---- answers ------------------------------------------------------------------------------ */

static void say(http_scene *scene, http_connection *one, const void *bytes, size_t count)
{
    if (count == 0) return;
    ssize_t said = send(one->fd, bytes, count, MSG_NOSIGNAL);
    if (said < 0) {
        hang_up(scene, one);
    } else {
        assert_int_equal(said, count); /* small enough for the socket */
    }
}

/* Sends for as long as the socket has room. */
static void say_on(http_scene *scene, http_connection *one)
{
    char bytes[8192];
    memset(bytes, 'x', sizeof bytes);
    for (size_t i = 0; one->act == HTTP_NEVER_ENDS_ITS_HEAD && i < sizeof bytes; i += 64) {
        memcpy(bytes + i, "X-More: ", 8);
        memcpy(bytes + i + 62, "\r\n", 2);
    }
    for (int i = 0; i < 1000 && one->fd >= 0; i++) {
        ssize_t said = send(one->fd, bytes, sizeof bytes, MSG_NOSIGNAL);
        if (said < 0 && errno == EAGAIN) return;
        if (said < 0) hang_up(scene, one);
        if (said > 0) scene->said_bytes += (uint64_t)said;
        if (said > 0 && (size_t)said < sizeof bytes) return; /* the last line may be cut */
    }
}

static void answer(http_scene *scene, http_connection *one, http_answer given)
{
    char head[2048];
    bool has_no_body = given.status == 204 || given.status == 304;
    const char *headers = given.headers == NULL ? "" : given.headers;
    one->act = given.act;
    switch (given.act) {
    case HTTP_IS_SILENT: return;
    case HTTP_CLOSES: hang_up(scene, one); return;
    case HTTP_SAYS:
        say(scene, one, given.body, given.body_bytes);
        hang_up(scene, one);
        return;
    case HTTP_NEVER_ENDS_ITS_HEAD: say(scene, one, "HTTP/1.1 200 OK\r\n", 17); break;
    case HTTP_NEVER_ENDS_ITS_BODY: say(scene, one, "HTTP/1.1 200 OK\r\n\r\n", 19); break;
    case HTTP_ANSWERS:
        if (has_no_body)
            snprintf(head, sizeof head, "HTTP/1.1 %d So\r\n%s\r\n", given.status, headers);
        else
            snprintf(head, sizeof head, "HTTP/1.1 %d So\r\n%sContent-Length: %zu\r\n\r\n",
                     given.status, headers, given.body_bytes);
        say(scene, one, head, strlen(head));
        if (one->fd >= 0 && !has_no_body) say(scene, one, given.body, given.body_bytes);
        break;
    }
    if (one->is_asked) scene->silent--;
    one->is_asked = false;
}

void http_answer_late(http_scene *scene, size_t number, http_answer late)
{
    assert_true(number < scene->requests);
    http_connection *one = &scene->connection[scene->request[number]->connection];
    assert_true(one->fd >= 0 && one->is_asked);
    answer(scene, one, late);
}

/* ---- requests ----------------------------------------------------------------------------- */

const char *http_header(const http_request *request, const char *name, char out[256])
{
    size_t length = strlen(name);
    for (const char *line = strstr(request->head, "\r\n"); line != NULL;
         line = strstr(line + 2, "\r\n")) {
        if (strncasecmp(line + 2, name, length) != 0 || line[2 + length] != ':') continue;
        const char *value = line + 2 + length + 1;
        value += strspn(value, " ");
        snprintf(out, 256, "%.*s", (int)strcspn(value, "\r\n"), value);
        return out;
    }
    return NULL;
}

/* The first request in the bytes read, if it is complete. */
static http_request *take_request(http_connection *one)
{
    char value[256];
    const uint8_t *end = memmem(one->heard, one->heard_bytes, "\r\n\r\n", 4);
    if (end == NULL) return NULL;
    size_t head_bytes = (size_t)(end - one->heard) + 4;
    assert_true(head_bytes <= HTTP_HEAD_BYTES_MAX);
    http_request *request = calloc(1, sizeof *request);
    assert_non_null(request);
    memcpy(request->head, one->heard, head_bytes);
    assert_int_equal(sscanf(request->head, "%7s %1199s HTTP/1.1", request->method, request->path),
                     2);
    assert_null(http_header(request, "Transfer-Encoding", value));
    if (http_header(request, "Content-Length", value) != NULL)
        request->body_bytes = strtoul(value, NULL, 10);
    size_t bytes = head_bytes + request->body_bytes;
    if (one->heard_bytes < bytes) {
        free(request);
        return NULL;
    }
    request->body = malloc(request->body_bytes + 1);
    assert_non_null(request->body);
    memcpy(request->body, one->heard + head_bytes, request->body_bytes);
    one->heard_bytes -= bytes;
    memmove(one->heard, one->heard + bytes, one->heard_bytes);
    return request;
}

static void record(http_scene *scene, http_request *request)
{
    scene->request = realloc(scene->request, (scene->requests + 1) * sizeof scene->request[0]);
    assert_non_null(scene->request);
    scene->request[scene->requests++] = request;
}

static void hear(http_scene *scene, http_connection *one)
{
    one->heard = realloc(one->heard, one->heard_bytes + READ_BYTES);
    assert_non_null(one->heard);
    ssize_t count = recv(one->fd, one->heard + one->heard_bytes, READ_BYTES, 0);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
        hang_up(scene, one);
        return;
    }
    one->heard_bytes += (size_t)count;
    http_request *request = take_request(one);
    if (request == NULL) return;
    assert_false(one->is_asked); /* no client sends a second request before the answer */
    request->connection = (size_t)(one - scene->connection);
    record(scene, request);
    one->is_asked = true;
    scene->silent++;
    answer(scene, one, scene->script(scene->state, request));
}

static void welcome(http_scene *scene)
{
    for (;;) {
        int fd = accept(scene->listener, NULL, NULL);
        if (fd < 0) return;
        assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
        assert_int_equal(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)), 0);
        assert_true(scene->connections < HTTP_CONNECTIONS_MAX);
        scene->connection[scene->connections++] = (http_connection){.fd = fd};
    }
}

void http_run(http_scene *scene)
{
    welcome(scene);
    for (size_t i = 0; i < scene->connections; i++) {
        http_connection *one = &scene->connection[i];
        if (one->fd < 0) continue;
        hear(scene, one);
        bool is_endless =
            one->act == HTTP_NEVER_ENDS_ITS_HEAD || one->act == HTTP_NEVER_ENDS_ITS_BODY;
        if (one->fd >= 0 && is_endless) say_on(scene, one);
    }
}

size_t http_open(const http_scene *scene)
{
    size_t open = 0;
    for (size_t i = 0; i < scene->connections; i++) {
        open += scene->connection[i].fd >= 0;
    }
    return open;
}
