/* How wide help may be. */
#include "columns.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The number that a text of digits is, or COLUMNS_MAX if that is less; 0 for any other text. */
static uint32_t number_of(const char *text)
{
    uint32_t number = 0;
    for (; *text >= '0' && *text <= '9'; text++) {
        number = 10 * number + (uint32_t)(*text - '0');
        if (number > COLUMNS_MAX) number = COLUMNS_MAX;
    }
    return *text == '\0' ? number : 0;
}

uint32_t columns_of(uint32_t terminal, const char *variable)
{
    uint32_t columns = terminal;
    if (columns == 0 && variable != NULL) columns = number_of(variable);
    if (columns == 0) return COLUMNS_USUAL;
    if (columns < COLUMNS_MIN) return COLUMNS_MIN;
    return columns > COLUMNS_MAX ? COLUMNS_MAX : columns;
}

uint32_t columns_of_output(void)
{
    struct winsize size = {0};
    bool terminal = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    return columns_of(terminal ? size.ws_col : 0, getenv("COLUMNS"));
}
