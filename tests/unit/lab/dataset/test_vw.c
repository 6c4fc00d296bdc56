/* VW text as records: faults have line and byte; then the meaning of names and labels. */
#include "lab/dataset/dataset.h"
#include "lab/dataset/inner.h"
#include "texts.h"
#include "why.h"

OWNED(sotto_dataset, sotto_dataset_close)
OWNED(sotto_people, sotto_people_free)
OWNED(sotto__vw, sotto__vw_free)

#define LABEL                                                                                      \
    "format vw\nlabel y a b\nnumber x 0 10\nnumber u^x -1 1\ncategory u^k p q\nignore note\n"
#define LOG "format vw\naction y a b\nreward r -2 2\npropensity p\nnumber x 0 10\n"
#define ADF "format vw-adf\naction y a b\nreward r -2 2\npropensity p\nnumber x 0 10\n"

/* All records as one text, column=value, or the first fault. */
static const char *read_all(const char *lines, const char *bytes, size_t count, char *got,
                            size_t room)
{
    HELD(directory) f = directory_new();
    FREED_BY(sotto__schema_free) sotto_schema schema;
    FREED_BY(sotto__source_close) sotto__source source;
    OWN(sotto__vw) vw = NULL;
    FREED_BY(free_memory) sotto__record *record = malloc(sizeof *record);
    assert_non_null(record);
    assert_silent(WHY(sotto__schema_read, text_file(&f, lines), &schema));
    assert_ok(sotto__vw_new(&schema, &vw));
    file_write(f.other, (const uint8_t *)bytes, count);
    assert_silent(WHY(sotto__source_open, &source, f.other));
    size_t at = 0;
    got[0] = '\0';
    for (;;) {
        const char *said = WHY(sotto__vw_next, vw, &source, record);
        if (said != NULL || record->count == 0) return said;
        at += (size_t)snprintf(got + at, room - at, "%llu:", (unsigned long long)record->line);
        for (uint32_t i = 0; i < record->count; i++) {
            const sotto__field *field = &record->field[i];
            at +=
                (size_t)snprintf(got + at, room - at, " %s=%.*s", schema.column[field->column].name,
                                 (int)field->bytes, field->text);
        }
        at += (size_t)snprintf(got + at, room - at, ";");
    }
}

static void assert_reads(const char *lines, const char *text, const char *wanted)
{
    static char got[4096];
    assert_silent(read_all(lines, text, strlen(text), got, sizeof got));
    assert_string_equal(got, wanted);
}

static void assert_refuses(const char *lines, const char *text, const char *words)
{
    static char got[4096];
    assert_says(read_all(lines, text, strlen(text), got, sizeof got), why_fault.sentence, words);
}

TEST(bad_words_are_named_by_line_and_byte)
{
    assert_refuses(LABEL, "a |\nb x:1\n", "line 2, byte 1: \"b\" is not followed by |");
    assert_refuses(LABEL, "a 1 2 |\n", "line 1, byte 5: \"2\" is one word too many");
    assert_refuses(LABEL, "a 2 |\n", "byte 3: \"2\" is an importance other than 1: each person");
    assert_refuses(LABEL, "a w |\n", "\"w\" is an importance other than 1");
    assert_refuses(LABEL, "a | x:1 x:2\n", "byte 9: \"x:2\" appears twice");
    assert_refuses(LABEL, "a |u k=p k:q\n", "byte 10: \"k:q\" appears twice");
    assert_refuses(LABEL, "a |u z:2\n", "byte 6: \"z:2\" has no line in the schema; `hash` there");
    assert_refuses(LABEL, "a |u x=3\n", "\"x=3\" has no line in the schema"); /* a word to VW */
    assert_refuses(LABEL, "a |u k\n", "\"k\" is a category without a level");
    assert_refuses(LABEL, "a |u:2 k=p\n", "\"k=p\" is a category, and its namespace has a weight");
    assert_refuses(LABEL, "a |u k=p:2\n", "\"k=p:2\" is a level with a value other than 1");
    assert_refuses(LABEL, "shared | x\n", "\"shared\" begins a block of lines: `format vw-adf`");
    assert_refuses(LABEL "numbered yes\n", "3 | x\n",
                   "byte 1: \"3\" is not an arm: allowed 1 to 2");
    assert_refuses(LABEL "numbered yes\n", "a | x\n", "\"a\" is not an arm: allowed 1 to 2");
    static char got[64];
    assert_says(read_all(LABEL, "a |\n\0|", 6, got, sizeof got), why_fault.sentence,
                "line 2: a zero byte");
}

TEST(bad_events_are_named)
{
    assert_refuses(LOG, "a |\n", "\"a\" is not ACTION:COST:CHANCE");
    assert_refuses(LOG, "a:1 |\n", "\"a:1\" is not ACTION:COST:CHANCE");
    assert_refuses(LOG, "a:x:0.5 |\n", "\"a:x:0.5\" has a cost that is not a finite number");
    assert_refuses(LOG, ":1:0.5 |\n", "\":1:0.5\" has no action");
    assert_refuses(LOG, "a:1:0.5 b:1:0.5 |\n", "\"b:1:0.5\" is one word too many");
    assert_refuses("format vw\naction y a b\nreward r 0 1\npropensity constant 0.5\n",
                   "a:1:0.5 |\n", "\"a:1:0.5\" is not ACTION:COST; the schema has a constant");
}

TEST(bad_blocks_are_named)
{
    assert_refuses(ADF, "shared |\n0:1:0.5 |\n\n",
                   "line 1: a block with 1 actions: the schema has 2");
    assert_refuses(ADF, "\nshared |\n|\n|\n|\n", "line 5: action 3: the schema has 2 arms");
    assert_refuses(ADF, "|\nshared |\n", "line 2, byte 1: \"shared\" is not the first line");
    assert_refuses(ADF, "shared 1 |\n|\n|\n", "\"1\" is one word too many");
    assert_refuses(ADF, "0:1:0.5 |\n1:1:0.5 |\n", "line 2, byte 1: \"1:1:0.5\" is a second action");
    assert_refuses(ADF, "|\n1:1 |\n", "line 2, byte 1: \"1:1\" is not ACTION:COST:CHANCE");
    assert_refuses(ADF, "|\n1:1:1 1 |\n", "\"1\" is one word too many");
    assert_refuses(ADF, "|\n| z\n", "line 2, byte 3: \"z\" is a feature of an arm, and these come");
    assert_refuses(ADF, "shared | z\n|\n|\n", "line 1, byte 10: \"z\" has no line in the schema");
}

TEST(long_lines_and_names_are_refused)
{
    static char text[SOTTO__RECORD_BYTES_MAX + 16], got[64];
    memset(text, ' ', sizeof text);
    memcpy(text, "\na |", 4);
    text[1 + SOTTO__RECORD_BYTES_MAX] = '\n';
    assert_silent(read_all(LABEL, text, SOTTO__RECORD_BYTES_MAX + 2, got, sizeof got));
    assert_string_equal(got, "2: y=a;");
    text[1 + SOTTO__RECORD_BYTES_MAX] = ' ';
    text[2 + SOTTO__RECORD_BYTES_MAX] = '\n';
    assert_says(read_all(LABEL, text, SOTTO__RECORD_BYTES_MAX + 3, got, sizeof got),
                why_fault.sentence, "line 2: longer than 1048576 bytes");
    memset(text + 5, 'z', 5000);
    assert_says(read_all("format vw\nhash 2\nlabel y a b\n", text, 6000, got, sizeof got),
                why_fault.sentence, "is longer than 4096 bytes");
}

TEST(labels_and_features_find_their_columns)
{
    assert_reads(LABEL, "", "");
    assert_reads(LABEL, "\n \t\r\n", "");
    assert_reads(LABEL, "a |\n\nb 1 'tag | x:2.5\r\n", "1: y=a;3: y=b x=2.5;");
    assert_reads(LABEL, "a | x |u x:0.5 k=q", "1: y=a x=1 u^x=0.5 u^k=q;");
    assert_reads(LABEL, "b |u k:p |u:2 x:0.25", "1: y=b u^k=p u^x=0.5;");
    assert_reads(LABEL, "b |u:2 k:p", "1: y=b u^k=p;");             /* a level weighs 1 */
    assert_reads(LABEL, "c | x= note note:3 note=4", "1: y=c x=;"); /* others have the levels */
    assert_reads(LABEL, "| x:nan", "1: y= x=nan;");
    assert_reads(LABEL "others ignore\n", "a |u z:2 x=3", "1: y=a;");
    assert_reads(LABEL "numbered yes\n", "2 | x:1\n|", "1: y=b x=1;2: y=;");
    assert_reads(LABEL, "a | u^x:0.5", "1: y=a u^x=0.5;"); /* one and the same name */
}

TEST(costs_are_rewards_with_the_other_sign)
{
    assert_reads(LOG, "a:-1.5:0.25 | x:3\nb:0:1 |\n", "1: y=a r=1.5 p=0.25 x=3;2: y=b r=0 p=1;");
    assert_reads(LOG, "|\n", "1: y=;");
    assert_reads(LOG "numbered yes\n", "2:0.1:0.5 |", "1: y=b r=-0.10000000000000001 p=0.5;");
    assert_reads("format vw\naction y a b\nreward r 0 1\npropensity constant 0.5\n", "a:-1 |",
                 "1: y=a r=1;");
}

TEST(a_block_of_lines_is_a_person)
{
    assert_reads(ADF, "shared | x:2\n|\n0:-1:0.5 |\n\n \nshared |\n7:1:0.25 'tag |\n|",
                 "1: x=2 y=b r=1 p=0.5;6: y=a r=-1 p=0.25;");
    assert_reads(ADF, "0:0:1 |\n|\n\n", "1: y=a r=0 p=1;"); /* nothing is shared */
    assert_reads(ADF "others ignore\n", "|c z:1\n0:0:1 |c z:2\n", "1: y=b r=0 p=1;");
    assert_reads(ADF, "|\n|\n", "1: y=;");
}

/* By the definition at the head of vw.c, with hashes that were computed elsewhere. */
TEST(other_names_share_buckets)
{
    double sign;
    assert_int_equal(sotto__vw_bucket("", 0, 1u << 31, &sign), 0xcbf29ce4u & 0x7fffffffu);
    assert_true(sign == -1);
    assert_int_equal(sotto__vw_bucket("a", 1, 1u << 31, &sign), 0xaf63dc4cu & 0x7fffffffu);
    assert_true(sign == 1); /* hash af63dc4c8601ec8c */
    assert_int_equal(sotto__vw_bucket("foobar", 6, 1000, &sign), 0x85944171u % 1000);
    assert_true(sign == 1); /* hash 85944171f73967e8 */
#define HASHED "format vw\nhash 1\nlabel y a b\n"
    double a, za, colour;
    sotto__vw_bucket("a", 1, 1, &a);
    sotto__vw_bucket("z^a", 3, 1, &za);
    sotto__vw_bucket("c:red", 5, 1, &colour);
    char wanted[128];
    snprintf(wanted, sizeof wanted, "1: y=a bucket 1=%.17g;2: y=b bucket 1=%.17g;3: y=a;",
             a * 0.25 + za * 0.5 * 3, colour);
    assert_reads(HASHED, "a | a:0.25 |z:0.5 a:3\nb | c:red\na |\n", wanted);
    double red;
    sotto__vw_bucket("z^c:red", 7, 1, &red);
    snprintf(wanted, sizeof wanted, "1: y=a bucket 1=%.17g;", red + za * 0.5);
    assert_reads(HASHED, "a |z:0.5 c:red a\n", wanted);
    snprintf(wanted, sizeof wanted, "1: y=a bucket 1=%.17g;", za * 1e300); /* and not infinite */
    assert_reads(HASHED, "a |z:1e300 a:1e300\n", wanted);
}

/* Lines of VW text: invalid ones, then words, namespaces and features. */

/* The whole line as one text: words, then space*weight:name=value; or the first reason. */
static const char *read_line(const char *text, char *got, size_t room)
{
    sotto__vw_line line;
    size_t at = 0;
    got[0] = '\0';
    const char *wrong = WHY(sotto__vw_line_begin, &line, text, (uint32_t)strlen(text));
    for (uint32_t i = 0; wrong == NULL && i < line.words_count; i++) {
        at += (size_t)snprintf(got + at, room - at, "(%.*s)", (int)line.word[i].bytes,
                               line.word[i].text);
    }
    while (wrong == NULL) {
        sotto__vw_feature f;
        wrong = WHY(sotto__vw_line_next, &line, &f);
        if (wrong != NULL || f.whole.bytes == 0) break;
        at += (size_t)snprintf(got + at, room - at, " %.*s*%g:%.*s=%.*s", (int)line.space.bytes,
                               line.space.text, line.weight, (int)f.name.bytes, f.name.text,
                               f.value.text == NULL ? 1 : (int)f.value.bytes,
                               f.value.text == NULL ? "-" : f.value.text);
    }
    if (wrong == NULL) return NULL;
    snprintf(got, room, "%.*s", (int)line.wrong.bytes, line.wrong.text);
    return wrong;
}

TEST(bad_lines_are_named_by_the_word)
{
    const struct {
        const char *text, *word, *reason;
    } cases[] = {
        {"", "", "is not followed by |"},
        {"1 a b", "1", "is not followed by"},
        {"1 'tag 2 |a", "'tag", "is a tag, and other words follow it"},
        {"1 2 3 4 5 6 7 8 9 |a", "9", "is one word too many"},
        {"1 |a :2", ":2", "has no name"},
        {"1 |a x:", "x:", "has no value"},
        {"1 |a:x y", "a:x", "has a weight that is not a finite number"},
        {"1 |a: y", "a:", "has a weight that is not a finite number"},
        {"1 |a:1e999 y", "a:1e999", "has a weight"},
        {"1 |:2 y", ":2", "has no name"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char got[256];
        const char *said = read_line(cases[i].text, got, sizeof got);
        if (said == NULL) fail_msg("\"%s\": %s", cases[i].text, got);
        if (strstr(said, cases[i].reason) == NULL) fail_msg("\"%s\": %s", cases[i].text, said);
        assert_string_equal(got, cases[i].word);
    }
}

TEST(lines_are_words_namespaces_and_features)
{
    const struct {
        const char *text, *wanted;
    } cases[] = {
        {"|", ""},
        {" \t| \r", ""},
        {"1 | a b:2", "(1) *1:a=- *1:b=2"},
        {"1:2:0.5 |n a |m:0.5 b:-3 |c", "(1:2:0.5) n*1:a=- m*0.5:b=-3"},
        {"1 2 'tag |n a", "(1)(2) n*1:a=-"},
        {"1 tag|n a", "(1) n*1:a=-"},
        {"'tag| a", " *1:a=-"},
        {"shared |u x:1.5\r", "(shared) u*1:x=1.5"},
        {"1 |n a|m b", "(1) n*1:a=- m*1:b=-"},
        {"1 |n a || b", "(1) n*1:a=- *1:b=-"},
        {"1 |n city:paris a=b:1", "(1) n*1:city=paris n*1:a=b=1"},
        {"1 | a:b:c", "(1) *1:a=b:c"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char got[256];
        const char *said = read_line(cases[i].text, got, sizeof got);
        if (said != NULL) fail_msg("\"%s\": %s", cases[i].text, said);
        assert_string_equal(got, cases[i].wanted);
    }
}

/* A data set as VW text: its format, and that reading it gives the same people. */

typedef struct made {
    char *text, *schema;
    size_t text_bytes, schema_bytes;
    uint64_t count;
} made;

/* Writes `data`, read by `lines`, as VW text. */
static const char *write_all(const directory *f, const char *lines, const char *data, made *out)
{
    FREED_BY(sotto__schema_free) sotto_schema schema;
    OWN(sotto_dataset) dataset = NULL;
    *out = (made){0};
    assert_silent(WHY(sotto__schema_read, text_file(f, lines), &schema));
    assert_silent(WHY(sotto_dataset_open, &schema, text_file(f, data), &dataset));
    FILE *text = open_memstream(&out->text, &out->text_bytes);
    FILE *lines_out = open_memstream(&out->schema, &out->schema_bytes);
    const char *said = WHY(sotto__vw_write, &schema, dataset, text, lines_out, &out->count);
    fclose(text);
    fclose(lines_out);
    return said;
}

static void made_free(made *m)
{
    free(m->text);
    free(m->schema);
}

/* All people of a file, and what was counted. */
static sotto_people *people_of(const directory *f, const char *lines, const char *data,
                               sotto_dataset_counts *counts)
{
    FREED_BY(sotto__schema_free) sotto_schema schema;
    OWN(sotto_dataset) dataset = NULL;
    sotto_people *people;
    assert_silent(WHY(sotto__schema_read, text_file(f, lines), &schema));
    assert_ok(sotto_people_new(sotto_schema_dim(&schema), &people));
    assert_silent(WHY(sotto_dataset_open, &schema, text_file(f, data), &dataset));
    assert_silent(WHY(sotto_dataset_next, dataset, people));
    *counts = *sotto_dataset_counted(dataset);
    return people;
}

/* To the bit. */
static void assert_comes_back(const directory *f, const char *lines, const char *data)
{
    HELD(made) m;
    sotto_dataset_counts counts, again_counts;
    assert_silent(write_all(f, lines, data, &m));
    OWN(sotto_people) people = people_of(f, lines, data, &counts);
    OWN(sotto_people) again = people_of(f, m.schema, m.text, &again_counts);
    assert_ints(m.count, people->rows, again->rows, people->rows, again->dim, people->dim);
    size_t rows = people->rows;
    assert_memory_equal(again->context, people->context, rows * people->dim * sizeof(double));
    assert_memory_equal(again->arm, people->arm, rows * sizeof people->arm[0]);
    assert_memory_equal(again->reward, people->reward, rows * sizeof(double));
    assert_memory_equal(again->propensity, people->propensity, rows * sizeof(double));
    assert_ints(again_counts.unknown, counts.unknown, again_counts.missing, counts.missing);
}

#define CLASSES                                                                                    \
    "missing ? NA\nnumber x 0 10\ncategory c u \"v w\" NA\nalias U u\nignore z\nlabel y b a\n"

TEST(what_cannot_be_written_is_refused)
{
    HELD(directory) f = directory_new();
    made m;
    assert_says(write_all(&f, "format vw\nlabel y a b\n", "a |\n", &m), why_fault.sentence,
                "the data are VW text already");
    made_free(&m);
    assert_says(write_all(&f, CLASSES, "x,c,z,y\n1,u,,d\n", &m), why_fault.sentence,
                "\"d\" is not one of b a");
    made_free(&m);
    file_write(f.other, (const uint8_t *)"y;a;b\na;1;0\nb;0;1\n", 18);
    assert_says(write_all(&f, "separator semicolon\ndecimal comma\nlabel y a b\nrewards other\n",
                          "y\na\n", &m),
                why_fault.sentence, "decimal comma: VW text has points");
    made_free(&m);
}

TEST(people_are_lines_of_features)
{
    HELD(directory) f = directory_new();
    made m;
    assert_silent(
        write_all(&f, CLASSES, "x,c,z,y\n0.1,u,1,a\n?,v w,2,b\n007,a:b|%=,3,a\n-0,,,b\n", &m));
    assert_string_equal(m.text, "2 | x:0.1 c=u\n1 | x= c=v%20w\n2 | x:7 c=a%3Ab%7C%25%3D\n"
                                "1 | x:-0 c=\n");
    assert_int_equal(m.count, 4);
    assert_non_null(strstr(m.schema, "format vw\n"));
    assert_non_null(strstr(m.schema,
                           "numbered yes\nmissing ? NA\nnumber x 0 10\ncategory c u v%20w "
                           "NA\nalias U u\nlabel y b a\n"));
    made_free(&m);
    assert_silent(write_all(&f,
                            "number x 0 1\naction k 0 1\nreward r -1 2\npropensity constant 0.25\n",
                            "x,k,r\n1,1,0.1\n0.5,0,-3\n0,0,0\n", &m));
    assert_string_equal(m.text, "2:-0.1:0.25 | x:1\n1:1:0.25 | x:0.5\n1:0:0.25 | x:0\n");
    assert_non_null(strstr(m.schema, "propensity \"propensity constant\"\n"));
    made_free(&m);
}

TEST(what_is_written_is_read_as_the_same_people)
{
    HELD(directory) f = directory_new();
    assert_comes_back(&f, CLASSES,
                      "x,c,z,y\n0.1,u,1,a\n?,v w,2,b\nNA,NA,3,a\n99,other,,b\n3e-5,U,,a\n"
                      "0.30000000000000004,?,,a\n,,,b\n");
    assert_comes_back(&f,
                      "separator semicolon\ndecimal comma\nscale bound\nunlabelled skip\n"
                      "number \"a b\" -1 1\nnumber \"\" 0 1e6 log\ncategory \"k:|=%\" \"\" "
                      "\"1..2\"\nlabel y 0 1 2\n",
                      "y;a b;;k:|=%\n2;0,5;12345,678;1..2\n;1;1;1\n0;-0,25;;\n1;1;3;x y\n");
    assert_comes_back(&f, /* -1 is missing, and -1.0 is not */
                      "missing -1 ?\nnumber x -2 2\ncategory k u -1\ncategory l u\nlabel y a b\n",
                      "x,k,l,y\n-1,-1,-1,a\n-1.0,u,?,b\n-1e0,?,u,a\n");
    assert_comes_back(
        &f, "format libsvm\nnumber 1 0 1\nnumber 2 1 3\nnumber 7 -1 1 log\nlabel y -1 +1\n",
        "+1 1:0.5 7:0.25\n-1\n-1 2:2 7:-1\n+1 2:0\n");
    assert_comes_back(&f, "number x 0 1\naction k p q r\nreward r -1 2\npropensity p\n",
                      "x,k,r,p\n0.3,r,0.1,0.3333333333333333\n1,p,-0.7,1\n0,q,7,1e-9\n0,q,0,0.5\n");
    assert_comes_back(&f, "number x 0 1\naction k p q\nreward r 0 1\npropensity constant 0.1\n",
                      "x,k,r\n0.3,q,1\n1,p,0\n");
}

TEST(a_log_with_features_of_arms_is_blocks_of_lines)
{
    HELD(directory) f = directory_new();
    made m;
    const char *arms = "k,price,note,kind\nq,4,x,\np,2.50,y,a b\n";
    const char *lines = "number x 0 1\naction k p q\nreward r 0 1\npropensity p\narms other\n"
                        "arm number price 0 10\narm category kind \"a b\" c\narm ignore note\n";
    const char *data = "x,k,r,p\n0.3,q,1,0.25\n1,p,0,0.5\n";
    file_write(f.other, (const uint8_t *)arms, strlen(arms));
    assert_silent(write_all(&f, lines, data, &m));
    assert_string_equal(m.text,
                        "shared | x:0.3\n| price:2.5 kind=a%20b\n0:-1:0.25 | price:4 kind=\n\n"
                        "shared | x:1\n0:0:0.5 | price:2.5 kind=a%20b\n| price:4 kind=\n\n");
    assert_non_null(strstr(m.schema, "format vw-adf\n"));
    assert_null(strstr(m.schema, "numbered"));
    made_free(&m);
    assert_comes_back(&f, lines, data);
}

TEST(files_beside_the_schema_are_found_from_anywhere)
{
    directory f = directory_new();
    made m;
    FREED_BY(sotto__schema_free) sotto_schema schema;
    const char *table = "y,a,b,price\na,1,0,3\nb,-2,1,4\n"; /* both tables in one file */
    const char *lines = "others ignore\nlabel y a b\narms other\narm number price 0 10\n";
    file_write(f.other, (const uint8_t *)table, strlen(table));
    assert_silent(write_all(&f, lines, "y\na\n", &m));
    assert_non_null(strstr(m.schema, f.other));
    made_free(&m);
    directory_free(&f);
    f = directory_new();
    file_write(f.other, (const uint8_t *)"y,a,b\na,1,0\nb,-2,1\n", 19);
    assert_silent(write_all(&f, "label y a b\nrewards other -3 1\n", "y\na\n", &m));
    HELD(directory) g = directory_new();
    assert_silent(WHY(sotto__schema_read, text_file(&g, m.schema), &schema));
    assert_true(schema.rewards[2] == -2 && schema.rewards_lo == -3 && schema.rewards_ranged);
    made_free(&m);
    directory_free(&f);
}
