/* The PMI-1 line protocol: bytes to lines, lines to keys and values, and back.
 *
 * Shared by the client in the library and by the server in mpiexec; calls only MPL and the C
 * library, and does no input or output. One line is `cmd=<name> key=value ...\n`: spaces separate,
 * a backslash escapes the character that follows it in a value, a key may have no value, the order
 * of keys is free. Whatever comes in is taken for hostile.
 */
#ifndef PMI_WIRE_H_INCLUDED
#define PMI_WIRE_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

/* longest line with its newline: a value of 1,024 bytes, all escaped, fits three times */
#define MPIR_PMI_LINE_MAX 8192
#define MPIR_PMI_PAIRS_MAX 32 /* the longest known message has 6 */
#define MPIR_PMI_KEY_MAX 64 /* with the NUL, as every known server has it */

/* ---- a message that came --------------------------------------------------------------------- */

typedef struct MPIR_Pmi_pair {
    const char *key;
    char *value; /* "" where the line gives none */
} MPIR_Pmi_pair;

/* Points into the line that it was parsed from. */
typedef struct MPIR_Pmi_msg {
    const char *cmd; /* NULL: the line has no cmd= and no mcmd= */
    bool multi; /* mcmd=: more lines follow, up to endcmd */
    int n;
    MPIR_Pmi_pair pair[MPIR_PMI_PAIRS_MAX];
} MPIR_Pmi_msg;

/* Parse a line without its newline, in place. Values keep their backslashes, so that a server hands
 * on what it was given, whether or not its client knows of escapes. False: *why says what is wrong
 * with the line. */
bool MPIR_Pmi_parse(char *line, MPIR_Pmi_msg *msg, const char **why);

/* Take the backslashes out of a value, in place; returns it. */
char *MPIR_Pmi_unescape(char *value);

/* Value of a key, or NULL if the message does not have it. */
const char *MPIR_Pmi_find(const MPIR_Pmi_msg *msg, const char *key);

/* ---- lines out of a byte stream -------------------------------------------------------------- */

/* All-zero is its valid initial state. */
typedef struct MPIR_Pmi_in {
    char text[MPIR_PMI_LINE_MAX];
    size_t first, end; /* bytes not yet taken */
} MPIR_Pmi_in;

/* Where to put the bytes that come next, and how many fit. 0 fit only while a line that is too long
 * was not taken. */
char *MPIR_Pmi_in_space(MPIR_Pmi_in *in, size_t *size);

/* So many bytes were put there. */
void MPIR_Pmi_in_filled(MPIR_Pmi_in *in, size_t size);

/* The next whole line, valid until the next call of MPIR_Pmi_in_space(), or NULL: then *why is NULL
 * if more bytes are needed, else it says what is wrong (too long, NUL byte) and the stream cannot
 * be used further. */
char *MPIR_Pmi_in_line(MPIR_Pmi_in *in, const char **why);

/* ---- a message to send ----------------------------------------------------------------------- */

/* One or more lines. */
typedef struct MPIR_Pmi_out {
    size_t len;
    bool bad; /* something did not fit or cannot be said on this wire */
    char text[MPIR_PMI_LINE_MAX];
} MPIR_Pmi_out;

void MPIR_Pmi_out_clear(MPIR_Pmi_out *out);
void MPIR_Pmi_out_cmd(MPIR_Pmi_out *out, const char *cmd); /* starts a line */
void MPIR_Pmi_out_str(MPIR_Pmi_out *out, const char *key, const char *value);
/* as it came, with its backslashes */
void MPIR_Pmi_out_raw(MPIR_Pmi_out *out, const char *key, const char *value);
void MPIR_Pmi_out_int(MPIR_Pmi_out *out, const char *key, long long value);
void MPIR_Pmi_out_end(MPIR_Pmi_out *out); /* ends the line */

/* Is the value the same on the wire as it is here, so that a server without escapes (PMI 1.1) can
 * carry it? */
bool MPIR_Pmi_is_plain(const char *value);

/* Is it a list such as "0,2-5" of ranks below `size`? (Process sets are handed down so.) */
bool MPIR_Pmi_ranks_valid(const char *ranks, int size);

/* May a launcher give a process set this name? Those that begin with mpi:// are the standard's, and a longer one has no room
 * in MPI_MAX_PSET_NAME_LEN. */
bool MPIR_Pmi_pset_name_valid(const char *name, size_t len);

/* ---- for messages to people ------------------------------------------------------------------ */

/* Copy of foreign text, cut and with unprintable bytes as '?', fit for a terminal. */
const char *MPIR_Pmi_quote(const char *text, char *buf, size_t size);

#endif /* PMI_WIRE_H_INCLUDED */
