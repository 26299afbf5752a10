//===- app/Session.h - devices and options of a run -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_SESSION_H
#define TAMRT_APP_SESSION_H

#include "app/CommandLine.h"
#include "app/Timings.h"
#include "core/device/Devices.h"
#include "core/run/Executor.h"
#include "core/run/Progress.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <functional>
#include <memory>
#include <vector>

namespace tamrt {

/// The devices of a run, and its trace if one is requested.
class Session {
public:
  /// Chooses and tests the devices. Errors: those of `chooseDevices`, and a
  /// snapshot of the memory of several devices.
  static Result<Session> start(const Options &options);
  Session(Session &&) = default;
  ~Session();

  /// The options of a run on these devices. The session must outlive them.
  RunOptions run(const Options &options, Progress &progress) const;
  /// The same for a fit of `model`, which prints why it uses conjugate
  /// gradients.
  RunOptions runFit(const tamrt_model &model, const Options &options,
                    Progress &progress) const;

  /// The model whose steps a command runs on these devices (core/run/Placement,
  /// modelOn): that of its fits, or of its predictions if it fits nothing.
  const tamrt_model &modelOf(const tamrt_model &model,
                             const Options &options) const;

  /// Adds the work of the run's devices and the counts of their allocators to
  /// the timings, and prints them as the options ask.
  void finish(Timings &timings, const Options &options) const;

private:
  friend Status runSession(const tamrt_model &, const Options &,
                           const std::function<Status(const Session &)> &);
  Session() = default;

  /// The first device, and the others.
  Device &device() const { return *devices.front(); }

  std::vector<ChosenDevice> devices;
  /// What each had done before the run: tests.
  std::vector<tamrt_device_counts> before;
  std::vector<Device *> others;
  std::unique_ptr<Trace> trace;
};

/// Calls `body` with a session and writes the trace and the snapshot of memory,
/// also after a failed run. Errors: those of `checkOutput`, of the session and
/// of the body, and those of writing, which say that the body's output was
/// written.
Status runSession(const tamrt_model &model, const Options &options,
                  const std::function<Status(const Session &)> &body);

} // namespace tamrt

#endif // TAMRT_APP_SESSION_H
