/* One set of rows in every format. */
#include "cli/print/print.h"
#include "memory_file.h"

#include <math.h>

static void expect(print_format format, const char *wanted)
{
    static const print_column column[] = {
        {"method", "method", -7, 0, 0}, {"regret", "regret", 7, 3, 15}, {"n", NULL, 0, 0, 0}};
    const print_value value[] = {print_text("sotto"), print_real(0.12345), print_natural(3)};
    const print_value none[] = {print_text("ols"), print_real(NAN), print_natural(0)};
    memory_file m;
    FILE *file = memory_file_open(&m);
    print_head(file, format, column, 3);
    print_row(file, format, column, value, 3);
    print_row(file, format, column, none, 3);
    assert_written(&m, wanted);
}

TEST(rows_are_the_same_in_every_format)
{
    expect(PRINT_TABLE, "method   regret\nsotto     0.123\nols           -\n");
    expect(PRINT_CSV, "method,regret,n\nsotto,0.12345,3\nols,nan,0\n");
    expect(PRINT_JSON, "{\"method\": \"sotto\", \"regret\": 0.12345, \"n\": 3}\n"
                       "{\"method\": \"ols\", \"regret\": null, \"n\": 0}\n");
}
