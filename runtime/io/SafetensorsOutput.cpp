//===- io/SafetensorsOutput.cpp - tensors that come piece by piece --------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/Safetensors.h"
#include "tamrt/checksum.h"

#include <algorithm>
#include <fmt/format.h>

using namespace tamrt;

/// Bytes of smaller pieces that are written at once.
static constexpr size_t kWaitingBytes = size_t(1) << 20;

Result<SafetensorsOutput> SafetensorsOutput::create(SafetensorsWriter writer,
                                                    const std::string &path) {
  Result<SafetensorsWriter::Header> header = writer.header(writer.sorted());
  if (!header)
    return Error{fmt::format("{}: {}", path, header.error().message)};
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file)
    return std::move(file).error();
  SafetensorsOutput output(*std::move(file), std::move(writer),
                           *std::move(header));
  const bool hasPlaces = output.file.hasPlaces();
  output.size = output.header.text.size();
  for (const SafetensorsWriter::Entry *tensor : output.writer.sorted()) {
    if (tensor->isLater) {
      Later &later = output.later[tensor->name];
      later.begin = output.size;
      if (!hasPlaces)
        later.kept.resize(tensor->later / sizeof(double));
    }
    output.size += tensor->bytes();
  }
  if (!hasPlaces)
    return output;
  uint64_t place = output.header.text.size();
  if (Status s = output.writeAt(0, output.header.text); !s)
    return std::move(s).error();
  for (const SafetensorsWriter::Entry *tensor : output.writer.sorted()) {
    if (!tensor->isLater)
      if (Status s = output.writeAt(place, viewOf(tensor->data)); !s)
        return std::move(s).error();
    place += tensor->bytes();
  }
  // They are in the file.
  output.writer = {};
  output.header.text = {};
  return output;
}

Status SafetensorsOutput::write(std::string_view tensor, size_t first,
                                std::span<const double> numbers) {
  Later &to = later.find(tensor)->second;
  if (!file.hasPlaces()) {
    std::copy(numbers.begin(), numbers.end(),
              to.kept.begin() + ptrdiff_t(first));
    return {};
  }
  const uint64_t place = to.begin + first * sizeof(double);
  if (numbers.size_bytes() >= kWaitingBytes)
    return writeAt(place, viewOf(std::as_bytes(numbers)));
  pieces.push_back({place, waiting.size(), numbers.size()});
  waiting.insert(waiting.end(), numbers.begin(), numbers.end());
  return waiting.size() * sizeof(double) < kWaitingBytes ? Status()
                                                         : writeWaiting();
}

/// Writes a part of the file, which is not written again.
Status SafetensorsOutput::writeAt(uint64_t place, std::string_view bytes) {
  crc ^= shiftCrc32(crc32(bytes), size - place - bytes.size());
  return file.writeAt(place, bytes);
}

/// Writes what waits, neighbours together.
Status SafetensorsOutput::writeWaiting() {
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece &a, const Piece &b) { return a.place < b.place; });
  std::vector<double> sorted;
  sorted.reserve(waiting.size());
  for (auto piece = pieces.begin(); piece != pieces.end();) {
    const uint64_t place = piece->place;
    const size_t before = sorted.size();
    for (uint64_t end = place; piece != pieces.end() && piece->place == end;
         ++piece) {
      const auto from = waiting.begin() + ptrdiff_t(piece->first);
      sorted.insert(sorted.end(), from, from + ptrdiff_t(piece->count));
      end += piece->count * sizeof(double);
    }
    if (Status s = writeAt(
            place, viewOf(std::as_bytes(std::span(sorted).subspan(before))));
        !s)
      return s;
  }
  pieces.clear();
  waiting.clear();
  return {};
}

Status SafetensorsOutput::commit() {
  if (file.hasPlaces()) {
    if (Status s = writeWaiting(); !s)
      return s;
    const ChecksumText checksum = textOf(crc);
    if (Status s = file.writeAt(header.checksum, checksum.view()); !s)
      return s;
    return file.commit();
  }
  auto contents = [&](const SafetensorsWriter::Entry *tensor) {
    return tensor->isLater
               ? viewOf(std::as_bytes(std::span(later[tensor->name].kept)))
               : viewOf(tensor->data);
  };
  const std::vector<const SafetensorsWriter::Entry *> order = writer.sorted();
  uint32_t crc = crc32(header.text);
  for (const SafetensorsWriter::Entry *tensor : order)
    crc = crc32(contents(tensor), crc);
  header.setChecksum(crc);
  if (Status s = file.write(header.text); !s)
    return s;
  for (const SafetensorsWriter::Entry *tensor : order)
    if (Status s = file.write(contents(tensor)); !s)
      return s;
  return file.commit();
}
