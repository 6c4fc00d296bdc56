/* A section that is being filled. */
#include "lab/paper/section.h"
#include "reproductions.h"
#include "test.h"

#include <math.h>

/* How often memory is given from here on. */
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

/* A section takes memory four times: paragraphs, notes, tables, checks. */
static void without_memory_there_is_no_section(void **state)
{
    (void)state;
    for (uint32_t given = 0; given <= 4; given++) {
        sotto__reproduction r = {0};
        sotto__section s;
        memory_left = given;
        assert_true(sotto__section_begin(&s, &r, experiment_named("shared-d2")) == (given == 4));
        assert_true(r.pool.failed == (given < 4));
        sotto__pool_free(&r.pool);
    }
    memory_left = UINT32_MAX;
}

static void a_new_section_has_a_heading_and_nothing_else(void **state)
{
    (void)state;
    sotto__reproduction r = {0};
    sotto__section s;
    assert_true(sotto__section_begin(&s, &r, experiment_named("logistic")));
    assert_string_equal(s.html.id, "logistic");
    assert_string_equal(s.html.heading, "Yes or no: logistic rewards, 2 dimensions, 10 arms");
    assert_int_equal(s.html.paragraphs_count + s.html.tables_count + s.html.checks_count, 0);
    assert_int_equal(s.html.figures_count + s.html.notes_count + s.html.commands_count, 0);
    sotto__pool_free(&r.pool);
}

static void what_is_added_is_there_in_order(void **state)
{
    (void)state;
    sotto__reproduction r = {0};
    sotto__section s;
    sotto__page_table table;
    const sotto__page_column column[] = {{"only", SOTTO__HTML_WORDS}};
    assert_true(sotto__section_begin(&s, &r, experiment_named("logistic")));
    sotto__section_add_paragraph(&s, "first");
    sotto__section_add_paragraph(&s, "second");
    sotto__section_add_note(&s, "note");
    sotto__section_add_check(&s, "good", true);
    sotto__section_add_check(&s, "bad", false);
    assert_true(sotto__page_table_begin(&table, s.pool, "caption", column, 1, 1));
    sotto__page_table_line(&table, false)[0] = sotto__section_number(&s, 12345.6);
    sotto__section_add_table(&s, &table);
    assert_int_equal(s.html.paragraphs_count, 2);
    assert_string_equal(s.html.paragraph[0], "first");
    assert_string_equal(s.html.paragraph[1], "second");
    assert_int_equal(s.html.notes_count, 1);
    assert_string_equal(s.html.note[0], "note");
    assert_int_equal(s.html.checks_count, 2);
    assert_true(s.html.check[0].passed && !s.html.check[1].passed);
    assert_string_equal(s.html.check[1].text, "bad");
    assert_int_equal(s.html.tables_count, 1);
    assert_row(&s.html.table[0], 0, "12,346");
    assert_string_equal(sotto__section_number(&s, NAN), "-");
    sotto__pool_free(&r.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_memory_there_is_no_section),
        cmocka_unit_test(a_new_section_has_a_heading_and_nothing_else),
        cmocka_unit_test(what_is_added_is_there_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
