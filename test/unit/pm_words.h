/* mpiexec's command line, written as one string. */
#ifndef PM_WORDS_H_INCLUDED
#define PM_WORDS_H_INCLUDED

#include <stdio.h>
#include <string.h>

/* "mpiexec" and the words that are separated by '|', until the next call. Returns how many. */
static int pm_words(const char *words, char ***argv)
{
    static char copy[1000];
    static char *list[64];
    int n = 0;

    list[n++] = "mpiexec";
    snprintf(copy, sizeof(copy), "%s", words);
    for (char *p = copy, *next; p; p = next) {
        next = strchr(p, '|');
        if (next)
            *next++ = '\0';
        list[n++] = p;
    }
    list[n] = NULL;
    *argv = list;
    return n;
}

#endif /* PM_WORDS_H_INCLUDED */
