//===- io/AtomicFile.cpp - atomic output files ----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/AtomicFile.h"

#include "tamrt/signals.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

using namespace tamrt;

namespace {

/// Linux reads and writes at most 2 GiB at once.
constexpr size_t kMostAtOnce = size_t(1) << 30;

/// The current temporary files, in a form for signal handlers: without
/// allocations and locks. A program has one or two outputs at a time; a signal
/// leaves files behind for which there is no entry here.
struct Temporary {
  std::atomic<bool> taken = false, exists = false;
  char path[PATH_MAX];
};

Temporary temporaries[8];

/// Calls body(signal) for all that end the process. SIGXFSZ does not: it is
/// ignored, and `write` fails.
template <class Body> void forEachEndingSignal(const Body &body) {
  for (int signal = 1; signal <= SIGRTMAX; ++signal)
    if (endsProcess(signal) && signal != SIGXFSZ)
      body(signal);
}

/// Blocks signals between a file's creation and its listing.
class SignalsBlocked {
public:
  SignalsBlocked() {
    sigset_t set;
    sigemptyset(&set);
    forEachEndingSignal([&](int signal) { sigaddset(&set, signal); });
    pthread_sigmask(SIG_BLOCK, &set, &before);
  }
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }

private:
  sigset_t before;
};

} // namespace

static int list(const std::string &path) {
  if (path.size() >= PATH_MAX)
    return -1;
  for (int slot = 0; slot < int(std::size(temporaries)); ++slot) {
    Temporary &entry = temporaries[slot];
    if (entry.taken.exchange(true))
      continue;
    std::memcpy(entry.path, path.c_str(), path.size() + 1);
    entry.exists = true;
    return slot;
  }
  return -1;
}

static void unlist(int slot) {
  if (slot < 0)
    return;
  temporaries[slot].exists = false;
  temporaries[slot].taken = false;
}

void tamrt::removeTemporaries() noexcept {
  for (Temporary &entry : temporaries)
    if (entry.exists)
      unlink(entry.path);
}

/// Runs with the default action restored (SA_RESETHAND): the signal, sent
/// again, ends the process once the handler returns.
static void removeAndRaise(int signal) {
  removeTemporaries();
  raise(signal);
}

void tamrt::removeTemporariesOnSignals() {
  forEachEndingSignal([](int signal) {
    struct sigaction action = {};
    // The C library reserves some signals.
    if (sigaction(signal, nullptr, &action) != 0 ||
        action.sa_handler != SIG_DFL)
      return;
    action.sa_handler = removeAndRaise;
    action.sa_flags = SA_RESETHAND | SA_ONSTACK;
    sigaction(signal, &action, nullptr);
  });
  std::signal(SIGXFSZ, SIG_IGN);
}

/// Follows symbolic links from `path` to the path that they point to, which
/// need not exist. Returns `path` itself if it is not a link, and the last link
/// of a chain that is too long.
static std::string followLinks(std::string path) {
  for (int depth = 0; depth < 40; ++depth) {
    char link[PATH_MAX];
    ssize_t length = readlink(path.c_str(), link, sizeof(link));
    if (length <= 0 || length == sizeof(link))
      return path;
    std::string next(link, static_cast<size_t>(length));
    size_t slash = path.rfind('/');
    if (next.front() != '/' && slash != std::string::npos)
      next.insert(0, path, 0, slash + 1);
    path = std::move(next);
  }
  return path;
}

/// Permissions of new files: these minus the umask; mkstemp would give 0600.
constexpr mode_t kMode = 0666;

/// The folder of `path`, with a slash; "" for the current one.
static std::string folderOf(const std::string &path) {
  return path.substr(0, path.rfind('/') + 1);
}

/// Name of an open file in /proc, by which `linkat` gives it another one.
static std::string nameInProc(int descriptor) {
  return fmt::format("/proc/self/fd/{}", descriptor);
}

/// Opens a file without a name on the file system of `target`. Returns -1 where
/// the system has none or could not name it later.
static int openUnnamed(const std::string &target) {
  const int descriptor = open((folderOf(target) + ".").c_str(),
                              O_RDWR | O_TMPFILE | O_CLOEXEC, kMode);
  if (descriptor < 0 || access(nameInProc(descriptor).c_str(), F_OK) == 0)
    return descriptor;
  close(descriptor);
  return -1;
}

/// Makes a file of a new name beside `target` and lists it: calls make(name),
/// which returns -1 and sets errno if it cannot, until it can or fails for
/// another reason than that the name exists.
template <class Make>
static int makeBeside(const std::string &target, std::string &path, int &slot,
                      const Make &make) {
  SignalsBlocked blocked;
  static std::atomic<unsigned> counter = 0;
  while (true) {
    path = fmt::format("{}.tamrt-{}-{}.tmp", folderOf(target), getpid(),
                       counter++);
    const int result = make(path.c_str());
    if (result >= 0)
      slot = list(path);
    if (result >= 0 || errno != EEXIST)
      return result;
  }
}

Error AtomicFile::fail(std::string_view action, int code) {
  drop();
  failure = fmt::format("{}: cannot {}: {}", name, action, std::strerror(code));
  return Error{failure};
}

Result<AtomicFile> AtomicFile::create(const std::string &path) {
  AtomicFile file;
  if (path == "-") {
    file.name = "standard output";
    file.descriptor = STDOUT_FILENO;
    return file;
  }
  file.name = path;
  struct stat info;
  bool exists = stat(path.c_str(), &info) == 0;
  if (!exists && errno != ENOENT)
    return file.fail("write", errno);
  if (exists && S_ISDIR(info.st_mode))
    return file.fail("write", EISDIR);
  if (exists && !S_ISREG(info.st_mode)) {
    file.descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file.descriptor < 0)
      return file.fail("write", errno);
    file.closes = true;
    return file;
  }
  // A file that is not writable must not be replaced either.
  if (exists && access(path.c_str(), W_OK) != 0)
    return file.fail("write", errno);
  file.target = followLinks(path);
  // "" and "directory/" would otherwise fail only at the end.
  if (file.target.empty())
    return file.fail("write", ENOENT);
  if (file.target.back() == '/')
    return file.fail("write", EISDIR);
  file.descriptor = openUnnamed(file.target);
  if (file.descriptor < 0) {
    std::string path;
    file.descriptor =
        makeBeside(file.target, path, file.slot, [](const char *name) {
          return open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
        });
    if (file.descriptor < 0)
      return file.fail("write", errno);
    file.temporary = std::move(path);
  }
  file.closes = true;
  if (exists && fchmod(file.descriptor, info.st_mode & 07777) != 0)
    return file.fail("write", errno);
  return file;
}

Status AtomicFile::check(const std::string &path) {
  struct stat info;
  // Opening a pipe or a device has effects, so do not.
  if (path != "-" && stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) &&
      !S_ISDIR(info.st_mode)) {
    AtomicFile file;
    file.name = path;
    return access(path.c_str(), W_OK) == 0 ? Status()
                                           : file.fail("write", errno);
  }
  Result<AtomicFile> file = create(path);
  return file ? Status() : Status(std::move(file).error());
}

AtomicFile::AtomicFile(AtomicFile &&other) noexcept {
  *this = std::move(other);
}

AtomicFile &AtomicFile::operator=(AtomicFile &&other) noexcept {
  if (this == &other)
    return *this;
  drop();
  name = std::move(other.name);
  temporary = std::exchange(other.temporary, {});
  slot = std::exchange(other.slot, -1);
  target = std::exchange(other.target, {});
  failure = std::exchange(other.failure, {});
  descriptor = std::exchange(other.descriptor, -1);
  closes = std::exchange(other.closes, false);
  return *this;
}

AtomicFile::~AtomicFile() { drop(); }

void AtomicFile::drop() noexcept {
  if (closes)
    close(descriptor);
  closes = false;
  descriptor = -1;
  if (!temporary.empty())
    unlink(temporary.c_str());
  temporary.clear();
  target.clear();
  unlist(std::exchange(slot, -1));
}

Status AtomicFile::write(std::string_view bytes) {
  if (!failure.empty())
    return Error{failure};
  if (Status s = reopen(); !s)
    return s;
  assert(descriptor >= 0 && "write after commit or move");
  while (!bytes.empty()) {
    ssize_t written =
        ::write(descriptor, bytes.data(), std::min(bytes.size(), kMostAtOnce));
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return fail("write", errno);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

Status AtomicFile::writeAt(uint64_t offset, std::string_view bytes) {
  if (!failure.empty())
    return Error{failure};
  assert(hasPlaces() && descriptor >= 0);
  while (!bytes.empty()) {
    ssize_t written =
        pwrite(descriptor, bytes.data(), std::min(bytes.size(), kMostAtOnce),
               off_t(offset));
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return fail("write", errno);
    bytes.remove_prefix(static_cast<size_t>(written));
    offset += uint64_t(written);
  }
  return {};
}

Status AtomicFile::readAt(uint64_t offset, std::span<char> bytes) {
  if (!failure.empty())
    return Error{failure};
  assert(hasPlaces() && descriptor >= 0);
  while (!bytes.empty()) {
    ssize_t got = pread(descriptor, bytes.data(),
                        std::min(bytes.size(), kMostAtOnce), off_t(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return fail("read", got < 0 ? errno : EIO);
    bytes = bytes.subspan(size_t(got));
    offset += uint64_t(got);
  }
  return {};
}

Status AtomicFile::suspend() {
  if (!failure.empty())
    return Error{failure};
  if (!hasPlaces() || descriptor < 0)
    return {};
  if (Status s = giveName(); !s)
    return s;
  return closeFile();
}

/// Gives the temporary file its name if it has none.
Status AtomicFile::giveName() {
  if (!temporary.empty())
    return {};
  std::string path;
  const int result = makeBeside(target, path, slot, [&](const char *name) {
    return linkat(AT_FDCWD, nameInProc(descriptor).c_str(), AT_FDCWD, name,
                  AT_SYMLINK_FOLLOW);
  });
  if (result < 0)
    return fail("write", errno);
  temporary = std::move(path);
  return {};
}

/// Opens the file if it is suspended.
Status AtomicFile::reopen() {
  if (descriptor >= 0 || !hasPlaces())
    return {};
  descriptor = open(temporary.c_str(), O_RDWR | O_APPEND | O_CLOEXEC);
  if (descriptor < 0)
    return fail("write", errno);
  closes = true;
  return {};
}

Status AtomicFile::closeFile() {
  // Network file systems report some errors of write only here. The descriptor
  // is gone whatever close returns.
  bool closed = !closes || close(descriptor) == 0;
  closes = false;
  descriptor = -1;
  return closed ? Status() : fail("write", errno);
}

Status AtomicFile::commit() {
  if (!failure.empty())
    return Error{failure};
  assert((descriptor >= 0 || !temporary.empty()) &&
         "commit after commit or move");
  if (!hasPlaces())
    return closeFile();
  if (Status s = giveName(); !s)
    return s;
  if (Status s = closeFile(); !s)
    return s;
  if (std::rename(temporary.c_str(), target.c_str()) != 0)
    return fail("write", errno);
  temporary.clear();
  target.clear();
  unlist(std::exchange(slot, -1));
  return {};
}

std::optional<FileIdentity> tamrt::identify(const std::string &path,
                                            int standard) {
  if (path.empty())
    return std::nullopt;
  struct stat info;
  const bool isStandard = path == "-";
  if ((isStandard ? fstat(standard, &info) : stat(path.c_str(), &info)) == 0)
    return S_ISREG(info.st_mode)
               ? std::optional(FileIdentity{info.st_dev, info.st_ino, ""})
               : std::nullopt;
  const std::string target = followLinks(path);
  const size_t name = target.rfind('/') + 1;
  const std::string folder = name == 0 ? "." : target.substr(0, name);
  if (isStandard || name == target.size() || stat(folder.c_str(), &info) != 0)
    return std::nullopt;
  return FileIdentity{info.st_dev, info.st_ino, target.substr(name)};
}

Status tamrt::writeFile(const std::string &path, std::string_view bytes) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file)
    return std::move(file).error();
  if (Status written = file->write(bytes); !written)
    return written;
  return file->commit();
}
