/* What every test file includes. */
#ifndef SOTTO_TEST_H
#define SOTTO_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sotto/core.h>

/*
 * A test registers itself, and main of test.c runs those of a file in their order:
 *
 *     TEST(a_bound_below_zero_is_refused) { ... }
 *
 * TEST_WITH names the FIXTURE(name) { ... } that runs before it and the one that runs after it;
 * GROUP names those that run before and after all tests of the file.
 */
#define TEST_WITH(name, set_up, tear_down)                                                         \
    static void name(void **state);                                                                \
    static int after_##name(void **state)                                                          \
    {                                                                                              \
        return test_end(state, tear_down);                                                         \
    }                                                                                              \
    __attribute__((constructor)) static void register_##name(void)                                 \
    {                                                                                              \
        test_register((struct CMUnitTest){#name, name, set_up, after_##name, NULL});               \
    }                                                                                              \
    static void name(__attribute__((unused)) void **state)
#define TEST(name) TEST_WITH(name, NULL, NULL)
#define FIXTURE(name)                                                                              \
    static void run_##name(void **state);                                                          \
    static int name(void **state)                                                                  \
    {                                                                                              \
        run_##name(state);                                                                         \
        return 0;                                                                                  \
    }                                                                                              \
    static void run_##name(__attribute__((unused)) void **state)
#define GROUP(set_up, tear_down)                                                                   \
    __attribute__((constructor)) static void register_group(void)                                  \
    {                                                                                              \
        test_group(set_up, tear_down);                                                             \
    }

/*
 * What a block owns is freed at the end of the block, in reverse order:
 *
 *     HELD(directory) f = directory_new();                        by directory_free(&f)
 *     OWN(sotto__world) world = world_of(&match, 1);        a pointer, by what OWNED names
 *     FREED_BY(sotto__schema_free) sotto_schema schema;     by another function
 */
#define FREED_BY(free_it) __attribute__((cleanup(free_it)))
#define HELD(type) FREED_BY(type##_free) type
#define OWN(type) FREED_BY(free_owned_##type) type *
#define OWNED(type, free_it)                                                                       \
    static inline void free_owned_##type(type **where)                                             \
    {                                                                                              \
        free_it(*where);                                                                           \
    }

static inline void free_memory(void *where)
{
    void *memory;
    memcpy(&memory, where, sizeof memory);
    free(memory);
}

void test_register(struct CMUnitTest test);
void test_group(CMFixtureFunction set_up, CMFixtureFunction tear_down);
int test_end(void **state, CMFixtureFunction tear_down);

/* A status that is not the wanted one fails the test and prints both sentences. */
#define assert_status(call, wanted)                                                                \
    do {                                                                                           \
        sotto_status got_ = (call);                                                                \
        if (got_ != (wanted)) {                                                                    \
            fail_msg("%s: got \"%s\", wanted \"%s\"", #call, sotto_status_text(got_),              \
                     sotto_status_text(wanted));                                                   \
        }                                                                                          \
    } while (0)
#define assert_ok(call) assert_status(call, SOTTO_OK)

/* The call finds a fault with this sentence. */
#define assert_fault_says(call, fault, says)                                                       \
    do {                                                                                           \
        assert_int_not_equal(call, SOTTO_OK);                                                      \
        assert_string_equal((fault).sentence, says);                                               \
    } while (0)

static inline sotto_terms resolved(const sotto_spec *spec)
{
    sotto_terms terms;
    assert_ok(sotto_spec_resolve(spec, &terms));
    return terms;
}

/* |got - wanted| <= tolerance; NaN fails. */
#define assert_near(got, wanted, tolerance)                                                        \
    do {                                                                                           \
        double got_ = (got), wanted_ = (wanted), tolerance_ = (tolerance);                         \
        double off_ = got_ > wanted_ ? got_ - wanted_ : wanted_ - got_;                            \
        if (!(off_ <= tolerance_)) {                                                               \
            fail_msg("%s = %.17g, wanted %.17g within %g", #got, got_, wanted_, tolerance_);       \
        }                                                                                          \
    } while (0)

/*
 * Several at once, up to six, each told as if it stood alone:
 *
 *     assert_ints(line.seeds, 2, line.runs, 6);
 *     assert_nears(1e-12, mean, 0.5, sd, 0.1);
 *     assert_strings(row.name, "sotto", row.unit, "people");
 */
#define assert_ints(...) IN_PAIRS(INT_PAIR, 0, __VA_ARGS__)
#define assert_nears(tolerance, ...) IN_PAIRS(NEAR_PAIR, tolerance, __VA_ARGS__)
#define assert_strings(...) IN_PAIRS(STRING_PAIR, 0, __VA_ARGS__)
#define INT_PAIR(with, got, wanted) assert_int_equal(got, wanted)
#define NEAR_PAIR(with, got, wanted) assert_near(got, wanted, with)
#define STRING_PAIR(with, got, wanted) assert_string_equal(got, wanted)
#define IN_PAIRS(one, with, ...)                                                                   \
    do {                                                                                           \
        PAIRS_(__VA_ARGS__, 6, 0, 5, 0, 4, 0, 3, 0, 2, 0, 1, 0)(one, with, __VA_ARGS__);           \
    } while (0)
#define PAIRS_(a, b, c, d, e, f, g, h, i, j, k, l, count, ...) PAIRS_##count
#define PAIRS_1(one, with, got, wanted) one(with, got, wanted)
#define PAIRS_2(one, with, got, wanted, ...)                                                       \
    one(with, got, wanted);                                                                        \
    PAIRS_1(one, with, __VA_ARGS__)
#define PAIRS_3(one, with, got, wanted, ...)                                                       \
    one(with, got, wanted);                                                                        \
    PAIRS_2(one, with, __VA_ARGS__)
#define PAIRS_4(one, with, got, wanted, ...)                                                       \
    one(with, got, wanted);                                                                        \
    PAIRS_3(one, with, __VA_ARGS__)
#define PAIRS_5(one, with, got, wanted, ...)                                                       \
    one(with, got, wanted);                                                                        \
    PAIRS_4(one, with, __VA_ARGS__)
#define PAIRS_6(one, with, got, wanted, ...)                                                       \
    one(with, got, wanted);                                                                        \
    PAIRS_5(one, with, __VA_ARGS__)

#endif
