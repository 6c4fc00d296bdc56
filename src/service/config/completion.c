/* Scripts by which shells complete what follows sottod. */
#include "completion.h"
#include "terminal/quote.h"
#include "value.h"

#include <sotto/core.h>

#include <string.h>

typedef struct line {
    const config_word *commands, *flags;
} line;

/* ---- what shells have in common ----------------------------------------------------------- */

static const char shells[] = "bash zsh fish";

static void put_name(FILE *file, const config_word *word)
{
    fprintf(file, "%.*s", (int)strcspn(word->name, " "), word->name);
}

static bool takes_path(const config_word *command)
{
    return strstr(command->name, " FILE") != NULL || strstr(command->name, " FOLDER") != NULL;
}

/* The commands, or those that take a path, with a text between them. */
static void put_commands(FILE *file, const line *l, bool paths, const char *between)
{
    const char *before = "";
    for (const config_word *word = l->commands; word->name != NULL; word++) {
        if (paths && !takes_path(word)) continue;
        fputs(before, file);
        put_name(file, word);
        before = between;
    }
}

/* What a value may be, with blanks between. */
static void put_values(FILE *file, const setting *row)
{
    for (uint32_t i = 0; value_name(row, i) != NULL; i++) {
        fprintf(file, "%s%s", i > 0 ? " " : "", value_name(row, i));
    }
}

/* ---- bash --------------------------------------------------------------------------------- */

static const char bash_begin[] =
    "_sottod()\n"
    "{\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local takes= names= joined= i\n"
    "    # bash cuts --option=value at the sign.\n"
    "    if [[ $word == '=' ]]; then\n"
    "        word= joined=yes\n"
    "    elif [[ $option == '=' ]]; then\n"
    "        option=${COMP_WORDS[COMP_CWORD - 2]} joined=yes\n"
    "    fi\n"
    "    case $option in\n";

static const char bash_end[] = "    COMPREPLY=()\n"
                               "    case $takes in\n"
                               "        text) ;;\n"
                               "        path)\n"
                               "            local IFS=$'\\n'\n"
                               "            compopt -o filenames 2>/dev/null\n"
                               "            COMPREPLY=($(compgen -f -- \"$word\"))\n"
                               "            ;;\n"
                               "        *) COMPREPLY=($(compgen -W \"$names\" -- \"$word\")) ;;\n"
                               "    esac\n"
                               "}\n"
                               "complete -F _sottod sottod\n";

static void put_bash_value(FILE *file, const setting *row)
{
    fprintf(file, "        --%s) ", row->name);
    if (row->kind == SETTING_SWITCH) fputs("[[ -n $joined ]] && ", file);
    fputs("takes=", file);
    if (row->kind == SETTING_PATH) {
        fputs("path", file);
    } else if (value_name(row, 0) == NULL) {
        fputs("text", file);
    } else {
        fputs("name names='", file);
        put_values(file, row);
        fputs("'", file);
    }
    fputs(" ;;\n", file);
}

static void put_bash(FILE *file, const line *l)
{
    fputs(bash_begin, file);
    for (const setting *row = config_table; row->name != NULL; row++) {
        put_bash_value(file, row);
    }
    fprintf(file,
            "        completion) takes=name names='%s' ;;\n    esac\n"
            "    for ((i = 1; i < COMP_CWORD; i++)); do\n        case ${COMP_WORDS[i]} in\n"
            "            ",
            shells);
    put_commands(file, l, true, " | ");
    fputs(") [[ -z $takes && $word != -* ]] && takes=path ;;\n        esac\n    done\n"
          "    if [[ -z $takes ]]; then\n        names='",
          file);
    for (const setting *row = config_table; row->name != NULL; row++) {
        fprintf(file, "--%s ", row->name);
    }
    for (const config_word *word = l->flags; word->name != NULL; word++) {
        fprintf(file, "%s ", word->name);
    }
    fputs("'\n        ((COMP_CWORD == 1)) && names=\"", file);
    put_commands(file, l, false, " ");
    fprintf(file, " $names\"\n    fi\n%s", bash_end);
}

/* ---- zsh ---------------------------------------------------------------------------------- */

#define ZSH_QUOTE "'\\''" /* ends the string, a quote, begins it again */

static void put_zsh_setting(FILE *file, const setting *row)
{
    bool alone = row->kind == SETTING_SWITCH;
    fprintf(file, " \\\n        '--%s=%s[", row->name, alone ? "-" : "");
    quote_clause(file, row->meaning, "[]\\", ZSH_QUOTE);
    fprintf(file, "]:%s%s:", alone ? ":" : "", row->name);
    if (row->kind == SETTING_PATH) {
        fputs("_files", file);
    } else if (value_name(row, 0) == NULL) {
        fputs(" ", file);
    } else {
        fputs("(", file);
        put_values(file, row);
        fputs(")", file);
    }
    fputs("'", file);
}

static void put_zsh(FILE *file, const line *l)
{
    fputs("_sottod_words()\n{\n    case $words[(r)(completion|", file);
    put_commands(file, l, true, "|");
    fprintf(file,
            ")] in\n        completion) compadd -- %s ;;\n        ?*) _files ;;\n    esac\n}\n\n",
            shells);
    fputs("_sottod()\n{\n    local -a commands=(\n", file);
    for (const config_word *word = l->commands; word->name != NULL; word++) {
        fputs("        '", file);
        put_name(file, word);
        fputs(":", file);
        quote_clause(file, word->meaning, ":\\", ZSH_QUOTE);
        fputs("'\n", file);
    }
    fputs("    )\n    _arguments", file);
    for (const setting *row = config_table; row->name != NULL; row++) {
        put_zsh_setting(file, row);
    }
    for (const config_word *word = l->flags; word->name != NULL; word++) {
        fprintf(file, " \\\n        '%s[", word->name);
        quote_clause(file, word->meaning, "[]\\", ZSH_QUOTE);
        fputs("]'", file);
    }
    fputs(" \\\n        '1: :{ _describe command commands }' '*: :_sottod_words'\n}\n\n"
          "if [[ $funcstack[1] == _sottod ]]; then\n    _sottod \"$@\"\nelse\n"
          "    compdef _sottod sottod\nfi\n",
          file);
}

/* ---- fish --------------------------------------------------------------------------------- */

static void put_fish_meaning(FILE *file, const char *meaning)
{
    fputs(" -d '", file);
    quote_clause(file, meaning, "\\", "\\'");
    fputs("'\n", file);
}

static void put_fish_setting(FILE *file, const setting *row)
{
    fprintf(file, "complete -c sottod -l %s", row->name);
    if (row->kind == SETTING_PATH) {
        fputs(" -r -F", file);
    } else if (row->kind != SETTING_SWITCH) {
        fputs(" -x", file);
    }
    if (value_name(row, 0) != NULL) {
        fputs(" -a '", file);
        put_values(file, row);
        fputs("'", file);
    }
    put_fish_meaning(file, row->meaning);
}

static void put_fish(FILE *file, const line *l)
{
    fputs("complete -c sottod -f\n", file);
    for (const config_word *word = l->commands; word->name != NULL; word++) {
        fputs("complete -c sottod -n 'not __fish_seen_subcommand_from ", file);
        put_commands(file, l, false, " ");
        fputs("' -a ", file);
        put_name(file, word);
        put_fish_meaning(file, word->meaning);
    }
    for (const setting *row = config_table; row->name != NULL; row++) {
        put_fish_setting(file, row);
    }
    for (const config_word *word = l->flags; word->name != NULL; word++) {
        fprintf(file, "complete -c sottod -l %s", word->name + strlen("--"));
        put_fish_meaning(file, word->meaning);
    }
    fputs("complete -c sottod -n '__fish_seen_subcommand_from ", file);
    put_commands(file, l, true, " ");
    fprintf(file,
            "' -F\n"
            "complete -c sottod -n '__fish_seen_subcommand_from completion' -a '%s'\n",
            shells);
}

/* ---- all of them -------------------------------------------------------------------------- */

static const struct {
    const char *name, *first;
    void (*put)(FILE *file, const line *l);
} scripts[] = {
    {"bash", "", put_bash}, {"zsh", "#compdef sottod\n", put_zsh}, {"fish", "", put_fish}};

bool config_completion(FILE *file, const char *shell, const config_word *commands,
                       const config_word *flags)
{
    const line l = {commands, flags};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        if (strcmp(shell, scripts[i].name) != 0) continue;
        fprintf(file, "%s# Completion of sottod %s for %s, written by `sottod completion %s`.\n",
                scripts[i].first, sotto_version(), shell, shell);
        scripts[i].put(file, &l);
        return true;
    }
    return false;
}
