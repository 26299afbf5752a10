//===- core/device/BackendFiles.cpp - files of backends -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/device/BackendFiles.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <link.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tamrt {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "libtamrt-backend-", kSuffix = ".so";

/// Where Debian's package of the runtime has its backends.
constexpr const char *kPackageFolder = "/usr/lib/tamrt";

constexpr uid_t kRoot = 0;

/// The user whose files a program may load. The caller of a program that has
/// more rights than the caller could link it into a folder of their own.
uid_t trustedUser() { return ::getauxval(AT_SECURE) ? kRoot : ::geteuid(); }

Status checkOwner(const std::string &path, const char *what, uid_t user) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    return Error{fmt::format("{} '{}': {}", what, path, std::strerror(errno))};
  if (info.st_uid != user && info.st_uid != kRoot)
    return Error{fmt::format("expected {} '{}' to belong to you or root, got "
                             "user {}; TAMRT_BACKEND_PATH names folders that "
                             "are trusted",
                             what, path, info.st_uid)};
  if (info.st_mode & (S_IWGRP | S_IWOTH))
    return Error{fmt::format("expected {} '{}' that nobody else may write, got "
                             "mode {:04o}; `chmod go-w` fixes that",
                             what, path, info.st_mode & 07777)};
  return {};
}

} // namespace

std::string backendFileName(std::string_view kind) {
  return fmt::format("{}{}{}", kPrefix, kind, kSuffix);
}

Status checkOwners(const std::string &file, uid_t user) {
  std::error_code failed;
  const fs::path target = fs::canonical(file, failed);
  if (failed)
    return Error{fmt::format("file '{}': {}", file, failed.message())};
  const fs::path folder = fs::path(file).parent_path();
  if (Status s = checkOwner(folder, "a folder", user); !s)
    return s;
  if (target.parent_path() != folder)
    if (Status s = checkOwner(target.parent_path(), "a folder", user); !s)
      return s;
  return checkOwner(target, "a file", user);
}

std::vector<BackendFolder> backendFolders() {
  std::vector<BackendFolder> folders;
  // Not read if the program has more rights than its caller, who could load
  // code into it.
  if (const char *path = ::secure_getenv("TAMRT_BACKEND_PATH"))
    for (std::string_view rest = path; !rest.empty();) {
      const size_t end = std::min(rest.find(':'), rest.size());
      if (end > 0)
        folders.push_back({std::string(rest.substr(0, end))});
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  if (!failed)
    folders.push_back({self.parent_path(), /*isChecked=*/true});
  folders.push_back({TAMRT_INSTALL_FOLDER});
  if (folders.back().path != kPackageFolder)
    folders.push_back({kPackageFolder});
  return folders;
}

Status checkWhole(const std::string &file) {
  std::error_code failed;
  const uint64_t bytes = fs::file_size(file, failed);
  std::ifstream in(file, std::ios::binary);
  ElfW(Ehdr) header = {};
  const auto read = [&](uint64_t offset, void *to, size_t size) {
    return bool(in.seekg(std::streamoff(offset)) &&
                in.read(static_cast<char *>(to), std::streamsize(size)));
  };
  if (failed || !read(0, &header, sizeof(header)) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return {};
  // The table of sections is behind all else that is loaded.
  uint64_t needed =
      header.e_shoff + uint64_t(header.e_shnum) * uint64_t(header.e_shentsize);
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) part = {};
    const uint64_t at = header.e_phoff + i * header.e_phentsize;
    needed = std::max(needed, at + sizeof(part));
    if (read(at, &part, sizeof(part)) && part.p_type == PT_LOAD)
      needed = std::max<uint64_t>(needed, part.p_offset + part.p_filesz);
  }
  if (needed <= bytes)
    return {};
  return Error{fmt::format("the file is truncated: expected {} bytes, got {}",
                           needed, bytes)};
}

Result<void *> loadEntry(const std::string &file, int flags, const char *entry,
                         const char *lacksEntry) {
  if (Status whole = checkWhole(file); !whole)
    return std::move(whole).error();
  void *library = ::dlopen(file.c_str(), flags);
  if (!library) {
    const char *why = ::dlerror();
    return Error{why ? why : "cannot be loaded"};
  }
  if (void *address = ::dlsym(library, entry))
    return address;
  return Error{lacksEntry};
}

BackendSearch findBackend(const std::vector<BackendFolder> &folders,
                          std::string_view kind) {
  return findPlugin(folders, backendFileName(kind));
}

BackendSearch findPlugin(const std::vector<BackendFolder> &folders,
                         std::string_view name) {
  BackendSearch found;
  for (const BackendFolder &folder : folders) {
    const std::string path = folder.path + '/' + std::string(name);
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored))
      continue;
    if (Status s =
            folder.isChecked ? checkOwners(path, trustedUser()) : Status();
        !s) {
      found.unsafe.push_back({path, s.error().message});
      continue;
    }
    found.path = path;
    break;
  }
  return found;
}

std::set<std::string> backendKinds(const std::vector<BackendFolder> &folders) {
  std::set<std::string> kinds;
  for (const BackendFolder &folder : folders) {
    std::error_code ignored;
    for (fs::directory_iterator at(folder.path, ignored), end; at != end;
         at.increment(ignored)) {
      const std::string name = at->path().filename();
      if (name.size() > kPrefix.size() + kSuffix.size() &&
          name.starts_with(kPrefix) && name.ends_with(kSuffix))
        kinds.insert(name.substr(kPrefix.size(), name.size() - kPrefix.size() -
                                                     kSuffix.size()));
    }
  }
  return kinds;
}

} // namespace tamrt
