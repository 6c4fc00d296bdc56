/* A whole replay: a look at the file, its matches, the play, and what others ask of it afterwards. */
#include "core/fault.h"
#include "core/float_environment.h"
#include "lab/run/comparison.h"
#include "rows.h"
#include "summary.h"
#include "survey.h"
#include "table_summary.h"
#include "to_play.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct sotto_replay {
    sotto__replay *played;
    sotto__replay_matches matches;
    uint64_t at[SOTTO_POINTS_MAX]; /* check-points */
    uint64_t rows;                 /* of all runs */
};

/* ---- playing one -------------------------------------------------------------------------- */

static const char *in_words(sotto_status status, char *text)
{
    return status == SOTTO_OK ? NULL : sotto__fault(text, "%s", sotto_status_text(status));
}

/* A file is looked through first. A pipe cannot be: then *out is NULL. */
static const char *look_through(const sotto_replay_request *request, const sotto_schema *schema,
                                sotto_dataset *dataset, sotto__yardstick **out, char *text)
{
    *out = NULL;
    if (sotto_dataset_rewind(dataset, text) != NULL) {
        return request->passes > 1 ? text : NULL;
    }
    const char *wrong =
        sotto__survey(schema, dataset, request->clip, request->people_max, NULL, out, text);
    return wrong != NULL ? wrong : sotto_dataset_rewind(dataset, text);
}

/* The request with its check-points, as many as fit so many people, and where all end. */
static const char *set_points(sotto_replay_request *request, uint64_t people, uint64_t *at,
                              char *text)
{
    uint32_t count = request->at_count;
    if (request->at == NULL) count = sotto__usual_points(people, at);
    if (request->at != NULL) memcpy(at, request->at, count * sizeof at[0]);
    if (count > 0 && at[count - 1] > people) {
        return sotto__fault(text, "check-point = %" PRIu64 ": %" PRIu64 " people are played",
                            at[count - 1], people);
    }
    if (count == 0 || at[count - 1] < people) at[count++] = people;
    request->at = at;
    request->at_count = count;
    return NULL;
}

static const char *play(sotto_replay *replay, uint32_t dim, sotto_dataset *dataset,
                        const sotto_replay_listener *listener, char *text)
{
    sotto_status status = sotto__replay_new(&replay->matches.settings, dim, &replay->played);
    if (status != SOTTO_OK) return in_words(status, text);
    const char *wrong = sotto__replay_play(replay->played, dataset, listener, text);
    for (uint64_t r = 0; wrong == NULL && r < replay->played->runs_count; r++) {
        replay->rows += replay->played->run[r].points_count;
    }
    return wrong;
}

static const char *fill(sotto_replay *replay, const sotto_replay_request *asked,
                        const sotto_schema *schema, sotto_dataset *dataset,
                        const sotto_replay_listener *listener, char *text)
{
    sotto_replay_request request = *asked;
    sotto__yardstick *found;
    const char *wrong = look_through(&request, schema, dataset, &found, text);
    if (wrong == NULL) {
        wrong = set_points(&request, sotto__replay_people(&request, found), replay->at, text);
    }
    if (wrong == NULL) {
        sotto_status status =
            sotto__replay_matches_of(&request, schema, found, &replay->matches, text);
        wrong = status == SOTTO_E_FAULT ? text : in_words(status, text);
    }
    sotto__yardstick_free(found);
    return wrong != NULL ? wrong : play(replay, sotto_schema_dim(schema), dataset, listener, text);
}

static const char *run(const sotto_replay_request *request, const sotto_schema *schema,
                       const char *path, const sotto_replay_listener *listener, sotto_replay **out,
                       char *text)
{
    sotto_dataset *dataset;
    if (sotto_replay_request_fault(request, sotto_schema_is_log(schema), text) != NULL) return text;
    const char *wrong = sotto_dataset_open(schema, path, &dataset, text);
    if (wrong != NULL) return wrong;
    *out = calloc(1, sizeof **out);
    wrong = *out == NULL ? in_words(SOTTO_E_MEMORY, text)
                         : fill(*out, request, schema, dataset, listener, text);
    sotto_dataset_close(dataset);
    if (wrong == NULL) return NULL;
    sotto_replay_free(*out);
    *out = NULL;
    return wrong;
}

const char *sotto_replay_run(const sotto_replay_request *request, const sotto_schema *schema,
                             const char *path, const sotto_replay_listener *listener,
                             sotto_replay **out, char text[SOTTO_FAULT_BYTES])
{
    SOTTO__DEFAULT_FLOATS;
    if (out == NULL) return sotto_status_text(SOTTO_E_ARGUMENT);
    *out = NULL;
    bool missing = request == NULL || schema == NULL || path == NULL || text == NULL;
    if (!missing) missing = request->player == NULL || request->epsilon == NULL;
    if (missing) return sotto_status_text(SOTTO_E_ARGUMENT);
    return SOTTO__UNSEEN(run)(request, schema, path, listener, out, text);
}

void sotto_replay_free(sotto_replay *replay)
{
    if (replay == NULL) return;
    sotto__replay_free(replay->played);
    sotto__replay_matches_free(&replay->matches);
    free(replay);
}

/* ---- what came of it ---------------------------------------------------------------------- */

uint64_t sotto_replay_rows(const sotto_replay *replay)
{
    return replay == NULL ? 0 : replay->rows;
}

static void find_row(const sotto__replay *played, uint64_t row, sotto_replay_row *out)
{
    uint64_t run = 0;
    while (row >= played->run[run].points_count) {
        row -= played->run[run++].points_count;
    }
    *out = sotto__replay_row_of(played, run, (uint32_t)row);
}

bool sotto_replay_row_at(const sotto_replay *replay, uint64_t row, sotto_replay_row *out)
{
    SOTTO__DEFAULT_FLOATS;
    if (out == NULL || row >= sotto_replay_rows(replay)) return false;
    SOTTO__UNSEEN(find_row)(replay->played, row, out);
    return true;
}

static sotto_status summarise(const sotto__replay *played, sotto_replay_summary *out)
{
    sotto_status status = sotto__replay_summary_of(played, out);
    if (status != SOTTO_OK) return status;
    status = sotto__replay_summary_by_table(played, out);
    if (status != SOTTO_OK) sotto__replay_summary_free(out);
    return status;
}

sotto_status sotto_replay_summarise(const sotto_replay *replay, sotto_replay_summary **out)
{
    SOTTO__DEFAULT_FLOATS;
    if (out == NULL) return SOTTO_E_ARGUMENT;
    *out = NULL;
    if (replay == NULL) return SOTTO_E_ARGUMENT;
    sotto_replay_summary *made = calloc(1, sizeof *made);
    if (made == NULL) return SOTTO_E_MEMORY;
    sotto_status status = SOTTO__UNSEEN(summarise)(replay->played, made);
    if (status == SOTTO_OK) *out = made;
    if (status != SOTTO_OK) free(made);
    return status;
}

void sotto_replay_summary_free(sotto_replay_summary *summary)
{
    if (summary == NULL) return;
    sotto__replay_summary_free(summary);
    free(summary);
}
