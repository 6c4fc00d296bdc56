/*
 * Expansion of codewords.
 *
 * Coordinate j of codeword i < M/2 is half-word j mod 32 of block j/32 of stream CODEBOOK; its low
 * 12 bits pick n_j from the table, and
 *
 *   codeword_j = rint(2^30 n_j / sqrt(sum n^2)),      codeword (i + M/2) = -codeword i.
 *
 * 2^30 n_j and sum n^2 are exact in a double; sqrt, divide and rint are IEEE operations and nothing
 * is contracted: the same integers on every machine.
 */
#include "inner.h"

#include <math.h>
#include <string.h>

#define PER_BLOCK (SOTTO__BLOCK_BYTES / 2)

static inline int32_t normal_of(uint32_t half)
{
    return sotto__normal_table[half % SOTTO__TABLE_SIZE];
}

/* The coordinates of one block, two per word; returns the sum of their squares. Words and
 * coordinates stand `stride` apart. */
static inline int64_t look_up(const uint32_t *word, uint32_t stride, uint32_t count,
                              int32_t *normal)
{
    int64_t squares = 0;
    for (uint32_t j = 0; j + 2 <= count; j += 2, word += stride, normal += 2 * stride) {
        int32_t even = normal_of(*word), odd = normal_of(*word >> 16);
        normal[0] = even;
        normal[stride] = odd;
        squares += even * even;
        squares += odd * odd;
    }
    if (count % 2 == 0) return squares;
    int32_t last = normal_of(*word);
    normal[0] = last;
    return squares + last * last;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

double sotto__codeword_normals(const sotto__block_at *at, uint32_t dim, int32_t *normal)
{
    uint32_t word[16];
    int64_t squares = 0;
    for (uint32_t start = 0; start < dim; start += PER_BLOCK) {
        sotto__public_words(at, start / PER_BLOCK, word);
        squares += look_up(word, 1, smaller(dim - start, PER_BLOCK), normal + start);
    }
    return (double)squares;
}

/* The coordinates of four codewords from one block of each; adds their squares to the sums. */
static void look_up_four(const uint32_t *word, uint32_t count, int32_t *normal, double squares[4])
{
    for (size_t c = 0; c < 4; c++) {
        squares[c] += (double)look_up(word + c, 4, count, normal + c);
    }
}

void sotto__four_codewords_normals(const sotto__block_at *at, uint32_t dim, int32_t *normal,
                                   double squares[4])
{
    uint32_t word[16][4];
    memset(squares, 0, 4 * sizeof squares[0]);
    for (uint32_t start = 0; start < dim; start += PER_BLOCK) {
        sotto__public_words_of_four(at, start / PER_BLOCK, word);
        look_up_four(word[0], smaller(dim - start, PER_BLOCK), normal + 4 * (size_t)start, squares);
    }
}

void sotto__eight_codewords_normals(const sotto__block_at *at, uint32_t dim, int32_t *normal,
                                    double squares[8])
{
    uint32_t word[2][16][4];
    int32_t *second = normal + 4 * (size_t)dim;
    memset(squares, 0, 8 * sizeof squares[0]);
    for (uint32_t start = 0; start < dim; start += PER_BLOCK) {
        uint32_t count = smaller(dim - start, PER_BLOCK);
        sotto__public_words_of_eight(at, start / PER_BLOCK, word);
        look_up_four(word[0][0], count, normal + 4 * (size_t)start, squares);
        look_up_four(word[1][0], count, second + 4 * (size_t)start, squares + 4);
    }
}

sotto_status sotto_codebook_expand(const sotto_codebook *codebook,
                                   const uint8_t stream_key[SOTTO_SPEC_ID_BYTES],
                                   const uint8_t nonce[SOTTO_NONCE_BYTES], uint32_t index,
                                   uint32_t arm, int32_t *out)
{
    if (codebook == NULL || stream_key == NULL || nonce == NULL || out == NULL) {
        return SOTTO_E_ARGUMENT;
    }
    if (codebook->size < 2 || index >= codebook->size) return SOTTO_E_INDEX;
    uint32_t half = codebook->size / 2;
    sotto__block_at at = {stream_key, nonce, SOTTO__STREAM_CODEBOOK, index % half, arm};
    double norm = sqrt(sotto__codeword_normals(&at, codebook->dim, out));
    double length = index < half ? 0x1p30 : -0x1p30;
    for (uint32_t j = 0; j < codebook->dim; j++) {
        out[j] = (int32_t)rint(length * out[j] / norm);
    }
    return SOTTO_OK;
}
