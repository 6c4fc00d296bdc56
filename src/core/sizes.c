/* Sizes and limits, for languages that cannot read the macros. */
#include <sotto/core.h>

size_t sotto_terms_bytes(void)
{
    return SOTTO_TERMS_BYTES;
}

size_t sotto_spec_id_bytes(void)
{
    return SOTTO_SPEC_ID_BYTES;
}

size_t sotto_nonce_bytes(void)
{
    return SOTTO_NONCE_BYTES;
}

size_t sotto_fault_bytes(void)
{
    return SOTTO_FAULT_BYTES;
}

sotto_limits sotto_limits_get(void)
{
    return (sotto_limits){
        .dim_max = SOTTO_DIM_MAX,
        .arms_max = SOTTO_ARMS_MAX,
        .cells_max = SOTTO_CELLS_MAX,
        .ticks_max = SOTTO_TICKS_MAX,
        .codebook_size_max = SOTTO_CODEBOOK_SIZE_MAX,
        .reports_max = SOTTO_REPORTS_MAX,
    };
}
