/* The specs under which fuzz targets read frames: one of each payload and model layout. */
#ifndef SOTTO_FUZZ_SPECS_H
#define SOTTO_FUZZ_SPECS_H

#include <sotto/core.h>

#include <stdlib.h>

#define FUZZ_SPECS 4

static inline void fuzz_require(bool condition)
{
    if (!condition) abort();
}

static inline void fuzz_spec_make(int which, sotto_resolved *resolved)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 3;
    spec.arms = 2;
    if (which == 1 || which == 2) {
        spec.parameters = SOTTO_PARAMETERS_PER_ARM;
        spec.method = which == 1 ? SOTTO_METHOD_SOTTO : SOTTO_METHOD_LDP_SGD;
        spec.score = which == 1 ? SOTTO_SCORE_SELF : SOTTO_SCORE_GRADIENT;
        spec.split = which == 1 ? SOTTO_SPLIT_JOINT : SOTTO_SPLIT_PER_ARM;
        spec.epsilon = 5; /* with tags, for method sotto */
    }
    if (which == 3) {
        spec.method = SOTTO_METHOD_LDP_GLOC;
        spec.score = SOTTO_SCORE_GLOC_PAIR;
        spec.delta = 1e-6;
    }
    fuzz_require(sotto_spec_resolve(&spec, resolved) == SOTTO_OK);
}

/* Resolved once: a fuzzer calls a million times. */
static inline const sotto_resolved *fuzz_spec(int which)
{
    static sotto_resolved made[FUZZ_SPECS];
    static bool ready[FUZZ_SPECS];
    if (!ready[which]) fuzz_spec_make(which, &made[which]);
    ready[which] = true;
    return &made[which];
}

/* A frame whose spec id, at `offset`, is made right, so that the fuzzer gets past it. */
static inline uint8_t *fuzz_frame(const sotto_resolved *resolved, const uint8_t *data, size_t size,
                                  size_t offset)
{
    uint8_t *frame = malloc(size + 1);
    fuzz_require(frame != NULL);
    for (size_t i = 0; i < size; i++) {
        bool id = i >= offset && i < offset + SOTTO_SPEC_ID_BYTES;
        frame[i] = id ? resolved->id[i - offset] : data[i];
    }
    return frame;
}

#endif
