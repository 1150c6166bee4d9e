/* Bytes as text and back. */
#include "netmod_card.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

bool Netmod_card_encode(const void *bytes, size_t n, char *text, size_t size)
{
    const unsigned char *in = bytes;
    unsigned bits = 0, held = 0;
    if ((n * 8 + 5) / 6 + 1 > size)
        return false;
    for (size_t i = 0; i < n; i++) {
        bits = bits << 8 | in[i];
        for (held += 8; held >= 6; held -= 6)
            *text++ = digits[bits >> (held - 6) & 63];
    }
    if (held > 0)
        *text++ = digits[bits << (6 - held) & 63];
    *text = '\0';
    return true;
}

long Netmod_card_decode(const char *text, void *bytes, size_t size)
{
    unsigned char *out = bytes;
    unsigned bits = 0, held = 0;
    size_t n = 0;
    for (; *text; text++) {
        const char *digit = strchr(digits, *text);
        if (!digit)
            return -1;
        bits = bits << 6 | (unsigned) (digit - digits);
        held += 6;
        if (held < 8)
            continue;
        held -= 8;
        if (n == size)
            return -1;
        out[n++] = (unsigned char) (bits >> held);
    }
    return (long) n;
}
