/* Facts in words and as JSON. */
#include "capture.h"
#include "cli/print/print.h"
#include "test.h"

#include <math.h>

static void print_facts(bool json)
{
    static const double x[] = {3, 4};
    static const uint8_t bytes[] = {0x00, 0xff, 0x1a};
    facts list = facts_begin(json);
    fact_real(&list, "nothing", NAN, "no number");
    fact_real(&list, "endless", INFINITY, "");
    fact_text(&list, "who", "a \"b\"", "quoted");
    fact_flag(&list, "yes", true, "");
    fact_flag(&list, "no", false, "");
    fact_whole(&list, "less", -7, "");
    fact_natural(&list, "most", UINT64_MAX, "");
    fact_real(&list, "tenth", 0.1, "");
    fact_vector(&list, "x", x, 2, "");
    fact_hex(&list, "id", bytes, 3, "");
    facts_end(&list);
}

TEST(numbers_that_are_not_finite_are_null_in_json)
{
    char text[CAPTURE_BYTES];
    capture c = capture_begin(stdout);
    print_facts(true);
    assert_string_equal(
        capture_end(&c, text),
        "{\"nothing\": null, \"endless\": null, \"who\": \"a \\\"b\\\"\", \"yes\": true, \"no\": "
        "false, \"less\": -7, \"most\": 18446744073709551615, \"tenth\": 0.10000000000000001, "
        "\"x\": [3, 4], \"id\": \"00ff1a\"}\n");
}

TEST(words_have_three_columns)
{
    char text[CAPTURE_BYTES], wanted[CAPTURE_BYTES];
    const char *const rows[][3] = {
        {"nothing", "-", "no number"},
        {"endless", "inf", ""},
        {"who", "a \"b\"", "quoted"},
        {"yes", "yes", ""},
        {"no", "no", ""},
        {"less", "-7", ""},
        {"most", "18446744073709551615", ""},
        {"tenth", "0.1", ""},
        {"x", "2 numbers, norm 5", ""},
        {"id", "00ff1a", ""},
    };
    size_t at = 0;
    for (size_t i = 0; i < 10; i++) {
        bool meant = rows[i][2][0] != '\0';
        at += (size_t)snprintf(wanted + at, sizeof wanted - at,
                               meant ? "%-22s %-17s %s\n" : "%-22s %s\n", rows[i][0], rows[i][1],
                               rows[i][2]);
    }
    capture c = capture_begin(stdout);
    print_facts(false);
    assert_string_equal(capture_end(&c, text), wanted);
}

TEST(a_whole_digest_is_written)
{
    uint8_t bytes[32] = {0};
    char text[CAPTURE_BYTES];
    bytes[31] = 0xab;
    capture c = capture_begin(stdout);
    facts list = facts_begin(true);
    fact_hex(&list, "id", bytes, 32, "");
    facts_end(&list);
    assert_string_equal(capture_end(&c, text),
                        "{\"id\": "
                        "\"00000000000000000000000000000000000000000000000000000000000000ab\"}\n");
}
