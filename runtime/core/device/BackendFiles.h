//===- core/device/BackendFiles.h - files of backends -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The files of backends: where they are searched, and which of them may be
/// loaded. Loading a file runs its code with the rights of the program.
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

/// A folder that backends are looked for in.
struct BackendFolder {
  std::string path;
  /// Whether its backends are loaded only if `checkOwners` accepts them: the
  /// folder was named neither by the user nor at installation.
  bool isChecked = false;
};

/// A backend that is there and is not to be loaded.
struct UnsafeBackend {
  std::string path, why;
};

/// What a search for a kind's backend found.
struct BackendSearch {
  /// The first that may be loaded; empty: there is none.
  std::string path;
  /// Those that came before it and may not.
  std::vector<UnsafeBackend> unsafe;
};

/// "libtamrt-backend-cuda.so"
std::string backendFileName(std::string_view kind);

/// The folders backends are looked for in, in order: those of
/// TAMRT_BACKEND_PATH, which ':' separates, unless the program has more rights
/// than its caller; that of the executable, which is checked; the install
/// prefix's lib/tamrt.
std::vector<BackendFolder> backendFolders();

/// Looks for the backend of a kind, folder by folder.
BackendSearch findBackend(const std::vector<BackendFolder> &folders,
                          std::string_view kind);

/// Kinds that have a file in one of the folders.
std::set<std::string> backendKinds(const std::vector<BackendFolder> &folders);

/// Whether `file`, what it leads to if it is a link, and the folders of both
/// belong to `user` or root and nobody else may write them. The error names the
/// first of them that does not, and the fix.
Status checkOwners(const std::string &file, uid_t user);

} // namespace tamrt

#endif // TAMRT_CORE_DEVICE_BACKENDFILES_H
