/* ChaCha8 (Bernstein 2008) and the streams of a round. */
#include "core.h"

#define ROTATE_LEFT(x, n) ((x) << (n) | (x) >> (32 - (n)))
#define QUARTER_ROUND(a, b, c, d)                                                                  \
    a += b, d = ROTATE_LEFT(d ^ a, 16);                                                            \
    c += d, b = ROTATE_LEFT(b ^ c, 12);                                                            \
    a += b, d = ROTATE_LEFT(d ^ a, 8);                                                             \
    c += d, b = ROTATE_LEFT(b ^ c, 7)
/* x: 16 words, or 16 vectors of words. */
#define COLUMN_ROUND(x)                                                                            \
    QUARTER_ROUND(x[0], x[4], x[8], x[12]);                                                        \
    QUARTER_ROUND(x[1], x[5], x[9], x[13]);                                                        \
    QUARTER_ROUND(x[2], x[6], x[10], x[14]);                                                       \
    QUARTER_ROUND(x[3], x[7], x[11], x[15])
#define DIAGONAL_ROUND(x)                                                                          \
    QUARTER_ROUND(x[0], x[5], x[10], x[15]);                                                       \
    QUARTER_ROUND(x[1], x[6], x[11], x[12]);                                                       \
    QUARTER_ROUND(x[2], x[7], x[8], x[13]);                                                        \
    QUARTER_ROUND(x[3], x[4], x[9], x[14])
#define DOUBLE_ROUNDS 4 /* ChaCha8 */

static inline void set_input(const sotto__block_at *at, uint32_t block, uint32_t in[16])
{
    in[0] = 0x61707865, in[1] = 0x3320646e, in[2] = 0x79622d32, in[3] = 0x6b206574;
    for (int i = 0; i < 4; i++) { /* after "expand 32-byte k" */
        in[4 + i] = sotto__get_u32(at->stream_key + 4 * i);
        in[8 + i] = sotto__get_u32(at->nonce + 4 * i);
    }
    in[12] = block;
    in[13] = at->stream;
    in[14] = at->codeword;
    in[15] = at->arm;
}

void sotto__public_words(const sotto__block_at *at, uint32_t block, uint32_t out[16])
{
    uint32_t in[16], x[16];
    set_input(at, block, in);
    memcpy(x, in, sizeof x);
    for (int i = 0; i < DOUBLE_ROUNDS; i++) {
        COLUMN_ROUND(x);
        DIAGONAL_ROUND(x);
    }
    for (int i = 0; i < 16; i++) {
        out[i] = x[i] + in[i];
    }
}

void sotto__public_block(const sotto__block_at *at, uint32_t block, uint8_t out[SOTTO__BLOCK_BYTES])
{
    uint32_t word[16];
    sotto__public_words(at, block, word);
    for (int i = 0; i < 16; i++) {
        sotto__put_u32(out + 4 * i, word[i]);
    }
}

/* The same word of four blocks. */
typedef uint32_t four_words __attribute__((vector_size(16)));

/* in[i] of four consecutive blocks, the first of which is that of codeword in[14]. */
static inline four_words input_of_four(const uint32_t in[16], int i)
{
    four_words word = {in[i], in[i], in[i], in[i]};
    return i == 14 ? word + (four_words){0, 1, 2, 3} : word;
}

void sotto__public_words_of_four(const sotto__block_at *at, uint32_t block, uint32_t out[16][4])
{
    uint32_t in[16];
    four_words x[16];
    set_input(at, block, in);
    for (int i = 0; i < 16; i++) {
        x[i] = input_of_four(in, i);
    }
    for (int i = 0; i < DOUBLE_ROUNDS; i++) {
        COLUMN_ROUND(x);
        DIAGONAL_ROUND(x);
    }
    for (int i = 0; i < 16; i++) {
        x[i] += input_of_four(in, i);
    }
    memcpy(out, x, sizeof x);
}

/* Each ChaCha round waits for the one before it. While the first four blocks wait, the second four
 * compute. */
void sotto__public_words_of_eight(const sotto__block_at *at, uint32_t block, uint32_t out[2][16][4])
{
    uint32_t in[16], second[16];
    four_words x[16], y[16];
    set_input(at, block, in);
    memcpy(second, in, sizeof in);
    second[14] += 4;
    for (int i = 0; i < 16; i++) {
        x[i] = input_of_four(in, i);
        y[i] = input_of_four(second, i);
    }
    for (int i = 0; i < DOUBLE_ROUNDS; i++) {
        COLUMN_ROUND(x);
        COLUMN_ROUND(y);
        DIAGONAL_ROUND(x);
        DIAGONAL_ROUND(y);
    }
    for (int i = 0; i < 16; i++) {
        x[i] += input_of_four(in, i);
        y[i] += input_of_four(second, i);
    }
    memcpy(out[0], x, sizeof x);
    memcpy(out[1], y, sizeof y);
}

void sotto_stream_key_derive(const uint8_t spec_id[SOTTO_SPEC_ID_BYTES],
                             uint8_t stream_key[SOTTO_SPEC_ID_BYTES])
{
    if (spec_id == NULL || stream_key == NULL) return;
    static const char domain[] = "sotto/1";
    sotto__digest digest;
    uint8_t whole[SOTTO__DIGEST_BYTES];
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, domain, sizeof domain - 1);
    sotto__digest_add(&digest, spec_id, SOTTO_SPEC_ID_BYTES);
    sotto__digest_end(&digest, whole);
    memcpy(stream_key, whole, SOTTO_SPEC_ID_BYTES);
}

sotto_role sotto__role_of(const sotto_terms *terms, const uint8_t *nonce, bool follows)
{
    uint32_t m = terms->spec.measure, word[16];
    if (m == 0) return SOTTO_ROLE_LEARN;
    const sotto__block_at at = {terms->stream_key, nonce, SOTTO__STREAM_ROLE, 0, 0};
    sotto__public_words(&at, 0, word);
    if (word[0] < m / 2) return SOTTO_ROLE_CONTROL;
    return word[0] < m && follows ? SOTTO_ROLE_FOLLOW : SOTTO_ROLE_LEARN;
}

/* B = (w_top + w_rest)/(w_top - w_rest): every |U| is 1 on a line. */
sotto_codebook sotto__measure_codebook(const sotto_codebook *of_phase)
{
    double top = (double)of_phase->weight_top, rest = (double)of_phase->weight_rest;
    return (sotto_codebook){
        .dim = 1,
        .size = 2,
        .groups = 1,
        .top = 1,
        .weight_top = of_phase->weight_top,
        .weight_rest = of_phase->weight_rest,
        .scale = (top + rest) / (top - rest),
    };
}

/* floor(arms h / 2^64) without 128-bit arithmetic: arms < 2^32, so split h in halves. */
uint32_t sotto__assigned_arm(const sotto_terms *terms, const uint8_t *nonce)
{
    const sotto__block_at at = {terms->stream_key, nonce, SOTTO__STREAM_ARM, 0, 0};
    uint8_t bytes[SOTTO__BLOCK_BYTES];
    sotto__public_block(&at, 0, bytes);
    uint64_t arms = terms->spec.arms;
    uint64_t low = arms * sotto__get_u32(bytes);
    uint64_t high = arms * sotto__get_u32(bytes + 4);
    return (uint32_t)((high + (low >> 32)) >> 32);
}

void sotto__arm_signs(const sotto_terms *terms, const uint8_t *nonce, int8_t *sign)
{
    const sotto__block_at at = {terms->stream_key, nonce, SOTTO__STREAM_SIGNS, 0, 0};
    const uint32_t bits_per_block = 8 * SOTTO__BLOCK_BYTES;
    uint8_t bytes[SOTTO__BLOCK_BYTES];
    for (uint32_t k = 0; k < terms->spec.arms; k++) {
        uint32_t bit = k % bits_per_block;
        if (bit == 0) sotto__public_block(&at, k / bits_per_block, bytes);
        sign[k] = (bytes[bit / 8] >> (bit % 8) & 1) ? -1 : 1;
    }
}
