//===- core/run/Crew.cpp - threads that run the steps of groups -----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/Crew.h"

#include "core/Log.h"
#include "core/model/Coordinates.h"
#include "core/model/Model.h"
#include "io/Parallel.h"

#include <algorithm>
#include <cmath>

namespace tamrt {
namespace {

/// Least segments per thread if the user did not request a number of threads.
constexpr int64_t kMinSegments = 4;

/// Allocates memory for up to `threads` threads on one rung. If there is not
/// enough, and the memory does not depend on the rung, `shortage` says for
/// what.
std::vector<Worker> allocateWorkers(const Ladder &ladder, Device &device,
                                    unsigned threads, size_t rung,
                                    std::string &shortage) {
  std::vector<Worker> workers;
  for (unsigned i = 0; i < threads; ++i) {
    workers.emplace_back();
    workers.back().lane = i;
    if (!workers.back().allocate(ladder, device, rung)) {
      shortage = workers.back().shortage;
      workers.pop_back();
      break;
    }
  }
  return workers;
}

/// Allocates memory for the decided rung and threads, or for the next smaller
/// choices; false if there is not enough for any.
bool allocateFromRung(Ladder &ladder, Device &device, const Decision &decision,
                      std::vector<Worker> &workers, std::string &shortage) {
  for (size_t rung = decision.rung; rung < ladder.size(); ++rung) {
    workers = allocateWorkers(ladder, device, decision.threads, rung, shortage);
    if (workers.size() == decision.threads)
      return true;
    const bool isLast = rung + 1 == ladder.size();
    const bool isRungs = shortage.empty();
    if (!workers.empty() &&
        (isLast || !isRungs || ladder.chunkRows(rung + 1) < kSmallChunk)) {
      log(LogLevel::Warning, "device '{}' has memory for {} of {} threads",
          isRungs ? device.label() : ladder.solver(device).label(),
          workers.size(), decision.threads);
      return true;
    }
    workers.clear();
    // Smaller chunks do not need less memory to solve.
    if (!isRungs)
      return false;
    device.purge();
    if (!isLast)
      ladder.warn(device, rung, ladder.memory(rung, device).total(), device,
                  rung + 1, 0);
  }
  return false;
}

/// Allocates spares, fewer if there is less memory.
std::vector<AlignedBuffer> allocateSpares(const Ladder &ladder, Device &device,
                                          unsigned spares) {
  std::vector<AlignedBuffer> states;
  for (unsigned i = 0; i < spares; ++i) {
    AlignedBuffer state =
        device.allocate(size_t(ladder.groupBytes()), "spares");
    if (!state) {
      log(LogLevel::Info, "device '{}' has memory for {} of {} spare states",
          device.label(), i, spares);
      break;
    }
    states.push_back(std::move(state));
  }
  return states;
}

/// The devices that share groups with `device`, itself included.
size_t devicesWith(const Ladder &ladder, const Device &device) {
  const bool isOne =
      &device != ladder.options.device || ladder.state == StateOf::Group;
  return isOne ? 1 : 1 + ladder.options.others.size();
}

/// Threads of a device that its part of groups of the ladder's length keeps
/// busy. If the user did not request a number, each thread gets at least a
/// group or some segments.
unsigned threadsFor(const Ladder &ladder, const Device &device, size_t groups,
                    unsigned asked) {
  const size_t devices = devicesWith(ladder, device);
  groups = (groups + devices - 1) / devices;
  // A thread only waits for a device that takes batches.
  if (const int64_t batch = device.batch(); asked == 0 && batch > 1)
    return unsigned(
        std::min<size_t>(size_t(batch), std::max<size_t>(groups, 1)));
  double pieces = double(groups);
  if (describe(ladder.kind).predicts() ? ladder.model.carry_bytes == 0
                                       : canSplit(ladder, device))
    pieces *= std::ceil(double(std::max<int64_t>(ladder.groupRows, 1)) /
                        TAMRT_SEGMENT_ROWS);
  if (asked == 0)
    pieces = std::max(double(groups), std::floor(pieces / kMinSegments));
  return chooseThreads(asked, size_t(std::min(pieces, 1e9)), 1);
}

/// Bytes that count as free, and their limit.
DeviceMemory freeOn(const Device &device, const RunOptions &options) {
  DeviceMemory memory = device.memory();
  if (options.memoryBytes > 0 && options.memoryBytes < memory.freeBytes) {
    memory.freeBytes = options.memoryBytes;
    memory.source = "--memory";
  }
  return memory;
}

/// The ladders of the possible ways to do the work: for a fit one per solver.
struct Ladders {
  std::unique_ptr<Ladder> direct, gradients, smallBlocks;

  std::unique_ptr<Ladder> &of(SolverChoice solver) {
    switch (solver) {
    case SolverChoice::Direct:
      return direct;
    case SolverChoice::ConjugateGradients:
      return gradients;
    case SolverChoice::SmallBlocks:
      break;
    }
    return smallBlocks;
  }
  const Ladder &any() const { return direct ? *direct : *gradients; }
  /// Keeps only the chosen way.
  void keep(SolverChoice solver) {
    std::unique_ptr<Ladder> kept = std::move(of(solver));
    *this = {};
    (solver == SolverChoice::Direct ? direct : gradients) = std::move(kept);
  }
};

Ladders laddersFor(const tamrt_model &model, tamrt_step_kind kind,
                   size_t groupRows, const RunOptions &options) {
  auto ladder = [&](const tamrt_model &of, tamrt_step_kind steps) {
    return std::make_unique<Ladder>(of, steps, int64_t(groupRows), options,
                                    StateOf::Worker, /*isWhole=*/true);
  };
  Ladders ladders;
  if (describe(kind).predicts()) {
    ladders.direct = ladder(model, kind);
    return ladders;
  }
  if (hasDirect(model) && options.solver != FitSolver::Cg)
    ladders.direct = ladder(model, TAMRT_STEP_FIT_CHUNK);
  if (hasCg(model) && options.solver != FitSolver::Direct &&
      !options.needsDirect()) {
    ladders.gradients = ladder(model, TAMRT_STEP_APPLY_CHUNK);
    if (model.small_blocks)
      ladders.smallBlocks = ladder(*model.small_blocks, TAMRT_STEP_APPLY_CHUNK);
  }
  return ladders;
}

/// The ladder of steps of `kind` alone, which includes the choice of a solver.
Ladders onlyLadder(const tamrt_model &model, tamrt_step_kind kind,
                   size_t groupRows, const RunOptions &options, StateOf state,
                   bool isWhole) {
  Ladders ladders;
  (describe(kind).isCg() ? ladders.gradients : ladders.direct) =
      std::make_unique<Ladder>(model, kind, int64_t(groupRows), options, state,
                               isWhole);
  return ladders;
}

/// That of a fit by the solver of `route`.
Ladders ladderOf(const tamrt_model &model, const FitRoute &route,
                 size_t groupRows, const RunOptions &options) {
  return onlyLadder(route.of(model), route.kind(), groupRows, options,
                    StateOf::Worker, /*isWhole=*/true);
}

Question questionOf(const Ladders &ladders, Device &device, size_t groups,
                    int64_t freeBytes, int64_t sharedBytes,
                    const RunOptions &options) {
  Question question;
  auto ask = [&](const std::unique_ptr<Ladder> &ladder,
                 std::optional<Need> &need) {
    if (!ladder)
      return;
    need = ladder->need(device);
    need->sharedBytes += sharedBytes;
    // A thread that helps with a group needs a state of its own.
    if (canSplit(*ladder, device) && ladder->state == StateOf::Group &&
        ladder->groupRows > TAMRT_SEGMENT_ROWS) {
      need->spareBytes = ladder->groupBytes();
      need->spareLimit = options.spareBytes;
    }
    question.columns = ladder->model.columns;
    question.threads = std::max(
        question.threads, threadsFor(*ladder, device, groups, options.threads));
  };
  ask(ladders.direct, question.direct);
  ask(ladders.gradients, question.conjugateGradients);
  ask(ladders.smallBlocks, question.smallBlocks);
  question.freeBytes = freeBytes;
  question.place = device.place();
  question.work = options.work;
  return question;
}

/// What the oracle decides, and what was free then.
struct Answer {
  Question question;
  Decision decision;
  DeviceMemory memory;
};

/// The oracle's answer when the work fits, or when there is no more time to
/// wait for memory (AllocatorOptions::wait).
Answer askWhenItFits(const Ladders &ladders, Device &device, size_t groups,
                     int64_t sharedBytes, const RunOptions &options) {
  Device::Wait wait(device);
  while (true) {
    DeviceMemory memory = freeOn(device, options);
    Question question = questionOf(ladders, device, groups, memory.freeBytes,
                                   sharedBytes, options);
    Decision decision = decide(question, options.oracle);
    if (decision.fits || !wait.again())
      return {std::move(question), std::move(decision), std::move(memory)};
  }
}

/// If groups are solved on another device than the sums': the number of
/// threads, at most `threads`, for which there is memory. It is an error if
/// there is none for one thread when there is no more time to wait for it.
Result<unsigned> solverThreads(const Ladder &ladder, Device &device,
                               unsigned threads, const RunOptions &options) {
  Device &solver = ladder.solver(device);
  if (&solver == &device || (options.allowCpuFallback && !solver.isCpu()))
    return threads;
  const double share = options.oracle.share(solver.place(), options.work);
  const int64_t bytes = ladder.solverMemory(solver).total();
  const int64_t reserve = solver.reserveBytes();
  Device::Wait wait(solver);
  DeviceMemory memory;
  int64_t budget = 0;
  do {
    memory = freeOn(solver, options);
    budget = budgetOf(memory.freeBytes, share);
    if (bytes + reserve <= budget)
      return unsigned(std::min<int64_t>(threads, (budget - reserve) / bytes));
  } while (wait.again());
  return Error{"expected " + std::to_string(bytes + reserve) +
               " bytes of memory on device '" + solver.label() +
               "' to solve, got " + std::to_string(budget) + " of " +
               std::to_string(memory.freeBytes) + " bytes free" +
               (memory.source.empty() ? "" : " (" + memory.source + ")")};
}

/// Logs the answer with its reason. `isSolverChosen`: the solver was chosen
/// before.
void tell(Answer &answer, const RunOptions &options, bool isSolverChosen) {
  auto &[question, decision, memory] = answer;
  if (options.solver != FitSolver::Auto)
    decision.reason = "the solver that was asked for";
  else if (isSolverChosen)
    decision.reason = "the solver that was chosen before";
  const Need &chosen = question.needOf(decision.solver);
  log(LogLevel::Info,
      "oracle: {}: {} thread{}, chunks of {} rows: {} of {} bytes, {} free",
      decision.reason, decision.threads, decision.threads == 1 ? "" : "s",
      chosen.rungs[decision.rung].rows, decision.bytes, decision.budget,
      question.freeBytes);
}

Status checkSolver(const tamrt_model &model, const RunOptions &options) {
  if ((options.solver == FitSolver::Direct && !hasDirect(model)) ||
      (options.solver == FitSolver::Cg && !hasCg(model)))
    return Error{std::string("expected solver '") + model.solver +
                 "', which the model was compiled with, got '" +
                 (options.solver == FitSolver::Cg ? "cg" : "direct") + "'"};
  return {};
}

/// Adds threads on the other devices that share the groups, on the rung and for
/// the number of threads that the oracle chooses for each. One without memory
/// is left out.
void addDevices(Crew &crew, size_t groups, const RunOptions &options) {
  if (devicesWith(*crew.ladder, *crew.device) == 1)
    return;
  for (Device *device : options.others) {
    Ladder &ladder = *crew.ladder;
    const DeviceMemory memory = freeOn(*device, options);
    Question question = ladder.question(*device, memory.freeBytes);
    question.threads =
        threadsFor(ladder, *crew.device, groups, options.threads);
    Decision decision = decide(question, options.oracle);
    const Result<unsigned> threads =
        solverThreads(ladder, *device, decision.threads, options);
    std::vector<Worker> workers;
    std::string shortage;
    if (threads)
      decision.threads = *threads;
    if (!threads || !decision.fits ||
        !allocateFromRung(ladder, *device, decision, workers, shortage)) {
      log(LogLevel::Warning,
          "device '{}' has no memory for {}, of {} free; going on without it",
          device->label(), ladder.chunksOf(ladder.size() - 1),
          memory.freeBytes);
      continue;
    }
    log(LogLevel::Info, "device '{}': {} thread{}, {}", device->label(),
        workers.size(), workers.size() == 1 ? "" : "s",
        ladder.chunksOf(decision.rung));
    for (Worker &worker : workers) {
      worker.lane = unsigned(crew.workers.size());
      crew.workers.push_back(std::move(worker));
    }
  }
}

/// See Crew.h. `isSolverChosen`: the solver was chosen before.
Result<Crew> makeCrew(Ladders ladders, size_t groups, const RunOptions &options,
                      int64_t sharedBytes, bool isSolverChosen) {
  const Ladder &any = ladders.any();
  Device *device = &deviceOf(any.model, any.kind, options);
  std::string note;
  while (true) {
    Answer answer =
        askWhenItFits(ladders, *device, groups, sharedBytes, options);
    tell(answer, options, isSolverChosen);
    auto &[question, decision, memory] = answer;
    if (!isSolverChosen)
      note = routeNote(question, decision, options.oracle);
    std::unique_ptr<Ladder> &ladder = ladders.of(decision.solver);
    Result<unsigned> threads =
        solverThreads(*ladder, *device, decision.threads, options);
    if (!threads)
      return std::move(threads).error();
    decision.threads = *threads;
    std::vector<Worker> workers;
    std::string shortage;
    if (decision.fits &&
        allocateFromRung(*ladder, *device, decision, workers, shortage)) {
      if (options.trace)
        options.trace->instant(0, "rung",
                               {{"rows", int64_t(workers.front().chunkRows)},
                                {"threads", int64_t(workers.size())},
                                {"bytes", decision.bytes}});
      std::vector<AlignedBuffer> spares;
      if (workers.size() > 1)
        spares = allocateSpares(*ladder, *device, decision.spares);
      Crew crew{std::move(ladder), device, std::move(workers),
                std::move(spares), std::move(note)};
      addDevices(crew, groups, options);
      return crew;
    }
    if (!shortage.empty())
      return Error{shortage};
    const size_t last = ladder->size() - 1;
    std::string why =
        decision.fits
            ? ladder->shortage(*device, last, decision.bytes)
            : tooLittle(question, decision, options.oracle, memory.source);
    if (!options.allowCpuFallback || device->isCpu())
      return Error{std::move(why)};
    if (decision.fits) {
      ladder->warn(*device, last, decision.bytes, Device::cpu(), 0, 0);
      // A failure must not change what is computed, so the solver stays.
      ladders.keep(decision.solver);
      isSolverChosen = true;
    } else {
      // The CPU may use another way.
      log(LogLevel::Warning, "{}; going on on 'cpu'", why);
    }
    device = &Device::cpu();
  }
}

/// The start of a message about `column` of the design of a group.
std::string effectAt(const tamrt_model &model, const std::string &group,
                     int64_t column) {
  const tamrt_effect *effect = effectOf(model, column);
  return (model.group ? "group '" + group + "': " : "") + "effect '" +
         (effect ? effect->name : "?") + "': ";
}

} // namespace

bool canSplit(const Ladder &ladder, const Device &device) {
  const tamrt_model &model = ladder.model;
  if (model.carry_bytes > 0 || needsCopies(device) ||
      devicesWith(ladder, device) > 1 ||
      (ladder.options.allowCpuFallback && !device.isCpu()))
    return false;
  return std::any_of(model.accumulators,
                     model.accumulators + model.accumulator_count,
                     [&](const tamrt_accumulator &accumulator) {
                       return accumulator.kind == ladder.kind;
                     });
}

Question questionOf(const tamrt_model &model, tamrt_step_kind kind,
                    size_t groups, size_t groupRows, int64_t freeBytes,
                    const RunOptions &options) {
  return questionOf(laddersFor(model, kind, groupRows, options),
                    deviceOf(model, kind, options), groups, freeBytes,
                    /*sharedBytes=*/0, options);
}

/// Checks that one thread on the smallest rung of a ladder has memory on
/// `device`.
static Status checkLeast(Ladders ladders, Device &device,
                         const RunOptions &options, int64_t sharedBytes) {
  const auto [question, decision, memory] =
      askWhenItFits(ladders, device, /*groups=*/1, sharedBytes, options);
  const Result<unsigned> solves =
      solverThreads(*ladders.of(decision.solver), device, 1, options);
  if (!solves)
    return solves.error();
  if (decision.fits || (options.allowCpuFallback && !device.isCpu()))
    return {};
  return Error{tooLittle(question, decision, options.oracle, memory.source)};
}

Status checkFits(const tamrt_model &model, tamrt_step_kind kind,
                 const RunOptions &options, int64_t sharedBytes) {
  tellPlacement(model, kind, options);
  auto check = [&](const tamrt_model &of) {
    return checkLeast(laddersFor(of, kind, 1, options),
                      deviceOf(of, kind, options), options, sharedBytes);
  };
  if (describe(kind).isDirect() && model.compression)
    if (Status s = check(*model.compression->model); !s)
      return s;
  return check(model);
}

Status checkRoute(const tamrt_model &model, const FitRoute &route,
                  const RunOptions &options, int64_t sharedBytes) {
  const tamrt_model &of = route.of(model);
  tellPlacement(of, route.kind(), options);
  return checkLeast(ladderOf(model, route, 1, options),
                    deviceOf(of, route.kind(), options), options, sharedBytes);
}

Result<Crew> makeCrew(const tamrt_model &model, tamrt_step_kind kind,
                      size_t groups, size_t groupRows,
                      const RunOptions &options, StateOf state,
                      int64_t sharedBytes) {
  return makeCrew(
      onlyLadder(model, kind, groupRows, options, state,
                 /*isWhole=*/options.takeSums && state == StateOf::Worker),
      groups, options, sharedBytes,
      hasChoice(model) && !describe(kind).predicts());
}

Result<Crew> makeFitCrew(const tamrt_model &model, size_t groups,
                         size_t groupRows, const RunOptions &options,
                         const FitRoute *route) {
  if (Status s = checkSolver(model, options); !s)
    return std::move(s).error();
  return makeCrew(
      route ? ladderOf(model, *route, groupRows, options)
            : laddersFor(model, TAMRT_STEP_FIT_CHUNK, groupRows, options),
      groups, options, systemBytes(model, groups, options),
      /*isSolverChosen=*/route && hasChoice(model));
}

int64_t systemBytes(const tamrt_model &model, size_t groups,
                    const RunOptions &options) {
  if (!options.systems ||
      !deviceOf(model, TAMRT_STEP_FIT_CHUNK, options).isCpu())
    return 0;
  return int64_t(groups) *
         (int64_t(Systems::bytesPerGroup(model)) + options.choiceBytes);
}

Result<FitRoute> chooseSolver(const tamrt_model &model, size_t groupRows,
                              const RunOptions &options) {
  if (Status s = checkSolver(model, options); !s)
    return std::move(s).error();
  const Ladders ladders =
      laddersFor(model, TAMRT_STEP_FIT_CHUNK, groupRows, options);
  const Ladder &any = ladders.any();
  Device *device = &deviceOf(model, any.kind, options);
  while (true) {
    const auto [question, decision, memory] = askWhenItFits(
        ladders, *device, /*groups=*/1, /*sharedBytes=*/0, options);
    if (decision.fits || !options.allowCpuFallback || device->isCpu())
      return FitRoute{decision.solver,
                      routeNote(question, decision, options.oracle)};
    device = &Device::cpu();
  }
}

bool goOnOnCpu(RunOptions &options, const std::string &why) {
  if (!options.allowCpuFallback || deviceOf(options).isCpu())
    return false;
  log(LogLevel::Warning, "{}; going on on 'cpu'", why);
  options.device = &Device::cpu();
  return true;
}

bool takeLess(size_t &count, size_t most, const char *what, RunOptions &options,
              LogLevel level, const std::string &why) {
  if (count > 1) {
    count = (count + 1) / 2;
    log(level, "{}; going on with {} {} at a time", why, count, what);
    return true;
  }
  if (!goOnOnCpu(options, why))
    return false;
  count = most;
  return true;
}

Error overflow(const tamrt_model &model, const std::string &group,
               int64_t column) {
  return Error{effectAt(model, group, column) +
               "expected finite coefficients, got an overflow; scale the "
               "target or the row weights, or lower the penalty ap"};
}

Error describe(const tamrt_model &model, const std::string &group,
               const tamrt_context &context, const std::string &shortage) {
  std::string message;
  if (model.group)
    message = "group '" + group + "': ";
  switch (context.status) {
  case TAMRT_ERROR_NOT_POSITIVE_DEFINITE:
    return Error{effectAt(model, group, context.detail) +
                 "expected a positive definite system, got a pivot that is "
                 "not positive in column " +
                 std::to_string(context.detail) +
                 " of the design; raise the penalty ap" +
                 (haveLimits(model) ? ", or lower one above 8" : "")};
  case TAMRT_ERROR_OVERFLOW:
    return overflow(model, group, context.detail);
  case TAMRT_ERROR_OUT_OF_MEMORY:
    if (!shortage.empty()) {
      message += shortage;
      break;
    }
    message += "a kernel asked for " + std::to_string(context.detail) +
               " bytes and did not get them";
    break;
  case TAMRT_ERROR_DEVICE:
    message += "the device reported error " + std::to_string(context.detail);
    break;
  case TAMRT_ERROR_INVALID_ARGUMENT:
    message += "internal error: a kernel got an argument outside its "
               "contract, number " +
               std::to_string(context.detail);
    break;
  default:
    message +=
        "internal error: unknown status " + std::to_string(context.status);
  }
  return Error{message};
}

std::vector<const tamrt_step *> rungsFor(const tamrt_model &model,
                                         tamrt_step_kind kind,
                                         int64_t groupRows, int64_t chunkRows) {
  std::vector<const tamrt_step *> rungs = stepsOf(model, kind);
  int64_t wanted = chunkRows > 0 ? std::min(groupRows, chunkRows) : groupRows;
  size_t start = 0;
  while (start + 1 < rungs.size() && rungs[start + 1]->rung_rows >= wanted)
    ++start;
  rungs.erase(rungs.begin(), rungs.begin() + ptrdiff_t(start));
  return rungs;
}

} // namespace tamrt
