//===- Sample.cpp - what a module computes on some rows -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Sample.h"

#include "Algebra.h"
#include "Inference.h"
#include "Normalization.h"
#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamrt/steps.h"

#include "mlir/IR/Builders.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace tamc;
using namespace tamc::reference;

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

/// Numbers for a table that the model would learn, by what reads it.
static Datum randomTable(mlir::Value table, Random &random) {
  auto type = cast<RankedTensorType>(table.getType());
  double lo = -1, hi = 1;
  int64_t features = 0;
  bool isRange = false;
  for (Operation *user : table.getUsers()) {
    if (isa<tam::PenaltyOp>(user) ||
        (isa<tam::RadialOp>(user) && user->getOperand(2) == table)) {
      lo = 0.5;
      hi = 2;
    }
    isRange |= isa<tam::WaveletOp>(user);
    if (auto tree = dyn_cast<tam::TreeOp>(user))
      features =
          cast<RankedTensorType>(tree.getPoints().getType()).getDimSize(1);
  }
  Vector values(type.getNumElements());
  for (double &value : values)
    value = type.getElementType().isInteger(32)
                ? static_cast<double>(
                      random.integer(0, std::max<int64_t>(features, 1) - 1))
                : random.uniform(lo, hi);
  if (isRange)
    std::sort(values.begin(), values.end());
  if (type.getRank() == 1)
    return values;
  Matrix matrix(type.getDimSize(0), type.getDimSize(1));
  matrix.values = values;
  return matrix;
}

Sample tamc::reference::makeSample(ModuleOp module, const Table &train,
                                   const Table &fresh, Random &random) {
  Columns columns = columnsOf(module);
  Normalization normalization(columns, train);
  Sample sample;
  for (const GroupRows &rows : groupsOf(train, columns.group, columns.date)) {
    sample.training.push_back(normalization.apply(train, rows, true));
  }
  for (const GroupRows &rows : groupsOf(fresh, columns.group, columns.date))
    sample.fresh.push_back(normalization.apply(fresh, rows, false));
  std::map<int64_t, Datum> tables;
  for (auto function : module.getOps<func::FuncOp>())
    for (BlockArgument argument : function.getArguments()) {
      tam::SlotAttr slot =
          tam::getArgumentSlot(function, argument.getArgNumber());
      if (slot && slot.getKind() == tam::SlotKind::Table &&
          !tables.contains(slot.getOffset()))
        tables[slot.getOffset()] = randomTable(argument, random);
    }
  for (auto *groups : {&sample.training, &sample.fresh})
    for (Group &group : *groups)
      for (auto &[index, table] : tables) {
        group.tables.resize(index + 1);
        group.tables[index] = table;
      }
  sample.coefficients.resize(tam::getModel(module).getColumns());
  for (double &value : sample.coefficients)
    value = random.normal();
  sample.triangle.resize(
      tamrt::triangleSize(tam::getModel(module).getColumns()));
  for (double &value : sample.triangle)
    value = random.normal();
  for (tam::EffectAttr effect : tam::getModel(module).getEffects())
    sample.columns.push_back(effect.getColumns());
  return sample;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The functions that solve, and the suffix of their names in results for their
/// normal equations.
static constexpr llvm::StringLiteral kFits[] = {"fit", "fit_by_levels"};
static constexpr llvm::StringLiteral kMatrix = ".matrix", kVector = ".vector",
                                     kGram = ".gram", kInference = ".inference";

FailureOr<Results> Results::of(ModuleOp module, const Sample &sample,
                               int64_t chunkRows) {
  Model model(module);
  Results results;
  results.coefficients = sample.coefficients;
  results.columns = sample.columns;
  for (const Group &group : sample.training)
    results.groupRows.push_back(static_cast<double>(group.rows));
  bool isWhole = true;
  auto add = [&](const std::string &name, FailureOr<Vector> value) {
    isWhole &= succeeded(value);
    if (isWhole)
      results.values[name].push_back(std::move(*value));
  };
  for (const Group &group : sample.training) {
    for (StringRef fit : kFits)
      if (model.has(fit)) {
        Model::State state;
        add(fit.str(), model.reduce(fit, group, chunkRows, {}, state));
        add((fit + kMatrix).str(), model.system.matrix.values);
        add((fit + kVector).str(), model.system.vector);
        add((fit + kGram).str(), model.system.gram.values);
        if (model.infers(fit))
          add((fit + kInference).str(), model.infer(fit, group, chunkRows));
      }
    if (!model.has("cg"))
      continue;
    Model::State state;
    add("cg", model.reduce("cg", group, chunkRows, {}, state));
    add("apply",
        model.reduce("apply", group, chunkRows, sample.coefficients, state));
    add("precondition", model.precondition(group, sample.coefficients, state));
    if (!model.has("cg_small_blocks"))
      continue;
    Model::State small;
    add("cg_small_blocks",
        model.reduce("cg_small_blocks", group, chunkRows, {}, small));
    // A product does not change the factors, which are read after it.
    add("apply_small_blocks",
        model.reduce("apply", group, chunkRows, sample.coefficients, small));
    add("precondition_small_blocks",
        model.precondition(group, sample.coefficients, small,
                           "precondition_small_blocks"));
  }
  auto valuesOf = [](FailureOr<Matrix> matrix) -> FailureOr<Vector> {
    if (failed(matrix))
      return failure();
    return std::move(matrix->values);
  };
  for (const Group &group : sample.fresh) {
    add("predict", model.predict(group, sample.coefficients));
    add("terms", valuesOf(model.terms(group, sample.coefficients)));
    add("design", valuesOf(model.design(group)));
    if (model.has("variances"))
      add("variances", valuesOf(model.variances(group, sample.triangle)));
  }
  if (!isWhole)
    return failure();
  return results;
}

/// The first index at which `actual` differs from `expected` by more than
/// `bound` of the index.
static std::string findFar(const std::string &name, const Vector &expected,
                           const Vector &actual,
                           llvm::function_ref<double(size_t)> bound) {
  if (expected.size() != actual.size())
    return name + ": expected " + std::to_string(expected.size()) +
           " numbers, got " + std::to_string(actual.size());
  for (size_t i = 0; i < expected.size(); ++i)
    if (!(std::abs(expected[i] - actual[i]) <= bound(i)))
      return name + " " + std::to_string(i) + ": expected " +
             toText(expected[i]) + ", got " + toText(actual[i]);
  return "";
}

static std::string findFar(const std::string &name, const Vector &expected,
                           const Vector &actual, double tolerance) {
  double most = 1e-300;
  for (double value : expected)
    most = std::max(most, std::abs(value));
  return findFar(name, expected, actual,
                 [&](size_t) { return tolerance * most; });
}

/// A v.
static Vector multiply(const Vector &a, const Vector &v) {
  Vector product(v.size());
  for (size_t i = 0; i < v.size(); ++i)
    for (size_t j = 0; j < v.size(); ++j)
      product[i] += a[i * v.size() + j] * v[j];
  return product;
}

/// Compares what a fit returns for inference with what follows from the
/// matrices A and Gram of another one, by the definitions: the lower triangle
/// of the inverse X of A by its product with A; the traces of the effects'
/// blocks of X Gram; the means; log|A| and the condition number.
std::string Results::checkInference(const std::string &name, size_t group,
                                    const Vector &results) const {
  const size_t n = coefficients.size(), effects = columns.size(),
               triangle = tamrt::triangleSize(static_cast<int64_t>(n));
  if (results.size() != triangle + effects + n + 2)
    return name +
           ": expected an inverse, numbers of effects, means and two "
           "numbers, got " +
           std::to_string(results.size()) + " numbers";
  Matrix a(n, n), gram(n, n);
  a.values = values.at("fit.matrix")[group];
  gram.values = values.at("fit.gram")[group];
  if (a.values.size() != n * n || gram.values.size() != n * n)
    return name + ": expected a matrix of all columns, assembled of sums";
  const auto edf = results.begin() + triangle, means = edf + effects,
             numbers = means + n;
  const Matrix inverse = symmetricOf(Vector(results.begin(), edf), n);
  const double condition = conditionOf(a, inverse);
  // Below the smallest normal number, each of the products that a number sums
  // is off by up to the least double, however small it is.
  const double least =
      std::numeric_limits<double>::denorm_min() * static_cast<double>(n);
  // What rounding changes in X = inv(L)' inv(L) is in proportion to the
  // absolute values of the products that a number sums, not to the number
  // itself: to at most the root of the product of the diagonal's (Higham,
  // Accuracy and Stability of Numerical Algorithms, 14.3).
  Vector roots(n);
  for (size_t k = 0; k < n; ++k)
    roots[k] = std::sqrt(inverse.at(k, k));
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      double product = 0, size = 0, lost = 0;
      for (size_t k = 0; k < n; ++k) {
        product += a.at(i, k) * inverse.at(k, j);
        size += std::abs(a.at(i, k)) * roots[k] * roots[j];
        lost += least * (1 + std::abs(a.at(i, k)));
      }
      if (!(std::abs(product - double(i == j)) <= 1e-13 * size + lost))
        return name + ": expected an inverse, got " + toText(product) +
               " in row " + std::to_string(i) + ", column " + std::to_string(j);
    }
  double logDeterminant = 0;
  const auto exact = invertCholesky(a, logDeterminant);
  if (!exact)
    return name + ": expected a positive definite matrix";
  const double tolerance = 1e-9 + 1e-13 * condition;
  std::string found = findFar(
      name + ", effect", tracesOf(*exact, gram, columns), Vector(edf, means),
      [&](size_t i) { return tolerance * static_cast<double>(columns[i]); });
  Vector expected(n);
  for (size_t i = 1; i < n; ++i)
    expected[i] = a.at(i, 0) / groupRows[group];
  if (found.empty())
    found = findFar(
        name + ", mean", expected, Vector(means, numbers), [&](size_t i) {
          return 1e-10 * std::sqrt(a.at(i, i) * a.at(0, 0)) / groupRows[group];
        });
  if (found.empty())
    found = findFar(name + ", number", {logDeterminant, conditionOf(a, *exact)},
                    Vector(numbers, results.end()), [&](size_t i) {
                      return i == 0 ? tolerance * static_cast<double>(n)
                                    : tolerance * condition;
                    });
  return found;
}

std::string Results::findDifference(const Results &other) const {
  std::string found;
  auto compare = [&](const std::string &name, const std::string &to,
                     double tolerance) {
    auto own = values.find(name), its = other.values.find(to);
    if (!found.empty() || own == values.end() || its == other.values.end())
      return;
    for (size_t i = 0; found.empty() && i < own->second.size(); ++i)
      found = findFar(to, own->second[i], its->second[i], tolerance);
  };
  bool hasFit = false;
  for (const auto &[name, fits] : other.values) {
    hasFit |= name == "fit" || name == "cg";
    if (!found.empty() || !values.contains("fit.matrix") ||
        !other.values.contains(name + kMatrix.str()))
      continue;
    const auto &matrices = values.at("fit.matrix");
    const auto &vectors = values.at("fit.vector");
    for (size_t g = 0; found.empty() && g < fits.size(); ++g) {
      const Vector &a = matrices[g];
      size_t n = vectors[g].size();
      if (a.size() != n * n || fits[g].size() != n) {
        found = name + ": expected " + std::to_string(n) + " unknowns";
        continue;
      }
      found = findFar(name + kMatrix.str(), a,
                      other.values.at(name + kMatrix.str())[g], [&](size_t i) {
                        size_t row = i / n, column = i % n;
                        return 1e-10 * std::sqrt(a[row * n + row] *
                                                 a[column * n + column]);
                      });
      if (found.empty())
        found = findFar(name + kVector.str(), vectors[g],
                        other.values.at(name + kVector.str())[g], 1e-10);
      // A solution is checked only by its residual.
      if (found.empty())
        found = findFar(name, vectors[g], multiply(a, fits[g]), 1e-7);
      if (auto its = other.values.find(name + kInference.str());
          found.empty() && its != other.values.end())
        found = checkInference(its->first, g, its->second[g]);
    }
  }
  if (!hasFit && found.empty() && values.contains("fit"))
    found = "expected a fit";
  compare("fit.vector", "cg", 1e-10);
  if (auto its = other.values.find("apply");
      its != other.values.end() && values.contains("fit.matrix"))
    for (size_t g = 0; found.empty() && g < its->second.size(); ++g) {
      const Vector &a = values.at("fit.matrix")[g];
      if (a.size() == coefficients.size() * coefficients.size())
        found =
            findFar("apply", multiply(a, coefficients), its->second[g], 1e-10);
      else
        found = "apply: expected a matrix of all coefficients";
    }
  compare("cg", "cg", 1e-10);
  compare("cg", "cg_small_blocks", 1e-10);
  compare("cg_small_blocks", "cg_small_blocks", 1e-10);
  compare("precondition_small_blocks", "precondition_small_blocks", 1e-5);
  compare("apply", "apply", 1e-10);
  compare("apply", "apply_small_blocks", 1e-10);
  compare("precondition", "precondition", 1e-5);
  for (const char *name : {"predict", "terms", "design", "variances"})
    compare(name, name, 1e-10);
  return found;
}
