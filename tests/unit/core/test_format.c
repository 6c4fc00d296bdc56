/* Formatted text: the bytes of the C library's printf, without it. */
#include "core/core.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Both texts of one format. */
#define assert_same(...)                                                                           \
    do {                                                                                           \
        char own_[2000], library_[2000];                                                           \
        int bytes_ = snprintf(library_, sizeof library_, __VA_ARGS__);                             \
        assert_int_equal(sotto__format(own_, sizeof own_, __VA_ARGS__), bytes_);                   \
        assert_string_equal(own_, library_);                                                       \
    } while (0)

TEST(no_room_writes_nothing_and_tells_the_length)
{
    char text[2] = "x";
    assert_int_equal(sotto__format(text, 0, "%u rounds", 12u), 9);
    assert_string_equal(text, "x");
}

TEST(too_little_room_cuts_and_ends_the_text)
{
    char text[6];
    assert_int_equal(sotto__format(text, sizeof text, "%s is %.3g", "epsilon", 0.25), 15);
    assert_string_equal(text, "epsil");
}

TEST(integers_and_texts_are_those_of_printf)
{
    assert_same("%%|%c|%s|%.2s|%.*s|%.200s", 'x', "whole", "cut", 1, "star", "short");
    assert_same("%d %d %d %ld %ld %lld", 0, -1, INT32_MIN, 7l, -8l, (long long)INT64_MIN);
    assert_same("%u %lu %llu %zu %zd", UINT32_MAX, 9ul, (unsigned long long)UINT64_MAX, SIZE_MAX,
                (ptrdiff_t)-1);
    assert_same("%03o %016llx %x", 0600u, 0xbeefull, 0xabcu);
}

static void compare(double x)
{
    assert_same("%g %.0g %.1g %.3g %.4g", x, x, x, x, x);
    assert_same("%.9g %.12g %.15g %.17g", x, x, x, x);
    assert_same("%.0f %.1f %.2f %f", x, x, x, x);
}

TEST(doubles_at_the_edges_are_those_of_printf)
{
    static const double edge[] = {0,         -0.0,   1,       -1,       0.5,       1.5,     2.5,
                                  0.25,      9.5,    99.5,    9.995,    999999.5,  0.1,     1e-4,
                                  9.9999e-5, 1e-5,   1e15,    1e16,     123456,    1234567, DBL_MAX,
                                  DBL_MIN,   5e-324, -5e-324, INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof edge / sizeof edge[0]; i++)
        compare(edge[i]);
}

TEST(doubles_of_any_bits_are_those_of_printf)
{
    uint64_t word = 1;
    for (int i = 0; i < 1000; i++) {
        double x;
        word = word * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t bits = word ^ word >> 29;
        memcpy(&x, &bits, sizeof x);
        compare(isnan(x) ? (double)i : x);
        compare((double)(int64_t)bits / 1e9);
    }
}
