/*
 * How many reports of an experiment were accepted and are in no model yet. Over a journal that several processes share
 * nobody but the database knows: it is asked when somebody wants to know. In a service alone with its journal a report
 * is folded when it is accepted: none waits.
 */
#ifndef SERVICE_WAITING_H
#define SERVICE_WAITING_H

#include "experiment.h"

#define WAITING_ASKED_MAX 25u /* experiments in one question */

/* Asks for one. */
void waiting_ask(sottod_experiments *all, sottod_experiment *experiment);
/* Asks for all, or for WAITING_ASKED_MAX of them in turns; at most once a second. */
void waiting_ask_all(sottod_experiments *all, uint64_t now_ms);
/* As it was asked last; false: it is not known. */
bool waiting_reports(const sottod_experiment *experiment, uint64_t *reports);

#endif
