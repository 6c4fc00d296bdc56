/*
 * The mean phase, by whole rounds of many people and the learner: g comes to lie along the mean of
 * x/||x||, and the reports after it are those of deflated contexts, without bias. Bounds are Hoeffding's,
 * at a false-alarm rate of 1e-6 a test: a coordinate of B z is within B of 0, so that the mean of n of
 * them is within B sqrt(2 ln(2 d/1e-6)/n) of its own mean, for all d coordinates at once. Twins are
 * caught: people who report their context at its own length, and people who do not deflate.
 */
#include "client/client.h"
#include "lab/random/random.h"
#include "server/server.h"
#include "test.h"

#include <sotto/client.h>

#define DIM 4
#define ARMS 2
#define REPORTS 160000u
#define FRAME_BYTES 42

/* An endless sequence of people, with one ledger that has room for all of them. */
typedef struct crowd {
    sotto_ledger *ledger;
    sotto_client *client;
    sotto_round *round;
    sotto_report *report;
    sotto_terms terms;
    sotto__seeded random, world;
} crowd;

static void crowd_begin(crowd *c, uint64_t seed)
{
    sotto_policy policy = sotto_policy_default();
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    policy.epsilon_per_report_max = 8;
    policy.epsilon_lifetime = INFINITY;
    spec.dim = DIM, spec.arms = ARMS;
    spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    spec.epsilon = 3;
    assert_ok(sotto_spec_resolve(&spec, &c->terms));
    assert_ok(sotto_ledger_memory_new(&c->ledger));
    assert_ok(sotto_client_new(&policy, c->ledger, &c->client));
    sotto__seeded_begin(&c->random, seed);
    sotto__seeded_begin(&c->world, seed + 1000);
    c->client->rng = &c->random.rng;
    assert_ok(sotto_round_new(c->client, &c->terms, &c->round));
    assert_ok(sotto_report_new(&c->terms, &c->report));
}

static void crowd_end(crowd *c)
{
    sotto_report_free(c->report);
    sotto_round_free(c->round);
    sotto_client_free(c->client);
    sotto_ledger_free(c->ledger);
}

static double norm_of(const double *x)
{
    double squares = 0;
    for (int i = 0; i < DIM; i++) {
        squares += x[i] * x[i];
    }
    return sqrt(squares);
}

/* Contexts lie around (.5, -.3, .2, 0), and are of many lengths: short ones to the other side, so that
 * the mean of x and that of x/||x|| are not alike. */
static void draw_context(crowd *c, double *x)
{
    static const double centre[DIM] = {.5, -.3, .2, 0};
    bool far = sotto__uniform(sotto__seeded_next(&c->world)) < 0.2;
    for (int i = 0; i < DIM; i++) {
        double noise = 0.6 * (sotto__uniform(sotto__seeded_next(&c->world)) - 0.5);
        x[i] = (centre[i] + noise) * (far ? -1 : 0.1);
    }
}

/* The report of one person, in c->report. */
static void play(crowd *c, const sotto_model *model, const double *x, double reward)
{
    uint8_t frame[FRAME_BYTES];
    uint32_t arm;
    assert_ok(sotto_round_begin(c->round, model));
    assert_ok(sotto_round_decide(c->round, x, DIM, &arm));
    assert_ok(sotto_round_finish(c->round, reward, frame, FRAME_BYTES));
    assert_ok(sotto_report_decode(&c->terms, frame, FRAME_BYTES, c->report));
}

static double bound(double scale, double n)
{
    return scale * sqrt(2 * log(2 * DIM / 1e-6) / n);
}

/* Plays a mean phase of n people; g into `g`, the mean of their x/||x|| into `mean`, and of x/C_B into
 * `plain`. */
static void learn_g(crowd *c, uint64_t n, double *g, double *mean, double *plain)
{
    sotto_learning learning = sotto_learning_default(&c->terms, 0);
    sotto_learner *learner;
    learning.mean_phase = n;
    assert_ok(sotto_learner_new(&c->terms, &learning, &learner));
    const sotto_model *model = sotto_learner_model(learner);
    memset(mean, 0, DIM * sizeof mean[0]);
    memset(plain, 0, DIM * sizeof plain[0]);
    for (uint64_t t = 0; t < n; t++) {
        double x[DIM];
        draw_context(c, x);
        for (int i = 0; i < DIM; i++) {
            mean[i] += x[i] / norm_of(x) / (double)n;
            plain[i] += x[i] / (double)n;
        }
        play(c, model, x, (double)(t % 2));
        assert_ok(sotto_learner_take(learner, c->report));
    }
    assert_ok(sotto_learner_publish(learner));
    assert_int_equal(model->phase, SOTTO_PHASE_WARM_UP);
    memcpy(g, model->g, DIM * sizeof g[0]);
    sotto_learner_free(learner);
}

/* The sine of the angle between two vectors, and 1 beyond a right angle. */
static double sine(const double *a, const double *b)
{
    double along = 0;
    for (int i = 0; i < DIM; i++) {
        along += a[i] * b[i] / norm_of(a) / norm_of(b);
    }
    return along <= 0 ? 1 : sqrt(fmax(0, 1 - along * along));
}

/* ||mhat - mean|| <= e, so the angle's sine is at most e/||mean||, and
 * s = 1 - B^2/(n ||mhat||^2) is known up to that of ||mhat||. */
TEST(g_comes_to_lie_along_the_mean_direction)
{
    crowd c;
    double g[DIM], mean[DIM], plain[DIM];
    crowd_begin(&c, 1);
    double scale = c.terms.codebook[SOTTO_PHASE_MEAN].scale;
    uint64_t reports = getenv("SOTTO_SOAK") != NULL ? 20 * REPORTS : REPORTS;
    for (uint64_t n = reports / 16; n <= reports; n *= 4) {
        learn_g(&c, n, g, mean, plain);
        double off = bound(scale, (double)n) * sqrt(DIM), length = norm_of(mean);
        double noise = scale * scale / (double)n;
        assert_true(off < length / 2 && sine(g, mean) <= off / length);
        double s = norm_of(g) * norm_of(g) / 0.7;
        assert_true(s >= 1 - noise / pow(length - off, 2) && s <= 1 - noise / pow(length + off, 2));
        /* Contexts at their own length have another mean, so a device that sent them would be
         * detected. */
        assert_true(n < reports || sine(plain, mean) > 2 * off / length);
    }
    crowd_end(&c);
}

/* B times the mean codeword of people in warm-up who all have the context x. */
static void mean_report(crowd *c, const double *g, const double *x, double *out)
{
    const sotto_codebook *codebook = &c->terms.codebook[SOTTO_PHASE_WARM_UP];
    sotto_model *model;
    assert_ok(sotto_model_new(&c->terms, &model));
    memcpy(model->g, g, DIM * sizeof g[0]);
    memset(out, 0, DIM * sizeof out[0]);
    for (uint32_t t = 0; t < REPORTS; t++) {
        int32_t z[DIM];
        play(c, model, x, 0); /* theta = 0: the mean is guessed as 1/2, and psi = 1 */
        assert_ok(sotto_codebook_expand(codebook, c->terms.stream_key, c->report->nonce,
                                        (uint32_t)c->report->value[0], 0, z));
        for (int i = 0; i < DIM; i++) {
            out[i] += codebook->scale * z[i] * 0x1p-30 / REPORTS;
        }
    }
    sotto_model_free(model);
}

static double largest_gap(const double *a, const double *b)
{
    double gap = 0;
    for (int i = 0; i < DIM; i++) {
        gap = fmax(gap, fabs(a[i] - b[i]));
    }
    return gap;
}

TEST(reports_after_it_are_those_of_the_deflated_context)
{
    crowd c;
    const double x[DIM] = {.5, -.1, .3, .1}, g[DIM] = {.6, -.4, .3, .1};
    double deflated[DIM], direction[DIM], along = 0, got[DIM];
    crowd_begin(&c, 2);
    assert_int_equal(c.terms.codebook[SOTTO_PHASE_WARM_UP].nulls, 0);
    double within = bound(c.terms.codebook[SOTTO_PHASE_WARM_UP].scale, REPORTS);
    for (int i = 0; i < DIM; i++) {
        along += g[i] * x[i];
    }
    for (int i = 0; i < DIM; i++) {
        deflated[i] = x[i] - along * g[i];
    }
    double left = norm_of(deflated);
    for (int i = 0; i < DIM; i++) {
        deflated[i] /= left;
        direction[i] = x[i] / norm_of(x);
    }
    mean_report(&c, g, x, got);
    assert_true(largest_gap(got, deflated) <= within);
    assert_true(largest_gap(got, direction) > within); /* people who do not deflate */
    mean_report(&c, (const double[DIM]){0}, x, got);
    assert_true(largest_gap(got, direction) <= within);
    crowd_end(&c);
}
