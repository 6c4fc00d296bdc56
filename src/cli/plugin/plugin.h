/* Loads plug-ins: shared objects as sotto/lab/plugins.h describes them. */
#ifndef SOTTO_CLI_PLUGIN_LOAD_H
#define SOTTO_CLI_PLUGIN_LOAD_H

#include <sotto/lab/methods.h>
#include <sotto/lab/plugins.h>

#define PLUGIN_VERSION_BYTES 80u

/* A loaded shared object. It stays loaded until the process ends. The tables are copies whose
 * version is the SHA-256 of the file, so that two builds are never taken for the same. */
typedef struct plugin {
    char version[PLUGIN_VERSION_BYTES];
    sotto_player_table player;
    sotto_environment_table environment;
    sotto_mechanism_table mechanism;
} plugin;

/* The table to take from a plug-in. */
typedef enum plugin_part {
    PLUGIN_METHOD,
    PLUGIN_ENVIRONMENT,
    PLUGIN_MECHANISM,
} plugin_part;

/* True for a word that names a file: it has a slash in it, or ends in ".so". */
bool plugin_is_path(const char *word, size_t length);

/* Loads the file and takes one part of it. The fault begins with the path. The caller frees *out.
 * The file is first loaded in a subprocess, so that a file that crashes while loading is refused
 * with a sentence. */
SOTTO_CHECK sotto_status plugin_load(const char *path, size_t path_length, plugin_part part,
                                     plugin **out, sotto_fault *fault);

/* Runs `work` in a subprocess and copies back the `answer` that it wrote there. Its output goes to
 * stderr. Returns a fault, whose sentence begins with `what`, if the subprocess crashed, exited or
 * sent no answer. A plug-in can write to the subprocess: check the answer like any outside
 * bytes. */
SOTTO_CHECK sotto_status plugin_guard(void (*work)(void *state), void *state, const char *what,
                                      void *answer, size_t answer_bytes, sotto_fault *fault);

/* ---- methods -------------------------------------------------------------------------------- */

#define METHODS_MAX (SOTTO_PLAYERS + 16u)

/* The methods to compare, ours and custom ones, in the order in which they were given. */
typedef struct method_list {
    uint32_t count;
    sotto_player player[METHODS_MAX]; /* ignored for a custom one */
    const sotto_player_table *custom[METHODS_MAX];
    plugin *file[METHODS_MAX]; /* the plug-in that has the method; NULL: ours */
} method_list;

/* Parses names and paths of plug-ins, separated by commas, each once. The caller frees the list. */
SOTTO_CHECK sotto_status method_list_parse(method_list *list, const char *text, sotto_fault *fault);
void method_list_free(method_list *list);

#endif
