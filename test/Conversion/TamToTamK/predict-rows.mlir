// The function generated for predictions, and its launch.
//
// RUN: tam-opt %s --convert-tam-to-tamk -split-input-file -verify-diagnostics \
// RUN:   | FileCheck %s

// The polynomials of the two kinds of a spline of degree 2: of one interval and
// none about it the Bernstein polynomials, (1 - u)^2, 2u - 2u^2, u^2.
//
// CHECK: llvm.mlir.global internal constant @spline_polynomials_2(dense<[
// CHECK-SAME: 1.000000e+00, -2.000000e+00, 1.000000e+00, 0.000000e+00, 0.000000e+00, 2.000000e+00, -2.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 1.000000e+00, 0.000000e+00,
// CHECK-SAME: tensor<48xf64>) {{.*}}: !llvm.array<48 x f64>

// Values stored for a border: that of the spline, and that of its line far
// away.
//
// CHECK-LABEL: llvm.func internal @predict_rows_0_border(
// CHECK-COUNT-2: llvm.call @tamrt_bspline(

// The context, the column, its parameters, the levels, coefficients, rows,
// predictions.
//
// CHECK-LABEL: llvm.func internal @predict_rows_0(
// CHECK-SAME: %[[CONTEXT:[^:]*]]: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr {llvm.noalias})
// CHECK-SAME: attributes {{.*}}tamk.kernel
// The polynomials of many rows, in scratch.
// CHECK: llvm.fmul {{.*}} : vector<4xf64>
// CHECK: llvm.store {{.*}} : vector<4xf64>
// Eight rows, with two powers of each at a time; nothing is stored in between.
// CHECK: llvm.fdiv {{.*}} : vector<8xf64>
// CHECK: llvm.fptosi {{.*}} : vector<8xf64> to vector<8xi32>
// CHECK-COUNT-16: llvm.load {{.*}} : !llvm.ptr -> vector<2xf64>
// CHECK-NOT: llvm.store
// CHECK: llvm.icmp "slt" {{.*}} : vector<8xi32>
// CHECK: llvm.bitcast {{.*}} : vector<8xi1> to i8
// CHECK: llvm.store {{.*}} : vector<8xf64>, !llvm.ptr
// One row.
// CHECK: llvm.fdiv {{.*}} : f64
// CHECK: llvm.return
// Eight rows again with a rare case: either border.
// CHECK: llvm.intr.launder.invariant.group
// CHECK-COUNT-16: llvm.load {{.*}} : !llvm.ptr -> vector<2xf64>
// CHECK-COUNT-2: llvm.call @predict_rows_0_border(%[[CONTEXT]],
// Rare cases of one row: coinciding knots, either border, an unseen level.
// CHECK: llvm.call @tamrt_bspline(%[[CONTEXT]],
// CHECK: llvm.call @tamrt_predict_banded(%[[CONTEXT]],
// CHECK: llvm.call @predict_rows_0_border(%[[CONTEXT]],
// CHECK: llvm.call @tamrt_predict_onehot(%[[CONTEXT]],
// CHECK-NOT: llvm.call

// CHECK-LABEL: func.func @predict(
// CHECK: tamk.launch "predict_rows_0" ins(
// CHECK-SAME: scalars(%{{.*}} : index)
// CHECK-SAME: source "tam.rows" {generated}
// CHECK-SAME: -> tensor<?xf64>
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
