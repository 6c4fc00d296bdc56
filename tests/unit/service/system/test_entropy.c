/* Randomness of the system. */
#include "service/system/entropy.h"
#include "test.h"

#include <errno.h>
#include <string.h>
#include <sys/types.h>

static int refusals; /* calls that fail from now on, with `reason` */
static int reason;
static size_t piece_max; /* bytes that one call gives at most */

ssize_t __real_getrandom(void *out, size_t bytes, unsigned flags);
ssize_t __wrap_getrandom(void *out, size_t bytes, unsigned flags);
ssize_t __wrap_getrandom(void *out, size_t bytes, unsigned flags)
{
    if (refusals > 0) {
        refusals--;
        errno = reason;
        return -1;
    }
    return __real_getrandom(out, bytes < piece_max ? bytes : piece_max, flags);
}

static int start(void **state)
{
    (void)state;
    refusals = 0;
    piece_max = SIZE_MAX;
    return 0;
}

static void without_randomness_nothing_is_left_in_the_buffer(void **state)
{
    (void)state;
    uint8_t out[16], zero[16] = {0};
    memset(out, 0xa5, sizeof out);
    refusals = 1;
    reason = EIO;
    assert_false(entropy_draw(out, sizeof out));
    assert_memory_equal(out, zero, sizeof out);
}

static void an_interrupted_call_is_tried_again(void **state)
{
    (void)state;
    uint8_t out[16];
    refusals = 3;
    reason = EINTR;
    assert_true(entropy_draw(out, sizeof out));
    assert_int_equal(refusals, 0);
}

static void all_bytes_are_drawn_though_they_come_in_pieces(void **state)
{
    (void)state;
    /* A byte that was never drawn would be 0 in all of 64 tries: the chance of a false alarm is
     * 13 x 256^-64. */
    uint8_t any[13] = {0};
    piece_max = 5;
    for (int i = 0; i < 64; i++) {
        uint8_t out[13] = {0};
        assert_true(entropy_draw(out, sizeof out));
        for (size_t j = 0; j < sizeof out; j++) {
            any[j] |= out[j];
        }
    }
    for (size_t j = 0; j < sizeof any; j++) {
        assert_int_not_equal(any[j], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(without_randomness_nothing_is_left_in_the_buffer, start),
        cmocka_unit_test_setup(an_interrupted_call_is_tried_again, start),
        cmocka_unit_test_setup(all_bytes_are_drawn_though_they_come_in_pieces, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
