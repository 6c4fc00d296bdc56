/* The ledger of the user who runs the command. */
#include "inner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* False if neither variable gives a path. */
static bool usual_path(char path[PATH_MAX])
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int length = -1;
    if (state != NULL && state[0] == '/') { /* the XDG standard ignores relative paths */
        length = snprintf(path, PATH_MAX, "%s/sotto/ledger", state);
    } else if (home != NULL && home[0] == '/') {
        length = snprintf(path, PATH_MAX, "%s/.local/state/sotto/ledger", home);
    }
    return length > 0 && length < PATH_MAX;
}

bool join_ledger_open(const command_line *line, const join_options *options, join_ledger *out)
{
    sotto_fault fault;
    struct stat found;
    memset(out, 0, sizeof *out);
    out->usual = options->ledger_file == NULL;
    if (out->usual && !usual_path(out->path)) {
        return option_say(
            line, "neither XDG_STATE_HOME nor HOME gives a usable path: give --ledger FILE");
    }
    if (!out->usual && snprintf(out->path, PATH_MAX, "%s", options->ledger_file) >= (int)PATH_MAX) {
        return option_say(line, "--ledger: the path is longer than %d bytes", PATH_MAX - 1);
    }
    sotto_status status;
    out->there = lstat(out->path, &found) == 0 || (errno != ENOENT && errno != ENOTDIR);
    if (!out->there) {
        status = sotto_ledger_memory_new(&out->ledger);
    } else if (sotto_ledger_file_fault(out->path, &fault) != SOTTO_OK) {
        return option_say(line, "ledger %s: %s", out->path, fault.sentence);
    } else {
        status = sotto_ledger_file_open(out->path, &out->ledger);
    }
    return status == SOTTO_OK ||
           option_say(line, "ledger %s: %s", out->path, sotto_status_text(status));
}

/* Makes the directories above the file, readable only by the owner. Existing ones are not
 * changed. */
static bool make_directories(const command_line *line, const char *path)
{
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%s", path);
    for (char *at = strchr(directory + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        if (mkdir(directory, 0700) != 0 && errno != EEXIST) {
            return option_say(line, "cannot make the directory %s: %s", directory, strerror(errno));
        }
        *at = '/';
    }
    return true;
}

bool join_ledger_make(const command_line *line, join_ledger *own)
{
    if (own->there) return true;
    if (own->usual && !make_directories(line, own->path)) return false;
    sotto_status status = sotto_ledger_file_create(own->path);
    if (status != SOTTO_OK && status != SOTTO_E_EXISTS) { /* another process may have made it */
        return option_say(line, "cannot make the ledger %s: %s", own->path, strerror(errno));
    }
    sotto_ledger *ledger;
    status = sotto_ledger_file_open(own->path, &ledger);
    if (status != SOTTO_OK) {
        return option_say(line, "ledger %s: %s", own->path, sotto_status_text(status));
    }
    sotto_ledger_free(own->ledger);
    own->ledger = ledger;
    own->there = true;
    return true;
}

void join_ledger_close(join_ledger *own)
{
    sotto_ledger_free(own->ledger);
    own->ledger = NULL;
}

bool join_ledger_unsent(const command_line *line, const join_ledger *own, const sotto_terms *terms,
                        join_unsent *out)
{
    sotto_unsent next = {0};
    *out = (join_unsent){.first_ms = UINT64_MAX};
    do { /* at most as many times as the ledger has rounds */
        sotto_status status = sotto_ledger_unsent(own->ledger, next.entry, &next);
        if (status != SOTTO_OK) {
            sotto_fault fault;
            bool known = sotto_ledger_fault(own->ledger, &fault) != SOTTO_OK;
            return option_say(line, "ledger %s: %s", own->path,
                              known ? fault.sentence : sotto_status_text(status));
        }
        if (next.entry == 0 || memcmp(next.spec_id, terms->id, sizeof next.spec_id) != 0) continue;
        out->count++;
        if (next.send_at_ms < out->first_ms) out->first_ms = next.send_at_ms;
        if (next.send_at_ms > out->last_ms) out->last_ms = next.send_at_ms;
    } while (next.entry != 0);
    return true;
}
