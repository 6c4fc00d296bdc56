/* How a file writes fields and numbers: where a guess could be wrong, the old meaning stays. */
#include "lab/dataset/guess.h"
#include "texts.h"

static char fault[SOTTO_FAULT_BYTES];

static void assert_guesses(const char *text, char separator, char mark)
{
    folder f = folder_new();
    sotto__source source;
    assert_silent(sotto__source_open(&source, text_file(&f, text), fault));
    assert_silent(sotto__source_fill(&source, fault));
    size_t from = source.from, to = source.to;
    char got = sotto__guess_separator(&source);
    if (got != separator) fail_msg("\"%s\": separator '%c'", text, got);
    got = sotto__guess_decimal(&source, separator);
    if (got != mark) fail_msg("\"%s\": decimal '%c'", text, got);
    assert_true(source.from == from && source.to == to);
    sotto__source_close(&source);
    folder_free(&f);
}

static void nothing_is_guessed_from_nothing(void **state)
{
    (void)state;
    assert_guesses("", ',', '.');
    assert_guesses("\n", ',', '.');
    assert_guesses("\"", ',', '.');
    assert_guesses("\"a;b", ',', '.');
    assert_guesses("1,5", ',', '.');
}

static void the_separator_is_what_the_first_line_has_most_of(void **state)
{
    (void)state;
    assert_guesses("a,b;c,d\n1;2;3;4\n", ',', '.');
    assert_guesses("a;b;c,d\n", ';', '.');
    assert_guesses("a\tb\n", '\t', '.');
    assert_guesses("a|b|c\n1.5|2|3\n", '|', '.');
    assert_guesses("\"a|b|c\",d\n", ',', '.');
    assert_guesses("a b c\n", ' ', '.');
    assert_guesses("a b c|d\n", '|', '.');
    assert_guesses("a|b\r1|2\r", '|', '.');
}

static void commas_inside_of_numbers_separate_nothing(void **state)
{
    (void)state;
    assert_guesses("1,5;2,5;yes\n", ';', ',');
    assert_guesses("\"1,5\";-2,5e3;,5\n", ';', ',');
    assert_guesses("1,5;2,5,3;yes\n", ',', '.');
    assert_guesses("1,5;a,b\n", ',', '.');
    assert_guesses("1,a;2\n", ',', '.');
}

static void the_mark_is_what_more_numbers_have(void **state)
{
    (void)state;
    assert_guesses("x;y\n1,5;a\n2;b\n", ';', ',');
    assert_guesses("x;y\n\"1,5\";a\n", ';', ',');
    assert_guesses("x;y\n 1,5 ;a\n", ';', ',');
    assert_guesses("x|z|y\n1,5|2,25|1.5\n", '|', ',');
    assert_guesses("x|z|y\n1,5|2,25|1.5\n1|1.5|2.5\n", '|', '.');
    assert_guesses("x|z|y\n1,5|1.5\n", '|', '.');
    assert_guesses("x;y\n1;a,b\n", ';', '.');
    assert_guesses("x;y\n1;a\n", ';', '.');
}

static void a_thousand_is_in_doubt(void **state)
{
    (void)state;
    assert_guesses("x;y\n1,234;a\n-12,345;b\n999,000;c\n", ';', '.');
    assert_guesses("x;y\n1,234;a\n0,345;b\n", ';', ',');
    assert_guesses("x;y\n1234,567;a\n", ';', ',');
    assert_guesses("x;y\n,567;a\n", ';', ',');
    assert_guesses("x;y\n1,2345;a\n", ';', ',');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_guessed_from_nothing),
        cmocka_unit_test(the_separator_is_what_the_first_line_has_most_of),
        cmocka_unit_test(commas_inside_of_numbers_separate_nothing),
        cmocka_unit_test(the_mark_is_what_more_numbers_have),
        cmocka_unit_test(a_thousand_is_in_doubt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
