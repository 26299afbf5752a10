// The normal equations: tables of blocks, the penalties of all effects as one
// matrix, and the solver. Two effects, of 2 (dense) and 3 (one-hot) columns.
//
// RUN: tam-opt %s --convert-tam-to-tamk --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @fit_finish(
// CHECK-SAME: %[[T:[^:]*]]: index {tam.slot = #tam.slot<rows>},
// CHECK-SAME: %[[G00:[^:]*]]: memref<4xf64> {tam.slot = #tam.slot<state>},
// CHECK-SAME: %[[G01:[^:]*]]: memref<6xf64> {tam.slot = #tam.slot<state, 64>},
// CHECK-SAME: %[[G11:[^:]*]]: memref<3xf64> {tam.slot = #tam.slot<state, 192>},
// CHECK-SAME: %[[S0:[^:]*]]: memref<2xf64> {tam.slot = #tam.slot<state, 256>},
// CHECK-SAME: %[[S1:[^:]*]]: memref<3xf64> {tam.slot = #tam.slot<state, 320>},
// CHECK-SAME: %[[OUT:[^:]*]]: memref<5xf64> {tam.slot = #tam.slot<output>})
func.func @fit_finish(%rows: index {tam.slot = #tam.slot<rows>},
    %g00: tensor<2x2xf64, #tam.sums<upper>> {tam.slot = #tam.slot<state>},
    %g01: tensor<2x3xf64, #tam.sums<transposed>>
        {tam.slot = #tam.slot<state, 64>},
    %g11: tensor<3x3xf64, #tam.sums<diagonal>>
        {tam.slot = #tam.slot<state, 192>},
    %b0: tensor<2xf64, #tam.sums<full>> {tam.slot = #tam.slot<state, 256>},
    %b1: tensor<3xf64, #tam.sums<full>> {tam.slot = #tam.slot<state, 320>})
    -> (tensor<5xf64> {tam.slot = #tam.slot<output>}) {
  // CHECK-DAG: %[[TG00:.*]] = bufferization.to_tensor %[[G00]] restrict : memref<4xf64>
  // CHECK-DAG: %[[TG01:.*]] = bufferization.to_tensor %[[G01]] restrict : memref<6xf64>
  // CHECK-DAG: %[[TG11:.*]] = bufferization.to_tensor %[[G11]] restrict : memref<3xf64>
  // CHECK-DAG: %[[TB0:.*]] = bufferization.to_tensor %[[S0]] restrict : memref<2xf64>
  // CHECK-DAG: %[[TB1:.*]] = bufferization.to_tensor %[[S1]] restrict : memref<3xf64>
  // Form, width of panels, rows, columns, row and column in A of each block: the
  // upper triangle of effect 0 (form 1), the pair's block as it lies in memory,
  // 3 x 2 at row 2 and column 0 (form 0), the diagonal of effect 1 (form 2).
  // CHECK-DAG: %[[TABLE:.*]] = arith.constant dense<[1, 0, 2, 2, 0, 0, 0, 0, 3, 2, 2, 0, 2, 0, 3, 3, 2, 2]> : tensor<18xi64>
  // Those of effect 1 start at row and column 2.
  // CHECK-DAG: %[[PR:.*]] = arith.constant dense<[0, 1, 1, 2, 4]> : tensor<5xi32>
  // CHECK-DAG: %[[PC:.*]] = arith.constant dense<[0, 0, 1, 2, 3]> : tensor<5xi32>
  // CHECK-DAG: %[[PV:.*]] = arith.constant dense<[1.000000e+00, -1.000000e+00, 1.000000e+00, 5.000000e-01, 2.500000e-01]> : tensor<5xf64>
  // Width of panels, size and start of each block of the vector.
  // CHECK-DAG: %[[VTABLE:.*]] = arith.constant dense<[0, 2, 0, 0, 3, 2]> : tensor<6xi64>
  // CHECK-DAG: %[[C5:.*]] = arith.constant 5 : i64
  %p0 = tam.penalty rows [0, 1, 1] columns [0, 0, 1] values [1.0, -1.0, 1.0]
      : tensor<2x2xf64, #tam.coordinates<3>>
  %p1 = tam.penalty rows [0, 2] columns [0, 1] values [0.5, 0.25]
      : tensor<3x3xf64, #tam.coordinates<2>>
  // CHECK: %[[A0:.*]] = tensor.empty() : tensor<5x5xf64>
  // CHECK: %[[A:.*]] = tamk.launch "assemble_matrix" ins(%[[TABLE]], %[[PR]], %[[PC]], %[[PV]], %[[TG00]], %[[TG01]], %[[TG11]] : {{.*}}) scalars(%[[T]], %[[C5]], %[[C5]] : index, i64, i64) outs(%[[A0]] : tensor<5x5xf64>) source "tam.normal_matrix"
  %a = tam.normal_matrix %rows
      blocks(%g00, %g01, %g11 : tensor<2x2xf64, #tam.sums<upper>>,
             tensor<2x3xf64, #tam.sums<transposed>>,
             tensor<3x3xf64, #tam.sums<diagonal>>)
      penalties(%p0, %p1 : tensor<2x2xf64, #tam.coordinates<3>>,
                tensor<3x3xf64, #tam.coordinates<2>>) : tensor<5x5xf64>
  // CHECK: %[[B0:.*]] = tensor.empty() : tensor<5xf64>
  // CHECK: %[[B:.*]] = tamk.launch "assemble_vector" ins(%[[VTABLE]], %[[TB0]], %[[TB1]] : {{.*}}) scalars(%[[C5]] : i64) outs(%[[B0]] : tensor<5xf64>) source "tam.normal_vector"
  %b = tam.normal_vector(%b0, %b1 : tensor<2xf64, #tam.sums<full>>,
                         tensor<3xf64, #tam.sums<full>>) : tensor<5xf64>
  // All destinations are overwritten; the solution is the second.
  // CHECK: %[[WORK:.*]] = tensor.empty() : tensor<20xf64>
  // CHECK: %[[X:.*]]:3 = tamk.launch "cholesky_solve" scalars(%[[C5]] : i64) outs(%[[A]], %[[B]], %[[WORK]] : tensor<5x5xf64>, tensor<5xf64>, tensor<20xf64>) source "tam.solve"
  %x = tam.solve %a, %b {solver = #tam.solver<direct>}
      : tensor<5x5xf64>, tensor<5xf64>
  // CHECK: bufferization.materialize_in_destination %[[X]]#1 in restrict writable %[[OUT]]
  return %x : tensor<5xf64>
}

// A pair in the kernel's order is above the diagonal of A.
//
// CHECK-LABEL: func.func @full_pair(
// CHECK: arith.constant dense<[1, 0, 1, 1, 0, 0, 0, 0, 1, 2, 0, 1, 1, 0, 2, 2, 1, 1]> : tensor<18xi64>
func.func @full_pair(%rows: index {tam.slot = #tam.slot<rows>},
    %g00: tensor<1x1xf64, #tam.sums<upper>> {tam.slot = #tam.slot<state>},
    %g01: tensor<1x2xf64, #tam.sums<full>> {tam.slot = #tam.slot<state, 64>},
    %g11: tensor<2x2xf64, #tam.sums<upper>>
        {tam.slot = #tam.slot<state, 128>})
    -> (tensor<3x3xf64> {tam.slot = #tam.slot<output>}) {
  %p0 = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %p1 = tam.penalty rows [1] columns [0] values [1.0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  %a = tam.normal_matrix %rows
      blocks(%g00, %g01, %g11 : tensor<1x1xf64, #tam.sums<upper>>,
             tensor<1x2xf64, #tam.sums<full>>,
             tensor<2x2xf64, #tam.sums<upper>>)
      penalties(%p0, %p1 : tensor<1x1xf64, #tam.coordinates<1>>,
                tensor<2x2xf64, #tam.coordinates<1>>) : tensor<3x3xf64>
  return %a : tensor<3x3xf64>
}

// Panels: of a band and a column, which lie below the diagonal of A when they
// are transposed (form 3), and of the band with itself (form 4).
//
// CHECK-LABEL: func.func @panels(
// CHECK-DAG: arith.constant dense<[1, 0, 1, 1, 0, 0, 3, 4, 5, 1, 1, 0, 4, 4, 5, 5, 1, 1]> : tensor<18xi64>
// CHECK-DAG: arith.constant dense<[0, 1, 0, 4, 5, 1]> : tensor<6xi64>
func.func @panels(%rows: index {tam.slot = #tam.slot<rows>},
    %g00: tensor<1x1xf64, #tam.sums<upper>> {tam.slot = #tam.slot<state>},
    %g01: tensor<1x5xf64, #tam.sums<transposed_panels, 4>>
        {tam.slot = #tam.slot<state, 64>},
    %g11: tensor<5x5xf64, #tam.sums<upper_panels, 4>>
        {tam.slot = #tam.slot<state, 192>},
    %b0: tensor<1xf64, #tam.sums<full>> {tam.slot = #tam.slot<state, 640>},
    %b1: tensor<5xf64, #tam.sums<panels, 4>> {tam.slot = #tam.slot<state, 704>})
    -> (tensor<6x6xf64> {tam.slot = #tam.slot<output>},
        tensor<6xf64> {tam.slot = #tam.slot<output, 512>}) {
  %p0 = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %p1 = tam.penalty rows [1] columns [0] values [1.0]
      : tensor<5x5xf64, #tam.coordinates<1>>
  %a = tam.normal_matrix %rows
      blocks(%g00, %g01, %g11 : tensor<1x1xf64, #tam.sums<upper>>,
             tensor<1x5xf64, #tam.sums<transposed_panels, 4>>,
             tensor<5x5xf64, #tam.sums<upper_panels, 4>>)
      penalties(%p0, %p1 : tensor<1x1xf64, #tam.coordinates<1>>,
                tensor<5x5xf64, #tam.coordinates<1>>) : tensor<6x6xf64>
  %b = tam.normal_vector(%b0, %b1 : tensor<1xf64, #tam.sums<full>>,
                         tensor<5xf64, #tam.sums<panels, 4>>) : tensor<6xf64>
  return %a, %b : tensor<6x6xf64>, tensor<6xf64>
}

// Penalties whose strengths are chosen by the fit: the entries of all effects
// are computed from them at once, those of learnt weights apart. Sums that parts
// read are behind all entries.
//
// CHECK-LABEL: func.func @strengths(
// CHECK-SAME: %[[S:[a-z0-9]*]]: memref<3xf64>
// CHECK-DAG: %[[TS:.*]] = bufferization.to_tensor %[[S]]
// CHECK-DAG: %[[PARTS:.*]] = arith.constant dense<[2, 1, 0, 2, 0, 0, -2, 2, 2, 1, 1, 1, 1, 2, 2, 1]> : tensor<16xi32>
// CHECK-DAG: %[[NUMBERS:.*]] = arith.constant dense<[1.000000e+00, 3.000000e+00, 2.000000e+00, 4.000000e+00]> : tensor<4xf64>
// CHECK: %[[V:.*]] = tamk.launch "penalty_values" ins(%[[PARTS]], %[[NUMBERS]], %[[TS]] : {{.*}}) scalars(%{{.*}}, %{{.*}} : i64, i64) outs(%{{.*}} : tensor<3xf64>) source "tam.normal_matrix"
// CHECK: tamk.launch "assemble_matrix" ins(%{{.*}}, %{{.*}}, %{{.*}}, %[[V]], {{.*}}
// CHECK: %[[LEARNT:.*]] = tamk.launch "penalty_values" {{.*}} outs(%{{.*}} : tensor<1xf64>)
// CHECK: tamk.launch "add_penalty" ins(%{{.*}}, %{{.*}}, %[[LEARNT]], {{.*}}
func.func @strengths(%rows: index {tam.slot = #tam.slot<rows>},
    %s: tensor<3xf64> {tam.slot = #tam.slot<parameters, 32>},
    %w: tensor<4xf64> {tam.slot = #tam.slot<table>},
    %g00: tensor<1x1xf64, #tam.sums<upper>> {tam.slot = #tam.slot<state>},
    %g01: tensor<1x1xf64, #tam.sums<full>> {tam.slot = #tam.slot<state, 64>},
    %g11: tensor<1x1xf64, #tam.sums<upper>> {tam.slot = #tam.slot<state, 128>})
    -> (tensor<2x2xf64> {tam.slot = #tam.slot<state, 192>}) {
  %p0 = tam.penalty rows [0] columns [0] values [1.0, 3.0]
      strengths(%s : tensor<3xf64>) parts [1, 1, 0, 1, 0, 0, -2, 1, 2]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %p1 = tam.penalty rows [0, 0] columns [0, 0] values [8.0, 2.0, 4.0]
      weights(%w : tensor<4xf64>) table [0, -1] element [3, 0]
      strengths(%s : tensor<3xf64>) parts [0, 0, 1, 1, 1, 1, 2, 2, 1]
      : tensor<1x1xf64, #tam.coordinates<2>>
  %a = tam.normal_matrix %rows
      blocks(%g00, %g01, %g11 : tensor<1x1xf64, #tam.sums<upper>>,
             tensor<1x1xf64, #tam.sums<full>>,
             tensor<1x1xf64, #tam.sums<upper>>)
      penalties(%p0, %p1 : tensor<1x1xf64, #tam.coordinates<1>>,
                tensor<1x1xf64, #tam.coordinates<2>>) : tensor<2x2xf64>
  return %a : tensor<2x2xf64>
}

// Conjugate gradients: the factor of a block, with the design's column for its
// errors, solutions with it, and the penalties times a vector.
//
// CHECK-LABEL: func.func @cg_finish(
// CHECK-DAG: %[[C7:.*]] = arith.constant 7 : i64
// CHECK: %[[A:.*]] = tamk.launch "assemble_matrix"
// CHECK: %[[SPACE:.*]] = tensor.empty() : tensor<2xf64>
// CHECK: %[[L:.*]]:2 = tamk.launch "cholesky_factor" scalars(%{{.*}}, %[[C7]] : i64, i64) outs(%[[A]], %[[SPACE]] : tensor<2x2xf64>, tensor<2xf64>) source "tam.factor"
// CHECK: bufferization.materialize_in_destination %[[L]]#0 in restrict writable
func.func @cg_finish(%rows: index {tam.slot = #tam.slot<rows>},
    %g: tensor<2x2xf64, #tam.sums<upper>> {tam.slot = #tam.slot<state, 64>})
    -> (tensor<2x2xf64> {tam.slot = #tam.slot<state>}) {
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  %a = tam.normal_matrix %rows blocks(%g : tensor<2x2xf64, #tam.sums<upper>>)
      penalties(%p : tensor<2x2xf64, #tam.coordinates<1>>) : tensor<2x2xf64>
  %l = tam.factor %a {column = 7} : tensor<2x2xf64>
  return %l : tensor<2x2xf64>
}

// CHECK-LABEL: func.func @precondition(
// CHECK-SAME: %[[L:[^:]*]]: memref<2x2xf64> {tam.slot = #tam.slot<state>}
// CHECK-SAME: %[[R:[^:]*]]: memref<2xf64> {tam.slot = #tam.slot<coefficients, 8>}
// CHECK-SAME: %[[OUT:[^:]*]]: memref<2xf64> {tam.slot = #tam.slot<output, 8>}
// CHECK-DAG: %[[TL:.*]] = bufferization.to_tensor %[[L]]
// CHECK-DAG: %[[TR:.*]] = bufferization.to_tensor %[[R]]
// CHECK: %[[Z:.*]] = tamk.launch "cholesky_apply" ins(%[[TL]], %[[TR]] : {{.*}}) scalars(%{{.*}} : i64)
// CHECK: bufferization.materialize_in_destination %[[Z]] in restrict writable %[[OUT]]
func.func @precondition(
    %l: tensor<2x2xf64> {tam.slot = #tam.slot<state>},
    %r: tensor<2xf64> {tam.slot = #tam.slot<coefficients, 8>})
    -> (tensor<2xf64> {tam.slot = #tam.slot<output, 8>}) {
  %z = tam.factor_solve %l, %r : tensor<2x2xf64>, tensor<2xf64>
  return %z : tensor<2xf64>
}

// The same of a diagonal, with sums, and without them.
//
// CHECK-LABEL: func.func @cg_finish_diagonal(
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C7:.*]] = arith.constant 7 : i64
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i64
// CHECK: %[[L:.*]] = tamk.launch "diagonal_factor" ins(%[[R:.*]], %[[C:.*]], %[[V:.*]], %{{.*}} : tensor<1xi32>, tensor<1xi32>, tensor<1xf64>, tensor<2xf64>) scalars(%{{.*}}, %[[C2]], %[[C7]], %[[C1]] : index, i64, i64, i64) outs(%{{.*}} : tensor<2xf64>) source "tam.diagonal_factor"
// CHECK: %[[N:.*]] = tamk.launch "diagonal_factor" ins(%[[R]], %[[C]], %[[V]] : tensor<1xi32>, tensor<1xi32>, tensor<1xf64>) absent [3] scalars(
func.func @cg_finish_diagonal(%rows: index {tam.slot = #tam.slot<rows>},
    %d: tensor<2xf64, #tam.sums<full>> {tam.slot = #tam.slot<state, 128>})
    -> (tensor<2xf64> {tam.slot = #tam.slot<state>},
        tensor<2xf64> {tam.slot = #tam.slot<state, 64>}) {
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  %l = tam.diagonal_factor %rows sums(%d : tensor<2xf64, #tam.sums<full>>)
      penalty %p {column = 7}
      : tensor<2x2xf64, #tam.coordinates<1>> -> tensor<2xf64>
  %n = tam.diagonal_factor %rows penalty %p
      : tensor<2x2xf64, #tam.coordinates<1>> -> tensor<2xf64>
  return %l, %n : tensor<2xf64>, tensor<2xf64>
}

// CHECK-LABEL: func.func @precondition_diagonal(
// CHECK: tamk.launch "diagonal_apply" ins(%{{.*}}, %{{.*}} : tensor<2xf64>, tensor<2xf64>) scalars(%{{.*}} : i64) outs(%{{.*}} : tensor<2xf64>) source "tam.diagonal_solve"
func.func @precondition_diagonal(
    %l: tensor<2xf64> {tam.slot = #tam.slot<state>},
    %r: tensor<2xf64> {tam.slot = #tam.slot<coefficients, 8>})
    -> (tensor<2xf64> {tam.slot = #tam.slot<output, 8>}) {
  %z = tam.diagonal_solve %l, %r : tensor<2xf64>
  return %z : tensor<2xf64>
}

// A table that no entry is multiplied by has no launch.
//
// CHECK-LABEL: func.func @apply_finish(
// CHECK-SAME: %[[T:[^:]*]]: index {tam.slot = #tam.slot<rows>}
// CHECK-SAME: %[[W:[^:]*]]: memref<2xf64> {tam.slot = #tam.slot<table>}
// CHECK-DAG: %[[TW:.*]] = bufferization.to_tensor %[[W]]
// CHECK-DAG: %[[ROWS:.*]] = arith.constant dense<[0, 2]> : tensor<2xi32>
// CHECK-DAG: %[[VALUES:.*]] = arith.constant dense<[1.000000e+00, 5.000000e-01]> : tensor<2xf64>
// CHECK-DAG: %[[LEARNT:.*]] = arith.constant dense<3> : tensor<1xi32>
// CHECK-DAG: %[[ELEMENT:.*]] = arith.constant dense<1> : tensor<1xi32>
// CHECK-DAG: %[[VALUE:.*]] = arith.constant dense<7.500000e-01> : tensor<1xf64>
// CHECK: %[[Q0:.*]] = tamk.launch "assemble_vector"
// CHECK: %[[Q1:.*]] = tamk.launch "multiply_penalty" ins(%[[ROWS]], %[[ROWS]], %[[VALUES]], %[[V:.*]] : {{.*}}) scalars(%[[T]], %{{.*}}, %{{.*}} : index, i64, i64) outs(%[[Q0]] :
// CHECK: %[[Q2:.*]] = tamk.launch "multiply_learnt_penalty" ins(%[[LEARNT]], %[[LEARNT]], %[[VALUE]], %[[ELEMENT]], %[[TW]], %[[V]] : {{.*}} outs(%[[Q1]] :
// CHECK-NOT: tamk.launch
func.func @apply_finish(%rows: index {tam.slot = #tam.slot<rows>},
    %w: tensor<2xf64> {tam.slot = #tam.slot<table>},
    %v: tensor<4xf64> {tam.slot = #tam.slot<coefficients>},
    %s0: tensor<2xf64, #tam.sums<full>> {tam.slot = #tam.slot<state>},
    %s1: tensor<2xf64, #tam.sums<full>> {tam.slot = #tam.slot<state, 64>})
    -> (tensor<4xf64> {tam.slot = #tam.slot<output>}) {
  %p0 = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  %p1 = tam.penalty rows [0, 1] columns [0, 1] values [0.5, 0.75]
      weights(%w, %w : tensor<2xf64>, tensor<2xf64>) table [-1, 0]
      element [0, 1]
      : tensor<2x2xf64, #tam.coordinates<2>>
  %q = tam.normal_product %rows
      sums(%s0, %s1 : tensor<2xf64, #tam.sums<full>>,
           tensor<2xf64, #tam.sums<full>>)
      penalties(%p0, %p1 : tensor<2x2xf64, #tam.coordinates<1>>,
                tensor<2x2xf64, #tam.coordinates<2>>)
      vector %v : tensor<4xf64>
  return %q : tensor<4xf64>
}
