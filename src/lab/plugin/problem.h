/* What the two sides of a run are told. */
#ifndef SOTTO_LAB_PLUGIN_PROBLEM_H
#define SOTTO_LAB_PLUGIN_PROBLEM_H

#include <sotto/lab/plugins.h>

/* `worth` is borrowed, and may be NULL. */
sotto_problem sotto__problem_of(const sotto_spec *spec, uint64_t horizon, const double *worth);

#endif
