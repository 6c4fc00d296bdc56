/* Where the rounds of a device stand, by the ledger's number. */
#include "places.h"
#include "core/fault.h"

sotto_status sotto__device_refuse(sotto_device *device, sotto_status status)
{
    const char *why = sotto_ledger_fault(device->options.ledger);
    device->fault = why == NULL
                        ? sotto_status_text(status)
                        : sotto__fault(device->text, "%s: %s", sotto_status_text(status), why);
    return status;
}

sotto__device_round *sotto__device_find(const sotto_device *device, uint64_t entry)
{
    for (uint32_t i = 0; entry != 0 && i < device->options.rounds_max; i++) {
        if (device->round[i].entry == entry) return &device->round[i];
    }
    return NULL;
}

void sotto__device_forget(sotto__device_round *round)
{
    round->entry = 0;
    round->decided = round->served = false;
    round->finished = false;
    round->report = NULL;
}
