/* The names of every kind that an option can choose, as a table of options wants them. */
#ifndef SOTTO_CLI_OPTION_NAMES_H
#define SOTTO_CLI_OPTION_NAMES_H

#include "option.h"

option_names names_of_calibration;
option_names names_of_correction;
option_names names_of_environment;
option_names names_of_link;
option_names names_of_mechanism;
option_names names_of_method;
option_names names_of_noise_law;
option_names names_of_parameters;
option_names names_of_player;
option_names names_of_reward_kind;
option_names names_of_score;
option_names names_of_split;
option_names names_of_step;

#endif
