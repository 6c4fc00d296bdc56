/* What people read: names of kinds, sentences, characters; and sizes that functions tell. */
#include "core/core.h"
#include "test.h"

#include <string.h>

/* Every status has a sentence of its own, and anything else is called unknown. */

TEST(unknown_status_is_said_to_be_unknown)
{
    assert_string_equal(sotto_status_text((sotto_status)9999), "an unknown status");
    assert_string_equal(sotto_status_text((sotto_status)-1), "an unknown status");
}

TEST(sentences_are_all_there_and_all_different)
{
#define ROW(name, sentence) SOTTO_##name,
    static const sotto_status all[] = {SOTTO_STATUS_MAP(ROW)};
    const size_t count = sizeof all / sizeof all[0];
    assert_int_equal(all[0], SOTTO_OK);
    for (size_t i = 0; i < count; i++) {
        assert_true(strlen(sotto_status_text(all[i])) > 3);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(sotto_status_text(all[i]), sotto_status_text(all[j]));
        }
    }
}

TEST(version_is_the_header_s)
{
    assert_string_equal(sotto_version(), SOTTO_VERSION);
}

TEST(sources_are_told_by_a_digest)
{
    assert_ints(strspn(sotto_sources(), "0123456789abcdef"), 64, strlen(sotto_sources()), 64);
    assert_true(strlen(sotto_commit()) >= 7);
}

/* Sentences are formatted, and cut where the caller's room ends. */

TEST(long_sentences_are_cut_and_ended)
{
    struct {
        sotto_fault fault;
        char after;
    } room = {.after = 'x'};
    char longer[2 * SOTTO_FAULT_BYTES];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_status(sotto__refuse(&room.fault, "%s", longer), SOTTO_E_FAULT);
    assert_ints(strlen(room.fault.sentence), SOTTO_FAULT_BYTES - 1, room.after, 'x');
}

TEST(no_sentence_is_cut_within_a_character)
{
    sotto_fault fault;
    char longer[2 * SOTTO_FAULT_BYTES];
    for (size_t before = SOTTO_FAULT_BYTES - 4; before < SOTTO_FAULT_BYTES - 1; before++) {
        memset(longer, 'a', sizeof longer);
        memcpy(longer + before, "\xF0\x9F\x8D\xB0", 4);
        longer[sizeof longer - 1] = '\0';
        (void)sotto__refuse(&fault, "%s", longer);
        assert_int_equal(strlen(fault.sentence), before);
    }
}

TEST(names_and_numbers_are_filled_in)
{
    sotto_fault fault;
    (void)sotto__refuse(&fault, "%s = %u: allowed %g", "dim", 7u, 0.5);
    assert_string_equal(fault.sentence, "dim = 7: allowed 0.5");
}

/* Every kind has a name of its own, in the order of the wire format, and no other number has one.
 */

typedef const char *name_function(uint32_t value);

#define TEXT(name, text) text,
#define KIND(function, map)                                                                        \
    {                                                                                              \
        function, (const char *const[]){map(TEXT)},                                                \
            sizeof((const char *const[]){map(TEXT)}) / sizeof(const char *)                        \
    }

static const struct {
    name_function *name;
    const char *const *wanted;
    uint32_t count;
} kinds[] = {
    KIND(sotto_parameters_name, SOTTO_PARAMETERS_MAP), KIND(sotto_link_name, SOTTO_LINK_MAP),
    KIND(sotto_reward_kind_name, SOTTO_REWARD_MAP),    KIND(sotto_method_name, SOTTO_METHOD_MAP),
    KIND(sotto_score_name, SOTTO_SCORE_MAP),           KIND(sotto_split_name, SOTTO_SPLIT_MAP),
    KIND(sotto_noise_law_name, SOTTO_NOISE_MAP),       KIND(sotto_phase_name, SOTTO_PHASE_MAP),
};
#define KINDS (sizeof kinds / sizeof kinds[0])

TEST(a_number_past_the_list_has_no_name)
{
    for (size_t i = 0; i < KINDS; i++) {
        assert_null(kinds[i].name(kinds[i].count));
        assert_null(kinds[i].name(255));
        assert_null(kinds[i].name(1u << 31));
        assert_null(kinds[i].name(UINT32_MAX));
    }
}

TEST(every_kind_is_named_by_the_list_that_numbers_it)
{
    for (size_t i = 0; i < KINDS; i++) {
        for (uint32_t v = 0; v < kinds[i].count; v++) {
            assert_string_equal(kinds[i].name(v), kinds[i].wanted[v]);
        }
    }
}

/* The numbers and names stand in frames and in scripts: changing one changes the protocol. */
TEST(numbers_of_the_wire_format_keep_their_names)
{
    assert_strings(sotto_parameters_name(0), "shared", sotto_parameters_name(1), "per-arm",
                   sotto_link_name(0), "identity", sotto_link_name(1), "logit", sotto_link_name(2),
                   "probit", sotto_link_name(3), "log");
    assert_strings(sotto_reward_kind_name(0), "continuous", sotto_reward_kind_name(1), "binary",
                   sotto_reward_kind_name(2), "count", sotto_method_name(0), "sotto",
                   sotto_method_name(1), "sotto-ols", sotto_method_name(2), "ldp-sgd");
    assert_strings(sotto_method_name(3), "ldp-ols", sotto_method_name(4), "ldp-ucb",
                   sotto_method_name(5), "ldp-gloc", sotto_score_name(0), "sign",
                   sotto_score_name(1), "self", sotto_score_name(2), "huber");
    assert_strings(sotto_score_name(3), "gradient", sotto_score_name(4), "moments",
                   sotto_score_name(5), "gloc-pair", sotto_score_name(6), "centred",
                   sotto_split_name(0), "joint", sotto_split_name(1), "per-arm");
    assert_strings(sotto_noise_law_name(0), "gaussian", sotto_noise_law_name(1), "laplace",
                   sotto_phase_name(0), "warm-up", sotto_phase_name(1), "main", sotto_phase_name(2),
                   "mean");
    assert_int_equal(SOTTO_PHASES, 3);
}

/* Bytes as characters. */

TEST(an_unfinished_character_at_the_end_is_not_counted)
{
    static const char cake[] = "a\xF0\x9F\x8D\xB0";
    assert_int_equal(sotto__whole_bytes(cake, 5), 5);
    for (size_t bytes = 1; bytes < 5; bytes++) {
        assert_int_equal(sotto__whole_bytes(cake, bytes), 1);
    }
    assert_int_equal(sotto__whole_bytes("", 0), 0);
    assert_int_equal(sotto__whole_bytes("\x80\x80\x80\x80", 4), 4); /* no character was cut */
    assert_int_equal(sotto__whole_bytes("\xC3", 1), 0);
}

TEST(characters_have_their_numbers)
{
    size_t length;
    assert_ints(sotto__character("\x7F", 1, &length), 0x7F, length, 1,
                sotto__character("\xC2\x80", 2, &length), 0x80, length, 2,
                sotto__character("\xEF\xBF\xBF", 3, &length), 0xFFFF, length, 3);
    assert_ints(sotto__character("\xF4\x8F\xBF\xBF", 4, &length), 0x10FFFF, length, 4,
                sotto__character("\xF4\x8F\xBF\xBF", 3, &length), SOTTO__NO_CHARACTER, length, 1);
}

/* Sizes and limits: what a function says is what the library does, not only what a macro says. */

TEST(sizes_are_those_of_the_macros)
{
    assert_ints(sotto_terms_bytes(), SOTTO_TERMS_BYTES, sotto_spec_id_bytes(), SOTTO_SPEC_ID_BYTES,
                sotto_nonce_bytes(), SOTTO_NONCE_BYTES, sotto_fault_bytes(), SOTTO_FAULT_BYTES);
}

TEST(terms_fill_their_size_and_no_more)
{
    uint8_t bytes[512], other[512];
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    sotto_terms terms = resolved(&spec);
    memset(bytes, 0xab, sizeof bytes);
    memset(other, 0xcd, sizeof other);
    size_t size = sotto_terms_bytes();
    assert_ints(sotto_terms_encode(&terms, bytes), size, sotto_terms_encode(&terms, other), size);
    assert_memory_equal(bytes, other, size);
    assert_ints(bytes[size], 0xab, sizeof terms.id, sotto_spec_id_bytes());
}

/* A spec may have each limit, and not one more. */
TEST(a_spec_reaches_its_limits)
{
    sotto_limits limits = sotto_limits_get();
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.arms = limits.cells_max / limits.dim_max, spec.dim = limits.dim_max;
    assert_ok(sotto_spec_fault(&spec, NULL));
    spec.arms++;
    assert_status(sotto_spec_fault(&spec, NULL), SOTTO_E_FAULT);
    spec.arms = 2;
    spec.dim++;
    assert_status(sotto_spec_fault(&spec, NULL), SOTTO_E_FAULT);
    spec.dim = 1, spec.arms = limits.arms_max, spec.epoch_reports_max = limits.reports_max;
    assert_ok(sotto_spec_fault(&spec, NULL));
    spec.epoch_reports_max++;
    assert_status(sotto_spec_fault(&spec, NULL), SOTTO_E_FAULT);
    spec.epoch_reports_max--;
    spec.arms++;
    assert_status(sotto_spec_fault(&spec, NULL), SOTTO_E_FAULT);
    assert_int_equal(limits.ticks_max, SOTTO_TICKS_MAX);
    assert_int_equal(limits.codebook_size_max, SOTTO_CODEBOOK_SIZE_MAX);
}

/* ---- faults ------------------------------------------------------------------------------- */

static void assert_parts(const sotto_fault *fault, const char *field, const char *value,
                         const char *allowed, const char *sentence)
{
    assert_strings(fault->field, field, fault->value, value, fault->allowed, allowed,
                   fault->sentence, sentence);
}

TEST(a_fault_has_a_field_a_value_and_what_is_allowed)
{
    sotto_fault fault;
    assert_status(sotto__fault_at(&fault, "dim", "%u: allowed 1 to %u", 0u, 9u), SOTTO_E_FAULT);
    assert_parts(&fault, "dim", "0", "allowed 1 to 9", "dim = 0: allowed 1 to 9");
    (void)sotto__fault_at(&fault, "path", "%s: %s", "a: b", "no such file");
    assert_parts(&fault, "path", "a: b", "no such file", "path = a: b: no such file");
    (void)sotto__fault_at(&fault, "codebook", ": must be %u", 0u);
    assert_parts(&fault, "codebook", "", "must be 0", "codebook: must be 0");
    (void)sotto__fault_at(&fault, "", "%u bytes: terms have %u", 7u, 284u);
    assert_parts(&fault, "", "", "", "7 bytes: terms have 284");
    assert_status(sotto__fault_status(&fault, SOTTO_E_MEMORY), SOTTO_E_MEMORY);
    assert_parts(&fault, "", "", "", "out of memory");
    assert_status(sotto__fault_at(NULL, "dim", "%u: allowed 1", 0u), SOTTO_E_FAULT);
    assert_status(sotto__fault_status(NULL, SOTTO_E_MEMORY), SOTTO_E_MEMORY);
}

static const char *in_capitals(void *state, const char *field)
{
    (*(uint32_t *)state)++;
    if (strcmp(field, "delta") == 0) return "DELTA";
    return strcmp(field, "other") == 0 ? "OTHER" : NULL;
}

TEST(whoever_shows_a_fault_spells_its_fields)
{
    sotto_fault fault;
    uint32_t asked = 0;
    (void)sotto__fault_at(&fault, "delta", "%u: delta only with `other` or `third`", 2u);
    (void)sotto__fault_within(&fault, "method %s: ", "m");
    assert_parts(&fault, "delta", "2", "delta only with `other` or `third`",
                 "method m: delta = 2: delta only with other or third");
    sotto_fault_spell(&fault, in_capitals, &asked);
    assert_parts(&fault, "DELTA", "2", "delta only with OTHER or third",
                 "method m: DELTA = 2: delta only with OTHER or third");
    assert_int_equal(asked, 3);
    (void)sotto__fault_at(&fault, "", "delta is `other`");
    sotto_fault_spell(&fault, in_capitals, &asked);
    assert_parts(&fault, "", "", "", "delta is `other`");
}

TEST(texts_that_are_too_long_are_cut_behind_a_whole_character)
{
    static char text[2 * SOTTO_FAULT_BYTES];
    sotto_fault fault;
    for (size_t i = 0; i + 2 < sizeof text; i += 2) {
        memcpy(text + i, "\xc3\xa9", 3);
    }
    (void)sotto__fault_at(&fault, "dim", "%s: %s", text, text);
    assert_int_equal(strlen(fault.value), SOTTO_FAULT_VALUE_BYTES - 2);
    (void)sotto__fault_at(&fault, "dim", "%u: %s", 3u, text);
    assert_ints(strlen(fault.allowed) % 2, 0, strlen(fault.sentence) % 2, 1);
    (void)sotto__fault_within(&fault, "%s", text);
    assert_int_equal(strlen(fault.sentence), SOTTO_FAULT_BYTES - 1);
}
