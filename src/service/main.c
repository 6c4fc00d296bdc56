/* sottod: experiments over HTTP. */
#include "option/option.h"
#include "service/config/config.h"
#include "service/daemon/daemon.h"
#include "text/text.h"

#include <sotto/core.h>

#include <string.h>

enum { HELP_COLUMN = 31 }; /* where descriptions begin */

static const char about[] =
    "Serves experiments to devices on one port and to their owners on another. Reports are durable "
    "before they are acknowledged. Put a proxy with TLS in front of it.";
static const char sources[] =
    "Each setting can also be given in the file (listen = 0.0.0.0:8787) or in the environment "
    "(SOTTOD_LISTEN=0.0.0.0:8787). Options override the environment, which overrides the file.";
static const char examples[] = "  sottod\n"
                               "  sottod --data /var/lib/sotto --listen 0.0.0.0:8787\n"
                               "  sottod export 5f0c…e1 loan.sqlite --data /var/lib/sotto\n\n"
                               "exit status: 0 done, 1 failed, 2 wrong usage\n";

static const command commands[] = {
    {.name = "inspect", .usage = "inspect", .summary = "check and list the data directory"},
    {.name = "export",
     .usage = "export ID FILE",
     .summary = "write one experiment to a file",
     .files = true},
    {.name = "import",
     .usage = "import FILE",
     .summary = "add the experiment of an exported file",
     .files = true},
    {.name = "backup",
     .usage = "backup DIRECTORY",
     .summary = "copy the journal, also while the service runs",
     .files = true},
    {.name = "add-token",
     .usage = "add-token NAME ROLE [DAY]",
     .summary = "make a token, valid through DAY if given"},
    {.name = "remove-token", .usage = "remove-token NAME", .summary = "remove a token"},
    {.name = "completion",
     .usage = "completion SHELL",
     .summary = "print the completion script for bash, zsh or fish",
     .words = shell_name},
};
static const option others[] = {
    {.name = "with-reports", .meaning = "With export: include the reports."},
    {.name = "print-config", .meaning = "Print the settings as a file for --config and exit."},
    {.name = "version", .meaning = "Print the version and exit."},
    {.name = "help", .meaning = "Print this help and exit."},
    OPTION_END,
};

static const command *sottod_command_at(uint32_t value)
{
    return value < sizeof commands / sizeof *commands ? &commands[value] : NULL;
}

static void print_help(void)
{
    uint32_t columns = text_columns_of_output();
    int at = printf("sottod %s - ", sotto_version());
    wrap_print(stdout, "experiments over HTTP", (uint32_t)at, 4, columns);
    printf("\nusage: sottod [COMMAND] [OPTION...]\n\n");
    wrap_print(stdout, about, 0, 0, columns);
    heading_print(stdout, "commands", columns);
    pair_print(stdout, "(no command)", "run the service", HELP_COLUMN, columns);
    for (uint32_t i = 0; sottod_command_at(i) != NULL; i++) {
        pair_print(stdout, commands[i].usage, commands[i].summary, HELP_COLUMN, columns);
    }
    option_table_print(stdout, config_settings.table, HELP_COLUMN, columns);
    for (const option *row = others; row->meaning != NULL; row++) {
        char flag[32];
        snprintf(flag, sizeof flag, "--%s", row->name);
        pair_print(stdout, flag, row->meaning, HELP_COLUMN, columns);
    }
    printf("\n");
    wrap_print(stdout, sources, 0, 0, columns);
    examples_print(stdout, examples, columns);
}

/* Removes a word from the line; false if it is not there. */
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

/* Checks that the output was written; otherwise prints a sentence, for example when the disk is full. */
static int printed(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
    fprintf(stderr, "sottod: cannot write the output\n");
    return 1;
}

static int print_completion(int words, char **word)
{
    const option_program self = {.name = "sottod",
                                 .command_at = sottod_command_at,
                                 .table = config_settings.table,
                                 .flags = others};
    uint32_t which;
    if (words > 0 && strcmp(word[0], "--words") == 0) {
        completion_answer(stdout, &self, words - 1, word + 1);
        return printed();
    }
    if (words != 1 || name_find(word[0], shell_name, &which, NULL) != SOTTO_OK)
        return wrong("completion: needs a shell; allowed bash, zsh, fish");
    completion_print(stdout, &self, which);
    return printed();
}

static int run(const sottod_config *config, int words, char **word, bool with_reports,
               int arguments)
{
    if (words > 0) signals_hold(false); /* while commands run, SIGHUP works as usual */
    bool export = words == 3 && strcmp(word[0], "export") == 0;
    if (with_reports && !export) return wrong("--with-reports: allowed only with `export ID FILE`");
    if (export) return directory_export(config, word[1], word[2], with_reports);
    if (words == 0) return serve(config, arguments, word);
    if (words == 2 && strcmp(word[0], "import") == 0) return directory_import(config, word[1]);
    if (words == 2 && strcmp(word[0], "backup") == 0) return directory_backup(config, word[1]);
    if ((words == 3 || words == 4) && strcmp(word[0], "add-token") == 0)
        return directory_add_token(config, words - 1, word + 1);
    if (words == 2 && strcmp(word[0], "remove-token") == 0)
        return directory_remove_token(config, word[1]);
    if (words == 1 && strcmp(word[0], "inspect") == 0) return directory_inspect(config);
    if (words == 2 && strcmp(word[0], "completion") == 0) return print_completion(1, word + 1);
    fprintf(stderr,
            "sottod: %s: allowed: inspect, export ID FILE, import FILE, backup DIRECTORY, "
            "add-token NAME "
            "ROLE [DAY], remove-token NAME, completion SHELL, or nothing\n",
            word[0]);
    return 2;
}

int main(int count, char **argument)
{
    int arguments = count - 1, words = 0;
    sotto_fault fault;
    sottod_config config;
    signals_hold(true);
    argument++;
    bool completes = arguments > 0 && strcmp(argument[0], "completion") == 0;
    if (completes && arguments > 1 && strcmp(argument[1], "--words") == 0)
        return print_completion(arguments - 1, argument + 1); /* --help may be one of the words */
    if (take_word(&arguments, argument, "--help")) {
        print_help();
        return printed();
    }
    if (take_word(&arguments, argument, "--version")) {
        printf("sottod %s\ncommit %s\nsources %s\n", sotto_version(), sotto_commit(),
               sotto_sources());
        return printed();
    }
    /* Works with any settings. */
    if (completes) return print_completion(arguments - 1, argument + 1);
    bool print = take_word(&arguments, argument, "--print-config");
    bool with_reports = take_word(&arguments, argument, "--with-reports");
    if (config_read(&config, arguments, argument, &words, &fault) != SOTTO_OK)
        return wrong(fault.sentence);
    if (!print) return run(&config, words, argument, with_reports, arguments);
    settings_print(&config_settings, &config, stdout);
    return printed();
}
