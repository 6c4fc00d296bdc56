/* Who may send reports to an experiment. */
#include "desk.h"
#include "service/experiment/inner.h"
#include "test.h"

#include <string.h>

static desk d;
static sottod_refusal why;

FIXTURE(start)
{
    d = desk_of(1);
}

FIXTURE(end)
{
    desk_free(&d);
}

static experiment_access access_with(const char *origins, uint32_t keys)
{
    experiment_access access = {.origins = origins, .keys = keys};
    for (uint32_t k = 0; k < keys; k++) {
        memset(access.key[k], (int)(k + 1), sizeof access.key[k]);
    }
    return access;
}

static void assert_access(const char *origins, uint32_t keys)
{
    const experiment_access now = experiment_access_of(d.experiment),
                            wanted = access_with(origins, keys);
    assert_string_equal(now.origins, origins);
    assert_int_equal(now.keys, keys);
    assert_memory_equal(now.key, wanted.key, sizeof now.key);
    assert_string_equal(experiment_labels(d.experiment), "{\"a\":\"b\"}");
}

static void create(const experiment_access *access)
{
    experiment_request request = desk_request();
    request.labels = "{\"a\":\"b\"}";
    request.access = *access;
    d.experiment = desk_create(&d, &request);
}

TEST_WITH(a_journal_that_fails_changes_nothing, start, end)
{
    experiment_access one = access_with("https://a", 1), two = access_with("*", 2);
    create(&one);
    for (uint32_t calls = 0; calls < 3; calls++) {
        journal_memory_fail_after(d.journal, calls);
        assert_false(experiment_set_access(d.all, d.experiment, &two, &why));
        assert_int_equal(why.status, 503);
        assert_true(journal_memory_has_failed(d.journal));
        assert_access("https://a", 1);
    }
    desk_restart(&d);
    assert_access("https://a", 1);
}

TEST_WITH(nobody_and_no_key_is_the_default, start, end)
{
    experiment_request request = desk_request();
    d.experiment = desk_create(&d, &request);
    assert_string_equal(experiment_access_of(d.experiment).origins, "");
    assert_int_equal(experiment_access_of(d.experiment).keys, 0);
    assert_string_equal(experiment_labels(d.experiment), request.labels);
}

TEST_WITH(it_is_kept_over_a_restart_and_changed_as_often_as_one_likes, start, end)
{
    static const struct {
        const char *origins;
        uint32_t keys;
    } steps[] = {{"https://a https://b:81", 0}, {"", 2}, {"*", 1}, {"", 0}, {"https://c", 2}};
    experiment_access none = access_with("", 0);
    char id[SPEC_ID_TEXT_BYTES];
    create(&none);
    memcpy(id, experiment_id_text(d.experiment), sizeof id);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        experiment_access to = access_with(steps[i].origins, steps[i].keys);
        assert_true(experiment_set_access(d.all, d.experiment, &to, &why));
        assert_access(steps[i].origins, steps[i].keys);
        desk_restart(&d);
        assert_access(steps[i].origins, steps[i].keys);
        assert_string_equal(experiment_id_text(d.experiment), id);
    }
}

TEST_WITH(a_deleted_one_has_neither, start, end)
{
    experiment_access all = access_with("*", 2);
    create(&all);
    assert_true(experiment_set_state(d.all, d.experiment, JOURNAL_DELETED, &why));
    assert_string_equal(experiment_access_of(d.experiment).origins, "");
    assert_int_equal(experiment_access_of(d.experiment).keys, 0);
}
