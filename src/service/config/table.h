/* The table of settings: everything else about a setting follows from its row. */
#ifndef SERVICE_CONFIG_TABLE_H
#define SERVICE_CONFIG_TABLE_H

#include "config.h"

typedef enum setting_kind {
    SETTING_PATH,
    SETTING_URL,
    SETTING_HOSTS,
    SETTING_PLACE,
    SETTING_SWITCH,
    SETTING_LEVEL,
    SETTING_ADDRESSES,
    SETTING_U32,
    SETTING_U64
} setting_kind;

/* Where a setting may be said. */
typedef enum setting_source {
    SETTING_FILE = 1,
    SETTING_VARIABLE = 2,
    SETTING_FLAG = 4
} setting_source;
#define SETTING_ANYWHERE ((uint32_t)SETTING_FILE | SETTING_VARIABLE | SETTING_FLAG)

typedef struct setting {
    const char *name; /* keep-reports: the flag --keep-reports, the variable SOTTOD_KEEP_REPORTS */
    setting_kind kind;
    uint32_t sources;  /* of setting_source */
    size_t field;      /* in sottod_config */
    const char *usual; /* the default, as it would be said; NULL: none, or one that is made */
    uint64_t lo, hi;   /* of numbers */
    const char *group; /* under which heading --help shows it; rows of one stand together */
    const char *meaning;
} setting;

#define SETTINGS_MAX 32u
extern const setting config_table[]; /* ends with a row without a name */

/* The row of this name, which has `length` letters; NULL if there is none. */
const setting *setting_find(const char *name, size_t length);

#endif
