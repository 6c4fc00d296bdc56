/* What an estimator keeps, as bytes: f64 for numbers, u64 for counts, in the estimator's own order. */
#include "kept.h"
#include "core/bytes.h"
#include "core/fault.h"

#include <inttypes.h>

/* The entries may be written through; who reads does not. */
static uint32_t kept_of(const sotto__estimator *estimator, sotto__kept kept[SOTTO__KEPT_MAX])
{
    if (estimator->kept == NULL) return 0;
    return estimator->kept((sotto__estimator *)estimator, kept);
}

size_t sotto__kept_bytes(const sotto__estimator *estimator)
{
    sotto__kept kept[SOTTO__KEPT_MAX];
    uint32_t entries = kept_of(estimator, kept);
    size_t bytes = 0;
    for (uint32_t e = 0; e < entries; e++) {
        bytes += 8 * kept[e].count;
    }
    return bytes;
}

void sotto__kept_put(const sotto__estimator *estimator, uint8_t *out)
{
    sotto__kept kept[SOTTO__KEPT_MAX];
    uint32_t entries = kept_of(estimator, kept);
    for (uint32_t e = 0; e < entries; e++) {
        for (size_t i = 0; i < kept[e].count; i++, out += 8) {
            if (kept[e].number != NULL) sotto__put_f64(out, kept[e].number[i]);
            if (kept[e].reports != NULL) sotto__put_u64(out, kept[e].reports[i]);
        }
    }
}

void sotto__kept_get(sotto__estimator *estimator, const uint8_t *bytes)
{
    sotto__kept kept[SOTTO__KEPT_MAX];
    uint32_t entries = kept_of(estimator, kept);
    for (uint32_t e = 0; e < entries; e++) {
        for (size_t i = 0; i < kept[e].count; i++, bytes += 8) {
            if (kept[e].number != NULL) kept[e].number[i] = sotto__get_f64(bytes);
            if (kept[e].reports != NULL) kept[e].reports[i] = sotto__get_u64(bytes);
        }
    }
}

static const char *number_fault(const sotto__kept *kept, uint32_t entry, char *text)
{
    for (size_t i = 0; i < kept->count; i++) {
        double x = kept->number[i];
        if (x >= kept->least && x <= kept->most) continue; /* NaN is not */
        return sotto__fault(text,
                            "number %zu of part %" PRIu32 " of the estimator = %.15g: allowed "
                            "%.15g to %.15g",
                            i, entry, x, kept->least, kept->most);
    }
    return NULL;
}

static const char *count_fault(const sotto__kept *kept, uint32_t entry, uint64_t reports,
                               char *text)
{
    uint64_t left = reports;
    for (size_t i = 0; i < kept->count; i++) {
        if (kept->reports[i] > left) {
            return sotto__fault(text,
                                "count %zu of part %" PRIu32 " of the estimator = %" PRIu64
                                ": allowed 0 to %" PRIu64,
                                i, entry, kept->reports[i], left);
        }
        left -= kept->reports[i];
    }
    return NULL;
}

const char *sotto__kept_fault(const sotto__estimator *estimator, uint64_t reports,
                              char text[SOTTO_FAULT_BYTES])
{
    sotto__kept kept[SOTTO__KEPT_MAX];
    uint32_t entries = kept_of(estimator, kept);
    for (uint32_t e = 0; e < entries; e++) {
        const char *fault = kept[e].number != NULL ? number_fault(&kept[e], e, text)
                                                   : count_fault(&kept[e], e, reports, text);
        if (fault != NULL) return fault;
    }
    return NULL;
}
