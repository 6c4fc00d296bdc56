#include "report_key.h"

#include "core/digest.h"

#include <assert.h>
#include <string.h>

static_assert(JOURNAL_DIGEST_BYTES == SOTTO__DIGEST_BYTES, "both are SHA-256");

static bool is_key(const char *text, size_t bytes)
{
    if (bytes < REPORT_KEY_BYTES_MIN || bytes > REPORT_KEY_BYTES_MAX) return false;
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] < '!' || text[i] > '~') return false;
    }
    return true;
}

bool report_key_read(const char *text, size_t bytes, uint8_t digest[JOURNAL_DIGEST_BYTES])
{
    if (!is_key(text, bytes)) return false;
    sotto__digest hash;
    sotto__digest_begin(&hash);
    sotto__digest_add(&hash, text, bytes);
    sotto__digest_end(&hash, digest);
    return true;
}

bool report_key_admits(const sottod_experiment *experiment, const char *shown, sottod_refusal *why)
{
    const uint8_t *wanted = experiment_report_key(experiment);
    if (wanted == NULL) return true;
    uint8_t digest[JOURNAL_DIGEST_BYTES], differ = 0;
    bool read = shown != NULL && report_key_read(shown, strlen(shown), digest);
    for (size_t i = 0; read && i < sizeof digest; i++) {
        differ |= (uint8_t)(digest[i] ^ wanted[i]);
    }
    if (read && differ == 0) return true;
    refusal_set(why, 403,
                shown == NULL ? "The experiment wants a key with reports."
                              : "This is not the key of the experiment.",
                REPORT_KEY_HEADER, NULL, "the key that the owner of the experiment gives out");
    return false;
}
