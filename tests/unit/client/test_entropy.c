/* Uniform integers are exactly uniform, and no randomness means no number. */
#include "client/client.h"
#include "client/inner.h"
#include "tape.h"
#include "test.h"

#include <errno.h>
#include <string.h>
#include <sys/types.h>

static const uint64_t bounds[] = {
    1,
    2,
    3,
    10,
    64,
    258,
    (UINT64_C(1) << 49) + 12345,
    UINT64_C(1) << 63,
    (UINT64_C(1) << 63) + 1,
    UINT64_MAX,
};

/* 2^64 mod bound by doubling 1 sixty-four times. */
static uint64_t two_to_64_mod(uint64_t bound)
{
    uint64_t r = 1 % bound;
    for (int i = 0; i < 64; i++) {
        r = r >= bound - r ? r - (bound - r) : r + r;
    }
    return r;
}

TEST(without_bytes_there_is_no_word)
{
    uint64_t out = 7;
    for (size_t count = 0; count < sizeof out; count++) {
        tape t = tape_of("seven..", count);
        assert_status(sotto__draw_u64(&t.rng, &out), SOTTO_E_ENTROPY);
        assert_status(sotto__draw_below(&t.rng, 10, &out), SOTTO_E_ENTROPY);
        assert_int_equal(t.drawn_bytes, 0);
    }
    assert_int_equal(out, 7);
}

TEST(running_dry_while_drawing_again_is_a_failure)
{
    const uint64_t rejected[] = {UINT64_MAX, UINT64_MAX};
    tape t = tape_of(rejected, sizeof rejected);
    uint64_t out = 7;
    assert_status(sotto__draw_below(&t.rng, 3, &out), SOTTO_E_ENTROPY);
    assert_ints(t.drawn_bytes, sizeof rejected, out, 7);
}

TEST(a_word_is_the_eight_bytes_that_were_drawn)
{
    const uint64_t script[] = {UINT64_C(0x0123456789abcdef), UINT64_MAX, 0};
    tape t = tape_of(script, sizeof script);
    for (size_t i = 0; i < 3; i++) {
        uint64_t out = 1;
        assert_ok(sotto__draw_u64(&t.rng, &out));
        assert_int_equal(out, script[i]);
    }
}

/* The words below the largest multiple of the bound are kept: every remainder equally often. */
TEST(the_largest_kept_word_gives_the_largest_number)
{
    for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; b++) {
        uint64_t last = UINT64_MAX - two_to_64_mod(bounds[b]);
        const uint64_t script[] = {last, 0, bounds[b] - 1};
        tape t = tape_of(script, sizeof script);
        uint64_t out = 1;
        assert_ok(sotto__draw_below(&t.rng, bounds[b], &out));
        assert_ints(out, bounds[b] - 1, t.drawn_bytes, 8);
        assert_ok(sotto__draw_below(&t.rng, bounds[b], &out));
        assert_int_equal(out, 0);
        assert_ok(sotto__draw_below(&t.rng, bounds[b], &out));
        assert_ints(out, bounds[b] - 1, t.drawn_bytes, 24);
    }
}

TEST(every_word_above_it_is_drawn_again)
{
    for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; b++) {
        uint64_t excess = two_to_64_mod(bounds[b]);
        if (excess == 0) continue; /* powers of two reject nothing */
        const uint64_t script[] = {UINT64_MAX, UINT64_MAX - excess + 1, 1};
        tape t = tape_of(script, sizeof script);
        uint64_t out = 0;
        assert_ok(sotto__draw_below(&t.rng, bounds[b], &out));
        assert_ints(out, 1, t.drawn_bytes, 24);
    }
}

TEST(bound_one_takes_one_word_of_any_value)
{
    const uint64_t script[] = {UINT64_MAX, 0, 12345};
    tape t = tape_of(script, sizeof script);
    for (size_t i = 1; i <= 3; i++) {
        uint64_t out = 9;
        assert_ok(sotto__draw_below(&t.rng, 1, &out));
        assert_ints(out, 0, t.drawn_bytes, 8 * i);
    }
}

TEST(powers_of_two_never_draw_again)
{
    for (int log2 = 0; log2 < 64; log2++) {
        const uint64_t all_ones = UINT64_MAX;
        tape t = tape_of(&all_ones, sizeof all_ones);
        uint64_t out = 0, bound = UINT64_C(1) << log2;
        assert_ok(sotto__draw_below(&t.rng, bound, &out));
        assert_int_equal(out, bound - 1);
    }
}

/* The system's randomness: interrupted, short and failing calls, and the real one. */

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

TEST(a_failing_system_gives_no_entropy_and_is_not_asked_again)
{
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

TEST(a_failure_after_some_bytes_is_a_failure)
{
    const answer plan[] = {{5, 0}, {-1, EIO}};
    uint8_t out[16];
    sotto_rng rng = sotto__system_rng();
    follow(plan, 2);
    assert_status(rng.fill(&rng, out, sizeof out), SOTTO_E_ENTROPY);
    assert_int_equal(script.calls, 2);
}

TEST(a_system_that_returns_nothing_fails_instead_of_looping)
{
    const answer plan[] = {{3, 0}, {0, 0}};
    uint8_t out[16];
    sotto_rng rng = sotto__system_rng();
    follow(plan, 2);
    assert_status(rng.fill(&rng, out, sizeof out), SOTTO_E_ENTROPY);
    assert_int_equal(script.calls, 2);
}

TEST(interrupted_calls_are_made_again)
{
    const answer plan[] = {{-1, EINTR}, {-1, EINTR}, {2, 0}, {-1, EINTR}, {2, 0}};
    uint8_t out[4] = {0};
    sotto_rng rng = sotto__system_rng();
    follow(plan, 5);
    assert_ok(rng.fill(&rng, out, sizeof out));
    assert_memory_equal(out, ((uint8_t[]){1, 2, 3, 4}), 4);
    assert_int_equal(script.calls, 5);
}

TEST(short_reads_are_continued_where_they_stopped)
{
    const answer plan[] = {{1, 0}, {3, 0}, {1, 0}, {2, 0}};
    uint8_t out[9] = {0};
    sotto_rng rng = sotto__system_rng();
    follow(plan, 4);
    assert_ok(rng.fill(&rng, out + 1, 7));
    assert_memory_equal(out, ((uint8_t[]){0, 1, 2, 3, 4, 5, 6, 7, 0}), 9);
    assert_int_equal(script.calls, 4);
}

TEST(no_bytes_need_no_call)
{
    uint8_t out = 9;
    sotto_rng rng = sotto__system_rng();
    follow(NULL, 0);
    assert_ok(rng.fill(&rng, &out, 0));
    assert_ints(script.calls, 0, out, 9);
}

TEST(the_real_system_fills_everything_and_never_repeats)
{
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

/* A wipe leaves zeros where it was told to, and nothing else changed. */

TEST(wiping_nothing_changes_nothing)
{
    uint8_t bytes[3] = {1, 2, 3};
    sotto__wipe(bytes + 1, 0);
    assert_memory_equal(bytes, ((uint8_t[]){1, 2, 3}), sizeof bytes);
}

TEST(every_byte_becomes_zero_and_no_neighbour_does)
{
    static const uint8_t zeros[64];
    for (size_t count = 1; count <= sizeof zeros; count++) {
        uint8_t bytes[66];
        memset(bytes, 0xa5, sizeof bytes);
        sotto__wipe(bytes + 1, count);
        assert_memory_equal(bytes + 1, zeros, count);
        assert_ints(bytes[0], 0xa5, bytes[count + 1], 0xa5);
    }
}

TEST(wiped_numbers_are_positive_zero)
{
    const double zero = 0;
    double secret[2] = {-1.5, -0.0};
    sotto__wipe(secret, sizeof secret);
    assert_memory_equal(&secret[0], &zero, sizeof zero);
    assert_memory_equal(&secret[1], &zero, sizeof zero);
}
