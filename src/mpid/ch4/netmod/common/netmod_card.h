/* An address card as text that every launcher carries: letters, digits, - and _ (base 64). */
#ifndef NETMOD_CARD_H_INCLUDED
#define NETMOD_CARD_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

/* False: the text does not fit. */
bool Netmod_card_encode(const void *bytes, size_t n, char *text, size_t size);
/* Number of bytes, or -1: they do not fit, or the text is none of ours. */
long Netmod_card_decode(const char *text, void *bytes, size_t size);

#endif /* NETMOD_CARD_H_INCLUDED */
