/* Claimed likelihood ratios, against their definition; the order of a codebook, against its twin. */
#include "lab/audit/inner.h"
#include "lab/random/random.h"
#include "seeds.h"
#include "subjects.h"
#include "test.h"
#include "twin.h"

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
