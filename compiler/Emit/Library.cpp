//===- Library.cpp - a model as a static library ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Emit/Library.h"

#include "RuntimePath.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

std::string tamc::libraryPrefix(StringRef modelName) {
  std::string prefix;
  for (char c : modelName)
    prefix += isAlnum(c) ? c : '_';
  if (prefix.empty() || !isAlpha(prefix.front()))
    prefix.insert(0, "m");
  return prefix;
}

bool tamc::isLibraryPrefix(StringRef text) {
  return !text.empty() && isAlpha(text.front()) &&
         all_of(text, [](char c) { return isAlnum(c) || c == '_'; });
}

Expected<std::string> tamc::archiveLibrary(StringRef object,
                                           StringRef executable,
                                           StringRef machine) {
  const std::string path = runtimePath(executable, machine, "libtamrt-embed.a");
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError("cannot read the runtime at '" + path +
                             "': " + buffer.getError().message());
  Expected<std::unique_ptr<object::Archive>> runtime =
      object::Archive::create((*buffer)->getMemBufferRef());
  if (!runtime)
    return createStringError("cannot read the runtime at '" + path +
                             "': " + toString(runtime.takeError()));

  // Constant names, times and owners, so that equal models give equal archives.
  std::vector<NewArchiveMember> members;
  members.emplace_back(MemoryBufferRef(object, "model.o"));
  Error error = Error::success();
  for (const object::Archive::Child &child : (*runtime)->children(error)) {
    Expected<NewArchiveMember> member =
        NewArchiveMember::getOldMember(child, /*Deterministic=*/true);
    if (!member) {
      consumeError(std::move(error));
      return member.takeError();
    }
    members.push_back(std::move(*member));
  }
  if (error)
    return error;
  Expected<std::unique_ptr<MemoryBuffer>> archive = writeArchiveToBuffer(
      members, SymtabWritingMode::NormalSymtab, object::Archive::K_GNU,
      /*Deterministic=*/true, /*Thin=*/false);
  if (!archive)
    return archive.takeError();
  return (*archive)->getBuffer().str();
}
