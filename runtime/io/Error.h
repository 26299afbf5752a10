//===- io/Error.h - results that may be errors ------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Errors of the runtime: a function that can fail returns a `Result<T>` (or a
/// `Status` if there is no value) and never throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_ERROR_H
#define TAMRT_IO_ERROR_H

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace tamrt {

/// An error for a user. The message is one line without a full stop, in lower
/// case except for names, and has the location: "data.csv: line 7: expected 3
/// fields, got 2".
struct Error {
  std::string message;
};

/// A value or an `Error`. Reading the value of an error, or the error of a
/// value, is a bug and asserts.
template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : content(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : content(std::in_place_index<1>, std::move(error)) {}

  /// True when there is a value.
  bool ok() const { return content.index() == 0; }
  explicit operator bool() const { return ok(); }

  T &operator*() & {
    assert(ok());
    return *std::get_if<0>(&content);
  }
  const T &operator*() const & {
    assert(ok());
    return *std::get_if<0>(&content);
  }
  T &&operator*() && {
    assert(ok());
    return std::move(*std::get_if<0>(&content));
  }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }

  /// The error; pass it on with `return std::move(result).error();`.
  const Error &error() const & {
    assert(!ok());
    return *std::get_if<1>(&content);
  }
  Error &&error() && {
    assert(!ok());
    return std::move(*std::get_if<1>(&content));
  }

private:
  std::variant<T, Error> content;
};

/// Success, or an `Error`. `return {};` is success.
template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : failed(true), content(std::move(error)) {}

  bool ok() const { return !failed; }
  explicit operator bool() const { return ok(); }
  const Error &error() const & {
    assert(failed);
    return content;
  }
  Error &&error() && {
    assert(failed);
    return std::move(content);
  }

private:
  bool failed = false;
  Error content;
};

using Status = Result<void>;

} // namespace tamrt

#endif // TAMRT_IO_ERROR_H
