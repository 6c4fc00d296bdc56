/* What files of this room share. */
#ifndef SOTTO_SERVICE_DAEMON_INNER_H
#define SOTTO_SERVICE_DAEMON_INNER_H

#include "daemon.h"
#include "service/api/api.h"
#include "service/config/config.h"
#include "service/front/front.h"
#include "service/store/postgres/postgres.h"

/* ---- loop ----------------------------------------------------------------------------------- */

/* The loop of the service: one thread, and one commit for all reports that came in a turn. */

typedef struct sottod_loop {
    api_service *service;
    api_public *public_port;
    api_admin *admin_port;
    sottod_front *public_front, *admin_front;
    int signals; /* see daemon.h */
    void (*reload)(void *self);
    void *self;
    uint64_t turn_ms;   /* when epochs have their next turn, if no report comes before */
    uint64_t retry_ms;  /* after the journal failed: not before this time */
    uint64_t said_ms;   /* when the log last said that it failed; 0: not yet */
    uint64_t counts_ms; /* when a group without reports is written at the latest; 0: none waits */
} sottod_loop;

/* Epochs have their turn at least so often, because snapshots and the removal of old rows depend on
 * it. */
#define LOOP_TURN_MS_MAX 60000

/* Runs until a signal ends it, and calls `reload` for SIGHUP; then drains: no new connections, requests in progress
 * are answered, for at most LOOP_DRAIN_MS. */
#define LOOP_DRAIN_MS 10000u
void loop_run(sottod_loop *loop);

/* ---- open_journal --------------------------------------------------------------------------- */

/* The journal that the settings name: the directory, or a database that several machines share. */

postgres_settings daemon_postgres(const sottod_config *config);
/* `read_only` is for a directory: beside a running service nothing is changed. *out is NULL, and `fault` says
 * why, unless SOTTO_OK. */
SOTTO_CHECK sotto_status daemon_open_journal(const sottod_config *config, bool read_only,
                                             sottod_journal **out, sotto_fault *fault);

/* ---- start ---------------------------------------------------------------------------------- */

/* The time before the service is ready: ports answer (service/api/api.h) while another thread reads the journal. */

#define START_SAY_MS 1000u

/* Runs `work` in a thread of its own and both fronts in this one, until it is done. Its answer; false also if there is
 * no thread. If it takes longer than START_SAY_MS, `say` is called then, once. When a signal of `signals` (signals_open)
 * is to end the service, `end` is called, which ends the process: nobody waits for the thread. SIGHUP is heeded
 * afterwards. */
bool start_beside(sottod_front *public_front, sottod_front *admin_front, int signals,
                  bool (*work)(void *self), void (*say)(void *self), void (*end)(void *self),
                  void *self);

#endif
