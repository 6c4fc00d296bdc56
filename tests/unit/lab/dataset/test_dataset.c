/* Records as contexts, arms, rewards, chances: bad rows by line and column, then the encoding. */
#include "lab/dataset/dataset.h"
#include "texts.h"
#include "why.h"

#include <unistd.h>

OWNED(sotto_people, sotto_people_free)

typedef struct bench {
    directory directory;
    sotto_schema *schema; /* must not move: the data set borrows it */
    sotto_dataset *dataset;
    sotto_people *people;
} bench;

/* Opens `text` under the schema; `said` is what sotto_dataset_open returned. */
static bench bench_open(const char *schema, const char *text, const char **said)
{
    bench b = {.directory = directory_new(), .schema = malloc(sizeof *b.schema)};
    assert_non_null(b.schema);
    file_write(b.directory.other, (const uint8_t *)schema, strlen(schema));
    assert_silent(WHY(sotto__schema_read, b.directory.other, b.schema));
    assert_ok(sotto_people_new(sotto_schema_dim(b.schema), &b.people));
    *said = WHY(sotto_dataset_open, b.schema, text_file(&b.directory, text), &b.dataset);
    assert_true((b.dataset == NULL) == (*said != NULL));
    return b;
}

static void bench_free(bench *b)
{
    sotto_dataset_close(b->dataset);
    sotto_people_free(b->people);
    sotto__schema_free(b->schema);
    free(b->schema);
    directory_free(&b->directory);
}

/* The first block of rows. */
static bench bench_of(const char *schema, const char *text)
{
    const char *said;
    bench b = bench_open(schema, text, &said);
    assert_silent(said);
    assert_silent(WHY(sotto_dataset_next, b.dataset, b.people));
    return b;
}

static void assert_refuses(const char *schema, const char *text, const char *words)
{
    const char *said;
    HELD(bench) b = bench_open(schema, text, &said);
    if (said == NULL) said = WHY(sotto_dataset_next, b.dataset, b.people);
    assert_says(said, why_fault.sentence, words);
    if (strstr(why_fault.sentence, "ledger: ") == NULL)
        fail_msg("\"%s\" does not name the file", why_fault.sentence);
}

#define CLASSES "number x 0 10\ncategory c u v\nlabel y a b\nmissing ?\n"
#define LOG "number x 0 10\naction k 0 1\nreward r -1 2\npropensity p\nmissing ?\n"

TEST(bad_files_are_refused)
{
    assert_refuses(CLASSES, "", "is empty");
    assert_refuses(CLASSES, "\xEF\xBB\xBF\r\n", "is empty");
    assert_refuses(CLASSES, "x,c,y\n", "has no rows");
    assert_refuses("header no\nlabel 1 a b\n", "", "is empty");
    assert_refuses("format libsvm\nlabel y a b\n", "", "has no rows");
    assert_refuses(CLASSES, "x,c\n1,u\n", "line 1: column \"y\" of the schema is not in the file");
    assert_refuses(CLASSES, "x,c,y,z\n", "line 1: column \"z\" has no line in the schema; `ignore");
    assert_refuses(CLASSES, "x,c,y,x\n", "line 1: column \"x\" appears twice");
    assert_refuses("header no\nlabel 2 a b\n", "1,a\n", "column \"1\" has no line");
    assert_refuses("header no\nnumber 2 0 1\nlabel 3 a b\nothers ignore\n", "1,a\n",
                   "column \"3\" of the schema is not in the file, which has 2");
    assert_refuses(CLASSES, "x,c,y\n1,u,a\n1,u\n", "line 3: 2 fields, expected 3");
    assert_refuses(CLASSES, "x,c,y\n1,\"u\n\",a\n\n1,u,a,\n", "line 5: 4 fields, expected 3");
    assert_refuses(CLASSES, "x,c,y\n1,\"u,a\n", "line 2: a quote that is not closed");
    assert_refuses("label y a b\nnumber x 0 1\n", "x,y\n1\n", "line 2: 1 field, expected 2");
    assert_refuses(CLASSES "unlabelled skip\n", "x,c,y\n1,u,?\n", "has no rows with a label");
    assert_refuses(CLASSES "unlabelled skip\n", "x,c,y\n1,?\n", "line 2: 2 fields, expected 3");
    assert_refuses(CLASSES "unlabelled skip\n", "x,c,y\n1,u,d\n", "\"d\" is not one of a b");
    HELD(directory) f = directory_new();
    sotto_schema schema = {.separator = ','};
    sotto_dataset *dataset;
    assert_says(WHY(sotto_dataset_open, &schema, f.path, &dataset), why_fault.sentence, "0 labels");
    assert_null(dataset);
    sotto_dataset_close(NULL);
    sotto_people_free(NULL);
}

TEST(bad_fields_are_named_by_line_and_column)
{
    assert_refuses(CLASSES, "x,c,y\n1,u,a\nNaN,u,a\n",
                   "line 3, column \"x\": \"NaN\" is not a finite number");
    assert_refuses(CLASSES, "x,c,y\n-inf,u,a\n", "\"-inf\" is not a finite number");
    assert_refuses(CLASSES, "x,c,y\n1e999,u,a\n", "\"1e999\" is not a finite number");
    assert_refuses(CLASSES, "x,c,y\n1,u,d\n", "line 2, column \"y\": \"d\" is not one of a b");
    assert_refuses(CLASSES, "x,c,y\n1,u,\n", "column \"y\": \"\" counts as missing");
    assert_refuses(CLASSES, "x,c,y\n1,u,?\n", "column \"y\": \"?\" counts as missing");
    assert_refuses(LOG, "x,k,r,p\n1,0,1,0.5\n1,2,1,.5\n",
                   "line 3, column \"k\": \"2\" is not one of");
    assert_refuses(LOG, "x,k,r,p\n1,,1,0.5\n", "column \"k\": \"\" counts as missing");
    assert_refuses(LOG, "x,k,r,p\n1,0,?,0.5\n", "column \"r\": \"?\" counts as missing");
    assert_refuses(LOG, "x,k,r,p\n1,0,nan,0.5\n", "column \"r\": \"nan\" is not a finite number");
    assert_refuses(LOG, "x,k,r,p\n1,0,1,\n", "column \"p\": \"\" counts as missing");
    static const char *const chance[] = {"0", "-0.5", "1.0001", "nan", "1e-400", "x"};
    for (int i = 0; i < 6; i++) {
        char text[64], words[96];
        snprintf(text, sizeof text, "x,k,r,p\n1,0,1,%s\n", chance[i]);
        snprintf(words, sizeof words, "line 2, column \"p\": \"%s\" is not a chance", chance[i]);
        assert_refuses(LOG, text, words);
    }
    assert_refuses("format libsvm\nnumber 1..3 0 1\nlabel y a b\n", "a 1:1\nb 4:1\n",
                   "line 2: column 4 has no line in the schema");
    assert_refuses("format libsvm\nnumber 1..3 0 1\nlabel y a b\n", "a 1:1\nb 2:z\n",
                   "line 2, column \"2\": \"z\" is not a finite number");
    assert_refuses("format libsvm\nnumber 1..3 0 1\nlabel y a b\n", "c 1:1\n",
                   "line 1, column \"y\": \"c\" is not one of a b");
}

TEST(a_long_list_of_labels_is_cut)
{
    assert_refuses("label y 1..1000\n", "y\n1001\n", "\"1001\" is not one of 1 2 3");
    assert_non_null(strstr(why_fault.sentence, " ..."));
    assert_true(strlen(why_fault.sentence) < SOTTO_FAULT_BYTES - 1);
}

/* Row i of the block is `wanted` divided by its length. */
static void assert_unit(const bench *b, uint32_t row, const double *wanted)
{
    double squares = 0, length = 0;
    const double *context = b->people->context + row * b->people->dim;
    for (uint32_t i = 0; i < b->people->dim; i++) {
        squares += wanted[i] * wanted[i];
        length += context[i] * context[i];
    }
    for (uint32_t i = 0; i < b->people->dim; i++) {
        assert_near(context[i], wanted[i] / sqrt(squares), 1e-11);
    }
    assert_true(length <= 1);
}

TEST(features_are_encoded_by_public_terms)
{
    static const char text[] = "y,i,c,x\na,?,u,0\nb,,v,10\nB,7,w,2.5\na,7,?,?\na,7,,-3\na,7,u,11\n";
    HELD(bench) b = bench_of(CLASSES "alias B b\nignore i\n", text);
    static const double wanted[6][4] = {{-1, 1, 0, 1}, {1, 0, 1, 1},  {-0.5, 0, 0, 1},
                                        {0, 0, 0, 1},  {-1, 0, 0, 1}, {1, 1, 0, 1}};
    static const uint32_t arm[6] = {0, 1, 1, 0, 0, 0};
    assert_int_equal(b.people->rows, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_unit(&b, i, wanted[i]);
        assert_int_equal(b.people->arm[i], arm[i]);
        assert_true(b.people->reward[i] == 1 && b.people->propensity[i] == 1);
    }
    const sotto_dataset_counts *counts = sotto_dataset_counted(b.dataset);
    assert_ints(counts->rows, 6, counts->bytes, strlen(text), counts->missing, 3);
    assert_ints(counts->clipped, 2, counts->unknown, 1);
    assert_silent(WHY(sotto_dataset_next, b.dataset, b.people));
    assert_int_equal(b.people->rows, 0);
}

/* Features follow the order of the schema; columns of the file may change places. */
TEST(the_order_of_features_is_the_schema_s)
{
    static const char schema[] = "number b 0 1\nlabel y 0 1\nnumber a 0 1\ncategory c u v\n"
                                 "others ignore\n";
    static const double wanted[] = {1, -1, 0, 1, 1};
    static const char *const text[] = {"a,b,c,y\n0,1,v,1\n", "z,y,c,b,w,a\n\"\"\"\",1,v,1,nan,0\n"};
    for (int i = 0; i < 2; i++) {
        HELD(bench) b = bench_of(schema, text[i]);
        assert_unit(&b, 0, wanted);
        assert_int_equal(b.people->arm[0], 1);
    }
}

TEST(a_decimal_comma_is_read_where_the_schema_says_so)
{
    static const char schema[] = "separator semicolon\ndecimal comma\n" LOG;
    bench b = bench_of(schema, "x;k;r;p\n2,5;0;-0,5;0,25\n\"7,5\";1;1,25;1\n");
    static const double wanted[2][2] = {{-0.5, 1}, {0.5, 1}};
    for (uint32_t i = 0; i < 2; i++) {
        assert_unit(&b, i, wanted[i]);
    }
    assert_true(b.people->reward[0] == -0.5 && b.people->reward[1] == 1.25);
    assert_true(b.people->propensity[0] == 0.25 && b.people->propensity[1] == 1);
    bench_free(&b);
    assert_refuses(schema, "x;k;r;p\n2.5;0;1;1\n", "column \"x\": \"2.5\" is not a finite number");
    assert_refuses(schema, "x;k;r;p\n1.234,5;0;1;1\n", "\"1.234,5\" is not a finite number");
    assert_refuses(schema, "x;k;r;p\n1;0;1;0.5\n", "\"0.5\" is not a chance");
    assert_refuses(CLASSES, "x,c,y\n\"2,5\",u,a\n", "\"2,5\" is not a finite number");
}

TEST(a_constant_chance_is_that_of_every_action)
{
    HELD(bench)
    b = bench_of("number x 0 10\naction k 0 1\nreward r -1 2\npropensity constant 0.25\n",
                 "x,k,r\n1,0,2\n2,1,-1\n");
    assert_int_equal(b.people->rows, 2);
    assert_true(b.people->propensity[0] == 0.25 && b.people->propensity[1] == 0.25);
    assert_true(b.people->reward[0] == 2 && b.people->reward[1] == -1);
}

TEST(logarithms_serve_long_tails)
{
    HELD(bench) b = bench_of("number x -1 98 log\nlabel y a b\n", "x,y\n-1,a\n8,a\n98,b\n-7,b\n");
    static const double wanted[4][2] = {{-1, 1}, {0, 1}, {1, 1}, {-1, 1}};
    for (uint32_t i = 0; i < 4; i++) {
        assert_unit(&b, i, wanted[i]); /* ln 10 / ln 100 = 1/2 */
    }
}

TEST(the_bound_is_the_longest_that_can_be)
{
    HELD(bench)
    b = bench_of("scale bound\n" CLASSES "number z 0 1\n", "x,c,y,z\n10,v,a,0\n5,w,a,.5\n");
    static const double wanted[2][5] = {{1, 0, 1, -1, 1}, {0, 0, 0, 0, 1}};
    for (uint32_t i = 0; i < 2; i++) {
        double squares = 0;
        for (uint32_t k = 0; k < 5; k++) {
            double x = b.people->context[5 * i + k];
            assert_near(x, wanted[i][k] / 2, 1e-11); /* sqrt(1 + 2 + 1) */
            squares += x * x;
        }
        assert_true(squares <= 1);
    }
}

TEST(logs_have_rewards_and_chances)
{
    HELD(bench) b = bench_of(LOG, "x,k,r,p\n5,1,0.5,1\n5,0,3,1e-9\n5,0,-2,0.25\n");
    static const double reward[] = {0.5, 2, -1}, propensity[] = {1, 1e-9, 0.25};
    assert_int_equal(b.people->rows, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(b.people->arm[i], i == 0);
        assert_true(b.people->reward[i] == reward[i] && b.people->propensity[i] == propensity[i]);
    }
    assert_int_equal(sotto_dataset_counted(b.dataset)->clipped, 2);
}

/* Features that LIBSVM does not list are 0, clipped like any number; missing ones are in the
 * middle. */
TEST(libsvm_rows_are_sparse)
{
    HELD(bench)
    b = bench_of("format libsvm\nnumber 1 0 2\nnumber 3 -1 1\nnumber 4 5 6\nlabel y +1 -1\n"
                 "others ignore\nmissing ?\n",
                 "+1 1:2 2:x 3:1\n-1\n-1 1:? 4:5.5\n");
    static const double wanted[3][4] = {{1, 1, -1, 1}, {-1, 0, -1, 1}, {0, 0, 0, 1}};
    assert_int_equal(b.people->rows, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_unit(&b, i, wanted[i]);
        assert_int_equal(b.people->arm[i], i > 0);
    }
    assert_int_equal(sotto_dataset_counted(b.dataset)->missing, 1);
}

/* A missing word may be a number, or begin like one. */
#define VW "format vw\nscale bound\nnumber x 0 10\ncategory c u v\nlabel y a b\n"

TEST(vw_text_is_sparse_too)
{
    assert_refuses(VW, "", "has no rows");
    assert_refuses(VW, "a |\nd |\n", "line 2, column \"y\": \"d\" is not one of a b");
    assert_refuses(VW, "| x:1\n",
                   "column \"y\": \"\" counts as missing, but this column needs a value");
    assert_refuses(VW, "a | x:z\n", "line 1, column \"x\": \"z\" is not a finite number");
    HELD(bench) b = bench_of(VW "unlabelled skip\n", "a | x:10 c=v\nb |\n| x:5\na | x= c=w\n");
    double unit = b.people->context[3]; /* the constant: 1/sqrt 3 */
    const double wanted[3][4] = {{1, 0, 1, 1}, {-1, 0, 0, 1}, {0, 0, 0, 1}};
    assert_int_equal(b.people->rows, 3);
    for (uint32_t i = 0; i < 12; i++) {
        assert_true(fabs(b.people->context[i] - wanted[i / 4][i % 4] * unit) < 1e-15);
    }
    const sotto_dataset_counts *counted = sotto_dataset_counted(b.dataset);
    assert_ints(counted->unlabelled, 1, counted->unknown, 1, counted->missing, 1);
    assert_silent(WHY(sotto_dataset_rewind, b.dataset));
    assert_silent(WHY(sotto_dataset_next, b.dataset, b.people));
    assert_int_equal(b.people->rows, 3);
}

TEST(buckets_of_vw_text_are_numbers_from_minus_1_to_1)
{
    bench b =
        bench_of("format vw\nhash 1\nscale bound\nlabel y a b\n", "a | z:5\na | z:0.5\nb |\n");
    assert_int_equal(b.people->dim, 2);
    double unit = b.people->context[1], first = b.people->context[0] / unit;
    assert_true(fabs(fabs(first) - 1) < 1e-15);
    assert_true(fabs(b.people->context[2] / unit - 0.5 * first) < 1e-15);
    assert_true(b.people->context[4] == 0);
    assert_int_equal(sotto_dataset_counted(b.dataset)->clipped, 1);
    bench_free(&b);
}

TEST(the_last_row_can_be_looked_at)
{
    HELD(bench) b = bench_of(CLASSES "others ignore\n", "x,z,c,y\n1,2,u,a\n?,3,v,b\n");
    const sotto__record *record = sotto__dataset_record(b.dataset);
    assert_int_equal(record->count, 0); /* at the end */
    assert_silent(WHY(sotto_dataset_rewind, b.dataset));
    b.people->rows_max = 2;
    assert_silent(WHY(sotto_dataset_next, b.dataset, b.people));
    assert_ints(record->line, 3, record->count, 4);
    assert_string_equal(sotto__dataset_column(b.dataset, &record->field[0])->name, "x");
    assert_null(sotto__dataset_column(b.dataset, &record->field[1]));
    assert_true(sotto__dataset_is_missing(b.dataset, &record->field[0]));
    assert_false(sotto__dataset_is_missing(b.dataset, &record->field[2]));
}

TEST(a_strict_schema_clips_nothing)
{
    const char *said;
    HELD(bench) b = bench_open(CLASSES, "x,c,y\n11,u,a\n1,w,a\n", &said);
    assert_silent(said);
    b.schema->strict = true;
    b.people->rows_max = 1;
    assert_says(WHY(sotto_dataset_next, b.dataset, b.people), why_fault.sentence,
                "line 2, column \"x\": \"11\" is outside of its range, 0 to 10");
    assert_says(WHY(sotto_dataset_next, b.dataset, b.people), why_fault.sentence,
                "line 3, column \"c\": \"w\" is not one of u v");
    assert_int_equal(sotto__dataset_record(b.dataset)->line, 3);
}

TEST(words_for_missing_come_first)
{
    bench b = bench_of("number x -999 10\nlabel y a b\nmissing -999 n/a - n\n",
                       "x,y\n-999,a\n-998,a\nn/a,b\n");
    assert_int_equal(sotto_dataset_counted(b.dataset)->missing, 2);
    assert_true(b.people->context[0] == 0 && b.people->context[2] < -0.7);
    assert_true(b.people->context[4] == 0);
    bench_free(&b);
    assert_refuses("number x 0 1\nlabel y a b\nmissing n/a\n", "x,y\nn/b,a\n", "\"n/b\" is not");
}

/* A level that the schema names is a level, even if the word commonly means a missing value. */
TEST(a_level_is_not_missing)
{
    HELD(bench)
    b = bench_of("category c - u\nlabel y NA a\nmissing NA -\nunlabelled skip\n",
                 "c,y\n-,NA\nNA,a\n");
    assert_ints(b.people->rows, 2, b.people->arm[0], 0, b.people->arm[1], 1);
    assert_true(b.people->context[0] > 0.7 && b.people->context[3] == 0);
    assert_int_equal(sotto_dataset_counted(b.dataset)->missing, 1);
    assert_int_equal(sotto_dataset_counted(b.dataset)->unlabelled, 0);
}

/* Nothing in such a row counts, whatever else is wrong with it. */
TEST(rows_without_a_label_are_skipped)
{
    bench b =
        bench_of(CLASSES "unlabelled skip\n", "x,y,c\n1,?,u\n20,,\nx,?,w\n10,b,v\n,a,\n30,?,u\n");
    assert_int_equal(b.people->rows, 2);
    assert_true(b.people->arm[0] == 1 && b.people->arm[1] == 0);
    assert_unit(&b, 0, (const double[]){1, 0, 1, 1});
    assert_unit(&b, 1, (const double[]){0, 0, 0, 1});
    const sotto_dataset_counts *counts = sotto_dataset_counted(b.dataset);
    assert_true(counts->rows == 2 && counts->unlabelled == 4);
    assert_true(counts->missing == 2 && counts->clipped == 0 && counts->unknown == 0);
    assert_silent(WHY(sotto_dataset_rewind, b.dataset));
    assert_int_equal(counts->unlabelled, 0);
    assert_silent(WHY(sotto_dataset_next, b.dataset, b.people));
    assert_true(counts->rows == 2 && counts->unlabelled == 4);
    bench_free(&b);
    b = bench_of("format libsvm\nnumber 1 0 1\nlabel y a b\nmissing ?\nunlabelled skip\n",
                 "a 1:1\n? 1:1\nb 1:0\n");
    assert_ints(b.people->rows, 2, sotto_dataset_counted(b.dataset)->unlabelled, 1);
    bench_free(&b);
}

/* Without a header the first row was read early, to count the columns. It is returned once, whether
 * the file is read again before or after it. */
TEST(a_file_can_be_read_again_before_its_first_row)
{
    const char *said;
    HELD(bench)
    b = bench_open("header no\nnumber 1 0 1\nlabel 2 a b c\n", "0,c\n1,a\n1,b\n", &said);
    assert_silent(said);
    for (int pass = 0; pass < 2; pass++) {
        assert_silent(WHY(sotto_dataset_rewind, b.dataset));
        assert_silent(WHY(sotto_dataset_next, b.dataset, b.people));
        assert_int_equal(b.people->rows, 3);
        assert_true(b.people->arm[0] == 2 && b.people->arm[1] == 0 && b.people->arm[2] == 1);
        assert_true(b.people->context[0] < 0 && b.people->context[2] > 0);
    }
}

/* More rows than a block holds, twice over. */
TEST(blocks_follow_each_other_and_can_be_read_again)
{
    enum { ROWS = 150000 };
    HELD(directory) f = directory_new();
    FILE *file = fopen(f.other, "wb");
    assert_non_null(file);
    for (int i = 0; i < ROWS; i++) {
        fprintf(file, "%d,%s\n", i, i % 3 == 0 ? "a" : "b");
    }
    fclose(file);
    for (int header = 0; header < 2; header++) {
        FREED_BY(sotto__schema_free) sotto_schema schema;
        sotto_dataset *dataset;
        OWN(sotto_people) people;
        assert_silent(WHY(sotto__schema_read,
                          text_file(&f, header ? "number 0 0 149999\nlabel a a b\n"
                                               : "header no\nnumber 1 0 149999\nlabel 2 a b\n"),
                          &schema));
        assert_ok(sotto_people_new(2, &people));
        assert_int_equal(people->rows_max, 65536);
        assert_silent(WHY(sotto_dataset_open, &schema, f.other, &dataset));
        for (int pass = 0; pass < 2; pass++) {
            int at = header;
            do {
                assert_silent(WHY(sotto_dataset_next, dataset, people));
                for (uint32_t i = 0; i < people->rows; i++, at++) {
                    double x = people->context[2 * i] / people->context[2 * i + 1];
                    assert_near(x, 2.0 * at / 149999 - 1, 1e-12);
                    assert_int_equal(people->arm[i], at % 3 != 0);
                }
            } while (people->rows == people->rows_max);
            assert_ints(at, ROWS, sotto_dataset_counted(dataset)->rows, ROWS - header);
            assert_silent(WHY(sotto_dataset_rewind, dataset));
            assert_int_equal(sotto_dataset_counted(dataset)->rows, 0);
        }
        sotto_dataset_close(dataset);
    }
}

TEST(a_block_has_room_by_its_rows)
{
    OWN(sotto_people) people;
    assert_ok(sotto_people_new(SOTTO_DIM_MAX, &people));
    size_t row = SOTTO_DIM_MAX * sizeof(double) + sizeof(uint32_t) + 2 * sizeof(double);
    assert_ints(people->rows_max, (64u << 20) / row, people->dim, SOTTO_DIM_MAX);
}

/* The shipped schemas, on their data files if these are on this machine. */
TEST(shipped_schemas_read_their_data_sets)
{
    static const struct {
        const char *schema, *path;
        uint32_t rows, dim, arms;
    } set[] = {
        {"shuttle", "shuttle/shuttle.csv", 58000, 10, 7},
        {"magic", "magic/magic04.data", 19020, 11, 2},
        {"pendigits", "pendigits/pendigits.tra", 7494, 17, 10},
        {"pendigits", "pendigits/pendigits.tes", 3498, 17, 10},
        {"adult", "adult/adult.data", 32561, 105, 2},
        {"adult", "adult/adult.test", 16281, 105, 2},
        {"open-bandit-men", "open-bandit/random/men/men.csv", 10000, 29, 34},
        {"open-bandit-women", "open-bandit/random/women/women.csv", 10000, 29, 46},
    };
    int read = 0;
    for (size_t i = 0; i < sizeof set / sizeof set[0]; i++) {
        char path[512];
        FREED_BY(sotto__schema_free) sotto_schema schema;
        sotto_dataset *dataset;
        sotto_people *people;
        snprintf(path, sizeof path, SOTTO_PROJECT_DIR "/examples/schemas/%s.schema", set[i].schema);
        assert_silent(WHY(sotto__schema_read, path, &schema));
        assert_ints(sotto_schema_dim(&schema), set[i].dim, sotto_schema_arms(&schema), set[i].arms);
        assert_false(schema.from_data);
        snprintf(path, sizeof path, SOTTO_PROJECT_DIR "/../shared/data/%s", set[i].path);
        if (access(path, R_OK) == 0) {
            assert_ok(sotto_people_new(set[i].dim, &people));
            assert_silent(WHY(sotto_dataset_open, &schema, path, &dataset));
            assert_silent(WHY(sotto_dataset_next, dataset, people));
            assert_ints(people->rows, set[i].rows, sotto_dataset_counted(dataset)->unknown, 0);
            sotto_dataset_close(dataset);
            sotto_people_free(people);
            read++;
        }
    }
    if (read == 0) skip();
}

TEST(the_form_of_a_number_is_named)
{
    static const char comma[] = "separator semicolon\ndecimal comma\nnumber x 0 10\nlabel y a b\n";
    static const char point[] = "separator tab\nnumber x 0 10\nlabel y a b\n";
#define FORM(mark)                                                                                 \
    " is not a finite number: the decimal mark is a " mark ", and thousands separators"
    assert_refuses(comma, "x;y\n1.234,50;a\n", "line 2, column \"x\": \"1.234,50\"" FORM("comma"));
    assert_refuses(comma, "x;y\n1.234;a\n", "\"1.234\"" FORM("comma"));
    assert_refuses(comma, "x;y\n1 234,5;a\n", "\"1 234,5\"" FORM("comma"));
    assert_refuses(point, "x\ty\n1,234.50\ta\n",
                   "line 2, column \"x\": \"1,234.50\"" FORM("point"));
    assert_refuses(point, "x\ty\n1,234\ta\n", "\"1,234\"" FORM("point"));
    assert_refuses(LOG, "x,k,r,p\n1,0,\"1,5\",0.5\n", "column \"r\": \"1,5\"" FORM("point"));
    assert_refuses(comma, "x;y\nz;a\n", "\"z\" is not a finite number");
    assert_null(strstr(why_fault.sentence, "thousands"));
}
