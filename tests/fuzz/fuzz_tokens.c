/* Whatever the file of hashes of tokens has, and whatever a request shows: the service does not start, with a
 * sentence; or nobody gets in without a token whose hash is in the file. */
#include "core/core.h"
#include "service/api/api.h"
#include "specs.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static char directory[64];

static void write_file(const uint8_t *data, size_t size)
{
    char path[100];
    if (directory[0] == '\0') {
        snprintf(directory, sizeof directory, "fuzz_tokens_XXXXXX");
        fuzz_require(mkdtemp(directory) != NULL);
    }
    snprintf(path, sizeof path, "%s/token-hashes", directory);
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    fuzz_require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    close(fd);
}

/* The hash of the token of `text`, as the file has it. */
static void hash_of(const char *token, char out[2 * SOTTO__DIGEST_BYTES + 1])
{
    uint8_t hash[SOTTO__DIGEST_BYTES];
    sotto__digest digest;
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, token, strlen(token));
    sotto__digest_end(&digest, hash);
    for (size_t i = 0; i < sizeof hash; i++) {
        snprintf(out + 2 * i, 3, "%02x", hash[i]);
    }
}

static void show(const sottod_auth *auth, const char *authorization, const char *file)
{
    char hash[2 * SOTTO__DIGEST_BYTES + 1];
    auth_caller who = auth_who(auth, authorization, 20270131);
    fuzz_require(who.name != NULL || who.role == AUTH_NOBODY);
    if (who.name == NULL) return;
    fuzz_require(who.expired == (who.role == AUTH_NOBODY));
    const char *blank = strrchr(authorization, ' ');
    fuzz_require(blank != NULL);
    hash_of(blank + 1, hash);
    fuzz_require(strstr(file, hash) != NULL);
}

/* The file, a zero, and what is shown. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char token[] =
        "Bearer 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    char *text = calloc(1, size + 2);
    sotto_fault fault = {.sentence = ""};
    sottod_auth *auth;
    fuzz_require(text != NULL);
    memcpy(text, data, size);
    size_t file_bytes = strlen(text);
    write_file(data, file_bytes);
    if (auth_open(directory, 20270131, &auth, &fault) != SOTTO_OK) {
        fuzz_require(fault.sentence[0] != '\0' && fault.value[0] == '\0');
    } else {
        fuzz_require(!auth_is_new(auth));
        fuzz_require(auth_who(auth, NULL, 20270131).role == AUTH_NOBODY);
        fuzz_require(auth_reload(auth, 20270131, NULL) == SOTTO_OK);
        show(auth, token, text);
        show(auth, text + file_bytes + (file_bytes < size), text);
        auth_free(auth);
    }
    free(text);
    return 0;
}
