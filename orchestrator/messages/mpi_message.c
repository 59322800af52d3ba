#include "orchestrator/messages/mpi_message.h"

#include "orchestrator/messages/mpi_call.h"

int mpi_message_receive(void *buf, size_t nbytes, int from, int tag, uint64_t deadline_ns, bool brisk,
                        struct error *err)
{
    MPI_Request request;
    MPI_Status status;
    int cancelled = 0, rc = MPI_Irecv(buf, (int)nbytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, &request);

    if (rc != MPI_SUCCESS) {
        return mpi_call_error(err, rc, "MPI_Irecv");
    }
    rc = mpi_call_wait(&request, deadline_ns, brisk, "MPI_Irecv", err);
    if (rc != 1) {
        return rc;
    }
    if ((rc = MPI_Cancel(&request)) != MPI_SUCCESS || (rc = MPI_Wait(&request, &status)) != MPI_SUCCESS ||
        (rc = MPI_Test_cancelled(&status, &cancelled)) != MPI_SUCCESS) {
        return mpi_call_error(err, rc, "MPI_Cancel");
    }
    return cancelled ? 1 : 0;
}

int mpi_message_send(const void *buf, size_t nbytes, int to, int tag, uint64_t deadline_ns, struct error *err)
{
    MPI_Request request;
    int rc = MPI_Isend(buf, (int)nbytes, MPI_BYTE, to, tag, MPI_COMM_WORLD, &request);

    if (rc != MPI_SUCCESS) {
        return mpi_call_error(err, rc, "MPI_Isend");
    }
    rc = mpi_call_wait(&request, deadline_ns, true, "MPI_Isend", err);
    if (rc == 1) {
        MPI_Request_free(&request);
    }
    return rc;
}
