// The model lists its accumulators: kind of the steps that add to them, offset,
// numbers, and the unit of those that are row counts: leaves of trees with
// themselves, if rows have no weights.
//
// RUN: tam-opt %s --tam-tile-rows | FileCheck %s

// CHECK: accumulators = [
// CHECK-SAME: <kind = fit_chunk, offset = 0, count = 64, unit = 2.500000e-01>,
// CHECK-SAME: <kind = fit_chunk, offset = 512, count = 64>,
// CHECK-SAME: <kind = fit_chunk, offset = 1024, count = 16>]
module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 8>} {
func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
               %x: tensor<?xf64> {tam.slot = #tam.slot<column>},
               %w: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
               %f: tensor<4x1xi32> {tam.slot = #tam.slot<table>},
               %h: tensor<4x1xf64> {tam.slot = #tam.slot<table, 1>})
    -> (tensor<8x8xf64, #tam.sums<upper>> {tam.slot = #tam.slot<output>},
        tensor<8x8xf64, #tam.sums<upper>> {tam.slot = #tam.slot<output, 1>},
        tensor<8x2xf64, #tam.sums<full>> {tam.slot = #tam.slot<output, 2>}) {
  %points = tam.stack(%x : tensor<?xf64>) : tensor<?x1xf64>
  %t = tam.tree %points, %f, %h {leaves = 2, oblivious}
      : tensor<?x1xf64>, tensor<4x1xi32>, tensor<4x1xf64>
      -> tensor<?x8xf64, #tam.multi_hot<4, 0.5 : f64>>
  %d = tam.chebyshev %x {degree = 2}
      : tensor<?xf64> -> tensor<?x2xf64, #tam.dense>
  %z0 = tam.zeros : tensor<8x8xf64, #tam.sums<upper>>
  %counts = tam.gram %t, %t into %z0
      : tensor<?x8xf64, #tam.multi_hot<4, 0.5 : f64>>,
        tensor<?x8xf64, #tam.multi_hot<4, 0.5 : f64>>
      -> tensor<8x8xf64, #tam.sums<upper>>
  %z1 = tam.zeros : tensor<8x8xf64, #tam.sums<upper>>
  %weighted = tam.gram %t, %t weights %w : tensor<?xf64> into %z1
      : tensor<?x8xf64, #tam.multi_hot<4, 0.5 : f64>>,
        tensor<?x8xf64, #tam.multi_hot<4, 0.5 : f64>>
      -> tensor<8x8xf64, #tam.sums<upper>>
  %z2 = tam.zeros : tensor<8x2xf64, #tam.sums<full>>
  %other = tam.gram %t, %d into %z2
      : tensor<?x8xf64, #tam.multi_hot<4, 0.5 : f64>>,
        tensor<?x2xf64, #tam.dense> -> tensor<8x2xf64, #tam.sums<full>>
  return %counts, %weighted, %other : tensor<8x8xf64, #tam.sums<upper>>,
      tensor<8x8xf64, #tam.sums<upper>>, tensor<8x2xf64, #tam.sums<full>>
}
}
