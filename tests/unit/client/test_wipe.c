/* A wipe leaves zeros where it was told to, and nothing else changed. */
#include "client/wipe.h"
#include "test.h"

#include <string.h>

static void wiping_nothing_changes_nothing(void **state)
{
    (void)state;
    uint8_t bytes[3] = {1, 2, 3};
    sotto__wipe(bytes + 1, 0);
    assert_memory_equal(bytes, ((uint8_t[]){1, 2, 3}), sizeof bytes);
}

static void every_byte_becomes_zero_and_no_neighbour_does(void **state)
{
    (void)state;
    static const uint8_t zeros[64];
    for (size_t count = 1; count <= sizeof zeros; count++) {
        uint8_t bytes[66];
        memset(bytes, 0xa5, sizeof bytes);
        sotto__wipe(bytes + 1, count);
        assert_memory_equal(bytes + 1, zeros, count);
        assert_int_equal(bytes[0], 0xa5);
        assert_int_equal(bytes[count + 1], 0xa5);
    }
}

static void wiped_numbers_are_positive_zero(void **state)
{
    (void)state;
    const double zero = 0;
    double secret[2] = {-1.5, -0.0};
    sotto__wipe(secret, sizeof secret);
    assert_memory_equal(&secret[0], &zero, sizeof zero);
    assert_memory_equal(&secret[1], &zero, sizeof zero);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wiping_nothing_changes_nothing),
        cmocka_unit_test(every_byte_becomes_zero_and_no_neighbour_does),
        cmocka_unit_test(wiped_numbers_are_positive_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
