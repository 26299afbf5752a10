//===- io/Safetensors.cpp - tensors in a file -----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/Safetensors.h"
#include "io/AtomicFile.h"
#include "io/HeaderLimit.h"
#include "io/Sha256.h"
#include "tamrt/checksum.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

using namespace tamrt;
using nlohmann::json;

static_assert(std::endian::native == std::endian::little,
              "tensors are copied as they lie in the file");

static constexpr size_t kPrefixBytes = 8;
/// Bytes that are read at once for a checksum.
static constexpr size_t kPieceBytes = size_t(1) << 20;
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

void SafetensorsWriter::addView(std::string name, TensorType type,
                                std::vector<int64_t> shape,
                                std::span<const std::byte> data) {
  [[maybe_unused]] std::optional<size_t> count = countElements(shape);
  assert(count && *count * sizeOf(type) == data.size());
  tensors.push_back({std::move(name), type, std::move(shape), data, {}});
}

/// The tensors in the order of the file.
std::vector<const SafetensorsWriter::Entry *>
SafetensorsWriter::sorted() const {
  std::vector<const Entry *> order;
  for (const Entry &tensor : tensors)
    order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const Entry *a, const Entry *b) {
    size_t sizeA = sizeOf(a->type), sizeB = sizeOf(b->type);
    return sizeA != sizeB ? sizeA > sizeB : a->name < b->name;
  });
  return order;
}

void SafetensorsWriter::addLater(std::string name, std::vector<int64_t> shape) {
  const std::optional<size_t> count = countElements(shape);
  assert(count && "too many elements");
  tensors.push_back({std::move(name),
                     TensorType::F64,
                     std::move(shape),
                     {},
                     {},
                     /*isLater=*/true,
                     *count * sizeof(double)});
}

void SafetensorsWriter::Header::setChecksum(uint32_t crc) {
  const ChecksumText checksum = textOf(crc);
  text.replace(this->checksum, checksum.view().size(), checksum.view());
}

Result<SafetensorsWriter::Header>
SafetensorsWriter::header(std::span<const Entry *const> order) const {
  json header = json::object();
  Metadata all = entries;
  all.insert_or_assign(std::string(kChecksumKey), kNoChecksum);
  header[std::string(kMetadataKey)] = std::move(all);
  uint64_t offset = 0;
  for (const Entry *tensor : order) {
    if (tensor->name == kMetadataKey || header.contains(tensor->name))
      return Error{
          fmt::format("tensor name '{}' is taken already", tensor->name)};
    uint64_t end = offset + tensor->bytes();
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
  if (length > kMaxHeaderBytes)
    return Error{fmt::format(
        "expected a header of at most {} bytes, got {}, with the texts of all "
        "groups and levels, once for each part: give them shorter texts, have "
        "fewer groups in a file, or each in one part (split --whole-groups)",
        kMaxHeaderBytes, length)};
  Header result;
  result.text.assign(kPrefixBytes, '\0');
  std::memcpy(result.text.data(), &length, kPrefixBytes);
  result.text += text;
  // This is unique: JSON strings contain no unescaped quotes.
  const std::string before = fmt::format("\"{}\":\"", kChecksumKey);
  result.checksum =
      result.text.find(before + std::string(kNoChecksum)) + before.size();
  return result;
}

/// The header with the checksum of all tensors, which are there.
Result<SafetensorsWriter::Header>
SafetensorsWriter::checkedHeader(std::span<const Entry *const> order) const {
  Result<Header> start = header(order);
  if (!start)
    return start;
  uint32_t crc = crc32(start->text);
  for (const Entry *tensor : order)
    crc = crc32(viewOf(tensor->data), crc);
  start->setChecksum(crc);
  return start;
}

Result<std::string> SafetensorsWriter::bytes() const {
  const std::vector<const Entry *> order = sorted();
  Result<Header> start = checkedHeader(order);
  if (!start)
    return std::move(start).error();
  std::string result = std::move(start->text);
  size_t size = result.size();
  for (const Entry *tensor : order)
    size += tensor->bytes();
  result.reserve(size);
  for (const Entry *tensor : order)
    result += viewOf(tensor->data);
  return result;
}

Result<std::string> SafetensorsWriter::hash() const {
  const std::vector<const Entry *> order = sorted();
  Result<Header> start = checkedHeader(order);
  if (!start)
    return std::move(start).error();
  Sha256 hash;
  hash.add(start->text);
  for (const Entry *tensor : order)
    hash.add(viewOf(tensor->data));
  return hash.finish();
}

Status SafetensorsWriter::write(const std::string &path) const {
  const std::vector<const Entry *> order = sorted();
  Result<Header> start = checkedHeader(order);
  if (!start)
    return Error{fmt::format("{}: {}", path, start.error().message)};
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file)
    return std::move(file).error();
  if (Status s = file->write(start->text); !s)
    return s;
  for (const Entry *tensor : order)
    if (Status s = file->write(viewOf(tensor->data)); !s)
      return s;
  return file->commit();
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

/// A tensor's header entry.
struct SafetensorsFile::Description {
  std::string name;
  TensorType type;
  std::vector<int64_t> shape;
  size_t count;
  uint64_t begin, end;
  /// Whether its elements are left in the file.
  bool isLeft = false;
};

/// An open file.
class SafetensorsFile::Descriptor {
public:
  explicit Descriptor(int number) : number(number) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() {
    if (number >= 0)
      close(number);
  }

  /// Reads bytes at a place. Errors without the file's name.
  Status read(uint64_t offset, std::span<char> bytes) const {
    while (!bytes.empty()) {
      const ssize_t got =
          pread(number, bytes.data(), std::min(bytes.size(), kMostAtOnce),
                off_t(offset));
      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0)
        return Error{fmt::format("cannot read: {}", std::strerror(errno))};
      if (got == 0)
        return Error{fmt::format("truncated while it was read: expected more "
                                 "than {} bytes",
                                 offset)};
      bytes = bytes.subspan(size_t(got));
      offset += uint64_t(got);
    }
    return {};
  }

  const int number;

private:
  /// Linux reads at most 2 GiB at once.
  static constexpr size_t kMostAtOnce = size_t(1) << 30;
};

Result<SafetensorsFile::Description>
SafetensorsFile::describe(const std::string &name, const json &entry) {
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

static Error truncated(const std::string &name, uint64_t expected,
                       uint64_t size) {
  return Error{fmt::format("{}: truncated: expected {} bytes, got {}", name,
                           expected, size)};
}

/// The bytes of the length and the header of a file that begins with `start`.
static Result<uint64_t> headerBytes(const std::string &name,
                                    std::string_view start, uint64_t size) {
  if (start.size() < kPrefixBytes)
    return truncated(name, kPrefixBytes, size);
  uint64_t length;
  std::memcpy(&length, start.data(), kPrefixBytes);
  if (length > kMaxHeaderBytes)
    return Error{fmt::format("{}: not a safetensors file: expected a header of "
                             "at most {} bytes, got {}",
                             name, kMaxHeaderBytes, length)};
  if (length > size - kPrefixBytes)
    return truncated(name, kPrefixBytes + length, size);
  return kPrefixBytes + length;
}

/// Reads the header, with its length, of a file of `size` bytes: sets the
/// metadata, and returns the tensors in the order of the file.
Result<std::vector<SafetensorsFile::Description>>
SafetensorsFile::readHeader(std::string_view start, uint64_t size) {
  auto fail = [&](std::string_view what) {
    return Error{fmt::format("{}: {}", name, what)};
  };
  Result<json> header = parseHeader(start.substr(kPrefixBytes));
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
        entries.emplace(entry.key(), entry.value().get<std::string>());
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
  const uint64_t expected = start.size() + end;
  if (size < expected)
    return truncated(name, expected, size);
  if (size > expected)
    return fail(
        fmt::format("too long: expected {} bytes, got {}", expected, size));
  return tensors;
}

/// Checks the checksum, which is in `start` if the file has one; `rest` gives
/// the CRC of the file from that of `start`.
Status SafetensorsFile::checkChecksum(
    std::string_view start,
    const std::function<Result<uint32_t>(uint32_t)> &rest) {
  const auto entry = entries.find(kChecksumKey);
  if (entry == entries.end())
    return {};
  const std::optional<size_t> place = findChecksum(start, entry->second);
  std::string found = "no such place";
  if (place) {
    const size_t after = *place + kNoChecksum.size();
    uint32_t crc = crc32(start.substr(0, *place));
    crc = crc32(kNoChecksum, crc);
    Result<uint32_t> all = rest(crc32(start.substr(after), crc));
    if (!all)
      return std::move(all).error();
    found = textOf(*all).view();
  }
  if (found == entry->second)
    return {};
  return Error{fmt::format("{}: damaged: expected the checksum '{}', got '{}'",
                           name, entry->second, found)};
}

/// Opens a regular file; returns -1 for others. A pipe is not opened, because
/// its writer would end when this reader does.
static int openRegular(const std::string &path) {
  struct stat info;
  if (path == "-" || ::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
    return -1;
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

bool SafetensorsFile::isLikely(const std::string &path) {
  const Descriptor from(openRegular(path));
  struct stat info;
  std::string start(kPrefixBytes + 1, '\0');
  if (from.number < 0 || fstat(from.number, &info) != 0 ||
      !S_ISREG(info.st_mode) || info.st_size < off_t(start.size()) ||
      !from.read(0, start))
    return false;
  uint64_t length;
  std::memcpy(&length, start.data(), kPrefixBytes);
  return length <= kMaxHeaderBytes && start.back() == '{';
}

Result<SafetensorsFile> SafetensorsFile::parse(FileBytes bytes,
                                               std::string path) {
  SafetensorsFile file;
  file.name = std::move(path);
  file.bytes = std::move(bytes);
  const std::string_view all = file.bytes.view();
  Result<uint64_t> start = headerBytes(file.name, all, all.size());
  if (!start)
    return std::move(start).error();
  const std::string_view header = all.substr(0, *start);
  Result<std::vector<Description>> tensors =
      file.readHeader(header, all.size());
  if (!tensors)
    return std::move(tensors).error();
  Status checked = file.checkChecksum(header, [&](uint32_t crc) {
    return Result<uint32_t>(crc32(all.substr(*start), crc));
  });
  if (!checked)
    return std::move(checked).error();
  file.take(*std::move(tensors), all.data() + *start, *start);
  return file;
}

/// Lists the tensors, which begin at byte `start` of the file. The bytes of
/// those that are not left there follow each other in memory from `data` on.
void SafetensorsFile::take(std::vector<Description> tensors, const char *data,
                           size_t start) {
  for (Description &tensor : tensors) {
    const size_t size = tensor.isLeft ? 0 : tensor.end - tensor.begin;
    all.emplace(std::move(tensor.name),
                Tensor{tensor.type,
                       std::move(tensor.shape),
                       tensor.count,
                       {reinterpret_cast<const std::byte *>(data), size},
                       start + tensor.begin});
    data += size;
  }
}

void SafetensorsFile::forgetOthers() {
  if (!descriptor)
    return;
  for (auto &[key, tensor] : all)
    tensor.data = {};
  entries.clear();
  bytes = {};
}

Result<SafetensorsFile> SafetensorsFile::open(
    const std::string &path,
    const std::function<bool(std::string_view name)> &isLeft) {
  SafetensorsFile file;
  file.name = path;
  auto fail = [&](std::string_view what) {
    return Error{fmt::format("{}: {}", file.name, what)};
  };
  auto from = std::make_shared<const Descriptor>(openRegular(path));
  struct stat info;
  // Files of /proc say that they have no bytes. Why another path cannot be read
  // is what readFile says.
  if (from->number < 0 || fstat(from->number, &info) != 0 ||
      !S_ISREG(info.st_mode) || info.st_size == 0) {
    Result<FileBytes> bytes = readFile(path);
    if (!bytes)
      return std::move(bytes).error();
    return parse(*std::move(bytes), path == "-" ? "standard input" : path);
  }
  const auto size = uint64_t(info.st_size);
  std::string header(size_t(std::min<uint64_t>(size, kPrefixBytes)), '\0');
  if (Status s = from->read(0, header); !s)
    return fail(s.error().message);
  Result<uint64_t> start = headerBytes(path, header, size);
  if (!start)
    return std::move(start).error();
  header.resize(*start);
  if (Status s = from->read(0, header); !s)
    return fail(s.error().message);
  Result<std::vector<Description>> tensors = file.readHeader(header, size);
  if (!tensors)
    return std::move(tensors).error();
  // Bytes of the file, of tensors that follow each other.
  struct Run {
    uint64_t begin, end;
    bool isLeft;
  };
  std::vector<Run> runs;
  size_t kept = 0;
  bool hasLeft = false;
  for (Description &tensor : *tensors) {
    tensor.isLeft = isLeft && isLeft(tensor.name);
    hasLeft |= tensor.isLeft;
    if (!tensor.isLeft)
      kept += size_t(tensor.end - tensor.begin);
    if (!runs.empty() && runs.back().isLeft == tensor.isLeft)
      runs.back().end = *start + tensor.end;
    else
      runs.push_back(
          {*start + tensor.begin, *start + tensor.end, tensor.isLeft});
  }
  file.bytes = {std::unique_ptr<char[]>(new (std::nothrow) char[kept]), kept};
  if (!file.bytes.data)
    return fail(fmt::format("cannot read: {}", std::strerror(ENOMEM)));
  char *data = file.bytes.data.get();
  for (const Run &run : runs) {
    if (run.isLeft)
      continue;
    const std::span<char> to(data, size_t(run.end - run.begin));
    if (Status s = from->read(run.begin, to); !s)
      return fail(s.error().message);
    data += to.size();
  }
  Status checked =
      file.checkChecksum(header, [&](uint32_t crc) -> Result<uint32_t> {
        const char *next = file.bytes.data.get();
        std::vector<char> buffer(hasLeft ? kPieceBytes : 0);
        for (const Run &run : runs) {
          if (!run.isLeft) {
            crc = crc32({next, size_t(run.end - run.begin)}, crc);
            next += run.end - run.begin;
            continue;
          }
          for (uint64_t at = run.begin; at < run.end;) {
            const std::span<char> piece(
                buffer.data(),
                size_t(std::min<uint64_t>(buffer.size(), run.end - at)));
            if (Status s = from->read(at, piece); !s)
              return fail(s.error().message);
            crc = crc32({piece.data(), piece.size()}, crc);
            at += piece.size();
          }
        }
        return crc;
      });
  if (!checked)
    return std::move(checked).error();
  file.take(*std::move(tensors), file.bytes.data.get(), size_t(*start));
  if (hasLeft)
    file.descriptor = std::move(from);
  return file;
}

Status SafetensorsFile::read(const Tensor &tensor, size_t first,
                             std::span<double> numbers) const {
  assert(tensor.type == TensorType::F64 &&
         first + numbers.size() <= tensor.count);
  const std::span<char> to(reinterpret_cast<char *>(numbers.data()),
                           numbers.size_bytes());
  if (tensor.data.empty() && descriptor) {
    Status s = descriptor->read(tensor.begin + first * sizeof(double), to);
    return s ? Status() : Error{fmt::format("{}: {}", name, s.error().message)};
  }
  if (!to.empty())
    std::memcpy(to.data(), tensor.data.data() + first * sizeof(double),
                to.size());
  return {};
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
  assert((tensor.count == 0 || !tensor.data.empty()) && "left in the file");
  // memcpy of nothing from or to null is undefined.
  if (!tensor.data.empty())
    std::memcpy(out, tensor.data.data(), tensor.data.size());
}
