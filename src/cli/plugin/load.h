/* Loads shared objects that people bring, as sotto/lab/plugins.h describes them. */
#ifndef SOTTO_CLI_PLUGIN_LOAD_H
#define SOTTO_CLI_PLUGIN_LOAD_H

#include <sotto/lab/plugins.h>

#define PLUGIN_VERSION_BYTES 80u

/* A shared object that is loaded, and stays so until the process ends. The tables are copies whose
 * version is the SHA-256 of the file: two builds are never taken for one. */
typedef struct plugin {
    char version[PLUGIN_VERSION_BYTES];
    sotto_player_table player;
    sotto_environment_table environment;
    sotto_mechanism_table mechanism;
} plugin;

/* Which of its tables is asked for. */
typedef enum plugin_part {
    PLUGIN_METHOD,
    PLUGIN_ENVIRONMENT,
    PLUGIN_MECHANISM,
} plugin_part;

/* True for a word that names a file: it has a slash in it, or ends in ".so". */
bool plugin_is_path(const char *word, size_t length);

/* Loads the file and takes this part of it. NULL, or `fault`: the path and what is wrong. *out is to be
 * freed. The first load is tried in a process of its own, so that a file that crashes when it is loaded
 * is refused with a sentence too. */
const char *plugin_load(const char *path, size_t path_length, plugin_part part, plugin **out,
                        char fault[SOTTO_FAULT_BYTES]);

/* Runs `work` in a process of its own, and hands over the `answer` that it wrote there; what it prints
 * goes to stderr. NULL, or `fault`: it crashed, ended the process, or gave no answer. `what` begins the
 * sentence. The answer is from a process that a plug-in can write to: check it like any outside bytes. */
const char *plugin_guard(void (*work)(void *state), void *state, const char *what, void *answer,
                         size_t answer_bytes, char fault[SOTTO_FAULT_BYTES]);

#endif
