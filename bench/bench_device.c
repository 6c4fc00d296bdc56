/*
 * What a device costs.
 *
 *     bench_device DIRECTORY                    a round with its ledger, without a network; memory
 *     bench_device wire URL DIRECTORY [CA_FILE] rounds over HTTP; bench/device.py calls it and prints the table
 *
 * A round here is begin, hold_at, decide, finish, seal and acknowledge. Wall time is the best of
 * several stretches. fsync is counted and timed where the ledger calls it; some rows leave it out
 * for comparison.
 */
#include "check.h"
#include "timing.h"
#include "transport/transport.h"

#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STRETCHES 5
#define WIRE_NS 4e8
#define NEW_ROUNDS 32u /* a ledger counts as new for this many rounds */
#define DEVICES 1000u
#define CONTEXT_MAX 400u
#define PATH_BYTES 4096

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void require(bool done, const char *what)
{
    if (done) return;
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

/* ---- fsync, as the ledger calls it -------------------------------------------------------- */

static struct {
    bool left_out;
    uint64_t count;
    double ns;
} syncs;

int __real_fsync(int fd);
int __wrap_fsync(int fd);

int __wrap_fsync(int fd)
{
    if (syncs.left_out) return 0;
    double start = bench_wall_ns();
    int result = __real_fsync(fd);
    syncs.ns += bench_wall_ns() - start;
    syncs.count++;
    return result;
}

/* ---- rounds without a network ------------------------------------------------------------- */

typedef struct player {
    sotto_terms terms;
    sotto_model *model;
    sotto_ledger *ledger;
    sotto_client *client;
    sotto_round *round;
    uint8_t frame[256];
} player;

/* Where the ledger is, and after how many rounds: its age should not matter. */
typedef struct kind {
    const char *name;
    bool file, synced;
    uint32_t before, rounds;
} kind;

static const kind kinds[] = {
    {"in memory", false, false, 0, 20000},
    {"in a file, new, without fsync", true, false, 0, NEW_ROUNDS},
    {"in a file, after 200 rounds, no fsync", true, false, 200, NEW_ROUNDS},
    {"in a file, after 4,000 rounds, no fsync", true, false, 4000, NEW_ROUNDS},
    {"in a file, new", true, true, 0, NEW_ROUNDS},
};

/* Microseconds per round, except `fsyncs`, which is a count per round. */
typedef struct cost {
    double wall, cpu, fsyncs, fsync;
} cost;

static const double *context(void)
{
    static double x[CONTEXT_MAX];
    for (uint32_t i = 0; x[0] == 0 && i < CONTEXT_MAX; i++) {
        x[i] = 0.2 * cos(i * 0.7);
    }
    return x;
}

static sotto_terms terms_of(uint32_t dim, uint32_t arms)
{
    sotto_terms terms;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = dim;
    spec.arms = arms;
    spec.reward_window_s = spec.send_spread_s = 0;
    require(dim * arms <= CONTEXT_MAX, "context too long");
    bench_check(sotto_spec_resolve(&spec, &terms));
    return terms;
}

static sotto_policy endless(void)
{
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_lifetime = INFINITY;
    return policy;
}

static sotto_ledger *open_ledger(const char *directory, uint32_t number)
{
    char path[PATH_BYTES];
    sotto_ledger *ledger;
    if (directory == NULL) {
        bench_check(sotto_ledger_memory_new(&ledger));
        return ledger;
    }
    snprintf(path, sizeof path, "%s/bench-%d-%u.ledger", directory, (int)getpid(), number);
    bench_check(sotto_ledger_file_create(path));
    bench_check(sotto_ledger_file_open(path, &ledger));
    return ledger;
}

static void close_ledger(sotto_ledger *ledger, const char *directory, uint32_t number)
{
    char path[PATH_BYTES];
    sotto_ledger_free(ledger);
    if (directory == NULL) return;
    snprintf(path, sizeof path, "%s/bench-%d-%u.ledger", directory, (int)getpid(), number);
    unlink(path);
}

static void play(player *p)
{
    uint64_t send_at_ms;
    uint32_t arm, count = p->terms.spec.arms * p->terms.spec.dim;
    bench_check(sotto_round_begin(p->round, p->model));
    bench_check(sotto_round_hold_at(p->round, 1, &send_at_ms));
    bench_check(sotto_round_decide(p->round, context(), count, &arm));
    bench_check(sotto_round_finish(p->round, 0.3, p->frame, sizeof p->frame));
    bench_check(sotto_round_seal(p->round, p->frame, sizeof p->frame));
    bench_check(sotto_round_acknowledge(p->round));
}

static cost stretch_of(player *p, uint32_t rounds)
{
    double start = bench_wall_ns(), cpu = cpu_ns(), fsyncs = (double)syncs.count, fsync = syncs.ns;
    for (uint32_t i = 0; i < rounds; i++) {
        play(p);
    }
    double each = 1e3 * rounds;
    return (cost){(bench_wall_ns() - start) / each, (cpu_ns() - cpu) / each,
                  ((double)syncs.count - fsyncs) / rounds, (syncs.ns - fsync) / each};
}

/* The cost of a round of a person whose ledger has `before` rounds. */
static cost cost_once(const kind *k, const sotto_terms *terms, const char *directory)
{
    player p = {.terms = *terms};
    sotto_policy policy = endless();
    if (!k->file) directory = NULL;
    syncs.left_out = true;
    p.ledger = open_ledger(directory, 0);
    bench_check(sotto_model_new(&p.terms, &p.model));
    bench_check(sotto_client_new(&policy, p.ledger, &p.client));
    bench_check(sotto_round_new(p.client, &p.terms, &p.round));
    stretch_of(&p, k->before);
    syncs.left_out = !k->synced;
    cost found = stretch_of(&p, k->rounds);
    sotto_round_free(p.round);
    sotto_client_free(p.client);
    sotto_model_free(p.model);
    close_ledger(p.ledger, directory, 0);
    return found;
}

static cost cost_of(const kind *k, uint32_t dim, uint32_t arms, const char *directory)
{
    cost best = {INFINITY, INFINITY, 0, 0};
    sotto_terms terms = terms_of(dim, arms);
    for (int i = 0; i < STRETCHES; i++) {
        cost now = cost_once(k, &terms, directory);
        double cpu = fmin(now.cpu, best.cpu);
        if (now.wall < best.wall) best = now;
        best.cpu = cpu;
    }
    return best;
}

/* The time of one fsync after writing one block. */
static double fsync_us(const char *directory)
{
    static const uint8_t block[4096];
    char path[PATH_BYTES];
    double sum = 0;
    snprintf(path, sizeof path, "%s/bench-%d.fsync", directory, (int)getpid());
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    require(fd >= 0, "no file can be made in DIRECTORY");
    for (int i = 0; i < 100; i++) {
        require(pwrite(fd, block, sizeof block, 0) == sizeof block, "pwrite");
        double start = bench_wall_ns();
        require(__real_fsync(fd) == 0, "fsync");
        sum += (bench_wall_ns() - start) / 1e3;
    }
    close(fd);
    unlink(path);
    return sum / 100;
}

static void print_rounds(const char *directory)
{
    static const uint32_t size[2][2] = {{2, 10}, {20, 20}};
    printf("a round without a network; one fsync of 4 KiB: %.0f us, the mean of 100\n\n",
           fsync_us(directory));
    printf("%-40s %4s %5s %9s %9s %7s %9s %7s\n", "ledger", "dim", "arms", "us", "CPU us", "fsyncs",
           "fsync us", "ratio");
    for (int i = 0; i < 2; i++) {
        double memory = 0, young = 0, old = 0;
        for (size_t j = 0; j < sizeof kinds / sizeof kinds[0]; j++) {
            cost found = cost_of(&kinds[j], size[i][0], size[i][1], directory);
            if (!kinds[j].file) memory = found.wall;
            if (kinds[j].before == 200) young = found.cpu;
            if (kinds[j].before == 4000) old = found.cpu;
            printf("%-40s %4u %5u %9.1f %9.1f %7.0f %9.1f %7.1f\n", kinds[j].name, size[i][0],
                   size[i][1], found.wall, found.cpu, found.fsyncs, found.fsync,
                   found.wall / memory);
        }
        printf("a round after 4,000 takes %.2f times the processor of one after 200\n",
               old / young);
    }
}

/* ---- memory ------------------------------------------------------------------------------- */

static double allocated(void)
{
    struct mallinfo2 info = mallinfo2();
    return (double)(info.uordblks + info.hblkhd);
}

static double resident(void)
{
    unsigned long all = 0, here = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    require(file != NULL && fscanf(file, "%lu %lu", &all, &here) == 2, "/proc/self/statm");
    fclose(file);
    return (double)here * (double)sysconf(_SC_PAGESIZE);
}

/* A site with terms and model that were not fetched from a server. */
static sotto_site *site_without_server(sotto_wire *wire, uint32_t dim, uint32_t arms)
{
    sotto_site *site;
    sotto_site_options options = sotto_site_options_default();
    options.url = "http://127.0.0.1:9/v1/experiments/00000000000000000000000000000000";
    bench_check(sotto_site_new(wire, &options, &site));
    site->terms = terms_of(dim, arms);
    bench_check(sotto_model_new(&site->terms, &site->model));
    bench_check(sotto_model_new(&site->terms, &site->spare));
    site->frame_bytes = sotto_report_bytes(&site->terms);
    site->has_terms = site->has_model = true;
    site->state = SOTTO_SITE_READY;
    return site;
}

static void begin_round(sotto_device *device, const sotto_spec *spec, uint64_t *round)
{
    uint32_t arm;
    bench_check(sotto_device_begin(device, round));
    bench_check(sotto_device_decide(device, *round, context(), spec->arms * spec->dim, &arm));
}

static void print_memory_of(const char *name, uint32_t dim, uint32_t arms, uint32_t count,
                            const char *directory)
{
    sotto_wire *wire;
    sotto_device_options options = sotto_device_options_default();
    sotto_wire_options wire_options = sotto_wire_options_default();
    sotto_device **device = malloc(count * sizeof(sotto_device *));
    uint64_t round;
    require(device != NULL, "memory");
    terms_of(dim, arms);
    double start = allocated();
    bench_check(sotto_wire_new(&wire_options, &wire));
    sotto_site *site = site_without_server(wire, dim, arms);
    double shared = allocated(), pages = resident();
    syncs.left_out = true;
    for (uint32_t i = 0; i < count; i++) {
        options.ledger = open_ledger(directory, i);
        bench_check(sotto_device_new(site, &options, &device[i]));
    }
    double idle = allocated(), idle_pages = resident();
    for (uint32_t i = 0; i < count; i++) {
        begin_round(device[i], &site->terms.spec, &round);
    }
    double playing = allocated(), playing_pages = resident();
    printf("%-16s %4u %5u %7u %9.0f %9.0f %9.0f %9.0f %11.0f\n", name, dim, arms, count,
           (idle - shared) / count, (idle_pages - pages) / count, (playing - shared) / count,
           (playing_pages - pages) / count, shared - start);
    for (uint32_t i = 0; i < count; i++) {
        sotto_ledger *ledger = device[i]->options.ledger;
        sotto_device_free(device[i]);
        close_ledger(ledger, directory, i);
    }
    sotto_site_free(site);
    sotto_wire_free(wire);
    free(device);
}

/* Measured in a new process, which has no freed memory to reuse. */
static void print_memory_row(const char *name, uint32_t dim, uint32_t arms, uint32_t count,
                             const char *directory)
{
    int status;
    fflush(stdout);
    pid_t child = fork();
    require(child >= 0, "fork");
    if (child == 0) {
        print_memory_of(name, dim, arms, count, directory);
        exit(0);
    }
    require(waitpid(child, &status, 0) == child && status == 0, "a row of memory failed");
}

static void print_memory(const char *directory)
{
    printf("\nbytes per device; RSS: pages that the system gave for them, by their count\n\n");
    printf("%-16s %4s %5s %7s %9s %9s %9s %9s %11s\n", "ledger", "dim", "arms", "devices", "idle",
           "RSS", "in round", "RSS", "wire, site");
    print_memory_row("in memory", 2, 10, 10000, NULL);
    print_memory_row("in memory", 20, 20, 10000, NULL);
    print_memory_row("in a file", 2, 10, 200, directory);
    print_memory_row("in a file", 20, 20, 200, directory);
}

/* ---- rounds over HTTP --------------------------------------------------------------------- */

typedef struct crowd {
    sotto_wire *wire;
    sotto_site *site;
    sotto_device *device[DEVICES];
    sotto_ledger *ledger[DEVICES];
    uint32_t idle[DEVICES]; /* devices whose report was acknowledged */
    uint32_t count, idle_count;
    const char *directory;
} crowd;

typedef struct member {
    crowd *all;
    uint32_t number;
} member;

static void hear(void *state, const sotto_device_event *event)
{
    member *self = state;
    if (event->kind == SOTTO_DEVICE_PUT_OFF || event->kind == SOTTO_DEVICE_DROPPED) {
        fprintf(stderr, "bench: %s\n", event->why);
        exit(1);
    }
    if (event->kind == SOTTO_DEVICE_ACKNOWLEDGED)
        self->all->idle[self->all->idle_count++] = self->number;
}

static void join(crowd *all, const char *url, const char *ca_file, uint32_t requests,
                 uint32_t batch)
{
    sotto_wire_options options = sotto_wire_options_default();
    sotto_site_options at = sotto_site_options_default();
    options.ca_file = ca_file;
    options.requests_max = requests;
    options.batch_max = batch;
    options.keep_connections = true; /* handshakes are measured separately */
    at.url = url;
    bench_check(sotto_wire_new(&options, &all->wire));
    bench_check(sotto_site_new(all->wire, &at, &all->site));
    while (sotto_site_state_of(all->site) == SOTTO_SITE_ASKING) {
        bench_check(sotto_wire_turn(all->wire, 1000));
        sotto_fault fault;
        require(sotto_site_fault(all->site, &fault) == SOTTO_OK, fault.sentence);
    }
}

static void add_devices(crowd *all, member *members, uint32_t count, const char *directory)
{
    sotto_device_options options = sotto_device_options_default();
    options.policy = endless();
    options.event = hear;
    all->directory = directory;
    all->count = count;
    for (uint32_t i = 0; i < count; i++) {
        members[i] = (member){all, i};
        options.state = &members[i];
        options.ledger = all->ledger[i] = open_ledger(directory, i);
        bench_check(sotto_device_new(all->site, &options, &all->device[i]));
        all->idle[all->idle_count++] = i;
    }
}

static void leave(crowd *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        sotto_device_free(all->device[i]);
        close_ledger(all->ledger[i], all->directory, i);
    }
    sotto_site_free(all->site);
    sotto_wire_free(all->wire);
}

static void play_all(crowd *all)
{
    const sotto_spec *spec = &sotto_site_terms(all->site)->spec;
    while (all->idle_count > 0) {
        sotto_device *device = all->device[all->idle[--all->idle_count]];
        uint64_t round;
        begin_round(device, spec, &round);
        bench_check(sotto_device_finish(device, round, 0.3));
    }
}

static void print_wire_row(const char *name, double start, double cpu, uint64_t rounds)
{
    double each = 1e3 * (double)rounds;
    printf("%s %.2f %.2f\n", name, (bench_wall_ns() - start) / each, (cpu_ns() - cpu) / each);
    fflush(stdout);
}

/* Plays until `most` rounds are acknowledged or the time is end_ns. Returns how many are
 * acknowledged. */
static uint64_t play_on(crowd *all, uint64_t most, double end_ns)
{
    uint64_t rounds = 0;
    while (rounds < most && bench_wall_ns() < end_ns) {
        play_all(all);
        bench_check(sotto_wire_turn(all->wire, 1000));
        rounds += all->idle_count;
    }
    return rounds;
}

/* `count` devices. Each begins its next round when its report is acknowledged. The first rounds,
 * which open the connections, are not counted. */
static void wire_row(const char *name, const char *const *argv, const char *directory,
                     uint32_t count, uint32_t batch)
{
    static crowd all;
    static member members[DEVICES];
    memset(&all, 0, sizeof all);
    join(&all, argv[0], argv[2], count == 1 ? 1 : 32, batch);
    add_devices(&all, members, count, directory);
    play_on(&all, count, INFINITY);
    double start = bench_wall_ns(), cpu = cpu_ns();
    uint64_t rounds = play_on(&all, directory != NULL ? NEW_ROUNDS : UINT64_MAX, start + WIRE_NS);
    print_wire_row(name, start, cpu, rounds);
    leave(&all);
}

/* The cost of starting a device: a connection, terms, model, one round, one report. */
static void start_row(const char *name, const char *const *argv)
{
    static crowd all;
    member one;
    uint64_t rounds = 0;
    double start = bench_wall_ns(), cpu = cpu_ns();
    while (bench_wall_ns() < start + WIRE_NS) {
        memset(&all, 0, sizeof all);
        join(&all, argv[0], argv[2], 1, 1);
        add_devices(&all, &one, 1, NULL);
        play_all(&all);
        while (all.idle_count == 0) {
            bench_check(sotto_wire_turn(all.wire, 1000));
        }
        leave(&all);
        rounds++;
    }
    print_wire_row(name, start, cpu, rounds);
}

/* argv: URL DIRECTORY, and CA_FILE or NULL. */
static void print_wire(const char *const *argv)
{
    wire_row("one device, ledger in memory", argv, NULL, 1, 1);
    wire_row("one device, ledger in a file", argv, argv[1], 1, 1);
    start_row("one device that starts: terms, model, report", argv);
    wire_row("1000 devices, 32 requests at once", argv, NULL, DEVICES, 1);
    wire_row("1000 devices, 100 reports per request", argv, NULL, DEVICES, 100);
}

int main(int argc, char **argv)
{
    bool wire = argc > 1 && strcmp(argv[1], "wire") == 0;
    if (wire ? argc < 4 || argc > 5 : argc != 2) {
        fprintf(
            stderr,
            "usage: bench_device DIRECTORY\n       bench_device wire URL DIRECTORY [CA_FILE]\n");
        return 2;
    }
    if (wire) {
        print_wire((const char *const[]){argv[2], argv[3], argc == 5 ? argv[4] : NULL});
        return 0;
    }
    print_rounds(argv[1]);
    print_memory(argv[1]);
    return 0;
}
