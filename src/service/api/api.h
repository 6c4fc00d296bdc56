/* What the two ports answer: tables of routes over the experiments. */
#ifndef SERVICE_API_H
#define SERVICE_API_H

#include "service/experiment/epochs.h"
#include "service/experiment/intake.h"
#include "service/folder/folder.h"
#include "service/front/front.h"

/* What routes may use. */
typedef struct api_service {
    sottod_experiments *experiments;
    sottod_intake *intake;
    sottod_journal *journal;
    sottod_log *log;
    sottod_folder *folder;            /* of a shared journal; NULL: this process never folds */
    const sottod_front *public_front; /* for its counts; NULL before it is open */
    const sottod_front *admin_front;
    const char *admin_address; /* that the admin port listens on; NULL: 127.0.0.1 */
    const char *admin_hosts;   /* names that Host may have beside the admin port's own address */
    const char *data;          /* the folder */
    uint64_t started_ms;
    bool stopping;      /* /readyz says 503 */
    bool failing;       /* the journal's last commit failed: /readyz says 503 */
    const char *reason; /* as journal_reason had it then */
    bool keep_reports;
    uint64_t folded_us, commits, commit_us, publish_us; /* for /metrics */
    uint64_t
        refused_key; /* requests without the key of their experiment; the public port counts them */
    uint64_t acknowledged; /* reports answered 204; the public port counts them */
} api_service;

/* ---- the public port */
typedef struct api_public api_public;
api_public *api_public_new(api_service *service);
void api_public_free(api_public *port);
front_door api_public_door(api_public *port);
/* The answers for front_settle: 204, or the refusal as JSON. Valid until the next call. */
front_answer api_public_settled(api_public *port, const sottod_refusal *why); /* NULL: taken */

/* ---- the admin port */
typedef struct api_admin api_admin;
/* Reads the hashes of the tokens from the folder, or draws both tokens at the first start and writes
 * them, readable by their owner only. */
api_admin *api_admin_new(api_service *service, char fault[FRONT_FAULT_BYTES]);
void api_admin_free(api_admin *port);
front_door api_admin_door(api_admin *port);
/* Where the token lies; and whether it was drawn by this start. */
const char *api_admin_token_file(const api_admin *port);
bool api_admin_token_is_new(const api_admin *port);

#endif
