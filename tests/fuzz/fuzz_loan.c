/* Whatever file of customers: refused with a reason, or a study of rows that have a meaning, twice the same. */
#include "lab/loan/loan.h"
#include "memory_file.h"
#include "why.h"

#include <math.h>
#include <string.h>

static const char *open_bytes(const uint8_t *data, size_t size, sotto__loan **out)
{
    char path[MEMORY_PATH_BYTES];
    int fd = memory_file(data, size, path);
    const char *said = WHY(sotto__loan_open, path, out);
    close(fd);
    return said;
}

static void check_rows(const sotto__loan *loan)
{
    uint64_t accepted = 0;
    double context[SOTTO__LOAN_DIM];
    for (uint64_t r = 0; r < loan->rows; r++) {
        double squares = 0, price = loan->price[r];
        fuzz_require(price >= 0 && price <= SOTTO__LOAN_PRICE_MAX);
        sotto__loan_context(loan->x + r * SOTTO__LOAN_FEATURES, price, context);
        for (uint32_t i = 0; i < SOTTO__LOAN_DIM; i++) {
            squares += context[i] * context[i];
        }
        fuzz_require(squares <= 1 + 1e-12);
        accepted += loan->accepted[r];
    }
    fuzz_require(accepted == loan->accepted_count && loan->clipped <= loan->rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sotto__loan *loan, *again;
    const char *said = open_bytes(data, size, &loan);
    if (said != NULL) {
        fuzz_require(said == why_fault.sentence && said[0] != '\0' && loan == NULL);
        return 0;
    }
    fuzz_require(loan->rows > 0 && loan->fit.converged);
    check_rows(loan);
    for (uint32_t i = 0; i < SOTTO__LOAN_DIM; i++) {
        fuzz_require(isfinite(loan->theta[i]));
    }
    fuzz_require(open_bytes(data, size, &again) == NULL);
    fuzz_require(again->rows == loan->rows &&
                 memcmp(again->theta, loan->theta, sizeof loan->theta) == 0);
    sotto__loan_free(again);
    sotto__loan_free(loan);
    return 0;
}
