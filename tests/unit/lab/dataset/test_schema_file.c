/* Schema files: bad lines are refused with their number, and every line has its meaning. */
#include "lab/dataset/dataset.h"
#include "schemas.h"
#include "texts.h"
#include "why.h"

#include <unistd.h>

#define ARMS "label y a b\n"

static void assert_refuses(const char *text, const char *words)
{
    HELD(directory) f = directory_new();
    sotto_schema schema;
    assert_says(WHY(sotto__schema_read, text_file(&f, text), &schema), why_fault.sentence, words);
    if (strstr(why_fault.sentence, "ledger: ") == NULL)
        fail_msg("\"%s\" does not name the file", why_fault.sentence);
    assert_int_equal(schema.columns_count, 0);
    assert_null(schema.column);
}

TEST(settings_are_checked)
{
    assert_refuses("foo 1\n", "line 1: foo: unknown; allowed: format");
    assert_refuses("\nformat\n", "line 2: format must be csv, libsvm, vw or vw-adf");
    assert_refuses("format xml\n", "line 1: format must be csv, libsvm, vw or vw-adf");
    assert_refuses("format csv csv\n", "format must be");
    assert_refuses("separator pipe\n", "separator must be comma, semicolon, tab, bar or blank");
    assert_refuses("decimal ,\n", "decimal must be point or comma");
    assert_refuses("decimal comma\n" ARMS, "decimal comma: the separator cannot be a comma too");
    assert_refuses("format libsvm\ndecimal comma\n" ARMS, "decimal comma: numbers of LIBSVM");
    assert_refuses("propensity constant 0\n", "line 1: propensity constant 0: is not a chance");
    assert_refuses("propensity constant 1.1\n", "allowed above 0, to 1");
    assert_refuses("propensity constant x\n", "propensity constant x: is not a chance");
    assert_refuses("propensity other 0.5\n", "must be: propensity NAME, or propensity constant");
    assert_refuses("propensity constant .5\npropensity constant .5\n",
                   "line 2: propensity constant");
    assert_refuses("propensity constant 0.5\n" ARMS, "only the actions of a log have a chance");
    assert_refuses("action k a b\nreward r 0 1\npropensity p\npropensity constant 0.5\n",
                   "there is a column of kind propensity too");
    assert_refuses("header maybe\n", "header must be yes or no");
    assert_refuses("scale 1\n", "scale must be unit or bound");
    assert_refuses("ranges private\n", "ranges must be public or data");
    assert_refuses("others keep\n", "others must be fault or ignore");
    assert_refuses("unlabelled keep\n", "unlabelled must be fault or skip");
    assert_refuses("numbered 1\n", "numbered must be no or yes");
    assert_refuses("numbered yes\n" ARMS, "numbered yes: only VW text has it");
    assert_refuses("hash 4\n" ARMS, "hash: only VW text has it");
    assert_refuses("hash\n", "must be: hash BUCKETS");
    assert_refuses("hash 0\n", "line 1: hash 0: allowed 1 to 1023");
    assert_refuses("hash 1024\n", "hash 1024: allowed 1 to 1023");
    assert_refuses("hash 12345678\n", "hash 12345678: allowed 1 to 1023");
    assert_refuses("hash 4x\n", "hash 4x: allowed 1 to 1023");
    assert_refuses("hash 4\nhash 4\n", "line 2: hash is given twice");
    assert_refuses("format vw\ndecimal comma\n" ARMS, "decimal comma: numbers of VW text");
    assert_refuses("format vw\nnumber \"a b\" 0 1\n" ARMS, "column \"a b\": a name of VW text");
    assert_refuses("format vw\nnumber a=b 0 1\n" ARMS, "has no blank, |, : or =");
    assert_refuses("format vw-adf\n" ARMS, "format vw-adf: needs an action");
    assert_refuses("format vw\nhash 1023\nnumber x 0 1\n" ARMS, "1025 features with the constant");
    assert_refuses("format vw\nignore 1..4090\nhash 9\n" ARMS, "more than 4096 columns");
    assert_refuses("header yes\nheader yes\n", "line 2: header is given twice");
    assert_refuses("number \"x\n", "line 1: a quote that is not closed");
}

TEST(columns_are_checked)
{
    assert_refuses("number x 1\n", "line 1: must be: number NAME LO HI");
    assert_refuses("number x 1 2 lin\n", "must be: number NAME LO HI, or");
    assert_refuses("number x 1 2 log log\n", "must be: number NAME LO HI");
    assert_refuses("number x a 2\n", "line 1: a 2: needs two numbers, the smaller one first");
    assert_refuses("number x 1 nan\n", "1 nan: needs two numbers");
    assert_refuses("number x 2 2\n", "2 2: needs two numbers");
    assert_refuses("number x 3 2\n", "3 2: needs two numbers");
    assert_refuses("reward x 1\n", "must be: reward NAME LO HI");
    assert_refuses("reward x 1 0\n", "1 0: needs two numbers");
    assert_refuses("category x\n", "must be: category NAME LEVEL...");
    assert_refuses("label x\n", "must be: label NAME LEVEL...");
    assert_refuses("action x\n", "must be: action NAME LEVEL...");
    assert_refuses("propensity\n", "must be: propensity NAME");
    assert_refuses("propensity a b\n", "must be: propensity NAME");
    assert_refuses("ignore\n", "must be: ignore NAME...");
    assert_refuses("arms\n", "line 1: must be: arms FILE");
    assert_refuses("arms a b\n", "must be: arms FILE");
    assert_refuses("arms a\narms b\n", "line 2: arms is given twice");
    assert_refuses("arm\n", "line 1: must be: arm number, arm category or arm ignore");
    assert_refuses("arm label y a b\n", "must be: arm number, arm category or arm ignore");
    assert_refuses("arm number x 1\n", "line 1: must be: number NAME LO HI");
    assert_refuses(ARMS "arm category k u\nalias v a\n", "line 3: a: is not a level");
    assert_refuses("rewards\n", "line 1: must be: rewards FILE, or rewards FILE LO HI");
    assert_refuses("rewards a 1\n", "must be: rewards FILE");
    assert_refuses("rewards a 2 1\n", "2 1: needs two numbers, the smaller one first");
    assert_refuses("rewards \"\"\n", "rewards: needs the name of a file");
    assert_refuses("rewards a\nrewards b\n", "line 2: rewards is given twice");
    assert_refuses("rewards a\naction k a b\nreward r 0 1\npropensity p\n",
                   "rewards: a log has its own; only labels have a table of them");
    assert_refuses("label y a a\n", "level \"a\" appears twice"); /* what makes no bandit */
    assert_refuses("", "0 labels, 0 actions");
}

TEST(ranges_and_aliases_are_checked)
{
    assert_refuses("number a..b 0 1\n", "a..b: write a range as V1..9");
    assert_refuses("number 3..2 0 1\n", "3..2: write a range");
    assert_refuses("number 1..x 0 1\n", "1..x: write a range");
    assert_refuses("number 1.. 0 1\n", "1..: write a range");
    assert_refuses("number V1..V9 0 1\n", "V1..V9: write a range");
    assert_refuses("number 1..9999999 0 1\n", "a range");
    assert_refuses("number 0..4096 0 1\n", "at most 4096 numbers");
    assert_refuses("ignore 1..4096 a\n", "more than 4096 names");
    assert_refuses("ignore 1..4096\nignore a\n", "line 2: more than 4096 columns");
    assert_refuses("alias a b\n", "b: is not a level of the column above");
    assert_refuses(ARMS "alias c d\n", "line 2: d: is not a level of the column above");
    assert_refuses(ARMS "number x 0 1\nalias c a\n", "a: is not a level");
    assert_refuses(ARMS "alias c\n", "must be: alias WORD LEVEL");
    assert_refuses(ARMS "alias a b\n", "level \"a\" appears twice");
}

TEST(files_that_are_no_schema_are_refused)
{
    HELD(directory) f = directory_new();
    sotto_schema schema;
    assert_says(WHY(sotto__schema_read, f.file, &schema), why_fault.sentence, "cannot be read");
    assert_says(WHY(sotto__schema_read, f.path, &schema), why_fault.sentence, "is a directory");
    file_write(f.file, (const uint8_t *)"a\0b", 3);
    assert_says(WHY(sotto__schema_read, f.file, &schema), why_fault.sentence, "a zero byte");
    file_write(f.file, (const uint8_t *)"abc", 3);
    assert_int_equal(truncate(f.file, 3 << 20), 0);
    assert_says(WHY(sotto__schema_read, f.file, &schema), why_fault.sentence,
                "longer than 1048576 bytes");
}

TEST(what_is_not_said_has_its_default)
{
    sotto_schema schema = schema_of(ARMS);
    assert_int_equal(schema.format, SOTTO_DATASET_CSV);
    assert_int_equal(schema.separator, ',');
    assert_true(schema.header && schema.unit);
    assert_false(schema.from_data || schema.others || schema.unlabelled);
    assert_int_equal(schema.missing_count, 0);
    sotto__schema_free(&schema);
    sotto__schema_free(&schema);
}

TEST(every_line_has_its_meaning)
{
    sotto_schema s = schema_of("separator semicolon # why not\nheader no\nmissing ? \"\" NA\n"
                               "scale bound\nranges data\nothers ignore\n"
                               "number V8..10 -1.5 2e3\nnumber \"a..b\" 0 1 log\n"
                               "category \"c d\" x \"y z\" 1..3\nignore p q 1..2\n"
                               "action item 0 1\nalias zero 0\nalias one 1\n"
                               "reward click -1 1\npropensity chance\n");
    assert_int_equal(s.separator, ';');
    assert_false(s.header || s.unit);
    assert_true(s.from_data && s.others);
    assert_int_equal(s.missing_count, 3);
    assert_strings(s.missing[1], "", s.missing[2], "NA");
    static const char *const name[] = {"V8", "V9", "V10", "a..b", "c d",   "p",
                                       "q",  "1",  "2",   "item", "click", "chance"};
    assert_int_equal(s.columns_count, 12);
    for (uint32_t i = 0; i < 12; i++) {
        assert_string_equal(s.column[i].name, name[i]);
    }
    assert_true(s.column[2].lo == -1.5 && s.column[2].hi == 2000 && !s.column[2].log);
    assert_true(s.column[3].log);
    assert_ints(s.column[4].kind, SOTTO__COLUMN_CATEGORY, s.column[4].levels_count, 5);
    assert_strings(s.column[4].level[1], "y z", s.column[4].level[4], "3");
    assert_ints(s.column[8].kind, SOTTO__COLUMN_IGNORE, s.column[9].aliases_count, 2);
    assert_string_equal(s.column[9].alias[1], "one");
    assert_int_equal(s.column[9].alias_level[1], 1);
    assert_true(s.column[10].lo == -1 && s.column[10].hi == 1);
    assert_int_equal(s.column[11].kind, SOTTO__COLUMN_PROPENSITY);
    sotto__schema_free(&s);
    s = schema_of("format libsvm\nlabel y a b\nnumber 1..780 0 255\n");
    assert_ints(s.format, SOTTO_DATASET_LIBSVM, s.columns_count, 781);
    assert_string_equal(s.column[780].name, "780");
    sotto__schema_free(&s);
    const char *names[] = {"comma", "semicolon", "tab", "bar", "blank"};
    for (int i = 0; i < 5; i++) {
        char text[64];
        snprintf(text, sizeof text, "separator %s\n" ARMS, names[i]);
        s = schema_of(text);
        assert_int_equal(s.separator, ",;\t| "[i]);
        sotto__schema_free(&s);
        assert_string_equal(sotto__separator_name((uint32_t)i), names[i]);
    }
    assert_null(sotto__separator_name(5));
}

/* Schema files are written as they are read. */

static void write_text(const sotto_schema *schema, char *text, size_t bytes)
{
    FILE *file = fmemopen(text, bytes, "w");
    assert_non_null(file);
    sotto__schema_write(schema, file);
    assert_false(ferror(file));
    fclose(file);
}

/* Writing is exact: reading a written schema and writing it again gives the same text and the same
 * schema. */
TEST(what_is_written_is_read_as_the_same)
{
    static char text[65536], again[65536];
    sotto_schema a =
        schema_of("separator tab\ndecimal comma\nheader no\nscale bound\nranges data\nothers "
                  "ignore\nunlabelled skip\n"
                  "missing ? \"\" \"#\" #N/A - .\nmissing \"#N/A\"\n"
                  "number x 0.1 1e300\nnumber y -0.30000000000000004 1 log\n"
                  "category \"c \"\"d\" x \"y\nz\" \"1..3\" 100..199\nignore \"\"\nignore e\n"
                  "label item 0 1 2\nalias \"a b\" 2\n");
    a.column[3].note = strdup("why");
    write_text(&a, text, sizeof text);
    assert_non_null(strstr(text, "# why\nignore"));
    assert_non_null(strstr(text, "number x 0.1 1e+300\n"));
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        assert_true(strcspn(line, "\n") <= 100);
    }
    FREED_BY(sotto__schema_free) sotto_schema b = schema_of(text);
    free(a.column[3].note);
    a.column[3].note = NULL;
    write_text(&a, text, sizeof text);
    write_text(&b, again, sizeof again);
    assert_string_equal(text, again);
    assert_int_equal(b.columns_count, a.columns_count);
    for (uint32_t i = 0; i < a.columns_count; i++) {
        const sotto__column *p = &a.column[i], *q = &b.column[i];
        assert_string_equal(p->name, q->name);
        assert_true(p->kind == q->kind && p->lo == q->lo && p->hi == q->hi && p->log == q->log);
        assert_int_equal(p->levels_count, q->levels_count);
        for (uint32_t k = 0; k < p->levels_count; k++) {
            assert_string_equal(p->level[k], q->level[k]);
        }
        assert_int_equal(p->aliases_count, q->aliases_count);
    }
    assert_string_equal(b.column[5].alias[0], "a b");
    assert_int_equal(b.column[5].alias_level[0], 2);
    assert_true(!b.header && !b.unit && b.from_data && b.others && b.separator == '\t');
    assert_true(b.unlabelled && b.decimal_comma);
    assert_int_equal(b.missing_count, 4); /* an unquoted # begins a comment */
    assert_string_equal(b.missing[3], "#N/A");
    sotto__schema_free(&a);
}

TEST(a_constant_chance_is_written_as_it_is_read)
{
    char text[512];
    sotto_schema s = schema_of("action k a b\nreward r 0 1\npropensity constant 0.1\n");
    assert_true(s.propensity == 0.1);
    assert_int_equal(s.columns_count, 2);
    write_text(&s, text, sizeof text);
    assert_non_null(strstr(text, "propensity constant 0.1\n"));
    sotto__schema_free(&s);
    s = schema_of("action k a b\nreward r 0 1\npropensity constant\n"); /* a column's name */
    assert_string_equal(s.column[2].name, "constant");
    sotto__schema_free(&s);
}

TEST(a_table_of_rewards_is_written_as_it_is_read)
{
    char text[512];
    HELD(directory) f = directory_new();
    sotto_schema s;
    file_write(f.other, (const uint8_t *)"y,a,b\na,1,0\nb,-2,1\n", 19);
    assert_silent(WHY(sotto__schema_read, text_file(&f, ARMS "rewards other\n"), &s));
    assert_true(s.rewards_lo == -2 && s.rewards[2] == -2 && !s.rewards_ranged);
    write_text(&s, text, sizeof text);
    assert_non_null(strstr(text, "rewards other\n"));
    sotto__schema_free(&s);
    assert_silent(WHY(sotto__schema_read, text_file(&f, ARMS "rewards \"other\" -2.5 1\n"), &s));
    write_text(&s, text, sizeof text);
    assert_non_null(strstr(text, "rewards other -2.5 1\n"));
    sotto__schema_free(&s);
}

TEST(features_of_arms_are_written_as_they_are_read)
{
    char text[1024], again[1024];
    HELD(directory) f = directory_new();
    sotto_schema s;
    const char *file = "y,p,k\na,1,u\nb,2,V\n";
    file_write(f.other, (const uint8_t *)file, strlen(file));
    assert_silent(
        WHY(sotto__schema_read,
            text_file(&f, ARMS "arms other\narm number p 0 2 log\narm category k u v\nalias V v\n"),
            &s));
    write_text(&s, text, sizeof text);
    assert_non_null(strstr(
        text, "arms other\narm number p 0 2 log\narm category k u v\nalias V v\nlabel y a b\n"));
    sotto__schema_free(&s);
    assert_silent(WHY(sotto__schema_read, text_file(&f, text), &s));
    write_text(&s, again, sizeof again);
    assert_string_equal(text, again);
    sotto__schema_free(&s);
}

TEST(libsvm_has_no_header_and_no_separator)
{
    static char text[4096];
    FREED_BY(sotto__schema_free) sotto_schema schema = schema_of("format libsvm\n" ARMS);
    write_text(&schema, text, sizeof text);
    assert_non_null(strstr(text, "format libsvm\nscale unit\n"));
    assert_null(strstr(text, "header"));
    assert_null(strstr(text, "separator"));
}

TEST(numbers_have_no_more_digits_than_they_need)
{
    const struct {
        double value;
        const char *text;
    } cases[] = {{0.1, "0.1"}, {-3, "-3"}, {1e300, "1e+300"}, {0.1 + 0.2, "0.30000000000000004"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64] = "";
        FILE *file = fmemopen(text, sizeof text, "w");
        assert_non_null(file);
        sotto__number_write(cases[i].value, file);
        fclose(file);
        assert_string_equal(text, cases[i].text);
    }
}

TEST(vw_text_has_its_own_settings)
{
    static char text[4096];
    sotto_schema schema =
        schema_of("format vw\nnumbered yes\nhash 3\nseparator tab\nnumber u^x 0 1\n" ARMS);
    write_text(&schema, text, sizeof text);
    assert_non_null(strstr(text, "format vw\nseparator tab\nscale unit\n"));
    assert_non_null(strstr(text, "numbered yes\n"));
    assert_non_null(strstr(text, "hash 3\nnumber u^x 0 1\nlabel y a b\n"));
    assert_null(strstr(text, "header"));
    assert_string_equal(text + strlen(text) - 12, "label y a b\n"); /* and no bucket after it */
    sotto__schema_free(&schema);
}

/* The words of a schema file. */

/* All statements as one text: line, words in brackets, quoted ones in braces. NULL, or a fault. */
static const char *read_all(const char *text, char got[512])
{
    char copy[512];
    size_t bytes = strlen(text), at = 0;
    sotto__words *words = malloc(sizeof *words);
    assert_non_null(words);
    snprintf(copy, sizeof copy, "%s\n", text);
    sotto__words_begin(words, copy, bytes);
    const char *said = NULL;
    got[0] = '\0';
    for (;;) {
        said = WHY(sotto__words_next, words);
        if (said != NULL || words->count == 0) break;
        at += (size_t)snprintf(got + at, 512 - at, "%llu", (unsigned long long)words->line);
        for (uint32_t i = 0; i < words->count; i++) {
            const sotto__word *word = &words->word[i];
            at += (size_t)snprintf(got + at, 512 - at, word->quoted ? "{%.*s}" : "[%.*s]",
                                   (int)word->bytes, word->text);
        }
    }
    free(words);
    return said;
}

TEST(quotes_must_close)
{
    char got[512];
    assert_string_equal(read_all("a \"b", got), "a quote that is not closed");
    assert_string_equal(read_all("a \"b\"\"", got), "a quote that is not closed");
    assert_string_equal(read_all("\"", got), "a quote that is not closed");
    assert_non_null(strstr(read_all("a \"b\"c", got), "text after a closing quote"));
}

TEST(a_statement_has_a_most_of_words)
{
    static char text[2 * SOTTO__WORDS_MAX + 4];
    FREED_BY(free_memory) sotto__words *words = malloc(sizeof *words);
    assert_non_null(words);
    for (uint32_t i = 0; i < 2 * SOTTO__WORDS_MAX + 2; i++) {
        text[i] = i % 2 == 0 ? 'a' : ' ';
    }
    text[2 * SOTTO__WORDS_MAX] = '\n';
    sotto__words_begin(words, text, 2 * SOTTO__WORDS_MAX);
    assert_null(WHY(sotto__words_next, words));
    assert_int_equal(words->count, SOTTO__WORDS_MAX);
    text[2 * SOTTO__WORDS_MAX] = 'a';
    text[2 * SOTTO__WORDS_MAX + 1] = '\n';
    sotto__words_begin(words, text, 2 * SOTTO__WORDS_MAX + 1);
    assert_string_equal(WHY(sotto__words_next, words), "too many words");
}

TEST(statements_are_lines_and_what_is_indented_below)
{
    static const char *const pair[][2] = {
        {"", ""},
        {"\n \n# a\n  # b", ""},
        {"a b\nc", "1[a][b]2[c]"},
        {"a  b\t\r\nc\r\n", "1[a][b]2[c]"},
        {"\n\n  a\n", "3[a]"},
        {"a\n  b\n\tc # d\n  # e\n  f\ng", "1[a][b][c][f]6[g]"},
        {"a\n\nb", "1[a]3[b]"},
        {"a#b #c\n", "1[a#b]"},
        {"a \"#b\" \"c d\" \"\" \"e\"\"f\"", "1[a]{#b}{c d}{}{e\"f}"},
        {"a \"b\nc\"\nd", "1[a]{b\nc}3[d]"},
        {"a \"b\"\n", "1[a]{b}"},
    };
    char got[512];
    for (size_t i = 0; i < sizeof pair / sizeof pair[0]; i++) {
        assert_silent(read_all(pair[i][0], got));
        assert_string_equal(got, pair[i][1]);
    }
}

TEST(words_are_written_as_they_are_read)
{
    static const char *const word[] = {"a",      "",     "#",    "a#", "a b", "\"",
                                       "a\"b\"", "a\nb", "1..2", "\t", "\r",  "a.b"};
    for (size_t i = 0; i < sizeof word / sizeof word[0]; i++) {
        char text[64] = "x ", got[512], wanted[64];
        FILE *file = fmemopen(text + 2, sizeof text - 2, "w");
        assert_non_null(file);
        sotto__word_write(word[i], file);
        fclose(file);
        assert_silent(read_all(text, got));
        bool plain = i == 0 || i == 3 || i == 11;
        snprintf(wanted, sizeof wanted, plain ? "1[x][%s]" : "1[x]{%s}", word[i]);
        assert_string_equal(got, wanted);
    }
}

TEST(words_are_compared_whole)
{
    sotto__word word = {.text = "abc", .bytes = 2};
    assert_true(sotto__word_is(&word, "ab"));
    assert_false(sotto__word_is(&word, "abc") || sotto__word_is(&word, "a"));
    assert_false(sotto__word_is(&word, "ac"));
}
