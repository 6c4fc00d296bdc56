/*
 * Completion scripts for shells, made from the tables of a program. The commands of one program
 * have options of their own; the commands of the other share one table, whose options may stand
 * anywhere.
 */
#include "option.h"
#include "text/text.h"

#include <string.h>

/* ==== what shells have in common ============================================================= */

/* How a shell completes the value of an option. */
typedef enum completion_kind {
    COMPLETES_NOTHING, /* a flag: there is no value */
    COMPLETES_SWITCH,  /* a flag that may have a value */
    COMPLETES_TEXT,    /* free text */
    COMPLETES_NAME,
    COMPLETES_LIST, /* of names */
    COMPLETES_NAME_OR_PLUGIN,
    COMPLETES_PLUGIN_LIST, /* of names and shared objects */
    COMPLETES_FILE,
    COMPLETES_DIRECTORY,
} completion_kind;

static completion_kind kind_of(const option *row)
{
    if (row->kind == OPTION_IS_FLAG)
        return row->sources != 0 ? COMPLETES_SWITCH : COMPLETES_NOTHING;
    switch (row->takes) {
    case OPTION_TAKES_FILE: return COMPLETES_FILE;
    case OPTION_TAKES_DIRECTORY: return COMPLETES_DIRECTORY;
    case OPTION_TAKES_LIST: return COMPLETES_LIST;
    case OPTION_TAKES_NAME_OR_PLUGIN: return COMPLETES_NAME_OR_PLUGIN;
    case OPTION_TAKES_PLUGIN_LIST: return COMPLETES_PLUGIN_LIST;
    case OPTION_TAKES_TEXT: break;
    }
    return row->names != NULL ? COMPLETES_NAME : COMPLETES_TEXT;
}

#define EACH_ROW(row, table) for (const option *row = (table); row->meaning != NULL; row++)
#define EACH_COMMAND(one, self) for (uint32_t one = 0; (self)->command_at(one) != NULL; one++)

/* Prints names separated by blanks, each only up to its first capital letter, where the part to
 * fill in begins. Characters in `escaped` get a backslash. */
static void put_names(FILE *file, option_names *names, const char *escaped)
{
    for (uint32_t i = 0; names(i) != NULL; i++) {
        if (i > 0) fputc(' ', file);
        size_t length = strcspn(names(i), "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        quote_print(file, names(i), length, escaped, "");
    }
}

/* Prints the names of the commands, or only of those that take files, separated by `between`. */
static void put_commands(FILE *file, const option_program *self, bool files, const char *between)
{
    const char *before = "";
    EACH_COMMAND(i, self)
    {
        if (files && !self->command_at(i)->files) continue;
        fprintf(file, "%s%s", before, self->command_at(i)->name);
        before = between;
    }
}

static const char *switch_name(uint32_t value)
{
    static const char *const name[] = {"yes", "no"};
    return value < 2 ? name[value] : NULL;
}

/* ==== bash =================================================================================== */

static const char bash_plugins[] =
    "# The shared objects and directories that word $2 may become, after the words $1 of a list.\n"
    "_sotto_plugins()\n"
    "{\n"
    "    local IFS=$'\\n'\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    COMPREPLY+=($(compgen -P \"$1\" -f -X '!*.so' -- \"$2\")\n"
    "                $(compgen -P \"$1\" -S / -d -- \"$2\"))\n"
    "    # A directory alone: there is more to type.\n"
    "    [[ ${#COMPREPLY[@]}:${COMPREPLY[0]} == 1:*/ ]] && compopt -o nospace 2>/dev/null\n"
    "}\n";

static const char bash_begin[] =
    "{\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local takes= names= options= words= files= before=\n"
    "    # bash cuts --option=value at the sign.\n"
    "    if [[ $word == '=' ]]; then\n"
    "        word=\n"
    "    elif [[ $option == '=' ]]; then\n"
    "        option=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n";

static const char bash_end[] =
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
    "        file | directory)\n"
    "            local IFS=$'\\n'\n"
    "            compopt -o filenames 2>/dev/null\n"
    "            [[ $takes == file ]] && COMPREPLY=($(compgen -f -- \"$word\"))\n"
    "            [[ $takes == directory ]] && COMPREPLY=($(compgen -d -- \"$word\"))\n"
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
    "}\n";

static void put_bash_value(FILE *file, const option *row, int indent)
{
    completion_kind kind = kind_of(row);
    static const char *const takes[] = {[COMPLETES_SWITCH] = "name",
                                        [COMPLETES_TEXT] = "text",
                                        [COMPLETES_NAME] = "name",
                                        [COMPLETES_LIST] = "list",
                                        [COMPLETES_NAME_OR_PLUGIN] = "name-or-plugin",
                                        [COMPLETES_PLUGIN_LIST] = "list-or-plugins",
                                        [COMPLETES_FILE] = "file",
                                        [COMPLETES_DIRECTORY] = "directory"};
    if (kind == COMPLETES_NOTHING) return;
    fprintf(file, "%*s--%s) ", indent, "", row->name);
    if (kind == COMPLETES_SWITCH) fputs("[[ ${COMP_WORDS[*]:COMP_CWORD - 1:2} == *=* ]] && ", file);
    fprintf(file, "takes=%s", takes[kind]);
    option_names *names = kind == COMPLETES_SWITCH ? switch_name : row->names;
    if (names != NULL) {
        fputs(" names='", file);
        put_names(file, names, "");
        fputs("'", file);
    }
    fputs(" ;;\n", file);
}

static void put_bash_rows(FILE *file, const option *table, int indent)
{
    EACH_ROW(row, table)
    {
        put_bash_value(file, row, indent);
    }
}

static void put_bash_options(FILE *file, const option *table)
{
    EACH_ROW(row, table)
    {
        fprintf(file, "--%s ", row->name);
    }
}

static void put_bash_command(FILE *file, const command *self)
{
    fprintf(file, "        1:%s)\n            options='", self->name);
    put_bash_options(file, self->table);
    fputs("--help'\n", file);
    if (self->words != NULL) {
        fputs("            words='", file);
        put_names(file, self->words, "");
        fputs(self->table->meaning != NULL ? "' files=yes\n" : "'\n", file);
    }
    if (self->table->meaning != NULL) {
        fputs("            case $option in\n", file);
        put_bash_rows(file, self->table, 16);
        fputs("            esac\n", file);
    }
    fputs("            ;;\n", file);
}

/* For a program whose commands have options of their own. */
static void put_bash_commands(FILE *file, const option_program *self)
{
    fputs("    case $((COMP_CWORD > 1)):${COMP_WORDS[1]} in\n"
          "        0:*)\n            words='",
          file);
    put_commands(file, self, false, " ");
    fputs(" help' options='--help --version'\n            ;;\n        1:help)\n            words='",
          file);
    put_commands(file, self, false, " ");
    fputs("'\n            ;;\n", file);
    EACH_COMMAND(i, self)
    {
        put_bash_command(file, self->command_at(i));
    }
    fputs("    esac\n", file);
}

/* For a program whose commands share one table. */
static void put_bash_shared(FILE *file, const option_program *self)
{
    fputs("    options='", file);
    put_bash_options(file, self->table);
    put_bash_options(file, self->flags);
    fputs("'\n    case $option in\n", file);
    put_bash_rows(file, self->table, 8);
    EACH_COMMAND(i, self)
    {
        const command *one = self->command_at(i);
        if (one->words == NULL) continue;
        fprintf(file, "        %s) takes=name names='", one->name);
        put_names(file, one->words, "");
        fputs("' ;;\n", file);
    }
    fputs("    esac\n    local i\n    for ((i = 1; i < COMP_CWORD; i++)); do\n"
          "        case ${COMP_WORDS[i]} in\n            ",
          file);
    put_commands(file, self, true, " | ");
    fputs(") files=yes ;;\n        esac\n    done\n"
          "    [[ -z $takes && -n $files && $word != -* ]] && takes=file\n"
          "    ((COMP_CWORD == 1)) && words='",
          file);
    put_commands(file, self, false, " ");
    fputs("'\n", file);
}

static void put_bash(FILE *file, const option_program *self)
{
    bool shared = self->table != NULL;
    fprintf(file, "%s_%s()\n%s", shared ? "" : bash_plugins, self->name, bash_begin);
    if (shared) {
        put_bash_shared(file, self);
    } else {
        put_bash_commands(file, self);
    }
    fprintf(file, "%scomplete -F _%s %s\n", bash_end, self->name, self->name);
}

/* ==== zsh ==================================================================================== */

#define ZSH_QUOTE "'\\''" /* closes the string, prints a quote, opens the string again */

static const char zsh_plugins[] =
    "# The names that it is given, and shared objects; in a list, after its last comma.\n"
    "_sotto_plugins()\n"
    "{\n"
    "    local -a more\n"
    "    [[ $1 == list ]] && more=(-q -S ,) && compset -P '*,'\n"
    "    shift\n"
    "    compadd $more -- \"$@\"\n"
    "    _files -g '*.so' $more\n"
    "}\n\n";

static void put_zsh_value(FILE *file, const option *row)
{
    completion_kind kind = kind_of(row);
    if (kind == COMPLETES_NOTHING) return;
    fprintf(file, "%s:%s:", kind == COMPLETES_SWITCH ? ":" : "", row->name);
    switch (kind) {
    case COMPLETES_NOTHING:
    case COMPLETES_TEXT: fputs(" ", file); return;
    case COMPLETES_FILE: fputs("_files", file); return;
    case COMPLETES_DIRECTORY: fputs("_files -/", file); return;
    case COMPLETES_SWITCH:
    case COMPLETES_NAME:
        fputs("(", file);
        put_names(file, kind == COMPLETES_SWITCH ? switch_name : row->names, ":\\");
        fputs(")", file);
        return;
    case COMPLETES_LIST: fprintf(file, "_values -s , %s ", row->name); break;
    case COMPLETES_NAME_OR_PLUGIN: fputs(" _sotto_plugins one ", file); break;
    case COMPLETES_PLUGIN_LIST: fputs(" _sotto_plugins list ", file); break;
    }
    put_names(file, row->names, ":\\");
}

static void put_zsh_rows(FILE *file, const option *table, int indent)
{
    EACH_ROW(row, table)
    {
        completion_kind kind = kind_of(row);
        const char *value = kind == COMPLETES_SWITCH ? "=-" : kind == COMPLETES_NOTHING ? "" : "=";
        fprintf(file, " \\\n%*s'--%s%s[", indent, "", row->name, value);
        quote_clause(file, row->meaning, "[]\\", ZSH_QUOTE);
        fputs("]", file);
        put_zsh_value(file, row);
        fputs("'", file);
    }
}

static void put_zsh_command(FILE *file, const command *self)
{
    fprintf(file, "        %s)\n            _arguments", self->name);
    put_zsh_rows(file, self->table, 16);
    fputs(" \\\n                '(- *)'{-h,--help}'[options and examples]'", file);
    if (self->words != NULL) {
        fputs(" \\\n                '1:what:(", file);
        put_names(file, self->words, "");
        fputs(")'", file);
        if (self->table->meaning != NULL) fputs(" \\\n                '*:file:_files'", file);
    }
    fputs("\n            ;;\n", file);
}

static void put_zsh_commands(FILE *file, const option_program *self)
{
    fputs("    if ((CURRENT == 2)); then\n"
          "        _describe command commands\n"
          "        compadd -- --help --version\n"
          "        return\n"
          "    fi\n"
          "    shift words\n"
          "    ((CURRENT--))\n"
          "    case $words[1] in\n"
          "        help) _describe command commands ;;\n",
          file);
    EACH_COMMAND(i, self)
    {
        put_zsh_command(file, self->command_at(i));
    }
    fputs("    esac\n", file);
}

/* Completes the words after a command, wherever the command stands. */
static void put_zsh_words(FILE *file, const option_program *self)
{
    fprintf(file, "_%s_words()\n{\n    case $words[(r)(", self->name);
    put_commands(file, self, false, "|");
    fputs(")] in\n", file);
    EACH_COMMAND(i, self)
    {
        const command *one = self->command_at(i);
        if (one->files) fprintf(file, "        %s) _files ;;\n", one->name);
        if (one->words == NULL) continue;
        fprintf(file, "        %s) compadd -- ", one->name);
        put_names(file, one->words, "");
        fputs(" ;;\n", file);
    }
    fputs("    esac\n}\n\n", file);
}

static void put_zsh_shared(FILE *file, const option_program *self)
{
    fputs("    _arguments", file);
    put_zsh_rows(file, self->table, 8);
    put_zsh_rows(file, self->flags, 8);
    fprintf(file, " \\\n        '1: :{ _describe command commands }' '*: :_%s_words'\n",
            self->name);
}

static void put_zsh(FILE *file, const option_program *self)
{
    bool shared = self->table != NULL;
    if (shared) {
        put_zsh_words(file, self);
    } else {
        fputs(zsh_plugins, file);
    }
    fprintf(file, "_%s()\n{\n    local -a commands=(\n", self->name);
    EACH_COMMAND(i, self)
    {
        fprintf(file, "        '%s:", self->command_at(i)->name);
        quote_clause(file, self->command_at(i)->summary, ":\\", ZSH_QUOTE);
        fputs("'\n", file);
    }
    if (!shared) fputs("        'help:options of a command'\n", file);
    fputs("    )\n", file);
    if (shared) {
        put_zsh_shared(file, self);
    } else {
        put_zsh_commands(file, self);
    }
    fprintf(file,
            "}\n\nif [[ $funcstack[1] == _%s ]]; then\n    _%s \"$@\"\nelse\n"
            "    compdef _%s %s\nfi\n",
            self->name, self->name, self->name, self->name);
}

/* ==== fish =================================================================================== */

static const char fish_plugins[] =
    "# The shared objects and the directories that the word may become, after its last comma.\n"
    "function __sotto_plugins\n"
    "    set -l word (commandline -ct | string replace -r '^--[a-z-]+=' '')\n"
    "    set -l before (string match -r '^.*,' -- $word)\n"
    "    set -l part (string replace -r '^.*,' '' -- $word)\n"
    "    for path in \"$part\"*.so \"$part\"*/\n"
    "        echo \"$before$path\"\n"
    "    end\n"
    "end\n";

static void put_fish_value(FILE *file, const option *row)
{
    completion_kind kind = kind_of(row);
    bool list = kind == COMPLETES_LIST || kind == COMPLETES_PLUGIN_LIST;
    bool plugins = kind == COMPLETES_NAME_OR_PLUGIN || kind == COMPLETES_PLUGIN_LIST;
    switch (kind) {
    case COMPLETES_NOTHING: return;
    case COMPLETES_TEXT: fputs(" -x", file); return;
    case COMPLETES_FILE: fputs(" -r -F", file); return;
    case COMPLETES_DIRECTORY: fputs(" -x -a '(__fish_complete_directories)'", file); return;
    case COMPLETES_SWITCH: fputs(" -a 'yes no'", file); return;
    case COMPLETES_NAME:
    case COMPLETES_LIST:
    case COMPLETES_NAME_OR_PLUGIN:
    case COMPLETES_PLUGIN_LIST: break;
    }
    fprintf(file, " -x -a '%s", list ? "(__fish_append , " : "");
    put_names(file, row->names, "");
    fprintf(file, "%s%s'", list ? ")" : "", plugins ? " (__sotto_plugins)" : "");
}

static void put_fish_meaning(FILE *file, const char *meaning)
{
    fputs(" -d '", file);
    quote_clause(file, meaning, "\\", "\\'");
    fputs("'\n", file);
}

/* Prints the rows of one command, or of all commands if `of` is NULL. */
static void put_fish_rows(FILE *file, const option_program *self, const char *of,
                          const option *table)
{
    EACH_ROW(row, table)
    {
        fprintf(file, "complete -c %s", self->name);
        if (of != NULL) fprintf(file, " -n '__fish_seen_subcommand_from %s'", of);
        fprintf(file, " -l %s", row->name);
        put_fish_value(file, row);
        put_fish_meaning(file, row->meaning);
    }
}

static void put_fish_words(FILE *file, const option_program *self, const char *name,
                           option_names *words)
{
    fprintf(file,
            "complete -c %s -n '__fish_seen_subcommand_from %s; and not "
            "__fish_seen_subcommand_from ",
            self->name, name);
    put_names(file, words, "");
    fputs("' -a '", file);
    put_names(file, words, "");
    fputs("'\n", file);
}

static void put_fish_command(FILE *file, const option_program *self, const command *one)
{
    fprintf(file, "\ncomplete -c %s -n __fish_use_subcommand -a %s", self->name, one->name);
    put_fish_meaning(file, one->summary);
    put_fish_rows(file, self, one->name, one->table);
    if (one->words == NULL) return;
    put_fish_words(file, self, one->name, one->words);
    if (one->table->meaning == NULL) return;
    fprintf(file,
            "complete -c %s -n '__fish_seen_subcommand_from %s; and __fish_seen_subcommand_from ",
            self->name, one->name);
    put_names(file, one->words, "");
    fputs("' -F\n", file);
}

static void put_fish_commands(FILE *file, const option_program *self)
{
    fprintf(file,
            "complete -c %s -s h -l help -d 'options and examples'\n"
            "complete -c %s -n __fish_use_subcommand -l version -d 'the version'\n"
            "complete -c %s -n __fish_use_subcommand -a help -d 'options of a command'\n",
            self->name, self->name, self->name);
    put_fish_words(file, self, "help", self->command_name);
    EACH_COMMAND(i, self)
    {
        put_fish_command(file, self, self->command_at(i));
    }
}

static void put_fish_shared(FILE *file, const option_program *self)
{
    EACH_COMMAND(i, self)
    {
        const command *one = self->command_at(i);
        fprintf(file, "complete -c %s -n 'not __fish_seen_subcommand_from ", self->name);
        put_commands(file, self, false, " ");
        fprintf(file, "' -a %s", one->name);
        put_fish_meaning(file, one->summary);
        if (one->words != NULL) put_fish_words(file, self, one->name, one->words);
    }
    put_fish_rows(file, self, NULL, self->table);
    put_fish_rows(file, self, NULL, self->flags);
    fprintf(file, "complete -c %s -n '__fish_seen_subcommand_from ", self->name);
    put_commands(file, self, true, " ");
    fputs("' -F\n", file);
}

static void put_fish(FILE *file, const option_program *self)
{
    bool shared = self->table != NULL;
    fprintf(file, "%scomplete -c %s -f\n", shared ? "" : fish_plugins, self->name);
    if (shared) {
        put_fish_shared(file, self);
    } else {
        put_fish_commands(file, self);
    }
}

/* ==== all of them ============================================================================ */

static const struct {
    const char *name, *first; /* line of its script */
    void (*put)(FILE *file, const option_program *self);
} shell[] = {{"bash", "", put_bash}, {"zsh", "#compdef ", put_zsh}, {"fish", "", put_fish}};

const char *shell_name(uint32_t value)
{
    return value < sizeof shell / sizeof shell[0] ? shell[value].name : NULL;
}

void completion_print(FILE *file, const option_program *self, uint32_t which)
{
    bool first = shell[which].first[0] != '\0';
    if (first) fprintf(file, "%s%s\n", shell[which].first, self->name);
    fprintf(file, "# Completion of %s %s for %s, written by `%s completion %s`.\n", self->name,
            sotto_version(), shell[which].name, self->name, shell[which].name);
    shell[which].put(file, self);
}
