/* What a set of nonces must know of a report, read from its frame without decoding the rest. */
#ifndef SERVICE_FRAME_HEAD_H
#define SERVICE_FRAME_HEAD_H

#include "core/bytes.h"
#include "core/report.h"

/* Epoch and nonce; it has no values. */
static inline sotto_report frame_head(const uint8_t *frame)
{
    sotto_report head = {.epoch = sotto__get_u32(frame + SOTTO__REPORT_EPOCH_AT)};
    memcpy(head.nonce, frame + SOTTO__REPORT_NONCE_AT, sizeof head.nonce);
    return head;
}

#endif
