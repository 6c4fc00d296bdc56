#include "fleet/place.h"
#include "test.h"

#include <string.h>

#define ID "8118c3b0a336b961c099e541af3f96ab"

static void ids_and_servers_that_cannot_be_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *server, *id, *word;
    } bad[] = {
        {"http://127.0.0.1:1", "", "experiment = "},
        {"http://127.0.0.1:1", "8118", "32 hexadecimal"},
        {"http://127.0.0.1:1", "8118C3B0A336B961C099E541AF3F96AB", "small letters"},
        {"http://127.0.0.1:1", ID "0", "experiment = "},
        {"", ID, "URL"},
        {"/", ID, "URL"},
        {"127.0.0.1:8787", ID, "URL 127.0.0.1:8787"},
        {"ftp://127.0.0.1", ID, "https://"},
        {"http://example.org", ID, "this machine"},
        {"http://127.0.0.1:8787/?a", ID, "URL"},
        {"http://127.0.0.1:8787//", ID, "URL"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[SOTTO_FAULT_BYTES];
        sotto__url url;
        const char *fault = sotto__place_join("URL", bad[i].server, bad[i].id, &url, text);
        if (fault == NULL || strstr(fault, bad[i].word) == NULL) {
            fail_msg("%s %s: %s", bad[i].server, bad[i].id, fault == NULL ? "taken" : fault);
        }
    }
}

static void a_url_that_is_too_long_is_refused(void **state)
{
    (void)state;
    char text[SOTTO_FAULT_BYTES], server[5000] = "https://";
    sotto__url url;
    memset(server + 8, 'a', sizeof server - 9);
    assert_non_null(sotto__place_join("URL", server, ID, &url, text));
}

static void a_server_and_an_id_make_the_url(void **state)
{
    (void)state;
    static const char *const servers[][2] = {
        {"http://127.0.0.1:8787", "http://127.0.0.1:8787/v1/experiments/" ID},
        {"http://127.0.0.1:8787/", "http://127.0.0.1:8787/v1/experiments/" ID},
        {"https://example.org/a", "https://example.org/a/v1/experiments/" ID},
    };
    for (size_t i = 0; i < sizeof servers / sizeof servers[0]; i++) {
        char text[SOTTO_FAULT_BYTES], id[SOTTO__ID_CHARS + 1];
        sotto__url url;
        assert_null(sotto__place_join("URL", servers[i][0], ID, &url, text));
        assert_string_equal(url.text, servers[i][1]);
        sotto__place_id(&url, id);
        assert_string_equal(id, ID);
    }
}

static void a_url_with_the_route_is_that_of_an_experiment(void **state)
{
    (void)state;
    assert_true(sotto__place_is_whole("http://127.0.0.1:8787/v1/experiments/" ID));
    assert_true(sotto__place_is_whole("http://127.0.0.1:8787/v1/experiments"));
    assert_false(sotto__place_is_whole("http://127.0.0.1:8787"));
    assert_false(sotto__place_is_whole(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_and_servers_that_cannot_be_are_refused_by_name),
        cmocka_unit_test(a_url_that_is_too_long_is_refused),
        cmocka_unit_test(a_server_and_an_id_make_the_url),
        cmocka_unit_test(a_url_with_the_route_is_that_of_an_experiment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
