/* The key that devices send with their reports. */
#include "house.h"
#include "server/server.h"
#include "service/api/inner.h"
#include "test.h"

#include <string.h>

static uint8_t digest[JOURNAL_DIGEST_BYTES];

static bool read_key(const char *text)
{
    return report_key_read(text, strlen(text), digest);
}

TEST(what_is_too_short_too_long_or_not_visible_is_no_key)
{
    char key[200];
    memset(key, 'k', sizeof key);
    assert_false(read_key(""));
    assert_false(read_key("0123456789abcde"));
    assert_false(report_key_read(key, 129, digest));
    assert_false(read_key("0123456789 abcdef"));
    assert_false(read_key("0123456789abcde\x7f"));
    assert_false(read_key("0123456789abcde\xc3\xa4"));
    assert_false(report_key_read("0123456789abcdef\0", 17, digest));
    assert_true(read_key("0123456789abcdef"));
    assert_true(report_key_read(key, 128, digest));
}

/* printf 0123456789abcdef | sha256sum */
TEST(its_hash_is_kept)
{
    static const uint8_t first[] = {0x9f, 0x9f, 0x51, 0x11, 0xf7, 0xb2, 0x7a, 0x78};
    assert_true(read_key("0123456789abcdef"));
    assert_memory_equal(digest, first, sizeof first);
}

TEST(without_a_key_anything_goes)
{
    sottod_refusal why = {.status = 0};
    house home;
    house_open(&home);
    const sottod_experiment *experiment = house_experiment(&home, 1);
    assert_true(report_key_admits(experiment, NULL, &why));
    assert_true(report_key_admits(experiment, "whatever", &why));
    house_close(&home);
}

TEST(with_a_key_only_the_key_goes)
{
    static const char *const wrong[] = {
        NULL, "", "0123456789abcdeg", "0123456789abcdef0", "0123456789abcde", "0123456789ABCDEF"};
    sottod_refusal why;
    house home;
    house_open(&home);
    const sottod_experiment *other = house_experiment(&home, 1);
    experiment_request request = {.spec = experiment_terms(other)->spec,
                                  .learning = experiment_learner(other)->learning,
                                  .epoch_seconds_min = experiment_epoch_seconds_min(other),
                                  .epoch_reports_min = experiment_epoch_reports_min(other)};
    request.spec.series = 2;
    request.access.keys = report_key_read("0123456789abcdef", 16, request.access.key[0]);
    sottod_experiment *experiment;
    assert_true(experiments_create(home.experiments, &request, 0, &experiment, &why));
    assert_ints(experiment_access_of(other).keys, 0, experiment_access_of(experiment).keys, 1);
    assert_true(report_key_admits(experiment, "0123456789abcdef", &why));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memset(&why, 0, sizeof why);
        assert_false(report_key_admits(experiment, wrong[i], &why));
        assert_int_equal(why.status, 403);
        assert_strings(why.fault.field, "Sotto-Report-Key", why.fault.value, "");
    }
    experiment_access kept = experiment_access_of(experiment);
    kept.origins = "";
    for (size_t i = 0; i < JOURNAL_DIGEST_BYTES; i++) { /* every byte matters */
        kept.key[0][i] ^= 1;
        assert_true(experiment_set_access(home.experiments, experiment, &kept, &why));
        assert_false(report_key_admits(experiment, "0123456789abcdef", &why));
        kept.key[0][i] ^= 1;
    }
    assert_true(experiment_set_access(home.experiments, experiment, &kept, &why));
    assert_true(report_key_admits(experiment, "0123456789abcdef", &why));
    house_close(&home);
}

static bool read_body(const char *body, experiment_access *out)
{
    sottod_refusal why = {.status = 0};
    *out = (experiment_access){.keys = 9};
    if (report_key_read_body(body, strlen(body), out, &why)) return true;
    assert_int_equal(why.status, 400);
    assert_string_equal(why.fault.value, "");
    return false;
}

TEST(bad_lists_of_keys_are_refused)
{
    static const char *const bad[] = {
        "{}",
        "{\"report_keys\":null}",
        "{\"report_keys\":\"0123456789abcdef\"}",
        "{\"report_keys\":[1]}",
        "{\"report_keys\":[\"\"]}",
        "{\"report_keys\":[\" 123456789abcdef\"]}",
        "{\"report_keys\":[\"0123456789abcdef\",\"0123456789abcdef\"]}",
        "{\"report_keys\":[\"0123456789abcdef\",\"1123456789abcdef\",\"2123456789abcdef\"]}",
    };
    experiment_access access;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (read_body(bad[i], &access)) fail_msg("%s", bad[i]);
    }
}

TEST(while_a_key_is_renewed_both_go)
{
    sottod_refusal why;
    experiment_access access;
    house home;
    house_open(&home);
    sottod_experiment *experiment = house_experiment(&home, 1);
    assert_true(
        read_body("{\"report_keys\":[\"0123456789abcdef\",\"1123456789abcdef\"]}", &access));
    assert_true(experiment_set_access(home.experiments, experiment, &access, &why));
    assert_true(report_key_admits(experiment, "0123456789abcdef", &why));
    assert_true(report_key_admits(experiment, "1123456789abcdef", &why));
    assert_false(report_key_admits(experiment, "2123456789abcdef", &why));
    assert_true(read_body("{\"report_keys\":[\"1123456789abcdef\"]}", &access));
    assert_true(experiment_set_access(home.experiments, experiment, &access, &why));
    assert_false(report_key_admits(experiment, "0123456789abcdef", &why));
    assert_true(report_key_admits(experiment, "1123456789abcdef", &why));
    assert_true(read_body("{\"report_keys\":[]}", &access));
    assert_int_equal(access.keys, 0);
    house_close(&home);
}
