/* Whatever bytes a server sends back to a device, head and body: one answer, within its bounds, that is judged with a
 * sentence. libcurl reads them from a socket, and Retry-After is taken from its head. The first byte says how many bytes
 * come first. */
#include "specs.h"
#include "transport/inner.h"
#include "why.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BODY_MAX 4096u
#define TURNS_MAX 2000u
#define DAY_MS 86400000u

static struct {
    sotto_wire *wire;
    sotto__request request;
    sotto__url url;
    int listener;
    unsigned done;
} scene;

static void take(sotto__request *request, const sotto_answer *answer)
{
    sotto_fault fault = {.field = ""};
    scene.done++;
    fuzz_require(request == &scene.request && answer->body_bytes <= BODY_MAX);
    fuzz_require(answer->retry_after_ms % 1000 == 0 && answer->retry_after_ms <= DAY_MS);
    fuzz_require(answer->status == 0 || (answer->status >= 100 && answer->status <= 999));
    fuzz_require(answer->status != 0 || (answer->why != NULL && answer->retry_after_ms == 0));
    (void)sotto__answer_judge(answer, &fault);
    for (const char *at = fault.sentence; *at != '\0'; at++) {
        fuzz_require(*at >= ' ' && *at <= '~');
    }
}

static void open_scene(void)
{
    char url[100];
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof place;
    scene.listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    fuzz_require(scene.listener >= 0 &&
                 bind(scene.listener, (struct sockaddr *)&place, bytes) == 0);
    fuzz_require(getsockname(scene.listener, (struct sockaddr *)&place, &bytes) == 0);
    fuzz_require(listen(scene.listener, 4) == 0);
    const sotto_wire_options options = sotto_wire_options_default();
    fuzz_require(sotto_wire_new(&options, &scene.wire) == SOTTO_OK);
    sotto__request_make(&scene.request, scene.wire, take);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/v1/experiments/0123456789abcdef0123456789abcdef",
             ntohs(place.sin_port));
    fuzz_require(WHY(sotto__url_fault, "url", url, &scene.url) == NULL);
}

static int accept_request(void)
{
    int line = -1;
    for (uint32_t turn = 0; turn < TURNS_MAX && line < 0; turn++) {
        fuzz_require(sotto_wire_turn(scene.wire, 0) == SOTTO_OK);
        line = accept(scene.listener, NULL, NULL);
    }
    fuzz_require(line >= 0);
    return line;
}

/* The request is read, as a close without that would tell the client of a broken connection. */
static void read_request(int line)
{
    char text[4096];
    for (uint32_t turn = 0; turn < TURNS_MAX; turn++) {
        fuzz_require(sotto_wire_turn(scene.wire, 0) == SOTTO_OK);
        ssize_t got = recv(line, text, sizeof text, MSG_DONTWAIT);
        if (got >= 4 && memcmp(text + got - 4, "\r\n\r\n", 4) == 0) return;
    }
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t epoch = 7;
    if (size < 1) return 0;
    if (scene.wire == NULL) open_scene();
    scene.done = 0;
    fuzz_require(sotto__request_get(&scene.request, &scene.url, "model", BODY_MAX, &epoch) ==
                 SOTTO_OK);
    int line = accept_request();
    read_request(line);
    size_t first = (size - 1) * data[0] / 255u;
    (void)send(line, data + 1, first, MSG_NOSIGNAL);
    fuzz_require(sotto_wire_turn(scene.wire, 0) == SOTTO_OK);
    (void)send(line, data + 1 + first, size - 1 - first, MSG_NOSIGNAL);
    fuzz_require(shutdown(line, SHUT_WR) == 0 || scene.done == 1);
    for (uint32_t turn = 0; turn < TURNS_MAX && scene.done == 0; turn++) {
        fuzz_require(sotto_wire_turn(scene.wire, 0) == SOTTO_OK);
    }
    close(line);
    fuzz_require(scene.done == 1 && scene.wire->under_way == 0);
    return 0;
}
