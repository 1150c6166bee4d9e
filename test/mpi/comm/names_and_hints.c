/* Names of communicators, and the hints they keep. */
#include "mpitest.h"

static void names(void)
{
    char name[MPI_MAX_OBJECT_NAME + 10], got[MPI_MAX_OBJECT_NAME];
    MPI_Comm comm;
    int length = -1;
    MTEST_MPI(MPI_Comm_get_name(MPI_COMM_WORLD, got, &length));
    MTEST_STR_EQ(got, "MPI_COMM_WORLD");
    MTEST_INT_EQ(length, 14);
    MTEST_MPI(MPI_Comm_get_name(MPI_COMM_SELF, got, &length));
    MTEST_STR_EQ(got, "MPI_COMM_SELF");
    MTEST_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    MTEST_MPI(MPI_Comm_get_name(comm, got, &length));
    MTEST_STR_EQ(got, "");
    MTEST_INT_EQ(length, 0);
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    MTEST_MPI(MPI_Comm_set_name(comm, name));
    MTEST_MPI(MPI_Comm_get_name(comm, got, &length));
    MTEST_INT_EQ(length, MPI_MAX_OBJECT_NAME - 1);
    MTEST_INT_EQ(strlen(got), MPI_MAX_OBJECT_NAME - 1);
    MTEST_MPI(MPI_Comm_free(&comm));
}

static void expect_hint(MPI_Comm comm, const char *key, const char *want)
{
    MPI_Info info;
    char value[100] = "(none)";
    int length = sizeof value, flag = 0;
    MTEST_MPI(MPI_Comm_get_info(comm, &info));
    MTEST_MPI(MPI_Info_get_string(info, key, &length, value, &flag));
    MTEST_INT_EQ(flag, want != NULL);
    if (want && flag)
        MTEST_STR_EQ(value, want);
    MTEST_MPI(MPI_Info_free(&info));
}

static void hints(void)
{
    MPI_Info info;
    MPI_Comm a, b;
    MTEST_MPI(MPI_Info_create(&info));
    MTEST_MPI(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
    MTEST_MPI(MPI_Info_set(info, "mpi_assert_exact_length", "maybe"));
    MTEST_MPI(MPI_Info_set(info, "no_such_hint", "true"));
    MTEST_MPI(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &a));
    expect_hint(a, "mpi_assert_no_any_tag", "true");
    expect_hint(a, "mpi_assert_exact_length", "false");
    expect_hint(a, "mpi_assert_no_any_source", "false");
    expect_hint(a, "no_such_hint", NULL);
    expect_hint(a, "mpi_memory_alloc_kinds", "mpi,system");
    MTEST_MPI(MPI_Comm_dup(a, &b)); /* without hints */
    expect_hint(b, "mpi_assert_no_any_tag", "false");
    MTEST_MPI(MPI_Comm_set_info(b, info));
    expect_hint(b, "mpi_assert_no_any_tag", "true");
    MTEST_MPI(MPI_Info_set(info, "mpi_assert_no_any_tag", "false"));
    MTEST_MPI(MPI_Comm_set_info(b, info));
    expect_hint(b, "mpi_assert_no_any_tag", "false");
    MTEST_MPI(MPI_Comm_set_info(b, MPI_INFO_NULL));
    MTEST_MPI(MPI_Comm_free(&a));
    MTEST_MPI(MPI_Comm_free(&b));
    MTEST_MPI(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
    int rank, size;
    MTest_init_world(&argc, &argv, &rank, &size);
    names();
    hints();
    MPI_Finalize();
    return MTest_report(rank);
}
