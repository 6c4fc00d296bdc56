/* Prints the version of the library, and that of its header. */
#include <sotto/core.h>
#include <stdio.h>

int main(void)
{
    printf("%s %s\n", sotto_version(), SOTTO_VERSION);
    return 0;
}
