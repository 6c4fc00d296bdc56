/* Options: the defaults can be used, and each field has its range and its sentence. */
#include "test.h"

#include <sotto/transport.h>

#include <string.h>

#define URL "https://a/v1/experiments/00112233445566778899aabbccddeeff"
#define OTHER "https://a/v1/experiments/10112233445566778899aabbccddeeff"

static char text[SOTTO_FAULT_BYTES];

/* The sentence names the field, the value and what is allowed. */
#define expect(fault, ...)                                                                         \
    do {                                                                                           \
        const char *const words[] = {__VA_ARGS__};                                                 \
        const char *said = fault;                                                                  \
        assert_non_null(said);                                                                     \
        for (size_t i_ = 0; i_ < sizeof words / sizeof words[0]; i_++) {                           \
            if (strstr(said, words[i_]) == NULL) fail_msg("%s: no %s", said, words[i_]);           \
        }                                                                                          \
    } while (0)

static void test_missing_pointers(void **state)
{
    (void)state;
    const char *missing = sotto_status_text(SOTTO_E_ARGUMENT);
    assert_string_equal(sotto_wire_options_fault(NULL, text), missing);
    assert_string_equal(sotto_site_options_fault(NULL, text), missing);
    assert_string_equal(sotto_device_options_fault(NULL, text), missing);
}

static void test_a_wire(void **state)
{
    (void)state;
    sotto_wire_options o = sotto_wire_options_default();
    assert_null(sotto_wire_options_fault(&o, text));
    o.timeout_ms = 99;
    expect(sotto_wire_options_fault(&o, text), "timeout_ms 99", "100 to 600000");
    o.timeout_ms = 600001;
    expect(sotto_wire_options_fault(&o, text), "timeout_ms 600001");
    o = sotto_wire_options_default(), o.requests_max = 0;
    expect(sotto_wire_options_fault(&o, text), "requests_max 0", "1 to 4096");
    o.requests_max = 4097;
    expect(sotto_wire_options_fault(&o, text), "requests_max 4097");
    o = sotto_wire_options_default(), o.batch_max = 10001;
    expect(sotto_wire_options_fault(&o, text), "batch_max 10001", "1 to 10000");
    o = sotto_wire_options_default(), o.proxy = "gopher://x";
    expect(sotto_wire_options_fault(&o, text), "proxy gopher://x", "socks5h://");
    o.proxy = "http://";
    expect(sotto_wire_options_fault(&o, text), "proxy");
    o.proxy = "http://proxy:3128";
    assert_null(sotto_wire_options_fault(&o, text));
    o.ca_file = "";
    expect(sotto_wire_options_fault(&o, text), "ca_file");
}

static void test_a_site(void **state)
{
    (void)state;
    sotto_site_options o = sotto_site_options_default();
    expect(sotto_site_options_fault(&o, text), "url is missing");
    o.url = URL;
    assert_null(sotto_site_options_fault(&o, text));
    o.refresh_ms = 9;
    expect(sotto_site_options_fault(&o, text), "refresh_ms 9", "10 to 86400000");
    o.refresh_ms = 86400001;
    expect(sotto_site_options_fault(&o, text), "refresh_ms");
    o = sotto_site_options_default(), o.url = URL, o.relay = "http://far.example" URL;
    expect(sotto_site_options_fault(&o, text), "relay");
    o.relay = OTHER;
    expect(sotto_site_options_fault(&o, text), "relay", "same experiment");
    o.relay = URL;
    assert_null(sotto_site_options_fault(&o, text));
    o.report_key = "0123456789abcde";
    expect(sotto_site_options_fault(&o, text), "report_key", "16 to 128");
    assert_null(strstr(text, "0123456789"));
    o.report_key = "0123456789abcde\n";
    expect(sotto_site_options_fault(&o, text), "report_key");
    o.report_key = "0123456789abcdef";
    assert_null(sotto_site_options_fault(&o, text));
}

static void test_a_device(void **state)
{
    (void)state;
    sotto_device_options o = sotto_device_options_default();
    expect(sotto_device_options_fault(&o, text), "ledger is missing");
    assert_ok(sotto_ledger_memory_new(&o.ledger));
    assert_null(sotto_device_options_fault(&o, text));
    o.rounds_max = 1025;
    expect(sotto_device_options_fault(&o, text), "rounds_max 1025", "1 to 1024");
    o.rounds_max = 1, o.queue_max = 0;
    expect(sotto_device_options_fault(&o, text), "queue_max 0", "1 to 65536");
    o.queue_max = 1, o.age_max_s = 59;
    expect(sotto_device_options_fault(&o, text), "age_max_s 59", "60 to 31536000");
    o.age_max_s = 60, o.policy.epsilon_lifetime = -1;
    expect(sotto_device_options_fault(&o, text), "epsilon_lifetime");
    sotto_ledger_free(o.ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing_pointers),
        cmocka_unit_test(test_a_wire),
        cmocka_unit_test(test_a_site),
        cmocka_unit_test(test_a_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
