/* Bodies of frames: checked, put into a group, made durable. */
#include "inner.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sottod_intake {
    sottod_experiments *all;
    size_t frames_bytes_max;
    uint32_t bodies;
    uint64_t session; /* of the journal, when the first body of the group came */
    sottod_group group;
};

sottod_intake *intake_new(sottod_experiments *all, size_t frames_bytes_max)
{
    sottod_intake *intake = calloc(1, sizeof *intake);
    if (intake == NULL) return NULL;
    intake->all = all;
    intake->frames_bytes_max = frames_bytes_max;
    if (!group_make(&intake->group, frames_bytes_max)) {
        free(intake);
        return NULL;
    }
    return intake;
}

void intake_free(sottod_intake *intake)
{
    if (intake == NULL) return;
    group_clear(&intake->group);
    group_free(&intake->group);
    free(intake);
}

uint32_t intake_waiting(const sottod_intake *intake)
{
    return intake->bodies;
}

uint32_t intake_gathers_ms(const sottod_intake *intake)
{
    const bool counts_only = intake->bodies > 0 && intake->group.frames == 0;
    return counts_only ? intake->all->kind->counts_wait_ms : 0;
}

/* ---- checks, which change nothing */

static bool takes_reports(const sottod_experiment *experiment, sottod_refusal *why)
{
    if (experiment == NULL)
        return refusal_set(why, 404, "There is no such experiment.", "id", NULL, NULL);
    switch (experiment->state) {
    case JOURNAL_OPEN: return true;
    case JOURNAL_PAUSED:
        return refusal_set(why, 409, "The experiment is paused. Send the reports again later.",
                           "state", "paused", "open");
    case JOURNAL_CLOSED:
    case JOURNAL_DELETED:
        return refusal_set(why, 410, "The experiment has ended: it accepts no more reports.",
                           "state", journal_state_name(experiment->state), "open");
    }
    return false;
}

bool experiment_admits_body(const sottod_experiment *experiment, uint64_t body_bytes,
                            sottod_refusal *why)
{
    char error[sizeof why->fault.sentence], value[48], allowed[48];
    const size_t most = experiment_body_bytes_max(experiment);
    if (body_bytes <= most) return true;
    snprintf(error, sizeof error,
             "The body is too long: this experiment accepts at most %zu reports per request.",
             most / experiment->engine->frame_bytes);
    snprintf(value, sizeof value, "%" PRIu64 " bytes", body_bytes);
    snprintf(allowed, sizeof allowed, "at most %zu bytes", most);
    return refusal_set(why, 413, error, "body", value, allowed);
}

static bool has_whole_frames(const sottod_experiment *experiment, size_t body_bytes,
                             sottod_refusal *why)
{
    char value[48], allowed[128];
    if (!experiment_admits_body(experiment, body_bytes, why)) return false;
    if (body_bytes > 0 && body_bytes % experiment->engine->frame_bytes == 0) return true;
    snprintf(value, sizeof value, "%zu bytes", body_bytes);
    snprintf(allowed, sizeof allowed, "report frames of %zu bytes each, at most %zu bytes",
             experiment->engine->frame_bytes, experiment_body_bytes_max(experiment));
    return refusal_set(why, 400, "The body is not a sequence of whole frames of this experiment.",
                       "body", value, allowed);
}

/* `field` marks this case: the frame was valid for a journal that is lost, and will be valid again. */
static bool refuse_epoch(size_t place, uint32_t current, sottod_refusal *why)
{
    char error[sizeof why->fault.sentence], allowed[sizeof why->fault.allowed];
    snprintf(error, sizeof error,
             "Frame %zu, counted from 0: its epoch has not begun. Nothing was taken.", place);
    snprintf(allowed, sizeof allowed, "0 to %" PRIu32 ", the current epoch", current);
    return refusal_set(why, 400, error, "epoch", NULL, allowed);
}

static bool refuse_frame(size_t place, const char *sentence, uint32_t status, sottod_refusal *why)
{
    char field[sizeof why->fault.field], error[sizeof why->fault.sentence];
    snprintf(field, sizeof field, "frame %zu", place);
    snprintf(error, sizeof error, "Frame %zu, counted from 0: %s. Nothing was taken.", place,
             sentence);
    return refusal_set(why, status, error, field, NULL,
                       "whole report frames of this experiment, as devices make them");
}

/* Late reports are only checked for form; the allowed values of their epoch are no longer known. *ahead: one is of an
 * epoch that has not begun, as far as known here. */
static bool frames_are_good(const sottod_experiment *experiment, const uint8_t *body,
                            size_t body_bytes, bool *ahead, sottod_refusal *why)
{
    const uint32_t current = experiment_epoch(experiment);
    const uint32_t oldest = engine_oldest(experiment->engine);
    sotto_report *report = experiment->report;
    *ahead = false;
    for (size_t at = 0; at < body_bytes; at += experiment->engine->frame_bytes) {
        size_t place = at / experiment->engine->frame_bytes;
        sotto_status status = sotto_report_decode(&experiment->engine->terms, body + at,
                                                  experiment->engine->frame_bytes, report);
        *ahead = status == SOTTO_OK && report->epoch > current;
        if (*ahead) return refuse_epoch(place, current, why);
        if (status == SOTTO_OK && report->epoch >= oldest)
            status = sotto_learner_check(experiment->engine->learner, report);
        if (status == SOTTO_E_FULL) return refuse_frame(place, sotto_status_text(status), 503, why);
        if (status != SOTTO_OK) return refuse_frame(place, sotto_status_text(status), 400, why);
    }
    return true;
}

static bool is_good(const sottod_experiment *experiment, const uint8_t *body, size_t body_bytes,
                    bool *ahead, sottod_refusal *why)
{
    *ahead = false;
    return takes_reports(experiment, why) && has_whole_frames(experiment, body_bytes, why) &&
           frames_are_good(experiment, body, body_bytes, ahead, why);
}

/* ---- put into the group */

static bool refuse_room(refusal_lack lacks, sottod_refusal *why)
{
    return refusal_set_lack(why, lacks,
                            "There is no room for these reports now. Send them again later.");
}

/* True if the group can hold the body. An empty group grows to the longest body. */
static bool has_room(sottod_intake *intake, size_t body_bytes)
{
    sottod_group *group = &intake->group;
    if (body_bytes <= group->capacity - group->used) return true;
    if (intake->bodies > 0) return false;
    size_t longest = intake->all->body_bytes_max;
    bool more = longest > intake->frames_bytes_max;
    return group_make(group, more ? longest : intake->frames_bytes_max) &&
           body_bytes <= group->capacity;
}

/* Forgets the last frames down to so many: from the end, where a set finds them first. */
static void forget_frames(sottod_group *group, uint32_t frames)
{
    while (group->frames > frames) {
        const group_frame *last = &group->frame[group->frames - 1];
        const sottod_experiment *experiment = group->slot[last->slot].experiment;
        const uint8_t *frame = group->bytes + last->at;
        const sotto_report head = frame_head(frame);
        if (experiment->engine != NULL && experiment->engine->nonces != NULL)
            sotto_nonce_set_remove(experiment->engine->nonces, &head);
        copies_forget(experiment, frame);
        group_drop(group);
    }
}

/* Takes the frames of a valid body. False: takes none of them, because there is no room. Copies and late frames need
 * none. */
static bool take_body(const sottod_experiments *all, sottod_group *group, group_slot *slot,
                      const uint8_t *body, size_t body_bytes)
{
    const group_slot before = *slot;
    const uint32_t frames = group->frames;
    for (size_t at = 0; at < body_bytes; at += slot->frame_bytes) {
        const uint8_t *frame = body + at;
        bool is_new;
        const sotto_status status = all->kind->sort(all, slot, frame, &is_new);
        if (is_new) group_add(group, slot, frame, frame_head(frame).epoch);
        if (status == SOTTO_OK) continue;
        forget_frames(group, frames);
        *slot = before;
        return false;
    }
    return true;
}

bool intake_offer(sottod_intake *intake, sottod_experiment *experiment, const uint8_t *body,
                  size_t body_bytes, sottod_refusal *why)
{
    sottod_group *group = &intake->group;
    bool ahead;
    if (!is_good(experiment, body, body_bytes, &ahead, why)) {
        if (!ahead || !intake->all->kind->catch_up(intake->all, experiment, why)) return false;
        if (!is_good(experiment, body, body_bytes, &ahead, why)) return false;
    }
    const uint64_t session = journal_session(intake->all->journal);
    if (!has_room(intake, body_bytes)) return refuse_room(LACK_MEMORY, why);
    if (!intake->all->kind->reserve(intake->all, experiment,
                                    body_bytes / experiment->engine->frame_bytes))
        return refuse_room(LACK_NONCES, why);
    const bool is_first = experiment->slot == 0;
    group_slot *slot = group_slot_of(group, experiment);
    if (slot == NULL) return refuse_room(LACK_MEMORY, why);
    if (!take_body(intake->all, group, slot, body, body_bytes)) {
        if (is_first) group_drop_slot(group);
        return refuse_room(LACK_NONCES, why);
    }
    if (intake->bodies++ == 0) intake->session = session;
    return true;
}

/* ---- made durable */

static bool write_rows(sottod_journal *journal, sottod_group *group)
{
    for (uint32_t s = 0; s < group->slots; s++) {
        group_slot *slot = &group->slot[s];
        /* deleted meanwhile, with its reports */
        if (slot->experiment->state == JOURNAL_DELETED) continue;
        journal_row row = {
            .experiment = slot->experiment->number,
            .kind = JOURNAL_REPORTS,
            .epoch = slot->epoch,
            .late = (uint32_t)slot->counts.late, /* below GROUP_BYTES_MAX */
            .duplicate = (uint32_t)slot->counts.duplicate,
            .conflicting = (uint32_t)slot->counts.conflicting,
            .frames = slot->sorted,
        };
        if (!journal_append(journal, &row)) return false;
        slot->seq = row.seq;
    }
    return true;
}

static bool has_dropped(const sottod_group *group)
{
    for (uint32_t s = 0; s < group->slots; s++) {
        const journal_counts *counts = &group->slot[s].counts;
        if (counts->late > 0 || counts->duplicate > 0) return true;
    }
    return false;
}

/* A frame may have been dropped as a copy of one that another session has lost: then devices must send it again. */
static bool make_durable(const sottod_intake *intake, sottod_journal *journal, sottod_group *group)
{
    if (!journal_begin(journal)) return false;
    bool is_good = journal_session(journal) == intake->session || !has_dropped(group);
    return journal_finish(journal, is_good && write_rows(journal, group));
}

bool intake_commit(sottod_intake *intake, sottod_refusal *why)
{
    sottod_group *group = &intake->group;
    sottod_experiments *all = intake->all;
    if (intake->bodies == 0) return true;
    intake->bodies = 0;
    group_sort(group);
    if (!make_durable(intake, all->journal, group)) {
        refusal_set_lack(why, LACK_JOURNAL,
                         "The reports could not be stored durably. Send them again later.");
        forget_frames(group, 0);
        group_clear(group);
        return false;
    }
    for (uint32_t s = 0; s < group->slots; s++) {
        const group_slot *slot = &group->slot[s];
        /* not deleted meanwhile */
        if (slot->experiment->engine != NULL) all->kind->settle(all, slot);
    }
    group_clear(group);
    return true;
}
