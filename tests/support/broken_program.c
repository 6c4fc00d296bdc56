/* External programs, simulated in this process. */
#include "broken_program.h"
#include "client/client.h"
#include "lab/random/random.h"

#include <math.h>
#include <string.h>

/* The noise of most answers, and of a few, in units of what the claim needs. */
static const struct {
    bool gaussian;
    double most, chance_of_few, few;
} noise_of[] = {
    [PROGRAM_LAPLACE] = {false, 1, 0, 0},
    [PROGRAM_GAUSSIAN] = {true, 1, 0, 0},
    [PROGRAM_HEAVY_TAIL] = {true, 1, 0.05, 10},
    [PROGRAM_RESPONSE] = {false, 0, 0, 0},
    [PROGRAM_LAPLACE_RELEASE] = {false, 1, 1.0 / 4000, 0},
    [PROGRAM_GAUSSIAN_RELEASE] = {true, 1, 1.0 / 4000, 0},
    [PROGRAM_NEAR_RELEASE] = {false, 1, 1.0 / 4000, 1e-7},
    [PROGRAM_MIXTURE] = {true, 0.65, 0.05, 0.1},
    [PROGRAM_DISJOINT] = {false, 1, 0, 0},
    [PROGRAM_PREVIOUS] = {false, 0, 0, 0},
    [PROGRAM_LONG_MEMORY] = {false, 1, 0, 0},
    [PROGRAM_NEGATED] = {false, 1, 0, 0},
    [PROGRAM_SIZED] = {false, 1, 0, 0},
    [PROGRAM_FIRST_CLEAR] = {false, 1, 0, 0},
    [PROGRAM_FIRST_TRUE] = {false, 0, 0, 0},
    [PROGRAM_BLANK] = {false, 1, 0, 0},
    [PROGRAM_PLUS_OF_LAST] = {false, 1, 0, 0},
    [PROGRAM_SAME] = {false, 0, 0, 0},
    [PROGRAM_SAME_BEFORE] = {false, 1, 0, 0},
    [PROGRAM_FIRST_TURNED] = {false, 1, 0, 0},
    [PROGRAM_FIRST_TURNS] = {false, 1, 0, 0},
    [PROGRAM_FIRST_BLANK] = {false, 1, 0, 0},
};

static double laplace(double uniform)
{
    return uniform < 0.5 ? log(2 * uniform) : -log(2 * (1 - uniform));
}

/* Multiples of 40 R/4,096 within 20 R, odd where x is positive. */
static double disjoint(double x, double noise, double radius)
{
    double step = 40 * radius / 4096;
    double half = fmax(-1024, fmin(1023, floor((x + noise) / step / 2)));
    return (2 * half + (x > 0)) * step;
}

/* The sign of x, true with chance e^epsilon/(1 + e^epsilon); of 0 either sign. */
static double response(double x, double epsilon, double uniform, double other)
{
    double truth = x != 0 ? copysign(1, x) : copysign(1, other - 0.5);
    return uniform < 1 / (1 + exp(-epsilon)) ? truth : -truth;
}

/* What a program with a memory returns instead of x + noise; `uniform` is independent of the
 * noise. */
static double remembered(const broken_program *program, uint32_t i, double x, double noise,
                         double uniform)
{
    uint64_t t = program->answers, before = (t + PROGRAM_MEMORY - 1) % PROGRAM_MEMORY;
    bool again = t / 2 % 2 == 1, first = t < 1000, odd = t % 2 == 1;
    double rough = x * (0.5 + uniform);
    double two_ago = program->noise[(t + 2) % PROGRAM_MEMORY][i];
    switch (program->which) {
    case PROGRAM_PREVIOUS: return program->input[before][i];
    case PROGRAM_LONG_MEMORY: return x + noise + program->input[t % PROGRAM_MEMORY][i] / 10;
    case PROGRAM_NEGATED: return x + (again ? -two_ago : noise);
    case PROGRAM_SIZED: return x + (again ? copysign(two_ago, uniform - 0.5) : noise);
    case PROGRAM_FIRST_CLEAR: return first ? x : x + noise;
    case PROGRAM_SAME: return x == program->input[before][i] ? 1 : -1;
    case PROGRAM_FIRST_TURNED: return first ? -rough : x + noise;
    case PROGRAM_FIRST_TURNS: return first ? (odd ? rough : -rough) : x + noise;
    default: return x + noise;
    }
}

/* How the number is written; a digit stands for any number. `coin` is fair. */
static sotto__spelling spelled(const broken_program *program, double x, bool coin)
{
    uint64_t t = program->answers;
    double before = program->input[(t + PROGRAM_MEMORY - 1) % PROGRAM_MEMORY][0];
    double two_before = program->input[(t + 2) % PROGRAM_MEMORY][0];
    bool blank = program->which == PROGRAM_BLANK && x > 0;
    bool plus = program->which == PROGRAM_PLUS_OF_LAST && before > 0;
    if (program->which == PROGRAM_SAME_BEFORE) plus = before == two_before;
    if (program->which == PROGRAM_FIRST_BLANK) blank = t < 1000 ? x > 0 : coin;
    return sotto__spelling_of(plus ? "+0.0" : blank ? "0.0 " : "0.0", plus || blank ? 4 : 3);
}

sotto_status broken_program_draw(broken_program *program, const sotto__privacy_claim *claim,
                                 const double *input, sotto_rng *rng, sotto__subject_answer *out)
{
    uint32_t which = program->which;
    uint64_t word[3];
    sotto_status status = rng->fill(rng, word, sizeof word[0]);
    bool few = sotto__uniform(word[0]) < noise_of[which].chance_of_few, coin = word[0] % 2 == 0;
    double scale = program->scale * (few ? noise_of[which].few : noise_of[which].most);
    sotto__clip_vector(input, claim->dim, claim->radius, out->value);
    out->count = claim->dim;
    double x[8];
    memcpy(x, out->value, claim->dim * sizeof x[0]);
    for (uint32_t i = 0; i < claim->dim && status == SOTTO_OK; i++) {
        double *y = &out->value[i], normal[2];
        status = rng->fill(rng, word, sizeof word);
        double uniform = sotto__uniform(word[2]);
        sotto__normal_pair(word[0], word[1], normal);
        double noise = scale * (noise_of[which].gaussian ? normal[0] : laplace(uniform));
        if (which == PROGRAM_RESPONSE || which == PROGRAM_FIRST_TRUE) {
            bool clear = which == PROGRAM_FIRST_TRUE && program->answers < 1000;
            *y = response(*y, claim->epsilon, clear ? 0 : uniform, sotto__uniform(word[0]));
        } else if (which == PROGRAM_DISJOINT) {
            *y = disjoint(*y, noise, claim->radius);
        } else {
            *y = remembered(program, i, *y, noise, sotto__uniform(word[0]));
        }
        program->noise[program->answers % PROGRAM_MEMORY][i] = noise;
    }
    out->spelling = spelled(program, x[0], coin);
    memcpy(program->input[program->answers++ % PROGRAM_MEMORY], x, claim->dim * sizeof x[0]);
    return status;
}

void broken_program_claim(sotto__subject *subject, uint32_t which, broken_program *out)
{
    sotto__privacy_claim claim = {.family = SOTTO__OUTSIDE,
                                  .dim = subject->claim.dim,
                                  .answer_count = subject->claim.dim,
                                  .epsilon = subject->claim.epsilon,
                                  .delta = subject->claim.delta,
                                  .radius = subject->claim.radius};
    double diameter = 2 * claim.radius;
    subject->claim = claim;
    out->which = which;
    out->scale = noise_of[which].gaussian
                     ? sotto_gaussian_sigma(claim.epsilon, claim.delta, diameter)
                     : diameter * sqrt(claim.dim) / claim.epsilon;
}
