// Merged linear terms are factored beside an effect that is not, and where
// memory is short; then the diagonal is that of the penalties alone.
//
// RUN: tam-opt %s \
// RUN:   --tam-merge-columns=least=2 \
// RUN:   --tam-choose-solver="max-direct=0 small-block-limit=2" \
// RUN:   | FileCheck %s
// RUN: tam-opt %s \
// RUN:   --tam-merge-columns=least=2 \
// RUN:   --tam-choose-solver="max-direct=0 block-limit=2" \
// RUN:   | FileCheck %s --check-prefix=OPEN
// RUN: tam-opt %s \
// RUN:   --tam-merge-columns=least=2 \
// RUN:   --tam-choose-solver="max-direct=0 block-limit=0" \
// RUN:   | FileCheck %s --check-prefix=NONE

// CHECK-LABEL: func.func @cg(
// CHECK: tam.factor
// CHECK: tam.diagonal_factor %{{.*}} sums(
// CHECK-LABEL: func.func @apply(
// CHECK-LABEL: func.func @precondition(
// CHECK: tam.factor_solve
// CHECK: tam.diagonal_solve
// CHECK-LABEL: func.func @cg_small_blocks(
// CHECK-NOT: tam.squares
// CHECK-NOT: tam.factor
// CHECK: %[[L:.*]] = tam.diagonal_factor %{{.*}} penalty %{{.*}} {column = 3 : i64} : tensor<2x2xf64, #tam.coordinates<2>> -> tensor<2xf64>
// CHECK: return %{{.*}}, %[[L]] :
// CHECK-LABEL: func.func @precondition_small_blocks(
// CHECK-SAME: %[[F:[^:]*]]: tensor<2xf64> {tam.slot = #tam.slot<state>}, %[[R:[^:]*]]: tensor<2xf64> {tam.slot = #tam.slot<coefficients, 24>})
// CHECK: tam.diagonal_solve %[[F]], %[[R]]

// OPEN-LABEL: func.func @cg(
// OPEN-NOT: tam.squares
// OPEN-NOT: tam.factor
// OPEN: tam.diagonal_factor %{{.*}} penalty
// OPEN-LABEL: func.func @precondition(
// OPEN: tam.diagonal_solve
// OPEN-NOT: small_blocks

// NONE-LABEL: func.func @cg(
// NONE-NOT: factor
// NONE-LABEL: func.func @precondition(
// NONE-NEXT: return
func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
               %u: tensor<?xf64> {tam.slot = #tam.slot<column>},
               %v: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
               %y: tensor<?xf64> {tam.slot = #tam.slot<column, 2>},
               %q: tensor<4xf64> {tam.slot = #tam.slot<parameters>})
    -> (tensor<5xf64> {tam.slot = #tam.slot<output>}) {
  %x = tam.normalize %u, %q : tensor<?xf64>, tensor<4xf64>
  %z = tam.normalize %v, %q : tensor<?xf64>, tensor<4xf64>
  %c = tam.category %x {levels = 3} : tensor<?xf64> -> tensor<?x3xf64>
  %a = tam.linear %x {scale = 1.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
  %b = tam.linear %z {scale = 1.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
  %p_c = tam.penalty rows [0, 1, 2] columns [0, 1, 2] values [1.0, 1.0, 1.0]
      : tensor<3x3xf64, #tam.coordinates<3>>
  %p = tam.penalty rows [0] columns [0] values [2.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %m, %n = tam.normal_equations %rows
      designs(%c, %a, %b : tensor<?x3xf64>, tensor<?x1xf64>, tensor<?x1xf64>)
      y %y
      penalties(%p_c, %p, %p : tensor<3x3xf64, #tam.coordinates<3>>,
          tensor<1x1xf64, #tam.coordinates<1>>,
          tensor<1x1xf64, #tam.coordinates<1>>)
      : tensor<?xf64> -> tensor<5x5xf64>, tensor<5xf64>
  %s = tam.solve %m, %n : tensor<5x5xf64>, tensor<5xf64>
  return %s : tensor<5xf64>
}
