/* The scripts of the shells, on the standard output; all that they know is in the tables. */
#ifndef SOTTO_CLI_COMPLETION_SHELLS_H
#define SOTTO_CLI_COMPLETION_SHELLS_H

void completion_bash(void);
void completion_fish(void);
void completion_zsh(void);

#endif
