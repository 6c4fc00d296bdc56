/* The script of fish. */
#include "commands.h"
#include "shells.h"
#include "terminal/quote.h"
#include "words.h"

#include <sotto/core.h>

static void print_description(const char *text)
{
    printf(" -d '");
    quote_clause(stdout, text, "\\", "\\'");
    printf("'\n");
}

static const char plugins[] =
    "# The shared objects and the folders that the word may become, after its last comma.\n"
    "function __sotto_plugins\n"
    "    set -l word (commandline -ct | string replace -r '^--[a-z-]+=' '')\n"
    "    set -l before (string match -r '^.*,' -- $word)\n"
    "    set -l part (string replace -r '^.*,' '' -- $word)\n"
    "    for path in \"$part\"*.so \"$part\"*/\n"
    "        echo \"$before$path\"\n"
    "    end\n"
    "end\n";

static void print_value(const option *row)
{
    switch (completion_kind_of(row)) {
    case COMPLETES_NOTHING: return;
    case COMPLETES_TEXT: printf(" -x"); return;
    case COMPLETES_FILE: printf(" -r -F"); return;
    case COMPLETES_FOLDER: printf(" -x -a '(__fish_complete_directories)'"); return;
    case COMPLETES_NAME:
        printf(" -x -a '");
        print_names(row->names, "");
        printf("'");
        return;
    case COMPLETES_LIST:
        printf(" -x -a '(__fish_append , ");
        print_names(row->names, "");
        printf(")'");
        return;
    case COMPLETES_NAME_OR_PLUGIN:
        printf(" -x -a '");
        print_names(row->names, "");
        printf(" (__sotto_plugins)'");
        return;
    case COMPLETES_PLUGIN_LIST:
        printf(" -x -a '(__fish_append , ");
        print_names(row->names, "");
        printf(") (__sotto_plugins)'");
        return;
    }
}

static void print_words(const char *name, option_names *words)
{
    printf("complete -c sotto -n '__fish_seen_subcommand_from %s; and not "
           "__fish_seen_subcommand_from ",
           name);
    print_names(words, "");
    printf("' -a '");
    print_names(words, "");
    printf("'\n");
}

static void print_command(const command *self)
{
    printf("\ncomplete -c sotto -n __fish_use_subcommand -a %s", self->name);
    print_description(self->summary);
    for (const option *row = self->table; row->meaning != NULL; row++) {
        printf("complete -c sotto -n '__fish_seen_subcommand_from %s' -l %s", self->name,
               row->name);
        print_value(row);
        print_description(row->meaning);
    }
    if (self->words == NULL) return;
    print_words(self->name, self->words);
    if (self->table->meaning == NULL) return;
    printf("complete -c sotto -n '__fish_seen_subcommand_from %s; and __fish_seen_subcommand_from ",
           self->name);
    print_names(self->words, "");
    printf("' -F\n");
}

void completion_fish(void)
{
    printf("# Completion of sotto %s for fish, written by `sotto completion fish`.\n"
           "%s"
           "complete -c sotto -f\n"
           "complete -c sotto -s h -l help -d 'options and examples'\n"
           "complete -c sotto -n __fish_use_subcommand -l version -d 'the version'\n"
           "complete -c sotto -n __fish_use_subcommand -a help -d 'options of a command'\n",
           sotto_version(), plugins);
    print_words("help", command_name);
    for (uint32_t i = 0; command_at(i) != NULL; i++) {
        print_command(command_at(i));
    }
}
