/* Strings. */
#include "mpl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool MPL_strcpy(char *dst, size_t size, const char *src)
{
    size_t len = strlen(src);
    size_t n = MPL_MIN(len, size - 1);

    memcpy(dst, src, n);
    dst[n] = '\0';
    return n == len;
}

bool MPL_parse_int(const char *text, long long low, long long high, long long *value)
{
    const char *digits = text + (*text == '-' || *text == '+');
    size_t n = strspn(digits, "0123456789");

    /* strtoll alone would take leading blanks, an empty string and what follows the number. */
    if (n == 0 || digits[n] != '\0')
        return false;
    int saved = errno;
    errno = 0;
    long long v = strtoll(text, NULL, 10);
    bool fits = errno == 0 && v >= low && v <= high;
    errno = saved;
    if (fits)
        *value = v;
    return fits;
}

int MPL_edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 255 }; /* what follows is not looked at */
    int row[LONGEST + 1];
    int len_a = (int) strnlen(a, LONGEST), len_b = (int) strnlen(b, LONGEST);

    for (int j = 0; j <= len_b; j++)
        row[j] = j;
    for (int i = 1; i <= len_a; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= len_b; j++) {
            int replace = diagonal + (a[i - 1] != b[j - 1]);
            int insert_or_delete = MPL_MIN(row[j], row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = MPL_MIN(replace, insert_or_delete);
        }
    }
    return row[len_b];
}
