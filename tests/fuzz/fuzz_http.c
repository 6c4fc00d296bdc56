/*
 * Whatever comes on a connection of either port: the service lives on, each answer is one, and nothing of the
 * request is left when the connection is. The whole way is taken: libmicrohttpd, the head, the route, Host, the
 * token, the bodies of reports and of new experiments. Only the journal is in memory.
 *
 * The first byte chooses the port, and where the bytes are parted. In the rest, TTTT stands for the admin's token,
 * IIII for the id of an experiment, KKKK for the id of one with a report key, and SSSS for the bytes of the latter id:
 * without the key nothing counts there.
 */
#include "journal_memory.h"
#include "service/api/api.h"
#include "service/api/inner.h"
#include "specs.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BYTES_MAX 131072u
#define RUNS_MAX 400u
#define STILL_MAX 3u /* runs in which nothing happens */
#define WORD 4u
#define KEY "0123456789abcdef"

static struct {
    bool ready;
    api_service service;
    api_public *people;
    api_admin *admin;
    sottod_front *front[2];
    char token[80];
    const char *id;
    sottod_experiment *keyed; /* its report key is KEY */
} house;

static sottod_experiment *make_experiment(uint32_t arms, bool keyed)
{
    experiment_request request = {.spec = sotto_spec_default(SOTTO_REWARD_BINARY),
                                  .epoch_seconds_min = 3600,
                                  .epoch_reports_min = 20,
                                  .labels = "{}"};
    request.spec.dim = 2;
    request.spec.arms = arms;
    request.spec.epoch_lag_max = 2;
    sotto_terms terms;
    sottod_experiment *made = NULL;
    sottod_refusal why;
    fuzz_require(sotto_spec_resolve(&request.spec, &terms) == SOTTO_OK);
    request.learning = sotto_learning_default(&terms, 0);
    request.access.keys = keyed && report_key_read(KEY, strlen(KEY), request.access.key[0]);
    request.access.origins = keyed ? "https://a.example" : "*";
    fuzz_require(experiments_create(house.service.experiments, &request, 0, &made, &why));
    fuzz_require((experiment_access_of(made).keys > 0) == keyed);
    return made;
}

static sottod_front *open_front(front_door door)
{
    const front_settings settings = {.address = "127.0.0.1",
                                     .connections_max = 1000,
                                     .idle_s_max = 1,
                                     .head_s_max = 1,
                                     .rate_min = 1000,
                                     .bodies_bytes_max = 4u << 20,
                                     .addresses = FRONT_ADDRESSES_ALL,
                                     .address_connections_max = 1000,
                                     .address_requests_max = 1000000,
                                     .address_bytes_max = UINT64_C(1) << 40};
    sottod_front *front;
    fuzz_require(front_open(&settings, &door, &front, NULL) == SOTTO_OK);
    return front;
}

static void open_house(void)
{
    static char directory[] = "fuzz_http_XXXXXX";
    sotto_fault fault;
    const experiments_settings settings = {.nonces_max = 1000, .experiments_max = 20};
    fuzz_require(mkdtemp(directory) != NULL);
    house.service = (api_service){
        .journal = journal_memory_new(), .admin_address = "127.0.0.1", .data = directory};
    fuzz_require(experiments_open(house.service.journal, &settings, NULL, 0,
                                  &house.service.experiments, &fault) == SOTTO_OK);
    house.service.intake = intake_new(house.service.experiments, 4u << 20);
    fuzz_require(house.service.intake != NULL);
    house.id = experiment_id_text(make_experiment(2, false));
    house.keyed = make_experiment(3, true);
    house.people = api_public_new(&house.service);
    fuzz_require(house.people != NULL);
    fuzz_require(api_admin_new(&house.service, &house.admin, NULL) == SOTTO_OK);
    FILE *file = fopen(api_admin_token_file(house.admin), "r");
    fuzz_require(file != NULL && fgets(house.token, sizeof house.token, file) != NULL);
    fclose(file);
    house.token[strcspn(house.token, "\n")] = '\0';
    static const char *const files[] = {"admin.token", "reader.token", "token-hashes"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) { /* it needs them no more */
        char path[100];
        snprintf(path, sizeof path, "%s/%s", directory, files[i]);
        unlink(path);
    }
    rmdir(directory);
    house.front[0] = open_front(api_public_door(house.people));
    house.front[1] = open_front(api_admin_door(house.admin));
    house.service.public_front = house.front[0];
    house.service.admin_front = house.front[1];
    house.ready = true;
}

/* With the words replaced. */
static size_t expand(const uint8_t *data, size_t size, char out[BYTES_MAX])
{
    const struct {
        const char *word;
        const void *bytes;
        size_t count;
    } meaning[] = {
        {"TTTT", house.token, strlen(house.token)},
        {"IIII", house.id, strlen(house.id)},
        {"KKKK", experiment_id_text(house.keyed), strlen(house.id)},
        {"SSSS", experiment_id(house.keyed), SOTTO_SPEC_ID_BYTES},
    };
    size_t bytes = 0;
    for (size_t i = 0; i < size;) {
        const void *from = data + i;
        size_t count = 1, taken = 1;
        for (size_t w = 0; w < sizeof meaning / sizeof meaning[0] && size - i >= WORD; w++) {
            if (memcmp(data + i, meaning[w].word, WORD) != 0) continue;
            from = meaning[w].bytes;
            count = meaning[w].count;
            taken = WORD;
        }
        if (bytes + count > BYTES_MAX) return bytes;
        memcpy(out + bytes, from, count);
        bytes += count;
        i += taken;
    }
    return bytes;
}

static bool has_key(const char *text, size_t bytes)
{
    for (size_t i = 0; i + strlen(KEY) <= bytes; i++) {
        if (memcmp(text + i, KEY, strlen(KEY)) == 0) return true;
    }
    return false;
}

static uint64_t keyed_count(void)
{
    journal_counts counts = experiment_counts(house.keyed);
    return counts.folded + counts.late + counts.duplicate + counts.conflicting;
}

/* From one of many addresses, and cut at the end: so ports do not run out. */
static int call(const sottod_front *front)
{
    static uint32_t number;
    const struct linger cut = {.l_onoff = 1};
    struct sockaddr_in own = {.sin_family = AF_INET,
                              .sin_addr.s_addr = htonl(0x7f020000u + number++ % 60000u + 1u)};
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(front_port(front)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int line = socket(AF_INET, SOCK_STREAM, 0), room = 2 * BYTES_MAX;
    fuzz_require(line >= 0);
    /* All of a request can be sent before anybody reads. */
    fuzz_require(setsockopt(line, SOL_SOCKET, SO_SNDBUF, &room, sizeof room) == 0);
    fuzz_require(setsockopt(line, SOL_SOCKET, SO_LINGER, &cut, sizeof cut) == 0);
    fuzz_require(bind(line, (struct sockaddr *)&own, sizeof own) == 0);
    fuzz_require(connect(line, (struct sockaddr *)&to, sizeof to) == 0);
    return line;
}

static bool turn(sottod_front *front)
{
    sottod_refusal why;
    bool moved = front_run(front);
    if (intake_waiting(house.service.intake) == 0) return moved;
    bool durable = intake_commit(house.service.intake, &why);
    front_answer answer = api_public_settled(house.people, durable ? NULL : &why);
    front_settle(house.front[0], &answer);
    return true;
}

/* Until nothing comes any more, or the connection is closed. */
static void hear(sottod_front *front, int line)
{
    static char text[1u << 20];
    size_t bytes = 0;
    for (uint32_t run = 0, still = 0; run < RUNS_MAX && still < STILL_MAX; run++) {
        bool moved = turn(front);
        ssize_t got = recv(line, text + bytes, sizeof text - bytes, MSG_DONTWAIT);
        still = moved || got > 0 ? 0 : still + 1;
        if (got == 0 || (got < 0 && errno != EAGAIN)) break;
        if (got > 0) bytes += (size_t)got;
    }
    fuzz_require(bytes < 9 || memcmp(text, "HTTP/1.1 ", 9) == 0 ||
                 memcmp(text, "HTTP/1.0 ", 9) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[BYTES_MAX];
    if (size < 2) return 0;
    if (!house.ready) open_house();
    sottod_front *front = house.front[data[0] & 1];
    size_t bytes = expand(data + 1, size - 1, text), first = bytes * (data[0] >> 1) / 127u;
    uint64_t before = keyed_count();
    int line = call(front);
    fuzz_require(first == 0 || send(line, text, first, MSG_NOSIGNAL) == (ssize_t)first);
    turn(front);
    if (bytes > first) (void)send(line, text + first, bytes - first, MSG_NOSIGNAL);
    hear(front, line);
    close(line);
    for (uint32_t run = 0; run < RUNS_MAX && front_count(front).connections > 0; run++) {
        turn(front);
    }
    if (front_count(front).connections == 0) fuzz_require(front_begun(front) == 0);
    fuzz_require(front_count(front).connections < 500);
    fuzz_require(keyed_count() <= before || has_key(text, bytes)); /* none: it was deleted */
    return 0;
}
