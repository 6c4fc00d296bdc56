/* What the contracts of src/client/choose_ranked.c and entropy.c speak of, and ghost functions that prove steps of theirs. */
#include "client/client.h"

/*@ predicate is_power(integer step) =
      step == 0x1 || step == 0x2 || step == 0x4 || step == 0x8 ||
      step == 0x10 || step == 0x20 || step == 0x40 || step == 0x80 ||
      step == 0x100 || step == 0x200 || step == 0x400 || step == 0x800 ||
      step == 0x1000 || step == 0x2000 || step == 0x4000 || step == 0x8000 ||
      step == 0x10000 || step == 0x20000 || step == 0x40000 || step == 0x80000 ||
      step == 0x100000 || step == 0x200000 || step == 0x400000 || step == 0x800000 ||
      step == 0x1000000 || step == 0x2000000 || step == 0x4000000 || step == 0x8000000 ||
      step == 0x10000000 || step == 0x20000000 || step == 0x40000000 || step == 0x80000000;
    // How many of n numbers are at least `bound`.
    logic integer reaching(uint32_t *number, integer n, integer bound) =
      n <= 0 ? 0 : reaching(number, n - 1, bound) + (number[n - 1] >= bound ? 1 : 0);

    // The lower half of a key has an index in its last 16 bits.
    predicate has_index(integer low, integer index_max) = low % 65536 <= index_max;

    // The keys of n codewords and their signs, as set_key of choose_codeword.c makes them.
    predicate are_ranked(sotto__choice_work *work, integer n) =
      \valid_read(work) && \valid_read(work->key_high + (0 .. n - 1)) &&
      \valid_read(work->key_low + (0 .. n - 1)) && \valid_read(work->flipped + (0 .. n - 1)) &&
      (\forall integer i; 0 <= i < n ==> work->flipped[i] <= 1);
    predicate are_different(sotto__choice_work *work, integer n) =
      (\forall integer i; 0 <= i < n ==> has_index(work->key_low[i], n - 1)) &&
      (\forall integer i, j; 0 <= i < j < n ==> work->key_low[i] != work->key_low[j]);

    // Room for the lower halves, apart from all else.
    predicate is_room(sotto__choice_work *work, integer n) =
      \valid(work->tied_low + (0 .. n - 1)) && \separated(work->tied_low + (0 .. n - 1), work) &&
      \separated(work->tied_low + (0 .. n - 1), work->key_high + (0 .. n - 1)) &&
      \separated(work->tied_low + (0 .. n - 1), work->key_low + (0 .. n - 1)) &&
      \separated(work->tied_low + (0 .. n - 1), work->flipped + (0 .. n - 1));

    // 1 if the key of codeword i reaches the threshold; and how many of the first n keys do.
    logic integer is_near(uint32_t *high, uint32_t *low, integer threshold, integer i) =
      high[i] * 0x100000000 + low[i] >= threshold ? 1 : 0;
    logic integer near(uint32_t *high, uint32_t *low, integer threshold, integer n) =
      n <= 0 ? 0 : near(high, low, threshold, n - 1) + is_near(high, low, threshold, n - 1);

    // How many of the first n keys are of these two halves.
    logic integer equals(uint32_t *high, uint32_t *low, integer h, integer l, integer n) =
      n <= 0 ? 0 : equals(high, low, h, l, n - 1) + (high[n - 1] == h && low[n - 1] == l ? 1 : 0);

    // 1 if index i is in TOP, nulls being behind all codewords; size is twice half.
    logic integer is_top(sotto__choice_work *work, integer half, integer size, integer heard,
                         integer threshold, integer i) =
      i >= size ? 1 - heard :
      heard == 0 ? 0 :
      i >= half ? (work->flipped[i - half] == 1 ? is_near(work->key_high, work->key_low, threshold, i - half) : 0) :
                  (work->flipped[i] == 0 ? is_near(work->key_high, work->key_low, threshold, i) : 0);
    // How many of the first n indices are in TOP (in_top = 1), or are not (0).
    logic integer members(sotto__choice_work *work, integer half, integer size, integer heard,
                          integer threshold, integer in_top, integer n) =
      n <= 0 ? 0 : members(work, half, size, heard, threshold, in_top, n - 1) +
                   (is_top(work, half, size, heard, threshold, n - 1) == in_top ? 1 : 0);

    // What terms promise of a codebook (sotto_terms_check).
    predicate is_codebook(sotto_codebook *codebook) =
      \valid_read(codebook) && 2 <= codebook->size <= SOTTO_CODEBOOK_SIZE_MAX &&
      codebook->size % 2 == 0 && 1 <= codebook->top <= codebook->size / 2 &&
      (codebook->nulls == 0 || codebook->nulls == codebook->top) &&
      1 <= codebook->weight_rest <= codebook->weight_top <= 0x10000000000;
    // The weights of so many of TOP and of the rest; of all, W.
    logic integer weights(integer top, integer weight_top, integer rest, integer weight_rest) =
      top * weight_top + rest * weight_rest;
    logic integer total(sotto_codebook *codebook) =
      weights(codebook->top, codebook->weight_top,
              codebook->size + codebook->nulls - codebook->top, codebook->weight_rest);

    // The coins of index i: from `first` on, as many as its weight.
    logic integer first(sotto__choice_work *work, sotto_codebook *codebook, integer heard,
                        integer threshold, integer i) =
      is_top(work, codebook->size / 2, codebook->size, heard, threshold, i) == 1 ?
      weights(members(work, codebook->size / 2, codebook->size, heard, threshold, 1, i),
              codebook->weight_top, 0, codebook->weight_rest) :
      weights(codebook->top, codebook->weight_top,
              members(work, codebook->size / 2, codebook->size, heard, threshold, 0, i),
              codebook->weight_rest);
    logic integer weight(sotto__choice_work *work, sotto_codebook *codebook, integer heard,
                         integer threshold, integer i) =
      is_top(work, codebook->size / 2, codebook->size, heard, threshold, i) == 1
        ? codebook->weight_top : codebook->weight_rest;
    predicate is_share(sotto__choice_work *work, sotto_codebook *codebook, integer heard,
                       integer threshold, integer i, integer u) =
      first(work, codebook, heard, threshold, i) <= u <
      first(work, codebook, heard, threshold, i) + weight(work, codebook, heard, threshold, i);
*/

/*@ // The largest multiple of the bound that is at most 2^64: each remainder is that of equally many words below it.
    logic integer multiple(integer bound) = bound * (0x10000000000000000 / bound); */

// The word that was drawn last, and the bound of the last draw below one.
/*@ ghost uint64_t last_word, last_bound; */

/*@ requires \valid(out) && \valid(rng) && \separated(out, rng, &last_word, &last_bound);
    assigns *out, *rng, last_word;
    ensures \result == SOTTO_OK ==> *out == last_word; */
sotto_status sotto__draw_u64(sotto_rng *rng, uint64_t *out);

/*@ requires \valid(out) && \valid(rng) && \separated(out, rng, &last_word, &last_bound) && bound >= 1;
    assigns *out, *rng, last_word, last_bound;
    ensures \result == SOTTO_OK ==> last_bound == bound && last_word < multiple(bound) &&
      *out == last_word % bound < bound; */
sotto_status sotto__draw_below(sotto_rng *rng, uint64_t bound, uint64_t *out);

/*@ ghost
    /@ requires bound >= 1;
       assigns \nothing;
       ensures (UINT64_MAX % bound + 1) % bound == 0x10000000000000000 % bound; @/
    void proof_of_excess(uint64_t bound)
    {
        uint64_t last = UINT64_MAX % bound;
        /@ assert UINT64_MAX == (UINT64_MAX / bound) * bound + last; @/
        /@ assert last + 1 < bound ==>
             0x10000000000000000 == (UINT64_MAX / bound) * bound + (last + 1); @/
        /@ assert last + 1 < bound ==>
             (last + 1) % bound == last + 1 == 0x10000000000000000 % bound; @/
        /@ assert last + 1 == bound ==> 0x10000000000000000 == (UINT64_MAX / bound + 1) * bound; @/
        /@ assert last + 1 == bound ==> (last + 1) % bound == 0 == 0x10000000000000000 % bound; @/
    }

    /@ requires is_power(step);
       assigns \nothing;
       ensures step == 1 || (is_power(step / 2) && 2 * (step / 2) == step);
       ensures step % 65536 == 0 || 2 * step <= 65536; @/
    void proof_of_halves(uint32_t step) {}

    // No number has the bit `step` of its lower half.
    /@ requires \valid_read(number + (0 .. n - 1));
       requires 0 < 2 * step <= 65536 && t % 65536 == 0 && t + step <= 0xFFFFFFFF;
       requires \forall integer i; 0 <= i < n ==> has_index(number[i], step - 1);
       assigns \nothing;
       ensures reaching(number, n, t + step) == reaching(number, n, t + 2 * step); @/
    void proof_of_gap(const uint32_t *number, uint32_t n, uint32_t step, uint32_t t)
    {
        /@ loop invariant 0 <= i <= n;
           loop invariant reaching(number, i, t + step) == reaching(number, i, t + 2 * step);
           loop assigns i;
           loop variant n - i; @/
        for (uint32_t i = 0; i < n; i++) {
            /@ assert has_index(number[i], step - 1); @/
            /@ assert t + step <= number[i] ==> t + 2 * step <= number[i]; @/
        }
    }

    /@ requires \valid_read(number + (0 .. n - 1));
       assigns \nothing;
       ensures reaching(number, n, 0) == n;
       ensures reaching(number, n, 0x100000000) == 0; @/
    void proof_of_ends(const uint32_t *number, uint32_t n)
    {
        /@ loop invariant 0 <= i <= n;
           loop invariant reaching(number, i, 0) == i;
           loop invariant reaching(number, i, 0x100000000) == 0;
           loop assigns i;
           loop variant n - i; @/
        for (uint32_t i = 0; i < n; i++) {}
    }

    /@ requires t % 65536 == 0 && t + step <= 0xFFFFFFFF;
       assigns \nothing;
       ensures step % 65536 == 0 ==> (t + step) % 65536 == 0; @/
    void proof_of_multiple(uint32_t step, uint32_t t) {}

    // Keys are different.
    /@ requires \valid_read(high + (0 .. n - 1)) && \valid_read(low + (0 .. n - 1));
       requires \forall integer i, j; 0 <= i < j < n ==> low[i] != low[j];
       assigns \nothing;
       ensures 0 <= equals(high, low, h, l, n) <= 1; @/
    void proof_of_one(const uint32_t *high, const uint32_t *low, uint32_t n, uint32_t h, uint32_t l)
    {
        /@ loop invariant 0 <= i <= n;
           loop invariant 0 <= equals(high, low, h, l, i) <= 1;
           loop invariant (\forall integer j; 0 <= j < i ==> low[j] != l) ==>
             equals(high, low, h, l, i) == 0;
           loop assigns i;
           loop variant n - i; @/
        for (uint32_t i = 0; i < n; i++) {
            /@ assert low[i] == l ==> (\forall integer j; 0 <= j < i ==> low[j] != l); @/
        }
    }

    /@ requires 1 <= k <= n <= SOTTO_CODEBOOK_SIZE_MAX / 2;
       requires \valid_read(high + (0 .. n - 1)) && \valid_read(low + (0 .. n - 1));
       requires \valid_read(tied + (0 .. n - 1));
       requires \forall integer i; 0 <= i < n ==> tied[i] == (high[i] == h ? low[i] : 0);
       requires 0 <= equals(high, low, h, l, n) <= 1;
       requires reaching(high, n, h) >= k;
       requires reaching(tied, n, l) >= k - reaching(high, n, h + 1) > reaching(tied, n, l + 1);
       assigns \nothing;
       ensures near(high, low, h * 0x100000000 + l, n) == k; @/
    void proof_of_threshold(const uint32_t *high, const uint32_t *low, const uint32_t *tied,
                            uint32_t n, uint32_t k, uint32_t h, uint32_t l)
    {
        /@ loop invariant 0 <= i <= n;
           loop invariant near(high, low, h * 0x100000000 + l, i) ==
             equals(high, low, h, l, i) + reaching(high, i, h + 1) + reaching(tied, i, l + 1);
           loop invariant l == 0 ==>
             near(high, low, h * 0x100000000 + l, i) == reaching(high, i, h);
           loop invariant l > 0 ==> near(high, low, h * 0x100000000 + l, i) ==
             reaching(high, i, h + 1) + reaching(tied, i, l);
           loop assigns i;
           loop variant n - i; @/
        for (uint32_t i = 0; i < n; i++) {}
    }

    // Step by step, because provers unroll definitions without end.
    /@ requires half <= size <= SOTTO_CODEBOOK_SIZE_MAX && heard <= 1;
       assigns \nothing;
       ensures members(work, half, size, heard, threshold, in_top, n + 1) ==
         members(work, half, size, heard, threshold, in_top, n) +
         (is_top(work, half, size, heard, threshold, n) == in_top ? 1 : 0);
       ensures 0 <= is_top(work, half, size, heard, threshold, n) <= 1;
       ensures n >= size ==> is_top(work, half, size, heard, threshold, n) == 1 - heard; @/
    void proof_of_step(const sotto__choice_work *work, uint32_t half, uint32_t size, uint64_t heard,
                       uint64_t threshold, uint64_t in_top, uint32_t n) {}

    // Nulls are all in TOP, or none is.
    /@ requires half <= size <= SOTTO_CODEBOOK_SIZE_MAX;
       requires count <= SOTTO_CODEBOOK_SIZE_MAX && heard <= 1 && in_top <= 1;
       assigns \nothing;
       ensures members(work, half, size, heard, threshold, in_top, size + count) ==
         members(work, half, size, heard, threshold, in_top, size) +
         (in_top == 1 - heard ? count : 0); @/
    void proof_of_nulls(const sotto__choice_work *work, uint32_t half, uint32_t size,
                        uint64_t heard, uint64_t threshold, uint64_t in_top, uint32_t count)
    {
        uint32_t n = size, end = size + count;
        /@ loop invariant size <= n <= end;
           loop invariant members(work, half, size, heard, threshold, in_top, n) ==
             members(work, half, size, heard, threshold, in_top, size) +
             (in_top == 1 - heard ? n - size : 0);
           loop assigns n;
           loop variant end - n; @/
        while (n < end) {
            proof_of_step(work, half, size, heard, threshold, in_top, n);
            n++;
        }
        /@ assert n == end; @/
    }

    /@ requires i < half <= SOTTO_CODEBOOK_SIZE_MAX / 2 && size == half + half && heard <= 1;
       requires are_ranked(work, half);
       assigns \nothing;
       ensures near(work->key_high, work->key_low, threshold, i + 1) ==
         near(work->key_high, work->key_low, threshold, i) +
         is_near(work->key_high, work->key_low, threshold, i);
       ensures is_top(work, half, size, heard, threshold, half + i) +
         is_top(work, half, size, heard, threshold, i) ==
         (heard == 1 ? is_near(work->key_high, work->key_low, threshold, i) : 0); @/
    void proof_of_key(const sotto__choice_work *work, uint32_t half, uint32_t size, uint64_t heard,
                      uint64_t threshold, uint32_t i) {}

    // TOP has as many members as keys reach the threshold, each with one of its two signs.
    /@ requires half <= SOTTO_CODEBOOK_SIZE_MAX / 2 && size == half + half && heard <= 1;
       requires are_ranked(work, half);
       assigns \nothing;
       ensures members(work, half, size, heard, threshold, 1, size) ==
         (heard == 1 ? near(work->key_high, work->key_low, threshold, half) : 0); @/
    void proof_of_top(const sotto__choice_work *work, uint32_t half, uint32_t size, uint64_t heard,
                      uint64_t threshold)
    {
        uint32_t i = 0;
        /@ loop invariant 0 <= i <= half;
           loop invariant members(work, half, size, heard, threshold, 1, half + i) +
             members(work, half, size, heard, threshold, 1, i) ==
             members(work, half, size, heard, threshold, 1, half) +
             (heard == 1 ? near(work->key_high, work->key_low, threshold, i) : 0);
           loop assigns i;
           loop variant half - i; @/
        while (i < half) {
            proof_of_step(work, half, size, heard, threshold, 1, i);
            proof_of_step(work, half, size, heard, threshold, 1, half + i);
            proof_of_key(work, half, size, heard, threshold, i);
            i++;
        }
        /@ assert i == half; @/
    }

    // All others are the rest.
    /@ requires half <= size <= SOTTO_CODEBOOK_SIZE_MAX && heard <= 1;
       requires n <= 2 * SOTTO_CODEBOOK_SIZE_MAX;
       assigns \nothing;
       ensures members(work, half, size, heard, threshold, 0, n) ==
         n - members(work, half, size, heard, threshold, 1, n); @/
    void proof_of_rest(const sotto__choice_work *work, uint32_t half, uint32_t size, uint64_t heard,
                       uint64_t threshold, uint32_t n)
    {
        uint32_t i = 0;
        /@ loop invariant 0 <= i <= n;
           loop invariant members(work, half, size, heard, threshold, 0, i) ==
             i - members(work, half, size, heard, threshold, 1, i);
           loop assigns i;
           loop variant n - i; @/
        while (i < n) {
            proof_of_step(work, half, size, heard, threshold, 0, i);
            proof_of_step(work, half, size, heard, threshold, 1, i);
            i++;
        }
        /@ assert i == n; @/
    }

    // All members of TOP, and of the rest.
    /@ requires half <= SOTTO_CODEBOOK_SIZE_MAX / 2 && size == half + half && heard <= 1;
       requires are_ranked(work, half);
       requires near(work->key_high, work->key_low, threshold, half) == top;
       requires count <= SOTTO_CODEBOOK_SIZE_MAX && (heard == 1 || count == top);
       assigns \nothing;
       ensures members(work, half, size, heard, threshold, 1, size + count) == top;
       ensures members(work, half, size, heard, threshold, 0, size + count) == size + count - top; @/
    void proof_of_members(const sotto__choice_work *work, uint32_t half, uint32_t size,
                          uint64_t heard, uint64_t threshold, uint32_t top, uint32_t count)
    {
        proof_of_top(work, half, size, heard, threshold);
        proof_of_nulls(work, half, size, heard, threshold, 1, count);
        proof_of_rest(work, half, size, heard, threshold, size + count);
    }

    // u = past/weight weights and something.
    /@ requires 1 <= w && past < count * w && w <= 0x10000000000 && count <= 0x10000;
       assigns \nothing;
       ensures past / w * w <= past < past / w * w + w;
       ensures past / w < count; @/
    void proof_of_quotient(uint64_t past, uint64_t w, uint64_t count) {}

    /@ requires a <= 8192 && w <= 0x10000000000;
       assigns \nothing;
       ensures 0 <= a * w <= 8192 * 0x10000000000; @/
    void proof_of_product(uint64_t a, uint64_t w) {}

    // W fits, and so do its parts.
    /@ requires is_codebook(codebook);
       assigns \nothing;
       ensures 1 <= codebook->top <= codebook->size / 2 <= codebook->size <= SOTTO_CODEBOOK_SIZE_MAX;
       ensures codebook->size == codebook->size / 2 + codebook->size / 2;
       ensures codebook->nulls <= codebook->size;
       ensures 0 <= codebook->top * codebook->weight_top <= 0x20000000000000;
       ensures 0 <= (codebook->size + codebook->nulls - codebook->top) * codebook->weight_rest <= 0x20000000000000;
       ensures 1 <= total(codebook) <= 0x40000000000000; @/
    void proof_of_total(const sotto_codebook *codebook)
    {
        proof_of_product(codebook->top, codebook->weight_top);
        proof_of_product(codebook->size + codebook->nulls - codebook->top, codebook->weight_rest);
    }

    // The share of member number q.
    /@ requires is_codebook(codebook) && in_top <= 1 && heard <= 1;
       requires is_top(work, codebook->size / 2, codebook->size, heard, threshold, i) == in_top;
       requires members(work, codebook->size / 2, codebook->size, heard, threshold, in_top, i) == q;
       assigns \nothing;
       ensures in_top == 1 ==> first(work, codebook, heard, threshold, i) == q * codebook->weight_top &&
         weight(work, codebook, heard, threshold, i) == codebook->weight_top;
       ensures in_top == 0 ==> first(work, codebook, heard, threshold, i) ==
         codebook->top * codebook->weight_top + q * codebook->weight_rest &&
         weight(work, codebook, heard, threshold, i) == codebook->weight_rest; @/
    void proof_of_first(const sotto__choice_work *work, const sotto_codebook *codebook,
                        uint64_t heard, uint64_t threshold, uint64_t in_top, uint64_t q, uint32_t i)
    {
        if (in_top == 1) {
            /@ assert weight(work, codebook, heard, threshold, i) == codebook->weight_top; @/
            /@ assert first(work, codebook, heard, threshold, i) ==
                 weights(q, codebook->weight_top, 0, codebook->weight_rest); @/
            /@ assert weights(q, codebook->weight_top, 0, codebook->weight_rest) ==
                 q * codebook->weight_top; @/
        } else {
            /@ assert weight(work, codebook, heard, threshold, i) == codebook->weight_rest; @/
            /@ assert first(work, codebook, heard, threshold, i) ==
                 weights(codebook->top, codebook->weight_top, q, codebook->weight_rest); @/
            /@ assert weights(codebook->top, codebook->weight_top, q, codebook->weight_rest) ==
                 codebook->top * codebook->weight_top + q * codebook->weight_rest; @/
        }
    }

    // u is one of its coins.
    /@ requires is_codebook(codebook) && in_top <= 1 && heard <= 1;
       requires is_top(work, codebook->size / 2, codebook->size, heard, threshold, i) == in_top;
       requires members(work, codebook->size / 2, codebook->size, heard, threshold, in_top, i) == q;
       requires in_top == 1 ==>
         q * codebook->weight_top <= u < q * codebook->weight_top + codebook->weight_top;
       requires in_top == 0 ==>
         q * codebook->weight_rest <= u - codebook->top * codebook->weight_top <
         q * codebook->weight_rest + codebook->weight_rest;
       assigns \nothing;
       ensures is_share(work, codebook, heard, threshold, i, u); @/
    void proof_of_share(const sotto__choice_work *work, const sotto_codebook *codebook,
                        uint64_t heard, uint64_t threshold, uint64_t in_top, uint64_t q, uint32_t i,
                        uint64_t u)
    {
        proof_of_first(work, codebook, heard, threshold, in_top, q, i);
        /@ assert first(work, codebook, heard, threshold, i) <= u; @/
        /@ assert u < first(work, codebook, heard, threshold, i) +
             weight(work, codebook, heard, threshold, i); @/
    }

    /@ requires a + 1 <= b && w <= 0x10000000000 && b <= 2 * SOTTO_CODEBOOK_SIZE_MAX;
       assigns \nothing;
       ensures 0 <= a * w && a * w + w <= b * w; @/
    void proof_of_order(uint64_t a, uint64_t b, uint64_t w) {}

    // Members that come later have higher numbers.
    /@ requires half <= size <= SOTTO_CODEBOOK_SIZE_MAX && heard <= 1;
       requires i < j <= 2 * SOTTO_CODEBOOK_SIZE_MAX;
       requires is_top(work, half, size, heard, threshold, i) == in_top;
       assigns \nothing;
       ensures 0 <= members(work, half, size, heard, threshold, in_top, i);
       ensures members(work, half, size, heard, threshold, in_top, i) + 1 <=
         members(work, half, size, heard, threshold, in_top, j) <= j; @/
    void proof_of_later(const sotto__choice_work *work, uint32_t half, uint32_t size,
                        uint64_t heard, uint64_t threshold, uint64_t in_top, uint32_t i, uint32_t j)
    {
        uint32_t n = 0;
        /@ loop invariant 0 <= n <= j;
           loop invariant 0 <= members(work, half, size, heard, threshold, in_top, n) <= n;
           loop invariant n > i ==> members(work, half, size, heard, threshold, in_top, i) + 1 <=
             members(work, half, size, heard, threshold, in_top, n);
           loop invariant n > i ==> 0 <= members(work, half, size, heard, threshold, in_top, i);
           loop assigns n;
           loop variant j - n; @/
        while (n < j) {
            proof_of_step(work, half, size, heard, threshold, in_top, n);
            /@ assert n == i ==> is_top(work, half, size, heard, threshold, n) == in_top; @/
            n++;
        }
        /@ assert n == j; @/
    }

    // Member numbers are below how many members there are.
    /@ requires is_codebook(codebook) && are_ranked(work, codebook->size / 2) && heard <= 1;
       requires near(work->key_high, work->key_low, threshold, codebook->size / 2) == codebook->top;
       requires heard == 1 || codebook->nulls == codebook->top;
       requires i < codebook->size + codebook->nulls;
       requires is_top(work, codebook->size / 2, codebook->size, heard, threshold, i) == in_top;
       requires in_top <= 1;
       assigns \nothing;
       ensures members(work, codebook->size / 2, codebook->size, heard, threshold, in_top, i) + 1 <=
         (in_top == 1 ? codebook->top : codebook->size + codebook->nulls - codebook->top); @/
    void proof_of_room(const sotto__choice_work *work, const sotto_codebook *codebook,
                       uint64_t heard, uint64_t threshold, uint64_t in_top, uint32_t i)
    {
        proof_of_total(codebook);
        proof_of_members(work, codebook->size / 2, codebook->size, heard, threshold, codebook->top,
                         codebook->nulls);
        proof_of_later(work, codebook->size / 2, codebook->size, heard, threshold, in_top, i,
                       codebook->size + codebook->nulls);
    }

    // Shares lie within [0, W), and no two of them overlap: so an index has as many coins as its weight.
    /@ requires is_codebook(codebook) && are_ranked(work, codebook->size / 2) && heard <= 1;
       requires near(work->key_high, work->key_low, threshold, codebook->size / 2) == codebook->top;
       requires heard == 1 || codebook->nulls == codebook->top;
       requires i < j < codebook->size + codebook->nulls && i_top <= 1 && j_top <= 1;
       requires is_top(work, codebook->size / 2, codebook->size, heard, threshold, i) == i_top;
       requires is_top(work, codebook->size / 2, codebook->size, heard, threshold, j) == j_top;
       requires members(work, codebook->size / 2, codebook->size, heard, threshold, i_top, i) == a;
       requires members(work, codebook->size / 2, codebook->size, heard, threshold, j_top, j) == b;
       assigns \nothing;
       ensures 0 <= first(work, codebook, heard, threshold, i) &&
         first(work, codebook, heard, threshold, i) + weight(work, codebook, heard, threshold, i) <=
         total(codebook);
       ensures 0 <= first(work, codebook, heard, threshold, j) &&
         first(work, codebook, heard, threshold, j) + weight(work, codebook, heard, threshold, j) <=
         total(codebook);
       ensures first(work, codebook, heard, threshold, i) +
         weight(work, codebook, heard, threshold, i) <= first(work, codebook, heard, threshold, j) ||
         first(work, codebook, heard, threshold, j) + weight(work, codebook, heard, threshold, j) <=
         first(work, codebook, heard, threshold, i); @/
    void proof_of_shares(const sotto__choice_work *work, const sotto_codebook *codebook,
                         uint64_t heard, uint64_t threshold, uint64_t i_top, uint64_t j_top,
                         uint64_t a, uint64_t b, uint32_t i, uint32_t j)
    {
        uint32_t rest = codebook->size + codebook->nulls - codebook->top;
        proof_of_total(codebook);
        proof_of_first(work, codebook, heard, threshold, i_top, a, i);
        proof_of_first(work, codebook, heard, threshold, j_top, b, j);
        proof_of_room(work, codebook, heard, threshold, i_top, i);
        proof_of_room(work, codebook, heard, threshold, j_top, j);
        if (i_top == j_top)
            proof_of_later(work, codebook->size / 2, codebook->size, heard, threshold, i_top, i, j);
        if (i_top == 1) proof_of_order(a, codebook->top, codebook->weight_top);
        else proof_of_order(a, rest, codebook->weight_rest);
        if (j_top == 1) proof_of_order(b, codebook->top, codebook->weight_top);
        else proof_of_order(b, rest, codebook->weight_rest);
        if (i_top == j_top) {
            if (i_top == 1) {
                proof_of_order(a, b, codebook->weight_top);
                /@ assert first(work, codebook, heard, threshold, i) +
                     weight(work, codebook, heard, threshold, i) <=
                     first(work, codebook, heard, threshold, j); @/
            } else {
                proof_of_order(a, b, codebook->weight_rest);
                /@ assert first(work, codebook, heard, threshold, i) +
                     weight(work, codebook, heard, threshold, i) <=
                     first(work, codebook, heard, threshold, j); @/
            }
        } else if (i_top == 1) {
            /@ assert first(work, codebook, heard, threshold, i) +
                 weight(work, codebook, heard, threshold, i) <=
                 first(work, codebook, heard, threshold, j); @/
        } else {
            /@ assert first(work, codebook, heard, threshold, j) +
                 weight(work, codebook, heard, threshold, j) <=
                 first(work, codebook, heard, threshold, i); @/
        }
        /@ assert total(codebook) == codebook->top * codebook->weight_top + rest * codebook->weight_rest; @/
    }
*/
