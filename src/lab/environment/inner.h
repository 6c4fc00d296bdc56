/* What files of this room share. */
#ifndef SOTTO_LAB_ENVIRONMENT_INNER_H
#define SOTTO_LAB_ENVIRONMENT_INNER_H

#include "environment.h"

/* The rows of the table of environments. */

extern const sotto__environment sotto__environment_sphere;
extern const sotto__environment sotto__environment_ball;
extern const sotto__environment sotto__environment_gaussian;
extern const sotto__environment sotto__environment_anisotropic;
extern const sotto__environment sotto__environment_margin;
extern const sotto__environment sotto__environment_drift;
extern const sotto__environment sotto__environment_published;
extern const sotto__environment sotto__environment_loan;
extern const sotto__environment sotto__environment_custom;

#endif
