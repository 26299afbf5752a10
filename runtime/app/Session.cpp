//===- app/Session.cpp - what a run has of the machine --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Session.h"

#include "io/AtomicFile.h"

namespace tamrt {

Result<Session> Session::start(const Options &options) {
  Session session;
  Result<ChosenDevice> device = chooseDevice(options.device);
  if (!device)
    return std::move(device).error();
  session.device = *std::move(device);
  if (!options.trace.empty()) {
    session.trace = std::make_unique<Trace>();
    session.device->follow(session.trace.get());
  }
  return session;
}

Session::~Session() {
  // The CPU outlives the trace.
  if (trace)
    device->follow(nullptr);
}

RunOptions Session::run(const Options &options, Progress &progress) const {
  RunOptions run;
  run.threads = options.threads;
  run.chunkRows = options.chunkRows;
  run.progress = &progress;
  run.device = &*device;
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

Status runSession(const tamrt_model &model, const Options &options,
                  const std::function<Status(const Session &)> &body) {
  Result<Session> session = Session::start(options);
  if (!session)
    return std::move(session).error();
  Status done = body(*session);
  if (session->trace)
    if (Status written =
            writeFile(options.trace, session->trace->json(model.name));
        done && !written)
      return written;
  return done;
}

} // namespace tamrt
