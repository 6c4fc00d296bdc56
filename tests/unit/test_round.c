/* A round: refused terms, wrong order, no entropy, an empty budget, hostile numbers, and the report.
 */
#include "client.h"
#include "privatise.h"
#include "score.h"
#include "spec_codec.h"
#include "tape.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define DIM 3
#define ARMS 4
#define FRAME_BYTES 42

/* A person whose randomness is a tape. */
typedef struct person {
    sotto_ledger *ledger;
    sotto_client *client;
    tape t;
    sotto_resolved resolved;
    sotto_round *round;
    sotto_model *model;
    uint8_t frame[FRAME_BYTES + 1];
} person;

static sotto_spec small_spec(void)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = DIM;
    spec.arms = ARMS;
    spec.reward_default = 0.25;
    return spec;
}

static void person_begin(person *p, const sotto_spec *spec, double lifetime, uint64_t seed)
{
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_lifetime = lifetime;
    assert_ok(sotto_ledger_memory_new(&p->ledger));
    assert_ok(sotto_client_new(&policy, p->ledger, &p->client));
    p->t = tape_seeded(seed);
    p->client->rng = &p->t.rng;
    assert_ok(sotto_spec_resolve(spec, &p->resolved));
    assert_ok(sotto_round_new(p->client, &p->resolved, &p->round));
    assert_ok(sotto_model_new(&p->resolved, &p->model));
    p->model->phase = SOTTO_PHASE_MAIN;
    p->model->epoch = 5;
    p->model->theta[0] = 0.5;
    if (p->model->tbar != NULL) p->model->tbar[1] = 0.5;
    memset(p->frame, 0xab, sizeof p->frame);
}

static void person_end(person *p)
{
    sotto_model_free(p->model);
    sotto_round_free(p->round);
    sotto_client_free(p->client);
    sotto_ledger_free(p->ledger);
}

static const double plain_context[ARMS * DIM] = {0.1, 0.2, 0.3, 0.3,  0.6, 0.1,
                                                 0.2, 0.1, 0.7, -0.5, 0.2, 0.5};

/* begin, decide and finish; returns the arm. */
static uint32_t whole_round(person *p, const double *context, uint32_t count, double reward)
{
    uint32_t arm = UINT32_MAX;
    assert_ok(sotto_round_begin(p->round, p->model));
    assert_ok(sotto_round_decide(p->round, context, count, &arm));
    assert_ok(sotto_round_finish(p->round, reward, p->frame, FRAME_BYTES));
    assert_true(arm < ARMS);
    assert_int_equal(p->frame[FRAME_BYTES], 0xab);
    return arm;
}

static bool frame_untouched(const person *p)
{
    for (size_t i = 0; i < sizeof p->frame; i++) {
        if (p->frame[i] != 0xab) return false;
    }
    return true;
}

static void missing_pointers_are_refused(void **state)
{
    (void)state;
    person p;
    sotto_spec spec = small_spec();
    uint32_t arm;
    sotto_round *round = NULL;
    person_begin(&p, &spec, 8, 1);
    assert_status(sotto_round_new(NULL, &p.resolved, &round), SOTTO_E_ARGUMENT);
    assert_status(sotto_round_new(p.client, NULL, &round), SOTTO_E_ARGUMENT);
    assert_status(sotto_round_new(p.client, &p.resolved, NULL), SOTTO_E_ARGUMENT);
    assert_status(sotto_round_begin(NULL, p.model), SOTTO_E_ARGUMENT);
    assert_status(sotto_round_begin(p.round, NULL), SOTTO_E_ARGUMENT);
    assert_ok(sotto_round_begin(p.round, p.model));
    assert_status(sotto_round_decide(NULL, plain_context, 12, &arm), SOTTO_E_ARGUMENT);
    assert_status(sotto_round_decide(p.round, NULL, 12, &arm), SOTTO_E_ARGUMENT);
    assert_status(sotto_round_decide(p.round, plain_context, 12, NULL), SOTTO_E_ARGUMENT);
    assert_ok(sotto_round_decide(p.round, plain_context, 12, &arm));
    assert_status(sotto_round_finish(NULL, 0, p.frame, FRAME_BYTES), SOTTO_E_ARGUMENT);
    assert_status(sotto_round_finish(p.round, 0, NULL, FRAME_BYTES), SOTTO_E_ARGUMENT);
    assert_ok(sotto_round_finish(p.round, 0, p.frame, FRAME_BYTES));
    assert_status(sotto_round_resend(NULL, p.frame, FRAME_BYTES), SOTTO_E_ARGUMENT);
    assert_status(sotto_round_resend(p.round, NULL, FRAME_BYTES), SOTTO_E_ARGUMENT);
    sotto_round_free(NULL);
    person_end(&p);
}

static void assert_refused(sotto_client *client, const sotto_resolved *resolved,
                           sotto_status wanted)
{
    sotto_round *round = (sotto_round *)client; /* anything but NULL */
    assert_status(sotto_round_new(client, resolved, &round), wanted);
    assert_null(round);
}

static void terms_outside_the_policy_are_refused(void **state)
{
    (void)state;
    sotto_ledger *ledger;
    sotto_client *client;
    assert_ok(sotto_ledger_memory_new(&ledger));
    const sotto_policy policy = {2, 8, 1e-7, ~(1u << SOTTO_METHOD_LDP_SGD), 3, 4};
    assert_ok(sotto_client_new(&policy, ledger, &client));
    for (int i = 0; i < 5; i++) {
        sotto_spec spec = small_spec();
        if (i == 0) spec.epsilon = 2.01;
        if (i == 1) spec.dim = 4;
        if (i == 2) spec.arms = 5;
        if (i >= 3) spec.method = i == 3 ? SOTTO_METHOD_LDP_SGD : SOTTO_METHOD_LDP_UCB;
        if (i >= 3) spec.score = i == 3 ? SOTTO_SCORE_GRADIENT : SOTTO_SCORE_MOMENTS;
        if (i == 4) spec.delta = 1e-6;
        sotto_resolved resolved;
        assert_ok(sotto_spec_resolve(&spec, &resolved));
        assert_refused(client, &resolved, SOTTO_E_POLICY);
    }
    sotto_client_free(client);
    sotto_ledger_free(ledger);
}

static void statistics_that_this_client_cannot_make_are_refused(void **state)
{
    (void)state;
    const struct {
        sotto_method method;
        sotto_score score;
        double delta;
    } rows[] = {{SOTTO_METHOD_LDP_UCB, SOTTO_SCORE_MOMENTS, 1e-6},
                {SOTTO_METHOD_LDP_OLS, SOTTO_SCORE_MOMENTS, 1e-6},
                {SOTTO_METHOD_LDP_GLOC, SOTTO_SCORE_GLOC_PAIR, 1e-6},
                {SOTTO_METHOD_SOTTO_OLS, SOTTO_SCORE_MOMENTS, 0}};
    person p;
    sotto_spec spec = small_spec();
    person_begin(&p, &spec, 8, 1);
    for (size_t i = 0; i < 4; i++) {
        spec.method = rows[i].method;
        spec.score = rows[i].score;
        spec.delta = rows[i].delta;
        sotto_resolved resolved;
        assert_ok(sotto_spec_resolve(&spec, &resolved));
        assert_refused(p.client, &resolved, SOTTO_E_METHOD);
    }
    person_end(&p);
}

static void weaker_or_malformed_constants_are_refused(void **state)
{
    (void)state;
    person p;
    sotto_spec spec = small_spec();
    spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    person_begin(&p, &spec, 8, 1);
    for (int i = 0; i < 9; i++) {
        sotto_resolved tampered = p.resolved;
        sotto_codebook *codebook = &tampered.codebook[i % 2];
        if (i < 2) codebook->weight_top += codebook->weight_top >> 40; /* e^eps and 2^-40 of it */
        if (i / 2 == 1) codebook->weight_rest -= 1;
        if (i / 2 == 2) codebook->weight_top = codebook->weight_rest - 1;
        if (i < 2) codebook->weight_top += 1000;
        if (i == 6) codebook->top = codebook->size / 2 + 1;
        if (i == 7) tampered.spec.epsilon = NAN;
        if (i == 8) tampered.along_weight = -0.5;
        sotto__spec_name(&tampered); /* a server would name it consistently */
        assert_refused(p.client, &tampered, i < 6 ? SOTTO_E_WEAK : SOTTO_E_FAULT);
    }
    sotto_resolved renamed = p.resolved;
    renamed.id[3] ^= 1;
    assert_refused(p.client, &renamed, SOTTO_E_SPEC);
    renamed = p.resolved;
    renamed.stream_key[15] ^= 0x80;
    assert_refused(p.client, &renamed, SOTTO_E_SPEC);
    person_end(&p);
}

static void models_of_another_spec_or_phase_book_nothing(void **state)
{
    (void)state;
    person p;
    sotto_spec spec = small_spec();
    person_begin(&p, &spec, 8, 1);
    p.model->spec_id[0] ^= 1;
    assert_status(sotto_round_begin(p.round, p.model), SOTTO_E_SPEC);
    p.model->spec_id[0] ^= 1;
    p.model->phase = SOTTO_PHASE_WARM_UP; /* shared parameters have none */
    assert_status(sotto_round_begin(p.round, p.model), SOTTO_E_PHASE);
    p.model->phase = SOTTO_PHASES;
    assert_status(sotto_round_begin(p.round, p.model), SOTTO_E_PHASE);
    assert_int_equal(sotto_ledger_rounds(p.ledger), 0);
    assert_int_equal(p.t.drawn_bytes, 0);
    person_end(&p);
}

static void a_round_goes_begin_decide_finish_each_once(void **state)
{
    (void)state;
    person p;
    sotto_spec spec = small_spec();
    uint32_t arm = 99;
    person_begin(&p, &spec, 8, 1);
    for (int again = 0; again < 2; again++) {
        assert_status(sotto_round_decide(p.round, plain_context, 12, &arm), SOTTO_E_ORDER);
        assert_status(sotto_round_finish(p.round, 0, p.frame, FRAME_BYTES), SOTTO_E_ORDER);
        if (again == 0) {
            assert_status(sotto_round_resend(p.round, p.frame, FRAME_BYTES), SOTTO_E_ORDER);
        }
        assert_ok(sotto_round_begin(p.round, p.model));
        assert_status(sotto_round_finish(p.round, 0, p.frame, FRAME_BYTES), SOTTO_E_ORDER);
        assert_status(sotto_round_resend(p.round, p.frame, FRAME_BYTES), SOTTO_E_ORDER);
        assert_ok(sotto_round_decide(p.round, plain_context, 12, &arm));
        assert_status(sotto_round_decide(p.round, plain_context, 12, &arm), SOTTO_E_ORDER);
        assert_status(sotto_round_resend(p.round, p.frame, FRAME_BYTES), SOTTO_E_ORDER);
        if (again == 0) assert_true(frame_untouched(&p));
        assert_ok(sotto_round_finish(p.round, 0, p.frame, FRAME_BYTES));
    }
    assert_status(sotto_round_finish(p.round, 0, p.frame, FRAME_BYTES), SOTTO_E_ORDER);
    assert_int_equal(sotto_ledger_rounds(p.ledger), 2);
    person_end(&p);
}

static void wrong_lengths_are_refused_and_may_be_tried_again(void **state)
{
    (void)state;
    person p;
    sotto_spec spec = small_spec();
    uint32_t arm = 99;
    person_begin(&p, &spec, 8, 1);
    assert_ok(sotto_round_begin(p.round, p.model));
    const uint32_t counts[] = {0, 3, 11, 13, 24, UINT32_MAX};
    for (size_t i = 0; i < 6; i++) {
        assert_status(sotto_round_decide(p.round, plain_context, counts[i], &arm), SOTTO_E_LENGTH);
    }
    assert_int_equal(arm, 99);
    assert_ok(sotto_round_decide(p.round, plain_context, 12, &arm));
    size_t drawn = p.t.drawn_bytes;
    for (size_t capacity = 0; capacity < FRAME_BYTES; capacity++) {
        assert_status(sotto_round_finish(p.round, 0, p.frame, capacity), SOTTO_E_LENGTH);
    }
    assert_true(frame_untouched(&p));
    assert_int_equal(p.t.drawn_bytes, drawn);
    assert_ok(sotto_round_finish(p.round, 0, p.frame, FRAME_BYTES));
    uint8_t again[FRAME_BYTES];
    assert_status(sotto_round_resend(p.round, again, FRAME_BYTES - 1), SOTTO_E_LENGTH);
    assert_ok(sotto_round_resend(p.round, again, FRAME_BYTES));
    assert_memory_equal(again, p.frame, FRAME_BYTES);
    person_end(&p);
}

static void without_entropy_a_round_does_not_begin_and_books_nothing(void **state)
{
    (void)state;
    person p;
    sotto_spec spec = small_spec();
    uint32_t arm;
    person_begin(&p, &spec, 8, 1);
    for (p.t.fails_after_bytes = 0; p.t.fails_after_bytes < 16; p.t.fails_after_bytes++) {
        assert_status(sotto_round_begin(p.round, p.model), SOTTO_E_ENTROPY);
    }
    assert_int_equal(sotto_ledger_rounds(p.ledger), 0);
    assert_true(sotto_ledger_epsilon(p.ledger) == 0);
    assert_status(sotto_round_decide(p.round, plain_context, 12, &arm), SOTTO_E_ORDER);
    person_end(&p);
}

static void without_entropy_at_any_draw_of_finish_nothing_leaves_and_the_round_is_spent(void **state)
{
    (void)state;
    for (size_t draw = 0; draw < 3; draw++) {
        person p;
        sotto_spec spec = small_spec();
        uint32_t arm;
        person_begin(&p, &spec, 8, 1);
        p.t.fails_after_bytes = SOTTO_NONCE_BYTES + 8 * draw;
        assert_ok(sotto_round_begin(p.round, p.model));
        assert_ok(sotto_round_decide(p.round, plain_context, 12, &arm));
        assert_status(sotto_round_finish(p.round, 0, p.frame, FRAME_BYTES), SOTTO_E_ENTROPY);
        assert_true(frame_untouched(&p));
        p.t.fails_after_bytes = SIZE_MAX;
        assert_status(sotto_round_finish(p.round, 0, p.frame, FRAME_BYTES), SOTTO_E_ORDER);
        assert_status(sotto_round_resend(p.round, p.frame, FRAME_BYTES), SOTTO_E_ORDER);
        assert_int_equal(sotto_ledger_rounds(p.ledger), 1);
        assert_true(frame_untouched(&p));
        person_end(&p);
    }
}

static void the_budget_lasts_exactly_to_its_cap(void **state)
{
    (void)state;
    const struct {
        double epsilon, lifetime;
        uint64_t fits;
    } rows[] = {{0.1, 1, 10}, {1, 8, 8}, {2, 3, 1}};
    for (size_t r = 0; r < 3; r++) {
        person p;
        sotto_spec spec = small_spec();
        spec.epsilon = rows[r].epsilon;
        person_begin(&p, &spec, rows[r].lifetime, 1);
        for (uint64_t i = 0; i < rows[r].fits; i++) {
            whole_round(&p, plain_context, 12, 0.5);
        }
        double spent = sotto_ledger_epsilon(p.ledger);
        assert_status(sotto_round_begin(p.round, p.model), SOTTO_E_BUDGET);
        assert_true(sotto_ledger_epsilon(p.ledger) == spent);
        assert_int_equal(sotto_ledger_rounds(p.ledger), rows[r].fits);
        uint8_t again[FRAME_BYTES];
        assert_ok(sotto_round_resend(p.round, again, FRAME_BYTES)); /* a retry costs nothing */
        assert_memory_equal(again, p.frame, FRAME_BYTES);
        person_end(&p);
    }
}

static void an_abandoned_round_stays_spent(void **state)
{
    (void)state;
    person p;
    sotto_spec spec = small_spec();
    uint32_t arm;
    person_begin(&p, &spec, 3, 1);
    assert_ok(sotto_round_begin(p.round, p.model));
    assert_ok(sotto_round_begin(p.round, p.model)); /* abandons the first */
    assert_ok(sotto_round_decide(p.round, plain_context, 12, &arm));
    assert_ok(sotto_round_begin(p.round, p.model)); /* and the second, decided */
    assert_status(sotto_round_finish(p.round, 0, p.frame, FRAME_BYTES), SOTTO_E_ORDER);
    assert_status(sotto_round_begin(p.round, p.model), SOTTO_E_BUDGET);
    sotto_round_free(p.round);
    p.round = NULL;
    assert_int_equal(sotto_ledger_rounds(p.ledger), 3);
    assert_true(sotto_ledger_epsilon(p.ledger) == 3);
    person_end(&p);
}

/* The frame that a seed gives for a context and a reward. */
static void frame_of(const double *context, double reward, uint8_t *frame)
{
    person p;
    sotto_spec spec = small_spec();
    person_begin(&p, &spec, 8, 77);
    whole_round(&p, context, 12, reward);
    memcpy(frame, p.frame, FRAME_BYTES);
    person_end(&p);
}

static void assert_same_report(const double *context, double reward, const double *same_context,
                               double same_reward)
{
    uint8_t frame[FRAME_BYTES], same[FRAME_BYTES];
    frame_of(context, reward, frame);
    frame_of(same_context, same_reward, same);
    assert_memory_equal(frame, same, FRAME_BYTES);
}

static void bad_rewards_and_contexts_report_like_what_replaces_them(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        assert_same_report(plain_context, bad[i], plain_context, 0.25);
        double context[ARMS * DIM], replaced[ARMS * DIM];
        memcpy(context, plain_context, sizeof context);
        memcpy(replaced, plain_context, sizeof replaced);
        context[5] = bad[i];
        replaced[5] = 0;
        assert_same_report(context, 0.4, replaced, 0.4);
    }
    assert_same_report(plain_context, 1e308, plain_context, 1);
    assert_same_report(plain_context, -1e308, plain_context, -1);
    double longer[ARMS * DIM], clipped[ARMS * DIM];
    memcpy(longer, plain_context, sizeof longer);
    memcpy(clipped, plain_context, sizeof clipped);
    memcpy(longer + 3, ((double[]){0, 6e307, 8e307}), 3 * sizeof(double));
    memcpy(clipped + 3, ((double[]){0, 0.6, 0.8}), 3 * sizeof(double));
    assert_same_report(longer, 0.4, clipped, 0.4);
}
