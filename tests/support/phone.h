/* The functions of sotto/host.h that an app on a phone provides, under a test's control. */
#ifndef SOTTO_PHONE_H
#define SOTTO_PHONE_H

#include <sotto/host.h>

#define PHONE_REQUESTS_MAX 8u
#define PHONE_ENTRIES_MAX 100000u

typedef struct phone_request {
    void *handle;
    char url[1100], report_key[200];
    uint8_t *body; /* NULL: a GET */
    uint32_t body_bytes, answer_bytes_max, timeout_ms;
    double epoch;
} phone_request;

typedef struct phone {
    uint32_t tape; /* state of its random numbers; 0: it has none */
    double day_ms, steady_ms;
    /* The ledger's store: */
    bool store_fails, has_anchor;
    uint8_t anchor[128];
    uint8_t *entry[PHONE_ENTRIES_MAX];
    uint32_t entry_bytes[PHONE_ENTRIES_MAX], entries;
    /* Requests under way, oldest first: */
    phone_request request[PHONE_REQUESTS_MAX];
    uint32_t requests, stopped;
    bool refuses; /* requests cannot begin */
} phone;

/* The phone behind the functions of sotto/host.h. */
extern phone the_phone;

/* Resets the phone, with random numbers from a seed above 0. */
void phone_reset(uint32_t tape);
/* Removes and returns the oldest request; the caller frees it. */
phone_request phone_take(void);
void phone_request_free(phone_request *request);

#endif
