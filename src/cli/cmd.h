/* The commands, one file each. */
#ifndef SOTTO_CMD_H
#define SOTTO_CMD_H

#include "args.h"

int cmd_audit(const command *self, int argc, char **argv);
int cmd_inspect(const command *self, int argc, char **argv);
int cmd_plan(const command *self, int argc, char **argv);
int cmd_privatise(const command *self, int argc, char **argv);
int cmd_replay(const command *self, int argc, char **argv);
int cmd_reproduce(const command *self, int argc, char **argv);
int cmd_simulate(const command *self, int argc, char **argv);

#endif
