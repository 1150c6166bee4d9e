/* The PMI-1 line format and the process mapping, with what a hostile peer may send. */
#include <stdlib.h>

#include "../../src/pmi/pmi_mapping.h"
#include "../../src/pmi/wire/pmi_wire.h"
#include "mpi.h"
#include "mpl.h"
#include "utest.h"

static bool parse(char *buf, const char *line, MPIR_Pmi_msg *msg)
{
    const char *why;

    strcpy(buf, line);
    return MPIR_Pmi_parse(buf, msg, &why);
}

static void keys_and_values(void)
{
    char buf[256];
    MPIR_Pmi_msg msg;

    UT_CHECK(parse(buf, "cmd=get_result rc=0 msg=success value=a\\ b\\\\c=d flag", &msg));
    UT_STR_EQ(msg.cmd, "get_result");
    UT_CHECK(!msg.multi);
    UT_STR_EQ(MPIR_Pmi_find(&msg, "value"), "a\\ b\\\\c=d");
    UT_STR_EQ(MPIR_Pmi_unescape((char *) MPIR_Pmi_find(&msg, "value")), "a b\\c=d");
    UT_STR_EQ(MPIR_Pmi_find(&msg, "flag"), "");
    UT_CHECK(MPIR_Pmi_find(&msg, "val") == NULL);
    UT_CHECK(parse(buf, "  rc=0   cmd=x  ", &msg));
    UT_STR_EQ(msg.cmd, "x");
    UT_CHECK(parse(buf, "mcmd=spawn", &msg) && msg.multi);
    UT_CHECK(parse(buf, "endcmd", &msg) && !msg.cmd);
    UT_CHECK(parse(buf, "", &msg) && !msg.cmd && msg.n == 0);
    UT_CHECK(parse(buf, "cmd= a=", &msg));
    UT_STR_EQ(msg.cmd, "");
}

static void malformed_lines(void)
{
    char buf[1024], many[1024] = "cmd=a";
    MPIR_Pmi_msg msg;

    UT_CHECK(!parse(buf, "cmd=a cmd=b", &msg));
    UT_CHECK(!parse(buf, "cmd=a mcmd=b", &msg));
    UT_CHECK(!parse(buf, "cmd=a =b", &msg));
    UT_CHECK(!parse(buf, "cmd=a b=c\\", &msg));
    UT_CHECK(!parse(buf, "cmd=a b=\x01", &msg));
    UT_CHECK(!parse(buf, "cmd=a\r", &msg));
    for (int i = 0; i <= MPIR_PMI_PAIRS_MAX; i++)
        strcat(many, " k=v");
    UT_CHECK(!parse(buf, many, &msg));
}

static void feed(MPIR_Pmi_in *in, const char *bytes, size_t size)
{
    size_t space;
    char *to = MPIR_Pmi_in_space(in, &space);

    UT_CHECK(size <= space);
    memcpy(to, bytes, size);
    MPIR_Pmi_in_filled(in, size);
}

static void lines_in_pieces(void)
{
    static MPIR_Pmi_in in;
    static const char text[] = "cmd=a\ncmd=bb\n\nrest";
    const char *why;
    char seen[64] = "";

    for (size_t i = 0; i < sizeof(text) - 1; i++) {
        feed(&in, text + i, 1);
        for (char *line; (line = MPIR_Pmi_in_line(&in, &why));)
            strcat(strcat(seen, line), "|");
        UT_CHECK(!why);
    }
    UT_STR_EQ(seen, "cmd=a|cmd=bb||");
    feed(&in, "\n", 1);
    UT_STR_EQ(MPIR_Pmi_in_line(&in, &why), "rest");
}

static void lines_that_are_none(void)
{
    static MPIR_Pmi_in in, nul;
    const char *why;
    size_t space;

    memset(MPIR_Pmi_in_space(&in, &space), 'x', MPIR_PMI_LINE_MAX);
    MPIR_Pmi_in_filled(&in, MPIR_PMI_LINE_MAX);
    UT_CHECK(MPIR_Pmi_in_line(&in, &why) == NULL && why);
    feed(&nul, "cmd\0=a\n", 7);
    UT_CHECK(MPIR_Pmi_in_line(&nul, &why) == NULL && why);
}

static void messages_out(void)
{
    static MPIR_Pmi_out out;
    char big[MPIR_PMI_LINE_MAX + 1];

    MPIR_Pmi_out_clear(&out);
    MPIR_Pmi_out_cmd(&out, "put");
    MPIR_Pmi_out_str(&out, "value", "a b\\");
    MPIR_Pmi_out_int(&out, "n", -5);
    MPIR_Pmi_out_raw(&out, "raw", "a\\ b");
    MPIR_Pmi_out_end(&out);
    out.text[out.len] = '\0';
    UT_CHECK(!out.bad);
    UT_STR_EQ(out.text, "cmd=put value=a\\ b\\\\ n=-5 raw=a\\ b\n");

    MPIR_Pmi_out_clear(&out);
    MPIR_Pmi_out_str(&out, "value", "a\ncmd=abort");
    UT_CHECK(out.bad);
    memset(big, 'x', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    MPIR_Pmi_out_clear(&out);
    MPIR_Pmi_out_str(&out, "value", big);
    UT_CHECK(out.bad && out.len <= sizeof(out.text));
    UT_CHECK(MPIR_Pmi_is_plain("0a:ff/~") && !MPIR_Pmi_is_plain("a b") &&
             !MPIR_Pmi_is_plain("a\\"));
}

static void names_of_process_sets(void)
{
    char name[MPI_MAX_PSET_NAME_LEN];

    memset(name, 'a', sizeof(name));
    UT_CHECK(MPIR_Pmi_pset_name_valid(name, 1) && MPIR_Pmi_pset_name_valid(name, sizeof(name) - 1));
    UT_CHECK(!MPIR_Pmi_pset_name_valid(name, 0) && !MPIR_Pmi_pset_name_valid(name, sizeof(name)));
    UT_CHECK(MPIR_Pmi_pset_name_valid("mpi:/", 5) && !MPIR_Pmi_pset_name_valid("mpi://a", 7));
}

static void rank_lists(void)
{
    UT_CHECK(MPIR_Pmi_ranks_valid("0", 1) && MPIR_Pmi_ranks_valid("0,2-3", 4) &&
             MPIR_Pmi_ranks_valid("3,1", 4));
    static const char *const wrong[] = { "",     ",",  "0,", "1",
                                         "0-1",  "a",  "0-", "-1",
                                         "0--0", "0;", " 0", "99999999999999999999999999" };
    for (size_t i = 0; i < MPL_ARRAY_SIZE(wrong); i++)
        UT_CHECK(!MPIR_Pmi_ranks_valid(wrong[i], 1));
    UT_CHECK(!MPIR_Pmi_ranks_valid("3-1", 4));
}

/* Nodes of the first n ranks as text. */
static const char *nodes(const char *mapping, int n)
{
    static char text[256];
    MPIR_Pmi_mapping map;
    const char *why;

    text[0] = '\0';
    if (!MPIR_Pmi_mapping_parse(mapping, &map, &why))
        return why ? "refused" : "refused silently";
    for (int i = 0; i < n; i++)
        sprintf(text + strlen(text), "%d", MPIR_Pmi_mapping_node(&map, i));
    MPIR_Pmi_mapping_free(&map);
    return text;
}

static void mappings(void)
{
    UT_STR_EQ(nodes("(vector,(0,1,1))", 3), "000");
    UT_STR_EQ(nodes("(vector,(0,1,4))", 4), "0000");
    UT_STR_EQ(nodes("(vector,(0,3,2))", 8), "00112200");
    UT_STR_EQ(nodes("(vector,(0,2,1),(4,1,2))", 6), "014401");
    UT_STR_EQ(nodes("(vector,0,1,1)", 4), "0110");
    UT_STR_EQ(nodes("(vector,[(0,1,1),(1,1,1)]x2,(2,1,1))", 6), "010120");
    static const char *const wrong[] = { "",
                                         "(",
                                         "(vector",
                                         "(vector)",
                                         "(vector,)",
                                         "(vector,(0,1))",
                                         "(vector,(0,1,1)",
                                         "(vector,(0,0,1))",
                                         "(vector,(0,1,0))",
                                         "(vector,(-1,1,1))",
                                         "(vector,(0,1,1))x",
                                         "(vector,(2147483647,2,1))",
                                         "(vector,(0,99999999999,1))",
                                         "(vector,(1,2147483646,2147483647))",
                                         "(vector,[(0,1,1)])",
                                         "(vector,[(0,1,1)]x0)",
                                         "(vector,[(0,1,1)]x2000000000)",
                                         "(linear,(0,1,1))",
                                         "(vector,[[0]x2]x2)" };
    for (size_t i = 0; i < MPL_ARRAY_SIZE(wrong); i++)
        UT_STR_EQ(nodes(wrong[i], 1), "refused");
}

static void ranks_of_a_node(void)
{
    MPIR_Pmi_mapping map;
    const char *why;
    int ranks[4] = { 0 };

    UT_CHECK(MPIR_Pmi_mapping_parse("(vector,(0,2,2))", &map, &why));
    UT_INT_EQ(MPIR_Pmi_mapping_ranks(&map, 1, 7, ranks, 4), 3); /* 0011001 */
    UT_INT_EQ(ranks[0], 2);
    UT_INT_EQ(ranks[1], 3);
    UT_INT_EQ(ranks[2], 6);
    ranks[0] = -1;
    UT_INT_EQ(MPIR_Pmi_mapping_ranks(&map, 0, 7, ranks, 1), 4);
    UT_INT_EQ(ranks[0], -1); /* no room for all */
    UT_INT_EQ(MPIR_Pmi_mapping_ranks(&map, 9, 7, NULL, 0), 0);
    MPIR_Pmi_mapping_free(&map);
    /* as many ranks as fit into an int, and not a step for each */
    UT_CHECK(MPIR_Pmi_mapping_parse("(vector,(0,1000000,2000))", &map, &why));
    UT_INT_EQ(MPIR_Pmi_mapping_ranks(&map, 999999, 2000000000, NULL, 0), 2000);
    MPIR_Pmi_mapping_free(&map);
}

/* Counted and listed as one rank after the other would be. */
static void as_rank_by_rank(const char *mapping, int size)
{
    MPIR_Pmi_mapping map;
    const char *why;

    UT_CHECK(MPIR_Pmi_mapping_parse(mapping, &map, &why));
    for (int node = 0; node < 6; node++) {
        int ranks[64], n = 0, got = MPIR_Pmi_mapping_ranks(&map, node, size, ranks, 64);
        for (int r = 0; r < size; r++)
            if (MPIR_Pmi_mapping_node(&map, r) == node)
                UT_CHECK(n < got && ranks[n++] == r);
        UT_INT_EQ(got, n);
        UT_INT_EQ(MPIR_Pmi_mapping_count(&map, node, size), n);
    }
    MPIR_Pmi_mapping_free(&map);
}

static void ranks_of_all_nodes(void)
{
    static const char *const text[] = { "(vector,(0,1,1))", "(vector,(0,5,2))", "(vector,(0,3,2),(1,1,3),(0,5,1))",
                                        "(vector,4,3,2,1,0)", "(vector,[(0,2,1),(1,3,2)]x3,0)" };
    for (size_t i = 0; i < MPL_ARRAY_SIZE(text); i++)
        for (int size = 0; size < 64; size++)
            as_rank_by_rank(text[i], size);
}

/* Random bytes in all parsers: whatever comes out, nothing is read or written beyond its place. */
static void noise(void)
{
    static const char letters[] = "cmd=rc \\mvector(),[]x0123456789-\n\x01\xff";
    unsigned seed = 1;

    for (int round = 0; round < 20000; round++) {
        char text[64], *copy;
        size_t n = (size_t) (rand_r(&seed) % 63);
        MPIR_Pmi_msg msg;
        MPIR_Pmi_mapping map;
        const char *why;
        for (size_t i = 0; i < n; i++)
            text[i] = letters[rand_r(&seed) % (int) (sizeof(letters) - 1)];
        text[n] = '\0';
        if (round % 2)
            memcpy(text, "(vector,", MPL_MIN(n, 8));
        if (MPIR_Pmi_mapping_parse(text, &map, &why))
            MPIR_Pmi_mapping_free(&map);
        MPIR_Pmi_ranks_valid(text, 100);
        copy = strdup(text); /* so that a checker of memory sees the end */
        if (MPIR_Pmi_parse(copy, &msg, &why)) {
            for (int i = 0; i < msg.n; i++)
                MPIR_Pmi_unescape(msg.pair[i].value);
        }
        free(copy);
    }
}

int main(void)
{
    UT_RUN(keys_and_values);
    UT_RUN(malformed_lines);
    UT_RUN(lines_in_pieces);
    UT_RUN(lines_that_are_none);
    UT_RUN(messages_out);
    UT_RUN(names_of_process_sets);
    UT_RUN(rank_lists);
    UT_RUN(mappings);
    UT_RUN(ranks_of_a_node);
    UT_RUN(ranks_of_all_nodes);
    UT_RUN(noise);
    return UT_REPORT();
}
