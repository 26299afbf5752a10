//===- core/device/BackendFiles.h - files of backends -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The files of backends: the folders in which they are searched, and the files
/// that may be loaded. Loading a file runs its code with the rights of the
/// program.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DEVICE_BACKENDFILES_H
#define TAMRT_CORE_DEVICE_BACKENDFILES_H

#include "io/Error.h"

#include <set>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace tamrt {

/// A folder in which backends are searched.
struct BackendFolder {
  std::string path;
  /// Whether its backends are loaded only if `checkOwners` accepts them,
  /// because the folder was named neither by the user nor at installation.
  bool isChecked = false;
};

/// A backend file that must not be loaded.
struct UnsafeBackend {
  std::string path, why;
};

/// The result of a search for a kind's backend.
struct BackendSearch {
  /// The first file that may be loaded; empty if there is none.
  std::string path;
  /// Files found before it that must not be loaded.
  std::vector<UnsafeBackend> unsafe;
};

/// "libtamrt-backend-cuda.so"
std::string backendFileName(std::string_view kind);

/// The folders in which backends are searched, in order: those of
/// TAMRT_BACKEND_PATH, separated by ':', unless the program has more rights
/// than its caller; the executable's, whose files are checked; the install
/// prefix's lib/tamrt; that of the Debian package.
std::vector<BackendFolder> backendFolders();

/// Searches a file in the folders of backends.
BackendSearch findPlugin(const std::vector<BackendFolder> &folders,
                         std::string_view name);

/// Searches the backend of a kind, folder by folder.
BackendSearch findBackend(const std::vector<BackendFolder> &folders,
                          std::string_view kind);

/// Kinds that have a file in one of the folders.
std::set<std::string> backendKinds(const std::vector<BackendFolder> &folders);

/// Checks that `file`, its target if it is a link, and the folders of both
/// belong to `user` or root, and that nobody else may write to them. The error
/// names the first of them for which this is not so, and the fix.
Status checkOwners(const std::string &file, uid_t user);

/// Checks that a shared object is not truncated: the loader maps it whatever
/// its size, and the program would end at the first access behind its end. What
/// is no shared object at all is left to the loader.
Status checkWhole(const std::string &file);

/// Loads a shared object with the flags of `dlopen`. It stays loaded. \returns
/// the address of its symbol `entry`. Errors: those of `checkWhole` and of the
/// loader; `lacksEntry` if it has no such symbol.
Result<void *> loadEntry(const std::string &file, int flags, const char *entry,
                         const char *lacksEntry);

} // namespace tamrt

#endif // TAMRT_CORE_DEVICE_BACKENDFILES_H
