/* The PMI-1 line protocol. See pmi_wire.h. Keeps no state. */
#include "pmi_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi.h"

static bool is_control(char c)
{
    return ((unsigned char) c < 0x20 && c != '\t') || c == 0x7f;
}

/* End the value that starts at p; returns where the rest of the line starts. */
static char *take_value(char *p, const char **why)
{
    while (*p && *p != ' ') {
        if (*p == '\\' && *++p == '\0') {
            *why = "a backslash at the end of the line";
            return NULL;
        }
        p++;
    }
    char *rest = *p ? p + 1 : p;
    *p = '\0';
    return rest;
}

/* Take one key and its value; returns the rest of the line. */
static char *take_pair(char *p, MPIR_Pmi_pair *pair, const char **why)
{
    size_t n = strcspn(p, "= ");
    char stop = p[n];

    if (n == 0) {
        *why = "a value without a key";
        return NULL;
    }
    pair->key = p;
    pair->value = p + n;
    p[n] = '\0';
    if (stop == '=') {
        pair->value = p + n + 1;
        return take_value(p + n + 1, why);
    }
    return stop ? p + n + 1 : p + n;
}

static bool add_pair(MPIR_Pmi_msg *msg, MPIR_Pmi_pair pair, const char **why)
{
    bool multi = strcmp(pair.key, "mcmd") == 0;

    if (multi || strcmp(pair.key, "cmd") == 0) {
        if (msg->cmd) {
            *why = "two commands in one line";
            return false;
        }
        msg->cmd = pair.value;
        msg->multi = multi;
        return true;
    }
    if (msg->n == MPIR_PMI_PAIRS_MAX) {
        *why = "too many keys in one line";
        return false;
    }
    msg->pair[msg->n++] = pair;
    return true;
}

bool MPIR_Pmi_parse(char *line, MPIR_Pmi_msg *msg, const char **why)
{
    *why = NULL;
    msg->cmd = NULL;
    msg->multi = false;
    msg->n = 0;
    for (const char *p = line; *p; p++) {
        if (is_control(*p)) {
            *why = "a control character";
            return false;
        }
    }
    char *p = line + strspn(line, " ");
    while (*p) {
        MPIR_Pmi_pair pair;
        p = take_pair(p, &pair, why);
        if (!p || !add_pair(msg, pair, why))
            return false;
        p += strspn(p, " ");
    }
    return true;
}

char *MPIR_Pmi_unescape(char *value)
{
    char *to = value;

    for (const char *p = value; *p; p++) {
        if (*p == '\\' && p[1])
            p++;
        *to++ = *p;
    }
    *to = '\0';
    return value;
}

const char *MPIR_Pmi_find(const MPIR_Pmi_msg *msg, const char *key)
{
    for (int i = 0; i < msg->n; i++) {
        if (strcmp(msg->pair[i].key, key) == 0)
            return msg->pair[i].value;
    }
    return NULL;
}

char *MPIR_Pmi_in_space(MPIR_Pmi_in *in, size_t *size)
{
    if (in->first > 0) {
        memmove(in->text, in->text + in->first, in->end - in->first);
        in->end -= in->first;
        in->first = 0;
    }
    *size = sizeof(in->text) - in->end;
    return in->text + in->end;
}

void MPIR_Pmi_in_filled(MPIR_Pmi_in *in, size_t size)
{
    in->end += size;
}

char *MPIR_Pmi_in_line(MPIR_Pmi_in *in, const char **why)
{
    char *line = in->text + in->first;
    size_t have = in->end - in->first;
    char *newline = memchr(line, '\n', have);

    *why = NULL;
    if (!newline) {
        if (have == sizeof(in->text))
            *why = "a line that does not end";
        return NULL;
    }
    if (memchr(line, '\0', (size_t) (newline - line))) {
        *why = "a NUL byte";
        return NULL;
    }
    in->first += (size_t) (newline - line) + 1;
    *newline = '\0';
    return line;
}

void MPIR_Pmi_out_clear(MPIR_Pmi_out *out)
{
    out->len = 0;
    out->bad = false;
}

static void put_char(MPIR_Pmi_out *out, char c)
{
    if (out->len < sizeof(out->text))
        out->text[out->len++] = c;
    else
        out->bad = true;
}

static void put_text(MPIR_Pmi_out *out, const char *text)
{
    for (; *text; text++)
        put_char(out, *text);
}

void MPIR_Pmi_out_cmd(MPIR_Pmi_out *out, const char *cmd)
{
    put_text(out, "cmd=");
    put_text(out, cmd);
}

void MPIR_Pmi_out_str(MPIR_Pmi_out *out, const char *key, const char *value)
{
    put_char(out, ' ');
    put_text(out, key);
    put_char(out, '=');
    for (; *value; value++) {
        if (is_control(*value))
            out->bad = true; /* a newline would start another command */
        if (*value == ' ' || *value == '\\')
            put_char(out, '\\');
        put_char(out, *value);
    }
}

void MPIR_Pmi_out_raw(MPIR_Pmi_out *out, const char *key, const char *value)
{
    put_char(out, ' ');
    put_text(out, key);
    put_char(out, '=');
    put_text(out, value);
}

void MPIR_Pmi_out_int(MPIR_Pmi_out *out, const char *key, long long value)
{
    char text[24];

    snprintf(text, sizeof(text), "%lld", value);
    MPIR_Pmi_out_str(out, key, text);
}

void MPIR_Pmi_out_end(MPIR_Pmi_out *out)
{
    put_char(out, '\n');
}

bool MPIR_Pmi_is_plain(const char *value)
{
    for (; *value; value++) {
        if (is_control(*value) || *value == ' ' || *value == '\\' || *value == '=' ||
            *value == '\t')
            return false;
    }
    return true;
}

/* Moves *p behind a number in [0, size). */
static bool take_rank(const char **p, int size, long *rank)
{
    if (**p < '0' || **p > '9')
        return false;
    char *end;
    /* too large gives LONG_MAX, which is refused like any rank beyond the job */
    *rank = strtol(*p, &end, 10);
    *p = end;
    return *rank < size;
}

bool MPIR_Pmi_ranks_valid(const char *ranks, int size)
{
    for (const char *p = ranks;; p++) {
        long first, last;
        if (!take_rank(&p, size, &first))
            return false;
        if (*p == '-') {
            p++;
            if (!take_rank(&p, size, &last) || last < first)
                return false;
        }
        if (*p == '\0')
            return true;
        if (*p != ',')
            return false;
    }
}

bool MPIR_Pmi_pset_name_valid(const char *name, size_t len)
{
    static const char reserved[] = "mpi://";
    const size_t n = sizeof(reserved) - 1;

    return len > 0 && len < MPI_MAX_PSET_NAME_LEN && (len < n || memcmp(name, reserved, n) != 0);
}

const char *MPIR_Pmi_quote(const char *text, char *buf, size_t size)
{
    size_t n = 0;

    for (; *text && n + 1 < size; text++)
        buf[n++] = *text < 0x20 || *text > 0x7e ? '?' : *text;
    buf[n] = '\0';
    if (*text && n >= 3)
        memcpy(buf + n - 3, "...", 3);
    return buf;
}
