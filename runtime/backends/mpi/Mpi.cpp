//===- backends/mpi/Mpi.cpp - ranks of MPI --------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The communicator of a program that was started by mpirun. Errors are MPI's:
/// by default it prints them and ends all ranks.
///
//===----------------------------------------------------------------------===//

#include "tamrt/communicator.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mpi.h>

namespace {

/// Most bytes of a message: MPI counts them as int.
constexpr int64_t kPieceBytes = int64_t(1) << 28;

/// Requests under way, in memory that grows.
struct Requests {
  MPI_Request *list = nullptr;
  int count = 0, room = 0;

  ~Requests() { std::free(list); }
  MPI_Request *next() {
    if (count == room) {
      room = room == 0 ? 64 : 2 * room;
      auto *larger = static_cast<MPI_Request *>(
          std::realloc(list, size_t(room) * sizeof(MPI_Request)));
      if (!larger) {
        std::fputs("tamrt-mpi: no memory for messages\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
      list = larger;
    }
    return &list[count++];
  }
  void wait() { MPI_Waitall(count, list, MPI_STATUSES_IGNORE); }
};

/// Calls body(bytes before, bytes) for pieces of a message.
template <class Body> void forEachMessage(int64_t bytes, const Body &body) {
  for (int64_t at = 0; at < bytes; at += kPieceBytes)
    body(at, int(bytes - at < kPieceBytes ? bytes - at : kPieceBytes));
}

void send(const char *from, int64_t bytes, int to, Requests &requests) {
  forEachMessage(bytes, [&](int64_t at, int count) {
    MPI_Isend(from + at, count, MPI_BYTE, to, 0, MPI_COMM_WORLD,
              requests.next());
  });
}

void receive(char *to, int64_t bytes, int from, Requests &requests) {
  forEachMessage(bytes, [&](int64_t at, int count) {
    MPI_Irecv(to + at, count, MPI_BYTE, from, 0, MPI_COMM_WORLD,
              requests.next());
  });
}

void allToAll(const tamrt_communicator *self, const void *from,
              const int64_t *sendBytes, void *to, const int64_t *receiveBytes) {
  // Bytes that stay here are copied while others are under way.
  Requests requests;
  auto *receiving = static_cast<char *>(to);
  char *kept = nullptr;
  for (int rank = 0; rank < self->size; ++rank) {
    if (rank == self->rank)
      kept = receiving;
    else
      receive(receiving, receiveBytes[rank], rank, requests);
    receiving += receiveBytes[rank];
  }
  const auto *sending = static_cast<const char *>(from);
  const char *keeping = nullptr;
  for (int rank = 0; rank < self->size; ++rank) {
    if (rank == self->rank)
      keeping = sending;
    else
      send(sending, sendBytes[rank], rank, requests);
    sending += sendBytes[rank];
  }
  if (sendBytes[self->rank] > 0)
    std::memcpy(kept, keeping, size_t(sendBytes[self->rank]));
  requests.wait();
}

void gather(const tamrt_communicator *self, const void *from, int64_t bytes,
            void *to, const int64_t *receiveBytes) {
  Requests requests;
  auto *receiving = static_cast<char *>(to);
  for (int rank = 0; self->rank == 0 && rank < self->size; ++rank) {
    receive(receiving, receiveBytes[rank], rank, requests);
    receiving += receiveBytes[rank];
  }
  send(static_cast<const char *>(from), bytes, 0, requests);
  requests.wait();
}

void broadcast(const tamrt_communicator *, void *data, int64_t bytes) {
  forEachMessage(bytes, [&](int64_t at, int count) {
    MPI_Bcast(static_cast<char *>(data) + at, count, MPI_BYTE, 0,
              MPI_COMM_WORLD);
  });
}

void add(const tamrt_communicator *, int64_t *numbers, int64_t count) {
  forEachMessage(count, [&](int64_t at, int some) {
    MPI_Allreduce(MPI_IN_PLACE, numbers + at, some, MPI_INT64_T, MPI_SUM,
                  MPI_COMM_WORLD);
  });
}

void barrier(const tamrt_communicator *) { MPI_Barrier(MPI_COMM_WORLD); }

void abortAll(const tamrt_communicator *, int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
}

void finish(const tamrt_communicator *) { MPI_Finalize(); }

} // namespace

extern "C" __attribute__((visibility("default"))) const tamrt_communicator *
tamrt_communicator_open(int32_t version, char *error, int64_t errorBytes) {
  if (version != TAMRT_COMMUNICATOR_VERSION) {
    std::snprintf(error, size_t(errorBytes),
                  "expected a model whose runtime has communicators of version "
                  "%d, got version %d",
                  TAMRT_COMMUNICATOR_VERSION, version);
    return nullptr;
  }
  // One thread of a rank calls MPI.
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) !=
          MPI_SUCCESS ||
      provided < MPI_THREAD_FUNNELED) {
    std::snprintf(error, size_t(errorBytes),
                  "expected MPI with threads, got none");
    return nullptr;
  }
  static char name[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(name, &length);
  static tamrt_communicator self = {TAMRT_COMMUNICATOR_VERSION,
                                    0,
                                    1,
                                    1,
                                    name,
                                    nullptr,
                                    allToAll,
                                    gather,
                                    broadcast,
                                    add,
                                    barrier,
                                    abortAll,
                                    finish};
  MPI_Comm_rank(MPI_COMM_WORLD, &self.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &self.size);
  MPI_Comm machine;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                      &machine);
  MPI_Comm_size(machine, &self.local_size);
  MPI_Comm_free(&machine);
  return &self;
}
