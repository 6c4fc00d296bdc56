/* What a test borrows is released when the test ends, passed or failed, in reverse order. */
#ifndef SOTTO_BORROWED_H
#define SOTTO_BORROWED_H

/* For fixtures: releases an object at the end of the test: after_test(release_sotto_model,
 * model). */
void after_test(void (*how)(void *), void *it);
/* Releases it now. */
void release(void *it);
void release_all(void);

/* Defines release_TYPE. */
#define RELEASED_BY(function, type)                                                                \
    static inline void release_##type(void *it)                                                    \
    {                                                                                              \
        function((type *)it);                                                                      \
    }

#endif
