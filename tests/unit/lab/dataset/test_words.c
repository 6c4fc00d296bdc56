/* The words of a schema file. */
#include "lab/dataset/words.h"
#include "texts.h"

#include <stdio.h>
#include <stdlib.h>

/* All statements as one text: line, words in brackets, quoted ones in braces. NULL, or a fault. */
static const char *read_all(const char *text, char got[512])
{
    char copy[512];
    size_t bytes = strlen(text), at = 0;
    sotto__words *words = malloc(sizeof *words);
    assert_non_null(words);
    snprintf(copy, sizeof copy, "%s\n", text);
    sotto__words_begin(words, copy, bytes);
    const char *said = NULL;
    got[0] = '\0';
    for (;;) {
        said = sotto__words_next(words);
        if (said != NULL || words->count == 0) break;
        at += (size_t)snprintf(got + at, 512 - at, "%llu", (unsigned long long)words->line);
        for (uint32_t i = 0; i < words->count; i++) {
            const sotto__word *word = &words->word[i];
            at += (size_t)snprintf(got + at, 512 - at, word->quoted ? "{%.*s}" : "[%.*s]",
                                   (int)word->bytes, word->text);
        }
    }
    free(words);
    return said;
}

static void quotes_must_close(void **state)
{
    (void)state;
    char got[512];
    assert_string_equal(read_all("a \"b", got), "a quote that is not closed");
    assert_string_equal(read_all("a \"b\"\"", got), "a quote that is not closed");
    assert_string_equal(read_all("\"", got), "a quote that is not closed");
    assert_non_null(strstr(read_all("a \"b\"c", got), "text after a closing quote"));
}

static void a_statement_has_a_most_of_words(void **state)
{
    (void)state;
    static char text[2 * SOTTO__WORDS_MAX + 4];
    sotto__words *words = malloc(sizeof *words);
    assert_non_null(words);
    for (uint32_t i = 0; i < 2 * SOTTO__WORDS_MAX + 2; i++) {
        text[i] = i % 2 == 0 ? 'a' : ' ';
    }
    text[2 * SOTTO__WORDS_MAX] = '\n';
    sotto__words_begin(words, text, 2 * SOTTO__WORDS_MAX);
    assert_null(sotto__words_next(words));
    assert_int_equal(words->count, SOTTO__WORDS_MAX);
    text[2 * SOTTO__WORDS_MAX] = 'a';
    text[2 * SOTTO__WORDS_MAX + 1] = '\n';
    sotto__words_begin(words, text, 2 * SOTTO__WORDS_MAX + 1);
    assert_string_equal(sotto__words_next(words), "too many words");
    free(words);
}

static void statements_are_lines_and_what_is_indented_below(void **state)
{
    (void)state;
    static const char *const pair[][2] = {
        {"", ""},
        {"\n \n# a\n  # b", ""},
        {"a b\nc", "1[a][b]2[c]"},
        {"a  b\t\r\nc\r\n", "1[a][b]2[c]"},
        {"\n\n  a\n", "3[a]"},
        {"a\n  b\n\tc # d\n  # e\n  f\ng", "1[a][b][c][f]6[g]"},
        {"a\n\nb", "1[a]3[b]"},
        {"a#b #c\n", "1[a#b]"},
        {"a \"#b\" \"c d\" \"\" \"e\"\"f\"", "1[a]{#b}{c d}{}{e\"f}"},
        {"a \"b\nc\"\nd", "1[a]{b\nc}3[d]"},
        {"a \"b\"\n", "1[a]{b}"},
    };
    char got[512];
    for (size_t i = 0; i < sizeof pair / sizeof pair[0]; i++) {
        assert_silent(read_all(pair[i][0], got));
        assert_string_equal(got, pair[i][1]);
    }
}

static void words_are_written_as_they_are_read(void **state)
{
    (void)state;
    static const char *const word[] = {"a",      "",     "#",    "a#", "a b", "\"",
                                       "a\"b\"", "a\nb", "1..2", "\t", "\r",  "a.b"};
    for (size_t i = 0; i < sizeof word / sizeof word[0]; i++) {
        char text[64] = "x ", got[512], wanted[64];
        FILE *file = fmemopen(text + 2, sizeof text - 2, "w");
        assert_non_null(file);
        sotto__word_write(word[i], file);
        fclose(file);
        assert_silent(read_all(text, got));
        bool plain = i == 0 || i == 3 || i == 11;
        snprintf(wanted, sizeof wanted, plain ? "1[x][%s]" : "1[x]{%s}", word[i]);
        assert_string_equal(got, wanted);
    }
}

static void words_are_compared_whole(void **state)
{
    (void)state;
    sotto__word word = {.text = "abc", .bytes = 2};
    assert_true(sotto__word_is(&word, "ab"));
    assert_false(sotto__word_is(&word, "abc"));
    assert_false(sotto__word_is(&word, "a"));
    assert_false(sotto__word_is(&word, "ac"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotes_must_close),
        cmocka_unit_test(a_statement_has_a_most_of_words),
        cmocka_unit_test(statements_are_lines_and_what_is_indented_below),
        cmocka_unit_test(words_are_written_as_they_are_read),
        cmocka_unit_test(words_are_compared_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
