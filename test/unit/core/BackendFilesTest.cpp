//===- BackendFilesTest.cpp - where backends are searched -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/device/BackendFiles.h"
#include "tamrt/backend.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <gtest/gtest.h>

namespace tamrt::test {
namespace {

/// Paths of the folders; those whose files are checked end with '!'.
std::vector<std::string> searched() {
  std::vector<std::string> paths;
  for (const BackendFolder &folder : backendFolders())
    paths.push_back(folder.path + (folder.isChecked ? "!" : ""));
  return paths;
}

TEST(BackendFiles, FoldersInOrder) {
  const char *known = ::getenv("TAMRT_BACKEND_PATH");
  const std::string before = known ? known : "";
  const std::string own =
      std::filesystem::read_symlink("/proc/self/exe").parent_path().string() +
      "!";
  const std::string installed = TAMC_INSTALL_PREFIX "/lib/tamrt";
  ::setenv("TAMRT_BACKEND_PATH", "/a::/b:", 1);
  std::vector<std::string> expected = {own, installed};
  if (installed != "/usr/lib/tamrt")
    expected.push_back("/usr/lib/tamrt");
  ::unsetenv("TAMRT_BACKEND_PATH");
  EXPECT_EQ(searched(), expected);
  ::setenv("TAMRT_BACKEND_PATH", "/a::/b:", 1);
  expected.insert(expected.begin(), {"/a", "/b"});
  EXPECT_EQ(searched(), expected);
  ::unsetenv("TAMRT_BACKEND_PATH");
  if (known)
    ::setenv("TAMRT_BACKEND_PATH", before.c_str(), 1);
}

TEST(BackendFiles, LoadWhatIsWholeAndHasTheEntry) {
  const std::string file =
      TAMC_BINARY_DIR "/test/backends/libtamrt-backend-sim.so";
  auto load = [](const std::string &file, const char *entry) -> std::string {
    const Result<void *> found =
        loadEntry(file, RTLD_NOW | RTLD_LOCAL, entry, "lacks the entry");
    if (!found)
      return found.error().message;
    return *found ? "loaded" : "null";
  };
  EXPECT_EQ(load(file, TAMRT_BACKEND_REGISTER), "loaded");
  EXPECT_EQ(load(file, "no_such_symbol"), "lacks the entry");
  const std::string part = testing::TempDir() + "part-of-a-backend.so";
  std::filesystem::copy_file(file, part,
                             std::filesystem::copy_options::overwrite_existing);
  const auto size = std::filesystem::file_size(part);
  std::filesystem::resize_file(part, size / 2);
  EXPECT_EQ(load(part, TAMRT_BACKEND_REGISTER),
            "the file is truncated: expected " + std::to_string(size) +
                " bytes, got " + std::to_string(size / 2));
  std::filesystem::remove(part);
  EXPECT_NE(load(part, TAMRT_BACKEND_REGISTER).find(part), std::string::npos);
}

} // namespace
} // namespace tamrt::test
