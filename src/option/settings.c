/*
 * Settings: options that may be given in a file, the environment and the command line. A file has
 * lines of NAME = VALUE. Blanks around both are ignored. # begins a comment at the start of a line,
 * at the start of a value, or after a blank. Each name may occur once.
 */
#include "core/core.h"
#include "option.h"
#include "text/text.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX 65536u
#define SHOWN_BYTES 100u
#define PLACE_BYTES (4u * SHOWN_BYTES)

extern char **environ;

/* ---- what is wrong ------------------------------------------------------------------------ */

static const char *shown(const char *text, char out[SHOWN_BYTES])
{
    return sotto__shown_in(text, strlen(text), out, SHOWN_BYTES);
}

/* Where a setting is given: a line of a file, a variable, or a flag. */
typedef struct said {
    const option_settings *self;
    void *fields;
    option_source source;
    const char *file; /* with `line`, for OPTION_FROM_FILE */
    uint32_t line;
    sotto_fault *fault;
} said;

/* A name as its source spells it: "keep-reports", "SOTTOD_KEEP_REPORTS", "--keep-reports". */
static void name_there(const said *where, const char *name, char out[2 * SHOWN_BYTES])
{
    char word[SHOWN_BYTES];
    shown(name, word);
    switch (where->source) {
    case OPTION_FROM_FILE: snprintf(out, 2 * SHOWN_BYTES, "%s", word); return;
    case OPTION_FROM_LINE: snprintf(out, 2 * SHOWN_BYTES, "--%s", word); return;
    case OPTION_FROM_VARIABLE: break;
    }
    snprintf(out, 2 * SHOWN_BYTES, "%s%s", where->self->prefix, word);
    for (char *c = out; *c != '\0'; c++) {
        *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
    }
}

/* The same name after the file and line: "sottod.conf:3: keep-reports". */
static void name_place(const said *where, const char *name, char out[PLACE_BYTES])
{
    char file[SHOWN_BYTES], there[2 * SHOWN_BYTES];
    name_there(where, name, there);
    if (where->source == OPTION_FROM_FILE) {
        snprintf(out, PLACE_BYTES, "%s:%u: %s", shown(where->file, file), where->line, there);
    } else {
        snprintf(out, PLACE_BYTES, "%s", there);
    }
}

static sotto_status unknown(const said *where, const char *name)
{
    char place[PLACE_BYTES], meant[2 * SHOWN_BYTES];
    const option *nearest = option_nearest(where->self->table, name, where->source);
    name_place(where, name, place);
    if (nearest == NULL) {
        return sotto__refuse(where->fault, "%s: there is no such setting; %s --help lists them",
                             place, where->self->program);
    }
    name_there(where, nearest->name, meant);
    return sotto__refuse(where->fault, "%s: there is no such setting; did you mean %s?", place,
                         meant);
}

/* ---- one setting -------------------------------------------------------------------------- */

/* A switch without a text is on. */
static sotto_status set(const said *where, const option *row, const char *text)
{
    char place[PLACE_BYTES], value[SHOWN_BYTES];
    sotto_fault fault;
    name_place(where, row->name, place);
    if ((row->sources & where->source) == 0) {
        const char *variable = row->sources & OPTION_FROM_VARIABLE ? " or as a variable" : "";
        return sotto__refuse(where->fault, "%s = %s: allowed only as the flag --%s%s", place,
                             shown(text, value), row->name, variable);
    }
    if (option_read(row, text, where->fields, &fault) == SOTTO_OK) return SOTTO_OK;
    return sotto__refuse(where->fault, "%s = %s", place, fault.sentence);
}

void settings_defaults(const option_settings *self, void *fields)
{
    for (const option *row = self->table; row->meaning != NULL; row++) {
        bool fits = row->usual == NULL || option_read(row, row->usual, fields, NULL) == SOTTO_OK;
        assert(fits); /* defaults are in our own tables */
        (void)fits;
    }
}

/* ---- the file ----------------------------------------------------------------------------- */

/* Removes blanks, and the \r of CRLF line ends, from both ends. */
static char *trim(char *text)
{
    text += strspn(text, " \t\r");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r", text[length - 1]) != NULL) {
        length--;
    }
    text[length] = '\0';
    return text;
}

static void cut_comment(char *text)
{
    for (char *c = text; *c != '\0'; c++) {
        if (*c != '#' || (c != text && c[-1] != ' ' && c[-1] != '\t')) continue;
        *c = '\0';
        return;
    }
}

/* Reads one line of the file. `lines` has the line at which each setting was given. */
static sotto_status read_line(const said *where, char *line, uint32_t lines[OPTION_ROWS_MAX])
{
    char shown_line[SHOWN_BYTES], shown_file[SHOWN_BYTES];
    line = trim(line);
    if (line[0] == '\0' || line[0] == '#') return SOTTO_OK;
    char *equals = strchr(line, '=');
    if (equals == NULL) {
        return sotto__refuse(where->fault, "%s:%u: %s: allowed NAME = VALUE, or # and a comment",
                             shown(where->file, shown_file), where->line, shown(line, shown_line));
    }
    *equals = '\0';
    char *name = trim(line), *value = trim(equals + 1);
    cut_comment(value);
    value = trim(value);
    const option *row = option_find(where->self->table, name, strlen(name));
    if (row == NULL) return unknown(where, name);
    uint32_t *first = &lines[row - where->self->table];
    if (*first != 0) {
        return sotto__refuse(where->fault, "%s:%u: %s = %s: already set in line %u; allowed once",
                             shown(where->file, shown_file), where->line, name,
                             shown(value, shown_line), *first);
    }
    *first = where->line;
    return set(where, row, value);
}

static sotto_status read_lines(said *where, char *text, size_t bytes)
{
    uint32_t lines[OPTION_ROWS_MAX] = {0};
    char shown_file[SHOWN_BYTES];
    where->line = 1;
    for (char *line = text; line < text + bytes; where->line++) {
        char *end = memchr(line, '\n', (size_t)(text + bytes - line));
        if (end == NULL) end = text + bytes;
        *end = '\0';
        if (strlen(line) != (size_t)(end - line)) {
            return sotto__refuse(where->fault, "%s:%u: a zero byte; allowed only text",
                                 shown(where->file, shown_file), where->line);
        }
        if (read_line(where, line, lines) != SOTTO_OK) return SOTTO_E_FAULT;
        line = end + 1;
    }
    return SOTTO_OK;
}

sotto_status settings_file(const option_settings *self, void *fields, const char *path,
                           sotto_fault *fault)
{
    said where = {self, fields, OPTION_FROM_FILE, path, 0, fault};
    char shown_path[SHOWN_BYTES];
    sotto_status status = SOTTO_E_FAULT;
    char *text = malloc(FILE_BYTES_MAX + 1);
    FILE *file = fopen(path, "rb");
    shown(path, shown_path);
    if (text == NULL || file == NULL) {
        sotto__refuse(fault, "config = %s: cannot be opened: %s", shown_path, strerror(errno));
        goto cleanup;
    }
    errno = 0;
    size_t bytes = fread(text, 1, FILE_BYTES_MAX + 1, file);
    if (ferror(file)) {
        sotto__refuse(fault, "config = %s: cannot be read: %s", shown_path, strerror(errno));
    } else if (bytes > FILE_BYTES_MAX) {
        sotto__refuse(fault, "config = %s: too long; allowed at most %u bytes", shown_path,
                      FILE_BYTES_MAX);
    } else {
        status = read_lines(&where, text, bytes);
    }
cleanup:
    if (file != NULL) fclose(file);
    free(text);
    return status;
}

void settings_print(const option_settings *self, const void *fields, FILE *file)
{
    char text[OPTION_TEXT_BYTES], allowed[OPTION_ALLOWED_BYTES];
    for (const option *row = self->table; row->meaning != NULL; row++) {
        if ((row->sources & OPTION_FROM_FILE) == 0) continue;
        option_print(row, fields, text);
        option_allowed(row, allowed);
        fprintf(file, "%s# %s\n# Allowed: %s.\n%s =%s%s\n", row == self->table ? "" : "\n",
                row->meaning, allowed, row->name, text[0] == '\0' ? "" : " ", text);
    }
}

/* ---- the environment ---------------------------------------------------------------------- */

/* `variable` is without the prefix. */
static sotto_status read_variable(const said *where, const char *variable)
{
    const char *text = strchr(variable, '=');
    char name[SHOWN_BYTES];
    if (text == NULL) return SOTTO_OK;
    size_t length = (size_t)(text - variable);
    if (length >= sizeof name) length = sizeof name - 1; /* cut: longer than any of our names */
    for (size_t i = 0; i < length; i++) {
        name[i] = variable[i] == '_' ? '-' : (char)tolower((unsigned char)variable[i]);
    }
    name[length] = '\0';
    const option *row = option_find(where->self->table, name, length);
    if (row != NULL) return set(where, row, text + 1);
    return where->self->is_of_others(name) ? SOTTO_OK : unknown(where, name);
}

sotto_status settings_variables(const option_settings *self, void *fields, sotto_fault *fault)
{
    const said where = {self, fields, OPTION_FROM_VARIABLE, NULL, 0, fault};
    size_t length = strlen(self->prefix);
    for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
        if (strncmp(*variable, self->prefix, length) != 0) continue;
        if (read_variable(&where, *variable + length) != SOTTO_OK) return SOTTO_E_FAULT;
    }
    return SOTTO_OK;
}

/* ---- the command line --------------------------------------------------------------------- */

/* Reads the flag at argv[*at]; moves *at to its value. */
static sotto_status read_flag(const said *where, int argc, char **argv, int *at)
{
    char name[SHOWN_BYTES], allowed[OPTION_ALLOWED_BYTES];
    const char *word = argv[*at] + 2;
    size_t length = strcspn(word, "=");
    const option *row = option_find(where->self->table, word, length);
    if (row == NULL) {
        snprintf(name, sizeof name, "%.*s", (int)(length < SHOWN_BYTES ? length : SHOWN_BYTES),
                 word);
        return unknown(where, name);
    }
    if (word[length] == '=') return set(where, row, word + length + 1);
    if (row->kind == OPTION_IS_FLAG) return set(where, row, NULL);
    if (*at + 1 < argc) return set(where, row, argv[++*at]);
    option_allowed(row, allowed);
    return sotto__refuse(where->fault, "--%s: has no value; allowed %s", row->name, allowed);
}

sotto_status settings_line(const option_settings *self, void *fields, int argc, char **argv,
                           int *words, sotto_fault *fault)
{
    const said where = {self, fields, OPTION_FROM_LINE, NULL, 0, fault};
    bool ended = false;
    char value[SHOWN_BYTES];
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (!ended && strcmp(word, "--") == 0) {
            ended = true;
        } else if (!ended && strncmp(word, "--", 2) == 0) {
            if (read_flag(&where, argc, argv, &i) != SOTTO_OK) return SOTTO_E_FAULT;
        } else if (!ended && word[0] == '-' && word[1] != '\0') {
            return sotto__refuse(fault, "%s: there is no such flag; %s --help lists them",
                                 shown(word, value), self->program);
        } else if (words != NULL) {
            argv[(*words)++] = argv[i];
        }
    }
    return SOTTO_OK;
}
