/* The page: all its words are text, and what is not there is said to be missing. */
#include "folder.h"
#include "lab/page/html.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define TEXT_BYTES 60000u
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

static void write_page_again(written *w, const sotto__html_page *page)
{
    char path[FOLDER_PATH_BYTES + 100], fault[SOTTO_FAULT_BYTES];
    if (sotto__html_write(page, w->f.path, fault) != NULL) fail_msg("%s", fault);
    snprintf(path, sizeof path, "%s/index.html", w->f.path);
    w->text[file_read(path, (uint8_t *)w->text, TEXT_BYTES - 1)] = '\0';
}

static void write_page(written *w, const sotto__html_page *page)
{
    size_t before = folder_count(&w->f);
    write_page_again(w, page);
    assert_int_equal(folder_count(&w->f), before + 1);
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

static const double x[] = {1, 10}, y[] = {1, 2};
static const sotto__curve curve = {
    .player = SOTTO_PLAYER_SOTTO, .label = NASTY("key"), .count = 2, .x = x, .y = y};

static sotto__figure figure_of(const char *name, uint32_t panels_count)
{
    sotto__figure figure = {
        .name = name, .title = NASTY("figure"), .x_label = "people", .panels_count = panels_count};
    for (uint32_t p = 0; p < panels_count; p++) {
        figure.panel[p] = (sotto__panel){NASTY("panel"), "regret", false, &curve, 1};
    }
    return figure;
}

/* A name for each place where words go; none is markup. */
static void all_words_are_escaped(void **state)
{
    (void)state;
    written w = {.f = folder_new()};
    const char *const paragraph[] = {NASTY("paragraph")}, *const alt[] = {NASTY("alt")},
                      *const head[] = {NASTY("head"), "b"}, *const note[] = {NASTY("note")},
                      *const cell[] = {NASTY("cell"), "no: " NASTY("why")},
                      *const finding[] = {NASTY("finding")};
    const sotto__html_kind kind[] = {SOTTO__HTML_WORDS, SOTTO__HTML_VERDICT};
    const sotto__html_table table = {.caption = NASTY("caption"),
                                     .folded = true,
                                     .columns_count = 2,
                                     .rows_count = 1,
                                     .head = head,
                                     .cell = cell,
                                     .kind = kind};
    const sotto__html_check check = {.text = NASTY("check"), .passed = true};
    const sotto__html_command command = {NASTY("about"), NASTY("run")};
    const sotto__figure figure = figure_of("b", 1);
    const sotto__html_section section = {.id = NASTY("id"),
                                         .heading = NASTY("heading"),
                                         .paragraphs_count = 1,
                                         .figures_count = 1,
                                         .tables_count = 1,
                                         .checks_count = 1,
                                         .notes_count = 1,
                                         .commands_count = 1,
                                         .paragraph = paragraph,
                                         .figure = &figure,
                                         .figure_alt = alt,
                                         .table = &table,
                                         .check = &check,
                                         .note = note,
                                         .command = &command};
    const sotto__html_page page = {.title = NASTY("title"),
                                   .lead = NASTY("lead"),
                                   .findings_count = 1,
                                   .finding = finding,
                                   .notice = NASTY("notice"),
                                   .command = NASTY("command"),
                                   .version = NASTY("version"),
                                   .sections_count = 1,
                                   .section = &section};
    const char *const wanted[] = {
        "<title>" CLEAN("title") "</title>",
        "<h1>" CLEAN("title") "</h1>",
        "<p class=\"lead\">" CLEAN("lead") "</p>",
        "<li>" CLEAN("finding") "</li>",
        "<p class=\"notice\" role=\"note\">" CLEAN("notice") "</p>",
        "<code>" CLEAN("command") "</code> with " CLEAN("version") "</p>",
        "<li><a href=\"#" CLEAN("id") "\">" CLEAN("heading") "</a> <span class=\"mark\">"
                                                             "✓ 1 of 1 passed</span></li>",
        "<section id=\"" CLEAN("id") "\">\n<h2>" CLEAN("heading") "</h2>",
        "<p>" CLEAN("paragraph") "</p>",
        "<figcaption><strong>" CLEAN("figure") "</strong></figcaption>",
        "</svg>" CLEAN("key") "</li>",
        "aria-label=\"" CLEAN("alt") ": " CLEAN("panel") "\"",
        "<summary>" CLEAN("caption") "</summary>",
        "aria-label=\"" CLEAN("caption") "\"",
        "<caption>" CLEAN("caption") "</caption>",
        "<th scope=\"col\">" CLEAN("head") "</th>",
        "<td>" CLEAN("cell") "</td>",
        "<b class=\"no\">no</b> <span class=\"soft\">" CLEAN("why") "</span></td>",
        "<li><span class=\"mark\">✓ passed</span>" CLEAN("check") "</li>",
        "<p>" CLEAN("note") "</p>",
        "<p class=\"soft\">" CLEAN("about") "</p>\n<pre>" CLEAN("run") "</pre>",
    };
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

/* Only what is there is linked. */
static void figures_are_inside_and_their_files_linked(void **state)
{
    (void)state;
    written w = {.f = folder_new()};
    sotto__figure figure[] = {figure_of("a", 4), figure_of("b", 1), figure_of("c", 2)};
    const char *const alt[] = {"one", "two", "three"};
    const sotto__html_section section = {
        .id = "s", .heading = "h", .figures_count = 3, .figure = figure, .figure_alt = alt};
    sotto__html_page page = page_of(&section, 1);
    figure[0].caption = "epsilon 1";
    figure[0].band = "mean";
    put_file(&w.f, "a.svg", "0");
    put_file(&w.f, "a.csv", "1");
    put_file(&w.f, "a.png", "2");
    put_file(&w.f, "a.pdf", "3");
    put_file(&w.f, "b.csv", "4");
    write_page(&w, &page);
    has(&w, "<figcaption><strong>epsilon 1</strong> <span class=\"soft\">mean.</span>"
            "</figcaption>\n<ul class=\"legend\">\n<li><svg class=\"key m-sotto\"");
    has(&w, "<div class=\"panels many four\">\n<svg class=\"fig\"");
    has(&w, "<p class=\"soft files\">Files: <a href=\"a.csv\">CSV</a> <a href=\"a.svg\">SVG</a> "
            "<a href=\"a.png\">PNG</a> <a href=\"a.pdf\">PDF</a></p>\n</figure>\n");
    has(&w, "<figure class=\"small\">\n<figcaption>");
    has(&w, "<div class=\"panels one\">\n");
    has(&w, "</div>\n<p class=\"soft files\">Files: <a href=\"b.csv\">CSV</a></p>\n</figure>\n");
    has(&w, "<div class=\"panels many\">\n");
    has(&w, "</svg>\n</div>\n</figure>\n"); /* nothing of c is there */
    folder_free(&w.f);
}

/* The first screen: title, figure, findings; then the first section, and then the contents. */
static void what_was_found_comes_first(void **state)
{
    (void)state;
    written w = {.f = folder_new()};
    const sotto__html_section section[] = {{.id = "s", .heading = "glance"},
                                           {.id = "t", .heading = "rest"}};
    const char *const finding[] = {"first finding", "second finding"};
    const sotto__figure figure = figure_of("a", 4);
    sotto__html_page page = page_of(section, 2);
    page.findings_count = 2;
    page.finding = finding;
    page.figure = &figure;
    page.figure_alt = "all";
    page.notice = "notice";
    write_page(&w, &page);
    const char *const wanted[] = {"<div class=\"first\">",
                                  "<h1>",
                                  "<figure>",
                                  "<li>second finding</li>",
                                  "class=\"notice\"",
                                  "<h2>glance</h2>",
                                  "<nav",
                                  "<h2>rest</h2>"};
    const char *last = w.text;
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        const char *at = strstr(last, wanted[i]);
        if (at == NULL) fail_msg("%s is not there, or too early", wanted[i]);
        last = at;
    }
    page.figure = NULL;
    page.findings_count = 0;
    write_page_again(&w, &page);
    has_not(&w, "class=\"findings\"");
    assert_true(strstr(w.text, "<nav") < strstr(w.text, "<h2>glance</h2>"));
    folder_free(&w.f);
}

static void tables_have_their_cells_in_order(void **state)
{
    (void)state;
    written w = {.f = folder_new()};
    const char *const head[] = {"method", "regret"}, *const cell[] = {"sotto", "1", "ols", "2"};
    const sotto__html_kind kind[] = {SOTTO__HTML_WORDS, SOTTO__HTML_NUMBER};
    const bool strong[] = {false, true};
    const sotto__html_table table = {.caption = "numbers",
                                     .columns_count = 2,
                                     .rows_count = 2,
                                     .head = head,
                                     .cell = cell,
                                     .kind = kind,
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

/* What stands out is the verdict; without a reason it is only a word. */
static void columns_have_their_kinds(void **state)
{
    (void)state;
    written w = {.f = folder_new()};
    const char *const head[] = {"a", "b", "c"}, *const cell[] = {
                                                    "1", "why it is so",        "yes: 1 less", "2",
                                                    "",  "cannot tell: 1 more", "3",           "",
                                                    "-"};
    const sotto__html_kind kind[] = {SOTTO__HTML_OWN, SOTTO__HTML_SENTENCE, SOTTO__HTML_VERDICT};
    const sotto__html_table table = {
        .columns_count = 3, .rows_count = 3, .head = head, .cell = cell, .kind = kind};
    const sotto__html_section section = {
        .id = "s", .heading = "h", .tables_count = 1, .table = &table};
    sotto__html_page page = page_of(&section, 1);
    write_page(&w, &page);
    has(&w, "<td class=\"n own\">1</td><td class=\"long\">why it is so</td><td class=\"verdict\">"
            "<b class=\"yes\">yes</b> <span class=\"soft\">1 less</span></td>");
    has(&w, "<td class=\"verdict\"><b>cannot tell</b> <span class=\"soft\">1 more</span></td>");
    has(&w, "<td class=\"verdict\">-</td>");
    has_not(&w, "<details>");
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
        cmocka_unit_test(what_was_found_comes_first),
        cmocka_unit_test(tables_have_their_cells_in_order),
        cmocka_unit_test(columns_have_their_kinds),
        cmocka_unit_test(checks_say_how_they_went),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
