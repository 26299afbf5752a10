//===- app/Bench.cpp - bench ----------------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Commands.h"
#include "app/Session.h"
#include "app/Training.h"
#include "core/data/Compression.h"
#include "core/device/Devices.h"
#include "core/model/Weights.h"
#include "core/run/ResidentColumns.h"
#include "core/run/Site.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <unistd.h>

namespace tamrt {
namespace {

using json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

/// One phase of the work on one device.
struct Phase {
  const char *name;
  /// Of the fastest run.
  double seconds = std::numeric_limits<double>::infinity();
  /// Of one run.
  tamrt_device_counts work = {};
};

/// What was found out about one device.
struct DeviceTimes {
  std::string label, name;
  Phase fit{"fit"}, predict{"predict"};
  /// Bytes per second of copies within its memory; each is read and written.
  double bandwidth = 0;
  /// The largest difference of a prediction from that of the first device,
  /// over the standard deviation of that device's predictions.
  double difference = 0;
};

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Calls `body` and keeps the time if it is the shortest.
template <class Body>
Status measure(Device &device, Phase &phase, const Body &body) {
  const tamrt_device_counts before = device.counts();
  const Clock::time_point start = Clock::now();
  if (Status s = body(); !s)
    return s;
  phase.seconds = std::min(phase.seconds, secondsSince(start));
  const tamrt_device_counts after = device.counts();
  phase.work = {after.launches - before.launches, after.copies - before.copies,
                after.uploaded_bytes - before.uploaded_bytes};
  return {};
}

/// Measures copies within a device's memory; 0 if it has too little.
double bandwidthOf(Device &device) {
  constexpr int64_t kMost = int64_t(64) << 20;
  const int64_t bytes = std::min(kMost, device.memory().freeBytes / 4);
  if (bytes < TAMRT_ALIGNMENT)
    return 0;
  const AlignedBuffer from = device.allocate(size_t(bytes), "bandwidth"),
                      to = device.allocate(size_t(bytes), "bandwidth");
  if (!from || !to)
    return 0;
  Phase copy{"copy"};
  // The first one touches the pages.
  for (int round = 0; round < 4; ++round)
    if (!measure(device, copy, [&] {
          return device.describe(
              device.copy(to.data(), from.data(), size_t(bytes)), "copy");
        }))
      return 0;
  return 2.0 * double(bytes) / copy.seconds;
}

double standardDeviation(const std::vector<double> &numbers) {
  double mean = 0, squares = 0;
  for (double x : numbers)
    mean += x / double(numbers.size());
  for (double x : numbers)
    squares += (x - mean) * (x - mean) / double(numbers.size());
  return std::sqrt(squares);
}

/// Names of devices, and those that cannot be used, with the reasons.
struct Choice {
  std::vector<std::string> labels;
  std::vector<std::pair<std::string, std::string>> skipped;
};

/// The devices of --device: all, of which the CPU is the first, or a list.
Choice choose(const std::string &text) {
  Choice choice;
  if (text != "all") {
    for (size_t start = 0, end = 0; end < text.size(); start = end + 1) {
      end = std::min(text.find(',', start), text.size());
      choice.labels.push_back(text.substr(start, end - start));
    }
    return choice;
  }
  const std::string cpu = Device::cpu().label();
  choice.labels.push_back(cpu);
  for (const DeviceReport &report : surveyDevices())
    if (!report.isTrusted())
      choice.skipped.emplace_back(report.label, report.why);
    else if (report.label != cpu)
      choice.labels.push_back(report.label);
  return choice;
}

class Bench {
public:
  Bench(const tamrt_model &model, const Options &options)
      : model(model), options(options), progress(STDERR_FILENO, model.name),
        choice(choose(options.device)) {}

  Status run();

private:
  Result<DeviceTimes> timesOf(const std::string &label);
  Status read(const RunOptions &run);
  double compare(const std::vector<double> &predictions);

  /// Rows per second.
  double speed(const Phase &phase) const {
    return double(data->rowCount()) / phase.seconds;
  }
  /// The bytes of the rows, which each run reads, per second, over the
  /// bandwidth of copies, at most 1 if the memory is not a cache.
  double share(const DeviceTimes &device, const Phase &phase) const {
    const double bytes = speed(phase) * double(Dataset::bytesPerRow(model));
    return device.bandwidth > 0 ? bytes / device.bandwidth : 0;
  }
  std::string text() const;
  std::string jsonText() const;

  const tamrt_model &model;
  const Options &options;
  Progress progress;
  Choice choice;
  /// Once it has been read.
  std::optional<Dataset> data;
  Weights weights;
  std::string path;
  std::vector<DeviceTimes> devices;
  /// The predictions of the first device, and their spread.
  std::vector<double> reference;
  double spread = 0;
};

Status Bench::read(const RunOptions &run) {
  Result<RowReader> reader =
      RowReader::open(options.source(), model,
                      {options.dropMissing, options.threads,
                       CsvBlocks::kBlockBytes, options.format});
  if (!reader)
    return std::move(reader).error();
  progress.update("read", 0, 0);
  Result<Training> training =
      readTraining(model, options, *std::move(reader), run, [] {});
  if (!training)
    return std::move(training).error();
  path = std::move(training->path);
  data = std::move(training->data);
  weights.groups = std::move(training->groups);
  weights.normalization = std::move(training->normalization);
  weights.tables = std::move(training->tables);
  return {};
}

double Bench::compare(const std::vector<double> &predictions) {
  if (reference.empty()) {
    reference = predictions;
    spread = standardDeviation(reference);
    return 0;
  }
  double worst = 0;
  for (size_t i = 0; i < predictions.size(); ++i)
    worst = std::max(worst, std::fabs(predictions[i] - reference[i]));
  return spread > 0 ? worst / spread : worst;
}

Result<DeviceTimes> Bench::timesOf(const std::string &label) {
  Options forDevice = options;
  forDevice.device = label;
  Result<Session> session = Session::start(forDevice);
  if (!session)
    return std::move(session).error();
  RunOptions run = session->run(forDevice, progress);
  if (devices.empty())
    if (Status s = read(run); !s)
      return std::move(s).error();
  const tamrt_model &own = session->modelOf(model, options);
  const FitSteps steps =
      chooseSteps(own, *data, weights.normalization, run.threads);
  Device &device = *run.device;
  DeviceTimes times;
  times.label = device.label();
  times.name = device.name();
  times.bandwidth = bandwidthOf(device);
  ResidentColumns columns;
  if (options.resident && needsCopies(device)) {
    if (Status s = columns.copy(own, *data, device); !s)
      return std::move(s).error();
    if (columns.isEmpty())
      return Error{path + ": " + times.label + ": expected " +
                   std::to_string(ResidentColumns::bytesOf(own, *data)) +
                   " bytes of memory for --resident, got less"};
    run.columns = &columns;
  }
  std::vector<double> predictions(data->rowCount());
  auto located = [&](Error error) {
    return Error{path + ": " + times.label + ": " + error.message};
  };
  // The first run, which reserves memory, does not count.
  for (int64_t i = 0; i <= options.runs; ++i) {
    progress.update("run on " + times.label, size_t(i), size_t(options.runs));
    DeviceTimes unused, &of = i > 0 ? times : unused;
    Status s = measure(device, of.fit, [&]() -> Status {
      Result<std::vector<double>> coefficients = fitGroups(
          *steps.model, *data, weights.normalization, weights.tables, run);
      if (!coefficients)
        return std::move(coefficients).error();
      weights.coefficients = *std::move(coefficients);
      return {};
    });
    if (!s)
      return located(std::move(s).error());
    s = measure(device, of.predict, [&] {
      return predictGroups(own, TAMRT_STEP_PREDICT, *data, weights, run,
                           predictions.data());
    });
    if (!s)
      return located(std::move(s).error());
  }
  times.difference = compare(predictions);
  return times;
}

Status Bench::run() {
  for (const std::string &label : choice.labels) {
    Result<DeviceTimes> times = timesOf(label);
    if (!times)
      return std::move(times).error();
    devices.push_back(*std::move(times));
  }
  progress.clear();
  return print(options.infoFormat == InfoFormat::Json ? jsonText() : text());
}

std::string Bench::text() const {
  size_t width = std::string_view("device").size();
  for (const DeviceTimes &device : devices)
    width = std::max(width, device.label.size());
  std::string text = fmt::format(
      "{} rows, {} groups, {} columns; the fastest of {} runs\n\n"
      "{:<{}}  phase    {:>12}  {:>12}  {:>9}  {:>8}  {:>8}  {:>14}\n",
      data->rowCount(), weights.groups.size(), model.columns, options.runs,
      "device", width, "seconds", "rows/s", "of peak", "launches", "copies",
      "bytes uploaded");
  for (const DeviceTimes &device : devices)
    for (const Phase *phase : {&device.fit, &device.predict})
      text += fmt::format(
          "{:<{}}  {:<7}  {:12.6f}  {:12.0f}  {:>8.1f}%  {:8}  {:8}  {:14}\n",
          device.label, width, phase->name, phase->seconds, speed(*phase),
          100 * share(device, *phase), phase->work.launches, phase->work.copies,
          phase->work.uploaded_bytes);
  text += "\n";
  for (const DeviceTimes &device : devices) {
    text += fmt::format("{:<{}}  {}; copies {:.1f} GB/s", device.label, width,
                        device.name, device.bandwidth / 1e9);
    if (&device != &devices.front())
      text += fmt::format("; predictions differ from those of {} by {:.1e} of "
                          "their spread",
                          devices.front().label, device.difference);
    text += "\n";
  }
  for (const auto &[label, why] : choice.skipped)
    text += fmt::format("{:<{}}  skipped: {}\n", label, width, why);
  return text;
}

std::string Bench::jsonText() const {
  json all = {{"rows", data->rowCount()}, {"groups", weights.groups.size()},
              {"columns", model.columns}, {"runs", options.runs},
              {"devices", json::array()}, {"skipped", json::array()}};
  for (const DeviceTimes &device : devices) {
    json phases = json::array();
    for (const Phase *phase : {&device.fit, &device.predict})
      phases.push_back({{"phase", phase->name},
                        {"seconds", phase->seconds},
                        {"rows_per_second", speed(*phase)},
                        {"bandwidth_share", share(device, *phase)},
                        {"launches", phase->work.launches},
                        {"copies", phase->work.copies},
                        {"uploaded_bytes", phase->work.uploaded_bytes}});
    all["devices"].push_back({{"device", device.label},
                              {"name", device.name},
                              {"bytes_per_second", device.bandwidth},
                              {"difference", device.difference},
                              {"phases", phases}});
  }
  for (const auto &[label, why] : choice.skipped)
    all["skipped"].push_back({{"device", label}, {"why", why}});
  return all.dump() + "\n";
}

} // namespace

Status runBench(const tamrt_model &model, const Options &options) {
  return Bench(model, options).run();
}

} // namespace tamrt
