/* The table of scores. */
#include "score_table.h"
#include "core/method.h"
#include "score_rows.h"

static sotto__score_function *const scores[] = {
    [SOTTO_SCORE_SIGN] = sotto__score_sign,       [SOTTO_SCORE_SELF] = sotto__score_self,
    [SOTTO_SCORE_HUBER] = sotto__score_huber,     [SOTTO_SCORE_GRADIENT] = sotto__score_gradient,
    [SOTTO_SCORE_MOMENTS] = sotto__score_moments, [SOTTO_SCORE_GLOC_PAIR] = sotto__score_gloc_pair,
    [SOTTO_SCORE_CENTRED] = sotto__score_centred, [SOTTO_SCORE_REWARD] = sotto__score_reward,
};

sotto__score_function *sotto__score_of(const sotto_spec *spec)
{
    return sotto__method_of(spec)->lifted ? sotto__score_lifted : scores[spec->score];
}
