//===- core/device/Devices.cpp - finds devices and tests them -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/device/Devices.h"

#include "core/Log.h"
#include "core/device/Kernels.h"
#include "kernels/Status.h"
#include "kernels/cpu/CpuKernels.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <set>

namespace tamrt {
namespace {

/// A device as users name it: "cuda:1" is device "1" of kind "cuda",
/// "torch:cpu" is "cpu" of "torch". Without a name it is the first one of its
/// kind.
struct DeviceName {
  std::string_view kind, name;

  std::string label() const {
    return fmt::format("{}{}{}", kind, name.empty() ? "" : ":", name);
  }
};

/// The order of preference; the CPU, which is built in, comes last.
constexpr DeviceName kOrder[] = {
    {"cuda", ""}, {"torch", "mps"}, {"torch", "xpu"}};

/// The number that PCI gives to Intel.
constexpr std::string_view kIntel = "0x8086";

/// Whether this machine may have a device that `auto` tries. Loading LibTorch
/// takes longer than most fits.
bool mayHave(const DeviceName &device) {
  if (device.kind != "torch")
    return true;
#ifdef __APPLE__
  return device.name == "mps";
#else
  if (device.name != "xpu")
    return false;
  std::error_code ignored;
  for (std::filesystem::directory_iterator at("/sys/class/drm", ignored), end;
       at != end; at.increment(ignored)) {
    std::string vendor;
    if (std::ifstream(at->path() / "device/vendor") >> vendor &&
        vendor == kIntel)
      return true;
  }
  return false;
#endif
}

void logForBackend(int32_t level, const char *message) {
  logLine(
      LogLevel(std::clamp<int32_t>(level, TAMRT_LOG_ERROR, TAMRT_LOG_DEBUG)),
      message);
}

void failForBackend(tamrt_context *ctx, int32_t status, int64_t detail) {
  fail(ctx, tamrt_status(status), detail);
}

constexpr tamrt_core kCore = {TAMRT_BACKEND_VERSION, TAMRT_ABI_VERSION,
                              logForBackend,         failForBackend,
                              &tamrt_cpu_kernels,    tamrt_run_calls};

/// Whether a backend has all required functions, and all or none of each group
/// of optional functions.
bool isComplete(const tamrt_backend &b) {
  auto together = [](std::initializer_list<bool> there) {
    return std::count(there.begin(), there.end(), true) % there.size() == 0;
  };
  return b.probe && b.open && b.close && b.name && b.traits && b.memory &&
         b.allocate && b.release && b.copy && b.kernels &&
         together({b.stream_create != nullptr, b.stream_destroy != nullptr,
                   b.synchronize != nullptr, b.event_create != nullptr,
                   b.event_destroy != nullptr, b.event_record != nullptr,
                   b.event_query != nullptr, b.event_synchronize != nullptr,
                   b.stream_wait != nullptr}) &&
         together(
             {b.pinned_allocate != nullptr, b.pinned_release != nullptr}) &&
         together({b.prepare != nullptr, b.discard != nullptr,
                   b.enqueue != nullptr, b.batch != nullptr});
}

/// Loads a backend. It stays loaded, because its tables live as long as the
/// program.
Result<const tamrt_backend *> load(const std::string &path,
                                   std::string_view kind) {
  const Result<void *> entry = loadEntry(
      path, RTLD_NOW | RTLD_LOCAL, TAMRT_BACKEND_REGISTER,
      "expected a backend, got a library without '" TAMRT_BACKEND_REGISTER "'");
  if (!entry)
    return entry.error();
  auto start = reinterpret_cast<tamrt_backend_register_function>(*entry);
  const tamrt_backend *backend = start(&kCore);
  if (!backend)
    return Error{"the backend declines to serve this runtime"};
  if (backend->version != TAMRT_BACKEND_VERSION ||
      backend->abi_version != TAMRT_ABI_VERSION)
    return Error{fmt::format("expected a backend of version {}.{}, got {}.{}",
                             TAMRT_BACKEND_VERSION, TAMRT_ABI_VERSION,
                             backend->version, backend->abi_version)};
  if (backend->kind != kind)
    return Error{fmt::format("expected a backend of kind '{}', got '{}'", kind,
                             backend->kind)};
  if (!isComplete(*backend))
    return Error{"expected a complete table of functions, got one with gaps"};
  return backend;
}

/// The index of the device that is called `name`, of `count`.
Result<int32_t> indexOf(const tamrt_backend &backend, int32_t count,
                        std::string_view name) {
  if (name.empty())
    return 0;
  if (backend.label) {
    std::string all;
    for (int32_t i = 0; i < count; ++i) {
      const std::string_view label = backend.label(i);
      // "xpu" is the first of several.
      if (name == label || fmt::format("{}:0", name) == label)
        return i;
      all +=
          fmt::format("{}{}", i > 0 ? ", " : "", Device::labelOf(backend, i));
    }
    return Error{fmt::format("there is no such device, but {}", all)};
  }
  int32_t index = 0;
  auto [end, code] =
      std::from_chars(name.data(), name.data() + name.size(), index);
  if (code != std::errc() || end != name.data() + name.size() || index < 0)
    return Error{fmt::format("expected a device such as {}:1", backend.kind)};
  if (index >= count)
    return Error{fmt::format("there are {}", count)};
  return index;
}

/// Opens and tests one device; the result is in `report`.
std::unique_ptr<Device> trust(const tamrt_backend &backend, int32_t index,
                              DeviceReport &report) {
  report.label = Device::labelOf(backend, index);
  Result<std::unique_ptr<Device>> device = Device::open(backend, index);
  if (!device) {
    report.why = device.error().message;
    return nullptr;
  }
  report.name = (*device)->name();
  report.memory = (*device)->memory();
  report.reserveBytes = (*device)->reserveBytes();
  report.missing = missingKernels(*(*device)->kernels());
  if (Status tested = testDevice(**device, report.tests); !tested) {
    report.why = tested.error().message;
    return nullptr;
  }
  return *std::move(device);
}

/// Tests the devices of a backend's file, or only the one called `only`, and
/// adds their reports to `reports`. Returns that one if it is trusted.
std::unique_ptr<Device> tryBackend(const std::string &path,
                                   std::string_view kind,
                                   std::optional<std::string_view> only,
                                   std::vector<DeviceReport> &reports) {
  DeviceReport report;
  report.label = DeviceName{kind, only.value_or("")}.label();
  report.path = path;
  Result<const tamrt_backend *> backend = load(path, kind);
  char why[256] = "";
  int32_t count = 0, first = 0;
  if (!backend) {
    report.why = backend.error().message;
  } else if ((count = (*backend)->probe(why, sizeof(why))) <= 0) {
    report.why = why[0] ? why : "no device";
  } else if (only) {
    if (Result<int32_t> index = indexOf(**backend, count, *only))
      first = *index;
    else
      report.why = index.error().message;
  }
  if (!report.isTrusted()) {
    reports.push_back(report);
    return nullptr;
  }
  for (int32_t index = first; index < count; ++index) {
    DeviceReport one = report;
    std::unique_ptr<Device> device = trust(**backend, index, one);
    reports.push_back(std::move(one));
    if (only)
      return device;
  }
  return nullptr;
}

DeviceReport reportOf(const std::string &kind, const UnsafeBackend &unsafe) {
  DeviceReport report;
  report.label = kind;
  report.path = unsafe.path;
  report.why = unsafe.why;
  return report;
}

DeviceReport reportOfCpu() {
  Device &cpu = Device::cpu();
  DeviceReport report;
  report.label = cpu.label();
  report.name = cpu.name();
  report.memory = cpu.memory();
  if (Status tested = testDevice(cpu, report.tests); !tested)
    report.why = tested.error().message;
  return report;
}

} // namespace

std::vector<DeviceReport>
surveyDevices(const std::vector<BackendFolder> &folders) {
  std::vector<DeviceReport> reports;
  std::set<std::string> kinds = backendKinds(folders);
  kinds.erase("cpu");
  auto survey = [&](const std::string &kind) {
    const BackendSearch found = findBackend(folders, kind);
    for (const UnsafeBackend &unsafe : found.unsafe)
      reports.push_back(reportOf(kind, unsafe));
    if (!found.path.empty())
      tryBackend(found.path, kind, std::nullopt, reports);
    else if (found.unsafe.empty())
      reports.push_back(reportOf(kind, {"", "no backend was found"}));
  };
  std::set<std::string_view> done;
  for (const DeviceName &device : kOrder) {
    if (!done.insert(device.kind).second)
      continue;
    survey(std::string(device.kind));
    kinds.erase(std::string(device.kind));
  }
  reports.push_back(reportOfCpu());
  for (const std::string &kind : kinds)
    survey(kind);
  return reports;
}

Result<ChosenDevice> chooseDevice(std::string_view label,
                                  const std::vector<BackendFolder> &folders) {
  if (label == "cpu")
    return ChosenDevice();
  if (label == "auto") {
    for (const DeviceName &wanted : kOrder) {
      if (!mayHave(wanted))
        continue;
      const BackendSearch found = findBackend(folders, wanted.kind);
      // Another user may have put the file there, so this is no warning.
      for (const UnsafeBackend &unsafe : found.unsafe)
        log(LogLevel::Warning, "backend '{}' is skipped: {}", unsafe.path,
            unsafe.why);
      if (found.path.empty())
        continue;
      std::vector<DeviceReport> reports;
      if (auto device =
              tryBackend(found.path, wanted.kind, wanted.name, reports))
        return ChosenDevice(std::move(device));
      // The user would miss a device that fails its test.
      log(reports.back().tests.empty() ? LogLevel::Info : LogLevel::Warning,
          "device '{}' is skipped: {}", reports.back().label,
          reports.back().why);
    }
    return ChosenDevice();
  }

  const size_t colon = std::min(label.find(':'), label.size());
  const std::string_view kind = label.substr(0, colon);
  const std::string_view name = label.substr(std::min(colon + 1, label.size()));
  const bool isName =
      std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::islower(c) || std::isdigit(c) || c == ':';
      });
  if (kind.empty() || kind.find('/') != kind.npos || !isName ||
      (colon < label.size() && name.empty()))
    return Error{fmt::format("expected a device such as cpu or cuda:1, got "
                             "'{}'",
                             label)};
  if (kind == "cpu")
    return Error{fmt::format("expected device 'cpu', of which there is one, "
                             "got '{}'",
                             label)};
  const BackendSearch found = findBackend(folders, kind);
  if (found.path.empty() && !found.unsafe.empty())
    return Error{fmt::format("device '{}': backend '{}' is skipped: {}", label,
                             found.unsafe.front().path,
                             found.unsafe.front().why)};
  if (found.path.empty())
    return Error{fmt::format("device '{}': no backend '{}' was found; "
                             "`info --devices` tells where it is looked for",
                             label, backendFileName(kind))};
  std::vector<DeviceReport> reports;
  if (auto device = tryBackend(found.path, kind, name, reports))
    return ChosenDevice(std::move(device));
  return Error{
      fmt::format("device '{}': {}", reports.back().label, reports.back().why)};
}

Result<std::vector<ChosenDevice>>
chooseDevices(std::string_view list,
              const std::vector<BackendFolder> &folders) {
  const Error isNoList{fmt::format("expected devices of one kind, such as "
                                   "cuda:0,cuda:1, got '{}'",
                                   list)};
  std::vector<ChosenDevice> devices;
  std::set<std::string> labels, kinds;
  const bool isList = list.find(',') != list.npos;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    const std::string_view label = list.substr(at, end - at);
    at = end + 1;
    if (isList && (label.empty() || label == "auto" || label == "cpu"))
      return isNoList;
    Result<ChosenDevice> device = chooseDevice(label, folders);
    if (!device)
      return std::move(device).error();
    labels.insert((*device)->label());
    kinds.insert((*device)->functions().kind);
    devices.push_back(*std::move(device));
  }
  if (kinds.size() > 1)
    return isNoList;
  if (labels.size() < devices.size())
    return Error{fmt::format("expected each device once, got '{}'", list)};
  return devices;
}

} // namespace tamrt
