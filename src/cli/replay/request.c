/* From options to what they ask of a replay. */
#include "request.h"
#include "cli/option/sweep.h"
#include "cli/option/words.h"
#include "options.h"

#define PROGRAM "sotto replay"

bool replay_request_of(const command_line *line, bool log, replay_request *out)
{
    const replay_options *o = line->fields;
    char text[SOTTO_FAULT_BYTES];
    sotto__replay_request *asked = &out->asked;
    *asked = (sotto__replay_request){
        .player = out->player,
        .epsilon = out->epsilon,
        .parameters = (sotto_parameters)o->parameters,
        .link = (sotto_link)o->link,
        .delta = o->delta,
        .allow_weak_delta = o->weak_delta,
        .seeds_count = o->seeds,
        .passes = o->passes,
        .threads = OPTION_GIVEN(line, replay_options, threads) ? o->threads : sweep_cores(),
        .shuffle = o->order == REPLAY_SHUFFLED,
        .people_max =
            OPTION_GIVEN(line, replay_options, horizon) ? o->horizon : SOTTO__REPLAY_UNSAID,
        .warm_up = OPTION_GIVEN(line, replay_options, warm_up) ? o->warm_up : SOTTO__REPLAY_UNSAID,
        .clip = o->clip,
        .at = out->at,
    };
    if (!sweep_methods(PROGRAM, o->methods, out->player, &asked->players_count)) return false;
    if (!word_epsilons(PROGRAM, o->epsilons, 50, REPLAY_EPSILONS_MAX, out->epsilon,
                       &asked->epsilons_count)) {
        return false;
    }
    const char *fault = sotto__replay_request_fault(asked, log, text);
    return fault == NULL || option_say(line, "--%s", word_dashes(fault, text));
}

bool replay_request_points(const command_line *line, uint64_t people, replay_request *request)
{
    const replay_options *o = line->fields;
    return sweep_points(PROGRAM, o->checkpoints, people, request->at, &request->asked.at_count);
}
