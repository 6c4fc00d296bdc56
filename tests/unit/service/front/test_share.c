/* What one address may have: connections, requests and bytes, each up to its limit, in a table that does not
 * grow. */
#include "service/front/inner.h"
#include "test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SECOND 1000u

static const share_limits limits = {
    .connections_max = 3, .requests_per_s_max = 10, .bytes_per_s_max = 1000};
static const uint8_t key[SHARE_KEY_BYTES] = {1, 2, 3};
static front_share *share;

static int start(void **state)
{
    (void)state;
    share = share_new(&limits, key);
    return share == NULL;
}

FIXTURE(stop)
{
    share_free(share);
}

typedef union address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
} address;

static address address_of(const char *text)
{
    address at = {.any.sa_family = AF_INET};
    if (inet_pton(AF_INET, text, &at.four.sin_addr) == 1) return at;
    at.six.sin6_family = AF_INET6;
    assert_int_equal(inet_pton(AF_INET6, text, &at.six.sin6_addr), 1);
    return at;
}

static uint64_t mark_of(const char *text)
{
    address at = address_of(text);
    return share_mark(share, &at.any);
}

TEST_WITH(addresses_of_private_networks_are_near_and_no_others, start, stop)
{
    static const char *const near[] = {"127.0.0.1",   "127.9.9.9",   "10.1.2.3",    "172.16.0.1",
                                       "172.31.9.9",  "192.168.7.7", "169.254.1.1", "100.64.0.1",
                                       "100.127.9.9", "::1",         "fd00::1",     "fe80::5"};
    static const char *const far[] = {"126.0.0.1",   "128.0.0.1",   "11.1.2.3",  "172.15.0.1",
                                      "172.32.0.1",  "192.167.0.1", "169.1.1.1", "100.63.9.9",
                                      "100.128.0.1", "2001:db8::1", "::2",       "fec0::1"};
    for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
        address at = address_of(near[i]), other = address_of(far[i]);
        assert_true(share_is_near(&at.any));
        assert_false(share_is_near(&other.any));
    }
}

TEST_WITH(of_six_the_first_half_counts_and_of_four_all, start, stop)
{
    assert_true(mark_of("2001:db8:1:2::5") == mark_of("2001:db8:1:2:ffff:1:1:1"));
    assert_true(mark_of("2001:db8:1:2::5") != mark_of("2001:db8:1:3::5"));
    assert_true(mark_of("192.0.2.1") != mark_of("192.0.2.2"));
}

TEST_WITH(nobody_without_the_key_knows_the_mark, start, stop)
{
    static const uint8_t other_key[SHARE_KEY_BYTES] = {9};
    front_share *other = share_new(&limits, other_key);
    assert_non_null(other);
    address at = address_of("192.0.2.1");
    assert_true(share_mark(other, &at.any) != share_mark(share, &at.any));
    share_free(other);
}

TEST_WITH(an_address_has_so_many_connections_and_others_have_theirs, start, stop)
{
    uint64_t one = mark_of("192.0.2.1"), two = mark_of("192.0.2.2");
    for (int i = 0; i < 3; i++) {
        assert_true(share_has_connection(share, one));
        share_connect(share, one);
    }
    assert_false(share_has_connection(share, one));
    assert_true(share_has_connection(share, two));
    share_disconnect(share, one);
    assert_true(share_has_connection(share, one));
}

static uint32_t requests(uint64_t mark, uint64_t now_ms)
{
    uint32_t count = 0;
    while (share_request(share, mark, now_ms)) {
        count++;
        assert_true(count < 10000);
    }
    return count;
}

TEST_WITH(an_address_has_five_seconds_at_once_and_then_its_rate, start, stop)
{
    uint64_t one = mark_of("192.0.2.1"), two = mark_of("192.0.2.2");
    assert_int_equal(requests(one, 5 * SECOND), 10 * SHARE_BURST_S);
    assert_false(share_has_request(share, one, 5 * SECOND));
    assert_ints(requests(one, 6 * SECOND), 10, requests(one, 6 * SECOND + 100), 1);
    assert_true(share_has_request(share, two, 6 * SECOND));
    assert_int_equal(requests(two, 6 * SECOND), 10 * SHARE_BURST_S);
    assert_int_equal(requests(one, 60 * SECOND), 10 * SHARE_BURST_S);
}

TEST_WITH(what_is_refused_does_not_count, start, stop)
{
    uint64_t one = mark_of("192.0.2.1");
    requests(one, 0);
    for (int i = 0; i < 1000; i++) {
        assert_false(share_request(share, one, 0));
    }
    assert_int_equal(requests(one, SECOND), 10);
}

TEST_WITH(bytes_have_a_rate_of_their_own, start, stop)
{
    uint64_t one = mark_of("192.0.2.1");
    for (uint32_t i = 0; i < SHARE_BURST_S; i++) {
        assert_true(share_bytes(share, one, 1000, 0));
    }
    assert_false(share_bytes(share, one, 1, 0));
    assert_true(share_has_request(share, one, 0));
    assert_false(share_bytes(share, one, 1000, SECOND - 1));
    assert_true(share_bytes(share, one, 1000, SECOND));
    assert_false(share_bytes(share, one, 1, SECOND));
}

/* Otherwise an address that sends a body of 2^64 bytes would be locked out forever. */
TEST_WITH(a_body_of_any_length_costs_five_seconds_at_most, start, stop)
{
    uint64_t one = mark_of("192.0.2.1");
    assert_true(share_bytes(share, one, UINT64_MAX, 0));
    assert_false(share_bytes(share, one, 1, 0));
    assert_true(share_bytes(share, one, 1, 1));
    assert_false(share_bytes(share, one, UINT64_MAX, 5 * SECOND));
    assert_true(share_bytes(share, one, UINT64_MAX, 6 * SECOND));
}

/* 300 attackers fill 300 of 16384 places per row: another address may share one of its places with them, but not
 * all four. */
TEST_WITH(many_who_have_spent_theirs_leave_others_alone, start, stop)
{
    char text[32];
    for (int i = 0; i < 300; i++) {
        snprintf(text, sizeof text, "198.51.%d.%d", i / 250, i % 250);
        requests(mark_of(text), 0);
    }
    uint32_t refused = 0;
    for (int i = 0; i < 2000; i++) {
        snprintf(text, sizeof text, "203.0.%d.%d", i / 250, i % 250);
        refused += !share_has_request(share, mark_of(text), 0);
    }
    assert_int_equal(refused, 0);
}

/* Sockets that listen. */

TEST(words_and_ports_are_no_addresses)
{
    static const char *const bad[] = {"",      "localhost",  "127.0.0.1:80", "[::1]",
                                      "1.2.3", "127.0.0.1 ", "::g",          "256.0.0.1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int fd;
        sotto_fault fault;
        assert_status(address_listen(bad[i], 0, &fd, &fault), SOTTO_E_FAULT);
        assert_ints(fd, -1);
        assert_strings(fault.field, "address", fault.value, bad[i]);
        assert_non_null(strstr(fault.sentence, ": allowed an IPv4 or IPv6 address in digits"));
    }
}

TEST(a_long_word_is_cut_in_the_sentence)
{
    char word[1000];
    memset(word, 'x', sizeof word - 1u);
    word[sizeof word - 1u] = '\0';
    int fd;
    sotto_fault fault;
    assert_status(address_listen(word, 0, &fd, &fault), SOTTO_E_FAULT);
    assert_int_equal(strlen(fault.value), 64);
}

TEST(an_address_of_another_machine_is_refused)
{
    int fd;
    sotto_fault fault;
    assert_status(address_listen("192.0.2.1", 8787, &fd, &fault), SOTTO_E_FAULT);
    assert_int_equal(fd, -1);
    assert_non_null(strstr(fault.sentence, "cannot listen on port 8787 of 192.0.2.1: "));
}

TEST(a_port_in_use_is_refused)
{
    int first, second;
    sotto_fault fault;
    assert_ok(address_listen("127.0.0.1", 0, &first, NULL));
    uint16_t port = address_port(first);
    assert_true(port > 0);
    assert_status(address_listen("127.0.0.1", port, &second, &fault), SOTTO_E_FAULT);
    assert_non_null(strstr(fault.sentence, "in use"));

    close(first);
    assert_ok(address_listen("127.0.0.1", port, &second, NULL));
    assert_int_equal(address_port(second), port);
    close(second);
}

static int option(int fd, int level, int name)
{
    int value = -1;
    socklen_t bytes = sizeof value;
    assert_int_equal(getsockopt(fd, level, name, &value, &bytes), 0);
    return value;
}

/* A client that reads nothing occupies little kernel memory, and not for long. Linux counts buffers twice. */
TEST(connections_inherit_bounds)
{
    int fd, client = socket(AF_INET, SOCK_STREAM, 0);
    assert_ok(address_listen("127.0.0.1", 0, &fd, NULL));
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(address_port(fd))};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(client, (struct sockaddr *)&at, sizeof at), 0);
    int taken = -1;
    while (taken < 0) {
        taken = accept(fd, NULL, NULL); /* does not block */
    }
    assert_in_range(option(taken, SOL_SOCKET, SO_SNDBUF), 65536, 262144);
    assert_in_range(option(taken, SOL_SOCKET, SO_RCVBUF), 65536, 262144);
    assert_in_range(option(taken, IPPROTO_TCP, TCP_NOTSENT_LOWAT), 1, 65536);
    assert_in_range(option(taken, IPPROTO_TCP, TCP_USER_TIMEOUT), 1000, 60000);
    close(taken);
    close(client);
    close(fd);
}

TEST(version_6_of_an_address_is_an_address)
{
    int fd;
    if (address_listen("::1", 0, &fd, NULL) != SOTTO_OK) skip(); /* a machine without IPv6 */
    assert_true(address_port(fd) > 0);
    close(fd);
    assert_ok(address_listen("::", 0, &fd, NULL)); /* not an address of version 4 */
    assert_int_equal(option(fd, IPPROTO_IPV6, IPV6_V6ONLY), 1);
    close(fd);
}

TEST(what_is_no_socket_has_no_port)
{
    assert_int_equal(address_port(-1), 0);
    int ends[2];
    assert_ints(pipe(ends), 0, address_port(ends[0]), 0);
    close(ends[0]);
    close(ends[1]);
}

/* Rings of requests: each keeps the order of insertion, and a request may be in several. */

static sottod_front front;
static front_request request[4];

FIXTURE(fill_ring)
{
    front = (sottod_front){.fd = -1};
    for (uint32_t i = 0; i < 4; i++) {
        request[i] = (front_request){.front = &front};
        ring_add(&request[i], RING_WAITS);
    }
}

/* The places of the requests left, from the first on: 0 and 2 are 102. */
static uint32_t order(request_ring which)
{
    uint32_t places = 1;
    for (const front_request *one = front.ring[which]; one != NULL; one = ring_next(one, which)) {
        places = 10 * places + (uint32_t)(one - request);
    }
    return places;
}

TEST_WITH(the_first_that_was_added_is_the_first, fill_ring, NULL)
{
    assert_ints(order(RING_WAITS), 10123, order(RING_READS), 1);
}

TEST_WITH(any_one_can_be_removed_and_added_again, fill_ring, NULL)
{
    ring_remove(&request[1], RING_WAITS);
    assert_int_equal(order(RING_WAITS), 1023);
    ring_remove(&request[0], RING_WAITS);
    assert_int_equal(order(RING_WAITS), 123);
    ring_add(&request[1], RING_WAITS);
    assert_int_equal(order(RING_WAITS), 1231);
    ring_remove(&request[1], RING_WAITS);
    ring_remove(&request[3], RING_WAITS);
    ring_remove(&request[2], RING_WAITS);
    assert_int_equal(order(RING_WAITS), 1);
    ring_add(&request[3], RING_WAITS);
    assert_int_equal(order(RING_WAITS), 13);
}

TEST_WITH(a_request_is_in_each_ring_by_itself, fill_ring, NULL)
{
    ring_add(&request[2], RING_READS);
    ring_add(&request[0], RING_READS);
    ring_remove(&request[2], RING_WAITS);
    assert_ints(order(RING_WAITS), 1013, order(RING_READS), 120);
}
