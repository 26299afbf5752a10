//===- BackendFilesTest.cpp - where backends are searched -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/device/BackendFiles.h"

#include <cstdlib>
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

} // namespace
} // namespace tamrt::test
