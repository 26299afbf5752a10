// The result of a map at the points of a grid has one row per point,
// independent of the rows of the chunk.
//
// RUN: tam-opt %s --convert-tam-to-tamk | FileCheck %s

// CHECK-LABEL: func.func @fit_finish(
// CHECK-DAG: %[[N:.*]] = arith.constant 24 : i64
// CHECK: tamk.launch "grid_points"
// CHECK: tamk.launch "linear" ins({{.*}}) scalars(%[[N]]
// CHECK: tamk.launch "affine" ins({{.*}}) scalars(%[[N]]
func.func @fit_finish(%rows: index {tam.slot = #tam.slot<rows>},
    %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
    %s: tensor<24x24xf64, #tam.sums<diagonal>> {tam.slot = #tam.slot<state>})
    -> (tensor<1x2xf64, #tam.sums<full>> {tam.slot = #tam.slot<output>}) {
  %x = tam.grid_points %p {step = 1.0 : f64} : tensor<4xf64> -> tensor<24xf64>
  %a = tam.linear %x {scale = 2.0 : f64} : tensor<24xf64>
      -> tensor<24x1xf64, #tam.dense>
  %b = tam.affine %x {scale = 2.0 : f64} : tensor<24xf64>
      -> tensor<24x2xf64, #tam.dense>
  %g = tam.expand_levels %s rows %a columns %b
      : tensor<24x24xf64, #tam.sums<diagonal>> rows
      tensor<24x1xf64, #tam.dense> columns tensor<24x2xf64, #tam.dense>
      -> tensor<1x2xf64, #tam.sums<full>>
  return %g : tensor<1x2xf64, #tam.sums<full>>
}
