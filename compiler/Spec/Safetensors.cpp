//===- Safetensors.cpp - reads tensors from a file ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Safetensors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

#include <tuple>

namespace tamc::spec {
namespace {

constexpr size_t prefixBytes = 8;
/// The format's own limit.
constexpr uint64_t maxHeaderBytes = 100'000'000;

llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// LLVM's reader recurses once per bracket and keeps the last of duplicate
/// keys. So the text is scanned before it is parsed: sets `colons` to the
/// number of keys; returns false if the nesting is deeper than that of a
/// header.
bool scanHeader(llvm::StringRef text, size_t &colons) {
  constexpr int deepest = 8;
  int depth = 0;
  bool quoted = false;
  colons = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quoted) {
      i += c == '\\';
      quoted = c != '"';
      continue;
    }
    quoted = c == '"';
    colons += c == ':';
    depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    if (depth > deepest)
      return false;
  }
  return true;
}

size_t countKeys(const llvm::json::Value &value) {
  size_t count = 0;
  if (const llvm::json::Object *object = value.getAsObject())
    for (const auto &[key, member] : *object)
      count += 1 + countKeys(member);
  else if (const llvm::json::Array *array = value.getAsArray())
    for (const llvm::json::Value &item : *array)
      count += countKeys(item);
  return count;
}

/// Reads an array of integers that are not negative.
bool readSizes(const llvm::json::Value *value, std::vector<int64_t> &sizes) {
  const llvm::json::Array *array = value ? value->getAsArray() : nullptr;
  if (!array)
    return false;
  for (const llvm::json::Value &item : *array) {
    std::optional<int64_t> size = item.getAsInteger();
    if (!size || *size < 0)
      return false;
    sizes.push_back(*size);
  }
  return true;
}

llvm::Expected<Tensor> readEntry(llvm::StringRef name,
                                 const llvm::json::Value &entry,
                                 llvm::StringRef data) {
  Tensor tensor{name.str(), {}, {}, {}};
  const llvm::json::Object *object = entry.getAsObject();
  std::optional<llvm::StringRef> type =
      object ? object->getString("dtype") : std::nullopt;
  std::vector<int64_t> offsets;
  if (!type || !readSizes(object->get("shape"), tensor.shape) ||
      !readSizes(object->get("data_offsets"), offsets) || offsets.size() != 2 ||
      offsets[0] > offsets[1])
    return fail("tensor '" + name +
                "': expected dtype, shape and data_offsets, got others");
  tensor.type = type->str();
  if (offsets[1] > static_cast<int64_t>(data.size()))
    return fail("tensor '" + name + "': expected its bytes up to " +
                llvm::Twine(offsets[1]) + ", got " + llvm::Twine(data.size()) +
                " bytes of tensors");
  tensor.bytes = data.slice(offsets[0], offsets[1]);
  return tensor;
}

size_t sizeOfType(llvm::StringRef type) {
  return llvm::StringSwitch<size_t>(type)
      .Cases({"F64", "I64"}, 8)
      .Cases({"F32", "I32"}, 4)
      .Default(0);
}

/// Checks the bytes of a weights file with its metadata
/// (docs/weights-format.md). Files of other programs have no such metadata.
llvm::Error checkBytes(const llvm::json::Object &metadata,
                       llvm::StringRef file) {
  std::optional<llvm::StringRef> named = metadata.getString("checksum");
  if (!named && metadata.getString("format") == "tamc weights 2")
    return fail("damaged: expected a checksum, got none");
  if (!named)
    return llvm::Error::success();
  constexpr llvm::StringLiteral zeros = "00000000";
  const llvm::StringRef prefix = "crc32:";
  size_t place = named->size() == prefix.size() + zeros.size()
                     ? file.find(("\"" + *named + "\"").str())
                     : llvm::StringRef::npos;
  std::string found = "no such place";
  if (place != llvm::StringRef::npos) {
    place += 1 + prefix.size();
    uint32_t crc =
        llvm::crc32(llvm::arrayRefFromStringRef(file.take_front(place)));
    crc = llvm::crc32(crc, llvm::arrayRefFromStringRef(zeros));
    crc = llvm::crc32(crc, llvm::arrayRefFromStringRef(
                               file.drop_front(place + zeros.size())));
    found = llvm::formatv("{0}{1:x-8}", prefix, crc);
  }
  if (*named == found)
    return llvm::Error::success();
  return fail("damaged: expected the checksum '" + *named + "', got '" + found +
              "'");
}

} // namespace

llvm::Expected<std::vector<double>> Tensor::numbers() const {
  using namespace llvm::support::endian;
  size_t size = sizeOfType(type);
  if (size == 0)
    return fail("expected F64, F32, I64 or I32, got " + type);
  uint64_t count = 1;
  bool fits = true;
  // Extents are below 2^63; a later zero makes an overflow irrelevant.
  for (int64_t extent : shape) {
    bool overflow = false;
    count = llvm::SaturatingMultiply<uint64_t>(count, extent, &overflow);
    fits &= !overflow || llvm::is_contained(shape, 0);
  }
  if (!fits || bytes.size() % size != 0 || bytes.size() / size != count)
    return fail("expected bytes for its shape of " + type + ", got " +
                llvm::Twine(bytes.size()) + " bytes");
  // Above this a double cannot represent every integer.
  constexpr int64_t maxInteger = int64_t(1) << 53;
  std::vector<double> values;
  values.reserve(count);
  for (const char *at = bytes.begin(); at != bytes.end(); at += size) {
    if (type == "F64") {
      values.push_back(llvm::bit_cast<double>(read64le(at)));
    } else if (type == "F32") {
      values.push_back(llvm::bit_cast<float>(read32le(at)));
    } else if (type == "I32") {
      values.push_back(static_cast<int32_t>(read32le(at)));
    } else {
      auto value = static_cast<int64_t>(read64le(at));
      if (value > maxInteger || value < -maxInteger)
        return fail("expected integers up to 2^53, got " + llvm::Twine(value) +
                    " at index " + llvm::Twine(values.size()));
      values.push_back(static_cast<double>(value));
    }
    values.back() += 0.0;
  }
  return values;
}

llvm::Expected<TensorFile> TensorFile::read(const std::string &path) {
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return fail("cannot read it: " + error.message());
  if (!llvm::sys::fs::is_regular_file(status))
    return fail("expected a regular file");
  if (status.getSize() > maxBytes)
    return fail("expected at most " + llvm::Twine(maxBytes) + " bytes, got " +
                llvm::Twine(status.getSize()));
  // Volatile: the file is read, not mapped, so that it cannot change meanwhile.
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false,
                                            /*IsVolatile=*/true);
  if (!buffer)
    return fail("cannot read it: " + buffer.getError().message());

  TensorFile file;
  file.buffer = std::move(*buffer);
  llvm::StringRef all = file.buffer->getBuffer();
  auto truncated = [&](uint64_t expected) {
    return fail("truncated: expected " + llvm::Twine(expected) +
                " bytes, got " + llvm::Twine(all.size()));
  };
  if (all.size() < prefixBytes)
    return truncated(prefixBytes);
  uint64_t length = llvm::support::endian::read64le(all.begin());
  if (length > maxHeaderBytes)
    return fail("not a safetensors file: expected a header of at most " +
                llvm::Twine(maxHeaderBytes) + " bytes, got " +
                llvm::Twine(length));
  if (length > all.size() - prefixBytes)
    return truncated(prefixBytes + length);
  llvm::StringRef text = all.substr(prefixBytes, length);
  llvm::StringRef data = all.substr(prefixBytes + length);

  size_t colons = 0;
  if (!scanHeader(text, colons))
    return fail("not a safetensors file: its header is nested too deeply");
  llvm::Expected<llvm::json::Value> header = llvm::json::parse(text);
  if (!header) {
    llvm::consumeError(header.takeError());
    return fail("not a safetensors file: its header is not valid JSON");
  }
  if (!header->getAsObject())
    return fail("not a safetensors file: its header is not a JSON object");
  if (countKeys(*header) != colons)
    return fail("its header holds a key twice");
  for (const auto &[key, entry] : *header->getAsObject()) {
    llvm::StringRef name = key;
    if (name == "__metadata__") {
      if (const llvm::json::Object *metadata = entry.getAsObject())
        if (llvm::Error error = checkBytes(*metadata, all))
          return error;
      continue;
    }
    llvm::Expected<Tensor> tensor = readEntry(name, entry, data);
    if (!tensor)
      return tensor.takeError();
    file.all.push_back(std::move(*tensor));
  }

  // Each tensor starts where the one before it ends; empty ones are anywhere in
  // that order.
  llvm::sort(file.all, [](const Tensor &a, const Tensor &b) {
    return std::tuple(a.bytes.begin(), a.bytes.end(), llvm::StringRef(a.name)) <
           std::tuple(b.bytes.begin(), b.bytes.end(), llvm::StringRef(b.name));
  });
  const char *end = data.begin();
  for (const Tensor &tensor : file.all) {
    if (tensor.bytes.begin() != end)
      return fail("tensor '" + tensor.name + "' " +
                  (tensor.bytes.begin() < end ? "overlaps another"
                                              : "leaves a gap before it"));
    end = tensor.bytes.end();
  }
  if (end != data.end())
    return fail("too long: expected " + llvm::Twine(end - all.begin()) +
                " bytes, got " + llvm::Twine(all.size()));
  llvm::sort(file.all,
             [](const Tensor &a, const Tensor &b) { return a.name < b.name; });
  return file;
}

} // namespace tamc::spec
