/* Whatever the bytes of an exported experiment: refused with a sentence, and the journal is empty; or a
 * service can start from what was imported, and its export can be imported again. */
#include "core/bytes.h"
#include "core/digest.h"
#include "journal_memory.h"
#include "service/archive/archive.h"
#include "service/experiment/experiment.h"
#include "specs.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define END_BYTES (12u + SOTTO__DIGEST_BYTES)

/* Makes the end right, so that the fuzzer gets past it. */
static void sign(uint8_t *bytes, size_t count)
{
    if (count < 8 + END_BYTES) return;
    uint8_t *end = bytes + count - END_BYTES;
    sotto__digest digest;
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, bytes, count - END_BYTES);
    sotto__put_u32(end, ARCHIVE_END);
    sotto__put_u64(end + 4, SOTTO__DIGEST_BYTES);
    sotto__digest_end(&digest, end + 12);
}

static bool count_one(void *self, const journal_experiment *experiment)
{
    (void)experiment;
    ++*(uint32_t *)self;
    return true;
}

static bool import(uint8_t *bytes, size_t count, sottod_journal *journal,
                   uint8_t id[SOTTO_SPEC_ID_BYTES])
{
    char fault[JOURNAL_FAULT_BYTES] = "";
    uint32_t experiments = 0;
    FILE *file = fmemopen(bytes, count, "rb");
    fuzz_require(file != NULL);
    bool taken = archive_read(file, journal, id, fault);
    fclose(file);
    fuzz_require(journal_read_experiments(journal, count_one, &experiments));
    fuzz_require(experiments == taken);
    fuzz_require(taken || (fault[0] != '\0' && strlen(fault) < JOURNAL_FAULT_BYTES));
    return taken;
}

static void start_service(sottod_journal *journal)
{
    char fault[JOURNAL_FAULT_BYTES] = "";
    const experiments_settings settings = {.nonces_max = 1000, .experiments_max = 10, .threads = 1};
    sottod_experiments *all = NULL;
    if (!experiments_open(journal, &settings, NULL, 0, &all, fault)) {
        fprintf(stderr, "%s\n", fault);
        abort();
    }
    fuzz_require(experiments_count(all) == 1);
    experiments_free(all);
}

static void import_again(sottod_journal *journal, uint8_t id[SOTTO_SPEC_ID_BYTES])
{
    char fault[JOURNAL_FAULT_BYTES] = "", *bytes = NULL;
    size_t count = 0;
    FILE *file = open_memstream(&bytes, &count);
    fuzz_require(file != NULL);
    fuzz_require(archive_write(journal, id, true, file, fault));
    fclose(file);
    sottod_journal *other = journal_memory_new();
    uint8_t other_id[SOTTO_SPEC_ID_BYTES];
    fuzz_require(import((uint8_t *)bytes, count, other, other_id));
    fuzz_require(memcmp(id, other_id, sizeof other_id) == 0);
    journal_memory_free(other);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t id[SOTTO_SPEC_ID_BYTES], *bytes = malloc(size + 1);
    if (size == 0 || bytes == NULL) {
        free(bytes);
        return 0;
    }
    memcpy(bytes, data, size);
    if (size % 16 != 0) sign(bytes, size);
    sottod_journal *journal = journal_memory_new();
    if (import(bytes, size, journal, id)) {
        start_service(journal);
        import_again(journal, id);
    }
    journal_memory_free(journal);
    free(bytes);
    return 0;
}
