/*
 * What shells complete. The script of a shell asks the program itself, `sotto completion --words
 * WORD...`; the last word is the one to complete, as far as it is typed. The first line of the answer
 * says what the word can be, the others are candidates, each with its meaning after a tab:
 *
 *   names              a candidate
 *   list               candidates separated by commas; the word's last one is completed
 *   file, directory    also a path
 *   plugin, plugins    as names and list; also the path of a shared object
 *
 * A value may stand behind its option, --option=value, also as bash cuts that: in three words.
 * Candidates are then for the value.
 */
#include "option.h"
#include "text/text.h"

#include <string.h>

#define EACH_ROW(row, table) for (const option *row = (table); row->meaning != NULL; row++)
#define EACH_COMMAND(one, self) for (uint32_t one = 0; (self)->command_at(one) != NULL; one++)

/* ==== candidates ============================================================================= */

static void put(FILE *file, const char *before, const char *name, const char *meaning)
{
    fprintf(file, "%s%s\t%.*s\n", before, name, (int)clause_length(meaning), meaning);
}

/* Names, each only up to its first capital letter, where the part to fill in begins. */
static void put_names(FILE *file, option_names *names)
{
    for (uint32_t i = 0; names(i) != NULL; i++) {
        fprintf(file, "%.*s\n", (int)strcspn(names(i), "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), names(i));
    }
}

static void put_options(FILE *file, const option *table)
{
    EACH_ROW(row, table)
    {
        put(file, "--", row->name, row->meaning);
    }
}

static void put_commands(FILE *file, const option_program *self)
{
    EACH_COMMAND(i, self)
    {
        put(file, "", self->command_at(i)->name, self->command_at(i)->summary);
    }
}

static const char *switch_name(uint32_t value)
{
    static const char *const name[] = {"yes", "no"};
    return value < 2 ? name[value] : NULL;
}

static void put_value(FILE *file, const option *row)
{
    static const char *const kind[] = {[OPTION_TAKES_TEXT] = "names",
                                       [OPTION_TAKES_FILE] = "file",
                                       [OPTION_TAKES_DIRECTORY] = "directory",
                                       [OPTION_TAKES_LIST] = "list",
                                       [OPTION_TAKES_NAME_OR_PLUGIN] = "plugin",
                                       [OPTION_TAKES_PLUGIN_LIST] = "plugins"};
    fprintf(file, "%s\n", kind[row->takes]);
    option_names *names = row->kind == OPTION_IS_FLAG ? switch_name : row->names;
    if (names != NULL) put_names(file, names);
}

/* ==== answers ================================================================================ */

/* True if the last word is the value of an option of the table. Its row is then *row; NULL if the
 * option is unknown or has no value. */
static bool is_value(const option *table, int count, char **word, const option **row)
{
    const char *last = word[count - 1];
    bool joined = strcmp(last, "=") == 0;
    int at = count - 2; /* --option value, --option = */
    if (strncmp(last, "--", 2) == 0 && strchr(last, '=') != NULL) {
        at = count - 1; /* --option=value */
        joined = true;
    } else if (count > 2 && strcmp(word[count - 2], "=") == 0) {
        at = count - 3; /* --option = value */
        joined = true;
    }
    *row = NULL;
    if (at < 0 || strncmp(word[at], "--", 2) != 0) return false;
    const char *name = word[at] + 2;
    if (!joined && strchr(name, '=') != NULL) return false; /* which has its value */
    const option *found = option_find(table, name, strcspn(name, "="));
    if (found == NULL) return joined;
    bool flag = found->kind == OPTION_IS_FLAG;
    if (!flag || (joined && found->sources != 0)) *row = found;
    return joined || !flag;
}

/* The command before the last word: its first word, or any if all commands share a table. */
static const command *command_before(const option_program *self, int count, char **word)
{
    int places = self->table != NULL ? count - 1 : count > 1;
    for (int place = 0; place < places; place++) {
        EACH_COMMAND(i, self)
        {
            if (strcmp(self->command_at(i)->name, word[place]) == 0) return self->command_at(i);
        }
    }
    return NULL;
}

/* The words after a command that has options of its own, or in its place. */
static void put_own(FILE *file, const option_program *self, const command *one, int count,
                    char **word)
{
    static const option of_all[] = {{.name = "help", .meaning = "options and examples"},
                                    {.name = "version", .meaning = "the version"},
                                    OPTION_END};
    if (one != NULL) {
        if (one->words != NULL && count == 2) put_names(file, one->words);
        put_options(file, one->table);
        put(file, "--", of_all[0].name, of_all[0].meaning);
    } else if (count == 1) {
        put_commands(file, self);
        put(file, "", "help", "options of a command");
        put_options(file, of_all);
    } else if (count == 2 && strcmp(word[0], "help") == 0) {
        put_commands(file, self);
    }
}

static void put_shared(FILE *file, const option_program *self, const command *one,
                       const char *before)
{
    if (one == NULL) put_commands(file, self);
    if (one != NULL && one->words != NULL && strcmp(before, one->name) == 0) {
        put_names(file, one->words);
        return;
    }
    put_options(file, self->table);
    put_options(file, self->flags);
}

void completion_answer(FILE *file, const option_program *self, int count, char **word)
{
    static const option none[] = {OPTION_END};
    const option *row;
    if (count == 0) return;
    const command *one = command_before(self, count, word);
    const option *own = one != NULL ? one->table : none;
    bool value = is_value(self->table != NULL ? self->table : own, count, word, &row);
    bool files = one != NULL && one->files && (one->words == NULL || count > 2);
    if (row != NULL) {
        put_value(file, row);
    } else if (files && !value && word[count - 1][0] != '-') {
        fputs("file\n", file);
    } else {
        fputs("names\n", file);
        if (value) return;
        if (self->table == NULL) put_own(file, self, one, count, word);
        if (self->table != NULL) put_shared(file, self, one, count > 1 ? word[count - 2] : "");
    }
}

/* ==== scripts ================================================================================ */

/* NAME is the name of the program; the one that is asked is the one that was typed. */

static const char bash[] =
    "_NAME()\n"
    "{\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before= kind= name= IFS=$'\\n'\n"
    "    [[ $word == '=' ]] && word= # bash cuts --option=value at the sign\n"
    "    COMPREPLY=()\n"
    "    {\n"
    "        read -r kind\n"
    "        [[ $kind == @(list|plugins) && $word == *,* ]] && before=${word%,*}, "
    "word=${word##*,}\n"
    "        while IFS=$'\\t' read -r name _; do\n"
    "            [[ $name == \"$word\"* ]] && COMPREPLY+=(\"$before$name\")\n"
    "        done\n"
    "    } < <(\"${1/#~\\//$HOME/}\" completion --words \"${COMP_WORDS[@]:1:COMP_CWORD}\" "
    "2>/dev/null)\n"
    "    case $kind in\n"
    "        file) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
    "        directory) COMPREPLY=($(compgen -d -- \"$word\")) ;;\n"
    "        plugin*)\n"
    "            COMPREPLY+=($(compgen -P \"$before\" -f -X '!*.so' -- \"$word\")\n"
    "                        $(compgen -P \"$before\" -S / -d -- \"$word\"))\n"
    "            # A directory alone: there is more to type.\n"
    "            [[ ${#COMPREPLY[@]}:${COMPREPLY[0]} == 1:*/ ]] && compopt -o nospace 2>/dev/null\n"
    "            ;;\n"
    "        *) return ;;\n"
    "    esac\n"
    "    compopt -o filenames 2>/dev/null\n"
    "}\n"
    "complete -F _NAME NAME\n";

static const char zsh[] =
    "_NAME()\n"
    "{\n"
    "    local -a answer names more\n"
    "    answer=(\"${(@f)$(${~words[1]} completion --words \"${(@Q)words[2,CURRENT-1]}\" "
    "\"${(Q)PREFIX}\" 2>/dev/null)}\")\n"
    "    names=(\"${(@)${(@)answer[2,-1]//:/\\\\:}/$'\\t'/:}\")\n"
    "    [[ $PREFIX == --*=* ]] && compset -P 1 '*='\n"
    "    [[ $answer[1] == (list|plugins) ]] && more=(-q -S ,) && compset -P '*,'\n"
    "    (($#names)) && _describe NAME names $more\n"
    "    case $answer[1] in\n"
    "        file) _files ;;\n"
    "        directory) _files -/ ;;\n"
    "        plugin*) _files -g '*.so' $more ;;\n"
    "    esac\n"
    "}\n"
    "\n"
    "if [[ $funcstack[1] == _NAME ]]; then\n"
    "    _NAME \"$@\"\n"
    "else\n"
    "    compdef _NAME NAME\n"
    "fi\n";

static const char fish[] =
    "function __NAME\n"
    "    set -l given (commandline -opc)\n"
    "    set -l word (commandline -ct)\n"
    "    set -l program (string replace -r '^~/' \"$HOME/\" -- $given[1])\n"
    "    set -e given[1]\n"
    "    set -l answer (command $program completion --words $given \"$word\" 2>/dev/null)\n"
    "    set -l before (string match -r '^--[^=]+=' -- $word)\n"
    "    if contains -- \"$answer[1]\" list plugins\n"
    "        set before (string match -r '^(?:--[^=]+=)?(?:.*,)?' -- $word)\n"
    "    end\n"
    "    set -l part (string replace -- \"$before\" '' \"$word\")\n"
    "    switch \"$answer[1]\"\n"
    "        case file\n"
    "            set -a answer (__fish_complete_path $part)\n"
    "        case directory\n"
    "            set -a answer (__fish_complete_directories $part)\n"
    "        case 'plugin*'\n"
    "            set -a answer \"$part\"*.so \"$part\"*/\n"
    "    end\n"
    "    set -e answer[1]\n"
    "    for candidate in $answer\n"
    "        echo \"$before$candidate\"\n"
    "    end\n"
    "end\n"
    "complete -c NAME -f -a '(__NAME)'\n";

static const struct {
    const char *name, *first, *script; /* `first`: what must stand in the first line */
} shell[] = {{"bash", "", bash}, {"zsh", "#compdef NAME\n", zsh}, {"fish", "", fish}};

const char *shell_name(uint32_t value)
{
    return value < sizeof shell / sizeof shell[0] ? shell[value].name : NULL;
}

static void put_script(FILE *file, const char *script, const char *name)
{
    static const char mark[] = "NAME";
    for (const char *next; (next = strstr(script, mark)) != NULL; script = next + strlen(mark)) {
        fprintf(file, "%.*s%s", (int)(next - script), script, name);
    }
    fputs(script, file);
}

void completion_print(FILE *file, const option_program *self, uint32_t which)
{
    put_script(file, shell[which].first, self->name);
    fprintf(file, "# Completion of %s %s for %s, written by `%s completion %s`.\n", self->name,
            sotto_version(), shell[which].name, self->name, shell[which].name);
    put_script(file, shell[which].script, self->name);
}
