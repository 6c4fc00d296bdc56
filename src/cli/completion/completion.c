/* The list of all commands, and sotto completion, which prints a completion script for a shell. */
#include "completion.h"

#include <string.h>

/* ---- sotto completion --------------------------------------------------------------------- */

static const option_program sotto = {.name = "sotto", .command_at = command_at};

static int run(const command *self, int argc, char **argv)
{
    sotto_fault fault;
    command_line line;
    uint32_t which, none;
    if (argc > 0 && strcmp(argv[0], "--words") == 0) {
        completion_answer(stdout, &sotto, argc - 1, argv + 1);
        return EXIT_OK;
    }
    if (!command_line_parse(&line, self, &none, argc, argv)) return EXIT_USAGE;
    if (line.words_count != 1) {
        option_say(&line, "a shell is needed: bash, zsh or fish");
        return EXIT_USAGE;
    }
    if (name_find(argv[0], shell_name, &which, &fault) != SOTTO_OK) {
        option_say(&line, "shell = %s", fault.sentence);
        return EXIT_USAGE;
    }
    completion_print(stdout, &sotto, which);
    return EXIT_OK;
}

static const option table[] = {OPTION_END};

static const command command_completion = {
    .name = "completion",
    .summary = "print the completion script for bash, zsh or fish",
    .usage = "sotto completion bash | zsh | fish",
    .example = "  source <(sotto completion bash)\n"
               "  sotto completion zsh > ~/.zfunc/_sotto\n"
               "  sotto completion fish > ~/.config/fish/completions/sotto.fish\n"
               "\n"
               "An installation puts all three where the shells look for them.\n",
    .table = table,
    .words = shell_name,
    .run = run,
};

/* ---- all commands ------------------------------------------------------------------------- */

static const command *const commands[] = {
    &command_simulate, &command_replay,    &command_plan,    &command_reproduce, &command_compare,
    &command_merge,    &command_privatise, &command_inspect, &command_audit,     &command_doctor,
};

/* After the commands of the table come those that need the network; completion is the last. */
const command *command_at(uint32_t value)
{
    const uint32_t count = sizeof commands / sizeof commands[0];
    uint32_t network = 0;
    while (network_commands[network] != NULL) {
        network++;
    }
    if (value < count) return commands[value];
    if (value < count + network) return network_commands[value - count];
    return value == count + network ? &command_completion : NULL;
}

const char *command_name(uint32_t value)
{
    const command *self = command_at(value);
    return self != NULL ? self->name : NULL;
}
