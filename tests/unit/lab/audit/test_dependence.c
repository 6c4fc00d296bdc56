/* Dependence of successive answers: honest streams of several laws pass, re-used noise is
 * detected. */
#include "lab/audit/inner.h"
#include "lab/random/random.h"
#include "seeds.h"
#include "subjects.h"
#include "test.h"

typedef enum stream {
    NORMAL,
    COIN,
    MANY_VALUES,
    CONSTANT,
    REUSED,
    REPEATED,
    LAGGED,
    SMOOTH,
    NEGATED,
    SIZED,
} stream;
#define LAG 40

static uint32_t failures_of(stream kind, uint64_t seed)
{
    sotto__dependence *dependence;
    sotto__seeded random;
    sotto_audit_result result = {.rows_count = 0};
    sotto__seeded_begin(&random, seed);
    assert_ok(sotto__dependence_new(2, &dependence));
    for (int pair = 0; pair < 2; pair++) {
        const double middle[4] = {3, 0, -3, 0}, spread[2] = {0.7, 0.7};
        double value[2] = {0, 0}, noise[2] = {0, 0}, old[LAG][2];
        sotto__dependence_begin(dependence, middle, spread);
        for (uint64_t t = 0; t < 4000; t++) {
            uint64_t coin = sotto__seeded_next(&random);
            uint32_t secret = coin & 1;
            bool again = (kind == REUSED || kind == REPEATED) && t % 2 == 1;
            uint64_t first = sotto__seeded_next(&random), second = sotto__seeded_next(&random);
            if (!again) sotto__normal_pair(first, second, noise);
            if (kind == LAGGED) { /* every second answer has the noise of LAG answers ago */
                double *held = old[t % LAG];
                if (t / LAG % 2 == 0) held[0] = noise[0], held[1] = noise[1];
                noise[0] = held[0], noise[1] = held[1];
            }
            if (kind == SMOOTH) { /* never equal to the last, but close to it */
                old[0][0] = t == 0 ? 0 : 0.4 * old[0][0] + noise[0];
                noise[0] = old[0][0];
            }
            if (kind == NEGATED || kind == SIZED) { /* the noise of two answers ago, negated */
                double *held = old[t % 2], turn = kind == NEGATED || first % 2 == 0 ? -1 : 1;
                if (t / 2 % 2 == 0) held[0] = noise[0], held[1] = noise[1];
                if (t / 2 % 2 == 1) noise[0] = turn * held[0];
            }
            if (kind == MANY_VALUES) noise[0] = rint(4 * noise[0]), noise[1] = rint(noise[1]);
            if (kind == COIN) noise[0] = noise[0] > 0.7 ? 1 : 0, noise[1] = 0;
            if (kind == CONSTANT) noise[0] = noise[1] = 0;
            if (kind == REPEATED && again) {
                sotto__dependence_take(dependence, secret, value);
                continue;
            }
            value[0] = (secret == 0 ? 3 : -3) + noise[0];
            value[1] = noise[1];
            sotto__dependence_take(dependence, secret, value);
        }
        sotto__dependence_end(dependence);
    }
    sotto__dependence_rows(dependence, &result);
    sotto__dependence_free(dependence);
    assert_int_equal(result.rows_count, 4);
    if (kind == SIZED) assert_near(result.row[2].statistic, 0.5, 0.06);
    return failed_rows(&result);
}

TEST(honest_streams_pass)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        assert_ints(failures_of(NORMAL, seed), 0, failures_of(COIN, seed), 0);
        assert_ints(failures_of(MANY_VALUES, seed), 0, failures_of(CONSTANT, seed), 0);
    }
}

TEST(reused_noise_is_told)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        assert_true(failures_of(REUSED, seed) > 0 && failures_of(REPEATED, seed) > 0);
        assert_true(failures_of(LAGGED, seed) > 0 && failures_of(SMOOTH, seed) > 0);
        assert_int_equal(failures_of(NEGATED, seed), 2); /* its sign, and its size */
        assert_int_equal(failures_of(SIZED, seed), 1);
    }
}

TEST(nothing_is_freed_twice)
{
    sotto__dependence_free(NULL);
}

/* Stretches: honest answers pass, however many; a stretch of exact answers, or of answers in a
 * code, is detected. */

static const double threshold[] = {0, 1, 3};
static const sotto__privacy_claim pure = {.epsilon = 1}, gaussian = {.epsilon = 1, .delta = 1e-6};

/* Randomised response of this epsilon, exact from trial `start` on for `count` trials. */
static sotto_audit_result play(const sotto__privacy_claim *claim, double epsilon, uint64_t trials,
                               uint64_t start, uint64_t count, uint64_t seed)
{
    sotto__stretch stretch = {.trials = 0};
    sotto_audit_result result = {.rows_count = 0};
    sotto__seeded random = seeded_of(seed);
    for (uint64_t t = 0; t < trials; t++) {
        uint32_t secret = sotto__seeded_next(&random) & 1;
        bool truth = sotto__uniform(sotto__seeded_next(&random)) < 1 / (1 + exp(-epsilon));
        if (t >= start && t < start + count) truth = true;
        sotto__stretch_look look = {truth == (secret == 0) ? 2 : -2, threshold, NULL};
        sotto__stretch_take(&stretch, claim, secret, t, &look);
    }
    sotto__stretch_row(&stretch, claim, 0.001, &result);
    assert_int_equal(result.rows_count, 1);
    assert_near(result.row[0].bound, 1 / (1 + exp(-1.0)), 1e-12);
    return result;
}

TEST(nothing_says_nothing)
{
    sotto_audit_result result = play(&pure, 1, 0, 0, 0, 1);
    assert_true(result.row[0].passed && isnan(result.row[0].statistic));
    sotto__stretch silent = {.trials = 0};
    for (uint32_t t = 0; t < 1000; t++) {
        sotto__stretch_look look = {t % 2 == 0 ? 0.0 : NAN, threshold, NULL}; /* no guess */
        sotto__stretch_take(&silent, &pure, 0, t, &look);
    }
    sotto__stretch_row(&silent, &pure, 0.001, &result);
    assert_true(result.row[1].passed && isnan(result.row[1].statistic));
}

TEST(honest_answers_pass)
{
    for (uint64_t seed = 0; seed < 30; seed++) {
        assert_true(play(&pure, 1, 100, 0, 0, seed).row[0].passed);
        assert_true(play(&pure, 1, 60000, 0, 0, seed).row[0].passed);
        assert_true(play(&gaussian, 1, 60000, 0, 0, seed).row[0].passed);
    }
}

TEST(a_while_in_clear_is_told)
{
    const uint64_t start[] = {0, 30000, 59400}, ends[] = {60000, 59900};
    for (uint32_t i = 0; i < 6; i++) {
        sotto_audit_result result =
            play(i % 2 == 0 ? &pure : &gaussian, 1, ends[i % 2], start[i / 2], 500, i);
        assert_false(result.row[0].passed);
        assert_true(result.row[0].statistic > 0.85 && result.row[0].p_value < 1e-4);
    }
}

/* A delta of 0.05 excuses that many exact answers, and no more. */
TEST(what_delta_allows_is_excused)
{
    const sotto__privacy_claim weak = {.epsilon = 1, .delta = 0.05};
    for (uint32_t share = 5; share <= 80; share += 75) {
        sotto__stretch stretch = {.trials = 0};
        sotto_audit_result result = {.rows_count = 0};
        sotto__seeded random = seeded_of(share);
        for (uint32_t t = 0; t < 60000; t++) {
            uint32_t secret = sotto__seeded_next(&random) & 1;
            bool clear = sotto__seeded_next(&random) % 100 < share;
            bool truth = clear || sotto__seeded_next(&random) % 1000 < 731;
            sotto__stretch_look look = {truth == (secret == 0) ? 1 : -1, threshold, NULL};
            sotto__stretch_take(&stretch, &weak, secret, t, &look);
        }
        sotto__stretch_row(&stretch, &weak, 0.5, &result);
        assert_int_equal(result.row[0].passed, share == 5);
    }
}

/* All stretches are slightly too good, none by much: other rows must detect that. */
TEST(the_worst_pays_for_all)
{
    assert_true(play(&pure, 1.05, 600000, 0, 0, 3).row[0].passed);
    assert_false(play(&pure, 2, 60000, 0, 0, 3).row[0].passed);
}

typedef enum code {
    CHANCE,     /* sign, size and spelling reveal nothing */
    TURNED,     /* the other sign */
    IN_TURN,    /* the sign flips with every answer */
    BY_THREE,   /* it flips with every third answer */
    FROM_LAST,  /* the sign of the previous answer, flipped for secret 1 */
    SIZE,       /* large for secret 0 */
    BLANK,      /* a blank for secret 0 */
    BLANK_TURN, /* with every second answer for secret 1 */
    LENGTH,     /* one more digit for secret 0 */
    LAST_DIGIT, /* odd for secret 0 */
    CODES
} code;

static const char *line_of(code kind, bool zero, bool odd, bool coin)
{
    switch (kind) {
    case BLANK: return zero ? "1.5 " : "1.5";
    case BLANK_TURN: return zero != odd ? "1.5 " : "1.5";
    case LENGTH: return zero ? "1.51" : "1.1";
    case LAST_DIGIT: return zero ? coin ? "1.1" : "1.3" : coin ? "1.2" : "1.4";
    default: return coin ? "1.5 " : "1.5";
    }
}

/* A code for 1,000 of 60,000 answers; those before and after are random. */
static sotto_audit_row row_of_code(code kind, uint64_t start, uint64_t seed)
{
    sotto__stretch stretch = {.trials = 0};
    sotto_audit_result result = {.rows_count = 0};
    sotto__seeded random = seeded_of(seed);
    double last = 1;
    for (uint64_t t = 0; t < 60000; t++) {
        uint64_t word = sotto__seeded_next(&random);
        bool zero = word & 1, coded = t >= start && t < start + 1000, odd = t % 2 == 1;
        double truth = zero ? 1 : -1, y = word & 2 ? 1 : -1;
        if (coded && kind == TURNED) y = -truth;
        if (coded && kind == IN_TURN) y = odd ? truth : -truth;
        if (coded && kind == BY_THREE) y = t % 3 == 0 ? truth : -truth;
        if (coded && kind == FROM_LAST) y = last * truth;
        double size = coded && kind == SIZE ? (zero ? 4 : 0.5) : (word & 4 ? 4 : 0.5);
        const char *line = line_of(coded ? kind : CHANCE, zero, odd, word & 8);
        sotto__spelling spelling = sotto__spelling_of(line, strlen(line));
        sotto__stretch_look look = {y * size, threshold, &spelling};
        sotto__stretch_take(&stretch, &pure, !zero, t, &look);
        last = y;
    }
    sotto__stretch_row(&stretch, &pure, 0.001, &result);
    return result.row[0];
}

TEST(a_code_of_its_own_is_told)
{
    for (uint32_t kind = CHANCE; kind < CODES; kind++) {
        for (uint64_t start = 0; start <= 59000; start += 29500) {
            if (row_of_code((code)kind, start, kind + start).passed == (kind == CHANCE)) continue;
            fail_msg("code %u from %u on", kind, (uint32_t)start);
        }
    }
}

/* All rules share alpha: 40 right guesses in a row, by each rule that makes them. */
TEST(rules_share_alpha)
{
    for (uint32_t turn = 0; turn < 2; turn++) {
        sotto__stretch stretch = {.trials = 0};
        sotto_audit_result result = {.rows_count = 0};
        for (uint32_t t = 0; t < 40; t++) {
            sotto__stretch_look look = {2, threshold, NULL};
            sotto__stretch_take(&stretch, &pure, 0, t, &look);
        }
        double p = SOTTO__STRETCH_RULES * pow(1 + exp(-1.0), -40);
        sotto__stretch_row(&stretch, &pure, turn == 0 ? 0.99 * p : 1.01 * p, &result);
        assert_int_equal(result.row[0].passed, turn == 0);
    }
}
