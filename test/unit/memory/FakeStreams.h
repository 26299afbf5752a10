//===- memory/FakeStreams.h - streams that a test drives --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_TEST_MEMORY_FAKESTREAMS_H
#define TAMRT_TEST_MEMORY_FAKESTREAMS_H

#include "tamrt/memory/FakeMemory.h"
#include "tamrt/memory/Streams.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tamrt::test {

/// Streams without work: an event passes when the test says so, or when it is
/// waited for. For one thread.
class FakeStreams final : public Streams {
public:
  ~FakeStreams() override { EXPECT_TRUE(events.empty()) << "events left"; }

  StreamEvent record(Stream stream) noexcept override {
    if (noEvents)
      return 0;
    events[++last] = {stream, ++given[stream]};
    return last;
  }
  bool passed(StreamEvent event) noexcept override {
    const Point &point = events.at(event);
    return done[point.stream] >= point.number;
  }
  void wait(StreamEvent event) noexcept override {
    ++waits;
    const Point &point = events.at(event);
    done[point.stream] = std::max(done[point.stream], point.number);
  }
  void destroy(StreamEvent event) noexcept override {
    EXPECT_EQ(events.erase(event), 1u);
  }
  void synchronize(Stream stream) noexcept override {
    ++synchronizations;
    finish(stream);
  }
  void *allocate(size_t bytes, size_t alignment,
                 Stream stream) noexcept override {
    log += "allocate@" + std::to_string(stream) + " ";
    return memory.allocate(bytes, alignment);
  }
  void release(void *address, size_t bytes, Stream stream) noexcept override {
    log += "release@" + std::to_string(stream) + " ";
    memory.release(address, bytes);
  }
  void order(Stream stream, StreamEvent event) noexcept override {
    log += std::to_string(stream) + " after " +
           std::to_string(events.at(event).stream) + " ";
  }

  /// Gives work to a stream.
  void give(Stream stream) { ++given[stream]; }
  /// All work given to the stream so far is done.
  void finish(Stream stream) { done[stream] = given[stream]; }
  /// The work of a stream, events included, that is not done.
  size_t open(Stream stream) { return given[stream] - done[stream]; }

  bool noEvents = false;
  int waits = 0, synchronizations = 0;
  /// The operations in stream order that the device was given.
  std::string log;
  static constexpr size_t memoryBytes = size_t(1) << 20;
  FakeMemory memory{memoryBytes};

private:
  struct Point {
    Stream stream;
    uint64_t number;
  };
  std::map<StreamEvent, Point> events;
  std::map<Stream, uint64_t> given, done;
  StreamEvent last = 0;
};

} // namespace tamrt::test

#endif // TAMRT_TEST_MEMORY_FAKESTREAMS_H
