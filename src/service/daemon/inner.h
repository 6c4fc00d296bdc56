/* What files of this room share. */
#ifndef SOTTO_SERVICE_DAEMON_INNER_H
#define SOTTO_SERVICE_DAEMON_INNER_H

#include "daemon.h"
#include "service/api/api.h"
#include "service/config/config.h"
#include "service/front/front.h"
#include "service/store/postgres/postgres.h"

/* ---- loop ----------------------------------------------------------------------------------- */

/* The loop of the service: one thread, and one commit for all reports of a turn. */

typedef struct sottod_loop {
    api_service *service;
    api_public *public_port;
    api_admin *admin_port;
    sottod_front *public_front, *admin_front;
    int signals; /* see daemon.h */
    void (*reload)(void *self);
    void *self;
    uint64_t turn_ms;  /* when epochs have their next turn unless a report comes earlier */
    uint64_t retry_ms; /* after a failure of the journal: no attempt before this time */
    uint64_t said_ms;  /* when the log last reported the failure; 0: not yet */
    /* when a group without reports is written at the latest; 0: none waits */
    uint64_t counts_ms;
} sottod_loop;

/* Epochs have a turn at least this often, because periodic snapshots and the removal of old rows depend on it. */
#define LOOP_TURN_MS_MAX 60000

/* Runs until a signal ends it, and calls `reload` for SIGHUP. Then it drains: accepts no new connections and answers
 * requests in progress, for at most LOOP_DRAIN_MS. */
#define LOOP_DRAIN_MS 10000u
void loop_run(sottod_loop *loop);

/* ---- open_journal --------------------------------------------------------------------------- */

/* The journal named by the settings: a directory, or a database shared by several machines. */

/* `read_only` is for a directory: changes nothing beside a running service. *out is NULL, and `fault` says why,
 * unless SOTTO_OK. */
SOTTO_CHECK sotto_status daemon_open_journal(const sottod_config *config, bool read_only,
                                             sottod_journal **out, sotto_fault *fault);

/* ---- start ---------------------------------------------------------------------------------- */

/* Startup: the ports answer (service/api/api.h) while another thread reads the journal. */

#define START_SAY_MS 1000u

/* Runs `work` in its own thread and both fronts in this one, until it is done. Returns its result; also false if
 * there is no thread. If it takes longer than START_SAY_MS, calls `say` once. If a signal (signals_open) asks the
 * service to end, calls `end`, which ends the process without waiting for the thread. SIGHUP is handled afterwards. */
bool start_beside(sottod_front *public_front, sottod_front *admin_front, int signals,
                  bool (*work)(void *self), void (*say)(void *self), void (*end)(void *self),
                  void *self);

#endif
