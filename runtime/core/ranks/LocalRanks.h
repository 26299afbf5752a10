//===- core/ranks/LocalRanks.h - ranks in one process -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RANKS_LOCALRANKS_H
#define TAMRT_CORE_RANKS_LOCALRANKS_H

#include "tamrt/communicator.h"

#include <barrier>
#include <cstddef>
#include <vector>

namespace tamrt {

/// Ranks that are threads of one process, each with a communicator of its own.
/// A rank that does not take part in an exchange keeps all others waiting.
class LocalRanks {
public:
  explicit LocalRanks(size_t count);
  LocalRanks(const LocalRanks &) = delete;

  /// For the thread that is rank `rank`.
  const tamrt_communicator &operator[](size_t rank) const {
    return communicators[rank];
  }

  /// One rank without others.
  static const tamrt_communicator &alone();

private:
  /// What a rank shows the others during an exchange.
  struct Offer {
    const void *data = nullptr;
    const int64_t *bytes = nullptr;
  };
  /// Calls body(offers), by rank, when all ranks have made theirs. The offers
  /// last until all bodies have returned.
  template <class Body>
  static void meet(const tamrt_communicator *self, const Offer &own,
                   const Body &body);
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

  std::vector<tamrt_communicator> communicators;
  std::vector<Offer> offers;
  std::barrier<> meeting;
};

} // namespace tamrt

#endif // TAMRT_CORE_RANKS_LOCALRANKS_H
