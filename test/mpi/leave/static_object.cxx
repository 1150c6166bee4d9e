// A C++ static object that opens a session in its constructor and finalizes it in its destructor, after the library's exit hook.
#include "mpitest.h"

namespace {
struct Mpi {
    MPI_Session session;
    int rank;
    Mpi() : session(MTest_session()), rank(-1)
    {
        MPI_Comm comm = MTest_session_comm(session, "mpi://WORLD", "static");
        MPI_Comm_rank(comm, &rank);
        MPI_Barrier(comm);
        MPI_Comm_free(&comm);
    }
    ~Mpi()
    {
        MTEST_MPI(MPI_Session_finalize(&session));
        if (MTest_errs)
            _Exit(1);
    }
} mpi;
} // namespace

int main()
{
    return MTest_report(mpi.rank);
}
