/* Methods by name, or as plug-ins. */
#include "cli/option/option.h"
#include "core/core.h"
#include "lab/player/player.h"
#include "plugin.h"

#include <stdlib.h>
#include <string.h>

/* Adds a plug-in as the next method. */
static sotto_status add_file(method_list *list, const char *path, size_t length, sotto_fault *fault)
{
    plugin *file;
    int shown = length < 300 ? (int)length : 300;
    sotto_status status = plugin_load(path, length, PLUGIN_METHOD, &file, fault);
    if (status == SOTTO_OK && sotto__custom_player_fault(&file->player, fault) != SOTTO_OK) {
        status = sotto__fault_within(fault, "%.*s: ", shown, path);
    }
    for (uint32_t i = 0; status == SOTTO_OK && i < list->count; i++) {
        if (list->custom[i] == NULL || strcmp(list->custom[i]->name, file->player.name) != 0) {
            continue;
        }
        status = sotto__refuse(fault, "%.*s: its name %s is also that of another plug-in", shown,
                               path, file->player.name);
    }
    if (status != SOTTO_OK) {
        free(file);
        return status;
    }
    list->file[list->count] = file;
    list->custom[list->count] = &file->player;
    list->player[list->count++] = SOTTO_PLAYER_RANDOM;
    return SOTTO_OK;
}

static bool has_player(const method_list *list, sotto_player player)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->custom[i] == NULL && list->player[i] == player) return true;
    }
    return false;
}

static sotto_status add_word(method_list *list, const char *text, sotto_fault *fault)
{
    char word[WORD_BYTES];
    uint32_t player;
    word_next(&text, word);
    if (name_find(word, names_of_player, &player, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    if (has_player(list, (sotto_player)player)) {
        return sotto__refuse(fault, "%s: each method may be given only once", word);
    }
    list->player[list->count++] = (sotto_player)player;
    return SOTTO_OK;
}

sotto_status method_list_parse(method_list *list, const char *text, sotto_fault *fault)
{
    if (word_list_fault(text, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    method_list_free(list); /* if the option is given twice, the last one counts */
    for (bool more = true; more;) {
        size_t length = strcspn(text, ",");
        if (list->count == METHODS_MAX) {
            return sotto__refuse(fault, "%.100s: allowed at most %u methods", text, METHODS_MAX);
        }
        sotto_status status = plugin_is_path(text, length) ? add_file(list, text, length, fault)
                                                           : add_word(list, text, fault);
        if (status != SOTTO_OK) return status;
        more = text[length] == ',';
        text += length + 1;
    }
    return SOTTO_OK;
}

void method_list_free(method_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        free(list->file[i]);
    }
    *list = (method_list){0};
}
