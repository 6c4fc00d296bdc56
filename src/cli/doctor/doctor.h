/* The command `sotto doctor`. */
#ifndef SOTTO_CLI_DOCTOR_COMMAND_H
#define SOTTO_CLI_DOCTOR_COMMAND_H

#include "cli/option/option.h"

extern const command command_doctor;

#endif
