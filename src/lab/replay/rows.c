/* What is known of a run at its check-points. */
#include "rows.h"
#include "to_play.h"

sotto_replay_row sotto__replay_row_of(const sotto__replay *replay, uint64_t run, uint32_t point)
{
    const sotto_match *match = replay->run[run].match;
    const sotto__replay_point *p = &replay->run[run].point[point];
    return (sotto_replay_row){
        .method = sotto_player_name(match->player),
        .epsilon = sotto__replay_epsilon(match),
        .seed = 1 + run % replay->settings.seeds_count,
        .t = p->t,
        .reward = p->reward,
        .regret = p->best - p->reward,
        .learnt = p->replayed.matched,
        .replayed = sotto__off_policy_value(&p->replayed, p->replayed.matched),
        .weighted = sotto__off_policy_value(&p->weighted, p->t),
        .self_normalised = sotto__off_policy_self_normalised(&p->weighted),
        .effective_size = sotto__off_policy_effective_size(&p->weighted),
    };
}
