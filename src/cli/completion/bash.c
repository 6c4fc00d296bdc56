/* The script of bash. */
#include "commands.h"
#include "shells.h"
#include "words.h"

#include <sotto/core.h>

static const char begin[] =
    "# The shared objects and folders that word $2 may become, after the words $1 of a list.\n"
    "_sotto_plugins()\n"
    "{\n"
    "    local IFS=$'\\n'\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    COMPREPLY+=($(compgen -P \"$1\" -f -X '!*.so' -- \"$2\")\n"
    "                $(compgen -P \"$1\" -S / -d -- \"$2\"))\n"
    "    # A folder alone: there is more to type.\n"
    "    [[ ${#COMPREPLY[@]}:${COMPREPLY[0]} == 1:*/ ]] && compopt -o nospace 2>/dev/null\n"
    "}\n"
    "_sotto()\n"
    "{\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local takes= names= options= words= files= before=\n"
    "    # bash cuts --option=value at the sign.\n"
    "    if [[ $word == '=' ]]; then\n"
    "        word=\n"
    "    elif [[ $option == '=' ]]; then\n"
    "        option=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n"
    "    case $((COMP_CWORD > 1)):${COMP_WORDS[1]} in\n";

static const char end[] =
    "    esac\n"
    "    COMPREPLY=()\n"
    "    case $takes in\n"
    "        text) ;;\n"
    "        name*)\n"
    "            COMPREPLY=($(compgen -W \"$names\" -- \"$word\"))\n"
    "            [[ $takes == name-or-plugin ]] && _sotto_plugins '' \"$word\"\n"
    "            ;;\n"
    "        list*)\n"
    "            [[ $word == *,* ]] && before=${word%,*},\n"
    "            COMPREPLY=($(compgen -P \"$before\" -W \"$names\" -- \"${word##*,}\"))\n"
    "            [[ $takes == list-or-plugins ]] && _sotto_plugins \"$before\" \"${word##*,}\"\n"
    "            ;;\n"
    "        file | folder)\n"
    "            local IFS=$'\\n'\n"
    "            compopt -o filenames 2>/dev/null\n"
    "            [[ $takes == file ]] && COMPREPLY=($(compgen -f -- \"$word\"))\n"
    "            [[ $takes == folder ]] && COMPREPLY=($(compgen -d -- \"$word\"))\n"
    "            ;;\n"
    "        *)\n"
    "            if ((COMP_CWORD <= 2)); then\n"
    "                COMPREPLY=($(compgen -W \"$words $options\" -- \"$word\"))\n"
    "            elif [[ -n $files && $word != -* ]]; then\n"
    "                local IFS=$'\\n'\n"
    "                compopt -o filenames 2>/dev/null\n"
    "                COMPREPLY=($(compgen -f -- \"$word\"))\n"
    "            else\n"
    "                COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
    "            fi\n"
    "            ;;\n"
    "    esac\n"
    "}\n"
    "complete -F _sotto sotto\n";

static void print_value(const option *row)
{
    completion_kind kind = completion_kind_of(row);
    static const char *const takes[] = {[COMPLETES_TEXT] = "text",
                                        [COMPLETES_NAME] = "name",
                                        [COMPLETES_LIST] = "list",
                                        [COMPLETES_NAME_OR_PLUGIN] = "name-or-plugin",
                                        [COMPLETES_PLUGIN_LIST] = "list-or-plugins",
                                        [COMPLETES_FILE] = "file",
                                        [COMPLETES_FOLDER] = "folder"};
    if (kind == COMPLETES_NOTHING) return;
    printf("                --%s) takes=%s", row->name, takes[kind]);
    if (row->names != NULL) {
        printf(" names='");
        print_names(row->names, "");
        printf("'");
    }
    printf(" ;;\n");
}

static void print_command(const command *self)
{
    printf("        1:%s)\n            options='", self->name);
    for (const option *row = self->table; row->meaning != NULL; row++) {
        printf("--%s ", row->name);
    }
    printf("--help'\n");
    if (self->words != NULL) {
        printf("            words='");
        print_names(self->words, "");
        printf(self->table->meaning != NULL ? "' files=yes\n" : "'\n");
    }
    if (self->table->meaning != NULL) {
        printf("            case $option in\n");
        for (const option *row = self->table; row->meaning != NULL; row++) {
            print_value(row);
        }
        printf("            esac\n");
    }
    printf("            ;;\n");
}

void completion_bash(void)
{
    printf("# Completion of sotto %s for bash, written by `sotto completion bash`.\n%s",
           sotto_version(), begin);
    printf("        0:*)\n            words='");
    print_names(command_name, "");
    printf(
        " help' options='--help --version'\n            ;;\n        1:help)\n            words='");
    print_names(command_name, "");
    printf("'\n            ;;\n");
    for (uint32_t i = 0; command_at(i) != NULL; i++) {
        print_command(command_at(i));
    }
    printf("%s", end);
}
