/* Reproductions with made-up results. */
#include "reproductions.h"
#include "test.h"
#include "why.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

const sotto__experiment *experiment_named(const char *name)
{
    for (uint32_t i = 0; i < sotto__experiments_count; i++) {
        if (strcmp(sotto__experiments[i].name, name) == 0) return &sotto__experiments[i];
    }
    fail_msg("no experiment %s", name);
    return NULL;
}

sotto__reproduction_settings settings_made(const char *only, uint32_t seeds, uint64_t horizon)
{
    return (sotto__reproduction_settings){
        .scale = SOTTO__SCALE_QUICK,
        .only = experiment_named(only),
        .out = "/nowhere",
        .command = "the command",
        .program = "/nowhere/program",
        .first_seed = 1,
        .seeds = seeds,
        .horizon = horizon,
        .threads = 1,
    };
}

void part_made(sotto__part *part, made_regret *regret)
{
    const sotto_sweep *sweep = &part->comparison.sweep;
    for (uint64_t run = 0; run < sotto_sweep_runs(sweep); run++) {
        uint32_t match = (uint32_t)(run / sweep->seeds_count);
        uint32_t seed = (uint32_t)(run % sweep->seeds_count);
        sotto_point *point = sotto__results_points(&part->results, run);
        for (uint32_t i = 0; i < sweep->at_count; i++) {
            point[i].t = sweep->at[i];
            point[i].regret = regret(part, match, seed, sweep->at[i]);
        }
        part->results.run[run].done = true;
    }
    part->results.done_count = sotto_sweep_runs(sweep);
}

sotto__reproduction *reproduction_made(const sotto__reproduction_settings *settings,
                                       made_regret *regret)
{
    sotto__reproduction *r;
    if (WHY(sotto__reproduction_new, settings, &r) != NULL) fail_msg("%s", why_fault.sentence);
    for (uint32_t i = 0; i < r->parts_count; i++) {
        part_made(&r->part[i], regret);
    }
    return r;
}

sotto__reproduction *reproduction_of(const char *only, uint32_t seeds, uint64_t horizon,
                                     made_regret *regret)
{
    sotto__reproduction_settings settings = settings_made(only, seeds, horizon);
    return reproduction_made(&settings, regret);
}

void assert_row(const sotto__html_table *table, uint32_t row, const char *cells)
{
    char text[1000] = "";
    assert_true(row < table->rows_count);
    for (uint32_t c = 0; c < table->columns_count; c++) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%s", c == 0 ? "" : "|",
                 table->cell[(size_t)row * table->columns_count + c]);
    }
    assert_string_equal(text, cells);
}

void directory_free_page(const directory *f)
{
    struct stat about;
    directory in;
    snprintf(in.path, sizeof in.path, "%.100s/runs", f->path);
    if (stat(in.path, &about) == 0) directory_free(&in);
    directory_free(f);
}
