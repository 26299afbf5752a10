//===- app/RankSessions.cpp - what commands on ranks share ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/RankSessions.h"

#include "app/Commands.h"
#include "app/Timings.h"

#include <algorithm>
#include <fmt/format.h>
#include <thread>
#include <utility>

namespace tamrt {
namespace {

/// Checks the options that all commands have.
Status checkOptions(const Options &options) {
  if (options.device != "auto" && options.device != "cpu")
    return Error{
        fmt::format("expected the CPU, on which ranks run, as --device, "
                    "got '{}'",
                    options.device)};
  if (options.weights == "-")
    return Error{"expected a file of weights, which all ranks read, got "
                 "standard input"};
  return {};
}

/// The options of one rank: rank 0 alone writes files, and the ranks of a
/// machine share its cores.
Options optionsOf(const Options &options, const Ranks &ranks) {
  Options own = options;
  own.device = "cpu";
  if (own.threads == 0 && ranks.localSize() > 1)
    own.threads = std::max<unsigned>(
        std::thread::hardware_concurrency() / unsigned(ranks.localSize()), 1);
  if (ranks.rank() > 0) {
    own.output = "/dev/null";
    own.windowCoefficients.clear();
    own.checkpoint.clear();
    own.trace.clear();
    own.memorySnapshot.clear();
    own.timings = TimingsFormat::None;
  }
  return own;
}

} // namespace

Status runSessions(
    const tamrt_model &model, const Options &options, const Ranks &ranks,
    Status checked,
    FunctionRef<Status(const Options &own, const Session &session)> body) {
  if (checked)
    checked = checkOptions(options);
  if (Status s = ranks.agree(std::move(checked)); !s)
    return s;
  const Options own = optionsOf(options, ranks);
  bool isStarted = false;
  Status done = runSession(model, own, [&](const Session &session) {
    isStarted = true;
    if (Status s = ranks.agree({}); !s)
      return s;
    return body(own, session);
  });
  return isStarted ? done : ranks.agree(std::move(done));
}

void tellAll(const tamrt_model &model, const char *kind,
             const std::vector<std::string> &notes) {
  for (const std::string &note : notes)
    tell(model, kind, note);
}

Result<std::optional<AtomicFile>>
writeTexts(const std::string &path, std::string_view own, const Ranks &ranks) {
  std::optional<AtomicFile> file;
  Status status;
  if (ranks.rank() == 0) {
    Result<AtomicFile> created = AtomicFile::create(path);
    if (created)
      file.emplace(*std::move(created));
    else
      status = std::move(created).error();
  }
  ranks.gatherBlocks(
      own.size(), kMessageBlockBytes,
      [&](size_t first, size_t count) { return own.substr(first, count); },
      [&](std::string_view bytes) {
        if (status && file)
          status = file->write(bytes);
      });
  if (Status s = ranks.agree(std::move(status)); !s)
    return std::move(s).error();
  return file;
}

Status commit(const Ranks &ranks, std::span<std::optional<AtomicFile>> files) {
  Status status;
  for (std::optional<AtomicFile> &file : files)
    if (file && status)
      status = file->commit();
  return ranks.agree(std::move(status));
}

} // namespace tamrt
