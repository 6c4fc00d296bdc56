/* Methods and environments by name, or as plug-ins. */
#include "cli/option/names.h"
#include "cli/option/words.h"
#include "core/fault.h"
#include "lab/environment/brought.h"
#include "lab/player/brought.h"
#include "options.h"
#include "parsers.h"

#include <stdlib.h>
#include <string.h>

/* "PATH: " before what is wrong with its table. */
static const char *of_file(const char *path, size_t length, const char *wrong, char *fault)
{
    return sotto__fault(fault, "%.*s: %.200s", length < 300 ? (int)length : 300, path, wrong);
}

/* A plug-in as the next method. */
static const char *add_file(method_list *list, const char *path, size_t length, char *fault)
{
    plugin *file;
    char table[SOTTO_FAULT_BYTES];
    const char *wrong = plugin_load(path, length, PLUGIN_METHOD, &file, fault);
    if (wrong == NULL && sotto__brought_player_fault(&file->player, table) != NULL) {
        wrong = of_file(path, length, table, fault);
    }
    for (uint32_t i = 0; wrong == NULL && i < list->count; i++) {
        if (list->brought[i] == NULL || strcmp(list->brought[i]->name, file->player.name) != 0) {
            continue;
        }
        wrong = sotto__fault(fault, "%.*s: its name is %s, as that of another plug-in",
                             length < 300 ? (int)length : 300, path, file->player.name);
    }
    if (wrong != NULL) {
        free(file);
        return wrong;
    }
    list->file[list->count] = file;
    list->brought[list->count] = &file->player;
    list->player[list->count++] = SOTTO_PLAYER_RANDOM;
    return NULL;
}

static bool has_player(const method_list *list, sotto_player player)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->brought[i] == NULL && list->player[i] == player) return true;
    }
    return false;
}

static const char *add_word(method_list *list, const char *text, char *fault)
{
    char word[WORD_BYTES];
    uint32_t player;
    word_next(&text, word);
    if (name_find(word, names_of_player, &player, fault) != NULL) return fault;
    if (has_player(list, (sotto_player)player)) {
        return sotto__fault(fault, "%s: each method may be given only once", word);
    }
    list->player[list->count++] = (sotto_player)player;
    return NULL;
}

const char *simulate_parse_methods(const option *row, const char *text, void *fields, char *fault)
{
    (void)row;
    simulate_options *s = fields;
    if (word_list_fault(text, fault) != NULL) return fault;
    for (uint32_t i = 0; i < s->methods.count; i++) {
        free(s->methods.file[i]); /* where the option is given twice the last one counts */
    }
    s->methods = (method_list){0};
    for (bool more = true; more;) {
        size_t length = strcspn(text, ",");
        if (s->methods.count == METHODS_MAX) {
            return sotto__fault(fault, "%.100s: allowed at most %u methods", text, METHODS_MAX);
        }
        const char *wrong = plugin_is_path(text, length)
                                ? add_file(&s->methods, text, length, fault)
                                : add_word(&s->methods, text, fault);
        if (wrong != NULL) return wrong;
        more = text[length] == ',';
        text += length + 1;
    }
    return NULL;
}

const char *simulate_parse_environment(const option *row, const char *text, void *fields,
                                       char *fault)
{
    simulate_options *s = fields;
    sotto_scene *scene = &s->request.scene;
    free(s->environment);
    s->environment = NULL;
    scene->brought = NULL;
    if (!plugin_is_path(text, strlen(text))) {
        uint32_t kind;
        if (name_find(text, row->names, &kind, fault) != NULL) return fault;
        scene->environment = (sotto_environment_kind)kind;
        return NULL;
    }
    const char *wrong = plugin_load(text, strlen(text), PLUGIN_ENVIRONMENT, &s->environment, fault);
    if (wrong != NULL) return wrong;
    char table[SOTTO_FAULT_BYTES];
    if (sotto__brought_fault(&s->environment->environment, table) != NULL) {
        return of_file(text, strlen(text), table, fault);
    }
    scene->environment = SOTTO_ENVIRONMENT_SPHERE; /* does not count */
    scene->brought = &s->environment->environment;
    return NULL;
}
