//===- core/device/MachineMemory.cpp - free memory of a process -----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/device/MachineMemory.h"

#include <algorithm>
#include <charconv>
#include <fcntl.h>
#include <limits>
#include <link.h>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

namespace tamrt {
namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();
/// Control groups of version 1 express "no limit" by a number of this size.
constexpr int64_t kNoLimit = int64_t(1) << 60;

/// The text of a small file; empty if there is none.
std::string readSmall(const std::string &path) {
  std::string text;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return text;
  char piece[4096];
  for (ssize_t count; (count = ::read(file, piece, sizeof(piece))) > 0;)
    text.append(piece, size_t(count));
  ::close(file);
  return text;
}

/// The number at the start of `text`, after blanks.
std::optional<int64_t> number(std::string_view text) {
  const size_t start = text.find_first_not_of(" \t");
  if (start == text.npos)
    return std::nullopt;
  text.remove_prefix(start);
  int64_t value = 0;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  // A number beyond an int64_t means no limit.
  if (code == std::errc::result_out_of_range)
    return kUnlimited;
  if (code != std::errc())
    return std::nullopt;
  return value;
}

/// The number after `key` at the start of a line.
std::optional<int64_t> entry(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (text.substr(0, end).starts_with(key))
      return number(text.substr(key.size(), end - key.size()));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::nullopt;
}

/// Names of the files in the two versions.
struct Controller {
  const char *mount, *limit, *usage, *inactive;
};
constexpr Controller kVersion1 = {
    "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
    "total_inactive_file "};
constexpr Controller kVersion2 = {"/sys/fs/cgroup", "memory.max",
                                  "memory.current", "inactive_file "};

/// Adds the memory that the group at `path` and those above it leave. A
/// container may show only a part of the tree; missing groups are skipped.
void addGroups(const std::string &root, const Controller &controller,
               std::string path, std::vector<MemorySource> &sources) {
  while (true) {
    if (path == "/")
      path.clear();
    const std::string folder = root + controller.mount + path + "/";
    const auto limit = number(readSmall(folder + controller.limit));
    const auto usage = limit && *limit < kNoLimit
                           ? number(readSmall(folder + controller.usage))
                           : std::nullopt;
    if (usage) {
      const int64_t inactive =
          entry(readSmall(folder + "memory.stat"), controller.inactive)
              .value_or(0);
      sources.push_back({"control group " + (path.empty() ? "/" : path),
                         *limit - std::max<int64_t>(*usage - inactive, 0)});
    }
    const size_t slash = path.rfind('/');
    if (slash == path.npos)
      return;
    path.resize(slash);
  }
}

/// Whether a comma-separated list contains `word`.
bool lists(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    if (list.substr(0, end) == word)
      return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

/// Lines of /proc/self/cgroup are "number:controllers:path"; in version 2
/// "0::path".
void addControlGroups(const std::string &root,
                      std::vector<MemorySource> &sources) {
  const std::string text = readSmall(root + "/proc/self/cgroup");
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const size_t first = line.find(':');
    const size_t second =
        first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos)
      continue;
    const std::string_view controllers =
        line.substr(first + 1, second - first - 1);
    const std::string path(line.substr(second + 1));
    if (controllers.empty())
      addGroups(root, kVersion2, path, sources);
    else if (lists(controllers, "memory"))
      addGroups(root, kVersion1, path, sources);
  }
}

std::optional<int64_t> limitOf(int resource) {
  rlimit limit = {};
  if (::getrlimit(decltype(RLIMIT_AS)(resource), &limit) != 0 ||
      limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > rlim_t(kUnlimited))
    return std::nullopt;
  return int64_t(limit.rlim_cur);
}

} // namespace

MemorySources MemorySources::machine() {
  return {"", limitOf(RLIMIT_AS), limitOf(RLIMIT_DATA)};
}

const MemorySource *MachineMemory::tightest() const {
  auto least =
      std::min_element(sources.begin(), sources.end(),
                       [](const MemorySource &a, const MemorySource &b) {
                         return a.free < b.free;
                       });
  return least == sources.end() ? nullptr : &*least;
}

int64_t MachineMemory::free() const {
  const MemorySource *least = tightest();
  return least ? std::max<int64_t>(least->free, 0) : kUnlimited;
}

MachineMemory machineMemory(const MemorySources &sources) {
  MachineMemory memory;
  if (std::optional<int64_t> kilobytes =
          entry(readSmall(sources.root + "/proc/meminfo"), "MemAvailable:"))
    memory.sources.push_back({"available RAM", *kilobytes * 1024});
  addControlGroups(sources.root, memory.sources);
  if (!sources.addressSpace && !sources.data)
    return memory;

  // Pages: all, resident, shared, text, 0, data and stack.
  const std::string statm = readSmall(sources.root + "/proc/self/statm");
  std::vector<int64_t> pages;
  for (std::string_view rest = statm; !rest.empty();) {
    const size_t end = std::min(rest.find_first_of(" \n"), rest.size());
    if (std::optional<int64_t> value = number(rest.substr(0, end)))
      pages.push_back(*value);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const int64_t pageBytes = ::sysconf(_SC_PAGESIZE);
  auto used = [&](size_t field) {
    return field < pages.size() ? pages[field] * pageBytes : 0;
  };
  if (sources.addressSpace)
    memory.sources.push_back(
        {"limit on address space", *sources.addressSpace - used(0), true});
  if (sources.data)
    memory.sources.push_back({"limit on data", *sources.data - used(5), true});
  return memory;
}

int64_t processBytes() {
  char text[128];
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return 0;
  const ssize_t count = ::read(file, text, sizeof(text));
  ::close(file);
  return number({text, size_t(std::max<ssize_t>(count, 0))}).value_or(0) *
         ::sysconf(_SC_PAGESIZE);
}

int64_t programBytes() {
  int64_t bytes = 0;
  ::dl_iterate_phdr(
      [](dl_phdr_info *object, size_t, void *result) {
        const auto here = reinterpret_cast<uintptr_t>(&programBytes);
        uintptr_t first = std::numeric_limits<uintptr_t>::max(), last = 0;
        bool isOurs = false;
        for (size_t i = 0; i < object->dlpi_phnum; ++i) {
          const auto &segment = object->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD)
            continue;
          const uintptr_t start = object->dlpi_addr + segment.p_vaddr,
                          end = start + segment.p_memsz;
          first = std::min(first, start);
          last = std::max(last, end);
          isOurs |= start <= here && here < end;
        }
        if (isOurs)
          *static_cast<int64_t *>(result) = int64_t(last - first);
        return int(isOurs);
      },
      &bytes);
  return bytes;
}

} // namespace tamrt
