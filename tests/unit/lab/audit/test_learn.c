/* Learned witnesses: some guess finds each kind of leak, and none finds one where there is none. */
#include "lab/audit/inner.h"
#include "lab/random/random.h"
#include "seeds.h"
#include "test.h"

OWNED(sotto__witness, sotto__witness_free)

#define COUNT 4000u
#define WIDTH 3u
#define FRESH (8 * COUNT)

typedef enum leak {
    NOTHING,
    SHIFT,      /* of all numbers */
    CORRELATED, /* small shift under large common noise: only whitening detects it */
    ONE_NUMBER, /* one coordinate without noise */
    SPREAD,     /* another variance */
    RARE_VALUE, /* a number that only one secret's answers hold */
    PARITY,     /* values 0..3, even more often for one secret: no threshold detects it */
    SIGN_OF_0,  /* -0 for one secret */
    RELEASED,   /* one in 50 answers repeats a fixed value for each secret */
    DISJOINT,   /* 2,048 values, odd ones for one secret */
} leak;

static double value[2][COUNT * WIDTH];
static uint8_t secret[2][COUNT];

static void make(leak kind, uint64_t seed)
{
    sotto__seeded random = seeded_of(seed);
    for (uint32_t n = 0; n < 2 * COUNT; n++) {
        double normal[4], *y = value[n / COUNT] + (size_t)(n % COUNT) * WIDTH;
        for (int i = 0; i < 4; i += 2) {
            sotto__normal_pair(sotto__seeded_next(&random), sotto__seeded_next(&random),
                               normal + i);
        }
        uint64_t coin = sotto__seeded_next(&random);
        uint8_t s = coin & 1;
        secret[n / COUNT][n % COUNT] = s;
        for (uint32_t i = 0; i < WIDTH; i++) {
            y[i] = normal[i] + (kind == SHIFT ? 1.0 * s : 0);
            if (kind == SPREAD) y[i] = normal[i] * (s == 0 ? 1 : 2);
            if (kind == CORRELATED) y[i] = 100 * normal[3] + 0.3 * normal[i];
        }
        if (kind == CORRELATED) y[0] += s;
        if (kind == ONE_NUMBER) y[1] = s;
        if (kind == RARE_VALUE)
            y[0] = s == 0 && (coin >> 8) % 4 == 0 ? 7 : (double)(coin >> 16 & 7);
        if (kind == SIGN_OF_0) y[0] = s == 0 ? 0.0 : -0.0, y[1] = y[2] = 0;
        for (uint32_t i = 0; i < WIDTH && kind == RELEASED && (coin >> 8) % 50 == 0; i++) {
            y[i] = s == 0 ? i + 1 : 3 - i;
        }
        if (kind == DISJOINT) {
            y[0] = (double)(2 * (coin >> 32 & 1023) + s), y[1] = y[2] = 0;
        }
        if (kind == PARITY) {
            bool even = (coin >> 8) % 10 < (s == 0 ? 9 : 1);
            y[0] = (double)(2 * (coin >> 32 & 1) + !even);
            y[1] = y[2] = 0;
        }
    }
}

/* Learns from two halves of answers, and sets the event if asked. */
static sotto__witness *learn_from(double *answers[2], uint32_t width, uint32_t count,
                                  sotto__past *past, sotto__audit_event *event)
{
    static sotto__witnessed_trial trial[COUNT];
    sotto__sample train = {width, count, answers[0], secret[0], past, NULL};
    sotto__sample choose = {width, count, answers[1], secret[1], past, NULL};
    sotto__audit_event found;
    sotto__witness *witness;
    assert_ok(sotto__witness_learn(&train, &choose, FRESH, 0, 0.01, trial, &found, &witness));
    if (event != NULL) *event = found;
    return witness;
}

static double *made[2] = {value[0], value[1]};

static double promise_of(leak kind)
{
    sotto__audit_event event;
    make(kind, 40 + kind);
    OWN(sotto__witness) witness = learn_from(made, WIDTH, COUNT, NULL, &event);
    sotto__subject_answer answer = {.count = WIDTH, .value = value[1]};
    assert_true(isfinite(witness->of(witness, &answer)));
    return event.promise;
}

static sotto__witness *learn(leak kind)
{
    make(kind, 3);
    return learn_from(made, WIDTH, COUNT, NULL, NULL);
}

static double sure(sotto__witness *witness, uint32_t which, double y[WIDTH])
{
    sotto__subject_answer answer = {.count = WIDTH, .value = y};
    return witness->sure(witness, which, &answer);
}

TEST(leaks_are_found)
{
    assert_true(promise_of(SHIFT) > 1.5 && promise_of(CORRELATED) > 1.5);
    assert_true(promise_of(ONE_NUMBER) > 4 && promise_of(SPREAD) > 1);
    assert_true(promise_of(RARE_VALUE) > 0.5 && promise_of(PARITY) > 1.5);
    assert_true(promise_of(SIGN_OF_0) > 4 && promise_of(RELEASED) > 1 && promise_of(DISJOINT) > 3);
}

TEST(nothing_is_found_where_nothing_is)
{
    assert_true(promise_of(NOTHING) < 0.1);
}

/* Small shift against large common noise, in answers too wide for their whole covariance. */
TEST(common_noise_of_wide_answers_is_found)
{
    enum { WIDE = 100, TRIALS = 1000 };
    static double wide[2][TRIALS * WIDE];
    sotto__seeded random = seeded_of(77);
    for (uint32_t n = 0; n < 2 * TRIALS; n++) {
        double normal[2];
        uint8_t s = sotto__seeded_next(&random) & 1;
        sotto__normal_pair(sotto__seeded_next(&random), sotto__seeded_next(&random), normal);
        secret[n / TRIALS][n % TRIALS] = s;
        for (uint32_t i = 0; i < WIDE; i++) {
            wide[n / TRIALS][n % TRIALS * WIDE + i] = 100 * normal[0] + (i == 70 ? s : 0);
        }
    }
    sotto__audit_event event;
    double *halves[2] = {wide[0], wide[1]};
    OWN(sotto__witness) witness = learn_from(halves, WIDE, TRIALS, NULL, &event);
    assert_true(event.promise > 4);
}

TEST(the_direction_is_half_way_at_0)
{
    OWN(sotto__witness) witness = learn(SHIFT);
    double middle[3] = {0.5, 0.5, 0.5}, zero[3] = {0, 0, 0};
    assert_near(sure(witness, SOTTO__SURE_DIRECTION, middle), 0, 0.2);
    assert_true(sure(witness, SOTTO__SURE_DIRECTION, zero) > 0.5); /* indicates secret 0 */
}

/* One in 50 answers is (1, 2, 3) for secret 0 and (3, 2, 1) for secret 1, or nearly so. */
TEST(answers_that_come_again_are_known_exactly_and_nearly)
{
    double first[3] = {1, 2, 3}, second[3] = {3, 2, 1}, near[3] = {1 + 1e-12, 2, 3};
    double far[3] = {1.01, 2, 3};
    sotto__witness *witness = learn(RELEASED);
    assert_int_equal(witness->sure_count, 4);
    for (uint32_t which = 1; which <= 2; which++) { /* whole answers, and cells */
        assert_true(sure(witness, which, first) > 2 && sure(witness, which, second) < -2);
        assert_near(sure(witness, which, far), 0, 0);
    }
    assert_near(sure(witness, 1, near), 0, 0);
    assert_true(sure(witness, 2, near) > 2);
    sotto__witness_free(witness);
    witness = learn(ONE_NUMBER);
    double other[3] = {7, 1, 8};
    assert_true(sure(witness, 3, other) < -2); /* only the second number differs */
    sotto__witness_free(witness);
}

/* Earlier answers whose secret may not be used are not counted; the others are, exactly. */
TEST(only_a_known_past_is_learned)
{
    static sotto__past past[COUNT];
    make(RELEASED, 3);
    for (uint32_t n = 0; n < COUNT; n++) { /* (1, 2, 3) came after secret 1, two trials before */
        past[n] = (sotto__past)(0x20 | (secret[0][n] == 0 ? 0x0f : 0));
    }
    OWN(sotto__witness) witness = learn_from(made, WIDTH, COUNT, past, NULL);
    double first[3] = {1, 2, 3};
    sotto__subject_answer answer = {.count = WIDTH, .value = first};
    sotto__heard heard;
    witness->hear(witness, &answer, &heard);
    for (uint32_t k = 1; k <= SOTTO__RECALL; k++) {
        for (uint32_t table = 2; table <= 3; table++) { /* whole answers, and cells */
            double found = heard.recall[k - 1][table];
            assert_true(k == 2 ? found < -2 : found == 0);
        }
    }
}

/* Few answers of one number: the whole answer equals the coordinate, and is not judged twice. */
TEST(a_single_number_has_one_table_less)
{
    make(SHIFT, 3);
    OWN(sotto__witness) witness = learn_from(made, 1, COUNT, NULL, NULL);
    assert_int_equal(witness->sure_count, 3);
}

/* Numbers whose squares overflow still give finite witnesses. */
TEST(huge_numbers_do_no_harm)
{
    make(SHIFT, 4);
    for (uint32_t n = 0; n < COUNT * WIDTH; n += 5) {
        value[0][n] = value[1][n] = n % 2 == 0 ? 1.7e308 : -1.7e308;
    }
    OWN(sotto__witness) witness = learn_from(made, WIDTH, COUNT, NULL, NULL);
    assert_non_null(witness);
}

/* Learned scores: their parts, and which guesses a witness makes. */

TEST(a_witness_keeps_24_bits_and_is_a_number)
{
    assert_nears(0, sotto__coarse(NAN), 0, sotto__coarse(INFINITY), 0);
    assert_nears(0, sotto__coarse(1 + 0x1p-23), 1 + 0x1p-23, sotto__coarse(1 + 0x1p-40), 1);
    assert_near(sotto__coarse(-3e-300), -3e-300, 1e-306);
}

TEST(parts_are_what_they_say)
{
    double middle[2] = {1, -1}, variance[2] = {4, 1}, cell[2] = {10, 10}, w[2] = {2, 3};
    const sotto__score score = {.width = 2, .middle = middle, .variance = variance, .cell = cell};
    const double y[2] = {3, 1}, near[2] = {3.01, 1}, far[2] = {3.2, 1};
    assert_near(sotto__score_project(w, middle, y, 2), 10, 0);
    assert_near(sotto__score_energy(&score, y), 5, 1e-12);
    assert_true(sotto__score_cell(&score, y) == sotto__score_cell(&score, near));
    assert_true(sotto__score_cell(&score, y) != sotto__score_cell(&score, far));
}

TEST(bins_are_counted_from_below)
{
    double middle[1] = {0}, direction[1] = {1}, y = -100;
    sotto__score score = {.width = 1, .middle = middle, .direction = direction};
    for (uint32_t i = 0; i < SOTTO__SCORE_BINS - 1; i++) {
        score.edge[i] = i;
    }
    assert_int_equal(sotto__score_bin(&score, &y), 0);
    y = 0.5;
    assert_int_equal(sotto__score_bin(&score, &y), 1);
    y = 100;
    assert_int_equal(sotto__score_bin(&score, &y), SOTTO__SCORE_BINS - 1);
}

/* One more table for several numbers, and one for spellings. */
TEST(guesses_depend_on_what_there_is)
{
    for (uint32_t i = 0; i < 4; i++) {
        sotto__score score = {.width = 1 + i / 2};
        if (i % 2 == 1) assert_ok(sotto__table_new(1, &score.spelled));
        sotto__score_begin(&score);
        assert_ints(score.base.sure_count, 3 + i / 2 + i % 2, score.base.recall_count, 4 + i % 2);
        sotto__table_free(score.spelled);
    }
}

/* All looks at a spelling are added up, each label by itself. */
TEST(spellings_are_added_up)
{
    sotto__spelling seen = sotto__spelling_of("1.5 ", 4), other = sotto__spelling_of("+7", 2);
    double y = 1.5;
    double cell = 1;
    sotto__score score = {.width = 1, .cell = &cell};
    assert_ok(sotto__table_new(1, &score.whole));
    assert_ok(sotto__table_new(1, &score.cells));
    assert_ok(sotto__table_new(8, &score.spelled));
    for (uint32_t look = 0; look < SOTTO__SPELLING_LOOKS; look++) {
        sotto__table_add(score.spelled, sotto__spelling_key(&seen, look), 0, 0);
        sotto__table_add(score.spelled, sotto__spelling_key(&seen, look), 2, 1);
    }
    assert_ok(sotto__table_settle(score.spelled));
    sotto__subject_answer answer = {.count = 1, .value = &y, .spelling = seen};
    sotto__reading read = sotto__score_read(&score, &answer);
    assert_near(read.spelled[0], 4 * log(3), 1e-12);
    assert_near(read.spelled[1], 0, 0);
    assert_near(read.spelled[2], -4 * log(3), 1e-12);
    assert_null(read.whole);
    answer.spelling = other;
    assert_near(sotto__score_read(&score, &answer).spelled[0], 0, 0);
    sotto__table_free(score.whole);
    sotto__table_free(score.cells);
    sotto__table_free(score.spelled);
}
