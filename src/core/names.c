#include "core.h"
#include "identity.h" /* made in the build directory by cmake/identity.cmake */

#include <sotto/core.h>

#include <assert.h>
#include <stdbool.h>

/* ==== names ================================================================================== */

/* The names of every kind, from the same lists that number them. */

#define NAME(name, text) text,
#define NAME_FUNCTION(type, map)                                                                   \
    const char *type##_name(type value)                                                            \
    {                                                                                              \
        static const char *const name[] = {map(NAME)};                                             \
        return (uint32_t)value < sizeof name / sizeof name[0] ? name[value] : NULL;                \
    }

NAME_FUNCTION(sotto_parameters, SOTTO_PARAMETERS_MAP)
NAME_FUNCTION(sotto_link, SOTTO_LINK_MAP)
NAME_FUNCTION(sotto_reward_kind, SOTTO_REWARD_MAP)
NAME_FUNCTION(sotto_method, SOTTO_METHOD_MAP)
NAME_FUNCTION(sotto_score, SOTTO_SCORE_MAP)
NAME_FUNCTION(sotto_split, SOTTO_SPLIT_MAP)
NAME_FUNCTION(sotto_noise_law, SOTTO_NOISE_MAP)
NAME_FUNCTION(sotto_phase, SOTTO_PHASE_MAP)
NAME_FUNCTION(sotto_role, SOTTO_ROLE_MAP)

/* ==== status ================================================================================= */

/* The sentence of every status. */

const char *sotto_status_text(sotto_status status)
{
    static const char *const sentence[] = {
#define SENTENCE(name, text) text,
        SOTTO_STATUS_MAP(SENTENCE)
#undef SENTENCE
    };
    if ((size_t)status >= sizeof sentence / sizeof sentence[0]) return "an unknown status";
    return sentence[status];
}

const char *sotto_version(void)
{
    return SOTTO_VERSION;
}

const char *sotto_commit(void)
{
    return COMMIT;
}

const char *sotto_sources(void)
{
    return SOURCES;
}

/* ==== sizes ================================================================================== */

/* Sizes and limits, for languages that cannot read the macros. */

size_t sotto_terms_bytes(void)
{
    return SOTTO_TERMS_BYTES;
}

size_t sotto_spec_id_bytes(void)
{
    return SOTTO_SPEC_ID_BYTES;
}

size_t sotto_nonce_bytes(void)
{
    return SOTTO_NONCE_BYTES;
}

size_t sotto_fault_bytes(void)
{
    return SOTTO_FAULT_BYTES;
}

sotto_limits sotto_limits_get(void)
{
    return (sotto_limits){
        .dim_max = SOTTO_DIM_MAX,
        .arms_max = SOTTO_ARMS_MAX,
        .cells_max = SOTTO_CELLS_MAX,
        .ticks_max = SOTTO_TICKS_MAX,
        .codebook_size_max = SOTTO_CODEBOOK_SIZE_MAX,
        .reports_max = SOTTO_REPORTS_MAX,
    };
}

/* ==== fault ================================================================================== */

/* Faults: a field, its value, what is allowed, and the sentence of these three. */

/* Cuts a text that did not fit after its last whole character. */
static void cut(char *text, size_t room, size_t bytes)
{
    if (bytes >= room) text[sotto__whole_bytes(text, room - 1)] = '\0';
}

/* The device and the server use little of the C library, and not these two functions. */
static size_t length_of(const char *text)
{
    char end[1];
    return sotto__format(end, sizeof end, "%s", text);
}

static const char *found_in(const char *text, const char *words)
{
    size_t length = length_of(words), left = length_of(text);
    for (; left >= length; text++, left--) {
        if (memcmp(text, words, length) == 0) return text;
    }
    return NULL;
}

/* Appends as much as fits. */
static void append(char out[SOTTO_FAULT_BYTES], const char *text, size_t bytes)
{
    size_t used = length_of(out), room = SOTTO_FAULT_BYTES - used;
    size_t copied = bytes < room ? bytes : sotto__whole_bytes(text, room - 1);
    memcpy(out + used, text, copied);
    out[used + copied] = '\0';
}

/* A field, which may end in an index: at[3]. */
static void append_field(char out[SOTTO_FAULT_BYTES], const char *field, size_t bytes,
                         sotto_fault_spelling spelling, void *state)
{
    char name[SOTTO_FAULT_FIELD_BYTES] = "";
    size_t length = 0;
    while (length < bytes && field[length] != '[')
        length++;
    const char *spelled = NULL;
    if (spelling != NULL && length < sizeof name) {
        memcpy(name, field, length);
        spelled = spelling(state, name);
    }
    append(out, spelled != NULL ? spelled : field, spelled != NULL ? length_of(spelled) : length);
    append(out, field + length, bytes - length);
}

/* "FIELD = VALUE: " */
static void append_head(char out[SOTTO_FAULT_BYTES], const sotto_fault *fault)
{
    append(out, fault->field, length_of(fault->field));
    if (fault->value[0] != '\0') append(out, " = ", 3);
    append(out, fault->value, length_of(fault->value));
    append(out, ": ", 2);
}

static void append_allowed(char out[SOTTO_FAULT_BYTES], const sotto_fault *fault,
                           sotto_fault_spelling spelling, void *state)
{
    bool is_field = false;
    for (const char *at = fault->allowed; *at != '\0'; is_field = !is_field) {
        size_t bytes = 0;
        while (at[bytes] != '\0' && at[bytes] != '`')
            bytes++;
        if (is_field) {
            append_field(out, at, bytes, spelling, state);
        } else {
            append(out, at, bytes);
        }
        at += bytes + (at[bytes] == '`' ? 1 : 0);
    }
}

void sotto_fault_spell(sotto_fault *fault, sotto_fault_spelling spelling, void *state)
{
    if (fault == NULL || fault->field[0] == '\0') return;
    const sotto_fault was = *fault;
    char head[SOTTO_FAULT_BYTES] = "", field[SOTTO_FAULT_BYTES] = "";
    append_head(head, &was);
    const char *at = found_in(was.sentence, head);
    append_field(field, was.field, length_of(was.field), spelling, state);
    cut(fault->field, sizeof fault->field,
        sotto__format(fault->field, sizeof fault->field, "%s", field));
    fault->allowed[0] = fault->sentence[0] = '\0';
    append_allowed(fault->allowed, &was, spelling, state);
    append(fault->sentence, was.sentence, at == NULL ? 0 : (size_t)(at - was.sentence));
    append_head(fault->sentence, fault);
    append(fault->sentence, fault->allowed, length_of(fault->allowed));
}

/* The value is the text of the format up to ": ". */
sotto_status sotto__fault_at(sotto_fault *fault, const char *field, const char *format, ...)
{
    char whole[SOTTO_FAULT_BYTES], of_value[SOTTO_FAULT_BYTES] = "";
    va_list arguments, again;
    if (fault == NULL) return SOTTO_E_FAULT;
    *fault = (sotto_fault){.field = ""};
    const char *colon = found_in(format, ": ");
    va_start(arguments, format);
    va_copy(again, arguments);
    cut(whole, sizeof whole, sotto__format_list(whole, sizeof whole, format, arguments));
    if (field[0] == '\0' || colon == NULL) {
        append(fault->sentence, whole, length_of(whole));
    } else {
        append(of_value, format, (size_t)(colon - format));
        size_t bytes = sotto__format_list(fault->value, sizeof fault->value, of_value, again);
        cut(fault->value, sizeof fault->value, bytes);
        size_t before = bytes + 2 < length_of(whole) ? bytes + 2 : length_of(whole);
        append(fault->allowed, whole + before, length_of(whole) - before);
        cut(fault->field, sizeof fault->field,
            sotto__format(fault->field, sizeof fault->field, "%s", field));
        append_head(fault->sentence, fault);
        append_allowed(fault->sentence, fault, NULL, NULL);
    }
    va_end(again);
    va_end(arguments);
    return SOTTO_E_FAULT;
}

sotto_status sotto__fault_within(sotto_fault *fault, const char *format, ...)
{
    char whole[SOTTO_FAULT_BYTES], before[SOTTO_FAULT_BYTES];
    va_list arguments;
    if (fault == NULL) return SOTTO_E_FAULT;
    va_start(arguments, format);
    cut(whole, sizeof whole, sotto__format_list(whole, sizeof whole, format, arguments));
    va_end(arguments);
    memcpy(before, fault->sentence, sizeof before);
    fault->sentence[0] = '\0';
    append(fault->sentence, whole, length_of(whole));
    append(fault->sentence, before, length_of(before));
    return SOTTO_E_FAULT;
}

sotto_status sotto__fault_status(sotto_fault *fault, sotto_status status)
{
    (void)sotto__refuse(fault, "%s", sotto_status_text(status));
    return status;
}

/* ==== utf8 =================================================================================== */

/*
 * UTF-8 (RFC 3629). How many bytes a character has, by the first of them:
 *
 *   00..7F  1 byte
 *   C2..DF  2 bytes, from U+0080 on
 *   E0..EF  3 bytes, from U+0800 on, without U+D800 to U+DFFF
 *   F0..F4  4 bytes, U+10000 to U+10FFFF
 *
 * The other bytes of a character are 80..BF. Every byte that breaks these rules is not a character.
 */

static bool follows(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* Bytes of a character that begins with this byte; 0 if none does. */
static size_t length_by(char first)
{
    unsigned char byte = (unsigned char)first;
    if (byte < 0x80) return 1;
    if (byte < 0xC2 || byte > 0xF4) return 0;
    return byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

uint32_t sotto__character(const char *text, size_t bytes, size_t *length)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    assert(bytes > 0);
    size_t count = length_by(text[0]);
    *length = 1;
    if (count == 0 || count > bytes) return SOTTO__NO_CHARACTER;
    uint32_t code = (unsigned char)text[0] & (count == 1 ? 0x7Fu : 0x7Fu >> count);
    for (size_t i = 1; i < count; i++) {
        if (!follows(text[i])) return SOTTO__NO_CHARACTER;
        code = code << 6 | ((unsigned char)text[i] & 0x3Fu);
    }
    bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (surrogate || code < least[count] || code > 0x10FFFF) return SOTTO__NO_CHARACTER;
    *length = count;
    return code;
}

size_t sotto__whole_bytes(const char *text, size_t bytes)
{
    size_t first = bytes;
    while (first > 0 && bytes - first < 3 && follows(text[first - 1])) {
        first--;
    }
    bool is_cut = first > 0 && length_by(text[first - 1]) > bytes - first + 1;
    return is_cut ? first - 1 : bytes;
}
