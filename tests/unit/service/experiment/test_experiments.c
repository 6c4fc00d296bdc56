/* Hundreds of experiments are found by id, in memory and after a restart. */
#include "desk.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define COUNT 300u

static void settings_out_of_range_are_refused(void **state)
{
    (void)state;
    char fault[JOURNAL_FAULT_BYTES];
    sottod_journal *journal = journal_memory_new();
    static const struct {
        experiments_settings settings;
        const char *says;
    } bad[] = {
        {{false, 999, 10}, "nonces_max = 999: allowed 1000 to"},
        {{false, SOTTO_NONCES_MAX + 1, 10}, "nonces_max = 1073741825: "},
        {{false, 1000, 0}, "experiments_max = 0: allowed 1 to 100000"},
        {{false, 1000, 100001}, "experiments_max = 100001: "},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sottod_experiments *all = (sottod_experiments *)journal;
        assert_false(experiments_open(journal, &bad[i].settings, NULL, 0, &all, fault));
        assert_null(all);
        assert_non_null(strstr(fault, bad[i].says));
    }
    journal_close(journal);
    experiments_free(NULL);
}

static void many_are_found_by_id(void **state)
{
    (void)state;
    desk d = desk_of(1);
    sottod_refusal why;
    experiment_request request = desk_request();
    static uint8_t id[COUNT][SOTTO_SPEC_ID_BYTES];
    const uint8_t none[SOTTO_SPEC_ID_BYTES] = {0};
    size_t memory = 0;
    for (request.spec.series = 0; request.spec.series < COUNT; request.spec.series++) {
        const sottod_experiment *made = desk_create(&d, &request);
        memcpy(id[request.spec.series], experiment_id(made), sizeof id[0]);
        memory += experiment_memory_bytes(made);
        if (request.spec.series % 10 == 0) desk_take(&d, 1 + request.spec.series / 10);
    }
    assert_true(memory < COUNT * 50000);
    for (uint32_t i = 0; i < COUNT; i += 7) {
        sottod_experiment *gone = experiments_find(d.all, id[i]);
        assert_true(experiment_set_state(d.all, gone, JOURNAL_DELETED, &why));
    }
    for (int round = 0; round < 2; round++, desk_restart(&d)) {
        uint32_t live = 0;
        assert_null(experiments_find(d.all, none));
        for (uint32_t i = 0; i < COUNT; i++) {
            const sottod_experiment *found = experiments_find(d.all, id[i]);
            assert_non_null(found);
            assert_int_equal(experiment_number(found), i + 1);
            bool deleted = i % 7 == 0;
            assert_int_equal(experiment_state(found), deleted ? JOURNAL_DELETED : JOURNAL_OPEN);
            if (deleted) continue;
            assert_ptr_equal(experiments_at(d.all, live++), found); /* in the order of numbers */
            assert_int_equal(experiment_counts(found).folded, i % 10 == 0 ? 1 + i / 10 : 0);
        }
        assert_int_equal(experiments_count(d.all), live);
        assert_null(experiments_at(d.all, live));
    }
    desk_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_out_of_range_are_refused),
        cmocka_unit_test(many_are_found_by_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
