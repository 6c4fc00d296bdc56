/*
 * Reading the settings. A file is lines of NAME = VALUE; blanks around both do not count; # begins a
 * comment at the start of a line, of a value, or after a blank. A name may come once.
 */
#include "config.h"
#include "nearest.h"
#include "value.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX 65536u
#define SHOWN_BYTES 100u
#define PLACE_BYTES (4u * SHOWN_BYTES)

extern char **environ;

/* ---- what is wrong ------------------------------------------------------------------------ */

__attribute__((format(printf, 2, 3))) static bool say(char *fault, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(fault, CONFIG_FAULT_BYTES, format, list);
    va_end(list);
    return false;
}

/* A text that came from outside, fit for a terminal, and not too long. */
static const char *shown(const char *text, char out[SHOWN_BYTES])
{
    snprintf(out, SHOWN_BYTES, strlen(text) < SHOWN_BYTES ? "%s" : "%.90s...", text);
    for (char *c = out; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    }
    return out;
}

/* Where something is said: a line of a file, a variable, or a flag. */
typedef struct said {
    setting_source source;
    const char *file; /* and its line, for SETTING_FILE */
    uint32_t line;
} said;

/* A name as it is said there: "keep-reports", "SOTTOD_KEEP_REPORTS", "--keep-reports". */
static void name_there(setting_source source, const char *name, char out[2 * SHOWN_BYTES])
{
    char word[SHOWN_BYTES];
    shown(name, word);
    switch (source) {
    case SETTING_FILE: snprintf(out, 2 * SHOWN_BYTES, "%s", word); return;
    case SETTING_FLAG: snprintf(out, 2 * SHOWN_BYTES, "--%s", word); return;
    case SETTING_VARIABLE: break;
    }
    snprintf(out, 2 * SHOWN_BYTES, "SOTTOD_%s", word);
    for (char *c = out; *c != '\0'; c++) {
        *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
    }
}

/* The same with the line of the file: "sottod.conf:3: keep-reports". */
static void name_place(const said *where, const char *name, char out[PLACE_BYTES])
{
    char file[SHOWN_BYTES], there[2 * SHOWN_BYTES];
    name_there(where->source, name, there);
    if (where->source == SETTING_FILE) {
        snprintf(out, PLACE_BYTES, "%s:%u: %s", shown(where->file, file), where->line, there);
    } else {
        snprintf(out, PLACE_BYTES, "%s", there);
    }
}

static bool unknown(const said *where, const char *name, char *fault)
{
    char place[PLACE_BYTES], meant[2 * SHOWN_BYTES];
    const setting *nearest = nearest_setting(name, where->source);
    name_place(where, name, place);
    if (nearest == NULL) {
        return say(fault, "%s: there is no such setting; sottod --help lists them", place);
    }
    name_there(where->source, nearest->name, meant);
    return say(fault, "%s: there is no such setting; did you mean %s?", place, meant);
}

/* ---- one setting -------------------------------------------------------------------------- */

static bool set(sottod_config *out, const setting *row, const char *text, const said *where,
                char *fault)
{
    char place[PLACE_BYTES], value[SHOWN_BYTES], allowed[VALUE_ALLOWED_BYTES];
    name_place(where, row->name, place);
    if ((row->sources & where->source) == 0) {
        const char *variable = row->sources & SETTING_VARIABLE ? " or as a variable" : "";
        return say(fault, "%s = %s: allowed as the flag --%s%s only", place, shown(text, value),
                   row->name, variable);
    }
    if (value_read(row, text, out)) return true;
    value_allowed(row, allowed);
    if (row->kind == SETTING_URL) text = "(not shown)"; /* it may have a password */
    return say(fault, "%s = %s: allowed %s", place, shown(text, value), allowed);
}

/* ---- the defaults ------------------------------------------------------------------------- */

/* Stays empty if the variables make no path; that is a fault only if no folder is named elsewhere. */
static void fill_folder(sottod_config *out)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char path[2 * CONFIG_TEXT_BYTES] = "/var/lib/sotto";
    if (state != NULL && state[0] == '/') { /* its standard: a relative path is ignored */
        snprintf(path, sizeof path, "%s/sotto", state);
    } else if (home != NULL && home[0] == '/') {
        snprintf(path, sizeof path, "%s/.local/state/sotto", home);
    }
    (void)value_read(setting_find("data", 4), path, out);
}

static void fill_defaults(sottod_config *out)
{
    char fault[CONFIG_FAULT_BYTES];
    *out = (sottod_config){.recover_to = 0};
    for (const setting *row = config_table; row->name != NULL; row++) {
        const said table = {.source = SETTING_FLAG};
        if (row->usual != NULL) (void)set(out, row, row->usual, &table, fault);
    }
    fill_folder(out);
}

/* ---- the file ----------------------------------------------------------------------------- */

/* Cuts blanks, and the \r of other systems, from both ends. */
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

/* `lines` remembers where each setting was said. */
static bool read_line(sottod_config *out, char *line, const said *where, uint32_t *lines,
                      char *fault)
{
    char shown_line[SHOWN_BYTES], shown_file[SHOWN_BYTES];
    line = trim(line);
    if (line[0] == '\0' || line[0] == '#') return true;
    char *equals = strchr(line, '=');
    if (equals == NULL) {
        return say(fault, "%s:%u: %s: allowed NAME = VALUE, or # and a comment",
                   shown(where->file, shown_file), where->line, shown(line, shown_line));
    }
    *equals = '\0';
    char *name = trim(line), *value = trim(equals + 1);
    cut_comment(value);
    value = trim(value);
    const setting *row = setting_find(name, strlen(name));
    if (row == NULL) return unknown(where, name, fault);
    uint32_t *first = &lines[row - config_table];
    if (*first != 0) {
        return say(fault, "%s:%u: %s = %s: it was said in line %u already; allowed once",
                   shown(where->file, shown_file), where->line, name, shown(value, shown_line),
                   *first);
    }
    *first = where->line;
    return set(out, row, value, where, fault);
}

static bool read_lines(sottod_config *out, char *text, size_t bytes, const char *file, char *fault)
{
    uint32_t lines[SETTINGS_MAX] = {0};
    said where = {.source = SETTING_FILE, .file = file, .line = 1};
    char shown_file[SHOWN_BYTES];
    for (char *line = text; line < text + bytes; where.line++) {
        char *end = memchr(line, '\n', (size_t)(text + bytes - line));
        if (end == NULL) end = text + bytes;
        *end = '\0';
        if (strlen(line) != (size_t)(end - line)) {
            return say(fault, "%s:%u: a zero byte; allowed is text", shown(file, shown_file),
                       where.line);
        }
        if (!read_line(out, line, &where, lines, fault)) return false;
        line = end + 1;
    }
    return true;
}

static bool read_file(sottod_config *out, const char *path, char *fault)
{
    char shown_path[SHOWN_BYTES];
    bool done = false;
    char *text = malloc(FILE_BYTES_MAX + 1);
    FILE *file = fopen(path, "rb");
    if (text == NULL || file == NULL) {
        say(fault, "config = %s: cannot be opened: %s", shown(path, shown_path), strerror(errno));
        goto cleanup;
    }
    errno = 0;
    size_t bytes = fread(text, 1, FILE_BYTES_MAX + 1, file);
    if (ferror(file)) {
        say(fault, "config = %s: cannot be read: %s", shown(path, shown_path), strerror(errno));
        goto cleanup;
    }
    if (bytes > FILE_BYTES_MAX) {
        say(fault, "config = %s: too long; allowed at most %u bytes", shown(path, shown_path),
            FILE_BYTES_MAX);
        goto cleanup;
    }
    done = read_lines(out, text, bytes, path, fault);
cleanup:
    if (file != NULL) fclose(file);
    free(text);
    return done;
}

/* ---- the environment ---------------------------------------------------------------------- */

/* Kubernetes gives every container SOTTOD_PORT, SOTTOD_SERVICE_HOST, SOTTOD_PORT_8787_TCP, … when a
 * service of the cluster is called sottod. No setting begins so. */
static bool is_of_cluster(const char *name)
{
    return strcmp(name, "port") == 0 || strncmp(name, "port-", 5) == 0 ||
           strncmp(name, "service-", 8) == 0;
}

static bool read_variable(sottod_config *out, const char *variable, char *fault)
{
    const said where = {.source = SETTING_VARIABLE};
    const char *text = strchr(variable, '=');
    char name[SHOWN_BYTES];
    if (text == NULL) return true;
    size_t length = (size_t)(text - variable);
    if (length >= sizeof name) length = sizeof name - 1; /* longer than any name of ours */
    for (size_t i = 0; i < length; i++) {
        name[i] = variable[i] == '_' ? '-' : (char)tolower((unsigned char)variable[i]);
    }
    name[length] = '\0';
    const setting *row = setting_find(name, length);
    if (row != NULL) return set(out, row, text + 1, &where, fault);
    return is_of_cluster(name) || unknown(&where, name, fault);
}

static bool read_environment(sottod_config *out, char *fault)
{
    for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
        if (strncmp(*variable, "SOTTOD_", 7) != 0) continue;
        if (!read_variable(out, *variable + 7, fault)) return false;
    }
    return true;
}

/* ---- the flags ---------------------------------------------------------------------------- */

/* One flag, at argument[*at]; moves on to its value. */
static bool read_flag(sottod_config *out, int arguments, char **argument, int *at, char *fault)
{
    const said where = {.source = SETTING_FLAG};
    char name[SHOWN_BYTES], allowed[VALUE_ALLOWED_BYTES];
    const char *word = argument[*at] + 2;
    size_t length = strcspn(word, "=");
    const setting *row = setting_find(word, length);
    if (row == NULL) {
        snprintf(name, sizeof name, "%.*s", (int)(length < SHOWN_BYTES ? length : SHOWN_BYTES),
                 word);
        return unknown(&where, name, fault);
    }
    if (word[length] == '=') return set(out, row, word + length + 1, &where, fault);
    if (row->kind == SETTING_SWITCH) return set(out, row, "yes", &where, fault);
    if (*at + 1 < arguments) return set(out, row, argument[++*at], &where, fault);
    value_allowed(row, allowed);
    return say(fault, "--%s: has no value; allowed %s", row->name, allowed);
}

/* Words go to the front of `argument` if `words` is not NULL. */
static bool read_flags(sottod_config *out, int arguments, char **argument, int *words, char *fault)
{
    bool ended = false;
    char value[SHOWN_BYTES];
    for (int i = 0; i < arguments; i++) {
        const char *word = argument[i];
        if (!ended && strcmp(word, "--") == 0) {
            ended = true;
        } else if (!ended && strncmp(word, "--", 2) == 0) {
            if (!read_flag(out, arguments, argument, &i, fault)) return false;
        } else if (!ended && word[0] == '-' && word[1] != '\0') {
            return say(fault, "%s: there is no such flag; sottod --help lists them",
                       shown(word, value));
        } else if (words != NULL) {
            argument[(*words)++] = argument[i];
        }
    }
    return true;
}

/* ---- all of them -------------------------------------------------------------------------- */

/* What no setting shows by itself. */
static bool check(const sottod_config *out, char *fault)
{
    if (out->data[0] == '\0') {
        return say(fault, "data: XDG_STATE_HOME and HOME make no usable path; allowed --data PATH");
    }
    bool same = strcmp(out->listen.address, out->admin.address) == 0;
    if (same && out->listen.port == out->admin.port && out->admin.port != 0) {
        char place[CONFIG_TEXT_BYTES];
        value_print(setting_find("admin", 5), out, place);
        return say(fault, "admin = %.80s: listen has the same; allowed two different ones", place);
    }
    return true;
}

bool config_read(sottod_config *out, int arguments, char **argument, int *words,
                 char fault[CONFIG_FAULT_BYTES])
{
    *words = 0;
    fill_defaults(out);

    /* The file is the lowest, and flags say which: they are read once to learn it. */
    sottod_config named = *out;
    if (!read_environment(&named, fault)) return false;
    if (!read_flags(&named, arguments, argument, NULL, fault)) return false;
    if (named.config[0] != '\0' && !read_file(out, named.config, fault)) return false;
    if (!read_environment(out, fault)) return false;
    if (!read_flags(out, arguments, argument, words, fault)) return false;
    return check(out, fault);
}
