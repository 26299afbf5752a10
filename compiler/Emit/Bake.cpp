//===- Bake.cpp - weights as part of a library ----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Emit/Bake.h"

#include "../Conversion/ModelDescription/ModelDescription.h"

#include "tamc/Target/Target.h"
#include "tamrt/load_weights.h"

#include "llvm/Support/Allocator.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cassert>
#include <cstring>
#include <vector>

using namespace mlir;
using namespace tamc;

namespace {

/// The structs of a model's description in memory, as compiled models have
/// them, but for functions and buffers: their addresses are null.
class ModelMemory {
public:
  explicit ModelMemory(const Record &model) : all(write({&model, 1})) {
    assert(bytesOf(model) == sizeof(tamrt_model));
  }

  const tamrt_model &model() const {
    return *static_cast<const tamrt_model *>(all);
  }

private:
  static size_t bytesOf(const Field &field) {
    return field.kind == Field::Kind::I32 ? sizeof(int32_t) : sizeof(int64_t);
  }
  /// Bytes of a struct with C's padding.
  static size_t bytesOf(const Record &record);
  void *write(llvm::ArrayRef<Record> records);
  void write(const Field &field, char *at);
  template <class T> void *writeNumbers(DenseElementsAttr numbers);

  llvm::BumpPtrAllocator memory;
  void *all;
};

} // namespace

size_t ModelMemory::bytesOf(const Record &record) {
  size_t bytes = 0, alignment = 1;
  for (const Field &field : record) {
    bytes = llvm::alignTo(bytes, bytesOf(field)) + bytesOf(field);
    alignment = std::max(alignment, bytesOf(field));
  }
  return llvm::alignTo(bytes, alignment);
}

void *ModelMemory::write(llvm::ArrayRef<Record> records) {
  const size_t bytes = bytesOf(records.front());
  char *array = static_cast<char *>(
      memory.Allocate(records.size() * bytes, llvm::Align(8)));
  std::memset(array, 0, records.size() * bytes);
  for (auto [index, record] : llvm::enumerate(records)) {
    size_t at = 0;
    for (const Field &field : record) {
      at = llvm::alignTo(at, bytesOf(field));
      write(field, array + index * bytes + at);
      at += bytesOf(field);
    }
  }
  return array;
}

template <class T> void *ModelMemory::writeNumbers(DenseElementsAttr numbers) {
  const std::vector<T> values(numbers.getValues<T>().begin(),
                              numbers.getValues<T>().end());
  return std::memcpy(memory.Allocate<T>(values.size()), values.data(),
                     values.size() * sizeof(T));
}

void ModelMemory::write(const Field &field, char *at) {
  const void *address = nullptr;
  switch (field.kind) {
  case Field::Kind::I32: {
    const auto value = static_cast<int32_t>(field.integer);
    std::memcpy(at, &value, sizeof value);
    return;
  }
  case Field::Kind::I64:
    std::memcpy(at, &field.integer, sizeof field.integer);
    return;
  case Field::Kind::F64:
    std::memcpy(at, &field.real, sizeof field.real);
    return;
  case Field::Kind::Text:
    address = field.text.c_str();
    break;
  case Field::Kind::Records:
    address = write(field.records);
    break;
  case Field::Kind::Numbers:
    address = field.type == "double" ? writeNumbers<double>(field.numbers)
                                     : writeNumbers<int32_t>(field.numbers);
    break;
  case Field::Kind::Address:
  case Field::Kind::External:
  case Field::Kind::Rows:
  case Field::Kind::Null:
    return;
  }
  std::memcpy(at, &address, sizeof address);
}

llvm::Expected<std::string> tamc::readWeights(ModuleOp module,
                                              llvm::StringRef path,
                                              llvm::StringRef version) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + buffer.getError().message());
  llvm::Expected<std::unique_ptr<Target>> target = createTarget(
      module->getAttrOfType<tam::TargetAttr>(tam::kTargetAttrName));
  if (!target)
    return target.takeError();
  FailureOr<Record> description = describeModel(module, **target, version);
  if (failed(description))
    return llvm::createStringError("no description of the model");
  const ModelMemory memory(*description);
  const llvm::StringRef file = (*buffer)->getBuffer();
  // In doubles: weights start at a multiple of 8 bytes.
  std::vector<double> weights(
      tamrt_embed_load_size(&memory.model(), file.data(), file.size()) /
      sizeof(double));
  // At least one, so that there is an address. An error says why there is
  // nothing to load.
  double none;
  const size_t bytes = weights.size() * sizeof(double);
  if (int status = tamrt_embed_load(&memory.model(), file.data(), file.size(),
                                    weights.empty() ? &none : weights.data(),
                                    bytes, nullptr))
    return llvm::createStringError("cannot build in '" + path +
                                   "': " + tamrt_embed_status_string(status));
  return std::string(reinterpret_cast<const char *>(weights.data()), bytes);
}
