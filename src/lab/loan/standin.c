/*
 * SYNTHETIC customers, for those who do not have the data of the study (CPRM-12-001, On-Line Auto
 * Lending, Columbia University). No number that comes of them is a result on that data.
 *
 * Published of the real 208,085 rows, and met here:
 *     columns and their ranges; 57.2 % new cars, of which 7.7 % accepted; 22 % accepted in all
 *     mean FICO 731.3, mean payment 584.9, mean payment/amount 0.0205 (of 50,000 rows)
 *     tiers, terms, levels of competitors' and quoted rates as seen in single rows
 *     demand by car type: coefficients of a logistic regression on the ranges below; intercepts are
 *     set here to meet the rates of acceptance
 * Assumed, because no source gives it:
 *     as many used as refinanced cars, the same rate of acceptance for both; sd 46 of FICO;
 *     amounts log-normal; shares of terms and of partners; rates of refinanced loans; columns that
 *     do not depend on each other but through car type, tier and term
 *
 * The payments' cents are marked: see loan.c.
 */
#include "core/core.h"
#include "lab/random/random.h"
#include "loan.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BISECTIONS 60

#define CARS 3
#define COLUMNS 8 /* that demand depends on, besides the partner */

/* Car types. This is a C table, because code to read it from a file would be longer than
 * its rows. */
static const struct car {
    char car;
    double share;      /* of all rows */
    double acceptance; /* of its rows */
    double amount;     /* mean */
    double partner[3]; /* effect of each on demand */
} cars[CARS] = {
    {'N', 0.572, 0.077, 30500, {0.3336, -0.6110, -0.1327}},
    {'U', 0.214, 0.411, 19000, {0.8871, 0, 0.5092}},
    {'R', 0.214, 0.411, 22000, {0.3302, -1.3749, 0.1273}},
};

/* Columns, scaled to [0, 1] by their range, and their coefficients in the demand for each
 * car type. */
static const struct standin_column {
    double lo, hi;
    double of_car[CARS];
} columns[COLUMNS] = {
    {1, 4, {-0.3915, 1.7429, -0.7451}},           /* tier */
    {587, 850, {-0.6605, -0.9984, -1.4512}},      /* FICO */
    {36, 72, {1.8283, 1.9838, 0.5366}},           /* term */
    {5000, 100000, {-9.1679, -12.9883, -1.6746}}, /* amount */
    {2.99, 6.45, {-0.2235, 1.3675, 1.0171}},      /* competition */
    {2.45, 15.53, {-3.4265, -9.8581, -4.4331}},   /* rate */
    {1.02, 2.127, {1.1103, -0.1941, 0.3703}},     /* prime */
    {3, 20, {0, 0, 4.0083}},                      /* previous */
};

static uint32_t car_of(const sotto__loan_synthetic *s)
{
    uint32_t i = 0;
    while (cars[i].car != s->row.car) {
        i++;
        assert(i < CARS); /* rows are drawn from the table */
    }
    return i;
}

/* x . coefficients without the intercept. */
static double pull_of(const sotto__loan_synthetic *s)
{
    const sotto__loan_row *row = &s->row;
    const double value[COLUMNS] = {s->tier,          row->fico, row->term,  row->amount,
                                   row->competition, s->rate,   row->prime, fmax(3, s->previous)};
    uint32_t car = car_of(s);
    double pull = 0;
    for (uint32_t i = 0; i < COLUMNS; i++) {
        const struct standin_column *c = &columns[i];
        pull += c->of_car[car] * ((value[i] - c->lo) / (c->hi - c->lo));
    }
    return pull + cars[car].partner[s->partner - 1];
}

/* ---- draws -------------------------------------------------------------------------------- */

static double draw_uniform(sotto__seeded *stream)
{
    return sotto__uniform(sotto__seeded_next(stream));
}

static double draw_normal(sotto__seeded *stream)
{
    double pair[2];
    uint64_t first = sotto__seeded_next(stream), second = sotto__seeded_next(stream);
    sotto__normal_pair(first, second, pair);
    return pair[0];
}

static uint32_t draw_index(sotto__seeded *stream, const double *share, uint32_t count)
{
    double u = draw_uniform(stream);
    uint32_t i = 0;
    while (i + 1 < count && u >= share[i]) {
        u -= share[i++];
    }
    return i;
}

/* Clamped to [lo, hi] and rounded to multiples of 1/units, as the column is printed. */
static double rounded(double value, double lo, double hi, double units)
{
    return nearbyint(fmax(lo, fmin(hi, value)) * units) / units;
}

static uint32_t tier_of(double fico)
{
    return fico >= 730 ? 1 : fico >= 700 ? 2 : fico >= 670 ? 3 : 4;
}

/* Longer loans have higher rates at all competitors. */
static double competition_of(sotto__seeded *stream, uint32_t term)
{
    static const double level[7] = {4.49, 4.69, 4.89, 4.99, 5.2, 5.49, 5.65};
    double extra = term == 72 ? 0.6 : term == 66 ? 0.5 : term == 36 ? -0.4 : 0;
    uint32_t i = (uint32_t)(7 * draw_uniform(stream));
    return rounded(level[i] + extra, 2.99, 6.45, 100);
}

static double rate_of(sotto__seeded *stream, const sotto__loan_synthetic *s)
{
    static const double base[4] = {4.95, 5.35, 6, 8.1};
    double rate = base[s->tier - 1] + 0.35 * draw_normal(stream);
    if (s->row.term > 60) rate += 0.35;
    if (s->row.car == 'R') rate += 0.4;
    return rounded(rate, 2.45, 15.53, 100);
}

/* The prime rate fell and rose again over the 20 months of the data. */
static double prime_of(sotto__seeded *stream)
{
    double month = floor(20 * draw_uniform(stream));
    double rate = 1.84 - 0.72 * sin(3.14159265358979323846 * month / 26);
    return rounded(rate + 0.02 * draw_normal(stream), 1.02, 2.127, 1e4);
}

/* Log-normal with this mean; many people ask for whole thousands. */
static double amount_of(sotto__seeded *stream, double mean)
{
    double spread = 0.4;
    double amount = mean * exp(spread * draw_normal(stream) - spread * spread / 2);
    return rounded(amount, 5000, 100000, draw_uniform(stream) < 0.45 ? 1e-3 : 100);
}

/* amount rate/(1 - (1 + rate)^-term), at the nearest value with the marked cents. */
static double payment_of(const sotto__loan_synthetic *s)
{
    double rate = s->rate / 1200;
    double payment =
        s->row.amount * rate / -sotto__expm1(-(double)s->row.term * sotto__log1p(rate));
    double cents = sotto__loan_mark(&s->row);
    return (100 * nearbyint(payment - cents / 100) + cents) / 100;
}

static void draw_row(sotto__seeded *stream, sotto__loan_synthetic *s)
{
    const double car_share[CARS] = {cars[0].share, cars[1].share, cars[2].share};
    static const double term_share[5] = {0.10, 0.17, 0.50, 0.04, 0.19};
    static const uint32_t term[5] = {36, 48, 60, 66, 72};
    static const double partner_share[3] = {0.4, 0.2, 0.4};
    const struct car *drawn = &cars[draw_index(stream, car_share, CARS)];
    sotto__loan_row *row = &s->row;
    row->car = drawn->car;
    row->fico = rounded(731.3 + 46 * draw_normal(stream), 587, 850, 1);
    s->tier = tier_of(row->fico);
    row->term = term[draw_index(stream, term_share, 5)];
    row->amount = amount_of(stream, drawn->amount);
    row->prime = prime_of(stream);
    row->competition = competition_of(stream, row->term);
    s->rate = rate_of(stream, s);
    s->previous = 0;
    if (row->car == 'R')
        s->previous = rounded(s->rate + 2.5 + 2.5 * draw_normal(stream), 3, 20, 100);
    s->partner = 1 + draw_index(stream, partner_share, 3);
    row->payment = payment_of(s);
}

/* ---- answers ------------------------------------------------------------------------------ */

static double chance_of(double v)
{
    return 1 / (1 + exp(-v));
}

/* The intercept at which the expected share of accepted rows of a car type is as given. */
static double intercept_of(const struct car *car, const sotto__loan_synthetic *s,
                           const double *pull, uint32_t count)
{
    double lo = -40, hi = 40;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (lo + hi) / 2, excess = 0;
        for (uint32_t r = 0; r < count; r++) {
            if (s[r].row.car == car->car) excess += chance_of(pull[r] + middle) - car->acceptance;
        }
        if (excess > 0) {
            hi = middle;
        } else {
            lo = middle;
        }
    }
    return (lo + hi) / 2;
}

sotto_status sotto__loan_standin_draw(uint64_t seed, sotto__loan_synthetic *out, uint32_t count)
{
    double intercept[CARS];
    sotto__seeded stream;
    double *pull = malloc(((size_t)count + 1) * sizeof *pull);
    if (pull == NULL) return SOTTO_E_MEMORY;
    sotto__seeded_begin(&stream, seed);
    for (uint32_t r = 0; r < count; r++) {
        draw_row(&stream, &out[r]);
        pull[r] = pull_of(&out[r]);
    }
    for (uint32_t i = 0; i < CARS; i++) {
        intercept[i] = intercept_of(&cars[i], out, pull, count);
    }
    for (uint32_t r = 0; r < count; r++) {
        double v = pull[r] + intercept[car_of(&out[r])];
        out[r].row.accepted = draw_uniform(&stream) < chance_of(v);
    }
    free(pull);
    return SOTTO_OK;
}

/* ---- the file ----------------------------------------------------------------------------- */

static void write_row(FILE *file, const sotto__loan_synthetic *s)
{
    const sotto__loan_row *row = &s->row;
    fprintf(file, "%d,%u,%.0f,%c,%u,%.2f,", row->accepted, s->tier, row->fico,
            row->car == 'R' ? 'R' : 'F', row->term, row->amount);
    if (s->previous > 0) fprintf(file, "%.2f", s->previous);
    fprintf(file, ",%c,%.2f,%.2f,%.4f,%.2f,%.9f,%u,1\n", row->car, row->competition, s->rate,
            row->prime, row->payment, row->payment / row->amount, s->partner);
}

sotto_status sotto__loan_standin_write(FILE *file, uint32_t rows, uint64_t seed)
{
    if (rows < 1 || rows > SOTTO__LOAN_STANDIN_ROWS_MAX) return SOTTO_E_LENGTH;
    sotto__loan_synthetic *s = malloc(rows * sizeof *s);
    if (s == NULL) return SOTTO_E_MEMORY;
    sotto_status status = sotto__loan_standin_draw(seed, s, rows);
    if (status == SOTTO_OK) {
        fprintf(file, "apply,Tier,Primary_FICO,Type,Term,Amount_Approved,Previous_Rate,CarType,"
                      "Competition_rate,rate,onemonth,mp,mp_rto_amtfinance,partnerbin,SYNTHETIC\n");
    }
    for (uint32_t r = 0; r < rows && status == SOTTO_OK; r++) {
        write_row(file, &s[r]);
    }
    free(s);
    return status;
}
