/* What other rooms may use from this one. */
#ifndef SOTTO_SERVICE_DAEMON_ROOM_H
#define SOTTO_SERVICE_DAEMON_ROOM_H

#include "service/config/config.h"

#include <stdbool.h>

/* ---- commands ------------------------------------------------------------------------------- */

/* The commands of sottod other than serving. They work on a directory, not over the network. Each
 * returns the exit status. */

/* Writes one experiment to a file that must not exist; "-" is standard output. The service may be running. */
int directory_export(const sottod_config *config, const char *id, const char *path,
                     bool with_reports);
/* Reads one experiment from a file. The service must not be running. */
int directory_import(const sottod_config *config, const char *path);
/* Copies the journal to a directory that must not exist. The service may be running. */
int directory_backup(const sottod_config *config, const char *path);
/* Adds a token for the admin port: `words` are NAME ROLE and optionally LAST-DAY; or removes one. A running service
 * applies this at SIGHUP. */
int directory_add_token(const sottod_config *config, int words, char **word);
int directory_remove_token(const sottod_config *config, const char *name);
/* Describes the content of the directory. The service may be running. */
int directory_inspect(const sottod_config *config);

/* ---- serve ---------------------------------------------------------------------------------- */

/* The service from its start to its end. */

/* Opens the directory and both ports, prints their addresses, and serves until a signal arrives. SIGHUP rereads the
 * tokens and the log level, from the sources in `arguments`. Exit status: 0, or 1 with a sentence on stderr. */
int serve(const sottod_config *config, int arguments, char **argument);

/* ---- signals -------------------------------------------------------------------------------- */

/* The signals that the service handles, as a descriptor to poll. */

/* SIGTERM and SIGINT end the service; SIGHUP makes it reread what may change while it runs. */
typedef enum signals_kind { SIGNALS_NONE, SIGNALS_RELOAD, SIGNALS_END } signals_kind;

/* Called first in the program: holds SIGHUP back until signals_open, or (false) no longer. */
void signals_hold(bool held);
/* A descriptor that becomes readable when such a signal arrives; -1: impossible. From now on they do not end the
 * process, and SIGPIPE and SIGXFSZ do nothing. */
int signals_open(void);
/* Takes the next signal. Does not wait. */
signals_kind signals_take(int fd);

#endif
