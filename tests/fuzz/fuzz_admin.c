/* Whatever an admin port answers to a fleet, and whatever URL it is told: refused with a sentence, or counts and an
 * id of 32 characters. */
#include "fleet/fleet.h"
#include "specs.h"
#include "why.h"

#include <string.h>

static void read_answer(const char *body, size_t bytes)
{
    const sotto__admin_answer answer = {"http://127.0.0.1:8788", body, bytes};
    char id[SOTTO__ID_CHARS + 1] = "";
    sotto__check_counts counts = {.folded = 77};
    const char *said = WHY(sotto__admin_read_counts, &answer, &counts);
    fuzz_require(said == NULL || (said[0] != '\0' && counts.folded == 77));
    said = WHY(sotto__admin_read_only, &answer, id);
    fuzz_require(said == NULL ? strlen(id) == SOTTO__ID_CHARS : said[0] != '\0');
}

static void read_place(const char *url)
{
    static const char any_id[] = "0123456789abcdef0123456789abcdef";
    char id[SOTTO__ID_CHARS + 1];
    sotto__url whole;
    (void)sotto__place_is_whole(url);
    if (WHY(sotto__place_join, "URL", url, any_id, &whole) != NULL) {
        fuzz_require(why_fault.sentence[0] != '\0');
        return;
    }
    sotto__place_id(&whole, id);
    fuzz_require(strcmp(id, any_id) == 0 && sotto__place_is_whole(whole.text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = calloc(1, size + 1);
    fuzz_require(text != NULL);
    memcpy(text, data, size);
    read_answer(text, size);
    read_place(text);
    free(text);
    return 0;
}
