/* The one binary: sotto COMMAND [options]. */
#include "cli/audit/command.h"
#include "cli/inspect/command.h"
#include "cli/option/option.h"
#include "cli/plan/command.h"
#include "cli/privatise/command.h"
#include "cli/replay/command.h"
#include "cli/reproduce/command.h"
#include "cli/simulate/command.h"

#include <sotto/core.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const command commands[] = {
    {
        .name = "simulate",
        .summary = "run methods on an environment, print regret",
        .usage = "sotto simulate --method M[,M...] --dim D --arms K --horizon T [options]",
        .example =
            "  sotto simulate --method sotto,ldp-sgd,ols --dim 10 --arms 5 --horizon 1e5\n"
            "  sotto simulate --method ldp-ucb --dim 5 --arms 10 --horizon 1e6 --epsilon 0.5,1,2 "
            "\\\n"
            "      --seeds 20 --out rows.csv --resume sweep.jsonl\n"
            "  sotto simulate --constants --environment margin --margin 0.5 --dim 5 --arms 2\n",
        .run = cmd_simulate,
    },
    {
        .name = "replay",
        .summary = "run methods on people from a file: labelled rows, or a log of arms and rewards",
        .usage = "sotto replay --data FILE --schema FILE [--method M[,M...]] [options]",
        .example =
            "  sotto replay --data people.csv --label income --draft > people.schema\n"
            "  sotto replay --data people.csv --schema people.schema --describe\n"
            "  sotto replay --data people.csv --schema people.schema --method sotto,ldp-sgd \\\n"
            "      --epsilon 0.5,1,2,4,8 --summary\n"
            "  sotto replay --data log.csv --action item --reward click --propensity chance \\\n"
            "      --ranges-from-data --summary\n",
        .run = cmd_replay,
    },
    {
        .name = "plan",
        .summary = "predict what an epsilon will cost, before anybody is asked",
        .usage = "sotto plan --dim D --arms K [--epsilon E[,E...]] [--horizon T] [options]",
        .example = "  sotto plan --dim 10 --arms 5 --epsilon 1 --horizon 1e6 --per-day 5000\n"
                   "  sotto plan --dim 20 --arms 3 --parameters per-arm --epsilon 0.5,1,2,5\n"
                   "  sotto plan --dim 10 --arms 5 --link logit --target 0.01 --json\n",
        .run = cmd_plan,
    },
    {
        .name = "reproduce",
        .summary = "the paper's figures, and more, as one report",
        .usage = "sotto reproduce [--quick | --full] [--only NAME] --out DIR [options]",
        .example = "  sotto reproduce --quick --out report\n"
                   "  sotto reproduce --full --only shared-d20 --out shared-d20\n"
                   "  sotto reproduce --list\n",
        .run = cmd_reproduce,
    },
    {
        .name = "privatise",
        .summary = "vectors in, private reports out",
        .usage = "sotto privatise --mechanism NAME --dim D --epsilon E [options] < vectors",
        .example = "  echo '0.6 0.8' | sotto privatise --mechanism codebook --dim 2 --epsilon 1\n"
                   "  echo '1 0 0' | sotto privatise --mechanism l2ball --dim 3 --epsilon 2 \\\n"
                   "      --count 5 --format raw --header\n",
        .run = cmd_privatise,
    },
    {
        .name = "inspect",
        .summary = "a spec, model, report, codeword or ledger in words",
        .usage = "sotto inspect spec [FILE | options] | report FILE | model FILE | codeword | "
                 "ledger FILE | calibration",
        .example =
            "  sotto inspect spec --dim 20 --arms 5 --epsilon 1 --out experiment.spec\n"
            "  sotto inspect report one.report --spec experiment.spec\n"
            "  sotto inspect codeword --spec-id 000102030405060708090a0b0c0d0e0f \\\n"
            "      --nonce 101112131415161718191a1b1c1d1e1f --dim 4 --codebook-size 64 --index 3\n"
            "  sotto inspect ledger person.ledger --delta 1e-6\n",
        .run = cmd_inspect,
    },
    {
        .name = "audit",
        .summary = "measure a lower bound on epsilon, find violations",
        .usage = "sotto audit --mechanism NAME | --exec CMD --dim D --epsilon E [options]",
        .example =
            "  sotto audit --mechanism codebook --dim 5 --epsilon 1 --trials 100000\n"
            "  sotto audit --exec 'python3 mine.py' --dim 3 --epsilon 1 --delta 1e-5 --json\n\n"
            "exit status: 0 no violation found, 1 violation, 2 wrong usage or inconclusive\n",
        .run = cmd_audit,
    },
};
static const uint32_t commands_count = sizeof commands / sizeof commands[0];

static const char *command_name(uint32_t value)
{
    return value < commands_count ? commands[value].name : NULL;
}

static void print_help(void)
{
    printf("sotto %s - contextual bandits under local differential privacy\n\n"
           "usage: sotto COMMAND [options]\n\ncommands:\n",
           sotto_version());
    for (uint32_t i = 0; i < commands_count; i++) {
        printf("  %-12s %s\n", commands[i].name, commands[i].summary);
    }
    printf("\n  sotto COMMAND --help   options and examples\n"
           "  sotto --version        the version\n\n"
           "exit status: 0 done, 1 failed, 2 wrong usage\n");
}

/* What was printed counts only once it is written. */
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
        fprintf(stderr, "sotto: which command? sotto --help lists them\n");
        return EXIT_USAGE;
    }
    bool help = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
    if (help && argc == 2) {
        print_help();
        return finished(EXIT_OK);
    }
    if (strcmp(word, "--version") == 0) {
        printf("sotto %s\n", sotto_version());
        return finished(EXIT_OK);
    }
    uint32_t which;
    static char help_option[] = "--help";
    char *help_words[] = {help_option};
    if (!args_name("sotto", "command", help ? argv[2] : word, command_name, &which)) {
        return EXIT_USAGE;
    }
    const command *self = &commands[which];
    return finished(help ? self->run(self, 1, help_words) : self->run(self, argc - 2, argv + 2));
}
