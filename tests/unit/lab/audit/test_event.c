/* Layer 3: bounds against known answers (SciPy), and the choice of an event. */
#include "lab/audit/inner.h"
#include "lab/random/random.h"
#include "seeds.h"
#include "subjects.h"
#include "test.h"
#include "twin.h"

TEST(bounds_are_the_formula_s)
{
    sotto__hits hits = {.trials = {10000, 10000}, .hits = {7310, 2690}};
    assert_near(sotto__epsilon_lower(&hits, 0, 0, 0.01), 0.9415821331611515, 1e-9);
    assert_near(sotto__epsilon_lower(&hits, 1, 0, 0.01), 0, 0);
    hits = (sotto__hits){.trials = {100, 100}, .hits = {0, 50}};
    assert_near(sotto__epsilon_lower(&hits, 1, 1e-6, 0.01), 1.966818591029588, 1e-9);
    hits = (sotto__hits){.trials = {1000, 1000}, .hits = {900, 5}};
    assert_near(sotto__epsilon_lower(&hits, 0, 0.1, 0.05), 4.205382260315848, 1e-9);
    assert_near(sotto__epsilon_lower(&hits, 0, 0.95, 0.05), 0, 0); /* delta alone explains it */
}

TEST(nothing_is_shown_by_no_trials)
{
    sotto__hits none = {.trials = {0, 0}, .hits = {0, 0}};
    assert_near(sotto__epsilon_lower(&none, 0, 0, 0.01), 0, 0);
    assert_near(sotto__epsilon_p(&none, 0, 1, 0), 1, 0);
}

TEST(p_is_the_alpha_at_which_the_bound_meets_the_claim)
{
    sotto__hits hits = {.trials = {10000, 10000}, .hits = {7500, 2500}};
    double p = sotto__epsilon_p(&hits, 0, 1, 0);
    assert_true(p > 1e-6 && p < 0.2);
    assert_near(sotto__epsilon_lower(&hits, 0, 0, p), 1, 1e-3);
    assert_true(sotto__epsilon_lower(&hits, 0, 0, p) > 1); /* rounded to the safe side */
    assert_near(sotto__epsilon_p(&hits, 0, 2, 0), 1, 0);
}

TEST(reach_grows_with_trials)
{
    assert_true(sotto__epsilon_reach(10, 0, 0.01) < 1 && sotto__epsilon_reach(1000, 0, 0.01) > 4);
    assert_true(sotto__epsilon_reach(100000, 0, 0.01) > 9);
}

/* A thousand normals of each secret, two deviations apart. */
static void fill(sotto__witnessed_trial *sample, uint64_t count, double gap)
{
    sotto__seeded random = seeded_of(5);
    for (uint64_t i = 0; i < count; i++) {
        double normal[2];
        sotto__normal_pair(sotto__seeded_next(&random), sotto__seeded_next(&random), normal);
        uint32_t secret = i % 2;
        sample[i] = (sotto__witnessed_trial){normal[0] - gap * secret, secret};
    }
}

TEST(the_event_separates_the_secrets)
{
    static sotto__witnessed_trial sample[2000];
    fill(sample, 2000, 2);
    sotto__audit_event event = sotto__choose_event(sample, 2000, 8000, 0, 0.01);
    assert_true(event.promise > 2);
    assert_int_equal(event.secret, event.above ? 0 : 1);
    assert_true(sotto__event_holds(&event, event.threshold));
    assert_true(sotto__event_holds(&event, event.threshold + (event.above ? 1 : -1)));
    assert_false(sotto__event_holds(&event, event.threshold - (event.above ? 1 : -1)));
    /* With the sign reversed, the witness indicates the other secret. */
    fill(sample, 2000, -2);
    event = sotto__choose_event(sample, 2000, 8000, 0, 0.01);
    assert_true(event.promise > 2);
    assert_int_equal(event.secret, event.above ? 1 : 0);
}

TEST(equal_scores_stay_together)
{
    sotto__witnessed_trial sample[400];
    for (uint32_t i = 0; i < 400; i++) {
        sample[i] = (sotto__witnessed_trial){i % 4 == 0 ? 1 : 0, i % 2};
    }
    /* Secret 0 has witness 1 in half of its trials, secret 1 never. */
    sotto__audit_event event = sotto__choose_event(sample, 400, 1600, 0, 0.01);
    assert_near(event.threshold, 1, 0);
    assert_true(event.above);
    assert_int_equal(event.secret, 0);
}

TEST(a_sample_of_one_secret_shows_nothing)
{
    sotto__witnessed_trial sample[3] = {{1, 0}, {2, 0}, {3, 0}};
    assert_true(sotto__choose_event(sample, 3, 12, 0, 0.01).promise < 0);
    assert_true(sotto__choose_event(sample, 0, 1, 0, 0.01).promise < 0);
}

/* Secret 0 has witness 1 in 7 of 10 trials, secret 1 in 2 of 10; and 40 of secret 0 have witness 2. By
 * the sample alone the rare event shows nothing; by a hundred times as many trials it shows more. */
TEST(the_event_is_the_best_for_as_many_trials_as_will_judge_it)
{
    enum { COUNT = 20000 };
    static sotto__witnessed_trial sample[COUNT];
    for (int few = 0; few < 2; few++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            uint32_t secret = i % 2, place = i / 2 % 10;
            double witness = place < (secret == 0 ? 7 : 2) ? 1 : 0;
            sample[i] = (sotto__witnessed_trial){secret == 0 && i < 80 ? 2 : witness, secret};
        }
        uint64_t fresh = few ? COUNT : 100 * COUNT;
        sotto__audit_event event = sotto__choose_event(sample, COUNT, fresh, 0, 0.001);
        assert_near(event.threshold, few ? 1 : 2, 0);
        assert_true(event.above);
        assert_int_equal(event.secret, 0);
        assert_true(few ? event.promise < log(3.5) : event.promise > 2);
    }
}

/* Layer 2: accuracy, Delta/sigma and epsilon against known answers (SciPy), and the check that
 * noise is normal. */

TEST(accuracy_bounds_the_ratio)
{
    assert_near(sotto__gaussian_lower(55000, 100000, 0.001), 0.22673389605506272, 1e-9);
    assert_near(sotto__gaussian_lower(500, 1000, 0.01), 0, 0);
    assert_near(sotto__gaussian_lower(1000, 1000, 0.01), 5.209870283623136, 1e-8);
    assert_near(sotto__gaussian_p(55000, 100000, 0.2) / 5.4316804620487005e-11, 1, 1e-6);
}

/* sigma^2 = 55.670 at epsilon 1, delta 1e-5, diameter 2. */
TEST(ratio_and_epsilon_are_each_other_s_inverse)
{
    assert_near(sotto__gaussian_allowed(1, 1e-5), 2 / sqrt(55.670), 1e-5);
    assert_near(sotto__audit_gaussian_epsilon(2 / sqrt(55.670), 1e-5), 1, 1e-4);
    assert_near(sotto__audit_gaussian_epsilon(2 / sqrt(1.4411), 1e-5), 8, 1e-3);
    assert_near(sotto__audit_gaussian_epsilon(1e-6, 1e-5), 0, 0);
    assert_near(sotto__audit_gaussian_epsilon(1000, 1e-5), 50, 1e-6);
}

#define TRIALS 20000u

typedef double noise_function(double normal, double uniform);

static double normal_noise(double normal, double uniform)
{
    (void)uniform;
    return 3 * normal;
}

static double laplace_noise(double normal, double uniform)
{
    (void)normal;
    return uniform < 0.5 ? log(2 * uniform) : -log(2 * (1 - uniform));
}

static double no_noise(double normal, double uniform)
{
    (void)normal, (void)uniform;
    return 0;
}

static bool normality_of(noise_function *noise, uint32_t trials, double ratio)
{
    sotto__seeded random;
    sotto__shape shape = {{0, 0}, {{0}}};
    sotto__seeded_begin(&random, 9);
    for (uint32_t i = 0; i < trials; i++) {
        double normal[2];
        sotto__normal_pair(sotto__seeded_next(&random), sotto__seeded_next(&random), normal);
        double uniform = sotto__uniform(sotto__seeded_next(&random));
        sotto__shape_add(&shape, i % 2, noise(normal[0], uniform) + 7 * (i % 2));
    }
    return sotto__shape_normal(&shape, ratio);
}

TEST(normal_noise_is_told_from_other_noise)
{
    assert_true(normality_of(normal_noise, TRIALS, 0.5));
    assert_false(normality_of(laplace_noise, TRIALS, 0.5) || normality_of(no_noise, TRIALS, 0.5));
    assert_false(normality_of(normal_noise, TRIALS, 0.1)); /* too few for so small a ratio */
    assert_false(normality_of(normal_noise, 0, 0.5));
}

/* The projection of PrivUnit in many dimensions: a normal, its sign turned towards the secret with
 * some chance. Never taken for normal, however few or many the trials. */
TEST(a_bounded_likelihood_ratio_is_never_taken_for_normal)
{
    uint32_t taken = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        for (uint32_t trials = 1000; trials <= 16000; trials *= 4) {
            sotto__seeded random;
            sotto__shape shape = {{0, 0}, {{0}}};
            sotto__seeded_begin(&random, seed);
            for (uint32_t i = 0; i < trials; i++) {
                double normal[2];
                sotto__normal_pair(sotto__seeded_next(&random), sotto__seeded_next(&random),
                                   normal);
                bool kept = sotto__uniform(sotto__seeded_next(&random)) < 0.6;
                double side = (i % 2 == 0) == kept ? 1 : -1;
                sotto__shape_add(&shape, i % 2, side * fabs(normal[0]));
            }
            taken += sotto__shape_normal(&shape, 0.33); /* its ratio: 1.6 (2 x 0.6 - 1) */
        }
    }
    assert_true(taken <= 3);
}

/* Claimed likelihood ratios, against their definition. */

static double score_of(const sotto__subject *subject, const double *x, const double *other,
                       sotto__subject_answer *answer)
{
    sotto__witness *witness;
    assert_ok(sotto__witness_known(&subject->claim, x, other, &witness));
    double s = witness->of(witness, answer);
    sotto__witness_free(witness);
    return s;
}

TEST(lattice_ratios)
{
    const double x[2] = {1, 0}, other[2] = {0, 0.5};
    for (int laplace = 0; laplace < 2; laplace++) {
        sotto__subject subject =
            subject_of(laplace == 1 ? SOTTO_MECHANISM_LAPLACE : SOTTO_MECHANISM_GAUSSIAN, 2, 1);
        double f[2], g[2], y[2] = {1234, -777}, s = subject.claim.lattice.scale_ticks;
        sotto__lattice_statistic(&subject.claim, x, f);
        sotto__lattice_statistic(&subject.claim, other, g);
        double wanted = 0;
        for (int i = 0; i < 2; i++) {
            wanted += laplace == 1 ? (fabs(y[i] - g[i]) - fabs(y[i] - f[i])) / s
                                   : (pow(y[i] - g[i], 2) - pow(y[i] - f[i], 2)) / (2 * s * s);
        }
        sotto__subject_answer answer = {.count = 2, .value = y};
        assert_near(score_of(&subject, x, other, &answer), wanted, 1e-9);
        assert_near(score_of(&subject, other, x, &answer), -wanted, 1e-9);
        sotto__subject_free(&subject);
    }
}

/* Over all indices the weights of an input add up to W, so e^witness averages to 1 under x'. */
TEST(codebook_ratios)
{
    const double unit[3] = {0, 0.6, 0.8}, half[3] = {0.5, 0, 0}, zero[3] = {0, 0, 0};
    const double *const input[] = {unit, half, zero};
    HELD(sotto__subject) subject = subject_of(SOTTO_MECHANISM_CODEBOOK, 3, 1);
    double value[1];
    sotto__subject_answer answer = {.count = 1, .value = value, .nonce = {9, 9, 9}};
    for (int i = 0; i < 3; i++) {
        double sum = 0, largest = 0;
        for (uint32_t index = 0; index < 64; index++) {
            value[0] = index;
            double s = score_of(&subject, input[i], zero, &answer);
            sum += exp(s) / 64;
            largest = fmax(largest, fabs(s));
        }
        assert_near(sum, 1, 1e-12);
        assert_true(largest <= 1);
        if (i == 2) assert_near(largest, 0, 0);
    }
}

/* Also with nulls and tags: between an input of full length and 0, a null reveals all of
 * epsilon. */
TEST(ratios_with_nulls)
{
    const double unit[3] = {0, 0.6, 0.8}, half[3] = {0.5, 0, 0}, zero[3] = {0, 0, 0};
    const double *const input[] = {unit, half, zero};
    HELD(sotto__subject) subject = subject_of(SOTTO_MECHANISM_CODEBOOK, 3, 1);
    double value[1];
    sotto__subject_answer answer = {.count = 1, .value = value, .nonce = {9, 9, 9}};
    for (uint32_t groups = 1; groups <= 3; groups += 2) {
        sotto_codebook codebook = sotto_codebook_constants(3, 60, groups, 1);
        codebook.nulls = codebook.top;
        subject.claim.codebook = codebook;
        double rest = (double)codebook.weight_rest, top = (double)codebook.weight_top;
        for (int i = 0; i < 3; i++) {
            double sum = 0, largest = 0, total = codebook.top * top + codebook.size * rest;
            for (uint32_t index = 0; index < codebook.size + codebook.nulls; index++) {
                value[0] = index;
                double s = score_of(&subject, input[i], zero, &answer);
                sum += exp(s) * (index < codebook.size ? rest : top) / total;
                largest = fmax(largest, fabs(s));
            }
            assert_near(sum, 1, 1e-12);
            assert_true(largest <= 1);
            if (i == 0) assert_near(largest, log(top / rest), 1e-12);
            if (i == 2) assert_near(largest, 0, 0);
        }
    }
}

TEST(privunit_ratios)
{
    const double x[2] = {1, 0}, opposite[2] = {-1, 0}, zero[2] = {0, 0};
    sotto__subject subject = subject_of(SOTTO_MECHANISM_PRIVUNIT, 2, 1);
    double length = subject.claim.privunit.scale, value[2] = {length, 0};
    sotto__subject_answer answer = {.count = 2, .value = value};
    assert_near(score_of(&subject, x, opposite, &answer), 1, 1e-9);
    assert_near(score_of(&subject, opposite, x, &answer), -1, 1e-9);
    value[0] = 0;
    value[1] = length; /* in neither cap */
    assert_near(score_of(&subject, x, opposite, &answer), 0, 1e-12);
    assert_near(score_of(&subject, zero, zero, &answer), 0, 1e-12);
    sotto__subject_free(&subject);
    subject = subject_of(SOTTO_MECHANISM_PRIVUNIT, 1, 0.5);
    value[0] = subject.claim.privunit.scale;
    assert_near(score_of(&subject, x, opposite, &answer), 0.5, 1e-9);
    sotto__subject_free(&subject);
}

TEST(no_score_is_freed_too)
{
    sotto__witness_free(NULL);
}

/* The recomputed order of a codebook is that of the slow twin, and of the shipping choice. */

TEST(ranks_are_the_twin_s)
{
    const double x[4] = {0.3, -0.2, 0.9, 5}; /* clipped, whatever its length */
    HELD(sotto__subject) subject = subject_of(SOTTO_MECHANISM_CODEBOOK, 4, 1);
    const sotto_codebook *codebook = &subject.claim.codebook;
    HELD(sotto__ranking) ranking;
    sotto__seeded random = seeded_of(3);
    assert_ok(sotto__ranking_new(&subject.claim, &ranking));
    assert_near(sotto__ranking_direct(&ranking, 0, x), 1, 1e-12);
    for (int n = 0; n < 200; n++) {
        uint8_t nonce[SOTTO_NONCE_BYTES];
        double codeword[32 * 4];
        uint32_t order[64];
        assert_ok(random.rng.fill(&random.rng, nonce, sizeof nonce));
        twin_expand(codebook, subject.claim.stream_key, nonce, codeword);
        twin_order(codebook, codeword, ranking.unit, false, order);
        sotto__ranking_expand(&ranking, nonce, 1);
        for (uint32_t place = 0; place < codebook->size; place++) {
            bool better;
            uint32_t rank = sotto__ranking_of(&ranking, 0, order[place], &better);
            bool in_top = better && rank < codebook->top;
            assert_int_equal(in_top, place < codebook->top);
            if (in_top) assert_int_equal(rank, place);
        }
    }
}

TEST(two_directions_are_ranked_apart)
{
    const double x[2] = {0.5, 0}, opposite[2] = {-1, 0}, zero[2] = {0, 0};
    HELD(sotto__subject) subject = subject_of(SOTTO_MECHANISM_CODEBOOK, 2, 1);
    HELD(sotto__ranking) ranking;
    assert_ok(sotto__ranking_new(&subject.claim, &ranking));
    assert_near(sotto__ranking_direct(&ranking, 0, x), 0.5, 1e-12);
    assert_near(sotto__ranking_direct(&ranking, 1, opposite), 1, 1e-12);
    const uint8_t nonce[SOTTO_NONCE_BYTES] = {1, 2, 3};
    sotto__ranking_expand(&ranking, nonce, 2);
    for (uint32_t index = 0; index < 64; index++) {
        bool better, better_opposite;
        uint32_t rank = sotto__ranking_of(&ranking, 0, index, &better);
        assert_int_equal(rank, sotto__ranking_of(&ranking, 1, index, &better_opposite));
        assert_int_equal(better, !better_opposite);
    }
    assert_near(sotto__ranking_direct(&ranking, 0, zero), 0, 0);
}

/* With tags TOP is among the codewords of the arm, which is that of the largest number. */
TEST(tags_rank_the_codewords_of_the_arm)
{
    const double x[3] = {0.3, 0.9, -1}, other[3] = {0.3, -0.9, 0.5};
    HELD(sotto__subject) subject = subject_of(SOTTO_MECHANISM_CODEBOOK, 3, 1);
    subject.claim.codebook = sotto_codebook_constants(3, 60, 3, 1);
    HELD(sotto__ranking) ranking;
    assert_ok(sotto__ranking_new(&subject.claim, &ranking));
    (void)sotto__ranking_direct(&ranking, 0, x);
    (void)sotto__ranking_direct(&ranking, 1, other);
    const uint8_t nonce[SOTTO_NONCE_BYTES] = {7};
    sotto__ranking_expand(&ranking, nonce, 2);
    for (uint32_t which = 0; which < 2; which++) {
        uint32_t arm = which == 0 ? 1 : 2, seen = 0;
        bool better;
        assert_int_equal(ranking.arm[which], arm);
        for (uint32_t i = 0; i < 30; i++) {
            uint32_t rank = sotto__ranking_of(&ranking, which, i, &better);
            assert_int_equal(rank < 10, i % 3 == arm);
            if (rank < 10) seen |= 1u << rank;
        }
        assert_int_equal(seen, 1023); /* each rank once */
    }
}
