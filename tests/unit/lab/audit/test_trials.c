/* Layers 2 and 3: how alpha and trials are shared out, and what the rows say. */
#include "lab/audit/inner.h"
#include "lab/random/random.h"
#include "seeds.h"
#include "subjects.h"
#include "test.h"

OWNED(sotto__table, sotto__table_free)

TEST(alpha_is_shared_out)
{
    sotto__privacy_claim pure = {.epsilon = 1}, gaussian = {.epsilon = 1, .delta = 1e-6};
    sotto__trial_shares shares = sotto__trial_shares_of(&pure, 1000, 0.01);
    assert_near(5 * shares.alpha_event + 2 * shares.alpha_sure + shares.alpha_memory +
                    shares.alpha_stretch,
                0.01 - 1e-6, 1e-12);
    assert_near(shares.alpha_gaussian, 0, 0);
    shares = sotto__trial_shares_of(&gaussian, 1000, 0.01);
    assert_near(5 * (shares.alpha_event + shares.alpha_gaussian) + 2 * shares.alpha_sure +
                    shares.alpha_memory + shares.alpha_stretch,
                0.01 - 1e-6, 1e-12);
    assert_true(shares.alpha_gaussian > 0 && shares.alpha_event > 0 && shares.alpha_sure > 0);
}

TEST(learning_is_a_tenth_and_bounded)
{
    assert_ints(sotto__trials_learning(1000, 3), 100, sotto__trials_learning(100000000, 3), 100000);
    assert_int_equal(sotto__trials_learning(1000000, 65535), (1 << 22) / 65535);
}

TEST(too_few_trials_are_known)
{
    sotto__privacy_claim small = {.epsilon = 0.1}, large = {.epsilon = 8};
    const struct {
        const sotto__privacy_claim *claim;
        uint64_t trials;
        bool enough;
    } cases[] = {
        {&small, 100, true}, {&large, 100, false}, {&large, 10000, false}, {&large, 100000, true}};
    for (int i = 0; i < 4; i++) {
        sotto__trial_shares shares = sotto__trial_shares_of(cases[i].claim, cases[i].trials, 0.01);
        assert_int_equal(sotto__trials_suffice(cases[i].claim, &shares), cases[i].enough);
    }
    /* By accuracy a Gaussian claim can be contradicted where its chances cannot. */
    sotto__privacy_claim gaussian = {.epsilon = 8, .delta = 1e-6};
    sotto__trial_shares shares = sotto__trial_shares_of(&gaussian, 1000, 0.01);
    assert_true(sotto__trials_suffice(&gaussian, &shares));
}

static void rows_of_subject(sotto__subject *subject, sotto_audit_result *result)
{
    enum { TRIALS = 4000 };
    double input[SOTTO__AUDIT_PAIRS * 2 * 2];
    uint8_t coins[SOTTO__AUDIT_PAIRS * TRIALS / 8 + 1];
    sotto__seeded random = seeded_of(11);
    assert_ok(sotto__audit_pairs(2, 1, &random.rng, input));
    assert_ok(random.rng.fill(&random.rng, coins, sizeof coins));
    sotto__script script = {
        .dim = 2, .pairs = SOTTO__AUDIT_PAIRS, .trials = TRIALS, .input = input, .coins = coins};
    sotto__trial_shares shares = sotto__trial_shares_of(&subject->claim, TRIALS, 0.01);
    *result = (sotto_audit_result){.rows_count = 0};
    assert_ok(sotto__audit_trials(subject, &script, &shares, &random.rng, result));
}

static void rows_of(sotto_mechanism_kind kind, double claimed, sotto_audit_result *result)
{
    HELD(sotto__subject) subject = subject_of(kind, 2, 1);
    subject.claim.epsilon = claimed;
    rows_of_subject(&subject, result);
}

TEST(rows_compare_with_the_claim)
{
    sotto_audit_result result;
    rows_of(SOTTO_MECHANISM_L2BALL, 1, &result);
    assert_ints(result.rows_count, SOTTO__AUDIT_PAIRS + 2 + 6, failed_rows(&result), 0);
    assert_true(result.epsilon_lower > 0.7 && result.epsilon_lower < 1);
    rows_of(SOTTO_MECHANISM_L2BALL, 0.5, &result); /* half of what it reveals */
    assert_true(failed_rows(&result) >= 4);
    rows_of(SOTTO_MECHANISM_GAUSSIAN, 1, &result);
    assert_ints(result.rows_count, 2 * SOTTO__AUDIT_PAIRS + 2 + 6, failed_rows(&result), 0);
    rows_of(SOTTO_MECHANISM_GAUSSIAN, 0.1, &result);
    assert_true(failed_rows(&result) >= 4);
    for (uint32_t i = 0; i < result.rows_count; i++) {
        const uint32_t layer[] = {2, 3, 2, 3, 2, 3, 2, 3, 3, 2, 3, 3, /* a pool ends with a row */
                                  3, 3, 3, 3, 3, 3};                  /* inputs before, stretches */
        assert_int_equal(result.row[i].layer, layer[i]);
        assert_true(result.row[i].p_value >= 0 && result.row[i].p_value <= 1);
    }
}

/* A program that answers at random, and with its input in one of 64 answers if the input lies
 * outside the ball. */
static sotto_status draw_release(sotto__subject *subject, const double *x, sotto_rng *rng,
                                 sotto__subject_answer *out)
{
    uint64_t word[3];
    (void)subject;
    sotto_status status = rng->fill(rng, word, sizeof word);
    bool released = x[0] * x[0] + x[1] * x[1] > 0.9 && word[2] % 64 == 0;
    out->count = 2;
    for (uint32_t i = 0; i < 2; i++) {
        out->value[i] = released ? x[i] : 10 * sotto__uniform(word[i]);
    }
    return status;
}

TEST(sure_guesses_are_added_up_over_the_pairs_of_a_pool)
{
    sotto__subject subject = {
        .claim = {.family = SOTTO__OUTSIDE, .dim = 2, .answer_count = 2, .epsilon = 1, .radius = 1},
        .draw = draw_release};
    sotto_audit_result result;
    rows_of_subject(&subject, &result);
    const sotto_audit_row *apart =
        row_named(&result, "epsilon, at least (sure guesses, pairs a diameter apart)");
    const sotto_audit_row *inside =
        row_named(&result, "epsilon, at least (sure guesses, R e_d/2 and 0)");
    assert_false(apart->passed);
    assert_true(apart->statistic > 2 && apart->p_value < 1e-6);
    assert_near(result.epsilon_lower, apart->statistic, 0); /* no pair alone shows as much */
    assert_true(inside->passed); /* other pairs' results do not count against it */
    assert_near(inside->statistic, 0, 0.1);
}

/* No noise at all. */
static sotto_status draw_bare(sotto__subject *subject, const double *x, sotto_rng *rng,
                              sotto__subject_answer *out)
{
    (void)rng;
    out->count = subject->claim.dim;
    sotto__lattice_statistic(&subject->claim, x, out->value);
    return SOTTO_OK;
}

/* Only fresh trials count: those that chose the event do not judge it. */
TEST(trials_that_choose_are_not_judged)
{
    HELD(sotto__subject) subject = subject_of(SOTTO_MECHANISM_LAPLACE, 2, 1);
    sotto_audit_result result;
    subject.draw = draw_bare;
    rows_of_subject(&subject, &result);
    sotto__trial_shares shares = sotto__trial_shares_of(&subject.claim, 4000, 0.01);
    const sotto_audit_row *row = row_named(&result, "epsilon, at least (R e_1, its opposite)");
    assert_near(row->statistic, sotto__epsilon_reach(1600, 0, shares.alpha_event), 0.08);
}

#define WIDE 8192u

/* Publishes the secret in its last number; the others are 0 or 1. */
static sotto_status draw_wide(sotto__subject *subject, const double *x, sotto_rng *rng,
                              sotto__subject_answer *out)
{
    uint8_t coins[WIDE / 8];
    (void)subject;
    sotto_status status = rng->fill(rng, coins, sizeof coins);
    out->count = WIDE;
    for (uint32_t i = 0; i < WIDE; i++) {
        out->value[i] = coins[i / 8] >> i % 8 & 1;
    }
    out->value[WIDE - 1] = x[0] > 0;
    return status;
}

/* Of such wide answers only the first 2,048 are kept, and all others still count. */
TEST(answers_beyond_what_is_kept_are_judged)
{
    enum { TRIALS = 4200, KEPT = (1 << 24) / WIDE };
    double input[2] = {1, -1};
    uint8_t coins[TRIALS / 8 + 1];
    sotto__seeded random = seeded_of(12);
    assert_ok(random.rng.fill(&random.rng, coins, sizeof coins));
    sotto__subject subject = {.claim = {.family = SOTTO__OUTSIDE,
                                        .dim = 1,
                                        .answer_count = WIDE,
                                        .epsilon = 1,
                                        .radius = 1},
                              .draw = draw_wide};
    sotto__script script = {.dim = 1, .pairs = 1, .trials = TRIALS, .input = input, .coins = coins};
    sotto__trial_shares shares = sotto__trial_shares_of(&subject.claim, TRIALS, 0.01);
    sotto_audit_result result = {.rows_count = 0};
    assert_ok(sotto__audit_trials(&subject, &script, &shares, &random.rng, &result));
    uint64_t learning = 2 * sotto__trials_learning(TRIALS, WIDE);
    const sotto_audit_row *row = row_named(&result, "epsilon, at least (R e_1, its opposite)");
    double all = sotto__epsilon_reach((TRIALS - learning) / 2, 0, shares.alpha_event);
    assert_near(row->statistic, all, 0.1);
    assert_true(sotto__epsilon_reach((KEPT - learning) / 2, 0, shares.alpha_event) < all - 0.5);
    assert_true(row_named(&result, "epsilon, at least, of the input 1 before")->passed);
}

/* Roles: as many trials learn as were asked for, everywhere in the pair, and nobody knows which. */

static sotto_status no_fill(sotto_rng *rng, void *out, size_t bytes)
{
    (void)rng, (void)out, (void)bytes;
    return SOTTO_E_ENTROPY;
}

TEST(coins_that_fail_are_told)
{
    sotto__roles roles;
    sotto_rng rng = {no_fill};
    assert_ok(sotto__roles_new(100, 10, &roles));
    assert_int_equal(sotto__roles_draw(&roles, &rng), SOTTO_E_ENTROPY);
    sotto__roles_free(&roles);
    sotto__roles_free(&roles);
}

TEST(every_window_trains_and_chooses)
{
    const struct {
        uint64_t kept, learning;
    } rows[] = {{100, 10}, {1000, 100}, {32, 8}, {4003, 400}, {256, 64}, {100000, 10000}};
    for (size_t n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        HELD(sotto__roles) roles;
        sotto__seeded random;
        uint64_t count[SOTTO__TRIAL_ROLES] = {0}, longest = 0, since = 0;
        sotto__seeded_begin(&random, n);
        assert_ok(sotto__roles_new(rows[n].kept, rows[n].learning, &roles));
        assert_ok(sotto__roles_draw(&roles, &random.rng));
        for (uint64_t i = 0; i < rows[n].kept; i++) {
            sotto__trial_role role = sotto__role_at(&roles, i);
            count[role]++;
            since = role == SOTTO__TRAIN ? 0 : since + 1;
            if (since > longest) longest = since;
            if (i % SOTTO__RUN > 0) assert_int_equal(role, sotto__role_at(&roles, i - 1));
        }
        uint64_t learning = rows[n].learning / SOTTO__RUN * SOTTO__RUN;
        assert_ints(sotto__roles_learning(&roles), learning, count[SOTTO__TRAIN], learning);
        assert_int_equal(count[SOTTO__CHOOSE], learning);
        uint64_t window = rows[n].kept / SOTTO__RUN / roles.windows * SOTTO__RUN;
        assert_true(longest <= 2 * window + rows[n].kept % window);
        assert_int_equal(sotto__role_at(&roles, rows[n].kept + SOTTO__RUN), SOTTO__FRESH);
    }
}

/* The first trials have fewer before them; the first of a run may have others. */
TEST(only_trials_of_the_same_role_are_alike)
{
    uint8_t run[4] = {SOTTO__FRESH, SOTTO__TRAIN, SOTTO__TRAIN, SOTTO__CHOOSE};
    const sotto__roles roles = {.windows = 2, .window_runs = 2, .run = run};
    const struct {
        uint64_t trial;
        uint32_t alike;
    } rows[] = {{0, 0},   {1, 1},   {3, 7},  {4, 15}, {7, 15},  {8, 0},  {9, 1},  {10, 3},
                {12, 15}, {16, 15}, {24, 0}, {27, 7}, {28, 15}, {32, 0}, {33, 1}, {100, 15}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(sotto__roles_alike(&roles, rows[i].trial, 4), rows[i].alike);
    }
}

/* The first run of 1,000 drawings: about a tenth trains, a tenth chooses. */
TEST(every_place_may_have_every_role)
{
    HELD(sotto__roles) roles;
    sotto__seeded random = seeded_of(5);
    assert_ok(sotto__roles_new(80, 8, &roles));
    uint32_t count[10][SOTTO__TRIAL_ROLES] = {{0}};
    for (uint32_t n = 0; n < 1000; n++) {
        assert_ok(sotto__roles_draw(&roles, &random.rng));
        for (uint32_t run = 0; run < 10; run++) {
            count[run][sotto__role_at(&roles, run * SOTTO__RUN)]++;
        }
    }
    for (uint32_t run = 0; run < 10; run++) {
        assert_true(count[run][SOTTO__TRAIN] > 50 && count[run][SOTTO__TRAIN] < 150);
        assert_true(count[run][SOTTO__CHOOSE] > 50 && count[run][SOTTO__CHOOSE] < 150);
    }
}

/* The table of answers: counts by secret, whatever the keys. */

static double ratio_of(const sotto__table *table, uint64_t key)
{
    const double *ratio = sotto__table_ratios(table, key);
    return ratio == NULL ? 0 : ratio[0];
}

TEST(what_never_came_says_nothing)
{
    OWN(sotto__table) table;
    assert_ok(sotto__table_new(0, &table));
    assert_ok(sotto__table_settle(table));
    assert_null(sotto__table_ratios(table, 0));
    assert_null(sotto__table_ratios(table, 7));
    sotto__table_free(NULL);
}

TEST(ratios_are_those_of_the_counts)
{
    OWN(sotto__table) table;
    assert_ok(sotto__table_new(3, &table));
    for (uint32_t i = 0; i < 9; i++) {
        sotto__table_add(table, 0, 0, 0); /* 0 is a key like any other */
        sotto__table_add(table, UINT64_MAX, 0, i < 2);
    }
    sotto__table_add(table, 5, 0, 1);
    assert_ok(sotto__table_settle(table));
    assert_near(ratio_of(table, 0), log(9.5 / 0.5), 1e-15);
    assert_near(ratio_of(table, UINT64_MAX), log(7.5 / 2.5), 1e-15);
    assert_near(ratio_of(table, 5), log(0.5 / 1.5), 1e-15);
    assert_near(ratio_of(table, 6), 0, 0);
}

/* Counts of one label are separate from those of others, few or many. */
TEST(labels_are_counted_apart)
{
    OWN(sotto__table) table;
    assert_ok(sotto__table_new(2, &table));
    for (uint32_t label = 0; label < SOTTO__LABELS; label++) {
        for (uint32_t i = 0; i < 30 * label; i++) {
            sotto__table_add(table, 9, label, label % 2);
        }
    }
    assert_ok(sotto__table_settle(table));
    const double *ratio = sotto__table_ratios(table, 9);
    assert_non_null(ratio);
    for (uint32_t label = 0; label < SOTTO__LABELS; label++) {
        double wanted = log((30 * label + 0.5) / 0.5);
        assert_near(ratio[label], label % 2 == 0 ? wanted : -wanted, 1e-14);
    }
}

/* As many keys as fit, many of which hash to the same place. */
TEST(a_full_table_finds_every_key_and_no_other)
{
    enum { KEYS = 100000 };
    OWN(sotto__table) table;
    sotto__seeded random = seeded_of(1);
    assert_ok(sotto__table_new(KEYS, &table));
    for (uint32_t i = 0; i < KEYS; i++) {
        uint64_t key = sotto__seeded_next(&random);
        for (uint32_t k = 0; k <= i % 3; k++) {
            sotto__table_add(table, key, 0, i % 2);
        }
    }
    assert_ok(sotto__table_settle(table));
    sotto__seeded_begin(&random, 1);
    for (uint32_t i = 0; i < KEYS; i++) {
        double ratio = log((1 + i % 3 + 0.5) / 0.5);
        double found = ratio_of(table, sotto__seeded_next(&random));
        assert_near(found, i % 2 == 0 ? ratio : -ratio, 1e-15);
    }
    for (uint32_t i = 0; i < KEYS; i++) {
        assert_near(ratio_of(table, sotto__seeded_next(&random)), 0, 0);
    }
}

/* Tables of 4 places: in some of them both keys hash to the last one. */
TEST(behind_the_last_place_comes_the_first)
{
    sotto__seeded random = seeded_of(2);
    for (uint32_t i = 0; i < 200; i++) {
        uint64_t first = sotto__seeded_next(&random), second = sotto__seeded_next(&random);
        OWN(sotto__table) table;
        assert_ok(sotto__table_new(2, &table));
        sotto__table_add(table, first, 0, 0);
        sotto__table_add(table, second, 0, 1);
        assert_ok(sotto__table_settle(table));
        assert_nears(1e-15, ratio_of(table, first), log(3), ratio_of(table, second), -log(3));
    }
}
