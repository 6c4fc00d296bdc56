/* A round: refused terms, wrong order, no entropy, an empty budget, hostile numbers, the report. */
#include "borrowed.h"
#include "client/client.h"
#include "client/inner.h"
#include "made.h"
#include "person.h"
#include "test.h"

#include <math.h>
#include <string.h>

#define DIM 3
#define ARMS 4
#define CELLS 12
#define FRAME_BYTES 42
#define MOMENTS 9           /* of 3 numbers */
#define FRAME_BYTES_MAX 184 /* 4 arms x 9 ticks */

static const double context[CELLS] = {.1, .2, .3, .3, .6, .1, .2, .1, .7, -.5, .2, .5};

static sotto_spec small_spec(void)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = DIM, spec.arms = ARMS, spec.reward_default = 0.25;
    return spec;
}

static void person_begin(person *p, sotto_spec spec, double lifetime, uint64_t seed)
{
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_lifetime = lifetime, policy.delta_lifetime = 0.5;
    person_join(p, &spec, &policy, seed);
    p->model->phase = SOTTO_PHASE_MAIN;
    p->model->epoch = 5;
    p->model->theta[0] = 0.5;
    if (p->model->tbar != NULL) p->model->tbar[1] = 0.5;
}

FIXTURE(set_up)
{
    static person p;
    person_begin(&p, small_spec(), 8, 1);
    *state = &p;
}

static sotto_status decide(person *p)
{
    return sotto_round_decide(p->round, context, CELLS, &p->arm);
}

static sotto_status finish(person *p)
{
    return sotto_round_finish(p->round, 0.5, p->frame, FRAME_BYTES);
}

static sotto_status resend(person *p)
{
    return sotto_round_resend(p->round, p->frame, FRAME_BYTES);
}

/* begin, decide and finish; the report must be a whole frame of the spec. */
static void whole_round(person *p, const double *x, uint32_t count, double reward)
{
    assert_ok(sotto_round_begin(p->round, p->model));
    assert_ok(sotto_round_decide(p->round, x, count, &p->arm));
    assert_true(p->arm < ARMS);
    size_t bytes = sotto_report_bytes(&p->terms);
    assert_ok(sotto_round_finish(p->round, reward, p->frame, bytes));
    assert_int_equal(p->frame[bytes], 0xab);
    sotto_report *report = made_report(&p->terms);
    assert_ok(sotto_report_decode(&p->terms, p->frame, bytes, report));
    assert_int_equal(report->epoch, p->model->epoch);
}

static bool frame_untouched(const person *p)
{
    for (size_t i = 0; i < sizeof p->frame; i++) {
        if (p->frame[i] != 0xab) return false;
    }
    return true;
}

TEST_WITH(models_of_another_spec_or_phase_book_nothing, set_up, NULL)
{
    person *p = *state;
    p->model->spec_id[0] ^= 1;
    assert_status(sotto_round_begin(p->round, p->model), SOTTO_E_SPEC);
    p->model->spec_id[0] ^= 1;
    p->model->phase = SOTTO_PHASE_WARM_UP; /* shared parameters have none */
    assert_status(sotto_round_begin(p->round, p->model), SOTTO_E_PHASE);
    p->model->phase = SOTTO_PHASES;
    assert_status(sotto_round_begin(p->round, p->model), SOTTO_E_PHASE);
    assert_ints(sotto_ledger_rounds(p->ledger), 0, p->t.drawn_bytes, 0);
}

TEST_WITH(a_round_goes_begin_decide_finish_each_once, set_up, NULL)
{
    person *p = *state;
    assert_status(resend(p), SOTTO_E_ORDER);
    for (int round = 0; round < 2; round++) {
        assert_status(decide(p), SOTTO_E_ORDER);
        assert_status(finish(p), SOTTO_E_ORDER);
        assert_ok(sotto_round_begin(p->round, p->model));
        assert_status(finish(p), SOTTO_E_ORDER);
        assert_status(resend(p), SOTTO_E_ORDER);
        assert_ok(decide(p));
        assert_status(decide(p), SOTTO_E_ORDER);
        assert_status(resend(p), SOTTO_E_ORDER);
        if (round == 0) assert_true(frame_untouched(p));
        assert_ok(finish(p));
        assert_status(finish(p), SOTTO_E_ORDER);
    }
    assert_int_equal(sotto_ledger_rounds(p->ledger), 2);
}

TEST_WITH(wrong_lengths_are_refused_and_may_be_tried_again, set_up, NULL)
{
    person *p = *state;
    const uint32_t counts[] = {0, DIM, CELLS - 1, CELLS + 1, 2 * CELLS, UINT32_MAX};
    p->arm = 99;
    assert_ok(sotto_round_begin(p->round, p->model));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        assert_status(sotto_round_decide(p->round, context, counts[i], &p->arm), SOTTO_E_LENGTH);
    }
    assert_int_equal(p->arm, 99);
    assert_ok(decide(p));
    size_t drawn = p->t.drawn_bytes;
    for (size_t capacity = 0; capacity < FRAME_BYTES; capacity++) {
        assert_status(sotto_round_finish(p->round, 0, p->frame, capacity), SOTTO_E_LENGTH);
    }
    assert_true(frame_untouched(p));
    assert_int_equal(p->t.drawn_bytes, drawn);
    assert_ok(finish(p));
    uint8_t again[FRAME_BYTES];
    assert_status(sotto_round_resend(p->round, again, FRAME_BYTES - 1), SOTTO_E_LENGTH);
    assert_ok(sotto_round_resend(p->round, again, FRAME_BYTES));
    assert_memory_equal(again, p->frame, FRAME_BYTES);
    assert_int_equal(sotto_ledger_rounds(p->ledger), 1);
}

TEST_WITH(without_entropy_a_round_does_not_begin_and_books_nothing, set_up, NULL)
{
    person *p = *state;
    for (p->t.fails_after_bytes = 0; p->t.fails_after_bytes < 16; p->t.fails_after_bytes++) {
        assert_status(sotto_round_begin(p->round, p->model), SOTTO_E_ENTROPY);
    }
    assert_int_equal(sotto_ledger_rounds(p->ledger), 0);
    assert_true(sotto_ledger_epsilon(p->ledger) == 0);
    assert_status(decide(p), SOTTO_E_ORDER);
}

TEST_WITH(without_entropy_at_any_draw_of_finish_nothing_leaves_and_it_is_spent, set_up, NULL)
{
    person *p = *state;
    for (size_t draw = 0; draw < 3; draw++) {
        p->t.fails_after_bytes = p->t.drawn_bytes + SOTTO_NONCE_BYTES + 8 * draw;
        assert_ok(sotto_round_begin(p->round, p->model));
        assert_ok(decide(p));
        assert_status(finish(p), SOTTO_E_ENTROPY);
        p->t.fails_after_bytes = SIZE_MAX;
        assert_status(finish(p), SOTTO_E_ORDER);
        assert_status(resend(p), SOTTO_E_ORDER);
        assert_true(frame_untouched(p));
        assert_int_equal(sotto_ledger_rounds(p->ledger), draw + 1);
    }
}

TEST(the_budget_lasts_exactly_to_its_cap)
{
    const struct {
        double epsilon, lifetime;
        uint64_t fits;
    } rows[] = {{0.1, 1, 10}, {1, 8, 8}, {2, 3, 1}};
    for (size_t r = 0; r < 3; r++) {
        person p;
        sotto_spec spec = small_spec();
        spec.epsilon = rows[r].epsilon;
        person_begin(&p, spec, rows[r].lifetime, 1);
        for (uint64_t i = 0; i < rows[r].fits; i++) {
            whole_round(&p, context, CELLS, 0.5);
        }
        double spent = sotto_ledger_epsilon(p.ledger);
        assert_status(sotto_round_begin(p.round, p.model), SOTTO_E_BUDGET);
        assert_true(sotto_ledger_epsilon(p.ledger) == spent);
        assert_int_equal(sotto_ledger_rounds(p.ledger), rows[r].fits);
        assert_ok(resend(&p)); /* a retry costs nothing */
    }
}

TEST_WITH(an_abandoned_round_stays_spent, set_up, NULL)
{
    person *p = *state;
    assert_ok(sotto_round_begin(p->round, p->model));
    assert_ok(sotto_round_begin(p->round, p->model)); /* abandons the first */
    assert_ok(decide(p));
    assert_ok(sotto_round_begin(p->round, p->model)); /* and the second, decided */
    assert_status(finish(p), SOTTO_E_ORDER);
    assert_ok(decide(p));
    p->t.fails_after_bytes = p->t.drawn_bytes;
    assert_status(sotto_round_begin(p->round, p->model), SOTTO_E_ENTROPY); /* and the third */
    assert_status(finish(p), SOTTO_E_ORDER);
    release(p->round);
    assert_int_equal(sotto_ledger_rounds(p->ledger), 3);
    assert_true(sotto_ledger_epsilon(p->ledger) == 3);
}

/* Two secrets, the same tape: the same bytes. */
static void assert_same_report(const double *x, double reward, const double *y, double same_reward)
{
    person p, q;
    person_begin(&p, small_spec(), 8, 77);
    person_begin(&q, small_spec(), 8, 77);
    for (int round = 0; round < 8; round++) {
        whole_round(&p, x, CELLS, reward);
        whole_round(&q, y, CELLS, same_reward);
        assert_memory_equal(p.frame, q.frame, FRAME_BYTES);
    }
}

TEST(bad_rewards_and_contexts_report_like_what_replaces_them)
{
    const double bad[] = {NAN, INFINITY, -INFINITY};
    double odd[CELLS], plain[CELLS];
    for (int i = 0; i < 3; i++) {
        assert_same_report(context, bad[i], context, 0.25);
        memcpy(odd, context, sizeof odd);
        memcpy(plain, context, sizeof plain);
        odd[5] = bad[i];
        plain[5] = 0;
        assert_same_report(odd, 0.4, plain, 0.4);
    }
    assert_same_report(context, 1e308, context, 1);
    assert_same_report(context, -1e308, context, -1);
    odd[3] = plain[3] = odd[5] = 0;
    odd[4] = 1e308, plain[4] = 1;
    assert_same_report(odd, 0.4, plain, 0.4);
}

TEST(hostile_models_and_secrets_still_end_in_a_valid_report)
{
    const double odd[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308, 1e300, 5e-324, 0, -0.0, 1};
    for (int kind = 0; kind < 4; kind++) {
        person p;
        sotto_spec spec = small_spec();
        if (kind > 0) spec.parameters = SOTTO_PARAMETERS_PER_ARM;
        if (kind == 2) spec.score = SOTTO_SCORE_HUBER;
        if (kind == 3) spec.method = SOTTO_METHOD_LDP_SGD, spec.score = SOTTO_SCORE_GRADIENT;
        person_begin(&p, spec, INFINITY, 3);
        for (uint32_t trial = 0; trial < 3000; trial++) {
            double x[CELLS];
            for (uint32_t i = 0; i < CELLS; i++) {
                uint64_t word = sotto__seeded_next(&p.t.seeded);
                x[i] = odd[word % 10];
                if (kind > 0 || i < DIM) p.model->theta[i] = odd[word / 10 % 10];
                if (kind == 0 && i < DIM) p.model->tbar[i] = odd[word / 100 % 10];
                if (kind == 3) p.model->frozen[i] = odd[word / 100 % 10];
            }
            p.model->elimination = odd[trial % 10];
            if (kind > 0) p.model->phase = (sotto_phase)(trial % 2);
            whole_round(&p, x, kind == 0 ? CELLS : DIM, odd[trial / 10 % 10]);
        }
    }
}

/* The whole round once more by hand: nonce, arm, score of the chosen arm, the door. */
TEST(the_report_is_the_private_score_of_the_chosen_arm)
{
    for (int trial = 0; trial < 200; trial++) {
        person p;
        sotto_spec spec = small_spec();
        bool shared = trial % 2 == 0;
        if (!shared) spec.parameters = SOTTO_PARAMETERS_PER_ARM;
        person_begin(&p, spec, 8, (uint64_t)trial);
        for (uint32_t i = 0; !shared && i < CELLS; i++) {
            p.model->theta[i] = context[(i + (uint32_t)trial) % CELLS];
        }
        whole_round(&p, context, shared ? CELLS : DIM, 0.125);

        tape same = tape_seeded((uint64_t)trial);
        sotto__door door = {&p.terms, SOTTO_PHASE_MAIN, 5, {0}};
        assert_ok(same.rng.fill(&same.rng, door.nonce, sizeof door.nonce));
        double scratch[64], v[DIM];
        uint32_t arm = sotto__decide(&p.terms, p.model, door.nonce, context, scratch);
        sotto__scored scored = {.spec = &spec,
                                .along_weight = p.terms.along_weight,
                                .x = context,
                                .reward = 0.125,
                                .theta = p.model->theta,
                                .decide = shared ? p.model->tbar : NULL};
        if (shared) scored.x += arm * DIM;
        if (!shared) scored.theta += arm * DIM;
        sotto__score_sign(&scored, v);
        uint8_t frame[FRAME_BYTES];
        sotto__door_work *work = made_work(&p.terms);
        sotto_report *report = made_report(&p.terms);
        assert_ok(sotto__privatise(&door, v, arm, &same.rng, work, report));
        assert_ok(sotto_report_encode(&p.terms, report, frame, FRAME_BYTES));
        assert_int_equal(p.arm, arm);
        assert_memory_equal(p.frame, frame, FRAME_BYTES);
    }
}

/* ---- moments ------------------------------------------------------------------------------- */

/* Kinds 0 to 11: ldp-ols, ldp-ucb, ldp-gloc, each shared and per-arm, gaussian and laplace. Kind
 * 12: sotto-ols. */
#define LATTICE_KINDS 12
#define MOMENT_KINDS 13

static sotto_spec moment_spec(int kind)
{
    sotto_spec spec = small_spec();
    spec.method = kind == LATTICE_KINDS ? SOTTO_METHOD_SOTTO_OLS
                                        : (sotto_method)(SOTTO_METHOD_LDP_OLS + kind / 4);
    bool pair = spec.method == SOTTO_METHOD_LDP_GLOC;
    spec.score = pair ? SOTTO_SCORE_GLOC_PAIR : SOTTO_SCORE_MOMENTS;
    spec.parameters = (sotto_parameters)(kind % 2);
    spec.noise_law = (sotto_noise_law)(kind % 4 / 2);
    bool pure = kind == LATTICE_KINDS || spec.noise_law == SOTTO_NOISE_LAPLACE;
    spec.delta = pure ? 0 : 1e-6;
    if (kind == LATTICE_KINDS) spec.noise_law = SOTTO_NOISE_GAUSSIAN;
    return spec;
}

/* Different numbers in all arrays of the model, so that none can stand in for another. */
static void moment_person(person *p, int kind, uint64_t seed)
{
    person_begin(p, moment_spec(kind), INFINITY, seed);
    bool shared = p->terms.spec.parameters == SOTTO_PARAMETERS_SHARED;
    if (!shared) p->model->phase = (sotto_phase)(seed % 2);
    for (uint32_t i = 0; i < (shared ? DIM : CELLS); i++) {
        p->model->theta[i] = context[(i + seed) % CELLS];
        if (p->model->theta_h != NULL) p->model->theta_h[i] = 3 * context[(i + seed + 5) % CELLS];
    }
}

static uint32_t context_count(const person *p)
{
    return p->terms.spec.parameters == SOTTO_PARAMETERS_SHARED ? CELLS : DIM;
}

/* The statistic of the chosen arm, from the round's own public parts. */
static void statistic_of(const person *p, uint32_t arm, double reward, double *v)
{
    bool shared = p->terms.spec.parameters == SOTTO_PARAMETERS_SHARED;
    const double *online = p->model->theta_h;
    sotto__scored scored = {.spec = &p->terms.spec,
                            .along_weight = 1,
                            .x = shared ? context + arm * DIM : context,
                            .reward = reward,
                            .online = online == NULL || shared ? online : online + arm * DIM};
    sotto__score_of (&p->terms.spec)(&scored, v);
}

static void assert_frame_is(const person *p, const int32_t *value)
{
    sotto_report *report = made_report(&p->terms);
    assert_ok(sotto_report_decode(&p->terms, p->frame, sotto_report_bytes(&p->terms), report));
    assert_memory_equal(report->value, value, report->count * sizeof value[0]);
}

/* With the tape of this seed: nonce, noise; then ticks + noise in the arm's block. */
static void assert_ticks_of_tape(const person *p, tape *same, double reward)
{
    const sotto_lattice *lattice = &p->terms.lattice;
    uint8_t nonce[SOTTO_NONCE_BYTES];
    int64_t noise[ARMS * MOMENTS];
    int32_t value[ARMS * MOMENTS];
    double v[MOMENTS], scratch[64];
    assert_ok(same->rng.fill(&same->rng, nonce, sizeof nonce));
    assert_ok(sotto__lattice_noise(lattice, p->terms.spec.noise_law, &same->rng, noise));
    uint32_t arm = sotto__decide(&p->terms, p->model, nonce, context, scratch);
    assert_int_equal(p->arm, arm);
    statistic_of(p, arm, reward, v);
    bool shared = p->terms.spec.parameters == SOTTO_PARAMETERS_SHARED;
    sotto__add_noise(lattice, v, MOMENTS, shared ? 0 : arm, noise, value);
    assert_frame_is(p, value);
}

TEST(noise_is_drawn_at_begin_and_nothing_after_it)
{
    for (int at = 0; at < LATTICE_KINDS * 20; at++) {
        person p;
        uint64_t seed = (uint64_t)(at / LATTICE_KINDS);
        moment_person(&p, at % LATTICE_KINDS, seed);
        assert_ok(sotto_round_begin(p.round, p.model));
        p.t.fails_after_bytes = p.t.drawn_bytes; /* no byte for decide and finish */
        assert_ok(sotto_round_decide(p.round, context, context_count(&p), &p.arm));
        assert_ok(sotto_round_finish(p.round, 0.125, p.frame, FRAME_BYTES_MAX));
        tape same = tape_seeded(seed);
        assert_ticks_of_tape(&p, &same, 0.125);
        assert_int_equal(p.t.drawn_bytes, same.drawn_bytes);
    }
}

TEST(lifted_moments_go_through_the_codebook)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        person p;
        moment_person(&p, LATTICE_KINDS, seed);
        whole_round(&p, context, CELLS, 0.125);
        tape same = tape_seeded(seed);
        sotto__door door = {&p.terms, SOTTO_PHASE_MAIN, 5, {0}};
        double v[MOMENTS + 1];
        assert_ok(same.rng.fill(&same.rng, door.nonce, sizeof door.nonce));
        statistic_of(&p, p.arm, 0.125, v);
        sotto__door_work *work = made_work(&p.terms);
        sotto_report *report = made_report(&p.terms);
        assert_ok(sotto__privatise(&door, v, p.arm, &same.rng, work, report));
        assert_frame_is(&p, report->value);
    }
}

TEST(without_entropy_for_the_noise_a_round_does_not_begin_and_books_nothing)
{
    for (int kind = 0; kind < LATTICE_KINDS; kind++) {
        person p;
        moment_person(&p, kind, 1);
        assert_ok(sotto_round_begin(p.round, p.model));
        size_t needed_bytes = p.t.drawn_bytes;
        assert_true(needed_bytes > SOTTO_NONCE_BYTES);
        assert_int_equal(sotto_ledger_rounds(p.ledger), 1);
        for (size_t bytes = 0; bytes < needed_bytes; bytes += 16) {
            p.t = tape_seeded(1);
            p.t.fails_after_bytes = bytes;
            assert_status(sotto_round_begin(p.round, p.model), SOTTO_E_ENTROPY);
            assert_status(sotto_round_decide(p.round, context, context_count(&p), &p.arm),
                          SOTTO_E_ORDER);
            assert_int_equal(sotto_ledger_rounds(p.ledger), 1);
        }
    }
}

/* An abandoned round, a refused one and a finished one: the next draws nonce and noise anew. */
TEST(noise_is_never_used_again)
{
    for (int kind = 0; kind < LATTICE_KINDS; kind++) {
        person p;
        moment_person(&p, kind, 2);
        assert_ok(sotto_round_begin(p.round, p.model));
        assert_ok(sotto_round_decide(p.round, context, context_count(&p), &p.arm));
        p.client->policy.epsilon_lifetime = 1;
        assert_status(sotto_round_begin(p.round, p.model), SOTTO_E_BUDGET);
        assert_status(sotto_round_finish(p.round, 0, p.frame, FRAME_BYTES_MAX), SOTTO_E_ORDER);
        p.client->policy.epsilon_lifetime = INFINITY;
        for (int round = 0; round < 3; round++) {
            tape same = p.t;
            whole_round(&p, context, context_count(&p), -0.75);
            assert_ticks_of_tape(&p, &same, -0.75);
        }
        assert_int_equal(sotto_ledger_rounds(p.ledger), 4);
        assert_near(sotto_ledger_delta(p.ledger), 4 * p.terms.spec.delta, 1e-18);
    }
}

TEST(hostile_models_and_secrets_end_in_valid_ticks)
{
    const double odd[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308, 1e300, 5e-324, 0, -0.0, 1};
    for (int kind = 0; kind < MOMENT_KINDS; kind++) {
        person p;
        moment_person(&p, kind, 3);
        uint32_t parameters = context_count(&p) == CELLS ? DIM : CELLS;
        for (uint32_t trial = 0; trial < 300; trial++) {
            double x[CELLS];
            for (uint32_t i = 0; i < CELLS; i++) {
                x[i] = odd[sotto__seeded_next(&p.t.seeded) % 10];
            }
            for (uint32_t i = 0; i < parameters; i++) {
                uint64_t word = sotto__seeded_next(&p.t.seeded);
                p.model->theta[i] = odd[word % 10];
                if (p.model->theta_h != NULL) p.model->theta_h[i] = odd[word / 10 % 10];
                if (p.model->factor != NULL) p.model->factor[i % 6] = odd[word / 100 % 10];
            }
            whole_round(&p, x, context_count(&p), odd[trial % 10]);
        }
    }
}
