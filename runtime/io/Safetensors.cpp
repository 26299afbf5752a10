//===- io/Safetensors.cpp - tensors in a file -----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/Safetensors.h"
#include "io/AtomicFile.h"
#include "tamrt/checksum.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>

using namespace tamrt;
using nlohmann::json;

static_assert(std::endian::native == std::endian::little,
              "tensors are copied as they lie in the file");

static constexpr size_t kPrefixBytes = 8;
/// The format's own limit.
static constexpr uint64_t kMaxHeaderBytes = 100'000'000;
static constexpr std::string_view kMetadataKey = "__metadata__";

size_t tamrt::sizeOf(TensorType type) {
  switch (type) {
  case TensorType::F64:
  case TensorType::I64:
    return 8;
  case TensorType::F32:
  case TensorType::I32:
    return 4;
  case TensorType::U8:
    return 1;
  }
  return 0;
}

std::string_view tamrt::nameOf(TensorType type) {
  switch (type) {
  case TensorType::F64:
    return "F64";
  case TensorType::F32:
    return "F32";
  case TensorType::I64:
    return "I64";
  case TensorType::I32:
    return "I32";
  case TensorType::U8:
    return "U8";
  }
  return "";
}

static std::optional<TensorType> typeNamed(std::string_view name) {
  for (TensorType type : {TensorType::F64, TensorType::F32, TensorType::I64,
                          TensorType::I32, TensorType::U8})
    if (nameOf(type) == name)
      return type;
  return std::nullopt;
}

/// The product of `shape` if it fits and no extent is negative.
static std::optional<size_t> countElements(const std::vector<int64_t> &shape) {
  // A zero extent makes the product zero even if earlier factors overflow.
  size_t count = 1;
  bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    if (!empty && __builtin_mul_overflow(count, extent, &count))
      return std::nullopt;
  }
  return empty ? 0 : count;
}

/// "[2, any]": a shape in messages; negative extents are any.
static std::string showShape(std::span<const int64_t> shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : ", ") +
            (extent < 0 ? "any" : std::to_string(extent));
  return "[" + text + "]";
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void SafetensorsWriter::metadata(std::string key, std::string value) {
  entries.insert_or_assign(std::move(key), std::move(value));
}

void SafetensorsWriter::add(std::string name, TensorType type,
                            std::vector<int64_t> shape,
                            std::span<const std::byte> data) {
  [[maybe_unused]] std::optional<size_t> count = countElements(shape);
  assert(count && *count * sizeOf(type) == data.size());
  tensors.push_back({std::move(name), type, std::move(shape),
                     std::vector<std::byte>(data.begin(), data.end())});
}

Result<std::string> SafetensorsWriter::bytes() const {
  std::vector<const Entry *> order;
  for (const Entry &tensor : tensors)
    order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const Entry *a, const Entry *b) {
    size_t sizeA = sizeOf(a->type), sizeB = sizeOf(b->type);
    return sizeA != sizeB ? sizeA > sizeB : a->name < b->name;
  });

  json header = json::object();
  Metadata all = entries;
  all.insert_or_assign(std::string(kChecksumKey), kNoChecksum);
  header[std::string(kMetadataKey)] = all;
  uint64_t offset = 0;
  for (const Entry *tensor : order) {
    if (tensor->name == kMetadataKey || header.contains(tensor->name))
      return Error{
          fmt::format("tensor name '{}' is taken already", tensor->name)};
    uint64_t end = offset + tensor->data.size();
    header[tensor->name] = {{"dtype", nameOf(tensor->type)},
                            {"shape", tensor->shape},
                            {"data_offsets", {offset, end}}};
    offset = end;
  }

  std::string text;
  try {
    text = header.dump();
  } catch (const json::type_error &) {
    // The library reports only this error here.
    return Error{"a name or metadata entry is not valid UTF-8"};
  }
  text.append((kPrefixBytes - text.size() % kPrefixBytes) % kPrefixBytes, ' ');
  uint64_t length = text.size();
  std::string result(kPrefixBytes, '\0');
  std::memcpy(result.data(), &length, kPrefixBytes);
  result.reserve(kPrefixBytes + length + offset);
  result += text;
  for (const Entry *tensor : order)
    result.append(reinterpret_cast<const char *>(tensor->data.data()),
                  tensor->data.size());
  // This is unique: JSON strings contain no unescaped quotes, and tensors come
  // after the header.
  const std::string before = fmt::format("\"{}\":\"", kChecksumKey);
  const size_t place =
      result.find(before + std::string(kNoChecksum)) + before.size();
  setChecksum(result, place);
  return result;
}

Status SafetensorsWriter::write(const std::string &path) const {
  Result<std::string> contents = bytes();
  if (!contents)
    return Error{fmt::format("{}: {}", path, contents.error().message)};
  return writeFile(path, *contents);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Parses JSON strictly: an object in which no key appears twice at any depth.
static Result<json> parseHeader(std::string_view text) {
  std::vector<std::set<std::string>> open;
  std::optional<std::string> twice;
  auto watch = [&](int, json::parse_event_t event, json &value) {
    switch (event) {
    case json::parse_event_t::object_start:
      open.emplace_back();
      break;
    case json::parse_event_t::object_end:
      open.pop_back();
      break;
    case json::parse_event_t::key: {
      std::string key = value.get<std::string>();
      if (!twice && !open.back().insert(key).second)
        twice = key;
      break;
    }
    default:
      break;
    }
    return true;
  };
  json header =
      json::parse(text.begin(), text.end(), watch, /*allow_exceptions=*/false);
  if (header.is_discarded())
    return Error{"header is not valid JSON"};
  if (twice)
    return Error{fmt::format("header holds key '{}' twice", *twice)};
  if (!header.is_object())
    return Error{"header is not a JSON object"};
  return header;
}

/// An array of integers in [0, 2^63).
static std::optional<std::vector<int64_t>> readExtents(const json &value) {
  if (!value.is_array())
    return std::nullopt;
  std::vector<int64_t> extents;
  for (const json &item : value) {
    if (!item.is_number_unsigned() ||
        item.get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max()))
      return std::nullopt;
    extents.push_back(item.get<int64_t>());
  }
  return extents;
}

namespace {

/// A tensor's header entry.
struct Description {
  std::string name;
  TensorType type;
  std::vector<int64_t> shape;
  size_t count;
  uint64_t begin, end;
};

} // namespace

static Result<Description> describe(const std::string &name,
                                    const json &entry) {
  auto fail = [&](std::string_view what) {
    return Error{fmt::format("tensor '{}': {}", name, what)};
  };
  if (!entry.is_object())
    return fail("expected an object");
  for (const auto &item : entry.items())
    if (item.key() != "dtype" && item.key() != "shape" &&
        item.key() != "data_offsets")
      return fail(fmt::format("unknown key '{}'", item.key()));
  auto member = [&](const char *key) {
    auto found = entry.find(key);
    return found == entry.end() ? json() : *found;
  };
  json dtype = member("dtype");
  if (!dtype.is_string())
    return fail("expected a string as dtype");
  std::optional<TensorType> type = typeNamed(dtype.get<std::string>());
  if (!type)
    return fail(fmt::format("expected dtype F64, F32, I64, I32 or U8, got {}",
                            dtype.get<std::string>()));
  std::optional<std::vector<int64_t>> shape = readExtents(member("shape"));
  if (!shape)
    return fail("expected an array of sizes as shape");
  std::optional<std::vector<int64_t>> offsets =
      readExtents(member("data_offsets"));
  if (!offsets || offsets->size() != 2 || (*offsets)[0] > (*offsets)[1])
    return fail("expected [begin, end] as data_offsets");
  uint64_t begin = (*offsets)[0], end = (*offsets)[1];
  std::optional<size_t> count = countElements(*shape);
  size_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, sizeOf(*type), &bytes))
    return fail("shape is too large");
  if (bytes != end - begin)
    return fail(fmt::format("expected {} bytes for shape {} of {}, got {}",
                            bytes, showShape(*shape), nameOf(*type),
                            end - begin));
  return Description{name, *type, *std::move(shape), *count, begin, end};
}

Result<SafetensorsFile> SafetensorsFile::open(const std::string &path) {
  Result<FileBytes> bytes = readFile(path);
  if (!bytes)
    return std::move(bytes).error();
  return parse(*std::move(bytes), path == "-" ? "standard input" : path);
}

Result<SafetensorsFile> SafetensorsFile::parse(FileBytes bytes,
                                               std::string path) {
  SafetensorsFile file;
  file.name = std::move(path);
  file.bytes = std::move(bytes);
  std::string_view all = file.bytes.view();
  auto fail = [&](std::string_view what) {
    return Error{fmt::format("{}: {}", file.name, what)};
  };
  auto truncated = [&](uint64_t expected) {
    return fail(fmt::format("truncated: expected {} bytes, got {}", expected,
                            all.size()));
  };

  if (all.size() < kPrefixBytes)
    return truncated(kPrefixBytes);
  uint64_t length;
  std::memcpy(&length, all.data(), kPrefixBytes);
  if (length > kMaxHeaderBytes)
    return fail(fmt::format("not a safetensors file: expected a header of at "
                            "most {} bytes, got {}",
                            kMaxHeaderBytes, length));
  if (length > all.size() - kPrefixBytes)
    return truncated(kPrefixBytes + length);
  Result<json> header = parseHeader(all.substr(kPrefixBytes, length));
  if (!header)
    return fail(header.error().message);

  std::vector<Description> tensors;
  for (const auto &item : header->items()) {
    if (item.key() == kMetadataKey) {
      if (!item.value().is_object())
        return fail("expected an object as __metadata__");
      for (const auto &entry : item.value().items()) {
        if (!entry.value().is_string())
          return fail(
              fmt::format("metadata '{}': expected a string", entry.key()));
        file.entries.emplace(entry.key(), entry.value().get<std::string>());
      }
      continue;
    }
    Result<Description> tensor = describe(item.key(), item.value());
    if (!tensor)
      return fail(tensor.error().message);
    tensors.push_back(*std::move(tensor));
  }

  // Each tensor starts where the one before it ends; empty ones are anywhere in
  // that order.
  std::sort(tensors.begin(), tensors.end(),
            [](const Description &a, const Description &b) {
              return std::tie(a.begin, a.end, a.name) <
                     std::tie(b.begin, b.end, b.name);
            });
  uint64_t end = 0;
  for (const Description &tensor : tensors) {
    if (tensor.begin != end)
      return fail(fmt::format("tensor '{}': {} at offset {}", tensor.name,
                              tensor.begin < end ? "overlaps another"
                                                 : "leaves a gap before it",
                              tensor.begin));
    end = tensor.end;
  }
  size_t dataStart = kPrefixBytes + length;
  uint64_t expected = dataStart + end;
  if (all.size() < expected)
    return truncated(expected);
  if (all.size() > expected)
    return fail(fmt::format("too long: expected {} bytes, got {}", expected,
                            all.size()));
  if (auto entry = file.entries.find(kChecksumKey);
      entry != file.entries.end()) {
    const std::optional<size_t> place = findChecksum(all, entry->second);
    const std::string found(place ? checksumOf(all, *place).view()
                                  : "no such place");
    if (found != entry->second)
      return fail(fmt::format("damaged: expected the checksum '{}', got '{}'",
                              entry->second, found));
  }
  for (Description &tensor : tensors) {
    auto *data = reinterpret_cast<const std::byte *>(all.data()) + dataStart;
    file.all.emplace(std::move(tensor.name),
                     Tensor{tensor.type,
                            std::move(tensor.shape),
                            tensor.count,
                            {data + tensor.begin, data + tensor.end}});
  }
  return file;
}

const SafetensorsFile::Tensor *
SafetensorsFile::find(std::string_view tensor) const {
  auto found = all.find(tensor);
  return found == all.end() ? nullptr : &found->second;
}

Result<std::string>
SafetensorsFile::requireMetadata(std::string_view key) const {
  auto found = entries.find(key);
  if (found == entries.end())
    return Error{fmt::format("{}: no metadata '{}'", name, key)};
  return found->second;
}

Result<const SafetensorsFile::Tensor *>
SafetensorsFile::check(std::string_view tensor, TensorType type,
                       std::span<const int64_t> shape) const {
  const Tensor *found = find(tensor);
  if (!found)
    return Error{fmt::format("{}: no tensor '{}'", name, tensor)};
  if (found->type != type)
    return Error{fmt::format("{}: tensor '{}': expected {}, got {}", name,
                             tensor, nameOf(type), nameOf(found->type))};
  bool fits = found->shape.size() == shape.size();
  for (size_t i = 0; fits && i < shape.size(); ++i)
    fits = shape[i] < 0 || shape[i] == found->shape[i];
  if (!fits) {
    return Error{fmt::format("{}: tensor '{}': expected shape {}, got {}", name,
                             tensor, showShape(shape),
                             showShape(found->shape))};
  }
  return found;
}

void SafetensorsFile::copy(const Tensor &tensor, void *out) {
  // memcpy of nothing from or to null is undefined.
  if (!tensor.data.empty())
    std::memcpy(out, tensor.data.data(), tensor.data.size());
}
