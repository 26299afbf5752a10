//===- MachineMemoryTest.cpp - memory of fake machines --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/device/MachineMemory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace tamrt::test {
namespace {

constexpr int64_t kMiB = 1 << 20;

class FakeMachine : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "machineXXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    sources.root = pattern;
    put("/proc/meminfo", "MemTotal: 99 kB\nMemAvailable:    8388608 kB\n");
  }
  void TearDown() override { std::filesystem::remove_all(sources.root); }

  void put(const std::string &path, const std::string &text) {
    const std::filesystem::path file = sources.root + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  /// Free MiB, and the name of the tightest source.
  void expect(int64_t megabytes, const std::string &name) {
    const MachineMemory memory = machineMemory(sources);
    EXPECT_EQ(memory.free(), megabytes * kMiB);
    ASSERT_NE(memory.tightest(), nullptr);
    EXPECT_EQ(memory.tightest()->name, name);
  }
  /// A group of version 2 in MiB.
  void group2(const std::string &path, const std::string &limit,
              int64_t current) {
    put("/sys/fs/cgroup" + path + "/memory.max", limit + "\n");
    put("/sys/fs/cgroup" + path + "/memory.current",
        std::to_string(current * kMiB) + "\n");
  }

  MemorySources sources;
};

TEST_F(FakeMachine, RamAlone) { expect(8192, "available RAM"); }

TEST_F(FakeMachine, NothingIsKnown) {
  std::filesystem::remove_all(sources.root + "/proc");
  const MachineMemory memory = machineMemory(sources);
  EXPECT_EQ(memory.tightest(), nullptr);
  EXPECT_EQ(memory.free(), INT64_MAX);
}

TEST_F(FakeMachine, ControlGroupsOfVersion2) {
  put("/proc/self/cgroup", "0::/user/job\n");
  group2("/user/job", "max", 10);
  expect(8192, "available RAM");
  group2("/user/job", std::to_string(100 * kMiB), 30);
  expect(70, "control group /user/job");
  // A group above may have a lower limit; missing groups are skipped.
  group2("", std::to_string(1000 * kMiB), 960);
  expect(40, "control group /");
  group2("/user", std::to_string(50 * kMiB), 60);
  expect(0, "control group /user");
}

TEST_F(FakeMachine, PagesOfFilesAreGivenBack) {
  put("/proc/self/cgroup", "0::/job\n");
  group2("/job", std::to_string(100 * kMiB), 90);
  put("/sys/fs/cgroup/job/memory.stat",
      "anon 5\ninactive_file " + std::to_string(20 * kMiB) + "\n");
  expect(30, "control group /job");
}

TEST_F(FakeMachine, ControlGroupsOfVersion1) {
  put("/proc/self/cgroup",
      "9:name=systemd:/\n4:cpu,memory:/a/b\n3:cpuset:/\n0::/\n");
  const std::string mount = "/sys/fs/cgroup/memory";
  put(mount + "/a/b/memory.limit_in_bytes", "9223372036854771712\n");
  put(mount + "/a/b/memory.usage_in_bytes", "5\n");
  expect(8192, "available RAM");
  put(mount + "/a/memory.limit_in_bytes", std::to_string(64 * kMiB) + "\n");
  put(mount + "/a/memory.usage_in_bytes", std::to_string(60 * kMiB) + "\n");
  expect(4, "control group /a");
  put(mount + "/a/memory.stat",
      "total_inactive_file " + std::to_string(3 * kMiB) + "\n");
  expect(7, "control group /a");
}

TEST_F(FakeMachine, MalformedFilesArePassedOver) {
  put("/proc/self/cgroup", "nonsense\n\n:\n0::/x\n0:");
  group2("/x", "many", 1);
  put("/proc/meminfo", "MemAvailable: lots\n");
  EXPECT_EQ(machineMemory(sources).free(), INT64_MAX);
}

TEST_F(FakeMachine, ResourceLimits) {
  const int64_t page = ::sysconf(_SC_PAGESIZE);
  put("/proc/self/statm", "1000 9 9 9 0 200 0\n");
  sources.addressSpace = 3000 * page;
  const MachineMemory memory = machineMemory(sources);
  EXPECT_EQ(memory.free(), 2000 * page);
  EXPECT_EQ(memory.tightest()->name, "limit on address space");
  sources.data = 700 * page;
  EXPECT_EQ(machineMemory(sources).free(), 500 * page);
  EXPECT_EQ(machineMemory(sources).tightest()->name, "limit on data");
  // More in use than is allowed.
  sources.data = 100 * page;
  EXPECT_EQ(machineMemory(sources).free(), 0);
}

TEST(MachineMemory, OfThisMachine) {
  EXPECT_GT(machineMemory().free(), kMiB);
  EXPECT_GT(processBytes(), kMiB);
  EXPECT_GT(programBytes(), kMiB / 8);
  EXPECT_LT(programBytes(), processBytes());
}

} // namespace
} // namespace tamrt::test
