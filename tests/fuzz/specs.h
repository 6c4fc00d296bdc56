/* What fuzz targets share: how they fail, and the specs under which they read frames, which are the golden ones so that
 * golden frames fit. */
#ifndef SOTTO_FUZZ_SPECS_H
#define SOTTO_FUZZ_SPECS_H

#include <sotto/core.h>

#include <stdio.h>
#include <stdlib.h>

#define FUZZ_SPECS 8

/* What libFuzzer calls: each target defines it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_require(bool condition)
{
    if (!condition) abort();
}

/* Read once: a fuzzer calls a million times. */
static inline const sotto_terms *fuzz_spec(int which)
{
    static const char *const path[FUZZ_SPECS] = {
        SOTTO_GOLDEN_DIR "/spec_default.bin", SOTTO_GOLDEN_DIR "/spec_tagged.bin",
        SOTTO_GOLDEN_DIR "/spec_split.bin",   SOTTO_GOLDEN_DIR "/spec_gloc.bin",
        SOTTO_GOLDEN_DIR "/spec_ticks.bin",   SOTTO_GOLDEN_DIR "/spec_measured.bin",
        SOTTO_GOLDEN_DIR "/spec_mean.bin",    SOTTO_GOLDEN_DIR "/spec_arms.bin",
    };
    static sotto_terms made[FUZZ_SPECS];
    static bool ready[FUZZ_SPECS];
    if (ready[which]) return &made[which];
    uint8_t bytes[SOTTO_TERMS_BYTES];
    FILE *file = fopen(path[which], "rb");
    fuzz_require(file != NULL);
    size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    fuzz_require(sotto_terms_decode(bytes, count, &made[which]) == SOTTO_OK);
    ready[which] = true;
    return &made[which];
}

/* A frame whose spec id, at `offset`, is made right, so that the fuzzer gets past it. */
static inline uint8_t *fuzz_frame(const sotto_terms *terms, const uint8_t *data, size_t size,
                                  size_t offset)
{
    uint8_t *frame = malloc(size + 1);
    fuzz_require(frame != NULL);
    for (size_t i = 0; i < size; i++) {
        bool id = i >= offset && i < offset + SOTTO_SPEC_ID_BYTES;
        frame[i] = id ? terms->id[i - offset] : data[i];
    }
    return frame;
}

#endif
