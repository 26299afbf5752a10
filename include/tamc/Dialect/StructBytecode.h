//===- StructBytecode.h - bytecode of attributes that are structs -*- C++ -*-=//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_STRUCTBYTECODE_H
#define TAMC_DIALECT_STRUCTBYTECODE_H

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>
#include <tuple>
#include <type_traits>

namespace tamc {

namespace bytecode {

/// What a parameter is read into.
template <typename T> struct Stored { using Type = T; };
template <typename T> struct Stored<llvm::ArrayRef<T>> {
  using Type = llvm::SmallVector<T>;
};

template <typename T>
void write(mlir::DialectBytecodeWriter &writer, const T &value) {
  if constexpr (std::is_enum_v<T>)
    writer.writeVarInt(static_cast<uint64_t>(value));
  else if constexpr (std::is_integral_v<T>)
    writer.writeSignedVarInt(static_cast<int64_t>(value));
  else if constexpr (std::is_same_v<T, double>)
    writer.writeAPFloatWithKnownSemantics(llvm::APFloat(value));
  else if constexpr (std::is_same_v<T, llvm::StringRef>)
    writer.writeOwnedString(value);
  else if constexpr (std::is_base_of_v<mlir::Type, T>)
    writer.writeType(value);
  else
    writer.writeOptionalAttribute(value);
}

template <typename T>
void write(mlir::DialectBytecodeWriter &writer,
           const std::optional<T> &optional) {
  writer.writeVarInt(optional.has_value());
  if (optional)
    write(writer, *optional);
}

template <typename T>
void write(mlir::DialectBytecodeWriter &writer, const llvm::ArrayRef<T> &list) {
  writer.writeVarInt(list.size());
  for (const T &element : list)
    write(writer, element);
}

template <typename T>
llvm::LogicalResult read(mlir::DialectBytecodeReader &reader, T &value) {
  if constexpr (std::is_enum_v<T>) {
    uint64_t number;
    if (failed(reader.readVarInt(number)))
      return mlir::failure();
    std::optional<T> known;
    if (number <= std::numeric_limits<uint32_t>::max())
      known = symbolize(std::type_identity<T>(), static_cast<uint32_t>(number));
    if (!known)
      return reader.emitError()
             << "expected the number of a keyword, got " << number;
    value = *known;
    return mlir::success();
  } else if constexpr (std::is_integral_v<T>) {
    int64_t number;
    if (failed(reader.readSignedVarInt(number)))
      return mlir::failure();
    value = static_cast<T>(number);
    if (static_cast<int64_t>(value) != number)
      return reader.emitError() << "expected a number of " << 8 * sizeof(T)
                                << " bits, got " << number;
    return mlir::success();
  } else if constexpr (std::is_same_v<T, double>) {
    auto number =
        reader.readAPFloatWithKnownSemantics(llvm::APFloat::IEEEdouble());
    if (failed(number))
      return mlir::failure();
    value = number->convertToDouble();
    return mlir::success();
  } else if constexpr (std::is_same_v<T, llvm::StringRef>) {
    return reader.readString(value);
  } else if constexpr (std::is_base_of_v<mlir::Type, T>) {
    return reader.readType(value);
  } else {
    return reader.readOptionalAttribute(value);
  }
}

template <typename T>
llvm::LogicalResult read(mlir::DialectBytecodeReader &reader,
                         std::optional<T> &optional) {
  uint64_t isThere;
  if (failed(reader.readVarInt(isThere)))
    return mlir::failure();
  if (!isThere)
    return mlir::success();
  return read(reader, optional.emplace());
}

template <typename T>
llvm::LogicalResult read(mlir::DialectBytecodeReader &reader,
                         llvm::SmallVector<T> &list) {
  uint64_t size;
  if (failed(reader.readVarInt(size)))
    return mlir::failure();
  // A wrong size ends with the bytes, not with the memory.
  for (; size > 0; --size)
    if (failed(read(reader, list.emplace_back())))
      return mlir::failure();
  for (const T &element : list)
    if constexpr (std::is_base_of_v<mlir::Attribute, T>)
      if (!element)
        return reader.emitError() << "expected an attribute";
  return mlir::success();
}

} // namespace bytecode

/// An attribute with the parameters that these methods return, in the order of
/// its `get`.
template <typename Attr, auto... kGetters> struct AttributeStruct {
  using Attribute = Attr;

  static void write(Attr attribute, mlir::DialectBytecodeWriter &writer) {
    (bytecode::write(writer, (attribute.*kGetters)()), ...);
  }

  /// Null after an error.
  static Attr read(mlir::DialectBytecodeReader &reader) {
    std::tuple<typename bytecode::Stored<
        std::invoke_result_t<decltype(kGetters), Attr>>::Type...>
        values;
    auto readAll = [&](auto &...value) {
      return (succeeded(bytecode::read(reader, value)) && ...);
    };
    if (!std::apply(readAll, values))
      return {};
    auto emitError = [&] { return reader.emitError(); };
    auto make = [&](const auto &...value) -> Attr {
      if constexpr (requires { Attr::verify(emitError, value...); })
        if (failed(Attr::verify(emitError, value...)))
          return {};
      return Attr::get(reader.getContext(), value...);
    };
    return std::apply(make, values);
  }
};

/// The bytecode of a dialect whose attributes of the kinds `Structs`
/// (AttributeStruct) have an encoding: the kind's place in the list, and the
/// parameters. Other attributes are text.
template <typename... Structs>
class StructBytecode : public mlir::BytecodeDialectInterface {
public:
  explicit StructBytecode(mlir::Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  mlir::LogicalResult
  writeAttribute(mlir::Attribute attribute,
                 mlir::DialectBytecodeWriter &writer) const override {
    uint64_t code = 0;
    auto tryKind = [&]<typename Struct>(std::type_identity<Struct>) {
      auto own = mlir::dyn_cast<typename Struct::Attribute>(attribute);
      if (!own) {
        ++code;
        return false;
      }
      writer.writeVarInt(code);
      Struct::write(own, writer);
      return true;
    };
    return mlir::success((tryKind(std::type_identity<Structs>()) || ...));
  }

  mlir::Attribute
  readAttribute(mlir::DialectBytecodeReader &reader) const override {
    uint64_t code;
    if (failed(reader.readVarInt(code)))
      return {};
    if (code >= sizeof...(Structs)) {
      reader.emitError() << "expected the number of a kind of attributes, got "
                         << code;
      return {};
    }
    mlir::Attribute attribute;
    auto tryKind = [&]<typename Struct>(std::type_identity<Struct>) {
      if (code-- > 0)
        return false;
      attribute = Struct::read(reader);
      return true;
    };
    (void)(tryKind(std::type_identity<Structs>()) || ...);
    return attribute;
  }
};

} // namespace tamc

#endif // TAMC_DIALECT_STRUCTBYTECODE_H
