/* What sottod does beside serving, on a folder and not over the network. Each returns the exit status. */
#ifndef SERVICE_COMMANDS_H
#define SERVICE_COMMANDS_H

#include "service/config/config.h"

/* One experiment to a file that is not there yet; "-" is the standard output. The service may run. */
int folder_export(const sottod_config *config, const char *id, const char *path, bool with_reports);
/* One experiment from a file. The service may not run. */
int folder_import(const sottod_config *config, const char *path);
/* The journal to a folder that is not there yet. The service may run. */
int folder_backup(const sottod_config *config, const char *path);
/* What is in the folder, in words. The service may run. */
int folder_inspect(const sottod_config *config);

#endif
