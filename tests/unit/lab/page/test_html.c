/* The page: all its words are text, and what is not there is said to be missing. */
#include "folder.h"
#include "lab/page/html.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define TEXT_BYTES 20000u
#define NASTY(name) name "<script>'\"&"
#define CLEAN(name) name "&lt;script&gt;&#39;&quot;&amp;"

typedef struct written {
    folder f;
    char text[TEXT_BYTES];
} written;

static void put_file(const folder *f, const char *name, const char *text)
{
    char path[FOLDER_PATH_BYTES + 100];
    snprintf(path, sizeof path, "%s/%s", f->path, name);
    file_write(path, (const uint8_t *)text, strlen(text));
}

static void write_page(written *w, const sotto__html_page *page)
{
    char path[FOLDER_PATH_BYTES + 100], fault[SOTTO_FAULT_BYTES];
    size_t before = folder_count(&w->f);
    if (sotto__html_write(page, w->f.path, fault) != NULL) fail_msg("%s", fault);
    assert_int_equal(folder_count(&w->f), before + 1);
    snprintf(path, sizeof path, "%s/index.html", w->f.path);
    w->text[file_read(path, (uint8_t *)w->text, TEXT_BYTES - 1)] = '\0';
}

static void has(const written *w, const char *part)
{
    if (strstr(w->text, part) == NULL) fail_msg("\"%s\" is not in:\n%s", part, w->text);
}

static void has_not(const written *w, const char *part)
{
    if (strstr(w->text, part) != NULL) fail_msg("\"%s\" is in:\n%s", part, w->text);
}

static sotto__html_page page_of(const sotto__html_section *section, uint32_t sections_count)
{
    return (sotto__html_page){
        .title = "title", .lead = "lead", .section = section, .sections_count = sections_count};
}

static void what_cannot_be_written_is_a_fault(void **state)
{
    (void)state;
    folder f = folder_new();
    char fault[SOTTO_FAULT_BYTES], far[5000];
    sotto__html_page page = page_of(NULL, 0);
    assert_ptr_equal(sotto__html_write(&page, f.file, fault), fault);
    assert_non_null(strstr(fault, "/ledger/index.html: No such file or directory"));
    memset(far, 'a', sizeof far - 1);
    far[sizeof far - 1] = '\0';
    assert_ptr_equal(sotto__html_write(&page, far, fault), fault);
    assert_non_null(strstr(fault, "too long"));
    assert_int_equal(folder_count(&f), 0);
    folder_free(&f);
}

/* A name for each place where words go; none is markup. */
static void all_words_are_escaped(void **state)
{
    (void)state;
    written w = {.f = folder_new()};
    const char *const paragraph[] = {NASTY("paragraph")}, *const figure[] = {NASTY("figure"), "b"},
                      *const alt[] = {NASTY("alt"), NASTY("label")},
                      *const head[] = {NASTY("head")}, *const cell[] = {NASTY("cell")};
    const sotto__html_table table = {.caption = NASTY("caption"),
                                     .columns_count = 1,
                                     .rows_count = 1,
                                     .head = head,
                                     .cell = cell};
    const sotto__html_check check = {.text = NASTY("check"), .passed = true};
    const sotto__html_section section = {.id = NASTY("id"),
                                         .heading = NASTY("heading"),
                                         .paragraphs_count = 1,
                                         .figures_count = 2,
                                         .tables_count = 1,
                                         .checks_count = 1,
                                         .paragraph = paragraph,
                                         .figure = figure,
                                         .figure_alt = alt,
                                         .table = &table,
                                         .check = &check};
    const sotto__html_page page = {.title = NASTY("title"),
                                   .lead = NASTY("lead"),
                                   .notice = NASTY("notice"),
                                   .command = NASTY("command"),
                                   .version = NASTY("version"),
                                   .sections_count = 1,
                                   .section = &section};
    const char *const wanted[] = {
        "<title>" CLEAN("title") "</title>",
        "<h1>" CLEAN("title") "</h1>",
        "<p class=\"lead\">" CLEAN("lead") "</p>",
        "<p class=\"notice\" role=\"note\">" CLEAN("notice") "</p>",
        "<code>" CLEAN("command") "</code> with " CLEAN("version") "</p>",
        "<li><a href=\"#" CLEAN("id") "\">" CLEAN("heading") "</a> <span class=\"mark\">"
                                                             "✓ 1 of 1 passed</span></li>",
        "<section id=\"" CLEAN("id") "\">\n<h2>" CLEAN("heading") "</h2>",
        "<p>" CLEAN("paragraph") "</p>",
        "The figure " CLEAN("figure") " is missing: it was not drawn. It would show: " CLEAN("alt"),
        "aria-label=\"" CLEAN("label") "\"",
        "aria-label=\"" CLEAN("caption") "\"",
        "<caption>" CLEAN("caption") "</caption>",
        "<th scope=\"col\">" CLEAN("head") "</th>",
        "<td>" CLEAN("cell") "</td>",
        "<li><span class=\"mark\">✓ passed</span>" CLEAN("check") "</li>",
    };
    put_file(&w.f, "b.svg", "<?xml?><svg viewBox=\"0 0 9 9\"></svg>");
    write_page(&w, &page);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        has(&w, wanted[i]);
    }
    has_not(&w, "<script");
    folder_free(&w.f);
}

static void the_page_forbids_scripts_and_requests(void **state)
{
    (void)state;
    written w = {.f = folder_new()};
    sotto__html_page page = page_of(NULL, 0);
    write_page(&w, &page);
    assert_int_equal(strncmp(w.text, "<!DOCTYPE html>\n<html lang=\"en\">\n", 33), 0);
    has(&w, "<meta charset=\"utf-8\">");
    has(&w, "content=\"default-src 'none'; style-src 'unsafe-inline'\"");
    has(&w, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    has_not(&w, "http://");
    has_not(&w, "https://");
    folder_free(&w.f);
}

static void what_is_not_said_has_no_place(void **state)
{
    (void)state;
    written w = {.f = folder_new()};
    const char *const head[] = {"a"}, *const cell[] = {"b"};
    const sotto__html_table table = {
        .columns_count = 1, .rows_count = 1, .head = head, .cell = cell};
    const sotto__html_section section = {
        .id = "s", .heading = "h", .tables_count = 1, .table = &table};
    sotto__html_page page = page_of(&section, 1);
    write_page(&w, &page);
    has(&w, "<li><a href=\"#s\">h</a></li>");
    has(&w, "<thead><tr><th scope=\"col\">a</th></tr></thead>\n<tbody>\n<tr><td>b</td></tr>\n");
    has_not(&w, "class=\"notice\"");
    has_not(&w, "class=\"made\"");
    has_not(&w, "<caption");
    has_not(&w, "class=\"checks\"");
    has_not(&w, "<figure");
    has_not(&w, "(null)");
    folder_free(&w.f);
}

/* Only what is there is linked; a drawing that cannot be read is missing. */
static void figures_are_inside_and_their_files_linked(void **state)
{
    (void)state;
    written w = {.f = folder_new()};
    const char *const figure[] = {"a", "b", "c"}, *const alt[] = {"one", "two", "three"};
    const sotto__html_section section = {
        .id = "s", .heading = "h", .figures_count = 3, .figure = figure, .figure_alt = alt};
    sotto__html_page page = page_of(&section, 1);
    put_file(&w.f, "a.svg", "<?xml?>\n<svg viewBox=\"0 0 9 8\"><g/></svg>\n");
    put_file(&w.f, "a.csv", "1");
    put_file(&w.f, "a.png", "2");
    put_file(&w.f, "a.pdf", "3");
    put_file(&w.f, "b.csv", "4");
    put_file(&w.f, "b.svg", "not a drawing");
    write_page(&w, &page);
    has(&w, "<figure>\n<div class=\"drawing\">\n<svg viewBox=\"0 0 9 8\" role=\"img\" "
            "aria-label=\"one\"><g/></svg>\n</div>\n<figcaption>Download: "
            "<a href=\"a.csv\">numbers (CSV)</a>, <a href=\"a.png\">picture (PNG)</a>, "
            "<a href=\"a.pdf\">print (PDF)</a></figcaption>\n</figure>\n");
    has(&w, "<figure>\n<p class=\"missing\">The figure b is missing: it was not drawn. It would "
            "show: two</p>\n<figcaption>Download: <a href=\"b.csv\">numbers (CSV)</a></figcaption>"
            "\n</figure>\n");
    has(&w, "It would show: three</p>\n</figure>\n");
    folder_free(&w.f);
}

static void tables_have_their_cells_in_order(void **state)
{
    (void)state;
    written w = {.f = folder_new()};
    const char *const head[] = {"method", "regret"}, *const cell[] = {"sotto", "1", "ols", "2"};
    const bool number[] = {false, true}, strong[] = {false, true};
    const sotto__html_table table = {.caption = "numbers",
                                     .columns_count = 2,
                                     .rows_count = 2,
                                     .head = head,
                                     .cell = cell,
                                     .number = number,
                                     .strong = strong};
    const sotto__html_section section = {
        .id = "s", .heading = "h", .tables_count = 1, .table = &table};
    sotto__html_page page = page_of(&section, 1);
    write_page(&w, &page);
    has(&w, "<caption>numbers</caption>\n<thead><tr><th scope=\"col\">method</th>"
            "<th scope=\"col\" class=\"n\">regret</th></tr></thead>\n<tbody>\n"
            "<tr><td>sotto</td><td class=\"n\">1</td></tr>\n"
            "<tr class=\"strong\"><td>ols</td><td class=\"n\">2</td></tr>\n</tbody>\n</table>\n");
    folder_free(&w.f);
}

/* In words and signs, not by colour alone. */
static void checks_say_how_they_went(void **state)
{
    (void)state;
    written w = {.f = folder_new()};
    const sotto__html_check check[] = {{"first", true}, {"second", false}, {"third", true}};
    const sotto__html_section section[] = {
        {.id = "s", .heading = "h", .checks_count = 3, .check = check},
        {.id = "t", .heading = "i", .checks_count = 1, .check = check}};
    sotto__html_page page = page_of(section, 2);
    write_page(&w, &page);
    has(&w, "<li><a href=\"#s\">h</a> <span class=\"mark failed\">✗ 2 of 3 passed</span></li>\n"
            "<li><a href=\"#t\">i</a> <span class=\"mark\">✓ 1 of 1 passed</span></li>\n");
    has(&w, "<ul class=\"checks\">\n<li><span class=\"mark\">✓ passed</span>first</li>\n"
            "<li class=\"failed\"><span class=\"mark\">✗ failed</span>second</li>\n"
            "<li><span class=\"mark\">✓ passed</span>third</li>\n</ul>\n");
    folder_free(&w.f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_written_is_a_fault),
        cmocka_unit_test(all_words_are_escaped),
        cmocka_unit_test(the_page_forbids_scripts_and_requests),
        cmocka_unit_test(what_is_not_said_has_no_place),
        cmocka_unit_test(figures_are_inside_and_their_files_linked),
        cmocka_unit_test(tables_have_their_cells_in_order),
        cmocka_unit_test(checks_say_how_they_went),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
