/*
 * The lab: how much a mechanism reveals, measured and compared with its claim.
 * Not for production. The head of core.h says what NULL does.
 */
#ifndef SOTTO_LAB_AUDITS_H
#define SOTTO_LAB_AUDITS_H

#include <sotto/lab/mechanisms.h>
#include <sotto/lab/plugins.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An audit can find a violation; it cannot prove that there is none. */

#define SOTTO_AUDIT_ROWS_MAX 64u
#define SOTTO_AUDIT_NAME_BYTES 80u

typedef struct sotto_audit_settings {
    const char *command; /* a shell command to audit, borrowed; NULL: audit `mechanism` */
    const sotto_mechanism_table *custom; /* a custom mechanism instead; NULL: none */
    /* For a command or a custom mechanism only dim, epsilon, delta, radius and seed are used. */
    sotto_mechanism_settings mechanism;
    uint64_t trials;  /* per pair of inputs, and for the law of the noise: 1 to 1e9 */
    double alpha;     /* chance of a false alarm on a mechanism that keeps its claim: 1e-5 to 0.5 */
    double timeout_s; /* longest time that a command may be idle; 0.01 to 86400 */
} sotto_audit_settings;

/* A million trials, alpha 0.01, 10 seconds. */
SOTTO_API sotto_audit_settings sotto_audit_default(const sotto_mechanism_settings *mechanism);
/* SOTTO_E_FAULT and the first setting at fault, its value and what is allowed. */
SOTTO_API SOTTO_CHECK sotto_status sotto_audit_fault(const sotto_audit_settings *settings,
                                                     sotto_fault *fault);

typedef enum sotto_audit_verdict {
    SOTTO_AUDIT_NO_VIOLATION,
    SOTTO_AUDIT_VIOLATION,
    SOTTO_AUDIT_INCONCLUSIVE,
} sotto_audit_verdict;
SOTTO_API const char *sotto_audit_verdict_name(sotto_audit_verdict value);

/* One comparison. Numbers that it does not have are NAN. */
typedef struct sotto_audit_row {
    uint32_t layer; /* 0 same coins, 1 law of the noise, 2 Gaussian claims, 3 any mechanism */
    char name[SOTTO_AUDIT_NAME_BYTES];
    double statistic; /* measured */
    double bound;     /* allowed */
    double p_value;
    bool passed;
} sotto_audit_row;

typedef struct sotto_audit_result {
    sotto_audit_verdict verdict;
    sotto_fault reason;   /* why the audit ended early or is inconclusive, or "" */
    double epsilon_lower; /* the true epsilon is larger, with chance 1 - alpha; NAN: no trial */
    uint32_t pairs;
    uint32_t rows_count;
    sotto_audit_row row[SOTTO_AUDIT_ROWS_MAX];
    double seconds;
} sotto_audit_result;

/* Follows an audit, on the thread that called. */
typedef struct sotto_audit_progress {
    /* False ends the audit. Its verdict is then inconclusive unless it found a violation before. */
    bool (*show)(void *state, uint64_t done, uint64_t total);
    void *state;
} sotto_audit_progress;

/* `progress` may be NULL. If the subject misbehaves, the audit has not failed: it returns SOTTO_OK and
 * an inconclusive verdict with the reason. */
SOTTO_API SOTTO_CHECK sotto_status sotto_audit_run(const sotto_audit_settings *settings,
                                                   const sotto_audit_progress *progress,
                                                   sotto_audit_result *result);

#ifdef __cplusplus
}
#endif
#endif
