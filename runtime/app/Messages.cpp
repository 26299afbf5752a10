//===- app/Messages.cpp - files and messages of commands ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Commands.h"
#include "core/Log.h"
#include "core/ranks/RankFiles.h"
#include "io/AtomicFile.h"

#include <cstdio>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <unistd.h>
#include <vector>

namespace tamrt {

static const MessageSink *messageSink;
static std::string *printedText;

Status checkOutput(const Options &options) {
  struct File {
    const std::string &path;
    const char *what;
    std::optional<FileIdentity> identity;
  };
  const std::string program = "/proc/self/exe";
  std::vector<File> inputs;
  auto addInput = [&](const std::string &path, const char *what) {
    inputs.push_back({path, what, identify(path, STDIN_FILENO)});
  };
  addInput(program, "the program");
  const std::vector<std::string> data = expandPattern(options.input);
  for (const std::string &path : data)
    addInput(path, "the data");
  addInput(options.weights, "the weights");
  addInput(options.survey, "the survey");
  for (const std::string &path : options.inputs)
    addInput(path, "a file");
  const File outputs[] = {
      {options.output, "the output", identify(options.output, STDOUT_FILENO)},
      {options.windowCoefficients, "the coefficients",
       identify(options.windowCoefficients, STDOUT_FILENO)},
      {options.checkpoint, "the checkpoint",
       identify(options.checkpoint, STDOUT_FILENO)},
      {options.trace, "the trace", identify(options.trace, STDOUT_FILENO)},
      {options.memorySnapshot, "the snapshot",
       identify(options.memorySnapshot, STDOUT_FILENO)}};
  for (const File *file = outputs; file != std::end(outputs); ++file) {
    if (file->path.empty() || (printedText && file->path == "-"))
      continue;
    auto refuse = [&](const File &other) {
      return Error{fmt::format(
          "{}: expected a file of its own for {}, got {} of the run",
          file->path == "-" ? "standard output" : file->path, file->what,
          other.what)};
    };
    for (const File &input : inputs)
      if (file->identity && file->identity == input.identity)
        return refuse(input);
    for (const File *other = outputs; other != file; ++other)
      if (file->path == other->path ||
          (file->identity && file->identity == other->identity))
        return refuse(*other);
    if (Status s = AtomicFile::check(file->path); !s)
      return s;
  }
  return {};
}

Status print(std::string_view text) { return writeOutput("-", text); }

Status writeOutput(const std::string &path, std::string_view text) {
  if (!printedText || path != "-")
    return writeFile(path, text);
  *printedText += text;
  return {};
}

SinkScope::SinkScope(const MessageSink &sink, std::string &printed) {
  messageSink = &sink;
  printedText = &printed;
}
SinkScope::~SinkScope() {
  messageSink = nullptr;
  printedText = nullptr;
}

void tell(const tamrt_model &model, std::string_view kind,
          std::string_view message) {
  if (messageSink)
    return (*messageSink)(kind, message);
  std::fputs(lineOf(model.name, kind, message).c_str(), stderr);
}

Result<std::shared_ptr<const Weights>> readWeights(const tamrt_model &model,
                                                   const Options &options,
                                                   WeightsParts parts) {
  if (options.fitted) {
    if (Status s = checkParts(*options.fitted, kWeightsInMemory, parts); !s)
      return std::move(s).error();
    return std::shared_ptr<const Weights>(options.fitted, [](const auto *) {});
  }
  Result<Weights> weights = loadWeights(model, options.weights, parts);
  if (!weights)
    return std::move(weights).error();
  if (!weights->isChecked)
    tell(model, "note",
         (options.weights == "-" ? "standard input" : options.weights) +
             ": written before weights had a checksum, so that damage to the "
             "file goes unnoticed; fit again to have one");
  return std::make_shared<const Weights>(*std::move(weights));
}

} // namespace tamrt
