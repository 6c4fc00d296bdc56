/* Options of a command. */
#include "args.h"
#include "words.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What it costs to write b for a: 0, 1 where only the case differs, else 2. */
static uint32_t letter_cost(char a, char b)
{
    if (a == b) return 0;
    return tolower((unsigned char)a) == tolower((unsigned char)b) ? 1 : 2;
}

/* Twice the Levenshtein distance, for words of at most 31 letters; 0 means that they are the same. A
 * part of a name, of three letters or more, is next to it. */
static uint32_t distance(const char *word, const char *name)
{
    enum { LONGEST = 31 };
    size_t m = strlen(word), n = strlen(name);
    if (m > LONGEST || n > LONGEST) return 2 * LONGEST;
    if (m >= 3 && m < n && strstr(name, word) != NULL) return 1;
    uint32_t row[LONGEST + 1];
    for (uint32_t j = 0; j <= n; j++) {
        row[j] = 2 * j;
    }
    for (uint32_t i = 1; i <= m; i++) {
        uint32_t diagonal = row[0];
        row[0] = 2 * i;
        for (uint32_t j = 1; j <= n; j++) {
            uint32_t change = diagonal + letter_cost(word[i - 1], name[j - 1]);
            uint32_t drop = row[j] + 2, insert = row[j - 1] + 2;
            diagonal = row[j];
            row[j] = change < drop ? change : drop;
            if (insert < row[j]) row[j] = insert;
        }
    }
    return row[n];
}

bool args_name(const char *program, const char *what, const char *word, option_names *list,
               uint32_t *value)
{
    uint32_t nearest = 0, nearest_distance = UINT32_MAX;
    for (uint32_t i = 0; list(i) != NULL; i++) {
        uint32_t d = distance(word, list(i));
        if (d < nearest_distance) {
            nearest = i;
            nearest_distance = d;
        }
    }
    if (nearest_distance == 0) {
        *value = nearest;
        return true;
    }
    fprintf(stderr, "%s: %s = %s: allowed", program, what, word);
    for (uint32_t i = 0; list(i) != NULL; i++) {
        fprintf(stderr, "%s %s", i == 0 ? "" : ",", list(i));
    }
    if (nearest_distance <= strlen(word)) {
        fprintf(stderr, "; did you mean %s?", list(nearest));
    }
    fprintf(stderr, "\n");
    return false;
}

static args_option *find_option(args_option *options, const char *name, size_t length)
{
    for (args_option *o = options; o->meaning != NULL; o++) {
        if (strlen(o->name) == length && strncmp(o->name, name, length) == 0) return o;
    }
    return NULL;
}

static void unknown_option(const command *self, const args_option *options, const char *word)
{
    const char *nearest = NULL;
    uint32_t nearest_distance = (uint32_t)strlen(word) < 7 ? (uint32_t)strlen(word) + 1 : 8;
    for (const args_option *o = options; o->meaning != NULL; o++) {
        uint32_t d = distance(word, o->name);
        if (d < nearest_distance) {
            nearest = o->name;
            nearest_distance = d;
        }
    }
    fprintf(stderr, "sotto %s: unknown option --%s", self->name, word);
    if (nearest != NULL) fprintf(stderr, "; did you mean --%s?", nearest);
    fprintf(stderr, "; sotto %s --help lists them\n", self->name);
}

/* "1 to 1024", "0.01 to 8" */
static void print_range(FILE *file, const args_option *o)
{
    if (o->kind == ARGS_F64) {
        fprintf(file, "%.10g to %.10g", o->lo, o->hi);
    } else {
        fprintf(file, "%.0f to %.0f", o->lo, o->hi);
    }
}

static bool out_of_range(const command *self, const args_option *o, const char *text)
{
    fprintf(stderr, "sotto %s: --%s = %s: allowed %s", self->name, o->name, text,
            o->kind == ARGS_F64 ? "" : "whole numbers ");
    print_range(stderr, o);
    fprintf(stderr, "\n");
    return false;
}

static bool parse_real(const command *self, const args_option *o, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= o->lo && value <= o->hi)) {
        return out_of_range(self, o, text);
    }
    *(double *)o->value = value;
    return true;
}

static bool parse_pair(const command *self, const args_option *o, const char *text)
{
    char *middle, *end;
    double *pair = o->value;
    pair[0] = strtod(text, &middle);
    pair[1] = *middle == ',' ? strtod(middle + 1, &end) : 0;
    bool whole = middle != text && *middle == ',' && end != middle + 1 && *end == '\0';
    bool within = pair[0] >= o->lo && pair[0] <= o->hi && pair[1] >= o->lo && pair[1] <= o->hi;
    if (whole && within) return true;
    fprintf(stderr, "sotto %s: --%s = %s: allowed LO,HI, each %.10g to %.10g\n", self->name,
            o->name, text, o->lo, o->hi);
    return false;
}

static bool parse_whole(const command *self, const args_option *o, const char *text)
{
    uint64_t value;
    if (!word_whole(text, &value) || (double)value < o->lo || (double)value > o->hi) {
        return out_of_range(self, o, text);
    }
    if (o->kind == ARGS_U64) {
        *(uint64_t *)o->value = value;
    } else {
        *(uint32_t *)o->value = (uint32_t)value; /* hi is below 2^32 */
    }
    return true;
}

static bool parse_value(const command *self, const args_option *o, const char *text)
{
    char program[64], what[64];
    switch (o->kind) {
    case ARGS_FLAG: *(bool *)o->value = true; return true;
    case ARGS_U32:
    case ARGS_U64: return parse_whole(self, o, text);
    case ARGS_F64: return parse_real(self, o, text);
    case ARGS_PAIR: return parse_pair(self, o, text);
    case ARGS_TEXT: *(const char **)o->value = text; return true;
    case ARGS_NAME:
        snprintf(program, sizeof program, "sotto %s", self->name);
        snprintf(what, sizeof what, "--%s", o->name);
        return args_name(program, what, text, o->list, o->value);
    }
    return false;
}

static void print_help(const command *self, const args_option *options)
{
    printf("sotto %s - %s\n\nusage: %s\n\noptions:\n", self->name, self->summary, self->usage);
    for (const args_option *o = options; o->meaning != NULL; o++) {
        printf("  --%-18s %s", o->name, o->meaning);
        if (o->kind == ARGS_U32 || o->kind == ARGS_U64 || o->kind == ARGS_F64) {
            printf("; ");
            print_range(stdout, o);
        }
        for (uint32_t i = 0; o->kind == ARGS_NAME && o->list(i) != NULL; i++) {
            printf("%s%s", i == 0 ? "; " : ", ", o->list(i));
        }
        printf("\n");
    }
    printf("  --%-18s %s\n\nexamples:\n%s", "help", "this text", self->example);
}

bool args_parse(const command *self, args_option *options, int argc, char **argv, int *words)
{
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--help") != 0 && strcmp(argv[i], "-h") != 0) continue;
        print_help(self, options);
        exit(fflush(stdout) == 0 ? EXIT_OK : EXIT_FAILED);
    }
    *words = 0;
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "--", 2) != 0) {
            argv[(*words)++] = argv[i];
            continue;
        }
        const char *name = argv[i] + 2;
        size_t length = strcspn(name, "=");
        args_option *o = find_option(options, name, length);
        if (o == NULL) {
            unknown_option(self, options, name);
            return false;
        }
        const char *text = name[length] == '=' ? name + length + 1 : NULL;
        if (o->kind == ARGS_FLAG && text != NULL) {
            fprintf(stderr, "sotto %s: --%s takes no value\n", self->name, o->name);
            return false;
        }
        if (o->kind != ARGS_FLAG && text == NULL) text = i + 1 < argc ? argv[++i] : NULL;
        if (o->kind != ARGS_FLAG && text == NULL) {
            fprintf(stderr, "sotto %s: --%s needs a value\n", self->name, o->name);
            return false;
        }
        if (!parse_value(self, o, text)) return false;
        o->given = true;
    }
    return true;
}

bool args_given(const args_option *options, const char *name)
{
    for (const args_option *o = options; o->meaning != NULL; o++) {
        if (strcmp(o->name, name) == 0) return o->given;
    }
    return false;
}

bool args_only(const command *self, const args_option *options, const char *what,
               const char *const *allowed)
{
    for (const args_option *o = options; o->meaning != NULL; o++) {
        bool fits = !o->given;
        for (const char *const *name = allowed; !fits && *name != NULL; name++) {
            fits = strcmp(*name, o->name) == 0;
        }
        if (fits) continue;
        fprintf(stderr, "sotto %s: --%s does not apply to %s\n", self->name, o->name, what);
        return false;
    }
    return true;
}

bool args_need(const command *self, const args_option *options, const char *name)
{
    if (args_given(options, name)) return true;
    fprintf(stderr, "sotto %s: --%s is needed; sotto %s --help shows an example\n", self->name,
            name, self->name);
    return false;
}
