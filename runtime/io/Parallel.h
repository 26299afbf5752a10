//===- io/Parallel.h - work shared by threads -------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Distributes independent pieces of work among threads.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_PARALLEL_H
#define TAMRT_IO_PARALLEL_H

#include <algorithm>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace tamrt {

/// Rows below which a thread costs more than it saves where a pass over them
/// does little for each.
inline constexpr size_t kRowsPerThread = size_t(1) << 15;

/// The number of threads for `work` units if the user requests `threads`; 0
/// means as many as the machine has, but with at least `grain` units for each.
/// At least 1 and at most `work`.
inline unsigned chooseThreads(unsigned threads, size_t work, size_t grain) {
  size_t most = std::max<size_t>(work, 1);
  if (threads == 0) {
    threads = std::max(1u, std::thread::hardware_concurrency());
    most = std::max<size_t>(work / grain, 1);
  }
  return static_cast<unsigned>(std::min<size_t>(threads, most));
}

/// Calls `call(function, piece)` for each piece in [0, pieces), each on its own
/// thread, the first on the caller's, and returns when all have ended. Threads
/// are kept for later calls until the program ends: starting one takes as long
/// as some hundred rows of a fit. If the system cannot start more threads, the
/// caller does their work. The child of a fork starts threads of its own.
/// `call` must not throw.
void callPieces(unsigned pieces, void (*call)(const void *, unsigned),
                const void *function);

/// Calls `function(piece)` for each piece in [0, pieces), as callPieces does.
/// An exception of a piece, std::bad_alloc or Interrupted, is rethrown here
/// when all have ended.
template <class Function>
void forEachPiece(unsigned pieces, const Function &function) {
  std::vector<std::exception_ptr> failures(pieces);
  auto guarded = [&](unsigned piece) {
    try {
      function(piece);
    } catch (...) {
      failures[piece] = std::current_exception();
    }
  };
  using Guarded = decltype(guarded);
  callPieces(
      pieces,
      [](const void *call, unsigned piece) {
        (*static_cast<const Guarded *>(call))(piece);
      },
      &guarded);
  for (std::exception_ptr &failure : failures)
    if (failure)
      std::rethrow_exception(failure);
}

} // namespace tamrt

#endif // TAMRT_IO_PARALLEL_H
