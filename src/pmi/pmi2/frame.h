/* The PMI-2 wire: six bytes of decimal length, then `cmd=name;key=value;...`. A semicolon in a value
 * is doubled. Keeps no state and does no input or output; whatever comes in is taken for hostile.
 */
#ifndef PMI2_FRAME_H_INCLUDED
#define PMI2_FRAME_H_INCLUDED

#include "../wire/pmi_wire.h"

#define MPIR_PMI2_HEAD 6 /* bytes of the length */

/* As MPIR_Pmi_in_line() and MPIR_Pmi_parse(); values come without escapes. */
char *MPIR_Pmi2_take(MPIR_Pmi_in *in, const char **why);
bool MPIR_Pmi2_parse(char *text, MPIR_Pmi_msg *msg, const char **why);

/* A frame is appended to `out`, so that several can be sent in one write: begin returns where it
 * starts, which end needs for the length. out->bad says that something did not fit or cannot be
 * said. */
size_t MPIR_Pmi2_begin(MPIR_Pmi_out *out, const char *cmd);
void MPIR_Pmi2_str(MPIR_Pmi_out *out, const char *key, const char *value);
void MPIR_Pmi2_int(MPIR_Pmi_out *out, const char *key, long long value);
void MPIR_Pmi2_end(MPIR_Pmi_out *out, size_t start);

#endif /* PMI2_FRAME_H_INCLUDED */
