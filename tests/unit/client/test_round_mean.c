/* Rounds of terms with a mean phase: what they report in it, and what g does to them after it. */
#include "client/client.h"
#include "core/core.h"
#include "made.h"
#include "person.h"
#include "test.h"

#include <math.h>
#include <string.h>

#define DIM 3
#define ARMS 4
#define FRAME_BYTES 42

static const double context[DIM] = {.1, -.2, .3};

static void person_begin_measured(person *p, uint64_t seed, uint32_t measure)
{
    sotto_policy policy = sotto_policy_default();
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.dim = DIM, spec.arms = ARMS, spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    spec.measure = measure;
    policy.epsilon_lifetime = INFINITY, policy.measure_share_max = 0.5;
    person_join(p, &spec, &policy, seed);
    for (uint32_t i = 0; i < ARMS * DIM; i++) {
        p->model->theta[i] = cos(1 + 7.0 * i);
    }
}

static void person_begin(person *p, uint64_t seed)
{
    person_begin_measured(p, seed, 0);
}

/* A round under p->model, on the tape of a seed. */
static void play(person *p, uint64_t seed, const double *x, double reward)
{
    p->t = tape_seeded(seed);
    assert_ok(sotto_round_begin(p->round, p->model));
    assert_ok(sotto_round_decide(p->round, x, DIM, &p->arm));
    assert_ok(sotto_round_finish(p->round, reward, p->frame, FRAME_BYTES));
}

/* The same round with g = 0 and a context that the caller has deflated. */
static void assert_plays_as(person *p, sotto_phase phase, const double *g, const double *deflated)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        uint8_t frame[FRAME_BYTES];
        p->model->phase = phase;
        memset(p->model->g, 0, DIM * sizeof p->model->g[0]);
        play(p, seed, deflated, 1);
        uint32_t arm = p->arm;
        memcpy(frame, p->frame, sizeof frame);
        memcpy(p->model->g, g, DIM * sizeof p->model->g[0]);
        play(p, seed, context, 1);
        assert_int_equal(p->arm, arm);
        assert_memory_equal(p->frame, frame, sizeof frame);
    }
}

/* ||x|| unit(x - (g . x) g), by hand. */
static void deflate(const double *g, double *out)
{
    double along = 0, before = 0, after = 0;
    for (int i = 0; i < DIM; i++) {
        along += g[i] * context[i];
        before += context[i] * context[i];
    }
    for (int i = 0; i < DIM; i++) {
        out[i] = context[i] - along * g[i];
        after += out[i] * out[i];
    }
    for (int i = 0; i < DIM; i++) {
        out[i] *= sqrt(before / after);
    }
}

TEST(a_g_that_is_not_finite_counts_as_zero)
{
    person p;
    person_begin(&p, 1);
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        const double all[DIM] = {bad[i], bad[i], bad[i]}, one[DIM] = {0.5, bad[i], 0};
        const double rest[DIM] = {0.5, 0, 0};
        double deflated[DIM];
        deflate(rest, deflated);
        assert_plays_as(&p, SOTTO_PHASE_MAIN, all, context);
        assert_plays_as(&p, SOTTO_PHASE_MAIN, one, deflated);
    }
}

TEST(a_g_longer_than_one_is_cut_to_one)
{
    person p;
    person_begin(&p, 1);
    static const double sizes[] = {2, 1e3, 1e160, 1e300, 1.7e308};
    for (int i = 0; i < 5; i++) {
        const double g[DIM] = {0.6 * sizes[i], 0, 0.8 * sizes[i]}, unit[DIM] = {0.6, 0, 0.8};
        double deflated[DIM];
        deflate(unit, deflated);
        assert_plays_as(&p, SOTTO_PHASE_MAIN, g, deflated);
        assert_plays_as(&p, SOTTO_PHASE_WARM_UP, g, deflated);
    }
}

TEST(a_context_along_such_a_g_ends_in_a_report_all_the_same)
{
    person p;
    person_begin(&p, 1);
    p.model->phase = SOTTO_PHASE_MAIN;
    memcpy(p.model->g, context, sizeof context);
    for (int i = 0; i < DIM; i++) {
        p.model->g[i] *= 1e200;
    }
    play(&p, 3, context, 1);
    assert_true(p.arm < ARMS);
}

TEST(a_model_without_its_g_begins_no_round)
{
    person p;
    person_begin(&p, 1);
    double *g = p.model->g;
    p.model->g = NULL;
    assert_status(sotto_round_begin(p.round, p.model), SOTTO_E_ARGUMENT);
    p.model->g = g;
    assert_ok(sotto_round_begin(p.round, p.model));
}

TEST(later_rounds_see_the_deflated_context_and_nothing_else)
{
    person p;
    person_begin(&p, 1);
    const double g[DIM] = {-0.3, 0.5, 0.55};
    double deflated[DIM];
    deflate(g, deflated);
    assert_plays_as(&p, SOTTO_PHASE_WARM_UP, g, deflated);
    assert_plays_as(&p, SOTTO_PHASE_MAIN, g, deflated);
}

/* The report of p->frame once more, by hand: x/||x|| through the codebook of the mean phase, or the
 * reward of a control round; the arm is assigned in both. */
static sotto_role assert_made_by_hand(person *p, uint64_t seed, double reward)
{
    double length = sqrt(.01 + .04 + .09);
    const double v[DIM] = {.1 / length, -.2 / length, .3 / length};
    tape same = tape_seeded(seed);
    sotto__door door = {&p->terms, SOTTO_PHASE_MEAN, p->model->epoch, {0}};
    assert_ok(same.rng.fill(&same.rng, door.nonce, sizeof door.nonce));
    assert_int_equal(p->arm, sotto__assigned_arm(&p->terms, door.nonce));
    sotto_role role = sotto__role_of(&p->terms, door.nonce, false);
    sotto__door_work work;
    uint8_t frame[FRAME_BYTES];
    assert_ok(sotto__door_work_new(&p->terms, &work));
    sotto_report *report = made_report(&p->terms);
    if (role == SOTTO_ROLE_LEARN) {
        assert_ok(sotto__privatise(&door, v, p->arm, &same.rng, &work, report));
        assert_true((uint32_t)report->value[0] < p->terms.codebook[SOTTO_PHASE_MEAN].size);
    } else {
        assert_ok(sotto__privatise_reward(&door, 2 * reward - 1, &same.rng, &work, report));
    }
    assert_ok(sotto_report_encode(&p->terms, report, frame, FRAME_BYTES));
    assert_memory_equal(p->frame, frame, FRAME_BYTES);
    sotto__door_work_free(&work);
    return role;
}

/* Those that would follow a model learn instead, as in warm-up. */
TEST(in_the_mean_phase_measure_rounds_are_control_or_learn)
{
    person p;
    int seen[3] = {0}, would_follow = 0;
    person_begin_measured(&p, 1, UINT32_C(1) << 31);
    p.model->phase = SOTTO_PHASE_MEAN;
    for (uint64_t seed = 0; seed < 200; seed++) {
        play(&p, seed, context, 1);
        seen[assert_made_by_hand(&p, seed, 1)]++;
        would_follow += sotto__role_of(&p.terms, p.frame + 24, true) == SOTTO_ROLE_FOLLOW;
    }
    assert_true(seen[SOTTO_ROLE_CONTROL] > 25 && seen[SOTTO_ROLE_LEARN] > 125);
    assert_true(seen[SOTTO_ROLE_FOLLOW] == 0 && would_follow > 25);
}

/* Neither the reward, nor theta, nor a g that a server sends too early changes a byte. */
TEST(a_round_of_the_mean_phase_reports_the_direction_of_its_context)
{
    person p;
    person_begin(&p, 1);
    p.model->phase = SOTTO_PHASE_MEAN;
    p.model->epoch = 5;
    int differ = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        p.model->theta[0] = seed % 3 == 0 ? NAN : 1;
        p.model->g[1] = seed % 2 == 0 ? 0 : 0.9;
        uint8_t frame[FRAME_BYTES];
        play(&p, seed, context, seed % 5 == 0 ? NAN : seed % 5 == 1);
        assert_int_equal(assert_made_by_hand(&p, seed, 0), SOTTO_ROLE_LEARN);
        memcpy(frame, p.frame, sizeof frame);
        p.model->phase = SOTTO_PHASE_WARM_UP;
        play(&p, seed, context, 1);
        differ += memcmp(p.frame, frame, FRAME_BYTES) != 0;
        p.model->phase = SOTTO_PHASE_MEAN;
    }
    assert_true(differ > 50); /* that a phase changes nothing would not be seen above */
}

/* Ten times as long, the same direction: the report does not tell. */
TEST(the_length_of_a_context_is_not_in_a_report_of_the_mean_phase)
{
    person p;
    person_begin(&p, 1);
    p.model->phase = SOTTO_PHASE_MEAN;
    for (uint64_t seed = 0; seed < 50; seed++) {
        const double longer[DIM] = {.2, -.4, .6}, longest[DIM] = {1e300, -2e300, 3e300};
        uint8_t frame[FRAME_BYTES];
        play(&p, seed, context, 1);
        memcpy(frame, p.frame, sizeof frame);
        play(&p, seed, longer, 0);
        assert_memory_equal(p.frame, frame, sizeof frame);
        play(&p, seed, longest, 0);
        assert_memory_equal(p.frame, frame, sizeof frame);
    }
}
