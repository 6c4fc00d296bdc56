/* One sentence for people about what cannot be used. */
#include "fault.h"

#include <stdarg.h>
#include <stdio.h>

const char *sotto__fault(char *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, SOTTO_FAULT_BYTES, format, arguments);
    va_end(arguments);
    return text;
}
