/* The options of a world of the lab that several commands have: rows of their tables. */
#ifndef SOTTO_CLI_OPTION_WORLD_H
#define SOTTO_CLI_OPTION_WORLD_H

#include "table.h"

/* OF_WORLD(member) is the OPTION_FIELD of a member of the command's sotto_environment. */
/* clang-format off */
#define WORLD_ROWS(OF_WORLD, group)                                                                \
    {"noise", OF_WORLD(noise), OPTION_NUMBER("0.1", 0, 1e6), group,                                \
     "standard deviation of continuous rewards; in environment gaussian 1, in published 0, per-arm 0.05"}, \
    {"theta-norm", OF_WORLD(theta_norm), OPTION_NUMBER("1", 1e-6, 1e6), group,                     \
     "length of the true parameter; gaussian: from theory"},                                      \
    {"margin", OF_WORLD(margin), OPTION_NUMBER("1", 0, 1), group, "beta of environment margin"},   \
    {"drift", OF_WORLD(drift), OPTION_NUMBER(NULL, 0, 1), group,                                   \
     "of environment drift: radians per round, default 1/30000"}
/* clang-format on */

#endif
