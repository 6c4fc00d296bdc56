/* The door: each kind of report is the plain choice on its prepared input, and nothing stays
 * behind.
 */
#include "client/client.h"
#include "core/core.h"
#include "golden.h"
#include "kinds.h"
#include "made.h"
#include "tape.h"
#include "test.h"

#include <math.h>
#include <string.h>

static sotto__door door_of(const sotto_terms *terms, sotto_phase phase, tape *random)
{
    sotto__door door = {.terms = terms, .phase = phase, .epoch = 77};
    assert_ok(random->rng.fill(&random->rng, door.nonce, sizeof door.nonce));
    return door;
}

static void random_score(tape *random, double *v)
{
    const double norms[] = {1, 1, 0.5, 0.01, 0};
    double norm = norms[sotto__seeded_next(&random->seeded) % 5], squares = 0;
    for (int i = 0; i < DIM; i++) {
        v[i] = sotto__uniform(sotto__seeded_next(&random->seeded)) - 0.5;
        squares += v[i] * v[i];
    }
    for (int i = 0; i < DIM; i++) {
        v[i] *= norm / sqrt(squares);
    }
}

static bool all_zero(const void *memory, size_t bytes)
{
    const uint8_t *at = memory;
    for (size_t i = 0; i < bytes; i++) {
        if (at[i] != 0) return false;
    }
    return true;
}

/* What enters the codebook in `slot`, by the table at the head of privatise.c. */
static void plain_input(kind k, const sotto__door *door, const double *v, uint32_t arm,
                        uint32_t slot, double *input)
{
    bool warm_up = door->phase == SOTTO_PHASE_WARM_UP;
    int8_t sign[ARMS];
    sotto__arm_signs(door->terms, door->nonce, sign);
    memset(input, 0, ARMS * DIM * sizeof input[0]);
    double *block = k == JOINT && !warm_up ? input + arm * DIM : input;
    double factor = k == SIGNS && !warm_up ? sign[arm] : 1;
    if (k == SPLIT && slot != arm) factor = 0;
    for (int i = 0; i < DIM; i++) {
        block[i] = factor * v[i];
    }
}

static void assert_plain_report(kind k, const sotto__door *door, const double *v, uint32_t arm,
                                tape coins_tape, const sotto_report *report)
{
    const sotto_codebook *codebook = &door->terms->codebook[door->phase];
    sotto__door_work work;
    assert_ok(sotto__door_work_new(door->terms, &work));
    assert_int_equal(report->count, k == SPLIT ? ARMS : 1);
    for (uint32_t slot = 0; slot < report->count; slot++) {
        double input[ARMS * DIM];
        sotto__coins coins;
        plain_input(k, door, v, arm, slot, input);
        assert_ok(sotto__draw_coins(codebook, &coins_tape.rng, &coins));
        sotto__choice choice = {codebook, door->terms->stream_key, door->nonce, slot};
        uint32_t group = k == TAGS && door->phase == SOTTO_PHASE_MAIN ? arm : 0;
        assert_int_equal(report->value[slot],
                         sotto__choose_codeword(&choice, input, group, &coins, &work.choice));
    }
    sotto__door_work_free(&work);
}

TEST(no_entropy_leaves_no_value_and_no_secret_behind)
{
    tape random = tape_seeded(31);
    for (int k = 0; k < INDEX_KINDS; k++) {
        sotto_terms terms = resolved_of((kind)k);
        sotto__door door = door_of(&terms, SOTTO_PHASE_MAIN, &random);
        sotto__door_work *work = made_work(&terms);
        sotto_report *report = made_report(&terms);
        tape whole = tape_seeded(32);
        const double v[] = {0.6, 0, -0.8};
        assert_ok(sotto__privatise(&door, v, 1, &whole.rng, work, report));
        for (size_t count = 0; count < whole.drawn_bytes; count += 8) {
            tape t = tape_seeded(32);
            t.fails_after_bytes = count;
            memset(work->memory, 0xff, work->memory_bytes);
            memset(report->value, 0x7f, report->count * sizeof report->value[0]);
            assert_status(sotto__privatise(&door, v, 1, &t.rng, work, report), SOTTO_E_ENTROPY);
            assert_true(all_zero(work->memory, work->memory_bytes));
            assert_true(all_zero(report->value, report->count * sizeof report->value[0]));
        }
    }
}

TEST(what_is_not_finite_enters_as_zero)
{
    const double odd[][DIM] = {{NAN, 0.5, 0}, {INFINITY, 0.5, 0}, {-INFINITY, 0.5, NAN}};
    const double plain[] = {0, 0.5, 0};
    for (int at = 0; at < INDEX_KINDS * 3; at++) {
        sotto_terms terms = resolved_of((kind)(at / 3));
        sotto__door_work *work = made_work(&terms);
        sotto_report *report = made_report(&terms);
        for (uint64_t seed = 0; seed < 30; seed++) {
            tape nonce = tape_seeded(seed + 1000), t = tape_seeded(seed), same = tape_seeded(seed);
            sotto__door door = door_of(&terms, SOTTO_PHASE_MAIN, &nonce);
            assert_ok(sotto__privatise(&door, odd[at % 3], 1, &t.rng, work, report));
            assert_plain_report((kind)(at / 3), &door, plain, 1, same, report);
        }
    }
}

TEST(every_kind_is_the_plain_choice_on_its_own_input)
{
    tape random = tape_seeded(33);
    for (int at = 0; at < INDEX_KINDS * 2; at++) {
        kind k = (kind)(at / 2);
        sotto_phase phase = k == SHARED ? SOTTO_PHASE_MAIN : (sotto_phase)(at % 2);
        sotto_terms terms = resolved_of(k);
        sotto__door_work *work = made_work(&terms);
        sotto_report *report = made_report(&terms);
        for (uint32_t trial = 0; trial < 400; trial++) {
            sotto__door door = door_of(&terms, phase, &random);
            tape t = tape_seeded(trial), same = tape_seeded(trial);
            double v[DIM];
            random_score(&random, v);
            assert_ok(sotto__privatise(&door, v, trial % ARMS, &t.rng, work, report));
            assert_plain_report(k, &door, v, trial % ARMS, same, report);
        }
    }
}

TEST(a_report_carries_spec_epoch_and_nonce)
{
    tape random = tape_seeded(34);
    sotto_terms terms = resolved_of(SIGNS);
    sotto__door door = door_of(&terms, SOTTO_PHASE_MAIN, &random);
    sotto__door_work *work = made_work(&terms);
    sotto_report *report = made_report(&terms);
    const double v[] = {1, 0, 0};
    memset(report->spec_id, 0xee, sizeof report->spec_id);
    assert_ok(sotto__privatise(&door, v, 0, &random.rng, work, report));
    assert_memory_equal(report->spec_id, terms.id, sizeof terms.id);
    assert_memory_equal(report->nonce, door.nonce, sizeof door.nonce);
    assert_int_equal(report->epoch, 77);
}

TEST(the_workspace_is_wiped_before_it_returns)
{
    tape random = tape_seeded(35);
    for (int k = 0; k < INDEX_KINDS; k++) {
        sotto_terms terms = resolved_of((kind)k);
        sotto__door door = door_of(&terms, SOTTO_PHASE_MAIN, &random);
        sotto__door_work work;
        sotto_report *report;
        assert_ok(sotto__door_work_new(&terms, &work));
        assert_ok(sotto_report_new(&terms, &report));
        const double v[] = {0.6, 0, -0.8};
        memset(work.memory, 0xff, work.memory_bytes);
        assert_ok(sotto__privatise(&door, v, 2, &random.rng, &work, report));
        assert_true(all_zero(work.memory, work.memory_bytes));
        sotto_report_free(report);
        sotto__door_work_free(&work);
        assert_null(work.memory);
        sotto__door_work_free(&work);
    }
}

TEST(the_bytes_drawn_do_not_depend_on_the_secret)
{
    const double secrets[][DIM] = {{0, 0, 0},         {-0.0, 0, 0}, {1, 0, 0},     {-1, 0, 0},
                                   {0.5, -0.5, 0.25}, {1, 1, 1},    {1e308, 1, 1}, {5e-324, 0, 0}};
    for (int k = 0; k < INDEX_KINDS; k++) {
        sotto_terms terms = resolved_of((kind)k);
        sotto__door_work *work = made_work(&terms);
        sotto_report *report = made_report(&terms);
        for (uint64_t seed = 0; seed < 50; seed++) {
            tape nonce = tape_seeded(seed + 1000), first = tape_seeded(seed);
            sotto__door door = door_of(&terms, SOTTO_PHASE_MAIN, &nonce);
            assert_ok(sotto__privatise(&door, secrets[0], 0, &first.rng, work, report));
            assert_true(first.drawn_bytes >= 24 * report->count);
            for (size_t s = 0; s < ARMS * sizeof secrets / sizeof secrets[0]; s++) {
                tape t = tape_seeded(seed);
                uint32_t arm = (uint32_t)(s % ARMS);
                assert_ok(sotto__privatise(&door, secrets[s / ARMS], arm, &t.rng, work, report));
                assert_ints(t.drawn_bytes, first.drawn_bytes, t.drawn_calls, first.drawn_calls);
            }
        }
    }
}

/* ---- ticks --------------------------------------------------------------------------------- */

#define MOMENTS 9 /* of 3 numbers */
#define LATTICES 4

/* Shared and per-arm, gaussian and laplace. */
static sotto_terms lattice_of(int at)
{
    sotto_terms terms = resolved_of(at % 2 == 0 ? TICKS : PER_ARM_TICKS);
    sotto_spec spec = terms.spec;
    if (at / 2 == 1) spec.noise_law = SOTTO_NOISE_LAPLACE, spec.delta = 0;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    return terms;
}

/* A statistic within the clip, and one with numbers of every bad kind. */
static const double statistic[MOMENTS] = {0.5, -0.25, 1, 0.125, -0.7, 0.33, -1, 0.9, 1e-9};
static const double strange[MOMENTS] = {NAN,    INFINITY, -INFINITY, 1e308, -1e308,
                                        5e-324, -0.0,     2,         -1.5};
static const double replaced[MOMENTS] = {0, 0, 0, 1, -1, 0, 0, 1, -1};

typedef struct lattice_door {
    sotto_terms terms;
    sotto__door door;
    sotto__door_work work;
    sotto_report *report;
} lattice_door;

static void lattice_begin(lattice_door *d, int at)
{
    tape random = tape_seeded(36);
    d->terms = lattice_of(at);
    d->door = door_of(&d->terms, SOTTO_PHASE_MAIN, &random);
    assert_ok(sotto__door_work_new(&d->terms, &d->work));
    assert_ok(sotto_report_new(&d->terms, &d->report));
    memset(d->report->value, 0x7f, d->report->count * sizeof d->report->value[0]);
}

static void lattice_end(lattice_door *d)
{
    sotto_report_free(d->report);
    sotto__door_work_free(&d->work);
}

static void assert_nothing_left(const lattice_door *d)
{
    assert_true(all_zero(d->work.memory, d->work.memory_bytes));
    assert_true(all_zero(d->report->value, d->report->count * sizeof d->report->value[0]));
}

TEST(ticks_need_noise_that_no_report_has_used)
{
    for (int at = 0; at < LATTICES; at++) {
        lattice_door d;
        tape t = tape_seeded(37);
        lattice_begin(&d, at);
        assert_status(sotto__privatise(&d.door, statistic, 1, &t.rng, &d.work, d.report),
                      SOTTO_E_ORDER);
        assert_nothing_left(&d);
        assert_ok(sotto__door_begin(&d.terms, sotto__lattice_noise, &t.rng, &d.work));
        assert_ok(sotto__privatise(&d.door, statistic, 1, &t.rng, &d.work, d.report));
        assert_true(all_zero(d.work.memory, d.work.memory_bytes));
        assert_status(sotto__privatise(&d.door, statistic, 1, &t.rng, &d.work, d.report),
                      SOTTO_E_ORDER);
        assert_nothing_left(&d);
        lattice_end(&d);
    }
}

TEST(without_entropy_there_is_no_noise_not_even_the_last)
{
    for (int at = 0; at < LATTICES; at++) {
        lattice_door d;
        tape whole = tape_seeded(38);
        lattice_begin(&d, at);
        assert_ok(sotto__door_begin(&d.terms, sotto__lattice_noise, &whole.rng, &d.work));
        size_t needed_bytes = whole.drawn_bytes;
        for (size_t bytes = 0; bytes < needed_bytes; bytes += 64) {
            tape t = tape_seeded(38);
            t.fails_after_bytes = bytes;
            assert_status(sotto__door_begin(&d.terms, sotto__lattice_noise, &t.rng, &d.work),
                          SOTTO_E_ENTROPY);
            assert_true(all_zero(d.work.memory, d.work.memory_bytes));
            assert_status(sotto__privatise(&d.door, statistic, 0, &t.rng, &d.work, d.report),
                          SOTTO_E_ORDER);
            assert_nothing_left(&d);
            assert_ok(sotto__door_begin(&d.terms, sotto__lattice_noise, &whole.rng, &d.work));
        }
        lattice_end(&d);
    }
}

TEST(only_lattice_rounds_draw_before_the_secret)
{
    for (int k = 0; k < KINDS; k++) {
        sotto_terms terms = resolved_of((kind)k);
        tape t = tape_seeded(39);
        sotto__door_work *work = made_work(&terms);
        assert_ok(sotto__door_begin(&terms, sotto__lattice_noise, &t.rng, work));
        assert_int_equal(t.drawn_bytes > 0, k >= INDEX_KINDS);
    }
}

/* round(f/grid) clipped, in the block of the arm, plus what lattice_noise makes of the same tape.
 * What is not finite counts as 0. No byte is drawn once the secret is there. */
TEST(ticks_are_the_rounded_statistic_and_the_noise)
{
    for (uint32_t trial = 0; trial < 400; trial++) {
        lattice_door d;
        lattice_begin(&d, (int)(trial % LATTICES));
        const sotto_lattice *lattice = &d.terms.lattice;
        bool per_arm = trial % 2 == 1, odd = trial / 4 % 2 == 1;
        uint32_t arm = trial / 8 % ARMS;
        if (per_arm) d.door.phase = (sotto_phase)(trial / 16 % 2);
        assert_int_equal(d.report->count, per_arm ? ARMS * MOMENTS : MOMENTS);
        int64_t noise[ARMS * MOMENTS];
        tape t = tape_seeded(trial), same = tape_seeded(trial);
        assert_ok(sotto__lattice_noise(lattice, d.terms.spec.noise_law, &same.rng, noise));

        assert_ok(sotto__door_begin(&d.terms, sotto__lattice_noise, &t.rng, &d.work));
        t.fails_after_bytes = t.drawn_bytes;
        assert_int_equal(t.drawn_bytes, same.drawn_bytes);
        assert_ok(
            sotto__privatise(&d.door, odd ? strange : statistic, arm, &t.rng, &d.work, d.report));
        for (uint32_t i = 0; i < d.report->count; i++) {
            double f = (odd ? replaced : statistic)[i % MOMENTS];
            bool filled = !per_arm || i / MOMENTS == arm;
            double ticks = filled ? rint(ldexp(f, -lattice->grid_log2)) : 0;
            assert_int_equal(d.report->value[i], noise[i] + (int64_t)ticks);
        }
        assert_int_equal(d.report->epoch, 77);
        assert_memory_equal(d.report->nonce, d.door.nonce, sizeof d.door.nonce);
        assert_memory_equal(d.report->spec_id, d.terms.id, sizeof d.terms.id);
        lattice_end(&d);
    }
}

/* Whatever the report before it said. */
TEST(a_reward_of_split_arms_is_one_index_and_zeros)
{
    tape random = tape_seeded(5);
    const sotto_terms terms = resolved_of(SPLIT);
    sotto__door door = door_of(&terms, SOTTO_PHASE_MAIN, &random);
    sotto__door_work *work = made_work(&terms);
    sotto_report *report = made_report(&terms);
    assert_int_equal(report->count, ARMS);
    for (uint32_t i = 0; i < report->count; i++) {
        report->value[i] = 1;
    }
    assert_ok(sotto__privatise_reward(&door, 0.5, &random.rng, work, report));
    assert_true(report->value[0] == 0 || report->value[0] == 1);
    for (uint32_t i = 1; i < report->count; i++) {
        assert_int_equal(report->value[i], 0);
    }
}

/* The worked example of docs/protocol.md, section 11, by its second client: terms spec_nulls.bin, arm 1. */
TEST(the_worked_example_with_nulls)
{
    uint8_t bytes[SOTTO_TERMS_BYTES];
    sotto_terms terms;
    assert_ok(
        sotto_terms_decode(bytes, golden_read("spec_nulls.bin", bytes, sizeof bytes), &terms));
    sotto__door door = {.terms = &terms, .phase = SOTTO_PHASE_MAIN};
    for (uint8_t j = 0; j < SOTTO_NONCE_BYTES; j++) {
        door.nonce[j] = 16 + j;
    }
    sotto__door_work *work = made_work(&terms);
    sotto_report *report = made_report(&terms);
    const uint64_t top = UINT64_C(1553544405800), whole = UINT64_C(1828422312744);
    const uint64_t high = UINT64_C(1) << 63; /* a fraction of 1/2: not heard at ||v|| = 0.4 */
    static const double short_v[3] = {0.24, 0, 0.32}, zero_v[3] = {0};
    const struct {
        const double *v;
        uint64_t sign, member;
        int32_t index;
    } rows[] = {
        {short_v, 0, 0, 9},
        {short_v, 0, top - 1, 1023},
        {short_v, 0, top, 0},
        {short_v, 0, whole - 1, 1129},
        {short_v, high, 0, 1024},
        {short_v, high, top - 1, 1129},
        {short_v, high, top, 0},
        {short_v, high, whole - 1, 1023},
        {zero_v, 0, 43968237900, 1027},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint64_t coins[] = {rows[i].sign, rows[i].member, 17};
        uint8_t words[24];
        for (int w = 0; w < 3; w++) {
            sotto__put_u64(words + 8 * w, coins[w]);
        }
        tape coin_tape = tape_of(words, sizeof words);
        assert_ok(sotto__privatise(&door, rows[i].v, 1, &coin_tape.rng, work, report));
        assert_ints(report->value[0], rows[i].index, coin_tape.drawn_bytes, 24);
    }
}
