/*
 * Taking reports, in groups: any number of bodies are offered, one commit makes all of them durable, and
 * then they are folded. Nothing is acknowledged before.
 *
 *     offer   every frame is checked first; then each is new, late, a duplicate or conflicting
 *     commit  one row per experiment, frames sorted by nonce; durable; then folded
 *
 * If the commit fails, the group never was: its nonces are forgotten, and devices send again.
 */
#ifndef SERVICE_INTAKE_H
#define SERVICE_INTAKE_H

#include "experiment.h"

typedef struct sottod_intake sottod_intake;

/* NULL: no memory. `frames_bytes_max` bounds what one group holds; one body of the longest kind always fits.
 * Experiments have one intake at a time, and outlive it. */
sottod_intake *intake_new(sottod_experiments *all, size_t frames_bytes_max);
void intake_free(sottod_intake *intake);

/* A body of frames for one experiment. True: all of it is in the group. False: nothing is, and *why says
 * why: 400 malformed (which frame, by its place), foreign, or of an epoch that has not begun (field "epoch"),
 * 404 (NULL for the experiment), 409 paused, 410 closed or deleted, 413 too long, 503 no room. A frame that is
 * late, or whose nonce was seen before (same bytes: duplicate; other bytes: conflicting), is counted and
 * skipped, and is no reason to refuse the others. */
bool intake_offer(sottod_intake *intake, sottod_experiment *experiment, const uint8_t *body,
                  size_t body_bytes, sottod_refusal *why);
/* Bodies that wait for the commit. */
uint32_t intake_waiting(const sottod_intake *intake);
/* True: durable, and folded. False: nothing of the group happened; *why (503) is for devices, and
 * journal_fault has the reason. */
bool intake_commit(sottod_intake *intake, sottod_refusal *why);

#endif
