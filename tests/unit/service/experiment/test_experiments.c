/* Hundreds of experiments are found by id, in memory and after a restart. */
#include "desk.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 300u

TEST(settings_out_of_range_are_refused)
{
    sotto_fault fault;
    sottod_journal *journal = journal_memory_new();
    static const struct {
        experiments_settings settings;
        const char *says;
    } bad[] = {
        {{.nonces_max = 999, .experiments_max = 10}, "nonces_max = 999: allowed 1000 to"},
        {{.nonces_max = SOTTO_NONCES_MAX + 1, .experiments_max = 10}, "nonces_max = 1073741825: "},
        {{.nonces_max = 1000, .experiments_max = 0}, "experiments_max = 0: allowed 1 to 100000"},
        {{.nonces_max = 1000, .experiments_max = 100001}, "experiments_max = 100001: "},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sottod_experiments *all = (sottod_experiments *)journal;
        assert_status(experiments_open(journal, &bad[i].settings, NULL, 0, &all, &fault),
                      SOTTO_E_FAULT);
        assert_null(all);
        assert_non_null(strstr(fault.sentence, bad[i].says));
    }
    journal_close(journal);
    experiments_free(NULL);
}

TEST(many_are_found_by_id)
{
    HELD(desk) d = desk_of(1);
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
}

TEST(the_log_says_what_happened_and_nothing_of_reports)
{
    char text[8192] = {0};
    sottod_refusal why;
    FILE *file = tmpfile();
    desk d = desk_of(1);
    d.log = log_new(fileno(file), LOG_DEBUG);
    desk_restart(&d);
    desk_create(&d, NULL);
    desk_epoch(&d, 10);
    assert_true(experiment_set_state(d.all, d.experiment, JOURNAL_PAUSED, &why));
    assert_true(experiment_set_state(d.all, d.experiment, JOURNAL_DELETED, &why));
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    static const char *const events[] = {"created", "published", "paused", "deleted"};
    const char *at = text;
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        char event[64];
        snprintf(event, sizeof event, "\"event\":\"%s\"", events[i]);
        at = strstr(at, event); /* in this order */
        assert_non_null(at);
    }
    assert_non_null(strstr(text, experiment_id_text(d.experiment)));
    uint32_t lines = 0;
    for (const char *c = text; *c != '\0'; c++) {
        lines += *c == '\n';
    }
    assert_int_equal(lines, 4);
    log_free(d.log);
    d.log = NULL;
    desk_free(&d);
    fclose(file);
}
