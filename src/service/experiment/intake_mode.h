/* What differs between the intake of a service that is alone with its journal and that of one of several. */
#ifndef SERVICE_INTAKE_MODE_H
#define SERVICE_INTAKE_MODE_H

#include "group.h"

typedef struct intake_mode {
    /* A frame is of an epoch that is not known here. True: more is known now, judge again. False: *why stays,
     * or says that it cannot be known now. */
    bool (*catch_up)(sottod_experiments *all, sottod_refusal *why);
    /* Room for what is known of so many more frames. False: there is none. */
    bool (*reserve)(sottod_experiments *all, sottod_experiment *experiment, uint64_t frames);
    /* Puts the frames of a body that is good into the group. False: none of them, there is no room. */
    bool (*take_body)(sottod_group *group, group_slot *slot, const uint8_t *body,
                      size_t body_bytes);
    /* The group could not be made durable: it never was. */
    void (*forget)(sottod_group *group);
    /* It is durable. */
    void (*settle)(sottod_experiments *all, const group_slot *slot);
} intake_mode;

extern const intake_mode intake_alone, intake_shared;

#endif
