/* Shares: which part of people gets each arm when one arm is sought for all. Public, like the arm. */
#ifndef SOTTO_SHARES_H
#define SOTTO_SHARES_H

#include <sotto/core.h>

/* share_k = max(1, rint(2^32 chance_k)); the largest of them, the first of equals, takes what is left of
 * 2^32. Chances are 0 or more and add up to about 1. */
void sotto__shares_set(const double *chance, uint32_t arms, uint32_t *shares);

/* The same for chances of 1/arms. */
void sotto__shares_set_equal(uint32_t arms, uint32_t *shares);

/* True if they add up to 2^32. */
bool sotto__shares_are_whole(const uint32_t *shares, uint32_t arms);

/* The arm of a round: u is the first u32 of stream ARM, the smallest a with u < share_0 + ... + share_a.
 * The shares are whole. */
uint32_t sotto__shared_arm(const sotto_terms *terms, const uint32_t *shares, const uint8_t *nonce);

#endif
