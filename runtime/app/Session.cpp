//===- app/Session.cpp - devices and options of a run ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Session.h"

#include "app/Commands.h"
#include "core/Log.h"
#include "core/run/Placement.h"
#include "io/AtomicFile.h"
#include "tamrt/memory/Snapshot.h"

#include <cstdio>

namespace tamrt {
namespace {

/// Calls look(device) for the devices of a run: the chosen ones, and the CPU,
/// which runs the steps not placed on them.
template <class Look>
void forEachDevice(const std::vector<ChosenDevice> &devices, const Look &look) {
  for (const ChosenDevice &device : devices)
    look(*device);
  if (!devices.front()->isCpu())
    look(Device::cpu());
}

void logMemory(const Device &device) {
  const MemoryStatistics memory = device.statistics();
  if (memory.allocations == 0)
    return;
  log(LogLevel::Info,
      "memory of '{}', handed out by {}: {} bytes in use, at most {}; {} "
      "reserved, at most {}; largest free block {}, fragmentation {:.2f}; {} "
      "blocks from {} regions, {} retries, {} failures",
      device.label(), allocatorName(device.allocator()), memory.used.now,
      memory.used.peak, memory.reserved.now, memory.reserved.peak,
      memory.largestFree, memory.fragmentation(), memory.allocations,
      memory.regionsObtained, memory.retries, memory.failures);
}

} // namespace

Result<Session> Session::start(const Options &options) {
  Session session;
  Result<std::vector<ChosenDevice>> devices = chooseDevices(options.device);
  if (!devices)
    return std::move(devices).error();
  if (devices->size() > 1 && !options.memorySnapshot.empty())
    return Error{"expected one device for --memory-snapshot, got '" +
                 options.device + "'"};
  session.devices = *std::move(devices);
  for (const ChosenDevice &device : session.devices)
    session.before.push_back(device->counts());
  for (size_t i = 1; i < session.devices.size(); ++i)
    session.others.push_back(&*session.devices[i]);
  forEachDevice(session.devices, [&](Device &each) {
    WorkShare work;
    work.share = options.oracle.share(
        each.place(), options.command == Command::Adapt ? WorkKind::Sliding
                                                        : WorkKind::Static);
    if (options.memoryBytes > 0)
      work.mostFree = options.memoryBytes;
    each.useAllocator(options.allocator, work);
  });
  session.device().keepSnapshot(!options.memorySnapshot.empty());
  if (!options.trace.empty()) {
    session.trace = std::make_unique<Trace>();
    for (const ChosenDevice &device : session.devices)
      device->follow(session.trace.get());
  }
  return session;
}

Session::~Session() {
  // The CPU outlives the trace.
  if (trace)
    for (const ChosenDevice &device : devices)
      device->follow(nullptr);
}

void Session::finish(Timings &timings, const Options &options) const {
  std::string names;
  tamrt_device_counts sum = {};
  for (size_t i = 0; i < devices.size(); ++i) {
    names += (i > 0 ? "," : "") + devices[i]->label();
    const tamrt_device_counts now = devices[i]->counts();
    sum.launches += now.launches - before[i].launches;
    sum.copies += now.copies - before[i].copies;
    sum.uploaded_bytes += now.uploaded_bytes - before[i].uploaded_bytes;
  }
  timings.note(names, sum);
  forEachDevice(devices, [&](const Device &each) {
    const MemoryStatistics memory = each.statistics();
    if (memory.allocations == 0)
      return;
    const std::string of = " of " + each.label();
    timings.note("most bytes in use" + of, int64_t(memory.used.peak));
    timings.note("most bytes reserved" + of, int64_t(memory.reserved.peak));
    timings.note("largest free block" + of, int64_t(memory.largestFree));
    timings.note("fragmentation" + of, memory.fragmentation());
  });
  std::fputs(timings.format(options.timings).c_str(), stderr);
}

RunOptions Session::run(const Options &options, Progress &progress) const {
  RunOptions run;
  run.threads = options.threads;
  run.chunkRows = options.chunkRows;
  run.progress = &progress;
  run.device = &device();
  run.others = others;
  run.placement = options.placement;
  run.oracle = options.oracle;
  run.memoryBytes = options.memoryBytes;
  run.allowCpuFallback = options.allowCpuFallback;
  run.trace = trace.get();
  run.solver = options.solver;
  run.cg = options.cg;
  run.allowUnconverged = options.allowUnconverged;
  return run;
}

RunOptions Session::runFit(const tamrt_model &model, const Options &options,
                           Progress &progress) const {
  RunOptions run = this->run(options, progress);
  run.tellRoute = [&](const std::string &note) {
    progress.clear();
    tell(model, "note", note);
  };
  return run;
}

const tamrt_model &Session::modelOf(const tamrt_model &model,
                                    const Options &options) const {
  const bool predicts = options.command == Command::Predict ||
                        options.command == Command::Evaluate ||
                        options.command == Command::Plot;
  return modelOn(device(), options.placement,
                 predicts ? TAMRT_STEP_PREDICT : TAMRT_STEP_FIT_CHUNK, model);
}

Status runSession(const tamrt_model &model, const Options &options,
                  const std::function<Status(const Session &)> &body) {
  // Before the work, and before a trace or a snapshot is started, which a
  // failed run writes, too.
  if (Status s = checkOutput(options); !s)
    return s;
  Result<Session> session = Session::start(options);
  if (!session)
    return std::move(session).error();
  Status done = body(*session);
  auto write = [&](const std::string &path, std::string_view text) {
    // The run's output exists by now.
    if (Status written = writeFile(path, text); done && !written)
      done = Error{
          written.error().message +
          (options.command == Command::Fit      ? "; the weights were written"
           : options.command == Command::Tune   ? "; the weights were written"
           : options.command == Command::Solve  ? "; the weights were written"
           : options.command == Command::Survey ? "; the survey was written"
           : options.command == Command::Sums   ? "; the sums were written"
           : options.command == Command::Plot   ? "; the pictures were written"
           : options.command == Command::Evaluate
               ? "; the measures were written"
               : "; the table was written")};
  };
  if (session->trace) {
    write(options.trace, session->trace->json(model.name));
    if (const int64_t lost = session->trace->lost(); lost > 0)
      log(LogLevel::Warning,
          "{} events of the trace are lost for lack of "
          "memory",
          lost);
  }
  if (!options.memorySnapshot.empty())
    write(options.memorySnapshot,
          toPlanningJson(session->device().snapshotOfPeak()));
  forEachDevice(session->devices, logMemory);
  return done;
}

} // namespace tamrt
