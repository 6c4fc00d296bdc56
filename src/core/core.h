/* What other rooms may use of this one. */
#ifndef SOTTO_CORE_ROOM_H
#define SOTTO_CORE_ROOM_H

#include <sotto/core.h>

#include <assert.h>
#include <fenv.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- bytes ---------------------------------------------------------------------------------- */

/* Little-endian integers and doubles, one by one. Nothing else ever touches the wire or the disk.
 */

static inline void sotto__put_u16(uint8_t *out, uint16_t value)
{
    out[0] = (uint8_t)value;
    out[1] = (uint8_t)(value >> 8);
}

static inline void sotto__put_u32(uint8_t *out, uint32_t value)
{
    sotto__put_u16(out, (uint16_t)value);
    sotto__put_u16(out + 2, (uint16_t)(value >> 16));
}

static inline void sotto__put_u64(uint8_t *out, uint64_t value)
{
    sotto__put_u32(out, (uint32_t)value);
    sotto__put_u32(out + 4, (uint32_t)(value >> 32));
}

static inline void sotto__put_f64(uint8_t *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    sotto__put_u64(out, bits);
}

static inline uint16_t sotto__get_u16(const uint8_t *in)
{
    return (uint16_t)(in[0] | (uint16_t)in[1] << 8);
}

static inline uint32_t sotto__get_u32(const uint8_t *in)
{
    return (uint32_t)sotto__get_u16(in) | (uint32_t)sotto__get_u16(in + 2) << 16;
}

static inline uint64_t sotto__get_u64(const uint8_t *in)
{
    return (uint64_t)sotto__get_u32(in) | (uint64_t)sotto__get_u32(in + 4) << 32;
}

/* Known when this is compiled. */
static inline bool sotto__memory_is_little_endian(void)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, sizeof first);
    return first == 1;
}

/* Many 32-bit numbers. Where memory is little-endian they are already in the right order. */
static inline void sotto__put_i32s(uint8_t *out, const int32_t *value, uint32_t count)
{
    if (sotto__memory_is_little_endian()) {
        memcpy(out, value, 4 * (size_t)count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        sotto__put_u32(out + 4 * (size_t)i, (uint32_t)value[i]);
    }
}

static inline void sotto__get_i32s(const uint8_t *in, int32_t *value, uint32_t count)
{
    if (sotto__memory_is_little_endian()) {
        memcpy(value, in, 4 * (size_t)count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        value[i] = (int32_t)sotto__get_u32(in + 4 * (size_t)i);
    }
}

static inline double sotto__get_f64(const uint8_t *in)
{
    uint64_t bits = sotto__get_u64(in);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- calibrate ------------------------------------------------------------------------------ */

/* Scales that a spec's constants are made of; the public ones are in sotto/core.h. */

#define SOTTO__WEIGHT_REST (UINT64_C(1) << 28)

/* dim 1 to SOTTO_CELLS_MAX, epsilon 1e-3 to 50: where the calibrations are right. */
bool sotto__calibration_range(uint32_t dim, double epsilon);

/* The weight of a TOP codeword that a new spec gets, and the largest that a client accepts: the gap
 * between the two absorbs the last bits in which two machines' exp() may differ. */
uint64_t sotto__weight_top(double epsilon);
uint64_t sotto__weight_top_max(double epsilon);

/* The codebook with nulls, of `groups` arm tags, whose report varies least for scores of mean size
 * `score_size` (0 to 1); scale infinity where there is none. */
sotto_codebook sotto__codebook_with_nulls(uint32_t dim, uint32_t groups, double epsilon,
                                          double score_size);
/* q: the chance that a report of such a score is not null; 1 without nulls. */
double sotto__codebook_heard(const sotto_codebook *codebook, double epsilon, double score_size);
/* B^2 q: the variance of a report of such a score, up to what all codebooks share. */
double sotto__codebook_variance(const sotto_codebook *codebook, double epsilon, double score_size);

/* L2 and L1 diameters of the moment statistics. */
double sotto__moments_diameter(double context_norm_max, double reward_max, double weight);
double sotto__moments_diameter_l1(uint32_t dim, double context_norm_max, double reward_max,
                                  double weight);

/* ---- ieee ----------------------------------------------------------------------------------- */

/* Files that compute include this: they compile only if arithmetic follows IEEE 754. */

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "Sotto needs IEEE arithmetic for its privacy: compile it without -ffast-math and its parts"
#endif
#if defined(__FLT_EVAL_METHOD__) && (__FLT_EVAL_METHOD__ == 2 || __FLT_EVAL_METHOD__ < 0)
#error                                                                                             \
    "Sotto rounds to double after every step: compile it without the x87 unit (gcc: -mfpmath=sse)"
#endif
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "Sotto refuses NaN and infinity: compile it without -ffinite-math-only"
#endif

/* ---- calibrate_lattice ---------------------------------------------------------------------- */

/* The constants of lattice noise, from what a statistic needs. */

/* A statistic, and the promise to be kept about it. */
typedef struct sotto__lattice_need {
    sotto_noise_law law;
    double epsilon;
    double delta;          /* of gaussian */
    double diameter;       /* of the statistic's range: L2 for gaussian, L1 for laplace */
    uint32_t dim;          /* its coordinates, those of one arm's block for per-arm blocks */
    double coordinate_max; /* no coordinate is larger */
} sotto__lattice_need;

/* SOTTO_OK if lattice noise can keep this promise about `dim` numbers; otherwise SOTTO_E_FAULT. */
SOTTO_CHECK sotto_status sotto__lattice_promise_fault(sotto_noise_law law, uint32_t dim,
                                                      double epsilon, double delta,
                                                      bool allow_weak_delta, sotto_fault *fault);

/* The noise (sigma or b) that the statistic needs once it is rounded to this grid. */
double sotto__lattice_scale(const sotto__lattice_need *need, double grid);

/* How far two statistics can be apart once they are rounded to this grid. */
double sotto__lattice_diameter(const sotto__lattice_need *need, double grid);

/* The bound on each coordinate, in ticks. */
double sotto__lattice_clip(const sotto__lattice_need *need, double grid);

/* No honest tick is larger, except with a chance of 1e-9 per report. */
double sotto__lattice_tick_max(const sotto_lattice *lattice, sotto_noise_law law);

sotto_lattice sotto__lattice_constants(const sotto__lattice_need *need);

/* SOTTO_OK if the constants are in range and as private as needed; otherwise SOTTO_E_FAULT or
 * SOTTO_E_WEAK. lattice->dim is the caller's to check. */
SOTTO_CHECK sotto_status sotto__lattice_check(const sotto_lattice *lattice,
                                              const sotto__lattice_need *need, sotto_fault *fault);

/* ---- secret --------------------------------------------------------------------------------- */

/*
 * Conditions on secrets, without a branch.
 *
 * A compiler may turn conditional expressions, and numbers that it knows to be 0 or 1, into branches;
 * the C library's fmin and fmax branch on some processors. So a condition becomes a bit about which the
 * compiler knows nothing, and the rest is arithmetic. tests/system/secret_branches.c looks at what was
 * compiled.
 */

/* 1 or 0; the compiler takes it for any number. */
static inline uint64_t sotto__bit(bool condition)
{
    uint64_t bit = condition;
    __asm__("" : "+r"(bit));
    return bit;
}

/* All bits or none; the compiler takes it for any number. */
static inline uint64_t sotto__mask(bool condition)
{
    uint64_t mask = 0 - (uint64_t)condition;
    __asm__("" : "+r"(mask));
    return mask;
}

/* The bits of v that are in the mask: v if it has all, 0 if it has none. */
static inline double sotto__masked(double v, uint64_t mask)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    bits &= mask;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* One of two numbers. */
static inline double sotto__either(bool first, double x, double y)
{
    uint64_t x_bits, y_bits, mask = sotto__mask(first);
    memcpy(&x_bits, &x, sizeof x);
    memcpy(&y_bits, &y, sizeof y);
    y_bits ^= (x_bits ^ y_bits) & mask;
    memcpy(&y, &y_bits, sizeof y);
    return y;
}

/* x, but no more than `most`; that for NaN. */
static inline double sotto__at_most(double x, double most)
{
    return sotto__either(x < most, x, most);
}

/* x, but no less than `least`; that for NaN. */
static inline double sotto__at_least(double x, double least)
{
    return sotto__either(x > least, x, least);
}

/* x within [least, most]; most for NaN. */
static inline double sotto__within(double x, double least, double most)
{
    return sotto__at_least(sotto__at_most(x, most), least);
}

/* ---- linalg --------------------------------------------------------------------------------- */

/* Small dense linear algebra: vectors, and symmetric matrices packed by the lower triangle, row by
 * row: entry (i, j), j <= i, stands at i(i+1)/2 + j. */

static inline uint32_t sotto__tri_count(uint32_t n)
{
    return n * (n + 1) / 2;
}

/* Two numbers that are added, multiplied and compared at once, and their bits. */
typedef double sotto__pair __attribute__((vector_size(16)));
typedef int64_t sotto__pair_bits __attribute__((vector_size(16)));

static inline sotto__pair sotto__load_pair(const double *x)
{
    sotto__pair pair;
    memcpy(&pair, x, sizeof pair);
    return pair;
}

/* Of each lane x where the mask has all bits, y where it has none. */
static inline sotto__pair sotto__pair_either(sotto__pair_bits mask, sotto__pair x, sotto__pair y)
{
    return (sotto__pair)(((sotto__pair_bits)x & mask) | ((sotto__pair_bits)y & ~mask));
}

/* For more than three numbers: four independent sums. Inline, because many products are short. */
static inline double sotto__dot(const double *x, const double *y, uint32_t n)
{
    double sum = 0;
    size_t i = 0; /* as wide as an address: a narrower one costs an instruction for each load */
    if (n >= 4) {
        sotto__pair even = {0, 0}, odd = {0, 0};
        for (; i + 4 <= n; i += 4) {
            even += sotto__load_pair(x + i) * sotto__load_pair(y + i);
            odd += sotto__load_pair(x + i + 2) * sotto__load_pair(y + i + 2);
        }
        even += odd;
        sum = even[0] + even[1];
    }
    for (; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/* out_i = row i of `rows` . y, each as sotto__dot would; rows of n numbers, count of them. */
void sotto__rows_dot(const double *rows, const double *y, uint32_t count, uint32_t n, double *out);

/* The first of the largest of n numbers, n at least 1; NaN counts as -infinity. Two at a time, on
 * bits: conditional expressions would become branches, which processors predict badly here. */
static inline uint32_t sotto__largest(const double *x, uint32_t n)
{
    sotto__pair largest = {-INFINITY, -INFINITY};
    sotto__pair_bits best = {0, 0};
    for (uint32_t i = 0; n > 1 && i < n; i += 2) {
        uint32_t first = i + 1 < n ? i : n - 2; /* the last pair may overlap the one before it */
        sotto__pair here = sotto__load_pair(x + first);
        sotto__pair_bits above = here > largest; /* all bits, or none */
        best = (best & ~above) | ((sotto__pair_bits){first, first + 1} & above);
        largest = sotto__pair_either(above, here, largest);
    }
    bool before = !(largest[0] > largest[1]) & (best[1] < best[0]); /* of two that are equal */
    uint64_t second = sotto__mask((largest[1] > largest[0]) | before);
    return (uint32_t)(best[0] ^ ((best[0] ^ best[1]) & (int64_t)second));
}

/* Euclidean norm, right for every finite x: neither overflows nor underflows on the way. */
double sotto__norm(const double *x, uint32_t n);

/* Replaces the packed symmetric A by its Cholesky factor L, A = L L'. False, with A half done, if A
 * is not numerically positive definite. */
bool sotto__cholesky(double *a, uint32_t n);

/* x = (L L')^-1 b; x may be b. */
void sotto__cholesky_solve(const double *factor, const double *b, double *x, uint32_t n);

/* x' (L L')^-1 x = ||L^-1 x||^2, using n doubles of scratch. */
double sotto__inverse_form(const double *factor, const double *x, double *scratch, uint32_t n);

/* The same for each of `count` rows, to rounding, using n x count doubles of scratch. */
void sotto__inverse_forms(const double *factor, const double *rows, uint32_t count, uint32_t n,
                          double *scratch, double *out);

/* The same numbers, faster, if row c is 0 outside of block c of the `count` blocks that its n
 * numbers are divided into. */
void sotto__inverse_forms_of_blocks(const double *factor, const double *rows, uint32_t count,
                                    uint32_t n, double *scratch, double *out);

/* ---- cholesky_lanes ------------------------------------------------------------------------- */

/* Cholesky factors of four matrices at once, entry by entry, so that their latencies overlap.
 * For per-arm parameters, which have one matrix per arm. */

#define SOTTO__LANES 4u

/* The same entry of four matrices or vectors. */
typedef struct sotto__lanes {
    double lane[SOTTO__LANES];
} sotto__lanes;

/* Replaces packed symmetric matrices by their factors, as sotto__cholesky does, to rounding, and
 * writes the n inverses of the diagonal entries. Returns a bit for each matrix that is not
 * numerically positive definite; its numbers then mean nothing. */
uint32_t sotto__cholesky_lanes(sotto__lanes *a, sotto__lanes *inverse, uint32_t n);

/* x = (L L')^-1 x in each lane. */
void sotto__cholesky_solve_lanes(const sotto__lanes *factor, const sotto__lanes *inverse,
                                 sotto__lanes *x, uint32_t n);

/* ---- public_stream -------------------------------------------------------------------------- */

/*
 * Public randomness of a round, expanded from its nonce: both sides compute it, neither hides it.
 *
 * Nothing secret is ever drawn from here.
 */

enum {
    SOTTO__STREAM_CODEBOOK = 1,
    SOTTO__STREAM_SIGNS = 2,
    SOTTO__STREAM_ARM = 3,
    SOTTO__STREAM_ROLE = 4
};

#define SOTTO__BLOCK_BYTES 64u

/* Which block of which stream of one round. */
typedef struct sotto__block_at {
    const uint8_t *stream_key; /* of the spec, SOTTO_SPEC_ID_BYTES */
    const uint8_t *nonce;      /* of the round, SOTTO_NONCE_BYTES */
    uint32_t stream;
    uint32_t codeword; /* CODEBOOK: index of the codeword; otherwise 0 */
    uint32_t arm;      /* CODEBOOK under split per-arm: the arm's codebook; otherwise 0 */
} sotto__block_at;

/* ChaCha8 of key (stream_key | nonce) at counter words (block, stream, codeword, arm). */
void sotto__public_block(const sotto__block_at *at, uint32_t block,
                         uint8_t out[SOTTO__BLOCK_BYTES]);

/* The same block as little-endian words, and the words of the blocks of four codewords, or of four
 * and four, from at->codeword on. */
void sotto__public_words(const sotto__block_at *at, uint32_t block, uint32_t out[16]);
void sotto__public_words_of_four(const sotto__block_at *at, uint32_t block, uint32_t out[16][4]);
void sotto__public_words_of_eight(const sotto__block_at *at, uint32_t block,
                                  uint32_t out[2][16][4]);

/* The arm that the nonce assigns: floor(arms h / 2^64), h the first u64 of stream ARM. */
uint32_t sotto__assigned_arm(const sotto_terms *terms, const uint8_t *nonce);

/* sign[k], k < arms: +1 if bit k of stream SIGNS is 0, -1 if it is 1. */
void sotto__arm_signs(const sotto_terms *terms, const uint8_t *nonce, int8_t *sign);

/* The role of a round. u is the first u32 of stream ROLE, m = spec.measure:
 *
 *   u < floor(m/2)         control
 *   floor(m/2) <= u < m    follow, or learn while nothing is learnt that could be followed
 *   otherwise              learn
 */
sotto_role sotto__role_of(const sotto_terms *terms, const uint8_t *nonce, bool follows);

/* The codebook of a measure round: dimension 1, two codewords, the weights of the phase's. */
sotto_codebook sotto__measure_codebook(const sotto_codebook *of_phase);

/* ---- codebook ------------------------------------------------------------------------------- */

/* Codewords: unit vectors that both sides expand from a nonce, bit for bit alike. */

/* The un-normalised coordinates n_j of the codeword that `at` names; returns sum n_j^2 (exact: at
 * most 2^16 x 2^30). */
double sotto__codeword_normals(const sotto__block_at *at, uint32_t dim, int32_t *normal);

/* The same for four codewords, from at->codeword on, in less time than two calls take. Coordinate
 * j of codeword at->codeword + c is normal[4 j + c]: four products are made at once. */
void sotto__four_codewords_normals(const sotto__block_at *at, uint32_t dim, int32_t *normal,
                                   double squares[4]);

/* Four and the four after them, in about one and a half of their time: normal holds those of the
 * first, 4 dim of them, and then those of the second. */
void sotto__eight_codewords_normals(const sotto__block_at *at, uint32_t dim, int32_t *normal,
                                    double squares[8]);

/* ---- digest --------------------------------------------------------------------------------- */

/* SHA-256 (FIPS 180-4). */

#define SOTTO__DIGEST_BYTES 32u

typedef struct sotto__digest {
    uint32_t state[8];
    uint8_t block[64];
    uint64_t bytes; /* taken so far */
} sotto__digest;

void sotto__digest_begin(sotto__digest *digest);
void sotto__digest_add(sotto__digest *digest, const void *data, size_t bytes);
void sotto__digest_end(sotto__digest *digest, uint8_t out[SOTTO__DIGEST_BYTES]);

/* ---- elementary ----------------------------------------------------------------------------- */

/* e^x - 1, ln(1 + x) and the cube root, the same bits wherever exp and log are the same. Those of the C library
 * differ in their last bits between 64-bit ARM and x86-64. */

/* Off by less than 3 units in the last place. */
double sotto__expm1(double x);
/* x > -1. Off by less than 2 units in the last place. */
double sotto__log1p(double x);
/* x >= 0. Off by less than 2 units in the last place. */
double sotto__cbrt(double x);

/* ---- erfc ----------------------------------------------------------------------------------- */

/* The complementary error function, the same bits on every machine. That of the C library differs in
 * its last bits from one kind of processor to another, and with it every result of link probit. */

/* erfc(x) = 2/sqrt(pi) times the integral of e^(-t^2) from x on; any x. Off by less than 4 units in
 * the last place, by less than 1 unit of 2^-1074 where it is denormal. */
double sotto__erfc(double x);

/* ---- fault ---------------------------------------------------------------------------------- */

/* What cannot be used and why, in words. */

/* Fills a fault. `format` is what follows the field: "VALUE: ALLOWED", or ": ALLOWED" without a value, with other fields
 * in backquotes; without a field ("") it is the sentence. Too long texts are cut behind a whole character.
 * SOTTO_E_FAULT. */
__attribute__((format(printf, 3, 4))) sotto_status sotto__fault_at(sotto_fault *fault,
                                                                   const char *field,
                                                                   const char *format, ...);

/* A fault that is about no field: a sentence. SOTTO_E_FAULT. */
#define sotto__refuse(fault, ...) sotto__fault_at(fault, "", __VA_ARGS__)

/* Puts a text before the sentence, to say what the field belongs to. SOTTO_E_FAULT. */
__attribute__((format(printf, 2, 3))) sotto_status sotto__fault_within(sotto_fault *fault,
                                                                       const char *format, ...);

/* The sentence of a status; returns that. */
sotto_status sotto__fault_status(sotto_fault *fault, sotto_status status);

/* ---- format --------------------------------------------------------------------------------- */

/* As snprintf in the "C" locale, for %% %c %s %.Ns %d %u %x %o (with l, ll, z and a width of zeros), %.Ng and
 * %.Nf. Returns how many bytes the whole text has. */
__attribute__((format(printf, 3, 4))) size_t sotto__format(char *text, size_t bytes,
                                                           const char *format, ...);
size_t sotto__format_list(char *text, size_t bytes, const char *format, va_list arguments);

/* ---- float_environment ---------------------------------------------------------------------- */

/*
 * The device computes in the default floating-point environment, whatever the caller's is: rounding
 * to nearest, denormal numbers kept, nothing trapped. Privacy rests on it: rounding any other way
 * moves two statistics twice as far apart as the noise was scaled for. So do the functions that
 * publish, so that a model has the same bytes everywhere. All others compute in the environment of
 * their thread.
 *
 *     double sotto_public(double x)
 *     {
 *         SOTTO__DEFAULT_FLOATS;
 *         return SOTTO__UNSEEN(compute)(x);
 *     }
 *
 * tests/boundary sees that every public function of the device does so, or is on a list of those
 * that compute nothing, and that nobody else does but who publishes.
 */

/* The caller's environment: rounding, flushing, traps, flags. Now the default one is set. */
fenv_t sotto__floats_enter(void);
/* Sets it again; what was computed in between leaves no flag. */
void sotto__floats_leave(const fenv_t *callers);

/* The first line of a public function: from here to every return, the default environment. */
#define SOTTO__DEFAULT_FLOATS                                                                      \
    fenv_t callers_floats __attribute__((cleanup(sotto__floats_leave), unused)) =                  \
        sotto__floats_enter()

/* The function, through a pointer that hides it from the compiler. Compilers assume that
 * arithmetic does not depend on the environment, and may move a sum, or a call of a known
 * function, across the calls that set it. They may not move a call of an unknown function. */
#define SOTTO__UNSEEN(function) ((__typeof__(&function) volatile){function})

/* Sets the default environment again. Needed after every call of a function that is not ours: it may
 * have changed the environment, and what we compute next would be rounded in it. */
static inline void sotto__floats_again(void)
{
    (void)sotto__floats_enter();
}

/* The result of a caller's function, followed by that. */
#define SOTTO__ASK(call)                                                                           \
    __extension__({                                                                                \
        __typeof__(call) answer_of_theirs = (call);                                                \
        sotto__floats_again();                                                                     \
        answer_of_theirs;                                                                          \
    })

/* ---- link ----------------------------------------------------------------------------------- */

/* Links: mean reward = mu(x . theta). */

/* mu(v). Every finite v gives a finite value: v is held to [-700, 700] before an exponential. */
double sotto__link_mean(sotto_link link, double v);

/* mu'(v), likewise. */
double sotto__link_slope(sotto_link link, double v);

/* The largest mu' on [-bound, bound]: the Lipschitz constant. */
double sotto__link_slope_max(sotto_link link, double bound);

/* zeta: the smallest mu' on [-bound, bound]. */
double sotto__link_slope_min(sotto_link link, double bound);

/* ---- method --------------------------------------------------------------------------------- */

/* A method is a row of a table: what it reports, how, and what its model must contain. */

typedef struct sotto__method {
    uint32_t scores;      /* bit s is set if the method may report score s */
    bool lattice;         /* reports are ticks with lattice noise, not a codeword index */
    bool unit_score;      /* a score of Sotto's own: spares the deciding direction, tags arms */
    bool l2ball;          /* codebooks of size 2; per-arm: joint or split */
    bool lifted;          /* moments lifted to a sphere by one coordinate more */
    bool identity_only;   /* its statistic makes sense only for the identity link */
    bool shared_only;     /* defined only for shared parameters */
    bool confidence;      /* decides by upper confidence bounds */
    bool eliminates;      /* per-arm: drops arms by the warm-up estimate */
    bool online_estimate; /* publishes theta_h */
    bool one_for_all;     /* no context: public arms, by the shares of the model; reports rewards */
    double moment_weight; /* lambda of the moments (svec(x x'), lambda r x) */
} sotto__method;

#define SOTTO__METHODS (SOTTO_METHOD_BEST_ARM + 1)
extern const sotto__method sotto__methods[SOTTO__METHODS];

/* Inline, like those below: every report asks these questions more than once. */
static inline const sotto__method *sotto__method_of(const sotto_spec *spec)
{
    assert((size_t)spec->method < SOTTO__METHODS);
    return &sotto__methods[spec->method];
}

/* See sotto_terms_reports_indices. */
static inline bool sotto__reports_indices(const sotto_terms *terms)
{
    return !sotto__method_of(&terms->spec)->lattice;
}

/* Of a spec that names no score: that of a method which has one only. Others keep that of the kind of reward. */
void sotto__set_only_score(sotto_spec *spec);

/* 8 for codebook methods, 50 for lattice methods. */
double sotto__epsilon_max(const sotto_spec *spec);

/* True if the estimator publishes the running average tbar and decides by it. */
static inline bool sotto__method_averages(const sotto_spec *spec)
{
    if (!sotto__method_of(spec)->unit_score) return false;
    if (spec->parameters != SOTTO_PARAMETERS_SHARED) return false;
    bool mean_model = spec->score == SOTTO_SCORE_SELF || spec->score == SOTTO_SCORE_CENTRED;
    return !mean_model || spec->dim < 5;
}

/* True if there is one row of sums for each arm. */
static inline bool sotto__sums_by_arm(const sotto_spec *spec)
{
    return spec->parameters == SOTTO_PARAMETERS_PER_ARM || sotto__method_of(spec)->one_for_all;
}

/* Estimated coordinates: dim, or arms x dim; 0 without contexts. */
static inline uint32_t sotto__parameter_count(const sotto_spec *spec)
{
    if (sotto__method_of(spec)->one_for_all) return 0;
    return spec->parameters == SOTTO_PARAMETERS_SHARED ? spec->dim : spec->arms * spec->dim;
}

/* Per-arm scores `self` are made for real data, whose contexts are alike and whose rewards
 * follow no model: they have a mean phase and a slower estimate. */
static inline bool sotto__for_real_data(const sotto_spec *spec)
{
    return spec->parameters == SOTTO_PARAMETERS_PER_ARM && sotto__method_of(spec)->unit_score &&
           spec->score == SOTTO_SCORE_SELF;
}

/* True if there is such a phase: main always; warm-up for per-arm parameters, but not for one arm for all;
 * mean for those above. */
static inline bool sotto__phase_exists(const sotto_spec *spec, uint32_t phase)
{
    switch (phase) {
    case SOTTO_PHASE_WARM_UP:
        return spec->parameters == SOTTO_PARAMETERS_PER_ARM && !sotto__method_of(spec)->one_for_all;
    case SOTTO_PHASE_MAIN: return true;
    case SOTTO_PHASE_MEAN: return sotto__for_real_data(spec);
    }
    return false;
}

/* True if codebooks of this phase may have nulls: scores that are often small, the tracked estimator. */
bool sotto__phase_may_have_nulls(const sotto_spec *spec, uint32_t phase);

/* c_r: no reward is larger in size. */
double sotto__reward_bound(const sotto_spec *spec);

/* Coordinates of the statistic before any split over arms. */
static inline uint32_t sotto__statistic_dim(const sotto_spec *spec)
{
    uint32_t d = spec->dim;
    uint32_t moments = d * (d + 1) / 2 + d;
    switch (spec->score) {
    case SOTTO_SCORE_SIGN:
    case SOTTO_SCORE_SELF:
    case SOTTO_SCORE_HUBER:
    case SOTTO_SCORE_CENTRED:
    case SOTTO_SCORE_GRADIENT: return d;
    case SOTTO_SCORE_GLOC_PAIR:
    case SOTTO_SCORE_MOMENTS: return sotto__method_of(spec)->lifted ? moments + 1 : moments;
    case SOTTO_SCORE_REWARD: return 1;
    }
    return 0;
}

/* ---- model ---------------------------------------------------------------------------------- */

/* What a model decides by: both sides must know, because the roles of rounds depend on it. */

/* The estimate that decides: tbar where it exists, otherwise theta. */
const double *sotto__deciding_estimate(const sotto_model *model);

/* True if the model knows something that decides. Otherwise, in warm-up, in the mean phase, and while
 * the deciding estimate is 0, arms come from nonces. */
bool sotto__model_decides(const sotto_spec *spec, const sotto_model *model);

/* True if some rounds of its epoch follow the model: it decides, and there are measure rounds. */
static inline bool sotto__model_is_followed(const sotto_spec *spec, const sotto_model *model)
{
    return spec->measure > 0 && sotto__model_decides(spec, model);
}

/* ---- quadrature ----------------------------------------------------------------------------- */

/* Numerical integration of smooth functions. */

#define SOTTO__PANEL_NODES 8u

/* Where to evaluate, and the weight of the value. */
typedef struct sotto__node {
    double at;
    double weight;
} sotto__node;

/* The Gauss-Legendre rule of eight nodes in each of `panels` equal parts of [from, to]: node i, for
 * i below panels x SOTTO__PANEL_NODES. The integral is the sum of weight x f(at). */
sotto__node sotto__quadrature_node(double from, double to, uint32_t panels, uint32_t i);

/* ---- report --------------------------------------------------------------------------------- */

/* Report frames, for code that stores them without knowing their spec. */

#define SOTTO__REPORT_HEAD_BYTES 40u
#define SOTTO__REPORT_SPEC_ID_AT 4u
#define SOTTO__REPORT_EPOCH_AT 20u
#define SOTTO__REPORT_NONCE_AT 24u

/* See sotto_report_count. Inline: a round asks for it at each step. */
static inline uint32_t sotto__report_count(const sotto_terms *terms)
{
    if (!sotto__reports_indices(terms)) return terms->lattice.dim;
    return terms->spec.split == SOTTO_SPLIT_PER_ARM ? terms->spec.arms : 1;
}

/* Whether a frame that begins with these bytes is a report of this spec and nonce. */
bool sotto__report_head_is(const uint8_t head[SOTTO__REPORT_HEAD_BYTES], const uint8_t *spec_id,
                           const uint8_t *nonce);

/* ---- shares --------------------------------------------------------------------------------- */

/* Shares: which part of people gets each arm when one arm is sought for all. Public, like the arm. */

/* share_k = max(1, rint(2^32 chance_k)); the largest of them, the first of equals, takes what is left of
 * 2^32. Chances are 0 or more and add up to about 1. */
void sotto__shares_set(const double *chance, uint32_t arms, uint32_t *shares);

/* The same for chances of 1/arms. */
void sotto__shares_set_equal(uint32_t arms, uint32_t *shares);

/* True if they add up to 2^32. */
bool sotto__shares_are_whole(const uint32_t *shares, uint32_t arms);

/* The arm of a round: u is the first u32 of stream ARM, the smallest a with u < share_0 + ... + share_a.
 * The shares are whole. */
uint32_t sotto__shared_arm(const sotto_terms *terms, const uint32_t *shares, const uint8_t *nonce);

/* ---- spec_fields ---------------------------------------------------------------------------- */

/*
 * Every field of a spec, once: its kind, its name, its range. The fault finder, the canonical
 * bytes and `sotto inspect` are all made from these lists; their order is the order of the bytes.
 */

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
    U32(epoch_lag_max, 0, 16)                                                                      \
    U32(series, 0, UINT32_MAX)                                                                     \
    U32(measure, 0, SOTTO__MEASURE_MAX)                                                            \
    F64(reward_rate, 0, 1)                                                                         \
    U32(reward_window_s, 0, SOTTO__YEAR_S)                                                         \
    U32(send_spread_s, 0, SOTTO__YEAR_S)

#define SOTTO__MEASURE_MIN 4294967u            /* round(0.001 2^32) */
#define SOTTO__MEASURE_MAX (UINT32_C(1) << 31) /* 0.5 2^32 */
#define SOTTO__YEAR_S 31536000u

/* ---- special -------------------------------------------------------------------------------- */

/* Special functions of real arguments, only for constants: they need not agree bit for bit
 * between machines. */

/* ln Gamma(x), x > 0. Unlike lgamma() it writes no global. */
double sotto__log_gamma(double x);

/* ln Beta(a, b), a, b > 0. */
double sotto__log_beta(double a, double b);

/* I_x(a, b), the regularised incomplete beta function; x in [0, 1], a, b > 0. */
double sotto__incomplete_beta(double x, double a, double b);

/* ln Phi(x), Phi the normal distribution function; any finite x. */
double sotto__log_normal_cdf(double x);

/* ---- terms_encode --------------------------------------------------------------------------- */

/* The canonical bytes of terms, and their id. The format is at the head of the .c. */

/* Fills id and stream_key from everything else. */
void sotto__terms_name(sotto_terms *terms);

/* ---- terms_resolve -------------------------------------------------------------------------- */

/* Resolving with another codebook size than the rule's, for studies of the size itself; and the guess
 * that codebooks with nulls are made for. */

/* As sotto_spec_resolve, with codebooks of `size` (even, 2 to SOTTO_CODEBOOK_SIZE_MAX) where the
 * spec calls for no tags. */
SOTTO_CHECK sotto_status sotto__spec_resolve_sized(const sotto_spec *spec, uint32_t size,
                                                   sotto_terms *out);

/* The mean size of a score that a phase's codebook is made for: a public guess, 0 to 1. */
double sotto__score_size(const sotto_spec *spec, sotto_phase phase);

/* ---- utf8 ----------------------------------------------------------------------------------- */

/* Characters of a text in UTF-8. */

#define SOTTO__NO_CHARACTER UINT32_MAX

/* The first character of a text of 1 byte or more, and its bytes; where the text does not begin with
 * one, SOTTO__NO_CHARACTER and 1. */
uint32_t sotto__character(const char *text, size_t bytes, size_t *length);

/* How many bytes of a text are left if it was cut off within its last character, and that goes. */
size_t sotto__whole_bytes(const char *text, size_t bytes);

#endif
