/* Calls the lab. */
#include <sotto/lab.h>
#include <stdio.h>

int main(void)
{
    printf("%s\n", sotto_mechanism_kind_name(SOTTO_MECHANISM_LAPLACE));
    return 0;
}
