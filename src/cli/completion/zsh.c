/* The script of zsh. */
#include "commands.h"
#include "shells.h"
#include "terminal/quote.h"
#include "words.h"

#include <sotto/core.h>

#define QUOTE "'\\''" /* ends the string, a quote, begins it again */

static const char plugins[] =
    "# The names that it is given, and shared objects; in a list, after its last comma.\n"
    "_sotto_plugins()\n"
    "{\n"
    "    local -a more\n"
    "    [[ $1 == list ]] && more=(-q -S ,) && compset -P '*,'\n"
    "    shift\n"
    "    compadd $more -- \"$@\"\n"
    "    _files -g '*.so' $more\n"
    "}\n\n";

static void print_value(const option *row)
{
    completion_kind kind = completion_kind_of(row);
    if (kind == COMPLETES_NOTHING) return;
    printf(":%s:", row->name);
    switch (kind) {
    case COMPLETES_NOTHING:
    case COMPLETES_TEXT: printf(" "); return;
    case COMPLETES_FILE: printf("_files"); return;
    case COMPLETES_FOLDER: printf("_files -/"); return;
    case COMPLETES_NAME:
        printf("(");
        print_names(row->names, ":\\");
        printf(")");
        return;
    case COMPLETES_LIST:
        printf("_values -s , %s ", row->name);
        print_names(row->names, ":\\");
        return;
    case COMPLETES_NAME_OR_PLUGIN:
    case COMPLETES_PLUGIN_LIST:
        printf(" _sotto_plugins %s ", kind == COMPLETES_PLUGIN_LIST ? "list" : "one");
        print_names(row->names, ":\\");
        return;
    }
}

static void print_row(const option *row)
{
    bool flag = completion_kind_of(row) == COMPLETES_NOTHING;
    printf(" \\\n                '--%s%s[", row->name, flag ? "" : "=");
    quote_clause(stdout, row->meaning, "[]\\", QUOTE);
    printf("]");
    print_value(row);
    printf("'");
}

static void print_command(const command *self)
{
    printf("        %s)\n            _arguments", self->name);
    for (const option *row = self->table; row->meaning != NULL; row++) {
        print_row(row);
    }
    printf(" \\\n                '(- *)'{-h,--help}'[options and examples]'");
    if (self->words != NULL) {
        printf(" \\\n                '1:what:(");
        print_names(self->words, "");
        printf(")'");
        if (self->table->meaning != NULL) printf(" \\\n                '*:file:_files'");
    }
    printf("\n            ;;\n");
}

void completion_zsh(void)
{
    printf("#compdef sotto\n"
           "# Completion of sotto %s for zsh, written by `sotto completion zsh`.\n"
           "%s_sotto()\n{\n    local -a commands=(\n",
           sotto_version(), plugins);
    for (uint32_t i = 0; command_at(i) != NULL; i++) {
        printf("        '%s:", command_at(i)->name);
        quote_clause(stdout, command_at(i)->summary, ":\\", QUOTE);
        printf("'\n");
    }
    printf("        'help:options of a command'\n    )\n"
           "    if ((CURRENT == 2)); then\n"
           "        _describe command commands\n"
           "        compadd -- --help --version\n"
           "        return\n"
           "    fi\n"
           "    shift words\n"
           "    ((CURRENT--))\n"
           "    case $words[1] in\n"
           "        help) _describe command commands ;;\n");
    for (uint32_t i = 0; command_at(i) != NULL; i++) {
        print_command(command_at(i));
    }
    printf("    esac\n}\n\n"
           "if [[ $funcstack[1] == _sotto ]]; then\n"
           "    _sotto \"$@\"\n"
           "else\n"
           "    compdef _sotto sotto\n"
           "fi\n");
}
