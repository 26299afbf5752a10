//===- Interpreter.cpp - executes functions of the tam dialect --*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Interpreter.h"

#include "Algebra.h"
#include "FeatureMaps.h"
#include "Inference.h"
#include "Layouts.h"
#include "NormalEquations.h"
#include "RowOperands.h"
#include "TensorValues.h"
#include "tamc/Dialect/Tam/IR/Tam.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tamc;
using namespace tamc::reference;

namespace {

/// The execution of one function.
class Execution {
public:
  LogicalResult execute(Operation *op);
  void set(mlir::Value name, Datum value) { values[name] = std::move(value); }
  template <typename T> const T &get(mlir::Value name) {
    return std::get<T>(values.find(name)->second);
  }
  const Datum &getAny(mlir::Value name) { return values.find(name)->second; }

  std::vector<System> systems;

private:
  /// An element of a table, in row-major order.
  double elementOf(mlir::Value table, size_t index) {
    const Datum &datum = getAny(table);
    if (const auto *matrix = std::get_if<Matrix>(&datum))
      return matrix->values[index];
    return std::get<Vector>(datum)[index];
  }
  template <typename T> SmallVector<const T *> getAll(mlir::ValueRange names) {
    return llvm::map_to_vector(names,
                               [&](mlir::Value name) { return &get<T>(name); });
  }
  /// The weights of a sum over rows, null if it has none.
  const Vector *weightsOf(mlir::Value weights) {
    return weights ? &get<Vector>(weights) : nullptr;
  }
  template <typename Op>
  Datum mapRows(Op op, mlir::Value x, const FeatureMap &map);
  Datum mapPoints(mlir::Value points, size_t columns, const PointMap &map);
  void execute(tam::BoundaryOp op);
  void execute(tam::PidOp op);
  LogicalResult execute(tam::RowsOp op);
  LogicalResult finish(Operation *op, Datum value);
  LogicalResult verifyRows(Operation *op);
  LogicalResult verifyRange(Operation *op, mlir::Value design);
  LogicalResult execute(tam::NormalEquationsOp op);
  Datum linearColumns(tam::LinearColumnsOp op);
  Datum squares(tam::SquaresOp op);
  FailureOr<Datum> diagonalFactor(tam::DiagonalFactorOp op);
  Datum expandLevels(tam::ExpandLevelsOp op);
  FailureOr<Datum> gram(tam::GramOp op);
  FailureOr<Datum> rhs(tam::RhsOp op);
  FailureOr<Datum> solve(tam::SolveOp op);
  LogicalResult execute(tam::InverseOp op);
  Datum effectiveDf(tam::EffectiveDfOp op);
  Datum quadraticForms(tam::QuadraticFormsOp op);
  /// Effect `index` of the row: the dot product of the design's row with its
  /// coefficients.
  template <typename Op> double effect(Op op, size_t index, size_t row);

  llvm::DenseMap<mlir::Value, Datum> values;
  /// The matrices of normal equations without their penalties.
  llvm::DenseMap<mlir::Value, Matrix> grams;
};

} // namespace

static Beyond convert(tam::Extrapolate mode) {
  switch (mode) {
  case tam::Extrapolate::Continue:
    return Beyond::Continue;
  case tam::Extrapolate::Constant:
    return Beyond::Constant;
  case tam::Extrapolate::Linear:
    return Beyond::Linear;
  case tam::Extrapolate::Saturation:
    return Beyond::Saturation;
  }
  llvm_unreachable("all modes are listed");
}

template <typename Op>
Datum Execution::mapRows(Op op, mlir::Value x, const FeatureMap &map) {
  const Vector &column = get<Vector>(x);
  Matrix design(column.size(), op.getColumns());
  for (size_t row = 0; row < column.size(); ++row) {
    Vector values = extrapolate(map, convert(op.getExtrapolate()), column[row]);
    for (size_t i = 0; i < values.size(); ++i)
      design.at(row, i) = values[i];
  }
  return design;
}

Datum Execution::mapPoints(mlir::Value points, size_t columns,
                           const PointMap &map) {
  const Matrix &rows = get<Matrix>(points);
  Matrix design(rows.rows, columns);
  for (size_t row = 0; row < rows.rows; ++row) {
    auto begin = rows.values.begin() + row * rows.columns;
    Vector values = map(Vector(begin, begin + rows.columns));
    for (size_t i = 0; i < columns; ++i)
      design.at(row, i) = values[i];
  }
  return design;
}

Datum Execution::linearColumns(tam::LinearColumnsOp op) {
  const size_t columns = op.getInputs().size();
  Matrix design(get<Vector>(op.getInputs().front()).size(), columns);
  for (size_t i = 0; i < columns; ++i) {
    const Vector &values = get<Vector>(op.getInputs()[i]);
    const Vector &p = get<Vector>(op.getParameters()[i]);
    const double scale = op.getScales()[i];
    auto mode = tam::Extrapolate::Continue;
    if (op.getExtrapolate())
      mode = cast<tam::ExtrapolateAttr>((*op.getExtrapolate())[i]).getValue();
    for (size_t row = 0; row < design.rows; ++row)
      design.at(row, i) =
          extrapolate([=](double x) { return linearRow(x, scale); },
                      convert(mode), (values[row] - p[0]) / p[1])[0];
  }
  return design;
}

Datum Execution::squares(tam::SquaresOp op) {
  Vector sums = get<Vector>(op.getAccumulator());
  addSquares(get<Matrix>(op.getA()), weightsOf(op.getWeights()), sums);
  return sums;
}

FailureOr<Datum> Execution::diagonalFactor(tam::DiagonalFactorOp op) {
  size_t pivot = 0;
  auto factor = factorDiagonal(
      op.getSums() ? &get<Vector>(op.getSums()) : nullptr,
      get<Matrix>(op.getPenalty()), get<int64_t>(op.getGroupRows()), &pivot);
  if (!factor)
    return op.emitOpError("expected a positive definite matrix, got pivot ")
           << pivot << " that is not positive";
  return Datum(std::move(*factor));
}

void Execution::execute(tam::BoundaryOp op) {
  const Matrix &points = get<Matrix>(op.getPoints());
  Matrix border = points, inside = points;
  Vector amount(points.rows);
  for (size_t row = 0; row < points.rows; ++row) {
    double square = 0;
    for (size_t i = 0; i < points.columns; ++i) {
      border.at(row, i) = std::clamp(points.at(row, i), -1.0, 1.0);
      square += std::pow(points.at(row, i) - border.at(row, i), 2);
    }
    double r = std::sqrt(square);
    for (size_t i = 0; i < points.columns; ++i) {
      double u = r == 0 ? 0 : (points.at(row, i) - border.at(row, i)) / r;
      inside.at(row, i) = border.at(row, i) - 1e-5 * u;
    }
    if (op.getExtrapolate() == tam::Extrapolate::Linear)
      amount[row] = r;
    else if (op.getExtrapolate() == tam::Extrapolate::Saturation)
      amount[row] = (1 - std::exp(-2 * r)) / 2;
  }
  set(op.getBorder(), border);
  set(op.getInside(), inside);
  set(op.getAmount(), amount);
}

void Execution::execute(tam::PidOp op) {
  Vector carry = get<Vector>(op.getCarry());
  set(op.getResult(), pidRows(get<Vector>(op.getX()), op.getWindow(),
                              get<int64_t>(op.getGroupRows()), carry));
  set(op.getCarried(), carry);
}

static tam::SumsAttr layoutOf(Type type) {
  return dyn_cast_if_present<tam::SumsAttr>(
      cast<RankedTensorType>(type).getEncoding());
}

/// The error for a row for which the op's accumulator has no words.
static LogicalResult refuse(Operation *op, size_t row) {
  return op->emitOpError("expected rows that the accumulator has words for, "
                         "got row ")
         << row;
}

/// Checks the rows of a matrix that `op` sums with itself. A fit's rows are
/// within the range, and `cubic_panels`, which a pass may choose, count on it.
LogicalResult Execution::verifyRange(Operation *op, mlir::Value design) {
  auto spline = design.getDefiningOp<tam::BSplineOp>();
  if (!spline || spline.getDegree() != 3)
    return success();
  const Vector &p = get<Vector>(spline.getParameters());
  for (double x : get<Vector>(spline.getX()))
    if (!(x >= p[2] - 1e-6 && x <= p[3] + 1e-6))
      return op->emitOpError("expected rows within the range of the spline, "
                             "got ")
             << x;
  return success();
}

static auto pointersTo(const std::vector<Matrix> &matrices) {
  return llvm::map_to_vector(
      matrices, [](const Matrix &each) -> const Matrix * { return &each; });
}

LogicalResult Execution::execute(tam::NormalEquationsOp op) {
  for (mlir::Value design : op.getDesigns())
    if (failed(verifyRange(op, design)))
      return failure();
  auto designs = getAll<Matrix>(op.getDesigns());
  const Vector *weights = weightsOf(op.getWeights());
  std::vector<Matrix> sums = sumPairs(designs, weights);
  auto blocks = pointersTo(sums);
  auto penalties = getAll<Matrix>(op.getPenalties());
  auto rows = get<int64_t>(op.getGroupRows());
  grams[op.getMatrix()] =
      normalMatrix(blocks, penalties, rows, /*isPenalized=*/false);
  Matrix matrix = normalMatrix(blocks, penalties, rows);
  Vector vector = sumTarget(designs, get<Vector>(op.getY()), weights);
  set(op.getMatrix(), std::move(matrix));
  set(op.getVector(), std::move(vector));
  return success();
}

FailureOr<Datum> Execution::gram(tam::GramOp op) {
  Matrix sum = get<Matrix>(op.getAccumulator());
  auto spline = op.getA().getDefiningOp<tam::BSplineOp>();
  if (op.getA() == op.getB() && failed(verifyRange(op, op.getA())))
    return failure();
  if (auto row = addThrough(layoutOf(op.getType()), get<Matrix>(op.getA()),
                            get<Matrix>(op.getB()), weightsOf(op.getWeights()),
                            spline ? spline.getIntervals() : 0, sum))
    return refuse(op, *row);
  return Datum(std::move(sum));
}

FailureOr<Datum> Execution::rhs(tam::RhsOp op) {
  const Vector &target = get<Vector>(op.getY());
  Matrix y(target.size(), 1), sum(get<Matrix>(op.getA()).columns, 1);
  y.values = target;
  sum.values = get<Vector>(op.getAccumulator());
  if (auto row = addThrough(layoutOf(op.getType()), get<Matrix>(op.getA()), y,
                            weightsOf(op.getWeights()), 0, sum))
    return refuse(op, *row);
  return Datum(std::move(sum.values));
}

FailureOr<Datum> Execution::solve(tam::SolveOp op) {
  systems.push_back({get<Matrix>(op.getMatrix()), get<Vector>(op.getVector())});
  systems.back().gram = grams.lookup(op.getMatrix());
  size_t pivot = 0;
  auto x = solveCholesky(get<Matrix>(op.getMatrix()),
                         get<Vector>(op.getVector()), &pivot);
  if (!x)
    return op.emitOpError("expected a positive definite matrix, got pivot ")
           << pivot << " that is not positive";
  return Datum(std::move(*x));
}

LogicalResult Execution::execute(tam::InverseOp op) {
  const Matrix &a = get<Matrix>(op.getMatrix());
  size_t pivot = 0;
  double logDeterminant = 0;
  auto inverse = invertCholesky(a, logDeterminant, &pivot);
  if (!inverse)
    return op.emitOpError("expected a positive definite matrix, got pivot ")
           << pivot << " that is not positive";
  Vector numbers{logDeterminant, conditionOf(a, *inverse)};
  set(op.getTriangle(), triangleOf(*inverse));
  set(op.getNumbers(), std::move(numbers));
  return success();
}

Datum Execution::effectiveDf(tam::EffectiveDfOp op) {
  std::vector<Matrix> penalties;
  for (mlir::Value penalty : op.getPenalties())
    penalties.push_back(get<Matrix>(penalty));
  return reference::effectiveDf(get<Vector>(op.getInverse()), penalties,
                                get<int64_t>(op.getGroupRows()),
                                op.getColumns());
}

Datum Execution::quadraticForms(tam::QuadraticFormsOp op) {
  std::vector<Matrix> designs;
  for (mlir::Value design : op.getDesigns())
    designs.push_back(get<Matrix>(design));
  return reference::quadraticForms(designs, get<Vector>(op.getTriangle()));
}

template <typename Op>
double Execution::effect(Op op, size_t index, size_t row) {
  const Matrix &design = get<Matrix>(op.getDesigns()[index]);
  const Vector &beta = get<Vector>(op.getCoefficients()[index]);
  double sum = 0;
  for (size_t i = 0; i < beta.size(); ++i)
    sum += design.at(row, i) * beta[i];
  return sum;
}

/// Executes the body, op by op.
LogicalResult Execution::execute(tam::RowsOp op) {
  Block &body = op.getBody().front();
  for (auto [argument, operand] :
       llvm::zip(body.getArguments(), op->getOperands())) {
    Datum value = getAny(operand);
    set(argument, std::move(value));
  }
  for (Operation &inner : body.without_terminator())
    if (failed(execute(&inner)))
      return failure();
  for (auto [result, value] :
       llvm::zip(op.getResults(), body.getTerminator()->getOperands())) {
    Datum sum = getAny(value);
    set(result, std::move(sum));
  }
  return success();
}

/// The definition: each element is the sum over the levels.
Datum Execution::expandLevels(tam::ExpandLevelsOp op) {
  const Datum &sums = getAny(op.getSums());
  if (const auto *vector = std::get_if<Vector>(&sums)) {
    const Matrix &basis = get<Matrix>(op.getRows());
    Vector result(basis.columns);
    for (size_t level = 0; level < basis.rows; ++level)
      for (size_t i = 0; i < basis.columns; ++i)
        result[i] += basis.at(level, i) * (*vector)[level];
    return result;
  }
  // A side without a matrix is multiplied by the identity.
  auto value = [&](mlir::Value side, size_t level, size_t column) {
    return side ? get<Matrix>(side).at(level, column) : double(level == column);
  };
  const auto &matrix = std::get<Matrix>(sums);
  auto type = cast<RankedTensorType>(op.getType());
  Matrix result(type.getDimSize(0), type.getDimSize(1));
  for (size_t i = 0; i < result.rows; ++i)
    for (size_t j = 0; j < result.columns; ++j)
      for (size_t r = 0; r < matrix.rows; ++r)
        for (size_t c = 0; c < matrix.columns; ++c)
          result.at(i, j) += value(op.getRows(), r, i) * matrix.at(r, c) *
                             value(op.getColumns(), c, j);
  return result;
}

/// Checks that the operands of an op over rows have the same rows.
LogicalResult Execution::verifyRows(Operation *op) {
  const SmallVector<mlir::Value> operands = rowOperandsOf(op);
  auto rowsOf = [&](mlir::Value operand) {
    const Datum &value = getAny(operand);
    const auto *matrix = std::get_if<Matrix>(&value);
    return matrix ? matrix->rows : std::get<Vector>(value).size();
  };
  for (mlir::Value operand : operands)
    if (rowsOf(operand) != rowsOf(operands.front()))
      return op->emitOpError("expected operands of the same rows, got ")
             << rowsOf(operands.front()) << " and " << rowsOf(operand);
  return success();
}

Vector tamc::reference::entriesOf(tam::PenaltyOp op, const Vector &strengths) {
  const size_t entries = op.getRows().size();
  Vector values(entries);
  for (const tam::PenaltyOp::Part &part : op.getPartList()) {
    double value = part.source < 0 ? part.value : values[part.source];
    for (int32_t factor : part.factors)
      value *= strengths[factor];
    if (static_cast<size_t>(part.entry) == values.size())
      values.push_back(0);
    values[part.entry] += value;
  }
  values.resize(entries);
  return values;
}

LogicalResult Execution::execute(Operation *op) {
  if (auto rows = dyn_cast<tam::RowsOp>(op))
    return execute(rows);
  if (failed(verifyRows(op)))
    return failure();
  if (auto boundary = dyn_cast<tam::BoundaryOp>(op)) {
    execute(boundary);
    return success();
  }
  if (auto pid = dyn_cast<tam::PidOp>(op)) {
    execute(pid);
    return success();
  }
  if (auto inverse = dyn_cast<tam::InverseOp>(op))
    return execute(inverse);
  if (auto equations = dyn_cast<tam::NormalEquationsOp>(op))
    return execute(equations);
  FailureOr<Datum> result =
      llvm::TypeSwitch<Operation *, FailureOr<Datum>>(op)
          .Case([&](tam::NormalizeOp op) -> Datum {
            Vector x = get<Vector>(op.getColumn());
            const Vector &p = get<Vector>(op.getParameters());
            for (double &v : x)
              v = (v - p[0]) / p[1];
            return x;
          })
          .Case([&](tam::RegridOp op) -> Datum {
            Vector x = get<Vector>(op.getX());
            double half = get<Vector>(op.getParameters())[1];
            double length =
                op.getStep().convertToDouble() * double(op.getLevels() - 1);
            for (double &v : x)
              v = (v + 1) * half / length * 2 - 1;
            return x;
          })
          .Case([&](tam::GridPointsOp op) -> Datum {
            Vector x(op.getType().getDimSize(0));
            double half = get<Vector>(op.getParameters())[1];
            for (size_t level = 0; level < x.size(); ++level)
              x[level] = std::min(
                  op.getStep().convertToDouble() * double(level) / half - 1,
                  1.0);
            return x;
          })
          .Case([&](tam::OffsetOp op) -> Datum {
            Matrix design(get<int64_t>(op.getRows()), 1);
            for (double &value : design.values)
              value = 1;
            return design;
          })
          .Case([&](tam::LinearOp op) {
            double scale = op.getScale().convertToDouble();
            return mapRows(op, op.getX(),
                           [=](double x) { return linearRow(x, scale); });
          })
          .Case([&](tam::FourierOp op) {
            return mapRows(op, op.getX(), [&](double x) {
              return fourierRow(x, op.getOrder(), op.getCyclic());
            });
          })
          .Case([&](tam::BSplineOp op) {
            const Vector &p = get<Vector>(op.getParameters());
            return mapRows(op, op.getX(), [&](double x) {
              return splineRow(x, op.getIntervals(), op.getDegree(), p[2],
                               p[3]);
            });
          })
          .Case([&](tam::ChebyshevOp op) {
            return mapRows(op, op.getX(), [&](double x) {
              return chebyshevRow(x, op.getDegree());
            });
          })
          .Case([&](tam::AffineOp op) -> Datum {
            const Vector &x = get<Vector>(op.getX());
            Matrix design(x.size(), 0);
            design.columns = 2;
            for (double v : x)
              for (double value : affineRow(v, op.getScale().convertToDouble()))
                design.values.push_back(value);
            return design;
          })
          .Case([&](tam::WaveletOp op) {
            const Vector &range = get<Vector>(op.getRange());
            return mapRows(op, op.getX(), [&](double x) {
              return waveletRow(x, op.getScales(), op.getLocations(), range[0],
                                range[1]);
            });
          })
          .Case([&](tam::StackOp op) -> Datum {
            size_t rows = get<Vector>(op.getColumns().front()).size();
            Matrix points(rows, op.getColumns().size());
            for (size_t row = 0; row < rows; ++row)
              for (size_t i = 0; i < points.columns; ++i)
                points.at(row, i) = get<Vector>(op.getColumns()[i])[row];
            return points;
          })
          .Case([&](tam::ColumnsOp op) -> Datum {
            Matrix all(get<Matrix>(op.getDesigns().front()).rows,
                       op.getColumns());
            size_t first = 0;
            for (Value design : op.getDesigns()) {
              const Matrix &own = get<Matrix>(design);
              for (size_t row = 0; row < own.rows; ++row)
                for (size_t i = 0; i < own.columns; ++i)
                  all.at(row, first + i) = own.at(row, i);
              first += own.columns;
            }
            return all;
          })
          .Case([&](tam::LinearColumnsOp op) { return linearColumns(op); })
          .Case([&](tam::SliceOp op) -> Datum {
            auto type = cast<RankedTensorType>(op.getType());
            const Matrix &points = get<Matrix>(op.getPoints());
            size_t count = type.getRank() == 1 ? 1 : type.getDimSize(1);
            Matrix some(points.rows, count);
            for (size_t row = 0; row < points.rows; ++row)
              for (size_t i = 0; i < count; ++i)
                some.at(row, i) = points.at(row, op.getFirst() + i);
            if (type.getRank() == 1)
              return some.values;
            return some;
          })
          .Case([&](tam::BlendOp op) -> Datum {
            Matrix design = get<Matrix>(op.getBorder());
            const Matrix &inside = get<Matrix>(op.getInside());
            const Vector &amount = get<Vector>(op.getAmount());
            for (size_t row = 0; row < design.rows; ++row)
              for (size_t i = 0; amount[row] != 0 && i < design.columns; ++i)
                design.at(row, i) +=
                    amount[row] *
                    ((design.at(row, i) - inside.at(row, i)) / 1e-5);
            return design;
          })
          .Case([&](tam::NeuralOp op) {
            std::vector<Matrix> weights;
            std::vector<Vector> bias;
            for (auto [w, b] : llvm::zip(op.getWeights(), op.getBias())) {
              weights.push_back(get<Matrix>(w));
              bias.push_back(get<Vector>(b));
            }
            return mapPoints(
                op.getPoints(), op.getColumns(), [&](const Vector &point) {
                  return neuralRow(point, weights, bias,
                                   static_cast<int64_t>(op.getActivation()));
                });
          })
          .Case([&](tam::RadialOp op) {
            return mapPoints(
                op.getPoints(), op.getColumns(), [&](const Vector &point) {
                  return radialRow(point, get<Matrix>(op.getCenters()),
                                   get<Vector>(op.getGamma())[0],
                                   op.getNu().convertToDouble());
                });
          })
          .Case([&](tam::TreeOp op) {
            return mapPoints(
                op.getPoints(), op.getColumns(), [&](const Vector &point) {
                  return treeRow(point, get<Matrix>(op.getFeatures()),
                                 get<Matrix>(op.getThresholds()),
                                 op.getLeaves(), op.getOblivious());
                });
          })
          .Case([&](tam::KroneckerOp op) -> Datum {
            const Matrix &a = get<Matrix>(op.getA());
            const Matrix &b = get<Matrix>(op.getB());
            Matrix design(a.rows, 0);
            design.columns = a.columns * b.columns;
            for (size_t row = 0; row < a.rows; ++row)
              for (size_t i = 0; i < a.columns; ++i)
                for (size_t j = 0; j < b.columns; ++j)
                  design.values.push_back(a.at(row, i) * b.at(row, j));
            return design;
          })
          .Case([&](tam::ConvertOp op) -> Datum {
            return get<Matrix>(op.getA());
          })
          .Case([&](tam::CategoryOp op) -> Datum {
            const Vector &x = get<Vector>(op.getX());
            Matrix design(x.size(), 0);
            design.columns = op.getLevels();
            for (double code : x)
              for (double value : categoryRow(code, op.getLevels()))
                design.values.push_back(value);
            return design;
          })
          .Case([&](tam::LevelsOp op) -> FailureOr<Datum> {
            const Codes &codes = get<Codes>(op.getCodes());
            for (int32_t code : codes)
              if (code >= static_cast<int64_t>(op.getLevels()) ||
                  -1 - code > static_cast<int64_t>(op.getLevels()))
                return op.emitOpError("expected codes of ")
                       << op.getLevels() << " levels, got " << code;
            Matrix design(codes.size(), 0);
            design.columns = op.getLevels();
            for (int32_t code : codes)
              for (double value : levelRow(code, op.getLevels()))
                design.values.push_back(value);
            return Datum(std::move(design));
          })
          .Case([&](tam::ZerosOp op) {
            return zerosOf(cast<RankedTensorType>(op.getType()));
          })
          .Case([&](tam::GramOp op) { return gram(op); })
          .Case([&](tam::GramPairsOp op) -> Datum {
            Vector sums = get<Vector>(op.getAccumulator());
            addPairs(getAll<Matrix>(op.getDesigns()), op.getPairList(),
                     weightsOf(op.getWeights()), sums);
            return sums;
          })
          .Case([&](tam::RhsOp op) { return rhs(op); })
          .Case([&](tam::SquaresOp op) { return squares(op); })
          .Case([&](tam::MarginalOp op) -> Datum {
            SmallVector<int64_t> rows = op.getRowMap();
            SmallVector<int64_t> columns = op.getColumnMap();
            Datum sum = zerosOf(cast<RankedTensorType>(op.getType()));
            for (size_t r = 0; r < rows.size(); ++r) {
              if (auto *vector = std::get_if<Vector>(&sum)) {
                (*vector)[rows[r]] += get<Vector>(op.getSums())[r];
                continue;
              }
              for (size_t c = 0; c < columns.size(); ++c) {
                size_t row = rows[r], column = columns[c];
                if (op.getTransposed())
                  std::swap(row, column);
                std::get<Matrix>(sum).at(row, column) +=
                    get<Matrix>(op.getSums()).at(r, c);
              }
            }
            return sum;
          })
          .Case(
              [&](tam::ExpandLevelsOp op) -> Datum { return expandLevels(op); })
          .Case([&](tam::PenaltyOp op) -> Datum {
            Matrix p(op.getType().getDimSize(0), op.getType().getDimSize(0));
            const Vector values =
                entriesOf(op, op.getStrengths() ? get<Vector>(op.getStrengths())
                                                : Vector());
            for (size_t i = 0; i < values.size(); ++i) {
              int32_t row = op.getRows()[i], column = op.getColumns()[i];
              double value = values[i];
              if (int32_t table = op.getTableOf(i); table >= 0)
                value *=
                    elementOf(op.getWeights()[table], (*op.getElement())[i]);
              p.at(row, column) += value;
              if (row != column)
                p.at(column, row) += value;
            }
            return p;
          })
          .Case([&](tam::NormalMatrixOp op) -> Datum {
            auto penalties = getAll<Matrix>(op.getPenalties());
            const std::vector<Matrix> blocks =
                allBlocks(getAll<Matrix>(op.getBlocks()), op.getPairList(),
                          op.getPairs() ? get<Vector>(op.getPairs()) : Vector(),
                          penalties);
            auto sums = pointersTo(blocks);
            auto rows = get<int64_t>(op.getGroupRows());
            grams[op.getResult()] =
                normalMatrix(sums, penalties, rows, /*isPenalized=*/false);
            return normalMatrix(sums, penalties, rows);
          })
          .Case([&](tam::NormalVectorOp op) -> Datum {
            Vector b;
            for (mlir::Value block : op.getBlocks())
              for (double value : get<Vector>(block))
                b.push_back(value);
            return b;
          })
          .Case([&](tam::NormalProductOp op) -> Datum {
            return normalProduct(
                getAll<Vector>(op.getSums()), getAll<Matrix>(op.getPenalties()),
                get<int64_t>(op.getGroupRows()), get<Vector>(op.getVector()));
          })
          .Case([&](tam::SolveOp op) { return solve(op); })
          .Case([&](tam::FactorOp op) -> FailureOr<Datum> {
            size_t pivot = 0;
            auto l = factorCholesky(get<Matrix>(op.getMatrix()), &pivot);
            if (!l)
              return op.emitOpError("expected a positive definite matrix, got "
                                    "pivot ")
                     << pivot << " that is not positive";
            return Datum(std::move(*l));
          })
          .Case([&](tam::FactorSolveOp op) -> Datum {
            return solveFactored(get<Matrix>(op.getFactor()),
                                 get<Vector>(op.getVector()));
          })
          .Case([&](tam::DiagonalFactorOp op) { return diagonalFactor(op); })
          .Case([&](tam::DiagonalSolveOp op) -> Datum {
            Vector x = get<Vector>(op.getVector());
            const Vector &factor = get<Vector>(op.getFactor());
            for (size_t i = 0; i < x.size(); ++i)
              x[i] *= factor[i] * factor[i];
            return x;
          })
          .Case([&](tam::ColumnMeansOp op) -> Datum {
            return columnMeans(get<Matrix>(op.getMatrix()),
                               get<int64_t>(op.getGroupRows()));
          })
          .Case([&](tam::EffectiveDfOp op) { return effectiveDf(op); })
          .Case([&](tam::QuadraticFormsOp op) { return quadraticForms(op); })
          .Case([&](tam::PredictOp op) -> Datum {
            Vector y = op.getStart()
                           ? get<Vector>(op.getStart())
                           : Vector(get<Matrix>(op.getDesigns()[0]).rows);
            for (size_t row = 0; row < y.size(); ++row)
              for (size_t i = 0; i < op.getDesigns().size(); ++i)
                y[row] += effect(op, i, row);
            return y;
          })
          .Case([&](tam::DecomposeOp op) -> Datum {
            Matrix terms(get<Matrix>(op.getDesigns()[0]).rows,
                         op.getDesigns().size());
            for (size_t row = 0; row < terms.rows; ++row)
              for (size_t i = 0; i < terms.columns; ++i)
                terms.at(row, i) = effect(op, i, row);
            return terms;
          })
          .Case([&](tam::DesignOp op) -> Datum {
            size_t rows = get<Matrix>(op.getDesigns()[0]).rows;
            Matrix whole(rows, 0);
            for (size_t row = 0; row < rows; ++row)
              for (mlir::Value design : op.getDesigns())
                for (size_t i = 0; i < get<Matrix>(design).columns; ++i)
                  whole.values.push_back(get<Matrix>(design).at(row, i));
            whole.columns = op.getType().getDimSize(1);
            return whole;
          })
          .Default([](Operation *op) -> FailureOr<Datum> {
            return op->emitOpError("expected an op of the tam dialect");
          });
  if (failed(result))
    return failure();
  return finish(op, std::move(*result));
}

/// Sets the op's result to `value`, reduced to what its type can represent.
LogicalResult Execution::finish(Operation *op, Datum value) {
  Type type = op->getResult(0).getType();
  if (!fits(value, type))
    return op->emitOpError("expected a value of ") << type;
  if (auto *matrix = std::get_if<Matrix>(&value)) {
    if (auto layout = layoutOf(type))
      reduceTo(layout, *matrix);
    else if (auto row = findMisfit(*matrix,
                                   cast<RankedTensorType>(type).getEncoding()))
      return op->emitOpError("expected rows that ")
             << type << " can hold, got row " << *row;
  }
  set(op->getResult(0), std::move(value));
  return success();
}

FailureOr<std::vector<Datum>>
tamc::reference::interpret(func::FuncOp function, ArrayRef<Datum> arguments,
                           std::vector<System> *systems) {
  if (!function.getBody().hasOneBlock())
    return function.emitError("expected a body of one block");
  if (arguments.size() != function.getNumArguments())
    return function.emitError("expected ")
           << function.getNumArguments() << " arguments, got "
           << arguments.size();
  Execution execution;
  for (auto [index, value] : llvm::enumerate(arguments)) {
    BlockArgument argument = function.getArgument(index);
    if (!fits(value, argument.getType()))
      return function.emitError("expected argument ")
             << index << " to fit " << argument.getType();
    execution.set(argument, value);
  }
  for (Operation &op : function.getBody().front().without_terminator())
    if (failed(execution.execute(&op)))
      return failure();
  std::vector<Datum> results;
  for (mlir::Value result :
       function.getBody().front().getTerminator()->getOperands())
    results.push_back(execution.getAny(result));
  if (systems)
    *systems = std::move(execution.systems);
  return results;
}
