/*
 * The entry of experiment n begins at byte 32 (n - 1); little-endian:
 *
 *   offset  0  u64  boot        the start of the machine: clock_boot
 *           8  u64  steady_ms   since then
 *          16  u64  wall_s      since 1970
 *          24  u32  epoch       that began
 *          28  u32  mark        0x31415053 "SPA1"; anything else: no entry */
#include "core/core.h"
#include "inner.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define ENTRY_BYTES 32u
#define MARK UINT32_C(0x31415053)
#define SECOND_MS UINT64_C(1000)

struct sottod_pace {
    int file;
};

sottod_pace *pace_open(const char *path)
{
    sottod_pace *pace = malloc(sizeof *pace);
    if (pace == NULL) return NULL;
    pace->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (pace->file >= 0) return pace;
    free(pace);
    return NULL;
}

void pace_close(sottod_pace *pace)
{
    if (pace == NULL) return;
    close(pace->file);
    free(pace);
}

static off_t place_of(uint32_t experiment)
{
    return (off_t)(experiment - 1) * (off_t)ENTRY_BYTES;
}

void pace_note(sottod_pace *pace, uint32_t experiment, uint32_t epoch, const pace_time *now)
{
    uint8_t entry[ENTRY_BYTES];
    sotto__put_u64(entry, now->boot);
    sotto__put_u64(entry + 8, now->steady_ms);
    sotto__put_u64(entry + 16, now->wall_s);
    sotto__put_u32(entry + 24, epoch);
    sotto__put_u32(entry + 28, MARK);
    ssize_t written = pwrite(pace->file, entry, sizeof entry, place_of(experiment));
    (void)written; /* a short entry has no mark, or that of the previous epoch */
}

bool pace_lasted(sottod_pace *pace, uint32_t experiment, uint32_t epoch, const pace_time *now,
                 uint64_t *ms)
{
    uint8_t entry[ENTRY_BYTES];
    if (pread(pace->file, entry, sizeof entry, place_of(experiment)) != (ssize_t)sizeof entry)
        return false;
    if (sotto__get_u32(entry + 28) != MARK || sotto__get_u32(entry + 24) != epoch) return false;
    const uint64_t boot = sotto__get_u64(entry), steady_ms = sotto__get_u64(entry + 8);
    const uint64_t wall_s = sotto__get_u64(entry + 16);
    if (boot != 0 && boot == now->boot) {
        *ms = now->steady_ms - steady_ms;
        return steady_ms <= now->steady_ms;
    }
    if (wall_s == 0 || wall_s > now->wall_s || now->wall_s > UINT64_MAX / SECOND_MS) return false;
    *ms = (now->wall_s - wall_s) * SECOND_MS;
    return true;
}
