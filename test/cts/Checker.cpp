//===- Checker.cpp - results against the reference interpreter -----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Checker.h"

#include "Algebra.h"
#include "ImportText.h"
#include "Inference.h"

#include "core/model/Inference.h"
#include "tamc/Dialect/Tam/IR/Tam.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace tamc;
using namespace tamc::cts;
using namespace tamc::reference;

std::string tamc::cts::specOf(const Subject &subject) {
  return "name: m\nformula: >-\n  " + subject.formula + "\ngroup: g\n" +
         subject.keys;
}

/// The results of predictions, parsed.
struct Checker::Tables {
  Table predictions, terms, design, errors, effectErrors;
};

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

struct Checker::Module {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::string errors;
  OwningOpRef<ModuleOp> op;
  std::unique_ptr<Normalization> normalization;
  /// The groups' rows in the tables of the data, by name.
  std::map<std::string, GroupRows> train, fresh, few, uncertain;
  /// The columns of each effect.
  std::vector<int64_t> columns;
  /// Names of the learnt tables, and whether they are matrices.
  std::vector<std::pair<std::string, bool>> tables;
};

static std::map<std::string, GroupRows>
byName(const Table &table, const std::string &group, const std::string &date) {
  std::map<std::string, GroupRows> found;
  for (GroupRows &rows : groupsOf(table, group, date))
    found[rows.name] = std::move(rows);
  return found;
}

Checker::Checker(const Subject &subject, const Data &data)
    : subject(subject), data(data), module(std::make_unique<Module>()) {
  module->context.loadDialect<func::FuncDialect, tam::TamDialect>();
  module->context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    module->errors += diagnostic.str() + "\n";
  });
  module->op =
      importText(module->context, specOf(subject), data.train, module->errors);
  if (!module->op)
    return;
  Columns columns = columnsOf(*module->op);
  module->normalization = std::make_unique<Normalization>(columns, data.train);
  module->train = byName(data.train, columns.group, columns.date);
  module->fresh = byName(data.fresh, columns.group, columns.date);
  module->few = byName(data.few, columns.group, columns.date);
  module->uncertain = byName(data.uncertain, columns.group, columns.date);
  for (tam::EffectAttr effect : tam::getModel(*module->op).getEffects())
    module->columns.push_back(effect.getColumns());
  for (tam::TableAttr table : tam::getModel(*module->op).getTables())
    module->tables.push_back(
        {table.getName().str(),
         // Integers of rank 1 are a matrix of one column in the module.
         table.getType().getRank() == 2 ||
             table.getType().getElementType().isInteger()});
}

Checker::~Checker() = default;

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

static double largest(const Vector &values) {
  double most = 0;
  for (double value : values)
    most = std::max(most, std::abs(value));
  return most;
}

static std::string differ(const std::string &what, size_t index,
                          double expected, double actual) {
  return what + " " + std::to_string(index) + ": expected " + toText(expected) +
         ", got " + toText(actual);
}

/// A message about the first number that is farther from the expected one than
/// `bound`.
static std::string findFar(const std::string &what, const Vector &expected,
                           const Vector &actual, double bound) {
  if (expected.size() != actual.size())
    return what + ": expected " + std::to_string(expected.size()) +
           " numbers, got " + std::to_string(actual.size());
  for (size_t i = 0; i < expected.size(); ++i)
    if (!(std::abs(expected[i] - actual[i]) <= bound))
      return differ(what, i, expected[i], actual[i]);
  return "";
}

/// The same for each column. The scale of a design is that of its column, and
/// at least one, the scale of what its functions read.
static std::string findFarInDesign(const Matrix &expected, const Matrix &actual,
                                   double tolerance) {
  std::string found;
  for (size_t j = 0; found.empty() && j < expected.columns; ++j) {
    Vector own, its;
    for (size_t i = 0; i < expected.rows; ++i) {
      own.push_back(expected.at(i, j));
      its.push_back(actual.at(i, j));
    }
    found = findFar("design, column " + std::to_string(j) + ", row", own, its,
                    tolerance * std::max(largest(own), 1.0));
  }
  return found;
}

/// The numbers of a group in a table of results, without the group and the
/// date, which are the first `keys` columns.
static Matrix numbersOf(const Table &table, const GroupRows &rows,
                        size_t keys) {
  Matrix numbers(rows.rows.size(), table.names.size() - keys);
  for (size_t i = 0; i < numbers.rows; ++i)
    for (size_t j = 0; j < numbers.columns; ++j)
      numbers.at(i, j) =
          parseNumber(table.rows.at(rows.rows[i]).at(keys + j)).value_or(NAN);
  return numbers;
}

/// A solution is compared by its residual: an error of a sum or of the solver
/// shows there, whatever the condition of A. An equation's scale is |A||x| +
/// |b|, of the equation or of another one, in units of the square root of A's
/// diagonal element.
static std::string checkSolution(const System &system, const Vector &x,
                                 double tolerance, bool isIterative) {
  const size_t n = system.vector.size();
  if (x.size() != n)
    return "expected " + std::to_string(n) + " coefficients, got " +
           std::to_string(x.size());
  Vector sums(n), units(n);
  double scale = 0, norm = 0, residual = 0;
  for (size_t i = 0; i < n; ++i) {
    double size = std::abs(system.vector[i]);
    for (size_t j = 0; j < n; ++j) {
      const double product = system.matrix.at(i, j) * x[j];
      sums[i] += product;
      size += std::abs(product);
    }
    units[i] = std::sqrt(system.matrix.at(i, i));
    scale = std::max(scale, size / units[i]);
    norm += system.vector[i] * system.vector[i];
    residual += (sums[i] - system.vector[i]) * (sums[i] - system.vector[i]);
  }
  // Iterations end when the residual is small beside the right-hand side.
  if (isIterative && std::sqrt(residual) <= tolerance * std::sqrt(norm))
    return "";
  for (size_t i = 0; i < n; ++i)
    if (!(std::abs(sums[i] - system.vector[i]) <= tolerance * scale * units[i]))
      return differ("equation", i, system.vector[i], sums[i]);
  return "";
}

std::string Checker::learn(size_t shape, const Weights &weights, Known &known) {
  const std::string name = std::to_string(shape + 1);
  Group group =
      module->normalization->apply(data.train, module->train.at(name), true);
  group.tables = weights.tables;
  Model model(*module->op);
  if (failed(model.fit(group)))
    return "the reference interpreter failed: " + module->errors;
  known.system = model.system;
  if (subject.hasInference) {
    auto inverse = invertCholesky(known.system.matrix, known.logDeterminant);
    if (!inverse)
      return "the reference interpreter failed to invert a matrix";
    known.inverse = std::move(*inverse);
  }
  if (auto rows = module->few.find(name); rows != module->few.end()) {
    group = module->normalization->apply(data.few, rows->second, false);
    group.tables = weights.tables;
    auto design = model.design(group);
    if (failed(design))
      return "the reference interpreter failed: " + module->errors;
    known.design = std::move(*design);
  }
  return "";
}

std::string Checker::checkFit(size_t shape, const Weights &weights) {
  if (!known[shape]) {
    Known now;
    if (std::string failure = learn(shape, weights, now); !failure.empty())
      return failure;
    known[shape] = std::move(now);
  }
  return checkSolution(known[shape]->system, weights.coefficients[shape],
                       subject.tolerance,
                       subject.keys.find("direct") == std::string::npos &&
                           subject.keys.find("solver") != std::string::npos);
}

/// Each of the numbers within its own bound of the expected one.
static std::string findFar(const std::string &what, const Vector &expected,
                           const Vector &actual, const Vector &bounds) {
  if (expected.size() != actual.size())
    return what + ": expected " + std::to_string(expected.size()) +
           " numbers, got " + std::to_string(actual.size());
  for (size_t i = 0; i < expected.size(); ++i)
    if (!(std::abs(expected[i] - actual[i]) <= bounds[i]))
      return differ(what, i, expected[i], actual[i]);
  return "";
}

/// An inverse is compared by its products with the matrix; the rest with what
/// follows from the interpreter's inverse. Errors grow with the condition.
std::string Checker::checkInference(size_t shape, const Weights &weights) {
  const System &system = known[shape]->system;
  const Matrix &a = system.matrix, &inverse = known[shape]->inverse;
  const size_t n = a.rows;
  const auto rows = static_cast<double>(kShapes[shape]);
  if (weights.edfs.empty() || weights.covariances.empty() ||
      weights.means.empty() || weights.statistics.empty())
    return "expected inference in the weights";
  const Vector &statistics = weights.statistics[shape];
  // Row weights of the steps have the mean 1.
  const double scale = statistics.at(tamrt::kWeight) / rows,
               sigma2 = statistics.at(tamrt::kSigma2) / scale,
               condition = conditionOf(a, inverse),
               tolerance = subject.tolerance + 1e-13 * condition;

  Vector bounds, means(n), meanBounds;
  for (int64_t columns : module->columns)
    bounds.push_back(tolerance * static_cast<double>(columns));
  std::string found = findFar("effective degrees of freedom of effect",
                              tracesOf(inverse, system.gram, module->columns),
                              weights.edfs[shape], bounds);
  for (size_t i = 0; i < n; ++i) {
    means[i] = i == 0 ? 0 : a.at(i, 0) / rows;
    meanBounds.push_back(subject.tolerance *
                         std::sqrt(a.at(i, i) * a.at(0, 0)) / rows);
  }
  if (found.empty())
    found = findFar("mean", means, weights.means[shape], meanBounds);
  if (found.empty())
    found = findFar("log|A|",
                    {known[shape]->logDeterminant +
                     static_cast<double>(n) * std::log(scale)},
                    {statistics[tamrt::kLogDeterminant]},
                    tolerance * static_cast<double>(n));
  if (found.empty())
    found = findFar("condition", {condition}, {statistics[tamrt::kCondition]},
                    tolerance * condition);
  // As many parameters as rows leave no variance.
  if (!found.empty() || !(sigma2 > 0))
    return found;
  const Matrix covariance = symmetricOf(weights.covariances[shape], n);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      double product = 0,
             size = std::sqrt(a.at(i, i) * covariance.at(j, j) / sigma2);
      for (size_t k = 0; k < n; ++k) {
        const double part = a.at(i, k) * covariance.at(k, j) / sigma2;
        product += part;
        size += std::abs(part);
      }
      if (!(std::abs(product - double(i == j)) <= subject.tolerance * size))
        return differ("row " + std::to_string(i) +
                          " of the matrix times its inverse, column",
                      j, double(i == j), product);
    }
  return "";
}

/// Standard errors of rows, by the covariances and the design that the model
/// wrote, which are checked by themselves.
std::string Checker::checkErrors(size_t shape, const Weights &weights,
                                 const Tables &tables) {
  const auto at = module->uncertain.find(std::to_string(shape + 1));
  if (at == module->uncertain.end())
    return "";
  const size_t keys =
      1 + (subject.keys.find("date:") != std::string::npos ? 1 : 0);
  const Matrix design = numbersOf(tables.design,
                                  module->few.at(at->second.name), keys),
               errors = numbersOf(tables.errors, at->second, keys),
               effectErrors = numbersOf(tables.effectErrors, at->second, keys);
  const size_t n = design.columns, effects = module->columns.size();
  if (errors.columns != 2 || effectErrors.columns != 2 * effects)
    return "expected predictions and effects with their standard errors";
  const Vector &beta = weights.coefficients[shape];
  const Matrix v = symmetricOf(weights.covariances[shape], n);
  Matrix sizes = v;
  for (double &value : sizes.values)
    value = std::abs(value);
  Vector mean = weights.means[shape];

  // The squares of errors, with bounds: a small one is a difference of large
  // numbers.
  Vector expected, actual, bounds;
  auto addError = [&](const Vector &x, double error, size_t first, size_t end) {
    Vector size = x;
    for (size_t i = 0; i < n; ++i)
      size[i] = std::abs(x[i]) + std::abs(mean[i]);
    expected.push_back(std::max(quadraticForm(x, v, first, end), 0.0));
    actual.push_back(error * error);
    bounds.push_back(subject.tolerance *
                     quadraticForm(size, sizes, first, end));
  };
  Vector expectedEffects, actualEffects, effectBounds;
  for (size_t row = 0; row < design.rows; ++row) {
    Vector phi(design.values.begin() + row * n,
               design.values.begin() + (row + 1) * n);
    addError(phi, errors.at(row, 1), 0, n);
    // The offset is that of a row whose other effects are centred.
    Vector centred = phi, offset = mean;
    offset[0] = 1;
    addError(offset, effectErrors.at(row, effects), 0, n);
    for (size_t i = 0; i < n; ++i)
      centred[i] -= mean[i];
    size_t first = 0;
    for (size_t j = 0; j < effects; ++j) {
      const size_t end = first + module->columns[j];
      double sum = 0, size = 0;
      const Vector &of = j == 0 ? offset : centred;
      for (size_t i = j == 0 ? 0 : first; i < (j == 0 ? n : end); ++i) {
        sum += of[i] * beta[i];
        size += (std::abs(phi[i]) + std::abs(mean[i])) * std::abs(beta[i]);
      }
      expectedEffects.push_back(sum);
      actualEffects.push_back(effectErrors.at(row, j));
      effectBounds.push_back(subject.tolerance * size);
      if (j > 0)
        addError(centred, effectErrors.at(row, effects + j), first, end);
      first = end;
    }
  }
  std::string found =
      findFar("square of standard error", expected, actual, bounds);
  if (found.empty())
    found =
        findFar("centred effect", expectedEffects, actualEffects, effectBounds);
  return found;
}

std::string Checker::checkPredictions(size_t shape, const Weights &weights,
                                      const Tables &tables) {
  const std::string name = std::to_string(shape + 1);
  const Vector &beta = weights.coefficients[shape];
  const size_t keys =
      1 + (subject.keys.find("date:") != std::string::npos ? 1 : 0);
  Model model(*module->op);
  // The rows of the group among `of`; none if it has no new rows.
  auto group = [&](const Table &of, const GroupRows &rows) {
    Group group = module->normalization->apply(of, rows, false);
    group.tables = weights.tables;
    return group;
  };
  std::string found;
  if (auto at = module->few.find(name); at != module->few.end()) {
    const GroupRows &rows = at->second;
    Group few = group(data.few, rows);
    auto terms = model.terms(few, beta);
    if (failed(terms))
      return "the reference interpreter failed: " + module->errors;
    Matrix its = numbersOf(tables.design, rows, keys);
    const Matrix &design = known[shape]->design;
    if (its.columns != design.columns)
      return "expected a design of " + std::to_string(design.columns) +
             " columns, got " + std::to_string(its.columns);
    found = findFarInDesign(design, its, subject.tolerance);
    if (found.empty())
      found = findFar("effect", terms->values,
                      numbersOf(tables.terms, rows, keys).values,
                      subject.tolerance * largest(terms->values));
  }
  if (auto at = module->fresh.find(name);
      found.empty() && at != module->fresh.end()) {
    auto predictions = model.predict(group(data.fresh, at->second), beta);
    if (failed(predictions))
      return "the reference interpreter failed: " + module->errors;
    found = findFar("prediction", *predictions,
                    numbersOf(tables.predictions, at->second, keys).values,
                    subject.tolerance * largest(*predictions));
  }
  return found;
}

std::map<int, std::string> Checker::check(const Outputs &outputs) {
  if (!module->op)
    return {{-1, "the reference interpreter cannot import the spec: " +
                     module->errors}};
  auto weights = Weights::read(outputs.weights, kShapes.size(), module->tables);
  if (!weights)
    return {{-1, "expected a weights file with coefficients and tables"}};
  Tables tables{parseCsv(outputs.predictions), parseCsv(outputs.terms),
                parseCsv(outputs.design), parseCsv(outputs.errors),
                parseCsv(outputs.effectErrors)};
  if (tables.predictions.rows.size() != data.fresh.rows.size() ||
      tables.terms.rows.size() != data.few.rows.size() ||
      tables.design.rows.size() != data.few.rows.size() ||
      (subject.hasInference &&
       (tables.errors.rows.size() != data.uncertain.rows.size() ||
        tables.effectErrors.rows.size() != data.uncertain.rows.size())))
    return {{-1, "expected a row of results for each new row"}};
  if (known.empty() || weights->tables != learnt)
    known.assign(kShapes.size(), std::nullopt);
  learnt = weights->tables;
  std::map<int, std::string> found;
  for (size_t shape = 0; shape < kShapes.size(); ++shape) {
    std::string message = checkFit(shape, *weights);
    if (message.empty())
      message = checkPredictions(shape, *weights, tables);
    if (message.empty() && subject.hasInference)
      message = checkInference(shape, *weights);
    if (message.empty() && subject.hasInference)
      message = checkErrors(shape, *weights, tables);
    if (!message.empty())
      found[int(shape)] = message;
  }
  return found;
}
