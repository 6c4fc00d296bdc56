/* A field as a number: other text is refused, and numbers equal strtod's to the last bit. */
#include "lab/dataset/dataset.h"
#include "lab/dataset/inner.h"
#include "lab/random/random.h"
#include "test.h"

#include <locale.h>

/* The linker redirects strtod here: records whether it was called in the program's locale. */
static bool own_locale;
double __real_strtod(const char *text, char **end);
double __wrap_strtod(const char *text, char **end);

double __wrap_strtod(const char *text, char **end)
{
    own_locale = uselocale((locale_t)0) != LC_GLOBAL_LOCALE;
    return __real_strtod(text, end);
}

/* With commas and points exchanged. */
static void assert_commas_agree(char *text, size_t bytes, bool wanted, const double *value)
{
    double got = 0;
    for (size_t i = 0; i < bytes; i++) {
        text[i] = text[i] == '.' ? ',' : text[i] == ',' ? '.' : text[i];
    }
    assert_int_equal(sotto__marked_number(text, bytes, ',', &got), wanted);
    if (wanted) assert_memory_equal(value, &got, sizeof got);
    assert_int_equal(sotto__padded_number(text, bytes, ',', &got), wanted);
    if (wanted) assert_memory_equal(value, &got, sizeof got);
}

/* Reads by both readers, the padded one with rubbish after the text; they must agree. */
static bool number(const char *text, double *out)
{
    char padded[SOTTO__NUMBER_BYTES_MAX + 64];
    size_t bytes = strlen(text);
    double again = 0;
    memset(padded, '7', sizeof padded);
    memcpy(padded, text, bytes);
    bool is = sotto__number(text, bytes, out);
    assert_int_equal(sotto__padded_number(padded, bytes, '.', &again), is);
    if (is) assert_memory_equal(out, &again, sizeof again);
    assert_commas_agree(padded, bytes, is, out);
    return is;
}

TEST(what_is_no_finite_number_is_refused)
{
    static const char *const bad[] = {
        "",
        " ",
        "-",
        "+",
        ".",
        "-.",
        "+.",
        "e5",
        ".e5",
        "1e",
        "1e+",
        "1e-",
        "nan",
        "NaN",
        "inf",
        "-inf",
        "Infinity",
        "0x10",
        "0X1p3",
        "1x",
        "1 ",
        " 1",
        "1,5",
        "1.2.3",
        "--1",
        "+-1",
        "1e5.0",
        "1e999",
        "-1e999",
        "1_000",
        "1..2",
        "12a4",
        "1/2",
        "1:2",
        "/",
        ":",
        "1e99999999999",
        "1e4294967297",
        "12345678:",
        "..",
        "0.1f",
    };
    double x;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (number(bad[i], &x)) fail_msg("\"%s\" is read as %g", bad[i], x);
    }
    char text[SOTTO__NUMBER_BYTES_MAX + 2];
    memset(text, '1', sizeof text);
    text[SOTTO__NUMBER_BYTES_MAX + 1] = '\0';
    assert_false(number(text, &x));
    text[1] = '.';
    text[SOTTO__NUMBER_BYTES_MAX] = '\0';
    assert_true(number(text, &x));
    assert_near(x, 10.0 / 9, 1e-15);
}

static void assert_same(const char *text)
{
    double got, wanted = strtod(text, NULL);
    if (!number(text, &got)) fail_msg("\"%s\" is refused", text);
    if (memcmp(&got, &wanted, sizeof got) != 0) {
        fail_msg("\"%s\": got %.17g, wanted %.17g", text, got, wanted);
    }
}

TEST(edges_are_exact)
{
    static const char *const edge[] = {
        "0",
        "-0",
        "+0",
        "0.0",
        "-.0",
        "5.",
        ".5",
        "+.5",
        "-5.",
        "1e0",
        "1E+22",
        "1e22",
        "1e23",
        "1e-22",
        "1e-23",
        "9007199254740991",
        "9007199254740992",
        "9007199254740993",
        "9007199254740993e-1",
        "9007199254740995",
        "18446744073709551615",
        "18446744073709551616",
        "184467440737095516160",
        "00000000000000000000000000001",
        "0.00000000000000000000000000001",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "1e-999",
        "1e-4294967297",
        "0e999",
        "12345678",
        "1234567.",
        ".1234567",
        "123456789",
        "1234.567",
        "-1234.567",
        "-12345678",
        "8.5e-05",
        "0.029411764705882353",
        "1e100000",
        "100000000000000000000000e-23",
        "1.0000000000000000000",
    };
    for (size_t i = 0; i < sizeof edge / sizeof edge[0]; i++) {
        double x;
        if (isfinite(strtod(edge[i], NULL))) {
            assert_same(edge[i]);
        } else {
            assert_false(number(edge[i], &x));
        }
    }
}

static double draw(sotto__seeded *seeded)
{
    return sotto__uniform(sotto__seeded_next(seeded));
}

/* Up to 21 digits, a dot somewhere or not, a sign or not, an exponent or not. */
static void random_text(sotto__seeded *seeded, char *out)
{
    uint32_t digits = 1 + (uint32_t)(draw(seeded) * draw(seeded) * 21);
    uint32_t dot = (uint32_t)(draw(seeded) * (digits + 4));
    uint32_t sign = (uint32_t)(draw(seeded) * 4);
    if (sign < 2) *out++ = "-+"[sign];
    for (uint32_t i = 0; i < digits; i++) {
        if (i == dot) *out++ = '.';
        *out++ = (char)('0' + (int)(draw(seeded) * 10));
    }
    if (digits == dot) *out++ = '.';
    bool power = draw(seeded) < 0.25;
    int exponent = (int)(draw(seeded) * 80) - 40;
    if (draw(seeded) < 0.1) exponent *= 7;
    *out = '\0';
    if (power) sprintf(out, "e%d", exponent);
}

TEST(a_million_texts_are_strtod_s_bit_for_bit)
{
    sotto__seeded seeded;
    sotto__seeded_begin(&seeded, 1);
    for (int i = 0; i < 1000000; i++) {
        char text[64];
        random_text(&seeded, text);
        assert_same(text);
    }
}

/* All texts of up to three relevant bytes are numbers exactly if strtod, which accepts more than
 * decimals, consumes them completely. */
TEST(short_texts_are_numbers_when_strtod_says_so)
{
    static const char letters[] = "019.-+eE/: \t";
    enum { N = sizeof letters - 1 };
    for (int i = 0; i < N * N * N * N; i++) {
        char text[5] = {letters[i % N], letters[i / N % N], letters[i / N / N % N],
                        letters[i / N / N / N], '\0'};
        for (int bytes = 4; bytes >= 1; bytes--) {
            char *end;
            text[bytes] = '\0';
            double got, wanted = strtod(text, &end);
            bool blank = text[0] == ' ' || text[0] == '\t';
            bool is = end == text + bytes && !blank && isfinite(wanted);
            assert_int_equal(number(text, &got), is);
            if (is) assert_memory_equal(&got, &wanted, sizeof got);
        }
    }
}

/* A dot is a decimal point in every locale, and the program's locale does not change. */
TEST(the_program_s_locale_does_not_count)
{
    double x;
    own_locale = false;
    assert_true(number("0.029411764705882353", &x)); /* long enough for strtod */
    assert_true(own_locale);
    assert_true(uselocale((locale_t)0) == LC_GLOBAL_LOCALE);
}

/* Numbers that are written otherwise: words and plain numbers are none. */

static bool is_other(const char *text, char mark)
{
    return sotto__is_other_number(text, strlen(text), mark);
}

TEST(words_are_no_numbers)
{
    static const char *const words[] = {
        "",
        "a",
        "-",
        ".",
        ",",
        "1a",
        "1.234a",
        "1.2.3",
        "12.03.2024",
        "10.0.0.1",
        "1234.567.890",
        "1,234,56",
        "1..234",
        "1.234.",
        "1,234,",
        "1.234,5,6",
        "1 234 5",
        "1  234",
        "1,234.567.8",
        "1.234'567",
        "nan",
        "inf",
        "1e",
        "2026-11-17",
        "12:30",
        "1\xC2"
        "234",
        "\xE2\x80\xAF"
        "123",
        "--1.234,5",
        "1,234 ",
        "192.168.10.1",
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        for (const char *mark = ".,"; *mark != '\0'; mark++) {
            if (is_other(words[i], *mark)) fail_msg("\"%s\" with '%c'", words[i], *mark);
        }
    }
}

TEST(the_numbers_of_the_file_are_not_other_ones)
{
    static const char *const plain[] = {"1", "-12", "1234567", "+5e3", "007"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        assert_false(is_other(plain[i], '.'));
        assert_false(is_other(plain[i], ','));
    }
    assert_false(is_other("1.234", '.')); /* its author may mean a thousand */
    assert_false(is_other("1,234", ','));
}

TEST(thousands_and_the_other_mark_are_seen)
{
    static const char *const both[] = {
        "1.234,50",
        "1,234.50",
        "-1.234.567,8",
        "+1,234,567.8",
        "1.234.567",
        "1,234,567",
        "1,23,456.5",
        "1'234",
        "1'234.5",
        "1'234,5",
        "1 234",
        "1 234,5",
        "12 345.5",
        "1\xC2\xA0"
        "234,5",
        "1\xE2\x80\xAF"
        "234",
        "1\xE2\x80\x89"
        "234.5",
        "1\xE2\x80\x99"
        "234",
        "1.234.567,",
    };
    for (size_t i = 0; i < sizeof both / sizeof both[0]; i++) {
        if (!is_other(both[i], '.')) fail_msg("\"%s\" with a point", both[i]);
        if (!is_other(both[i], ',')) fail_msg("\"%s\" with a comma", both[i]);
    }
    assert_true(is_other("1,5", '.'));
    assert_true(is_other("1,234", '.'));
    assert_true(is_other(",5", '.'));
    assert_true(is_other("1.5e3", ','));
    assert_true(is_other("1.234", ','));
}

TEST(the_reason_names_the_mark)
{
    assert_string_equal(sotto__number_reason("x", 1, '.'), "is not a finite number");
    assert_string_equal(sotto__number_reason("1.234,5", 7, '.'),
                        "is not a finite number: the decimal mark is a point, and thousands "
                        "separators are not read");
    assert_string_equal(sotto__number_reason("1.5", 3, ','),
                        "is not a finite number: the decimal mark is a comma, and thousands "
                        "separators are not read");
}
