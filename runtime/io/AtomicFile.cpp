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
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tamrt;

namespace tamrt {

/// A temporary file, or a folder that was made for outputs, in a form for
/// signal handlers: they can read the list at any time, without locks. Entries
/// are never freed, but used again for paths that are not longer.
struct Unfinished {
  explicit Unfinished(size_t bytes)
      : path(std::make_unique<char[]>(bytes)), bytes(bytes) {}

  const std::unique_ptr<char[]> path;
  const size_t bytes;
  bool isFolder = false;
  std::atomic<bool> taken = true, exists = false;
  Unfinished *next = nullptr;
};

} // namespace tamrt

namespace {

std::atomic<Unfinished *> unfinished = nullptr;
/// Entries that are not taken: without one, `takeUnused` does not search.
std::atomic<ptrdiff_t> unused = 0;

/// Calls body(entry) for all that exist. Safe in a handler of a signal.
template <class Body> void forEachUnfinished(bool isFolder, const Body &body) {
  for (Unfinished *entry = unfinished; entry; entry = entry->next)
    if (entry->exists && entry->isFolder == isFolder)
      body(*entry);
}

/// Linux reads and writes at most 2 GiB at once.
constexpr size_t kMostAtOnce = size_t(1) << 30;

/// Threads between the making of a file or folder and its listing; whether
/// unfinished ones are removed from now on.
std::atomic<int> makers = 0;
std::atomic<bool> isRemoving = false;

/// Once unfinished files are removed, waits for the end of the process.
void waitIfRemoving() {
  while (isRemoving)
    pause();
}

/// Makes a file or folder and its entry in the list one step for signal
/// handlers, on this thread and on others: `removeTemporaries` waits for it,
/// and once it has begun no other is made. It ends the process, so threads that
/// come later wait for that. What the thread does meanwhile must neither
/// allocate memory nor throw: std::terminate comes to `removeTemporaries`, too.
class Making {
public:
  Making() {
    ++makers;
    if (!isRemoving)
      return;
    --makers;
    waitIfRemoving();
  }
  Making(const Making &) = delete;
  Making &operator=(const Making &) = delete;
  ~Making() { --makers; }

private:
  AllSignalsBlocked blocked;
};

} // namespace

/// An entry with room for a path that is not taken; null if there is none.
static Unfinished *takeUnused(size_t bytes) {
  if (unused <= 0)
    return nullptr;
  for (Unfinished *entry = unfinished; entry; entry = entry->next)
    if (entry->bytes >= bytes && !entry->taken.exchange(true)) {
      --unused;
      return entry;
    }
  return nullptr;
}

/// An entry with room for a path, which is not in it yet.
static Unfinished *takeEntry(size_t bytes) {
  if (Unfinished *entry = takeUnused(bytes))
    return entry;
  Unfinished *entry = new Unfinished(std::max<size_t>(bytes, 256));
  entry->next = unfinished;
  while (!unfinished.compare_exchange_weak(entry->next, entry)) {
  }
  return entry;
}

static void unlist(Unfinished *entry) {
  if (!entry)
    return;
  entry->exists = false;
  entry->taken = false;
  ++unused;
}

void tamrt::removeTemporaries() noexcept {
  isRemoving = true;
  // A file system that does not answer must not keep the process from its end.
  for (int waited = 0; makers > 0 && waited < 10'000; ++waited)
    poll(nullptr, 0, 1);
  forEachUnfinished(false,
                    [](const Unfinished &file) { unlink(file.path.get()); });
  // Some are in others.
  for (bool removed = true; removed;) {
    removed = false;
    forEachUnfinished(true, [&](const Unfinished &folder) {
      removed |= rmdir(folder.path.get()) == 0;
    });
  }
}

/// Runs with the default action restored (SA_RESETHAND): the signal, sent
/// again, ends the process once the handler returns.
static void removeAndRaise(int signal) {
  removeTemporaries();
  raise(signal);
}

void tamrt::removeTemporariesOnSignals() {
  // `write` fails instead.
  std::signal(SIGXFSZ, SIG_IGN);
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    struct sigaction action = {};
    // The C library reserves some signals.
    if (!endsProcess(signal) || sigaction(signal, nullptr, &action) != 0 ||
        action.sa_handler != SIG_DFL)
      continue;
    action.sa_handler = removeAndRaise;
    action.sa_flags = SA_RESETHAND | SA_ONSTACK;
    sigaction(signal, &action, nullptr);
  }
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

/// Makes a file or folder and lists it: calls make(), which returns -1 and sets
/// errno if it cannot, and allocates no memory; `entry` stays null then.
template <class Make>
static int makeListed(const std::string &path, bool isFolder,
                      Unfinished *&entry, const Make &make) {
  Unfinished *taken = takeEntry(path.size() + 1);
  Making making;
  std::memcpy(taken->path.get(), path.c_str(), path.size() + 1);
  taken->isFolder = isFolder;
  const int result = make();
  const int code = errno;
  if (result >= 0) {
    taken->exists = true;
    entry = taken;
  } else {
    unlist(taken);
  }
  errno = code;
  return result;
}

/// Makes a file of a new name beside `target` and lists it: calls make(name),
/// which returns -1 and sets errno if it cannot, until it can or fails for
/// another reason than that the name exists.
template <class Make>
static int makeBeside(const std::string &target, std::string &path,
                      Unfinished *&entry, const Make &make) {
  static std::atomic<unsigned> counter = 0;
  while (true) {
    path = fmt::format("{}.tamrt-{}-{}.tmp", folderOf(target), getpid(),
                       counter++);
    const int result =
        makeListed(path, false, entry, [&] { return make(path.c_str()); });
    if (result >= 0 || errno != EEXIST)
      return result;
  }
}

Error AtomicFile::fail(std::string_view action, int code) {
  // The file may just have been removed.
  waitIfRemoving();
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
        makeBeside(file.target, path, file.entry, [](const char *name) {
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
  entry = std::exchange(other.entry, nullptr);
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
  unlist(std::exchange(entry, nullptr));
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
  const std::string open = nameInProc(descriptor);
  const int result = makeBeside(target, path, entry, [&](const char *name) {
    return linkat(AT_FDCWD, open.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
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
  unlist(std::exchange(entry, nullptr));
  return {};
}

Result<OutputFolder> OutputFolder::make(const std::string &path) {
  auto isFolder = [](const std::string &name) {
    struct stat info;
    return stat(name.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
  };
  std::vector<std::string> missing;
  std::filesystem::path at(path);
  do {
    missing.push_back(at);
    at = at.has_filename() ? at.parent_path() : at.parent_path().parent_path();
  } while (!at.empty() && !isFolder(at) && at != missing.back());
  OutputFolder folder;
  folder.made.reserve(missing.size());
  for (auto name = missing.rbegin(); name != missing.rend(); ++name) {
    Unfinished *entry = nullptr;
    const int result = makeListed(*name, true, entry,
                                  [&] { return ::mkdir(name->c_str(), 0777); });
    const int code = errno;
    // What is below a file cannot be made.
    const bool exists = result != 0 && code == EEXIST &&
                        (name + 1 != missing.rend() || isFolder(*name));
    if (result == 0)
      folder.made.push_back(entry);
    else if (!exists)
      return Error{fmt::format("{}: cannot make the folder: {}", path,
                               std::strerror(code))};
  }
  return folder;
}

OutputFolder::~OutputFolder() {
  for (auto entry = made.rbegin(); entry != made.rend(); ++entry) {
    rmdir((*entry)->path.get());
    unlist(*entry);
  }
}

void OutputFolder::keep() {
  for (Unfinished *entry : made)
    unlist(entry);
  made.clear();
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
