// The most unknowns of a system that is factored is an option.
//
// RUN: tam-opt %s --tam-choose-solver=max-direct=3 | FileCheck %s
// RUN: not tam-opt %s --tam-choose-solver=max-direct=2 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LESS

// CHECK: solver = #tam.solver<direct>
// LESS: error: expected the normal equations of a fit for solver 'cg'
func.func @f(%a: tensor<3x3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %x = tam.solve %a, %b : tensor<3x3xf64>, tensor<3xf64>
  return %x : tensor<3xf64>
}
