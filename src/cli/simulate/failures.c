/* Runs in which a plug-in failed. */
#include "failures.h"
#include "lab/player/brought.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

bool simulate_failures_begin(simulate_failures *failures, const sotto__comparison *comparison)
{
    *failures = (simulate_failures){
        .seeds = comparison->sweep.seeds_count,
        .match = calloc(comparison->sweep.matches_count, sizeof *failures->match),
    };
    return failures->match != NULL;
}

void simulate_failures_free(simulate_failures *failures)
{
    free(failures->match);
    failures->match = NULL;
}

void simulate_failures_take(simulate_failures *failures, uint64_t run, const char *fault)
{
    simulate_failure *match = &failures->match[run / failures->seeds];
    failures->count++;
    match->count++;
    if (match->count > 1 && run > match->run) return;
    match->run = run;
    snprintf(match->fault, sizeof match->fault, "%s", fault);
}

void simulate_failures_tell(const simulate_failures *failures, const command_line *line,
                            const sotto__comparison *comparison)
{
    for (uint32_t i = 0; i < comparison->sweep.matches_count; i++) {
        const simulate_failure *match = &failures->match[i];
        if (match->count == 0) continue;
        option_say(line,
                   "%s, in the run of %s at epsilon %.15g, seed %" PRIu64 "; the rows of %" PRIu64
                   " of %" PRIu32 " seeds are missing",
                   match->fault, sotto__match_method(&comparison->match[i]), comparison->epsilon[i],
                   comparison->sweep.first_seed + match->run % failures->seeds, match->count,
                   failures->seeds);
    }
}
