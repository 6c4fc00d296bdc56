/* What a test borrows goes back when the test ends, passed or failed: the last first. */
#ifndef SOTTO_BORROWED_H
#define SOTTO_BORROWED_H

/* Fixtures that make an object say who frees it: after_test(release_sotto_model, model). */
void after_test(void (*how)(void *), void *it);
/* Now already. */
void release(void *it);
void release_all(void);

/* Defines release_TYPE. */
#define RELEASED_BY(function, type)                                                                \
    static inline void release_##type(void *it)                                                    \
    {                                                                                              \
        function((type *)it);                                                                      \
    }

#endif
