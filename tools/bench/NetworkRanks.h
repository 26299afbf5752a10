//===- bench/NetworkRanks.h - ranks with a model of a network ---*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Ranks that are threads of one process and exchange their bytes in its memory
/// (core/ranks/LocalRanks.h), each with a clock that runs as if it had a
/// processor of its own and a network connected it with the others: it adds the
/// processor time of the rank's thread, and for each exchange what a model of
/// the network says. So more ranks than processors can be timed, by the work
/// that they do.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_BENCH_NETWORKRANKS_H
#define TAMC_BENCH_NETWORKRANKS_H

#include "core/ranks/LocalRanks.h"
#include "tamrt/communicator.h"

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tamrt {

/// Each rank has a link to a switch that is never the limit. A message of n
/// bytes arrives latency + n / bandwidth after its sender began, and takes both
/// ends so much time as overhead says.
struct Network {
  /// Seconds.
  double latency = 0, overhead = 0;
  /// Bytes a second, in each direction at the same time.
  double bandwidth = 0;
};

class NetworkRanks {
public:
  NetworkRanks(size_t count, const Network &network);
  NetworkRanks(const NetworkRanks &) = delete;

  const tamrt_communicator &operator[](size_t rank) const {
    return communicators[rank];
  }

  /// To be called by the thread of a rank, first of all: its clock starts.
  void start(size_t rank);
  /// The same thread's clock, in seconds.
  double now(size_t rank);
  /// Of this time, what the rank spent in exchanges, waiting for others or for
  /// the network.
  double waited(size_t rank) const { return clocks[rank].waited; }
  /// Processor time that is not the rank's: its exchanges in memory.
  double copied(size_t rank) const { return clocks[rank].copied; }
  /// Bytes that a rank has sent to others.
  int64_t sent(size_t rank) const { return clocks[rank].sent; }

private:
  struct Clock {
    /// The rank's time, and its thread's processor time at the last look.
    double time = 0, counted = 0;
    double waited = 0, copied = 0;
    int64_t sent = 0;
  };
  /// What a rank brings to an exchange: its time, and the bytes that go to
  /// each rank, or to all.
  struct Arrival {
    double time = 0;
    const int64_t *bytesTo = nullptr;
    int64_t bytes = 0;
  };

  static NetworkRanks &of(const tamrt_communicator *self) {
    return *static_cast<NetworkRanks *>(self->state);
  }
  template <class Time, class Exchange>
  void pass(size_t rank, const int64_t *bytesTo, int64_t bytes,
            const Time &timeAfter, const Exchange &exchange);
  double lastArrival() const;
  /// Steps of a tree of all ranks, each with a message of so many bytes.
  double treeTime(int64_t bytes) const;

  static void allToAll(const tamrt_communicator *self, const void *send,
                       const int64_t *sendBytes, void *receive,
                       const int64_t *receiveBytes);
  static void gather(const tamrt_communicator *self, const void *send,
                     int64_t sendBytes, void *receive,
                     const int64_t *receiveBytes);
  static void broadcast(const tamrt_communicator *self, void *data,
                        int64_t bytes);
  static void add(const tamrt_communicator *self, int64_t *numbers,
                  int64_t count);
  static void barrier(const tamrt_communicator *self);
  static void abort(const tamrt_communicator *self, int status);
  static void finish(const tamrt_communicator *) {}

  const Network network;
  LocalRanks inMemory;
  std::vector<tamrt_communicator> communicators;
  std::vector<Clock> clocks;
  std::vector<Arrival> arrivals;
  std::barrier<> meeting;
};

} // namespace tamrt

#endif // TAMC_BENCH_NETWORKRANKS_H
