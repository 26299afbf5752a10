//===- app/Main.cpp - the command line of a model -------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Commands.h"
#include "core/Model.h"
#include "core/Weights.h"
#include "io/AtomicFile.h"
#include "io/CsvWriter.h"

#include <cstdio>
#include <exception>
#include <new>
#include <span>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace tamrt {
namespace {

/// Makes address space follow use: one arena instead of one per thread (64 MiB
/// each), and columns mapped one by one, so that freeing gives them back.
void configureAllocator() {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
#endif
}

Status runCommand(const tamrt_model &model, const Options &options) {
  switch (options.command) {
  case Command::Help:
    return print(options.help);
  case Command::Fit:
    return runFit(model, options);
  case Command::Predict:
    return runPredict(model, options);
  case Command::Coefficients:
    return runCoefficients(model, options);
  case Command::Plan:
    return runPlan(model, options);
  case Command::Info:
    return runInfo(model, options);
  }
  return {};
}

Status run(const tamrt_model &model, int argc, char **argv) {
  if (Status s = checkModel(model); !s)
    return s;
  Result<Options> options = parseCommandLine(model, argc, argv);
  if (!options)
    return std::move(options).error();
  return runCommand(model, *options);
}

} // namespace

Status runCoefficients(const tamrt_model &model, const Options &options) {
  Result<Weights> weights = loadWeights(model, options.weights);
  if (!weights)
    return std::move(weights).error();
  Result<AtomicFile> output = AtomicFile::create("-");
  if (!output)
    return std::move(output).error();
  CsvWriter writer(*std::move(output));
  std::vector<std::string> names = {"effect", "index", "value"};
  if (model.group)
    names.insert(names.begin(), "group");
  writer.header(names);
  for (size_t g = 0; g < weights->groups.size(); ++g) {
    const double *values = weights->of(g, model);
    for (int64_t e = 0; e < model.effect_count; ++e) {
      const tamrt_effect &effect = model.effects[e];
      for (int64_t i = 0; i < effect.columns; ++i) {
        if (model.group)
          writer.text(weights->groups[g]);
        writer.text(effect.name);
        writer.integer(i);
        writer.number(values[effect.first_column + i]);
        writer.endRow();
      }
    }
  }
  return writer.finish();
}

Status runPlan(const tamrt_model &model, const Options &options) {
  std::span<const tamrt_step> steps(model.steps, size_t(model.step_count));
  return print(options.draw
                   ? drawPlan(steps, options.planScope)
                   : formatPlan(steps, options.planFormat, options.planScope));
}

Status checkOutput(const Options &options) {
  for (const std::string *input : {&options.input, &options.weights})
    if (options.output != "-" && *input != "-" &&
        isSameFile(options.output, *input))
      return Error{options.output +
                   ": expected an output that is no input of the run, got " +
                   (input == &options.input ? "the data" : "the weights")};
  return {};
}

Status print(std::string_view text) { return writeFile("-", text); }

void tell(const tamrt_model &model, std::string_view kind,
          std::string_view message) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string line = std::string(model.name) + ": " + std::string(kind) + ": ";
  for (char c : message) {
    auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      line += c;
      continue;
    }
    line += "\\x";
    line += digits[byte >> 4];
    line += digits[byte & 15];
  }
  line += '\n';
  std::fputs(line.c_str(), stderr);
}

} // namespace tamrt

int tamrt_main(const tamrt_model *model, int argc, char **argv) {
  tamrt::configureAllocator();
  tamrt::removeTemporariesOnSignals();
  // Nothing in the runtime throws on purpose; what the standard library throws
  // must not cross the C ABI.
  try {
    tamrt::Status done = tamrt::run(*model, argc, argv);
    if (done)
      return 0;
    tamrt::tell(*model, "error", done.error().message);
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr,
                 "%s: error: out of memory; `%s info` tells what a run needs\n",
                 model->name, model->name);
  } catch (const std::exception &exception) {
    std::fprintf(stderr, "%s: error: internal error: %s\n", model->name,
                 exception.what());
  }
  return 1;
}
