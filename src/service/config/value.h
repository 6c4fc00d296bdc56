/* The kinds of values: reading, printing, and what is allowed. */
#ifndef SERVICE_CONFIG_VALUE_H
#define SERVICE_CONFIG_VALUE_H

#include "table.h"

#define VALUE_ALLOWED_BYTES 160u

/* False, with nothing changed, for a text that is not allowed. */
bool value_read(const setting *row, const char *text, sottod_config *config);
/* As value_read reads it; of a URL, without its password. */
void value_print(const setting *row, const sottod_config *config, char out[CONFIG_TEXT_BYTES]);
/* "yes or no", "whole numbers 1 to 3600": what follows the word allowed. */
void value_allowed(const setting *row, char out[VALUE_ALLOWED_BYTES]);
/* What a value of a few is: 0, 1, ... to the last, then NULL; of other kinds NULL. */
const char *value_name(const setting *row, uint32_t i);
/* What stands for a value in the help: "ADDR:PORT"; "" for a switch. */
const char *value_word(const setting *row);

#endif
