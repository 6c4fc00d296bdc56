/*
 * Whether a file of customers is synthetic.
 *
 * Our stand-in says so in a column. Should that be cut off, its payments say so too: their cents
 * are
 *
 *     (7 FICO + 13 term + 3 floor(amount) + 17 round(10^4 prime rate)) mod 100
 *
 * which other rows have by chance, one in a hundred. More than n/100 + 0.6 sqrt n + 6 such rows
 * among n are six standard errors too many.
 *
 * Another stand-in that goes around has payments of six decimals, every one. The data's own have
 * ten digits, so that most have seven decimals, and only about one in seven has six, and no fewer.
 */
#include "origin.h"

#include <math.h>

#define MILLIONTHS_ROWS_MIN 20u

const char *sotto__loan_origin_name(sotto__loan_origin origin)
{
#define NAME(name, text) text,
    static const char *const name[] = {SOTTO__LOAN_ORIGIN_MAP(NAME)};
#undef NAME
    return name[origin];
}

uint32_t sotto__loan_mark(const sotto__loan_row *row)
{
    uint64_t sum = 7 * (uint64_t)row->fico + 13 * (uint64_t)row->term + 3 * (uint64_t)row->amount +
                   17 * (uint64_t)llround(1e4 * row->prime);
    return (uint32_t)(sum % 100);
}

/* True for a whole number of units; payments have few enough digits for a clear answer. */
static bool is_whole(double value, double units)
{
    double count = value * units;
    return fabs(count - nearbyint(count)) < 0.01;
}

void sotto__loan_signs_add(sotto__loan_signs *signs, const sotto__loan_row *row)
{
    uint64_t cents = (uint64_t)llround(100 * row->payment);
    signs->rows++;
    signs->marked += cents % 100 == sotto__loan_mark(row);
    signs->millionths += is_whole(row->payment, 1e6) && !is_whole(row->payment, 1e5);
}

sotto__loan_origin sotto__loan_origin_of(const sotto__loan_signs *signs)
{
    double n = (double)signs->rows;
    if (signs->column) return SOTTO__LOAN_MARKED;
    if ((double)signs->marked > n / 100 + 0.6 * sqrt(n) + 6) return SOTTO__LOAN_SYNTHETIC;
    if (signs->rows >= MILLIONTHS_ROWS_MIN && 2 * signs->millionths > signs->rows) {
        return SOTTO__LOAN_SYNTHETIC;
    }
    return SOTTO__LOAN_UNKNOWN;
}
