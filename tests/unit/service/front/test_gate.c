/* The limits of an address: above them connections are refused and requests answered with 429, while those of
 * another address go through. */
#include "front_scene.h"
#include "service/front/inner.h"
#include "test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define GET "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
#define BAD "GET / HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n"
#define POST_1000 "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n"

/* Requests in one burst. The clock stands still, so no more become allowed. */
#define AT_ONCE 20u

static front_scene *scene;

uint64_t __wrap_clock_steady_ms(void);
uint64_t __wrap_clock_steady_ms(void)
{
    return 1000000;
}

static void open_with(front_addresses addresses)
{
    scene = scene_new();
    scene->settings.addresses = addresses;
    scene->settings.address_connections_max = 3;
    scene->settings.address_requests_max = AT_ONCE / SHARE_BURST_S;
    scene->settings.address_bytes_max = 1000;
    scene_open(scene);
}

FIXTURE(start)
{
    open_with(FRONT_ADDRESSES_ALL);
}

FIXTURE(stop)
{
    scene_free(scene);
}

static int client_from(const char *address)
{
    int client = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(client >= 0);
    struct sockaddr_in own = {.sin_family = AF_INET},
                       to = {.sin_family = AF_INET,
                             .sin_port = htons(front_port(scene->front)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(inet_pton(AF_INET, address, &own.sin_addr), 1);
    assert_int_equal(bind(client, (const struct sockaddr *)&own, sizeof own), 0);
    assert_int_equal(connect(client, (const struct sockaddr *)&to, sizeof to), 0);
    return client;
}

static uint32_t ask_from(const char *address, const char *text)
{
    client_heard heard;
    int client = client_from(address);
    client_say(scene, client, text);
    client_hear(scene, client, 1, &heard);
    close(client);
    scene_drain(scene);
    return heard_status(&heard);
}

static uint64_t refused(front_refusal why)
{
    return front_count(scene->front).refused[why];
}

TEST_WITH(an_address_has_so_many_connections, start, stop)
{
    int client[3];
    for (int i = 0; i < 3; i++) {
        client[i] = client_from("127.0.0.2");
    }
    scene_drain(scene);
    assert_ints(ask_from("127.0.0.2", GET), 0, refused(FRONT_REFUSED_ADDRESS_CONNECTIONS), 1);
    assert_int_equal(ask_from("127.0.0.3", GET), 204);
    close(client[0]);
    scene_drain(scene);
    assert_int_equal(ask_from("127.0.0.2", GET), 204);
    close(client[1]);
    close(client[2]);
    scene_empty(scene);
}

/* Refused requests count like others, and so do connections. */
TEST_WITH(an_address_has_so_many_requests, start, stop)
{
    client_heard heard;
    int other = client_from("127.0.0.2");
    scene_drain(scene);
    uint32_t asked = 1, status = 204;
    for (; status != 0; asked += 2) {
        assert_true(asked < AT_ONCE + 3);
        status = ask_from("127.0.0.2", asked % 4 == 1 ? GET : BAD);
    }
    assert_true(asked > AT_ONCE);
    uint64_t before = refused(FRONT_REFUSED_ADDRESS_REQUESTS);
    assert_true(before >= 1);
    client_say(scene, other, GET);
    client_hear(scene, other, 1, &heard);
    assert_int_equal(heard_status(&heard), 429);
    client_hear_all(scene, other, &heard);
    assert_int_equal(refused(FRONT_REFUSED_ADDRESS_REQUESTS), before + 1);
    assert_int_equal(ask_from("127.0.0.3", GET), 204);
    close(other);
    scene_empty(scene);
}

/* libmicrohttpd itself answers such heads. */
TEST_WITH(heads_that_nobody_can_read_count_as_requests, start, stop)
{
    char text[6000] = "GET / HTTP/1.1\r\nX: ";
    memset(text + strlen(text), 'y', 5000);
    uint32_t asked = 0, status = 431;
    for (; status != 0; asked += 2) {
        assert_true(asked < AT_ONCE + 3);
        status = ask_from("127.0.0.2", text);
        assert_true(status == 431 || status == 0);
    }
    assert_true(asked > AT_ONCE);
    assert_ints(refused(FRONT_REFUSED_HEAD), asked / 2 - 1, ask_from("127.0.0.3", GET), 204);
}

TEST_WITH(a_connection_counts_as_one_and_a_request_as_one, start, stop)
{
    char unreadable[6000] = "GET / HTTP/1.1\r\nX: ";
    memset(unreadable + strlen(unreadable), 'y', 5000);
    const char *const texts[] = {GET, BAD, unreadable};
    const uint32_t wanted[] = {204, 400, 431};
    static const char *const addresses[] = {"127.0.0.4", "127.0.0.5", "127.0.0.6"};
    for (size_t i = 0; i < 3; i++) {
        for (uint32_t asked = 0; asked < AT_ONCE; asked += 2) {
            assert_int_equal(ask_from(addresses[i], texts[i]), wanted[i]);
        }
        assert_int_equal(ask_from(addresses[i], texts[i]), 0);
        assert_int_equal(refused(FRONT_REFUSED_ADDRESS_REQUESTS), i + 1);
    }
}

TEST_WITH(an_address_has_so_many_bytes, start, stop)
{
    char text[sizeof POST_1000 + 1000] = POST_1000;
    memset(text + sizeof POST_1000 - 1, 'x', 1000);
    client_heard heard;
    uint32_t asked = 0, status = 204;
    int client = client_from("127.0.0.2");
    for (; status == 204; asked++) {
        assert_true(asked < AT_ONCE);
        client_say(scene, client, text);
        client_hear(scene, client, 1, &heard);
        status = heard_status(&heard);
    }
    assert_true(asked > 5);
    assert_ints(status, 429, refused(FRONT_REFUSED_ADDRESS_BYTES), 1);
    assert_ints(ask_from("127.0.0.2", GET), 204, ask_from("127.0.0.3", text), 204);
    close(client);
}

/* A request from loopback may come from a proxy for many people. */
TEST_WITH(who_is_near_is_not_counted_unless_all_are, start, stop)
{
    scene_free(scene);
    open_with(FRONT_ADDRESSES_FAR);
    for (int i = 0; i < 40; i++) {
        assert_int_equal(ask_from("127.0.0.2", GET), 204);
    }
    assert_int_equal(refused(FRONT_REFUSED_ADDRESS_REQUESTS), 0);
}

TEST_WITH(nobody_is_counted_if_none_is_to_be, start, stop)
{
    scene_free(scene);
    open_with(FRONT_ADDRESSES_NONE);
    assert_null(scene->front->share);
    for (int i = 0; i < 40; i++) {
        assert_int_equal(ask_from("127.0.0.2", GET), 204);
    }
}

/* Headers in which a proxy names an address are ignored. */
TEST_WITH(a_header_about_the_address_changes_nothing, start, stop)
{
    uint32_t asked = 0;
    for (uint32_t status = 204; status != 0; asked += 2) {
        char text[200];
        assert_true(asked < AT_ONCE + 3);
        snprintf(text, sizeof text,
                 "GET / HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 192.0.2.%u\r\n\r\n", asked);
        status = ask_from("127.0.0.2", text);
    }
    assert_true(asked > AT_ONCE);
}

TEST(bodies_that_wait_together_are_bounded)
{
#define MOST FRONT_WAITING_BYTES
    static const struct {
        bool first;
        uint64_t waiting, bytes;
        bool handed;
        uint64_t after; /* MOST: short ones wait, too */
    } row[] = {
        {false, 0, 1, true, 0},        {false, 0, MOST + 1, true, 0}, /* or it would wait forever */
        {false, 1, MOST - 1, true, 1}, {false, 1, MOST, false, MOST}, {false, MOST, 1, false, MOST},
        {true, 0, MOST / 8, true, 0},  {true, 1, MOST / 8, false, 1}, {true, 0, MOST, false, 0},
        {true, 1, MOST, false, MOST},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        sottod_front front = {.first = row[i].first, .waiting_bytes = row[i].waiting};
        front_request request = {.front = &front, .length = row[i].bytes, .body_max = 2 * MOST};
        assert_ints(gate_hands_over(&request), row[i].handed, front.waiting_bytes, row[i].after);
        /* It is asked again in the next pass, unless it waits for a commit. */
        assert_int_equal(front.moved, !row[i].handed && row[i].after != MOST);
    }
}

/* Bodies of 100 at most are as much work as others of MOST. */
TEST(a_body_weighs_its_share_of_the_longest)
{
    static const uint64_t length[] = {0, 1, 50, 100}, weight[] = {0, MOST / 100, MOST / 2, MOST};
    for (size_t i = 0; i < 4; i++) {
        const front_request request = {.length = length[i], .body_max = 100};
        assert_int_equal(gate_weight(&request), weight[i]);
    }
    sottod_front front = {.waiting_bytes = MOST / 2 + 1};
    front_request request = {.front = &front, .length = 50, .body_max = 100};
    assert_ints(gate_hands_over(&request), false, front.waiting_bytes, MOST);
}
