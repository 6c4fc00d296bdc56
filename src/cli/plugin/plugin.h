/* Loads plug-ins: shared objects as sotto/lab/plugins.h describes them. */
#ifndef SOTTO_CLI_PLUGIN_LOAD_H
#define SOTTO_CLI_PLUGIN_LOAD_H

#include <sotto/lab/methods.h>
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

/* Loads the file and takes this part of it. The fault begins with the path. *out is to be
 * freed. The first load is tried in a process of its own, so that a file that crashes when it is loaded
 * is refused with a sentence too. */
SOTTO_CHECK sotto_status plugin_load(const char *path, size_t path_length, plugin_part part,
                                     plugin **out, sotto_fault *fault);

/* Runs `work` in a process of its own, and hands over the `answer` that it wrote there; what it prints
 * goes to stderr. A fault, whose sentence begins with `what`: it crashed, ended the process, or gave no
 * answer. The answer is from a process that a plug-in can write to: check it like any outside bytes. */
SOTTO_CHECK sotto_status plugin_guard(void (*work)(void *state), void *state, const char *what,
                                      void *answer, size_t answer_bytes, sotto_fault *fault);

/* ---- methods -------------------------------------------------------------------------------- */

#define METHODS_MAX (SOTTO_PLAYERS + 16u)

/* The methods that are compared, ours and custom ones, in the order in which they were given. */
typedef struct method_list {
    uint32_t count;
    sotto_player player[METHODS_MAX]; /* ignored for a custom one */
    const sotto_player_table *custom[METHODS_MAX];
    plugin *file[METHODS_MAX]; /* that it came in; NULL: ours */
} method_list;

/* Names and paths of plug-ins with commas, each once. The list is to be freed. */
SOTTO_CHECK sotto_status method_list_parse(method_list *list, const char *text, sotto_fault *fault);
void method_list_free(method_list *list);

#endif
