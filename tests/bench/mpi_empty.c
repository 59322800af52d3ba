/* The least an MPI program can do: what bench_startup compares with. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rc = MPI_Init(&argc, &argv);

    return rc == MPI_SUCCESS ? MPI_Finalize() : rc;
}
