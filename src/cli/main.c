/* The one binary: sotto COMMAND [options]. */
#include "cli/completion/completion.h"
#include "cli/option/option.h"
#include "text/text.h"

#include <sotto/core.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void print_help(void)
{
    uint32_t columns = text_columns_of_output();
    int at = printf("sotto %s - ", sotto_version());
    wrap_print(stdout, "contextual bandits under local differential privacy", (uint32_t)at, 4,
               columns);
    printf("\nusage: sotto COMMAND [options]\n\ncommands:\n");
    for (uint32_t i = 0; command_at(i) != NULL; i++) {
        printf("  %-12s ", command_at(i)->name);
        wrap_print(stdout, command_at(i)->summary, 15, 15, columns);
    }
    printf("\n  sotto COMMAND --help   options and examples\n"
           "  sotto --version        the version\n\n"
           "exit status: 0 done, 1 failed, 2 wrong usage\n");
}

/* Flushes the output: a command fails if its output cannot be written. */
static int finished(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    fprintf(stderr, "sotto: cannot write the output: %s\n", strerror(errno));
    return EXIT_FAILED;
}

int main(int argc, char **argv)
{
    const char *word = argc < 2 ? NULL : argv[1];
    if (word == NULL) {
        fprintf(stderr, "sotto: a command is needed; sotto --help lists them\n");
        return EXIT_USAGE;
    }
    bool help = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
    if (help && argc == 2) {
        print_help();
        return finished(EXIT_OK);
    }
    if (strcmp(word, "--version") == 0) {
        printf("sotto %s\ncommit %s\nsources %s\n", sotto_version(), sotto_commit(),
               sotto_sources());
        return finished(EXIT_OK);
    }
    sotto_fault fault;
    uint32_t which;
    static char help_option[] = "--help";
    char *help_words[] = {help_option};
    if (name_find(help ? argv[2] : word, command_name, &which, &fault) != SOTTO_OK) {
        fprintf(stderr, "sotto: command = %s\n", fault.sentence);
        return EXIT_USAGE;
    }
    const command *self = command_at(which);
    return finished(help ? self->run(self, 1, help_words) : self->run(self, argc - 2, argv + 2));
}
