/* A schema drafted from a file. */
#include "lab/dataset/dataset.h"
#include "lab/dataset/inner.h"
#include "texts.h"
#include "why.h"

#include <unistd.h>

static const char *draft_text(const sotto_draft *draft, const char *text, sotto_schema *schema)
{
    directory f = directory_new();
    const char *said = WHY(sotto__schema_draft, draft, text_file(&f, text), schema);
    directory_free(&f);
    return said;
}

static void assert_refuses(const sotto_draft *draft, const char *text, const char *words)
{
    sotto_schema schema;
    assert_says(draft_text(draft, text, &schema), why_fault.sentence, words);
    assert_null(schema.column);
}

/* The schema as a file has it; the settings only up to the words for missing. */
static void assert_drafts(const sotto_draft *draft, const char *text, const char *wanted)
{
    static char got[65536];
    FREED_BY(sotto__schema_free) sotto_schema schema;
    assert_silent(draft_text(draft, text, &schema));
    assert_true(schema.from_data);
    assert_silent(WHY(sotto__schema_fault, &schema));
    FILE *file = fmemopen(got, sizeof got, "w");
    assert_non_null(file);
    sotto__schema_write(&schema, file);
    fclose(file);
    const char *columns =
        strstr(got, "missing ? NA na N/A n/a \"#N/A\" NaN nan NULL null None none "
                    "- .\n");
    assert_non_null(columns);
    columns = strchr(columns, '\n') + 1;
    if (strcmp(columns, wanted) != 0) fail_msg("got\n%s\nwanted\n%s", columns, wanted);
}

static const sotto_draft by_y = {.label = "y"};

TEST(what_makes_no_bandit_is_refused)
{
    assert_refuses(&by_y, "", "is empty");
    assert_refuses(&by_y, "x,y\n", "has no rows");
    assert_refuses(&by_y, "x,y\n1,a\n2,a\n", "column \"y\": 1 level: allowed 2");
    assert_refuses(&by_y, "x,y\n1,\n2,NA\n", "column \"y\": 0 levels");
    assert_refuses(&by_y, "x,z\n1,a\n2,b\n", "column \"y\" is not in the file, which has 2");
    assert_refuses(&by_y, "x,y,x\n1,a,2\n2,b,3\n", "column \"x\" appears twice");
    assert_refuses(&by_y, "x,y\n1,a\n2\n",
                   "line 3: 1 field, expected 2; the separator was guessed: comma");
    assert_refuses(&by_y, "x;y\n1;a\n2;b;c\n",
                   "line 3: 3 fields, expected 2; the separator was guessed: semicolon");
    sotto_draft comma = {.label = "y", .separator = ','};
    assert_refuses(&comma, "x,y\n1,a\n2\n", "line 3: 1 field, expected 2");
    assert_null(strstr(why_fault.sentence, "guessed"));
    assert_refuses(&by_y, "x,y\n1,\"a\n", "line 2: a quote");
    sotto_draft none = {.label = NULL};
    assert_refuses(&none, "x,y\n1,a\n2,b\n", "0 labels, 0 actions");
    assert_refuses(&by_y, "\"a\nb\",z\n1,a\n2,b\n", "which has 2: \"a?b\" to \"z\"");
    const char *ignored[] = {"w"};
    sotto_draft other = {.label = "y", .ignored_count = 1, .ignored = ignored};
    assert_refuses(&other, "x,y\n1,a\n2,b\n", "column \"w\" is not in the file");
    ignored[0] = "";
    assert_refuses(&other, "x,y\n1,a\n2,b\n",
                   ": one name is empty (does the list end with a comma?), but every column of the "
                   "file has a name");
    sotto_draft log = {.action = "a", .reward = "r", .propensity = "p"};
    assert_refuses(&log, "a,r,p\n1,x,1\n2,1,1\n", "column \"r\": a reward needs numbers");
    assert_refuses(&log, "a,r\n1,1\n2,1\n", "column \"p\" is not in the file");
    sotto_draft sparse = {.format = SOTTO_DATASET_LIBSVM};
    assert_refuses(&sparse, "1 1:2\n2 3:x\n", "line 2, column 3: \"x\" is not a finite number");
    assert_refuses(&sparse, "1 1:2\n2 3\n", "line 2, byte 3");
    assert_refuses(&sparse, "1 1:2\n1 1:3\n", "1 level");
    assert_refuses(&sparse, "", "has no rows");
    sotto_schema schema;
    assert_says(WHY(sotto__schema_draft, &by_y, "/", &schema), why_fault.sentence,
                "is a directory");
}

static const char *draft_pipe(const sotto_draft *draft, sotto_schema *schema)
{
    static const char text[] = "x,y\n1,a\n2,b\n";
    char path[32];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_int_equal(write(ends[1], text, sizeof text - 1), sizeof text - 1);
    close(ends[1]);
    const char *said = WHY(sotto__schema_draft, draft, path, schema);
    close(ends[0]);
    return said;
}

/* Rows that are to be played after the draft come from a file. */
TEST(a_pipe_is_read_once)
{
    FREED_BY(sotto__schema_free) sotto_schema schema;
    assert_says(draft_pipe(&by_y, &schema), why_fault.sentence, "a second time");
    sotto_draft once = {.label = "y", .once = true};
    assert_silent(draft_pipe(&once, &schema));
    assert_int_equal(sotto_schema_arms(&schema), 2);
}

TEST(a_constant_is_no_context)
{
    assert_refuses(&by_y, "y\n1\n2\n", "has no feature");
    assert_refuses(&by_y, "y,x\na,1\nb,1\n",
                   "column \"x\": all rows have the same value; and no other feature is left");
    assert_refuses(&by_y, "y,x\na,1\n?,1\nb,1\n", "column \"x\": all rows have");
    const char *ignored[] = {"x"};
    sotto_draft other = {.label = "y", .ignored_count = 1, .ignored = ignored};
    assert_refuses(&other, "x,y\n1,a\n2,b\n", "has no feature");
    assert_refuses(&other, "x,y,z\n1,a,7\n2,b,7\n", "column \"z\": all rows");
}

TEST(too_many_arms_are_refused)
{
    static char text[8192];
    size_t at = (size_t)snprintf(text, sizeof text, "x,y\n");
    for (int i = 0; i < 257; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%d,a%03d\n", i % 10, i);
    }
    assert_refuses(&by_y, text,
                   "column \"y\": more than 256 levels, too many for arms; replace numbers by a "
                   "few ranges first");
    text[at - 7] = '\0'; /* without the last line */
    FREED_BY(sotto__schema_free) sotto_schema schema;
    assert_silent(draft_text(&by_y, text, &schema));
    assert_int_equal(sotto_schema_arms(&schema), 256);
}

TEST(columns_are_what_their_values_are)
{
    const char *ignored[] = {"id"};
    sotto_draft draft = {.label = "y", .ignored_count = 1, .ignored = ignored};
    assert_drafts(&draft,
                  "id,a,b,c,d,e,f,y\n"
                  "1,-2,u,?,7,1,x,b\n"
                  "2,3.5,v,,7,2,1,a\n"
                  "3,NA,u,NA,7,1,,a\n",
                  "ignore id\n"
                  "number a -2 3.5\n"
                  "category b u v\n"
                  "# no row has a value\nignore c\n"
                  "# all rows have the same value\nignore d\n"
                  "number e 1 2\n"
                  "category f 1 x\n"
                  "label y a b\n");
}

TEST(arms_that_are_numbers_are_in_their_order)
{
    sotto_draft log = {.action = "k", .reward = "r", .propensity = "p"};
    assert_drafts(&log, "k,r,p,x\n10,0,1,0\n9,0.5,1,0\n-1,0,1,1\n9.0,0,1,1\n",
                  "action k -1 9 9.0 10\nreward r 0 0.5\npropensity p\nnumber x 0 1\n");
    assert_drafts(&log, "k,r,p,x\n1,2,1,0\n0,2,1,1\n",
                  "action k 0 1\nreward r 2 3\npropensity p\nnumber x 0 1\n");
}

TEST(headers_are_guessed)
{
    sotto_draft by_2 = {.label = "2"};
    assert_drafts(&by_2, "1,a\n2,b\n", "number 1 1 2\nlabel 2 a b\n");
    assert_drafts(&by_2, "u,a\nv,b\n", "category 1 u v\nlabel 2 a b\n"); /* all cells are words */
    sotto_draft by_b = {.label = "b"};
    assert_drafts(&by_b, "a,b\nu,v\nw,x\n", "category a u w\nlabel b v x\n"); /* b is a name */
    sotto_draft yes = {.label = "1", .header = SOTTO_HEADER_YES};
    assert_drafts(&yes, "1,2\n2,3\n4,6\n", "label 1 2 4\nnumber 2 3 6\n");
    sotto_draft no = {.label = "2", .header = SOTTO_HEADER_NO};
    assert_drafts(&no, "a,y\n1,z\n", "category 1 1 a\nlabel 2 y z\n");
    no.label = "1";
    assert_drafts(&no, "1,2\n2,3\n", "label 1 1 2\nnumber 2 2 3\n");
    sotto_schema schema;
    assert_silent(draft_text(&by_2, "1,a\n2,b\n", &schema));
    assert_false(schema.header);
    sotto__schema_free(&schema);
    assert_silent(draft_text(&by_y, "x,y\n2,b\n3,c\n", &schema));
    assert_true(schema.header);
    sotto__schema_free(&schema);
    sotto_draft ignored = {.label = "2", .ignored_count = 0};
    assert_refuses(&ignored, "a,b\n1,2\n3,4\n", "column \"2\" is not in the file");
}

/* As that of the first column of many tables. */
TEST(a_name_may_be_empty)
{
    const char *ignored[] = {""};
    sotto_draft unnamed = {.label = "y", .ignored_count = 1, .ignored = ignored};
    assert_drafts(&unnamed, ",x,y\n1,2,a\n2,3,b\n", "ignore \"\"\nnumber x 2 3\nlabel y a b\n");
}

/* A header of numbers, as of tables without names. */
TEST(a_number_may_be_a_name)
{
    static const char text[] = "0,1,2\n5,6,7\n6,8,8\n";
    sotto_draft by_0 = {.label = "0"}, by_2 = {.label = "2"}, by_3 = {.label = "3"};
    assert_drafts(&by_0, text, "label 0 5 6\nnumber 1 6 8\nnumber 2 7 8\n"); /* no column 0 */
    assert_refuses(&by_2, text,
                   "line 1: \"2\" is a word of the first record, but also the number of");
    assert_non_null(strstr(why_fault.sentence, "--header yes or --header no"));
    assert_drafts(&by_3, text, "number 1 0 6\nnumber 2 1 8\nlabel 3 2 7 8\n"); /* no word 3 */
    sotto_draft by_9 = {.label = "9"};
    assert_drafts(&by_9, "9,8\n1,2\n3,4\n", "label 9 1 3\nnumber 8 2 4\n"); /* no column 9 */
    assert_drafts(&by_2, "2,2\n1,3\n", "number 1 1 2\nlabel 2 2 3\n");      /* no names: twice */
    const char *other[] = {"0"}, *third[] = {"3"};
    sotto_draft named = {.label = "2", .ignored_count = 1, .ignored = other};
    assert_drafts(&named, text, "ignore 0\nnumber 1 6 8\nlabel 2 7 8\n");
    sotto_draft numbered = {.label = "2", .ignored_count = 1, .ignored = third};
    assert_drafts(&numbered, text, "number 1 0 6\nlabel 2 1 6 8\nignore 3\n");
}

TEST(rows_without_a_label_are_skipped)
{
    assert_drafts(&by_y, "x,y\n1,a\n2,\n3,b\n4,-\n",
                  "number x 1 4\n# rows without a label: 2 of 4, and `unlabelled skip` skips them; "
                  "the first has \"\", in line 3\nlabel y a b\n");
    sotto_schema schema;
    assert_silent(draft_text(&by_y, "x,y\n1,a\n2,NA\n3,b\n", &schema));
    assert_true(schema.unlabelled);
    assert_non_null(strstr(schema.column[1].note, "the first has \"NA\", in line 3"));
    sotto__schema_free(&schema);
    assert_silent(draft_text(&by_y, "x,y\n,a\n2,b\n3,b\n", &schema));
    assert_false(schema.unlabelled);
    assert_null(schema.column[1].note);
    sotto__schema_free(&schema);
    sotto_draft sparse = {.format = SOTTO_DATASET_LIBSVM};
    assert_silent(draft_text(&sparse, "1 1:2\n? 1:3\n0 1:4\n", &schema));
    assert_true(schema.unlabelled);
    sotto__schema_free(&schema);
}

TEST(words_for_missing_are_no_levels)
{
    assert_drafts(&by_y,
                  "x,y\n1,a\nNone,a\nnone,a\nna,a\nn/a,a\nN/A,a\n#N/A,a\n-,a\n.,a\nnull,a\n2,b\n",
                  "number x 1 2\nlabel y a b\n");
}

TEST(separators_are_guessed)
{
    static const char *const text[] = {"x,y\n1,a\n2,b\n", "x;y\n1;a\n2;b\n", "x\ty\n1\ta\n2\tb\n",
                                       "x y\n1  a\n2 b\n", "\"a;;;b\",y;\n1,a\n2,b\n"};
    static const char wanted[] = ",;\t ,";
    for (int i = 0; i < 5; i++) {
        FREED_BY(sotto__schema_free) sotto_schema schema;
        sotto_draft draft = {.label = i == 4 ? "y;" : "y"};
        assert_silent(draft_text(&draft, text[i], &schema));
        assert_ints(schema.separator, wanted[i], schema.columns_count, 2);
    }
    sotto_draft comma = {.label = "y", .separator = ','};
    assert_drafts(&comma, "y,\"a;b;c\"\n1,1\n2,2\n", "label y 1 2\nnumber a;b;c 1 2\n");
    assert_refuses(&by_y, "y\n1\n2 3\n", "has no feature"); /* one column: commas separate */
}

TEST(libsvm_has_zeros_where_nothing_is_listed)
{
    sotto_draft draft = {.format = SOTTO_DATASET_LIBSVM};
    assert_drafts(&draft, "+1 1:5 4:2\n-1 1:7 4:3\n+1 1:6 2:-1 4:2\n",
                  "label label -1 +1\nnumber 1 5 7\nnumber 2 -1 0\n"
                  "# no row has a value\nignore 3\nnumber 4 2 3\n");
}

/* 300 words in x; 5 columns of 250 words, of which 4 have room. */
TEST(categories_have_a_most_of_levels)
{
    static char text[65536];
    size_t at = (size_t)snprintf(text, sizeof text, "x,a,b,c,d,e,n,y\n");
    for (int i = 0; i < 300; i++) {
        int k = i % 250;
        at += (size_t)snprintf(text + at, sizeof text - at, "x%d,a%d,b%d,c%d,d%d,e%d,%d,%d\n", i, k,
                               k, k, k, k, i, i % 2);
    }
    FREED_BY(sotto__schema_free) sotto_schema schema;
    assert_silent(draft_text(&by_y, text, &schema));
    assert_string_equal(schema.column[0].note,
                        "\"x0\" in line 2 is not a number, and more than 256 levels");
    for (int i = 1; i < 5; i++) {
        assert_int_equal(schema.column[i].kind, SOTTO__COLUMN_CATEGORY);
        assert_int_equal(schema.column[i].levels_count, 250);
    }
    assert_int_equal(schema.column[5].kind, SOTTO__COLUMN_IGNORE);
    assert_non_null(strstr(schema.column[5].note, "too many levels"));
    assert_int_equal(sotto_schema_dim(&schema), 1002);
}

/* 30 numbers and the constant leave 993 features, which are 3 times 250 and not 4 times. */
TEST(numbers_go_before_categories)
{
    static char text[65536];
    size_t at = (size_t)snprintf(text, sizeof text, "a,b,c,d,y");
    for (int i = 0; i < 30; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, ",n%d", i);
    }
    for (int i = 0; i < 250; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "\na%d,b%d,c%d,d%d,%d", i, i, i, i,
                               i % 2);
        for (int k = 0; k < 30; k++) {
            at += (size_t)snprintf(text + at, sizeof text - at, ",%d", i);
        }
    }
    FREED_BY(sotto__schema_free) sotto_schema schema;
    assert_silent(draft_text(&by_y, text, &schema));
    assert_int_equal(sotto_schema_dim(&schema), 3 * 250 + 30 + 1);
    assert_int_equal(schema.column[3].kind, SOTTO__COLUMN_IGNORE);
}

TEST(levels_have_a_longest_length)
{
    char text[512], level[202];
    sotto_schema schema;
    memset(level, 'x', sizeof level);
    for (int bytes = 200; bytes <= 201; bytes++) {
        snprintf(text, sizeof text, "x,y,z\n1,a,1\n%.*s,a,2\nu,b,3\n", bytes, level);
        assert_silent(draft_text(&by_y, text, &schema));
        assert_int_equal(schema.column[0].kind,
                         bytes == 200 ? SOTTO__COLUMN_CATEGORY : SOTTO__COLUMN_IGNORE);
        const char *note = schema.column[0].note;
        assert_true((note == NULL) == (bytes == 200));
        if (note != NULL) {
            assert_non_null(strstr(note, "\"xxxx"));
            assert_non_null(strstr(note, "in line 3 is not a number, and a level longer than 200"));
        }
        sotto__schema_free(&schema);
    }
    sotto_draft no = {.label = "2", .header = SOTTO_HEADER_NO};
    snprintf(text, sizeof text, "\n%.*s,a,1\nu,b,3\n", 201, level);
    assert_silent(draft_text(&no, text, &schema));
    assert_non_null(strstr(schema.column[0].note, "in line 2 is not a number"));
    sotto__schema_free(&schema);
}

/* Never read as words, and never guessed: 1.234 is 1.234 to one author and 1234 to another. */
TEST(numbers_that_are_written_otherwise_are_refused)
{
    assert_refuses(&by_y, "x;z;y\n1,5;1.234,50;a\n2,5;2;b\n",
                   "line 2, column \"z\": \"1.234,50\" is not a finite number: the decimal mark is "
                   "a comma, and thousands separators are not read; the mark was guessed: set it "
                   "with --decimal point or --decimal comma; --ignore leaves the column out");
    assert_refuses(
        &by_y, "x\ty\n1.5\ta\n1,234.50\tb\n",
        "line 3, column \"x\": \"1,234.50\" is not a finite number: the decimal mark is a point");
    assert_refuses(&by_y, "x,y\n1.5,a\n\"1,234.50\",b\n", "\"1,234.50\" is not a finite number");
    assert_null(strstr(why_fault.sentence, "guessed")); /* a comma separates already */
    /* A column of 1.234 with decimal commas elsewhere, whichever of them are more. */
    assert_refuses(&by_y, "x;z;y\n1,5;1.234;a\n2,5;2;b\n",
                   "column \"z\": \"1.234\" is not a finite number");
    assert_refuses(&by_y, "x;z;y\n1,5;1.234;a\n2,5;2.345;b\n",
                   "column \"x\": \"1,5\" is not a finite number");
    const char *ignored[] = {"x"};
    sotto_draft part = {.label = "y", .ignored_count = 1, .ignored = ignored};
    assert_refuses(&part, "x;z;y\n1,5;1.234;a\n2,5;2.345;b\n",
                   "column \"x\": \"1,5\" is not a finite number");
    part.decimal = ',';
    assert_refuses(&part, "x;z;y\n1,5;1.234;a\n2,5;2.345;b\n",
                   "column \"z\": \"1.234\" is not a finite number");
    sotto_draft log = {.action = "a", .reward = "r", .constant_propensity = 0.5};
    assert_refuses(&log, "x;a;r\n1;u;1.234,5\n2;v;1\n",
                   "column \"r\": \"1.234,5\" is not a finite number");
}

TEST(words_among_numbers_make_a_category)
{
    assert_drafts(&by_y, "x;z;y\n1;1.234,50;a\n2;none of these;b\n",
                  "number x 1 2\ncategory z 1.234,50 \"none of these\"\nlabel y a b\n");
    sotto_draft said = {.label = "y", .decimal = '.'};
    assert_drafts(&said, "x;y\n1;1,5\n2;2,5\n", "number x 1 2\nlabel y 1,5 2,5\n");
}

/* What one pass over a file keeps. What follows from that, and what is refused, is in
 * test_draft.c. */

static const sotto_draft by_y_survey = {.label = "y", .header = SOTTO_HEADER_GUESS};

typedef struct scene {
    directory directory;
    sotto_schema schema;
    sotto__survey survey;
} scene;

static const char *look(const sotto_draft *draft, const char *text, scene **out)
{
    scene *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->directory = directory_new();
    c->survey.draft = draft;
    c->survey.schema = &c->schema;
    c->survey.mark = '.';
    c->survey.fault = &why_fault;
    assert_ok(sotto__levels_new(&c->survey.missing, 1));
    sotto__levels_add(&c->survey.missing, "NA", 2, 0);
    assert_silent(WHY(sotto__source_open, &c->survey.source, text_file(&c->directory, text)));
    *out = c;
    return why_of(draft->format == SOTTO_DATASET_CSV ? sotto__survey_csv(&c->survey)
                                                     : sotto__survey_libsvm(&c->survey));
}

static void scene_free(scene *c)
{
    sotto__survey_free(&c->survey);
    sotto__levels_free(&c->survey.missing);
    sotto__source_close(&c->survey.source);
    directory_free(&c->directory);
    free(c);
}
OWNED(scene, scene_free)

TEST(bad_rows_are_named_by_line)
{
    scene *c;
    assert_says(look(&by_y_survey, "", &c), why_fault.sentence, "is empty");
    scene_free(c);
    assert_says(look(&by_y_survey, "x,y\n1,a\n2\n", &c), why_fault.sentence,
                "line 3: 1 field, expected 2");
    scene_free(c);
    sotto_draft sparse = {.format = SOTTO_DATASET_LIBSVM};
    assert_says(look(&sparse, "1 1:2\n2 3:x\n", &c), why_fault.sentence, "line 2, column 3: \"x\"");
    scene_free(c);
}

TEST(columns_keep_their_range_and_the_first_words)
{
    OWN(scene) c;
    assert_silent(look(&by_y_survey, "x;z;w;y\n1,5;u;1.234,5;a\nNA;2;2,5;a\n-3,5;2;7;b\n", &c));
    const sotto__survey *s = &c->survey;
    assert_ints(s->rows, 3, s->columns_count, 4);
    assert_true(c->schema.header);
    assert_int_equal(c->schema.separator, ';');
    assert_true(c->schema.decimal_comma);
    assert_false(sotto__has_words(s->seen[0]));
    assert_true(s->seen[0]->lo == -3.5 && s->seen[0]->hi == 1.5);
    assert_ints(s->seen[0]->missing, 1, s->seen[0]->first_missing.line, 3);
    assert_true(s->seen[1]->words);
    assert_int_equal(s->seen[1]->first_other.line, 0);
    assert_false(s->seen[2]->words); /* nothing but numbers, one of them written otherwise */
    assert_int_equal(s->seen[2]->first_other.line, 2);
    assert_string_equal(s->seen[2]->first_other.shown, "1.234,5");
    assert_ints(s->seen[3]->levels.count, 2, sotto__survey_column(s, "w"), 2);
    assert_int_equal(sotto__survey_column(s, "q"), 4);
}

TEST(without_a_header_empty_columns_stay)
{
    OWN(scene) c;
    sotto_draft by_number = {.label = "3", .header = SOTTO_HEADER_NO};
    assert_silent(look(&by_number, "|1|a|\n|---|---|\n", &c));
    assert_ints(c->survey.columns_count, 4, c->survey.rows, 2, c->survey.seen[0]->missing, 2);
}
