/* The smallest program without MPI, for measuring its whole life from outside. */
#include <stdio.h>

int main(void)
{
    printf("hello\n");
    return 0;
}
