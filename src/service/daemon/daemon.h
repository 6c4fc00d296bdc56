/* What other rooms may use of this one. */
#ifndef SOTTO_SERVICE_DAEMON_ROOM_H
#define SOTTO_SERVICE_DAEMON_ROOM_H

#include "service/config/config.h"

#include <stdbool.h>

/* ---- commands ------------------------------------------------------------------------------- */

/* The commands of sottod other than serving. They work on a directory, not over the network. Each
 * returns the exit status. */

/* One experiment to a file that is not there yet; "-" is the standard output. The service may run. */
int directory_export(const sottod_config *config, const char *id, const char *path,
                     bool with_reports);
/* One experiment from a file. The service may not run. */
int directory_import(const sottod_config *config, const char *path);
/* The journal to a directory that is not there yet. The service may run. */
int directory_backup(const sottod_config *config, const char *path);
/* One more token for the admin port: `words` are NAME ROLE and perhaps LAST-DAY. And one less. A service that runs
 * takes either at SIGHUP. */
int directory_add_token(const sottod_config *config, int words, char **word);
int directory_remove_token(const sottod_config *config, const char *name);
/* What is in the directory, in words. The service may run. */
int directory_inspect(const sottod_config *config);

/* ---- serve ---------------------------------------------------------------------------------- */

/* The service from its start to its end. */

/* Opens the directory and both ports, prints where they are, serves until a signal comes. SIGHUP reads the tokens and
 * the log level again, from where `arguments` say. The exit status: 0, or 1 with a sentence on stderr. */
int serve(const sottod_config *config, int arguments, char **argument);

/* ---- signals -------------------------------------------------------------------------------- */

/* The signals that the service handles, as a descriptor to poll. */

/* SIGTERM and SIGINT end the service; SIGHUP makes it read again what may change while it runs. */
typedef enum signals_kind { SIGNALS_NONE, SIGNALS_RELOAD, SIGNALS_END } signals_kind;

/* From the first line of the program on: SIGHUP waits for signals_open, or (false) no longer. */
void signals_hold(bool held);
/* A descriptor that becomes readable when one of them came; -1: it could not be made. From here on
 * they no longer end the process, and SIGPIPE and SIGXFSZ do nothing. */
int signals_open(void);
/* The next that came; takes it. Does not wait. */
signals_kind signals_take(int fd);

#endif
