//===- core/ranks/Ranks.h - the processes of one run ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The processes that fit one model together, and how they exchange data. All
/// functions that take part in an exchange are to be called by all ranks in the
/// same order; so an error of one rank must be one of all (`agree`) before the
/// next exchange.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RANKS_RANKS_H
#define TAMRT_CORE_RANKS_RANKS_H

#include "core/FunctionRef.h"
#include "io/Error.h"
#include "tamrt/communicator.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// Most bytes that rank 0 gets at a time of what is as long as the rows or the
/// groups.
inline constexpr size_t kMessageBlockBytes = size_t(16) << 20;

/// The bytes of each rank, by rank, all in one piece of memory.
class RankBytes {
public:
  RankBytes() = default;
  /// Of so many bytes of each, whose values are indeterminate.
  explicit RankBytes(std::span<const int64_t> sizes);

  /// All of them.
  char *data() { return bytes.get(); }
  size_t size() const { return parts.size(); }
  std::string_view operator[](size_t rank) const { return parts[rank]; }
  auto begin() const { return parts.begin(); }
  auto end() const { return parts.end(); }

private:
  std::unique_ptr<char[]> bytes;
  std::vector<std::string_view> parts;
};

class Ranks {
public:
  /// One process alone.
  Ranks();
  /// `all` must outlive this.
  explicit Ranks(const tamrt_communicator &all) : all(&all) {}

  /// The ranks with which the program was started: more than one under MPI,
  /// whose library is loaded then. TAMRT_MPI=0 in the environment turns that
  /// off, for programs that a rank starts. Errors: no library.
  static Result<Ranks> open();

  size_t rank() const { return size_t(all->rank); }
  size_t size() const { return size_t(all->size); }
  /// Ranks on this machine.
  size_t localSize() const { return size_t(all->local_size); }
  /// The library that connects them.
  const char *library() const { return all->name; }

  /// The bytes of each rank, by rank, on all ranks.
  RankBytes gatherAll(std::string_view mine) const;
  /// The same on rank 0 alone; elsewhere nothing.
  RankBytes gather(std::string_view mine) const;
  /// Gives the bytes of each rank, by rank, to take(block) on rank 0, in blocks
  /// of at most `blockBytes`: it holds one of them at a time. This rank has
  /// `bytes`, of which block(first, count) returns some, in order; they must
  /// live until the next call.
  void
  gatherBlocks(size_t bytes, size_t blockBytes,
               FunctionRef<std::string_view(size_t first, size_t count)> block,
               FunctionRef<void(std::string_view block)> take) const;
  /// The bytes of rank 0.
  std::string broadcast(std::string bytes) const;
  /// What rank 0 computes, or its error, on all ranks. The others do not call
  /// `compute`.
  Result<std::string>
  fromFirst(FunctionRef<Result<std::string>()> compute) const;
  /// Folds the bytes of all ranks in a binary tree: join(bytes of the next
  /// ranks) returns those of this one and them. \returns those of all ranks, or
  /// the error of the first rank whose `join` has one.
  Result<std::string>
  fold(std::string mine,
       FunctionRef<Result<std::string>(std::string_view later)> join) const;
  /// What each rank has for this one, given what this one has for each.
  RankBytes exchange(const std::vector<std::string> &mine) const;
  /// The same of values of `bytes` each, of which `counts` come from and go to
  /// each rank, in one array.
  void exchange(const void *send, std::span<const size_t> sent, void *receive,
                std::span<const size_t> received, size_t bytes) const;
  /// How many values each rank has for this one, given the numbers of this
  /// one's for each.
  std::vector<size_t> exchangeCounts(std::span<const size_t> mine) const;
  /// Sums over all ranks.
  void add(std::span<int64_t> numbers) const;

  /// The error of the first rank that has one, on all ranks.
  Status agree(Status mine) const;
  template <class T> Status agreeOn(const Result<T> &mine) const {
    return agree(mine ? Status() : Status(mine.error()));
  }

  /// To be called by all at the end of the run.
  void finish() const;

  /// Ends all ranks, of which the others may wait for this one: for a rank that
  /// cannot go on. Does nothing to one process alone.
  void abort() const;

  /// Bytes that this rank has sent to others so far.
  int64_t sentBytes() const { return sent; }

private:
  const tamrt_communicator *all;
  mutable int64_t sent = 0;
};

} // namespace tamrt

#endif // TAMRT_CORE_RANKS_RANKS_H
