//===- core/ranks/Ranks.cpp - the processes of one run --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/ranks/Ranks.h"

#include "core/device/BackendFiles.h"
#include "core/ranks/LocalRanks.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <numeric>

namespace tamrt {
namespace {

constexpr const char *kLibrary = "libtamrt-mpi.so";

/// How the environment tells that the program is one of several ranks, such as
/// "OMPI_COMM_WORLD_SIZE=4"; empty: it is not.
std::string startOfRanks() {
  const char *wanted = std::getenv("TAMRT_MPI");
  if (wanted && std::strcmp(wanted, "0") == 0)
    return "";
  for (const char *name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char *size = std::getenv(name))
      return std::strcmp(size, "1") == 0 ? ""
                                         : fmt::format("{}={}", name, size);
  if (const char *rank = std::getenv("PMIX_RANK"))
    return fmt::format("PMIX_RANK={}", rank);
  return "";
}

/// Loads the library, which stays loaded.
Result<const tamrt_communicator *> load(const std::string &path) {
  // MPI loads libraries of its own, which need its symbols.
  const Result<void *> entry = loadEntry(
      path, RTLD_NOW | RTLD_GLOBAL, TAMRT_COMMUNICATOR_OPEN,
      "expected a library with '" TAMRT_COMMUNICATOR_OPEN "', got one without");
  if (!entry)
    return entry.error();
  auto start = reinterpret_cast<tamrt_communicator_open_function>(*entry);
  char error[256] = "";
  const tamrt_communicator *all =
      start(TAMRT_COMMUNICATOR_VERSION, error, sizeof error);
  if (!all)
    return Error{error};
  return all;
}

} // namespace

Ranks::Ranks() : all(&LocalRanks::alone()) {}

Result<Ranks> Ranks::open() {
  const std::string start = startOfRanks();
  if (start.empty())
    return Ranks();
  const Error missing = {
      fmt::format("expected {}, because the program was started under MPI ({}; "
                  "TAMRT_MPI=0 ignores that)",
                  kLibrary, start)};
  const BackendSearch found = findPlugin(backendFolders(), kLibrary);
  if (found.path.empty())
    return Error{found.unsafe.empty()
                     ? missing.message + ": there is none in TAMRT_BACKEND_PATH"
                     : fmt::format("{}: {}: {}", missing.message,
                                   found.unsafe.front().path,
                                   found.unsafe.front().why)};
  Result<const tamrt_communicator *> all = load(found.path);
  if (!all)
    return Error{fmt::format("{}: {}: {}", missing.message, found.path,
                             all.error().message)};
  return Ranks(**all);
}

RankBytes::RankBytes(std::span<const int64_t> sizes)
    : bytes(std::make_unique_for_overwrite<char[]>(
          size_t(std::accumulate(sizes.begin(), sizes.end(), int64_t(0))))) {
  size_t at = 0;
  for (const int64_t size : sizes) {
    parts.emplace_back(bytes.get() + at, size_t(size));
    at += size_t(size);
  }
}

RankBytes Ranks::gather(std::string_view mine) const {
  const auto size = int64_t(mine.size());
  std::vector<int64_t> sizes(this->size());
  const std::vector<int64_t> words(this->size(), sizeof(int64_t));
  all->gather(all, &size, sizeof size, sizes.data(), words.data());
  if (rank() > 0) {
    all->gather(all, mine.data(), size, nullptr, sizes.data());
    sent += size;
    return {};
  }
  RankBytes bytes(sizes);
  all->gather(all, mine.data(), size, bytes.data(), sizes.data());
  return bytes;
}

void Ranks::gatherBlocks(
    size_t bytes, size_t blockBytes,
    FunctionRef<std::string_view(size_t first, size_t count)> block,
    FunctionRef<void(std::string_view block)> take) const {
  const std::vector<size_t> sizes =
      exchangeCounts(std::vector<size_t>(size(), bytes));
  std::string received;
  for (size_t r = 0; r < size(); ++r)
    for (size_t at = 0; at < sizes[r]; at += blockBytes) {
      const size_t count = std::min(blockBytes, sizes[r] - at);
      const std::string_view mine =
          rank() == r ? block(at, count) : std::string_view();
      if (r == 0) {
        if (rank() == 0)
          take(mine);
        continue;
      }
      std::vector<size_t> out(size()), in(size());
      if (rank() == r)
        out[0] = count;
      if (rank() == 0) {
        in[r] = count;
        received.resize(count);
      }
      exchange(mine.data(), out, received.data(), in, 1);
      if (rank() == 0)
        take(received);
    }
}

std::string Ranks::broadcast(std::string bytes) const {
  auto size = int64_t(bytes.size());
  all->broadcast(all, &size, sizeof size);
  bytes.resize(size_t(size));
  all->broadcast(all, bytes.data(), size);
  if (rank() == 0)
    sent += size * int64_t(this->size() - 1);
  return bytes;
}

Result<std::string>
Ranks::fromFirst(FunctionRef<Result<std::string>()> compute) const {
  Result<std::string> bytes = std::string();
  if (rank() == 0)
    bytes = compute();
  if (Status s = agreeOn(bytes); !s)
    return std::move(s).error();
  return broadcast(*std::move(bytes));
}

RankBytes Ranks::gatherAll(std::string_view mine) const {
  RankBytes bytes = gather(mine);
  std::vector<int64_t> sizes(size());
  for (size_t r = 0; r < bytes.size(); ++r)
    sizes[r] = int64_t(bytes[r].size());
  all->broadcast(all, sizes.data(), int64_t(sizes.size() * sizeof(int64_t)));
  if (rank() > 0)
    bytes = RankBytes(sizes);
  const int64_t count = std::accumulate(sizes.begin(), sizes.end(), int64_t(0));
  all->broadcast(all, bytes.data(), count);
  if (rank() == 0)
    sent += count * int64_t(size() - 1);
  return bytes;
}

Result<std::string> Ranks::fold(
    std::string mine,
    FunctionRef<Result<std::string>(std::string_view later)> join) const {
  Status failed;
  for (size_t step = 1; step < size(); step *= 2) {
    // Of each two neighbours the second one sends, once, and has nothing then.
    const bool sends = rank() % (2 * step) == step;
    const bool receives = rank() % (2 * step) == 0 && rank() + step < size();
    std::vector<size_t> out(size()), in(size());
    size_t got = 0;
    const size_t bytes = mine.size();
    if (sends)
      out[rank() - step] = 1;
    if (receives)
      in[rank() + step] = 1;
    exchange(&bytes, out, &got, in, sizeof bytes);
    if (sends)
      out[rank() - step] = bytes;
    if (receives)
      in[rank() + step] = got;
    std::string later(got, '\0');
    exchange(mine.data(), out, later.data(), in, 1);
    if (!receives || !failed)
      continue;
    if (Result<std::string> joined = join(later))
      mine = *std::move(joined);
    else
      failed = std::move(joined).error();
  }
  if (Status s = agree(std::move(failed)); !s)
    return std::move(s).error();
  return broadcast(std::move(mine));
}

std::vector<size_t> Ranks::exchangeCounts(std::span<const size_t> mine) const {
  const std::vector<int64_t> words(size(), sizeof(size_t));
  std::vector<size_t> counts(size());
  all->all_to_all(all, mine.data(), words.data(), counts.data(), words.data());
  return counts;
}

void Ranks::exchange(const void *send, std::span<const size_t> sentCounts,
                     void *receive, std::span<const size_t> received,
                     size_t bytes) const {
  std::vector<int64_t> out, in;
  for (size_t r = 0; r < size(); ++r) {
    out.push_back(int64_t(sentCounts[r] * bytes));
    in.push_back(int64_t(received[r] * bytes));
    if (r != rank())
      sent += out.back();
  }
  all->all_to_all(all, send, out.data(), receive, in.data());
}

RankBytes Ranks::exchange(const std::vector<std::string> &mine) const {
  std::string bytes;
  std::vector<size_t> counts;
  for (const std::string &each : mine) {
    counts.push_back(each.size());
    bytes += each;
  }
  const std::vector<size_t> received = exchangeCounts(counts);
  RankBytes got(std::vector<int64_t>(received.begin(), received.end()));
  exchange(bytes.data(), counts, got.data(), received, 1);
  return got;
}

void Ranks::add(std::span<int64_t> numbers) const {
  all->add(all, numbers.data(), int64_t(numbers.size()));
  if (size() > 1)
    sent += int64_t(numbers.size_bytes());
}

Status Ranks::agree(Status mine) const {
  int64_t failures = mine ? 0 : 1;
  add({&failures, 1});
  if (failures == 0)
    return mine;
  // One byte more, so that an empty message is an error, too.
  const std::string error = mine ? "" : "!" + mine.error().message;
  for (const std::string_view each : gatherAll(error))
    if (!each.empty())
      return Error{std::string(each.substr(1))};
  return mine;
}

void Ranks::finish() const {
  all->barrier(all);
  all->finish(all);
}

void Ranks::abort() const {
  if (size() > 1)
    all->abort(all, 1);
}

} // namespace tamrt
