/* The PMI-2 wire: frames in and out, and what must be refused. */
#include <stdlib.h>

#include "../../src/pmi/pmi2/frame.h"
#include "mpl.h"
#include "utest.h"

static MPIR_Pmi_in in;

static void feed(const char *bytes, size_t size)
{
    size_t room;
    char *space = MPIR_Pmi_in_space(&in, &room);

    UT_CHECK(room >= size);
    memcpy(space, bytes, size);
    MPIR_Pmi_in_filled(&in, size);
}

static void frames_come_whole(void)
{
    static const char stream[] = "    10cmd=a;x=1;8     cmd=b;y=    14cmd=c;z=a;;b;\n";
    const char *why;
    MPIR_Pmi_msg msg;

    memset(&in, 0, sizeof(in));
    for (size_t i = 0, n = 0; i < sizeof(stream) - 1; i++) {
        feed(stream + i, 1);
        char *text = MPIR_Pmi2_take(&in, &why);
        UT_CHECK(!why);
        if (!text)
            continue;
        n++;
        UT_CHECK(MPIR_Pmi2_parse(text, &msg, &why));
        UT_INT_EQ(msg.n, 1);
        UT_CHECK(msg.cmd[0] == "abc"[n - 1]);
        UT_STR_EQ(msg.pair[0].value, n == 1 ? "1" : n == 2 ? "" : "a;b");
        UT_INT_EQ(i, n == 1 ? 15 : n == 2 ? 29 : sizeof(stream) - 2);
    }
    UT_CHECK(!MPIR_Pmi2_take(&in, &why) && !why);
}

static void two_frames_at_once(void)
{
    const char *why;
    MPIR_Pmi_msg msg;

    memset(&in, 0, sizeof(in));
    feed("     6cmd=a;     6cmd=b;", 24);
    char *text = MPIR_Pmi2_take(&in, &why);
    UT_CHECK(text && MPIR_Pmi2_parse(text, &msg, &why));
    UT_STR_EQ(msg.cmd, "a");
    text = MPIR_Pmi2_take(&in, &why);
    UT_CHECK(text && MPIR_Pmi2_parse(text, &msg, &why));
    UT_STR_EQ(msg.cmd, "b");
}

static void wrong_lengths(void)
{
    static const struct {
        const char *bytes;
        size_t size;
    } wrong[] = {
        { "cmd=re", 6 },         { "      ", 6 },       { "     0", 6 }, { "    -5cmd=a", 11 },
        { " 1 2 3", 6 },         { "999999", 6 },       { "  8187", 6 }, { "0x0010", 6 },
        { "     6cm\0d=a", 12 }, { "\0\0\0\0\0\0", 6 },
    };
    for (size_t i = 0; i < MPL_ARRAY_SIZE(wrong); i++) {
        const char *why;
        memset(&in, 0, sizeof(in));
        feed(wrong[i].bytes, wrong[i].size);
        if (MPIR_Pmi2_take(&in, &why) || !why)
            UT_FAIL("case %zu was taken", i);
    }
}

static void wrong_messages(void)
{
    static const char *const wrong[] = { "cmd", "cmd=a;cmd=b;", "cmd=a;x;",  "cmd=a;=1;",
                                         ";",   "cmd=a\nb;",    "cmd=a;;;x", "\x7f=1;" };
    char text[8192];
    const char *why;
    MPIR_Pmi_msg msg;

    for (size_t i = 0; i < MPL_ARRAY_SIZE(wrong); i++) {
        strcpy(text, wrong[i]);
        if (MPIR_Pmi2_parse(text, &msg, &why) || !why)
            UT_FAIL("\"%s\" was taken", wrong[i]);
    }
    strcpy(text, "cmd=a;");
    for (int i = 0; i <= MPIR_PMI_PAIRS_MAX; i++)
        strcat(text, "k=v;");
    UT_CHECK(!MPIR_Pmi2_parse(text, &msg, &why));
    strcpy(text, "x=1;");
    UT_CHECK(MPIR_Pmi2_parse(text, &msg, &why) && !msg.cmd); /* the caller looks at cmd */
}

static void what_is_sent(void)
{
    static MPIR_Pmi_out out;
    static char big[MPIR_PMI_LINE_MAX];

    MPIR_Pmi_out_clear(&out);
    size_t start = MPIR_Pmi2_begin(&out, "kvs-put");
    MPIR_Pmi2_str(&out, "key", "a;b");
    MPIR_Pmi2_int(&out, "n", -7);
    MPIR_Pmi2_end(&out, start);
    start = MPIR_Pmi2_begin(&out, "kvs-fence");
    MPIR_Pmi2_end(&out, start);
    UT_CHECK(!out.bad);
    static const char expected[] = "    26cmd=kvs-put;key=a;;b;n=-7;    14cmd=kvs-fence;";
    UT_INT_EQ(out.len, sizeof(expected) - 1);
    UT_CHECK(memcmp(out.text, expected, out.len) == 0);

    MPIR_Pmi_out_clear(&out);
    start = MPIR_Pmi2_begin(&out, "x");
    MPIR_Pmi2_str(&out, "key", "two\nlines");
    UT_CHECK(out.bad);
    MPIR_Pmi_out_clear(&out);
    memset(big, 'x', sizeof(big) - 1);
    start = MPIR_Pmi2_begin(&out, "x");
    MPIR_Pmi2_str(&out, "key", big);
    MPIR_Pmi2_end(&out, start);
    UT_CHECK(out.bad);
}

int main(void)
{
    UT_RUN(frames_come_whole);
    UT_RUN(two_frames_at_once);
    UT_RUN(wrong_lengths);
    UT_RUN(wrong_messages);
    UT_RUN(what_is_sent);
    return UT_REPORT();
}
