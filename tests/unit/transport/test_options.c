/* Options: the defaults can be used, and each field has its range and its sentence. */
#include "test.h"
#include "transport/transport.h"
#include "why.h"

#include <sotto/transport.h>

#include <stdio.h>
#include <string.h>

#define URL "https://a/v1/experiments/00112233445566778899aabbccddeeff"
#define OTHER "https://a/v1/experiments/10112233445566778899aabbccddeeff"

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

TEST(options_that_are_missing_are_named_so)
{
    const char *missing = sotto_status_text(SOTTO_E_ARGUMENT);
    assert_strings(WHY(sotto_wire_options_fault, NULL), missing,
                   WHY(sotto_site_options_fault, NULL), missing,
                   WHY(sotto_device_options_fault, NULL), missing);
}

TEST(each_option_of_a_wire_has_its_range)
{
    sotto_wire_options o = sotto_wire_options_default();
    assert_null(WHY(sotto_wire_options_fault, &o));
    o.timeout_ms = 99;
    expect(WHY(sotto_wire_options_fault, &o), "timeout_ms = 99", "100 to 600000");
    o.timeout_ms = 600001;
    expect(WHY(sotto_wire_options_fault, &o), "timeout_ms = 600001");
    o = sotto_wire_options_default(), o.requests_max = 0;
    expect(WHY(sotto_wire_options_fault, &o), "requests_max = 0", "1 to 4096");
    o.requests_max = 4097;
    expect(WHY(sotto_wire_options_fault, &o), "requests_max = 4097");
    o = sotto_wire_options_default(), o.batch_max = 10001;
    expect(WHY(sotto_wire_options_fault, &o), "batch_max = 10001", "1 to 10000");
    o = sotto_wire_options_default(), o.proxy = "gopher://x";
    expect(WHY(sotto_wire_options_fault, &o), "proxy: ", "socks5h://");
    o.proxy = "http://";
    expect(WHY(sotto_wire_options_fault, &o), "proxy");
    o.proxy = "http://proxy:3128";
    assert_null(WHY(sotto_wire_options_fault, &o));
    o.ca_file = "";
    expect(WHY(sotto_wire_options_fault, &o), "ca_file");
}

TEST(each_option_of_a_site_has_its_range)
{
    sotto_site_options o = sotto_site_options_default();
    expect(WHY(sotto_site_options_fault, &o), "url: missing");
    o.url = URL;
    assert_null(WHY(sotto_site_options_fault, &o));
    o.refresh_ms = 9;
    expect(WHY(sotto_site_options_fault, &o), "refresh_ms = 9", "10 to 86400000");
    o.refresh_ms = 86400001;
    expect(WHY(sotto_site_options_fault, &o), "refresh_ms");
    o = sotto_site_options_default(), o.url = URL, o.relay = "http://far.example" URL;
    expect(WHY(sotto_site_options_fault, &o), "relay");
    o.relay = OTHER;
    expect(WHY(sotto_site_options_fault, &o), "relay", "same experiment");
    o.relay = URL;
    assert_null(WHY(sotto_site_options_fault, &o));
    o.report_key = "0123456789abcde";
    expect(WHY(sotto_site_options_fault, &o), "report_key", "16 to 128");
    assert_null(strstr(why_fault.sentence, "0123456789"));
    o.report_key = "0123456789abcde\n";
    expect(WHY(sotto_site_options_fault, &o), "report_key");
    o.report_key = "0123456789abcdef";
    assert_null(WHY(sotto_site_options_fault, &o));
}

TEST(each_option_of_a_device_has_its_range)
{
    sotto_device_options o = sotto_device_options_default();
    expect(WHY(sotto_device_options_fault, &o), "ledger: missing");
    assert_ok(sotto_ledger_memory_new(&o.ledger));
    assert_null(WHY(sotto_device_options_fault, &o));
    o.rounds_max = 1025;
    expect(WHY(sotto_device_options_fault, &o), "rounds_max = 1025", "1 to 1024");
    o.rounds_max = 1, o.queue_max = 0;
    expect(WHY(sotto_device_options_fault, &o), "queue_max = 0", "1 to 65536");
    o.queue_max = 1, o.age_max_s = 59;
    expect(WHY(sotto_device_options_fault, &o), "age_max_s = 59", "60 to 31536000");
    o.age_max_s = 60, o.policy.epsilon_lifetime = -1;
    expect(WHY(sotto_device_options_fault, &o), "epsilon_lifetime");
    sotto_ledger_free(o.ledger);
}

/* URLs of experiments: what is allowed, and everything else. */

#define ID "00112233445566778899aabbccddeeff"
#define TAIL "/v1/experiments/" ID

static const char *fault_of(const char *url)
{
    sotto__url out;
    return WHY(sotto__url_fault, "url", url, &out);
}

TEST(what_is_no_url_of_an_experiment_is_refused)
{
    static const char *const wrong[] = {
        "",
        "ftp://a" TAIL,
        "HTTPS://a" TAIL,
        "https:/a" TAIL,
        "https://" TAIL,
        "https://a",
        "https://a/",
        "https://a/v1/experiments/",
        "https://a/v1/experiments/0011",
        "https://a/v1/experiments/00112233445566778899AABBCCDDEEFF",
        "https://a" TAIL "/",
        "https://a" TAIL "/terms",
        "https://a" TAIL "0",
        "https://a" TAIL "?b=c",
        "https://a" TAIL "#d",
        "https://user@a" TAIL,
        "https://user:word@a" TAIL,
        "https://a:" TAIL,
        "https://a:0" TAIL,
        "https://a:65536" TAIL,
        "https://a:8x" TAIL,
        "https://a:123456" TAIL,
        "https://a b" TAIL,
        "https://a%2e" TAIL,
        "https://a\\b" TAIL,
        "https://a\n" TAIL,
        "https://[::1" TAIL,
        "https://[::1]x" TAIL,
        "https://[zz]" TAIL,
        "https://[]" TAIL,
        "https://a/../b" TAIL,
        "https://a/./b" TAIL,
        "https://a//b" TAIL,
        "https://a/%2e%2e" TAIL,
        "https://a/b c" TAIL,
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (fault_of(wrong[i]) == NULL) fail_msg("taken: %s", wrong[i]);
    }
}

TEST(http_is_for_this_machine_alone)
{
    static const char *const wrong[] = {
        "http://example.org" TAIL,
        "http://128.0.0.1" TAIL,
        "http://127.1" TAIL,
        "http://0x7f.0.0.1" TAIL,
        "http://2130706433" TAIL,
        "http://localhost.example.org" TAIL,
        "http://[::2]" TAIL,
        "http://[::ffff:7f00:1]" TAIL,
        "http://127.0.0.1.example.org" TAIL,
        "http://0.0.0.0" TAIL,
        "http://LOCALHOST.org" TAIL,
    };
    static const char *const right[] = {
        "http://127.0.0.1" TAIL,     "http://127.0.0.1:8787" TAIL,
        "http://127.255.3.4:1" TAIL, "http://localhost:65535/a/b" TAIL,
        "http://[::1]:8787" TAIL,
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *fault = fault_of(wrong[i]);
        if (fault == NULL || strstr(fault, "http is allowed only to this machine") == NULL)
            fail_msg("%s: %s", wrong[i], fault);
    }
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        const char *fault = fault_of(right[i]);
        if (fault != NULL) fail_msg("%s", fault);
    }
}

TEST(https_is_for_all_and_gives_the_id)
{
    static const char *const right[] = {
        "https://example.org" TAIL, "https://example.org:8443/some/path_x~y" TAIL,
        "https://192.0.2.7" TAIL,   "https://[2001:db8::7]:443" TAIL,
        "https://127.0.0.1" TAIL,
    };
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        sotto__url out;
        assert_null(WHY(sotto__url_fault, "url", right[i], &out));
        assert_string_equal(out.text, right[i]);
        assert_false(out.plain);
        for (unsigned b = 0; b < SOTTO_SPEC_ID_BYTES; b++) {
            assert_int_equal(out.spec_id[b], 0x11 * b);
        }
    }
}

TEST(a_url_that_is_too_long_is_refused)
{
    char url[SOTTO__URL_BYTES_MAX + 2];
    size_t tail = sizeof TAIL - 1;
    memset(url, 'a', sizeof url);
    memcpy(url, "https://a/", 10);
    memcpy(url + SOTTO__URL_BYTES_MAX - tail, TAIL, tail + 1);
    assert_null(fault_of(url));
    memmove(url + SOTTO__URL_BYTES_MAX - tail + 1, TAIL, tail + 1);
    url[SOTTO__URL_BYTES_MAX - tail] = 'a';
    assert_non_null(strstr(fault_of(url), "at most 1000 bytes"));
}
