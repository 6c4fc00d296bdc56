/* sotto doctor: whether the installation and the machine are fit for private rounds. */
#include "cli/option/option.h"
#include "inner.h"

#include <sotto/core.h>

typedef struct doctor_options {
    const char *directory;
    double seconds;
    bool json;
} doctor_options;

#define FIELD(member) OPTION_FIELD(doctor_options, member)

/* clang-format off */
static const option table[] = {
    {"directory", FIELD(directory), OPTION_DIRECTORY, "tests",
     "DIR in which an fsync is timed, default: the current one; choose one on the disk of the data directory"},
    {"seconds", FIELD(seconds), OPTION_NUMBER("10", 0, 3600), "tests",
     "approximate duration of the self test; 0: no self test"},
    {"json", FIELD(json), OPTION_FLAG, "output", "one JSON object"},
    OPTION_END,
};
/* clang-format on */

static int run(const command *self, int argc, char **argv)
{
    doctor_options o = {0};
    command_line line;
    if (!command_line_parse(&line, self, &o, argc, argv)) return EXIT_USAGE;
    if (line.words_count > 0) {
        option_say(&line, "%s: unexpected word; allowed only options", argv[0]);
        return EXIT_USAGE;
    }
    facts list = facts_begin(o.json);
    fact_text(&list, "version", sotto_version(), "");
    fact_text(&list, "commit", sotto_commit(), "");
    fact_text(&list, "sources", sotto_sources(), "");
    bool fine = doctor_installed(&list);
    fine = doctor_machine(&list, o.directory == NULL ? "." : o.directory) && fine;
    if (o.seconds > 0) fine = doctor_self_test(&list, o.seconds) && fine;
    fact_text(&list, "verdict", fine ? "fit" : "not fit", "");
    facts_end(&list);
    return fine ? EXIT_OK : EXIT_FAILED;
}

const command command_doctor = {
    .name = "doctor",
    .summary = "check the installation and the machine, and run a self test",
    .usage = "sotto doctor [options]",
    .example = "  sotto doctor\n"
               "  sotto doctor --directory /var/lib/sotto --seconds 60\n\n"
               "exit status: 0 fit, 1 something is wrong, 2 wrong usage\n",
    .table = table,
    .run = run,
};
