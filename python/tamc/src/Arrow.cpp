//===- Arrow.cpp - rows of Arrow's C stream interface ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrow.h"

#include <cstring>
#include <string_view>
#include <utility>

namespace nb = nanobind;

namespace tamc::python {
namespace {

/// The types whose buffers the runtime reads as they are.
const std::pair<std::string_view, tamrt_frame_type> plainTypes[] = {
    {"g", TAMRT_FRAME_F64},    {"f", TAMRT_FRAME_F32},
    {"l", TAMRT_FRAME_I64},    {"i", TAMRT_FRAME_I32},
    {"s", TAMRT_FRAME_I16},    {"c", TAMRT_FRAME_I8},
    {"L", TAMRT_FRAME_U64},    {"I", TAMRT_FRAME_U32},
    {"S", TAMRT_FRAME_U16},    {"C", TAMRT_FRAME_U8},
    {"b", TAMRT_FRAME_BITS},   {"u", TAMRT_FRAME_TEXT32},
    {"U", TAMRT_FRAME_TEXT64}, {"tdD", TAMRT_FRAME_DAYS}};

/// An element of an array of views: 12 bytes of the text itself if it is not
/// longer, else its place in one of the array's buffers.
struct View {
  int32_t size;
  union {
    char text[12];
    struct {
      char prefix[4];
      int32_t buffer, offset;
    } place;
  };
};

bool isValid(const ArrowArray &array, int64_t index) {
  const auto *bits = static_cast<const uint8_t *>(array.buffers[0]);
  return !bits || (bits[index / 8] >> (index % 8) & 1);
}

} // namespace

ArrowRows::ArrowRows(nb::capsule capsule, const std::set<std::string> &wanted) {
  if (std::string_view(capsule.name()) != "arrow_array_stream")
    throw nb::type_error("expected a capsule 'arrow_array_stream'");
  auto *given = static_cast<ArrowArrayStream *>(capsule.data());
  if (!given->release)
    throw nb::value_error("expected a stream that was not read before");
  stream = *given;
  given->release = nullptr;
  try {
    auto check = [&](int code) {
      if (code == 0)
        return;
      const char *why = stream.get_last_error(&stream);
      throw nb::value_error((std::string("cannot read the Arrow stream: ") +
                             (why ? why : std::strerror(code)))
                                .c_str());
    };
    check(stream.get_schema(&stream, &schema));
    if (std::string_view(schema.format) != "+s")
      throw nb::type_error("expected a stream of record batches");
    for (int64_t i = 0; i < schema.n_children; ++i) {
      names.emplace_back(schema.children[i]->name ? schema.children[i]->name
                                                  : "");
      isRead.push_back(wanted.count(names.back()) > 0);
    }
    while (true) {
      ArrowArray next = {};
      check(stream.get_next(&stream, &next));
      if (!next.release)
        break;
      const ArrowArray &array = arrays.emplace_back(next);
      Batch &batch = batches.emplace_back();
      batch.rows = array.length;
      batch.columns.resize(names.size());
      for (size_t i = 0; i < names.size(); ++i)
        if (isRead[i]) {
          batch.columns[i] = convert(*schema.children[i], *array.children[i],
                                     array.length + array.offset, names[i]);
          batch.columns[i].first += array.offset;
        }
    }
  } catch (...) {
    release();
    throw;
  }
}

ArrowRows::~ArrowRows() { release(); }

void ArrowRows::release() {
  for (ArrowArray &array : arrays)
    if (array.release)
      array.release(&array);
  arrays.clear();
  if (schema.release)
    schema.release(&schema);
  if (stream.release)
    stream.release(&stream);
  schema.release = nullptr;
  stream.release = nullptr;
}

tamrt_frame_column ArrowRows::convert(const ArrowSchema &schema,
                                      const ArrowArray &array, int64_t rows,
                                      const std::string &name) {
  const std::string_view format = schema.format;
  tamrt_frame_column column = {};
  column.first = array.offset;
  column.valid = array.null_count == 0 || array.n_buffers == 0
                     ? nullptr
                     : static_cast<const uint8_t *>(array.buffers[0]);
  for (const auto &[code, type] : plainTypes)
    if (format == code) {
      column.type = type;
      column.values = array.buffers[1];
      if (type == TAMRT_FRAME_TEXT32 || type == TAMRT_FRAME_TEXT64)
        column.text = static_cast<const char *>(array.buffers[2]);
      if (schema.dictionary) {
        dictionaries.push_back(convert(*schema.dictionary, *array.dictionary,
                                       array.dictionary->length, name));
        column.dictionary = &dictionaries.back();
      }
      return column;
    }
  if (format == "tdm" || (format.size() > 3 && format.substr(0, 2) == "ts")) {
    const char unit = format[2];
    column.type = TAMRT_FRAME_TIME;
    column.values = array.buffers[1];
    column.ticks = unit == 's'   ? 1
                   : unit == 'm' ? 1000
                   : unit == 'u' ? 1000000
                                 : 1000000000;
    column.is_zoned = format != "tdm" && format.size() > 4;
    return column;
  }
  if (format == "vu") {
    Texts &made = texts.emplace_back();
    made.ends = {0};
    const auto *views = static_cast<const View *>(array.buffers[1]);
    for (int64_t row = 0; row < rows; ++row) {
      const View &view = views[array.offset + row];
      if (isValid(array, array.offset + row))
        made.bytes.append(view.size <= 12
                              ? view.text
                              : static_cast<const char *>(
                                    array.buffers[2 + view.place.buffer]) +
                                    view.place.offset,
                          size_t(view.size));
      made.ends.push_back(int64_t(made.bytes.size()));
    }
    // A missing text is empty.
    column.valid = nullptr;
    column.first = 0;
    column.type = TAMRT_FRAME_TEXT64;
    column.values = made.ends.data();
    column.text = made.bytes.data();
    return column;
  }
  if (format == "n") {
    Texts &made = texts.emplace_back();
    made.ends.assign(size_t(rows) + 1, 0);
    column.valid = nullptr;
    column.first = 0;
    column.type = TAMRT_FRAME_TEXT64;
    column.values = made.ends.data();
    column.text = made.bytes.data();
    return column;
  }
  throw nb::type_error(("column '" + name +
                        "': expected numbers, texts, categories or dates, got "
                        "the Arrow format '" +
                        std::string(format) + "'")
                           .c_str());
}

} // namespace tamc::python
