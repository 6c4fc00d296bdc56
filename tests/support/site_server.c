/* A server of one experiment, in a thread: poll over its connections, one request at a time from each. */
#include "site_server.h"
#include "test.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS_MAX 64
#define REQUEST_BYTES_MAX (1 << 20)
#define FRAMES_BYTES_MAX (4 << 20)
#define PAGES_MAX 8

typedef struct connection {
    int fd;
    char *bytes;
    size_t count;
} connection;

typedef struct page {
    const char *path, *body;
    int status;
} page;

struct site_server {
    pthread_t thread;
    pthread_mutex_t lock;
    int listener, wake[2];
    char root[64], url[160], path[64];
    sotto_terms terms;
    uint8_t terms_bytes[SOTTO_TERMS_BYTES];
    size_t terms_count, frame_bytes, model_count;
    uint8_t *model, *frames;
    uint32_t epoch;
    uint64_t reports;
    int posts;
    page pages[PAGES_MAX];
    int pages_count;
    char token[100];
    connection connections[CONNECTIONS_MAX];
    int connections_count;
};

/* ---- answers ------------------------------------------------------------------------------ */

static void answer(const connection *to, int status, const char *more, const void *body,
                   size_t bytes)
{
    char head[300];
    int count = snprintf(head, sizeof head, "HTTP/1.1 %d X\r\nContent-Length: %zu\r\n%s\r\n",
                         status, bytes, more);
    if (status == 204 || status == 304) {
        count = snprintf(head, sizeof head, "HTTP/1.1 %d X\r\n%s\r\n", status, more);
    }
    ssize_t written =
        send(to->fd, head, (size_t)count, bytes > 0 ? MSG_NOSIGNAL | MSG_MORE : MSG_NOSIGNAL);
    if (written == count && bytes > 0) written = send(to->fd, body, bytes, MSG_NOSIGNAL);
    (void)written; /* a client that hung up does not read it */
}

static void answer_model(site_server *server, const connection *to, const char *request)
{
    char tag[20], more[40], asked[40];
    snprintf(tag, sizeof tag, "\"%u\"", server->epoch);
    snprintf(more, sizeof more, "ETag: %s\r\n", tag);
    snprintf(asked, sizeof asked, "If-None-Match: %s\r\n", tag);
    bool same = strstr(request, asked) != NULL;
    answer(to, same ? 304 : 200, more, server->model, same ? 0 : server->model_count);
}

static void take(site_server *server, const connection *to, const char *body, size_t bytes)
{
    size_t at = server->reports * server->frame_bytes;
    bool whole = bytes > 0 && bytes % server->frame_bytes == 0 && at + bytes <= FRAMES_BYTES_MAX;
    if (server->posts == 204 && whole) {
        memcpy(server->frames + at, body, bytes);
        server->reports += bytes / server->frame_bytes;
    }
    answer(to, whole ? server->posts : 400, "", "", 0);
}

static void answer_page(site_server *server, const connection *to, const char *path,
                        const char *request)
{
    const char *token = strstr(request, "Authorization: ");
    snprintf(server->token, sizeof server->token, "%.*s",
             token == NULL ? 0 : (int)strcspn(token + 15, "\r\n"), token == NULL ? "" : token + 15);
    for (int i = 0; i < server->pages_count; i++) {
        if (strcmp(server->pages[i].path, path) != 0) continue;
        answer(to, server->pages[i].status, "", server->pages[i].body,
               strlen(server->pages[i].body));
        return;
    }
    answer(to, 404, "", "", 0);
}

static void serve(site_server *server, const connection *to, const char *request, const char *body,
                  size_t body_bytes)
{
    char method[8], path[200];
    if (sscanf(request, "%7s %199s", method, path) != 2) return;
    size_t own = strlen(server->path);
    const char *rest = strncmp(path, server->path, own) == 0 ? path + own : "";
    pthread_mutex_lock(&server->lock);
    if (strcmp(rest, "/terms") == 0) {
        answer(to, 200, "", server->terms_bytes, server->terms_count);
    } else if (strcmp(rest, "/model") == 0) {
        answer_model(server, to, request);
    } else if (strcmp(rest, "/reports") == 0 && strcmp(method, "POST") == 0) {
        take(server, to, body, body_bytes);
    } else {
        answer_page(server, to, path, request);
    }
    pthread_mutex_unlock(&server->lock);
}

/* ---- connections -------------------------------------------------------------------------- */

/* Serves all whole requests that were read. */
static void serve_whole(site_server *server, connection *from)
{
    for (;;) {
        from->bytes[from->count] = '\0';
        char *end = strstr(from->bytes, "\r\n\r\n");
        if (end == NULL) return;
        size_t head = (size_t)(end - from->bytes) + 4, body = 0;
        *end = '\0'; /* only heads are looked at */
        const char *length = strstr(from->bytes, "\r\nContent-Length:");
        if (length != NULL) body = strtoul(length + 17, NULL, 10);
        *end = '\r';
        if (from->count < head + body) return;
        char request[4096];
        snprintf(request, sizeof request, "%.*s", (int)head, from->bytes);
        serve(server, from, request, from->bytes + head, body);
        memmove(from->bytes, from->bytes + head + body, from->count - head - body);
        from->count -= head + body;
    }
}

static bool hear(site_server *server, connection *from)
{
    ssize_t count =
        recv(from->fd, from->bytes + from->count, REQUEST_BYTES_MAX - from->count - 1, 0);
    if (count <= 0) return false;
    from->count += (size_t)count;
    serve_whole(server, from);
    return true;
}

static void hang_up(site_server *server, int i)
{
    close(server->connections[i].fd);
    free(server->connections[i].bytes);
    server->connections[i] = server->connections[--server->connections_count];
}

static void welcome(site_server *server)
{
    int fd = accept(server->listener, NULL, NULL);
    if (fd < 0) return;
    if (server->connections_count == CONNECTIONS_MAX) {
        close(fd);
        return;
    }
    server->connections[server->connections_count++] =
        (connection){.fd = fd, .bytes = malloc(REQUEST_BYTES_MAX)};
}

static void *run(void *state)
{
    site_server *server = state;
    for (;;) {
        struct pollfd fds[CONNECTIONS_MAX + 2] = {{server->wake[0], POLLIN, 0},
                                                  {server->listener, POLLIN, 0}};
        int count = server->connections_count;
        for (int i = 0; i < count; i++) {
            fds[i + 2] = (struct pollfd){server->connections[i].fd, POLLIN, 0};
        }
        if (poll(fds, (nfds_t)count + 2, -1) < 0) continue;
        if (fds[0].revents != 0) return NULL;
        for (int i = count - 1; i >= 0; i--) {
            if (fds[i + 2].revents != 0 && !hear(server, &server->connections[i])) {
                hang_up(server, i);
            }
        }
        if (fds[1].revents != 0) welcome(server);
    }
}

/* ---- for the test ------------------------------------------------------------------------- */

static void open_port(site_server *server)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t bytes = sizeof at;
    server->listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(server->listener >= 0);
    assert_int_equal(bind(server->listener, (struct sockaddr *)&at, bytes), 0);
    assert_int_equal(listen(server->listener, 64), 0);
    assert_int_equal(getsockname(server->listener, (struct sockaddr *)&at, &bytes), 0);
    snprintf(server->root, sizeof server->root, "http://127.0.0.1:%u", ntohs(at.sin_port));
}

site_server *site_server_start(const sotto_terms *terms)
{
    site_server *server = calloc(1, sizeof *server);
    sotto_model *model;
    assert_non_null(server);
    assert_int_equal(pthread_mutex_init(&server->lock, NULL), 0);
    server->terms = *terms;
    server->posts = 204;
    server->frame_bytes = sotto_report_bytes(terms);
    server->frames = malloc(FRAMES_BYTES_MAX);
    server->model_count = sotto_model_bytes(terms);
    server->model = malloc(server->model_count);
    assert_non_null(server->frames);
    assert_non_null(server->model);
    server->terms_count = sotto_terms_encode(terms, server->terms_bytes);
    assert_ok(sotto_model_new(terms, &model));
    site_server_set_model(server, model);
    sotto_model_free(model);

    open_port(server);
    char id[2 * SOTTO_SPEC_ID_BYTES + 1];
    for (size_t i = 0; i < SOTTO_SPEC_ID_BYTES; i++) {
        snprintf(id + 2 * i, 3, "%02x", terms->id[i]);
    }
    snprintf(server->path, sizeof server->path, "/v1/experiments/%s", id);
    snprintf(server->url, sizeof server->url, "%s%s", server->root, server->path);
    assert_int_equal(pipe(server->wake), 0);
    assert_int_equal(pthread_create(&server->thread, NULL, run, server), 0);
    return server;
}

void site_server_stop(site_server *server)
{
    assert_int_equal(write(server->wake[1], "", 1), 1);
    pthread_join(server->thread, NULL);
    while (server->connections_count > 0) {
        hang_up(server, 0);
    }
    close(server->listener);
    close(server->wake[0]);
    close(server->wake[1]);
    pthread_mutex_destroy(&server->lock);
    free(server->frames);
    free(server->model);
    free(server);
}

const char *site_server_root(const site_server *server)
{
    return server->root;
}

const char *site_server_url(const site_server *server)
{
    return server->url;
}

void site_server_set_model(site_server *server, const sotto_model *model)
{
    pthread_mutex_lock(&server->lock);
    server->epoch = model->epoch;
    assert_ok(sotto_model_encode(&server->terms, model, server->model, server->model_count));
    pthread_mutex_unlock(&server->lock);
}

void site_server_set_posts(site_server *server, int status)
{
    pthread_mutex_lock(&server->lock);
    server->posts = status;
    pthread_mutex_unlock(&server->lock);
}

void site_server_set_page(site_server *server, const char *path, int status, const char *body)
{
    pthread_mutex_lock(&server->lock);
    int i = 0;
    while (i < server->pages_count && strcmp(server->pages[i].path, path) != 0) {
        i++;
    }
    assert_true(i < PAGES_MAX);
    server->pages[i] = (page){path, body, status};
    if (i == server->pages_count) server->pages_count++;
    pthread_mutex_unlock(&server->lock);
}

uint64_t site_server_reports(site_server *server)
{
    pthread_mutex_lock(&server->lock);
    uint64_t reports = server->reports;
    pthread_mutex_unlock(&server->lock);
    return reports;
}

void site_server_report(site_server *server, uint64_t i, uint8_t *frame)
{
    pthread_mutex_lock(&server->lock);
    assert_true(i < server->reports);
    memcpy(frame, server->frames + i * server->frame_bytes, server->frame_bytes);
    pthread_mutex_unlock(&server->lock);
}

void site_server_token(site_server *server, char token[100])
{
    pthread_mutex_lock(&server->lock);
    memcpy(token, server->token, sizeof server->token);
    pthread_mutex_unlock(&server->lock);
}
