/* Liars: what they send is accepted, and nothing else that is accepted would do more harm. */
#include "client/client.h"
#include "core/core.h"
#include "lab/environment/environment.h"
#include "lab/player/player.h"
#include "scenes.h"
#include "seeds.h"
#include "server/server.h"
#include "test.h"

#define SUMS_MAX 64u

/* A liar and a server of its spec, in one phase. */
typedef struct stage {
    sotto_match match;
    sotto_terms terms;
    sotto__world *world;
    sotto_model *model;
    sotto_tally *tally;
    sotto_report *report;
    sotto__liar *liar;
} stage;

static void begin(stage *s, const sotto_match *match, sotto_phase phase, uint64_t seed)
{
    s->match = *match;
    assert_ok(sotto_spec_resolve(&match->spec, &s->terms));
    assert_ok(sotto__world_new(&s->match, seed, &s->world));
    assert_ok(sotto_model_new(&s->terms, &s->model));
    s->model->phase = phase;
    assert_ok(sotto__tally_new(&s->terms, 0, phase, false, &s->tally));
    assert_ok(sotto_report_new(&s->terms, &s->report));
    assert_ok(sotto__liar_new(&s->match, &s->terms, seed, s->world, &s->liar));
}

static void end(stage *s)
{
    sotto__liar_free(s->liar);
    sotto_report_free(s->report);
    sotto_tally_free(s->tally);
    sotto_model_free(s->model);
    sotto__world_free(s->world);
}

/* An estimate in no special direction, in whichever array the model decides by. */
static void estimate_something(stage *s, uint64_t seed)
{
    sotto__seeded stream = seeded_of(seed);
    double *estimate = s->model->tbar != NULL ? s->model->tbar : s->model->theta;
    for (uint32_t i = 0; i < s->world->theta_count; i++) {
        estimate[i] = sotto__uniform(sotto__seeded_next(&stream)) - 0.4;
    }
}

static void another_nonce(stage *s, uint64_t seed)
{
    sotto__seeded stream = seeded_of(seed);
    assert_ok(stream.rng.fill(&stream.rng, s->report->nonce, SOTTO_NONCE_BYTES));
}

/* How fast the angle between truth and estimate grows when the estimate of arm k moves against
 * `step` (laid out as theta): found by moving it, not by the formula. */
static double cosine(const stage *s, const double *estimate, uint32_t count)
{
    uint32_t dim = s->terms.spec.dim, rows = count / dim;
    double product = 0, truths = 0, estimates = 0;
    for (uint32_t i = 0; i < count; i++) {
        double truth = s->world->theta[i], here = estimate[i];
        for (uint32_t k = 0; rows > 1 && k < rows; k++) {
            truth -= s->world->theta[k * dim + i % dim] / rows;
            here -= estimate[k * dim + i % dim] / rows;
        }
        product += truth * here, truths += truth * truth, estimates += here * here;
    }
    return estimates > 0 ? product / sqrt(truths * estimates) : 0;
}

static double harm(const stage *s, const double *step)
{
    double before[SUMS_MAX], after[SUMS_MAX];
    uint32_t count = s->world->theta_count;
    const double *estimate = sotto__deciding_estimate(s->model);
    for (uint32_t i = 0; i < count; i++) {
        before[i] = estimate[i] + 1e-5 * step[i];
        after[i] = estimate[i] - 1e-5 * step[i];
    }
    return cosine(s, before, count) - cosine(s, after, count);
}

/* The harm that the report does, computed with the server's own fold. */
static double harm_of_report(const stage *s)
{
    double step[SUMS_MAX];
    uint32_t sums, dim = s->terms.spec.dim;
    sotto__tally_begin(s->tally, 0, s->model->phase, false);
    assert_ok(sotto_tally_fold(s->tally, s->report));
    const int64_t *sum = sotto_tally_sums(s->tally, &sums);
    bool moments = s->terms.spec.score == SOTTO_SCORE_MOMENTS;
    assert_true(sums <= SUMS_MAX);
    for (uint32_t i = 0; i < s->world->theta_count; i++) {
        uint32_t at = moments ? dim * (dim + 1) / 2 + i : i;
        step[i] = (moments ? -1 : 1) * 0x1p-30 * (double)sum[at];
    }
    return harm(s, step);
}

/* Tries every index in every slot: none does more harm than the liar's. */
static void assert_worst(stage *s)
{
    sotto__liar_forge(s->liar, s->model, s->report);
    uint32_t size = s->terms.codebook[s->model->phase].size;
    double worst = harm_of_report(s);
    for (uint32_t slot = 0; slot < s->report->count; slot++) {
        int32_t forged = s->report->value[slot];
        for (uint32_t i = 0; i < size; i++) {
            s->report->value[slot] = (int32_t)i;
            assert_true(harm_of_report(s) <= worst + 1e-9);
        }
        s->report->value[slot] = forged;
    }
}

static sotto_match lying_match(sotto_player player, sotto_parameters parameters, double epsilon)
{
    sotto_match match =
        small_match(player, SOTTO_CALIBRATION_EXACT, parameters, SOTTO_LINK_IDENTITY, 100);
    match.spec.epsilon = epsilon;
    match.liars = 0.5;
    return match;
}

TEST(nobody_is_freed)
{
    sotto__liar_free(NULL);
}

TEST(no_accepted_index_does_more_harm)
{
    const struct {
        sotto_player player;
        sotto_parameters parameters;
        double epsilon; /* at 2 four arms have signs, at 5 they have tags */
        sotto_split split;
        sotto_phase phase;
    } rows[] = {
        {SOTTO_PLAYER_SOTTO, SOTTO_PARAMETERS_SHARED, 2, SOTTO_SPLIT_JOINT, SOTTO_PHASE_MAIN},
        {SOTTO_PLAYER_SOTTO_OLS, SOTTO_PARAMETERS_SHARED, 2, SOTTO_SPLIT_JOINT, SOTTO_PHASE_MAIN},
        {SOTTO_PLAYER_LDP_SGD, SOTTO_PARAMETERS_SHARED, 2, SOTTO_SPLIT_JOINT, SOTTO_PHASE_MAIN},
        {SOTTO_PLAYER_SOTTO, SOTTO_PARAMETERS_PER_ARM, 2, SOTTO_SPLIT_JOINT, SOTTO_PHASE_WARM_UP},
        {SOTTO_PLAYER_SOTTO, SOTTO_PARAMETERS_PER_ARM, 2, SOTTO_SPLIT_JOINT, SOTTO_PHASE_MAIN},
        {SOTTO_PLAYER_SOTTO, SOTTO_PARAMETERS_PER_ARM, 5, SOTTO_SPLIT_JOINT, SOTTO_PHASE_MAIN},
        {SOTTO_PLAYER_LDP_SGD, SOTTO_PARAMETERS_PER_ARM, 2, SOTTO_SPLIT_JOINT, SOTTO_PHASE_MAIN},
        {SOTTO_PLAYER_LDP_SGD, SOTTO_PARAMETERS_PER_ARM, 2, SOTTO_SPLIT_PER_ARM, SOTTO_PHASE_MAIN},
        {SOTTO_PLAYER_LDP_SGD, SOTTO_PARAMETERS_PER_ARM, 2, SOTTO_SPLIT_PER_ARM,
         SOTTO_PHASE_WARM_UP},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        sotto_match match = lying_match(rows[r].player, rows[r].parameters, rows[r].epsilon);
        match.spec.split = rows[r].split;
        stage s;
        begin(&s, &match, rows[r].phase, r);
        assert_int_equal(s.terms.codebook[SOTTO_PHASE_MAIN].groups > 1, rows[r].epsilon == 5);
        for (uint64_t seed = 0; seed < 10; seed++) {
            estimate_something(&s, seed);
            another_nonce(&s, seed);
            assert_worst(&s);
        }
        end(&s);
    }
}

/* Before the first model the estimate has no direction: the liar moves it away from the truth. */
TEST(the_first_lie_is_against_the_truth)
{
    sotto_match match = lying_match(SOTTO_PLAYER_SOTTO, SOTTO_PARAMETERS_SHARED, 2);
    const sotto_codebook *codebook;
    stage s;
    begin(&s, &match, SOTTO_PHASE_MAIN, 4);
    codebook = &s.terms.codebook[SOTTO_PHASE_MAIN];
    another_nonce(&s, 4);
    sotto__liar_forge(s.liar, s.model, s.report);
    double best = -1, sent = 0;
    for (uint32_t i = 0; i < codebook->size; i++) {
        int32_t z[3];
        assert_ok(sotto_codebook_expand(codebook, s.terms.stream_key, s.report->nonce, i, 0, z));
        double product = 0;
        for (int j = 0; j < 3; j++) {
            product += 0x1p-30 * z[j] * s.world->theta[j];
        }
        best = fmax(best, product);
        if (s.report->value[0] == (int32_t)i) sent = product;
    }
    assert_true(sent == best);
    end(&s);
}

/* theta* of a drifting world is its current value. */
TEST(liars_follow_the_truth)
{
    sotto_match match = lying_match(SOTTO_PLAYER_SOTTO, SOTTO_PARAMETERS_SHARED, 2);
    stage s;
    begin(&s, &match, SOTTO_PHASE_MAIN, 5);
    another_nonce(&s, 5);
    sotto__liar_forge(s.liar, s.model, s.report);
    uint32_t before = (uint32_t)s.report->value[0];
    for (int j = 0; j < 3; j++) {
        s.world->theta[j] = -s.world->theta[j];
    }
    sotto__liar_forge(s.liar, s.model, s.report);
    uint32_t size = s.terms.codebook[SOTTO_PHASE_MAIN].size;
    assert_int_equal(s.report->value[0], (before + size / 2) % size); /* the opposite codeword */
    end(&s);
}

/* Ticks of the vector part are at the limit, in the direction of harm; one more is refused. The
 * matrix stays honest. */
static void assert_edge(const sotto_match *match)
{
    stage s;
    begin(&s, match, SOTTO_PHASE_MAIN, 6);
    estimate_something(&s, 6);
    const sotto_spec *spec = &s.terms.spec;
    uint32_t dim = spec->dim, matrix = dim * (dim + 1) / 2, row = matrix + dim;
    for (uint32_t i = 0; i < s.report->count; i++) {
        s.report->value[i] = (int32_t)i + 1;
    }
    sotto__liar_forge(s.liar, s.model, s.report);
    assert_ok(sotto_tally_fold(s.tally, s.report));
    double largest = floor(sotto__lattice_tick_max(&s.terms.lattice, spec->noise_law));
    for (uint32_t i = 0; i < s.report->count; i++) {
        if (i % row < matrix) {
            assert_int_equal(s.report->value[i], i + 1);
            continue;
        }
        double step[SUMS_MAX] = {0};
        bool moments = spec->score == SOTTO_SCORE_MOMENTS;
        step[i / row * dim + i % row - matrix] = moments ? -1 : 1;
        double wanted = harm(&s, step) > 0 ? largest : -largest;
        assert_true(s.report->value[i] == wanted);
        s.report->value[i] += wanted > 0 ? 1 : -1;
        assert_status(sotto_tally_fold(s.tally, s.report), SOTTO_E_TICK);
        s.report->value[i] = (int32_t)wanted;
    }
    end(&s);
}

TEST(ticks_stand_at_the_edge_of_what_is_accepted)
{
    const sotto_player players[] = {SOTTO_PLAYER_LDP_OLS, SOTTO_PLAYER_LDP_UCB,
                                    SOTTO_PLAYER_LDP_GLOC};
    for (int p = 0; p < 3; p++) {
        for (uint32_t parameters = 0; parameters < 2; parameters++) {
            sotto_match match = lying_match(players[p], (sotto_parameters)parameters, 2);
            assert_edge(&match);
            match.spec.noise_law = SOTTO_NOISE_LAPLACE, match.spec.delta = 0;
            assert_edge(&match);
        }
    }
}

/* The mean of <z, theta*>/||theta*|| over `lies` first lies. */
static double alignment(uint32_t dim, double epsilon, uint32_t grind, uint32_t lies)
{
    sotto_match match = lying_match(SOTTO_PLAYER_SOTTO, SOTTO_PARAMETERS_SHARED, epsilon);
    match.spec.dim = dim;
    match.grind = grind;
    stage s;
    begin(&s, &match, SOTTO_PHASE_MAIN, 7);
    double sum = 0;
    for (uint32_t n = 0; n < lies; n++) {
        uint32_t sums;
        another_nonce(&s, n);
        sotto__liar_forge(s.liar, s.model, s.report);
        sotto__tally_begin(s.tally, 0, SOTTO_PHASE_MAIN, false);
        assert_ok(sotto_tally_fold(s.tally, s.report));
        const int64_t *z = sotto_tally_sums(s.tally, &sums);
        for (uint32_t j = 0; j < dim; j++) {
            sum += 0x1p-30 * (double)z[j] * s.world->theta[j] / lies;
        }
    }
    end(&s);
    return sum;
}

/* The best of N nonces is the largest of 32 N independent |<z, theta*>|. By numerical integration at
 * d = 20 its mean is 0.5036 (sd 0.0806) for N = 1 and 0.7259 (sd 0.0391) for N = 100. Bounds are 5.5
 * sd of the mean: 4e-8 false alarms each. */
TEST(grinding_aligns)
{
    assert_near(alignment(20, 1, 1, 400), 0.5036, 5.5 * 0.0806 / 20);
    assert_near(alignment(20, 1, 100, 100), 0.7259, 5.5 * 0.0391 / 10);
}

/* With one try the nonce is the device's own; further ones are drawn, and kept only if they are
 * better. */
TEST(only_grinding_changes_the_nonce)
{
    sotto_match match = lying_match(SOTTO_PLAYER_SOTTO, SOTTO_PARAMETERS_SHARED, 2);
    uint8_t nonce[SOTTO_NONCE_BYTES];
    for (uint32_t grind = 1; grind <= 2; grind++) {
        int changed = 0;
        stage s;
        match.grind = grind;
        begin(&s, &match, SOTTO_PHASE_MAIN, 8);
        for (uint64_t seed = 0; seed < 100; seed++) {
            another_nonce(&s, seed);
            memcpy(nonce, s.report->nonce, sizeof nonce);
            sotto__liar_forge(s.liar, s.model, s.report);
            changed += memcmp(nonce, s.report->nonce, sizeof nonce) != 0;
        }
        end(&s);
        /* The second of two is the better one half of the time: 5.5 sd are 27.5. */
        assert_near(changed, grind == 1 ? 0 : 50, grind == 1 ? 0 : 27.5);
    }
}

/* Binomial; 5.5 sd: 4e-8 false alarms. */
TEST(as_many_come_as_should)
{
    const double shares[] = {0.001, 0.1, 0.5};
    enum { PEOPLE = 100000 };
    for (int i = 0; i < 3; i++) {
        sotto_match match = lying_match(SOTTO_PLAYER_SOTTO, SOTTO_PARAMETERS_SHARED, 2);
        match.liars = shares[i];
        stage s;
        begin(&s, &match, SOTTO_PHASE_MAIN, 9);
        double come = 0;
        for (int n = 0; n < PEOPLE; n++) {
            come += sotto__liar_comes(s.liar);
        }
        assert_near(come, shares[i] * PEOPLE, 5.5 * sqrt(PEOPLE * shares[i] * (1 - shares[i])));
        end(&s);
    }
}
