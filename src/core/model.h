/* What a model decides by: both sides must know, because the roles of rounds depend on it. */
#ifndef SOTTO_MODEL_H
#define SOTTO_MODEL_H

#include <sotto/core.h>

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

#endif
