/* The settings of a schema: a word, and the words that it may be followed by. */
#ifndef SOTTO_LAB_DATASET_SETTINGS_H
#define SOTTO_LAB_DATASET_SETTINGS_H

#include "schema.h"

typedef enum sotto__setting {
    SOTTO__SETTING_FORMAT,
    SOTTO__SETTING_SEPARATOR,
    SOTTO__SETTING_DECIMAL,
    SOTTO__SETTING_HEADER,
    SOTTO__SETTING_SCALE,
    SOTTO__SETTING_RANGES,
    SOTTO__SETTING_OTHERS,
    SOTTO__SETTING_UNLABELLED,
    SOTTO__SETTING_NUMBERED,
    SOTTO__SETTINGS
} sotto__setting;

const char *sotto__setting_name(sotto__setting which);
/* The i-th word; the first is what holds if nothing is said. NULL: there are no more. */
const char *sotto__setting_choice(sotto__setting which, uint32_t i);
const char *sotto__separator_name(uint32_t value); /* by the place in SOTTO__SEPARATORS */
/* By the place among the words. */
void sotto__setting_set(sotto_schema *schema, sotto__setting which, uint32_t choice);
uint32_t sotto__setting_get(const sotto_schema *schema, sotto__setting which);

#endif
