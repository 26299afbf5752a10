// Linear terms that are neighbours are one matrix, as in the direct solver's
// fit. Of its sums with itself there is only the diagonal, which is factored.
//
// RUN: tam-opt %s --tam-merge-columns=least=2 \
// RUN:   --tam-choose-solver=max-direct=0 \
// RUN:   | FileCheck %s
// RUN: tam-opt %s --tam-merge-columns=least=2 \
// RUN:   --tam-choose-solver=min-cg=0 \
// RUN:   | FileCheck %s --check-prefix=BOTH
// RUN: tam-opt %s --tam-choose-solver=max-direct=0 \
// RUN:   | FileCheck %s --check-prefix=APART

// CHECK-LABEL: func.func @cg(
// CHECK-SAME: %[[ROWS:[^:]*]]: index
// CHECK-NOT: tam.linear %
// CHECK: %[[OFFSET:.*]] = tam.offset
// CHECK: %[[C:.*]] = tam.linear_columns({{.*}} -> tensor<?x2xf64>
// CHECK: %[[P:.*]] = tam.penalty rows [0, 1] columns [0, 1] values [2.000000e+00, 3.000000e+00]
// CHECK: %[[G:.*]] = tam.gram %[[OFFSET]], %[[OFFSET]] weights %[[W:.*]] : tensor<?xf64> into
// CHECK: tam.rhs %[[OFFSET]]
// CHECK: %[[D:.*]] = tam.squares %[[C]] weights %[[W]] : tensor<?xf64> into
// CHECK: tam.rhs %[[C]]
// CHECK: %[[M:.*]] = tam.normal_matrix %[[ROWS]] blocks(%[[G]] :
// CHECK: %[[F:.*]] = tam.factor %[[M]]
// CHECK: %[[L:.*]] = tam.diagonal_factor %[[ROWS]] sums(%[[D]] : tensor<2xf64>) penalty %[[P]] {column = 1 : i64} : tensor<2x2xf64, #tam.coordinates<2>> -> tensor<2xf64>
// CHECK: return %{{.*}}, %[[F]], %[[L]] :

// CHECK-LABEL: func.func @apply(
// CHECK-SAME: %[[V:[^:]*]]: tensor<3xf64> {tam.slot = #tam.slot<coefficients>},
// CHECK-SAME: %[[O:[^:]*]]: tensor<1xf64> {tam.slot = #tam.slot<coefficients>},
// CHECK-SAME: %[[AB:[^:]*]]: tensor<2xf64> {tam.slot = #tam.slot<coefficients, 8>})
// CHECK: %[[OFFSET:.*]] = tam.offset
// CHECK: %[[C:.*]] = tam.linear_columns({{.*}} -> tensor<?x2xf64>
// CHECK: %[[P:.*]] = tam.penalty rows [0, 1] columns [0, 1] values [2.000000e+00, 3.000000e+00]
// CHECK: %[[T:.*]] = tam.predict(%[[OFFSET]], %[[C]] : {{.*}}) coefficients(%[[O]], %[[AB]] :
// CHECK: %[[S0:.*]] = tam.rhs %[[OFFSET]], %[[T]] weights %{{.*}} into
// CHECK: %[[S1:.*]] = tam.rhs %[[C]], %[[T]] weights %{{.*}} into
// CHECK-NOT: tam.rhs
// CHECK: tam.normal_product %{{.*}} sums(%[[S0]], %[[S1]] : {{.*}}) penalties(%{{.*}}, %[[P]] : {{.*}}) vector %[[V]]

// CHECK-LABEL: func.func @precondition(
// CHECK-SAME: %[[F:[^:]*]]: tensor<1x1xf64> {tam.slot = #tam.slot<state>}, %[[R0:[^:]*]]: tensor<1xf64> {tam.slot = #tam.slot<coefficients>}, %[[L:[^:]*]]: tensor<2xf64> {tam.slot = #tam.slot<state, 64>}, %[[R1:[^:]*]]: tensor<2xf64> {tam.slot = #tam.slot<coefficients, 8>})
// CHECK: %[[Z0:.*]] = tam.factor_solve %[[F]], %[[R0]]
// CHECK: %[[Z1:.*]] = tam.diagonal_solve %[[L]], %[[R1]] : tensor<2xf64>
// CHECK: return %[[Z0]], %[[Z1]]

// Both solvers have the same matrix.
// BOTH-LABEL: func.func @fit(
// BOTH: tam.linear_columns(
// BOTH: tam.solve
// BOTH-LABEL: func.func @cg(
// BOTH: tam.linear_columns(
// BOTH: tam.squares

// APART-LABEL: func.func @cg(
// APART-NOT: columns(
// APART-COUNT-3: tam.gram
// APART-LABEL: func.func @apply(
// APART-NOT: columns(
// APART-LABEL: func.func @precondition(
// APART-COUNT-3: tam.factor_solve
func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
               %u: tensor<?xf64> {tam.slot = #tam.slot<column>},
               %v: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
               %y: tensor<?xf64> {tam.slot = #tam.slot<column, 2>},
               %w: tensor<?xf64> {tam.slot = #tam.slot<column, 3>},
               %q: tensor<4xf64> {tam.slot = #tam.slot<parameters>})
    -> (tensor<3xf64> {tam.slot = #tam.slot<output>}) {
  %x = tam.normalize %u, %q : tensor<?xf64>, tensor<4xf64>
  %z = tam.normalize %v, %q : tensor<?xf64>, tensor<4xf64>
  %o = tam.offset %rows : tensor<?x1xf64>
  %a = tam.linear %x {scale = 1.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
  %b = tam.linear %z {scale = 1.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
  %p_o = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %p_a = tam.penalty rows [0] columns [0] values [2.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %p_b = tam.penalty rows [0] columns [0] values [3.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %m, %n = tam.normal_equations %rows
      designs(%o, %a, %b : tensor<?x1xf64>, tensor<?x1xf64>, tensor<?x1xf64>)
      y %y weights %w : tensor<?xf64>
      penalties(%p_o, %p_a, %p_b : tensor<1x1xf64, #tam.coordinates<1>>,
          tensor<1x1xf64, #tam.coordinates<1>>,
          tensor<1x1xf64, #tam.coordinates<1>>)
      : tensor<?xf64> -> tensor<3x3xf64>, tensor<3xf64>
  %s = tam.solve %m, %n : tensor<3x3xf64>, tensor<3xf64>
  return %s : tensor<3xf64>
}
