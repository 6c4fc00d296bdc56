/* A data set as text for Vowpal Wabbit. */
#include "export.h"
#include "lab/dataset/vw_write.h"
#include "options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int fail_to_write(const command_line *line, const char *path)
{
    option_say(line, "cannot write %s: %s", path, strerror(errno));
    return EXIT_FAILED;
}

/* Whether all bytes went out. */
static bool finish(FILE *file)
{
    bool good = fflush(file) == 0 && !ferror(file);
    return fclose(file) == 0 && good;
}

static int write_both(const command_line *line, const sotto_schema *schema, sotto_dataset *dataset,
                      const char *schema_path)
{
    const replay_options *o = line->fields;
    char fault[SOTTO_FAULT_BYTES];
    uint64_t count;
    FILE *file = fopen(o->export_vw, "w");
    if (file == NULL) return fail_to_write(line, o->export_vw);
    FILE *schema_file = fopen(schema_path, "w");
    if (schema_file == NULL) {
        int code = fail_to_write(line, schema_path);
        fclose(file);
        return code;
    }
    const char *wrong = sotto__vw_write(schema, dataset, file, schema_file, &count, fault);
    bool written = finish(file);
    if (!finish(schema_file)) return fail_to_write(line, schema_path);
    if (!written) return fail_to_write(line, o->export_vw);
    if (wrong != NULL) {
        option_say(line, "%s", wrong);
        return EXIT_FAILED;
    }
    if (!o->quiet) {
        option_say(line, "%" PRIu64 " people are in %s; %s reads them", count, o->export_vw,
                   schema_path);
    }
    return EXIT_OK;
}

int replay_export(const command_line *line, const sotto_schema *schema, sotto_dataset *dataset)
{
    const replay_options *o = line->fields;
    size_t bytes = strlen(o->export_vw) + sizeof ".schema";
    char *schema_path = malloc(bytes);
    if (schema_path == NULL) {
        option_say(line, "%s", sotto_status_text(SOTTO_E_MEMORY));
        return EXIT_FAILED;
    }
    snprintf(schema_path, bytes, "%s.schema", o->export_vw);
    int code = write_both(line, schema, dataset, schema_path);
    free(schema_path);
    return code;
}
