/*
 * What shuffling adds: the (epsilon_c, delta) that n shuffled reports of one epoch and phase leak about one person.
 *
 * By the privacy blanket every index has at least the chance weight_rest/W, whatever the secret. The worst two
 * secrets have disjoint TOPs, those of v and -v. With L = weight_top/weight_rest <= e^epsilon and
 * W = k L + M + nulls - k, in units of weight_rest:
 *
 *     r = k/W, g = (M + nulls - 2 k)/W,                       so r (1 + L) + g = 1,
 *     (a, b, c, rest) ~ multinomial(n; r, r, g, r (L - 1)),
 *     delta(X) = E[S+]/n,  S = A a - B b - C c,  A = L - X,  B = X L - 1,  C = X - 1,  X = e^epsilon_c.
 *
 * A share w of measure rounds sends binary reports (M = 2, k = 1): r -> (1 - w) r + w/(L + 1), g -> (1 - w) g.
 *
 * The sum. Given b and c, a is binomial(N = n - b - c, 1/L). With x = (B b + C c)/A and t = floor(x) + 1,
 *
 *     E[(a - x)+] = (t - x) T + U,   T = P(a >= t),   U = sum of P(a >= s) over s > t.
 *
 * Each b is a row. It runs from the largest c down, so that N grows and t falls, and every step adds:
 *
 *     N -> N + 1:  U += T/L,  T += p/L    with p = P(a = t - 1), which follows by its ratios
 *     t -> t - 1:  U += T,    T += p
 *
 * No step subtracts. Rows have fewer than 10^5 steps of at most nine roundings, and so are exact to 1e-10; SLACK
 * covers this twice. What lies outside of the windows of b and c is bounded and added: with S+ <= e^(hS - 1)/h,
 * and the tilted chance q = r e^(-hB)/m of b, m = E[e^(hs)] of one report,
 *
 *     E[S+; b >= y] <= m^n/(e h) exp(-n KL(y/n, q))      for y/n >= q; the same below q, and for c.
 *
 * The windows end where n KL is 27, and go on where this bound is not yet small. Cells of chances below e^-600 are left
 * out; LEFT_OUT is more than all of them. C is rounded down: A = L - 1 - C is then too large, noticeably so only
 * within a millionth of epsilon. So delta is never too small.
 */
#include "core/core.h"
#include "server.h"

#include <math.h>

#define SLACK 2e-10
#define WINDOW 27.0 /* n KL at the ends of the first windows */
#define REACH (-600.0)
#define LEFT_OUT 1e-240

/* One phase's reports: chances and payoffs of a, b and c. */
typedef struct sotto__blanket {
    double n, ratio;         /* L */
    double both, rest;       /* r, g */
    double gain, loss, drag; /* A, B, C; C = X - 1 is given, from 0 to below L - 1 */
} sotto__blanket;

typedef struct sotto__leak {
    double delta; /* an upper bound */
    double slope; /* of delta by X: -E[a + L b + c; S > 0]/n */
} sotto__leak;

/* x ln(x/m) + m - x >= 0: the deviance of a count x from its mean m > 0. */
static double deviance(double x, double m)
{
    if (x <= 0) return m;
    double v = (x - m) / (x + m);
    if (fabs(v) >= 0.1) return x * log(x / m) + m - x;
    double sum = (x - m) * v, power = 2 * x * v;
    for (int j = 1; j < 40; j++) { /* atanh: ln(x/m) = 2 (v + v^3/3 + ...) */
        power *= v * v;
        double next = sum + power / (2 * j + 1);
        if (next == sum) break;
        sum = next;
    }
    return sum;
}

/* ln n! less Stirling's (n + 1/2) ln n - n + ln(2 pi)/2. */
static double stirling_rest(double n)
{
    if (n < 16) return sotto__log_gamma(n + 1) - ((n + 0.5) * log(n) - n + 0.91893853320467274178);
    double square = 1 / (n * n);
    return (1.0 / 12 -
            (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - square / 1188) * square) * square) * square) /
           n;
}

/* ln P(x) of a binomial less its square root, for 0 < x < n (Loader 2000). */
static double binomial_exponent(double x, double n, double chance)
{
    return stirling_rest(n) - stirling_rest(x) - stirling_rest(n - x) - deviance(x, n * chance) -
           deviance(n - x, n * (1 - chance));
}

/* P(x) of a binomial, to a few units of 1e-14. */
static double binomial(double x, double n, double chance)
{
    if (x < 0 || x > n) return 0;
    if (n == 0) return 1;
    if (x == 0) return exp(n * sotto__log1p(-chance));
    if (x == n) return exp(n * log(chance));
    return exp(binomial_exponent(x, n, chance)) * sqrt(n / (6.28318530717958647693 * x * (n - x)));
}

/* Is P(x) large enough to follow it, or x below the mean? */
static bool is_reached(double x, double n, double chance)
{
    if (x <= n * chance) return true;
    return (x < n ? binomial_exponent(x, n, chance) : n * log(chance)) > REACH;
}

/* m - 1 of the tilt h, and where E[s e^(hs)] changes its sign. */
static double tilted_less_one(const sotto__blanket *at, double h)
{
    return at->both * (sotto__expm1(h * at->gain) + sotto__expm1(-h * at->loss)) +
           at->rest * sotto__expm1(-h * at->drag);
}

static double tilted_mean(const sotto__blanket *at, double h)
{
    return at->both * (at->gain * exp(h * at->gain) - at->loss * exp(-h * at->loss)) -
           at->rest * at->drag * exp(-h * at->drag);
}

/* The h at which S has the mean 0. Any h > 0 gives a bound; that of X = 1 is 1/sd(S). */
static double tilt_of(const sotto__blanket *at)
{
    double variance =
        at->both * (at->gain * at->gain + at->loss * at->loss) + at->rest * at->drag * at->drag;
    double low = 1 / sqrt(at->n * variance), high = low;
    while (tilted_mean(at, high) < 0) {
        high *= 2;
    }
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        *(tilted_mean(at, middle) < 0 ? &low : &high) = middle;
    }
    return high;
}

typedef struct sotto__window {
    double first, last;
} sotto__window;

/* n KL(y/n, chance). */
static double divergence(const sotto__blanket *at, double y, double chance)
{
    return deviance(y, at->n * chance) + deviance(at->n - y, at->n * (1 - chance));
}

/* The count nearest to `out` with n KL(y/n, chance) < width, where `in` has less and `out` has not. */
static double end_of(const sotto__blanket *at, double chance, double width, double in, double out)
{
    while (fabs(in - out) > 1) {
        double half = floor((in + out) / 2);
        *(divergence(at, half, chance) < width ? &in : &out) = half;
    }
    return in;
}

/* The counts y with n KL(y/n, chance) < width; `outside` counts the ends beyond which others lie. */
static sotto__window window_of(const sotto__blanket *at, double chance, double width, int *outside)
{
    if (chance <= 0) return (sotto__window){0, 0};
    const double middle = floor(at->n * chance);
    sotto__window window = {0, at->n};
    if (divergence(at, 0, chance) >= width) {
        window.first = end_of(at, chance, width, middle, 0);
        ++*outside;
    }
    if (divergence(at, at->n, chance) >= width) {
        window.last = end_of(at, chance, width, middle, at->n);
        ++*outside;
    }
    return window;
}

/* The state of a row at one c: a is binomial(left, 1/L). */
typedef struct sotto__tails {
    double left, t; /* N, t */
    double at;      /* P(a = t - 1) */
    double from;    /* T */
    double beyond;  /* U */
} sotto__tails;

/* Both sums from the largest chance on, upwards until all that follows, less than a geometric series, does not
 * count, and downwards, where chances that underflow do not. */
static void tails_begin(sotto__tails *tails, double ratio)
{
    const double n = tails->left, mode = fmin(n, fmax(tails->t, floor((n + 1) / ratio)));
    tails->at = binomial(tails->t - 1, n, 1 / ratio);
    tails->from = tails->beyond = 0;
    double largest = binomial(mode, n, 1 / ratio), chance = largest;
    for (double a = mode; a <= n; a++) {
        tails->from += chance;
        tails->beyond += (a - tails->t) * chance;
        double step = (n - a) / ((a + 1) * (ratio - 1));
        chance *= step;
        double fall = 1 - step;
        if (fall > 0 && chance * ((a + 1 - tails->t) * fall + 1) < 1e-20 * largest * fall * fall) {
            break;
        }
    }
    chance = largest;
    for (double a = mode - 1; a >= tails->t && chance > 1e-30 * largest; a--) {
        chance *= (a + 1) * (ratio - 1) / (n - a);
        tails->from += chance;
        tails->beyond += (a - tails->t) * chance;
    }
}

/* t -> t - 1. */
static void tails_lower(sotto__tails *tails, double ratio)
{
    tails->beyond += tails->from;
    tails->from += tails->at;
    tails->at *= (tails->t - 1) * (ratio - 1) / (tails->left + 2 - tails->t);
    tails->t -= 1;
}

/* a must reach t for S to be positive. */
static double least_a(const sotto__blanket *at, double b, double c)
{
    return floor((at->loss * b + at->drag * c) / at->gain) + 1;
}

/* Does the cell count, and can its chances be followed from there? If so, then also for all smaller c. */
static bool is_cell(const sotto__blanket *at, double b, double c, double chance)
{
    const double left = at->n - b - c, t = least_a(at, b, c);
    return t <= left && is_reached(t - 1, left, 1 / at->ratio) && is_reached(c, at->n - b, chance);
}

/* One row: adds the cells of b to E[S+]/A and to E[a + L b + c; S > 0]. */
static void add_row(const sotto__blanket *at, double b, sotto__window over, double *sum,
                    double *slope)
{
    const double others = at->n - b, chance = at->rest / (1 - at->both),
                 odds = (1 - chance) / chance;
    double c = fmin(over.last, others);
    if (c < over.first || !is_cell(at, b, over.first, chance)) return;
    for (double in = over.first, out = c; !is_cell(at, b, c, chance);) {
        double half = floor((in + out) / 2);
        *(is_cell(at, b, half, chance) ? &in : &out) = half;
        if (out - in <= 1) c = in;
    }
    sotto__tails tails = {.left = others - c, .t = least_a(at, b, c)};
    tails_begin(&tails, at->ratio);
    const double loss = at->loss * b / at->gain, drag = at->drag / at->gain,
                 chance_of_a = 1 / at->ratio, other = 1 - chance_of_a;
    double weight = chance > 0 ? binomial(c, others, chance) : 1, row = 0, row_slope = 0;
    for (;;) {
        double x = loss + drag * c;
        while (tails.t > 1 && tails.t - 1 > x) {
            tails_lower(&tails, at->ratio);
        }
        row += weight * ((tails.t - x) * tails.from + tails.beyond);
        row_slope += weight * ((tails.t + at->ratio * b + c) * tails.from + tails.beyond);
        if (c <= over.first) break;
        const double more = tails.left + 1, room = more + 1 - tails.t, share = 1 / (more * room);
        weight *= c * odds * room * share;
        tails.beyond +=
            tails.from * chance_of_a; /* N -> N + 1, with one division for both chances */
        tails.from += tails.at * chance_of_a;
        tails.at *= more * more * other * share;
        tails.left = more;
        c--;
    }
    double rows = binomial(b, at->n, at->both);
    *sum += rows * row;
    *slope += rows * row_slope;
}

/* delta at at->drag. To search, about 128 rows stand for all: close, but not a bound. */
static sotto__leak leak(sotto__blanket *at, bool searches)
{
    at->gain = at->ratio - 1 - at->drag, at->loss = at->ratio - 1 + at->ratio * at->drag;
    if (at->gain <= 0) return (sotto__leak){0};
    const double h = tilt_of(at), less_one = tilted_less_one(at, h), m = 1 + less_one;
    double missed = 1, sum = 0, slope = 0, stride = 1;
    for (double width = WINDOW; missed > 1e-10 * sum; width *= 2) {
        int outside = 0;
        sotto__window b = window_of(at, at->both * exp(-h * at->loss) / m, width, &outside);
        sotto__window c = window_of(at, at->rest * exp(-h * at->drag) / m, width, &outside);
        stride = searches ? fmax(1, floor((b.last - b.first) / 128)) : 1, sum = 0, slope = 0;
        for (double y = b.first; y <= b.last; y += stride) {
            add_row(at, y, c, &sum, &slope);
        }
        missed = outside * exp(at->n * sotto__log1p(less_one) - 1 - width) / (h * at->gain);
        if (searches || outside == 0) break;
    }
    return (sotto__leak){(at->gain * (sum * stride + missed) / at->n + LEFT_OUT) * (1 + SLACK),
                         -slope * stride / at->n};
}

static sotto__blanket blanket_of(const sotto_terms *terms, const sotto_codebook *codebook,
                                 uint64_t reports)
{
    const double ratio = (double)codebook->weight_top / (double)codebook->weight_rest,
                 k = codebook->top;
    const double all = (double)codebook->size + codebook->nulls, total = k * ratio + all - k;
    const double measured = (double)terms->spec.measure / 0x1p32;
    return (sotto__blanket){
        .n = (double)reports,
        .ratio = ratio,
        .both = (1 - measured) * k / total + measured / (ratio + 1),
        .rest = (1 - measured) * (all - 2 * k) / total,
    };
}

/* The smallest epsilon_c with delta(e^epsilon_c) <= delta, and at most 1e-7 of it above: Newton's steps for ln delta
 * on rows far apart, kept within a bracket; then whole sums until one holds. */
static double smallest_epsilon(sotto__blanket *at, double delta)
{
    double low = 0, high = at->ratio - 1;
    at->drag = 0;
    if (leak(at, true).delta < 2 * delta && leak(at, false).delta <= delta) return 0;
    for (int i = 0; i < 200 && high - low > 1e-12 * high; i++) {
        sotto__leak found = leak(at, true);
        *(found.delta > delta ? &low : &high) = at->drag;
        double next = at->drag + log(delta / found.delta) * found.delta / found.slope;
        if (fabs(next - at->drag) < 1e-9 * at->drag) break;
        at->drag = next > low && next < high ? next : (low + high) / 2;
    }
    at->drag *= 1 + 1e-8;
    for (int i = 0; i < 8; i++) { /* the first one is close: the others begin at a whole sum */
        sotto__leak found = leak(at, false);
        if (found.delta <= delta) return sotto__log1p(at->drag) * (1 + 1e-12) + 1e-15;
        at->drag += log(delta / found.delta) * found.delta / found.slope;
        at->drag *= 1 + 1e-8;
        if (at->drag >= at->ratio - 1) break;
    }
    return log(at->ratio);
}

static sotto_status check(const sotto_terms *terms, uint64_t reports, const double *out)
{
    if (terms == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    if (!sotto_shuffle_applies(terms)) return SOTTO_E_SPEC;
    return reports < 1 || reports > SOTTO_SHUFFLE_REPORTS_MAX ? SOTTO_E_FAULT : SOTTO_OK;
}

bool sotto_shuffle_applies(const sotto_terms *terms)
{
    return terms != NULL && sotto_terms_reports_indices(terms) && sotto_report_count(terms) == 1;
}

const char *sotto_shuffle_text(const sotto_terms *terms)
{
    if (!sotto_shuffle_applies(terms)) {
        return "The effect of shuffling is computed only for reports of one codeword index, not "
               "for lattice reports or split per-arm.";
    }
    return "This holds only if a party other than the server removes who sent each report and "
           "when, forwards the reports of one epoch in random order, and forwards none if there "
           "are fewer. All these people must have the same model in the same phase, and none of "
           "them may work with the server: with a share f of fake reports, use (1 - f) times as "
           "many. Devices must not be linkable between epochs. A person's rounds add up. The "
           "first, small epochs gain almost nothing. Policies and ledgers of devices do not use "
           "this number.";
}

sotto_status sotto_shuffle_delta(const sotto_terms *terms, uint64_t reports, double epsilon,
                                 double *out)
{
    sotto_status status = check(terms, reports, out);
    if (status != SOTTO_OK) return status;
    if (!(epsilon >= 0 && epsilon <= terms->spec.epsilon)) return SOTTO_E_FAULT;
    double most = 0;
    for (uint32_t phase = 0; phase < SOTTO_PHASES; phase++) {
        if (terms->codebook[phase].size == 0) continue;
        sotto__blanket at = blanket_of(terms, &terms->codebook[phase], reports);
        at.drag = sotto__expm1(epsilon) * (1 - 4e-16);
        most = fmax(most, leak(&at, false).delta);
    }
    *out = fmin(most, 1);
    return SOTTO_OK;
}

sotto_status sotto_shuffle_epsilon(const sotto_terms *terms, uint64_t reports, double delta,
                                   double *out)
{
    sotto_status status = check(terms, reports, out);
    if (status != SOTTO_OK) return status;
    if (!(delta >= SOTTO_SHUFFLE_DELTA_MIN && delta < 1)) return SOTTO_E_FAULT;
    double most = 0;
    for (uint32_t phase = 0; phase < SOTTO_PHASES; phase++) {
        if (terms->codebook[phase].size == 0) continue;
        sotto__blanket at = blanket_of(terms, &terms->codebook[phase], reports);
        most = fmax(most, smallest_epsilon(&at, delta));
    }
    *out = fmin(most, terms->spec.epsilon);
    return SOTTO_OK;
}
