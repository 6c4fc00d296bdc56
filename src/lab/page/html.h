/*
 * One HTML page: no script is needed to read it, no request leaves it, all figures are inside. Good
 * on a phone and in print, light and dark.
 */
#ifndef SOTTO_LAB_PAGE_HTML_H
#define SOTTO_LAB_PAGE_HTML_H

#include <sotto/core.h>

/* A table: a row has as many cells as there are columns. All words are text; they are escaped. */
typedef struct sotto__html_table {
    const char *caption; /* NULL: none */
    uint32_t columns_count, rows_count;
    const char *const *head; /* columns */
    const char *const *cell; /* rows x columns */
    const bool *number;      /* columns, or NULL: set to the right, in figures of one width */
    const bool *strong;      /* rows, or NULL: rows that stand out */
} sotto__html_table;

/* A statement that was checked. */
typedef struct sotto__html_check {
    const char *text; /* "LDP-SGD, epsilon 1: median 874, theirs 1136, p = 0.82" */
    bool passed;
} sotto__html_check;

/* A section: in this order heading, paragraphs, figures, tables, checks. Anything may be absent. */
typedef struct sotto__html_section {
    const char *id, *heading; /* id: of the link to it */
    uint32_t paragraphs_count, figures_count, tables_count, checks_count;
    const char *const *paragraph;
    const char *const *figure;     /* names: FOLDER/NAME.svg goes inline; those of NAME.csv, .png
                                      and .pdf that are there are linked below it */
    const char *const *figure_alt; /* what each shows, for those who cannot see it */
    const sotto__html_table *table;
    const sotto__html_check *check;
} sotto__html_section;

typedef struct sotto__html_page {
    const char *title, *lead; /* lead: the first paragraph */
    const char *notice;       /* in a box at the top, e.g. that data are synthetic; NULL: none */
    const char *command, *version; /* what made it; NULL: not said */
    uint32_t sections_count;
    const sotto__html_section *section;
} sotto__html_page;

/* Writes FOLDER/index.html, whole or not at all. A figure whose SVG is missing is said to be. NULL,
 * or `fault`. */
const char *sotto__html_write(const sotto__html_page *page, const char *folder,
                              char fault[SOTTO_FAULT_BYTES]);

#endif
