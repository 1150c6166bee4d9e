/* What a unit test includes: a test is a plain function, main is a list of them.
 *
 *     static void empty_ring_gives_nothing(void) { UT_CHECK(ring_pop(&r) == NULL); }
 *     int main(void) { UT_RUN(empty_ring_gives_nothing); return UT_REPORT(); }
 *
 * Needs nothing of MPI, so it serves the lowest layers as well.
 */
#ifndef UTEST_H_INCLUDED
#define UTEST_H_INCLUDED

#include <stdio.h>
#include <string.h>

/* Failures so far and the running test's name; live with the process. */
static struct {
    int failures;
    const char *test;
} ut_state;

#define UT_FAIL(...)                                                                               \
    (ut_state.failures++, fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, ut_state.test),       \
     fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), (void) 0)

#define UT_CHECK(cond)                                                                             \
    do {                                                                                           \
        if (!(cond))                                                                               \
            UT_FAIL("not so: %s", #cond);                                                          \
    } while (0)

#define UT_INT_EQ(got, expected)                                                                   \
    do {                                                                                           \
        long long got_ = (long long) (got), expected_ = (long long) (expected);                    \
        if (got_ != expected_)                                                                     \
            UT_FAIL("%s is %lld, expected %lld", #got, got_, expected_);                           \
    } while (0)

#define UT_STR_EQ(got, expected)                                                                   \
    do {                                                                                           \
        const char *got_ = (got), *expected_ = (expected);                                         \
        if (strcmp(got_, expected_) != 0)                                                          \
            UT_FAIL("%s is \"%s\", expected \"%s\"", #got, got_, expected_);                       \
    } while (0)

#define UT_RUN(test_)                                                                              \
    do {                                                                                           \
        ut_state.test = #test_;                                                                    \
        test_();                                                                                   \
    } while (0)

/* The exit code of main; prints ` No Errors` if all was well. */
#define UT_REPORT()                                                                                \
    (ut_state.failures == 0 ? (puts(" No Errors"), 0)                                              \
                            : (fprintf(stderr, "%d checks failed\n", ut_state.failures), 1))

#endif /* UTEST_H_INCLUDED */
