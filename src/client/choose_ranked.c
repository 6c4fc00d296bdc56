/*
 * The choice of an index, once codewords are ranked (choose_codeword.c): integers alone.
 *
 * The comments that begin with an at sign are contracts, which compilers do not read, and `make
 * prove` proves (docs/privacy.md, section 17).
 */
#include "client.h"

#define LOW_SHIFT 16 /* the lower half of a key has an index below its cosine's last bits */
#define LOW_SIZE (UINT32_C(1) << LOW_SHIFT)

static_assert(SOTTO_CODEBOOK_SIZE_MAX / 2 <= LOW_SIZE, "an index fits below a cosine");

/* x, or 0. */
/*@ requires bit == 0 || bit == 1;
    requires x <= INT64_MAX;
    assigns \nothing;
    ensures bit == 0 ==> \result == 0;
    ensures bit == 1 ==> \result == x; */
static inline uint64_t if_one(uint64_t bit, uint64_t x)
{
    return (uint64_t)((int64_t)x & -(int64_t)bit);
}

/* How many of n numbers are at least `bound`. */
/*@ requires n <= SOTTO_CODEBOOK_SIZE_MAX / 2;
    requires \valid_read(number + (0 .. n - 1));
    assigns \nothing;
    ensures \result == reaching(number, n, bound); */
static inline uint32_t count_from(const uint32_t *number, uint32_t n, uint32_t bound)
{
    uint32_t reach = 0;
    /*@ loop invariant 0 <= i <= n;
        loop invariant reach == reaching(number, i, bound) && reach <= i;
        loop assigns i, reach;
        loop variant n - i; */
    for (uint32_t i = 0; i < n; i++) {
        reach += number[i] >= bound;
    }
    return reach;
}

/* The k-th largest of n numbers, bit by bit from the top: a bit stays set if at least k numbers are
 * as large. One pass for each bit that any of the numbers may have: of their lower 16 bits, those
 * of `low_max`. */
/*@ requires 1 <= k <= n <= SOTTO_CODEBOOK_SIZE_MAX / 2;
    requires \valid_read(number + (0 .. n - 1));
    requires \forall integer i; 0 <= i < n ==> has_index(number[i], low_max);
    assigns \nothing;
    ensures reaching(number, n, \result) >= k > reaching(number, n, \result + 1); */
static uint32_t kth_largest(const uint32_t *number, uint32_t n, uint32_t k, uint32_t low_max)
{
    uint32_t threshold = 0;
    //@ ghost proof_of_ends(number, n);
    /*@ loop invariant step == 0 || is_power(step);
        loop invariant 2 * step >= LOW_SIZE || 2 * step > low_max ==> threshold % LOW_SIZE == 0;
        loop invariant step > 0 ==> threshold + 2 * step <= 0x100000000;
        loop invariant step > 0 ==> k > reaching(number, n, threshold + 2 * step);
        loop invariant step == 0 ==> k > reaching(number, n, threshold + 1);
        loop invariant reaching(number, n, threshold) >= k;
        loop assigns step, threshold;
        loop variant step; */
    for (uint32_t step = UINT32_C(1) << 31; step > 0; step /= 2) {
        //@ ghost proof_of_halves(step);
        if (step < LOW_SIZE && step > low_max) {
            //@ ghost proof_of_gap(number, n, step, threshold);
            continue;
        }
        //@ ghost if (threshold % LOW_SIZE == 0) proof_of_multiple(step, threshold);
        uint32_t candidate = threshold + step;
        uint32_t keep = count_from(number, n, candidate) >= k;
        threshold += (uint32_t)if_one(keep, step);
    }
    return threshold;
}

/*@ assigns \nothing;
    ensures \result == high * 0x100000000 + low; */
static inline uint64_t key_of(uint32_t high, uint32_t low)
{
    return high * (UINT64_C(1) << 32) + low;
}

/* A key that exactly k of n different keys reach: its upper half is the k-th largest upper half; its
 * lower half the largest that lets in, of those with this upper half, as many as are missing. All
 * of them may be let in by 0. */
/*@ requires 1 <= k <= n <= SOTTO_CODEBOOK_SIZE_MAX / 2;
    requires are_ranked(work, n) && are_different(work, n) && is_room(work, n);
    assigns work->tied_low[0 .. n - 1];
    ensures near(work->key_high, work->key_low, \result, n) == k; */
static uint64_t threshold_of(uint32_t n, uint32_t k, sotto__choice_work *work)
{
    uint32_t high = kth_largest(work->key_high, n, k, UINT32_MAX), larger = 0;
    /*@ loop invariant 0 <= i <= n;
        loop invariant larger == reaching{Pre}(work->key_high, i, high + 1) && larger <= i;
        loop invariant \forall integer j; 0 <= j < i ==>
          work->tied_low[j] == (work->key_high[j] == high ? work->key_low[j] : 0);
        loop invariant \forall integer j; 0 <= j < i ==> has_index(work->tied_low[j], n - 1);
        loop assigns i, larger, work->tied_low[0 .. n - 1];
        loop variant n - i; */
    for (uint32_t i = 0; i < n; i++) {
        //@ assert has_index(work->key_low[i], n - 1);
        uint64_t tied = sotto__bit(work->key_high[i] == high);
        larger += work->key_high[i] > high;
        work->tied_low[i] = (uint32_t)if_one(tied, work->key_low[i]);
        //@ assert has_index(work->tied_low[i], n - 1);
    }
    /*@ ghost
        /@ loop invariant 0 <= j <= n;
           loop invariant reaching(work->key_high, j, high) ==
                          reaching{Pre}(work->key_high, j, high);
           loop invariant reaching(work->key_high, j, high + 1) ==
                          reaching{Pre}(work->key_high, j, high + 1);
           loop assigns j;
           loop variant n - j; @/
        for (uint32_t j = 0; j < n; j++) {
            /@ assert work->key_high[j] == \at(work->key_high[\at(j, Here)], Pre); @/
            /@ assert reaching(work->key_high, j + 1, high) == reaching(work->key_high, j, high) +
                 (work->key_high[j] >= high ? 1 : 0); @/
            /@ assert reaching{Pre}(work->key_high, j + 1, high) ==
                 reaching{Pre}(work->key_high, j, high) + (work->key_high[j] >= high ? 1 : 0); @/
        } */
    uint32_t low = kth_largest(work->tied_low, n, k - larger, n - 1);
    //@ ghost proof_of_one(work->key_high, work->key_low, n, high, low);
    //@ ghost proof_of_threshold(work->key_high, work->key_low, work->tied_low, n, k, high, low);
    return key_of(high, low);
}

/* The index that is member number `member` of TOP (in_top = 1) or of the rest (0), in index order.
 * Nulls come last: all of them are TOP, or none is. */
/*@ requires \valid_read(codebook) && codebook->size % 2 == 0 && codebook->size >= 2;
    requires codebook->size <= SOTTO_CODEBOOK_SIZE_MAX && codebook->nulls <= codebook->size;
    requires are_ranked(work, codebook->size / 2) && heard <= 1 && in_top <= 1;
    requires member < codebook->size + codebook->nulls;
    requires member < members(work, codebook->size / 2, codebook->size, heard, threshold, in_top,
                              codebook->size + codebook->nulls);
    assigns \nothing;
    ensures \result < codebook->size + codebook->nulls;
    ensures is_top(work, codebook->size / 2, codebook->size, heard, threshold, \result) == in_top;
    ensures members(work, codebook->size / 2, codebook->size, heard, threshold, in_top, \result) == member; */
static uint32_t find_member(const sotto__choice_work *work, const sotto_codebook *codebook,
                            uint64_t heard, uint64_t threshold, uint64_t in_top, uint64_t member)
{
    uint32_t size = codebook->size, half = size / 2;
    uint64_t seen = 0, found = 0;
    /*@ loop invariant 0 <= index <= size;
        loop invariant seen == members(work, half, size, heard, threshold, in_top, index);
        loop invariant seen <= index && found <= index;
        loop invariant seen <= member ==> found == 0;
        loop invariant seen > member ==> found < index &&
          is_top(work, half, size, heard, threshold, found) == in_top &&
          members(work, half, size, heard, threshold, in_top, found) == member;
        loop assigns index, seen, found;
        loop variant size - index; */
    for (uint32_t index = 0; index < size; index++) {
        uint32_t i = index < half ? index : index - half;
        uint64_t opposite = index >= half;
        uint64_t near = key_of(work->key_high[i], work->key_low[i]) >= threshold;
        //@ assert near == is_near(work->key_high, work->key_low, threshold, i);
        uint64_t better = work->flipped[i] == opposite;
        uint64_t top = if_one(heard, if_one(better, near));
        //@ assert top == (heard == 1 && work->flipped[i] == opposite ? near : 0);
        //@ assert index < half ==> top == is_top(work, half, size, heard, threshold, index);
        //@ assert index >= half ==> top == is_top(work, half, size, heard, threshold, index);
        //@ ghost proof_of_step(work, half, size, heard, threshold, in_top, index);
        uint64_t candidate = top == in_top;
        uint64_t hit = if_one(candidate, seen == member);
        //@ ghost uint64_t before = found;
        //@ assert hit == 1 <==> candidate == 1 && seen == member;
        //@ assert seen + candidate > member <==> seen > member || hit == 1;
        //@ assert hit == 1 ==> found == 0 && is_top(work, half, size, heard, threshold, index) == in_top;
        found += if_one(hit, index);
        seen += candidate;
        //@ assert hit == 0 ==> found == before;
        //@ assert hit == 1 ==> found == index;
        /*@ assert hit == 1 ==> is_top(work, half, size, heard, threshold, found) == in_top &&
              members(work, half, size, heard, threshold, in_top, found) == member; */
        /*@ assert hit == 0 && seen > member ==> before < index &&
              is_top(work, half, size, heard, threshold, before) == in_top &&
              members(work, half, size, heard, threshold, in_top, before) == member; */
        /*@ assert seen > member ==> is_top(work, half, size, heard, threshold, found) == in_top; */
        /*@ assert seen > member ==>
              members(work, half, size, heard, threshold, in_top, found) == member; */
    }
    uint64_t among_nulls = member >= seen;
    //@ assert seen == members(work, half, size, heard, threshold, in_top, size);
    /*@ ghost
        proof_of_nulls(work, half, size, heard, threshold, in_top, codebook->nulls);
        if (among_nulls == 1) {
            proof_of_nulls(work, half, size, heard, threshold, in_top, (uint32_t)(member - seen));
            proof_of_step(work, half, size, heard, threshold, in_top, (uint32_t)(size + member - seen));
        } */
    /*@ assert among_nulls == 1 ==> found == 0 && in_top == 1 - heard &&
          member - seen < codebook->nulls; */
    found += if_one(among_nulls, size + member - seen);
    /*@ assert among_nulls == 1 ==> found == size + member - seen; */
    /*@ assert is_top(work, half, size, heard, threshold, found) == in_top; */
    /*@ assert members(work, half, size, heard, threshold, in_top, found) == member; */
    return (uint32_t)found;
}

/* The index for the coin u in [0, W). */
/*@ requires is_codebook(codebook) && are_ranked(work, codebook->size / 2) && heard <= 1;
    requires near(work->key_high, work->key_low, threshold, codebook->size / 2) == codebook->top;
    requires heard == 1 || codebook->nulls == codebook->top;
    requires u < total(codebook);
    assigns \nothing;
    ensures \result < codebook->size + codebook->nulls;
    ensures is_share(work, codebook, heard, threshold, \result, u); */
static uint32_t find_share(const sotto__choice_work *work, const sotto_codebook *codebook,
                           uint64_t heard, uint64_t threshold, uint64_t u)
{
    //@ ghost proof_of_total(codebook);
    uint64_t top_weight = codebook->top * codebook->weight_top;
    uint64_t in_top = u < top_weight;
    uint64_t past = u - if_one(1 - in_top, top_weight); /* TOP's share taken off the rest */
    uint64_t weight =
        codebook->weight_rest + if_one(in_top, codebook->weight_top - codebook->weight_rest);
    //@ ghost uint32_t count = codebook->size + codebook->nulls, rest = count - codebook->top;
    //@ assert in_top == 1 ==> past == u && weight == codebook->weight_top;
    //@ assert in_top == 0 ==> past == u - top_weight && weight == codebook->weight_rest;
    //@ assert in_top == 0 ==> past < rest * weight;
    /*@ ghost
        proof_of_members(work, codebook->size / 2, codebook->size, heard, threshold,
                         codebook->top, codebook->nulls);
        if (in_top == 1) proof_of_quotient(past, weight, codebook->top);
        else proof_of_quotient(past, weight, rest); */
    /*@ assert past / weight < members(work, codebook->size / 2, codebook->size, heard, threshold,
                                       in_top, count); */
    uint32_t index = find_member(work, codebook, heard, threshold, in_top, past / weight);
    //@ ghost proof_of_share(work, codebook, heard, threshold, in_top, past / weight, index, u);
    return index;
}

/*@ requires is_codebook(codebook) && are_ranked(work, codebook->size / 2);
    requires are_different(work, codebook->size / 2) && is_room(work, codebook->size / 2);
    requires \valid_read(aim) && aim->heard <= 1 && aim->zero <= 1;
    requires aim->heard == 1 || codebook->nulls > 0;
    requires \valid_read(coins) && coins->member < total(codebook);
    requires coins->uniform < codebook->size;
    requires \separated(work->tied_low + (0 .. codebook->size / 2 - 1), codebook, aim, coins);
    assigns work->tied_low[0 .. codebook->size / 2 - 1];
    ensures \result < codebook->size + codebook->nulls;
    ensures aim->zero == 1 && codebook->nulls == 0 ==> \result == coins->uniform;
    ensures aim->zero == 0 || codebook->nulls > 0 ==> \exists uint64_t threshold;
      near(work->key_high, work->key_low, threshold, codebook->size / 2) == codebook->top &&
      is_share(work, codebook, aim->heard, threshold, \result, coins->member); */
uint32_t sotto__choose_ranked(const sotto_codebook *codebook, const sotto__hearing *aim,
                              const sotto__coins *coins, sotto__choice_work *work)
{
    uint64_t threshold = threshold_of(codebook->size / 2, codebook->top, work);
    //@ assert codebook->size == \at(codebook->size, Pre);
    //@ assert codebook->top == \at(codebook->top, Pre);
    //@ assert codebook->nulls == \at(codebook->nulls, Pre);
    //@ assert total(codebook) == \at(total(codebook), Pre);
    //@ assert are_ranked(work, codebook->size / 2);
    uint64_t chosen = find_share(work, codebook, aim->heard, threshold, coins->member);
    uint64_t uniform = codebook->nulls > 0 ? 0 : aim->zero; /* a 0 with nulls is a null */
    uint64_t index = if_one(1 - uniform, chosen) + if_one(uniform, coins->uniform);
    //@ assert uniform == 0 ==> index == chosen;
    /*@ assert \exists uint64_t t;
          near(work->key_high, work->key_low, t, codebook->size / 2) == codebook->top &&
          is_share(work, codebook, aim->heard, t, chosen, coins->member); */
    return (uint32_t)index;
}

/*@ requires is_codebook(codebook) && \valid(rng) && \valid(coins);
    requires \separated(codebook, rng, coins, &last_word, &last_bound);
    assigns *coins, *rng, last_word, last_bound;
    ensures \result == SOTTO_OK ==>
      coins->member < total(codebook) && coins->uniform < codebook->size; */
sotto_status sotto__draw_coins(const sotto_codebook *codebook, sotto_rng *rng, sotto__coins *coins)
{
    //@ ghost proof_of_total(codebook);
    uint64_t top = codebook->top * codebook->weight_top;
    uint64_t rest = (codebook->size + codebook->nulls - codebook->top) * codebook->weight_rest;
    //@ assert top + rest == total(codebook);
    sotto_status status = sotto__draw_u64(rng, &coins->sign);
    //@ ghost uint64_t of_sign = last_word;
    if (status == SOTTO_OK) status = sotto__draw_below(rng, top + rest, &coins->member);
    //@ ghost uint64_t of_member = last_word;
    //@ assert status == SOTTO_OK ==> last_bound == total(codebook);
    if (status == SOTTO_OK) status = sotto__draw_below(rng, codebook->size, &coins->uniform);
    //@ assert status == SOTTO_OK ==> last_bound == codebook->size;
    /*@ assert status == SOTTO_OK ==> coins->sign == of_sign &&
          coins->member == of_member % total(codebook) &&
          coins->uniform == last_word % codebook->size; */
    //@ assert codebook->weight_top == \at(codebook->weight_top, Pre);
    //@ assert codebook->weight_rest == \at(codebook->weight_rest, Pre);
    //@ assert total(codebook) == \at(total(codebook), Pre);
    return status;
}
