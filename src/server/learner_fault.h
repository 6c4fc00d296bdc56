/* What no learner can be, however long it has learnt. */
#ifndef SOTTO_LEARNER_FAULT_H
#define SOTTO_LEARNER_FAULT_H

#include "learner.h"

/* NULL, or `text` naming the first part that contradicts another or is out of its range. Takes the
 * tallies and the numbers of the model as valid: they have codecs of their own. */
const char *sotto__learner_fault(const sotto_learner *learner, char text[SOTTO_FAULT_BYTES]);

#endif
