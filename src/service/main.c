/* sottod: experiments over HTTP. */
#include "service/config/completion.h"
#include "service/daemon/commands.h"
#include "service/daemon/serve.h"
#include "terminal/columns.h"
#include "terminal/example.h"
#include "terminal/pair.h"
#include "terminal/wrap.h"

#include <sotto/core.h>

#include <string.h>

static const char about[] =
    "Serves experiments to devices on one port, and to their owner on another. Reports are on the "
    "disk before they are acknowledged. TLS is the job of a proxy in front of it.";
static const char sources[] =
    "Each setting may also stand in the file (listen = 0.0.0.0:8787) or in the environment "
    "(SOTTOD_LISTEN=0.0.0.0:8787). An option wins over the environment, and that over the file.";
static const char examples[] = "  sottod\n"
                               "  sottod --data /var/lib/sotto --listen 0.0.0.0:8787\n"
                               "  sottod export 5f0c…e1 loan.stx --data /var/lib/sotto\n\n"
                               "exit status: 0 done, 1 failed, 2 wrong usage\n";

static const config_word commands[] = {
    {"inspect", "what is in the folder"},
    {"export ID FILE", "an experiment as a file"},
    {"import FILE", "an experiment from such a file"},
    {"backup FOLDER", "a copy of all, while it runs"},
    {"completion SHELL", "a script by which bash, zsh or fish completes what you type"},
    {NULL, NULL},
};
static const config_word others[] = {
    {"--with-reports", "With export: the reports that are kept, too."},
    {"--print-config", "Print the settings as a file for --config, and end."},
    {"--version", "Print the version, and end."},
    {"--help", "Print this, and end."},
    {NULL, NULL},
};

static void print_words(const config_word *word, uint32_t columns)
{
    for (; word->name != NULL; word++) {
        pair_print(stdout, word->name, word->meaning, CONFIG_HELP_COLUMN, columns);
    }
}

static void print_help(void)
{
    uint32_t columns = columns_of_output();
    int at = printf("sottod %s - ", sotto_version());
    wrap_print(stdout, "experiments over HTTP", (uint32_t)at, 4, columns);
    printf("\nusage: sottod [COMMAND] [OPTION...]\n\n");
    wrap_print(stdout, about, 0, 0, columns);
    heading_print(stdout, "commands", columns);
    pair_print(stdout, "(no command)", "serve", CONFIG_HELP_COLUMN, columns);
    print_words(commands, columns);
    config_help(stdout, columns);
    print_words(others, columns);
    printf("\n");
    wrap_print(stdout, sources, 0, 0, columns);
    examples_print(stdout, examples, columns);
}

/* Takes a word out of the line; false if it is not there. */
static bool take_word(int *arguments, char **argument, const char *word)
{
    for (int i = 0; i < *arguments; i++) {
        if (strcmp(argument[i], word) != 0) continue;
        memmove(argument + i, argument + i + 1, (size_t)(*arguments - i - 1) * sizeof *argument);
        (*arguments)--;
        return true;
    }
    return false;
}

static int wrong(const char *sentence)
{
    fprintf(stderr, "sottod: %s\nTry `sottod --help`.\n", sentence);
    return 2;
}

/* What was printed is there; or a sentence, as where the disk is full. */
static int printed(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
    fprintf(stderr, "sottod: the output cannot be written\n");
    return 1;
}

static int print_completion(const char *shell)
{
    if (config_completion(stdout, shell, commands, others)) return printed();
    return wrong("completion: allowed bash, zsh or fish after it");
}

static int run(const sottod_config *config, int words, char **word, bool with_reports)
{
    bool export = words == 3 && strcmp(word[0], "export") == 0;
    if (with_reports && !export) return wrong("--with-reports: allowed with `export ID FILE` only");
    if (export) return folder_export(config, word[1], word[2], with_reports);
    if (words == 0) return serve(config);
    if (words == 2 && strcmp(word[0], "import") == 0) return folder_import(config, word[1]);
    if (words == 2 && strcmp(word[0], "backup") == 0) return folder_backup(config, word[1]);
    if (words == 1 && strcmp(word[0], "inspect") == 0) return folder_inspect(config);
    if (words == 2 && strcmp(word[0], "completion") == 0) return print_completion(word[1]);
    fprintf(stderr,
            "sottod: %s: allowed: inspect, export ID FILE, import FILE, backup FOLDER, completion "
            "SHELL, "
            "or nothing\n",
            word[0]);
    return 2;
}

int main(int count, char **argument)
{
    int arguments = count - 1, words = 0;
    char fault[CONFIG_FAULT_BYTES];
    sottod_config config;
    argument++;
    if (take_word(&arguments, argument, "--help")) {
        print_help();
        return printed();
    }
    if (take_word(&arguments, argument, "--version")) {
        printf("sottod %s\n", sotto_version());
        return printed();
    }
    /* Whatever the settings are. */
    if (arguments > 0 && strcmp(argument[0], "completion") == 0)
        return print_completion(arguments == 2 ? argument[1] : "");
    bool print = take_word(&arguments, argument, "--print-config");
    bool with_reports = take_word(&arguments, argument, "--with-reports");
    if (!config_read(&config, arguments, argument, &words, fault)) return wrong(fault);
    if (!print) return run(&config, words, argument, with_reports);
    config_print(&config, stdout);
    return printed();
}
