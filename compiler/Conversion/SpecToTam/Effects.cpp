//===- Effects.cpp - feature maps of terms ----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Effects.h"

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "llvm/ADT/StringSwitch.h"

#include <numbers>

using namespace mlir;
using namespace tamc;
using spec::Term;
using spec::TermKind;

std::string tamc::missingKernels(const Term &term) {
  for (const Term &factor : term.factors)
    if (std::string missing = missingKernels(factor); !missing.empty())
      return missing;
  bool hasSlope = term.extrapolate == spec::Extrapolate::Linear ||
                  term.extrapolate == spec::Extrapolate::Saturation;
  if (term.kind == TermKind::Tree && !isOblivious(term) &&
      !term.others.empty() && hasSlope)
    return "no kernels yet for flat trees of several features with "
           "extrapolate='linear' or 'saturation', expected 'continue' or "
           "'constant'";
  return "";
}

static tam::Extrapolate convert(spec::Extrapolate mode) {
  switch (mode) {
  case spec::Extrapolate::Continue:
    return tam::Extrapolate::Continue;
  case spec::Extrapolate::Constant:
    return tam::Extrapolate::Constant;
  case spec::Extrapolate::Linear:
    return tam::Extrapolate::Linear;
  case spec::Extrapolate::Saturation:
    return tam::Extrapolate::Saturation;
  }
  llvm_unreachable("all modes are listed");
}

/// Order of the Fourier map of a category of n levels.
static int64_t fourierOrderOfLevels(int64_t n) { return n / 2 + n % 2; }

static bool isFourierCategory(const Term &term) {
  return term.kind == TermKind::Categorical &&
         term.getString("topo") == "fourier";
}

int64_t tamc::columnsOf(const Term &term) {
  switch (term.kind) {
  case TermKind::Linear:
    return 1;
  case TermKind::Fourier:
    return 2 * term.getInt("m");
  case TermKind::Spline:
    return term.getInt("k") + term.getInt("deg");
  case TermKind::Categorical:
    return isFourierCategory(term)
               ? 2 * fourierOrderOfLevels(term.getInt("n_cat"))
               : term.getInt("n_cat");
  case TermKind::Chebyshev:
    return term.getInt("deg");
  case TermKind::Wavelet:
    return term.getInt("n_scales") * term.getInt("n_locations");
  case TermKind::Neural:
    return term.getInt("n_neurons");
  case TermKind::RadialBasis:
    return term.getInt("n_centers");
  case TermKind::Tree:
    return treesOf(term) * leavesOf(term);
  case TermKind::LinearTree:
    return 2 * leavesOf(term);
  case TermKind::Tensor: {
    int64_t columns = 1;
    // No factor has 2^37 columns, so no product leaves 64 bits.
    for (const Term &factor : term.factors)
      columns = std::min(columns * columnsOf(factor), kMaxColumns + 1);
    return columns;
  }
  case TermKind::Physics:
    return term.getString("basis") == "fourier"
               ? 2 * (term.getInt("n_coeffs") / 2)
               : term.getInt("k") + term.getInt("spline_degree");
  case TermKind::PID:
    return 3;
  }
  llvm_unreachable("all terms are listed");
}

static RankedTensorType columnType(OpBuilder &builder) {
  return RankedTensorType::get({ShapedType::kDynamic}, builder.getF64Type());
}

static RankedTensorType designType(OpBuilder &builder, int64_t columns) {
  return RankedTensorType::get({ShapedType::kDynamic, columns},
                               builder.getF64Type());
}

Value tamc::buildOffset(OpBuilder &builder, Location loc, Value rows) {
  return tam::OffsetOp::create(builder, loc, designType(builder, 1), rows);
}

namespace {

/// Builds the design of one effect: that of its term, or those of a te's
/// factors, evaluated at the points that the te needs.
class DesignBuilder {
public:
  DesignBuilder(OpBuilder &builder, Location loc, const Learners &learners,
                Variables &variables)
      : builder(builder), loc(loc), learners(learners), variables(variables) {}

  /// `xs` are the term's inputs, in its order.
  Value build(const Term &term, ArrayRef<Value> xs) {
    switch (term.kind) {
    case TermKind::Tensor:
      return buildTensor(term, xs);
    case TermKind::Neural:
    case TermKind::RadialBasis:
    case TermKind::Tree:
    case TermKind::LinearTree:
      return buildOfPoints(term, stack(xs));
    default:
      return buildOfColumn(term, xs.front());
    }
  }

private:
  Value buildOfColumn(const Term &term, Value x) {
    Type type = designType(builder, columnsOf(term));
    tam::Extrapolate mode = convert(term.extrapolate);
    Value parameters = variables.parameters(inputsOf(term).front());
    switch (term.kind) {
    case TermKind::Linear:
      return tam::LinearOp::create(
          builder, loc, type, x, llvm::APFloat(term.getNumber("scaled")), mode);
    case TermKind::Fourier:
      return tam::FourierOp::create(builder, loc, type, x, term.getInt("m"),
                                    term.getBool("cyclic"), mode);
    case TermKind::Spline:
      return tam::BSplineOp::create(builder, loc, type, x, parameters,
                                    term.getInt("k"), term.getInt("deg"), mode);
    case TermKind::Categorical: {
      int64_t n = term.getInt("n_cat");
      if (isFourierCategory(term))
        return tam::FourierOp::create(builder, loc, type, x,
                                      fourierOrderOfLevels(n),
                                      /*cyclic=*/false, mode);
      if (term.getBool("levels"))
        return tam::LevelsOp::create(builder, loc, type, x, n,
                                     term.getString("unseen") == "mean");
      return tam::CategoryOp::create(builder, loc, type, x, n);
    }
    case TermKind::Chebyshev:
      return tam::ChebyshevOp::create(builder, loc, type, x, term.getInt("deg"),
                                      mode);
    case TermKind::Wavelet:
      return tam::WaveletOp::create(builder, loc, type, x, table(term, 0, {2}),
                                    term.getInt("n_scales"),
                                    term.getInt("n_locations"), mode);
    case TermKind::Physics:
      if (term.getString("basis") == "fourier")
        return tam::FourierOp::create(builder, loc, type, x,
                                      term.getInt("n_coeffs") / 2,
                                      term.getBool("cyclic"), mode);
      return tam::BSplineOp::create(builder, loc, type, x, parameters,
                                    term.getInt("k"),
                                    term.getInt("spline_degree"), mode);
    case TermKind::PID: {
      Value carry = variables.carry(term.getInt("w") + 2);
      auto pid =
          tam::PidOp::create(builder, loc, type, carry.getType(), x, carry,
                             variables.groupRows(), term.getInt("w"));
      variables.carryOn(carry, pid.getCarried());
      return pid.getResult();
    }
    default:
      llvm_unreachable("a term of one column");
    }
  }

  /// A term of the whole input vector; beyond the range it needs two
  /// evaluations.
  Value buildOfPoints(const Term &term, Value points) {
    tam::Extrapolate mode = convert(term.extrapolate);
    if (mode == tam::Extrapolate::Continue)
      return evaluate(term, points, {});
    auto boundary = tam::BoundaryOp::create(builder, loc, points, mode);
    Value border = evaluate(term, boundary.getBorder(), {});
    if (mode == tam::Extrapolate::Constant)
      return border;
    return blend(border,
                 evaluate(term, boundary.getInside(), boundary.getAmount()),
                 boundary.getAmount());
  }

  /// Rows where `only` is 0 are not needed; `only` may be null.
  Value evaluate(const Term &term, Value points, Value only) {
    Type type = designType(builder, columnsOf(term));
    int64_t d = cast<RankedTensorType>(points.getType()).getDimSize(1);
    switch (term.kind) {
    case TermKind::Neural: {
      SmallVector<Value> weights, bias;
      int64_t n = term.getInt("n_neurons");
      for (int64_t layer = 0; layer < term.getInt("n_hidden_layers"); ++layer) {
        weights.push_back(table(term, 2 * layer, {layer == 0 ? d : n, n}));
        bias.push_back(table(term, 2 * layer + 1, {n}));
      }
      auto activation =
          llvm::StringSwitch<tam::Activation>(term.getString("act"))
              .Case("cos", tam::Activation::Cos)
              .Case("tanh", tam::Activation::Tanh)
              .Default(tam::Activation::Relu);
      return tam::NeuralOp::create(builder, loc, type, points, weights, bias,
                                   only, activation);
    }
    case TermKind::RadialBasis:
      return tam::RadialOp::create(
          builder, loc, type, points,
          table(term, 0, {term.getInt("n_centers"), d}), table(term, 1, {1}),
          only, llvm::APFloat(term.isNone("nu") ? 0.0 : term.getNumber("nu")));
    case TermKind::Tree:
      return buildTree(term, points, only);
    case TermKind::LinearTree: {
      // (1, slope) x tree: the tree's columns, then the tree's columns times
      // the slope.
      Value slope = tam::SliceOp::create(builder, loc, columnType(builder),
                                         points, d - 1);
      Value line =
          tam::AffineOp::create(builder, loc, designType(builder, 2), slope,
                                llvm::APFloat(std::numbers::pi));
      return tam::KroneckerOp::create(builder, loc, type, line,
                                      buildTree(term, points, only));
    }
    default:
      llvm_unreachable("a term of points");
    }
  }

  Value buildTree(const Term &term, Value points, Value only) {
    int64_t trees = treesOf(term), leaves = leavesOf(term);
    bool oblivious = isOblivious(term);
    int64_t depth = oblivious ? term.getInt("max_depth") : 1;
    return tam::TreeOp::create(
        builder, loc, designType(builder, trees * leaves), points,
        table(term, 0, {trees, depth}, /*isInteger=*/true),
        table(term, 1, {trees, oblivious ? depth : leaves - 1}), only, leaves,
        oblivious);
  }

  Value buildTensor(const Term &term, ArrayRef<Value> xs) {
    tam::Extrapolate mode = convert(term.extrapolate);
    if (mode == tam::Extrapolate::Continue)
      return product(term, xs);
    // Codes of levels are never beyond a range.
    SmallVector<Value> coordinates;
    for (Value x : xs)
      if (isNumeric(x))
        coordinates.push_back(x);
    if (coordinates.empty())
      return product(term, xs);
    auto boundary =
        tam::BoundaryOp::create(builder, loc, stack(coordinates), mode);
    Value border = product(term, at(xs, boundary.getBorder()));
    if (mode == tam::Extrapolate::Constant)
      return border;
    return blend(border, product(term, at(xs, boundary.getInside())),
                 boundary.getAmount());
  }

  static bool isNumeric(Value x) {
    return cast<RankedTensorType>(x.getType()).getElementType().isF64();
  }

  /// The inputs `xs` with the coordinates of `points` in place of the numeric
  /// ones.
  SmallVector<Value> at(ArrayRef<Value> xs, Value points) {
    SmallVector<Value> moved;
    int64_t coordinate = 0;
    for (Value x : xs)
      moved.push_back(isNumeric(x) ? Value(tam::SliceOp::create(
                                         builder, loc, columnType(builder),
                                         points, coordinate++))
                                   : x);
    return moved;
  }

  Value product(const Term &term, ArrayRef<Value> xs) {
    Value result;
    int64_t columns = 1;
    for (const Term &factor : term.factors) {
      size_t count = inputsOf(factor).size();
      Value design = build(factor, xs.take_front(count));
      xs = xs.drop_front(count);
      columns *= columnsOf(factor);
      result =
          result
              ? Value(tam::KroneckerOp::create(
                    builder, loc, designType(builder, columns), result, design))
              : design;
    }
    return result;
  }

  Value blend(Value border, Value inside, Value amount) {
    return tam::BlendOp::create(builder, loc, border.getType(), border, inside,
                                amount);
  }

  Value stack(ArrayRef<Value> xs) {
    return tam::StackOp::create(
        builder, loc, designType(builder, static_cast<int64_t>(xs.size())), xs);
  }

  Value table(const Term &term, int64_t index, ArrayRef<int64_t> shape,
              bool isInteger = false) {
    Type element =
        isInteger ? Type(builder.getI32Type()) : Type(builder.getF64Type());
    return variables.table(learners.firstTable(term) + index,
                           RankedTensorType::get(shape, element));
  }

  OpBuilder &builder;
  Location loc;
  const Learners &learners;
  Variables &variables;
};

} // namespace

Value tamc::buildDesign(OpBuilder &builder, Location loc, const Term &term,
                        const Learners &learners, Variables &variables) {
  SmallVector<Value> xs;
  for (const Input &input : inputsOf(term))
    xs.push_back(variables.column(loc, input));
  return DesignBuilder(builder, loc, learners, variables).build(term, xs);
}
