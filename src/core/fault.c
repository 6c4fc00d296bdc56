/* One sentence for people about what cannot be used. */
#include "fault.h"
#include "utf8.h"

#include <stdarg.h>
#include <stdio.h>

const char *sotto__fault(char *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int bytes = vsnprintf(text, SOTTO_FAULT_BYTES, format, arguments);
    va_end(arguments);
    if (bytes >= (int)SOTTO_FAULT_BYTES) {
        text[sotto__whole_bytes(text, SOTTO_FAULT_BYTES - 1)] = '\0';
    }
    return text;
}
