//===- Runner.cpp - runs a model from a shared object ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// tam-cts-run MODEL.so COMMAND [ARGUMENT...] [--then COMMAND [ARGUMENT...]]...
/// runs commands of a model as its executable does; tam-cts-run --serve LIBRARY
/// runs those that it is asked for (Serve.h), with the library, which may be
/// empty, loaded. It is linked with --wrap for the table of the CPU's kernels
/// and the machine's level, so that models can run as on another CPU.
/// Environment:
///
/// TAMC_CTS_LEVEL   the level, 0 or 3: kernels and generated loops for it
/// TAMC_CTS_COUNTS  file to which the number of launches of each of the CPU's
///                  kernels is appended, "<name> <launches>" a line
/// TAMC_CTS_EMPTY   1: each call of a step that reads rows comes after the same
///                  call with no rows, which must change nothing
///
//===----------------------------------------------------------------------===//

#include "support/Serve.h"

#include "tamrt/abi.h"
#include "tamrt/steps.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <string>
#include <utility>
#include <vector>

extern "C" {
/// The runtime's table and its answer (see --wrap).
extern const tamrt_kernels __real_tamrt_cpu_kernels;
int64_t __real_tamrt_cpu_level(void);
/// What the runtime gets instead.
extern tamrt_kernels __wrap_tamrt_cpu_kernels;
int64_t __wrap_tamrt_cpu_level(void);
}
/// The same kernels compiled for one instruction set (CMakeLists.txt).
extern const tamrt_kernels tamrt_baseline_kernels;
#ifdef TAMC_TEST_AVX2
extern const tamrt_kernels tamrt_avx2_kernels;
#endif

//===----------------------------------------------------------------------===//
// Levels, and the table that counts
//===----------------------------------------------------------------------===//

/// -1 without TAMC_CTS_LEVEL.
static int64_t givenLevel() {
  const char *text = std::getenv("TAMC_CTS_LEVEL");
  return text ? std::atoll(text) : -1;
}

int64_t __wrap_tamrt_cpu_level(void) {
  static const int64_t level = givenLevel();
  return level < 0 ? __real_tamrt_cpu_level() : level;
}

static const tamrt_kernels &kernelsOfLevel() {
  switch (givenLevel()) {
  case -1:
    return __real_tamrt_cpu_kernels;
  case TAMRT_CPU_BASELINE:
    return tamrt_baseline_kernels;
#ifdef TAMC_TEST_AVX2
  case TAMRT_CPU_X86_64_V3:
    return tamrt_avx2_kernels;
#endif
  default:
    std::fprintf(stderr, "error: expected TAMC_CTS_LEVEL 0 or 3\n");
    std::abort();
  }
}

/// Counts launches and passes them on.
template <class Function> struct Counted;
template <class... Arguments>
struct Counted<void (*)(tamrt_context *, Arguments...)> {
  template <auto member> static inline std::atomic<long> launches = 0;
  template <auto member>
  static void call(tamrt_context *ctx, Arguments... arguments) {
    static const tamrt_kernels &kernels = kernelsOfLevel();
    ++launches<member>;
    (kernels.*member)(ctx, arguments...);
  }
};

tamrt_kernels __wrap_tamrt_cpu_kernels = {
#define TAMRT_KERNEL(name, ...)                                                \
  .name = Counted<decltype(tamrt_kernels::name)>::call<&tamrt_kernels::name>,
#include "tamrt/kernels.def"
};

static void writeCounts() {
  const char *path = std::getenv("TAMC_CTS_COUNTS");
  std::FILE *file = path ? std::fopen(path, "a") : nullptr;
  if (!file)
    return;
#define TAMRT_KERNEL(name, ...)                                                \
  if (long count = Counted<decltype(tamrt_kernels::name)>::launches<           \
          &tamrt_kernels::name>)                                               \
    std::fprintf(file, "%s %ld\n", #name, count);
#include "tamrt/kernels.def"
  std::fclose(file);
}

//===----------------------------------------------------------------------===//
// Steps that are called with no rows first
//===----------------------------------------------------------------------===//

/// More than any model has.
static constexpr size_t kMaxSteps = 512;
static tamrt_step_function originals[kMaxSteps];
static size_t originalCount = 0;

template <size_t index>
static void callTwice(tamrt_context *ctx, void *arena, void *state, void *carry,
                      const double *parameters, const void *const *tables,
                      const double *coefficients, const void *const *columns,
                      double *output, int64_t rows, int64_t first,
                      int64_t groupRows) {
  for (int64_t count : {int64_t(0), rows})
    originals[index](ctx, arena, state, carry, parameters, tables, coefficients,
                     columns, output, count, first, groupRows);
}

template <size_t... index>
static tamrt_step_function calledTwice(size_t which,
                                       std::index_sequence<index...>) {
  static constexpr tamrt_step_function all[] = {callTwice<index>...};
  return all[which];
}

namespace {

/// Copies of models that live as long as the program.
struct Copies {
  std::deque<std::vector<tamrt_step>> steps;
  std::deque<tamrt_model> models;
  std::deque<tamrt_compression> compressions;
};

} // namespace

/// A copy of the model, and of those that it refers to, whose steps call the
/// original ones.
static const tamrt_model *withEmptyCalls(const tamrt_model *model) {
  static Copies copies;
  if (!model)
    return nullptr;
  auto &steps =
      copies.steps.emplace_back(model->steps, model->steps + model->step_count);
  for (tamrt_step &step : steps) {
    if (!tamrt::describe(step.kind).takesRows())
      continue;
    if (originalCount == kMaxSteps) {
      std::fprintf(stderr, "error: expected at most %zu steps\n", kMaxSteps);
      std::abort();
    }
    originals[originalCount] = step.run;
    step.run =
        calledTwice(originalCount++, std::make_index_sequence<kMaxSteps>());
  }
  auto *copy = &copies.models.emplace_back(*model);
  copy->steps = steps.data();
  copy->small_blocks = withEmptyCalls(model->small_blocks);
  if (model->compression) {
    auto *compression = &copies.compressions.emplace_back(*model->compression);
    compression->model = withEmptyCalls(compression->model);
    copy->compression = compression;
  }
  return copy;
}

/// MODEL.so COMMAND [ARGUMENT...] [--then COMMAND [ARGUMENT...]]...
static int runCommands(std::vector<std::string> arguments) {
  void *library = arguments.size() > 1
                      ? ::dlopen(arguments[0].c_str(), RTLD_NOW | RTLD_LOCAL)
                      : nullptr;
  auto *model =
      library ? static_cast<const tamrt_model *>(::dlsym(library, "tam_model"))
              : nullptr;
  if (!model) {
    std::fprintf(stderr, "error: expected MODEL.so COMMAND...%s%s\n",
                 arguments.size() > 1 ? ": " : "",
                 arguments.size() > 1 ? ::dlerror() : "");
    return 2;
  }
  std::atexit(writeCounts);
  std::at_quick_exit(writeCounts);
  const char *empty = std::getenv("TAMC_CTS_EMPTY");
  if (empty && std::strcmp(empty, "1") == 0)
    model = withEmptyCalls(model);
  std::vector<char *> command;
  for (size_t i = 1; i <= arguments.size(); ++i) {
    if (i < arguments.size() && arguments[i] != "--then") {
      command.push_back(arguments[i].data());
      continue;
    }
    command.insert(command.begin(), arguments[0].data());
    command.push_back(nullptr);
    if (int status = tamrt_main(model, int(command.size()) - 1, command.data()))
      return status;
    command.clear();
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 3 || std::strcmp(argv[1], "--serve") != 0)
    return runCommands({argv + 1, argv + argc});
  if (!::dlopen(argv[2], RTLD_NOW | RTLD_LOCAL)) {
    std::fprintf(stderr, "error: %s\n", ::dlerror());
    return 2;
  }
  return tamc::test::serve(runCommands);
}
