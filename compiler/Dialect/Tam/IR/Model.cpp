//===- Model.cpp - the description of a model -------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamrt/steps.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tamc::tam;

namespace {

/// The types of the entries of a dictionary.
enum class Form { Text, Integer, Real, Sizes, Indices, Dictionary, List };

struct Key {
  StringRef name;
  Form form;
  bool isRequired = false;
};

} // namespace

static constexpr Key modelKeys[] = {
    {"name", Form::Text},
    {"formula", Form::Text},
    {"spec", Form::Text},
    {"spec_hash", Form::Text},
    {"target", Form::Text},
    {"group", Form::Text},
    {"date", Form::Text},
    {"weights", Form::Text},
    {"device", Form::Text},
    {"columns", Form::Integer},
    {"state_bytes", Form::Integer},
    {"carry_bytes", Form::Integer},
    {"cg_state_bytes", Form::Integer},
    {kSmallBlocksStateBytesName, Form::Integer},
    {"chunk_rows", Form::Integer},
    {"rows_per_group", Form::Integer},
    {"oracle", Form::Dictionary},
    {"placement", Form::Dictionary},
    {"inputs", Form::List},
    {"tables", Form::List},
    {"learners", Form::List},
    {"effects", Form::List},
    {kAccumulatorsName, Form::List},
    {kLevelAccumulatorsName, Form::List},
    {kSmallBlocksAccumulatorsName, Form::List},
};
static constexpr Key inputKeys[] = {
    {"column", Form::Text},     {"rule", Form::Integer},
    {"levels", Form::Integer},  {"unseen", Form::Integer},
    {"lo", Form::Real},         {"hi", Form::Real},
    {"grid", Form::Dictionary},
};
static constexpr Key gridKeys[] = {
    {"levels", Form::Integer, /*isRequired=*/true},
    {"first", Form::Real},
    {"step", Form::Real, /*isRequired=*/true},
};
static constexpr Key tableKeys[] = {
    {"name", Form::Text, /*isRequired=*/true},
    {"is_integer", Form::Integer},
    {"shape", Form::Sizes, /*isRequired=*/true},
};
static constexpr Key learnerKeys[] = {
    {"kind", Form::Integer},
    {"choice", Form::Integer},
    {"sizes", Form::Sizes, /*isRequired=*/true},
    {"number", Form::Real},
    {"seed", Form::Integer},
    {"effect", Form::Integer},
    {"inputs", Form::Indices, /*isRequired=*/true},
    {"first_table", Form::Integer},
    {"table_count", Form::Integer},
};
static constexpr Key effectKeys[] = {
    {"name", Form::Text},        {"term", Form::Text},
    {"first", Form::Integer},    {"columns", Form::Integer},
    {"factored", Form::Integer}, {"factored_small", Form::Integer},
};
static constexpr Key accumulatorKeys[] = {
    {"kind", Form::Integer, /*isRequired=*/true},
    {"offset", Form::Integer},
    {"count", Form::Integer},
    {"unit", Form::Real},
};

static StringRef nameOf(Form form) {
  switch (form) {
  case Form::Text:
    return "a string";
  case Form::Integer:
    return "an integer of at most 64 bits";
  case Form::Real:
    return "an f64";
  case Form::Sizes:
    return "an array of i64";
  case Form::Indices:
    return "an array of i32";
  case Form::Dictionary:
    return "a dictionary";
  case Form::List:
    return "a list of dictionaries";
  }
  llvm_unreachable("all forms are handled");
}

static bool hasForm(Attribute attribute, Form form) {
  switch (form) {
  case Form::Text:
    return isa<StringAttr>(attribute);
  case Form::Integer: {
    auto integer = dyn_cast<IntegerAttr>(attribute);
    return integer && (integer.getType().isIndex() ||
                       (integer.getType().isSignlessInteger() &&
                        integer.getType().getIntOrFloatBitWidth() <= 64));
  }
  case Form::Real: {
    auto real = dyn_cast<FloatAttr>(attribute);
    return real && real.getType().isF64();
  }
  case Form::Sizes:
    return isa<DenseI64ArrayAttr>(attribute);
  case Form::Indices:
    return isa<DenseI32ArrayAttr>(attribute);
  case Form::Dictionary:
    return isa<DictionaryAttr>(attribute);
  case Form::List: {
    auto list = dyn_cast<ArrayAttr>(attribute);
    return list && llvm::all_of(list, [](Attribute row) {
             return isa<DictionaryAttr>(row);
           });
  }
  }
  llvm_unreachable("all forms are handled");
}

/// Emits an error in `what`, a part of the description.
static InFlightDiagnostic errorIn(Operation *op, const Twine &what) {
  return op->emitError("expected ") << "in " << what << " of 'tam.model' ";
}

/// Checks the types of the entries `keys`.
static LogicalResult verifyKeys(Operation *op, const Twine &what,
                                DictionaryAttr row, ArrayRef<Key> keys) {
  for (const Key &key : keys) {
    Attribute attribute = row.get(key.name);
    if (attribute ? hasForm(attribute, key.form) : !key.isRequired)
      continue;
    InFlightDiagnostic error = errorIn(op, what)
                               << nameOf(key.form) << " as '" << key.name
                               << "', got "; // model_c2
    return attribute ? error << attribute : error << "none";
  }
  return success();
}

/// Calls `check(what, row)` for each row of a list.
static LogicalResult forEachRow(
    Operation *op, DictionaryAttr model, StringRef name, ArrayRef<Key> keys,
    llvm::function_ref<LogicalResult(const Twine &, DictionaryAttr)> check =
        nullptr) {
  auto list = model.getAs<ArrayAttr>(name);
  if (!list)
    return success();
  for (auto [index, row] : llvm::enumerate(list.getAsRange<DictionaryAttr>())) {
    std::string what = (name + "[" + Twine(index) + "]").str();
    if (failed(verifyKeys(op, what, row, keys)) ||
        (check && failed(check(what, row))))
      return failure();
  }
  return success();
}

LogicalResult tamc::tam::verifyModel(Operation *op, DictionaryAttr model) {
  if (failed(verifyKeys(op, "the description", model, modelKeys)))
    return failure();
  auto countOf = [&](StringRef name) {
    auto list = model.getAs<ArrayAttr>(name);
    return list ? static_cast<int64_t>(list.size()) : 0;
  };
  auto verifyInput = [&](const Twine &what, DictionaryAttr row) {
    auto grid = row.getAs<DictionaryAttr>("grid");
    return grid ? verifyKeys(op, what, grid, gridKeys) : success();
  };
  auto verifyTable = [&](const Twine &what,
                         DictionaryAttr row) -> LogicalResult {
    auto shape = row.getAs<DenseI64ArrayAttr>("shape");
    if ((shape.size() == 1 || shape.size() == 2) &&
        llvm::all_of(shape.asArrayRef(), [](int64_t n) { return n > 0; }))
      return success();
    return errorIn(op, what) << "a shape of one or two sizes, got " // model_c3
                             << shape;
  };
  auto verifyLearner = [&](const Twine &what,
                           DictionaryAttr row) -> LogicalResult {
    auto sizes = row.getAs<DenseI64ArrayAttr>("sizes");
    if (sizes.size() != 2) // model_c4
      return errorIn(op, what) << "two sizes, got " << sizes;
    auto inputs = row.getAs<DenseI32ArrayAttr>("inputs");
    for (int32_t input : inputs.asArrayRef())
      if (input < 0 || input >= countOf("inputs")) // model_c4
        return errorIn(op, what) << "numbers of inputs, got " << inputs;
    auto integer = [&](StringRef key) {
      auto attribute = row.getAs<IntegerAttr>(key);
      return attribute ? attribute.getInt() : 0;
    };
    int64_t first = integer("first_table"), count = integer("table_count");
    if (first < 0 || count < 0 || count > countOf("tables") ||
        first > countOf("tables") - count) // model_c4
      return errorIn(op, what)
             << "tables that exist, got " << count << " from " << first;
    return success();
  };
  auto verifyAccumulator = [&](const Twine &what,
                               DictionaryAttr row) -> LogicalResult {
    const APInt kind = row.getAs<IntegerAttr>("kind").getValue();
    const bool isKnown = kind.ult(std::size(tamrt::stepDescriptions));
    if (isKnown) { // model_c5
      const auto &step = tamrt::describe(int32_t(kind.getZExtValue()));
      if (step.takesRows() && step.solver != tamrt::StepSolver::None)
        return success();
    }
    return errorIn(op, what) << "the number of steps that add rows to "
                                "accumulators as 'kind', got "
                             << kind.getSExtValue();
  };
  return failure(
      failed(forEachRow(op, model, "inputs", inputKeys, verifyInput)) ||
      failed(forEachRow(op, model, "tables", tableKeys, verifyTable)) ||
      failed(forEachRow(op, model, "learners", learnerKeys, verifyLearner)) ||
      failed(forEachRow(op, model, "effects", effectKeys)) ||
      failed(forEachRow(op, model, kAccumulatorsName, accumulatorKeys,
                        verifyAccumulator)) ||
      failed(forEachRow(op, model, kLevelAccumulatorsName, accumulatorKeys,
                        verifyAccumulator)) ||
      failed(forEachRow(op, model, kSmallBlocksAccumulatorsName,
                        accumulatorKeys, verifyAccumulator)));
}
