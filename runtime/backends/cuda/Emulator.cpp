//===- cuda/Emulator.cpp - kernels on the host, in hostile orders ---------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "backends/cuda/Emulator.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <new>
#include <numeric>
#include <sys/mman.h>
#include <ucontext.h>
#include <utility>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace tamrt::cuda {

bool parseOrder(std::string_view name, Order &order) {
  constexpr std::string_view names[] = {"forward", "backward", "warps",
                                        "random"};
  for (size_t i = 0; i < std::size(names); ++i)
    if (name == names[i]) {
      order = Order(i);
      return true;
    }
  return false;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

void LoopThread::failWith(const std::string &what) const {
  throw Fault{"kernel '" + std::string(launch->name) + "', block " +
              std::to_string(launch->firstBlock + blockIndex) + ", thread " +
              std::to_string(threadIndex) + ": " + what};
}

void LoopThread::failOutside(int64_t index, int64_t count) const {
  failWith("expected an element below " + std::to_string(count) + ", got " +
           std::to_string(index));
}

int64_t Timeline::blockOf(uint64_t of) const {
  assert(!blocks.empty() && blocks.front().first <= of);
  const auto next = std::upper_bound(blocks.begin(), blocks.end(), of,
                                     [](uint64_t interval, const auto &begun) {
                                       return interval < begun.first;
                                     });
  return std::prev(next)->second;
}

void LoopThread::failRace(const char *what, const Access &other,
                          const char *did) const {
  const std::string block =
      other.thread() == kSeveralBlocks
          ? "several blocks"
          : "block " + std::to_string(launch->time.blockOf(other.interval())) +
                ", " +
                (other.thread() == kSeveral
                     ? std::string("several threads")
                     : "thread " + std::to_string(other.thread()));
  failWith("race: " + std::string(what) + " what " + block + " " + did);
}

//===----------------------------------------------------------------------===//
// Fibers
//===----------------------------------------------------------------------===//

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define TAMRT_JUMPS 1
#ifdef __AVX512F__
#define TAMRT_MORE_REGISTERS                                                   \
  , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23",    \
      "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31",  \
      "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define TAMRT_MORE_REGISTERS
#endif

/// Where a thread goes on after a jump. A new one begins in a function of the
/// operands of the jump to it.
struct Place {
  void *top = nullptr, *code = nullptr;
};

/// Continues at `to` until something jumps to `from`. setjmp and longjmp take
/// longer, and so do the returns from several functions after each switch of
/// stacks, which a CPU predicts wrongly. The compiler saves the registers that
/// it needs; it may use 128 bytes below the stack. The operands are in the
/// registers of a function's first two arguments.
[[gnu::always_inline]] inline void jump(Place &from, Place &to) {
  Place *here = &from, *there = &to;
  asm volatile("leaq -128(%%rsp), %%rsp\n\t"
               "pushq %%rbp\n\t"
               "leaq 1f(%%rip), %%rax\n\t"
               "movq %%rsp, (%0)\n\t"
               "movq %%rax, 8(%0)\n\t"
               "movq (%1), %%rsp\n\t"
               "jmpq *8(%1)\n"
               "1:\n\t"
               "popq %%rbp\n\t"
               "leaq 128(%%rsp), %%rsp"
               : "+D"(here), "+S"(there)
               :
               : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12",
                 "r13", "r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
                 "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                 "xmm12", "xmm13", "xmm14", "xmm15", "memory",
                 "cc" TAMRT_MORE_REGISTERS);
}
#undef TAMRT_MORE_REGISTERS
#else
struct Place {};
#endif

/// Thrown through a thread whose launch has failed, so that its stack is free
/// for another one.
struct Abandoned {};

/// The stack of a thread: the system gives it memory where it is used. A heap
/// would fill it first in tests (test/CMakeLists.txt).
class Stack {
public:
  static constexpr size_t kBytes = size_t(128) << 10;

  /// \param number of the stack: where they begin differs, because pages of all
  /// at the same places would share few lines of a cache.
  explicit Stack(size_t number)
      : bytes(kBytes - number % kColours * kColourBytes),
        memory(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (memory == MAP_FAILED)
      throw std::bad_alloc();
  }
  Stack(const Stack &) = delete;
  Stack &operator=(const Stack &) = delete;
  ~Stack() { ::munmap(memory, kBytes); }

  void *get() const { return memory; }
  size_t size() const { return bytes; }

private:
  static constexpr size_t kColours = 32, kColourBytes = 448;
  size_t bytes;
  void *memory;
};

/// The threads of a block, each with a stack, and the loop that resumes them.
class Fibers {
public:
  Fibers(Emulator &emulator) : emulator(emulator) {}

  void runBlock(Launch &launch, int64_t number,
                const std::function<void(FiberThread &)> &body);

  /// Of the thread that runs: back to the loop until it is resumed.
  void wait(FiberThread &thread, bool isShuffle, int line, uint32_t mask = 0,
            double number = 0.0, int distance = 0);
  double result(const FiberThread &thread) const {
    return lanes[size_t(thread.threadIndex)]->number;
  }

  std::vector<double> shared;
  std::vector<Record> records;

private:
  /// New: its thread has not begun; Ready: it can go on.
  enum class State : uint8_t { New, Ready, AtBarrier, AtShuffle, Done };

  struct Lane : Place {
    explicit Lane(Fibers *fibers)
        : fibers(fibers), stack(fibers->lanes.size()) {}

    Fibers *fibers;
    Stack stack;
    /// The thread that it executes; null: it waits for one.
    FiberThread *thread = nullptr;
    /// What it waits for; its state is in `states`, and where it waits in
    /// `lines`.
    int distance = 0;
    uint32_t mask = 0;
    double number = 0.0;
    std::vector<uint32_t> log;
#ifndef TAMRT_JUMPS
    ucontext_t context;
#endif
#ifdef __SANITIZE_ADDRESS__
    void *fake = nullptr;
#endif
  };

  void prepare(int threads);
  void resume(Lane &lane);
  void yield(Lane &lane);
  [[noreturn]] static void enter(Lane &lane);
  static void start(Lane &lane);
  void passBarrier(Launch &launch);
  bool shuffle(size_t warp, int threads, Launch &launch);
  void failStuck(Launch &launch, int64_t number) const;
  void countConflicts(Launch &launch);

  Emulator &emulator;
  std::vector<std::unique_ptr<Lane>> lanes;
  /// Of the lanes, which the loop looks at most: beside each other.
  std::vector<State> states;
  std::vector<int> lines;
  /// The threads of the block, by their lanes.
  std::vector<FiberThread> block;
  const std::function<void(FiberThread &)> *body = nullptr;
  bool isAbandoned = false;
  /// The first error of a thread.
  std::string fault;
  /// Where the loop goes on.
#ifdef TAMRT_JUMPS
  Place loop;
#else
  ucontext_t loop;
#endif
#ifdef __SANITIZE_ADDRESS__
  const void *loopStack = nullptr;
  size_t loopStackBytes = 0;
#endif
};

void Fibers::enter(Lane &lane) {
  Fibers &fibers = *lane.fibers;
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(nullptr, &fibers.loopStack,
                                  &fibers.loopStackBytes);
#endif
  while (true) {
    try {
      (*fibers.body)(*lane.thread);
    } catch (const Fault &found) {
      if (fibers.fault.empty())
        fibers.fault = found.message;
    } catch (const Abandoned &) {
    }
    fibers.states[size_t(lane.thread->thread())] = State::Done;
    fibers.yield(lane);
  }
}

void Fibers::prepare(int threads) {
  while (lanes.size() < size_t(threads)) {
    auto lane = std::make_unique<Lane>(this);
    start(*lane);
    lanes.push_back(std::move(lane));
  }
}

// Each lane begins in enter().
#ifdef TAMRT_JUMPS

void Fibers::start(Lane &lane) {
  // As if it were called by nothing.
  auto *top = static_cast<void **>(lane.stack.get()) +
              lane.stack.size() / (2 * sizeof(void *)) * 2;
  *--top = nullptr;
  void (*const begin)(Place &, Place &) = [](Place &, Place &own) {
    enter(static_cast<Lane &>(own));
  };
  lane.top = top;
  lane.code = reinterpret_cast<void *>(begin);
}

void Fibers::resume(Lane &lane) { jump(loop, lane); }

inline void Fibers::yield(Lane &lane) { jump(lane, loop); }

#else

void Fibers::start(Lane &lane) {
  getcontext(&lane.context);
  lane.context.uc_stack.ss_sp = lane.stack.get();
  lane.context.uc_stack.ss_size = lane.stack.size();
  lane.context.uc_link = nullptr;
  // A context has room for integers alone.
  void (*const begin)(unsigned, unsigned) = [](unsigned high, unsigned low) {
    enter(*reinterpret_cast<Lane *>(uintptr_t(high) << 32 | low));
  };
  const auto address = reinterpret_cast<uintptr_t>(&lane);
  makecontext(&lane.context, reinterpret_cast<void (*)()>(begin), 2,
              static_cast<unsigned>(address >> 32),
              static_cast<unsigned>(address));
}

void Fibers::resume(Lane &lane) {
#ifdef __SANITIZE_ADDRESS__
  void *fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, lane.stack.get(), lane.stack.size());
#endif
  swapcontext(&loop, &lane.context);
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
}

void Fibers::yield(Lane &lane) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(&lane.fake, loopStack, loopStackBytes);
#endif
  swapcontext(&lane.context, &loop);
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(lane.fake, &loopStack, &loopStackBytes);
#endif
}

#endif

void Fibers::wait(FiberThread &thread, bool isShuffle, int line, uint32_t mask,
                  double number, int distance) {
  Lane &lane = *lanes[size_t(thread.threadIndex)];
  states[size_t(thread.threadIndex)] =
      isShuffle ? State::AtShuffle : State::AtBarrier;
  lines[size_t(thread.threadIndex)] = line;
  lane.mask = mask;
  lane.number = number;
  lane.distance = distance;
  yield(lane);
  if (isAbandoned)
    throw Abandoned();
}

/// Counts the conflicts of the accesses since the last barrier. Lanes of a warp
/// execute their n-th accesses together; those of half a warp, 16 doubles, take
/// one cycle if no two are different words of a bank.
void Fibers::countConflicts(Launch &launch) {
  constexpr size_t banks = kWarp / 2;
  for (size_t first = 0; first < size_t(launch.grid.threads); first += banks)
    for (size_t n = 0;; ++n) {
      std::vector<uint32_t> words[banks];
      size_t cycles = 0;
      bool isAny = false;
      for (size_t i = first;
           i < std::min(first + banks, size_t(launch.grid.threads)); ++i) {
        if (n >= lanes[i]->log.size())
          continue;
        isAny = true;
        const uint32_t word = lanes[i]->log[n];
        std::vector<uint32_t> &own = words[word % banks];
        if (std::find(own.begin(), own.end(), word) == own.end())
          own.push_back(word);
        cycles = std::max(cycles, own.size());
      }
      if (!isAny)
        break;
      launch.counts.bankConflicts += cycles - 1;
    }
  for (int i = 0; i < launch.grid.threads; ++i)
    lanes[size_t(i)]->log.clear();
}

void Fibers::passBarrier(Launch &launch) {
  ++launch.counts.barriers;
  if (emulator.countsBanks)
    countConflicts(launch);
  emulator.time.passBarrier();
  for (FiberThread &thread : block)
    thread.now = emulator.time.now(thread.threadIndex);
  std::fill_n(states.begin(), block.size(), State::Ready);
}

/// Exchanges the numbers of the lanes of a warp that wait for each other.
/// Returns whether there are such lanes.
bool Fibers::shuffle(size_t warp, int threads, Launch &launch) {
  const size_t first = warp * kWarp;
  const size_t size = std::min(size_t(kWarp), size_t(threads) - first);
  bool isAny = false;
  for (size_t i = 0; i < size; ++i) {
    const Lane &asks = *lanes[first + i];
    if (states[first + i] != State::AtShuffle)
      continue;
    const uint32_t mask = asks.mask;
    if (!(mask >> i & 1))
      lanes[first + i]->thread->failWith("shuffle whose mask lacks the lane");
    bool areThere = true;
    for (size_t k = 0; k < kWarp; ++k)
      areThere &= !(mask >> k & 1) ||
                  (k < size && states[first + k] == State::AtShuffle &&
                   lines[first + k] == lines[first + i] &&
                   lanes[first + k]->mask == mask);
    if (!areThere)
      continue;
    double numbers[kWarp] = {};
    for (size_t k = 0; k < size; ++k) {
      if (!(mask >> k & 1))
        continue;
      const size_t from = k + size_t(lanes[first + k]->distance);
      // Beyond the warp a lane gets its own number.
      const bool isInside = from < kWarp;
      if (isInside && !(mask >> from & 1))
        lanes[first + k]->thread->failWith(
            "shuffle from a lane that its mask lacks");
      numbers[k] = lanes[first + (isInside ? from : k)]->number;
    }
    for (size_t k = 0; k < size; ++k)
      if (mask >> k & 1) {
        lanes[first + k]->number = numbers[k];
        states[first + k] = State::Ready;
      }
    isAny = true;
  }
  return isAny;
}

/// Says which threads wait for others that do not come.
void Fibers::failStuck(Launch &launch, int64_t number) const {
  int waits = 0, atBarrier = 0, line = 0;
  bool isOneLine = true;
  for (int i = 0; i < launch.grid.threads; ++i) {
    if (states[size_t(i)] == State::Done)
      continue;
    isOneLine &= waits == 0 || lines[size_t(i)] == line;
    line = lines[size_t(i)];
    ++waits;
    atBarrier += states[size_t(i)] == State::AtBarrier;
  }
  throw Fault{"kernel '" + std::string(launch.name) + "', block " +
              std::to_string(launch.firstBlock + number) + ": " +
              std::to_string(waits) + " of " +
              std::to_string(launch.grid.threads) + " threads wait, " +
              std::to_string(atBarrier) + " of them at a barrier" +
              (isOneLine ? " of line " + std::to_string(line)
                         : std::string(", at different lines")) +
              "; the others do not come"};
}

void Fibers::runBlock(Launch &launch, int64_t number,
                      const std::function<void(FiberThread &)> &newBody) {
  const int threads = launch.grid.threads;
  prepare(threads);
  body = &newBody;
  fault.clear();
  // NaN, so that reads before writes are detected.
  shared.assign(size_t(launch.grid.shared),
                std::numeric_limits<double>::quiet_NaN());
  records.assign(shared.size(), Record());
  block.clear();
  block.reserve(size_t(threads));
  for (int i = 0; i < threads; ++i) {
    Lane &lane = *lanes[size_t(i)];
    FiberThread &thread = block.emplace_back(*this, launch, number, i);
    thread.sharedRecords = records.data();
    thread.sharedCount = int64_t(records.size());
    lane.log.clear();
    if (emulator.countsBanks)
      thread.sharedLog = &lane.log;
    lane.thread = &thread;
  }
  states.assign(size_t(threads), State::New);
  lines.assign(size_t(threads), 0);

  const auto isEvery = [](const auto &values, auto value) {
    return std::all_of(values.begin(), values.end(),
                       [value](auto other) { return other == value; });
  };
  try {
    while (!isEvery(states, State::Done)) {
      emulator.arrange(threads, kWarp, emulator.threadOrder);
      bool isAny = false;
      for (int64_t i : emulator.threadOrder)
        if (const State state = states[size_t(i)];
            state == State::New || state == State::Ready) {
          isAny = true;
          resume(*lanes[size_t(i)]);
          if (!fault.empty())
            throw Fault{fault};
        }
      for (int warp = 0; warp * kWarp < threads; ++warp)
        isAny |= shuffle(size_t(warp), threads, launch);
      if (isEvery(states, State::AtBarrier) && isEvery(lines, lines[0]))
        passBarrier(launch);
      else if (!isAny)
        failStuck(launch, number);
    }
    if (emulator.countsBanks)
      countConflicts(launch);
  } catch (const Fault &) {
    isAbandoned = true;
    for (int i = 0; i < threads; ++i)
      if (states[size_t(i)] != State::New && states[size_t(i)] != State::Done)
        resume(*lanes[size_t(i)]);
    isAbandoned = false;
    throw;
  }
}

FiberThread::FiberThread(Fibers &fibers, Launch &launch, int64_t block,
                         int thread)
    : LoopThread(launch, block, thread), fibers(&fibers) {}

LoopThread::View<double, true> FiberThread::shared(int first, int count) const {
  if (first < 0 || count < 0 || first > sharedCount - count)
    failOutside(first + count, sharedCount);
  auto *self = const_cast<FiberThread *>(this);
  return View<double, true>(
      self,
      {fibers->shared.data() + first, count, fibers->records.data() + first},
      1);
}

void FiberThread::barrier(int line) { fibers->wait(*this, false, line); }

double FiberThread::shuffleDown(uint32_t mask, double x, int distance,
                                int line) {
  fibers->wait(*this, true, line, mask, x, distance);
  return fibers->result(*this);
}

//===----------------------------------------------------------------------===//
// Emulator
//===----------------------------------------------------------------------===//

Emulator::Emulator(Order order, uint64_t seed, bool countsBanks)
    : theOrder(order), seed(seed), countsBanks(countsBanks),
      fibers(std::make_unique<Fibers>(*this)) {}

Emulator::~Emulator() = default;

/// splitmix64.
uint64_t Emulator::random() {
  uint64_t z = seed += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

void Emulator::arrange(int64_t count, int64_t width,
                       std::vector<int64_t> &out) {
  out.resize(size_t(count));
  std::iota(out.begin(), out.end(), 0);
  switch (theOrder) {
  case Order::Forward:
    break;
  case Order::Backward:
    std::reverse(out.begin(), out.end());
    break;
  case Order::Warps:
    std::stable_sort(out.begin(), out.end(), [width](int64_t a, int64_t b) {
      return a % width < b % width;
    });
    break;
  case Order::Random:
    for (size_t i = out.size(); i > 1; --i)
      // A number below i, without a division.
      std::swap(out[i - 1], out[(random() >> 32) * i >> 32]);
    break;
  }
}

void Emulator::beginLaunch() {
  time.beginLaunch();
  begunBlocks = 0;
  ++theCounts.launches;
}

Launch Emulator::start(std::string_view name, const Grid &grid) {
  assert(uint64_t(grid.threads) < kSeveral);
  assert(theCounts.launches > 0);
  theCounts.blocks += uint64_t(grid.blocks);
  arrange(grid.blocks, 2, blockOrder);
  if (theOrder == Order::Warps)
    std::reverse(blockOrder.begin(), blockOrder.end());
  const int64_t firstBlock = begunBlocks;
  begunBlocks += grid.blocks;
  return {name, grid, firstBlock, theCounts, time, places};
}

Failure Emulator::runLoop(std::string_view name, const Grid &grid,
                          const std::function<void(LoopThread &)> &body) {
  Launch launch = start(name, grid);
  arrange(grid.threads, kWarp, threadOrder);
  for (int64_t block : blockOrder) {
    time.beginBlock(launch.firstBlock + block);
    for (int64_t i : threadOrder) {
      LoopThread thread(launch, block, static_cast<int>(i));
      body(thread);
    }
  }
  return launch.failure;
}

Failure Emulator::runFibers(std::string_view name, const Grid &grid,
                            const std::function<void(FiberThread &)> &body) {
  Launch launch = start(name, grid);
  if (grid.threads % kWarp != 0)
    throw Fault{"kernel '" + std::string(name) +
                "': expected whole warps, got " + std::to_string(grid.threads) +
                " threads"};
  for (int64_t block : blockOrder) {
    time.beginBlock(launch.firstBlock + block);
    fibers->runBlock(launch, block, body);
  }
  return launch.failure;
}

} // namespace tamrt::cuda
