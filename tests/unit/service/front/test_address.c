/* Sockets that listen. */
#include "service/front/address.h"
#include "test.h"

#include <string.h>
#include <unistd.h>

static void words_and_ports_are_no_addresses(void **state)
{
    (void)state;
    static const char *const bad[] = {"",      "localhost",  "127.0.0.1:80", "[::1]",
                                      "1.2.3", "127.0.0.1 ", "::g",          "256.0.0.1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char fault[FRONT_FAULT_BYTES] = "";
        assert_int_equal(address_listen(bad[i], 0, fault), -1);
        assert_non_null(strstr(fault, bad[i]));
        assert_non_null(strstr(fault, "must be an IPv4 or IPv6 address in digits"));
    }
}

static void a_long_word_is_cut_in_the_sentence(void **state)
{
    (void)state;
    char word[1000];
    memset(word, 'x', sizeof word - 1u);
    word[sizeof word - 1u] = '\0';
    char fault[FRONT_FAULT_BYTES] = "";
    assert_int_equal(address_listen(word, 0, fault), -1);
    assert_true(strlen(fault) < FRONT_FAULT_BYTES - 1u);
}

static void an_address_of_another_machine_is_refused(void **state)
{
    (void)state;
    char fault[FRONT_FAULT_BYTES] = "";
    assert_int_equal(address_listen("192.0.2.1", 8787, fault), -1);
    assert_non_null(strstr(fault, "port 8787 of 192.0.2.1 cannot be had: "));
}

static void a_port_in_use_is_refused(void **state)
{
    (void)state;
    char fault[FRONT_FAULT_BYTES] = "";
    int first = address_listen("127.0.0.1", 0, fault);
    assert_true(first >= 0);
    uint16_t port = address_port(first);
    assert_true(port > 0);
    assert_int_equal(address_listen("127.0.0.1", port, fault), -1);
    assert_non_null(strstr(fault, "in use"));

    close(first);
    int second = address_listen("127.0.0.1", port, fault);
    assert_true(second >= 0);
    assert_int_equal(address_port(second), port);
    close(second);
}

static void version_6_of_an_address_is_an_address(void **state)
{
    (void)state;
    char fault[FRONT_FAULT_BYTES] = "";
    int fd = address_listen("::1", 0, fault);
    if (fd < 0) skip(); /* a machine without it */
    assert_true(address_port(fd) > 0);
    close(fd);
}

static void what_is_no_socket_has_no_port(void **state)
{
    (void)state;
    assert_int_equal(address_port(-1), 0);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(address_port(ends[0]), 0);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_and_ports_are_no_addresses),
        cmocka_unit_test(a_long_word_is_cut_in_the_sentence),
        cmocka_unit_test(an_address_of_another_machine_is_refused),
        cmocka_unit_test(a_port_in_use_is_refused),
        cmocka_unit_test(version_6_of_an_address_is_an_address),
        cmocka_unit_test(what_is_no_socket_has_no_port),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
