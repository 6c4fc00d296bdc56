/* Rounds and what left, in words or as JSON lines. */
#include "cli/print/print.h"
#include "core/core.h"
#include "inner.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HEX_LINE_BYTES 16u /* bytes shown per line */
#define NAME_BYTES 64
#define LINE "          " /* below the time */

const char *join_hex(const uint8_t *bytes, size_t count, char *text)
{
    for (size_t i = 0; i < count; i++) {
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    }
    return text;
}

/* "round 2" for a round of this run, "entry 17" for others. */
static const char *name_text(const join_round *round, char text[NAME_BYTES])
{
    if (round->place > 0) {
        snprintf(text, NAME_BYTES, "round %u", round->place);
    } else {
        snprintf(text, NAME_BYTES, "earlier round (entry %" PRIu64 " of the ledger)",
                 round->number);
    }
    return text;
}

/* ---- rounds ------------------------------------------------------------------------------- */

static const char *choice_text(const join_round *round)
{
    if (round->served) return "given to everybody, as the experiment has stopped learning";
    if (round->role == SOTTO_ROLE_CONTROL) return "assigned at random, as it is a measure round";
    if (!round->decides) return "assigned at random, as nothing is learnt yet";
    return round->role == SOTTO_ROLE_FOLLOW ? "chosen by the device, in a measure round"
                                            : "chosen by the device";
}

static const char *made_up_text(const join_round *round)
{
    if (round->context_made_up) return " Context and reward are made up.";
    return round->reward_made_up ? " The reward is made up." : "";
}

static void round_json(const join_round *round)
{
    json_writer j = json_begin(stdout);
    json_open(&j, NULL, '{');
    json_text(&j, "what", "round");
    json_natural(&j, "round", round->number);
    json_natural(&j, "place", round->place);
    json_natural(&j, "arm", round->arm);
    json_text(&j, "role", sotto_role_name(round->role));
    json_flag(&j, "decided", round->decides && round->role != SOTTO_ROLE_CONTROL && !round->served);
    json_flag(&j, "context_made_up", round->context_made_up);
    json_flag(&j, "reward_made_up", round->reward_made_up);
    json_flag(&j, "reward_came", round->came);
    json_natural(&j, "send_at_ms", round->send_at_ms);
    if (round->served) json_flag(&j, "served", true);
    json_close(&j);
    json_end(&j);
}

void join_print_round(const join_round *round, bool json)
{
    char at[CLOCK_TEXT_BYTES], left[CLOCK_TEXT_BYTES];
    uint64_t now_ms = clock_now_ms();
    if (json) {
        round_json(round);
        return;
    }
    printf("round %u: arm %u (of 0 to %u), %s.%s\n", round->place, round->arm, round->arms - 1,
           choice_text(round), made_up_text(round));
    if (round->served) {
        printf(LINE "It sends no report, and costs nothing.\n");
        return;
    }
    if (!round->came) printf(LINE "No reward came: the report is that of the default reward.\n");
    printf(LINE "Its report leaves at %s", clock_text(round->send_at_ms, at));
    if (round->send_at_ms > now_ms) printf(", in %s", clock_left(round->send_at_ms - now_ms, left));
    printf(".\n");
}

/* ---- what left ---------------------------------------------------------------------------- */

/* Prints the bytes on the left, and on the right of the first line what they are. */
static void field(const uint8_t *bytes, size_t count, const char *name, const char *meaning)
{
    char hex[2 * HEX_LINE_BYTES + 1];
    for (size_t i = 0; i < count; i += HEX_LINE_BYTES) {
        size_t part = count - i < HEX_LINE_BYTES ? count - i : HEX_LINE_BYTES;
        join_hex(bytes + i, part, hex);
        if (i == 0) {
            printf(LINE "%-32s  %-8s %s\n", hex, name, meaning);
        } else {
            printf(LINE "%s\n", hex);
        }
    }
}

/* Prints what stays on the device, and the role of the round. */
static void print_stays(const join_round *round)
{
    bool assigned = !round->decides || round->role == SOTTO_ROLE_CONTROL;
    if (round->place == 0) { /* an earlier run: whether the model decided is unknown */
        printf(LINE "Stays here: context, reward. Role: %s.\n", round->role == SOTTO_ROLE_FOLLOW
                                                                    ? "follow, or learn"
                                                                    : sotto_role_name(round->role));
        return;
    }
    printf(LINE "Stays here: context, %sreward. Role: %s.%s\n", assigned ? "" : "arm, ",
           sotto_role_name(round->role),
           assigned ? " The nonce assigned the arm, and the report shows it." : "");
}

/* Prints the fields of a report frame, whose format is in core/report.c. */
static void print_frame(const sotto_device_event *event, const sotto_terms *terms,
                        const join_round *round)
{
    const uint8_t *frame = event->frame;
    char epoch[32], payload[64], at[CLOCK_TEXT_BYTES], name[NAME_BYTES];
    bool one = sotto_report_count(terms) == 1 && sotto_terms_reports_indices(terms);
    snprintf(epoch, sizeof epoch, "%u: of the model",
             sotto__get_u32(frame + SOTTO__REPORT_EPOCH_AT));
    snprintf(payload, sizeof payload,
             one ? "%u: the codeword that was drawn" : "%u numbers, each with noise",
             one ? sotto__get_u16(frame + SOTTO__REPORT_HEAD_BYTES) : sotto_report_count(terms));
    printf("%s  %s leaves, %zu bytes:\n", clock_text(clock_now_ms(), at), name_text(round, name),
           event->frame_bytes);
    field(frame, 4, "magic", "STR1: a report");
    field(frame + SOTTO__REPORT_SPEC_ID_AT, SOTTO_SPEC_ID_BYTES, "spec id", "of the experiment");
    field(frame + SOTTO__REPORT_EPOCH_AT, 4, "epoch", epoch);
    field(frame + SOTTO__REPORT_NONCE_AT, SOTTO_NONCE_BYTES, "nonce", "drawn before the round");
    field(frame + SOTTO__REPORT_HEAD_BYTES, event->frame_bytes - SOTTO__REPORT_HEAD_BYTES,
          "payload", payload);
    print_stays(round);
}

static void event_json(const sotto_device_event *event, const char *what)
{
    json_writer j = json_begin(stdout);
    json_open(&j, NULL, '{');
    json_text(&j, "what", what);
    json_natural(&j, "round", event->round);
    json_natural(&j, "at_ms", clock_now_ms());
    if (event->kind == SOTTO_DEVICE_SENT) {
        char *hex = malloc(2 * event->frame_bytes + 1);
        json_natural(&j, "bytes", event->frame_bytes);
        if (hex != NULL) json_text(&j, "frame", join_hex(event->frame, event->frame_bytes, hex));
        free(hex);
    }
    if (event->why != NULL) json_text(&j, "why", event->why);
    json_close(&j);
    json_end(&j);
}

void join_print_event(const sotto_device_event *event, const sotto_terms *terms,
                      const join_round *round, bool json)
{
    static const char *const what[] = {
        [SOTTO_DEVICE_SENT] = "sent",
        [SOTTO_DEVICE_ACKNOWLEDGED] = "acknowledged",
        [SOTTO_DEVICE_PUT_OFF] = "put off",
        [SOTTO_DEVICE_DROPPED] = "dropped",
    };
    char at[CLOCK_TEXT_BYTES], name[NAME_BYTES];
    if (json) {
        event_json(event, what[event->kind]);
    } else if (event->kind == SOTTO_DEVICE_SENT) {
        print_frame(event, terms, round);
    } else {
        const char *why = event->why != NULL ? event->why : "";
        printf("%s  %s %s%s%s\n", clock_text(clock_now_ms(), at), name_text(round, name),
               what[event->kind], why[0] != '\0' ? ": " : "", why);
    }
    fflush(stdout);
}
