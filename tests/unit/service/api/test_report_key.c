/* The key that devices show with their reports. */
#include "house.h"
#include "server/learner.h"
#include "service/api/report_key.h"
#include "test.h"

#include <string.h>

static uint8_t digest[JOURNAL_DIGEST_BYTES];

static bool read_key(const char *text)
{
    return report_key_read(text, strlen(text), digest);
}

static void what_is_too_short_too_long_or_not_visible_is_no_key(void **state)
{
    (void)state;
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
static void its_hash_is_kept(void **state)
{
    (void)state;
    static const uint8_t first[] = {0x9f, 0x9f, 0x51, 0x11, 0xf7, 0xb2, 0x7a, 0x78};
    assert_true(read_key("0123456789abcdef"));
    assert_memory_equal(digest, first, sizeof first);
}

static void without_a_key_anything_goes(void **state)
{
    (void)state;
    sottod_refusal why = {.status = 0};
    house home;
    house_open(&home);
    const sottod_experiment *experiment = house_experiment(&home, 1);
    assert_true(report_key_admits(experiment, NULL, &why));
    assert_true(report_key_admits(experiment, "whatever", &why));
    house_close(&home);
}

static void with_a_key_only_the_key_goes(void **state)
{
    (void)state;
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
    request.has_report_key = report_key_read("0123456789abcdef", 16, request.report_key);
    sottod_experiment *experiment;
    assert_true(experiments_create(home.experiments, &request, 0, &experiment, &why));
    assert_null(experiment_report_key(other));
    assert_non_null(experiment_report_key(experiment));
    assert_true(report_key_admits(experiment, "0123456789abcdef", &why));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memset(&why, 0, sizeof why);
        assert_false(report_key_admits(experiment, wrong[i], &why));
        assert_int_equal(why.status, 403);
        assert_string_equal(why.field, "Sotto-Report-Key");
        assert_string_equal(why.value, "");
    }
    uint8_t *kept = (uint8_t *)experiment_report_key(experiment);
    for (size_t i = 0; i < JOURNAL_DIGEST_BYTES; i++) { /* each byte counts */
        kept[i] ^= 1;
        assert_false(report_key_admits(experiment, "0123456789abcdef", &why));
        kept[i] ^= 1;
    }
    assert_true(report_key_admits(experiment, "0123456789abcdef", &why));
    house_close(&home);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_too_short_too_long_or_not_visible_is_no_key),
        cmocka_unit_test(its_hash_is_kept),
        cmocka_unit_test(without_a_key_anything_goes),
        cmocka_unit_test(with_a_key_only_the_key_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
