//===- io/AtomicFile.h - atomic output files --------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A file that appears under its name completely or not at all.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_ATOMICFILE_H
#define TAMRT_IO_ATOMICFILE_H

#include "io/Error.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace tamrt {

struct Unfinished;

/// An output. Bytes go to a temporary file in the target's folder, which
/// `commit` renames to the target; without `commit` the destructor removes it
/// and the target stays as it was. There is no fsync: a crash of the machine,
/// unlike one of the program, may lose the file.
///
/// The temporary file has no name before `commit` where the file system has
/// such files (O_TMPFILE), so that even a process that is killed leaves nothing
/// behind. Elsewhere, and after `suspend`, it is ".tamrt-PROCESS-NUMBER.tmp".
///
/// "-" is standard output. It and targets that are not regular files (pipes,
/// devices such as /dev/null) are written directly. A symbolic link is
/// followed: the file it points to is replaced, not the link.
///
/// A new file has the permissions rw-rw-rw- minus the process's umask; an
/// existing file keeps its own.
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

  /// Whether bytes can be written and read at any place: not of a target that
  /// is written directly.
  bool hasPlaces() const { return !target.empty(); }

  /// Writes and reads bytes at a place. Errors: those of `write`.
  Status writeAt(uint64_t offset, std::string_view bytes);
  Status readAt(uint64_t offset, std::span<char> bytes);

  /// Closes the file until the next `write`, so that a program can have more
  /// outputs under way than open files. Does nothing to one that is written
  /// directly.
  Status suspend();

  /// Closes the file and replaces the target by it, with every error checked.
  /// To be called once; on error the target stays as it was.
  Status commit();

  /// Name of the target in messages: the path, or "standard output".
  const std::string &path() const { return name; }

private:
  AtomicFile() = default;
  void drop() noexcept;
  Status giveName();
  Status reopen();
  Status closeFile();
  Error fail(std::string_view action, int code);

  std::string name;
  /// Path of the temporary file; empty if it has none, and if the target is
  /// written directly.
  std::string temporary;
  /// Entry of `temporary` in the list for signal handlers; null if it has none.
  Unfinished *entry = nullptr;
  /// The path to which the temporary file is moved, with links resolved; empty
  /// if the target is written directly.
  std::string target;
  std::string failure;
  int descriptor = -1;
  bool closes = false;
};

/// A folder for outputs. Without `keep` the destructor removes it, and those
/// above it that `make` made, unless they have files of others.
class OutputFolder {
public:
  /// Makes the folder, and those above it, unless they exist.
  ///
  /// Errors carry the path and the system's reason.
  static Result<OutputFolder> make(const std::string &path);

  OutputFolder(OutputFolder &&other) noexcept = default;
  OutputFolder &operator=(OutputFolder &&other) = delete;
  ~OutputFolder();

  /// Leaves the folder.
  void keep();

private:
  OutputFolder() = default;

  /// Entries in the list for signal handlers of those that were made, from the
  /// outermost on.
  std::vector<Unfinished *> made;
};

/// Identifies a regular file: by the file itself, or, if it does not exist yet,
/// by its folder and its name in it.
struct FileIdentity {
  dev_t device;
  ino_t inode;
  std::string name;

  bool operator==(const FileIdentity &) const = default;
};

/// The regular file that `path` names, also through links, whether it exists or
/// not; "-" is the descriptor `standard`. Nothing for pipes and devices, and if
/// the folder does not exist.
std::optional<FileIdentity> identify(const std::string &path, int standard);

/// From this call on, each signal that ends the process, except SIGKILL, first
/// removes the temporary files of all outputs, and folders that were made for
/// them, and then ends the process as before. Signals that are ignored or
/// handled stay so. A limit on the size of files is an error of `write` instead
/// of a SIGXFSZ that ends the process. Changes the process: only for a
/// program's main.
void removeTemporariesOnSignals();

/// Removes the temporary files of all outputs, and their folders: for a process
/// that is about to end without returning from `main`. From this call on, a
/// thread that is about to make another one waits for ever, as does one that
/// fails to write. Safe in a handler of a signal.
void removeTemporaries() noexcept;

/// Writes `bytes` as the contents of `path`, atomically.
Status writeFile(const std::string &path, std::string_view bytes);

} // namespace tamrt

#endif // TAMRT_IO_ATOMICFILE_H
