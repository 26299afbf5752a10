//===- DataFile.cpp - rows of one group in a JSON file ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "DataFile.h"

#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tamc::reference;

namespace tamc::reference {

static bool fromJSON(const llvm::json::Value &value, DataFile &data,
                     llvm::json::Path path) {
  llvm::json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("rows", data.rows) &&
         mapper.map("parameters", data.parameters) &&
         mapper.map("columns", data.columns) &&
         mapper.mapOptional("coefficients", data.coefficients);
}

} // namespace tamc::reference

std::optional<DataFile> tamc::reference::readDataFile(llvm::StringRef path,
                                                      std::string &error) {
  auto text = mlir::openInputFile(path, &error);
  if (!text) {
    error = "error: " + error;
    return std::nullopt;
  }
  auto data = llvm::json::parse<DataFile>(text->getBuffer());
  if (data)
    return std::move(*data);
  error = (path + ": error: " + toString(data.takeError())).str();
  return std::nullopt;
}
