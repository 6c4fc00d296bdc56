/* What the coordinates of codewords cost. */
#include "codewords.h"
#include "core/core.h"

double bench_expand_codewords(const sotto_terms *terms, const uint8_t *nonce, uint32_t count,
                              uint32_t dim, int32_t *normal)
{
    sotto__block_at at = {terms->stream_key, nonce, SOTTO__STREAM_CODEBOOK, 0, 0};
    double sum = 0;
    double squares[8];
    while (at.codeword + 8 <= count) {
        sotto__eight_codewords_normals(&at, dim, normal, squares);
        for (int c = 0; c < 8; c++) {
            sum += squares[c];
        }
        at.codeword += 8;
    }
    while (at.codeword + 4 <= count) {
        sotto__four_codewords_normals(&at, dim, normal, squares);
        sum += squares[0] + squares[1] + squares[2] + squares[3];
        at.codeword += 4;
    }
    while (at.codeword < count) {
        sum += sotto__codeword_normals(&at, dim, normal);
        at.codeword++;
    }
    return sum;
}
