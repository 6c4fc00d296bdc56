/* Values and columns, as all printers take them. */
#ifndef SOTTO_CLI_PRINT_VALUE_H
#define SOTTO_CLI_PRINT_VALUE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum print_kind {
    PRINT_TEXT,
    PRINT_NATURAL,
    PRINT_REAL,
    PRINT_FLAG,
    PRINT_NONE
} print_kind;

typedef struct print_value {
    print_kind kind;
    const char *text;
    uint64_t natural; /* flags too */
    double real;
} print_value;

static inline print_value print_text(const char *text)
{
    return (print_value){.kind = PRINT_TEXT, .text = text};
}

static inline print_value print_natural(uint64_t natural)
{
    return (print_value){.kind = PRINT_NATURAL, .natural = natural};
}

static inline print_value print_real(double real)
{
    return (print_value){.kind = PRINT_REAL, .real = real};
}

static inline print_value print_flag(bool flag)
{
    return (print_value){.kind = PRINT_FLAG, .natural = flag};
}

/* No value: as a number that is not finite. */
static inline print_value print_none(void)
{
    return (print_value){.kind = PRINT_NONE};
}

typedef struct print_column {
    const char *key;   /* in the head of CSV, and in JSON; NULL: in the table only */
    const char *title; /* in the head of the table; NULL: not in the table; "": without a head */
    int width;         /* of the table; negative: words to the left */
    int digits;        /* significant ones of a real, in the table */
    int digits_exact;  /* and for programs; 0: all, so that the number can be read back */
} print_column;

#endif
