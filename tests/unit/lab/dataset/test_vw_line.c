/* Lines of VW text: what is none, then words, namespaces and features. */
#include "lab/dataset/vw_line.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

/* The whole line as one text: words, then space*weight:name=value; or the first reason. */
static const char *read_line(const char *text, char *got, size_t room)
{
    sotto__vw_line line;
    size_t at = 0;
    got[0] = '\0';
    const char *wrong = sotto__vw_line_begin(&line, text, (uint32_t)strlen(text));
    for (uint32_t i = 0; wrong == NULL && i < line.words_count; i++) {
        at += (size_t)snprintf(got + at, room - at, "(%.*s)", (int)line.word[i].bytes,
                               line.word[i].text);
    }
    while (wrong == NULL) {
        sotto__vw_feature f;
        wrong = sotto__vw_line_next(&line, &f);
        if (wrong != NULL || f.whole.bytes == 0) break;
        at += (size_t)snprintf(got + at, room - at, " %.*s*%g:%.*s=%.*s", (int)line.space.bytes,
                               line.space.text, line.weight, (int)f.name.bytes, f.name.text,
                               f.value.text == NULL ? 1 : (int)f.value.bytes,
                               f.value.text == NULL ? "-" : f.value.text);
    }
    if (wrong == NULL) return NULL;
    snprintf(got, room, "%.*s", (int)line.wrong.bytes, line.wrong.text);
    return wrong;
}

static void bad_lines_are_named_by_the_word(void **state)
{
    (void)state;
    const struct {
        const char *text, *word, *reason;
    } cases[] = {
        {"", "", "has no |"},
        {"1 a b", "1", "has no | behind it"},
        {"1 'tag 2 |a", "'tag", "is a tag, and other words follow it"},
        {"1 2 3 4 5 6 7 8 9 |a", "9", "is one word too many"},
        {"1 |a :2", ":2", "has no name"},
        {"1 |a x:", "x:", "has no value"},
        {"1 |a:x y", "a:x", "has a weight that is not a finite number"},
        {"1 |a: y", "a:", "has a weight that is not a finite number"},
        {"1 |a:1e999 y", "a:1e999", "has a weight"},
        {"1 |:2 y", ":2", "has no name"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char got[256];
        const char *said = read_line(cases[i].text, got, sizeof got);
        if (said == NULL) fail_msg("\"%s\": %s", cases[i].text, got);
        if (strstr(said, cases[i].reason) == NULL) fail_msg("\"%s\": %s", cases[i].text, said);
        assert_string_equal(got, cases[i].word);
    }
}

static void lines_are_words_namespaces_and_features(void **state)
{
    (void)state;
    const struct {
        const char *text, *wanted;
    } cases[] = {
        {"|", ""},
        {" \t| \r", ""},
        {"1 | a b:2", "(1) *1:a=- *1:b=2"},
        {"1:2:0.5 |n a |m:0.5 b:-3 |c", "(1:2:0.5) n*1:a=- m*0.5:b=-3"},
        {"1 2 'tag |n a", "(1)(2) n*1:a=-"},
        {"1 tag|n a", "(1) n*1:a=-"},
        {"'tag| a", " *1:a=-"},
        {"shared |u x:1.5\r", "(shared) u*1:x=1.5"},
        {"1 |n a|m b", "(1) n*1:a=- m*1:b=-"},
        {"1 |n a || b", "(1) n*1:a=- *1:b=-"},
        {"1 |n city:paris a=b:1", "(1) n*1:city=paris n*1:a=b=1"},
        {"1 | a:b:c", "(1) *1:a=b:c"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char got[256];
        const char *said = read_line(cases[i].text, got, sizeof got);
        if (said != NULL) fail_msg("\"%s\": %s", cases[i].text, said);
        assert_string_equal(got, cases[i].wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_lines_are_named_by_the_word),
        cmocka_unit_test(lines_are_words_namespaces_and_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
