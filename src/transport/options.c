/* The defaults and allowed values of the three kinds of options. */
#include "core/core.h"
#include "inner.h"

#include <sotto/transport.h>

#include <string.h>

/* The allowed range of one number. */
typedef struct range {
    const char *name;
    uint32_t value, least, most;
} range;

static sotto_status range_fault(const range *row, size_t count, sotto_fault *fault)
{
    for (size_t i = 0; i < count; i++) {
        if (row[i].value >= row[i].least && row[i].value <= row[i].most) continue;
        return sotto__fault_at(fault, row[i].name, "%u: allowed %u to %u", row[i].value,
                               row[i].least, row[i].most);
    }
    return SOTTO_OK;
}

#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

sotto_wire_options sotto_wire_options_default(void)
{
    return (sotto_wire_options){.timeout_ms = 30000, .requests_max = 4, .batch_max = 1};
}

static bool is_proxy(const char *url)
{
    static const char *const scheme[] = {"http://", "https://", "socks5h://"};
    for (size_t i = 0; i < COUNT(scheme); i++) {
        size_t length = strlen(scheme[i]);
        if (strncmp(url, scheme[i], length) == 0 && url[length] != '\0') return true;
    }
    return false;
}

static sotto_status requests_fault(const sotto_requests *requests, sotto_fault *fault)
{
    if (requests == NULL) {
        const char *missing = sotto__requests_missing();
        return missing == NULL ? SOTTO_OK : sotto__refuse(fault, "%s", missing);
    }
    if (requests->version != SOTTO_REQUESTS_VERSION)
        return sotto__fault_at(fault, "requests.version",
                               "%u: this library supports only version %u", requests->version,
                               SOTTO_REQUESTS_VERSION);
    if (requests->start == NULL || requests->stop == NULL)
        return sotto__fault_at(fault, "requests", ": start and stop must not be NULL");
    return SOTTO_OK;
}

/* No fault shows a URL, because URLs may contain passwords or tokens. */
sotto_status sotto_wire_options_fault(const sotto_wire_options *options, sotto_fault *fault)
{
    if (options == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    const range row[] = {
        {"timeout_ms", options->timeout_ms, 100, 600000},
        {"requests_max", options->requests_max, 1, 4096},
        {"batch_max", options->batch_max, 1, 10000},
    };
    if (options->proxy != NULL && !is_proxy(options->proxy))
        return sotto__fault_at(fault, "proxy", ": allowed http://, https:// and socks5h:// URLs");
    if (options->ca_file != NULL && options->ca_file[0] == '\0')
        return sotto__fault_at(fault, "ca_file", ": allowed the path of a file");
    sotto_status status = requests_fault(options->requests, fault);
    return status == SOTTO_OK ? range_fault(row, COUNT(row), fault) : status;
}

sotto_site_options sotto_site_options_default(void)
{
    return (sotto_site_options){.refresh_ms = 60000};
}

/* True for a valid report key: docs/protocol.md. */
static bool is_key(const char *key)
{
    size_t length = strnlen(key, SOTTO__KEY_BYTES_MAX + 1u);
    if (length < SOTTO__KEY_BYTES_MIN || length > SOTTO__KEY_BYTES_MAX) return false;
    for (; *key != '\0'; key++) {
        if (*key < '!' || *key > '~') return false;
    }
    return true;
}

sotto_status sotto_site_options_fault(const sotto_site_options *options, sotto_fault *fault)
{
    sotto__url url, relay;
    if (options == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    if (options->url == NULL) return sotto__fault_at(fault, "url", ": missing");
    sotto_status status = sotto__url_fault("url", options->url, &url, fault);
    if (status != SOTTO_OK) return status;
    if (options->relay != NULL) {
        status = sotto__url_fault("relay", options->relay, &relay, fault);
        if (status != SOTTO_OK) return status;
        if (memcmp(url.spec_id, relay.spec_id, SOTTO_SPEC_ID_BYTES) != 0)
            return sotto__fault_at(fault, "relay",
                                   ": allowed URLs of the same experiment as the `url`");
    }
    if (options->report_key != NULL && !is_key(options->report_key))
        return sotto__fault_at(fault, "report_key", ": allowed 16 to 128 visible ASCII characters");
    const range row[] = {{"refresh_ms", options->refresh_ms, 10, 86400000}};
    return range_fault(row, COUNT(row), fault);
}

sotto_device_options sotto_device_options_default(void)
{
    return (sotto_device_options){
        .policy = sotto_policy_default(),
        .rounds_max = 16,
        .queue_max = 256,
        .age_max_s = 14 * 86400,
    };
}

sotto_status sotto_device_options_fault(const sotto_device_options *options, sotto_fault *fault)
{
    if (options == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    const range row[] = {
        {"rounds_max", options->rounds_max, 1, 1024},
        {"queue_max", options->queue_max, 1, 65536},
        {"age_max_s", options->age_max_s, 60, 31536000},
    };
    if (options->ledger == NULL) return sotto__fault_at(fault, "ledger", ": missing");
    sotto_status status = sotto_policy_fault(&options->policy, fault);
    return status == SOTTO_OK ? range_fault(row, COUNT(row), fault) : status;
}
