/*
 * A learner that does what it is told, made of the public server library and nothing of the service.
 *
 * The standard input is commands: a letter, a length (u64, little-endian), so many bytes.
 *
 *     T  terms             once, first; prints "frame BYTES", the length of a report, and "lag EPOCHS"
 *     L  a learner         as sotto_learner_encode wrote it; once, second
 *     F  frames            all must be taken
 *     P  publish           no bytes; prints "model EPOCH HEX"
 *     D  discard           no bytes; prints "model EPOCH HEX"
 *     E  end the fallback  no bytes; publishes, and prints "model EPOCH HEX"
 *     S  show              no bytes; prints "learner HEX", all of it, as it is now
 *
 * At the end it prints "end EPOCH HEX", the model, and "learner HEX", all of the learner; under terms with
 * measure rounds also "measure FOLLOW CONTROL" (reports), followed by value, lo and hi of the mean reward of
 * either and of the uplift, at alpha 0.05.
 */
#include <sotto/server.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(bool condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "replay_learner: %s\n", what);
    exit(1);
}

static void require_ok(sotto_status status, const char *what)
{
    if (status == SOTTO_OK) return;
    fprintf(stderr, "replay_learner: %s: %s\n", what, sotto_status_text(status));
    exit(1);
}

static void print_hex(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        printf("%02x", bytes[i]);
    }
    printf("\n");
}

static void print_model(const char *word, const sotto_terms *terms, const sotto_learner *learner)
{
    const sotto_model *model = sotto_learner_model(learner);
    size_t bytes = sotto_model_bytes(terms);
    uint8_t *out = malloc(bytes);
    require(out != NULL, "no memory");
    require_ok(sotto_model_encode(terms, model, out, bytes), "the model has no bytes");
    printf("%s %" PRIu32 " ", word, model->epoch);
    print_hex(out, bytes);
    free(out);
}

static void print_learner(const sotto_learner *learner)
{
    size_t bytes = sotto_learner_bytes(learner);
    uint8_t *out = malloc(bytes);
    require(out != NULL, "no memory");
    require_ok(sotto_learner_encode(learner, out, bytes), "the learner has no bytes");
    printf("learner ");
    print_hex(out, bytes);
    free(out);
}

static void print_interval(sotto_interval interval)
{
    printf(" %.17g %.17g %.17g", interval.value, interval.lo, interval.hi);
}

static void print_measurement(const sotto_learner *learner)
{
    sotto_measurement m;
    if (sotto_learner_measure(learner, 0.05, &m) != SOTTO_OK)
        return; /* terms without such rounds */
    printf("measure %" PRIu64 " %" PRIu64, m.follow_count, m.control_count);
    print_interval(m.follow);
    print_interval(m.control);
    print_interval(m.uplift);
    printf("\n");
}

/* The letter of the next command; *at gets its bytes, allocated. 0 at the end. */
static int read_command(uint8_t **at, size_t *bytes)
{
    uint8_t head[9];
    size_t got = fread(head, 1, sizeof head, stdin);
    if (got == 0) return 0;
    require(got == sizeof head, "a command is cut");
    uint64_t length = 0;
    for (int i = 0; i < 8; i++) {
        length |= (uint64_t)head[1 + i] << (8 * i);
    }
    require(length < UINT64_C(1) << 40, "a command is too long");
    *bytes = (size_t)length;
    *at = malloc(*bytes + 1);
    require(*at != NULL && fread(*at, 1, *bytes, stdin) == *bytes, "a command is cut");
    return head[0];
}

int main(void)
{
    sotto_terms terms;
    bool have_terms = false;
    sotto_learner *learner = NULL;
    uint8_t *at = NULL;
    size_t bytes;
    for (int letter = read_command(&at, &bytes); letter != 0; letter = read_command(&at, &bytes)) {
        if (letter == 'T') {
            require_ok(sotto_terms_decode(at, bytes, &terms), "terms");
            have_terms = true;
            printf("frame %zu\nlag %" PRIu32 "\n", sotto_report_bytes(&terms),
                   terms.spec.epoch_lag_max);
        } else if (letter == 'L') {
            require(have_terms && learner == NULL, "a learner comes once, after terms");
            require_ok(sotto_learner_decode(&terms, at, bytes, &learner), "learner");
        } else if (letter == 'F') {
            require_ok(sotto_learner_take_frames(learner, at, bytes, NULL),
                       "a frame was not taken");
        } else if (letter == 'P' || letter == 'E') {
            if (letter == 'E') require_ok(sotto_learner_end_fallback(learner), "end of a fallback");
            require_ok(sotto_learner_publish(learner), "publish");
            print_model("model", &terms, learner);
        } else if (letter == 'D') {
            require_ok(sotto_learner_discard(learner), "discard");
            print_model("model", &terms, learner);
        } else if (letter == 'S') {
            require(learner != NULL, "a learner comes before it is shown");
            print_learner(learner);
        } else {
            require(false, "no such command");
        }
        free(at);
    }
    require(learner != NULL, "there was no learner");
    print_model("end", &terms, learner);
    print_learner(learner);
    print_measurement(learner);
    sotto_learner_free(learner);
    return 0;
}
