/* Rounds, and the wait until their reports are acknowledged. */
#ifndef SOTTO_CLI_JOIN_PLAY_H
#define SOTTO_CLI_JOIN_PLAY_H

#include "inputs.h"
#include "ledger.h"
#include "print.h"
#include "wait.h"

#include <signal.h>

typedef struct join_scene {
    const command_line *line;
    const join_options *options;
    const join_settings *settings;
    join_ledger own;
    join_inputs inputs;
    sotto_wire *wire;
    sotto_site *site;
    sotto_terms terms;
    sotto_device *device;
    sigset_t held; /* Ctrl-C, from the first round on */
    wait_line wait;
    join_round *played; /* played_count of them */
    uint32_t played_count;
    join_unsent unsent; /* what the ledger still has, as of the last event */
    bool changed;       /* there was an event since */
} join_scene;

/* Takes part, plays so many rounds, sends all that is to be sent. The exit status. */
int join_play(join_scene *s, uint32_t rounds);

#endif
