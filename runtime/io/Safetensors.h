//===- io/Safetensors.h - tensors in a file ---------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads and writes safetensors files, the format of weights.
///
/// Layout: the length of the header as a little-endian uint64; the header, a
/// JSON object of name -> {"dtype", "shape", "data_offsets": [begin, end)} and
/// "__metadata__" -> {string: string}, padded with blanks; the tensors' bytes,
/// little-endian, row-major, without gaps, offsets counted from the header's
/// end. Source: https://github.com/huggingface/safetensors, section Format.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_SAFETENSORS_H
#define TAMRT_IO_SAFETENSORS_H

#include "io/AtomicFile.h"
#include "io/Error.h"
#include "io/ReadFile.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tamrt {

/// Element types this project writes and reads.
enum class TensorType : uint8_t { F64, F32, I64, I32, U8 };

/// Bytes of an element.
size_t sizeOf(TensorType type);

/// The name in the file: "F64".
std::string_view nameOf(TensorType type);

/// The type of elements of C++ type T: double, float, int64_t, int32_t,
/// uint8_t.
template <class T> constexpr TensorType tensorTypeOf() {
  if constexpr (std::is_same_v<T, double>)
    return TensorType::F64;
  else if constexpr (std::is_same_v<T, float>)
    return TensorType::F32;
  else if constexpr (std::is_same_v<T, int64_t>)
    return TensorType::I64;
  else if constexpr (std::is_same_v<T, int32_t>)
    return TensorType::I32;
  else {
    static_assert(std::is_same_v<T, uint8_t>, "no such tensor type");
    return TensorType::U8;
  }
}

/// The bytes of a tensor as text.
inline std::string_view viewOf(std::span<const std::byte> data) {
  return {reinterpret_cast<const char *>(data.data()), data.size()};
}

/// Key of the metadata entry that holds a file's checksum.
inline constexpr std::string_view kChecksumKey = "checksum";

using Metadata = std::map<std::string, std::string, std::less<>>;

/// Collects tensors and metadata and writes them. The bytes depend on the
/// contents only, not on the order of the calls: header keys are sorted, and
/// tensors are sorted by descending element size, then by name, so that all are
/// aligned. The writer sets the metadata entry "checksum" (tamrt/checksum.h).
class SafetensorsWriter {
public:
  /// Sets a metadata entry and replaces an older one with the same key.
  void metadata(std::string key, std::string value);

  /// Adds a tensor, copying its elements, or keeping the vector that has them.
  /// The product of `shape` is the number of elements (asserted); an empty
  /// shape is a scalar.
  template <class T>
  void add(std::string name, std::vector<int64_t> shape,
           std::span<const T> values) {
    add(std::move(name), std::move(shape),
        std::vector<T>(values.begin(), values.end()));
  }
  template <class T>
  void add(std::string name, std::vector<int64_t> shape,
           std::vector<T> &&values) {
    auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    addView<T>(std::move(name), std::move(shape), std::span<const T>(*owner));
    tensors.back().owner = std::move(owner);
  }

  /// The same without a copy: the elements must outlive the writer.
  template <class T>
  void addView(std::string name, std::vector<int64_t> shape,
               std::span<const T> values) {
    addView(std::move(name), tensorTypeOf<T>(), std::move(shape),
            std::as_bytes(values));
  }

  /// Adds a tensor whose elements a SafetensorsOutput gets later.
  void addLater(std::string name, std::vector<int64_t> shape);

  /// The file's bytes, with the checksum. Errors: a tensor's name that was
  /// added twice or is "__metadata__"; text not in UTF-8; a header too long.
  Result<std::string> bytes() const;

  /// The SHA-256 of these bytes, which are not in memory at once. The errors
  /// of `bytes`.
  Result<std::string> hash() const;

  /// Writes the file atomically. Errors: those of `bytes`, after the path, and
  /// of AtomicFile.
  Status write(const std::string &path) const;

private:
  struct Entry {
    std::string name;
    TensorType type;
    std::vector<int64_t> shape;
    std::span<const std::byte> data;
    /// Null if others own the data.
    std::shared_ptr<const void> owner;
    /// Whether the tensor comes later, which has no data, and its bytes then.
    bool isLater = false;
    size_t later = 0;

    size_t bytes() const { return data.size() + later; }
  };
  /// The length of the header and the header, with the place of the checksum,
  /// which is not computed yet.
  struct Header {
    std::string text;
    size_t checksum;

    void setChecksum(uint32_t crc);
  };

  void addView(std::string name, TensorType type, std::vector<int64_t> shape,
               std::span<const std::byte> data);
  std::vector<const Entry *> sorted() const;
  Result<Header> header(std::span<const Entry *const> order) const;
  Result<Header> checkedHeader(std::span<const Entry *const> order) const;
  friend class SafetensorsOutput;

  Metadata entries;
  std::vector<Entry> tensors;
};

/// A file under way of which some tensors, which may be larger than the memory,
/// are written piece by piece.
class SafetensorsOutput {
public:
  /// Begins the file `path` with the contents of `writer`, some tensors of
  /// which come later. An output that is written directly (AtomicFile) keeps
  /// them in memory. Errors: those of `SafetensorsWriter::write`.
  static Result<SafetensorsOutput> create(SafetensorsWriter writer,
                                          const std::string &path);

  /// Sets elements of a tensor that comes later from number `first` on. Each
  /// must be set once, in any order. Some wait in memory for their neighbours.
  Status write(std::string_view tensor, size_t first,
               std::span<const double> numbers);

  /// Sets the checksum and ends the file. To be called once.
  Status commit();

private:
  SafetensorsOutput(AtomicFile file, SafetensorsWriter writer,
                    SafetensorsWriter::Header header)
      : file(std::move(file)), writer(std::move(writer)),
        header(std::move(header)) {}

  AtomicFile file;
  SafetensorsWriter writer;
  SafetensorsWriter::Header header;
  /// A tensor that comes later: its first byte, and, if the file has no places,
  /// its elements.
  struct Later {
    uint64_t begin = 0;
    std::vector<double> kept = {};
  };
  std::map<std::string, Later, std::less<>> later;
  /// All bytes of the file.
  uint64_t size = 0;

  Status writeAt(uint64_t place, std::string_view bytes);
  Status writeWaiting();

  /// Numbers that are not written yet, and their pieces: places in the file and
  /// in `waiting`.
  struct Piece {
    uint64_t place;
    size_t first, count;
  };
  std::vector<double> waiting;
  std::vector<Piece> pieces;
  /// What was written adds to the file's CRC.
  uint32_t crc = 0;
};

/// A file of tensors that is validated completely when it is opened: any bytes
/// either open or give an error, and the functions below rely on that.
class SafetensorsFile {
public:
  struct Tensor {
    TensorType type;
    std::vector<int64_t> shape;
    /// Elements: the product of `shape`, 1 for a scalar.
    size_t count;
    /// The bytes, not necessarily aligned; they live as long as the file. None
    /// of a tensor that is left in the file.
    std::span<const std::byte> data;
    /// Its place in the file.
    uint64_t begin = 0;
  };

  /// Reads `path`: a regular file, or "-", standard input. The elements of
  /// tensors for whose names `isLeft` is true, if it is given, are not kept in
  /// memory, only read once for the checksum; `read` reads them. Those of
  /// standard input are all kept.
  ///
  /// Errors, all after the path: those of `readFile`; a file that is truncated
  /// ("expected 104 bytes, got 96"), before or while it is read, or too long; a
  /// header that is longer than the file or than 100 MB, no JSON, not of the
  /// form above, or holds a key twice; an element type other than TensorType's;
  /// a tensor whose offsets do not match its shape, overlap another's or leave
  /// a gap; a metadata entry "checksum" that is not the file's.
  static Result<SafetensorsFile>
  open(const std::string &path,
       const std::function<bool(std::string_view name)> &isLeft = nullptr);

  /// Whether `path` is a regular file that starts as one of tensors does: with
  /// the length of a header, and a brace. No table of text does.
  static bool isLikely(const std::string &path);

  /// As `open`, from bytes in memory; `path` is their name in messages.
  static Result<SafetensorsFile> parse(FileBytes bytes, std::string path);

  /// The path with which the file was opened.
  const std::string &path() const { return name; }

  /// The entries of "__metadata__"; empty when it is absent.
  const Metadata &metadata() const { return entries; }

  /// Whether the file has a checksum, and it is right.
  bool isChecked() const { return entries.contains(kChecksumKey); }

  /// The metadata entry `key`, or an error that names file and key.
  Result<std::string> requireMetadata(std::string_view key) const;

  /// All tensors by name.
  const std::map<std::string, Tensor, std::less<>> &tensors() const {
    return all;
  }

  /// The tensor named `tensor`; null if there is none.
  const Tensor *find(std::string_view tensor) const;

  /// A copy of the elements of `tensor`, which must exist with type T and,
  /// where `shape` entries are not negative, that shape (-1 fits any extent).
  /// Errors have file, tensor, and the expected and actual type and shape. Not
  /// of a tensor that is left in the file (asserted).
  template <class T>
  Result<std::vector<T>> values(std::string_view tensor,
                                std::span<const int64_t> shape) const {
    Result<const Tensor *> found = check(tensor, tensorTypeOf<T>(), shape);
    if (!found)
      return std::move(found).error();
    std::vector<T> result((*found)->count);
    copy(**found, result.data());
    return result;
  }

  /// The tensor named `tensor` with elements F64 and that shape: `values`
  /// without the elements.
  Result<const Tensor *> numbers(std::string_view tensor,
                                 std::span<const int64_t> shape) const {
    return check(tensor, TensorType::F64, shape);
  }

  /// The elements of a tensor where they are, as long as the file keeps them.
  template <class T> class View {
  public:
    View() = default;
    explicit View(const Tensor &tensor) : tensor(&tensor) {}

    size_t size() const { return tensor->count; }
    T operator[](size_t i) const {
      T value;
      std::memcpy(&value, tensor->data.data() + i * sizeof(T), sizeof(T));
      return value;
    }

  private:
    const Tensor *tensor = nullptr;
  };

  /// As `values`, without a copy. Not of a tensor that is left in the file.
  template <class T>
  Result<View<T>> view(std::string_view tensor,
                       std::span<const int64_t> shape) const {
    Result<const Tensor *> found = check(tensor, tensorTypeOf<T>(), shape);
    if (!found)
      return std::move(found).error();
    return View<T>(**found);
  }

  /// Frees the metadata and all tensors but those that are left in the file,
  /// whose elements can still be read. Does nothing if none is left.
  void forgetOthers();

  /// Copies elements of a tensor of F64 from number `first` on. Several threads
  /// may read. Errors: a file that has been cut meanwhile.
  Status read(const Tensor &tensor, size_t first,
              std::span<double> numbers) const;

private:
  class Descriptor;
  struct Description;

  SafetensorsFile() = default;
  static Result<Description> describe(const std::string &name,
                                      const nlohmann::json &entry);
  Result<std::vector<Description>> readHeader(std::string_view start,
                                              uint64_t size);
  Status checkChecksum(std::string_view start,
                       const std::function<Result<uint32_t>(uint32_t)> &rest);
  void take(std::vector<Description> tensors, const char *data, size_t start);
  Result<const Tensor *> check(std::string_view tensor, TensorType type,
                               std::span<const int64_t> shape) const;
  static void copy(const Tensor &tensor, void *out);

  std::string name;
  FileBytes bytes;
  /// Of a file of which tensors are left.
  std::shared_ptr<const Descriptor> descriptor;
  Metadata entries;
  std::map<std::string, Tensor, std::less<>> all;
};

} // namespace tamrt

#endif // TAMRT_IO_SAFETENSORS_H
