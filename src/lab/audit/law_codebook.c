/*
 * Layer 1 of the codebook. Rank the codewords by nearness to x, afresh for every nonce. The index
 * is in TOP with chance k w_top/W; within TOP its rank is uniform, within the rest its place is; the
 * index itself is uniform, for the codebook has no favourite; nonces are uniform and never return.
 *
 * With nulls an input of length n R is heard with chance n. Then the k nearest codewords are heavy,
 * otherwise the k nulls are, so that the chances are
 *
 *   index in TOP   k (n w_top + (1 - n) w_rest)/W
 *   null           k ((1 - n) w_top + n w_rest)/W
 *
 * and within TOP, within the nulls and within the rest all are alike.
 */
#include "core/bytes.h"
#include "lab/math/statistics.h"
#include "law_rows.h"
#include "rank.h"

#include <math.h>
#include <stdlib.h>

#define NONCE_BITS (8 * SOTTO_NONCE_BYTES)
#define NONCES_KEPT 65536u /* one for each value of the first two bytes */

typedef struct codebook_law {
    sotto__law base; /* first, so that a pointer to it is a pointer to the whole */
    const sotto__claim *claim;
    sotto__ranking ranking;
    double top_chance, null_chance;
    uint64_t count, top_hits, null_hits, repeated;
    sotto__lag lag;       /* of being in TOP */
    uint64_t *top_at;     /* k: hits by rank in TOP */
    uint64_t *rest_at;    /* M - k: hits by place in the rest */
    uint64_t *index_at;   /* M */
    uint64_t *null_at;    /* k, with nulls: hits by null */
    uint64_t *nonce_kept; /* the last nonce of each kind, its last eight bytes */
    uint64_t bit[NONCE_BITS];
} codebook_law;

static void take_nonce(codebook_law *law, const uint8_t *nonce)
{
    uint64_t *kept = &law->nonce_kept[sotto__get_u16(nonce)];
    uint64_t tail = sotto__get_u64(nonce + SOTTO_NONCE_BYTES - 8);
    law->repeated += *kept == tail;
    *kept = tail;
    for (uint32_t i = 0; i < NONCE_BITS; i++) {
        law->bit[i] += nonce[i / 8] >> (i % 8) & 1;
    }
}

/* A place in the rest for each codeword outside TOP: first those of the arm, by rank, better signs
 * last; then those of other tags, by index. */
static uint32_t place_in_rest(const codebook_law *law, uint32_t index, uint32_t rank, bool better)
{
    const sotto_codebook *codebook = &law->claim->codebook;
    uint32_t half = codebook->size / 2, own = half / codebook->groups, arm = law->ranking.arm[0];
    if (rank < half) return better ? own + rank - codebook->top : rank;
    uint32_t before = 0; /* codewords of other tags */
    for (uint32_t i = 0; i < index; i++) {
        before += i % half % codebook->groups != arm;
    }
    return 2 * own - codebook->top + before;
}

static sotto_status take(sotto__taker *taker, uint64_t t, const sotto__answer *answer)
{
    codebook_law *law = (codebook_law *)taker;
    const sotto_codebook *codebook = &law->claim->codebook;
    uint32_t indices = codebook->size + codebook->nulls;
    law->count = t + 1;
    take_nonce(law, answer->nonce);
    if (!(answer->value[0] >= 0 && answer->value[0] < indices)) return SOTTO_OK;
    uint32_t index = (uint32_t)answer->value[0];
    bool better = false, null = index >= codebook->size, in_top = false;
    law->null_hits += null;
    if (null) {
        law->null_at[index - codebook->size]++;
    } else {
        sotto__ranking_expand(&law->ranking, answer->nonce, 1);
        uint32_t rank = sotto__ranking_of(&law->ranking, 0, index, &better);
        in_top = better && rank < codebook->top;
        law->index_at[index]++;
        law->top_hits += in_top;
        if (in_top) law->top_at[rank]++;
        if (!in_top) law->rest_at[place_in_rest(law, index, rank, better)]++;
    }
    double p = law->top_chance;
    sotto__lag_add(&law->lag, (in_top - p) / sqrt(p * (1 - p)));
    return SOTTO_OK;
}

static void nonce_rows(const codebook_law *law, sotto_audit_result *result)
{
    double worst = 0.5, p = 2;
    for (uint32_t i = 0; i < NONCE_BITS; i++) {
        double own = sotto__binomial_p(law->bit[i], law->count, 0.5);
        if (own >= p) continue;
        p = own;
        worst = (double)law->bit[i] / (double)law->count;
    }
    sotto__law_row(result, "bits of the nonce (worst share of ones)", worst, 0.5,
                   sotto__smallest_p(p, NONCE_BITS));
    sotto__law_row(result, "repeated nonces", (double)law->repeated, 0, law->repeated == 0 ? 1 : 0);
}

static void rows(sotto__law *base, sotto_audit_result *result)
{
    const codebook_law *law = (const codebook_law *)base;
    const sotto_codebook *codebook = &law->claim->codebook;
    sotto__law_row(result, "index in TOP (share)", (double)law->top_hits / (double)law->count,
                   law->top_chance, sotto__binomial_p(law->top_hits, law->count, law->top_chance));
    sotto__law_row(result, "rank within TOP is uniform", NAN, NAN,
                   sotto__uniform_p(law->top_at, codebook->top));
    sotto__law_row(result, "place within the rest is uniform", NAN, NAN,
                   sotto__uniform_p(law->rest_at, codebook->size - codebook->top));
    if (codebook->nulls > 0) {
        sotto__law_row(result, "null (share)", (double)law->null_hits / (double)law->count,
                       law->null_chance,
                       sotto__binomial_p(law->null_hits, law->count, law->null_chance));
        sotto__law_row(result, "which null is uniform", NAN, NAN,
                       sotto__uniform_p(law->null_at, codebook->nulls));
    }
    /* In one dimension all codewords are as near, and ties go to the lower index; of tags that of the
     * arm comes more often. */
    if (law->claim->dim > 1 && codebook->groups == 1) {
        sotto__law_row(result, "index is uniform", NAN, NAN,
                       sotto__uniform_p(law->index_at, codebook->size));
    }
    sotto__law_row(result, "correlation with the next report", sotto__lag_correlation(&law->lag), 0,
                   sotto__lag_p(&law->lag));
    nonce_rows(law, result);
}

static void set_chances(codebook_law *law, double length)
{
    const sotto_codebook *codebook = &law->claim->codebook;
    double top = codebook->top * (double)codebook->weight_top;
    double rest =
        (codebook->size + codebook->nulls - codebook->top) * (double)codebook->weight_rest;
    double light = codebook->top * (double)codebook->weight_rest;
    law->top_chance = top / (top + rest);
    if (codebook->nulls == 0) return; /* x is R long */
    law->top_chance = (length * top + (1 - length) * light) / (top + rest);
    law->null_chance = ((1 - length) * top + length * light) / (top + rest);
}

static void release(sotto__law *base)
{
    codebook_law *law = (codebook_law *)base;
    sotto__ranking_free(&law->ranking);
    free(law->index_at);
    free(law->nonce_kept);
    free(law);
}

sotto_status sotto__law_codebook(const sotto__claim *claim, const double *x, uint64_t trials,
                                 sotto__law **out)
{
    (void)trials;
    const sotto_codebook *codebook = &claim->codebook;
    *out = NULL;
    codebook_law *law = calloc(1, sizeof *law);
    if (law == NULL) return SOTTO_E_MEMORY;
    law->base = (sotto__law){.taker = {take}, .rows = rows, .free = release};
    law->claim = claim;
    law->nonce_kept = calloc(NONCES_KEPT, sizeof(uint64_t));
    law->index_at = calloc(2 * (size_t)codebook->size + codebook->nulls, sizeof(uint64_t));
    sotto_status status = sotto__ranking_new(claim, &law->ranking);
    if (law->nonce_kept == NULL || law->index_at == NULL) status = SOTTO_E_MEMORY;
    if (status != SOTTO_OK) {
        release(&law->base);
        return status;
    }
    law->top_at = law->index_at + codebook->size;
    law->rest_at = law->top_at + codebook->top;
    law->null_at = law->index_at + 2 * (size_t)codebook->size;
    set_chances(law, sotto__ranking_direct(&law->ranking, 0, x));
    *out = &law->base;
    return SOTTO_OK;
}
