/*
 * One HTML page: no script is needed to read it, no request leaves it, all figures are inside. Good
 * on a phone and in print, light and dark.
 */
#ifndef SOTTO_LAB_PAGE_HTML_H
#define SOTTO_LAB_PAGE_HTML_H

#include "figure_parts.h"

/* What a column holds: words; numbers, which are set to the right, or those of our own method, which
 * stand out; sentences, which are broken into
 * lines; or verdicts, "yes: why", "no: why", "cannot tell: why", whose first words stand out. */
typedef enum sotto__html_kind {
    SOTTO__HTML_WORDS,
    SOTTO__HTML_NUMBER,
    SOTTO__HTML_OWN,
    SOTTO__HTML_SENTENCE,
    SOTTO__HTML_VERDICT,
} sotto__html_kind;

/* A table: a row has as many cells as there are columns. All words are text; they are escaped. */
typedef struct sotto__html_table {
    const char *caption; /* NULL: none, and then it is not folded */
    bool folded;         /* behind its caption, until somebody opens it */
    uint32_t columns_count, rows_count;
    const char *const *head;      /* columns */
    const char *const *cell;      /* rows x columns */
    const sotto__html_kind *kind; /* columns, or NULL: words */
    const bool *strong;           /* rows, or NULL: rows that stand out */
} sotto__html_table;

/* A statement that was checked. */
typedef struct sotto__html_check {
    const char *text; /* "LDP-SGD, epsilon 1: median 874, theirs 1136, p = 0.82" */
    bool passed;
} sotto__html_check;

/* A command, and what it does in a few words. */
typedef struct sotto__html_command {
    const char *about, *text;
} sotto__html_command;

/* A section: in this order heading, paragraphs, figures, tables, checks, notes, folded tables,
 * commands, which are folded too. Anything may be absent. */
typedef struct sotto__html_section {
    const char *id, *heading; /* id: of the link to it */
    uint32_t paragraphs_count, figures_count, tables_count, checks_count, notes_count,
        commands_count;
    const char *const *paragraph;
    const sotto__figure *figure;   /* drawn into the page; those of FOLDER/NAME.csv, .svg, .png and
                                      .pdf that are there are linked below it */
    const char *const *figure_alt; /* what each shows, for those who cannot see it */
    const sotto__html_table *table;
    const sotto__html_check *check;
    const char *const *note;
    const sotto__html_command *command;
} sotto__html_section;

/* The first screen has the title, the lead, the figure and the findings. With a figure there, the
 * first section stands before the contents. */
typedef struct sotto__html_page {
    const char *title, *lead; /* lead: the first paragraph */
    uint32_t findings_count;
    const char *const *finding;
    const sotto__figure *figure; /* NULL: none */
    const char *figure_alt;
    const char *notice;            /* in a box below, e.g. that data are synthetic; NULL: none */
    const char *command, *version; /* what made it; NULL: not said */
    uint32_t sections_count;
    const sotto__html_section *section;
} sotto__html_page;

/* Writes FOLDER/index.html, whole or not at all. NULL, or `fault`. */
const char *sotto__html_write(const sotto__html_page *page, const char *folder,
                              char fault[SOTTO_FAULT_BYTES]);

#endif
