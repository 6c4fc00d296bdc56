/* The system's randomness: interrupted, short and failing calls, and the real one. */
#include "client/entropy.h"
#include "test.h"

#include <errno.h>
#include <string.h>
#include <sys/types.h>

/* The linker sends every getrandom of this program here (-Wl,--wrap=getrandom). */
ssize_t __wrap_getrandom(void *out, size_t bytes, unsigned flags);
ssize_t __real_getrandom(void *out, size_t bytes, unsigned flags);

/* What the next calls return; past the end of the plan the system answers itself. */
typedef struct answer {
    ssize_t got; /* -1: errno is `error` */
    int error;
} answer;

static struct {
    const answer *plan;
    size_t plan_count;
    size_t calls;
    uint8_t next_byte; /* planned bytes are 1, 2, 3, ... */
} script;

static void follow(const answer *plan, size_t plan_count)
{
    script.plan = plan;
    script.plan_count = plan_count;
    script.calls = 0;
    script.next_byte = 1;
}

ssize_t __wrap_getrandom(void *out, size_t bytes, unsigned flags)
{
    assert_int_equal(flags, 0);
    size_t call = script.calls++;
    if (call >= script.plan_count) return __real_getrandom(out, bytes, flags);
    answer next = script.plan[call];
    if (next.got < 0) errno = next.error;
    assert_true(next.got <= (ssize_t)bytes);
    for (ssize_t i = 0; i < next.got; i++) {
        ((uint8_t *)out)[i] = script.next_byte++;
    }
    return next.got;
}

static void a_failing_system_gives_no_entropy_and_is_not_asked_again(void **state)
{
    (void)state;
    const int errors[] = {ENOSYS, EAGAIN, EFAULT, EPERM, EIO};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        const answer plan[] = {{-1, errors[i]}};
        uint8_t out[16];
        sotto_rng rng = sotto__system_rng();
        follow(plan, 1);
        assert_status(rng.fill(&rng, out, sizeof out), SOTTO_E_ENTROPY);
        assert_int_equal(script.calls, 1);
    }
}

static void a_failure_after_some_bytes_is_a_failure(void **state)
{
    (void)state;
    const answer plan[] = {{5, 0}, {-1, EIO}};
    uint8_t out[16];
    sotto_rng rng = sotto__system_rng();
    follow(plan, 2);
    assert_status(rng.fill(&rng, out, sizeof out), SOTTO_E_ENTROPY);
    assert_int_equal(script.calls, 2);
}

static void a_system_that_returns_nothing_fails_instead_of_looping(void **state)
{
    (void)state;
    const answer plan[] = {{3, 0}, {0, 0}};
    uint8_t out[16];
    sotto_rng rng = sotto__system_rng();
    follow(plan, 2);
    assert_status(rng.fill(&rng, out, sizeof out), SOTTO_E_ENTROPY);
    assert_int_equal(script.calls, 2);
}

static void interrupted_calls_are_made_again(void **state)
{
    (void)state;
    const answer plan[] = {{-1, EINTR}, {-1, EINTR}, {2, 0}, {-1, EINTR}, {2, 0}};
    uint8_t out[4] = {0};
    sotto_rng rng = sotto__system_rng();
    follow(plan, 5);
    assert_ok(rng.fill(&rng, out, sizeof out));
    assert_memory_equal(out, ((uint8_t[]){1, 2, 3, 4}), 4);
    assert_int_equal(script.calls, 5);
}

static void short_reads_are_continued_where_they_stopped(void **state)
{
    (void)state;
    const answer plan[] = {{1, 0}, {3, 0}, {1, 0}, {2, 0}};
    uint8_t out[9] = {0};
    sotto_rng rng = sotto__system_rng();
    follow(plan, 4);
    assert_ok(rng.fill(&rng, out + 1, 7));
    assert_memory_equal(out, ((uint8_t[]){0, 1, 2, 3, 4, 5, 6, 7, 0}), 9);
    assert_int_equal(script.calls, 4);
}

static void no_bytes_need_no_call(void **state)
{
    (void)state;
    uint8_t out = 9;
    sotto_rng rng = sotto__system_rng();
    follow(NULL, 0);
    assert_ok(rng.fill(&rng, &out, 0));
    assert_int_equal(script.calls, 0);
    assert_int_equal(out, 9);
}

static void the_real_system_fills_everything_and_never_repeats(void **state)
{
    (void)state;
    uint8_t first[4098] = {0}, second[4098] = {0};
    sotto_rng rng = sotto__system_rng();
    follow(NULL, 0);
    assert_ok(rng.fill(&rng, first + 1, 4096));
    assert_ok(rng.fill(&rng, second + 1, 4096));
    assert_memory_not_equal(first + 1, second + 1, 4096);
    for (size_t i = 1; i <= 4096; i += 16) { /* 16 zero bytes in a row: chance 2^-128 */
        assert_memory_not_equal(first + i, ((uint8_t[16]){0}), 16);
    }
    assert_int_equal(first[0] | first[4097] | second[0] | second[4097], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failing_system_gives_no_entropy_and_is_not_asked_again),
        cmocka_unit_test(a_failure_after_some_bytes_is_a_failure),
        cmocka_unit_test(a_system_that_returns_nothing_fails_instead_of_looping),
        cmocka_unit_test(interrupted_calls_are_made_again),
        cmocka_unit_test(short_reads_are_continued_where_they_stopped),
        cmocka_unit_test(no_bytes_need_no_call),
        cmocka_unit_test(the_real_system_fills_everything_and_never_repeats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
