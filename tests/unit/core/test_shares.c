/* Shares of 2^32: whole, never 0, and the arm that they give to a nonce. */
#include "core/public_stream.h"
#include "core/shares.h"
#include "test.h"

#include <math.h>
#include <string.h>

static sotto_terms with_arms(uint32_t arms)
{
    sotto_terms terms = {.spec = sotto_spec_default(SOTTO_REWARD_BINARY)};
    terms.spec.arms = arms;
    return terms;
}

static void other_sums_are_not_whole(void **state)
{
    (void)state;
    const uint32_t less[] = {1u << 31, (1u << 31) - 1}, more[] = {1u << 31, (1u << 31) + 1};
    const uint32_t none[] = {0, 0}, twice[] = {UINT32_MAX, UINT32_MAX, 2},
                   whole[] = {0, UINT32_MAX, 1};
    assert_false(sotto__shares_are_whole(less, 2));
    assert_false(sotto__shares_are_whole(more, 2));
    assert_false(sotto__shares_are_whole(none, 2));
    assert_false(sotto__shares_are_whole(twice, 3));
    assert_true(sotto__shares_are_whole(whole, 3));
}

static void an_arm_that_nobody_can_beat_leaves_one_to_each_other(void **state)
{
    (void)state;
    const double chance[] = {0, 1, 1e-30};
    uint32_t shares[3];
    sotto__shares_set(chance, 3, shares);
    assert_int_equal(shares[0], 1);
    assert_int_equal(shares[2], 1);
    assert_int_equal(shares[1], UINT32_MAX - 1);
}

/* 2^32/3 = 1431655765.33: the first of equals takes the one that is left. */
static void the_largest_takes_what_is_left(void **state)
{
    (void)state;
    const double third[] = {1.0 / 3, 1.0 / 3, 1.0 / 3}, half[] = {0.25, 0.5 + 1e-9, 0.25};
    uint32_t shares[3], equal[3];
    sotto__shares_set(third, 3, shares);
    assert_int_equal(shares[0], 1431655766);
    assert_int_equal(shares[1], 1431655765);
    assert_int_equal(shares[2], 1431655765);
    sotto__shares_set_equal(3, equal);
    assert_memory_equal(equal, shares, sizeof shares);
    sotto__shares_set(half, 3, shares);
    assert_int_equal(shares[0], 1u << 30);
    assert_int_equal(shares[1], 1u << 31);
}

static void all_sizes_are_whole(void **state)
{
    (void)state;
    static double chance[SOTTO_ARMS_MAX];
    static uint32_t shares[SOTTO_ARMS_MAX];
    for (uint32_t arms = 2; arms <= SOTTO_ARMS_MAX; arms++) {
        sotto__shares_set_equal(arms, shares);
        assert_true(sotto__shares_are_whole(shares, arms));
        for (uint32_t k = 0; k < arms; k++) {
            chance[k] = 2.0 * (k + 1) / (arms * (arms + 1.0));
        }
        sotto__shares_set(chance, arms, shares);
        assert_true(sotto__shares_are_whole(shares, arms));
        for (uint32_t k = 0; k < arms; k++) {
            assert_true(fabs(shares[k] - 0x1p32 * chance[k]) <= arms);
        }
    }
}

/* By the definition: the smallest a with u < share_0 + ... + share_a. */
static void the_arm_is_the_first_whose_end_is_above(void **state)
{
    (void)state;
    const sotto_terms terms = with_arms(4);
    const uint32_t shares[] = {1u << 30, 1, (1u << 31) - 1, 1u << 30};
    uint32_t seen[4] = {0};
    for (uint32_t i = 0; i < 2000; i++) {
        uint8_t nonce[SOTTO_NONCE_BYTES] = {(uint8_t)i, (uint8_t)(i >> 8)};
        const sotto__block_at at = {terms.stream_key, nonce, SOTTO__STREAM_ARM, 0, 0};
        uint32_t word[16], wanted = 0;
        sotto__public_words(&at, 0, word);
        for (uint64_t end = shares[0]; word[0] >= end; end += shares[wanted]) {
            wanted++;
        }
        assert_int_equal(sotto__shared_arm(&terms, shares, nonce), wanted);
        seen[wanted]++;
    }
    assert_true(seen[0] > 400 && seen[0] < 600);
    assert_int_equal(seen[1], 0);
    assert_true(seen[2] > 900 && seen[2] < 1100);
}

/* An arm begins at the sum of the shares before it: u itself is the first number that is not below it. */
static void an_arm_begins_where_those_before_it_end(void **state)
{
    (void)state;
    const sotto_terms terms = with_arms(2);
    const uint8_t nonce[SOTTO_NONCE_BYTES] = {1};
    const sotto__block_at at = {terms.stream_key, nonce, SOTTO__STREAM_ARM, 0, 0};
    uint32_t word[16];
    sotto__public_words(&at, 0, word);
    const uint32_t before[] = {word[0], 0u - word[0]}, after[] = {word[0] + 1, ~word[0]};
    assert_int_equal(sotto__shared_arm(&terms, before, nonce), 1);
    assert_int_equal(sotto__shared_arm(&terms, after, nonce), 0);
}

/* 0 and all of 2^32 but one: arms without a share are never given. */
static void an_arm_without_a_share_is_never_given(void **state)
{
    (void)state;
    const sotto_terms terms = with_arms(3);
    const uint32_t shares[] = {0, UINT32_MAX, 1};
    for (uint32_t i = 0; i < 200; i++) {
        uint8_t nonce[SOTTO_NONCE_BYTES] = {(uint8_t)i};
        assert_int_equal(sotto__shared_arm(&terms, shares, nonce), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_sums_are_not_whole),
        cmocka_unit_test(an_arm_that_nobody_can_beat_leaves_one_to_each_other),
        cmocka_unit_test(the_largest_takes_what_is_left),
        cmocka_unit_test(all_sizes_are_whole),
        cmocka_unit_test(the_arm_is_the_first_whose_end_is_above),
        cmocka_unit_test(an_arm_begins_where_those_before_it_end),
        cmocka_unit_test(an_arm_without_a_share_is_never_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
