/* The recomputed order of a codebook is that of the slow twin, and of the shipping choice. */
#include "lab/audit/rank.h"
#include "lab/random/random.h"
#include "subjects.h"
#include "test.h"
#include "twin.h"

static void ranks_are_the_twin_s(void **state)
{
    (void)state;
    const double x[4] = {0.3, -0.2, 0.9, 5}; /* clipped, whatever its length */
    sotto__subject subject = subject_of(SOTTO_MECHANISM_CODEBOOK, 4, 1);
    const sotto_codebook *codebook = &subject.claim.codebook;
    sotto__ranking ranking;
    sotto__seeded random;
    sotto__seeded_begin(&random, 3);
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
    sotto__ranking_free(&ranking);
    sotto__subject_free(&subject);
}

static void two_directions_are_ranked_apart(void **state)
{
    (void)state;
    const double x[2] = {0.5, 0}, opposite[2] = {-1, 0}, zero[2] = {0, 0};
    sotto__subject subject = subject_of(SOTTO_MECHANISM_CODEBOOK, 2, 1);
    sotto__ranking ranking;
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
    sotto__ranking_free(&ranking);
    sotto__subject_free(&subject);
}

/* With tags TOP is among the codewords of the arm, which is that of the largest number. */
static void tags_rank_the_codewords_of_the_arm(void **state)
{
    (void)state;
    const double x[3] = {0.3, 0.9, -1}, other[3] = {0.3, -0.9, 0.5};
    sotto__subject subject = subject_of(SOTTO_MECHANISM_CODEBOOK, 3, 1);
    subject.claim.codebook = sotto_codebook_constants(3, 60, 3, 1);
    sotto__ranking ranking;
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
    sotto__ranking_free(&ranking);
    sotto__subject_free(&subject);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_the_twin_s),
        cmocka_unit_test(two_directions_are_ranked_apart),
        cmocka_unit_test(tags_rank_the_codewords_of_the_arm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
