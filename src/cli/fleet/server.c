/*
 * Which experiment is meant, and its admin port. One that nobody asked for may be missing: then the check at the end
 * is a weaker one, and a note says why.
 */
#include "server.h"

#include <stdlib.h>
#include <string.h>

#define ADMIN_USUAL "http://127.0.0.1:8788"
#define PATH_BYTES 4096u

#define GIVEN(member) OPTION_GIVEN(line, fleet_options, member)

/* Where sottod keeps its tokens unless it was told otherwise: docs/operations.md, section 1. */
static void token_usual(char path[PATH_BYTES])
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state != NULL && state[0] == '/') {
        snprintf(path, PATH_BYTES, "%s/sotto/reader.token", state);
    } else {
        snprintf(path, PATH_BYTES, "%s/.local/state/sotto/reader.token", home != NULL ? home : "");
    }
}

static bool is_here(const char *url)
{
    return strncmp(url, "http://", 7) == 0; /* other machines have https alone */
}

static const char *open_admin(const fleet_options *options, fleet_server *out, char *text)
{
    char usual[PATH_BYTES];
    token_usual(usual);
    return sotto__admin_new(options->admin != NULL ? options->admin : ADMIN_USUAL,
                            options->token_file != NULL ? options->token_file : usual,
                            options->ca_file, &out->admin, text);
}

static int find_experiment(const command_line *line, const fleet_options *options, const char *url,
                           fleet_server *out, char *text)
{
    const char *id = options->experiment;
    char only[SOTTO__ID_CHARS + 1];
    if (sotto__place_is_whole(url)) {
        if (id != NULL) option_say(line, "--experiment: URL names one already");
        if (id != NULL) return EXIT_USAGE;
        if (sotto__url_fault("URL", url, &out->url, text) == NULL) return EXIT_OK;
        option_say(line, "%s", text);
        return EXIT_USAGE;
    }
    if (id == NULL && out->admin == NULL) {
        option_say(line,
                   "URL %.200s: names no experiment, and its admin port cannot be asked (%s); "
                   "use --experiment ID, or a URL that ends with /v1/experiments/ID",
                   url, text);
        return EXIT_USAGE;
    }
    if (id == NULL) {
        if (sotto__admin_only(out->admin, only, text) != NULL) {
            option_say(line, "%s; use --experiment ID", text);
            return EXIT_FAILED;
        }
        id = only;
    }
    if (sotto__place_join("URL", url, id, &out->url, text) == NULL) return EXIT_OK;
    option_say(line, "%s", text);
    return EXIT_USAGE;
}

int fleet_server_find(const command_line *line, const fleet_options *options, const char *url,
                      fleet_server *out)
{
    char text[SOTTO_FAULT_BYTES] = "there is none of another machine unless --admin says so";
    bool asked = GIVEN(admin) || GIVEN(token_file);
    *out = (fleet_server){0};
    if ((asked || is_here(url)) && open_admin(options, out, text) != NULL && asked) {
        option_say(line, "%s", text);
        return EXIT_USAGE;
    }
    int code = find_experiment(line, options, url, out, text);
    if (code != EXIT_OK) return code;
    sotto__place_id(&out->url, out->id);
    if (out->admin != NULL &&
        sotto__admin_counts(out->admin, out->id, &out->before, text) != NULL) {
        sotto__admin_free(out->admin);
        out->admin = NULL;
        if (asked) option_say(line, "%s", text);
        if (asked) return EXIT_FAILED;
    }
    if (out->admin == NULL && !options->quiet) {
        option_say(line, "the check at the end is the weaker one, by public models alone: %s",
                   text);
    }
    return EXIT_OK;
}

void fleet_server_free(fleet_server *server)
{
    sotto__admin_free(server->admin);
    server->admin = NULL;
}
