/* A service without its ports: a journal in a directory, experiments, an intake, and everything
 * that the doors need. */
#ifndef SOTTO_HOUSE_H
#define SOTTO_HOUSE_H

#include "directory.h"
#include "service/api/api.h"

typedef struct house {
    directory data;
    sottod_journal *journal;
    sottod_experiments *experiments;
    sottod_intake *intake;
    api_service service; /* without fronts */
    uint64_t now_ms;
} house;

/* Ends the test if anything cannot be opened. */
void house_open(house *h);
void house_close(house *h);

/* An experiment with dim 3, 2 arms, binary rewards, half of the rounds measured; epochs of at least
 * a second and two reports. Another series makes another experiment. */
sottod_experiment *house_experiment(house *h, uint32_t series);
/* As many report frames of the current epoch as fit `bytes`; `seed` makes them differ. */
void house_frames(const sottod_experiment *experiment, uint64_t seed, uint8_t *frames,
                  size_t bytes);
/* Takes `count` reports and ends the epoch. */
void house_epoch(house *h, sottod_experiment *experiment, uint64_t seed, size_t count);

#endif
