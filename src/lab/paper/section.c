/* What all sections have. */
#include "section.h"

#include <assert.h>

bool sotto__section_begin(sotto__section *section, sotto__reproduction *reproduction,
                          const sotto__experiment *experiment)
{
    sotto__pool *pool = &reproduction->pool;
    *section = (sotto__section){
        .reproduction = reproduction,
        .experiment = experiment,
        .pool = pool,
        .paragraph =
            sotto__pool_take(pool, SOTTO__SECTION_PARAGRAPHS_MAX * sizeof *section->paragraph),
        .note = sotto__pool_take(pool, SOTTO__SECTION_NOTES_MAX * sizeof *section->note),
        .table = sotto__pool_take(pool, SOTTO__SECTION_TABLES_MAX * sizeof *section->table),
        .check = sotto__pool_take(pool, SOTTO__SECTION_CHECKS_MAX * sizeof *section->check),
    };
    section->html = (sotto__html_section){
        .id = experiment->name,
        .heading = experiment->title,
        .paragraph = section->paragraph,
        .note = section->note,
        .table = section->table,
        .check = section->check,
    };
    return section->paragraph != NULL && section->note != NULL && section->table != NULL &&
           section->check != NULL;
}

void sotto__section_add_paragraph(sotto__section *section, const char *text)
{
    assert(section->html.paragraphs_count < SOTTO__SECTION_PARAGRAPHS_MAX);
    section->paragraph[section->html.paragraphs_count++] = text;
}

void sotto__section_add_note(sotto__section *section, const char *text)
{
    assert(section->html.notes_count < SOTTO__SECTION_NOTES_MAX);
    section->note[section->html.notes_count++] = text;
}

void sotto__section_add_table(sotto__section *section, const sotto__page_table *table)
{
    assert(section->html.tables_count < SOTTO__SECTION_TABLES_MAX);
    section->table[section->html.tables_count++] = table->html;
}

void sotto__section_add_check(sotto__section *section, const char *text, bool passed)
{
    assert(section->html.checks_count < SOTTO__SECTION_CHECKS_MAX);
    section->check[section->html.checks_count++] =
        (sotto__html_check){.text = text, .passed = passed};
}

const char *sotto__section_number(const sotto__section *section, double value)
{
    return sotto__page_number(section->pool, value);
}
