/* The PMI-2 wire. See frame.h. */
#include "frame.h"

#include <stdio.h>
#include <string.h>

#include "mpl.h"

static bool is_control(char c)
{
    return ((unsigned char) c < 0x20 && c != '\t') || c == 0x7f;
}

/* ---- in -------------------------------------------------------------------------------------- */

/* A length as "%6d" or "%-6d" would write it; -1: it is none. */
static long take_length(const char *head)
{
    long n = 0;
    int i = 0, digits = 0;

    while (i < MPIR_PMI2_HEAD && head[i] == ' ')
        i++;
    for (; i < MPIR_PMI2_HEAD && head[i] >= '0' && head[i] <= '9'; i++, digits++)
        n = n * 10 + (head[i] - '0');
    while (i < MPIR_PMI2_HEAD && head[i] == ' ')
        i++;
    return digits > 0 && i == MPIR_PMI2_HEAD ? n : -1;
}

char *MPIR_Pmi2_take(MPIR_Pmi_in *in, const char **why)
{
    char *head = in->text + in->first, *body = head + MPIR_PMI2_HEAD;
    size_t have = in->end - in->first;

    *why = NULL;
    if (have < MPIR_PMI2_HEAD)
        return NULL;
    long n = take_length(head);
    if (n <= 0)
        *why = "no length of 1 or more in six bytes";
    else if ((size_t) n > sizeof(in->text) - MPIR_PMI2_HEAD)
        *why = "a length beyond all bounds";
    else if (memchr(body, '\0', MPL_MIN((size_t) n, have - MPIR_PMI2_HEAD)))
        *why = "a NUL byte";
    if (*why || have - MPIR_PMI2_HEAD < (size_t) n)
        return NULL;
    in->first += MPIR_PMI2_HEAD + (size_t) n;
    /* one byte to the left, so that the NUL does not fall on the next frame */
    memmove(body - 1, body, (size_t) n);
    body[n - 1] = '\0';
    return body - 1;
}

/* End the value that starts at p, and take its doubled semicolons for one; returns where the next
 * key starts. */
static char *take_value(char *p)
{
    char *to = p;

    while (*p && (*p != ';' || p[1] == ';')) {
        p += *p == ';';
        *to++ = *p++;
    }
    char *rest = *p ? p + 1 : p;
    *to = '\0';
    return rest;
}

static char *take_pair(char *p, MPIR_Pmi_pair *pair, const char **why)
{
    size_t n = strcspn(p, "=;");

    if (n == 0 || p[n] != '=') {
        *why = n == 0 ? "a value without a key" : "a key without a value";
        return NULL;
    }
    p[n] = '\0';
    pair->key = p;
    pair->value = p + n + 1;
    return take_value(pair->value);
}

static bool add_pair(MPIR_Pmi_msg *msg, MPIR_Pmi_pair pair, const char **why)
{
    if (strcmp(pair.key, "cmd") == 0) {
        *why = msg->cmd ? "two commands in one message" : NULL;
        msg->cmd = pair.value;
        return !*why;
    }
    if (msg->n == MPIR_PMI_PAIRS_MAX) {
        *why = "too many keys in one message";
        return false;
    }
    msg->pair[msg->n++] = pair;
    return true;
}

bool MPIR_Pmi2_parse(char *text, MPIR_Pmi_msg *msg, const char **why)
{
    size_t n = strlen(text);

    *why = NULL;
    msg->cmd = NULL;
    msg->multi = false;
    msg->n = 0;
    if (n > 0 && text[n - 1] == '\n')
        text[--n] = '\0';
    for (size_t i = 0; i < n; i++) {
        if (is_control(text[i])) {
            *why = "a control character";
            return false;
        }
    }
    while (*text) {
        MPIR_Pmi_pair pair;
        text = take_pair(text, &pair, why);
        if (!text || !add_pair(msg, pair, why))
            return false;
    }
    return true;
}

/* ---- out ------------------------------------------------------------------------------------- */

static void put_char(MPIR_Pmi_out *out, char c)
{
    if (out->len < sizeof(out->text))
        out->text[out->len++] = c;
    else
        out->bad = true;
}

size_t MPIR_Pmi2_begin(MPIR_Pmi_out *out, const char *cmd)
{
    size_t start = out->len;

    for (int i = 0; i < MPIR_PMI2_HEAD; i++)
        put_char(out, ' ');
    MPIR_Pmi2_str(out, "cmd", cmd);
    return start;
}

void MPIR_Pmi2_str(MPIR_Pmi_out *out, const char *key, const char *value)
{
    for (; *key; key++)
        put_char(out, *key);
    put_char(out, '=');
    for (; *value; value++) {
        if (is_control(*value))
            out->bad = true;
        if (*value == ';')
            put_char(out, ';');
        put_char(out, *value);
    }
    put_char(out, ';');
}

void MPIR_Pmi2_int(MPIR_Pmi_out *out, const char *key, long long value)
{
    char text[24];

    snprintf(text, sizeof(text), "%lld", value);
    MPIR_Pmi2_str(out, key, text);
}

void MPIR_Pmi2_end(MPIR_Pmi_out *out, size_t start)
{
    char head[MPIR_PMI2_HEAD + 20];

    if (out->bad)
        return;
    snprintf(head, sizeof(head), "%6zu", out->len - start - MPIR_PMI2_HEAD);
    memcpy(out->text + start, head, MPIR_PMI2_HEAD);
}
