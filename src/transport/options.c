/* Defaults of the three kinds of options, and what is allowed. */
#include "core/fault.h"
#include "parts.h"

#include <sotto/transport.h>

#include <string.h>

/* One number of a range. */
typedef struct range {
    const char *name;
    uint32_t value, least, most;
} range;

static const char *range_fault(const range *row, size_t count, char text[SOTTO_FAULT_BYTES])
{
    for (size_t i = 0; i < count; i++) {
        if (row[i].value >= row[i].least && row[i].value <= row[i].most) continue;
        return sotto__fault(text, "%s %u: allowed %u to %u", row[i].name, row[i].value,
                            row[i].least, row[i].most);
    }
    return NULL;
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

const char *sotto_wire_options_fault(const sotto_wire_options *options,
                                     char text[SOTTO_FAULT_BYTES])
{
    if (options == NULL || text == NULL) return sotto_status_text(SOTTO_E_ARGUMENT);
    const range row[] = {
        {"timeout_ms", options->timeout_ms, 100, 600000},
        {"requests_max", options->requests_max, 1, 4096},
        {"batch_max", options->batch_max, 1, 10000},
    };
    if (options->proxy != NULL && !is_proxy(options->proxy))
        return sotto__fault(text, "proxy %.200s: allowed http://, https:// and socks5h:// URLs",
                            options->proxy);
    if (options->ca_file != NULL && options->ca_file[0] == '\0')
        return sotto__fault(text, "ca_file is empty: allowed the path of a file");
    return range_fault(row, COUNT(row), text);
}

sotto_site_options sotto_site_options_default(void)
{
    return (sotto_site_options){.refresh_ms = 60000};
}

/* As docs/protocol.md has it. */
static bool is_key(const char *key)
{
    size_t length = strnlen(key, SOTTO__KEY_BYTES_MAX + 1u);
    if (length < SOTTO__KEY_BYTES_MIN || length > SOTTO__KEY_BYTES_MAX) return false;
    for (; *key != '\0'; key++) {
        if (*key < '!' || *key > '~') return false;
    }
    return true;
}

const char *sotto_site_options_fault(const sotto_site_options *options,
                                     char text[SOTTO_FAULT_BYTES])
{
    if (options == NULL || text == NULL) return sotto_status_text(SOTTO_E_ARGUMENT);
    sotto__url url, relay;
    if (options->url == NULL) return sotto__fault(text, "url is missing");
    const char *fault = sotto__url_fault("url", options->url, &url, text);
    if (fault != NULL) return fault;
    if (options->relay != NULL) {
        fault = sotto__url_fault("relay", options->relay, &relay, text);
        if (fault != NULL) return fault;
        if (memcmp(url.spec_id, relay.spec_id, SOTTO_SPEC_ID_BYTES) != 0)
            return sotto__fault(text,
                                "relay %.200s: allowed URLs of the same experiment as the url",
                                options->relay);
    }
    if (options->report_key != NULL && !is_key(options->report_key))
        return sotto__fault(text, "report_key: allowed 16 to 128 visible characters of ASCII");
    const range row[] = {{"refresh_ms", options->refresh_ms, 10, 86400000}};
    return range_fault(row, COUNT(row), text);
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

const char *sotto_device_options_fault(const sotto_device_options *options,
                                       char text[SOTTO_FAULT_BYTES])
{
    if (options == NULL || text == NULL) return sotto_status_text(SOTTO_E_ARGUMENT);
    const range row[] = {
        {"rounds_max", options->rounds_max, 1, 1024},
        {"queue_max", options->queue_max, 1, 65536},
        {"age_max_s", options->age_max_s, 60, 31536000},
    };
    if (options->ledger == NULL) return sotto__fault(text, "ledger is missing");
    const char *fault = sotto_policy_fault(&options->policy, text);
    return fault != NULL ? fault : range_fault(row, COUNT(row), text);
}
