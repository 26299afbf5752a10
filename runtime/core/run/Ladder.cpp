//===- core/run/Ladder.cpp - rungs of the chunk ladder --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/Ladder.h"

#include "core/Log.h"
#include "core/model/Model.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace tamrt {
namespace {

/// Memory that the CPU writes or reads: that of `device`, if the CPU can
/// address it.
AlignedBuffer allocateForCpu(Device &device, int64_t bytes, const char *what) {
  if (!needsCopies(device))
    return device.allocate(size_t(bytes), what);
  if (AlignedBuffer pinned = device.allocatePinned(size_t(bytes), what))
    return pinned;
  return Device::cpu().allocate(size_t(bytes), what);
}

} // namespace

/// Whether a chunk has rows of several segments.
static bool isWide(tamrt_step_kind kind, int64_t rows) {
  return describe(kind).hasSums() && rows > TAMRT_SEGMENT_ROWS;
}

/// Of `rows` rows, so many that they are a power of two of segments.
static int64_t wholeSegments(int64_t rows) {
  return int64_t(std::bit_floor(uint64_t(rows / TAMRT_SEGMENT_ROWS))) *
         TAMRT_SEGMENT_ROWS;
}

Ladder::Ladder(const tamrt_model &model, tamrt_step_kind kind,
               int64_t groupRows, const RunOptions &options, StateOf state,
               bool isWhole)
    : model(model), kind(kind), groupRows(groupRows), options(options),
      state(state) {
  // Devices that share groups do the same work.
  const bool joins =
      isWhole && options.others.empty() &&
      deviceOf(model, kind, options).hasTrait(TAMRT_DEVICE_JOINS_SEGMENTS);
  mostRows = options.chunkRows > 0 ? options.chunkRows : groupRows;
  if (!joins && describe(kind).hasSums())
    mostRows = std::min<int64_t>(mostRows, TAMRT_SEGMENT_ROWS);
  rungs = rungsFor(model, kind, groupRows, mostRows);
}

int64_t Ladder::chunkRows(size_t i) const {
  const int64_t rows = chunkOf(*rungs[i], groupRows, mostRows);
  return isWide(kind, rows) && rows < groupRows ? wholeSegments(rows) : rows;
}

size_t Ladder::rungOn(const Device &device, size_t i) const {
  if (!device.hasTrait(TAMRT_DEVICE_JOINS_SEGMENTS))
    while (i + 1 < size() && isWide(kind, chunkRows(i)))
      ++i;
  return i;
}

/// Bytes of the sums of the segments of a chunk but the first.
static int64_t segmentBytes(const Ladder &ladder, size_t rung) {
  const int64_t rows = ladder.chunkRows(rung);
  return isWide(ladder.kind, rows)
             ? finishedSegments(rows) * alignedBytes(ladder.stateBytes())
             : 0;
}

ThreadMemory Ladder::memory(size_t i, Device &device) const {
  ThreadMemory memory = describe(kind).predicts()
                            ? predictMemory(model, *rungs[i], chunkRows(i))
                            : fitMemory(model, *rungs[i], groupRows, extra());
  if (&solver(device) != &device || options.takeSums)
    memory.arena = fitArenaBytes(model, *rungs[i], FitPart::Sums, extra());
  memory.arena += segmentBytes(*this, i);
  if (state == StateOf::Group)
    memory.state = memory.carry = memory.vectors = 0;
  if (options.takeSums)
    memory.vectors = 0;
  if (needsCopies(device)) {
    memory.copies = stagedColumnBytes(device, model, chunkRows(i), groupRows) +
                    stagedVectorBytes(model, kind);
    if (describe(kind).isCg())
      memory.output = stagedVectorBytes(model, kind);
  }
  return memory;
}

SiteShared *Ladder::shared(Device &device) const {
  if (device.isCpu())
    return nullptr;
  const std::lock_guard lock(sharedMutex);
  return &sites.try_emplace(&device, device, options.trace).first->second;
}

Device &Ladder::solver(Device &device) const {
  if (describe(kind).predicts() || options.takeSums)
    return device;
  const tamrt_step_kind solves =
      describe(kind).isDirect() ? TAMRT_STEP_FIT_FINISH : TAMRT_STEP_CG_FINISH;
  // Steps that were placed together stay together.
  Device &placed = deviceOf(model, solves, options);
  return &placed == &deviceOf(model, kind, options) ? device : placed;
}

ThreadMemory Ladder::solverMemory(const Device &solver) const {
  ThreadMemory memory;
  memory.arena = fitArenaBytes(model, *rungs.front(), FitPart::Solve, extra());
  memory.state = alignedBytes(stateBytes());
  if (!needsCopies(solver))
    return memory;
  memory.copies = stagedVectorBytes(model, kind);
  memory.output = describe(kind).isDirect() ? fitOutputBytes(model, extra())
                                            : memory.copies;
  memory.parameters = fitMemory(model, *rungs.front(), groupRows).parameters;
  return memory;
}

int64_t Ladder::stateBytes() const {
  return tamrt::stateBytes(model, describe(kind).solver);
}

int64_t Ladder::groupBytes() const {
  return tamrt::groupBytes(model, describe(kind).solver, groupRows);
}

int64_t Ladder::savedBytes(const Device &device) const {
  if (!device.hasTrait(TAMRT_DEVICE_KERNELS_MAY_RUN_OUT))
    return 0;
  return (stateBytes() > 0 ? alignedBytes(stateBytes()) : 0) +
         (model.carry_bytes > 0 ? alignedBytes(model.carry_bytes) : 0);
}

Need Ladder::need(Device &device) const {
  Need need;
  for (size_t i = 0; i < rungs.size(); ++i)
    need.rungs.push_back(
        {chunkRows(i), memory(i, device).total() + savedBytes(device)});
  need.reserveBytes = device.reserveBytes();
  need.sharedBytes = need.reserveBytes;
  if (needsCopies(device))
    need.sharedBytes += tableBytes(model);
  return need;
}

Question Ladder::question(Device &device, int64_t freeBytes) const {
  Question question;
  question.columns = model.columns;
  question.direct = need(device);
  question.freeBytes = freeBytes;
  question.place = device.place();
  question.work = options.work;
  return question;
}

std::string Ladder::chunksOf(size_t rung) const {
  const int64_t rows = chunkRows(rung);
  return fmt::format("chunks of {} row{}", rows, rows == 1 ? "" : "s");
}

void Ladder::warn(const Device &from, size_t rung, int64_t bytes,
                  const Device &to, size_t toRung, unsigned lane) {
  ++stepsDown;
  const int64_t rows = chunkRows(toRung);
  for (int64_t least = minRows; (least == 0 || rows < least) &&
                                !minRows.compare_exchange_weak(least, rows);)
    ;
  if (options.trace)
    options.trace->instant(lane, "step down",
                           {{"rows", chunkRows(rung)},
                            {"to rows", chunkRows(toRung)},
                            {"bytes", bytes}});
  log(LogLevel::Warning,
      "device '{}' had no {} bytes more for {}, of {} free; going on in {}{}",
      from.label(), bytes, chunksOf(rung), from.memory().freeBytes,
      chunksOf(toRung),
      &from == &to ? std::string() : fmt::format(" on '{}'", to.label()));
}

std::string Ladder::shortage(Device &device, size_t rung, int64_t bytes) const {
  const DeviceMemory memory = device.memory();
  std::string text = fmt::format(
      "expected {} bytes of memory on device '{}' for {}, the smallest, which "
      "take {} in all; got {} free{}",
      bytes, device.label(), chunksOf(rung), this->memory(rung, device).total(),
      memory.freeBytes,
      memory.source.empty() ? "" : " (" + memory.source + ")");
  if (bytes > memory.freeBytes)
    text += fmt::format("; {} bytes more would do", bytes - memory.freeBytes);
  if (!device.isCpu())
    text += bytes > memory.freeBytes ? ", or --allow-cpu-fallback"
                                     : "; --allow-cpu-fallback would help";
  return text;
}

std::string Ladder::solverShortage(const Device &solver, int64_t bytes) const {
  const DeviceMemory memory = solver.memory();
  return fmt::format(
      "expected {} bytes of memory on device '{}' to solve, got {} free{}{}",
      bytes, solver.label(), memory.freeBytes,
      memory.source.empty() ? "" : " (" + memory.source + ")",
      solver.isCpu() ? "" : "; --allow-cpu-fallback would help");
}

void Ladder::summarize() {
  const int count = stepsDown.exchange(0);
  if (count == 0)
    return;
  log(LogLevel::Warning,
      "memory ran out {} time{}; the work was done, at last in chunks of {} "
      "row{}; --chunk-rows {} asks for that from the start",
      count, count == 1 ? "" : "s", minRows.load(), minRows == 1 ? "" : "s",
      minRows.load());
}

void Worker::releaseChunkMemory() {
  arena = AlignedBuffer();
  output = AlignedBuffer();
  if (site.isOpen())
    site.closeChunk();
}

void Worker::clear() {
  site.close();
  for (AlignedBuffer *buffer :
       {&arena, &state, &carry, &output, &parameters, &saved})
    *buffer = AlignedBuffer();
}

void Worker::clearSolver() {
  solver.close();
  solverArena = AlignedBuffer();
  solverState = AlignedBuffer();
}

/// Allocates the memory that depends on the rung.
bool Worker::takeChunkMemory(const Ladder &ladder, size_t at) {
  at = ladder.rungOn(*device, at);
  const ThreadMemory memory = ladder.memory(at, *device);
  arena = device->allocate(size_t(memory.arena), "arena", site.stream());
  if (arena)
    output = allocateForCpu(*device, memory.output, "output");
  place.arena = arena.data();
  place.output = output.as<double>();
  if (!arena || !output ||
      !site.openChunk(ladder.chunkRows(at), ladder.groupRows, memory.output)) {
    releaseChunkMemory();
    return false;
  }
  index = at;
  rung = &ladder.rung(at);
  chunkRows = size_t(ladder.chunkRows(at));
  place.segmentBytes = alignedBytes(ladder.stateBytes());
  const int64_t bytes = segmentBytes(ladder, at);
  place.segments =
      bytes > 0 ? arena.as<char>() + memory.arena - bytes : nullptr;
  return true;
}

bool Worker::openSite(const Ladder &ladder, Site &opened, Device &on) {
  SiteShared *shared = ladder.shared(on);
  return (!needsCopies(on) || shared->tables.allocate(ladder.model, on)) &&
         opened.open(ladder.model, on, ladder.options.kernels, shared,
                     stagedVectorBytes(ladder.model, ladder.kind));
}

/// Allocates the memory for sums and predictions.
bool Worker::takeSums(const Ladder &ladder, Device &on, size_t at) {
  clear();
  device = &on;
  site.openQueue(on);
  const ThreadMemory memory = ladder.memory(at, on);
  auto take = [&](AlignedBuffer &buffer, int64_t bytes, const char *what) {
    if (bytes > 0)
      buffer = on.allocate(size_t(bytes), what, site.stream());
    return bytes == 0 || buffer;
  };
  parameters = allocateForCpu(on, memory.parameters, "parameters");
  if (!parameters || !take(state, memory.state, "state") ||
      !take(carry, memory.carry, "carry") ||
      !take(saved, ladder.savedBytes(on), "saved sums") ||
      !openSite(ladder, site, on) || !takeChunkMemory(ladder, at)) {
    clear();
    return false;
  }
  place.parameters = parameters.as<double>();
  // Computations outside steps use memory that the CPU can address.
  place.context.kernels = ladder.options.kernels ? ladder.options.kernels
                          : needsCopies(on)      ? Device::cpu().kernels()
                                                 : on.kernels();
  // The vectors of a group that is being fitted are kept.
  if (memory.vectors > 0 && !vectors)
    vectors = Device::cpu().allocate(size_t(memory.vectors), "vectors");
  if (memory.vectors > 0 && !vectors) {
    clear();
    return false;
  }
  if (ladder.state == StateOf::Worker) {
    place.state = state.data();
    place.carry = carry.data();
    place.vectors = vectors.as<double>();
  }
  return true;
}

/// Allocates memory for the solver if it runs on another device than the sums.
bool Worker::takeSolver(const Ladder &ladder, Device &on) {
  clearSolver();
  solver.openQueue(on);
  const ThreadMemory memory = ladder.solverMemory(on);
  solverArena =
      on.allocate(size_t(memory.arena), "solver arena", solver.stream());
  if (solverArena)
    solverState =
        on.allocate(size_t(memory.state), "solver state", solver.stream());
  if (!solverState || !openSite(ladder, solver, on) ||
      !solver.openChunk(/*rows=*/0, /*groupRows=*/0, memory.output)) {
    clearSolver();
    return false;
  }
  return true;
}

bool Worker::allocate(const Ladder &ladder, Device &on, size_t at) {
  clearSolver();
  if (!takeSums(ladder, on, at))
    return false;
  this->ladder = &ladder;
  groupsDevice = ladder.state == StateOf::Group ? &on : nullptr;
  Device &solves = ladder.solver(on);
  if (&solves == &on || takeSolver(ladder, solves))
    return true;
  solves.purge();
  if (takeSolver(ladder, solves))
    return true;
  const int64_t bytes = ladder.solverMemory(solves).total();
  if (ladder.options.allowCpuFallback && !solves.isCpu() &&
      takeSolver(ladder, Device::cpu())) {
    log(LogLevel::Warning,
        "device '{}' had no {} bytes to solve; solving on 'cpu'",
        solves.label(), bytes);
    return true;
  }
  shortage = ladder.solverShortage(solves, bytes);
  clear();
  return false;
}

/// Whether the sums are on a device whose memory the CPU, which runs the steps,
/// cannot address.
bool Worker::isBorrowing() const {
  return groupsDevice && groupsDevice != device && needsCopies(*groupsDevice);
}

void Worker::arrange(Ladder &ladder, tamrt_step_kind kind, int64_t first,
                     int64_t groupRows) {
  if (!place.good() || !arranges(kind, first, groupRows))
    return;
  if (isBorrowing())
    return attempt(ladder, [&] {
      borrow(ladder.groupBytes(), [&](Workplace &here) {
        tamrt::arrange(here, ladder.model, kind, first, groupRows,
                       [&](const auto &body) { body(here); });
      });
    });
  tamrt::arrange(place, ladder.model, kind, first, groupRows,
                 [&](const auto &body) {
                   attempt(ladder, [&] {
                     // After a step down to the CPU.
                     if (isBorrowing())
                       borrow(ladder.groupBytes(), body);
                     else
                       runOn(*device, ladder.options.kernels, place, body);
                   });
                 });
}

void Worker::join(Ladder &ladder, const void *other) {
  if (!place.good())
    return;
  const int64_t bytes = ladder.stateBytes();
  const auto add = [&](Workplace &here, const void *more) {
    const auto *const numbers = static_cast<const double *>(more);
    here.join(bytes / int64_t(sizeof(double)), {&numbers, 1},
              static_cast<double *>(here.state));
  };
  attempt(ladder, [&] {
    // After a step down to the CPU.
    if (!isBorrowing())
      return runOn(*device, ladder.options.kernels, place,
                   [&](Workplace &here) { add(here, other); });
    const AlignedBuffer more = device->allocate(size_t(bytes), "other sums");
    if (!more) {
      place.context.status = TAMRT_ERROR_OUT_OF_MEMORY;
      place.context.detail = bytes;
      return;
    }
    if (transfer(place.context, *device, more.data(), *groupsDevice, other,
                 size_t(bytes)))
      borrow(bytes, [&](Workplace &here) { add(here, more.data()); });
  });
}

int64_t Worker::rowsAt(tamrt_step_kind kind, int64_t row, int64_t left,
                       int64_t most) const {
  int64_t rows = std::min(left, int64_t(chunkRows));
  if (most > 0)
    rows = std::min(rows, most);
  if (!describe(kind).hasSums())
    return rows;
  if (int64_t(chunkRows) <= TAMRT_SEGMENT_ROWS)
    return std::min(rows, TAMRT_SEGMENT_ROWS - row % TAMRT_SEGMENT_ROWS);
  return isWide(kind, rows) && rows < left ? wholeSegments(rows) : rows;
}

void Worker::run(const tamrt_step &step, const double *coefficients,
                 int64_t rows, int64_t first, int64_t groupRows,
                 int64_t rowsLeft) {
  const auto kind = tamrt_step_kind(step.kind);
  const StepRun what = {
      step,      coefficients,
      rows,      first,
      groupRows, rowsAt(kind, first + rows, rowsLeft, step.rung_rows)};
  const StepDescription &about = describe(kind);
  if (about.hasSums() && about.takesRows() &&
      (first % TAMRT_SEGMENT_ROWS == 0 || isWide(kind, rows)))
    place.openSegment = isWide(kind, rows) ? first / TAMRT_SEGMENT_ROWS : -1;
  ranSolver = solver.isOpen() && describe(step.kind).solves();
  if (ranSolver)
    runSolver(what);
  else if (isBorrowing())
    borrow(ladder->stateBytes(), [&](Workplace &here) {
      site.run(what, place, place.arena, here.state, here.carry, lane);
    });
  else
    site.run(what, place, place.arena, place.state, place.carry, lane);
}

/// Solves with a copy of the sums. Factors for conjugate gradients stay in the
/// copy, because only the solver's steps read them. If groups alternate, their
/// factors are stored with their sums.
void Worker::runSolver(const StepRun &what) {
  Device &from = groupsDevice ? *groupsDevice : *device;
  const auto bytes = size_t(ladder->stateBytes());
  if ((what.step.kind != TAMRT_STEP_PRECONDITION || groupsDevice) &&
      !transfer(place.context, solver.on(), solverState.data(), from,
                place.state, bytes))
    return;
  solver.run(what, place, solverArena.data(), solverState.data(), nullptr,
             lane);
  if (what.step.kind == TAMRT_STEP_CG_FINISH && groupsDevice && place.good())
    transfer(place.context, from, place.state, solver.on(), solverState.data(),
             bytes);
}

/// Runs body(here) on copies of the carry and of the first bytes of the state,
/// in the CPU's memory, and copies them back.
template <class Body>
void Worker::borrow(int64_t stateBytes, const Body &body) {
  const auto bytes = size_t(stateBytes);
  const auto carryBytes = size_t(place.carry ? ladder->model.carry_bytes : 0);
  tamrt_context &context = place.context;
  if (!transfer(context, *device, state.data(), *groupsDevice, place.state,
                bytes) ||
      (carryBytes > 0 && !transfer(context, *device, carry.data(),
                                   *groupsDevice, place.carry, carryBytes)))
    return;
  Workplace here = place;
  here.state = state.data();
  here.carry = carry.data();
  body(here);
  if (place.good()) {
    context.status = here.context.status;
    context.detail = here.context.detail;
  }
  // A smaller chunk would leave the group's device no more memory for these
  // copies, and after the first copy the rows have been added.
  auto giveBack = [&](void *to, const void *from, size_t size) {
    if (transfer(context, *groupsDevice, to, *device, from, size))
      return true;
    if (context.status == TAMRT_ERROR_OUT_OF_MEMORY) {
      groupsDevice->purge();
      context.status = TAMRT_OK;
      if (transfer(context, *groupsDevice, to, *device, from, size))
        return true;
      context.status = TAMRT_ERROR_DEVICE;
      context.detail = TAMRT_ERROR_OUT_OF_MEMORY;
    }
    return false;
  };
  if (place.good() && giveBack(place.state, state.data(), bytes) &&
      carryBytes > 0)
    giveBack(place.carry, carry.data(), carryBytes);
}

/// Calls copy(saved, current, bytes) for the state and the carry, if copies of
/// them are kept.
template <class Copy>
bool Worker::forEachSaved(const Ladder &ladder, const Copy &copy) {
  if (!saved)
    return true;
  auto *at = saved.as<char>();
  if (place.state && ladder.stateBytes() > 0) {
    if (!copy(at, place.state, size_t(ladder.stateBytes())))
      return false;
    at += alignedBytes(ladder.stateBytes());
  }
  return !place.carry ||
         copy(at, place.carry, size_t(ladder.model.carry_bytes));
}

bool Worker::save(const Ladder &ladder) {
  isSaved =
      forEachSaved(ladder, [&](void *kept, const void *now, size_t bytes) {
        return copy(place.context, *device, kept, now, bytes);
      });
  return isSaved;
}

bool Worker::restore(const Ladder &ladder) {
  return forEachSaved(ladder, [&](const void *kept, void *now, size_t bytes) {
    return copy(place.context, *device, now, kept, bytes);
  });
}

bool Worker::stepDown(Ladder &ladder) {
  int64_t bytes = place.context.detail;
  if (ranSolver)
    return retrySolver(ladder, bytes);
  const size_t from = index;
  // A device that runs out of memory may not report the bytes requested.
  if (bytes == 0)
    bytes = ladder.memory(from, *device).arena;
  // The next attempt can use the arena of the previous rung and the memory kept
  // for reuse.
  releaseChunkMemory();
  device->purge();
  for (size_t next = from + 1; next < ladder.size(); ++next) {
    if (!takeChunkMemory(ladder, next)) {
      bytes = ladder.memory(next, *device).arena;
      continue;
    }
    ladder.warn(*device, from, bytes, *device, next, lane);
    place.context.status = TAMRT_OK;
    return true;
  }
  if (moveToCpu(ladder, bytes))
    return true;
  shortage = ladder.shortage(*device, ladder.size() - 1, bytes);
  return false;
}

/// Solving has no rungs: try once more after a purge, then on the CPU.
bool Worker::retrySolver(Ladder &ladder, int64_t bytes) {
  Device &from = solver.on();
  from.purge();
  if (!triedSolverAgain) {
    triedSolverAgain = true;
    log(LogLevel::Warning,
        "device '{}' had no {} bytes more to solve, of {} free; trying again",
        from.label(), bytes, from.memory().freeBytes);
    place.context.status = TAMRT_OK;
    return true;
  }
  if (ladder.options.allowCpuFallback && !from.isCpu()) {
    // It contains the factors computed before.
    const AlignedBuffer old = std::move(solverState);
    if (takeSolver(ladder, Device::cpu()) &&
        transfer(place.context, Device::cpu(), solverState.data(), from,
                 old.data(), size_t(ladder.stateBytes()))) {
      log(LogLevel::Warning,
          "device '{}' had no {} bytes more to solve; solving on 'cpu'",
          from.label(), bytes);
      place.context.status = TAMRT_OK;
      return true;
    }
  }
  shortage = ladder.solverShortage(from, bytes);
  return false;
}

bool Worker::moveToCpu(Ladder &ladder, int64_t bytes) {
  if (!ladder.options.allowCpuFallback || device->isCpu())
    return false;
  Device &from = *device, &cpu = Device::cpu();
  if (isSaved && !restore(ladder))
    return false;
  saved = AlignedBuffer();
  // The sums and carry of earlier rows, and the vectors set for the group.
  AlignedBuffer oldState = std::move(state), oldCarry = std::move(carry),
                oldParameters = std::move(parameters);
  const size_t fromRung = index;
  auto keep = [&] {
    std::memcpy(parameters.data(), oldParameters.data(),
                size_t(ladder.memory(fromRung, cpu).parameters));
    return (!oldState ||
            transfer(place.context, cpu, state.data(), from, oldState.data(),
                     size_t(ladder.groupBytes()))) &&
           (!oldCarry ||
            transfer(place.context, cpu, carry.data(), from, oldCarry.data(),
                     size_t(ladder.model.carry_bytes)));
  };
  const Decision decision = decide(ladder.question(cpu, cpu.memory().freeBytes),
                                   ladder.options.oracle);
  for (size_t at = decision.rung; at < ladder.size(); ++at) {
    if (!takeSums(ladder, cpu, at) || !takeBorrowed(ladder))
      continue;
    // A failed copy is an error of its own.
    if (!keep())
      break;
    ladder.warn(from, fromRung, bytes, cpu, at, lane);
    place.context.status = TAMRT_OK;
    return true;
  }
  device = &from;
  return false;
}

/// Allocates memory on the CPU for the sums of groups on a device whose memory
/// the CPU cannot address.
bool Worker::takeBorrowed(const Ladder &ladder) {
  if (!groupsDevice || !needsCopies(*groupsDevice))
    return true;
  state = device->allocate(size_t(ladder.groupBytes()), "state");
  if (ladder.model.carry_bytes > 0)
    carry = device->allocate(size_t(ladder.model.carry_bytes), "carry");
  return state && (carry || ladder.model.carry_bytes == 0);
}

void Worker::setColumns(const tamrt_model &model, const Dataset &data,
                        size_t row) {
  const auto inputs = size_t(model.input_count);
  columns.resize(inputs + 2);
  for (size_t i = 0; i < inputs; ++i) {
    if (model.inputs[i].rule == TAMRT_RULE_LEVELS)
      columns[i] = data.codes(i) + row;
    else
      columns[i] = data.numbers(i) + row;
  }
  columns[inputs] = data.target() ? data.target() + row : nullptr;
  columns[inputs + 1] = data.weights() ? data.weights() + row : nullptr;
  place.columns = columns.data();
}

} // namespace tamrt
