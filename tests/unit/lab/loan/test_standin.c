/* The stand-in: what is published of the data is met, every row is marked, and a file of it reads
 * as it was drawn. */
#include "lab/loan/origin.h"
#include "lab/loan/standin.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 50000u

static sotto__loan_synthetic *draw(uint64_t seed, uint32_t rows)
{
    sotto__loan_synthetic *s = calloc(rows, sizeof *s);
    assert_non_null(s);
    assert_ok(sotto__loan_standin_draw(seed, s, rows));
    return s;
}

static void sizes_out_of_range_are_refused(void **state)
{
    (void)state;
    assert_status(sotto__loan_standin_write(NULL, 0, 1), SOTTO_E_LENGTH);
    assert_status(sotto__loan_standin_write(NULL, SOTTO__LOAN_STANDIN_ROWS_MAX + 1, 1),
                  SOTTO_E_LENGTH);
}

/* Ranges and levels, row by row. */
static void assert_row_fits(const sotto__loan_synthetic *s)
{
    const sotto__loan_row *row = &s->row;
    assert_true(row->fico >= 587 && row->fico <= 850 && row->fico == floor(row->fico));
    assert_true(row->term == 36 || row->term == 48 || row->term == 60 || row->term == 66 ||
                row->term == 72);
    assert_true(row->amount >= 5000 && row->amount <= 100000);
    assert_true(row->prime >= 1.02 && row->prime <= 2.127);
    assert_true(row->competition >= 2.99 && row->competition <= 6.45);
    assert_true(s->rate >= 2.45 && s->rate <= 15.53);
    assert_true((row->car == 'R') == (s->previous > 0));
    assert_true(s->previous == 0 || (s->previous >= 3 && s->previous <= 20));
    assert_true(s->tier == (row->fico >= 730   ? 1u
                            : row->fico >= 700 ? 2u
                            : row->fico >= 670 ? 3u
                                               : 4u));
    assert_true(s->partner >= 1 && s->partner <= 3);
    assert_int_equal(llround(100 * row->payment) % 100, sotto__loan_mark(row));
    double rate = s->rate / 1200,
           exact = row->amount * rate / (1 - pow(1 + rate, -(double)row->term));
    assert_near(row->payment, exact, 0.5 + 1e-9);
}

/* The seed is fixed, so nothing here is left to chance; the bounds are 5 standard errors of the
 * published figures at this many rows, and what rounding of theirs adds. */
static void published_facts_are_met(void **state)
{
    (void)state;
    sotto__loan_synthetic *s = draw(1, ROWS);
    double fico = 0, payment = 0, ratio = 0, accepted = 0, new_cars = 0, new_accepted = 0, used = 0;
    for (uint32_t i = 0; i < ROWS; i++) {
        assert_row_fits(&s[i]);
        bool is_new = s[i].row.car == 'N';
        fico += s[i].row.fico / ROWS;
        payment += s[i].row.payment / ROWS;
        ratio += s[i].row.payment / s[i].row.amount / ROWS;
        accepted += s[i].row.accepted / (double)ROWS;
        new_cars += is_new;
        new_accepted += is_new && s[i].row.accepted;
        used += s[i].row.car == 'U';
    }
    free(s);
    assert_near(fico, 731.3, 1.1);
    assert_near(payment, 584.9, 60); /* the published mean is of other rows */
    assert_near(ratio, 0.0205, 0.0005);
    assert_near(accepted, 0.22, 0.0095);
    assert_near(new_cars / ROWS, 0.572, 0.012);
    assert_near(used / ROWS, 0.214, 0.0095);
    assert_near(new_accepted / new_cars, 0.077, 0.008);
}

static void seeds_give_other_rows_and_the_same_gives_the_same(void **state)
{
    (void)state;
    sotto__loan_synthetic *first = draw(7, 200), *same = draw(7, 200), *other = draw(8, 200);
    uint32_t equal = 0;
    for (uint32_t i = 0; i < 200; i++) {
        assert_true(first[i].row.payment == same[i].row.payment);
        assert_true(first[i].row.accepted == same[i].row.accepted);
        equal += first[i].row.payment == other[i].row.payment;
    }
    assert_true(equal < 10);
    free(first);
    free(same);
    free(other);
}

/* The header, the first row by its columns, and the number of rows. */
static void the_file_has_the_columns_of_the_data_and_says_what_it_is(void **state)
{
    (void)state;
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    assert_ok(sotto__loan_standin_write(file, 3, 7));
    fclose(file);
    const char *header = "apply,Tier,Primary_FICO,Type,Term,Amount_Approved,Previous_Rate,CarType,"
                         "Competition_rate,rate,onemonth,mp,mp_rto_amtfinance,partnerbin,"
                         "SYNTHETIC\n";
    assert_memory_equal(text, header, strlen(header));
    uint32_t lines = 0;
    for (size_t i = 0; i < bytes; i++) {
        lines += text[i] == '\n';
    }
    assert_int_equal(lines, 4);
    sotto__loan_synthetic *s = draw(7, 3);
    char previous[32] = "", row[256];
    if (s->previous > 0) snprintf(previous, sizeof previous, "%.2f", s->previous);
    snprintf(row, sizeof row, "%d,%u,%.0f,%c,%u,%.2f,%s,%c,%.2f,%.2f,%.4f,%.2f,%.9f,%u,1\n",
             s->row.accepted, s->tier, s->row.fico, s->row.car == 'R' ? 'R' : 'F', s->row.term,
             s->row.amount, previous, s->row.car, s->row.competition, s->rate, s->row.prime,
             s->row.payment, s->row.payment / s->row.amount, s->partner);
    assert_memory_equal(text + strlen(header), row, strlen(row));
    free(s);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_out_of_range_are_refused),
        cmocka_unit_test(published_facts_are_met),
        cmocka_unit_test(seeds_give_other_rows_and_the_same_gives_the_same),
        cmocka_unit_test(the_file_has_the_columns_of_the_data_and_says_what_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
