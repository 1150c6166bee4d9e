/* Runs epochs over the example transport and checks by its counters that re-init rebuilt nothing; dgram.py builds both. */
#include <dlfcn.h>

#include "dgram.h"
#include "mpitest.h"

enum { EPOCHS = 25 };

static void use(MPI_Comm comm, int rank, int size, int n)
{
    char *out = malloc((size_t) n), *in = calloc((size_t) n, 1);
    memset(out, rank + 1, (size_t) n);
    int left = (rank + size - 1) % size;
    MTEST_MPI(MPI_Sendrecv(out, n, MPI_CHAR, (rank + 1) % size, 1, in, n, MPI_CHAR, left, 1, comm,
                           MPI_STATUS_IGNORE));
    MTEST_INT_EQ(in[0], left + 1);
    MTEST_INT_EQ(in[n - 1], left + 1);
    free(out);
    free(in);
}

int main(void)
{
    int rank = -1, size = 0, deferred = MTest_cvar_int("MPIR_CVAR_FINALIZE_ATEXIT");
    const Dgram_counts *counts = NULL;
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        MPI_Session s = MTest_session();
        MPI_Comm comm = MTest_session_comm(s, "mpi://WORLD", "dgram");
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        use(comm, rank, size, 8);
        use(comm, rank, size, 300000);
        MTEST_MPI(MPI_Barrier(comm));
        MTEST_MPI(MPI_Comm_free(&comm));
        MTEST_MPI(MPI_Session_finalize(&s));
        counts = dlsym(dlopen(getenv("MPIR_CVAR_TRANSPORT_PATH"), RTLD_NOW | RTLD_NOLOAD),
                       "dgram_counts");
        if (!counts) {
            MTEST_ERROR("the transport was not loaded");
            break;
        }
    }
    if (counts) {
        MTEST_INT_EQ(counts->init, 1);
        MTEST_INT_EQ(counts->shutdown, 0);
        MTEST_INT_EQ(counts->suspend, deferred ? 0 : EPOCHS);
        MTEST_INT_EQ(counts->resume, deferred ? 0 : EPOCHS - 1);
        MTEST_CHECK(counts->connect <= (unsigned) size, "%u connections", counts->connect);
        /* A process alone talks to itself without a transport. */
        unsigned long least = size > 1 ? 2ul * EPOCHS : 0;
        MTEST_CHECK(counts->send >= least && counts->deliver >= least, "%lu sent, %lu delivered",
                    counts->send, counts->deliver);
    }
    return MTest_report(rank);
}
