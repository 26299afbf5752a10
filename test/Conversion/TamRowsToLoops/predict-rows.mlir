// The function of predictions.
//
// RUN: tam-opt %s --convert-tam-rows-to-loops --verify-row-loops | FileCheck %s

// CHECK-LABEL: module @row_loops {
// The polynomials of the two kinds of a spline of degree 2: of one interval and
// none about it the Bernstein polynomials, (1 - u)^2, 2u - 2u^2, u^2.
//
// CHECK: memref.global "private" constant @spline_polynomials_2 : memref<48xf64> = dense<[
// CHECK-SAME: 1.000000e+00, -2.000000e+00, 1.000000e+00, 0.000000e+00, 0.000000e+00, 2.000000e+00, -2.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 1.000000e+00, 0.000000e+00,
// CHECK-SAME: {alignment = 64 : i64}

// Numbers stored for a border: the value of the spline, and that of its line far
// away.
//
// CHECK: func.func private @predict_rows_0_border(
// CHECK-SAME: no_inline
// CHECK-COUNT-2: tamk.launch "bspline"

// The column, its parameters, the levels, coefficients, rows, predictions.
//
// CHECK: func.func private @predict_rows_0(%{{[^:]*}}: memref<?xf64>, %{{[^:]*}}: memref<4xf64>, %[[LEVELS:[^:]*]]: memref<?xi32>, %{{[^:]*}}: memref<1xf64>, %{{[^:]*}}: memref<4xf64>, %{{[^:]*}}: memref<7xf64>, %[[ROWS:[^:]*]]: index, %[[TO:[^:]*]]: memref<?xf64> {llvm.noalias})
// CHECK-SAME: attributes {tamk.kernel}
// Of many rows vectors of the parameters and the polynomials, in scratch.
// CHECK: scf.if
// CHECK-COUNT-5: vector.store {{.*}} : memref<8xf64>, vector<8xf64>
// CHECK: arith.mulf {{.*}} : vector<4xf64>
// CHECK: vector.store {{.*}} : memref<8xf64>, vector<4xf64>
// CHECK: scf.while
// CHECK: %[[SINGLE:.*]] = scf.if
// Eight rows, with two powers of each at a time; nothing is stored in between.
// CHECK: vector.load {{.*}} : memref<8xf64>, vector<8xf64>
// CHECK-NOT: vector.broadcast {{.*}} : f64 to vector<8xf64>
// CHECK: arith.divf {{.*}} : vector<8xf64>
// CHECK: arith.fptosi {{.*}} : vector<8xf64> to vector<8xi32>
// CHECK-COUNT-16: vector.load {{.*}} vector<2xf64>
// CHECK-NOT: vector.store
// CHECK: arith.cmpi slt, {{.*}} : vector<8xi32>
// CHECK: vector.reduction <or>, {{.*}} : vector<8xi1> into i1
// Eight rows again with a rare case: either border.
// CHECK: %[[EIGHT:.*]]:2 = scf.if {{.*}} -> (vector<8xf64>, i1) {
// CHECK: tamk.launder
// CHECK-COUNT-16: vector.load {{.*}} vector<2xf64>
// CHECK-COUNT-2: call @predict_rows_0_border(
// CHECK: } {tamk.rarity = 100 : i32}
// CHECK: scf.if %[[EIGHT]]#1 {
// CHECK: vector.store %[[EIGHT]]#0, %[[TO]]
// CHECK: } {tamk.rarity = 100 : i32}
// CHECK: scf.yield %[[EIGHT]]#1
// One row.
// CHECK: scf.if %[[SINGLE]] {
// CHECK: arith.divf {{.*}} : f64
// Rare cases of one row: coinciding knots, either border, an unseen level.
// CHECK: tamk.launch "bspline"
// CHECK: tamk.launch "predict_banded"
// CHECK: call @predict_rows_0_border(
// CHECK: %[[LEVEL:.*]] = memref.subview %[[LEVELS]]
// CHECK: tamk.launch "predict_onehot" ins(%[[LEVEL]],
// CHECK: } {tamk.rarity = 1000 : i32}
// CHECK: memref.store %{{.*}}, %[[TO]]
// CHECK-NOT: tamk.launch

// CHECK-LABEL: func.func @predict(
// CHECK: tam.rows @row_loops::@predict_rows_0(
func.func @predict(
    %rows: index {tam.slot = #tam.slot<rows>},
    %capacity: index {tam.slot = #tam.slot<capacity>},
    %v: tensor<?xf64> {tam.slot = #tam.slot<column>},
    %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
    %k: tensor<?xi32> {tam.slot = #tam.slot<column, 1>},
    %b0: tensor<1xf64> {tam.slot = #tam.slot<coefficients>},
    %b1: tensor<4xf64> {tam.slot = #tam.slot<coefficients, 8>},
    %b2: tensor<7xf64> {tam.slot = #tam.slot<coefficients, 40>})
    -> (tensor<?xf64> {tam.slot = #tam.slot<output>}) {
  %y = tam.rows(%rows, %v, %p, %k, %b0, %b1, %b2
      : index, tensor<?xf64>, tensor<4xf64>, tensor<?xi32>, tensor<1xf64>,
        tensor<4xf64>, tensor<7xf64>) {
  ^bb0(%n: index, %v0: tensor<?xf64>, %p0: tensor<4xf64>, %k0: tensor<?xi32>,
       %c0: tensor<1xf64>, %c1: tensor<4xf64>, %c2: tensor<7xf64>):
    %x = tam.normalize %v0, %p0 : tensor<?xf64>, tensor<4xf64>
    %o = tam.offset %n : tensor<?x1xf64, #tam.dense>
    %s = tam.bspline %x, %p0
        {intervals = 2, degree = 2, extrapolate = #tam.extrapolate<linear>}
        : tensor<?xf64>, tensor<4xf64> -> tensor<?x4xf64, #tam.banded<3>>
    %l = tam.levels %k0 {levels = 7} : tensor<?xi32>
        -> tensor<?x7xf64, #tam.one_hot>
    %y0 = tam.predict(%o, %s, %l : tensor<?x1xf64, #tam.dense>,
            tensor<?x4xf64, #tam.banded<3>>, tensor<?x7xf64, #tam.one_hot>)
        coefficients(%c0, %c1, %c2 : tensor<1xf64>, tensor<4xf64>,
            tensor<7xf64>) : tensor<?xf64>
    tam.yield %y0 : tensor<?xf64>
  } : tensor<?xf64>
  return %y : tensor<?xf64>
}
