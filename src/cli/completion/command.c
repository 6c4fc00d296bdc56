/* sotto completion: a script by which a shell completes commands, options and their values. */
#include "command.h"
#include "shells.h"

static const struct {
    const char *name;
    void (*print)(void);
} shell[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};

static const char *shell_name(uint32_t value)
{
    return value < sizeof shell / sizeof shell[0] ? shell[value].name : NULL;
}

static int run(const command *self, int argc, char **argv)
{
    char fault[SOTTO_FAULT_BYTES];
    command_line line;
    uint32_t which, none;
    if (!command_line_parse(&line, self, &none, argc, argv)) return EXIT_USAGE;
    if (line.words_count != 1) {
        option_say(&line, "which of bash, zsh, fish?");
        return EXIT_USAGE;
    }
    if (name_find(argv[0], shell_name, &which, fault) != NULL) {
        option_say(&line, "shell = %s", fault);
        return EXIT_USAGE;
    }
    shell[which].print();
    return EXIT_OK;
}

static const option table[] = {OPTION_END};

const command command_completion = {
    .name = "completion",
    .summary = "a script by which bash, zsh or fish completes what you type",
    .usage = "sotto completion bash | zsh | fish",
    .example = "  source <(sotto completion bash)\n"
               "  sotto completion zsh > ~/.zfunc/_sotto\n"
               "  sotto completion fish > ~/.config/fish/completions/sotto.fish\n\n"
               "An installation has all three where shells look for them.\n",
    .table = table,
    .words = shell_name,
    .run = run,
};
