/* Whatever the bytes: refused with a field and a sentence, as JSON; or settings that are written as they
 * are read. */
#include "service/api/inner.h"
#include "specs.h"

#include <string.h>

static void check_refusal(const sottod_refusal *why)
{
    char body[ERROR_JSON_BYTES];
    size_t bytes = error_json(why, body);
    fuzz_require(why->status == 400 || why->status == 413);
    fuzz_require(why->fault.sentence[0] != '\0' && why->fault.field[0] != '\0');
    json_t *read = json_loadb(body, bytes, JSON_REJECT_DUPLICATES, NULL);
    fuzz_require(json_object_size(read) == 4);
    json_decref(read);
}

static char *write_text(const create_request *made, size_t *bytes)
{
    json_t *body = json_pack("{sosososo}", "origins", origins_json(made->origins), "spec",
                             spec_json_write(&made->request), "learning",
                             spec_json_write_learning(&made->request), "labels",
                             json_loads(made->labels, 0, NULL));
    fuzz_require(body != NULL);
    char *text = json_dumps(body, JSON_COMPACT);
    fuzz_require(text != NULL);
    json_decref(body);
    *bytes = strlen(text);
    return text;
}

/* As a row of the journal has it. */
static void check_access(const create_request *made)
{
    static access_text text;
    static char row[CREATE_LABELS_BYTES_MAX + ACCESS_TEXT_BYTES];
    size_t labels = strlen(made->labels);
    memcpy(row, made->labels, labels);
    access_text_write(made->origins,
                      made->terms.id[0] % 2 == 0 ? made->request.access.key[0] : NULL,
                      row + labels);
    fuzz_require(access_text_read(row, &text));
    fuzz_require(text.labels_bytes == labels && strcmp(text.origins, made->origins) == 0);
    fuzz_require(text.has_key == (made->terms.id[0] % 2 == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static create_request made, again;
    sottod_refusal why = {.status = 0};
    if (!create_read(data, size, &made, &why)) {
        check_refusal(&why);
        return 0;
    }
    check_access(&made);
    size_t bytes, again_bytes;
    char *text = write_text(&made, &bytes);
    fuzz_require(create_read(text, bytes, &again, &why));
    char *text_again = write_text(&again, &again_bytes);
    fuzz_require(again_bytes == bytes && memcmp(text, text_again, bytes) == 0);
    fuzz_require(memcmp(made.terms.id, again.terms.id, SOTTO_SPEC_ID_BYTES) == 0);
    free(text_again);
    free(text);
    return 0;
}
