/* A data set as text for Vowpal Wabbit. */
#ifndef SOTTO_CLI_REPLAY_EXPORT_H
#define SOTTO_CLI_REPLAY_EXPORT_H

#include "cli/option/option.h"
#include "lab/dataset/dataset.h"

/* Writes the files of --export-vw; the code to exit with. */
int replay_export(const command_line *line, const sotto_schema *schema, sotto_dataset *dataset);

#endif
