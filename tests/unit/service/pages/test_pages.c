/* Files for browsers that are part of the program. */
#include "service/pages/pages.h"
#include "test.h"

#include <string.h>

TEST(a_path_that_names_no_page_gives_none)
{
    static const char *const paths[] = {"",
                                        "//",
                                        "/index.html",
                                        "/openapi.jso",
                                        "/openapi.json/",
                                        "/../openapi.json",
                                        "/OPENAPI.JSON"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        assert_null(pages_find(paths[i]));
    }
}

TEST(the_first_page_is_html)
{
    const page_file *page = pages_find("/");
    assert_non_null(page);
    assert_string_equal(page->type, "text/html");
    assert_memory_equal(page->bytes, "<!doctype html>", 15);
    assert_int_equal(page->bytes[page->bytes_count - 1], '\n');
}

static bool page_says(const page_file *page, const char *words)
{
    size_t count = strlen(words);
    for (size_t i = 0; i + count <= page->bytes_count; i++) {
        if (memcmp(page->bytes + i, words, count) == 0) return true;
    }
    return false;
}

/* This file is also linked with the table of a build without pages. */
TEST(the_first_page_says_so_where_there_are_no_others)
{
    bool alone = pages_find("/dashboard.js") == NULL;
    assert_int_equal(page_says(pages_find("/"), "This sottod was built without its pages"), alone);
}

TEST(the_description_of_the_api_is_a_file)
{
    const page_file *page = pages_find("/openapi.json");
    assert_non_null(page);
    assert_string_equal(page->type, "application/json");
    assert_true(page->bytes_count > 1000 && page->bytes[0] == '{');
}

TEST(tags_differ_where_bytes_do)
{
    const page_file *a = pages_find("/"), *b = pages_find("/openapi.json");
    assert_true(strlen(a->tag) == 34 && a->tag[0] == '"' && a->tag[33] == '"');
    assert_string_not_equal(a->tag, b->tag);
}

TEST(pages_run_no_code_but_their_files)
{
    assert_null(strstr(PAGES_POLICY, "unsafe-inline"));
    assert_null(strstr(PAGES_POLICY, "'unsafe-eval'"));
    assert_null(strstr(PAGES_POLICY, "http"));
    assert_non_null(strstr(PAGES_POLICY, "frame-ancestors 'none'"));
}
