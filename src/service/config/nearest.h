/* The name that a person may have meant. */
#ifndef SERVICE_CONFIG_NEAREST_H
#define SERVICE_CONFIG_NEAREST_H

#include "table.h"

/* The row whose name is nearest to the word and may be said in this place; NULL if none is near. */
const setting *nearest_setting(const char *word, setting_source source);

#endif
