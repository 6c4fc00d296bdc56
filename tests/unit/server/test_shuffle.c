/* What a crowd adds: bad inputs; never below a full enumeration in integers, and the blanket's exactly; sums of large crowds
 * in fifty digits; SPEC's table; a twin that forgets the opposite secret. */
#include "core/core.h"
#include "made.h"
#include "server/server.h"
#include "test.h"

#include <math.h>
#include <string.h>

/* Terms with one codebook of M codewords, TOP k, and the ratio `top`/2^28 of its weights. */
static sotto_terms terms_of(uint32_t size, uint32_t k, uint64_t top)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 2, spec.arms = 2, spec.epsilon = 8;
    sotto_terms terms = resolved(&spec);
    for (uint32_t phase = 0; phase < SOTTO_PHASES; phase++) {
        terms.codebook[phase] = (sotto_codebook){0};
    }
    terms.codebook[SOTTO_PHASE_MAIN] = (sotto_codebook){.dim = 2,
                                                        .size = size,
                                                        .groups = 1,
                                                        .top = k,
                                                        .weight_top = top,
                                                        .weight_rest = UINT64_C(1) << 28};
    return terms;
}

static double delta_of(const sotto_terms *terms, uint64_t reports, double epsilon)
{
    double delta;
    assert_ok(sotto_shuffle_delta(terms, reports, epsilon, &delta));
    return delta;
}

static double epsilon_of(const sotto_terms *terms, uint64_t reports, double delta)
{
    double epsilon;
    assert_ok(sotto_shuffle_epsilon(terms, reports, delta, &epsilon));
    return epsilon;
}

TEST(numbers_out_of_range_are_refused)
{
    const sotto_terms terms = terms_of(64, 26, (uint64_t)(M_E * 0x1p28));
    double out = 7;
    assert_status(sotto_shuffle_delta(NULL, 10, 0.5, &out), SOTTO_E_ARGUMENT);
    assert_status(sotto_shuffle_delta(&terms, 10, 0.5, NULL), SOTTO_E_ARGUMENT);
    assert_status(sotto_shuffle_epsilon(NULL, 10, 1e-6, &out), SOTTO_E_ARGUMENT);
    assert_status(sotto_shuffle_epsilon(&terms, 10, 1e-6, NULL), SOTTO_E_ARGUMENT);
    assert_status(sotto_shuffle_delta(&terms, 0, 0.5, &out), SOTTO_E_FAULT);
    assert_status(sotto_shuffle_delta(&terms, SOTTO_SHUFFLE_REPORTS_MAX + 1, 0.5, &out),
                  SOTTO_E_FAULT);
    const double epsilons[] = {-1e-9, 8.0000001, NAN, INFINITY}, deltas[] = {0, 9e-16, 1, NAN, -1};
    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++) {
        assert_status(sotto_shuffle_delta(&terms, 10, epsilons[i], &out), SOTTO_E_FAULT);
    }
    for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
        assert_status(sotto_shuffle_epsilon(&terms, 10, deltas[i], &out), SOTTO_E_FAULT);
    }
    assert_true(out == 7);
}

TEST(it_applies_to_reports_of_one_index_alone)
{
    double out;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.method = SOTTO_METHOD_LDP_OLS, spec.score = SOTTO_SCORE_MOMENTS,
    spec.noise_law = SOTTO_NOISE_LAPLACE, spec.delta = 0;
    const sotto_terms lattice = resolved(&spec);
    assert_false(sotto_shuffle_applies(&lattice));
    assert_status(sotto_shuffle_epsilon(&lattice, 1000, 1e-6, &out), SOTTO_E_SPEC);
    assert_status(sotto_shuffle_delta(&lattice, 1000, 0.1, &out), SOTTO_E_SPEC);
    assert_false(sotto_shuffle_applies(NULL));
    const sotto_terms terms = terms_of(4, 1, 3 * (UINT64_C(1) << 28));
    assert_true(sotto_shuffle_applies(&terms));
}

TEST(the_conditions_and_their_absence_are_in_words)
{
    sotto_terms terms = terms_of(4, 1, 3 * (UINT64_C(1) << 28));
    assert_non_null(strstr(sotto_shuffle_text(&terms), "a party other than the server"));
    terms.spec.split = SOTTO_SPLIT_PER_ARM, terms.spec.method = SOTTO_METHOD_LDP_SGD,
    terms.spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    assert_false(sotto_shuffle_applies(&terms));
    assert_non_null(strstr(sotto_shuffle_text(&terms), "split per-arm"));
    assert_non_null(strstr(sotto_shuffle_text(NULL), "computed only for"));
}

/* ---- the truth ------------------------------------------------------------------------------------------------ */

#define PEOPLE_MAX 4
/* (people + 1)^(messages - 1) at most: histograms as numbers, the last message left out. */
#define KEYS (1 << 16)

/* A case: M, k, the ratio of weights, people, X = num/den; and what mixes in. */
typedef struct crowd {
    uint32_t size, k;
    int64_t ratio;
    uint32_t people;
    int64_t num, den;
    uint32_t nulls;    /* 0 or k */
    uint32_t groups;   /* tags; 0 and 1: none */
    uint32_t signs;    /* 1: a public coin flips the score */
    uint32_t quarters; /* of the reports are those of measure rounds */
} crowd;

/* A message is a public sign and an index, or one of the two indices of a measure round, or none. */
static uint32_t indices(const crowd *at)
{
    return (at->size + at->nulls) * (1 + at->signs);
}

static uint32_t messages(const crowd *at)
{
    return indices(at) + (at->quarters > 0 ? 2 : 0) + 1;
}

/* A secret: where TOP begins, `size` for the nulls, and the sign of the reward. NO_SECRET is what all secrets share: a
 * message by the least chance that it has, and none otherwise. */
#define NO_SECRET UINT32_MAX

static uint32_t starts(const crowd *at)
{
    return at->size + (at->nulls > 0);
}

static uint32_t secrets(const crowd *at)
{
    return starts(at) * (at->quarters > 0 ? 2 : 1);
}

static uint32_t opposite_of(const crowd *at, uint32_t secret)
{
    return (secret + at->size / 2) % at->size + (at->quarters > 0 ? starts(at) : 0);
}

/* TOP is the codeword `start` and the next ones of its tag, k in all, around the circle: two that are half of it apart
 * are disjoint. */
static bool is_top(const crowd *at, uint32_t start, uint32_t index)
{
    const uint32_t half = at->size / 2, groups = at->groups > 1 ? at->groups : 1,
                   own = half / groups;
    if (start == at->size) return index >= at->size;
    if (index >= at->size || index % half % groups != start % half % groups) return false;
    const uint32_t place = index % half / groups + index / half * own,
                   from = start % half / groups + start / half * own;
    return (place + 2 * own - from) % (2 * own) < at->k;
}

/* W, and of how many equally likely cases a message is drawn. */
static int64_t weights(const crowd *at)
{
    return at->k * at->ratio + at->size + at->nulls - at->k;
}

static int64_t cases(const crowd *at)
{
    return 4 * weights(at) * (at->ratio + 1) * (1 + at->signs);
}

/* In how many cases this secret sends this message. */
static int64_t chance_of(const crowd *at, uint32_t secret, uint32_t message)
{
    const uint32_t all = at->size + at->nulls;
    const int64_t rest = (4 - at->quarters) * (at->ratio + 1),
                  measured = at->quarters * weights(at) * (1 + at->signs);
    if (message == messages(at) - 1)
        return secret == NO_SECRET ? cases(at) - indices(at) * rest - 2 * measured : 0;
    if (message >= indices(at)) {
        bool is_reward = secret != NO_SECRET && secret / starts(at) == message - indices(at);
        return is_reward ? at->ratio * measured : measured;
    }
    if (secret == NO_SECRET) return rest;
    uint32_t start = secret % starts(at);
    if (message / all == 1 && start < at->size) start = (start + at->size / 2) % at->size;
    return is_top(at, start, message % all) ? at->ratio * rest : rest;
}

static int64_t power(int64_t base, uint32_t exponent)
{
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

/* Adds the chances of all histograms, times cases^people. */
static void enumerate(const crowd *at, const uint32_t secret[PEOPLE_MAX], uint32_t person,
                      int64_t chance, uint32_t key, int64_t chances[KEYS])
{
    if (person == at->people) {
        assert_true(key < KEYS);
        chances[key] += chance;
        return;
    }
    for (uint32_t message = 0; message < messages(at); message++) {
        int64_t next = chance_of(at, secret[person], message);
        if (next == 0) continue;
        uint32_t digit = message < messages(at) - 1 ? (uint32_t)power(at->people + 1, message) : 0;
        enumerate(at, secret, person + 1, chance * next, key + digit, chances);
    }
}

/* sum over histograms of (P(h | 0) - X P(h | other))+, times den cases^people, where the first person has one of these
 * two secrets. */
static int64_t difference(const crowd *at, uint32_t secret[PEOPLE_MAX], uint32_t other)
{
    static int64_t own[KEYS], others[KEYS];
    const int64_t keys = power(at->people + 1, messages(at) - 1);
    int64_t sum = 0;
    for (uint32_t i = 0; i < KEYS && i < keys; i++) {
        own[i] = others[i] = 0;
    }
    secret[0] = 0;
    enumerate(at, secret, 0, 1, 0, own);
    secret[0] = other;
    enumerate(at, secret, 0, 1, 0, others);
    for (uint32_t i = 0; i < KEYS && i < keys; i++) {
        int64_t left = at->den * own[i] - at->num * others[i];
        if (left > 0) sum += left;
    }
    return sum;
}

/* The largest one over the secrets of the others and the other secret. */
static int64_t worst(const crowd *at, uint32_t secret[PEOPLE_MAX], uint32_t person)
{
    int64_t most = 0, found;
    if (person == at->people) {
        for (uint32_t other = 1; other < secrets(at); other++) {
            found = difference(at, secret, other);
            if (found > most) most = found;
        }
        return most;
    }
    for (uint32_t i = person == 1 ? 0 : secret[person - 1]; i < secrets(at); i++) {
        secret[person] = i;
        found = worst(at, secret, person + 1);
        if (found > most) most = found;
    }
    return most;
}

static double share(const crowd *at, int64_t found)
{
    return (double)found / ((double)at->den * (double)power(cases(at), at->people));
}

static double truth(const crowd *at)
{
    uint32_t secret[PEOPLE_MAX] = {0};
    return share(at, worst(at, secret, 1));
}

/* The blanket by itself: all others send what does not depend on their secrets, or nothing. */
static double blanket(const crowd *at)
{
    uint32_t secret[PEOPLE_MAX] = {0, NO_SECRET, NO_SECRET, NO_SECRET};
    return share(at, difference(at, secret, opposite_of(at, 0)));
}

static double bound(const crowd *at)
{
    sotto_terms terms = terms_of(at->size, at->k, (uint64_t)at->ratio << 28);
    terms.codebook[SOTTO_PHASE_MAIN].nulls = at->nulls;
    if (at->groups > 1) terms.codebook[SOTTO_PHASE_MAIN].groups = at->groups;
    terms.spec.measure = at->quarters << 30;
    return delta_of(&terms, at->people, log((double)at->num / (double)at->den));
}

static const crowd crowds[] = {
    {.size = 2, 1, 3, 1, 3, 2},  {.size = 2, 1, 3, 3, 3, 2},   {.size = 2, 1, 7, 4, 2, 1},
    {.size = 4, 1, 3, 1, 3, 2},  {.size = 4, 1, 3, 2, 3, 2},   {.size = 4, 1, 3, 3, 3, 2},
    {.size = 4, 1, 3, 3, 1, 1},  {.size = 4, 2, 3, 3, 3, 2},   {.size = 4, 1, 7, 4, 3, 1},
    {.size = 4, 2, 20, 4, 5, 1}, {.size = 4, 1, 2, 4, 11, 10}, {.size = 6, 1, 7, 3, 3, 1},
    {.size = 6, 2, 5, 3, 2, 1},  {.size = 6, 3, 5, 3, 2, 1},
};

/* Nulls, signs, tags and measure rounds, alone and together. */
static const crowd mixed[] = {
    {4, 1, 3, 3, 3, 2, .nulls = 1},
    {4, 2, 5, 3, 2, 1, .nulls = 2},
    {4, 1, 3, 3, 3, 2, .signs = 1},
    {8, 1, 5, 3, 2, 1, .groups = 2},
    {8, 2, 3, 3, 3, 2, .groups = 2},
    {2, 1, 3, 3, 3, 2, .quarters = 2},
    {4, 1, 3, 1, 3, 2, .quarters = 1},
    {4, 1, 7, 3, 3, 1, .quarters = 1},
    {4, 2, 5, 3, 2, 1, .quarters = 3},
    {4, 1, 7, 3, 3, 1, .nulls = 1, .quarters = 1},
    {4, 1, 3, 2, 3, 2, .signs = 1, .quarters = 1},
    {8, 1, 5, 2, 2, 1, .groups = 2, .quarters = 2},
};

static void is_blanket_and_bounds_truth(const crowd *at, size_t row)
{
    double exact = truth(at), sum = blanket(at), found = bound(at);
    assert_true(exact > 0);
    if (found < exact)
        fail_msg("crowd %zu: delta is %.12g, and the truth is %.12g", row, found, exact);
    if (!(found >= sum * (1 - 1e-14) && found <= sum * (1 + 1e-9)))
        fail_msg("crowd %zu: delta is %.12g, and the blanket's is %.12g", row, found, sum);
}

TEST(it_is_an_enumeration_of_the_blanket_and_never_below_one_of_all_secrets)
{
    for (size_t i = 0; i < sizeof crowds / sizeof *crowds; i++) {
        is_blanket_and_bounds_truth(&crowds[i], i);
    }
    const crowd by_hand = {.size = 4, 1, 3, 3, 3, 2};
    assert_near(truth(&by_hand), 19.0 / 144, 1e-15);
    assert_near(bound(&by_hand), 19.0 / 144, 1e-9 * 19 / 144);
}

TEST(nulls_signs_tags_and_measure_rounds_are_enumerated_too)
{
    for (size_t i = 0; i < sizeof mixed / sizeof *mixed; i++) {
        is_blanket_and_bounds_truth(&mixed[i], i);
    }
}

/* The blanket's sum as it is written down, in long double; `opposite` is false for the broken twin, which compares the
 * secret with a report that says nothing instead of with the opposite secret. */
static double by_definition(const crowd *at, bool opposite)
{
    const long double ratio = at->ratio, x = (long double)at->num / at->den, k = at->k,
                      size = at->size;
    const long double total = k * ratio + size - k, n = at->people, top = k / total;
    const long double rest = opposite ? (size - 2 * k) / total : (size - k) / total;
    const long double even = total / size; /* a report that says nothing, in units of weight_rest */
    long double sum = 0;
    for (uint32_t a = 0; a <= at->people; a++) {
        for (uint32_t b = 0; a + b <= at->people; b++) {
            for (uint32_t c = 0; a + b + c <= at->people; c++) {
                const uint32_t d = at->people - a - b - c;
                if (!opposite && b > 0) continue;
                long double s = opposite ? (ratio - x) * a - (x * ratio - 1) * b - (x - 1) * c
                                         : (ratio - x * even) * a - (x * even - 1) * c;
                long double ways = expl(lgammal(n + 1) - lgammal(a + 1.0L) - lgammal(b + 1.0L) -
                                        lgammal(c + 1.0L) - lgammal(d + 1.0L));
                long double left = opposite ? 1 - 2 * top - rest : 1 - top - rest;
                if (s > 0) sum += s * ways * powl(top, a + b) * powl(rest, c) * powl(left, d);
            }
        }
    }
    return (double)(sum / n);
}

TEST(it_is_the_sum_of_the_definition)
{
    const crowd larger[] = {{.size = 64, 26, 3, 40, 5, 4},   {.size = 64, 20, 7, 60, 3, 2},
                            {.size = 256, 44, 54, 50, 9, 1}, {.size = 2, 1, 3, 90, 6, 5},
                            {.size = 64, 32, 3, 50, 7, 5},   {.size = 64, 2, 100, 70, 30, 1},
                            {.size = 64, 29, 2, 100, 21, 20}};
    for (size_t i = 0; i < sizeof larger / sizeof *larger; i++) {
        double expected = by_definition(&larger[i], true), found = bound(&larger[i]);
        if (!(found >= expected * (1 - 1e-14) && found <= expected * (1 + 1e-9))) {
            fail_msg("crowd %zu: %.15g is not %.15g", i, found, expected);
        }
    }
}

/* Near both ends of epsilon_c, where windows leave much out, where chances underflow, and up to the largest crowd: sums of
 * the definition in fifty digits and more, by tests/golden/make_shuffle.py. */
TEST(it_is_the_sum_in_fifty_digits_to_a_billionth)
{
    static const struct {
        uint32_t size, k;
        uint64_t top, people;
        double epsilon, delta;
    } row[] = {
        {64, 18, UINT64_C(271133277), 199, 0.00999999, 9.10281136537198e-118},
        {1024, 121, UINT64_C(800194816567), 6, 0.0, 9.95501977957339e-1},
        {256, 3, UINT64_C(800194816567), 1, 0.0, 9.72161427931412e-1},
        {4, 1, UINT64_C(800194816567), 25, 7.9999, 9.7511773414116e-5},
        {4, 1, UINT64_C(296667059), 14, 0.0999999, 1.03799998507318e-15},
        {64, 26, UINT64_C(729683222), 400, 0.3, 3.02175474828342e-9},
        {256, 44, UINT64_C(14656079300), 300, 3.0, 4.58256283616504e-5},
        {2, 1, UINT64_C(1983484643), 250, 0.5, 5.55433933446418e-4},
        {1024, 400, UINT64_C(442575246), 120, 0.001, 1.81724234917617e-2},
        {1024, 40, UINT64_C(800194816567), 150, 5.0, 8.43544551030246e-1},
        {64, 26, UINT64_C(729683222), 100000, 0.012, 7.19859651744190e-7},
        {4096, 4, UINT64_C(1983484643), 100000, 0.003, 8.87378466075071e-8},
        {4096, 4, UINT64_C(1983484643), 1000000, 0.0009, 5.27940519517261e-8},
        {4096, 1, UINT64_C(805306368), 10000000, 0.00005, 5.96867649595801e-10},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const sotto_terms terms = terms_of(row[i].size, row[i].k, row[i].top);
        double found = delta_of(&terms, row[i].people, row[i].epsilon);
        if (!(found >= row[i].delta * (1 - 1e-14) && found <= row[i].delta * (1 + 1e-9)))
            fail_msg("row %zu: %.15g is not %.15g", i, found, row[i].delta);
    }
}

TEST(a_twin_that_forgets_the_opposite_secret_is_below_the_truth)
{
    int below = 0;
    for (size_t i = 0; i < sizeof crowds / sizeof *crowds; i++) {
        below += by_definition(&crowds[i], false) < truth(&crowds[i]);
    }
    assert_true(below >= 10);
}

/* ---- larger crowds ---------------------------------------------------------------------------------------------- */

TEST(the_table_of_the_specification)
{
    static const struct {
        double epsilon;
        uint32_t size, k;
        double thousand, ten_thousand; /* to a unit of the last digit */
    } row[] = {
        {0.5, 64, 29, 0.0602, 0.0174}, {1, 64, 26, 0.1396, 0.0406},   {2, 64, 20, 0.3679, 0.1065},
        {4, 256, 44, 1.670, 0.3955},   {0.5, 64, 27, 0.0584, 0.0169}, {1, 64, 23, 0.1341, 0.0390},
        {2, 64, 14, 0.3411, 0.0991},   {4, 256, 18, 1.418, 0.3669},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const sotto_terms terms =
            terms_of(row[i].size, row[i].k, (uint64_t)(exp(row[i].epsilon) * 0x1p28));
        const double digit = row[i].thousand > 1 ? 1e-3 : 1e-4;
        assert_near(epsilon_of(&terms, 1000, 1e-6), row[i].thousand, digit);
        assert_near(epsilon_of(&terms, 10000, 1e-6), row[i].ten_thousand, 1e-4);
    }
}

/* delta of Gaussian noise whose sd is 1/mu of what it hides. */
static double gaussian_delta(double mu, double epsilon)
{
    return (erfc((epsilon / mu - mu / 2) / M_SQRT2) -
            exp(epsilon) * erfc((epsilon / mu + mu / 2) / M_SQRT2)) /
           2;
}

/* By the central limit, mu = (L - 1) sqrt(2 k/(W n)): close, but no bound. */
TEST(large_crowds_are_like_gaussian_noise_to_a_thousandth)
{
    static const struct {
        double epsilon;
        uint32_t size, k;
        uint64_t reports;
    } row[] = {
        {0.5, 64, 27, 1000},    {1, 64, 23, 1000},    {0.5, 64, 29, 100000},  {1, 64, 26, 100000},
        {0.5, 64, 29, 1000000}, {1, 64, 26, 1000000}, {1, 4096, 1, 10000000},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const uint64_t top = (uint64_t)(exp(row[i].epsilon) * 0x1p28);
        const sotto_terms terms = terms_of(row[i].size, row[i].k, top);
        const double ratio = (double)top / 0x1p28, k = row[i].k,
                     total = k * ratio + row[i].size - k,
                     mu = (ratio - 1) * sqrt(2 * k / (total * (double)row[i].reports));
        double found = epsilon_of(&terms, row[i].reports, 1e-6);
        if (!(gaussian_delta(mu, found * 1.001) < 1e-6 && gaussian_delta(mu, found * 0.999) > 1e-6))
            fail_msg("row %zu: %.6g is not that of mu %.6g", i, found, mu);
    }
}

TEST(epsilon_is_the_smallest_one_for_its_delta)
{
    const sotto_terms terms = terms_of(64, 26, (uint64_t)(M_E * 0x1p28));
    const double deltas[] = {1e-15, 1e-9, 1e-6, 1e-3, 0.005};
    for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
        double epsilon = epsilon_of(&terms, 2000, deltas[i]);
        assert_true(epsilon > 0 && delta_of(&terms, 2000, epsilon) <= deltas[i]);
        assert_true(delta_of(&terms, 2000, epsilon * (1 - 1e-6)) > deltas[i]);
    }
    assert_true(epsilon_of(&terms, 2000, 0.9) == 0);
    assert_near(epsilon_of(&terms, 1, 1e-6), 1, 1e-5); /* one person alone: no crowd */
    assert_true(epsilon_of(&terms, 1, 1e-6) <= 1);
}

TEST(a_larger_crowd_never_leaks_more)
{
    const sotto_terms terms = terms_of(64, 20, (uint64_t)(exp(2) * 0x1p28));
    double before = 2;
    for (uint64_t n = 1; n < 100000; n = n * 3 / 2 + 1) {
        double epsilon = epsilon_of(&terms, n, 1e-6);
        assert_true(epsilon <= before);
        before = epsilon;
    }
    assert_true(before < 0.04);
}

TEST(the_phase_that_leaks_most_counts)
{
    sotto_terms terms = terms_of(64, 20, (uint64_t)(exp(2) * 0x1p28));
    double alone = delta_of(&terms, 1000, 0.3);
    terms.codebook[SOTTO_PHASE_WARM_UP] = terms.codebook[SOTTO_PHASE_MAIN];
    terms.codebook[SOTTO_PHASE_WARM_UP].size = 40; /* TOP is half of it: a larger r */
    double both = delta_of(&terms, 1000, 0.3);
    assert_true(both > 1.1 * alone);
}
