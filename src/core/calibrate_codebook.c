/*
 * The constants of a codebook randomiser (docs/privacy.md, section 8).
 *
 * M codewords, antipodal; n = M/(2 groups) of them are eligible for TOP. With U the first
 * coordinate of a uniform unit vector of R^d, Fbar(u) = P(|U| > u) and f the density of |U|:
 *
 *   S_k = E[sum of the k largest of n draws of |U|]
 *       = n int_0^1 u f(u) P(Bin(n-1, Fbar(u)) <= k-1) du
 *   m_k = (e^eps - 1) S_k / (k e^eps + M - k),     E[codeword . v] = m_k
 *
 * k maximises m_k and B = 1/m_k makes the report unbiased.
 *
 * With k nulls there are M indices of weight w_rest beside k of weight w_top, for every input:
 *
 *   m_k = (e^eps - 1) S_k / (k e^eps + M)
 *   q(a) = (a (k e^eps + M - k) + (1 - a) M) / (k e^eps + M)
 *
 * q is the chance that a report is not null, a the mean size of the score; B^2 q(a) is the variance
 * of a report, and k and M in {64, 128, 256, 1024} make it least.
 */
#include "core.h"

#include <math.h>

#define PANELS 256
#define NODES (PANELS * SOTTO__PANEL_NODES)

/* On a line (d = 1) k = M/(2 groups) and all M give the same variance: rounding must not choose
 * among them. */
#define TIE 1e-9

/* A rule for the integral over u = cos(phi), where the density becomes sin^(d-2)(phi), smooth. All
 * but 1e-30 of |U| lies below 12/sqrt(d). */
typedef struct quadrature_rule {
    double log_tail[NODES];   /* ln Fbar */
    double log_body[NODES];   /* ln (1 - Fbar) */
    double log_weight[NODES]; /* ln of u f(u) du */
} quadrature_rule;

static void rule_fill(quadrature_rule *r, uint32_t dim)
{
    double a = (dim - 1) / 2.0;
    double log_norm = log(2) - sotto__log_beta(0.5, a);
    double start = acos(fmin(1, 12 / sqrt(dim)));
    for (uint32_t i = 0; i < NODES; i++) {
        sotto__node node = sotto__quadrature_node(start, acos(0), PANELS, i);
        double u = cos(node.at), s = sin(node.at);
        double tail = sotto__incomplete_beta(s * s, a, 0.5);
        r->log_tail[i] = log(tail);
        r->log_body[i] = log1p(-tail);
        r->log_weight[i] = log_norm + (dim - 2.0) * log(s) + log(u) + log(node.weight);
    }
}

/* E of the k-th largest of n draws of |U|: n int u f(u) P(Bin(n-1, Fbar) = k-1) du. */
static double order_statistic(const quadrature_rule *r, uint32_t n, uint32_t k)
{
    double log_choose = sotto__log_gamma(n) - sotto__log_gamma(k) - sotto__log_gamma(n - k + 1.0);
    double sum = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        double log_tail = k == 1 ? 0 : (k - 1.0) * r->log_tail[i];
        double log_body = k == n ? 0 : (n - k) * r->log_body[i];
        sum += exp(log_choose + log_tail + log_body + r->log_weight[i]);
    }
    return n * sum;
}

sotto_codebook sotto_codebook_constants(uint32_t dim, uint32_t size, uint32_t groups,
                                        double epsilon)
{
    bool sized = size >= 2 && size <= SOTTO_CODEBOOK_SIZE_MAX && groups >= 1 && groups <= size;
    if (!sotto__calibration_range(dim, epsilon) || !sized || size % (2 * groups) != 0) {
        return (sotto_codebook){.scale = INFINITY};
    }
    sotto_codebook codebook = {
        .dim = dim,
        .size = size,
        .groups = groups,
        .weight_top = sotto__weight_top(epsilon),
        .weight_rest = SOTTO__WEIGHT_REST,
    };
    quadrature_rule r;
    if (dim > 1) rule_fill(&r, dim);
    uint32_t n = size / (2 * groups);
    double sum = 0, best = 0;
    /* S_k is concave, so m_k rises and then falls: stop at the first fall. */
    for (uint32_t k = 1; k <= n; k++) {
        sum += dim > 1 ? order_statistic(&r, n, k) : 1; /* every |U| is 1 on a line */
        double mean = expm1(epsilon) * sum / (k * exp(epsilon) + (size - k));
        if (mean <= best) break;
        best = mean;
        codebook.top = k;
    }
    codebook.scale = 1 / best;
    return codebook;
}

/* The share of the whole weight, k e^eps + M, that codewords have. */
static double codeword_weight(const sotto_codebook *codebook, double top, double score_size)
{
    double size = codebook->size;
    return score_size * (top + size - codebook->top) + (1 - score_size) * size;
}

double sotto__codebook_heard(const sotto_codebook *codebook, double epsilon, double score_size)
{
    if (codebook->nulls == 0) return 1;
    double top = codebook->top * exp(epsilon);
    return codeword_weight(codebook, top, score_size) / (top + codebook->size);
}

double sotto__codebook_variance(const sotto_codebook *codebook, double epsilon, double score_size)
{
    double square = codebook->scale * codebook->scale;
    if (codebook->nulls == 0) return square;
    double top = codebook->top * exp(epsilon);
    return square * codeword_weight(codebook, top, score_size) / (top + codebook->size);
}

/* The best k of one M. */
static sotto_codebook nulls_of_size(const quadrature_rule *r, sotto_codebook codebook,
                                    double epsilon, double score_size)
{
    sotto_codebook best = {.scale = INFINITY};
    uint32_t n = codebook.size / (2 * codebook.groups);
    double sum = 0, least = INFINITY;
    for (uint32_t k = 1; k <= n; k++) {
        sum += codebook.dim > 1 ? order_statistic(r, n, k) : 1;
        codebook.top = codebook.nulls = k;
        codebook.scale = (k * exp(epsilon) + codebook.size) / (expm1(epsilon) * sum);
        double variance = sotto__codebook_variance(&codebook, epsilon, score_size);
        if (variance >= least) break; /* it falls and then rises: test_calibrate_codebook.c */
        least = variance;
        best = codebook;
    }
    return best;
}

sotto_codebook sotto__codebook_with_nulls(uint32_t dim, uint32_t groups, double epsilon,
                                          double score_size)
{
    static const uint32_t sizes[] = {64, 128, 256, 1024};
    sotto_codebook best = {.scale = INFINITY};
    double least = INFINITY;
    quadrature_rule r;
    if (dim > 1) rule_fill(&r, dim);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint32_t step = 2 * groups;
        sotto_codebook codebook = {
            .dim = dim,
            .size = (sizes[i] + step - 1) / step * step,
            .groups = groups,
            .weight_top = sotto__weight_top(epsilon),
            .weight_rest = SOTTO__WEIGHT_REST,
        };
        codebook = nulls_of_size(&r, codebook, epsilon, score_size);
        double variance = sotto__codebook_variance(&codebook, epsilon, score_size);
        if (!(variance < least * (1 - TIE))) continue;
        least = variance;
        best = codebook;
    }
    return best;
}
