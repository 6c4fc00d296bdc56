/*
 * Finds the experiment and its admin port. If no option names the admin port, it may be missing:
 * the check at the end is then weaker, and a note says why.
 */
#include "inner.h"

#include <stdlib.h>
#include <string.h>

#define GIVEN(member) OPTION_GIVEN(line, fleet_options, member)

static bool is_here(const char *url)
{
    return strncmp(url, "http://", 7) == 0; /* http is allowed only on this machine */
}

static sotto_status open_admin(const fleet_options *options, fleet_server *out, sotto_fault *fault)
{
    char usual[SOTTO__PATH_BYTES];
    sotto__admin_token_usual(usual);
    return sotto__admin_new(options->admin != NULL ? options->admin : SOTTO__ADMIN_USUAL,
                            options->token_file != NULL ? options->token_file : usual,
                            options->ca_file, &out->admin, fault);
}

static int find_experiment(const command_line *line, const fleet_options *options, const char *url,
                           fleet_server *out, const sotto_fault *no_admin)
{
    sotto_fault fault;
    static const char any_id[] = "00000000000000000000000000000000";
    const char *id = options->experiment;
    char only[SOTTO__ID_CHARS + 1];
    if (sotto__place_is_whole(url)) {
        if (id != NULL) option_say(line, "--experiment: URL names one already");
        if (id != NULL) return EXIT_USAGE;
        if (sotto__url_fault("URL", url, &out->url, &fault) == SOTTO_OK) return EXIT_OK;
        option_refuse(line, "", &fault);
        return EXIT_USAGE;
    }
    if (id == NULL && sotto__place_join("URL", url, any_id, &out->url, &fault) != SOTTO_OK) {
        option_refuse(line, "", &fault);
        return EXIT_USAGE;
    }
    if (id == NULL && out->admin == NULL) {
        option_say(
            line,
            "the experiment is missing: give --experiment ID, end the URL with /v1/experiments/ID, "
            "or name the admin port with --admin URL --token-file FILE (%s)",
            no_admin->sentence);
        return EXIT_USAGE;
    }
    if (id == NULL) {
        if (sotto__admin_only(out->admin, only, &fault) != SOTTO_OK) {
            option_say(line,
                       "%s; if sottod has its admin port elsewhere, use --admin URL, or name the "
                       "experiment with --experiment ID",
                       fault.sentence);
            return EXIT_FAILED;
        }
        id = only;
    }
    if (sotto__place_join("URL", url, id, &out->url, &fault) == SOTTO_OK) return EXIT_OK;
    option_refuse(line, "", &fault);
    return EXIT_USAGE;
}

int fleet_server_find(const command_line *line, const fleet_options *options, const char *url,
                      fleet_server *out)
{
    sotto_fault fault = {.sentence = "sotto looks for the admin port only on this machine"};
    bool asked = GIVEN(admin) || GIVEN(token_file);
    *out = (fleet_server){0};
    if ((asked || is_here(url)) && open_admin(options, out, &fault) != SOTTO_OK && asked) {
        option_say(line, "%s", fault.sentence);
        return EXIT_USAGE;
    }
    int code = find_experiment(line, options, url, out, &fault);
    if (code != EXIT_OK) return code;
    sotto__place_id(&out->url, out->id);
    if (out->admin != NULL &&
        sotto__admin_counts(out->admin, out->id, &out->before, &fault) != SOTTO_OK) {
        sotto__admin_free(out->admin);
        out->admin = NULL;
        if (asked) option_say(line, "%s", fault.sentence);
        if (asked) return EXIT_FAILED;
    }
    if (out->admin == NULL && !options->quiet) {
        option_say(line, "the check at the end is weaker, because it uses only public models: %s",
                   fault.sentence);
    }
    return EXIT_OK;
}

void fleet_server_free(fleet_server *server)
{
    sotto__admin_free(server->admin);
    server->admin = NULL;
}
