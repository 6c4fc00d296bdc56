/* What one address may have: connections, requests and bytes, each up to its limit, in a table that does not
 * grow. */
#include "service/front/share.h"
#include "test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

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

static int stop(void **state)
{
    (void)state;
    share_free(share);
    return 0;
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

static void addresses_of_private_networks_are_near_and_no_others(void **state)
{
    (void)state;
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

static void of_six_the_first_half_counts_and_of_four_all(void **state)
{
    (void)state;
    assert_true(mark_of("2001:db8:1:2::5") == mark_of("2001:db8:1:2:ffff:1:1:1"));
    assert_true(mark_of("2001:db8:1:2::5") != mark_of("2001:db8:1:3::5"));
    assert_true(mark_of("192.0.2.1") != mark_of("192.0.2.2"));
}

static void nobody_without_the_key_knows_the_mark(void **state)
{
    (void)state;
    static const uint8_t other_key[SHARE_KEY_BYTES] = {9};
    front_share *other = share_new(&limits, other_key);
    assert_non_null(other);
    address at = address_of("192.0.2.1");
    assert_true(share_mark(other, &at.any) != share_mark(share, &at.any));
    share_free(other);
}

static void an_address_has_so_many_connections_and_others_have_theirs(void **state)
{
    (void)state;
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

static void an_address_has_five_seconds_at_once_and_then_its_rate(void **state)
{
    (void)state;
    uint64_t one = mark_of("192.0.2.1"), two = mark_of("192.0.2.2");
    assert_int_equal(requests(one, 5 * SECOND), 10 * SHARE_BURST_S);
    assert_false(share_has_request(share, one, 5 * SECOND));
    assert_int_equal(requests(one, 6 * SECOND), 10);
    assert_int_equal(requests(one, 6 * SECOND + 100), 1);
    assert_true(share_has_request(share, two, 6 * SECOND));
    assert_int_equal(requests(two, 6 * SECOND), 10 * SHARE_BURST_S);
    assert_int_equal(requests(one, 60 * SECOND), 10 * SHARE_BURST_S);
}

static void what_is_refused_does_not_count(void **state)
{
    (void)state;
    uint64_t one = mark_of("192.0.2.1");
    requests(one, 0);
    for (int i = 0; i < 1000; i++) {
        assert_false(share_request(share, one, 0));
    }
    assert_int_equal(requests(one, SECOND), 10);
}

static void bytes_have_a_rate_of_their_own(void **state)
{
    (void)state;
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

/* Were it not so, who sends 2^64 bytes in one body would never be heard again. */
static void a_body_of_any_length_costs_five_seconds_at_most(void **state)
{
    (void)state;
    uint64_t one = mark_of("192.0.2.1");
    assert_true(share_bytes(share, one, UINT64_MAX, 0));
    assert_false(share_bytes(share, one, 1, 0));
    assert_true(share_bytes(share, one, 1, 1));
    assert_false(share_bytes(share, one, UINT64_MAX, 5 * SECOND));
    assert_true(share_bytes(share, one, UINT64_MAX, 6 * SECOND));
}

/* 300 attackers fill 300 of 16384 places in each row: someone else hits one by chance, but not four. */
static void many_who_have_spent_theirs_leave_others_alone(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(addresses_of_private_networks_are_near_and_no_others, start,
                                        stop),
        cmocka_unit_test_setup_teardown(of_six_the_first_half_counts_and_of_four_all, start, stop),
        cmocka_unit_test_setup_teardown(nobody_without_the_key_knows_the_mark, start, stop),
        cmocka_unit_test_setup_teardown(an_address_has_so_many_connections_and_others_have_theirs,
                                        start, stop),
        cmocka_unit_test_setup_teardown(an_address_has_five_seconds_at_once_and_then_its_rate,
                                        start, stop),
        cmocka_unit_test_setup_teardown(what_is_refused_does_not_count, start, stop),
        cmocka_unit_test_setup_teardown(bytes_have_a_rate_of_their_own, start, stop),
        cmocka_unit_test_setup_teardown(a_body_of_any_length_costs_five_seconds_at_most, start,
                                        stop),
        cmocka_unit_test_setup_teardown(many_who_have_spent_theirs_leave_others_alone, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
