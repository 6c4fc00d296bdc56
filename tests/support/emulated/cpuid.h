/* A processor that reports SHA-NI to digest_rounds_x86_64.c, and counts how often it is asked. */
#ifndef SOTTO_EMULATED_CPUID_H
#define SOTTO_EMULATED_CPUID_H

extern unsigned emulated_questions;
#ifndef EMULATED_SHA
#define EMULATED_SHA 1
#endif

static inline int __get_cpuid(unsigned leaf, unsigned *a, unsigned *b, unsigned *c, unsigned *d)
{
    (void)leaf;
    emulated_questions++;
    *a = *b = *d = 0;
    *c = ~0u;
    return 1;
}

static inline int __get_cpuid_count(unsigned leaf, unsigned part, unsigned *a, unsigned *b,
                                    unsigned *c, unsigned *d)
{
    (void)leaf, (void)part;
    *a = *c = *d = 0;
    *b = EMULATED_SHA ? ~0u : 0;
    return 1;
}

#endif
