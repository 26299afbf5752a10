//===- Model.cpp - runs the functions of a model by their slots -*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Interpreter.h"
#include "TensorValues.h"

#include "tamc/Dialect/Tam/IR/Tam.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace tamc;
using namespace tamc::reference;
using tam::SlotKind;

/// Numbers `bytes` bytes into a block.
static std::optional<Vector> numbersAt(const Vector &block, int64_t bytes,
                                       int64_t count) {
  int64_t first = bytes / int64_t(sizeof(double));
  if (first < 0 || first + count > static_cast<int64_t>(block.size()))
    return std::nullopt;
  return Vector(block.begin() + first, block.begin() + first + count);
}

/// Rows first..first+rows-1 of a column.
static std::optional<Datum> slice(const Datum &column, int64_t first,
                                  int64_t rows) {
  return std::visit(
      [&](const auto &values) -> std::optional<Datum> {
        using T = std::decay_t<decltype(values)>;
        if constexpr (std::is_same_v<T, Vector> || std::is_same_v<T, Codes>)
          if (first + rows <= static_cast<int64_t>(values.size()))
            return T(values.begin() + first, values.begin() + first + rows);
        return std::nullopt;
      },
      column);
}

/// Appends the numbers of a vector or a matrix; false for other values.
static bool append(Vector &numbers, const Datum &part) {
  if (auto *vector = std::get_if<Vector>(&part))
    llvm::append_range(numbers, *vector);
  else if (auto *matrix = std::get_if<Matrix>(&part))
    llvm::append_range(numbers, matrix->values);
  else
    return false;
  return true;
}

/// What was stored at that offset of a state; where a step stored numbers from
/// an earlier offset on, and all of the value's are zero, a value of zeros.
static std::optional<Datum> stateAt(const Model::State &state, int64_t offset,
                                    RankedTensorType type) {
  auto it = state.upper_bound(offset);
  if (it == state.begin())
    return std::nullopt;
  const auto &[start, value] = *--it;
  if (start == offset && fits(value, type))
    return value;
  const auto *numbers = std::get_if<Vector>(&value);
  if (start < 0 || !numbers)
    return std::nullopt;
  tam::EncodingInterface encoding = tam::getEncoding(type);
  auto own =
      numbersAt(*numbers, offset - start,
                (encoding ? encoding.getComponentTypes(type).front() : type)
                    .getNumElements());
  if (!own || llvm::any_of(*own, [](double number) { return number != 0; }))
    return std::nullopt;
  return zerosOf(type);
}

/// Stores what a step returns; numbers replace what was stored in their place.
static void store(Model::State &state, int64_t offset, Datum value) {
  if (const auto *numbers = std::get_if<Vector>(&value))
    state.erase(
        state.lower_bound(offset),
        state.lower_bound(offset + int64_t(numbers->size() * sizeof(double))));
  state[offset] = std::move(value);
}

FailureOr<func::FuncOp> Model::lookup(StringRef name) {
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (!function)
    return module.emitError("expected a function @") << name;
  return function;
}

/// Keys of carries in the state, which are separate from the sums with the same
/// offsets.
static int64_t carryKey(int64_t offset) { return -1 - offset; }

FailureOr<Datum> Model::run(func::FuncOp function, const Group &group,
                            int64_t first, int64_t rows,
                            const Vector &coefficients, State &state,
                            SlotKind kind) {
  std::vector<Datum> arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    tam::SlotAttr slot = tam::getArgumentSlot(function, i);
    if (!slot)
      return function.emitError("expected a slot of argument ") << i;
    int64_t offset = slot.getOffset();
    auto tensor = dyn_cast<RankedTensorType>(function.getArgumentTypes()[i]);
    std::optional<Datum> value;
    switch (slot.getKind()) {
    case SlotKind::Rows:
    case SlotKind::Capacity:
      value = rows;
      break;
    case SlotKind::First:
      value = first;
      break;
    case SlotKind::GroupRows:
      value = group.rows;
      break;
    case SlotKind::Column:
      if (offset < static_cast<int64_t>(group.columns.size()))
        value = slice(group.columns[offset], first, rows);
      break;
    case SlotKind::Parameters:
      value = numbersAt(group.parameters, offset, tensor.getNumElements());
      break;
    case SlotKind::Coefficients:
      value = numbersAt(coefficients, offset, tensor.getNumElements());
      break;
    case SlotKind::State:
      value = stateAt(state, offset, tensor);
      break;
    case SlotKind::Carry: {
      // Zeros before the first row.
      auto it = state.find(carryKey(offset));
      value = it != state.end() ? it->second : Vector(tensor.getNumElements());
      break;
    }
    case SlotKind::Table:
      if (offset < static_cast<int64_t>(group.tables.size()))
        value = group.tables[offset];
      break;
    case SlotKind::Output:
    case SlotKind::Arena:
    case SlotKind::Inference:
    case SlotKind::System:
      break;
    }
    if (!value)
      return function.emitError("expected data for argument ")
             << i << ", " << slot;
    arguments.push_back(std::move(*value));
  }
  std::vector<System> systems;
  auto results = interpret(function, arguments, &systems);
  if (failed(results))
    return failure();
  if (!systems.empty())
    system = std::move(systems.back());
  Datum output = int64_t(0);
  for (auto [index, value] : llvm::enumerate(*results)) {
    tam::SlotAttr slot = tam::getResultSlot(function, index);
    if (!slot)
      return function.emitError("expected a slot of result ") << index;
    if (slot.getKind() == SlotKind::State)
      store(state, slot.getOffset(), std::move(value));
    else if (slot.getKind() == SlotKind::Carry)
      state[carryKey(slot.getOffset())] = std::move(value);
    else if (slot.getKind() != kind)
      continue;
    else if (slot.getOffset() == 0)
      output = std::move(value);
    else if (Vector all; append(all, output) && append(all, value))
      output = std::move(all);
    else
      return function.emitError("expected parts of an output of rank 1 or 2");
  }
  return output;
}

/// `value` as a T, an error at `function` if it is none.
template <typename T>
static FailureOr<T> expect(func::FuncOp function, FailureOr<Datum> value) {
  if (failed(value))
    return failure();
  if (!std::holds_alternative<T>(*value))
    return function.emitError("expected an output of another rank");
  return std::get<T>(std::move(*value));
}

FailureOr<Vector> Model::reduce(StringRef name, const Group &group,
                                int64_t chunkRows, const Vector &coefficients,
                                State &state) {
  return reduce(name, group, chunkRows, coefficients, state, SlotKind::Output,
                "_finish");
}

bool Model::infers(StringRef name) {
  auto whole = module.lookupSymbol<func::FuncOp>(name);
  if (!whole)
    return module.lookupSymbol((name + "_infer").str());
  for (unsigned i = 0; i < whole.getNumResults(); ++i)
    if (tam::SlotAttr slot = tam::getResultSlot(whole, i);
        slot && slot.getKind() == SlotKind::Inference)
      return true;
  return false;
}

FailureOr<Vector> Model::infer(StringRef name, const Group &group,
                               int64_t chunkRows) {
  State state;
  return reduce(name, group, chunkRows, {}, state,
                module.lookupSymbol(name) ? SlotKind::Inference
                                          : SlotKind::Output,
                "_infer");
}

FailureOr<Vector> Model::reduce(StringRef name, const Group &group,
                                int64_t chunkRows, const Vector &coefficients,
                                State &state, SlotKind kind, StringRef last) {
  // The carry is dropped after the last row.
  state.erase(state.begin(), state.lower_bound(0));
  if (auto whole = module.lookupSymbol<func::FuncOp>(name))
    return expect<Vector>(
        whole, run(whole, group, 0, group.rows, coefficients, state, kind));
  auto init = lookup((name + "_init").str());
  auto chunk = lookup((name + "_chunk").str());
  auto finish = lookup((name + last).str());
  if (failed(init) || failed(chunk) || failed(finish) ||
      failed(run(*init, group, 0, 0, coefficients, state)))
    return failure();
  int64_t step = chunkRows > 0 ? chunkRows : std::max<int64_t>(group.rows, 1);
  for (int64_t first = 0; first < group.rows; first += step)
    if (failed(run(*chunk, group, first, std::min(step, group.rows - first),
                   coefficients, state)))
      return failure();
  return expect<Vector>(
      *finish, run(*finish, group, 0, group.rows, coefficients, state, kind));
}

bool Model::has(StringRef name) {
  return module.lookupSymbol(name) ||
         module.lookupSymbol((name + "_init").str());
}

FailureOr<Vector> Model::precondition(const Group &group, const Vector &r,
                                      State &state, StringRef name) {
  auto function = lookup(name);
  if (failed(function))
    return failure();
  return expect<Vector>(*function, run(*function, group, 0, 0, r, state));
}

static double dot(const Vector &a, const Vector &b) {
  long double sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += static_cast<long double>(a[i]) * b[i];
  return static_cast<double>(sum);
}

/// Textbook conjugate gradients, until the residual is negligible.
FailureOr<Vector> Model::fitByCg(const Group &group, int64_t chunkRows) {
  State state;
  auto b = reduce("cg", group, chunkRows, {}, state);
  if (failed(b))
    return failure();
  Vector x(b->size()), r = *b, p;
  double before = 0, end = 1e-12 * std::sqrt(dot(*b, *b));
  for (size_t i = 0; i < 100 * b->size() && std::sqrt(dot(r, r)) > end; ++i) {
    auto z = precondition(group, r, state);
    if (failed(z))
      return failure();
    double now = dot(r, *z);
    p.resize(r.size());
    for (size_t k = 0; k < p.size(); ++k)
      p[k] = (*z)[k] + (i == 0 ? 0 : now / before) * p[k];
    before = now;
    auto q = reduce("apply", group, chunkRows, p, state);
    if (failed(q))
      return failure();
    double alpha = now / dot(p, *q);
    for (size_t k = 0; k < p.size(); ++k) {
      x[k] += alpha * p[k];
      r[k] -= alpha * (*q)[k];
    }
  }
  return x;
}

FailureOr<Vector> Model::fit(const Group &group, int64_t chunkRows) {
  State state;
  if (!has("fit") && has("precondition"))
    return fitByCg(group, chunkRows);
  return reduce("fit", group, chunkRows, {}, state);
}

FailureOr<Vector> Model::predict(const Group &group,
                                 const Vector &coefficients) {
  State state;
  auto function = lookup("predict");
  if (failed(function))
    return failure();
  return expect<Vector>(
      *function, run(*function, group, 0, group.rows, coefficients, state));
}

FailureOr<Matrix> Model::terms(const Group &group, const Vector &coefficients) {
  State state;
  auto function = lookup("terms");
  if (failed(function))
    return failure();
  return expect<Matrix>(
      *function, run(*function, group, 0, group.rows, coefficients, state));
}

FailureOr<Matrix> Model::design(const Group &group) {
  State state;
  auto function = lookup("design");
  if (failed(function))
    return failure();
  return expect<Matrix>(*function,
                        run(*function, group, 0, group.rows, {}, state));
}

FailureOr<Matrix> Model::variances(const Group &group, const Vector &triangle) {
  State state;
  auto function = lookup("variances");
  if (failed(function))
    return failure();
  return expect<Matrix>(*function,
                        run(*function, group, 0, group.rows, triangle, state));
}
