//===- LoopWriter.cpp - emits the code of loops over rows -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopWriter.h"

#include "tamc/Dialect/TamK/IR/Kernels.h"
#include "tamc/Dialect/TamK/IR/TamK.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tamc;

LoopWriter::LoopWriter(OpBuilder &builder, Location loc)
    : b(builder), loc(loc), f64(builder.getF64Type()),
      i32(builder.getI32Type()), index(builder.getIndexType()) {}

/// The function at whose code the builder is.
static func::FuncOp functionAt(OpBuilder &b) {
  Operation *parent = b.getInsertionBlock()->getParentOp();
  auto function = dyn_cast<func::FuncOp>(parent);
  return function ? function : parent->getParentOfType<func::FuncOp>();
}

Value LoopWriter::constant(int64_t value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&functionAt(b).getBody().front());
    known = arith::ConstantIndexOp::create(b, loc, value);
  }
  return known;
}

Value LoopWriter::each(double value, int64_t lanes) {
  if (lanes == 1)
    return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(vector(lanes), value));
}

Value LoopWriter::each(Value value, int64_t lanes) {
  if (lanes == 1)
    return value;
  if (Value known = vectors.lookup(value))
    return load(vector(lanes), Element(known), lanes);
  return splat(value, lanes);
}

void LoopWriter::spread(Value value, int64_t lanes) {
  Value buffer = scratch(lanes, f64, kLineBytes);
  store(splat(value, lanes), Element(buffer), lanes);
  vectors[value] = buffer;
}

Value LoopWriter::rotate(Value x, int64_t size, int64_t by) {
  SmallVector<int64_t> from;
  for (int64_t i = 0; i < size; ++i)
    from.push_back((i + by) % size);
  return by == 0 ? x : shuffle(x, x, from);
}

/// Alignment of words of so many elements of a buffer.
static llvm::MaybeAlign alignmentOf(Element element, int64_t numbers) {
  auto type = cast<MemRefType>(element.buffer.getType());
  int64_t bytes = numbers * type.getElementTypeBitWidth() / 8;
  return llvm::MaybeAlign(std::min<int64_t>(bytes, TAMRT_ALIGNMENT));
}

Value LoopWriter::indexOf(Element element) {
  if (element.index && element.constant == 0)
    return element.index;
  Value last = constant(element.constant);
  return element.index ? add(element.index, last) : last;
}

Value LoopWriter::load(Type type, Element from, int64_t numbers) {
  Value index = indexOf(from);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector::LoadOp::create(b, loc, vector, from.buffer, index,
                                  /*nontemporal=*/false,
                                  alignmentOf(from, numbers));
  return memref::LoadOp::create(b, loc, from.buffer, index);
}

void LoopWriter::store(Value value, Element to, int64_t numbers) {
  Value index = indexOf(to);
  if (isa<VectorType>(value.getType()))
    vector::StoreOp::create(b, loc, value, to.buffer, index,
                            /*nontemporal=*/false, alignmentOf(to, numbers));
  else
    memref::StoreOp::create(b, loc, value, to.buffer, index);
}

Value LoopWriter::buffer(Element from, Value count) {
  if (!from.index && from.constant == 0)
    return from.buffer;
  auto type = cast<MemRefType>(from.buffer.getType());
  return memref::SubViewOp::create(b, loc, openType(type.getElementType()),
                                   from.buffer, {OpFoldResult(indexOf(from))},
                                   {OpFoldResult(count)},
                                   {OpFoldResult(b.getIndexAttr(1))});
}

Value LoopWriter::scratch(int64_t elements, Type type, int64_t align) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&functionAt(b).getBody().front());
  return memref::AllocaOp::create(b, loc, MemRefType::get({elements}, type),
                                  align ? b.getI64IntegerAttr(align)
                                        : IntegerAttr());
}

Value LoopWriter::launder(Value buffer) {
  return tamk::LaunderOp::create(b, loc, buffer.getType(), buffer);
}

MemRefType LoopWriter::openType(Type element) {
  return MemRefType::get(
      {ShapedType::kDynamic}, element,
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {1}));
}

Value LoopWriter::open(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  MemRefType open = openType(type.getElementType());
  return type == open ? buffer
                      : Value(memref::CastOp::create(b, loc, open, buffer));
}

SmallVector<Value>
LoopWriter::loop(Value first, Value end, int64_t step, ValueRange start,
                 function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(b, loc, first, end, constant(step), start);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> carried =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!start.empty())
    scf::YieldOp::create(b, loc, carried);
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> LoopWriter::choose(Value condition, TypeRange types,
                                      Branch then, Branch otherwise,
                                      int32_t rarity) {
  auto choice = scf::IfOp::create(b, loc, types, condition,
                                  /*withElseRegion=*/otherwise != nullptr);
  if (rarity > 0)
    choice->setAttr(tamk::kRarityAttrName, b.getI32IntegerAttr(rarity));
  OpBuilder::InsertionGuard guard(b);
  auto fill = [&](Region &region, Branch branch) {
    b.setInsertionPointToStart(&region.front());
    SmallVector<Value> results = branch();
    if (!types.empty())
      scf::YieldOp::create(b, loc, results);
  };
  fill(choice.getThenRegion(), then);
  if (otherwise)
    fill(choice.getElseRegion(), otherwise);
  return SmallVector<Value>(choice.getResults());
}

void LoopWriter::onlyIf(Value condition, function_ref<void()> body) {
  choose(
      condition, {}, [&] { return body(), SmallVector<Value>(); }, nullptr);
}

void LoopWriter::call(StringRef kernel, ArrayRef<Value> operands) {
  const tamk::Kernel *declared = tamk::lookupKernel(kernel);
  assert(declared && "expected a kernel of kernels.def");
  ArrayRef<Value> inputs = operands.take_front(declared->inputs().size());
  operands = operands.drop_front(inputs.size());
  ArrayRef<Value> scalars = operands.take_front(declared->scalars().size());
  ArrayRef<Value> outputs = operands.drop_front(scalars.size());
  tamk::LaunchOp::create(b, loc, TypeRange(), b.getStringAttr(kernel), inputs,
                         scalars, outputs, DenseI32ArrayAttr(), StringAttr(),
                         UnitAttr());
}

func::FuncOp LoopWriter::startFunction(StringRef name,
                                       ArrayRef<Type> arguments) {
  auto function =
      func::FuncOp::create(b, loc, name, b.getFunctionType(arguments, {}));
  function.setPrivate();
  constants.clear();
  vectors.clear();
  b.setInsertionPointToEnd(function.addEntryBlock());
  return function;
}

void LoopWriter::setNoAlias(func::FuncOp function, unsigned argument) {
  function.setArgAttr(argument, tamk::kNoAliasAttrName, b.getUnitAttr());
}
