#include "core/core.h"
#include "dataset.h"

#include <assert.h>
#include <string.h>

/* ==== words ================================================================================== */

/*
 * The words of a schema file, a statement at a time.
 *
 *   statement  the words of a line, and of the lines below it that begin with a blank
 *   word       up to a blank; or between quotes, where blanks, line ends and # are letters and two
 *              quotes stand for one
 *   comment    from a # that begins a word to the end of its line
 */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

void sotto__words_begin(sotto__words *words, char *text, size_t bytes)
{
    assert(text[bytes] == '\n');
    *words = (sotto__words){.at = text, .end = text + bytes, .next_line = 1};
}

/* Reads a quoted word, from the opening quote to behind the closing one, and
 * unquotes it in place. */
static sotto_status quoted(sotto__words *words, sotto__word *word, sotto_fault *fault)
{
    char *to = ++words->at;
    word->text = to;
    for (; words->at < words->end; words->at++) {
        if (*words->at == '"' && words->at[1] != '"') break;
        if (*words->at == '"') words->at++;
        if (*words->at == '\n') words->next_line++;
        *to++ = *words->at;
    }
    if (words->at == words->end) return sotto__refuse(fault, "a quote that is not closed");
    words->at++;
    word->bytes = (size_t)(to - word->text);
    word->quoted = true;
    if (is_blank(*words->at) || *words->at == '\n') return SOTTO_OK;
    return sotto__refuse(fault,
                         "text after a closing quote; a quote inside of quotes is written twice");
}

static void plain(sotto__words *words, sotto__word *word)
{
    word->text = words->at;
    while (!is_blank(*words->at) && *words->at != '\n') {
        words->at++;
    }
    word->bytes = (size_t)(words->at - word->text);
    word->quoted = false;
}

static void skip_comment(sotto__words *words)
{
    if (*words->at != '#') return;
    while (*words->at != '\n') {
        words->at++;
    }
}

/* Moves past a line end; true if the statement continues on the next line. */
static bool goes_on(sotto__words *words)
{
    if (words->at == words->end) return false;
    words->at++;
    words->next_line++;
    return words->at < words->end && is_blank(*words->at);
}

sotto_status sotto__words_next(sotto__words *words, sotto_fault *fault)
{
    words->count = 0;
    for (bool more = true; more;) {
        while (is_blank(*words->at)) {
            words->at++;
        }
        skip_comment(words);
        if (*words->at == '\n') {
            bool below = goes_on(words);
            more = words->at < words->end && (below || words->count == 0);
            continue;
        }
        if (words->count == 0) words->line = words->next_line;
        if (words->count == SOTTO__WORDS_MAX) return sotto__refuse(fault, "too many words");
        sotto__word *word = &words->word[words->count++];
        if (*words->at != '"') {
            plain(words, word);
        } else if (quoted(words, word, fault) != SOTTO_OK) {
            return SOTTO_E_FAULT;
        }
    }
    return SOTTO_OK;
}

bool sotto__word_is(const sotto__word *word, const char *text)
{
    return word->bytes == strlen(text) && memcmp(word->text, text, word->bytes) == 0;
}

/* Whether a word without quotes would be read back as something else. */
static bool needs_quotes(const char *text)
{
    return text[0] == '\0' || text[0] == '#' || strpbrk(text, " \t\r\n\"") != NULL ||
           strstr(text, "..") != NULL;
}

void sotto__word_write(const char *text, FILE *file)
{
    if (!needs_quotes(text)) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text != '\0'; text++) {
        if (*text == '"') fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

/* ==== settings =============================================================================== */

/* The settings of a schema. */

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
