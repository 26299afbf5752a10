// A fit that sums by levels is split like any other. Its steps are marked, its
// accumulators have a list of their own, and the levels are available at the
// end: a parameter of the group is not a row.
//
// RUN: tam-opt %s --tam-tile-rows -split-input-file | FileCheck %s

// CHECK: module attributes {tam.by_levels = #tam.variant<state_bytes = 64,
// CHECK-SAME: accumulators = [<kind = fit_chunk, offset = 0, count = 3>]>
// CHECK-SAME: tam.model =
module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 2>} {

// CHECK-LABEL: func.func @fit_by_levels_init(
// CHECK-SAME: attributes {tam.by_levels, tam.step = #tam.step<fit_init>}
// CHECK-LABEL: func.func @fit_by_levels_chunk(
// CHECK-SAME: attributes {tam.by_levels, tam.step = #tam.step<fit_chunk>}
// CHECK: tam.regrid
// CHECK-NOT: tam.grid_points
// CHECK-LABEL: func.func @fit_by_levels_finish(
// CHECK-SAME: %[[P:[^:]*]]: tensor<4xf64> {tam.slot = #tam.slot<parameters>}
// CHECK-SAME: attributes {tam.by_levels, tam.step = #tam.step<fit_finish>}
// CHECK-NOT: tam.regrid
// CHECK: tam.grid_points %[[P]]
// CHECK: tam.expand_levels
func.func @fit_by_levels(%rows: index {tam.slot = #tam.slot<rows>},
    %x: tensor<?xf64> {tam.slot = #tam.slot<column>},
    %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
    %y: tensor<?xf64> {tam.slot = #tam.slot<column, 1>})
    -> (tensor<2xf64> {tam.slot = #tam.slot<output>})
    attributes {tam.by_levels} {
  %at = tam.regrid %x, %p {levels = 3, step = 1.0} : tensor<?xf64>,
      tensor<4xf64>
  %l = tam.category %at {levels = 3} : tensor<?xf64>
      -> tensor<?x3xf64, #tam.one_hot>
  %z = tam.zeros : tensor<3xf64, #tam.sums<full>>
  %s = tam.rhs %l, %y into %z : tensor<?x3xf64, #tam.one_hot>, tensor<?xf64>
      -> tensor<3xf64, #tam.sums<full>>
  %points = tam.grid_points %p {step = 1.0} : tensor<4xf64> -> tensor<3xf64>
  %b = tam.fourier %points {order = 1} : tensor<3xf64>
      -> tensor<3x2xf64, #tam.dense>
  %r = tam.expand_levels %s rows %b : tensor<3xf64, #tam.sums<full>>
      rows tensor<3x2xf64, #tam.dense> -> tensor<2xf64, #tam.sums<full>>
  %v = tam.normal_vector(%r : tensor<2xf64, #tam.sums<full>>) : tensor<2xf64>
  return %v : tensor<2xf64>
}
}

// -----

// A result that is a parameter is a result of the last part.
//
// CHECK-LABEL: func.func @fit_finish(
// CHECK-SAME: %[[P:[^:]*]]: tensor<4xf64> {tam.slot = #tam.slot<parameters>}
// CHECK: return %[[P]]
func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
    %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
    %y: tensor<?xf64> {tam.slot = #tam.slot<column>})
    -> (tensor<4xf64> {tam.slot = #tam.slot<output>}) {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %z = tam.zeros : tensor<1xf64, #tam.sums<full>>
  %r = tam.rhs %o, %y into %z : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  return %p : tensor<4xf64>
}
