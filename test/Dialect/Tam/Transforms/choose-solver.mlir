// A system of at most max-direct unknowns is factored; a spec that asks for the
// direct solver gets it whatever the size. Others are solved by conjugate
// gradients (choose-solver-cg.mlir), if they are the system of a fit.
//
// RUN: tam-opt %s --tam-choose-solver -split-input-file -verify-diagnostics \
// RUN:   | FileCheck %s

// CHECK-LABEL: func.func @small(
// CHECK-SAME: %[[A:.*]]: tensor<3x3xf64>, %[[B:.*]]: tensor<3xf64>
func.func @small(%a: tensor<3x3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  // CHECK: tam.solve %[[A]], %[[B]] {solver = #tam.solver<direct>} : tensor<3x3xf64>, tensor<3xf64>
  %x = tam.solve %a, %b : tensor<3x3xf64>, tensor<3xf64>
  return %x : tensor<3xf64>
}

// -----

// The largest system that is factored without a request.
//
// CHECK-LABEL: func.func @limit(
func.func @limit(%a: tensor<7500x7500xf64>, %b: tensor<7500xf64>)
    -> tensor<7500xf64> {
  // CHECK: tam.solve {{.*}} {solver = #tam.solver<direct>}
  %x = tam.solve %a, %b : tensor<7500x7500xf64>, tensor<7500xf64>
  return %x : tensor<7500xf64>
}

// -----

// A choice already made stays, even one that no pass makes.
//
// CHECK-LABEL: func.func @chosen(
func.func @chosen(%a: tensor<3x3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  // CHECK: tam.solve {{.*}} {solver = #tam.solver<cg>}
  %x = tam.solve %a, %b {solver = #tam.solver<cg>}
      : tensor<3x3xf64>, tensor<3xf64>
  return %x : tensor<3xf64>
}

// -----

// The spec requests the direct solver: the limit does not apply.
//
module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 2, solver = direct>} {
  // CHECK-LABEL: func.func @asked(
  func.func @asked(%a: tensor<7501x7501xf64>, %b: tensor<7501xf64>)
      -> tensor<7501xf64> {
    // CHECK: tam.solve {{.*}} {solver = #tam.solver<direct>}
    %x = tam.solve %a, %b : tensor<7501x7501xf64>, tensor<7501xf64>
    return %x : tensor<7501xf64>
  }
}

// -----

// A spec that leaves the choice open, or does not name a solver, is no request.
//
module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 2>} {
  // CHECK-LABEL: func.func @left_open(
  func.func @left_open(%a: tensor<3x3xf64>, %b: tensor<3xf64>)
      -> tensor<3xf64> {
    // CHECK: tam.solve {{.*}} {solver = #tam.solver<direct>}
    %x = tam.solve %a, %b : tensor<3x3xf64>, tensor<3xf64>
    return %x : tensor<3xf64>
  }
}

// -----

func.func @too_large(%a: tensor<7501x7501xf64>, %b: tensor<7501xf64>)
    -> tensor<7501xf64> {
  // expected-error @+1 {{expected the normal equations of a fit for solver 'cg'}}
  %x = tam.solve %a, %b : tensor<7501x7501xf64>, tensor<7501xf64>
  return %x : tensor<7501xf64>
}

// -----

module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 2, solver = cg>} {
  func.func @no_fit(%a: tensor<3x3xf64>, %b: tensor<3xf64>)
      -> tensor<3xf64> {
    // expected-error @+1 {{expected the normal equations of a fit for solver 'cg'}}
    %x = tam.solve %a, %b : tensor<3x3xf64>, tensor<3xf64>
    return %x : tensor<3xf64>
  }
}
