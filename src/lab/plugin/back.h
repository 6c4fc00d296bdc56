/* What is due after each call of a table's function. */
#ifndef SOTTO_LAB_PLUGIN_BACK_H
#define SOTTO_LAB_PLUGIN_BACK_H

#include "core/float_environment.h"

/* Returns what the function returned. The function may have left another floating-point environment
 * behind: the numbers of the lab, and those of the next function, come about in the default one. */
static inline const void *sotto__back(const void *returned)
{
    (void)sotto__floats_enter();
    return returned;
}

#endif
