/* Shares of 2^32, and the arm that they give to a nonce. */
#include "shares.h"
#include "public_stream.h"

#include <assert.h>
#include <math.h>

#define WHOLE (UINT64_C(1) << 32)

/* share[largest] takes the rest. It has at least 1/arms of 2^32, and the others are off by at most 1. */
static void make_whole(uint32_t *shares, uint32_t arms, uint32_t largest)
{
    uint64_t others = 0;
    for (uint32_t k = 0; k < arms; k++) {
        others += k == largest ? 0 : shares[k];
    }
    assert(others < WHOLE);
    shares[largest] = (uint32_t)(WHOLE - others);
}

void sotto__shares_set(const double *chance, uint32_t arms, uint32_t *shares)
{
    uint32_t largest = 0;
    for (uint32_t k = 0; k < arms; k++) {
        double share = fmax(1, rint(0x1p32 * chance[k]));
        shares[k] = (uint32_t)fmin(share, UINT32_MAX);
        if (chance[k] > chance[largest]) largest = k;
    }
    make_whole(shares, arms, largest);
}

void sotto__shares_set_equal(uint32_t arms, uint32_t *shares)
{
    for (uint32_t k = 0; k < arms; k++) {
        shares[k] = (uint32_t)rint(0x1p32 / arms);
    }
    make_whole(shares, arms, 0);
}

bool sotto__shares_are_whole(const uint32_t *shares, uint32_t arms)
{
    uint64_t sum = 0; /* of at most 2^10 numbers below 2^32 */
    for (uint32_t k = 0; k < arms; k++) {
        sum += shares[k];
    }
    return sum == WHOLE;
}

/* Counting the ends that u has passed needs no branch. */
uint32_t sotto__shared_arm(const sotto_terms *terms, const uint32_t *shares, const uint8_t *nonce)
{
    const sotto__block_at at = {terms->stream_key, nonce, SOTTO__STREAM_ARM, 0, 0};
    uint32_t word[16], arm = 0;
    sotto__public_words(&at, 0, word);
    uint64_t end = 0;
    for (uint32_t k = 0; k + 1 < terms->spec.arms; k++) {
        end += shares[k];
        arm += word[0] >= end;
    }
    return arm;
}
