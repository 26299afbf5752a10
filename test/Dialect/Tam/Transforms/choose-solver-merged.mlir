// Linear terms that are neighbours are one matrix in @apply, as in the direct
// solver's fit; in @cg, which has a factor for each, they stay apart.
//
// RUN: tam-opt %s --tam-choose-solver="max-direct=0 merge-columns=2" \
// RUN:   | FileCheck %s
// RUN: tam-opt %s --tam-choose-solver=max-direct=0 \
// RUN:   | FileCheck %s --check-prefix=APART

// CHECK-LABEL: func.func @cg(
// CHECK-NOT: tam.columns

// CHECK-LABEL: func.func @apply(
// CHECK-SAME: %[[V:[^:]*]]: tensor<3xf64> {tam.slot = #tam.slot<coefficients>},
// CHECK-SAME: %[[O:[^:]*]]: tensor<1xf64> {tam.slot = #tam.slot<coefficients>},
// CHECK-SAME: %[[AB:[^:]*]]: tensor<2xf64> {tam.slot = #tam.slot<coefficients, 8>})
// CHECK: %[[OFFSET:.*]] = tam.offset
// CHECK: %[[A:.*]] = tam.linear
// CHECK: %[[B:.*]] = tam.linear
// CHECK: %[[C:.*]] = tam.columns(%[[A]], %[[B]] : {{.*}} -> tensor<?x2xf64>
// CHECK: %[[P:.*]] = tam.penalty rows [0, 1] columns [0, 1] values [2.000000e+00, 3.000000e+00]
// CHECK: %[[T:.*]] = tam.predict(%[[OFFSET]], %[[C]] : {{.*}}) coefficients(%[[O]], %[[AB]] :
// CHECK: %[[S0:.*]] = tam.rhs %[[OFFSET]], %[[T]] into
// CHECK: %[[S1:.*]] = tam.rhs %[[C]], %[[T]] into
// CHECK-NOT: tam.rhs
// CHECK: tam.normal_product %{{.*}} sums(%[[S0]], %[[S1]] : {{.*}}) penalties(%{{.*}}, %[[P]] : {{.*}}) vector %[[V]]

// CHECK-LABEL: func.func @precondition(
// CHECK-COUNT-3: tam.factor_solve

// APART-LABEL: func.func @apply(
// APART-NOT: tam.columns
func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
               %x: tensor<?xf64> {tam.slot = #tam.slot<column>},
               %z: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
               %y: tensor<?xf64> {tam.slot = #tam.slot<column, 2>})
    -> (tensor<3xf64> {tam.slot = #tam.slot<output>}) {
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
      y %y
      penalties(%p_o, %p_a, %p_b : tensor<1x1xf64, #tam.coordinates<1>>,
          tensor<1x1xf64, #tam.coordinates<1>>,
          tensor<1x1xf64, #tam.coordinates<1>>)
      : tensor<?xf64> -> tensor<3x3xf64>, tensor<3xf64>
  %s = tam.solve %m, %n : tensor<3x3xf64>, tensor<3xf64>
  return %s : tensor<3xf64>
}
