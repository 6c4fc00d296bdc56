/* How wide help may be. */
#include "columns.h"
#include "words.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

uint32_t columns_of(uint32_t terminal, const char *variable)
{
    uint64_t columns = terminal;
    bool told = columns > 0 || (variable != NULL && word_whole(variable, &columns) && columns > 0);
    if (!told) return COLUMNS_USUAL;
    if (columns < COLUMNS_MIN) return COLUMNS_MIN;
    return columns > COLUMNS_MAX ? COLUMNS_MAX : (uint32_t)columns;
}

uint32_t columns_of_output(void)
{
    struct winsize size = {0};
    bool terminal = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    return columns_of(terminal ? size.ws_col : 0, getenv("COLUMNS"));
}
