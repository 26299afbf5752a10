// Linear terms whose penalties are learnt are one block, as other effects are.
//
// RUN: tam-opt %s --tam-choose-solver=max-direct=0 | FileCheck %s

// CHECK-LABEL: func.func @cg(
// CHECK-NOT: diagonal
// CHECK: tam.gram
// CHECK-NOT: diagonal
// CHECK: tam.factor %{{.*}} : tensor<2x2xf64>
// CHECK-NOT: diagonal
// CHECK-LABEL: func.func @precondition(
// CHECK: tam.factor_solve
func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
               %u: tensor<?xf64> {tam.slot = #tam.slot<column>},
               %v: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
               %y: tensor<?xf64> {tam.slot = #tam.slot<column, 2>},
               %q: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
               %w: tensor<1xf64> {tam.slot = #tam.slot<parameters, 32>})
    -> (tensor<2xf64> {tam.slot = #tam.slot<output>}) {
  %c = tam.linear_columns(%u, %v : tensor<?xf64>, tensor<?xf64>)
      parameters(%q, %q : tensor<4xf64>, tensor<4xf64>) scales [1.0, 1.0]
      -> tensor<?x2xf64>
  %p = tam.penalty rows [0, 1] columns [0, 1] values [1.0, 1.0]
      weights(%w : tensor<1xf64>) table [0, 0] element [0, 0]
      : tensor<2x2xf64, #tam.coordinates<2>>
  %m, %n = tam.normal_equations %rows designs(%c : tensor<?x2xf64>) y %y
      penalties(%p : tensor<2x2xf64, #tam.coordinates<2>>)
      : tensor<?xf64> -> tensor<2x2xf64>, tensor<2xf64>
  %s = tam.solve %m, %n : tensor<2x2xf64>, tensor<2xf64>
  return %s : tensor<2xf64>
}
