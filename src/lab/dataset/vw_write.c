/*
 * A data set as VW text (vw_line.c), all features in the default namespace:
 *
 *   labels    ARM | NAME:VALUE NAME=LEVEL ...             for vw --oaa K
 *   a log     ARM:COST:CHANCE | NAME:VALUE NAME=LEVEL ... for vw --cb K
 *
 * A log whose arms have features is a block of lines per person, for vw --cb_adf, with an empty line behind:
 *
 *   shared | NAME:VALUE NAME=LEVEL ...  of the person
 *   | NAME:VALUE NAME=LEVEL ...         of the first arm, and so on
 *   0:COST:CHANCE | ...                 of the arm that was given
 *
 * ARM is 1, 2, ..., K in the order of the levels, as Vowpal Wabbit wants it; COST is minus the
 * reward, with the reward clipped to its range. Values are those of the file, before any scaling,
 * with as many digits as are needed to read the same number. A missing number or category is
 * written NAME=, which is a word of its own to Vowpal Wabbit. Columns that the schema ignores, and
 * rows that it skips, are left out.
 */
#include "core/core.h"
#include "dataset.h"

#include <stdlib.h>
#include <string.h>

static sotto_status no_memory(sotto_fault *fault)
{
    return sotto__fault_status(fault, SOTTO_E_MEMORY);
}

void sotto__vw_name_write(const char *text, size_t bytes, FILE *file)
{
    if (bytes == 0) fputc('%', file);
    for (size_t i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char)text[i];
        bool plain = c > ' ' && c != 127 && c != '|' && c != ':' && c != '=' && c != '%';
        if (plain) fputc(c, file);
        if (!plain) fprintf(file, "%%%02X", c);
    }
}

/* ---- people ------------------------------------------------------------------------------- */

static bool has_level(const sotto__column *column, const char *text, size_t bytes)
{
    for (uint32_t i = 0; i < column->levels_count + column->aliases_count; i++) {
        const char *level =
            i < column->levels_count ? column->level[i] : column->alias[i - column->levels_count];
        if (strlen(level) == bytes && memcmp(level, text, bytes) == 0) return true;
    }
    return false;
}

/* A missing value is written as nothing after =, unless the empty word or its
 * own word is a level. */
static void write_level(const sotto_dataset *dataset, const sotto__column *column,
                        const sotto__field *field, FILE *file)
{
    bool missing = sotto__dataset_is_missing(dataset, field) && !has_level(column, "", 0) &&
                   !has_level(column, field->text, field->bytes);
    fputc('=', file);
    if (field->bytes > 0 && !missing) sotto__vw_name_write(field->text, field->bytes, file);
}

static void write_field(const sotto_schema *schema, const sotto_dataset *dataset,
                        const sotto__field *field, FILE *file)
{
    const sotto__column *column = sotto__dataset_column(dataset, field);
    double x;
    bool number = column != NULL && column->kind == SOTTO__COLUMN_NUMBER;
    bool category = column != NULL && column->kind == SOTTO__COLUMN_CATEGORY;
    if (!number && !category) return;
    fputc(' ', file);
    sotto__vw_name_write(column->name, strlen(column->name), file);
    if (category) {
        write_level(dataset, column, field, file);
        return;
    }
    bool missing =
        sotto__dataset_is_missing(dataset, field) ||
        !sotto__marked_number(field->text, field->bytes, sotto__decimal_mark(schema), &x);
    fputc(missing ? '=' : ':', file);
    if (!missing) sotto__number_write(x, file);
}

static void write_fields(const sotto_schema *schema, const sotto_dataset *dataset, FILE *file)
{
    const sotto__record *record = sotto__dataset_record(dataset);
    for (uint32_t i = 0; i < record->count; i++) {
        write_field(schema, dataset, &record->field[i], file);
    }
}

static void write_event(const sotto_people *person, FILE *file)
{
    fputc(':', file);
    sotto__number_write(0 - person->reward[0], file);
    fputc(':', file);
    sotto__number_write(person->propensity[0], file);
}

/* `arm_text` has the features of each arm; NULL: one line per person. */
static void write_person(const sotto_schema *schema, const sotto_dataset *dataset,
                         const sotto_people *person, char *const *arm_text, FILE *file)
{
    if (arm_text != NULL) fputs("shared", file);
    if (arm_text == NULL) fprintf(file, "%u", person->arm[0] + 1);
    if (arm_text == NULL && sotto_schema_is_log(schema)) write_event(person, file);
    fputs(" |", file);
    write_fields(schema, dataset, file);
    fputc('\n', file);
    if (arm_text == NULL) return;
    for (uint32_t a = 0; a < sotto_schema_arms(schema); a++) {
        if (a == person->arm[0]) fputc('0', file);
        if (a == person->arm[0]) write_event(person, file);
        fprintf(file, "%s|%s\n", a == person->arm[0] ? " " : "", arm_text[a]);
    }
    fputc('\n', file);
}

/* Reads one row at a time, so that the dataset's record is that of the person. */
typedef struct vw_reader {
    const sotto_schema *schema;
    sotto_dataset *dataset;
    sotto_people person;
    uint32_t arm;
    double reward, propensity, context[SOTTO_DIM_MAX];
} vw_reader;

static void begin(vw_reader *r, const sotto_schema *schema, sotto_dataset *dataset)
{
    r->schema = schema;
    r->dataset = dataset;
    r->person = (sotto_people){
        sotto_schema_dim(schema), 0, 1, r->context, &r->arm, &r->reward, &r->propensity};
}

static sotto_status write_people(vw_reader *r, char *const *arm_text, FILE *file, uint64_t *count,
                                 sotto_fault *fault)
{
    do {
        sotto_status wrong = sotto_dataset_next(r->dataset, &r->person, fault);
        if (wrong != SOTTO_OK) return wrong;
        if (r->person.rows == 0) return SOTTO_OK;
        write_person(r->schema, r->dataset, &r->person, arm_text, file);
        (*count)++;
    } while (!ferror(file));
    return SOTTO_OK;
}

/* ---- arms --------------------------------------------------------------------------------- */

static sotto_status read_arms(vw_reader *r, char **arm_text, sotto_fault *fault)
{
    for (;;) { /* bounded: the schema has checked that each arm has one row */
        sotto_status wrong = sotto_dataset_next(r->dataset, &r->person, fault);
        if (wrong != SOTTO_OK) return wrong;
        if (r->person.rows == 0) return SOTTO_OK;
        size_t bytes;
        free(arm_text[r->arm]);
        arm_text[r->arm] = NULL;
        FILE *file = open_memstream(&arm_text[r->arm], &bytes);
        if (file == NULL) return no_memory(fault);
        write_fields(r->schema, r->dataset, file);
        if (fclose(file) != 0) return no_memory(fault);
    }
}

/* The features of each arm as they stand in its line. */
static sotto_status arm_texts(vw_reader *r, const sotto_schema *schema, char **arm_text,
                              sotto_fault *fault)
{
    char *path = NULL;
    sotto_dataset *dataset = NULL;
    sotto_status wrong = sotto__schema_beside(schema, schema->arms_file, &path, fault);
    if (wrong == SOTTO_OK) wrong = sotto_dataset_open(schema->arms, path, &dataset, fault);
    begin(r, schema->arms, dataset);
    if (wrong == SOTTO_OK) wrong = read_arms(r, arm_text, fault);
    sotto_dataset_close(dataset);
    free(path);
    for (uint32_t a = 0; wrong == SOTTO_OK && a < sotto_schema_arms(schema); a++) {
        if (arm_text[a] != NULL) continue;
        wrong = sotto__refuse(fault, "%s: changed while it was read", schema->arms_file);
    }
    return wrong;
}

/* ---- the schema --------------------------------------------------------------------------- */

/* The name of VW text for a word; NULL: no memory. */
static char *name_of(const char *word)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    if (file == NULL) return NULL;
    sotto__vw_name_write(word, strlen(word), file);
    if (fclose(file) == 0) return text;
    free(text);
    return NULL;
}

/* Appends the words of one list to another as names. An empty word stays
 * empty: it means missing. */
static bool add_names(char *const *from, uint32_t from_count, char ***to, uint32_t *to_count)
{
    for (uint32_t i = 0; i < from_count; i++) {
        char *name = from[i][0] == '\0' ? strdup("") : name_of(from[i]);
        if (!sotto__texts_push(to, to_count, name)) return false;
    }
    return true;
}

/* A column as it reads VW text. Features have other names; arms are written as numbers. */
static bool add_column(const sotto__column *from, sotto_schema *out)
{
    bool feature = from->kind == SOTTO__COLUMN_NUMBER || from->kind == SOTTO__COLUMN_CATEGORY;
    if (from->kind == SOTTO__COLUMN_IGNORE) return true;
    char *name = feature ? name_of(from->name) : strdup(from->name);
    sotto__column *column =
        name == NULL ? NULL : sotto__schema_add(out, from->kind, name, strlen(name));
    free(name);
    if (column == NULL) return false;
    column->lo = from->lo;
    column->hi = from->hi;
    column->log = from->log;
    for (uint32_t i = 0; !feature && i < from->levels_count; i++) {
        const char *level = from->level[i];
        if (!sotto__schema_add_level(column, level, strlen(level))) return false;
    }
    if (!feature) return true;
    if (!add_names(from->level, from->levels_count, &column->level, &column->levels_count)) {
        return false;
    }
    bool good = true;
    for (uint32_t i = 0; good && i < from->aliases_count; i++) {
        char *alias = name_of(from->alias[i]);
        good = alias != NULL &&
               sotto__schema_add_alias(column, alias, strlen(alias), from->alias_level[i]);
        free(alias);
    }
    return good;
}

/* The absolute path of a file beside the schema; NULL: there is none, or no memory. */
static char *whole_path(const sotto_schema *schema, const char *name)
{
    char *path = NULL, *whole = NULL;
    if (name == NULL) return NULL;
    if (sotto__schema_beside(schema, name, &path, NULL) == SOTTO_OK) whole = realpath(path, NULL);
    free(path);
    return whole;
}

static bool fill_schema(const sotto_schema *from, sotto_schema *out)
{
    static const char propensity[] = "propensity constant"; /* now each person's line has it */
    bool good = true;
    double number;
    for (uint32_t i = 0; good && i < from->missing_count; i++) {
        const char *word = from->missing[i];
        if (sotto__number(word, strlen(word), &number)) continue; /* never missing in VW text */
        good = add_names(&from->missing[i], 1, &out->missing, &out->missing_count);
    }
    for (uint32_t i = 0; good && i < from->columns_count; i++) {
        good = add_column(&from->column[i], out);
    }
    if (good && from->propensity > 0) {
        good = sotto__schema_add(out, SOTTO__COLUMN_PROPENSITY, propensity,
                                 sizeof propensity - 1) != NULL;
    }
    out->rewards_file = whole_path(from, from->rewards_file);
    out->arms_file = whole_path(from, from->arms_file);
    return good && (out->rewards_file == NULL) == (from->rewards_file == NULL) &&
           (out->arms_file == NULL) == (from->arms_file == NULL);
}

/* A log whose arms have features. */
static bool has_blocks(const sotto_schema *schema)
{
    return sotto_schema_is_log(schema) && schema->arms_file != NULL;
}

static sotto_status write_schema(const sotto_schema *from, FILE *file, sotto_fault *fault)
{
    bool blocks = has_blocks(from);
    sotto_schema schema = {
        .format = blocks ? SOTTO_DATASET_VW_ADF : SOTTO_DATASET_VW,
        .separator = from->separator,
        .numbered = !blocks, /* in blocks, the position of a line names the arm */
        .unit = from->unit,
        .from_data = from->from_data,
        .others = from->arms_file != NULL && from->others, /* for the arms file */
        .rewards_ranged = from->rewards_ranged,
        .rewards_lo = from->rewards_lo,
        .rewards_hi = from->rewards_hi,
    };
    bool good = fill_schema(from, &schema);
    schema.arms = from->arms; /* borrowed */
    if (good) sotto__schema_write(&schema, file);
    schema.arms = NULL;
    sotto__schema_free(&schema);
    return good ? SOTTO_OK : no_memory(fault);
}

sotto_status sotto__vw_write(const sotto_schema *schema, sotto_dataset *dataset, FILE *file,
                             FILE *schema_file, uint64_t *count, sotto_fault *fault)
{
    *count = 0;
    if (sotto__schema_is_vw(schema)) {
        return sotto__refuse(fault, "the data are VW text already");
    }
    bool table = schema->rewards_file != NULL || schema->arms_file != NULL;
    if (schema->decimal_comma && table) {
        return sotto__refuse(fault,
                             "decimal comma: VW text has points, and its schema could not read "
                             "the files beside it");
    }
    uint32_t arms = sotto_schema_arms(schema);
    vw_reader *r = calloc(1, sizeof *r);
    char **arm_text = has_blocks(schema) ? calloc(arms, sizeof *arm_text) : NULL;
    sotto_status wrong =
        r == NULL || (has_blocks(schema) && arm_text == NULL) ? no_memory(fault) : SOTTO_OK;
    if (wrong == SOTTO_OK && arm_text != NULL) wrong = arm_texts(r, schema, arm_text, fault);
    if (wrong == SOTTO_OK) wrong = write_schema(schema, schema_file, fault);
    if (wrong == SOTTO_OK) {
        begin(r, schema, dataset);
        wrong = write_people(r, arm_text, file, count, fault);
    }
    if (arm_text != NULL) sotto__texts_free(arm_text, arms);
    free(r);
    return wrong;
}
