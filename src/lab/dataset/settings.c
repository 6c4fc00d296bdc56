/* The settings of a schema. */
#include "settings.h"

#include <string.h>

#define CHOICES_MAX 5u

static const struct {
    const char *name, *choice[CHOICES_MAX];
} settings[SOTTO__SETTINGS] = {
    [SOTTO__SETTING_FORMAT] = {"format", {"csv", "libsvm", "vw", "vw-adf"}},
    [SOTTO__SETTING_SEPARATOR] = {"separator", {"comma", "semicolon", "tab", "bar", "blank"}},
    [SOTTO__SETTING_DECIMAL] = {"decimal", {"point", "comma"}},
    [SOTTO__SETTING_HEADER] = {"header", {"yes", "no"}},
    [SOTTO__SETTING_SCALE] = {"scale", {"unit", "bound"}},
    [SOTTO__SETTING_RANGES] = {"ranges", {"public", "data"}},
    [SOTTO__SETTING_OTHERS] = {"others", {"fault", "ignore"}},
    [SOTTO__SETTING_UNLABELLED] = {"unlabelled", {"fault", "skip"}},
    [SOTTO__SETTING_NUMBERED] = {"numbered", {"no", "yes"}},
};

const char *sotto__setting_name(sotto__setting which)
{
    return settings[which].name;
}

const char *sotto__setting_choice(sotto__setting which, uint32_t i)
{
    return i < CHOICES_MAX ? settings[which].choice[i] : NULL;
}

const char *sotto__separator_name(uint32_t value)
{
    return sotto__setting_choice(SOTTO__SETTING_SEPARATOR, value);
}

void sotto__setting_set(sotto_schema *schema, sotto__setting which, uint32_t choice)
{
    switch (which) {
    case SOTTO__SETTING_FORMAT: schema->format = (sotto_dataset_format)choice; break;
    case SOTTO__SETTING_SEPARATOR: schema->separator = SOTTO__SEPARATORS[choice]; break;
    case SOTTO__SETTING_DECIMAL: schema->decimal_comma = choice == 1; break;
    case SOTTO__SETTING_HEADER: schema->header = choice == 0; break;
    case SOTTO__SETTING_SCALE: schema->unit = choice == 0; break;
    case SOTTO__SETTING_RANGES: schema->from_data = choice == 1; break;
    case SOTTO__SETTING_OTHERS: schema->others = choice == 1; break;
    case SOTTO__SETTING_UNLABELLED: schema->unlabelled = choice == 1; break;
    case SOTTO__SETTING_NUMBERED: schema->numbered = choice == 1; break;
    case SOTTO__SETTINGS: break;
    }
}

uint32_t sotto__setting_get(const sotto_schema *schema, sotto__setting which)
{
    static const char separators[] = SOTTO__SEPARATORS;
    switch (which) {
    case SOTTO__SETTING_FORMAT: return (uint32_t)schema->format;
    case SOTTO__SETTING_SEPARATOR:
        return (uint32_t)(strchr(separators, schema->separator) - separators);
    case SOTTO__SETTING_DECIMAL: return schema->decimal_comma;
    case SOTTO__SETTING_HEADER: return !schema->header;
    case SOTTO__SETTING_SCALE: return !schema->unit;
    case SOTTO__SETTING_RANGES: return schema->from_data;
    case SOTTO__SETTING_OTHERS: return schema->others;
    case SOTTO__SETTING_UNLABELLED: return schema->unlabelled;
    case SOTTO__SETTING_NUMBERED: return schema->numbered;
    case SOTTO__SETTINGS: break;
    }
    return 0;
}
