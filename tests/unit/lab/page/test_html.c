/* The page: all its words are text, and missing parts are reported as missing. */
#include "directory.h"
#include "lab/page/inner.h"
#include "lab/page/page.h"
#include "test.h"
#include "why.h"

#include <errno.h>
#include <sys/stat.h>

#define TEXT_BYTES 60000u
#define NASTY(name) name "<script>'\"&"
#define CLEAN(name) name "&lt;script&gt;&#39;&quot;&amp;"

typedef struct written {
    directory f;
    char text[TEXT_BYTES];
} written;

static void written_free(written *w)
{
    directory_free(&w->f);
}

static void put_file(const directory *f, const char *name, const char *text)
{
    char path[DIRECTORY_PATH_BYTES + 100];
    snprintf(path, sizeof path, "%s/%s", f->path, name);
    file_write(path, (const uint8_t *)text, strlen(text));
}

static void write_page_again(written *w, const sotto__html_page *page)
{
    char path[DIRECTORY_PATH_BYTES + 100];
    if (WHY(sotto__html_write, page, w->f.path) != NULL) fail_msg("%s", why_fault.sentence);
    snprintf(path, sizeof path, "%s/index.html", w->f.path);
    w->text[file_read(path, (uint8_t *)w->text, TEXT_BYTES - 1)] = '\0';
}

static void write_page(written *w, const sotto__html_page *page)
{
    size_t before = directory_count(&w->f);
    write_page_again(w, page);
    assert_int_equal(directory_count(&w->f), before + 1);
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

/* A page with one section of this table alone. */
static void write_table(written *w, const sotto__html_table *table)
{
    const sotto__html_section section = {
        .id = "s", .heading = "h", .tables_count = 1, .table = table};
    sotto__html_page page = page_of(&section, 1);
    write_page(w, &page);
}

TEST(what_cannot_be_written_is_a_fault)
{
    HELD(directory) f = directory_new();
    char far[5000];
    sotto__html_page page = page_of(NULL, 0);
    assert_non_null(WHY(sotto__html_write, &page, f.file));
    assert_non_null(strstr(why_fault.sentence, "/ledger/index.html: No such file or directory"));
    memset(far, 'a', sizeof far - 1);
    far[sizeof far - 1] = '\0';
    assert_non_null(WHY(sotto__html_write, &page, far));
    assert_non_null(strstr(why_fault.sentence, "too long"));
    assert_int_equal(directory_count(&f), 0);
}

static const double x[] = {1, 10}, y[] = {1, 2};
static const sotto__curve curve = {
    .player = SOTTO_PLAYER_SOTTO, .label = NASTY("key"), .count = 2, .x = x, .y = y};

static sotto__figure figure_of(const char *name, uint32_t panels_count)
{
    sotto__figure figure = {
        .name = name, .title = NASTY("figure"), .x_label = "people", .panels_count = panels_count};
    for (uint32_t p = 0; p < panels_count; p++) {
        figure.panel[p] = (sotto__panel){NASTY("panel"), "regret", false, &curve, 1, NULL, {0, 0}};
    }
    return figure;
}

/* A name for each place where words go; none is markup. */
TEST(all_words_are_escaped)
{
    HELD(written) w = {.f = directory_new()};
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
        "<p class=\"soft\">" CLEAN("about") "</p>\n<pre>" CLEAN("run") "</pre>"};
    write_page(&w, &page);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        has(&w, wanted[i]);
    }
    has_not(&w, "<script");
}

TEST(the_page_forbids_scripts_and_requests)
{
    HELD(written) w = {.f = directory_new()};
    sotto__html_page page = page_of(NULL, 0);
    write_page(&w, &page);
    assert_int_equal(strncmp(w.text, "<!DOCTYPE html>\n<html lang=\"en\">\n", 33), 0);
    has(&w, "<meta charset=\"utf-8\">");
    has(&w, "content=\"default-src 'none'; style-src 'unsafe-inline'\"");
    has(&w, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    has_not(&w, "http://");
    has_not(&w, "https://");
}

TEST(what_is_not_said_has_no_place)
{
    HELD(written) w = {.f = directory_new()};
    const char *const head[] = {"a"}, *const cell[] = {"b"};
    const sotto__html_table table = {
        .columns_count = 1, .rows_count = 1, .head = head, .cell = cell};
    write_table(&w, &table);
    has(&w, "<li><a href=\"#s\">h</a></li>");
    has(&w, "<thead><tr><th scope=\"col\">a</th></tr></thead>\n<tbody>\n<tr><td>b</td></tr>\n");
    has_not(&w, "class=\"notice\"");
    has_not(&w, "class=\"made\"");
    has_not(&w, "<caption");
    has_not(&w, "class=\"checks\"");
    has_not(&w, "<figure");
    has_not(&w, "(null)");
}

/* Only existing files are linked. */
TEST(figures_are_inside_and_their_files_linked)
{
    HELD(written) w = {.f = directory_new()};
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
    has(&w, "</svg>\n</div>\n</figure>\n"); /* c has no files */
}

/* The first screen: title, findings, figure; then the first section, and then the contents. */
TEST(what_was_found_comes_first)
{
    HELD(written) w = {.f = directory_new()};
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
                                  "<li>second finding</li>",
                                  "<figure>",
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
}

TEST(tables_have_their_cells_in_order)
{
    HELD(written) w = {.f = directory_new()};
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
    write_table(&w, &table);
    has(&w, "<caption>numbers</caption>\n<thead><tr><th scope=\"col\">method</th>"
            "<th scope=\"col\" class=\"n\">regret</th></tr></thead>\n<tbody>\n"
            "<tr><td>sotto</td><td class=\"n\" data-label=\"regret\">1</td></tr>\n"
            "<tr class=\"strong\"><td>ols</td><td class=\"n\" "
            "data-label=\"regret\">2</td></tr>\n</tbody>\n</table>\n");
}

/* What stands out is the verdict; without a reason it is only a word. */
TEST(columns_have_their_kinds)
{
    HELD(written) w = {.f = directory_new()};
    const char *const head[] = {"a", "b", "c"}, *const cell[] = {
                                                    "1", "why it is so",        "yes: 1 less", "2",
                                                    "",  "cannot tell: 1 more", "3",           "",
                                                    "-"};
    const sotto__html_kind kind[] = {SOTTO__HTML_OWN, SOTTO__HTML_SENTENCE, SOTTO__HTML_VERDICT};
    const sotto__html_table table = {
        .columns_count = 3, .rows_count = 3, .head = head, .cell = cell, .kind = kind};
    write_table(&w, &table);
    has(&w, "<td class=\"n own\">1</td><td class=\"long\" data-label=\"b\">why it is so</td>"
            "<td class=\"verdict\" data-label=\"c\">"
            "<b class=\"yes\">yes</b> <span class=\"soft\">1 less</span></td>");
    has(&w, "<td class=\"verdict\" data-label=\"c\"><b>cannot tell</b> <span class=\"soft\">1 "
            "more</span></td>");
    has(&w, "<td class=\"verdict\" data-label=\"c\">-</td>");
    has_not(&w, "<details>");
}

/* In words and signs, not by colour alone. */
TEST(checks_say_how_they_went)
{
    HELD(written) w = {.f = directory_new()};
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
}

/* The style sheet: complete, without requests, and for dark pages, phones and print. */

static const char *const sheet[] = {sotto__figure_css, sotto__page_css};

TEST(braces_are_closed)
{
    for (size_t i = 0; i < 2; i++) {
        int depth = 0;
        for (const char *c = sheet[i]; *c != '\0'; c++) {
            depth += *c == '{';
            depth -= *c == '}';
            assert_in_range(depth, 0, 3);
        }
        assert_int_equal(depth, 0);
    }
}

TEST(nothing_is_fetched)
{
    for (size_t i = 0; i < 2; i++) {
        assert_true(strlen(sheet[i]) > 500);
        assert_null(strstr(sheet[i], "url("));
        assert_null(strstr(sheet[i], "@import"));
        assert_null(strpbrk(sheet[i], "<&")); /* it stands inside of <style>, also in SVG */
    }
}

/* Every colour that has a name for light pages has one for dark ones. */
TEST(dark_pages_have_all_colours)
{
    for (size_t i = 0; i < 2; i++) {
        const char *dark = strstr(sheet[i], "@media screen and (prefers-color-scheme: dark)");
        assert_non_null(dark);
        for (const char *name = strstr(sheet[i], "--"); name < dark; name = strstr(name, "--")) {
            char wanted[30];
            snprintf(wanted, sizeof wanted, "%.*s:", (int)strcspn(name, ":)"), name);
            if (strstr(dark, wanted) == NULL) fail_msg("%s is missing in the dark", wanted);
            name += 2;
        }
    }
}

TEST(phones_and_print_are_thought_of)
{
    const char *wide = strstr(sotto__page_css, "@media (min-width:");
    const char *beside = strstr(sotto__page_css, "grid-template-columns");
    assert_true(wide != NULL && beside > wide); /* on a phone panels are stacked */
    const char *print = strstr(sotto__page_css, "@media print");
    assert_non_null(print);
    assert_non_null(strstr(print, "break-inside: avoid"));
    assert_non_null(strstr(print, "::details-content")); /* what is folded is printed */
}

/* Text inside HTML stays text. */

static void becomes(const char *text, const char *wanted)
{
    char got[200] = "";
    FILE *out = fmemopen(got, sizeof got, "w");
    assert_non_null(out);
    sotto__html_put_text(out, text);
    fclose(out);
    assert_string_equal(got, wanted);
}

TEST(nothing_of_it_is_markup)
{
    becomes("<script>alert('1' & \"2\")</script>",
            "&lt;script&gt;alert(&#39;1&#39; &amp; &quot;2&quot;)&lt;/script&gt;");
    becomes("&amp;", "&amp;amp;");
}

TEST(other_text_is_as_it_was)
{
    becomes("", "");
    becomes("mean ± error, 10 %; a-b_c = 1/2\n", "mean ± error, 10 %; a-b_c = 1/2\n");
}

/* A table of a page, filled line by line. */

static const sotto__page_column column[] = {{"method", SOTTO__HTML_WORDS},
                                            {"regret", SOTTO__HTML_NUMBER}};

/* Allocations left before memory runs out. */
static uint32_t memory_left = UINT32_MAX;

void *__real_sotto__pool_take(sotto__pool *pool, size_t bytes);
void *__wrap_sotto__pool_take(sotto__pool *pool, size_t bytes);
void *__wrap_sotto__pool_take(sotto__pool *pool, size_t bytes)
{
    if (memory_left-- > 0) return __real_sotto__pool_take(pool, bytes);
    memory_left = 0;
    pool->failed = 1;
    return NULL;
}

/* A table allocates four times: heads, kinds, cells, highlighted rows. */
TEST(without_memory_there_is_no_table)
{
    for (uint32_t given = 0; given <= 4; given++) {
        HELD(sotto__pool) pool = {0};
        sotto__page_table table;
        memory_left = given;
        assert_true(sotto__page_table_begin(&table, &pool, "", column, 2, 3) == (given == 4));
        assert_true(pool.failed == (given < 4));
    }
    memory_left = UINT32_MAX;
}

TEST(what_is_no_number_is_a_dash)
{
    HELD(sotto__pool) pool = {0};
    assert_strings(sotto__page_number(&pool, NAN), "-", sotto__page_number(&pool, INFINITY), "-");
    assert_string_equal(sotto__page_number(&pool, -INFINITY), "-");
}

TEST(numbers_have_the_digits_that_a_reader_wants)
{
    HELD(sotto__pool) pool = {0};
    static const struct {
        double value;
        const char *text;
    } wanted[] = {{12345.6, "12,346"}, {1000, "1,000"},     {999.4, "999"},     {12.34, "12.3"},
                  {0.01234, "0.0123"}, {-1234.5, "-1,234"}, {-1.2345, "-1.23"}, {0, "0"}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        assert_string_equal(sotto__page_number(&pool, wanted[i].value), wanted[i].text);
    }
}

TEST(lines_follow_each_other_and_stand_out_if_asked)
{
    HELD(sotto__pool) pool = {0};
    sotto__page_table table;
    assert_true(sotto__page_table_begin(&table, &pool, "caption", column, 2, 3));
    assert_int_equal(table.html.rows_count, 0);
    const char **first = sotto__page_table_line(&table, false);
    first[0] = "ols";
    first[1] = "1";
    const char **second = sotto__page_table_line(&table, true);
    second[0] = "sotto";
    second[1] = "2";
    static const char *const cell[] = {"ols", "1", "sotto", "2"};
    assert_string_equal(table.html.caption, "caption");
    assert_ints(table.html.columns_count, 2, table.html.rows_count, 2);
    assert_strings(table.html.head[0], "method", table.html.head[1], "regret");
    assert_true(table.html.kind[0] == SOTTO__HTML_WORDS &&
                table.html.kind[1] == SOTTO__HTML_NUMBER);
    assert_true(!table.html.strong[0] && table.html.strong[1]);
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(table.html.cell[i], cell[i]);
    }
}

/* Files are read completely, and written completely or not at all. */

static void put_words(const void *state, FILE *out)
{
    fputs(state, out);
}

static void put_in_vain(const void *state, FILE *out)
{
    assert_non_null(freopen("/dev/full", "w", out));
    fputs(state, out);
}

/* Fails at once, and loses the reason. */
static void put_and_forget(const void *state, FILE *out)
{
    assert_non_null(freopen("/dev/full", "w", out));
    setvbuf(out, NULL, _IONBF, 0);
    fputs(state, out);
    errno = 0;
}

TEST(what_cannot_be_written_leaves_nothing)
{
    HELD(directory) f = directory_new();
    char path[SOTTO__PATH_BYTES];
    assert_true(sotto__path(path, f.path, "missing", "/file"));
    assert_false(sotto__write_whole(path, put_words, "words"));
    assert_int_equal(errno, ENOENT);

    file_write(f.file, (const uint8_t *)"old", 3);
    assert_false(sotto__write_whole(f.file, put_in_vain, "words"));
    assert_ints(errno, ENOSPC, directory_count(&f), 1);
    assert_false(sotto__write_whole(f.file, put_and_forget, "words"));
    assert_ints(errno, EIO, directory_count(&f), 1);
    char *text = sotto__read_whole(f.file);
    assert_string_equal(text, "old");
    free(text);

    assert_int_equal(mkdir(f.other, 0700), 0); /* a file cannot take a directory's name */
    assert_false(sotto__write_whole(f.other, put_words, "words"));
    assert_ints(errno, EISDIR, directory_count(&f), 2);
}

TEST(what_is_not_there_is_not_read)
{
    HELD(directory) f = directory_new();
    assert_null(sotto__read_whole(f.file));
    assert_int_equal(errno, ENOENT);
    assert_null(sotto__read_whole(f.path));
}

TEST(what_is_written_is_read)
{
    HELD(directory) f = directory_new();
    const char *const words[] = {"first, and longer", "", "second"};
    for (size_t i = 0; i < 3; i++) {
        assert_true(sotto__write_whole(f.file, put_words, words[i]));
        assert_int_equal(directory_count(&f), 1);
        FREED_BY(free_memory) char *text = sotto__read_whole(f.file);
        assert_string_equal(text, words[i]);
    }
}

/* A path must leave room for the name of the temporary file. */
TEST(paths_have_an_end)
{
    char path[SOTTO__PATH_BYTES], long_name[SOTTO__PATH_BYTES + 1];
    assert_true(sotto__path(path, "directory", "name", ".csv"));
    assert_string_equal(path, "directory/name.csv");
    memset(long_name, 'a', sizeof long_name);
    long_name[SOTTO__PATH_BYTES] = '\0';
    assert_false(sotto__path(path, long_name, "name", ".csv"));
    long_name[SOTTO__PATH_BYTES - sizeof "/b" - sizeof ".part"] = '\0';
    assert_true(sotto__path(path, long_name, "b", ""));
    assert_false(sotto__path(path, long_name, "bc", ""));
}
