//===- io/AtomicFile.h - atomic output files --------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A file that appears under its name whole or not at all.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_ATOMICFILE_H
#define TAMRT_IO_ATOMICFILE_H

#include "io/Error.h"

#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace tamrt {

/// An output. Bytes go to a temporary file beside the target, which `commit`
/// renames to the target; without `commit` the destructor removes it and the
/// target stays as it was. There is no fsync: a crash of the machine, unlike
/// one of the program, may lose the file.
///
/// "-" is standard output. That and targets that are no regular files (pipes,
/// devices such as /dev/null) are written directly. A symbolic link is
/// followed: the file it points to is replaced, not the link.
///
/// A new file has the permissions the process's umask leaves of rw-rw-rw-; a
/// file that was there keeps its own.
class AtomicFile {
public:
  /// Opens an output for `path`.
  ///
  /// Errors carry the path and the system's reason: no such directory, no
  /// permission, a directory, no space.
  static Result<AtomicFile> create(const std::string &path);

  /// Whether an output for `path` could be opened now; the errors of `create`.
  /// Leaves no trace, and opens neither pipes nor devices.
  static Status check(const std::string &path);

  AtomicFile(AtomicFile &&other) noexcept;
  AtomicFile &operator=(AtomicFile &&other) noexcept;
  /// Drops the output unless it was committed.
  ~AtomicFile();

  /// Appends `bytes`; not buffered. After an error the output is dropped and
  /// every further call returns that error.
  Status write(std::string_view bytes);

  /// Closes the file and puts it in the target's place, with every error
  /// checked. To be called once; on error the target stays as it was.
  Status commit();

  /// What messages call the target: the path, or "standard output".
  const std::string &path() const { return name; }

private:
  AtomicFile() = default;
  void drop() noexcept;
  Error fail(std::string_view action, int code);

  std::string name;
  /// Empty when the target is written directly.
  std::string temporary;
  /// Where `temporary` is listed for a signal to find; -1: nowhere.
  int slot = -1;
  /// Where `temporary` is moved to: the path with links resolved.
  std::string target;
  std::string failure;
  int descriptor = -1;
  bool closes = false;
};

/// What tells a regular file from all others: the file itself; of one that is
/// not there yet its folder, and its name in it.
struct FileIdentity {
  dev_t device;
  ino_t inode;
  std::string name;

  bool operator==(const FileIdentity &) const = default;
};

/// The regular file that `path` leads to, or would, by whatever links; "-" is
/// the descriptor `standard`. Nothing for pipes and devices, and where there is
/// no such folder.
std::optional<FileIdentity> identify(const std::string &path, int standard);

/// From here on each signal that ends the process, but SIGKILL, first removes
/// the temporary files of all outputs. It then ends the process as it always
/// does; one that is ignored or handled stays so. A limit on the size of files
/// is an error of `write` instead of the process's end by SIGXFSZ. Changes the
/// process: for a program's main alone.
void removeTemporariesOnSignals();

/// Writes `bytes` as the whole of `path`, atomically.
Status writeFile(const std::string &path, std::string_view bytes);

} // namespace tamrt

#endif // TAMRT_IO_ATOMICFILE_H
