//===- TamKToEmitC.cpp - planned steps as C++ -------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A planned step is straight-line code of six ops, and its C++ is written for
// readers. Every pointer that a launch gets is a named variable, defined at its
// offset with a comment on its contents. So the operands of calls are names,
// not the numbered values that the emitter would print.
//
//===----------------------------------------------------------------------===//

#include "../ModelDescription/ModelDescription.h"
#include "DescriptionText.h"

#include "tamc/Conversion/Passes.h"
#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/TamK/IR/Kernels.h"
#include "tamc/Dialect/TamK/IR/Launches.h"
#include "tamc/Dialect/TamK/IR/TamK.h"
#include "tamc/Target/TargetAnalysis.h"
#include "tamrt/abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tamc {
#define GEN_PASS_DEF_CONVERTTAMKTOEMITC
#include "tamc/Conversion/Passes.h.inc"
} // namespace tamc

using namespace mlir;
using namespace tamc;
using tam::SlotKind;
using tamk::ParameterKind;

/// A text of the user in a form that fits in a comment of one line.
static std::string commentOf(StringRef text) {
  std::string result = text.str();
  std::replace_if(
      result.begin(), result.end(),
      [](unsigned char c) { return c < ' ' || c == '\\'; }, ' ');
  return result;
}

/// MLIR's names of constants begin with underscores, which C++ reserves.
static StringRef nameOf(StringRef global) { return global.ltrim('_'); }

/// The parameters of tamrt_step_function: name and type.
static constexpr std::pair<StringLiteral, StringLiteral> stepParameters[] = {
    {"ctx", "tamrt_context *"},
    {"arena", "void *"},
    {"state", "void *"},
    {"carry", "void *"},
    {"parameters", "const double *"},
    {"tables", "const void *const *"},
    {"coefficients", "const double *"},
    {"columns", "const void *const *"},
    {"output", "double *"},
    {"rows", "int64_t"},
    {"first", "int64_t"},
    {"group_rows", "int64_t"},
};

namespace {

/// Translates one module.
class Translator {
public:
  Translator(ModuleOp module, StringRef symbol, StringRef prefix)
      : module(module), symbol(symbol), prefix(prefix),
        builder(module.getContext()) {}

  LogicalResult run(const Target &target, StringRef version);

private:
  LogicalResult translate(func::FuncOp step);
  LogicalResult translate(Operation *op);
  LogicalResult translate(tamk::LaunchOp op);
  LogicalResult translateGenerated(tamk::LaunchOp op);
  LogicalResult declareGenerated();
  LogicalResult translate(memref::GlobalOp op);
  LogicalResult translate(memref::ViewOp op);
  LogicalResult bindArgument(func::FuncOp step, BlockArgument argument);

  FailureOr<StringRef> elementType(Operation *op, Type type);
  void line(Location loc, const Twine &text) {
    emitc::VerbatimOp::create(builder, loc, text.str());
  }
  emitc::OpaqueType opaque(StringRef type) {
    return emitc::OpaqueType::get(builder.getContext(), type);
  }

  ModuleOp module;
  StringRef symbol, prefix;
  OpBuilder builder;
  /// The name of each value.
  DenseMap<Value, std::string> names;
  int64_t lists = 0;
};

} // namespace

FailureOr<StringRef> Translator::elementType(Operation *op, Type type) {
  Type element = cast<MemRefType>(type).getElementType();
  if (element.isF64())
    return StringRef("double");
  if (element.isInteger(32))
    return StringRef("int32_t");
  if (element.isInteger(64))
    return StringRef("int64_t");
  return op->emitOpError("expected elements of f64, i32 or i64, got ")
         << element;
}

LogicalResult Translator::translate(memref::GlobalOp op) {
  auto initial =
      dyn_cast_if_present<DenseElementsAttr>(op.getInitialValueAttr());
  if (!initial || !op.getConstant())
    return op.emitOpError("expected a constant with its elements");
  FailureOr<StringRef> type = elementType(op, op.getType());
  if (failed(type))
    return failure();
  builder.setInsertionPoint(op);
  // C++ has no empty arrays.
  const std::string elements = initial.empty() ? "{0}" : elementsOf(initial);
  line(op.getLoc(), "alignas(TAMRT_ALIGNMENT) static const " + *type + " " +
                        nameOf(op.getSymName()) + "[] = " + elements + ";");
  op.erase();
  return success();
}

LogicalResult Translator::bindArgument(func::FuncOp step,
                                       BlockArgument argument) {
  tam::SlotAttr slot = tam::getArgumentSlot(step, argument.getArgNumber());
  if (!slot)
    return step.emitOpError("expected a slot of argument ")
           << argument.getArgNumber();
  std::string &name = names[argument];
  int64_t offset = slot.getOffset();
  auto doubles = [&](StringRef base) {
    return offset == 0
               ? base.str()
               : (base + " + " + Twine(offset / int64_t(sizeof(double)))).str();
  };
  switch (slot.getKind()) {
  case SlotKind::Rows:
    name = "rows";
    return success();
  case SlotKind::First:
    name = "first";
    return success();
  case SlotKind::Capacity:
    return step.emitOpError("expected 'capacity' to be a constant");
  case SlotKind::Inference:
  case SlotKind::System:
    return step.emitOpError("expected no slot '")
           << tam::stringifySlotKind(slot.getKind()) << "' in a step";
  case SlotKind::Parameters:
    name = doubles("parameters");
    return success();
  case SlotKind::Coefficients:
    name = doubles("coefficients");
    return success();
  case SlotKind::Output:
    name = doubles("output");
    return success();
  case SlotKind::Arena:
    if (offset != 0)
      return step.emitOpError("expected one memory space");
    name = "arena";
    return success();
  case SlotKind::GroupRows:
    name = "group_rows";
    return success();
  case SlotKind::Column:
  case SlotKind::State:
  case SlotKind::Table:
  case SlotKind::Carry:
    break;
  }
  FailureOr<StringRef> type = elementType(step, argument.getType());
  if (failed(type))
    return failure();
  Location loc = argument.getLoc();
  bool isColumn = slot.getKind() == SlotKind::Column;
  if (isColumn || slot.getKind() == SlotKind::Table) {
    StringRef list = isColumn ? "columns" : "tables";
    name = (list.drop_back() + "_" + Twine(offset)).str();
    line(loc, "const auto *const " + Twine(name) + " = static_cast<const " +
                  *type + " *>(" + list + "[" + Twine(offset) + "]);");
  } else {
    StringRef base = slot.getKind() == SlotKind::State ? "state" : "carry";
    name = (base + "_" + Twine(offset)).str();
    line(loc, *type + " *const " + Twine(name) + " = at<" + *type + ">(" +
                  base + ", " + Twine(offset) + ");");
  }
  return success();
}

/// Defines a buffer of the plan: a name for an offset.
LogicalResult Translator::translate(memref::ViewOp view) {
  IntegerAttr offset;
  if (!matchPattern(view.getByteShift(), m_Constant(&offset)))
    return view.emitOpError("expected a constant offset");
  auto function = view->getParentOfType<func::FuncOp>();
  auto plan = function->getAttrOfType<tamk::PlanAttr>(tamk::kPlanAttrName);
  auto row = view->getAttrOfType<IntegerAttr>(tamk::kBufferAttrName);
  if (!row || !plan || row.getInt() >= int64_t(plan.getBuffers().size()))
    return view.emitOpError("expected a buffer of the function's plan");
  tamk::BufferAttr buffer = plan.getBuffers()[row.getInt()];
  FailureOr<StringRef> type = elementType(view, view.getType());
  if (failed(type))
    return failure();
  std::string name = (buffer.getName() + "_" + Twine(row.getInt())).str();
  names[view] = name;
  line(view.getLoc(), "// " + buffer.getName() + " of " + buffer.getOp() +
                          (buffer.getTerm().empty() ? "" : " for ") +
                          commentOf(buffer.getTerm()) + ": " +
                          Twine(buffer.getBytes()) + " bytes, launches " +
                          Twine(buffer.getFirst()) + " to " +
                          Twine(buffer.getLast()));
  line(view.getLoc(), *type + " *const " + Twine(name) + " = at<" + *type +
                          ">(arena, " + Twine(offset.getInt()) + ");");
  return success();
}

/// A generated kernel is a function in another object, with the type that the
/// conversion to LLVM gives it.
LogicalResult Translator::translateGenerated(tamk::LaunchOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> arguments;
  auto add = [&](StringRef text) {
    arguments.push_back(
        emitc::LiteralOp::create(builder, loc, opaque("auto"), text));
  };
  add("ctx");
  for (Value value : op->getOperands())
    add(names.lookup(value));
  emitc::CallOpaqueOp::create(builder, loc, TypeRange(),
                              tamk::symbolOf(prefix, op.getKernel()),
                              arguments);
  return success();
}

/// Declares the generated kernels, whose code is in another object.
LogicalResult Translator::declareGenerated() {
  StringSet<> declared;
  WalkResult result = module.walk([&](tamk::LaunchOp op) {
    if (!op.getGenerated() || !declared.insert(op.getKernel()).second)
      return WalkResult::advance();
    std::string parameters = "tamrt_context *";
    auto add = [&](Value value, StringRef qualifier) {
      if (!isa<MemRefType>(value.getType())) {
        parameters += value.getType().isF64() ? ", double" : ", int64_t";
        return success();
      }
      FailureOr<StringRef> type = elementType(op, value.getType());
      if (succeeded(type))
        parameters += (", " + qualifier + *type + " *").str();
      return LogicalResult(type);
    };
    for (Value value : op->getOperands())
      if (failed(add(value,
                     llvm::is_contained(op.getInits(), value) ? "" : "const ")))
        return WalkResult::interrupt();
    line(op.getLoc(), "\n// A loop over rows, in the object beside this file."
                      "\nextern \"C\" void " +
                          tamk::symbolOf(prefix, op.getKernel()) + "(" +
                          parameters + ");");
    return WalkResult::advance();
  });
  if (ModuleOp loops = tamk::findRowLoops(module))
    loops.erase();
  return failure(result.wasInterrupted());
}

LogicalResult Translator::translate(tamk::LaunchOp op) {
  if (op.getGenerated())
    return translateGenerated(op);
  const tamk::Kernel &kernel = *tamk::lookupKernel(op.getKernel());
  Location loc = op.getLoc();
  ArrayRef<int32_t> absent =
      op.getAbsent() ? *op.getAbsent() : ArrayRef<int32_t>();
  SmallVector<Value> arguments;
  auto add = [&](StringRef text) {
    arguments.push_back(
        emitc::LiteralOp::create(builder, loc, opaque("auto"), text));
  };
  add("ctx");
  auto inputs = op.getInputs();
  for (auto [position, parameter] : llvm::enumerate(kernel.inputs())) {
    if (llvm::is_contained(absent, static_cast<int32_t>(position))) {
      add("nullptr");
    } else if (parameter.kind != ParameterKind::InList) {
      add(names.lookup(inputs.front()));
      inputs = inputs.drop_front();
    } else if (inputs.empty()) {
      add("nullptr");
      add("0");
    } else {
      FailureOr<StringRef> type =
          parameter.type == tamk::ElementType::Any
              ? FailureOr<StringRef>(StringRef("void"))
              : elementType(op, inputs.front().getType());
      if (failed(type))
        return failure();
      std::string list = "list_" + std::to_string(lists++);
      std::string elements;
      for (Value input : inputs)
        elements += (elements.empty() ? "" : ", ") + names.lookup(input);
      line(loc, "const " + *type + " *const " + Twine(list) + "[] = {" +
                    elements + "};");
      add(list);
      add(std::to_string(inputs.size()));
    }
  }
  for (Value value : op.getScalars())
    add(names.lookup(value));
  for (Value value : op.getInits())
    add(names.lookup(value));
  emitc::CallOpaqueOp::create(builder, loc, TypeRange(),
                              ("tamrt_" + kernel.name).str(), arguments);
  return success();
}

LogicalResult Translator::translate(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tamk::LaunchOp launch) { return translate(launch); })
      .Case([&](memref::ViewOp view) { return translate(view); })
      .Case([&](arith::ConstantOp constantOp) -> LogicalResult {
        if (auto real = dyn_cast<FloatAttr>(constantOp.getValue()))
          names[constantOp] = literalOf(real.getValueAsDouble());
        else
          names[constantOp] =
              std::to_string(cast<IntegerAttr>(constantOp.getValue()).getInt());
        return success();
      })
      .Case([&](memref::GetGlobalOp global) -> LogicalResult {
        names[global] = nameOf(global.getName()).str();
        return success();
      })
      .Case([&](memref::CastOp castOp) -> LogicalResult {
        names[castOp] = names.lookup(castOp.getSource());
        return success();
      })
      .Case([&](func::ReturnOp ret) -> LogicalResult {
        emitc::ReturnOp::create(builder, ret.getLoc(), Value());
        return success();
      })
      .Default([](Operation *other) {
        return other->emitOpError("expected only launches, views and "
                                  "constants in a planned step");
      });
}

LogicalResult Translator::translate(func::FuncOp step) {
  if (!step.getBody().hasOneBlock() || step.getNumResults() > 0)
    return step.emitOpError("expected a step of one block without results");
  auto plan = step->getAttrOfType<tamk::PlanAttr>(tamk::kPlanAttrName);
  if (!plan)
    return step.emitOpError("expected a planned step");
  if (step->hasAttr(tamk::kLaunchesOfAttrName))
    return step.emitOpError("expected a step with launches of its own");
  SmallVector<Type> types;
  for (auto [name, type] : stepParameters)
    types.push_back(opaque(type));
  builder.setInsertionPoint(step);
  Location loc = step.getLoc();
  line(loc, "\n// Arena: " + Twine(plan.getArenaBytes()) +
                " bytes, planned by '" + plan.getMethod() + "'.");
  auto function = emitc::FuncOp::create(builder, loc, step.getName(),
                                        builder.getFunctionType(types, {}));
  function.setSpecifiersAttr(builder.getStrArrayAttr({"static"}));
  noteStep(step, function, launchesGenerated(step));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  for (auto [index, parameter] : llvm::enumerate(stepParameters))
    emitc::VerbatimOp::create(
        builder, loc,
        ("[[maybe_unused]] const auto " + parameter.first + " = {};").str(),
        ValueRange{function.getArgument(index)});
  for (BlockArgument argument : step.getArguments())
    if (!argument.use_empty() && failed(bindArgument(step, argument)))
      return failure();
  for (Operation &op : step.getBody().front())
    if (failed(translate(&op)))
      return failure();
  step.erase();
  return success();
}

LogicalResult Translator::run(const Target &target, StringRef version) {
  Location loc = module.getLoc();
  builder.setInsertionPointToStart(module.getBody());
  line(loc, "// A model planned by tamc " + version +
                ": link it with libtamrt.\n//\n"
                "// Each step gets its memory from its caller; every buffer "
                "has its place.\n");
  for (StringRef header : {"tamrt/abi.h", "cstdint"})
    emitc::IncludeOp::create(builder, loc, header,
                             /*is_standard_include=*/true);
  line(loc, "\ntemplate <typename T> static T *at(void *base, int64_t bytes) "
            "{\n  return reinterpret_cast<T *>(static_cast<char *>(base) + "
            "bytes);\n}\n");
  if (failed(declareGenerated()))
    return failure();
  for (auto global :
       llvm::make_early_inc_range(module.getOps<memref::GlobalOp>()))
    if (failed(translate(global)))
      return failure();
  for (auto step : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (failed(translate(step)))
      return failure();
  FailureOr<Record> model = describeModel(module, target, version);
  if (failed(model))
    return failure();
  builder.setInsertionPointToEnd(module.getBody());
  line(loc, describeInText(*model, symbol));
  line(loc, "\nint main(int argc, char **argv) {\n  return tamrt_main(&" +
                symbol + ", argc, argv);\n}");
  removeNotes(module);
  return success();
}

namespace {

struct ConvertTamKToEmitC
    : public tamc::impl::ConvertTamKToEmitCBase<ConvertTamKToEmitC> {
  using ConvertTamKToEmitCBase::ConvertTamKToEmitCBase;

  void runOnOperation() override {
    const Target *target = getAnalysis<TargetAnalysis>().get();
    if (!target)
      return signalPassFailure();
    Translator translator(getOperation(), symbol, prefix);
    if (failed(translator.run(*target, version)))
      signalPassFailure();
  }
};

} // namespace
