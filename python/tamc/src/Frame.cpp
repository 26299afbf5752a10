//===- Frame.cpp - Python's data as rows in memory ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Frame.h"

#include <algorithm>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace tamc::python {

tamrt_frame_type typeOf(const std::string &column, nb::dlpack::dtype type) {
  using Code = nb::dlpack::dtype_code;
  const auto code = Code(type.code);
  if (type.lanes == 1) {
    if (code == Code::Float && type.bits == 64)
      return TAMRT_FRAME_F64;
    if (code == Code::Float && type.bits == 32)
      return TAMRT_FRAME_F32;
    if (code == Code::Bool && type.bits == 8)
      return TAMRT_FRAME_BOOL;
    if (code == Code::Int || code == Code::UInt) {
      const bool isSigned = code == Code::Int;
      switch (type.bits) {
      case 64:
        return isSigned ? TAMRT_FRAME_I64 : TAMRT_FRAME_U64;
      case 32:
        return isSigned ? TAMRT_FRAME_I32 : TAMRT_FRAME_U32;
      case 16:
        return isSigned ? TAMRT_FRAME_I16 : TAMRT_FRAME_U16;
      case 8:
        return isSigned ? TAMRT_FRAME_I8 : TAMRT_FRAME_U8;
      default:
        break;
      }
    }
  }
  throw nb::type_error(("column '" + column +
                        "': expected float64, float32, integers or booleans, "
                        "got an array of another type")
                           .c_str());
}

void Frame::add(const std::string &column, tamrt_frame_column added,
                int64_t rows) {
  names.push_back(column);
  columns.push_back(added);
  lengths.push_back(rows);
}

void Frame::addNumbers(const std::string &column, Array values,
                       std::optional<Array> valid) {
  tamrt_frame_column added = {};
  added.type = typeOf(column, values.dtype());
  added.values = values.data();
  if (valid) {
    if (typeOf(column, valid->dtype()) != TAMRT_FRAME_U8 ||
        valid->shape(0) < (values.shape(0) + 7) / 8)
      throw nb::type_error("expected a bit for each number in bytes");
    added.valid = static_cast<const uint8_t *>(valid->data());
    arrays.push_back(*std::move(valid));
  }
  add(column, added, int64_t(values.shape(0)));
  arrays.push_back(std::move(values));
}

void Frame::addTimes(const std::string &column, Array values, int64_t ticks,
                     bool isZoned) {
  if (typeOf(column, values.dtype()) != TAMRT_FRAME_I64)
    throw nb::type_error("expected ticks as int64");
  tamrt_frame_column added = {};
  added.type = TAMRT_FRAME_TIME;
  added.is_zoned = isZoned;
  added.ticks = ticks;
  added.values = values.data();
  add(column, added, int64_t(values.shape(0)));
  arrays.push_back(std::move(values));
}

Frame::Texts &Frame::makeTexts(const std::string &column, nb::sequence values) {
  Texts &made = texts.emplace_back();
  const size_t count = nb::len(values);
  // A column of texts may have missing values, but no numbers.
  std::optional<bool> areTexts;
  made.ends.reserve(count + 1);
  made.valid.assign((count + 7) / 8, 0);
  for (size_t row = 0; row < count; ++row) {
    nb::object value = values[row];
    // A number that is not equal to itself is a missing value.
    const bool isMissing =
        value.is_none() || (nb::isinstance<nb::float_>(value) &&
                            nb::cast<double>(value) != nb::cast<double>(value));
    if (!isMissing) {
      const bool isText = nb::isinstance<nb::str>(value);
      const bool isNumber =
          PyIndex_Check(value.ptr()) || nb::isinstance<nb::float_>(value);
      const bool isDate = nb::hasattr(value, "isoformat");
      auto fail = [&](const char *expected) {
        throw nb::type_error(
            ("column '" + column + "': row " + std::to_string(row) +
             ": expected " + expected + ", got '" +
             nb::cast<std::string>(value.type().attr("__name__")) + "'")
                .c_str());
      };
      if (!isText && !isNumber && !isDate)
        fail("text, a number, a date or None");
      if (areTexts.value_or(isText) != isText)
        fail(*areTexts ? "text as in the rows before"
                       : "no text as in the rows before");
      areTexts = isText;
      if (!isText)
        value = nb::str(value);
      Py_ssize_t size;
      const char *text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
      if (!text)
        throw nb::python_error();
      made.bytes.append(text, size_t(size));
      made.valid[row / 8] |= uint8_t(1 << (row % 8));
    }
    made.ends.push_back(int64_t(made.bytes.size()));
  }
  made.column.type = TAMRT_FRAME_TEXT64;
  made.column.values = made.ends.data();
  made.column.text = made.bytes.data();
  made.column.valid = made.valid.data();
  return made;
}

void Frame::addTexts(const std::string &column, nb::sequence values) {
  const Texts &made = makeTexts(column, values);
  add(column, made.column, int64_t(made.ends.size()) - 1);
}

void Frame::addCategories(const std::string &column, Array indices,
                          nb::sequence categories) {
  const Texts &made = makeTexts(column, categories);
  const auto count = int64_t(made.ends.size()) - 1;
  tamrt_frame_column added = {};
  added.type = typeOf(column, indices.dtype());
  added.values = indices.data();
  added.dictionary = &made.column;
  auto check = [&](const auto *values) {
    for (size_t row = 0; row < indices.shape(0); ++row)
      if (int64_t(values[row]) >= count)
        throw nb::value_error(("column '" + column + "': row " +
                               std::to_string(row) +
                               ": expected the index of a category")
                                  .c_str());
  };
  switch (added.type) {
  case TAMRT_FRAME_I8:
    check(static_cast<const int8_t *>(added.values));
    break;
  case TAMRT_FRAME_I16:
    check(static_cast<const int16_t *>(added.values));
    break;
  case TAMRT_FRAME_I32:
    check(static_cast<const int32_t *>(added.values));
    break;
  case TAMRT_FRAME_I64:
    check(static_cast<const int64_t *>(added.values));
    break;
  default:
    throw nb::type_error(
        ("column '" + column + "': expected signed integers as indices")
            .c_str());
  }
  add(column, added, int64_t(indices.shape(0)));
  arrays.push_back(std::move(indices));
}

void Frame::addUnread(const std::string &column) { add(column, {}, -1); }

void Frame::addArrow(nb::capsule stream, const std::set<std::string> &wanted) {
  arrow = std::make_unique<ArrowRows>(std::move(stream), wanted);
  int64_t rows = 0;
  for (const ArrowRows::Batch &batch : arrow->batches)
    rows += batch.rows;
  for (size_t i = 0; i < arrow->names.size(); ++i)
    add(arrow->names[i], {}, arrow->isRead[i] ? rows : -1);
}

const tamrt_frame *Frame::get() {
  int64_t rows = -1;
  size_t first = 0;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (lengths[i] < 0)
      continue;
    if (rows < 0) {
      rows = lengths[i];
      first = i;
    }
    if (lengths[i] != rows)
      throw nb::value_error(
          (name + ": expected columns of one length, got " +
           std::to_string(rows) + " rows of '" + names[first] + "' and " +
           std::to_string(lengths[i]) + " of '" + names[i] + "'")
              .c_str());
  }
  pointers.clear();
  for (const std::string &each : names)
    pointers.push_back(each.c_str());
  columnsOfBatches.clear();
  batches.clear();
  if (!arrow) {
    batches.push_back({std::max<int64_t>(rows, 0), columns.data()});
  } else {
    int64_t start = 0;
    for (const ArrowRows::Batch &batch : arrow->batches) {
      // Arrow's columns are the first ones; the others go over all batches.
      std::vector<tamrt_frame_column> &all =
          columnsOfBatches.emplace_back(columns);
      std::copy(batch.columns.begin(), batch.columns.end(), all.begin());
      for (size_t i = batch.columns.size(); i < all.size(); ++i)
        all[i].first += start;
      start += batch.rows;
    }
    for (size_t i = 0; i < arrow->batches.size(); ++i)
      batches.push_back({arrow->batches[i].rows, columnsOfBatches[i].data()});
  }
  frame = {name.c_str(), int64_t(columns.size()), pointers.data(),
           int64_t(batches.size()), batches.data()};
  return &frame;
}

} // namespace tamc::python
