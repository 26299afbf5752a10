//===- EntrySizes.cpp - sizes known when a function is entered --*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntrySizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;
using namespace tamc;
using namespace tamc::tamk;

/// Longest text of a size: each sum of a value with itself doubles the text.
static constexpr size_t kLongestText = 2000;

/// Most sums and products within each other in such a text: each has at least
/// two characters more than its operands.
static constexpr size_t kMostNested = kLongestText / 2;

/// Largest alignment of a number: that of 128 bits.
static constexpr int64_t kMaxNumberAlignment = 16;

/// The alignment of a number.
static int64_t alignmentOf(Type type) {
  if (type.isIndex())
    return 8; // 64 bits on every target tamc has
  int64_t bytes = llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  return std::min(int64_t(llvm::PowerOf2Ceil(uint64_t(bytes))),
                  kMaxNumberAlignment);
}

/// As elementBytes, of a type.
static std::optional<int64_t> strideOf(Type type) {
  if (type.isIndex())
    return 8;
  if (type.isIntOrFloat())
    return llvm::alignTo(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8),
                         alignmentOf(type));
  if (auto pair = dyn_cast<ComplexType>(type)) {
    std::optional<int64_t> part = strideOf(pair.getElementType());
    return part ? std::optional(2 * *part) : std::nullopt;
  }
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || vector.isScalable())
    return {};
  // An array of vectors of the last dimension, whose elements are packed.
  int64_t width = vector.getRank() > 0 ? vector.getShape().back() : 1;
  Type element = vector.getElementType();
  if (!element.isIntOrIndexOrFloat())
    return {};
  int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  std::optional<int64_t> all = llvm::checkedMul(width, bits);
  if (!all || *all > kMaxBytes || width == 0)
    return {};
  std::optional<int64_t> bytes =
      int64_t(llvm::PowerOf2Ceil(llvm::divideCeil(uint64_t(*all), 8)));
  for (int64_t size : vector.getShape().drop_back(vector.getRank() > 0))
    if (bytes)
      bytes = llvm::checkedMul(*bytes, size);
  return bytes;
}

std::optional<int64_t> tamc::tamk::elementBytes(MemRefType type) {
  return strideOf(type.getElementType());
}

int64_t tamc::tamk::elementAlignment(MemRefType type) {
  Type element = type.getElementType();
  if (auto pair = dyn_cast<ComplexType>(element))
    element = pair.getElementType();
  if (element.isIntOrIndexOrFloat())
    return alignmentOf(element);
  auto vector = dyn_cast<VectorType>(element);
  if (!vector)
    return 1;
  int64_t width = vector.getRank() > 0 ? vector.getShape().back() : 1;
  return strideOf(VectorType::get({width}, vector.getElementType()))
      .value_or(1);
}

namespace {

/// The source of a value that is known when its function is entered.
struct Source {
  enum class Kind { Unknown, Constant, Argument, Dimension, Add, Multiply };
  Kind kind = Kind::Unknown;
  /// The constant, or the dimension.
  int64_t number = 0;
  BlockArgument argument;
  Value left, right;
};

} // namespace

static BlockArgument asArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner()->isEntryBlock() &&
                 isa<FunctionOpInterface>(argument.getOwner()->getParentOp())
             ? argument
             : BlockArgument();
}

static Source sourceOf(Value value) {
  using Kind = Source::Kind;
  if (!value.getType().isIndex())
    return {};
  if (std::optional<int64_t> constant = getConstantIntValue(value)) {
    if (*constant < 0)
      return {};
    return {Kind::Constant, *constant, {}, {}, {}};
  }
  if (BlockArgument argument = asArgument(value))
    return {Kind::Argument, 0, argument, {}, {}};
  if (auto dim = value.getDefiningOp<memref::DimOp>()) {
    BlockArgument argument = asArgument(dim.getSource());
    std::optional<int64_t> position = dim.getConstantIndex();
    auto type = dyn_cast<MemRefType>(dim.getSource().getType());
    if (!argument || !type || !position || *position < 0 ||
        *position >= type.getRank())
      return {};
    if (!type.isDynamicDim(*position))
      return {Kind::Constant, type.getDimSize(*position), {}, {}, {}};
    return {Kind::Dimension, *position, argument, {}, {}};
  }
  if (auto add = value.getDefiningOp<arith::AddIOp>())
    return {Kind::Add, 0, {}, add.getLhs(), add.getRhs()};
  if (auto multiply = value.getDefiningOp<arith::MulIOp>())
    return {Kind::Multiply, 0, {}, multiply.getLhs(), multiply.getRhs()};
  return {};
}

/// The value as an expression, inside `nested` others; empty if it cannot be
/// one.
static std::string textOf(Value value, size_t nested = 0) {
  if (nested > kMostNested)
    return {};
  Source source = sourceOf(value);
  std::string argument =
      source.argument ? "arg" + std::to_string(source.argument.getArgNumber())
                      : "";
  switch (source.kind) {
  case Source::Kind::Unknown:
    return {};
  case Source::Kind::Constant:
    return std::to_string(source.number);
  case Source::Kind::Argument:
    return argument;
  case Source::Kind::Dimension:
    return argument + "_dim" + std::to_string(source.number);
  case Source::Kind::Add:
  case Source::Kind::Multiply: {
    std::string left = textOf(source.left, nested + 1);
    if (left.empty() || left.size() > kLongestText)
      return {};
    std::string right = textOf(source.right, nested + 1);
    if (right.empty() || left.size() + right.size() > kLongestText)
      return {};
    return source.kind == Source::Kind::Add ? "(" + left + " + " + right + ")"
                                            : left + "*" + right;
  }
  }
  llvm_unreachable("all kinds are listed");
}

std::string tamc::tamk::sizeText(memref::AllocOp alloc) {
  int64_t factor = *elementBytes(alloc.getType());
  for (int64_t size : alloc.getType().getShape())
    if (!ShapedType::isDynamic(size) &&
        __builtin_mul_overflow(factor, size, &factor))
      return {};
  std::string text = std::to_string(factor);
  for (Value size : alloc.getDynamicSizes()) {
    std::string more = textOf(size);
    if (more.empty())
      return {};
    text += "*" + more;
  }
  // The planner must be able to parse the text.
  auto parsed = planning::SizeExpression::parse(text);
  return text.size() <= kLongestText &&
                 std::holds_alternative<planning::SizeExpression>(parsed)
             ? text
             : std::string();
}

Value tamc::tamk::materialize(OpBuilder &builder, Location loc, Index index) {
  return index.value
             ? index.value
             : arith::ConstantIndexOp::create(builder, loc, index.constant)
                   .getResult();
}

namespace {

/// Arithmetic on indices, folded if both are constants.
class Emitter {
public:
  Emitter(OpBuilder &builder, Location loc, ValueRange arguments)
      : builder(builder), loc(loc), arguments(arguments) {}

  /// A value of the function, computed again from the arguments.
  Index emit(Value value);

  Index add(Index a, Index b) {
    if (isNumber(a, 0))
      return b;
    if (isNumber(b, 0))
      return a;
    return fold<arith::AddIOp>(a, b, a.constant + b.constant);
  }
  Index multiply(Index a, Index b) {
    if (isNumber(a, 1))
      return b;
    if (isNumber(b, 1))
      return a;
    return fold<arith::MulIOp>(
        a, b, int64_t(uint64_t(a.constant) * uint64_t(b.constant)));
  }
  Index most(Index a, Index b) {
    if (a.value && a.value == b.value)
      return a;
    return fold<arith::MaxSIOp>(a, b, std::max(a.constant, b.constant));
  }
  Index least(Index a, Index b) {
    return fold<arith::MinSIOp>(a, b, std::min(a.constant, b.constant));
  }
  Index alignUp(Index a, int64_t multiple) {
    if (multiple == 1)
      return a;
    if (!a.value)
      return {int64_t(llvm::alignTo(a.constant, multiple)), {}};
    Value raised = value(add(a, {multiple - 1, {}}));
    Value count =
        arith::DivUIOp::create(builder, loc, raised, value({multiple, {}}));
    return multiply({0, count}, {multiple, {}});
  }

private:
  static bool isNumber(Index index, int64_t number) {
    return !index.value && index.constant == number;
  }
  Value value(Index index) {
    if (index.value)
      return index.value;
    Value &constant = constants[index.constant];
    if (!constant)
      constant = materialize(builder, loc, index);
    return constant;
  }
  template <typename Op> Index fold(Index a, Index b, int64_t known) {
    if (!a.value && !b.value)
      return {known, {}};
    // In this order, so that the output does not depend on the C++ compiler.
    Value left = value(a);
    Value right = value(b);
    return {0, Op::create(builder, loc, left, right).getResult()};
  }

  OpBuilder &builder;
  Location loc;
  ValueRange arguments;
  DenseMap<Value, Index> done;
  std::map<int64_t, Value> constants;
  std::map<std::pair<unsigned, int64_t>, Value> dimensions;
};

} // namespace

Index Emitter::emit(Value original) {
  if (auto found = done.find(original); found != done.end())
    return found->second;
  Source source = sourceOf(original);
  Index result;
  switch (source.kind) {
  case Source::Kind::Unknown:
    llvm_unreachable("only sizes that have a text are emitted");
  case Source::Kind::Constant:
    result = {source.number, {}};
    break;
  case Source::Kind::Argument:
    result = {0, arguments[source.argument.getArgNumber()]};
    break;
  case Source::Kind::Dimension: {
    unsigned number = source.argument.getArgNumber();
    Value &dimension = dimensions[{number, source.number}];
    if (!dimension)
      dimension = memref::DimOp::create(builder, loc, arguments[number],
                                        value({source.number, {}}));
    result = {0, dimension};
    break;
  }
  case Source::Kind::Add: {
    Index left = emit(source.left);
    result = add(left, emit(source.right));
    break;
  }
  case Source::Kind::Multiply: {
    Index left = emit(source.left);
    result = multiply(left, emit(source.right));
    break;
  }
  }
  done[original] = result;
  return result;
}

Layout tamc::tamk::emitLayout(OpBuilder &builder, Location loc,
                              ValueRange arguments,
                              ArrayRef<memref::AllocOp> allocs,
                              const planning::Problem &problem,
                              const planning::SymbolicPlan &plan,
                              int64_t alignment) {
  Emitter emitter(builder, loc, arguments);
  SmallVector<Index> sizes(allocs.size());
  for (auto [index, alloc] : llvm::enumerate(allocs)) {
    const planning::Buffer &buffer = problem.buffers[index];
    if (buffer.expression < 0) {
      sizes[index] = {buffer.size, {}};
      continue;
    }
    memref::AllocOp op = alloc;
    Index bytes = {*elementBytes(op.getType()), {}};
    for (int64_t size : op.getType().getShape())
      if (!ShapedType::isDynamic(size))
        bytes.constant *= size;
    for (Value size : op.getDynamicSizes())
      bytes = emitter.multiply(bytes, emitter.emit(size));
    sizes[index] = emitter.least(emitter.most(bytes, {0, {}}), {kMaxBytes, {}});
  }

  Layout layout;
  layout.offsets.resize(allocs.size());
  layout.arenaBytes.resize(problem.spaces.size());
  SmallVector<bool> isCovered(allocs.size());
  // No buffer ends below 0.
  auto raise = [&](Index &to, Index end) {
    bool isZero = !to.value && to.constant == 0;
    to = isZero ? end : emitter.most(to, end);
  };
  for (int32_t top : plan.order) {
    Index &at = layout.offsets[top];
    for (int32_t other : plan.below[top]) {
      isCovered[other] = true;
      raise(at, emitter.add(layout.offsets[plan.first[other]], sizes[other]));
    }
    at = emitter.alignUp(at, plan.alignment[top]);
  }
  for (size_t i = 0; i < allocs.size(); ++i)
    layout.offsets[i] = layout.offsets[plan.first[i]];
  for (size_t i = 0; i < allocs.size(); ++i)
    if (!isCovered[i])
      raise(layout.arenaBytes[problem.buffers[i].space],
            emitter.add(layout.offsets[i], sizes[i]));
  for (Index &end : layout.arenaBytes)
    end = emitter.alignUp(end, alignment);
  return layout;
}

/// Values for the symbols of sizes when a plan is made. The first value is
/// taken at which no buffer exceeds kMaxBytes.
static constexpr int64_t kValues[] = {planning::unboundSymbol, 32, 4, 1};

std::optional<int64_t> tamc::tamk::bindSmall(planning::Problem &problem) {
  for (int64_t value : kValues) {
    planning::Binding binding;
    for (const std::string &symbol : planning::symbolsOf(problem))
      binding[symbol] = value;
    if (!planning::bindSizes(problem, binding) &&
        llvm::all_of(problem.buffers, [](const planning::Buffer &buffer) {
          return buffer.size <= kMaxBytes;
        }))
      return value;
  }
  return {};
}

std::string tamc::tamk::sizeFunctionName(func::FuncOp function) {
  return (function.getName() + "_arena_size").str();
}

void tamc::tamk::makeSizeFunction(func::FuncOp function,
                                  ArrayRef<memref::AllocOp> allocs,
                                  const planning::Problem &problem,
                                  const planning::SymbolicPlan &plan,
                                  int64_t alignment) {
  Location loc = function.getLoc();
  OpBuilder builder(function.getContext());
  builder.setInsertionPointAfter(function);
  SmallVector<Type> results(problem.spaces.size(), builder.getIndexType());
  auto size = func::FuncOp::create(
      builder, loc, sizeFunctionName(function),
      builder.getFunctionType(function.getArgumentTypes(), results));
  size.setVisibility(function.getVisibility());
  // As MLIR's conversion of functions to the LLVM dialect calls it.
  constexpr StringLiteral interface = "llvm.emit_c_interface";
  if (Attribute wrapper = function->getAttr(interface))
    size->setAttr(interface, wrapper);
  Block *body = size.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  Layout layout = emitLayout(builder, loc, body->getArguments(), allocs,
                             problem, plan, alignment);
  SmallVector<Value> bytes;
  for (Index end : layout.arenaBytes)
    bytes.push_back(materialize(builder, loc, end));
  func::ReturnOp::create(builder, loc, bytes);
}
