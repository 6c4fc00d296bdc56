/* Subjects: the claim is the mechanism's, and the answers are its reports. */
#include "client/client.h"
#include "core/core.h"
#include "lab/audit/inner.h"
#include "lab/random/random.h"
#include "seeds.h"
#include "subjects.h"
#include "tape.h"
#include "test.h"

TEST(claims_are_the_mechanism_s)
{
    sotto__subject codebook = subject_of(SOTTO_MECHANISM_CODEBOOK, 5, 1);
    assert_ints(codebook.claim.family, SOTTO__CODEBOOK, codebook.claim.codebook.size, 64);
    assert_int_equal(codebook.claim.answer_count, 1);
    assert_near(codebook.claim.delta, 0, 0);
    sotto__subject_free(&codebook);
    sotto__subject gaussian = subject_of(SOTTO_MECHANISM_GAUSSIAN, 4, 1);
    const sotto_lattice *lattice = &gaussian.claim.lattice;
    assert_int_equal(gaussian.claim.family, SOTTO__LATTICE);
    assert_near(gaussian.claim.delta, 1e-6, 0);
    assert_near(gaussian.claim.diameter_ticks, ldexp(2, -lattice->grid_log2) + 2, 1e-9);
    sotto__subject_free(&gaussian);
    sotto__subject laplace = subject_of(SOTTO_MECHANISM_LAPLACE, 4, 1);
    lattice = &laplace.claim.lattice;
    assert_near(laplace.claim.diameter_ticks, ldexp(4, -lattice->grid_log2) + 4, 1e-9);
    sotto__subject_free(&laplace);
    HELD(sotto__subject) privunit = subject_of(SOTTO_MECHANISM_PRIVUNIT, 4, 1);
    assert_ints(privunit.claim.family, SOTTO__VECTOR, privunit.claim.answer_count, 4);
}

TEST(a_command_is_taken_at_its_word)
{
    sotto_mechanism_settings claim = sotto_mechanism_default(SOTTO_MECHANISM_CODEBOOK, 3, 2);
    claim.delta = 1e-5;
    sotto_audit_settings settings = sotto_audit_default(&claim);
    settings.command = "true";
    HELD(sotto__subject) subject;
    assert_ok(sotto__subject_new(&settings, &subject));
    assert_int_equal(subject.claim.family, SOTTO__OUTSIDE);
    assert_near(subject.claim.delta, 1e-5, 0);
    assert_null(subject.mechanism);
}

TEST(the_statistic_is_clipped_and_rounded)
{
    HELD(sotto__subject) subject = subject_of(SOTTO_MECHANISM_GAUSSIAN, 2, 1);
    double far_out[2] = {30, 40}, ticks[2], unit = ldexp(1, -subject.claim.lattice.grid_log2);
    sotto__lattice_statistic(&subject.claim, far_out, ticks);
    assert_nears(0, ticks[0], rint(0.6 * unit), ticks[1], rint(0.8 * unit));
}

/* The inputs of an audit: lengths, opposites, coins and hard cases are all present. */

TEST(pairs_have_their_lengths)
{
    for (uint32_t dim = 1; dim <= 7; dim++) {
        double input[SOTTO__AUDIT_PAIRS * 2 * 7];
        const double length[] = {3, 3, 3, 3, 3, 3, 30, 3.6, 1.5, 0};
        sotto__seeded random = seeded_of(dim);
        assert_ok(sotto__audit_pairs(dim, 3, &random.rng, input));
        for (uint32_t i = 0; i < 2 * SOTTO__AUDIT_PAIRS; i++) {
            assert_near(sotto__norm(input + i * dim, dim), length[i], 1e-12 * length[i]);
        }
        for (uint32_t pair = 0; pair < 4; pair++) {
            for (uint32_t j = 0; j < dim; j++) {
                const double *x = input + pair * 2 * dim;
                assert_near(x[j] * (pair == 3 ? 0.12 : 1) + x[dim + j], 0, 1e-12);
            }
        }
        assert_nears(0, input[0], 3, input[9 * dim - 1], 1.5);
    }
}

TEST(no_randomness_no_pairs)
{
    double input[SOTTO__AUDIT_PAIRS * 2 * 2];
    tape empty = tape_of("", 0);
    assert_status(sotto__audit_pairs(2, 1, &empty.rng, input), SOTTO_E_ENTROPY);
}

TEST(coins_choose_the_input)
{
    const double input[] = {1, 2, 3, 4};
    const uint8_t coins[] = {0x04};
    sotto__script script = {.dim = 1, .pairs = 2, .trials = 3, .input = input, .coins = coins};
    const double wanted[] = {1, 1, 2, 3, 3, 3};
    for (uint64_t t = 0; t < 6; t++) {
        assert_near(sotto__script_input(&script, t)[0], wanted[t], 0);
        assert_int_equal(sotto__script_coin(&script, t), t == 2);
    }
}

static bool hear(void *heard, uint64_t done, uint64_t total)
{
    *(uint64_t *)heard += done;
    assert_int_equal(total, 2000);
    return done < 522;
}

TEST(progress_is_told_now_and_then)
{
    uint64_t heard = 0;
    sotto_audit_progress progress = {hear, &heard};
    sotto__script script = {.progress = &progress, .progress_start = 10, .progress_total = 2000};
    for (uint64_t t = 0; t < 600; t++) {
        assert_true(sotto__script_progress(&script, t) == (t != 512));
    }
    assert_int_equal(heard, 10 + 266 + 522);
    assert_true(sotto__script_tell(&script, 3));
    assert_int_equal(heard, 10 + 266 + 522 + 13);
    script.progress = NULL;
    assert_true(sotto__script_progress(&script, 0));
}

TEST(hard_inputs_are_of_every_kind)
{
    bool nan = false, infinite = false, huge = false, tiny = false, outside = false, zero = false;
    for (uint32_t i = 0; i < sotto__hard_inputs(); i++) {
        double x[3];
        sotto__hard_input(i, 3, 2, x);
        nan = nan || isnan(x[0]);
        infinite = infinite || isinf(x[2]);
        huge = huge || x[0] == 1e308;
        tiny = tiny || x[0] == 5e-324;
        outside = outside || x[0] == 4;
        zero = zero || (x[0] == 0 && x[1] == 0 && x[2] == 0);
    }
    assert_true(nan && infinite && huge && tiny && outside && zero);
}

/* Questions to a subject in this process and to an external one. */

typedef struct counter {
    sotto__taker taker;
    uint64_t taken, stop_at;
} counter;

static sotto_status count(sotto__taker *taker, uint64_t t, const sotto__subject_answer *answer)
{
    counter *c = (counter *)taker;
    assert_int_equal(t, c->taken);
    assert_true(answer->count > 0);
    c->taken++;
    return c->taken == c->stop_at ? SOTTO_E_FULL : SOTTO_OK;
}

TEST(questions_end_when_the_taker_says_so)
{
    const double input[4] = {1, 0, 0, 1};
    const uint8_t coins[2] = {0x55, 0x55};
    HELD(sotto__subject) subject = subject_of(SOTTO_MECHANISM_L2BALL, 2, 1);
    sotto__script script = {.dim = 2, .pairs = 1, .trials = 10, .input = input, .coins = coins};
    sotto__seeded random = seeded_of(1);
    counter all = {{count}, 0, 0}, some = {{count}, 0, 4};
    assert_ok(sotto__ask(&subject, &script, &random.rng, &all.taker));
    assert_int_equal(all.taken, 10);
    assert_status(sotto__ask(&subject, &script, &random.rng, &some.taker), SOTTO_E_FULL);
    assert_int_equal(some.taken, 4);
}

static sotto_status refuse(sotto__subject *subject, const double *x, sotto_rng *rng,
                           sotto__subject_answer *out)
{
    (void)subject, (void)x, (void)rng, (void)out;
    return SOTTO_E_ENTROPY;
}

TEST(an_answer_that_failed_is_not_taken)
{
    const double input[4] = {1, 0, 0, 1};
    const uint8_t coins[1] = {0};
    HELD(sotto__subject) subject = subject_of(SOTTO_MECHANISM_L2BALL, 2, 1);
    sotto__script script = {.dim = 2, .pairs = 1, .trials = 3, .input = input, .coins = coins};
    counter all = {{count}, 0, 0};
    subject.draw = refuse;
    assert_status(sotto__ask(&subject, &script, NULL, &all.taker), SOTTO_E_ENTROPY);
    assert_int_equal(all.taken, 0);
}

static bool hear_ask(void *state, uint64_t done, uint64_t total)
{
    uint64_t *heard = state;
    assert_true(done <= total);
    ++*heard;
    return true;
}

static bool hear_twice(void *state, uint64_t done, uint64_t total)
{
    uint64_t *heard = state;
    assert_true(done <= total);
    return ++*heard < 2;
}

TEST(whoever_hears_of_it_can_stop_it)
{
    enum { TRIALS = 10000 };
    static const uint8_t coins[TRIALS / 8];
    const double input[2] = {1, -1};
    uint64_t heard = 0;
    const sotto_audit_progress progress = {hear_twice, &heard};
    HELD(sotto__subject) subject = subject_of(SOTTO_MECHANISM_LAPLACE, 1, 1);
    sotto__script script = {.dim = 1,
                            .pairs = 1,
                            .trials = TRIALS,
                            .input = input,
                            .coins = coins,
                            .progress = &progress,
                            .progress_total = TRIALS};
    sotto__seeded random = seeded_of(1);
    counter all = {{count}, 0, 0};
    assert_ok(sotto__ask(&subject, &script, &random.rng, &all.taker));
    assert_ints(heard, 2, all.taken, 257);
    assert_string_equal(subject.fault.sentence, "it was stopped");
}

TEST(every_pair_is_asked_and_told_of)
{
    enum { PAIRS = 3, TRIALS = 100000 };
    static const uint8_t coins[PAIRS * TRIALS / 8];
    const double input[PAIRS * 2] = {1, -1, 0.5, -0.5, 1, 0};
    uint64_t heard = 0;
    const sotto_audit_progress progress = {hear_ask, &heard};
    HELD(sotto__subject) subject = subject_of(SOTTO_MECHANISM_LAPLACE, 1, 1);
    sotto__script script = {.dim = 1,
                            .pairs = PAIRS,
                            .trials = TRIALS,
                            .input = input,
                            .coins = coins,
                            .progress = &progress,
                            .progress_total = PAIRS * TRIALS};
    sotto__seeded random = seeded_of(1);
    counter all = {{count}, 0, 0};
    assert_ok(sotto__ask(&subject, &script, &random.rng, &all.taker));
    assert_int_equal(all.taken, PAIRS * TRIALS);
    assert_true(heard > 0);
}

TEST(a_subject_without_a_draw_function_is_asked_outside)
{
    const double input[2] = {1, -1};
    const uint8_t coins[1] = {0x02};
    sotto_mechanism_settings claim = sotto_mechanism_default(SOTTO_MECHANISM_CODEBOOK, 1, 1);
    sotto_audit_settings settings = sotto_audit_default(&claim);
    settings.command = "cat";
    HELD(sotto__subject) subject;
    sotto__script script = {.dim = 1, .pairs = 1, .trials = 3, .input = input, .coins = coins};
    counter all = {{count}, 0, 0};
    assert_ok(sotto__subject_new(&settings, &subject));
    assert_ok(sotto__ask(&subject, &script, NULL, &all.taker));
    assert_string_equal(subject.fault.sentence, "");
    assert_int_equal(all.taken, 3);
}

/* Spellings: lines of one number that are different messages, and lines with the same spelling. */

static sotto__spelling of(const char *line)
{
    return sotto__spelling_of(line, strlen(line));
}

static bool differ(const char *a, const char *b, uint32_t look)
{
    sotto__spelling first = of(a), second = of(b);
    return sotto__spelling_key(&first, look) != sotto__spelling_key(&second, look);
}

TEST(an_answer_without_a_line_has_none)
{
    assert_true(of("").look[SOTTO__SPELLING_BYTES] > 0 && differ("", "1", SOTTO__SPELLING_BYTES));
}

TEST(every_look_sees_what_it_is_for)
{
    const struct {
        const char *a, *b;
        bool look[SOTTO__SPELLING_LOOKS]; /* that tells them apart */
    } rows[] = {
        {"1.5", "2.7", {false, false, false, true}}, /* another number, the same spelling */
        {"1.57", "2.57", {false, false, false, false}},
        {"1.5", "+1.5", {true, true, true, false}},
        {"1.5", "1.5 ", {true, true, true, true}},
        {"1.5 ", "1.5\t", {true, true, false, true}},
        {"1.5", "1.50", {true, false, true, true}},
        {"1.5", " 1.5", {true, true, true, false}},
        {"15", "15.", {true, true, true, true}},
        {"0.15", ".15", {true, true, true, false}},
        {"1e5", "1E5", {true, true, false, true}},
        {"1e5", "1e05", {true, false, true, true}},
        {"1 2", "1,2", {true, true, false, true}},
        {"1 22", "11 2", {true, false, false, true}},
        {"-1.55", "1.55", {true, false, true, false}}, /* its sign is its number's */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (uint32_t look = 0; look < SOTTO__SPELLING_LOOKS; look++) {
            if (differ(rows[i].a, rows[i].b, look) == rows[i].look[look]) continue;
            fail_msg("look %u at \"%s\" and \"%s\"", look, rows[i].a, rows[i].b);
        }
    }
}

TEST(looks_have_keys_of_their_own)
{
    sotto__spelling same = {{7, 7, 7, 7}};
    for (uint32_t look = 1; look < SOTTO__SPELLING_LOOKS; look++) {
        assert_true(sotto__spelling_key(&same, look) != sotto__spelling_key(&same, look - 1));
    }
}

/* Rows: where there is room. */

TEST(rows_stop_where_there_is_no_room)
{
    sotto_audit_result result = {.rows_count = 0};
    for (uint32_t i = 0; i < SOTTO_AUDIT_ROWS_MAX + 5; i++) {
        sotto__audit_row(&result, 1, "a row", i, NAN, NAN, true);
    }
    assert_int_equal(result.rows_count, SOTTO_AUDIT_ROWS_MAX);
}

TEST(a_row_says_what_was_compared)
{
    sotto_audit_result result = {.rows_count = 0};
    char name[2 * SOTTO_AUDIT_NAME_BYTES];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    sotto__audit_row(&result, 3, name, 1.5, 2.5, 0.25, false);
    assert_ints(result.rows_count, 1, result.row[0].layer, 3);
    assert_int_equal(strlen(result.row[0].name), SOTTO_AUDIT_NAME_BYTES - 1);
    assert_true(result.row[0].statistic == 1.5 && result.row[0].bound == 2.5);
    assert_true(result.row[0].p_value == 0.25 && !result.row[0].passed);
}
