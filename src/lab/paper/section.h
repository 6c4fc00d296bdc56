/* A section of the page that is being filled. */
#ifndef SOTTO_LAB_PAPER_SECTION_H
#define SOTTO_LAB_PAPER_SECTION_H

#include "lab/page/table.h"
#include "reproduction.h"

#define SOTTO__SECTION_PARAGRAPHS_MAX 8u
#define SOTTO__SECTION_NOTES_MAX 4u
#define SOTTO__SECTION_TABLES_MAX 4u
#define SOTTO__SECTION_CHECKS_MAX 64u

typedef struct sotto__section {
    const sotto__reproduction *reproduction; /* what was found */
    const sotto__experiment *experiment;     /* what it is about */
    sotto__pool *pool;                       /* of everything in it */
    const char **paragraph;
    const char **note;
    sotto__html_table *table;
    sotto__html_check *check;
    sotto__html_section html; /* what is filled so far */
} sotto__section;

/* A section with a heading and nothing else. Its words live as long as the reproduction. False if
 * there is no memory. */
bool sotto__section_begin(sotto__section *section, sotto__reproduction *reproduction,
                          const sotto__experiment *experiment);

/* At most as many as the constants above say. What is added lives as long as the pool. */
void sotto__section_add_paragraph(sotto__section *section, const char *text);
void sotto__section_add_note(sotto__section *section, const char *text);
void sotto__section_add_table(sotto__section *section, const sotto__page_table *table);
void sotto__section_add_check(sotto__section *section, const char *text, bool passed);

/* A number for a cell. */
const char *sotto__section_number(const sotto__section *section, double value);

#endif
