/*
 * What both sides of Sotto may know: what the owner of an experiment writes (spec), the spec with
 * every constant that follows from it (terms), what the server publishes (model), what a device
 * sends (report), and the words for what can go wrong (status).
 *
 * No type in this file has a field that could hold a context, an arm or a reward.
 *
 * What NULL does, in all headers. A pointer may be NULL only where the comment on the function says
 * so. If another one is NULL, the function does nothing and returns:
 *
 *     sotto_status               SOTTO_E_ARGUMENT, and its sentence in the `sotto_fault *fault`, if the
 *                                function has one; a `T **out` that is not NULL is set to NULL
 *     sotto_fault *fault         may always be NULL, if the caller wants only the status
 *     count, size, bool          0, false
 *     double                     infinity: never "nothing was spent"
 *     pointer                    NULL, and 0 as its count
 *     settings                   all zero, which the _fault function of the settings refuses
 *     nothing                    nothing; every _free accepts NULL
 *
 * The arrays inside a report or a model count as pointers, too.
 */
#ifndef SOTTO_CORE_H
#define SOTTO_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For compilers that do not know these attributes: nothing. */
#if defined(__GNUC__) || defined(__clang__)
#define SOTTO_API __attribute__((visibility("default")))
#define SOTTO_CHECK __attribute__((warn_unused_result))
#else
#define SOTTO_API
#define SOTTO_CHECK
#endif

#define SOTTO_VERSION "0.2.0" /* the only place: CMake reads it here */
SOTTO_API const char *sotto_version(void);
/* The commit that was built, or "unknown". */
SOTTO_API const char *sotto_commit(void);
/* The SHA-256, as 64 digits, of the sources of core, client and transport (docs/install.md). This is no
 * proof: a modified program can claim any value. */
SOTTO_API const char *sotto_sources(void);

/* ---- status ------------------------------------------------------------------------------- */

/* Every status and its sentence. There is no second list. */
#define SOTTO_STATUS_MAP(X)                                                                        \
    X(OK, "done")                                                                                  \
    X(E_ARGUMENT, "a required pointer is missing")                                                 \
    X(E_MEMORY, "out of memory")                                                                   \
    X(E_ENTROPY, "the system gave no randomness; nothing was released")                            \
    X(E_LENGTH, "an array or buffer has the wrong length")                                         \
    X(E_FAULT, "a field is out of its range")                                                      \
    X(E_FRAME, "the bytes are not a valid frame")                                                  \
    X(E_SPEC, "the message belongs to another spec")                                               \
    X(E_EPOCH, "the message belongs to another epoch")                                             \
    X(E_PHASE, "the spec does not have this phase, or another phase was expected")                 \
    X(E_INDEX, "a codeword index is not below the size of its codebook")                           \
    X(E_TICK, "a tick is larger than in any honest report")                                        \
    X(E_FULL, "there is no room for another report")                                               \
    X(E_POLICY, "the spec asks for more than this device's policy allows")                         \
    X(E_WEAK, "a constant protects less than the spec promises")                                   \
    X(E_BUDGET, "the person's privacy budget does not cover another report")                       \
    X(E_ORDER, "a round needs begin, decide and finish, in this order, each once")                 \
    X(E_LEDGER, "the ledger cannot be read, trusted or written; nothing was released")             \
    X(E_EXISTS, "there is something at that path already; nothing was changed")                    \
    X(E_PLUGIN, "a custom method, environment or mechanism failed")                                \
    X(E_SERVED, "a fallback is served: this round ends without a report, and costs nothing")

typedef enum sotto_status {
#define SOTTO_STATUS_ENUMERATOR(name, sentence) SOTTO_##name,
    SOTTO_STATUS_MAP(SOTTO_STATUS_ENUMERATOR)
#undef SOTTO_STATUS_ENUMERATOR
} sotto_status;

/* The sentence of a status, for people. Never NULL. */
SOTTO_API const char *sotto_status_text(sotto_status status);

/* ---- sizes and limits --------------------------------------------------------------------- */

#define SOTTO_DIM_MAX 1024u      /* coordinates of one context vector */
#define SOTTO_ARMS_MAX 1024u     /* arms of one experiment */
#define SOTTO_CELLS_MAX 65536u   /* dim x arms */
#define SOTTO_TICKS_MAX 1048576u /* ticks of one lattice report */
#define SOTTO_CODEBOOK_SIZE_MAX 4096u
#define SOTTO_REPORTS_MAX (UINT64_C(1) << 31) /* reports in one tally: 2^31 x 2^31 < 2^63 */
#define SOTTO_TERMS_BYTES 284u                /* the canonical bytes of terms */
#define SOTTO_SPEC_ID_BYTES 16u
#define SOTTO_NONCE_BYTES 16u
#define SOTTO_FAULT_BYTES 512u /* of a sentence in a fault or of a plug-in */
#define SOTTO_FAULT_FIELD_BYTES 64u
#define SOTTO_FAULT_VALUE_BYTES 128u

/* The same for other languages, which cannot read macros. */
SOTTO_API size_t sotto_terms_bytes(void);
SOTTO_API size_t sotto_spec_id_bytes(void);
SOTTO_API size_t sotto_nonce_bytes(void);
SOTTO_API size_t sotto_fault_bytes(void);

/* ---- fault -------------------------------------------------------------------------------- */

/* Why something cannot be used. Functions whose last argument is a `sotto_fault *` fill it unless they
 * return SOTTO_OK. A field has the name that it has in its struct; a program that shows the fault may
 * spell it in its own way. */
typedef struct sotto_fault {
    char field[SOTTO_FAULT_FIELD_BYTES]; /* "delta"; "" if it is not about a field */
    char value[SOTTO_FAULT_VALUE_BYTES]; /* "0.1"; "" if it is not about one value */
    /* "above 1e-6 only with `allow_weak_delta`": other fields are in backquotes. */
    char allowed[SOTTO_FAULT_BYTES];
    /* "delta = 0.1: above 1e-6 only with allow_weak_delta", after the thing that has this field, if that
     * is not obvious. */
    char sentence[SOTTO_FAULT_BYTES];
} sotto_fault;

/* The caller's spelling of a field; NULL: its own name. */
typedef const char *(*sotto_fault_spelling)(void *state, const char *field);
/* Spells the fields in all parts of the fault and removes the backquotes. */
SOTTO_API void sotto_fault_spell(sotto_fault *fault, sotto_fault_spelling spelling, void *state);

typedef struct sotto_limits {
    uint32_t dim_max;
    uint32_t arms_max;
    uint32_t cells_max;
    uint32_t ticks_max;
    uint32_t codebook_size_max;
    uint64_t reports_max;
} sotto_limits;
SOTTO_API sotto_limits sotto_limits_get(void);

/* ---- kinds -------------------------------------------------------------------------------- */

/* clang-format off */
#define SOTTO_PARAMETERS_MAP(X) X(SHARED, "shared") X(PER_ARM, "per-arm")
#define SOTTO_LINK_MAP(X) \
    X(IDENTITY, "identity") X(LOGIT, "logit") \
    X(PROBIT, "probit") X(LOG, "log")
#define SOTTO_REWARD_MAP(X) X(CONTINUOUS, "continuous") X(BINARY, "binary") X(COUNT, "count")
#define SOTTO_METHOD_MAP(X) \
    X(SOTTO, "sotto") X(SOTTO_OLS, "sotto-ols") X(LDP_SGD, "ldp-sgd") \
    X(LDP_OLS, "ldp-ols") X(LDP_UCB, "ldp-ucb") X(LDP_GLOC, "ldp-gloc") \
    X(BEST_ARM, "best-arm")
#define SOTTO_SCORE_MAP(X) \
    X(SIGN, "sign") X(SELF, "self") X(HUBER, "huber") \
    X(GRADIENT, "gradient") X(MOMENTS, "moments") X(GLOC_PAIR, "gloc-pair") \
    X(CENTRED, "centred") X(REWARD, "reward")
#define SOTTO_SPLIT_MAP(X) X(JOINT, "joint") X(PER_ARM, "per-arm")
#define SOTTO_NOISE_MAP(X) X(GAUSSIAN, "gaussian") X(LAPLACE, "laplace")
#define SOTTO_PHASE_MAP(X) X(WARM_UP, "warm-up") X(MAIN, "main") X(MEAN, "mean")
#define SOTTO_ROLE_MAP(X) X(LEARN, "learn") X(CONTROL, "control") X(FOLLOW, "follow")
/* clang-format on */

/* For each kind: the enumeration and its names. The numbers are part of the wire format. A _name
 * function returns NULL for a number that is not listed. */
#define SOTTO_ENUMERATOR_PARAMETERS(name, text) SOTTO_PARAMETERS_##name,
#define SOTTO_ENUMERATOR_LINK(name, text) SOTTO_LINK_##name,
#define SOTTO_ENUMERATOR_REWARD(name, text) SOTTO_REWARD_##name,
#define SOTTO_ENUMERATOR_METHOD(name, text) SOTTO_METHOD_##name,
#define SOTTO_ENUMERATOR_SCORE(name, text) SOTTO_SCORE_##name,
#define SOTTO_ENUMERATOR_SPLIT(name, text) SOTTO_SPLIT_##name,
#define SOTTO_ENUMERATOR_NOISE(name, text) SOTTO_NOISE_##name,
#define SOTTO_ENUMERATOR_PHASE(name, text) SOTTO_PHASE_##name,
#define SOTTO_ENUMERATOR_ROLE(name, text) SOTTO_ROLE_##name,

/* One parameter for all arms (K context vectors per round), or one per arm (one per round). */
typedef enum sotto_parameters {
    SOTTO_PARAMETERS_MAP(SOTTO_ENUMERATOR_PARAMETERS)
} sotto_parameters;
/* mu in: mean reward = mu(x . theta). */
typedef enum sotto_link { SOTTO_LINK_MAP(SOTTO_ENUMERATOR_LINK) } sotto_link;
typedef enum sotto_reward_kind { SOTTO_REWARD_MAP(SOTTO_ENUMERATOR_REWARD) } sotto_reward_kind;
typedef enum sotto_method { SOTTO_METHOD_MAP(SOTTO_ENUMERATOR_METHOD) } sotto_method;
/* The bounded statistic of the secret that a report carries. */
typedef enum sotto_score { SOTTO_SCORE_MAP(SOTTO_ENUMERATOR_SCORE) } sotto_score;
/* ldp-sgd, per-arm, after warm-up: one codebook over all arms, or one per arm. */
typedef enum sotto_split { SOTTO_SPLIT_MAP(SOTTO_ENUMERATOR_SPLIT) } sotto_split;
typedef enum sotto_noise_law { SOTTO_NOISE_MAP(SOTTO_ENUMERATOR_NOISE) } sotto_noise_law;
/* In warm-up, and in the mean phase before it, the nonce assigns the arm, which is then public. In the
 * main phase the arm is secret, except under best-arm, which has no other phase. Reports of the mean
 * phase carry only the direction of the context. */
typedef enum sotto_phase { SOTTO_PHASE_MAP(SOTTO_ENUMERATOR_PHASE) SOTTO_PHASES } sotto_phase;
/* The purpose of a round, which its public nonce determines before there is a context. The report of a
 * learn round is a score. Control and follow are measure rounds, whose report is the reward. Control
 * plays the arm that the nonce assigns; follow plays the arm that the device decides as usual. */
typedef enum sotto_role { SOTTO_ROLE_MAP(SOTTO_ENUMERATOR_ROLE) } sotto_role;

#undef SOTTO_ENUMERATOR_PARAMETERS
#undef SOTTO_ENUMERATOR_LINK
#undef SOTTO_ENUMERATOR_REWARD
#undef SOTTO_ENUMERATOR_METHOD
#undef SOTTO_ENUMERATOR_SCORE
#undef SOTTO_ENUMERATOR_SPLIT
#undef SOTTO_ENUMERATOR_NOISE
#undef SOTTO_ENUMERATOR_PHASE
#undef SOTTO_ENUMERATOR_ROLE

SOTTO_API const char *sotto_parameters_name(sotto_parameters value);
SOTTO_API const char *sotto_link_name(sotto_link value);
SOTTO_API const char *sotto_reward_kind_name(sotto_reward_kind value);
SOTTO_API const char *sotto_method_name(sotto_method value);
SOTTO_API const char *sotto_score_name(sotto_score value);
SOTTO_API const char *sotto_split_name(sotto_split value);
SOTTO_API const char *sotto_noise_law_name(sotto_noise_law value);
SOTTO_API const char *sotto_phase_name(sotto_phase value);
SOTTO_API const char *sotto_role_name(sotto_role value);

/* ---- spec --------------------------------------------------------------------------------- */

/* What the owner of an experiment writes: public, and fixed before the first round. */
typedef struct sotto_spec {
    uint32_t dim;                  /* coordinates of a context vector, 1 to SOTTO_DIM_MAX */
    uint32_t arms;                 /* 2 to SOTTO_ARMS_MAX; dim x arms at most SOTTO_CELLS_MAX */
    sotto_parameters parameters;   /* shared or per-arm */
    sotto_link link;               /* identity for sign, huber and moments */
    sotto_reward_kind reward_kind; /* binary and count exclude the scores sign and huber */
    sotto_method method;
    sotto_score score;         /* what the method reports; see sotto_spec_fault */
    sotto_split split;         /* joint unless ldp-sgd with per-arm parameters */
    sotto_noise_law noise_law; /* of the lattice methods; gaussian for the others */
    bool allow_weak_delta;     /* consent to delta above 1e-6 */
    double reward_lo;          /* rewards are clamped to [reward_lo, reward_hi] */
    double reward_hi;
    double reward_default;   /* replaces a reward that never came; within the range */
    double context_norm_max; /* longer context vectors are scaled down; 1e-6 to 1e6 */
    double theta_norm_max;   /* bound on the true parameter's norm; 1e-6 to 1e6 */
    double epsilon;          /* of one report: 0.01 to 8 (codebook), to 50 (lattice) */
    double delta;            /* 0 for pure methods; (0, 1e-6] for gaussian, see allow_weak_delta */
    double huber_tau;        /* of score huber, in units of reward; 1e-6 to 1e6 */
    uint64_t epoch_reports_max; /* an epoch has at most this many reports */
    uint64_t window_reports;    /* reports remembered under drift; 0: the world is stationary */
    uint32_t epoch_lag_max;     /* a report may be this many epochs late; 0 to 16 */
    uint32_t version;           /* of the terms: 2 */
    uint32_t series;            /* gives each run of the same terms another id */
    uint32_t measure;           /* 2^32 x the share of measure rounds: 0, or 0.001 to 0.5 of 2^32 */
    double reward_rate;         /* typical reward, as a share of the range: 0 (unknown) to 1 */
    uint32_t reward_window_s; /* a device waits this long for a reward; up to 31,536,000, a year */
    uint32_t send_spread_s;   /* and then sends within this many seconds; up to 31,536,000 */
} sotto_spec;

/* A usable spec for a kind of reward: method sotto, shared parameters, epsilon 1. */
SOTTO_API sotto_spec sotto_spec_default(sotto_reward_kind kind);

/* SOTTO_OK if the spec can be used; otherwise SOTTO_E_FAULT with the first wrong field, its value and
 * what is allowed. */
SOTTO_API SOTTO_CHECK sotto_status sotto_spec_fault(const sotto_spec *spec, sotto_fault *fault);

/* The constants of a codebook randomiser. P(index) is weight_top/W for the `top` best codewords and
 * weight_rest/W for the others, W = top weight_top + (size + nulls - top) weight_rest. The indices
 * from `size` on are nulls, which carry no information; small scores send them (docs/privacy.md 3). */
typedef struct sotto_codebook {
    uint32_t dim;    /* coordinates of a codeword */
    uint32_t size;   /* M, even: codeword i + M/2 is the opposite of codeword i */
    uint32_t groups; /* arm tags: codeword i belongs to arm (i mod M/2) mod groups; 1: no tags */
    uint32_t top;    /* k, at most size/(2 groups) */
    uint32_t nulls;  /* 0 or k */
    uint64_t weight_top;  /* at most e^epsilon weight_rest */
    uint64_t weight_rest; /* 2^28 */
    double scale;         /* B: the unbiased estimate is B times the unit codeword */
} sotto_codebook;

/* The constants of lattice noise: ticks of size 2^grid_log2. */
typedef struct sotto_lattice {
    uint32_t dim;         /* ticks in a report */
    int32_t grid_log2;    /* -60 to 60 */
    uint32_t scale_ticks; /* gaussian: sigma, laplace: b; 2^10 to 2^24 */
    uint32_t clip_ticks;  /* no coordinate of the statistic is larger */
} sotto_lattice;

/* A spec with every constant that follows from it, and its id. Only sotto_spec_resolve and
 * sotto_terms_decode make terms; do not change them. */
typedef struct sotto_terms {
    sotto_spec spec;
    sotto_codebook codebook[SOTTO_PHASES]; /* by phase; zero for lattice methods and other phases */
    sotto_lattice lattice;                 /* zero for codebook methods */
    double along_weight; /* what a score keeps of x along the deciding direction, 0 to 1 */
    uint8_t id[SOTTO_SPEC_ID_BYTES];         /* SHA-256 of the canonical bytes, first half */
    uint8_t stream_key[SOTTO_SPEC_ID_BYTES]; /* SHA-256("sotto/1" | id), first half */
} sotto_terms;

/* Computes the constants. SOTTO_E_FAULT if sotto_spec_fault finds one. */
SOTTO_API SOTTO_CHECK sotto_status sotto_spec_resolve(const sotto_spec *spec, sotto_terms *out);

/* SOTTO_OK if the terms are complete, consistent and at least as private as their spec promises, by
 * this machine's own arithmetic; SOTTO_E_FAULT, SOTTO_E_WEAK or SOTTO_E_SPEC otherwise. */
SOTTO_API SOTTO_CHECK sotto_status sotto_terms_check(const sotto_terms *terms);
/* The same, with the wrong field or constant, its value and what is allowed. */
SOTTO_API SOTTO_CHECK sotto_status sotto_terms_fault(const sotto_terms *terms, sotto_fault *fault);

/* Writes the canonical bytes and returns their number, SOTTO_TERMS_BYTES. */
SOTTO_API size_t sotto_terms_encode(const sotto_terms *terms, uint8_t out[SOTTO_TERMS_BYTES]);
/* Accepts only what sotto_terms_check accepts; *out is untouched otherwise. */
SOTTO_API SOTTO_CHECK sotto_status sotto_terms_decode(const uint8_t *bytes, size_t bytes_count,
                                                      sotto_terms *out);
/* SOTTO_OK if sotto_terms_decode accepts the bytes; otherwise its status and the reason. */
SOTTO_API SOTTO_CHECK sotto_status sotto_terms_bytes_fault(const uint8_t *bytes, size_t bytes_count,
                                                           sotto_fault *fault);

/* True if a report is one or more codeword indices; false if it is ticks. */
SOTTO_API bool sotto_terms_reports_indices(const sotto_terms *terms);

/* The codeword of an index: integers, 2^30 times the unit vector, each rounded. `arm` is the arm's
 * codebook under split per-arm, otherwise 0. `out` has codebook->dim entries. */
SOTTO_API SOTTO_CHECK sotto_status sotto_codebook_expand(
    const sotto_codebook *codebook, const uint8_t stream_key[SOTTO_SPEC_ID_BYTES],
    const uint8_t nonce[SOTTO_NONCE_BYTES], uint32_t index, uint32_t arm, int32_t *out);
/* The key of the public stream, from a spec id. */
SOTTO_API void sotto_stream_key_derive(const uint8_t spec_id[SOTTO_SPEC_ID_BYTES],
                                       uint8_t stream_key[SOTTO_SPEC_ID_BYTES]);

/* ---- report ------------------------------------------------------------------------------- */

/* What a device sends, once, already private. */
typedef struct sotto_report {
    uint8_t spec_id[SOTTO_SPEC_ID_BYTES];
    uint32_t epoch;
    uint8_t nonce[SOTTO_NONCE_BYTES];
    uint32_t count; /* entries of value: fixed by the spec */
    int32_t *value; /* codeword indices, or ticks */
} sotto_report;

/* How many values every report of this spec has. */
SOTTO_API uint32_t sotto_report_count(const sotto_terms *terms);
/* A report with room for one of this spec. */
SOTTO_API SOTTO_CHECK sotto_status sotto_report_new(const sotto_terms *terms, sotto_report **out);
SOTTO_API void sotto_report_free(sotto_report *report);

/* The length of every report frame of this spec. */
SOTTO_API size_t sotto_report_bytes(const sotto_terms *terms);
SOTTO_API SOTTO_CHECK sotto_status sotto_report_encode(const sotto_terms *terms,
                                                       const sotto_report *report, uint8_t *out,
                                                       size_t capacity_bytes);
/* Refuses anything but a whole report of this spec; `out` is untouched unless SOTTO_OK. */
SOTTO_API SOTTO_CHECK sotto_status sotto_report_decode(const sotto_terms *terms,
                                                       const uint8_t *bytes, size_t bytes_count,
                                                       sotto_report *out);

/* ---- model -------------------------------------------------------------------------------- */

/* What the server publishes at the end of an epoch. The spec determines which arrays exist; the others
 * are NULL. P = dim for shared parameters, arms x dim (one row per arm) for per-arm, 0 for best-arm. */
typedef struct sotto_model {
    uint8_t spec_id[SOTTO_SPEC_ID_BYTES];
    uint32_t epoch;
    sotto_phase phase;
    uint64_t reports;   /* folded so far */
    double *theta;      /* P: the estimate */
    double *tbar;       /* P: its running average, which decides if it exists */
    double *theta_h;    /* P: the online estimate of ldp-gloc */
    double *frozen;     /* P: the estimate at the end of warm-up */
    double elimination; /* h of the elimination by `frozen`; infinity: none */
    double beta;        /* width of the confidence bonus */
    double *factor;     /* Cholesky factors of V + cI, packed lower triangles: 1, or one per arm */
    /* dim, if the spec has a mean phase: devices use ||x|| unit(x - (g . x) g) instead of x. 0 until that
     * phase is over, and if the server skipped it. */
    double *g;
    /* A fallback that learn rounds play instead of deciding. 0: none; 1 to arms: that arm + 1; arms + 1:
     * the arm that the nonce assigns. Those rounds send no report. Above 0 only under terms with measure
     * rounds. */
    uint32_t served;
    /* arms numbers, of best-arm only, which has no other array: how many of 2^32 people get each arm. */
    uint32_t *shares;
} sotto_model;

/* The model before the first report: all estimates 0, factors the identity, shares equal. */
SOTTO_API SOTTO_CHECK sotto_status sotto_model_new(const sotto_terms *terms, sotto_model **out);
SOTTO_API void sotto_model_free(sotto_model *model);
/* SOTTO_E_SPEC for a model of another spec, SOTTO_E_PHASE for a phase that the spec does not have,
 * SOTTO_E_ARGUMENT if an array that the spec requires is missing, SOTTO_E_FAULT if the served arm does
 * not exist or the sum of shares is not 2^32. */
SOTTO_API SOTTO_CHECK sotto_status sotto_model_check(const sotto_terms *terms,
                                                     const sotto_model *model);
/* True if the model decides arms; under best-arm, once a report was folded. Otherwise (in warm-up, in
 * the mean phase, and while the estimate is 0) nonces assign arms, and no measure round follows the
 * model. */
SOTTO_API bool sotto_model_decides(const sotto_terms *terms, const sotto_model *model);
/* Copies between two models of one spec. */
SOTTO_API SOTTO_CHECK sotto_status sotto_model_copy(const sotto_terms *terms,
                                                    const sotto_model *from, sotto_model *to);

SOTTO_API size_t sotto_model_bytes(const sotto_terms *terms);
/* SOTTO_E_FAULT for numbers that the decoder would refuse. */
SOTTO_API SOTTO_CHECK sotto_status sotto_model_encode(const sotto_terms *terms,
                                                      const sotto_model *model, uint8_t *out,
                                                      size_t capacity_bytes);
/* Refuses anything but a whole, finite model of this spec; `out` is untouched unless SOTTO_OK. */
SOTTO_API SOTTO_CHECK sotto_status sotto_model_decode(const sotto_terms *terms,
                                                      const uint8_t *bytes, size_t bytes_count,
                                                      sotto_model *out);

/* ---- calibration -------------------------------------------------------------------------- */

/* What an epsilon costs, for comparing randomisers of a unit vector. dim is 1 to
 * SOTTO_CELLS_MAX, epsilon 1e-3 to 50; outside, lengths are infinite. */
typedef struct sotto_privunit {
    double cap_height; /* g */
    double cap_chance; /* p */
    double scale;      /* B = 1/m; mean squared error B^2 - 1 */
} sotto_privunit;

/* Length of the l2-ball randomiser's output for inputs of norm at most 1. */
SOTTO_API double sotto_l2ball_radius(uint32_t dim, double epsilon);
SOTTO_API sotto_privunit sotto_privunit_constants(uint32_t dim, double epsilon);
/* Constants of the codebook of `size` codewords (even, 2 to SOTTO_CODEBOOK_SIZE_MAX), with
 * size/2 a multiple of `groups`. */
SOTTO_API sotto_codebook sotto_codebook_constants(uint32_t dim, uint32_t size, uint32_t groups,
                                                  double epsilon);
/* The smallest sigma for which N(0, sigma^2) noise on a statistic of this L2 diameter is
 * (epsilon, delta)-private; delta is 1e-12 to 0.5. */
SOTTO_API double sotto_gaussian_sigma(double epsilon, double delta, double diameter);
/* The inverse, for N(0, sigma^2) noise and `whitened` = diameter/sigma above 0: the smallest delta at an
 * epsilon (0 or more), and the smallest epsilon at a delta (above 0). */
SOTTO_API double sotto_gaussian_delta(double epsilon, double whitened);
SOTTO_API double sotto_gaussian_epsilon(double delta, double whitened);

/* ---- composition -------------------------------------------------------------------------- */

/* k reports of one person, each (epsilon, delta)-private, each chosen after seeing the earlier ones,
 * are (epsilon_total, delta_total)-private together. Both functions give the smallest number that
 * holds for all such reports (Kairouz, Oh, Viswanath 2015), rounded up. epsilon is 0 to 700, delta
 * 0 to below 1; otherwise the results are 1 and infinity, which claim nothing. */
SOTTO_API double sotto_compose_delta(uint64_t k, double epsilon, double delta,
                                     double epsilon_total);
/* At most k epsilon if delta_total is at least k delta; infinity if delta_total is too small for any
 * epsilon_total. */
SOTTO_API double sotto_compose_epsilon(uint64_t k, double epsilon, double delta,
                                       double delta_total);

#ifdef __cplusplus
}
#endif
#endif
