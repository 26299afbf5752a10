//===- core/FunctionRef.h - references to functions -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A reference to a callable, for code that may not allocate.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_FUNCTIONREF_H
#define TAMRT_CORE_FUNCTIONREF_H

#include <memory>
#include <type_traits>
#include <utility>

namespace tamrt {

template <class Signature> class FunctionRef;

/// A reference to a callable, which must outlive it.
template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
public:
  template <class Callable,
            class = std::enable_if_t<!std::is_same_v<Callable, FunctionRef>>>
  FunctionRef(const Callable &callable)
      : callable(std::addressof(callable)),
        call([](const void *callable, Arguments... arguments) -> Result {
          return (*static_cast<const Callable *>(callable))(
              std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const {
    return call(callable, std::forward<Arguments>(arguments)...);
  }

private:
  const void *callable;
  Result (*call)(const void *callable, Arguments... arguments);
};

} // namespace tamrt

#endif // TAMRT_CORE_FUNCTIONREF_H
