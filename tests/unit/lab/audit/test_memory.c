/* What answers reveal of earlier inputs: nothing in honest streams; each kind of memory is detected
 * at its lag, and so is whether two inputs are equal. */
#include "lab/audit/inner.h"
#include "lab/random/random.h"
#include "seeds.h"
#include "subjects.h"
#include "test.h"

#define COUNT 4000u /* of the sample that trains, of that which chooses, and fresh */

typedef enum stream {
    HONEST,   /* its own secret and noise */
    CERTAIN,  /* only its own secret */
    INPUT,    /* plus a part of the previous secret */
    SPREAD,   /* the previous secret sets the size of the noise */
    RELEASE,  /* the previous secret in one of 40 answers */
    NEARLY,   /* the same, with a little noise */
    SPELLING, /* the previous secret is in the spelling */
    SAME,     /* whether the secret equals the previous one, and nothing else */
    PAIR,     /* the spelling shows whether the previous secret equals the one before it */
} stream;

static double value[3][COUNT * 2];
static uint8_t secret[3][COUNT];
static sotto__past past[3][COUNT];
static sotto__spelling spelling[3][COUNT];

static void play(stream kind, uint32_t lag, uint64_t seed)
{
    sotto__seeded random = seeded_of(seed);
    for (uint32_t part = 0; part < 3; part++) {
        for (uint32_t t = 0; t < COUNT; t++) {
            double y[2];
            uint64_t coin = sotto__seeded_next(&random);
            sotto__normal_pair(sotto__seeded_next(&random), sotto__seeded_next(&random), y);
            secret[part][t] = coin & 1;
            past[part][t] = coin & 1 ? SOTTO__PAST_OWN : 0;
            for (uint32_t k = 1; k <= SOTTO__RECALL && k <= t; k++) {
                past[part][t] |= (sotto__past)(1u << (SOTTO__RECALL + k - 1) |
                                               (uint32_t)secret[part][t - k] << (k - 1));
            }
            double before = t < lag ? 0 : 1 - 2.0 * secret[part][t - lag];
            double earlier = t <= lag ? 0 : 1 - 2.0 * secret[part][t - lag - 1];
            bool now = t >= lag && (coin >> 8) % 40 == 0;
            y[0] += 1 - 2.0 * secret[part][t];
            if (kind == CERTAIN) y[0] = secret[part][t], y[1] = 0;
            if (kind == INPUT) y[1] += 0.3 * before;
            if (kind == SPREAD) y[1] *= 1 + 0.3 * before;
            if (kind == RELEASE && now) y[0] = y[1] = 0.1 * before;
            if (kind == NEARLY && now) y[0] = y[1] = 0.1 * before + 1e-7 * y[1];
            if (kind == SAME) y[0] = (secret[part][t] == 0) == (before > 0), y[1] = 0;
            bool blank = kind == PAIR ? before == earlier : kind == SPELLING && before > 0;
            spelling[part][t] = sotto__spelling_of("1.5 ", blank ? 4 : 3);
            value[part][2 * t] = y[0];
            value[part][2 * t + 1] = y[1];
        }
    }
}

static sotto__sample sample_of(uint32_t part, bool spelled)
{
    return (sotto__sample){
        2, COUNT, value[part], secret[part], past[part], spelled ? spelling[part] : NULL};
}

static sotto_audit_result rows_of(stream kind, uint32_t lag, uint64_t seed)
{
    static sotto__witnessed_trial trial[COUNT];
    static sotto__memory memory;
    static sotto__heard heard[COUNT];
    bool spelled = kind == SPELLING || kind == PAIR || seed % 2 == 0;
    play(kind, lag, seed);
    sotto__sample train = sample_of(0, spelled), choose = sample_of(1, spelled);
    sotto__audit_event event;
    sotto__witness *witness;
    sotto_audit_result result = {.rows_count = 0};
    memory = (sotto__memory){.witnesses = 0};
    assert_ok(sotto__witness_learn(&train, &choose, COUNT, 0, 0.01, trial, &event, &witness));
    sotto__sample fresh = sample_of(2, spelled);
    for (uint32_t t = 0; t < COUNT; t++) {
        sotto__subject_answer answer = sotto__sample_answer(&choose, t);
        witness->hear(witness, &answer, &heard[t]);
    }
    sotto__memory_aim(&memory, witness->recall_count, heard, COUNT, trial);
    for (uint32_t t = 0; t < COUNT; t++) {
        sotto__subject_answer answer = sotto__sample_answer(&fresh, t);
        witness->hear(witness, &answer, &heard[t]);
        sotto__memory_take(&memory, past[2][t], &heard[t]);
    }
    double lower = sotto__memory_rows(&memory, 0.001, &result), largest = 0;
    assert_int_equal(result.rows_count, SOTTO__RECALL + 1);
    for (uint32_t k = 0; k <= SOTTO__RECALL; k++) {
        assert_int_equal(result.row[k].passed, result.row[k].statistic <= 0);
        if (!result.row[k].passed) assert_true(result.row[k].p_value < 0.001);
        largest = fmax(largest, result.row[k].statistic);
    }
    assert_near(lower, largest, 0);
    sotto__witness_free(witness);
    return result;
}

TEST(honest_streams_pass)
{
    for (uint64_t seed = 0; seed < 15; seed++) {
        sotto_audit_result result = rows_of(HONEST, 1, seed);
        assert_int_equal(failed_rows(&result), 0);
        result = rows_of(CERTAIN, 1, seed);
        assert_int_equal(failed_rows(&result), 0);
    }
}

/* An answer that reveals two secrets also reveals whether they are equal. */
TEST(memory_is_told_at_its_lag)
{
    for (uint32_t kind = INPUT; kind <= SPELLING; kind++) {
        for (uint32_t lag = 1; lag <= SOTTO__RECALL; lag++) {
            for (uint64_t seed = 0; seed < 2; seed++) {
                sotto_audit_result result = rows_of((stream)kind, lag, seed);
                uint32_t others = failed_rows(&result) - !result.row[SOTTO__RECALL].passed;
                if (result.row[lag - 1].passed || others != 1) {
                    fail_msg("stream %u, lag %u, seed %u", kind, lag, (uint32_t)seed);
                }
            }
        }
    }
}

static void told_in_the_last_row(stream kind, uint32_t lag, const char *name)
{
    sotto_audit_result result = rows_of(kind, lag, 5 + lag);
    assert_string_equal(result.row[SOTTO__RECALL].name, name);
    assert_false(result.row[SOTTO__RECALL].passed);
    assert_int_equal(failed_rows(&result), 1);
}

/* Neither secret alone is revealed. */
TEST(inputs_that_are_the_same_are_told)
{
    const char *name = "epsilon, at least, of whether the input is that 1 before";
    told_in_the_last_row(SAME, 1, name);
    name = "epsilon, at least, of whether the input is that 4 before";
    told_in_the_last_row(SAME, 4, name);
    name = "epsilon, at least, of whether the input 1 before is that 2 before";
    told_in_the_last_row(PAIR, 1, name);
    name = "epsilon, at least, of whether the input 3 before is that 4 before";
    told_in_the_last_row(PAIR, 3, name);
}

/* A secret further back than the rows reach. */
TEST(what_is_too_long_ago_is_not_seen)
{
    sotto_audit_result result = rows_of(INPUT, SOTTO__RECALL + 1, 3);
    assert_int_equal(failed_rows(&result), 0);
}

/* The witness of the own secret is read either way, as other trials tell. */
TEST(a_known_witness_is_read_either_way)
{
    for (int turn = -1; turn <= 1; turn++) {
        static double witness[COUNT];
        static sotto__memory memory;
        sotto__sure own = {.threshold = {0}};
        sotto_audit_result result = {.rows_count = 0};
        memory = (sotto__memory){.witnesses = 0};
        play(HONEST, 1, 11);
        for (uint32_t part = 0; part < 3; part += 2) {
            for (uint32_t t = 0; t < COUNT; t++) {
                double before = t < 2 ? 0 : 1 - 2.0 * secret[part][t - 2];
                witness[t] = value[part][2 * t] + turn * before;
            }
            if (part == 0) sotto__memory_aim_known(&memory, &own, witness, past[0], COUNT);
        }
        for (uint32_t t = 0; t < COUNT; t++) {
            sotto__memory_take_known(&memory, past[2][t], witness[t]);
        }
        sotto__memory_rows(&memory, 0.001, &result);
        for (uint32_t k = 0; k < SOTTO__RECALL; k++) {
            assert_int_equal(result.row[k].passed, turn == 0 || k != 1);
        }
    }
}

/* Every recalled secret, and every pair of them, has the same share of alpha. */
TEST(rows_share_alpha)
{
    sotto__memory memory = {.witnesses = 1};
    for (uint32_t label = 0; label < SOTTO__RECALLED; label++) {
        memory.turn[label] = 1;
    }
    sotto_audit_result result = {.rows_count = 0};
    for (uint32_t t = 0; t < 12; t++) {
        sotto__memory_take_known(&memory, 0xf0, 1); /* all right: 2^-12, for 13 levels */
    }
    double p = 13 * 0x1p-12;
    sotto__memory_rows(&memory, 13.9 * p, &result);
    assert_int_equal(failed_rows(&result), 0);
    sotto__memory_rows(&memory, 14.1 * p, &result);
    assert_int_equal(failed_rows(&result), 5);
}

/* Trials whose earlier inputs may not be used are left out. */
TEST(an_unknown_past_is_not_judged)
{
    sotto__memory memory = {.witnesses = 1, .turn = {1, 1, 1, 1}};
    for (uint32_t t = 0; t < 100; t++) {
        sotto__memory_take_known(&memory, 0x0f, -1);
        sotto__memory_take_known(&memory, 0x40, -1); /* secret 0, three before: wrong */
    }
    for (uint32_t k = 0; k < SOTTO__RECALL; k++) {
        assert_int_equal(memory.sure[k][0].trials, k == 2 ? 100 : 0);
        uint64_t wrong = 0, right = 0;
        for (uint32_t level = 0; level < SOTTO__SURE_LEVELS; level++) {
            wrong += memory.sure[k][0].wrong[level];
            right += memory.sure[k][0].right[level];
        }
        assert_ints(wrong, k == 2 ? 100 : 0, right, 0);
    }
}
