//===- Mutator.cpp - random changes of a module ---------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mutator.h"

#include "TextMutator.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/TamK/IR/TamK.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"

#include <limits>

using namespace mlir;
using namespace tamc;
using namespace tamc::reference;

static constexpr StringRef kSegments = "operandSegmentSizes";

namespace {

/// The changes, one of which is made.
class Mutator {
public:
  Mutator(ModuleOp module, Random &random)
      : module(module), random(random), context(module.getContext()) {
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      // Row loops are in MLIR's dialects and not mutated.
      if (tamk::isRowLoops(op))
        return WalkResult::skip();
      if (op != module)
        ops.push_back(op);
      for (NamedAttribute attribute : op->getAttrs())
        attributes.push_back(attribute);
      for (Value result : op->getResults())
        values.push_back(result);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::append_range(values, block.getArguments());
      return WalkResult::advance();
    });
  }

  std::string mutate();

private:
  using Change = std::string (Mutator::*)();

  std::string swapOperands();
  std::string replaceOperand();
  std::string dropOperand();
  std::string addOperand();
  std::string changeAttribute();
  std::string removeAttribute();
  std::string addAttribute();
  std::string changeModel();
  std::string changeType();
  std::string eraseOp();
  std::string duplicateOp();
  std::string moveOp();
  std::string changeSlot();
  std::string changeResults();
  std::string eraseArgument();
  std::string changeFunction();
  std::string changeBlocks();

  Attribute change(Attribute attribute);
  Attribute changeElements(ArrayAttr array);
  Attribute changeEntry(DictionaryAttr entries);
  /// Another number than that in the text; empty if it is not a number.
  std::string changeNumber(StringRef text);
  Attribute changeText(Attribute attribute) {
    return reference::changeText(attribute, random, [&](StringRef number) {
      return changeNumber(number);
    });
  }
  template <typename T> SmallVector<T> changeNumbers(ArrayRef<T> numbers);
  Attribute changeEncoding(Attribute encoding);
  Type change(Type type);
  int64_t change(int64_t number);
  double change(double number);

  /// Another value of the region that `op` is in, of the type of `value` or of
  /// any; null if there is none. One of another region could outlive it.
  Value findOther(Operation *op, Value value, bool isAnyType = false);
  Operation *pickOp(llvm::function_ref<bool(Operation *)> isWanted);
  /// An operand of an op that has some; null if no op has.
  OpOperand *pickOperand();
  func::FuncOp pickFunction();
  /// Adds `step` to the size of the segment that operand `index` lies in.
  static void resizeSegment(Operation *op, unsigned index, int32_t step);
  /// Adds the attributes that a parser always sets.
  static void addDefaults(Operation *op) {
    op->getName().populateDefaultProperties(op->getPropertiesStorage());
  }
  /// Sets the type of a function to that of its body.
  static void adjustType(func::FuncOp function);

  static std::string nameOf(Operation *op) {
    return op->getName().getStringRef().str();
  }
  bool isLikely(int64_t tenths) { return random.integer(1, 10) <= tenths; }
  tam::StepKind anyStep() {
    return static_cast<tam::StepKind>(
        random.integer(0, tam::getMaxEnumValForStepKind()));
  }
  template <typename T> const T &pick(ArrayRef<T> list) {
    return list[random.integer(0, static_cast<int64_t>(list.size()) - 1)];
  }

  ModuleOp module;
  Random &random;
  MLIRContext *context;
  std::vector<Operation *> ops;
  std::vector<Value> values;
  std::vector<NamedAttribute> attributes;
};

} // namespace

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

Operation *Mutator::pickOp(llvm::function_ref<bool(Operation *)> isWanted) {
  std::vector<Operation *> wanted;
  llvm::copy_if(ops, std::back_inserter(wanted), isWanted);
  return wanted.empty() ? nullptr : pick(ArrayRef(wanted));
}

OpOperand *Mutator::pickOperand() {
  Operation *op =
      pickOp([](Operation *op) { return op->getNumOperands() > 0; });
  if (!op)
    return nullptr;
  return &op->getOpOperand(static_cast<unsigned>(
      random.integer(0, static_cast<int64_t>(op->getNumOperands()) - 1)));
}

func::FuncOp Mutator::pickFunction() {
  return cast_if_present<func::FuncOp>(pickOp([](Operation *op) {
    auto function = dyn_cast<func::FuncOp>(op);
    return function && !function.isExternal();
  }));
}

Value Mutator::findOther(Operation *op, Value value, bool isAnyType) {
  std::vector<Value> others;
  for (Value other : values)
    if (other != value && other.getParentRegion() == op->getParentRegion() &&
        (isAnyType || other.getType() == value.getType()))
      others.push_back(other);
  return others.empty() ? Value() : pick(ArrayRef(others));
}

void Mutator::resizeSegment(Operation *op, unsigned index, int32_t step) {
  auto segments = op->getAttrOfType<DenseI32ArrayAttr>(kSegments);
  if (!segments)
    return;
  SmallVector<int32_t> sizes(segments.asArrayRef());
  unsigned end = 0;
  for (int32_t &size : sizes) {
    end += size;
    if (index < end || &size == &sizes.back()) {
      size += step;
      break;
    }
  }
  op->setAttr(kSegments, DenseI32ArrayAttr::get(op->getContext(), sizes));
}

void Mutator::adjustType(func::FuncOp function) {
  Block &body = function.getBody().front();
  TypeRange results = function.getResultTypes();
  if (!body.empty() && isa<func::ReturnOp>(body.back()))
    results = body.back().getOperandTypes();
  function.setType(FunctionType::get(function.getContext(),
                                     body.getArgumentTypes(), results));
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

std::string Mutator::swapOperands() {
  bool isSameType = isLikely(7);
  Operation *op =
      pickOp([](Operation *op) { return op->getNumOperands() > 1; });
  if (!op)
    return "";
  auto last = static_cast<int64_t>(op->getNumOperands()) - 1;
  unsigned i = random.integer(0, last), j = random.integer(0, last);
  if (isSameType)
    for (unsigned k = 0; k <= last; ++k)
      if (k != i && op->getOperand(k).getType() == op->getOperand(i).getType())
        j = k;
  Value first = op->getOperand(i);
  op->setOperand(i, op->getOperand(j));
  op->setOperand(j, first);
  return "swap operands " + std::to_string(i) + " and " + std::to_string(j) +
         " of " + nameOf(op);
}

std::string Mutator::replaceOperand() {
  OpOperand *operand = pickOperand();
  if (!operand)
    return "";
  Operation *op = operand->getOwner();
  unsigned i = operand->getOperandNumber();
  Value other = findOther(op, operand->get(), isLikely(1));
  if (!other)
    return "";
  operand->set(other);
  return "replace operand " + std::to_string(i) + " of " + nameOf(op);
}

std::string Mutator::dropOperand() {
  OpOperand *operand = pickOperand();
  if (!operand)
    return "";
  Operation *op = operand->getOwner();
  unsigned i = operand->getOperandNumber();
  if (isLikely(9))
    resizeSegment(op, i, -1);
  op->eraseOperands(i);
  return "drop operand " + std::to_string(i) + " of " + nameOf(op);
}

std::string Mutator::addOperand() {
  OpOperand *operand = pickOperand();
  if (!operand)
    return "";
  Operation *op = operand->getOwner();
  unsigned i = operand->getOperandNumber();
  Value other = operand->get();
  if (isLikely(5))
    if (Value found = findOther(op, other))
      other = found;
  if (isLikely(9))
    resizeSegment(op, i, 1);
  op->insertOperands(i, other);
  return "add operand " + std::to_string(i) + " to " + nameOf(op);
}

//===----------------------------------------------------------------------===//
// Attributes and types
//===----------------------------------------------------------------------===//

int64_t Mutator::change(int64_t number) {
  using Limits = std::numeric_limits<int64_t>;
  auto add = [&](uint64_t step) {
    return static_cast<int64_t>(static_cast<uint64_t>(number) + step);
  };
  return random.pick<int64_t>(
      {add(1), add(1), add(-1), add(-1), 0, 1, 2, 3, 4, -1, add(number),
       number / 2, Limits::max(), Limits::min(),
       std::numeric_limits<int32_t>::max(), int64_t(1) << 32});
}

double Mutator::change(double number) {
  using Limits = std::numeric_limits<double>;
  return random.pick<double>({0, 1, -number, 2 * number, 1e-300, Limits::max(),
                              Limits::infinity(), Limits::quiet_NaN()});
}

template <typename T>
SmallVector<T> Mutator::changeNumbers(ArrayRef<T> numbers) {
  SmallVector<T> changed(numbers);
  if (changed.empty())
    return {T(0)};
  size_t i = random.integer(0, static_cast<int64_t>(changed.size()) - 1);
  switch (random.integer(0, 3)) {
  case 0:
    changed.erase(changed.begin() + i);
    break;
  case 1:
    changed.insert(changed.begin() + i, changed[i]);
    break;
  case 2:
    std::swap(changed[i], pick(ArrayRef(changed)) == changed[i]
                              ? changed.front()
                              : changed.back());
    break;
  default:
    if constexpr (std::is_floating_point_v<T>)
      changed[i] = change(double(changed[i]));
    else
      changed[i] = static_cast<T>(change(static_cast<int64_t>(changed[i])));
  }
  return changed;
}

Attribute Mutator::changeElements(ArrayAttr array) {
  SmallVector<Attribute> elements(array.begin(), array.end());
  if (elements.empty())
    return ArrayAttr::get(context, {UnitAttr::get(context)});
  auto *place = elements.begin() +
                random.integer(0, static_cast<int64_t>(elements.size()) - 1);
  if (isLikely(2))
    elements.erase(place);
  else if (isLikely(2))
    elements.insert(place, *place);
  else if (isLikely(2))
    std::swap(elements.front(), *place);
  else
    *place = change(*place);
  return ArrayAttr::get(context, elements);
}

Attribute Mutator::changeEntry(DictionaryAttr dictionary) {
  if (dictionary.empty())
    return dictionary;
  NamedAttrList entries(dictionary);
  NamedAttribute entry = pick(dictionary.getValue());
  if (isLikely(2))
    entries.erase(entry.getName());
  else
    entries.set(entry.getName(), change(entry.getValue()));
  return entries.getDictionary(context);
}

std::string Mutator::changeNumber(StringRef text) {
  if (int64_t number; !text.getAsInteger(10, number))
    return std::to_string(change(number));
  double number;
  if (text.getAsDouble(number))
    return "";
  return "0x" + llvm::utohexstr(llvm::bit_cast<uint64_t>(change(number)),
                                /*LowerCase=*/false, /*Width=*/16);
}

Attribute Mutator::changeEncoding(Attribute encoding) {
  if (!encoding || isLikely(4)) {
    auto tensor = dyn_cast<RankedTensorType>(pick(ArrayRef(values)).getType());
    return tensor ? tensor.getEncoding() : Attribute();
  }
  if (isLikely(1))
    return {};
  return llvm::TypeSwitch<Attribute, Attribute>(encoding)
      .Case<tam::BandedAttr, tam::SparseAttr>([&](auto own) {
        return decltype(own)::get(context, change(own.getWidth()));
      })
      .Case([&](tam::MultiHotAttr own) {
        return tam::MultiHotAttr::get(context, change(own.getCount()),
                                      cast<FloatAttr>(change(own.getScale())));
      })
      .Case([&](tam::CoordinatesAttr own) {
        return tam::CoordinatesAttr::get(context, change(own.getCount()));
      })
      .Case([&](tam::SumsAttr own) {
        auto layout = static_cast<tam::SumsLayout>(random.integer(0, 8));
        SmallVector<int64_t> widths(own.getWidths()), columns(own.getColumns());
        if (isLikely(3))
          widths = changeNumbers(own.getWidths());
        if (isLikely(2))
          columns = changeNumbers(own.getColumns());
        return tam::SumsAttr::get(context, layout, widths, columns);
      })
      .Default(encoding);
}

Type Mutator::change(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank() || isLikely(2))
    return pick(ArrayRef(values)).getType();
  SmallVector<int64_t> shape(shaped.getShape());
  Type element = shaped.getElementType();
  auto tensor = dyn_cast<RankedTensorType>(type);
  Attribute encoding = tensor ? tensor.getEncoding() : Attribute();
  if (isLikely(5)) {
    encoding = changeEncoding(encoding);
  } else if (isLikely(1)) {
    Builder builder(context);
    element = random.pick<Type>({builder.getF64Type(), builder.getF32Type(),
                                 builder.getI32Type(), builder.getI64Type()});
  } else if (shape.empty() || isLikely(1)) {
    shape.push_back(2);
  } else if (isLikely(1)) {
    shape.pop_back();
  } else {
    size_t i = random.integer(0, static_cast<int64_t>(shape.size()) - 1);
    int64_t size = change(shape[i]);
    shape[i] = size < 0 ? ShapedType::kDynamic : size;
  }
  auto refuse = [&] { return emitError(module.getLoc()); };
  if (tensor)
    return RankedTensorType::getChecked(refuse, shape, element, encoding);
  if (auto memory = dyn_cast<MemRefType>(type))
    return MemRefType::getChecked(refuse, shape, element);
  return type;
}

Attribute Mutator::change(Attribute attribute) {
  auto refuse = [&] { return emitError(module.getLoc()); };
  Attribute changed =
      llvm::TypeSwitch<Attribute, Attribute>(attribute)
          .Case([&](BoolAttr own) {
            return BoolAttr::get(context, !own.getValue());
          })
          .Case([&](IntegerAttr own) -> Attribute {
            unsigned width = own.getValue().getBitWidth();
            if (width > 64)
              return own;
            return IntegerAttr::get(
                own.getType(), APInt(64, change(own.getValue().getSExtValue()))
                                   .sextOrTrunc(width));
          })
          .Case([&](FloatAttr own) -> Attribute {
            return FloatAttr::get(own.getType(),
                                  change(own.getValueAsDouble()));
          })
          .Case([&](StringAttr own) {
            return StringAttr::get(
                context, random.pick<std::string>(
                             {"", own.str() + "x", "fit", "cg", "apply"}));
          })
          .Case([&](ArrayAttr own) { return changeElements(own); })
          .Case([&](DictionaryAttr own) { return changeEntry(own); })
          .Case<DenseI32ArrayAttr, DenseI64ArrayAttr, DenseF64ArrayAttr>(
              [&](auto own) {
                return decltype(own)::get(context,
                                          changeNumbers(own.asArrayRef()));
              })
          .Case<tam::ModelAttr, tam::VariantAttr>(
              [&](Attribute own) { return changeText(own); })
          .Case([&](tam::SlotAttr own) {
            bool hasKind = isLikely(5);
            return tam::SlotAttr::getChecked(
                refuse, context,
                hasKind ? own.getKind()
                        : static_cast<tam::SlotKind>(random.integer(0, 11)),
                hasKind ? change(own.getOffset()) : own.getOffset());
          })
          .Case([&](tam::StepAttr own) {
            return tam::StepAttr::get(context, anyStep(),
                                      isLikely(2) ? change(own.getRung())
                                                  : own.getRung());
          })
          .Case([&](tam::ExtrapolateAttr) {
            return tam::ExtrapolateAttr::get(
                context, static_cast<tam::Extrapolate>(random.integer(0, 3)));
          })
          .Case([&](tam::ActivationAttr) {
            return tam::ActivationAttr::get(
                context, static_cast<tam::Activation>(random.integer(0, 2)));
          })
          .Case([&](tam::SolverAttr) {
            return tam::SolverAttr::get(
                context, static_cast<tam::Solver>(random.integer(0, 2)));
          })
          .Case([&](TypeAttr own) -> Attribute {
            Type type = change(own.getValue());
            return type ? TypeAttr::get(type) : own;
          })
          .Default(
              [&](Attribute) { return pick(ArrayRef(attributes)).getValue(); });
  return changed ? changed : attribute;
}

std::string Mutator::changeAttribute() {
  Operation *op = pickOp([](Operation *op) { return !op->getAttrs().empty(); });
  if (!op)
    return "";
  NamedAttribute own = pick(op->getAttrs());
  Attribute value = change(own.getValue());
  if (isLikely(3)) {
    std::vector<Attribute> others;
    for (NamedAttribute other : attributes)
      if (other.getName() == own.getName() &&
          other.getValue() != own.getValue())
        others.push_back(other.getValue());
    if (!others.empty())
      value = pick(ArrayRef(others));
  }
  op->setAttr(own.getName(), value);
  addDefaults(op);
  return "change '" + own.getName().str() + "' of " + nameOf(op);
}

std::string Mutator::removeAttribute() {
  Operation *op = pickOp([](Operation *op) { return !op->getAttrs().empty(); });
  if (!op)
    return "";
  StringAttr name = pick(op->getAttrs()).getName();
  op->removeAttr(name);
  addDefaults(op);
  return "remove '" + name.str() + "' of " + nameOf(op);
}

std::string Mutator::addAttribute() {
  Operation *op = pickOp([](Operation *) { return true; });
  if (!op || attributes.empty())
    return "";
  NamedAttribute added = pick(ArrayRef(attributes));
  if (isLikely(4))
    added = {StringAttr::get(context, random.pick<std::string>(
                                          {tam::kApartAttrName.str(),
                                           tam::kByLevelsAttrName.str()})),
             UnitAttr::get(context)};
  op->setAttr(added.getName(), added.getValue());
  addDefaults(op);
  return "add '" + added.getName().str() + "' to " + nameOf(op);
}

std::string Mutator::changeModel() {
  if (!tam::getModel(module) || isLikely(1)) {
    tam::removeModel(module);
    return "remove the model";
  }
  std::vector<NamedAttribute> own;
  for (NamedAttribute attribute : module->getAttrs())
    if (isa<tam::ModelAttr, tam::VariantAttr>(attribute.getValue()))
      own.push_back(attribute);
  NamedAttribute changed = pick(ArrayRef(own));
  module->setAttr(changed.getName(), changeText(changed.getValue()));
  return "change '" + changed.getName().str() + "'";
}

std::string Mutator::changeType() {
  if (values.empty())
    return "";
  Value value = pick(ArrayRef(values));
  Type before = value.getType(), after = change(before);
  if (!after || after == before)
    return "";
  SmallVector<Value> changed{value};
  if (isLikely(6)) {
    auto add = [&](ValueRange more) {
      for (Value other : more)
        if (other.getType() == before)
          changed.push_back(other);
    };
    auto addAround = [&](Operation *op) {
      add(op->getOperands());
      add(op->getResults());
    };
    for (Operation *user : value.getUsers())
      addAround(user);
    if (Operation *source = value.getDefiningOp())
      addAround(source);
  }
  if (isLikely(2))
    llvm::append_range(changed, llvm::make_filter_range(values, [&](Value v) {
                         return v.getType() == before;
                       }));
  for (Value other : changed)
    other.setType(after);
  bool adjusts = isLikely(9);
  for (auto function : module.getOps<func::FuncOp>())
    if (adjusts && !function.isExternal())
      adjustType(function);
  std::string text;
  llvm::raw_string_ostream(text)
      << "change the type of " << changed.size() << " values to " << after;
  return text;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

std::string Mutator::eraseOp() {
  Operation *op = pickOp([](Operation *) { return true; });
  if (!op)
    return "";
  for (Value result : op->getResults()) {
    if (result.use_empty())
      continue;
    Value other = findOther(op, result);
    if (!other || other.getDefiningOp() == op)
      return "";
    result.replaceAllUsesWith(other);
  }
  std::string name = nameOf(op);
  op->erase();
  return "erase " + name;
}

std::string Mutator::duplicateOp() {
  Operation *op =
      pickOp([](Operation *op) { return !isa<func::ReturnOp>(op); });
  if (!op)
    return "";
  OpBuilder builder(context);
  builder.setInsertionPointAfter(op);
  Operation *copy = builder.clone(*op);
  if (auto name = copy->getAttrOfType<StringAttr>("sym_name"))
    if (isLikely(8))
      copy->setAttr("sym_name", StringAttr::get(context, name.str() + "_copy"));
  for (auto [own, other] : llvm::zip(op->getResults(), copy->getResults()))
    own.replaceUsesWithIf(other, [&](OpOperand &use) {
      return use.getOwner() != copy && isLikely(5);
    });
  return "duplicate " + nameOf(op);
}

std::string Mutator::moveOp() {
  Operation *op = pickOp([](Operation *) { return true; });
  if (!op)
    return "";
  Operation *place = pickOp([&](Operation *other) {
    return other != op && other->getBlock() == op->getBlock();
  });
  if (!place)
    return "";
  op->moveBefore(place);
  return "move " + nameOf(op) + " before " + nameOf(place);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

std::string Mutator::changeSlot() {
  func::FuncOp function = pickFunction();
  if (!function)
    return "";
  unsigned arguments = function.getNumArguments();
  unsigned all = arguments + function.getNumResults();
  if (all == 0)
    return "";
  unsigned i = random.integer(0, all - 1);
  bool isArgument = i < arguments;
  if (!isArgument)
    i -= arguments;
  tam::SlotAttr slot = isArgument ? tam::getArgumentSlot(function, i)
                                  : tam::getResultSlot(function, i);
  StringAttr name = StringAttr::get(context, tam::kSlotAttrName);
  if (slot && isLikely(1)) {
    if (isArgument)
      function.removeArgAttr(i, name);
    else
      function.removeResultAttr(i, name);
    return "remove a slot";
  }
  Attribute changed =
      slot ? change(Attribute(slot))
           : Attribute(tam::SlotAttr::get(context, tam::SlotKind::State, 0));
  if (isArgument)
    function.setArgAttr(i, name, changed);
  else
    function.setResultAttr(i, name, changed);
  return "change a slot";
}

std::string Mutator::changeResults() {
  func::FuncOp function = pickFunction();
  if (!function)
    return "";
  Block &body = function.getBody().front();
  if (body.empty() || !isa<func::ReturnOp>(body.back()))
    return "";
  Operation *end = &body.back();
  if (end->getNumOperands() > 0 && isLikely(5) &&
      end->getNumOperands() == function.getNumResults()) {
    unsigned i =
        random.integer(0, static_cast<int64_t>(end->getNumOperands()) - 1);
    end->eraseOperand(i);
    (void)function.eraseResult(i);
    return "drop result " + std::to_string(i);
  }
  std::vector<Value> own;
  for (Value value : values)
    if (value.getParentBlock() == &body)
      own.push_back(value);
  if (own.empty())
    return "";
  Value value = pick(ArrayRef(own));
  unsigned i = end->getNumOperands();
  DictionaryAttr slots;
  if (i > 0 && i == function.getNumResults())
    slots = function.getResultAttrDict(random.integer(0, i - 1));
  end->insertOperands(i, value);
  (void)function.insertResult(function.getNumResults(), value.getType(), slots);
  return "add a result";
}

std::string Mutator::eraseArgument() {
  func::FuncOp function = pickFunction();
  if (!function || function.getBody().front().empty() ||
      function.getBody().front().getNumArguments() == 0 ||
      function.getBody().front().getArgumentTypes() !=
          function.getArgumentTypes())
    return "";
  BlockArgument argument =
      pick(ArrayRef<BlockArgument>(function.getArguments()));
  if (!argument.use_empty()) {
    Value other = findOther(&function.getBody().front().front(), argument);
    if (!other)
      return "";
    argument.replaceAllUsesWith(other);
  }
  if (isLikely(2))
    function.getBody().front().eraseArgument(argument.getArgNumber());
  else
    (void)function.eraseArgument(argument.getArgNumber());
  return "erase an argument";
}

std::string Mutator::changeFunction() {
  func::FuncOp function = pickFunction();
  if (!function)
    return "";
  std::string name = function.getName().str();
  switch (random.integer(0, 3)) {
  case 0:
    function.erase();
    return "erase @" + name;
  case 1:
    function.eraseBody();
    if (isLikely(9))
      function.setPrivate();
    return "erase the body of @" + name;
  case 2:
    function.setName(random.pick<std::string>(
        {"fit", "predict", "cg", "apply", "fit_init", "other"}));
    return "rename @" + name;
  default:
    function->setAttr(tam::kStepAttrName,
                      tam::StepAttr::get(context, anyStep(), 0));
    return "change the step of @" + name;
  }
}

std::string Mutator::changeBlocks() {
  OpBuilder builder(context);
  if (isLikely(2)) {
    OwningOpRef<ModuleOp> copy = module.clone();
    if (isLikely(5))
      tam::removeModel(*copy);
    module.getBody()->push_front(copy.release());
    return "nest the module";
  }
  func::FuncOp function = pickFunction();
  if (!function)
    return "";
  Block &body = function.getBody().front();
  if (isLikely(5)) {
    Block &more = function.getBody().emplaceBlock();
    builder.setInsertionPointToStart(&more);
    if (!body.empty() && &body != &more)
      builder.clone(body.back());
    return "add a block";
  }
  Type type = pick(ArrayRef(values)).getType();
  (void)function.insertArgument(function.getNumArguments(), type, {},
                                function.getLoc());
  return "add an argument";
}

std::string Mutator::mutate() {
  static constexpr Change all[] = {
      &Mutator::swapOperands,    &Mutator::swapOperands,
      &Mutator::replaceOperand,  &Mutator::replaceOperand,
      &Mutator::replaceOperand,  &Mutator::dropOperand,
      &Mutator::addOperand,      &Mutator::changeAttribute,
      &Mutator::changeAttribute, &Mutator::removeAttribute,
      &Mutator::addAttribute,    &Mutator::changeModel,
      &Mutator::changeType,      &Mutator::changeType,
      &Mutator::changeType,      &Mutator::eraseOp,
      &Mutator::duplicateOp,     &Mutator::moveOp,
      &Mutator::changeSlot,      &Mutator::changeResults,
      &Mutator::eraseArgument,   &Mutator::changeFunction,
      &Mutator::changeBlocks};
  return (this->*pick(ArrayRef(all)))();
}

std::string tamc::reference::mutate(ModuleOp module, Random &random) {
  return Mutator(module, random).mutate();
}
