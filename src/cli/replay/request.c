/* From options to what they ask of a replay. */
#include "request.h"
#include "cli/option/cores.h"
#include "cli/option/words.h"
#include "options.h"

bool replay_request_of(const command_line *line, bool log, sotto_replay_request *out)
{
    const replay_options *o = line->fields;
    char text[SOTTO_FAULT_BYTES];
    *out = (sotto_replay_request){
        .player = o->players.player,
        .players_count = o->players.count,
        .epsilon = o->epsilons.epsilon,
        .epsilons_count = o->epsilons.count,
        .parameters = (sotto_parameters)o->parameters,
        .link = (sotto_link)o->link,
        .delta = o->delta,
        .allow_weak_delta = o->weak_delta,
        .seeds_count = o->seeds,
        .passes = o->passes,
        .threads = OPTION_GIVEN(line, replay_options, threads) ? o->threads : machine_cores(),
        .shuffle = o->order == REPLAY_SHUFFLED,
        .people_max =
            OPTION_GIVEN(line, replay_options, horizon) ? o->horizon : SOTTO_REPLAY_UNSAID,
        .warm_up = OPTION_GIVEN(line, replay_options, warm_up) ? o->warm_up : SOTTO_REPLAY_UNSAID,
        .clip = o->clip,
    };
    const char *fault = sotto_replay_request_fault(out, log, text);
    return fault == NULL || option_say(line, "--%s", option_typed(line, fault, text));
}

bool replay_request_points(const command_line *line, uint64_t people, sotto_replay_request *request)
{
    replay_options *o = line->fields;
    char fault[SOTTO_FAULT_BYTES];
    if (point_list_end(&o->points, people, fault) != NULL) {
        return option_say(line, "--checkpoints = %s", fault);
    }
    request->at = o->points.at;
    request->at_count = o->points.count;
    return true;
}
