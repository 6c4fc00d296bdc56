/* Whether a schema makes a bandit, and which. */
#include "core/core.h"
#include "inner.h"
#include "text/text.h"

#include <math.h>
#include <string.h>

static uint32_t count_of(const sotto_schema *schema, sotto__column_kind kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < schema->columns_count; i++) {
        count += schema->column[i].kind == kind;
    }
    return count;
}

bool sotto_schema_is_log(const sotto_schema *schema)
{
    return schema != NULL && count_of(schema, SOTTO__COLUMN_ACTION) > 0;
}

uint32_t sotto_schema_arms(const sotto_schema *schema)
{
    const sotto__column *column = schema == NULL ? NULL : sotto__schema_arms_column(schema);
    return column == NULL ? 0 : column->levels_count;
}

const char *sotto_schema_arm_name(const sotto_schema *schema, uint32_t arm)
{
    const sotto__column *column = schema == NULL ? NULL : sotto__schema_arms_column(schema);
    return column != NULL && arm < column->levels_count ? column->level[arm] : NULL;
}

uint32_t sotto_schema_dim(const sotto_schema *schema)
{
    if (schema == NULL) return 0;
    uint32_t dim = 1; /* the constant */
    for (uint32_t i = 0; i < schema->columns_count; i++) {
        const sotto__column *column = &schema->column[i];
        if (column->kind == SOTTO__COLUMN_NUMBER) dim++;
        if (column->kind == SOTTO__COLUMN_CATEGORY) dim += column->levels_count;
    }
    return dim;
}

uint32_t sotto__schema_arm_dim(const sotto_schema *schema)
{
    return schema->arms == NULL ? 0 : sotto_schema_dim(schema->arms) - 1;
}

/* ---- faults ------------------------------------------------------------------------------- */

/* The first word that appears twice, or NULL. Adds the words to `levels`. */
static const char *twice(sotto__levels *levels, char *const *word, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!sotto__levels_add(levels, word[i], strlen(word[i]), i)) return word[i];
    }
    return NULL;
}

static sotto_status levels_fault(const sotto__column *column, const char *name, sotto_fault *fault)
{
    sotto__levels levels;
    if (sotto__levels_new(&levels, column->levels_count + column->aliases_count) != SOTTO_OK) {
        return sotto__fault_status(fault, SOTTO_E_MEMORY);
    }
    const char *word = twice(&levels, column->level, column->levels_count);
    if (word == NULL) word = twice(&levels, column->alias, column->aliases_count);
    char shown[SOTTO__SHOWN_BYTES];
    if (word != NULL) {
        sotto__refuse(fault, "column \"%s\": level \"%s\" appears twice", name,
                      sotto__shown(word, strlen(word), shown));
    }
    sotto__levels_free(&levels);
    return word == NULL ? SOTTO_OK : SOTTO_E_FAULT;
}

static sotto_status column_fault(const sotto__column *column, sotto_fault *fault)
{
    char shown[SOTTO__SHOWN_BYTES];
    const char *name = sotto__shown(column->name, strlen(column->name), shown);
    bool range = isfinite(column->lo) && isfinite(column->hi) && column->lo < column->hi &&
                 isfinite(column->hi - column->lo);
    uint32_t count = column->levels_count;
    switch (column->kind) {
    case SOTTO__COLUMN_IGNORE:
    case SOTTO__COLUMN_PROPENSITY: return SOTTO_OK;
    case SOTTO__COLUMN_NUMBER:
    case SOTTO__COLUMN_REWARD:
        if (range) return SOTTO_OK;
        return sotto__refuse(fault,
                             "column \"%s\": range %.15g %.15g: needs two finite "
                             "numbers, the smaller one first",
                             name, column->lo, column->hi);
    case SOTTO__COLUMN_CATEGORY:
        if (count >= 1) return levels_fault(column, name, fault);
        return sotto__refuse(fault, "column \"%s\": a category needs levels", name);
    case SOTTO__COLUMN_LABEL:
    case SOTTO__COLUMN_ACTION: break;
    }
    if (count >= 2 && count <= SOTTO_ARMS_MAX) return levels_fault(column, name, fault);
    return sotto__refuse(fault, "column \"%s\": %u %s: allowed 2 to %u, one arm per level", name,
                         count, count == 1 ? "level" : "levels", SOTTO_ARMS_MAX);
}

static sotto_status names_fault(const sotto_schema *schema, sotto_fault *fault)
{
    sotto__levels names;
    if (sotto__levels_new(&names, schema->columns_count) != SOTTO_OK) {
        return sotto__fault_status(fault, SOTTO_E_MEMORY);
    }
    const char *name = NULL;
    for (uint32_t i = 0; i < schema->columns_count && name == NULL; i++) {
        name = twice(&names, &schema->column[i].name, 1);
    }
    char shown[SOTTO__SHOWN_BYTES];
    if (name != NULL) {
        sotto__refuse(fault, "column \"%s\" appears twice",
                      sotto__shown(name, strlen(name), shown));
    }
    sotto__levels_free(&names);
    return name == NULL ? SOTTO_OK : SOTTO_E_FAULT;
}

/* Checks for one label, or one action with its reward and its chance. */
static sotto_status roles_fault(const sotto_schema *schema, sotto_fault *fault)
{
    uint32_t labels = count_of(schema, SOTTO__COLUMN_LABEL);
    uint32_t actions = count_of(schema, SOTTO__COLUMN_ACTION);
    if (labels + actions != 1) {
        return sotto__refuse(
            fault, "%u labels, %u actions: needs one label, or one action with its reward", labels,
            actions);
    }
    double chance = schema->propensity;
    if (chance != 0 && !(chance > 0 && chance <= 1)) {
        return sotto__refuse(fault, "propensity constant %.15g: allowed above 0, to 1", chance);
    }
    if (schema->rewards_file != NULL && actions == 1) {
        return sotto__refuse(fault, "rewards: a log has its own; only labels have a table of them");
    }
    if (schema->unlabelled && actions == 1) {
        return sotto__refuse(fault, "unlabelled skip: a log has no label");
    }
    for (uint32_t i = 0; i < 2; i++) {
        sotto__column_kind kind = i == 0 ? SOTTO__COLUMN_REWARD : SOTTO__COLUMN_PROPENSITY;
        uint32_t count = count_of(schema, kind);
        bool constant = kind == SOTTO__COLUMN_PROPENSITY && schema->propensity != 0;
        if (count + constant == actions) continue;
        if (constant) {
            return sotto__refuse(fault, "propensity constant: %s",
                                 actions == 1 ? "there is a column of kind propensity too"
                                              : "only the actions of a log have a chance");
        }
        return sotto__refuse(fault, "%u columns of kind %s: %s needs %u", count,
                             sotto__column_kind_name(kind), actions == 1 ? "an action" : "a label",
                             actions);
    }
    return SOTTO_OK;
}

static sotto_status libsvm_fault(const sotto_schema *schema, sotto_fault *fault)
{
    for (uint32_t i = 0; i < schema->columns_count; i++) {
        const sotto__column *column = &schema->column[i];
        char shown[SOTTO__SHOWN_BYTES];
        const char *name = sotto__shown(column->name, strlen(column->name), shown);
        if (column->kind == SOTTO__COLUMN_LABEL) continue;
        if (column->kind != SOTTO__COLUMN_NUMBER && column->kind != SOTTO__COLUMN_IGNORE) {
            return sotto__refuse(fault,
                                 "column \"%s\": kind %s: LIBSVM has numbers and a "
                                 "label",
                                 name, sotto__column_kind_name(column->kind));
        }
        if (sotto__column_index(column->name) == 0) {
            return sotto__refuse(fault, "column \"%s\": a LIBSVM column is 1 to %u", name,
                                 SOTTO__COLUMNS_MAX);
        }
    }
    return SOTTO_OK;
}

/* Checks names for VW text: blanks, bars and colons end a name, and what follows = is a level. */
static sotto_status vw_fault(const sotto_schema *schema, sotto_fault *fault)
{
    if (schema->format == SOTTO_DATASET_VW_ADF && !sotto_schema_is_log(schema)) {
        return sotto__refuse(fault, "format vw-adf: needs an action with its reward");
    }
    for (uint32_t i = 0; i < schema->columns_count; i++) {
        const sotto__column *column = &schema->column[i];
        bool feature =
            column->kind == SOTTO__COLUMN_NUMBER || column->kind == SOTTO__COLUMN_CATEGORY;
        char shown[SOTTO__SHOWN_BYTES];
        bool plain = column->name[0] != '\0' && strpbrk(column->name, " \t\r\n|:=") == NULL;
        if (!feature || column->bucket || plain) continue;
        return sotto__refuse(fault, "column \"%s\": a name of VW text has no blank, |, : or =",
                             sotto__shown(column->name, strlen(column->name), shown));
    }
    return SOTTO_OK;
}

sotto_status sotto__schema_fault(const sotto_schema *schema, sotto_fault *fault)
{
    bool libsvm = schema->format == SOTTO_DATASET_LIBSVM, vw = sotto__schema_is_vw(schema);
    if (!vw && (schema->hash > 0 || schema->numbered)) {
        return sotto__refuse(fault, "%s: only VW text has it",
                             schema->hash > 0 ? "hash" : "numbered yes");
    }
    if (!libsvm && !vw &&
        (schema->separator == '\0' || strchr(SOTTO__SEPARATORS, schema->separator) == NULL)) {
        return sotto__refuse(fault, "separator: allowed are comma, semicolon, tab, bar, blank");
    }
    if (schema->decimal_comma && (libsvm || vw || schema->separator == ',')) {
        return sotto__refuse(fault, "decimal comma: %s",
                             vw       ? "numbers of VW text have a point"
                             : libsvm ? "numbers of LIBSVM have a point"
                                      : "the separator cannot be a comma too");
    }
    for (uint32_t i = 0; i < schema->columns_count; i++) {
        if (column_fault(&schema->column[i], fault) != SOTTO_OK) return SOTTO_E_FAULT;
    }
    sotto_status wrong = roles_fault(schema, fault);
    if (wrong == SOTTO_OK) wrong = names_fault(schema, fault);
    if (wrong == SOTTO_OK && libsvm) wrong = libsvm_fault(schema, fault);
    if (wrong == SOTTO_OK && vw) wrong = vw_fault(schema, fault);
    uint32_t dim = sotto_schema_dim(schema);
    if (wrong == SOTTO_OK && dim > SOTTO_DIM_MAX) {
        wrong = sotto__refuse(fault, "%u features with the constant: allowed up to %u", dim,
                              SOTTO_DIM_MAX);
    }
    return wrong;
}
