//===- bench/NetworkRanks.cpp - ranks with a model of a network -----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NetworkRanks.h"

#include <algorithm>
#include <bit>
#include <ctime>

namespace tamrt {

/// Processor time of the calling thread, in seconds.
static double threadTime() {
  timespec time = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

NetworkRanks::NetworkRanks(size_t count, const Network &network)
    : network(network), inMemory(count), clocks(count), arrivals(count),
      meeting(std::ptrdiff_t(count)) {
  for (size_t rank = 0; rank < count; ++rank)
    communicators.push_back({TAMRT_COMMUNICATOR_VERSION, int32_t(rank),
                             int32_t(count), 1, "network", this, allToAll,
                             gather, broadcast, add, barrier, abort, finish});
}

void NetworkRanks::start(size_t rank) {
  clocks[rank] = {.counted = threadTime()};
}

double NetworkRanks::now(size_t rank) {
  Clock &clock = clocks[rank];
  const double used = threadTime();
  clock.time += used - clock.counted;
  clock.counted = used;
  return clock.time;
}

double NetworkRanks::lastArrival() const {
  double last = 0;
  for (const Arrival &arrival : arrivals)
    last = std::max(last, arrival.time);
  return last;
}

double NetworkRanks::treeTime(int64_t bytes) const {
  const int steps = std::bit_width(clocks.size() - 1);
  return steps * (network.latency + 2 * network.overhead +
                  double(bytes) / network.bandwidth);
}

/// Does an exchange in memory, which takes no time of the rank, and sets its
/// clock to timeAfter(), which may read all arrivals.
template <class Time, class Exchange>
void NetworkRanks::pass(size_t rank, const int64_t *bytesTo, int64_t bytes,
                        const Time &timeAfter, const Exchange &exchange) {
  Clock &clock = clocks[rank];
  const double begin = now(rank);
  arrivals[rank] = {begin, bytesTo, bytes};
  meeting.arrive_and_wait();
  const double end = std::max(begin, timeAfter());
  meeting.arrive_and_wait();
  exchange(inMemory[rank]);
  clock.waited += end - begin;
  clock.time = end;
  const double used = threadTime();
  clock.copied += used - clock.counted;
  clock.counted = used;
}

/// Messages without bytes are not sent; all others are on their way at once.
void NetworkRanks::allToAll(const tamrt_communicator *self, const void *send,
                            const int64_t *sendBytes, void *receive,
                            const int64_t *receiveBytes) {
  NetworkRanks &all = of(self);
  const auto own = size_t(self->rank);
  int64_t messages = 0, out = 0, in = 0;
  for (size_t rank = 0; rank < all.clocks.size(); ++rank) {
    if (rank == own)
      continue;
    out += sendBytes[rank];
    in += receiveBytes[rank];
    messages += (sendBytes[rank] > 0) + (receiveBytes[rank] > 0);
  }
  all.clocks[own].sent += out;
  auto timeAfter = [&] {
    double begin = all.arrivals[own].time;
    for (size_t rank = 0; rank < all.clocks.size(); ++rank)
      if (all.arrivals[rank].bytesTo[own] > 0)
        begin = std::max(begin, all.arrivals[rank].time);
    if (messages == 0)
      return begin;
    return begin + all.network.latency +
           double(messages) * all.network.overhead +
           double(std::max(out, in)) / all.network.bandwidth;
  };
  all.pass(own, sendBytes, 0, timeAfter, [&](const tamrt_communicator &inner) {
    inner.all_to_all(&inner, send, sendBytes, receive, receiveBytes);
  });
}

void NetworkRanks::gather(const tamrt_communicator *self, const void *send,
                          int64_t sendBytes, void *receive,
                          const int64_t *receiveBytes) {
  NetworkRanks &all = of(self);
  const auto own = size_t(self->rank);
  if (own > 0)
    all.clocks[own].sent += sendBytes;
  auto timeAfter = [&] {
    const double overhead = all.network.overhead;
    if (own > 0)
      return all.arrivals[own].time + (sendBytes > 0 ? overhead : 0.0);
    double begin = all.arrivals[0].time, bytes = 0, messages = 0;
    for (size_t rank = 1; rank < all.clocks.size(); ++rank)
      if (all.arrivals[rank].bytes > 0) {
        begin = std::max(begin, all.arrivals[rank].time);
        bytes += double(all.arrivals[rank].bytes);
        ++messages;
      }
    if (messages == 0)
      return begin;
    return begin + all.network.latency + messages * overhead +
           bytes / all.network.bandwidth;
  };
  all.pass(own, nullptr, sendBytes, timeAfter,
           [&](const tamrt_communicator &inner) {
             inner.gather(&inner, send, sendBytes, receive, receiveBytes);
           });
}

void NetworkRanks::broadcast(const tamrt_communicator *self, void *data,
                             int64_t bytes) {
  NetworkRanks &all = of(self);
  const auto own = size_t(self->rank);
  if (own == 0)
    all.clocks[own].sent += bytes * int64_t(all.clocks.size() - 1);
  all.pass(
      own, nullptr, 0,
      [&] { return all.arrivals[0].time + all.treeTime(bytes); },
      [&](const tamrt_communicator &inner) {
        inner.broadcast(&inner, data, bytes);
      });
}

/// A reduction and a broadcast.
void NetworkRanks::add(const tamrt_communicator *self, int64_t *numbers,
                       int64_t count) {
  NetworkRanks &all = of(self);
  const int64_t bytes = count * int64_t(sizeof(int64_t));
  const auto own = size_t(self->rank);
  if (own > 0)
    all.clocks[own].sent += bytes;
  all.pass(
      own, nullptr, 0,
      [&] { return all.lastArrival() + 2 * all.treeTime(bytes); },
      [&](const tamrt_communicator &inner) {
        inner.add(&inner, numbers, count);
      });
}

void NetworkRanks::barrier(const tamrt_communicator *self) {
  NetworkRanks &all = of(self);
  all.pass(
      size_t(self->rank), nullptr, 0,
      [&] { return all.lastArrival() + 2 * all.treeTime(0); },
      [&](const tamrt_communicator &inner) { inner.barrier(&inner); });
}

void NetworkRanks::abort(const tamrt_communicator *self, int status) {
  const tamrt_communicator &inner = of(self).inMemory[size_t(self->rank)];
  inner.abort(&inner, status);
}

} // namespace tamrt
