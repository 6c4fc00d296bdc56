/*
 * Every field of a spec, once: its kind, its name, its range. The fault finder, the canonical
 * bytes and `sotto inspect` are all made from these lists; their order is the order of the bytes.
 */
#ifndef SOTTO_SPEC_FIELDS_H
#define SOTTO_SPEC_FIELDS_H

/* U32 and U64 (field, lo, hi), F64 (field, lo, hi), KIND (field, type), FLAG (field). */
#define SOTTO__SPEC_FIELDS(U32, U64, F64, KIND, FLAG)                                              \
    U32(dim, 1, SOTTO_DIM_MAX)                                                                     \
    U32(arms, 2, SOTTO_ARMS_MAX)                                                                   \
    KIND(parameters, sotto_parameters)                                                             \
    KIND(link, sotto_link)                                                                         \
    KIND(reward_kind, sotto_reward_kind)                                                           \
    KIND(method, sotto_method)                                                                     \
    KIND(score, sotto_score)                                                                       \
    KIND(split, sotto_split)                                                                       \
    KIND(noise_law, sotto_noise_law)                                                               \
    FLAG(allow_weak_delta)                                                                         \
    F64(reward_lo, -1e6, 1e6)                                                                      \
    F64(reward_hi, -1e6, 1e6)                                                                      \
    F64(reward_default, -1e6, 1e6)                                                                 \
    F64(context_norm_max, 1e-6, 1e6)                                                               \
    F64(theta_norm_max, 1e-6, 1e6)                                                                 \
    F64(epsilon, 0.01, sotto__epsilon_max(spec))                                                   \
    F64(delta, 0, 0.5)                                                                             \
    F64(huber_tau, 1e-6, 1e6)                                                                      \
    U64(epoch_reports_max, 1, SOTTO_REPORTS_MAX)                                                   \
    U64(window_reports, 0, SOTTO_REPORTS_MAX)                                                      \
    U32(epoch_lag_max, 0, 16)

/* What version 2 has beside these; all 0 in version 1. */
#define SOTTO__SPEC_FIELDS_2(U32, F64)                                                             \
    U32(series, 0, UINT32_MAX)                                                                     \
    U32(measure, 0, SOTTO__MEASURE_MAX)                                                            \
    F64(reward_rate, 0, 1)                                                                         \
    U32(reward_window_s, 0, SOTTO__YEAR_S)                                                         \
    U32(send_spread_s, 0, SOTTO__YEAR_S)

#define SOTTO__MEASURE_MIN 4294967u            /* round(0.001 2^32) */
#define SOTTO__MEASURE_MAX (UINT32_C(1) << 31) /* 0.5 2^32 */
#define SOTTO__YEAR_S 31536000u

#endif
