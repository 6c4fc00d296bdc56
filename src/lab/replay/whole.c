/* A whole replay: a pass over the file, its matches, the play, and access to the results. */
#include "core/core.h"
#include "lab/run/run.h"
#include "replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct sotto_replay {
    sotto__replay *played;
    sotto__replay_matches matches;
    sotto__rewards rewards;        /* of a log: what the matches borrow */
    uint64_t at[SOTTO_POINTS_MAX]; /* checkpoints */
    uint64_t rows;                 /* of all runs */
};

/* ---- playing one -------------------------------------------------------------------------- */

static sotto_status in_words(sotto_status status, sotto_fault *fault)
{
    return status == SOTTO_OK ? SOTTO_OK : sotto__fault_status(fault, status);
}

/* Surveys the file first. A pipe cannot be rewound: *out is then NULL. */
static sotto_status look_through(const sotto_replay_request *request, const sotto_schema *schema,
                                 sotto_dataset *dataset, sotto__yardstick **out,
                                 sotto__rewards *rewards, sotto_fault *fault)
{
    *out = NULL;
    if (sotto_dataset_rewind(dataset, fault) != SOTTO_OK) {
        rewards->unavailable = SOTTO_UNAVAILABLE_PIPE;
        return request->passes > 1 ? SOTTO_E_FAULT : SOTTO_OK;
    }
    sotto_status wrong =
        sotto__survey(schema, dataset, request->clip, request->people_max, NULL, out, fault);
    if (wrong == SOTTO_OK) wrong = sotto_dataset_rewind(dataset, fault);
    if (wrong != SOTTO_OK) return wrong;
    return sotto__learn_rewards(schema, dataset, request->people_max, NULL, rewards, fault);
}

/* Completes the request with its checkpoints, the last of which is the last person. */
static sotto_status set_points(sotto_replay_request *request, uint64_t people, uint64_t *at,
                               sotto_fault *fault)
{
    uint32_t count = request->at_count;
    if (request->at == NULL) count = sotto__usual_points(people, at);
    if (request->at != NULL) memcpy(at, request->at, count * sizeof at[0]);
    if (count > 0 && at[count - 1] > people) {
        return sotto__refuse(fault, "checkpoint = %" PRIu64 ": %" PRIu64 " people are played",
                             at[count - 1], people);
    }
    if (count == 0 || at[count - 1] < people) at[count++] = people;
    request->at = at;
    request->at_count = count;
    return SOTTO_OK;
}

static sotto_status play(sotto_replay *replay, uint32_t dim, sotto_dataset *dataset,
                         const sotto_replay_listener *listener, sotto_fault *fault)
{
    sotto_status status = sotto__replay_new(&replay->matches.settings, dim, &replay->played);
    if (status != SOTTO_OK) return in_words(status, fault);
    sotto_status wrong = sotto__replay_play(replay->played, dataset, listener, fault);
    for (uint64_t r = 0; wrong == SOTTO_OK && r < replay->played->runs_count; r++) {
        replay->rows += replay->played->run[r].points_count;
    }
    return wrong;
}

static sotto_status fill(sotto_replay *replay, const sotto_replay_request *asked,
                         const sotto_schema *schema, sotto_dataset *dataset,
                         const sotto_replay_listener *listener, sotto_fault *fault)
{
    sotto_replay_request request = *asked;
    sotto__yardstick *found;
    sotto_status wrong = look_through(&request, schema, dataset, &found, &replay->rewards, fault);
    if (wrong == SOTTO_OK) {
        wrong = set_points(&request, sotto__replay_people(&request, found), replay->at, fault);
    }
    if (wrong == SOTTO_OK) {
        wrong = sotto__replay_matches_of(&request, schema, found, &replay->matches, fault);
        if (wrong != SOTTO_E_FAULT) wrong = in_words(wrong, fault);
    }
    replay->matches.settings.rules.model = replay->rewards.model;
    replay->matches.settings.rules.model_unavailable = replay->rewards.unavailable;
    sotto__yardstick_free(found);
    return wrong != SOTTO_OK ? wrong
                             : play(replay, sotto_schema_dim(schema), dataset, listener, fault);
}

sotto_status sotto_replay_run(const sotto_replay_request *request, const sotto_schema *schema,
                              const char *path, const sotto_replay_listener *listener,
                              sotto_replay **out, sotto_fault *fault)
{
    if (out == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    *out = NULL;
    bool missing = request == NULL || schema == NULL || path == NULL;
    if (!missing) missing = request->player == NULL || request->epsilon == NULL;
    if (missing) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    sotto_dataset *dataset;
    sotto_status wrong = sotto_replay_request_fault(request, sotto_schema_is_log(schema), fault);
    if (wrong != SOTTO_OK) return wrong;
    wrong = sotto_dataset_open(schema, path, &dataset, fault);
    if (wrong != SOTTO_OK) return wrong;
    *out = calloc(1, sizeof **out);
    wrong = *out == NULL ? in_words(SOTTO_E_MEMORY, fault)
                         : fill(*out, request, schema, dataset, listener, fault);
    sotto_dataset_close(dataset);
    if (wrong == SOTTO_OK) return SOTTO_OK;
    sotto_replay_free(*out);
    *out = NULL;
    return wrong;
}

void sotto_replay_free(sotto_replay *replay)
{
    if (replay == NULL) return;
    sotto__replay_free(replay->played);
    sotto__replay_matches_free(&replay->matches);
    sotto__rewards_free(&replay->rewards);
    free(replay);
}

/* ---- what came of it ---------------------------------------------------------------------- */

uint64_t sotto_replay_rows(const sotto_replay *replay)
{
    return replay == NULL ? 0 : replay->rows;
}

bool sotto_replay_row_at(const sotto_replay *replay, uint64_t row, sotto_replay_row *out)
{
    if (out == NULL || row >= sotto_replay_rows(replay)) return false;
    const sotto__replay *played = replay->played;
    uint64_t run = 0;
    while (row >= played->run[run].points_count) {
        row -= played->run[run++].points_count;
    }
    *out = sotto__replay_row_of(played, run, (uint32_t)row);
    return true;
}

sotto_status sotto_replay_summarise(const sotto_replay *replay, sotto_replay_summary **out)
{
    if (out == NULL) return SOTTO_E_ARGUMENT;
    *out = NULL;
    if (replay == NULL) return SOTTO_E_ARGUMENT;
    sotto_replay_summary *made = calloc(1, sizeof *made);
    if (made == NULL) return SOTTO_E_MEMORY;
    sotto_status status = sotto__replay_summary_of(replay->played, made);
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

sotto_status sotto_replay_estimate_line(const sotto_replay *replay,
                                        const sotto_replay_summary *summary, uint32_t line,
                                        sotto_replay_estimates *out)
{
    if (replay == NULL || summary == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    const sotto__replay_settings *settings = &replay->played->settings;
    bool method = line < settings->matches_count && line < summary->lines_count;
    if (!settings->rules.log || !method) return SOTTO_E_FAULT;
    return sotto__replay_estimates_of(replay->played, line, &summary->line[line], out);
}
