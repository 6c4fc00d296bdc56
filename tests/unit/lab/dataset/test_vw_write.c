/* A data set as VW text: what is written, and that it is read as the same people. */
#include "lab/dataset/fit.h"
#include "lab/dataset/schema_file.h"
#include "lab/dataset/vw_write.h"
#include "texts.h"

#include <stdlib.h>

static char fault[SOTTO_FAULT_BYTES];

typedef struct made {
    char *text, *schema;
    size_t text_bytes, schema_bytes;
    uint64_t count;
} made;

/* Writes `data`, read by `lines`, as VW text. */
static const char *write_all(const folder *f, const char *lines, const char *data, made *out)
{
    sotto_schema schema;
    sotto_dataset *dataset;
    *out = (made){0};
    assert_silent(sotto__schema_read(text_file(f, lines), &schema, fault));
    assert_silent(sotto_dataset_open(&schema, text_file(f, data), &dataset, fault));
    FILE *text = open_memstream(&out->text, &out->text_bytes);
    FILE *lines_out = open_memstream(&out->schema, &out->schema_bytes);
    const char *said = sotto__vw_write(&schema, dataset, text, lines_out, &out->count, fault);
    fclose(text);
    fclose(lines_out);
    sotto_dataset_close(dataset);
    sotto__schema_free(&schema);
    return said;
}

static void made_free(made *m)
{
    free(m->text);
    free(m->schema);
}

/* All people of a file, and what was counted. */
static sotto_people *people_of(const folder *f, const char *lines, const char *data,
                               sotto_dataset_counts *counts)
{
    sotto_schema schema;
    sotto_dataset *dataset;
    sotto_people *people;
    assert_silent(sotto__schema_read(text_file(f, lines), &schema, fault));
    assert_ok(sotto_people_new(sotto_schema_dim(&schema), &people));
    assert_silent(sotto_dataset_open(&schema, text_file(f, data), &dataset, fault));
    assert_silent(sotto_dataset_next(dataset, people, fault));
    *counts = *sotto_dataset_counted(dataset);
    sotto_dataset_close(dataset);
    sotto__schema_free(&schema);
    return people;
}

/* To the bit. */
static void assert_comes_back(const folder *f, const char *lines, const char *data)
{
    made m;
    sotto_dataset_counts counts, again_counts;
    assert_silent(write_all(f, lines, data, &m));
    sotto_people *people = people_of(f, lines, data, &counts);
    sotto_people *again = people_of(f, m.schema, m.text, &again_counts);
    assert_int_equal(m.count, people->rows);
    assert_int_equal(again->rows, people->rows);
    assert_int_equal(again->dim, people->dim);
    size_t rows = people->rows;
    assert_memory_equal(again->context, people->context, rows * people->dim * sizeof(double));
    assert_memory_equal(again->arm, people->arm, rows * sizeof people->arm[0]);
    assert_memory_equal(again->reward, people->reward, rows * sizeof(double));
    assert_memory_equal(again->propensity, people->propensity, rows * sizeof(double));
    assert_int_equal(again_counts.unknown, counts.unknown);
    assert_int_equal(again_counts.missing, counts.missing);
    sotto_people_free(people);
    sotto_people_free(again);
    made_free(&m);
}

#define CLASSES                                                                                    \
    "missing ? NA\nnumber x 0 10\ncategory c u \"v w\" NA\nalias U u\nignore z\nlabel y b a\n"

static void what_cannot_be_written_is_refused(void **state)
{
    (void)state;
    folder f = folder_new();
    made m;
    assert_says(write_all(&f, "format vw\nlabel y a b\n", "a |\n", &m), fault,
                "the data are VW text already");
    made_free(&m);
    assert_says(write_all(&f, CLASSES, "x,c,z,y\n1,u,,d\n", &m), fault, "\"d\" is none of b a");
    made_free(&m);
    file_write(f.other, (const uint8_t *)"y;a;b\na;1;0\nb;0;1\n", 18);
    assert_says(write_all(&f, "separator semicolon\ndecimal comma\nlabel y a b\nrewards other\n",
                          "y\na\n", &m),
                fault, "decimal comma: VW text has points");
    made_free(&m);
    folder_free(&f);
}

static void people_are_lines_of_features(void **state)
{
    (void)state;
    folder f = folder_new();
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
    folder_free(&f);
}

static void what_is_written_is_read_as_the_same_people(void **state)
{
    (void)state;
    folder f = folder_new();
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
    folder_free(&f);
}

static void a_log_with_features_of_arms_is_blocks_of_lines(void **state)
{
    (void)state;
    folder f = folder_new();
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
    folder_free(&f);
}

static void files_beside_the_schema_are_found_from_anywhere(void **state)
{
    (void)state;
    folder f = folder_new();
    made m;
    sotto_schema schema;
    const char *table = "y,a,b,price\na,1,0,3\nb,-2,1,4\n"; /* both tables in one file */
    const char *lines = "others ignore\nlabel y a b\narms other\narm number price 0 10\n";
    file_write(f.other, (const uint8_t *)table, strlen(table));
    assert_silent(write_all(&f, lines, "y\na\n", &m));
    assert_non_null(strstr(m.schema, f.other));
    made_free(&m);
    folder_free(&f);
    f = folder_new();
    file_write(f.other, (const uint8_t *)"y,a,b\na,1,0\nb,-2,1\n", 19);
    assert_silent(write_all(&f, "label y a b\nrewards other -3 1\n", "y\na\n", &m));
    folder g = folder_new();
    assert_silent(sotto__schema_read(text_file(&g, m.schema), &schema, fault));
    assert_true(schema.rewards[2] == -2 && schema.rewards_lo == -3 && schema.rewards_ranged);
    sotto__schema_free(&schema);
    made_free(&m);
    folder_free(&g);
    folder_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_written_is_refused),
        cmocka_unit_test(people_are_lines_of_features),
        cmocka_unit_test(what_is_written_is_read_as_the_same_people),
        cmocka_unit_test(a_log_with_features_of_arms_is_blocks_of_lines),
        cmocka_unit_test(files_beside_the_schema_are_found_from_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
