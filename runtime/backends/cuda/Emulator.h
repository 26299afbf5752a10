//===- cuda/Emulator.h - kernels on the host, in hostile orders -*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Executes the bodies of kernels (Block.h) on the host and finds errors that
/// a GPU shows rarely or never:
///
/// - a race: two threads access an element, one of them writes, and no barrier
///   is between them; or they are of different blocks. For each element of
///   shared and of global memory the last writer and reader are recorded, with
///   the interval between two barriers of a block (Timeline);
/// - an access outside a buffer;
/// - a barrier that not all threads reach, or a shuffle whose mask names other
///   lanes than those that take part.
///
/// Such a launch ends with a message. Threads run one at a time until they wait
/// or end, in one of several orders: no result may depend on it.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_CUDA_EMULATOR_H
#define TAMRT_BACKENDS_CUDA_EMULATOR_H

#include "backends/cuda/Block.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tamrt::cuda {

/// The order in which blocks run, and threads of a block.
enum class Order {
  Forward,
  Backward,
  /// The first lane of each warp, then the second, and so on; odd blocks before
  /// even ones.
  Warps,
  /// By a seed, another one at each barrier.
  Random,
};

/// "forward", "backward", "warps" or "random"; false for another name.
bool parseOrder(std::string_view name, Order &order);

/// What kernels did since the emulator was made.
struct Counts {
  uint64_t launches = 0, blocks = 0, barriers = 0;
  /// Bytes of global memory that threads read and wrote.
  uint64_t readBytes = 0, writtenBytes = 0;
  /// Further cycles of accesses to shared memory in which lanes of half a warp
  /// access different words of a bank.
  uint64_t bankConflicts = 0;
};

/// In `thread` of an Access: several threads of a block; several blocks.
constexpr uint64_t kSeveral = 0xfffe, kSeveralBlocks = 0xffff;

/// Who accessed an element last: a thread, and when. Blocks execute one after
/// another, so that the time is a number of intervals: a block begins one, and
/// another at each barrier. Records are what the emulator reads most: an access
/// has eight bytes.
class Access {
public:
  Access() = default;
  Access(uint64_t interval, uint64_t thread)
      : number(interval << kBits | thread) {}

  uint64_t interval() const { return number >> kBits; }
  uint64_t thread() const { return number & ((1 << kBits) - 1); }
  bool operator==(const Access &) const = default;
  /// By interval first.
  bool operator<(const Access &other) const { return number < other.number; }

private:
  static constexpr unsigned kBits = 16;
  uint64_t number = 0;
};

/// An access by a thread, now.
class Moment {
public:
  Moment(uint64_t interval, uint64_t thread, uint64_t launch, uint64_t block)
      : access(interval, thread), several(interval, kSeveral),
        interval(interval, 0), launch(launch, 0), block(block, 0) {}

  const Access &get() const { return access; }

  /// Whether an access happens before everything that the thread may do: it is
  /// of another launch, of the same thread, or of the same block before a
  /// barrier.
  [[gnu::always_inline]] bool isAfter(const Access &other) const {
    if (other < launch || other == access)
      return true;
    if (other < block || other.thread() == kSeveralBlocks)
      return false;
    return other < interval || other.thread() == access.thread();
  }

  /// Whether those that have read include the access, and so many others that
  /// it tells nothing new. A write between them ended the launch.
  [[gnu::always_inline]] bool isIn(const Access &read) const {
    return read == access || read == several;
  }

  /// Adds the access to those that have read.
  [[gnu::always_inline]] void joinTo(Access &read) const {
    if (read < launch)
      read = access;
    else if (read < block || read.thread() == kSeveralBlocks)
      read = Access(access.interval(), kSeveralBlocks);
    else
      read = read < interval || read == access ? access : several;
  }

private:
  Access access, several;
  /// The first ones of the interval between two barriers, the launch and the
  /// block.
  Access interval, launch, block;
};

/// The intervals of all launches of an emulator.
class Timeline {
public:
  void beginLaunch() {
    launch = interval + 1;
    blocks.clear();
  }
  void beginBlock(int64_t number) {
    block = ++interval;
    blocks.emplace_back(block, number);
  }
  void passBarrier() { ++interval; }

  /// An access that a thread of the block makes now.
  Moment now(int thread) const {
    return {interval, static_cast<uint64_t>(thread), launch, block};
  }
  /// The number of the block of this launch that executed in an interval.
  int64_t blockOf(uint64_t interval) const;

private:
  uint64_t interval = 0, launch = 0, block = 0;
  /// Those of the launch, with their first intervals.
  std::vector<std::pair<uint64_t, int64_t>> blocks;
};

/// The accesses of four bytes of memory, or of a double of shared memory, by
/// launches of one emulator.
struct Record {
  Access written, read;
};

/// Bytes of global memory of a Record.
constexpr size_t kRecordedBytes = 4;

/// An error that the emulator found; ends the launch.
struct Fault {
  std::string message;
};

/// Where the memory of a buffer is that has no records of its own: finds it by
/// address and size, with its records. Throws Fault if there is none.
using Places =
    std::function<void *(const void *address, size_t bytes, void *&records)>;

/// One launch of a kernel.
struct Launch {
  std::string_view name;
  Grid grid;
  /// The number of the body's first block among those of the launch.
  int64_t firstBlock;
  Counts &counts;
  const Timeline &time;
  const Places &places;
  Failure failure = {};

  /// Buffers that were found: each thread of a launch asks for them.
  struct Found {
    uintptr_t address = 0;
    size_t bytes = 0;
    void *memory = nullptr, *records = nullptr;
  };
  static constexpr int kKnownBits = 5;
  Found known[1 << kKnownBits] = {};

  /// The buffer where it is. Throws Fault.
  template <class T> Buffer<T> placed(const Buffer<T> &buffer) {
    if (!places || buffer.count <= 0 || buffer.records)
      return buffer;
    const size_t bytes = size_t(buffer.count) * sizeof(T);
    const auto number = reinterpret_cast<uintptr_t>(buffer.data);
    // The addresses are multiples of large numbers: the bits of a product's
    // top depend on all of theirs.
    Found &found = known[number * 0x9e3779b97f4a7c15 >> (64 - kKnownBits)];
    if (found.address != number || found.bytes != bytes) {
      Found fresh = {number, bytes, nullptr, nullptr};
      fresh.memory = places(buffer.data, bytes, fresh.records);
      found = fresh;
    }
    return {static_cast<T *>(found.memory), buffer.count, found.records};
  }
};

/// A thread, as bodies without barriers see it: the common part of both.
class LoopThread {
public:
  LoopThread(Launch &launch, int64_t block, int thread)
      : launch(&launch), counts(&launch.counts), blockIndex(block),
        threadIndex(thread), now(launch.time.now(thread)) {}

  int64_t block() const { return blockIndex; }
  int64_t blocks() const { return launch->grid.blocks; }
  int thread() const { return threadIndex; }
  int threads() const { return launch->grid.threads; }
  int64_t index() const { return block() * threads() + thread(); }
  int64_t total() const { return blocks() * threads(); }

  /// An element that may be written.
  template <class T, bool isShared> class Element {
  public:
    Element(LoopThread *thread, T *at, Record *record)
        : thread(thread), at(at), record(record) {}
    Element(const Element &) = default;

    [[gnu::always_inline]]
    operator T() const { // NOLINT: an element is read like a number.
      thread->noteRead<isShared>(record, sizeof(T));
      return *at;
    }
    [[gnu::always_inline]] const Element &operator=(T value) const {
      thread->noteWrite<isShared>(record, sizeof(T));
      *at = value;
      return *this;
    }
    const Element &operator=(const Element &other) const {
      return *this = T(other);
    }
    [[gnu::always_inline]] const Element &operator+=(T value) const {
      return *this = *this + value;
    }
    [[gnu::always_inline]] const Element &operator-=(T value) const {
      return *this = *this - value;
    }
    [[gnu::always_inline]] const Element &operator*=(T value) const {
      return *this = *this * value;
    }

  private:
    LoopThread *thread;
    T *at;
    Record *record;
  };

  /// The elements of a buffer, or of the block's shared memory.
  template <class T, bool isShared = false> class View {
  public:
    View(LoopThread *thread, const Buffer<T> &buffer, size_t stride)
        : thread(thread), buffer(buffer), stride(stride) {}

    [[gnu::always_inline]] auto operator[](int64_t i) const {
      if (i < 0 || i >= buffer.count)
        thread->failOutside(i, buffer.count);
      auto *records = static_cast<Record *>(buffer.records);
      Record *record = records ? records + size_t(i) * stride : nullptr;
      if constexpr (std::is_const_v<T>) {
        thread->noteRead<isShared>(record, sizeof(T));
        return std::remove_const_t<T>(buffer.data[i]);
      } else {
        return Element<T, isShared>(thread, buffer.data + i, record);
      }
    }

  private:
    LoopThread *thread;
    Buffer<T> buffer;
    size_t stride;
  };

  template <class T> View<T> view(const Buffer<T> &buffer) {
    try {
      return View<T>(this, launch->placed(buffer), sizeof(T) / kRecordedBytes);
    } catch (const Fault &fault) {
      failWith(fault.message);
    }
  }

  void fail(int32_t status, int64_t detail) {
    if (launch->failure.status == 0)
      launch->failure = {status, detail};
  }

protected:
  /// Called for each access, and therefore inline.
  template <bool isShared>
  [[gnu::always_inline]] void noteRead(Record *record, size_t bytes) {
    count<isShared>(record, counts->readBytes, bytes);
    if (!record || now.isIn(record->read))
      return;
    if (!now.isAfter(record->written))
      failRace("reads", record->written, "wrote");
    now.joinTo(record->read);
  }
  template <bool isShared>
  [[gnu::always_inline]] void noteWrite(Record *record, size_t bytes) {
    count<isShared>(record, counts->writtenBytes, bytes);
    // If it has written the element before, others ended the launch since.
    if (!record || record->written == now.get())
      return;
    if (!now.isAfter(record->written))
      failRace("writes", record->written, "wrote");
    if (!now.isAfter(record->read))
      failRace("writes", record->read, "read");
    record->written = now.get();
  }
  [[noreturn, gnu::cold]] void failRace(const char *what, const Access &other,
                                        const char *did) const;
  [[noreturn, gnu::cold]] void failOutside(int64_t index, int64_t count) const;
  /// Ends the launch with a message that names kernel, block and thread.
  [[noreturn, gnu::cold]] void failWith(const std::string &what) const;

  Launch *launch;
  Counts *counts;
  int64_t blockIndex;
  int threadIndex;
  Moment now;
  /// Of the shared memory of the block.
  Record *sharedRecords = nullptr;
  int64_t sharedCount = 0;
  /// Shared doubles accessed since the last barrier, if bank conflicts are
  /// counted.
  std::vector<uint32_t> *sharedLog = nullptr;

private:
  /// Counts an access to global or to shared memory.
  template <bool isShared>
  [[gnu::always_inline]] void count(const Record *record, uint64_t &globalBytes,
                                    size_t bytes) {
    if constexpr (!isShared)
      globalBytes += bytes;
    else if (sharedLog)
      sharedLog->push_back(static_cast<uint32_t>(record - sharedRecords));
  }
};

class Fibers;

/// A thread of a body with barriers. It has a stack of its own.
class FiberThread : public LoopThread {
public:
  FiberThread(Fibers &fibers, Launch &launch, int64_t block, int thread);

  View<double, true> shared(int first, int count) const;
  /// `line` is the caller's: all threads have to wait at the same barrier.
  void barrier(int line = __builtin_LINE());
  double shuffleDown(uint32_t mask, double x, int distance,
                     int line = __builtin_LINE());

private:
  friend class Fibers;
  Fibers *fibers;
};

/// Runs launches, one at a time.
class Emulator {
public:
  /// \param countsBanks whether bank conflicts are counted, which takes time.
  Emulator(Order order, uint64_t seed, bool countsBanks);
  ~Emulator();

  /// Begins a launch, whose bodies are those of the calls of `runPart` until
  /// the next launch begins.
  void beginLaunch();

  /// Executes a body of the launch that has begun. Throws Fault if it finds an
  /// error.
  template <class Body> Failure runPart(const Grid &grid, const Body &body) {
    if constexpr (Body::hasBarriers)
      return runFibers(Body::name, grid,
                       [&body](FiberThread &thread) { body(thread); });
    else
      return runLoop(Body::name, grid,
                     [&body](LoopThread &thread) { body(thread); });
  }

  /// A launch of one body.
  template <class Body> Failure run(const Grid &grid, const Body &body) {
    beginLaunch();
    return runPart(grid, body);
  }

  /// Where later launches find memory.
  void usePlaces(Places newPlaces) { places = std::move(newPlaces); }

  Order order() const { return theOrder; }
  const Counts &counts() const { return theCounts; }
  /// The next number of the generator of random orders.
  uint64_t random();

private:
  friend class Fibers;

  Failure runLoop(std::string_view name, const Grid &grid,
                  const std::function<void(LoopThread &)> &body);
  Failure runFibers(std::string_view name, const Grid &grid,
                    const std::function<void(FiberThread &)> &body);
  Launch start(std::string_view name, const Grid &grid);
  /// The numbers below `count` in the order; `width` is the warp's.
  void arrange(int64_t count, int64_t width, std::vector<int64_t> &out);

  Order theOrder;
  uint64_t seed;
  bool countsBanks;
  Timeline time;
  /// Blocks of the launch that have executed or execute now.
  int64_t begunBlocks = 0;
  Places places;
  Counts theCounts;
  std::vector<int64_t> blockOrder, threadOrder;
  std::unique_ptr<Fibers> fibers;
};

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_EMULATOR_H
