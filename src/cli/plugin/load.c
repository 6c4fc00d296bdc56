/* Plug-ins: shared objects that users bring. */
#include "core/core.h"
#include "lab/plugin/plugin.h"
#include "plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool plugin_is_path(const char *word, size_t length)
{
    if (memchr(word, '/', length) != NULL) return true;
    return length > 3 && strncmp(word + length - 3, ".so", 3) == 0;
}

/* ---- a process of its own ----------------------------------------------------------------- */

/*
 * The child writes CAME_BACK and then the answer into a pipe, and exits. If it ends before that,
 * its wait status says why.
 */
static const uint64_t CAME_BACK = UINT64_C(0x536f74746f426163);

#define LOOK_MS 100 /* how often a child that writes nothing is checked */

typedef struct guarded {
    pid_t child;
    int answers; /* the read end of the pipe */
    bool ended;
    int end; /* the status from waitpid */
} guarded;

/* Reads `bytes` bytes. False if the child ended before it wrote them. The end of the pipe does not
 * show that, because processes started by the child may keep it open; hence waitpid. */
static bool receive_all(guarded *g, void *data, size_t bytes)
{
    char *at = data;
    struct pollfd pipe = {.fd = g->answers, .events = POLLIN};
    while (bytes > 0) {
        if (!g->ended) g->ended = waitpid(g->child, &g->end, WNOHANG) == g->child;
        int ready = poll(&pipe, 1, g->ended ? 0 : LOOK_MS);
        if (ready == 0 && g->ended) return false;
        if (ready <= 0) continue;
        ssize_t got = read(g->answers, at, bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        bytes -= (size_t)got;
    }
    return true;
}

static bool start(void (*work)(void *state), void *state, const void *answer, size_t answer_bytes,
                  guarded *g)
{
    int ends[2];
    if (pipe(ends) != 0) return false;
    fflush(NULL); /* or the child would print buffered output again */
    *g = (guarded){.child = fork(), .answers = ends[0]};
    if (g->child == 0) {
        close(ends[0]);
        sotto__child_begin();
        dup2(STDERR_FILENO, STDOUT_FILENO);
        pid_t self = getpid();
        work(state);
        fflush(NULL);
        if (getpid() != self) _exit(EXIT_FAILURE); /* a process that the plug-in forked */
        bool sent = sotto__child_send(ends[1], &CAME_BACK, sizeof CAME_BACK) &&
                    sotto__child_send(ends[1], answer, answer_bytes);
        _exit(sent ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    close(ends[1]);
    if (g->child < 0) close(ends[0]);
    return g->child > 0;
}

sotto_status plugin_guard(void (*work)(void *state), void *state, const char *what, void *answer,
                          size_t answer_bytes, sotto_fault *fault)
{
    guarded g;
    uint64_t tag = CAME_BACK;
    if (!start(work, state, answer, answer_bytes, &g)) {
        return sotto__refuse(fault, "%.300s: cannot start a process to try it in: %s", what,
                             strerror(errno));
    }
    bool whole = receive_all(&g, &tag, sizeof tag) && tag == CAME_BACK &&
                 receive_all(&g, answer, answer_bytes);
    close(g.answers);
    while (!g.ended && waitpid(g.child, &g.end, 0) < 0 && errno == EINTR) {
    }
    if (whole) return SOTTO_OK;
    if (tag != CAME_BACK) {
        return sotto__refuse(fault, "%.300s: wrote into a pipe that is not its own", what);
    }
    return sotto__child_fault(what, g.end, fault);
}

/* ---- the file ----------------------------------------------------------------------------- */

static sotto_status digest_file(const char *path, char version[PLUGIN_VERSION_BYTES],
                                sotto_fault *fault)
{
    uint8_t block[16384], hash[SOTTO__DIGEST_BYTES];
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
        return sotto__refuse(fault, "%.300s: this is not a regular file", path);
    }
    FILE *file = fopen(path, "rb");
    if (file == NULL) return sotto__refuse(fault, "%.300s: %s", path, strerror(errno));
    sotto__digest digest;
    sotto__digest_begin(&digest);
    size_t got;
    while ((got = fread(block, 1, sizeof block, file)) > 0) {
        sotto__digest_add(&digest, block, got);
    }
    bool whole = !ferror(file);
    fclose(file);
    if (!whole) return sotto__refuse(fault, "%.300s: cannot be read", path);
    sotto__digest_end(&digest, hash);
    int length = snprintf(version, PLUGIN_VERSION_BYTES, "sha256:");
    for (uint32_t i = 0; i < SOTTO__DIGEST_BYTES; i++) {
        snprintf(version + length + 2 * i, 3, "%02x", hash[i]);
    }
    return SOTTO_OK;
}

/* ---- its tables --------------------------------------------------------------------------- */

typedef struct load_request {
    const char *path;
    plugin_part part;
    void *library; /* from dlopen */
    plugin *out;
    sotto_fault *fault;
} load_request;

static sotto_status missing(const load_request *r, const char *what)
{
    return sotto__refuse(r->fault, "%.300s: contains no %s", r->path, what);
}

static sotto_status take_part(const load_request *r, const sotto_plugin *from)
{
    plugin *out = r->out;
    sotto_status status = SOTTO_E_FAULT;
    switch (r->part) {
    case PLUGIN_METHOD:
        if (from->player == NULL) return missing(r, "method");
        status = sotto__player_table_fault(from->player, r->fault);
        if (status == SOTTO_OK) out->player = *from->player;
        break;
    case PLUGIN_ENVIRONMENT:
        if (from->environment == NULL) return missing(r, "environment");
        status = sotto__environment_table_fault(from->environment, r->fault);
        if (status == SOTTO_OK) out->environment = *from->environment;
        break;
    case PLUGIN_MECHANISM:
        if (from->mechanism == NULL) return missing(r, "mechanism");
        status = sotto__mechanism_table_fault(from->mechanism, r->fault);
        if (status == SOTTO_OK) out->mechanism = *from->mechanism;
        break;
    }
    out->player.version = out->environment.version = out->mechanism.version = out->version;
    return status == SOTTO_OK ? status : sotto__fault_within(r->fault, "%.200s: ", r->path);
}

/* The text of dlerror() may begin with the path or not; the sentence has the path once. */
static sotto_status loader_fault(const load_request *r)
{
    const char *why = dlerror();
    if (why == NULL) why = "no reason was given";
    size_t length = strlen(r->path);
    bool named = strncmp(why, r->path, length) == 0 && strncmp(why + length, ": ", 2) == 0;
    return sotto__refuse(r->fault, "%.200s: cannot be loaded as a shared object: %.300s", r->path,
                         named ? why + length + 2 : why);
}

static sotto_status load(load_request *r)
{
    r->library = dlopen(r->path, RTLD_NOW | RTLD_LOCAL);
    if (r->library == NULL) return loader_fault(r);
    const sotto_plugin *(*get)(void);
    *(void **)&get = dlsym(r->library, SOTTO_PLUGIN_SYMBOL); /* the form that POSIX prescribes */
    if (get == NULL) {
        return sotto__refuse(r->fault,
                             "%.300s: has no function " SOTTO_PLUGIN_SYMBOL
                             ", so it is not a plug-in of Sotto",
                             r->path);
    }
    const sotto_plugin *from = get();
    if (from == NULL) {
        return sotto__refuse(r->fault, "%.300s: " SOTTO_PLUGIN_SYMBOL " returned NULL", r->path);
    }
    sotto_status status =
        sotto__table_abi_fault("plug-in", from->abi, from->struct_bytes, sizeof *from, r->fault);
    if (status == SOTTO_OK) return take_part(r, from);
    return sotto__fault_within(r->fault, "%.200s: ", r->path);
}

/* ---- loading ------------------------------------------------------------------------------ */

/* Runs in the subprocess: loads the file and closes it again, because its destructors may crash
 * too, and they run when a process ends. */
static void try_to_load(void *state)
{
    load_request *r = state;
    load(r);
    if (r->library != NULL) dlclose(r->library);
}

/* Loads the file into this process until it ends. What the file prints while loading goes to
 * stderr. */
static sotto_status load_to_stay(load_request *r)
{
    fflush(stdout);
    int out = dup(STDOUT_FILENO);
    if (out < 0) return load(r); /* there is no standard output */
    dup2(STDERR_FILENO, STDOUT_FILENO);
    sotto_status status = load(r);
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    close(out);
    return status;
}

sotto_status plugin_load(const char *path, size_t path_length, plugin_part part, plugin **out,
                         sotto_fault *fault)
{
    /* Without a slash the system would search other directories. */
    bool bare = memchr(path, '/', path_length) == NULL;
    size_t bytes = path_length + 3;
    char *place = malloc(bytes);
    load_request r = {
        .path = place, .part = part, .out = calloc(1, sizeof(plugin)), .fault = fault};
    sotto_status status = SOTTO_OK;
    *out = NULL;
    if (place == NULL || r.out == NULL) {
        status = sotto__fault_status(fault, SOTTO_E_MEMORY);
        goto cleanup;
    }
    snprintf(place, bytes, "%s%.*s", bare ? "./" : "", (int)path_length, path);
    status = digest_file(place, r.out->version, fault);
    if (status != SOTTO_OK) goto cleanup;
    status = plugin_guard(try_to_load, &r, place, NULL, 0, fault);
    if (status == SOTTO_OK) status = load_to_stay(&r);
    if (status != SOTTO_OK) goto cleanup;
    *out = r.out;
    r.out = NULL;
cleanup:
    free(r.out);
    free(place);
    return status;
}
