//===- Kernels.cpp - the kernel table ---------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Dialect/TamK/IR/Kernels.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <type_traits>

using namespace tamc::tamk;

template <typename T> static constexpr ElementType elementType() {
  if constexpr (std::is_same_v<T, double>)
    return ElementType::F64;
  else if constexpr (std::is_same_v<T, int32_t>)
    return ElementType::I32;
  else if constexpr (std::is_void_v<T>)
    return ElementType::Any;
  else {
    static_assert(std::is_same_v<T, int64_t>);
    return ElementType::I64;
  }
}

#define TAMRT_IN(type, name)                                                   \
  { ParameterKind::In, elementType<type>(), #name }
#define TAMRT_IN_OPTIONAL(type, name)                                          \
  { ParameterKind::InOptional, elementType<type>(), #name }
#define TAMRT_IN_LIST(type, name)                                              \
  { ParameterKind::InList, elementType<type>(), #name }
#define TAMRT_SCALAR(type, name)                                               \
  { ParameterKind::Scalar, elementType<type>(), #name }
#define TAMRT_OUT(type, name)                                                  \
  { ParameterKind::Out, elementType<type>(), #name }
#define TAMRT_INOUT(type, name)                                                \
  { ParameterKind::InOut, elementType<type>(), #name }

#define TAMRT_KERNEL(name, ...)                                                \
  static const KernelParameter parametersOf_##name[] = {__VA_ARGS__};
#include "tamrt/kernels.def"

enum KernelPosition : int64_t {
#define TAMRT_KERNEL(name, ...) positionOf_##name,
#include "tamrt/kernels.def"
};

static const Kernel kernels[] = {
#define TAMRT_KERNEL(name, ...)                                                \
  {#name, parametersOf_##name, positionOf_##name, false},
#define TAMRT_CPU_KERNEL(name, ...)                                            \
  {#name, parametersOf_##name, positionOf_##name, true},
#include "tamrt/kernels.def"
};

/// The parameters whose kind is in [first, last]; they are neighbours.
static llvm::ArrayRef<KernelParameter>
slice(llvm::ArrayRef<KernelParameter> parameters, ParameterKind first,
      ParameterKind last) {
  auto begin = llvm::find_if(
      parameters, [&](const KernelParameter &p) { return p.kind >= first; });
  auto end = std::find_if(begin, parameters.end(),
                          [&](const auto &p) { return p.kind > last; });
  return {begin, end};
}

llvm::ArrayRef<KernelParameter> Kernel::inputs() const {
  return slice(parameters, ParameterKind::In, ParameterKind::InList);
}

llvm::ArrayRef<KernelParameter> Kernel::scalars() const {
  return slice(parameters, ParameterKind::Scalar, ParameterKind::Scalar);
}

llvm::ArrayRef<KernelParameter> Kernel::outputs() const {
  return slice(parameters, ParameterKind::Out, ParameterKind::InOut);
}

const Kernel *tamc::tamk::lookupKernel(llvm::StringRef name) {
  static const auto byName = [] {
    llvm::StringMap<const Kernel *> map;
    for (const Kernel &kernel : kernels)
      map[kernel.name] = &kernel;
    return map;
  }();
  return byName.lookup(name);
}
