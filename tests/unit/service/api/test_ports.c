/* Both doors behind real fronts, on sockets of loopback, all in one thread. */
#include "house.h"
#include "test.h"

#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static house made;
static api_public *people;
static api_admin *owner;
static sottod_front *fronts[2]; /* public, admin */
static char admin[128];
static char heard[1 << 16];
static size_t heard_bytes;

enum { PUBLIC, ADMIN };

static sottod_front *open_front(front_door door)
{
    const front_settings settings = {.address = "127.0.0.1",
                                     .connections_max = 10,
                                     .idle_s_max = 10,
                                     .head_s_max = 10,
                                     .rate_min = 1000,
                                     .bodies_bytes_max = 4u << 20};
    sottod_front *front;
    assert_ok(front_open(&settings, &door, &front, NULL));
    return front;
}

FIXTURE(start)
{
    uint8_t token[100] = {0};
    house_open(&made);
    people = api_public_new(&made.service);
    assert_ok(api_admin_new(&made.service, &owner, NULL));
    fronts[PUBLIC] = open_front(api_public_door(people));
    fronts[ADMIN] = open_front(api_admin_door(owner));
    made.service.public_front = fronts[PUBLIC];
    made.service.admin_front = fronts[ADMIN];
    file_read(api_admin_token_file(owner), token, sizeof token);
    snprintf(admin, sizeof admin, "%.64s", (const char *)token);
}

FIXTURE(end)
{
    front_close(fronts[PUBLIC]);
    front_close(fronts[ADMIN]);
    api_public_free(people);
    api_admin_free(owner);
    house_close(&made);
}

/* One turn of the service. */
static void turn(void)
{
    sottod_refusal why;
    front_run(fronts[PUBLIC]);
    front_run(fronts[ADMIN]);
    if (intake_waiting(made.intake) == 0) return;
    bool done = intake_commit(made.intake, &why);
    front_answer answer = api_public_settled(people, done ? NULL : &why);
    front_settle(fronts[PUBLIC], &answer);
}

/* Sends a head and a body on a new connection and reads until it is closed; returns the status. */
static uint32_t say(int to, const char *line, const char *headers, const void *body, size_t bytes)
{
    char head[1024];
    struct sockaddr_in place = {.sin_family = AF_INET,
                                .sin_port = htons(front_port(fronts[to])),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int client = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(client, (struct sockaddr *)&place, sizeof place), 0);
    int head_bytes = snprintf(head, sizeof head,
                              "%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: close\r\n%s\r\n",
                              line, front_port(fronts[to]), headers);
    assert_int_equal(send(client, head, (size_t)head_bytes, MSG_NOSIGNAL), head_bytes);
    assert_int_equal(send(client, body, bytes, MSG_NOSIGNAL), bytes);
    heard_bytes = 0;
    for (int turns = 0; turns < 20000; turns++) {
        struct pollfd ready = {.fd = client, .events = POLLIN};
        turn();
        if (poll(&ready, 1, 1) == 0) continue;
        ssize_t more = recv(client, heard + heard_bytes, sizeof heard - 1 - heard_bytes, 0);
        assert_true(more >= 0);
        if (more == 0) break;
        heard_bytes += (size_t)more;
    }
    close(client);
    heard[heard_bytes] = '\0';
    unsigned status = 0;
    assert_int_equal(sscanf(heard, "HTTP/1.1 %u ", &status), 1);
    return status;
}

static uint32_t say_admin(const char *line, const char *body)
{
    char headers[300];
    snprintf(
        headers, sizeof headers,
        "Authorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n",
        admin, strlen(body));
    return say(ADMIN, line, headers, body, strlen(body));
}

static const char *body_of(void)
{
    const char *gap = strstr(heard, "\r\n\r\n");
    assert_non_null(gap);
    return gap + 4;
}

static void create(char id[33])
{
    assert_int_equal(say_admin("POST /v1/experiments",
                               "{\"spec\":{\"reward_kind\":\"binary\",\"dim\":3,\"arms\":2}}"),
                     201);
    const char *found = strstr(body_of(), "\"id\":\"");
    assert_non_null(found);
    snprintf(id, 33, "%s", found + 6);
}

static uint32_t post(const char *id, const char *type, const uint8_t *frames, size_t bytes,
                     size_t said)
{
    char line[100], headers[200];
    snprintf(line, sizeof line, "POST /v1/experiments/%s/reports", id);
    snprintf(headers, sizeof headers, "Content-Type: %s\r\nContent-Length: %zu\r\n", type, said);
    return say(PUBLIC, line, headers, frames, bytes);
}

TEST_WITH(what_is_wrong_is_refused_as_json, start, end)
{
    char id[33];
    uint8_t frames[200];
    create(id);
    memset(frames, 1, sizeof frames);
    assert_int_equal(post(id, "text/plain", frames, 10, 10), 415);
    assert_non_null(strstr(body_of(), "\"field\":\"Content-Type\",\"value\":\"text/plain\""));
    assert_int_equal(post(id, "application/octet-stream", frames, 10, 10), 400);
    assert_null(strstr(heard, "Access-Control"));
    assert_int_equal(post(id, "application/octet-stream", frames, 0, 100000000), 413);
    assert_non_null(strstr(body_of(), "\"field\":\"body\""));
    assert_int_equal(say(PUBLIC, "POST /v1/experiments/0/reports", "", "", 0), 404);
    assert_int_equal(say(PUBLIC, "PATCH /readyz", "", "", 0), 405);
    assert_non_null(strstr(heard, "Allow: GET, HEAD, OPTIONS\r\n"));
    assert_int_equal(say(ADMIN, "GET /metrics", "", "", 0), 401);
    assert_non_null(strstr(heard, "WWW-Authenticate: Bearer realm=\"sottod\"\r\n"));
    assert_int_equal(say(ADMIN, "GET /healthz", "Origin: http://evil.example\r\n", "", 0), 403);
    assert_int_equal(front_count(fronts[ADMIN]).refused[FRONT_REFUSED_ORIGIN], 1);
    assert_int_equal(front_count(fronts[PUBLIC]).refused[FRONT_REFUSED_ORIGIN], 0);
}

/* Also refusals by the front, with the name of the token. */
TEST_WITH(actions_that_the_front_refuses_are_on_record, start, end)
{
    static const char *const wanted[] = {
        "\"action\":\"create\",\"experiment\":\"\",\"token\":\"admin\",\"role\":\"admin\","
        "\"status\":413}",
        "\"action\":\"create\",\"experiment\":\"\",\"token\":\"admin\",\"role\":\"admin\","
        "\"status\":411}",
        "\"action\":\"create\",\"experiment\":\"\",\"token\":\"admin\",\"role\":\"admin\","
        "\"status\":411}",
        "\"action\":\"unknown\",\"experiment\":\"\",\"token\":\"admin\",\"role\":\"admin\","
        "\"status\":404}",
    };
    static const char *const lengths[] = {"Content-Length: 2000000", "X: 1",
                                          "Transfer-Encoding: chunked", "Content-Length: 0"};
    char headers[300], line[300];
    FILE *file = tmpfile();
    made.service.log = log_new(fileno(file), LOG_ERROR);
    for (size_t i = 0; i < 4; i++) {
        snprintf(headers, sizeof headers,
                 "Authorization: Bearer %s\r\nContent-Type: application/json\r\n%s\r\n", admin,
                 lengths[i]);
        const char *path = i < 3 ? "POST /v1/experiments" : "POST /v1/experiments/0/pause";
        say(ADMIN, path, headers, "", 0);
        say(ADMIN, "GET /v1/experiments", headers, "", 0); /* not an action */
    }
    rewind(file);
    for (size_t i = 0; i < 4; i++) {
        assert_non_null(fgets(line, sizeof line, file));
        if (strstr(line, wanted[i]) == NULL) fail_msg("%s has no %s", line, wanted[i]);
    }
    assert_null(fgets(line, sizeof line, file));
    log_free(made.service.log);
    made.service.log = NULL;
    fclose(file);
}

/* One answer goes to many requests, with headers for each one's page. */
TEST_WITH(a_report_is_answered_for_the_page_that_sent_it, start, end)
{
    static const char a[] = "application/octet-stream\r\nOrigin: https://a.example",
                      b[] = "application/octet-stream\r\nOrigin: https://b.example";
    const experiment_access access = {.origins = "https://a.example"};
    sottod_refusal why;
    uint8_t frames[200];
    char id[33];
    create(id);
    sottod_experiment *experiment = experiments_at(made.experiments, 0);
    size_t each = sotto_report_bytes(experiment_terms(experiment));
    house_frames(experiment, 1, frames, each);
    assert_int_equal(post(id, a, frames, each, each), 403);
    assert_null(strstr(heard, "Access-Control"));
    assert_true(experiment_set_access(made.experiments, experiment, &access, &why));
    assert_int_equal(post(id, b, frames, each, each), 403);
    assert_int_equal(front_count(fronts[PUBLIC]).refused[FRONT_REFUSED_ORIGIN], 2);
    assert_int_equal(front_count(fronts[PUBLIC]).refused[FRONT_REFUSED_ROUTE], 0);
    assert_null(strstr(heard, "Access-Control"));
    assert_ints(experiment_counts(experiment).folded, 0, post(id, a, frames, each, each), 204);
    assert_non_null(strstr(heard, "Access-Control-Allow-Origin: https://a.example\r\n"));
    assert_non_null(strstr(heard, "Vary: Origin\r\n"));
    assert_int_equal(post(id, "application/octet-stream", frames, each, each), 204);
    assert_null(strstr(heard, "Access-Control"));
    assert_int_equal(experiment_counts(experiment).folded, 1);
}

TEST_WITH(an_experiment_goes_from_create_to_delete, start, end)
{
    char id[33], line[120];
    uint8_t frames[1024], bytes[SOTTO_TERMS_BYTES];
    create(id);
    assert_non_null(strstr(heard, "\r\nLocation: /v1/experiments/"));
    const sottod_experiment *experiment = experiments_at(made.experiments, 0);
    snprintf(line, sizeof line, "GET /v1/experiments/%s/terms", id);
    assert_int_equal(say(PUBLIC, line, "", "", 0), 200);
    size_t count = sotto_terms_encode(experiment_terms(experiment), bytes);
    assert_int_equal(heard + heard_bytes - body_of(), count);
    assert_memory_equal(body_of(), bytes, count);

    size_t each = sotto_report_bytes(experiment_terms(experiment));
    house_frames(experiment, 1, frames, 20 * each);
    assert_int_equal(post(id, "application/octet-stream", frames, 20 * each, 20 * each), 204);
    assert_int_equal(post(id, "application/octet-stream", frames, each, each), 204);
    assert_int_equal(experiment_counts(experiment).folded, 20);
    assert_ints(experiment_counts(experiment).duplicate, 1, made.service.acknowledged, 21);

    snprintf(line, sizeof line, "GET /v1/experiments/%s/model", id);
    assert_int_equal(say(PUBLIC, line, "If-None-Match: \"7\"\r\n", "", 0), 200);
    assert_non_null(strstr(heard, "ETag: \"0\"\r\n"));
    assert_int_equal(say(PUBLIC, line, "If-None-Match: \"0\"\r\n", "", 0), 304);
    snprintf(line, sizeof line, "OPTIONS /v1/experiments/%s/reports", id);
    assert_int_equal(say(PUBLIC, line, "", "", 0), 204);
    assert_non_null(strstr(heard, "Access-Control-Allow-Methods: POST, OPTIONS\r\n"));

    assert_int_equal(say_admin("GET /metrics", ""), 200);
    assert_non_null(strstr(heard, "sottod_acknowledged_since_start_total 21\n"));
    snprintf(line, sizeof line, "GET /v1/experiments/%s/results?alpha=0.1", id);
    assert_int_equal(say_admin(line, ""), 200);
    assert_non_null(strstr(body_of(), "\"alpha\":0.1"));
    snprintf(line, sizeof line, "POST /v1/experiments/%s/close", id);
    assert_int_equal(say_admin(line, ""), 200);
    assert_int_equal(post(id, "application/octet-stream", frames, each, each), 410);
    snprintf(line, sizeof line, "DELETE /v1/experiments/%s", id);
    assert_int_equal(say_admin(line, ""), 200);
    assert_non_null(strstr(body_of(), "\"state\":\"deleted\""));
}
