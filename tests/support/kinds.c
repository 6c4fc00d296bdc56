/* Every kind of experiment. */
#include "kinds.h"
#include "test.h"

sotto_terms resolved_of(kind k)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = DIM;
    spec.arms = ARMS;
    if (k != SHARED && k != TICKS) spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    if (k == TAGS) spec.epsilon = 5; /* 256 codewords in warm-up, 258 with tags */
    if (k == JOINT || k == SPLIT) {
        spec.method = SOTTO_METHOD_LDP_SGD;
        spec.score = SOTTO_SCORE_GRADIENT;
    }
    if (k == SPLIT) spec.split = SOTTO_SPLIT_PER_ARM;
    if (k == TICKS || k == PER_ARM_TICKS) {
        spec.method = SOTTO_METHOD_LDP_OLS;
        spec.score = SOTTO_SCORE_MOMENTS;
        spec.delta = 1e-6;
    }
    return resolved(&spec);
}
