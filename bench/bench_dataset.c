/*
 * How fast data sets are read, compared with the unavoidable cost: read(2) of the same file, and a
 * search of every byte for line ends. The benchmark makes the file in a temporary directory, so it
 * is in the page cache. Compare only the ratios; absolute times depend on the machine.
 */
#include "lab/dataset/dataset.h"
#include "lab/random/random.h"
#include "timing.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_BYTES 100e6
#define NUMBERS 10u
#define CHUNK_BYTES 262144u

static void stop_if(bool wrong, const char *what)
{
    if (!wrong) return;
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

/* Ten numbers with four decimals and a class. */
static double make_file(const char *path)
{
    FILE *file = fopen(path, "wb");
    stop_if(file == NULL, "no temporary file");
    sotto__seeded seeded;
    sotto__seeded_begin(&seeded, 1);
    double bytes = 0, normal[2];
    while (bytes < FILE_BYTES) {
        for (uint32_t i = 0; i < NUMBERS; i++) {
            uint64_t first = sotto__seeded_next(&seeded);
            sotto__normal_pair(first, sotto__seeded_next(&seeded), normal);
            bytes += fprintf(file, "%.4f,", 10 * normal[0]);
        }
        bytes += fprintf(file, "%s\n", normal[0] < normal[1] ? "g" : "h");
    }
    stop_if(fclose(file) != 0, "the temporary file cannot be written");
    return bytes;
}

typedef struct subject {
    char path[256];
    sotto_schema schema;
    sotto_people *people;
    uint64_t rows;
} subject;

static void read_chunks(const char *path, bool lines)
{
    static char chunk[CHUNK_BYTES];
    uint64_t count = 0;
    int fd = open(path, O_RDONLY);
    for (ssize_t got; (got = read(fd, chunk, sizeof chunk)) > 0;) {
        const char *p = chunk, *end = chunk + got;
        while (lines && (p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
            p++;
            count++;
        }
    }
    stop_if(fd < 0 || (lines && count == 0), "the temporary file cannot be read");
    close(fd);
}

static void read_alone(void *self)
{
    read_chunks(((const subject *)self)->path, false);
}

static void find_lines(void *self)
{
    read_chunks(((const subject *)self)->path, true);
}

static void split_fields(void *self)
{
    const subject *s = self;
    static sotto__record record;
    sotto_fault fault;
    sotto__source source;
    stop_if(sotto__source_open(&source, s->path, &fault) != SOTTO_OK, fault.sentence);
    do {
        stop_if(sotto__csv_next(&source, ',', &record, &fault) != SOTTO_OK, fault.sentence);
    } while (record.count > 0);
    sotto__source_close(&source);
}

static sotto_schema make_schema(void)
{
    sotto_schema schema = {.separator = ',', .unit = true};
    for (uint32_t i = 1; i <= NUMBERS; i++) {
        char name[12];
        size_t bytes = (size_t)snprintf(name, sizeof name, "%u", i);
        sotto__column *column = sotto__schema_add(&schema, SOTTO__COLUMN_NUMBER, name, bytes);
        stop_if(column == NULL, "no memory");
        column->lo = -50;
        column->hi = 50;
    }
    sotto__column *label = sotto__schema_add(&schema, SOTTO__COLUMN_LABEL, "11", 2);
    stop_if(label == NULL || !sotto__schema_add_level(label, "g", 1) ||
                !sotto__schema_add_level(label, "h", 1),
            "no memory");
    return schema;
}

static void make_contexts(void *self)
{
    subject *s = self;
    sotto_fault fault;
    sotto_dataset *dataset;
    stop_if(sotto_dataset_open(&s->schema, s->path, &dataset, &fault) != SOTTO_OK, fault.sentence);
    do {
        stop_if(sotto_dataset_next(dataset, s->people, &fault) != SOTTO_OK, fault.sentence);
    } while (s->people->rows > 0);
    s->rows = sotto_dataset_counted(dataset)->rows;
    sotto_dataset_close(dataset);
}

int main(void)
{
    static const struct {
        const char *name;
        void (*step)(void *self);
    } steps[] = {{"read(2)", read_alone},
                 {"and line ends", find_lines},
                 {"and fields", split_fields},
                 {"and contexts", make_contexts}};
    static subject s;
    const char *base = getenv("TMPDIR");
    snprintf(s.path, sizeof s.path, "%s/sotto-bench-XXXXXX", base == NULL ? "/tmp" : base);
    int fd = mkstemp(s.path);
    stop_if(fd < 0, "no temporary file");
    close(fd);
    double bytes = make_file(s.path), alone = 0;
    s.schema = make_schema();
    stop_if(sotto_people_new(sotto_schema_dim(&s.schema), &s.people) != SOTTO_OK, "no memory");
    make_contexts(&s);
    printf("a CSV file of %.0f MB in the page cache, %llu rows of %u numbers and a label\n\n",
           bytes / 1e6, (unsigned long long)s.rows, NUMBERS);
    printf("%-14s %8s %10s %14s\n", "", "MB/s", "ns per row", "times read(2)");
    for (int i = 0; i < 4; i++) {
        double ns = bench_time_ns(steps[i].step, &s);
        if (i == 0) alone = ns;
        printf("%-14s %8.0f %10.0f %14.1f\n", steps[i].name, bytes / ns * 1e3, ns / (double)s.rows,
               ns / alone);
    }
    unlink(s.path);
    sotto_people_free(s.people);
    sotto__schema_free(&s.schema);
    return 0;
}
