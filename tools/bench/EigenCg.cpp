//===- EigenCg.cpp - conjugate gradients on a stored design ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Eigen's ConjugateGradient on (Phi'Phi + c I) beta = Phi'y, where Phi, an
/// intercept and the leaves of oblivious trees, is a sparse matrix in memory.
/// tools/bench/conjugate-gradients compiles and calls it, and compares its time
/// with tamc's.
///
/// usage: EigenCg FILE TOLERANCE, with FILE of numbers in text: rows, inputs,
/// trees, depth and c; features and thresholds tree by tree; then for each row
/// the normalised inputs and y. Prints iterations, processor seconds of the
/// solution alone, the relative residual, and predictions of the first rows.
///
//===----------------------------------------------------------------------===//

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <vector>

using Design = Eigen::SparseMatrix<double, Eigen::RowMajor>;

class Normal;

namespace Eigen::internal {
template <> struct traits<Normal> : traits<SparseMatrix<double>> {};
} // namespace Eigen::internal

/// Phi'Phi + c I, for Eigen's solvers.
class Normal : public Eigen::EigenBase<Normal> {
public:
  using Scalar = double;
  using RealScalar = double;
  using StorageIndex = int;
  enum {
    ColsAtCompileTime = Eigen::Dynamic,
    MaxColsAtCompileTime = Eigen::Dynamic,
    IsRowMajor = false
  };

  Normal(const Design &phi, double c) : phi(phi), c(c) {}
  Eigen::Index rows() const { return phi.cols(); }
  Eigen::Index cols() const { return phi.cols(); }
  template <typename Rhs>
  Eigen::Product<Normal, Rhs, Eigen::AliasFreeProduct>
  operator*(const Eigen::MatrixBase<Rhs> &x) const {
    return {*this, x.derived()};
  }

  const Design &phi;
  double c;
};

namespace Eigen::internal {
template <typename Rhs>
struct generic_product_impl<Normal, Rhs, SparseShape, DenseShape, GemvProduct>
    : generic_product_impl_base<Normal, Rhs,
                                generic_product_impl<Normal, Rhs>> {
  template <typename Dest>
  static void scaleAndAddTo(Dest &out, const Normal &a, const Rhs &x,
                            const double &factor) {
    const VectorXd rows = a.phi * x;
    out.noalias() += factor * (a.phi.transpose() * rows);
    out.noalias() += factor * a.c * x;
  }
};
} // namespace Eigen::internal

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  std::ifstream in(argv[1]);
  long rows = 0, inputs = 0, trees = 0, depth = 0;
  double c = 0;
  in >> rows >> inputs >> trees >> depth >> c;
  std::vector<long> features(trees * depth);
  std::vector<double> thresholds(trees * depth), x(inputs);
  for (long &feature : features)
    in >> feature;
  for (double &threshold : thresholds)
    in >> threshold;
  const long leaves = 1L << depth;
  Design phi(rows, 1 + trees * leaves);
  phi.reserve(Eigen::VectorXi::Constant(int(rows), int(1 + trees)));
  Eigen::VectorXd y(rows);
  for (long r = 0; r < rows; ++r) {
    for (double &value : x)
      in >> value;
    in >> y[r];
    phi.insert(r, 0) = 1;
    for (long b = 0; b < trees; ++b) {
      long leaf = 0;
      for (long j = 0; j < depth; ++j)
        leaf += long(x[features[b * depth + j]] > thresholds[b * depth + j])
                << j;
      phi.insert(r, 1 + b * leaves + leaf) = 1 / std::sqrt(double(trees));
    }
  }
  phi.makeCompressed();
  if (!in)
    return 2;

  const std::clock_t start = std::clock();
  const Normal normal(phi, c);
  Eigen::ConjugateGradient<Normal, Eigen::Lower | Eigen::Upper,
                           Eigen::IdentityPreconditioner>
      solver;
  solver.setTolerance(std::atof(argv[2]));
  solver.setMaxIterations(20000);
  solver.compute(normal);
  const Eigen::VectorXd b = phi.transpose() * y;
  const Eigen::VectorXd beta = solver.solve(b);
  const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("%ld %.3f %.3e\n", long(solver.iterations()), seconds,
              solver.error());
  const Eigen::VectorXd fitted = phi * beta;
  for (long r = 0; r < rows && r < 1000; ++r)
    std::printf("%.17g\n", fitted[r]);
  return 0;
}
