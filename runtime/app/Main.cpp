//===- app/Main.cpp - the command line of a model -------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Commands.h"
#include "app/Parts.h"
#include "app/RunRanks.h"
#include "app/StandardErrors.h"
#include "core/Log.h"
#include "core/device/Devices.h"
#include "core/device/MachineMemory.h"
#include "core/model/Model.h"
#include "core/ranks/Ranks.h"
#include "core/run/Placement.h"
#include "io/AtomicFile.h"
#include "io/CsvWriter.h"
#include "io/Thread.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fmt/format.h>
#include <iterator>
#include <new>
#include <optional>
#include <span>
#include <sys/mman.h>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace tamrt {
namespace {

/// Keeps address space close to the memory in use: one arena instead of one per
/// thread (64 MiB each), and each column mapped by itself, so that freeing it
/// returns it.
void configureAllocator() {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
#endif
}

/// Bytes of stack to touch at the start: if address space is limited, a stack
/// that cannot grow kills the process.
constexpr size_t kTouchedBytes = 512 << 10;

[[gnu::noinline]] void touchStack() {
  volatile char stack[kTouchedBytes];
  for (size_t at = 0; at < kTouchedBytes; at += 4096)
    stack[at] = 0;
  (void)stack[0];
}

/// Address space that has to be free before the stack is touched: the C library
/// and the kernel may map as much again before the stack has grown.
constexpr size_t kStackSpaceBytes = 2 * kTouchedBytes;

/// Whether the address space has room for the stack that is touched.
bool hasSpaceForStack() {
  void *space = ::mmap(nullptr, kStackSpaceBytes, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return space != MAP_FAILED && ::munmap(space, kStackSpaceBytes) == 0;
}

/// Whether the stack of the first thread may grow as large as that of others.
bool hasStack() {
  rlimit limit = {};
  return ::getrlimit(RLIMIT_STACK, &limit) != 0 ||
         limit.rlim_cur >= Thread::kStackBytes;
}

/// Exception of `operator new`, with the bytes in use when it failed.
struct OutOfMemory : std::bad_alloc {
  int64_t usedBytes = 0;
};

[[noreturn]] void throwOutOfMemory() {
  OutOfMemory failure;
  failure.usedBytes = processBytes();
  throw failure;
}

std::string outOfMemory(const tamrt_model &model, int64_t usedBytes) {
  const MachineMemory memory = machineMemory();
  const MemorySource *source = memory.tightest();
  std::string text = "out of memory: ";
  if (usedBytes > 0)
    text += fmt::format("{} bytes of address space were in use and more were "
                        "asked for; ",
                        usedBytes);
  if (source)
    text += fmt::format("{} leaves {} bytes; ", source->name, source->free);
  return text + fmt::format("`{} info` tells what a run needs, `{} plan "
                            "--memory` what fits",
                            model.name, model.name);
}

} // namespace

Status runCommand(const tamrt_model &model, const Options &options) {
  switch (options.command) {
  case Command::Help:
    return print(options.help);
  case Command::Tune:
    // Of rows, or of their sums.
    if (!options.frame && SafetensorsFile::isLikely(options.input))
      return runSolve(model, options);
    return runFit(model, options);
  case Command::Fit:
    return runFit(model, options);
  case Command::Predict:
    return runPredict(model, options);
  case Command::Evaluate:
    return runEvaluate(model, options);
  case Command::Adapt:
    return runAdapt(model, options);
  case Command::Coefficients:
    return runCoefficients(model, options);
  case Command::Summary:
    return runSummary(model, options);
  case Command::Export:
    return runExport(model, options);
  case Command::Bench:
    return runBench(model, options);
  case Command::Plot:
    return runPlot(model, options);
  case Command::Plan:
    return runPlan(model, options);
  case Command::Info:
    return runInfo(model, options);
  case Command::Survey:
    return runSurvey(model, options);
  case Command::Merge:
    return runMerge(model, options);
  case Command::Sums:
    return runSums(model, options);
  case Command::Solve:
    return runSolve(model, options);
  case Command::Split:
    return runSplit(model, options);
  }
  return {};
}

/// Those of the run, once they are known to each other. Static, because the
/// handler of std::terminate has no arguments.
static std::optional<Ranks> ranks;

static Status run(const tamrt_model &model, int argc, char **argv) {
  if (Status s = checkModel(model); !s)
    return s;
  Result<Ranks> opened = Ranks::open();
  if (!opened)
    return std::move(opened).error();
  ranks = *opened;
  Result<Options> options = parseCommandLine(model, argc, argv);
  if (!options)
    return std::move(options).error();
  return ranks->size() > 1 ? runOnRanks(model, *options, *ranks)
                           : runCommand(model, *options);
}

Status runCoefficients(const tamrt_model &model, const Options &options) {
  if (Status s = checkOutput(options); !s)
    return s;
  Result<std::shared_ptr<const Weights>> read = readWeights(
      model, options, {.inference = options.se ? FilePart::Yes : FilePart::No});
  if (!read)
    return std::move(read).error();
  const Weights &weights = **read;
  for (size_t g = 0; options.se && g < weights.groups.size(); ++g)
    if (Status s = checkVariance(model, weights, g); !s)
      return s;
  Result<AtomicFile> output = AtomicFile::create("-");
  if (!output)
    return std::move(output).error();
  CsvWriter writer(*std::move(output));
  std::vector<std::string> names = {"effect", "index", "value"};
  if (model.group)
    names.insert(names.begin(), "group");
  if (options.se)
    names.push_back("se");
  writer.header(names);
  for (size_t g = 0; g < weights.groups.size(); ++g) {
    const double *values = weights.of(g, model);
    for (int64_t e = 0; e < model.effect_count; ++e) {
      const tamrt_effect &effect = model.effects[e];
      for (int64_t i = 0; i < effect.columns; ++i) {
        if (model.group)
          writer.text(weights.groups[g]);
        writer.text(effect.name);
        writer.integer(i);
        writer.number(values[effect.first_column + i]);
        if (options.se) {
          // The last number of the row of the triangle.
          const int64_t last = triangleSize(effect.first_column + i + 1) - 1;
          writer.number(
              std::sqrt(weights.inference.covarianceOf(model, g)[last]));
        }
        writer.endRow();
      }
    }
  }
  return writer.finish();
}

Status runPlan(const tamrt_model &model, const Options &options) {
  if (options.memoryBytes > 0) {
    Result<std::string> text = formatFits(model, options);
    return text ? print(*text) : Status(std::move(text).error());
  }
  // The plan is that for the CPU, unless the command line names a device: the
  // spec's may be on another machine.
  const tamrt_model *planned = &model;
  if (options.device != (model.device ? model.device : "auto")) {
    Result<std::vector<ChosenDevice>> devices = chooseDevices(options.device);
    if (!devices)
      return std::move(devices).error();
    planned = &modelOn(*devices->front(), options.placement,
                       TAMRT_STEP_FIT_CHUNK, model);
  }
  const AllPlans plans = allPlans(*planned);
  const PlannedSteps plan = {plans.steps, plans.texts.data()};
  return print(options.draw
                   ? drawPlan(plan, options.planScope)
                   : formatPlan(plan, options.planFormat, options.planScope));
}

} // namespace tamrt

static std::terminate_handler terminateBefore;

/// Ends the other ranks, which do not know of a failure of this one alone.
static void endOthers() {
  if (tamrt::ranks)
    tamrt::ranks->abort();
}

/// The handler of std::terminate. An exception for which there is no memory
/// ends here, unless libstdc++ found memory to keep for it when it was loaded.
/// What else ends here is a defect: its signal shows it to the launcher.
static void terminate() {
  // MPI could come here again.
  std::set_terminate(std::abort);
  void *memory = std::malloc(4096);
  std::free(memory);
  if (std::current_exception() || memory)
    terminateBefore();
  tamrt::removeTemporaries();
  std::fprintf(stderr,
               "%s: error: out of memory: there is none for the exception that "
               "would say so\n",
               program_invocation_short_name);
  endOthers();
  std::_Exit(1);
}

/// Sets the handler before the constructors of static objects, which allocate
/// memory: CLI11 has some.
[[gnu::constructor(101)]] static void handleTerminate() {
  terminateBefore = std::set_terminate(terminate);
}

/// tamrt_main on the thread that it is called on.
static int runHere(const tamrt_model *model, int argc, char **argv) {
  tamrt::removeTemporariesOnSignals();
  std::set_new_handler(tamrt::throwOutOfMemory);
  // The runtime itself does not throw; exceptions of the standard library must
  // not cross the C ABI.
  int64_t usedBytes = 0;
  try {
    if (!tamrt::startLog(model->name, tamrt::LogLevel::Warning))
      tamrt::tell(*model, "warning",
                  "expected none, error, warning, info or debug as TAMRT_LOG, "
                  "got '" +
                      std::string(std::getenv("TAMRT_LOG")) + "'");
    tamrt::Status done = tamrt::run(*model, argc, argv);
    // An error is that of all ranks.
    std::optional<tamrt::Ranks> &ranks = tamrt::ranks;
    if (!done && (!ranks || ranks->rank() == 0))
      tamrt::tell(*model, "error", done.error().message);
    if (ranks)
      ranks->finish();
    ranks.reset();
    return done ? 0 : 1;
  } catch (const tamrt::OutOfMemory &failure) {
    usedBytes = failure.usedBytes;
  } catch (const std::bad_alloc &) {
  } catch (const std::exception &exception) {
    std::fprintf(stderr, "%s: error: internal error: %s\n", model->name,
                 exception.what());
    endOthers();
    return 1;
  }
  // Here all memory of the run is free again.
  try {
    tamrt::tell(*model, "error", tamrt::outOfMemory(*model, usedBytes));
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr,
                 "%s: error: out of memory: %lld bytes of address space were "
                 "in use and more were asked for\n",
                 model->name, static_cast<long long>(usedBytes));
  }
  endOthers();
  return 1;
}

int tamrt_main(const tamrt_model *model, int argc, char **argv) {
  tamrt::configureAllocator();
  if (tamrt::hasStack()) {
    if (!tamrt::hasSpaceForStack()) {
      std::fprintf(stderr,
                   "%s: error: out of memory: expected %zu bytes of address "
                   "space for the stack (ulimit -v)\n",
                   model->name, tamrt::kStackSpaceBytes);
      return 1;
    }
    tamrt::touchStack();
    return runHere(model, argc, argv);
  }
  struct Run {
    const tamrt_model *model;
    int argc;
    char **argv;
    int status;
  } run = {model, argc, argv, 1};
  try {
    tamrt::Thread thread(
        [](void *argument) {
          Run &run = *static_cast<Run *>(argument);
          run.status = runHere(run.model, run.argc, run.argv);
        },
        &run);
    thread.join();
  } catch (const std::system_error &failure) {
    std::fprintf(stderr,
                 "%s: error: expected a stack of %zu bytes: the limit is lower "
                 "(ulimit -s), and a thread with such a stack cannot start: "
                 "%s\n",
                 model->name, tamrt::Thread::kStackBytes, failure.what());
  }
  return run.status;
}
