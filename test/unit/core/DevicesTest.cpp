//===- DevicesTest.cpp - finding, testing and breaking devices ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sim.h"

#include "core/Log.h"
#include "core/device/Devices.h"
#include "core/device/Kernels.h"
#include "core/device/MachineMemory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace tamrt::test {
namespace {

const std::string kFolder = TAMC_BINARY_DIR "/test/backends";

/// Sets variables of the environment for a test.
class Devices : public testing::Test {
protected:
  void set(const char *name, const char *value) {
    ::setenv(name, value, 1);
    names.push_back(name);
  }
  void TearDown() override {
    for (const char *name : names)
      ::unsetenv(name);
  }
  std::string whyNot(const char *label) {
    Result<ChosenDevice> device = chooseDevice(label, {{kFolder}});
    return device ? "trusted" : device.error().message;
  }

  std::vector<const char *> names;
};

TEST_F(Devices, TheCpuIsBuiltIn) {
  Result<ChosenDevice> device = chooseDevice("auto", {});
  ASSERT_TRUE(device);
  EXPECT_TRUE((*device)->isCpu());
  EXPECT_EQ((*device)->label(), "cpu");
  std::vector<std::string> tests;
  EXPECT_TRUE(testDevice(**device, tests));
  EXPECT_EQ(tests,
            (std::vector<std::string>{"binary64 sum: ok", "cholesky: ok"}));
  EXPECT_EQ((*device)->usedBytes(), 0);
}

TEST_F(Devices, LimitsOfTheProcessCountAReserveOnce) {
  static constexpr int64_t kReserve = int64_t(1) << 24;
  tamrt_backend backend = cpuBackend();
  backend.kind = "reserving";
  // The CPU's functions need no handle, but only one that is not null is open.
  static int64_t handle;
  backend.open = [](int32_t, char *, size_t) {
    return reinterpret_cast<tamrt_device *>(&handle);
  };
  backend.reserve = [](tamrt_device *) { return kReserve; };
  Result<std::unique_ptr<Device>> device = Device::open(backend, 0);
  ASSERT_TRUE(device);
  EXPECT_EQ((*device)->reserveBytes(), kReserve);
  EXPECT_EQ(Device::cpu().reserveBytes(), 0);
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  // The reserve is in the address space already, and in the plan.
  rlimit limit = before;
  limit.rlim_cur = rlim_t(processBytes() + kReserve);
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &limit), 0);
  const DeviceMemory memory = (*device)->memory(), cpu = Device::cpu().memory();
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(cpu.source, "limit on address space");
  EXPECT_EQ(memory.source, cpu.source);
  EXPECT_NEAR(double(memory.freeBytes - cpu.freeBytes), double(kReserve),
              double(kReserve) / 4);
}

TEST_F(Devices, SimIsUsedByNameAlone) {
  Result<ChosenDevice> device = chooseDevice("auto", {{kFolder}});
  ASSERT_TRUE(device);
  EXPECT_TRUE((*device)->isCpu());
  set("TAMRT_SIM_MEMORY", "1000000");
  set("TAMRT_SIM_DEVICES", "2");
  device = chooseDevice("sim:1", {{kFolder}});
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_EQ((*device)->label(), "sim:1");
  EXPECT_EQ((*device)->memory().totalBytes, 1000000);
  EXPECT_EQ((*device)->place(), MemoryPlace::Device);
  {
    AlignedBuffer some = (*device)->allocate(1000, "test");
    ASSERT_TRUE(some);
    EXPECT_EQ((*device)->usedBytes(), 1024);
    EXPECT_EQ((*device)->memory().freeBytes, 1000000 - 1024);
    EXPECT_FALSE((*device)->allocate(1000000, "test"));
  }
  EXPECT_EQ((*device)->usedBytes(), 0);
}

TEST_F(Devices, SaysWhyNot) {
  EXPECT_NE(whyNot("cuda").find("no backend"), std::string::npos);
  EXPECT_NE(whyNot("../sim").find("expected a device"), std::string::npos);
  EXPECT_NE(whyNot("sim:x").find("expected a device"), std::string::npos);
  EXPECT_NE(whyNot("cpu:1").find("of which there is one"), std::string::npos);
  EXPECT_NE(whyNot("sim:1").find("there are 1"), std::string::npos);
  EXPECT_EQ(whyNot("sim"), "trusted");
  set("TAMRT_SIM_DEVICES", "0");
  EXPECT_NE(whyNot("sim").find("there is none"), std::string::npos);
}

TEST_F(Devices, SettingsAreWholeNumbers) {
  // Read for the devices, for one device, and with the library.
  for (const char *name : {"TAMRT_SIM_DEVICES", "TAMRT_SIM_MEMORY",
                           "TAMRT_SIM_RESERVE", "TAMRT_SIM_DELAY"})
    for (const char *wrong : {"256M", "-1", "x", "99999999999999999999"}) {
      set(name, wrong);
      EXPECT_NE(whyNot("sim").find("expected a whole number of at least 0 as " +
                                   std::string(name) + ", got '" + wrong + "'"),
                std::string::npos)
          << whyNot("sim");
      set(name, "");
    }
  EXPECT_EQ(whyNot("sim"), "trusted");
}

TEST_F(Devices, ADeviceThatComputesWrongIsPassedOver) {
  set("TAMRT_SIM_BROKEN", "rhs_dense");
  EXPECT_NE(whyNot("sim").find("test 'binary64 sum' failed: expected 1.0"),
            std::string::npos)
      << whyNot("sim");
  set("TAMRT_SIM_BROKEN", "cholesky_solve");
  EXPECT_NE(whyNot("sim").find("test 'cholesky' failed"), std::string::npos);
}

TEST_F(Devices, OpaqueMemoryIsReachedByCopiesAlone) {
  set("TAMRT_SIM_OPAQUE", "1");
  Result<ChosenDevice> device = chooseDevice("sim", {{kFolder}});
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_FALSE((*device)->hasTrait(TAMRT_DEVICE_HOST_ADDRESSABLE));
  AlignedBuffer there = (*device)->allocate(2 * sizeof(double), "test");
  ASSERT_TRUE(there);
  const double numbers[] = {1, 2};
  ASSERT_EQ((*device)->copy(there.data(), numbers, sizeof(numbers)), TAMRT_OK);
  double back[2] = {};
  ASSERT_EQ((*device)->copy(back, there.data(), sizeof(back)), TAMRT_OK);
  EXPECT_EQ(back[1], 2);
  // Within the device, too.
  ASSERT_EQ(
      (*device)->copy(there.as<double>() + 1, there.data(), sizeof(double)),
      TAMRT_OK);
  ASSERT_EQ((*device)->copy(back, there.data(), sizeof(back)), TAMRT_OK);
  EXPECT_EQ(back[1], 1);
  EXPECT_DEATH(
      { back[0] = *const_cast<volatile double *>(there.as<double>()); }, "");
}

TEST_F(Devices, EveryAllocationOfTheTestMayFail) {
  for (int k = 1; k <= 5; ++k) {
    set("TAMRT_SIM_FAIL", std::to_string(k).c_str());
    EXPECT_NE(whyNot("sim").find("bytes of memory for a test"),
              std::string::npos)
        << k;
  }
  set("TAMRT_SIM_FAIL", "6");
  EXPECT_EQ(whyNot("sim"), "trusted");
}

TEST_F(Devices, NeedNoKernelsOfTheCpuAlone) {
  std::vector<std::string> needed;
  for (const std::string name : {
#define TAMRT_KERNEL(name, ...) #name,
#include "tamrt/kernels.def"
       })
    if (name != "place_band" && name.find("_bands") == name.npos &&
        name.find("_pairs") == name.npos)
      needed.push_back(name);
  EXPECT_EQ(missingKernels({}), needed);
  EXPECT_FALSE(hasAllKernels({}));
  tamrt_kernels table = *Device::cpu().kernels();
  EXPECT_TRUE(hasAllKernels(table));
  table.gram_bands = nullptr;
  table.gram_pairs = nullptr;
  EXPECT_FALSE(hasAllKernels(table));
  EXPECT_EQ(missingKernels(table), std::vector<std::string>());
}

TEST_F(Devices, SurveyListsAll) {
  set("TAMRT_SIM_DEVICES", "2");
  std::vector<DeviceReport> reports = surveyDevices({{"/nowhere"}, {kFolder}});
  std::vector<std::string> labels;
  for (const DeviceReport &report : reports)
    labels.push_back(report.label);
  EXPECT_EQ(labels,
            (std::vector<std::string>{"cuda", "torch", "cpu", "sim", "sim:1"}));
  EXPECT_EQ(reports[0].why, "no backend was found");
  EXPECT_TRUE(reports[2].isTrusted());
  EXPECT_TRUE(reports[3].isTrusted());
  EXPECT_EQ(reports[3].tests.size(), 2u);
}

TEST_F(Devices, LibrariesThatAreNoBackends) {
  std::string pattern = testing::TempDir() + "backendsXXXXXX";
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  std::ofstream(pattern + "/libtamrt-backend-cuda.so") << "text";
  // A backend under another name.
  std::filesystem::copy_file(kFolder + "/libtamrt-backend-sim.so",
                             pattern + "/libtamrt-backend-torch.so");
  std::vector<DeviceReport> reports = surveyDevices({{pattern}});
  EXPECT_FALSE(reports[0].isTrusted());
  EXPECT_NE(reports[1].why.find("of kind 'torch', got 'sim'"),
            std::string::npos);
  // A broken backend does not prevent the use of the CPU.
  Result<ChosenDevice> device = chooseDevice("auto", {{pattern}});
  ASSERT_TRUE(device);
  EXPECT_TRUE((*device)->isCpu());
  std::filesystem::remove_all(pattern);
}

TEST_F(Devices, AutoPassesOverADeviceTooSmallForItsTest) {
  std::string pattern = testing::TempDir() + "backendsXXXXXX";
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  std::filesystem::copy_file(kFolder + "/libtamrt-backend-sim.so",
                             pattern + "/libtamrt-backend-cuda.so");
  set("TAMRT_SIM_KIND", "cuda");
  set("TAMRT_LOG", "warning");
  for (const char *memory : {"64", "8192", "30000", "1000000"}) {
    set("TAMRT_SIM_MEMORY", memory);
    startLog("test", LogLevel::Warning);
    testing::internal::CaptureStderr();
    Result<ChosenDevice> device = chooseDevice("auto", {{pattern}});
    const std::string said = testing::internal::GetCapturedStderr();
    ASSERT_TRUE(device) << device.error().message;
    const bool isEnough = std::string_view(memory) == "1000000";
    EXPECT_EQ((*device)->label(), isEnough ? "cuda" : "cpu") << memory;
    EXPECT_EQ(said.find("test: warning: device 'cuda' is skipped: test '") !=
                  std::string::npos,
              !isEnough)
        << said;
  }
  startLog("test", LogLevel::None);
  std::filesystem::remove_all(pattern);
}

/// A folder with the simulated device's backend in it.
class BackendFile : public testing::Test {
protected:
  BackendFile() {
    ::mkdtemp(folder.data());
    file = folder + "/libtamrt-backend-sim.so";
    std::filesystem::copy_file(kFolder + "/libtamrt-backend-sim.so", file);
    setMode(file, 0755);
  }
  ~BackendFile() override { std::filesystem::remove_all(folder); }

  static void setMode(const std::string &path, unsigned mode) {
    std::filesystem::permissions(path, std::filesystem::perms(mode));
  }
  /// The reason why the file is not loaded; "" if it is.
  std::string why(bool isChecked = true) const {
    const BackendSearch found = findBackend({{folder, isChecked}}, "sim");
    EXPECT_EQ(found.path, found.unsafe.empty() ? file : "");
    return found.unsafe.empty() ? "" : found.unsafe[0].why;
  }

  std::string folder = testing::TempDir() + "backendXXXXXX", file;
};

TEST_F(BackendFile, NobodyElseMayWriteIt) {
  EXPECT_EQ(why(), "");
  for (unsigned mode : {0775u, 0757u}) {
    setMode(file, mode);
    EXPECT_NE(why().find("expected a file '" + file + "' that nobody else"),
              std::string::npos)
        << why();
    setMode(file, 0755);
    setMode(folder, mode);
    EXPECT_NE(why().find("expected a folder '" + folder + "' that nobody else"),
              std::string::npos)
        << why();
    // The user has named that folder.
    EXPECT_EQ(why(/*isChecked=*/false), "");
    setMode(folder, 0755);
  }
  EXPECT_EQ(why(), "");
}

TEST_F(BackendFile, BelongsToTheUserOrRoot) {
  EXPECT_TRUE(checkOwners(file, ::geteuid()));
  uid_t user = ::geteuid() + 1;
  // Root can change the owner of the file; files of root are accepted for every
  // user.
  if (::geteuid() == 0) {
    EXPECT_TRUE(checkOwners(file, user));
    ASSERT_EQ(::chown(file.c_str(), user, gid_t(-1)), 0);
    user = 0;
  }
  Status safe = checkOwners(file, user);
  ASSERT_FALSE(safe);
  EXPECT_NE(safe.error().message.find("to belong to you or root, got user"),
            std::string::npos)
      << safe.error().message;
}

TEST_F(BackendFile, ALinkIsAsSafeAsWhatItLeadsTo) {
  const std::string other = folder + "/other", real = other + "/real.so";
  std::filesystem::create_directory(other);
  std::filesystem::rename(file, real);
  std::filesystem::create_symlink(real, file);
  EXPECT_EQ(why(), "");
  setMode(real, 0777);
  EXPECT_NE(why().find("a file '" + real + "'"), std::string::npos) << why();
  setMode(real, 0755);
  setMode(other, 0777);
  EXPECT_NE(why().find("a folder '" + other + "'"), std::string::npos) << why();
}

TEST_F(Devices, StreamsCanBeHeldBackAndEventsOrderThem) {
  Sim sim;
  const tamrt_backend &table = *sim.table;
  tamrt_stream *a = table.stream_create(sim.device);
  tamrt_stream *b = table.stream_create(sim.device);
  tamrt_event *event = table.event_create(sim.device);
  EXPECT_EQ(table.event_query(sim.device, event), 1);
  sim.hold(a, 1);
  std::atomic<int> count = 0;
  auto add = [](void *at) { ++*static_cast<std::atomic<int> *>(at); };
  sim.call(a, add, &count);
  table.event_record(sim.device, event, a);
  table.stream_wait(sim.device, b, event);
  sim.call(b, add, &count);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(count, 0);
  EXPECT_EQ(table.event_query(sim.device, event), 0);
  sim.hold(a, 0);
  table.synchronize(sim.device, b);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(table.event_query(sim.device, event), 1);
  table.event_destroy(sim.device, event);
  table.stream_destroy(sim.device, a);
  table.stream_destroy(sim.device, b);
}

TEST_F(Devices, CapabilitiesCanBeSwitchedOff) {
  set("TAMRT_SIM_WITHOUT", "streams,pinned");
  {
    Sim sim;
    EXPECT_EQ(sim.table->stream_create, nullptr);
    EXPECT_EQ(sim.table->pinned_allocate, nullptr);
    EXPECT_EQ(sim.table->event_create, nullptr);
  }
  EXPECT_EQ(whyNot("sim"), "trusted");
}

TEST(Log, LinesAreSafe) {
  EXPECT_EQ(lineOf("m", "error", "a\nb\x7f"), "m: error: a\\x0ab\\x7f\n");
}

TEST(Log, LevelsComeFromTheEnvironment) {
  auto printed = [](const char *level) {
    if (level)
      ::setenv("TAMRT_LOG", level, 1);
    const bool isKnown = startLog("m", LogLevel::Warning);
    ::unsetenv("TAMRT_LOG");
    testing::internal::CaptureStderr();
    logLine(LogLevel::Error, "e");
    logLine(LogLevel::Warning, "w");
    logLine(LogLevel::Debug, "d");
    std::string text = testing::internal::GetCapturedStderr();
    startLog("m", LogLevel::None);
    return (isKnown ? "" : "unknown ") + text;
  };
  EXPECT_EQ(printed(nullptr), "m: error: e\nm: warning: w\n");
  EXPECT_EQ(printed("none"), "");
  EXPECT_EQ(printed("error"), "m: error: e\n");
  EXPECT_EQ(printed("debug"), "m: error: e\nm: warning: w\nm: debug: d\n");
  EXPECT_EQ(printed("loud"), "unknown m: error: e\nm: warning: w\n");
}

} // namespace
} // namespace tamrt::test
