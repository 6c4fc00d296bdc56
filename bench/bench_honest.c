/*
 * Honest clients, to measure goodput. Each has its own address (127.1.x.y) and a connection that
 * stays open, sends one new report per POST, and waits for the answer.
 *
 *     bench_honest PORT ID CONNECTIONS SECONDS      prints the number of 204s, of 429s and of cuts
 *
 * A client that loses its connection opens another one. Frames are of epoch 0, each with a new
 * nonce.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define FRAME_BYTES 42u
#define CONNECTIONS_MAX 4096u
#define AGAIN_S 0.2 /* after this time a client that was cut connects again */

typedef struct client {
    int fd; /* -1: none */
    uint32_t number;
    double again_s; /* when to connect again, if fd is -1 */
    double said_s;
} client;

typedef struct crowd {
    int watch;
    uint16_t port;
    char head[256];
    uint8_t frame[FRAME_BYTES];
    uint64_t nonce[2];
    uint64_t answered, refused, cut;
} crowd;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void hang_up(crowd *all, client *one, double now)
{
    if (one->fd >= 0) close(one->fd);
    one->fd = -1;
    one->again_s = now + AGAIN_S;
    all->cut++;
}

static void say(crowd *all, client *one)
{
    char text[sizeof all->head + FRAME_BYTES];
    size_t bytes = strlen(all->head);
    all->nonce[0]++;
    memcpy(all->frame + 24, all->nonce, sizeof all->nonce);
    memcpy(text, all->head, bytes);
    memcpy(text + bytes, all->frame, FRAME_BYTES);
    one->said_s = now_s();
    if (send(one->fd, text, bytes + FRAME_BYTES, MSG_NOSIGNAL) < 0) hang_up(all, one, one->said_s);
}

/* Begins to connect without waiting: epoll reports the socket writable once it is connected. */
static void come(crowd *all, client *one, double now)
{
    struct sockaddr_in own = {.sin_family = AF_INET,
                              .sin_addr.s_addr = htonl(0x7f010000u + one->number + 1)};
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(all->port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int on = 1;
    one->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct epoll_event event = {.events = EPOLLOUT | EPOLLONESHOT, .data.ptr = one};
    one->said_s = now;
    if (one->fd < 0 || setsockopt(one->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0 ||
        bind(one->fd, (struct sockaddr *)&own, sizeof own) != 0 ||
        (connect(one->fd, (struct sockaddr *)&to, sizeof to) != 0 && errno != EINPROGRESS) ||
        epoll_ctl(all->watch, EPOLL_CTL_ADD, one->fd, &event) != 0) {
        hang_up(all, one, now);
    }
}

/* Reads an answer with one call: it has no body, or a short one that arrives with the head. */
static void hear(crowd *all, client *one)
{
    char text[2048];
    ssize_t bytes = recv(one->fd, text, sizeof text - 1, 0);
    if (bytes < 0 && errno == EAGAIN) return;
    if (bytes <= 12) {
        hang_up(all, one, now_s());
        return;
    }
    text[bytes] = '\0';
    bool taken = memcmp(text + 9, "204", 3) == 0;
    all->answered += taken;
    all->refused += !taken;
    if (strstr(text, "Connection: close") != NULL) {
        double now = now_s();
        hang_up(all, one, now);
        if (taken) come(all, one, now); /* taken, so closed for another reason */
        return;
    }
    say(all, one);
}

static void serve(crowd *all, const struct epoll_event *event)
{
    client *one = event->data.ptr;
    if (one->fd < 0) return;
    if ((event->events & EPOLLOUT) == 0) {
        hear(all, one);
        return;
    }
    struct epoll_event reads = {.events = EPOLLIN, .data.ptr = one};
    if ((event->events & (EPOLLERR | EPOLLHUP)) != 0 ||
        epoll_ctl(all->watch, EPOLL_CTL_MOD, one->fd, &reads) != 0) {
        hang_up(all, one, now_s());
        return;
    }
    say(all, one);
}

static void play(crowd *all, client *one, uint32_t count, double seconds)
{
    struct epoll_event event[256];
    double end = now_s() + seconds, looked = 0;
    for (double now; (now = now_s()) < end;) {
        for (uint32_t i = 0; now - looked > 0.05 && i < count; i++) {
            if (one[i].fd >= 0 && now - one[i].said_s > 5) hang_up(all, &one[i], now);
            if (one[i].fd < 0 && now >= one[i].again_s) come(all, &one[i], now);
        }
        if (now - looked > 0.05) looked = now;
        int ready = epoll_wait(all->watch, event, 256, 20);
        for (int i = 0; i < ready; i++) {
            serve(all, &event[i]);
        }
    }
}

static bool read_id(const char *text, uint8_t *out)
{
    if (strlen(text) != 32) return false;
    for (size_t i = 0; i < 16; i++) {
        unsigned byte;
        if (sscanf(text + 2 * i, "%2x", &byte) != 1) return false;
        out[i] = (uint8_t)byte;
    }
    return true;
}

int main(int arguments, char **argument)
{
    static client one[CONNECTIONS_MAX];
    crowd all = {.watch = epoll_create1(0), .frame = "STR1"};
    if (arguments != 5 || !read_id(argument[2], all.frame + 4) || all.watch < 0 ||
        getrandom(all.nonce, sizeof all.nonce, 0) < 0) {
        fprintf(stderr, "usage: bench_honest PORT ID CONNECTIONS SECONDS\n");
        return 2;
    }
    uint32_t count = (uint32_t)strtoul(argument[3], NULL, 10);
    if (count > CONNECTIONS_MAX) count = CONNECTIONS_MAX;
    all.port = (uint16_t)strtoul(argument[1], NULL, 10);
    snprintf(all.head, sizeof all.head,
             "POST /v1/experiments/%s/reports HTTP/1.1\r\nHost: 127.0.0.1\r\n"
             "Content-Type: application/octet-stream\r\nContent-Length: %u\r\n\r\n",
             argument[2], FRAME_BYTES);
    for (uint32_t i = 0; i < count; i++) {
        one[i] = (client){.fd = -1, .number = i};
    }
    play(&all, one, count, strtod(argument[4], NULL));
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", all.answered, all.refused, all.cut);
    return 0;
}
