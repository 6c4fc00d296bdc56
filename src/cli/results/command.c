/* sotto results: prints the results of an experiment from the admin port of its service. */
#include "core/core.h"
#include "inner.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define EXIT_HARM 3

typedef struct results_options {
    const char *experiment, *token_file, *ca_file;
    double alpha;
    bool json, csv;
} results_options;

#define SERVER "the server"
#define OUTPUT "output"
#define FIELD(member) OPTION_FIELD(results_options, member)

/* clang-format off */
static const option table[] = {
    {"experiment", FIELD(experiment), OPTION_TEXT(NULL), SERVER,
     "ID, if URL names only the admin port; default: the only open experiment"},
    {"token-file", FIELD(token_file), OPTION_FILE, SERVER,
     "FILE with a token of the admin port, default: reader.token in the default directory of sottod"},
    {"ca-file", FIELD(ca_file), OPTION_FILE, SERVER,
     "PEM FILE of the certificates to trust, default: those of the system"},

    {"alpha", FIELD(alpha), OPTION_NUMBER("0.05", 1e-9, 0.5), OUTPUT,
     "chance that an interval misses the true value; the alarm for harm has its own"},
    {"csv", FIELD(csv), OPTION_FLAG, OUTPUT, "print only the table, as comma-separated values"},
    {"json", FIELD(json), OPTION_FLAG, OUTPUT, "print everything as one JSON object"},
    OPTION_END,
};
/* clang-format on */

/* Splits a URL, which may end with the route of an experiment, into that of the admin port and the
 * id. */
static sotto_status split(const results_options *options, const char *url, char *server, char *id,
                          sotto_fault *fault)
{
    sotto__url whole;
    sotto_status status = SOTTO_OK;
    bool is_whole = sotto__place_is_whole(url);
    snprintf(server, SOTTO__URL_BYTES_MAX + 1, "%s", url);
    id[0] = '\0';
    if (!is_whole && options->experiment == NULL) return SOTTO_OK;
    if (is_whole && options->experiment != NULL)
        return sotto__fault_at(fault, "experiment", ": URL names one already");
    status = is_whole ? sotto__url_fault("URL", url, &whole, fault)
                      : sotto__place_join("URL", url, options->experiment, &whole, fault);
    if (status != SOTTO_OK) return status;
    sotto__place_id(&whole, id);
    char *route = strstr(server, "/v1/experiments/");
    if (route != NULL) *route = '\0';
    return SOTTO_OK;
}

static json_t *read_json(const sotto__admin_answer *answer)
{
    return json_loadb(answer->body, answer->bytes, JSON_REJECT_DUPLICATES, NULL);
}

static sotto_status ask(sotto__admin *admin, const char *id, const char *more, json_t **out,
                        sotto_fault *fault)
{
    char path[120];
    sotto__admin_answer answer;
    snprintf(path, sizeof path, "/v1/experiments/%.32s%s", id, more);
    if (sotto__admin_get(admin, path, &answer, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    *out = read_json(&answer);
    return *out != NULL ? SOTTO_OK : sotto__refuse(fault, "the answer is not JSON");
}

static sotto_status read_all(sotto__admin *admin, const char *id, double alpha, results_read *out,
                             sotto_fault *fault)
{
    json_t *one = NULL, *results = NULL;
    char only[SOTTO__ID_CHARS + 1], more[64];
    *out = (results_read){.one = NULL};
    if (id[0] == '\0') {
        if (sotto__admin_only(admin, only, fault) != SOTTO_OK) return SOTTO_E_FAULT;
        id = only;
    }
    snprintf(more, sizeof more, "/results?alpha=%.17g", alpha);
    if (ask(admin, id, "", &one, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    if (ask(admin, id, more, &results, fault) != SOTTO_OK) {
        json_decref(one);
        return SOTTO_E_FAULT;
    }
    return results_take(one, results, out, fault);
}

static int show(const command_line *line, const results_options *options, const results_read *read)
{
    if (options->json && !results_print_json(read)) {
        option_say(line, "the results cannot be written");
        return EXIT_FAILED;
    }
    if (options->csv) results_print_csv(read);
    if (!options->json && !options->csv) results_print(read);
    return read->harmed ? EXIT_HARM : EXIT_OK;
}

static int run(const command *self, int argc, char **argv)
{
    command_line line;
    results_options options;
    results_read read;
    sotto__admin *admin = NULL;
    char server[SOTTO__URL_BYTES_MAX + 1], id[SOTTO__ID_CHARS + 1];
    sotto_fault fault;
    char usual[SOTTO__PATH_BYTES];
    if (!command_line_parse(&line, self, &options, argc, argv)) return EXIT_USAGE;
    if (line.words_count > 1 || (options.json && options.csv)) {
        option_say(&line, line.words_count > 1 ? "allowed at most one URL"
                                               : "--json and --csv: give only one of them");
        return EXIT_USAGE;
    }
    const char *url = line.words_count == 1 ? argv[0] : SOTTO__ADMIN_USUAL;
    sotto__admin_token_usual(usual);
    if (split(&options, url, server, id, &fault) != SOTTO_OK) {
        option_refuse(&line, "", &fault);
        return EXIT_USAGE;
    }
    if (sotto__admin_new(server, options.token_file != NULL ? options.token_file : usual,
                         options.ca_file, &admin, &fault) != SOTTO_OK) {
        option_say(&line, "%s%s", fault.sentence,
                   options.token_file == NULL ? "; name the token of sottod with --token-file FILE"
                                              : "");
        return EXIT_USAGE;
    }
    int code = EXIT_FAILED;
    if (read_all(admin, id, options.alpha, &read, &fault) != SOTTO_OK) {
        option_say(&line, "%s", fault.sentence);
    } else {
        code = show(&line, &options, &read);
    }
    results_free(&read);
    sotto__admin_free(admin);
    return code;
}

const command command_results = {
    .name = "results",
    .summary = "show by how much an experiment's learned choice beats random arms, and whether it "
               "does harm",
    .usage = "sotto results [URL] [options]",
    .example = "  sotto results\n"
               "  sotto results http://127.0.0.1:8788/v1/experiments/ID --token-file reader.token\n"
               "  sotto results http://127.0.0.1:8788 --experiment ID --csv\n\n"
               "URL is that of the admin port, by default http://127.0.0.1:8788. exit status: 0 no "
               "harm is shown, 1 no "
               "answer, 2 wrong usage, 3 the learned choice is worse than an arm at random\n",
    .table = table,
    .run = run,
};
