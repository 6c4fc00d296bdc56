/* Which experiments are stopped. That of a folder is in tests/unit/service/folder/test_folder.c. */
#include "service/api/stopped.h"
#include "shared_memory.h"
#include "test.h"

#include <string.h>

static api_service service;

/* A gateway over these experiments, all damaged. */
static void open_gateway(uint32_t count)
{
    char fault[JOURNAL_FAULT_BYTES];
    const experiments_settings settings = {.nonces_max = 1000, .experiments_max = 100};
    shared_memory_start();
    for (uint32_t i = 0; i < count; i++) {
        shared.experiment[i] =
            (journal_experiment){.number = i + 1, .id = {(uint8_t)(i + 1)}, .damaged = true};
    }
    shared.experiments = count;
    service = (api_service){.journal = shared_memory_gateway()};
    if (!experiments_open(service.journal, &settings, NULL, 0, &service.experiments, fault))
        fail_msg("%s", fault);
}

static void close_gateway(void)
{
    experiments_free(service.experiments);
    journal_close(service.journal);
    shared_memory_end();
}

static void nothing_is_stopped_where_all_is_whole(void **state)
{
    (void)state;
    api_stopped stopped = {.count = 9};
    open_gateway(0);
    stopped_list(&service, &stopped);
    assert_int_equal(stopped.count, 0);
    close_gateway();
}

static void what_is_damaged_is_stopped(void **state)
{
    (void)state;
    api_stopped stopped;
    open_gateway(3);
    stopped_list(&service, &stopped);
    assert_int_equal(stopped.count, 3);
    assert_string_equal(stopped.id[0], "01000000000000000000000000000000");
    assert_string_equal(stopped.id[2], "03000000000000000000000000000000");
    const uint8_t id[SOTTO_SPEC_ID_BYTES] = {2}, none[SOTTO_SPEC_ID_BYTES] = {4};
    assert_true(experiments_is_damaged(service.experiments, id));
    assert_false(experiments_is_damaged(service.experiments, none));
    assert_int_equal(experiments_count(service.experiments), 0);
    close_gateway();
}

/* The same id twice, as of a row that was copied. */
static void each_is_told_once(void **state)
{
    (void)state;
    api_stopped stopped;
    open_gateway(2);
    shared.experiment[1].id[0] = 1;
    experiments_free(service.experiments);
    char fault[JOURNAL_FAULT_BYTES];
    const experiments_settings settings = {.nonces_max = 1000, .experiments_max = 100};
    assert_true(experiments_open(service.journal, &settings, NULL, 0, &service.experiments, fault));
    stopped_list(&service, &stopped);
    assert_int_equal(stopped.count, 1);
    close_gateway();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_stopped_where_all_is_whole),
        cmocka_unit_test(what_is_damaged_is_stopped),
        cmocka_unit_test(each_is_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
