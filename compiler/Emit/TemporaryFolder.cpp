//===- TemporaryFolder.cpp - temporary folders ----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Emit/TemporaryFolder.h"

#include "tamrt/signals.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"

#include <atomic>
#include <cassert>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

using namespace llvm;

namespace {

/// The current folder, in a form for signal handlers: without allocations and
/// locks.
struct Listed {
  char folder[PATH_MAX];
  std::atomic<bool> exists = false;

  void remove() {
    if (!exists)
      return;
    // A linker that is still running may create a file between the two calls.
    for (int attempt = 0; attempt < 100; ++attempt) {
      removeFiles();
      if (rmdir(folder) == 0 || errno != ENOTEMPTY)
        break;
    }
  }

private:
  /// Removes all files: linkers make some of names of their own.
  void removeFiles() {
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
      return;
    alignas(dirent64) char entries[4096];
    for (ssize_t bytes;
         (bytes = getdents64(descriptor, entries, sizeof(entries))) > 0;)
      for (ssize_t at = 0; at < bytes;) {
        const auto *entry = reinterpret_cast<const dirent64 *>(entries + at);
        unlinkat(descriptor, entry->d_name, 0);
        at += entry->d_reclen;
      }
    close(descriptor);
  }
};

Listed listed;

/// The previous actions of signals.
struct sigaction before[NSIG];

void removeAndGoOn(int signal) {
  sys::RunInterruptHandlers();
  listed.remove();
  // The signal is delivered when this function returns.
  sigaction(signal, &before[signal], nullptr);
  raise(signal);
}

bool copyPath(StringRef path, char *to) {
  if (path.size() >= PATH_MAX)
    return false;
  std::memcpy(to, path.data(), path.size());
  to[path.size()] = 0;
  return true;
}

} // namespace

void tamc::removeTemporariesOnSignals() {
  for (int signal = 1; signal < NSIG; ++signal) {
    if (!tamrt::endsProcess(signal) ||
        sigaction(signal, nullptr, &before[signal]) ||
        before[signal].sa_handler == SIG_IGN)
      continue;
    // LLVM prints a stack trace and continues.
    if (signal == SIGUSR1 && before[signal].sa_handler != SIG_DFL)
      continue;
    struct sigaction action = {};
    action.sa_handler = removeAndGoOn;
    action.sa_flags = SA_ONSTACK;
    sigaction(signal, &action, nullptr);
  }
}

Expected<tamc::TemporaryFolder> tamc::TemporaryFolder::create() {
  SmallString<128> place;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, place);
  SmallString<128> path(place);
  sys::path::append(path, "tamc-XXXXXX");
  assert(!listed.exists && "one folder at a time");
  {
    // No signal comes between the creation of the folder and its listing.
    const tamrt::AllSignalsBlocked blocked;
    if (!copyPath(path, listed.folder))
      errno = ENAMETOOLONG;
    else if (mkdtemp(listed.folder))
      listed.exists = true;
  }
  if (listed.exists)
    return TemporaryFolder(listed.folder);
  std::error_code code(errno, std::generic_category());
  return createStringError(code, "cannot make a temporary folder in '" + place +
                                     "': " + code.message() +
                                     "; TMPDIR names another place");
}

tamc::TemporaryFolder::TemporaryFolder(TemporaryFolder &&other) noexcept
    : path(std::exchange(other.path, {})) {}

tamc::TemporaryFolder::~TemporaryFolder() {
  if (path.empty())
    return;
  listed.remove();
  listed.exists = false;
}

std::string tamc::TemporaryFolder::at(StringRef name) const {
  return path + "/" + name.str();
}
