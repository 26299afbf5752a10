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
#include <span>

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

template <class Body>
void LocalRanks::meet(const tamrt_communicator *self, const Offer &own,
                      const Body &body) {
  auto &all = *static_cast<LocalRanks *>(self->state);
  all.offers[size_t(self->rank)] = own;
  all.meeting.arrive_and_wait();
  body(all.offers);
  all.meeting.arrive_and_wait();
}

void LocalRanks::allToAll(const tamrt_communicator *self, const void *send,
                          const int64_t *sendBytes, void *receive,
                          const int64_t *receiveBytes) {
  meet(self, {send, sendBytes}, [&](std::span<const Offer> offers) {
    auto *to = static_cast<char *>(receive);
    for (const Offer &offer : offers) {
      const auto *from = static_cast<const char *>(offer.data);
      for (int32_t before = 0; before < self->rank; ++before)
        from += offer.bytes[before];
      copy(to, from, *receiveBytes);
      to += *receiveBytes++;
    }
  });
}

void LocalRanks::gather(const tamrt_communicator *self, const void *send,
                        int64_t, void *receive, const int64_t *receiveBytes) {
  meet(self, {send}, [&](std::span<const Offer> offers) {
    if (self->rank > 0)
      return;
    auto *to = static_cast<char *>(receive);
    for (const Offer &offer : offers) {
      copy(to, offer.data, *receiveBytes);
      to += *receiveBytes++;
    }
  });
}

void LocalRanks::broadcast(const tamrt_communicator *self, void *data,
                           int64_t bytes) {
  meet(self, {data}, [&](std::span<const Offer> offers) {
    if (self->rank > 0)
      copy(data, offers[0].data, bytes);
  });
}

void LocalRanks::add(const tamrt_communicator *self, int64_t *numbers,
                     int64_t count) {
  std::vector<int64_t> sums(static_cast<size_t>(count));
  meet(self, {numbers}, [&](std::span<const Offer> offers) {
    for (const Offer &offer : offers)
      for (size_t i = 0; i < sums.size(); ++i)
        sums[i] += static_cast<const int64_t *>(offer.data)[i];
  });
  copy(numbers, sums.data(), count * int64_t(sizeof(int64_t)));
}

void LocalRanks::barrier(const tamrt_communicator *self) {
  meet(self, {}, [](std::span<const Offer>) {});
}

void LocalRanks::abort(const tamrt_communicator *, int status) {
  std::_Exit(status);
}

} // namespace tamrt
