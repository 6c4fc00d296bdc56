/* What an experiment found, as a section. */
#include "lab/paper/glance.h"
#include "lab/paper/sections.h"
#include "methods_made.h"
#include "test.h"

#include <string.h>

static void has(const char *text, const char *words)
{
    if (strstr(text, words) == NULL) fail_msg("\"%s\" is not in \"%s\"", words, text);
}

static void synthetic_customers_are_said_to_be(void **state)
{
    (void)state;
    sotto__reproduction_settings settings = settings_made("loan-revenue", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
    sotto__html_section s;
    assert_true(sotto__section_of(r, settings.only, &s));
    assert_int_equal(s.paragraphs_count, 2);
    has(s.paragraph[1], "The customers are SYNTHETIC");
    has(s.command[0].text, "--environment loan --revenue");
    r->customers.synthetic = false;
    r->settings.data = "loans.csv";
    assert_true(sotto__section_of(r, settings.only, &s));
    assert_int_equal(s.paragraphs_count, 1);
    assert_string_equal(s.command[0].about, "exact, T = 100: 36 runs");
    assert_string_equal(s.command[0].text, "none: sotto simulate has synthetic customers only");
    sotto__reproduction_free(r);
}

static void words_come_from_the_table_and_settings_from_the_parts(void **state)
{
    (void)state;
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
    sotto__html_section s;
    assert_true(sotto__section_of(r, settings.only, &s));
    assert_string_equal(s.id, "shared-d2");
    assert_int_equal(s.paragraphs_count, 1);
    assert_string_equal(s.paragraph[0], settings.only->about);
    assert_int_equal(s.notes_count, 2);
    has(s.note[0], "In the paper: the figure of the experiments, first column");
    has(s.note[1], "What differs from the paper: As published, linear rewards");
    assert_int_equal(s.tables_count, 2);
    assert_int_equal(s.commands_count, 2);
    assert_string_equal(s.command[0].about, "published, T = 100: 30 runs");
    has(s.command[0].text, "sotto simulate --method ldp-sgd,ldp-ols,ldp-ucb,ldp-gloc,random");
    has(s.command[1].text, "--horizon 100 --epsilon 0.5,1,5");
    assert_int_equal(s.figures_count, 0);
    sotto__reproduction_free(r);
}

/* Which kind is filled by what: by the head of its first table. */
static void every_kind_has_its_table(void **state)
{
    (void)state;
    static const struct {
        const char *name, *head;
        uint32_t column, tables;
    } wanted[] = {
        {"shared-d2", "the same, as published", 3, 2},
        {"rates-epsilon", "exponent of epsilon", 1, 2},
        {"rates-horizon", "exponent of T", 7, 1},
        {"lower-bound", "proved", 2, 1},
        {"agreement", "theirs: median (range)", 4, 1},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        sotto__reproduction_settings settings = settings_made(wanted[i].name, 2, 100);
        sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
        sotto__html_section s;
        assert_true(sotto__section_of(r, settings.only, &s));
        assert_int_equal(s.tables_count, wanted[i].tables);
        assert_string_equal(s.table[0].head[wanted[i].column], wanted[i].head);
        if (i == 0) {
            assert_true(sotto__section_of(r, &sotto__glance, &s));
            assert_int_equal(s.tables_count, 1);
            assert_int_equal(s.commands_count, 0); /* it plays nothing */
            assert_string_equal(s.table[0].head[2], "sotto, exact");
            assert_string_equal(s.table[0].head[3], "epsilon alone costs: proved / heuristic");
            assert_string_equal(s.table[0].head[4], "over the paper's best");
        }
        sotto__reproduction_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(synthetic_customers_are_said_to_be),
        cmocka_unit_test(words_come_from_the_table_and_settings_from_the_parts),
        cmocka_unit_test(every_kind_has_its_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
