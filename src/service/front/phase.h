/*
 * Where a connection stands, and how long it may stand there. Who holds a place and does not use it is cut:
 *
 *     quiet   nothing is asked: from the start, or the last answer, to the end of a first line
 *     reads   a request is read: its head has head_ms_max, its body must come at rate_min after as long
 *     sends   an answer is on its way: it must be taken at rate_min after head_ms_max
 *
 * In between, while we have the whole request, the time is ours.
 */
#ifndef SERVICE_FRONT_PHASE_H
#define SERVICE_FRONT_PHASE_H

#include "ring.h"

/* RINGS: none of the three. Nothing happens to one that was cut. */
void phase_is(front_request *request, request_ring phase);
/* Ends its connection, and counts why. */
void phase_cut(front_request *request, front_refusal why);
/* Cuts all that are over their time. Looks twice a second. */
void phase_end_slow(sottod_front *front);
/* Milliseconds until phase_end_slow wants to look; -1: there is nothing to look at. */
int phase_timeout_ms(const sottod_front *front);
/* All places are taken: cuts the one that has been quiet for the longest time, or reads for the longest. False
 * if nobody has been so for a second. */
bool phase_make_room(sottod_front *front);

int phase_socket(const front_request *request);

#endif
