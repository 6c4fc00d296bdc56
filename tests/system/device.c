/*
 * A device that a test steers: it reads a command per line from the standard input and answers with one
 * line, `ok ...` or `failed STATUS SENTENCE`. Lines `event KIND ROUND FRAME WHY` may come before it; a frame
 * is in hexadecimal digits, or `-`. Options are words NAME=VALUE.
 *
 *     wire [proxy= ca= timeout= requests= batch=]
 *     site url= [relay= refresh=]
 *     ledger memory | create PATH | open PATH
 *     device [epsilon= lifetime= measure= delta= rounds= queue= age=]
 *     begin                   -> ok ROUND NANOSECONDS of the steady clock
 *     decide ROUND NUMBER     -> ok ARM; the context is made from the number. ROUND may be `last`
 *     finish ROUND REWARD     REWARD may be nan
 *     play COUNT REWARD       begins, decides and finishes so many rounds -> ok ROUND@NANOSECONDS ...;
 *                             REWARD -: no finish
 *     turn MS                 one turn
 *     run MS                  turns for so long
 *     until WHAT COUNT MS     turns until a count is reached or the time is over -> ok VALUE; WHAT is a name
 *                             of `counts`, `state`, or `told`: 1 once the site has a fault or is ready
 *     due, counts, waiting, state, epoch, memory (KiB, the most there was), ledger_counts
 *     fault site|device|ledger -> ok SENTENCE, or ok -
 *     free device|ledger|site|wire
 */
#include <sotto/transport.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LINE_BYTES 4096
#define WORDS_MAX 16
#define NUMBERS_MAX 4096
#define LOOK_MS 10 /* how often a condition is checked */

typedef struct desk {
    sotto_wire *wire;
    sotto_site *site;
    sotto_ledger *ledger;
    sotto_device *device;
    uint64_t last; /* round that was begun */
    char *word[WORDS_MAX];
    int words;
} desk;

typedef struct command {
    const char *name;
    int words_min;
    void (*run)(desk *at);
} command;

/* ---- answers ------------------------------------------------------------------------------ */

__attribute__((format(printf, 1, 2))) static void answer(const char *form, ...)
{
    va_list rest;
    va_start(rest, form);
    vprintf(form, rest);
    va_end(rest);
    putchar('\n');
}

static const char *status_name(sotto_status status)
{
    static const char *const name[] = {
#define NAME(status, sentence) #status,
        SOTTO_STATUS_MAP(NAME)
#undef NAME
    };
    return (size_t)status < sizeof name / sizeof *name ? name[status] : "E_UNKNOWN";
}

static void answer_status(sotto_status status, const sotto_fault *fault)
{
    if (status == SOTTO_OK) {
        answer("ok");
    } else {
        answer("failed %s %s", status_name(status), fault == NULL ? "-" : fault->sentence);
    }
}

/* Answers with the device's status and sentence. */
static void answer_for(const desk *at, sotto_status status)
{
    sotto_fault fault;
    bool told = sotto_device_fault(at->device, &fault) != SOTTO_OK;
    answer_status(status, told ? &fault : NULL);
}

static void on_event(void *state, const sotto_device_event *event)
{
    static const char *const kind[] = {[SOTTO_DEVICE_SENT] = "sent",
                                       [SOTTO_DEVICE_ACKNOWLEDGED] = "acknowledged",
                                       [SOTTO_DEVICE_PUT_OFF] = "put_off",
                                       [SOTTO_DEVICE_DROPPED] = "dropped"};
    (void)state;
    printf("event %s %llu ", kind[event->kind], (unsigned long long)event->round);
    for (size_t i = 0; event->frame != NULL && i < event->frame_bytes; i++) {
        printf("%02x", event->frame[i]);
    }
    printf("%s %s\n", event->frame == NULL ? "-" : "", event->why == NULL ? "-" : event->why);
    fflush(stdout); /* what was sent is known even if this process is killed */
}

/* ---- words -------------------------------------------------------------------------------- */

/* The last value of NAME=VALUE; NULL if there is none. */
static const char *option(const desk *at, const char *name)
{
    size_t length = strlen(name);
    for (int i = at->words - 1; i > 0; i--) {
        if (strncmp(at->word[i], name, length) == 0 && at->word[i][length] == '=')
            return at->word[i] + length + 1;
    }
    return NULL;
}

static void option_u32(const desk *at, const char *name, uint32_t *out)
{
    const char *value = option(at, name);
    if (value != NULL) *out = (uint32_t)strtoul(value, NULL, 10);
}

static void option_real(const desk *at, const char *name, double *out)
{
    const char *value = option(at, name);
    if (value != NULL) *out = strtod(value, NULL);
}

static uint64_t number(const desk *at, int word)
{
    if (strcmp(at->word[word], "last") == 0) return at->last;
    return strtoull(at->word[word], NULL, 10);
}

/* ---- handles ------------------------------------------------------------------------------ */

static void make_wire(desk *at)
{
    sotto_fault fault;
    sotto_wire_options options = sotto_wire_options_default();
    options.proxy = option(at, "proxy");
    options.ca_file = option(at, "ca");
    option_u32(at, "timeout", &options.timeout_ms);
    option_u32(at, "requests", &options.requests_max);
    options.keep_connections = option(at, "keep") != NULL;
    option_u32(at, "batch", &options.batch_max);
    sotto_status status = sotto_wire_new(&options, &at->wire);
    bool told = sotto_wire_options_fault(&options, &fault) != SOTTO_OK;
    answer_status(status, told ? &fault : NULL);
}

static void make_site(desk *at)
{
    sotto_fault fault;
    sotto_site_options options = sotto_site_options_default();
    options.url = option(at, "url");
    options.relay = option(at, "relay");
    option_u32(at, "refresh", &options.refresh_ms);
    sotto_status status = sotto_site_new(at->wire, &options, &at->site);
    bool told = sotto_site_options_fault(&options, &fault) != SOTTO_OK;
    answer_status(status, told ? &fault : NULL);
}

static void make_ledger(desk *at)
{
    sotto_fault fault;
    const char *path = at->words > 2 ? at->word[2] : "";
    sotto_status status = SOTTO_OK;
    if (strcmp(at->word[1], "memory") == 0) {
        answer_status(sotto_ledger_memory_new(&at->ledger), NULL);
        return;
    }
    if (strcmp(at->word[1], "create") == 0) status = sotto_ledger_file_create(path);
    if (status == SOTTO_OK) status = sotto_ledger_file_open(path, &at->ledger);
    bool told = status != SOTTO_OK && sotto_ledger_file_fault(path, &fault) != SOTTO_OK;
    answer_status(status, told ? &fault : NULL);
}

static void make_device(desk *at)
{
    sotto_fault fault;
    sotto_device_options options = sotto_device_options_default();
    options.ledger = at->ledger;
    options.event = on_event;
    option_real(at, "epsilon", &options.policy.epsilon_per_report_max);
    option_real(at, "lifetime", &options.policy.epsilon_lifetime);
    option_real(at, "measure", &options.policy.measure_share_max);
    option_real(at, "delta", &options.policy.delta_lifetime);
    option_u32(at, "rounds", &options.rounds_max);
    option_u32(at, "queue", &options.queue_max);
    option_u32(at, "age", &options.age_max_s);
    sotto_status status = sotto_device_new(at->site, &options, &at->device);
    const sotto_terms *terms = sotto_site_terms(at->site);
    if (sotto_device_options_fault(&options, &fault) == SOTTO_OK &&
        (terms == NULL || sotto_policy_refusal(&options.policy, &terms->spec, &fault) == SOTTO_OK))
        snprintf(fault.sentence, sizeof fault.sentence, "%s", sotto_status_text(status));
    answer_status(status, &fault);
}

static void free_handle(desk *at)
{
    const char *what = at->word[1];
    if (strcmp(what, "device") == 0) {
        sotto_device_free(at->device);
        at->device = NULL;
    } else if (strcmp(what, "ledger") == 0) {
        sotto_ledger_free(at->ledger);
        at->ledger = NULL;
    } else if (strcmp(what, "site") == 0) {
        sotto_site_free(at->site);
        at->site = NULL;
    } else {
        sotto_wire_free(at->wire);
        at->wire = NULL;
    }
    answer("ok");
}

/* ---- rounds ------------------------------------------------------------------------------- */

/* The kernel's clock, unaffected by what a test has loaded before the C library. */
static uint64_t steady_ns(void)
{
    struct timespec now = {0};
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static sotto_status decide(desk *at, uint64_t round, uint64_t from, uint32_t *arm)
{
    static double context[NUMBERS_MAX];
    const sotto_spec *spec = &sotto_site_terms(at->site)->spec;
    uint32_t count = spec->dim;
    if (spec->parameters == SOTTO_PARAMETERS_SHARED) count *= spec->arms;
    if (count > NUMBERS_MAX) return SOTTO_E_LENGTH;
    for (uint32_t i = 0; i < count; i++) {
        context[i] = sin((double)from + 3 * i) * spec->context_norm_max / sqrt(spec->dim);
    }
    return sotto_device_decide(at->device, round, context, count, arm);
}

static void do_begin(desk *at)
{
    uint64_t round = 0, now = steady_ns();
    sotto_status status = sotto_device_begin(at->device, &round);
    if (status != SOTTO_OK) {
        answer_for(at, status);
        return;
    }
    at->last = round;
    answer("ok %llu %llu", (unsigned long long)round, (unsigned long long)now);
}

static void do_decide(desk *at)
{
    uint32_t arm = 0;
    sotto_status status = decide(at, number(at, 1), number(at, 2), &arm);
    if (status != SOTTO_OK) {
        answer_for(at, status);
        return;
    }
    answer("ok %u", arm);
}

static void do_finish(desk *at)
{
    sotto_status status = sotto_device_finish(at->device, number(at, 1), strtod(at->word[2], NULL));
    answer_for(at, status);
}

static void do_play(desk *at)
{
    bool rewarded = strcmp(at->word[2], "-") != 0;
    uint64_t count = number(at, 1);
    char *text = malloc(count * 44 + 1), *end = text;
    sotto_status status = text == NULL ? SOTTO_E_MEMORY : SOTTO_OK;
    if (text != NULL) *text = '\0';
    for (uint64_t i = 0; i < count && status == SOTTO_OK; i++) {
        uint64_t round = 0, now = steady_ns();
        uint32_t arm;
        status = sotto_device_begin(at->device, &round);
        if (status == SOTTO_OK) status = decide(at, round, i, &arm);
        if (status == SOTTO_OK && rewarded)
            status = sotto_device_finish(at->device, round, strtod(at->word[2], NULL));
        end += sprintf(end, " %llu@%llu", (unsigned long long)round, (unsigned long long)now);
    }
    if (status == SOTTO_OK) {
        answer("ok%s", text);
    } else {
        answer_for(at, status);
    }
    free(text);
}

/* ---- turns -------------------------------------------------------------------------------- */

static void do_turn(desk *at)
{
    answer_status(sotto_wire_turn(at->wire, (uint32_t)number(at, 1)), NULL);
}

static uint64_t count_of(const desk *at, const char *what)
{
    if (strcmp(what, "state") == 0) return (uint64_t)sotto_site_state_of(at->site);
    if (strcmp(what, "told") == 0)
        return sotto_site_fault(at->site, NULL) != SOTTO_OK || sotto_site_state_of(at->site) != 0;
    sotto_device_counts counts = sotto_device_counts_of(at->device);
    const struct {
        const char *name;
        uint64_t value;
    } row[] = {{"begun", counts.begun},
               {"finished", counts.finished},
               {"sent", counts.sent},
               {"sent_default", counts.sent_default},
               {"acknowledged", counts.acknowledged},
               {"dropped", counts.dropped},
               {"put_off", counts.put_off}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        if (strcmp(row[i].name, what) == 0) return row[i].value;
    }
    return UINT64_MAX;
}

/* Turns until `what`, if it is not NULL, is at least `wanted`, or until the time is over. */
static sotto_status turns(desk *at, const char *what, uint64_t wanted, uint64_t wait_ms)
{
    uint64_t now = steady_ns(), end = now + wait_ms * 1000000;
    sotto_status status = SOTTO_OK;
    while (now < end && status == SOTTO_OK && (what == NULL || count_of(at, what) < wanted)) {
        uint64_t left_ms = (end - now) / 1000000 + 1;
        if (what != NULL && left_ms > LOOK_MS) left_ms = LOOK_MS;
        status = sotto_wire_turn(at->wire, (uint32_t)left_ms);
        now = steady_ns();
    }
    return status;
}

static void do_run(desk *at)
{
    answer_status(turns(at, NULL, 0, number(at, 1)), NULL);
}

/* Turns until the steady clock reaches these nanoseconds. */
static void do_run_to(desk *at)
{
    uint64_t to = number(at, 1), now = steady_ns();
    answer_status(turns(at, NULL, 0, to > now ? (to - now) / 1000000 : 0), NULL);
}

static void do_until(desk *at)
{
    sotto_status status = turns(at, at->word[1], number(at, 2), number(at, 3));
    if (status != SOTTO_OK) {
        answer_status(status, NULL);
        return;
    }
    answer("ok %llu", (unsigned long long)count_of(at, at->word[1]));
}

/* ---- questions ---------------------------------------------------------------------------- */

static void tell_due(desk *at)
{
    answer("ok %u", sotto_wire_due_ms(at->wire));
}

static void tell_counts(desk *at)
{
    static const char *const name[] = {"begun",        "finished", "sent",   "sent_default",
                                       "acknowledged", "dropped",  "put_off"};
    printf("ok");
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        printf(" %s=%llu", name[i], (unsigned long long)count_of(at, name[i]));
    }
    putchar('\n');
}

static void tell_waiting(desk *at)
{
    answer("ok %zu", sotto_device_waiting(at->device));
}

static void tell_state(desk *at)
{
    static const char *const name[] = {[SOTTO_SITE_ASKING] = "asking",
                                       [SOTTO_SITE_READY] = "ready",
                                       [SOTTO_SITE_REFUSED] = "refused",
                                       [SOTTO_SITE_GONE] = "gone"};
    answer("ok %s", name[sotto_site_state_of(at->site)]);
}

static void tell_epoch(desk *at)
{
    const sotto_model *model = sotto_site_model(at->site);
    answer("ok %lld", model == NULL ? -1LL : (long long)model->epoch);
}

static void tell_memory(desk *at)
{
    struct rusage usage = {0};
    (void)at;
    getrusage(RUSAGE_SELF, &usage);
    answer("ok %ld", usage.ru_maxrss);
}

static void tell_ledger_counts(desk *at)
{
    answer("ok rounds=%llu reports=%llu epsilon=%.17g dropped=%llu",
           (unsigned long long)sotto_ledger_rounds(at->ledger),
           (unsigned long long)sotto_ledger_reports(at->ledger), sotto_ledger_epsilon(at->ledger),
           (unsigned long long)sotto_ledger_dropped(at->ledger));
}

static void tell_fault(desk *at)
{
    const char *what = at->word[1];
    sotto_fault fault;
    sotto_status status = sotto_device_fault(at->device, &fault);
    if (strcmp(what, "site") == 0) status = sotto_site_fault(at->site, &fault);
    if (strcmp(what, "ledger") == 0) status = sotto_ledger_fault(at->ledger, &fault);
    answer("ok %s", status == SOTTO_OK ? "-" : fault.sentence);
}

static const command commands[] = {
    {"wire", 1, make_wire},
    {"site", 2, make_site},
    {"ledger", 2, make_ledger},
    {"device", 1, make_device},
    {"begin", 1, do_begin},
    {"decide", 3, do_decide},
    {"finish", 3, do_finish},
    {"play", 3, do_play},
    {"turn", 2, do_turn},
    {"run", 2, do_run},
    {"run_to", 2, do_run_to},
    {"until", 4, do_until},
    {"due", 1, tell_due},
    {"counts", 1, tell_counts},
    {"waiting", 1, tell_waiting},
    {"state", 1, tell_state},
    {"epoch", 1, tell_epoch},
    {"memory", 1, tell_memory},
    {"ledger_counts", 1, tell_ledger_counts},
    {"fault", 2, tell_fault},
    {"free", 2, free_handle},
};

static void obey(desk *at, char *line)
{
    at->words = 0;
    for (char *word = strtok(line, " \n"); word != NULL && at->words < WORDS_MAX;
         word = strtok(NULL, " \n")) {
        at->word[at->words++] = word;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (at->words < commands[i].words_min || strcmp(at->word[0], commands[i].name) != 0)
            continue;
        commands[i].run(at);
        return;
    }
    answer("failed E_COMMAND there is no such command, or a word is missing");
}

int main(void)
{
    static char line[LINE_BYTES];
    desk at = {0};
    while (fgets(line, sizeof line, stdin) != NULL) {
        obey(&at, line);
        fflush(stdout);
    }
    sotto_device_free(at.device);
    sotto_site_free(at.site);
    sotto_wire_free(at.wire);
    sotto_ledger_free(at.ledger);
    return 0;
}
