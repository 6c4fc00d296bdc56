/* The scoreboard as a page and as CSV. Numbers have only three or four digits, because the last
 * digits of a double differ between C libraries. */
#include "lab/page/page.h"
#include "core/core.h"
#include "inner.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- csv ---------------------------------------------------------------------------------- */

#define CSV_HEADER                                                                                 \
    "world,method,promise,epsilon,people,seeds,regret_or_reward,two_se,floor,floor_kind,"          \
    "over_floor,over_floor_two_se,ahead_best_arm,ahead_best_arm_two_se,"                           \
    "ahead_explorer,ahead_explorer_two_se\n"

typedef struct written {
    const board *of;
    const board_settings *settings;
} written;

static void put_csv(const void *state, FILE *out)
{
    const written *w = state;
    fputs(CSV_HEADER, out);
    for (uint32_t i = 0; i < w->of->worlds_count; i++) {
        const board_world *world = &w->of->world[i];
        for (uint32_t j = 0; j < world->lines_count; j++) {
            const board_line *line = &world->line[j];
            fprintf(out,
                    "%s,%s,%s,%.10g,%" PRIu64
                    ",%u,%.4g,%.2g,%.4g,%s,%.3g,%.2g,%.4g,%.2g,%.4g,%.2g\n",
                    world->name, line->method,
                    strcmp(line->promise, "local, delta") == 0 ? "local delta" : line->promise,
                    line->epsilon, world->people, w->settings->seeds, line->regret.value,
                    line->regret.wide, world->floor,
                    world->floor_kind == NULL ? "-" : world->floor_kind, line->over_floor.value,
                    line->over_floor.wide, line->best.value, line->best.wide, line->other.value,
                    line->other.wide);
        }
    }
}

/* ---- tables ------------------------------------------------------------------------------- */

static const char *with_width(sotto__pool *pool, board_mean of)
{
    if (isnan(of.value)) return "-";
    return sotto__pool_print(pool, "%s ± %s", sotto__page_number(pool, of.value),
                             sotto__page_number(pool, of.wide));
}

static const char *percent(sotto__pool *pool, double share)
{
    return isnan(share) ? "-" : sotto__pool_print(pool, "%.0f %%", 100 * share + 0.0);
}

static bool set_table(board *of, const board_world *world, sotto__html_table *out)
{
    sotto__pool *pool = &of->pool;
    const sotto__page_column column[] = {
        {"method", SOTTO__HTML_WORDS},
        {"promise", SOTTO__HTML_WORDS},
        {world->hash == NULL ? "regret" : "reward per person", SOTTO__HTML_NUMBER},
        {"regret / floor", SOTTO__HTML_NUMBER},
        {"ahead of best-arm", SOTTO__HTML_NUMBER},
        {sotto__pool_print(pool, "ahead of %s", world->explorer), SOTTO__HTML_NUMBER},
    };
    sotto__page_table table;
    if (!sotto__page_table_begin(&table, pool, NULL, column, 6, world->lines_count)) return false;
    for (uint32_t i = 0; i < world->lines_count; i++) {
        const board_line *line = &world->line[i];
        const char **cell = sotto__page_table_line(&table, strcmp(line->method, "sotto") == 0);
        cell[0] = line->method;
        cell[1] = line->promise;
        cell[2] = with_width(pool, line->regret);
        cell[3] = with_width(pool, line->over_floor);
        cell[4] = with_width(pool, line->best);
        cell[5] = with_width(pool, line->other);
    }
    *out = table.html;
    return true;
}

/* Collects the names of all methods, each once, in the order in which the worlds list them. */
static uint32_t names_of(const board *of, const char **name, uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < of->worlds_count; i++) {
        for (uint32_t j = 0; j < of->world[i].lines_count; j++) {
            const char *method = of->world[i].line[j].method;
            bool known = strcmp(method, "best-arm") == 0;
            for (uint32_t k = 0; k < count && !known; k++) {
                known = strcmp(name[k], method) == 0;
            }
            if (!known && count < most) name[count++] = method;
        }
    }
    return count;
}

static bool set_overview(board *of, sotto__html_table *out)
{
    sotto__pool *pool = &of->pool;
    const char *name[METHODS_MAX + 4];
    uint32_t count = names_of(of, name, METHODS_MAX + 4), worlds = of->worlds_count;
    sotto__page_column *column = sotto__pool_take(pool, (worlds + 1) * sizeof *column);
    sotto__page_table table;
    if (column == NULL) return false;
    column[0] = (sotto__page_column){"method", SOTTO__HTML_WORDS};
    for (uint32_t i = 0; i < worlds; i++) {
        column[i + 1] = (sotto__page_column){of->world[i].name, SOTTO__HTML_NUMBER};
    }
    if (!sotto__page_table_begin(&table, pool, NULL, column, worlds + 1, count)) return false;
    for (uint32_t m = 0; m < count; m++) {
        const char **cell = sotto__page_table_line(&table, strcmp(name[m], "sotto") == 0);
        cell[0] = name[m];
        for (uint32_t i = 0; i < worlds; i++) {
            cell[i + 1] = "-";
            for (uint32_t j = 0; j < of->world[i].lines_count; j++) {
                const board_line *line = &of->world[i].line[j];
                if (strcmp(line->method, name[m]) == 0) cell[i + 1] = percent(pool, line->share);
            }
        }
    }
    *out = table.html;
    return true;
}

/* ---- the page ----------------------------------------------------------------------------- */

static const char *const overview_text[] = {
    "How much of the lead of linucb (glm-ucb where rewards are not linear) over best-arm each "
    "method wins: best-arm has no context, and is 0 %; linucb has no privacy, and is 100 %. Below "
    "0 %, one arm for all earns more. A dash: the method or best-arm is left out there, for the "
    "reason under \"Left out\", or there is no lead.",
    "Promises: local, every report is private by itself; local, delta, with Gaussian noise; "
    "shuffle, what the server "
    "sees of a batch that others add up; joint, the server is trusted and sees everything; none. "
    "Only the first two "
    "can be compared as equals.",
};

static bool set_section(board *of, const board_world *world, sotto__html_section *out)
{
    sotto__pool *pool = &of->pool;
    sotto__html_table *table = sotto__pool_take(pool, sizeof *table);
    const char **text = sotto__pool_take(pool, 3 * sizeof *text);
    if (table == NULL || text == NULL || !set_table(of, world, table)) return false;
    text[0] = world->hash != NULL
                  ? sotto__pool_print(pool, "%s.", world->hash)
                  : "Regret is the sum over all people. The columns \"ahead of\" compare reward "
                    "per person, for the same people. ± is two standard errors of the mean.";
    uint32_t count = 1;
    if (!isnan(world->floor)) {
        text[count++] =
            sotto__pool_print(pool, "Floor of any local method at this epsilon (%s): %s.",
                              world->floor_kind, sotto__page_number(pool, world->floor));
    }
    if (world->caution != NULL) text[count++] = world->caution;
    *out = (sotto__html_section){
        .id = world->name,
        .heading = world->sentence,
        .paragraphs_count = count,
        .paragraph = text,
        .tables_count = 1,
        .table = table,
        .notes_count = world->left_out_count,
        .note = world->left_out,
    };
    return true;
}

sotto_status board_write(board *of, const board_settings *settings, const char *directory,
                         sotto_fault *fault)
{
    char path[SOTTO__PATH_BYTES];
    sotto__pool *pool = &of->pool;
    const written csv = {of, settings};
    sotto__html_table overview;
    sotto__html_section *section = sotto__pool_take(pool, (of->worlds_count + 1) * sizeof *section);
    bool made = section != NULL && set_overview(of, &overview);
    for (uint32_t i = 0; i < of->worlds_count && made; i++) {
        made = set_section(of, &of->world[i], &section[i + 1]);
    }
    if (!made) return sotto__fault_status(fault, SOTTO_E_MEMORY);
    section[0] = (sotto__html_section){
        .id = "overview",
        .heading = "Share of the possible gain",
        .paragraphs_count = 2,
        .paragraph = overview_text,
        .tables_count = 1,
        .table = &overview,
    };
    const sotto__html_page page = {
        .title = "Scoreboard",
        .lead = sotto__pool_print(
            pool,
            "Every method meets the same people: %" PRIu64
            " of them, %u times, epsilon %g, delta %g where a method needs one.",
            settings->horizon, settings->seeds, settings->epsilon, settings->delta),
        .sections_count = of->worlds_count + 1,
        .section = section,
    };
    sotto_status status = sotto__html_write(&page, directory, fault);
    if (status != SOTTO_OK) return status;
    bool fits = sotto__path(path, directory, "scoreboard", ".csv");
    if (fits && sotto__write_whole(path, put_csv, &csv)) return SOTTO_OK;
    return sotto__refuse(fault, "%.300s/scoreboard.csv: %s", directory, strerror(errno));
}
