/* Scripts by which shells complete what follows sottod. */
#ifndef SERVICE_CONFIG_COMPLETION_H
#define SERVICE_CONFIG_COMPLETION_H

#include <stdbool.h>
#include <stdio.h>

/* A word of the line that is no setting, with what follows it ("import FILE"), and what it means. */
typedef struct config_word {
    const char *name, *meaning;
} config_word;

/* The script of bash, zsh or fish: settings from their table, commands and other flags as they are
 * given; both lists end with a row without a name. False for another shell. */
bool config_completion(FILE *file, const char *shell, const config_word *commands,
                       const config_word *flags);

#endif
