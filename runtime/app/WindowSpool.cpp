//===- app/WindowSpool.cpp - windows that wait for their turn -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/WindowSpool.h"

#include <cstring>
#include <utility>

namespace tamrt {
namespace {

/// Most bytes of fits in memory.
constexpr size_t kSpoolBytes = size_t(4) << 20;

template <class T> std::string_view bytesOf(const T &value) {
  return {reinterpret_cast<const char *>(&value), sizeof(value)};
}

/// Takes a number from the front of `text`.
uint64_t takeNumber(std::string_view &text) {
  uint64_t number;
  std::memcpy(&number, text.data(), sizeof(number));
  text.remove_prefix(sizeof(number));
  return number;
}

void visit(std::string_view text,
           FunctionRef<void(const WindowSpool::Fit &)> body) {
  std::vector<double> coefficients;
  while (!text.empty()) {
    WindowSpool::Fit fit;
    fit.index = takeNumber(text);
    const size_t keys = takeNumber(text), count = takeNumber(text);
    fit.keys = text.substr(0, keys);
    text.remove_prefix(keys);
    coefficients.resize(count);
    std::memcpy(coefficients.data(), text.data(), count * sizeof(double));
    text.remove_prefix(count * sizeof(double));
    fit.coefficients = coefficients;
    body(fit);
  }
}

} // namespace

Status WindowSpool::add(size_t group, const Fit &fit) {
  std::string &text = queues[group].text;
  const size_t before = text.size();
  for (uint64_t number : {fit.index, uint64_t(fit.keys.size()),
                          uint64_t(fit.coefficients.size())})
    text += bytesOf(number);
  text += fit.keys;
  text.append(reinterpret_cast<const char *>(fit.coefficients.data()),
              fit.coefficients.size_bytes());
  bytes += text.size() - before;
  return bytes > kSpoolBytes ? flush() : Status();
}

/// Writes what is in memory, a segment for each group.
Status WindowSpool::flush() {
  if (!file) {
    Result<AtomicFile> created = AtomicFile::create(path);
    if (!created)
      return std::move(created).error();
    if (!created->hasPlaces())
      return Error{"--coefficients: expected a regular file with --stream, "
                   "because windows of groups that come later in the table are "
                   "fitted first, got " +
                   created->path()};
    file = *std::move(created);
  }
  for (Queue &queue : queues) {
    if (queue.text.empty())
      continue;
    const Segment segment = {0, queue.text.size()};
    if (Status s = file->writeAt(end, bytesOf(segment)); !s)
      return s;
    if (Status s = file->writeAt(end + sizeof(segment), queue.text); !s)
      return s;
    if (!queue.first)
      queue.first = end;
    else if (Status s = file->writeAt(*queue.last, bytesOf(end)); !s)
      return s;
    queue.last = end;
    end += sizeof(segment) + queue.text.size();
    queue.text = {};
  }
  bytes = 0;
  return {};
}

Status WindowSpool::take(size_t group, FunctionRef<void(const Fit &)> body) {
  Queue queue = std::exchange(queues[group], {});
  bytes -= queue.text.size();
  std::string text;
  for (std::optional<uint64_t> at = queue.first; at;) {
    Segment segment;
    if (Status s = file->readAt(
            *at, {reinterpret_cast<char *>(&segment), sizeof(segment)});
        !s)
      return s;
    text.resize(segment.bytes);
    if (Status s = file->readAt(*at + sizeof(segment), text); !s)
      return s;
    visit(text, body);
    at = at == queue.last ? std::nullopt : std::optional(segment.next);
  }
  visit(queue.text, body);
  return {};
}

} // namespace tamrt
