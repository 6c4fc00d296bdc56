/* Methods by name, or as plug-ins. */
#include "cli/option/option.h"
#include "core/core.h"
#include "lab/player/player.h"
#include "plugin.h"

#include <stdlib.h>
#include <string.h>

const char *plugin_of_file(const char *path, size_t length, const char *wrong,
                           char fault[SOTTO_FAULT_BYTES])
{
    return sotto__fault(fault, "%.*s: %.200s", length < 300 ? (int)length : 300, path, wrong);
}

/* A plug-in as the next method. */
static const char *add_file(method_list *list, const char *path, size_t length, char *fault)
{
    plugin *file;
    sotto_fault table_fault;
    const char *wrong = plugin_load(path, length, PLUGIN_METHOD, &file, fault);
    if (wrong == NULL && sotto__custom_player_fault(&file->player, &table_fault) != SOTTO_OK) {
        wrong = plugin_of_file(path, length, table_fault.sentence, fault);
    }
    for (uint32_t i = 0; wrong == NULL && i < list->count; i++) {
        if (list->custom[i] == NULL || strcmp(list->custom[i]->name, file->player.name) != 0) {
            continue;
        }
        wrong = sotto__fault(fault, "%.*s: its name %s is also that of another plug-in",
                             length < 300 ? (int)length : 300, path, file->player.name);
    }
    if (wrong != NULL) {
        free(file);
        return wrong;
    }
    list->file[list->count] = file;
    list->custom[list->count] = &file->player;
    list->player[list->count++] = SOTTO_PLAYER_RANDOM;
    return NULL;
}

static bool has_player(const method_list *list, sotto_player player)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->custom[i] == NULL && list->player[i] == player) return true;
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

const char *method_list_parse(method_list *list, const char *text, char fault[SOTTO_FAULT_BYTES])
{
    if (word_list_fault(text, fault) != NULL) return fault;
    method_list_free(list); /* where the option is given twice the last one counts */
    for (bool more = true; more;) {
        size_t length = strcspn(text, ",");
        if (list->count == METHODS_MAX) {
            return sotto__fault(fault, "%.100s: allowed at most %u methods", text, METHODS_MAX);
        }
        const char *wrong = plugin_is_path(text, length) ? add_file(list, text, length, fault)
                                                         : add_word(list, text, fault);
        if (wrong != NULL) return wrong;
        more = text[length] == ',';
        text += length + 1;
    }
    return NULL;
}

void method_list_free(method_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        free(list->file[i]);
    }
    *list = (method_list){0};
}
