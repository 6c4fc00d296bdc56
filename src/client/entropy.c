/*
 * Uniform integers from random bytes.
 *
 * The comments that begin with an at sign are for `make prove` (docs/privacy.md, section 17), which has the contracts of
 * both functions in tests/prove/choose_ranked.h.
 */
#include "client.h"

sotto_status sotto__draw_u64(sotto_rng *rng, uint64_t *out)
{
    return rng->fill(rng, out, sizeof *out);
}

/* Keeps the words below the largest multiple of the bound that fits in 2^64. */
sotto_status sotto__draw_below(sotto_rng *rng, uint64_t bound, uint64_t *out)
{
    uint64_t excess = (UINT64_MAX % bound + 1) % bound; /* 2^64 mod bound */
    //@ ghost proof_of_excess(bound);
    uint64_t word;
    //@ ghost uint64_t discards = 0;
    /*@ loop invariant discards == 1 ==> word >= multiple(bound);
        loop assigns word, discards, *rng, last_word; */
    do {
        sotto_status status = sotto__draw_u64(rng, &word);
        if (status != SOTTO_OK) return status;
        //@ ghost discards = 1;
    } while (word > UINT64_MAX - excess);
    //@ assert word < multiple(bound);
    *out = word % bound;
    //@ ghost last_bound = bound;
    return SOTTO_OK;
}
