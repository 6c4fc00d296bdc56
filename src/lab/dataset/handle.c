/* Schemas as others hold them: made, written and freed whole. */
#include "core/fault.h"
#include "core/float_environment.h"
#include "draft.h"
#include "schema_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *missing(void)
{
    return sotto_status_text(SOTTO_E_ARGUMENT);
}

/* Room for a schema; NULL, or `text`. */
static const char *schema_new(sotto_schema **out, char *text)
{
    *out = calloc(1, sizeof **out);
    return *out != NULL ? NULL : sotto__fault(text, "%s", sotto_status_text(SOTTO_E_MEMORY));
}

/* Gives back what `wrong` leaves unused. */
static const char *finish(const char *wrong, sotto_schema **out)
{
    if (wrong == NULL) return NULL;
    free(*out);
    *out = NULL;
    return wrong;
}

const char *sotto_schema_read(const char *path, sotto_schema **out, char text[SOTTO_FAULT_BYTES])
{
    SOTTO__DEFAULT_FLOATS;
    if (out == NULL) return missing();
    *out = NULL;
    if (path == NULL || text == NULL) return missing();
    const char *wrong = schema_new(out, text);
    if (wrong == NULL) wrong = SOTTO__UNSEEN(sotto__schema_read)(path, *out, text);
    return finish(wrong, out);
}

sotto_draft sotto_draft_default(void)
{
    return (sotto_draft){.format = SOTTO_DATASET_CSV, .header = SOTTO_HEADER_GUESS};
}

static const char *draft_fault(const sotto_draft *draft, char *text)
{
    char separator = draft->separator;
    if (draft->format != SOTTO_DATASET_CSV && draft->format != SOTTO_DATASET_LIBSVM) {
        return sotto__fault(text, "format = %u: not known", (unsigned)draft->format);
    }
    if (draft->header > SOTTO_HEADER_YES) {
        return sotto__fault(text, "header = %u: not known", (unsigned)draft->header);
    }
    if (separator != '\0' && strchr(SOTTO__SEPARATORS, separator) == NULL) {
        return sotto__fault(text, "separator: allowed are comma, semicolon, tab, bar, blank");
    }
    if (draft->decimal != '\0' && draft->decimal != '.' && draft->decimal != ',') {
        return sotto__fault(text, "decimal: allowed are point, comma");
    }
    double chance = draft->constant_propensity;
    if (chance != 0 && !(chance > 0 && chance <= 1)) {
        return sotto__fault(text, "constant_propensity = %.15g: allowed above 0, to 1", chance);
    }
    for (uint32_t i = 0; i < draft->ignored_count; i++) {
        if (draft->ignored == NULL || draft->ignored[i] == NULL) return missing();
    }
    return NULL;
}

const char *sotto_schema_draft(const sotto_draft *draft, const char *path, sotto_schema **out,
                               char text[SOTTO_FAULT_BYTES])
{
    SOTTO__DEFAULT_FLOATS;
    if (out == NULL) return missing();
    *out = NULL;
    if (draft == NULL || path == NULL || text == NULL) return missing();
    const char *wrong = draft_fault(draft, text);
    if (wrong == NULL) wrong = schema_new(out, text);
    if (wrong == NULL) wrong = SOTTO__UNSEEN(sotto__schema_draft)(draft, path, *out, text);
    return finish(wrong, out);
}

const char *sotto_schema_write(const sotto_schema *schema, const char *path,
                               char text[SOTTO_FAULT_BYTES])
{
    SOTTO__DEFAULT_FLOATS;
    if (schema == NULL || path == NULL || text == NULL) return missing();
    FILE *file = fopen(path, "w");
    bool written = file != NULL;
    if (written) {
        SOTTO__UNSEEN(sotto__schema_write)(schema, file);
        written = ferror(file) == 0;
        if (fclose(file) != 0) written = false;
    }
    if (written) return NULL;
    return sotto__fault(text, "%.300s: %s", path, strerror(errno));
}

void sotto_schema_free(sotto_schema *schema)
{
    if (schema == NULL) return;
    sotto__schema_free(schema);
    free(schema);
}
