//===- core/ranks/LocalRanks.cpp - ranks in one process -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/ranks/LocalRanks.h"

#include <cstdlib>
#include <cstring>

namespace tamrt {

LocalRanks::LocalRanks(size_t count)
    : offers(count), meeting(std::ptrdiff_t(count)) {
  for (size_t rank = 0; rank < count; ++rank)
    communicators.push_back({TAMRT_COMMUNICATOR_VERSION, int32_t(rank),
                             int32_t(count), int32_t(count), "threads", this,
                             allToAll, gather, broadcast, add, barrier, abort,
                             finish});
}

const tamrt_communicator &LocalRanks::alone() {
  static LocalRanks one(1);
  return one[0];
}

static void copy(void *to, const void *from, int64_t bytes) {
  if (bytes > 0)
    std::memcpy(to, from, size_t(bytes));
}

void LocalRanks::allToAll(const tamrt_communicator *self, const void *send,
                          const int64_t *sendBytes, void *receive,
                          const int64_t *receiveBytes) {
  LocalRanks &all = of(self);
  all.offers[size_t(self->rank)] = {send, sendBytes};
  all.meeting.arrive_and_wait();
  auto *to = static_cast<char *>(receive);
  for (int32_t rank = 0; rank < self->size; ++rank) {
    const Offer &offer = all.offers[size_t(rank)];
    const auto *from = static_cast<const char *>(offer.data);
    for (int32_t before = 0; before < self->rank; ++before)
      from += offer.bytes[before];
    copy(to, from, receiveBytes[rank]);
    to += receiveBytes[rank];
  }
  all.meeting.arrive_and_wait();
}

void LocalRanks::gather(const tamrt_communicator *self, const void *send,
                        int64_t, void *receive, const int64_t *receiveBytes) {
  LocalRanks &all = of(self);
  all.offers[size_t(self->rank)] = {send, nullptr};
  all.meeting.arrive_and_wait();
  auto *to = static_cast<char *>(receive);
  for (int32_t rank = 0; self->rank == 0 && rank < self->size; ++rank) {
    copy(to, all.offers[size_t(rank)].data, receiveBytes[rank]);
    to += receiveBytes[rank];
  }
  all.meeting.arrive_and_wait();
}

void LocalRanks::broadcast(const tamrt_communicator *self, void *data,
                           int64_t bytes) {
  LocalRanks &all = of(self);
  all.offers[size_t(self->rank)] = {data, nullptr};
  all.meeting.arrive_and_wait();
  if (self->rank > 0)
    copy(data, all.offers[0].data, bytes);
  all.meeting.arrive_and_wait();
}

void LocalRanks::add(const tamrt_communicator *self, int64_t *numbers,
                     int64_t count) {
  LocalRanks &all = of(self);
  all.offers[size_t(self->rank)] = {numbers, nullptr};
  all.meeting.arrive_and_wait();
  std::vector<int64_t> sums(static_cast<size_t>(count));
  for (const Offer &offer : all.offers)
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] += static_cast<const int64_t *>(offer.data)[i];
  all.meeting.arrive_and_wait();
  copy(numbers, sums.data(), count * int64_t(sizeof(int64_t)));
}

void LocalRanks::barrier(const tamrt_communicator *self) {
  of(self).meeting.arrive_and_wait();
}

void LocalRanks::abort(const tamrt_communicator *, int status) {
  std::_Exit(status);
}

} // namespace tamrt
