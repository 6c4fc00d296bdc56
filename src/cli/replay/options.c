/* Which options of `sotto replay` go together. */
#include "inner.h"
#include "lab/dataset/dataset.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM "sotto replay"

/* With a schema, options for drafting one are refused. */
static bool fits_schema(const command_line *line)
{
#define AT(member) offsetof(replay_options, member)
    static const size_t drafts[] = {AT(label),   AT(action),           AT(reward), AT(propensity),
                                    AT(ignored), AT(format),           AT(header), AT(separator),
                                    AT(decimal), AT(ranges_from_data), AT(draft)};
#undef AT
    for (size_t i = 0; i < sizeof drafts / sizeof drafts[0]; i++) {
        if (!option_is_given(line, drafts[i])) continue;
        return option_say(line, "--%s: only without --schema, which defines the columns",
                          option_name(line, drafts[i]));
    }
    return true;
}

/* The file must exist before options about its columns are checked. */
static bool can_be_read(const command_line *line, const char *path)
{
    bool there = strcmp(path, "-") == 0 || access(path, R_OK) == 0;
    return there || option_say(line, "--data %s: cannot be read: %s", path, strerror(errno));
}

static bool needs_ranges(const command_line *line, bool log)
{
    const replay_options *o = line->fields;
    const char *column = log ? o->action : o->label != NULL ? o->label : "label";
    return option_say(
        line,
        "--data %s: the allowed values of its columns are unknown. Write a schema (" PROGRAM
        " --data %s %s %s --draft > my.schema makes one to edit) and give it with --schema; or "
        "--ranges-from-data takes them from people's rows, which epsilon does not cover",
        o->data, o->data, log ? "--action" : "--label", column);
}

static bool fits_draft(const command_line *line)
{
    const replay_options *o = line->fields;
    bool csv = o->format == SOTTO_DATASET_CSV;
    if (!csv && OPTION_GIVEN(line, replay_options, header)) {
        return option_say(line, "--header: a LIBSVM file has none");
    }
    if (!csv && OPTION_GIVEN(line, replay_options, separator)) {
        return option_say(line, "--separator: a LIBSVM file has its own");
    }
    if (!csv && OPTION_GIVEN(line, replay_options, decimal)) {
        return option_say(line, "--decimal: a LIBSVM file has points");
    }
    if (!can_be_read(line, o->data)) return false;
    bool log = o->action != NULL || o->reward != NULL || o->propensity != NULL;
    bool whole = o->action != NULL && o->reward != NULL && o->propensity != NULL;
    if (log && o->label != NULL) return option_say(line, "--label: a log has an action instead");
    if (log && !whole)
        return option_say(line, "--action: a log needs --reward and --propensity too");
    if (!log && o->label == NULL && csv) {
        return option_say(line,
                          "--data %s: the roles of its columns are unknown. Give --label COLUMN, "
                          "or for a log --action, --reward and --propensity, or --schema FILE",
                          o->data);
    }
    return o->draft || o->ranges_from_data || needs_ranges(line, log);
}

bool replay_options_fit(const command_line *line)
{
    const replay_options *o = line->fields;
    if (o->csv && o->json) return option_say(line, "--csv and --json: rows have one format");
    if (o->draft && o->describe)
        return option_say(line, "--draft and --describe: give only one of them");
    if (o->export_vw != NULL && (o->draft || o->describe)) {
        return option_say(line, "--export-vw and --%s: give only one of them",
                          o->draft ? "draft" : "describe");
    }
    bool shared = o->parameters == SOTTO_PARAMETERS_SHARED;
    if (o->warm_up > 0 && shared) {
        return option_say(line, "--warmup: only per-arm parameters warm up");
    }
    return o->schema != NULL ? fits_schema(line) : fits_draft(line);
}
