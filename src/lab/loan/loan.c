#include "loan.h"
#include "core/core.h"

#include <math.h>
#include <stdlib.h>

/* ==== origin ================================================================================= */

/*
 * Detects whether a file of customers is synthetic.
 *
 * Our stand-in has a column that says so. If that column is removed, its payments still show it,
 * because their cents are
 *
 *     (7 FICO + 13 term + 3 floor(amount) + 17 round(10^4 prime rate)) mod 100
 *
 * Other rows have these cents by chance, one in a hundred. More than n/100 + 0.6 sqrt n + 6 such
 * rows among n are six standard errors too many.
 *
 * Another stand-in is in circulation, in which every payment has six decimals. Payments of the real
 * data have ten digits, so most have seven decimals, about one in seven has six, and none has
 * fewer.
 */

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

/* True if the value is a whole number of units. Payments have few enough digits for a clear
 * answer. */
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

/* ==== loan =================================================================================== */

/*
 * Customers as contexts, and the demand that their answers show.
 *
 *     x = (1, u(FICO), u(term), u(amount), u(prime rate), u(competitor's rate), N, R, U)/sqrt 119
 *     u(z) = (z - lo)/(hi - lo), held to [0, 1]
 *     arm of price p:   (x, p x), p in units of 6250, so at most 4
 *     demand:           P(accept) = 1/(1 + exp(-(x, p x) . theta*))        (the paper's appendix)
 *
 * One of N, R, U is 1, so that ||(1, u, N, R, U)||^2 <= 7 and ||(x, p x)||^2 <= 7 (1 + 4^2)/119 =
 * 1. So no customer's context is longer than 1, and a device has nothing to clip.
 *
 * The unit of prices determines what a method concludes from customers who do not accept a high
 * price. When revenue counts, these are its only observations at first. With a large unit it
 * concludes that nobody accepts anything, with a small one that the price was too high.
 *
 * theta* is the logistic regression of the answers on the imputed prices, with ridge 1, the default
 * of the authors' tool.
 */

#define RIDGE 1.0

/* The FICO score is defined on 300 to 850. The other ranges are the product's terms and those of
 * the data's published dictionary, rounded outwards. */
static const struct loan_range {
    double lo, hi;
} fico_range = {300, 850}, term_range = {36, 72}, amount_range = {5000, 100000},
  prime_range = {1, 2.2}, competition_range = {2.9, 6.5};

static double scaled(double value, const struct loan_range *range)
{
    return fmax(0, fmin(1, (value - range->lo) / (range->hi - range->lo)));
}

void sotto__loan_features(const sotto__loan_row *row, double *x)
{
    const double features[SOTTO__LOAN_FEATURES] = {
        1,
        scaled(row->fico, &fico_range),
        scaled(row->term, &term_range),
        scaled(row->amount, &amount_range),
        scaled(row->prime, &prime_range),
        scaled(row->competition, &competition_range),
        row->car == 'N',
        row->car == 'R',
        row->car == 'U',
    };
    for (uint32_t i = 0; i < SOTTO__LOAN_FEATURES; i++) {
        x[i] = features[i] / sqrt(119);
    }
}

void sotto__loan_context(const double *x, double price, double *out)
{
    for (uint32_t i = 0; i < SOTTO__LOAN_FEATURES; i++) {
        out[i] = x[i];
        out[SOTTO__LOAN_FEATURES + i] = price / SOTTO__LOAN_PRICE_UNIT * x[i];
    }
}

/* p = payment sum_(tau = 1..term) (1 + rate)^-tau - amount, rate = prime/12/100 a month. The sum is
 * (1 - (1 + rate)^-term)/rate, and term for no rate. */
double sotto__loan_imputed_price(const sotto__loan_row *row)
{
    double rate = row->prime / 12 / 100;
    double months =
        rate == 0 ? row->term : -sotto__expm1(-(double)row->term * sotto__log1p(rate)) / rate;
    return row->payment * months - row->amount;
}

double sotto__loan_price(uint32_t arm)
{
    return SOTTO__LOAN_PRICE_MAX * arm / (SOTTO__LOAN_ARMS - 1);
}

void sotto__loan_worth(double worth[SOTTO__LOAN_ARMS])
{
    for (uint32_t a = 0; a < SOTTO__LOAN_ARMS; a++) {
        worth[a] = sotto__loan_price(a) / SOTTO__LOAN_PRICE_MAX;
    }
}

/* ---- the rows ----------------------------------------------------------------------------- */

sotto_status sotto__loan_new(sotto__loan **out)
{
    *out = calloc(1, sizeof **out);
    return *out == NULL ? SOTTO_E_MEMORY : SOTTO_OK;
}

void sotto__loan_free(sotto__loan *loan)
{
    if (loan == NULL) return;
    free(loan->x);
    free(loan->price);
    free(loan->accepted);
    free(loan);
}

/* Makes room for twice as many rows. If one array cannot grow, those that did stay valid. */
static sotto_status grow(sotto__loan *loan)
{
    uint64_t rows = loan->rows_max == 0 ? 1024 : 2 * loan->rows_max;
    double *x = realloc(loan->x, rows * SOTTO__LOAN_FEATURES * sizeof *x);
    if (x == NULL) return SOTTO_E_MEMORY;
    loan->x = x;
    double *price = realloc(loan->price, rows * sizeof *price);
    if (price == NULL) return SOTTO_E_MEMORY;
    loan->price = price;
    bool *accepted = realloc(loan->accepted, rows * sizeof *accepted);
    if (accepted == NULL) return SOTTO_E_MEMORY;
    loan->accepted = accepted;
    loan->rows_max = rows;
    return SOTTO_OK;
}

sotto_status sotto__loan_add(sotto__loan *loan, const sotto__loan_row *row)
{
    if (loan->rows == loan->rows_max) {
        sotto_status status = grow(loan);
        if (status != SOTTO_OK) return status;
    }
    double price = sotto__loan_imputed_price(row);
    double held = fmax(0, fmin(SOTTO__LOAN_PRICE_MAX, price));
    sotto__loan_features(row, loan->x + loan->rows * SOTTO__LOAN_FEATURES);
    loan->price[loan->rows] = held;
    loan->accepted[loan->rows] = row->accepted;
    loan->rows++;
    loan->accepted_count += row->accepted;
    loan->clipped += held != price;
    sotto__loan_signs_add(&loan->signs, row);
    return SOTTO_OK;
}

/* ---- the demand --------------------------------------------------------------------------- */

static bool answer_of(const void *state, uint64_t row, double *context)
{
    const sotto__loan *loan = state;
    sotto__loan_context(loan->x + row * SOTTO__LOAN_FEATURES, loan->price[row], context);
    return loan->accepted[row];
}

/* The contexts of a row's customer at all prices. */
static void contexts_of(const void *state, uint64_t row, double *context)
{
    const sotto__loan *loan = state;
    const double *x = loan->x + row * SOTTO__LOAN_FEATURES;
    for (uint32_t a = 0; a < SOTTO__LOAN_ARMS; a++) {
        sotto__loan_context(x, sotto__loan_price(a), context + (size_t)a * SOTTO__LOAN_DIM);
    }
}

sotto_status sotto__loan_fit(sotto__loan *loan)
{
    sotto__logistic_data data = {
        .rows = loan->rows,
        .dim = SOTTO__LOAN_DIM,
        .ridge = RIDGE,
        .row = answer_of,
        .state = loan,
    };
    sotto_status status = sotto__logistic_fit(&data, loan->theta, &loan->fit);
    if (status != SOTTO_OK) return status;
    sotto__loan_worth(loan->worth);
    loan->population = (sotto_population){
        .rows = loan->rows,
        .dim = SOTTO__LOAN_DIM,
        .arms = SOTTO__LOAN_ARMS,
        .link = SOTTO_LINK_LOGIT,
        .theta = loan->fit.converged ? loan->theta : NULL,
        .theta_norm_max = SOTTO__LOAN_THETA_NORM_MAX,
        .worth = loan->worth,
        .contexts = contexts_of,
        .data = loan,
    };
    return SOTTO_OK;
}
