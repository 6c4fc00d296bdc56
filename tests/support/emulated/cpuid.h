/* A processor that says it has SHA-NI, as far as digest_rounds_x86_64.c asks. */
#ifndef SOTTO_EMULATED_CPUID_H
#define SOTTO_EMULATED_CPUID_H

static inline int __get_cpuid(unsigned leaf, unsigned *a, unsigned *b, unsigned *c, unsigned *d)
{
    (void)leaf;
    *a = *b = *d = 0;
    *c = ~0u;
    return 1;
}

static inline int __get_cpuid_count(unsigned leaf, unsigned part, unsigned *a, unsigned *b,
                                    unsigned *c, unsigned *d)
{
    (void)leaf, (void)part;
    *a = *c = *d = 0;
    *b = ~0u;
    return 1;
}

#endif
