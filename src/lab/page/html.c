#include "core/core.h"
#include "inner.h"
#include "page.h"
#include "text/text.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* ==== table ================================================================================== */

/* Tables of a page. */

bool sotto__page_table_begin(sotto__page_table *table, sotto__pool *pool, const char *caption,
                             const sotto__page_column *column, uint32_t columns_count,
                             uint32_t rows_max)
{
    const char **head = sotto__pool_take(pool, columns_count * sizeof *head);
    sotto__html_kind *kind = sotto__pool_take(pool, columns_count * sizeof *kind);
    *table = (sotto__page_table){
        .cell = sotto__pool_take(pool, (size_t)rows_max * columns_count * sizeof *table->cell),
        .strong = sotto__pool_take(pool, rows_max * sizeof *table->strong),
        .rows_max = rows_max,
    };
    if (head == NULL || kind == NULL || table->cell == NULL || table->strong == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < columns_count; i++) {
        head[i] = column[i].head;
        kind[i] = column[i].kind;
    }
    table->html = (sotto__html_table){
        .caption = caption,
        .columns_count = columns_count,
        .head = head,
        .cell = table->cell,
        .kind = kind,
        .strong = table->strong,
    };
    return true;
}

const char **sotto__page_table_line(sotto__page_table *table, bool strong)
{
    uint32_t row = table->html.rows_count;
    assert(row < table->rows_max);
    table->strong[row] = strong;
    table->html.rows_count++;
    return table->cell + (size_t)row * table->html.columns_count;
}

const char *sotto__page_number(sotto__pool *pool, double value)
{
    char text[SOTTO__GROUPED_BYTES];
    return sotto__pool_print(pool, "%s", sotto__grouped(value, text));
}

/* ==== html =================================================================================== */

/*
 * The page. Its own content security policy forbids scripts and requests, so the promises at the
 * head of page.h do not depend on what the page contains.
 */

typedef struct writing {
    const sotto__html_page *page;
    const char *directory;
} writing;

/* Text, which is no HTML, between two pieces that are. */
static void put_between(FILE *out, const char *before, const char *text, const char *after)
{
    fputs(before, out);
    sotto__html_put_text(out, text);
    fputs(after, out);
}

/* <tag attributes>text</tag>; attributes start with a space or are "". */
static void put_element(FILE *out, const char *tag, const char *attributes, const char *text)
{
    fprintf(out, "<%s%s>", tag, attributes);
    sotto__html_put_text(out, text);
    fprintf(out, "</%s>\n", tag);
}

/* ---- figures ------------------------------------------------------------------------------ */

static bool is_there(const writing *w, const char *name, const char *ending)
{
    char path[SOTTO__PATH_BYTES];
    return sotto__path(path, w->directory, name, ending) && access(path, R_OK) == 0;
}

/* Links to the files of a figure that exist. */
static void put_links(FILE *out, const writing *w, const char *name)
{
    static const char *const ending_of[] = {".csv", ".svg", ".png", ".pdf"};
    static const char *const word_of[] = {"CSV", "SVG", "PNG", "PDF"};
    const char *between = "<p class=\"soft files\">Files: ";
    bool any = false;
    for (size_t i = 0; i < sizeof ending_of / sizeof ending_of[0]; i++) {
        if (!is_there(w, name, ending_of[i])) continue;
        fprintf(out, "%s<a href=\"", between);
        sotto__html_put_text(out, name);
        fprintf(out, "%s\">%s</a>", ending_of[i], word_of[i]);
        between = " ";
        any = true;
    }
    if (any) fputs("</p>\n", out);
}

static void put_caption(FILE *out, const sotto__figure *figure)
{
    const char *caption = figure->caption != NULL ? figure->caption : figure->title;
    put_between(out, "<figcaption><strong>", caption, "</strong>");
    if (figure->band != NULL) {
        put_between(out, " <span class=\"soft\">", figure->band, ".</span>");
    }
    fputs("</figcaption>\n", out);
}

static void put_legend(FILE *out, const sotto__figure *figure)
{
    fputs("<ul class=\"legend\">\n", out);
    for (uint32_t i = 0; sotto__figure_legend(figure, i) != NULL; i++) {
        const sotto__curve *curve = sotto__figure_legend(figure, i);
        fputs("<li>", out);
        sotto__figure_svg_key(curve, out);
        put_between(out, "", sotto__curve_label(curve), "</li>\n");
    }
    fputs("</ul>\n", out);
}

static void put_figure(FILE *out, const writing *w, const sotto__figure *figure, const char *alt)
{
    fputs(figure->panels_count > 1 ? "<figure>\n" : "<figure class=\"small\">\n", out);
    put_caption(out, figure);
    put_legend(out, figure);
    fprintf(out, "<div class=\"panels %s%s\">\n", figure->panels_count > 1 ? "many" : "one",
            figure->panels_count == 4 ? " four" : "");
    for (uint32_t p = 0; p < figure->panels_count; p++) {
        sotto__figure_svg_panel(figure, p, alt, out);
    }
    fputs("</div>\n", out);
    put_links(out, w, figure->name);
    fputs("</figure>\n", out);
}

/* ---- top ---------------------------------------------------------------------------------- */

static void put_head(FILE *out, const sotto__html_page *page)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n",
          out);
    put_element(out, "title", "", page->title);
    fprintf(out, "<style>\n%s%s</style>\n</head>\n<body>\n", sotto__figure_css, sotto__page_css);
}

static void put_made_by(FILE *out, const sotto__html_page *page)
{
    if (page->command == NULL && page->version == NULL) return;
    fputs("<p class=\"made\">Made", out);
    if (page->command != NULL) put_between(out, " by <code>", page->command, "</code>");
    if (page->version != NULL) put_between(out, " with ", page->version, "");
    fputs("</p>\n", out);
}

static void put_findings(FILE *out, const sotto__html_page *page)
{
    if (page->findings_count == 0) return;
    fputs("<ul class=\"findings\">\n", out);
    for (uint32_t i = 0; i < page->findings_count; i++) {
        put_element(out, "li", "", page->finding[i]);
    }
    fputs("</ul>\n", out);
}

/* The findings come before the figure, so that they are read first on a phone. On a wide screen the
 * stylesheet puts the figure to the right. */
static void put_header(FILE *out, const writing *w)
{
    const sotto__html_page *page = w->page;
    fprintf(out, "<header>\n<div%s>\n<div>\n", page->figure != NULL ? " class=\"first\"" : "");
    put_element(out, "h1", "", page->title);
    put_element(out, "p", " class=\"lead\"", page->lead);
    fputs("</div>\n", out);
    put_findings(out, page);
    if (page->figure != NULL) put_figure(out, w, page->figure, page->figure_alt);
    fputs("</div>\n", out);
    if (page->notice != NULL) {
        put_element(out, "p", " class=\"notice\" role=\"note\"", page->notice);
    }
    put_made_by(out, page);
    fputs("</header>\n", out);
}

static uint32_t passed_count(const sotto__html_section *section)
{
    uint32_t passed = 0;
    for (uint32_t i = 0; i < section->checks_count; i++) {
        passed += section->check[i].passed;
    }
    return passed;
}

/* A link to each section, and the result of its checks. */
static void put_contents(FILE *out, const sotto__html_page *page)
{
    fputs("<nav aria-labelledby=\"contents\">\n<h2 id=\"contents\">Contents</h2>\n<ol>\n", out);
    for (uint32_t i = 0; i < page->sections_count; i++) {
        const sotto__html_section *section = &page->section[i];
        uint32_t passed = passed_count(section);
        bool good = passed == section->checks_count;
        put_between(out, "<li><a href=\"#", section->id, "\">");
        put_between(out, "", section->heading, "</a>");
        if (section->checks_count > 0) {
            fprintf(out, " <span class=\"mark%s\">%s %u of %u passed</span>", good ? "" : " failed",
                    good ? "✓" : "✗", passed, section->checks_count);
        }
        fputs("</li>\n", out);
    }
    fputs("</ol>\n</nav>\n", out);
}

/* ---- tables and checks -------------------------------------------------------------------- */

static sotto__html_kind kind_of(const sotto__html_table *table, uint32_t column)
{
    return table->kind != NULL ? table->kind[column] : SOTTO__HTML_WORDS;
}

static const char *class_of(const sotto__html_table *table, uint32_t column)
{
    switch (kind_of(table, column)) {
    case SOTTO__HTML_WORDS: return "";
    case SOTTO__HTML_NUMBER: return " class=\"n\"";
    case SOTTO__HTML_OWN: return " class=\"n own\"";
    case SOTTO__HTML_SENTENCE: return " class=\"long\"";
    case SOTTO__HTML_VERDICT: return " class=\"verdict\"";
    }
    return "";
}

/* Writes "yes: why" with its first word emphasised. */
static void put_verdict(FILE *out, const char *text)
{
    size_t word = strcspn(text, ":");
    const char *class = strncmp(text, "yes", word) == 0  ? " class=\"yes\""
                        : strncmp(text, "no", word) == 0 ? " class=\"no\""
                                                         : "";
    if (text[word] == '\0') {
        sotto__html_put_text(out, text);
        return;
    }
    fprintf(out, "<b%s>%.*s</b> <span class=\"soft\">", class, (int)word, text);
    put_between(out, "", text + word + 1 + strspn(text + word + 1, " "), "</span>");
}

/* The first cell names the row. On a phone the others stand below it, each with the head of its
 * column. */
static void put_label(FILE *out, const sotto__html_table *table, uint32_t column)
{
    if (column > 0) put_between(out, " data-label=\"", table->head[column], "\"");
}

static void put_row(FILE *out, const sotto__html_table *table, uint32_t row)
{
    bool strong = table->strong != NULL && table->strong[row];
    fprintf(out, "<tr%s>", strong ? " class=\"strong\"" : "");
    for (uint32_t c = 0; c < table->columns_count; c++) {
        const char *text = table->cell[(size_t)row * table->columns_count + c];
        fprintf(out, "<td%s", class_of(table, c));
        put_label(out, table, c);
        fputs(">", out);
        if (kind_of(table, c) == SOTTO__HTML_VERDICT) {
            put_verdict(out, text);
        } else {
            sotto__html_put_text(out, text);
        }
        fputs("</td>", out);
    }
    fputs("</tr>\n", out);
}

static void put_rows(FILE *out, const sotto__html_table *table)
{
    fputs("<thead><tr>", out);
    for (uint32_t c = 0; c < table->columns_count; c++) {
        fprintf(out, "<th scope=\"col\"%s>", class_of(table, c));
        put_between(out, "", table->head[c], "</th>");
    }
    fputs("</tr></thead>\n<tbody>\n", out);
    for (uint32_t row = 0; row < table->rows_count; row++) {
        put_row(out, table, row);
    }
    fputs("</tbody>\n", out);
}

/* The box can also be scrolled by keyboard, so it needs a name. */
static void put_table(FILE *out, const sotto__html_table *table)
{
    if (table->folded) {
        fputs("<details>\n", out);
        put_element(out, "summary", "", table->caption);
    }
    put_between(out, "<div class=\"box\" tabindex=\"0\" role=\"group\" aria-label=\"",
                table->caption != NULL ? table->caption : "Table", "\">\n<table>\n");
    if (table->caption != NULL) put_element(out, "caption", "", table->caption);
    put_rows(out, table);
    fputs("</table>\n</div>\n", out);
    if (table->folded) fputs("</details>\n", out);
}

static void put_tables(FILE *out, const sotto__html_section *section, bool folded)
{
    for (uint32_t i = 0; i < section->tables_count; i++) {
        if (section->table[i].folded == folded) put_table(out, &section->table[i]);
    }
}

static void put_commands(FILE *out, const sotto__html_section *section)
{
    if (section->commands_count == 0) return;
    fputs("<details>\n<summary>Commands that play the same runs</summary>\n", out);
    for (uint32_t i = 0; i < section->commands_count; i++) {
        put_element(out, "p", " class=\"soft\"", section->command[i].about);
        put_element(out, "pre", "", section->command[i].text);
    }
    fputs("</details>\n", out);
}

static void put_checks(FILE *out, const sotto__html_section *section)
{
    if (section->checks_count == 0) return;
    fputs("<ul class=\"checks\">\n", out);
    for (uint32_t i = 0; i < section->checks_count; i++) {
        bool passed = section->check[i].passed;
        fprintf(out, "<li%s><span class=\"mark\">%s</span>", passed ? "" : " class=\"failed\"",
                passed ? "✓ passed" : "✗ failed");
        put_between(out, "", section->check[i].text, "</li>\n");
    }
    fputs("</ul>\n", out);
}

/* ---- all of it ---------------------------------------------------------------------------- */

static void put_section(FILE *out, const writing *w, const sotto__html_section *section)
{
    put_between(out, "<section id=\"", section->id, "\">\n");
    put_element(out, "h2", "", section->heading);
    for (uint32_t i = 0; i < section->paragraphs_count; i++) {
        put_element(out, "p", "", section->paragraph[i]);
    }
    for (uint32_t i = 0; i < section->figures_count; i++) {
        put_figure(out, w, &section->figure[i], section->figure_alt[i]);
    }
    put_tables(out, section, false);
    put_checks(out, section);
    for (uint32_t i = 0; i < section->notes_count; i++) {
        put_element(out, "p", "", section->note[i]);
    }
    put_tables(out, section, true);
    put_commands(out, section);
    fputs("</section>\n", out);
}

static void put_page(const void *state, FILE *out)
{
    const writing *w = state;
    const sotto__html_page *page = w->page;
    uint32_t first = page->figure != NULL && page->sections_count > 0 ? 1 : 0;
    put_head(out, page);
    put_header(out, w);
    fputs("<main>\n", out);
    for (uint32_t i = 0; i < page->sections_count; i++) {
        if (i == first) put_contents(out, page);
        put_section(out, w, &page->section[i]);
    }
    fputs("</main>\n</body>\n</html>\n", out);
}

sotto_status sotto__html_write(const sotto__html_page *page, const char *directory,
                               sotto_fault *fault)
{
    char path[SOTTO__PATH_BYTES];
    writing w = {.page = page, .directory = directory};
    if (!sotto__path(path, directory, "index", ".html")) {
        return sotto__refuse(fault, "the path of the page's directory is too long");
    }
    if (sotto__write_whole(path, put_page, &w)) return SOTTO_OK;
    return sotto__refuse(fault, "%.300s: %s", path, strerror(errno));
}
