// The launches of loops over rows.
//
// RUN: tam-opt %s --convert-tam-to-tamk -split-input-file -verify-diagnostics \
// RUN:   | FileCheck %s

// Indices are no operands, but for the number of rows.
//
// CHECK-LABEL: func.func @fit_chunk(
// CHECK: tamk.launch "rows_0" ins(%{{.*}} : tensor<?xf64>)
// CHECK-SAME: scalars(%{{.*}} : index)
// CHECK-SAME: outs(%{{.*}} : tensor<1xf64>)
// CHECK-SAME: source "tam.rows" {generated} -> tensor<1xf64>
module @row_loops {
  func.func private @rows_0(%x: memref<?xf64>, %rows: index,
                            %sums: memref<1xf64>) attributes {tamk.kernel} {
    return
  }
}
func.func @fit_chunk(
    %rows: index {tam.slot = #tam.slot<rows>},
    %y: tensor<?xf64> {tam.slot = #tam.slot<column>},
    %s: tensor<1xf64, #tam.sums<full>> {tam.slot = #tam.slot<state>})
    -> (tensor<1xf64, #tam.sums<full>> {tam.slot = #tam.slot<state>}) {
  %r = tam.rows @row_loops::@rows_0(%rows, %y : index, tensor<?xf64>)
      into(%s : tensor<1xf64, #tam.sums<full>>) {
  ^bb0(%n: index, %y0: tensor<?xf64>, %s0: tensor<1xf64, #tam.sums<full>>):
    %o = tam.offset %n : tensor<?x1xf64, #tam.dense>
    %s1 = tam.rhs %o, %y0 into %s0 : tensor<?x1xf64, #tam.dense>,
        tensor<?xf64> -> tensor<1xf64, #tam.sums<full>>
    tam.yield %s1 : tensor<1xf64, #tam.sums<full>>
  } : tensor<1xf64, #tam.sums<full>>
  return %r : tensor<1xf64, #tam.sums<full>>
}

// -----

// A prediction is a new column.
//
// CHECK-LABEL: func.func @predict(
// CHECK: tamk.launch "predict_rows_0" ins(%{{.*}} : tensor<1xf64>)
// CHECK-SAME: scalars(%{{.*}} : index)
// CHECK-SAME: outs(%{{.*}} : tensor<?xf64>)
// CHECK-SAME: source "tam.rows" {generated} -> tensor<?xf64>
module @row_loops {
  func.func private @predict_rows_0(%b: memref<1xf64>, %rows: index,
                                    %y: memref<?xf64>)
      attributes {tamk.kernel} {
    return
  }
}
func.func @predict(
    %rows: index {tam.slot = #tam.slot<rows>},
    %capacity: index {tam.slot = #tam.slot<capacity>},
    %b: tensor<1xf64> {tam.slot = #tam.slot<coefficients>})
    -> (tensor<?xf64> {tam.slot = #tam.slot<output>}) {
  %y = tam.rows @row_loops::@predict_rows_0(%rows, %b : index, tensor<1xf64>) {
  ^bb0(%n: index, %b0: tensor<1xf64>):
    %o = tam.offset %n : tensor<?x1xf64, #tam.dense>
    %y0 = tam.predict(%o : tensor<?x1xf64, #tam.dense>)
        coefficients(%b0 : tensor<1xf64>) : tensor<?xf64>
    tam.yield %y0 : tensor<?xf64>
  } : tensor<?xf64>
  return %y : tensor<?xf64>
}

// -----

func.func @predict(
    %rows: index {tam.slot = #tam.slot<rows>},
    %capacity: index {tam.slot = #tam.slot<capacity>},
    %b: tensor<1xf64> {tam.slot = #tam.slot<coefficients>})
    -> (tensor<?xf64> {tam.slot = #tam.slot<output>}) {
  // expected-error @+2 {{'tam.rows' op expected a row loop (convert-tam-rows-to-loops)}}
  // expected-error @+1 {{failed to legalize operation 'tam.rows'}}
  %y = tam.rows(%rows, %b : index, tensor<1xf64>) {
  ^bb0(%n: index, %b0: tensor<1xf64>):
    %o = tam.offset %n : tensor<?x1xf64, #tam.dense>
    %y0 = tam.predict(%o : tensor<?x1xf64, #tam.dense>)
        coefficients(%b0 : tensor<1xf64>) : tensor<?xf64>
    tam.yield %y0 : tensor<?xf64>
  } : tensor<?xf64>
  return %y : tensor<?xf64>
}

// -----

// The runtime has no kernel that adds to panels.
func.func @fit_chunk(
    %rows: index {tam.slot = #tam.slot<rows>},
    %capacity: index {tam.slot = #tam.slot<capacity>},
    %v: tensor<?xf64> {tam.slot = #tam.slot<column>},
    %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
    %s0: tensor<5xf64, #tam.sums<panels, 4>> {tam.slot = #tam.slot<state>})
    -> (tensor<5xf64, #tam.sums<panels, 4>> {tam.slot = #tam.slot<state>}) {
  %a = tam.bspline %v, %p {intervals = 2, degree = 3}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x5xf64, #tam.banded<4>>
  // expected-error @+2 {{'tam.rhs' op expected sums in panels only in a tam.rows}}
  // expected-error @+1 {{failed to legalize operation 'tam.rhs'}}
  %b = tam.rhs %a, %v into %s0 : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?xf64> -> tensor<5xf64, #tam.sums<panels, 4>>
  return %b : tensor<5xf64, #tam.sums<panels, 4>>
}
