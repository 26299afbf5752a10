// Sums of leaves of trees: the matrix's sizes and its scale come before those
// of the other one.
//
// RUN: tam-opt %s --convert-tam-to-tamk --canonicalize | FileCheck %s

// CHECK: #[[$WORKSPACE:.*]] = affine_map<()[s0] -> (25092, s0 * 6 + 516)>
// CHECK-LABEL: func.func @leaves(
func.func @leaves(%rows: index {tam.slot = #tam.slot<rows>},
                  %capacity: index {tam.slot = #tam.slot<capacity>},
                  %x: tensor<?xf64> {tam.slot = #tam.slot<column>},
                  %w: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
                  %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
                  %f: tensor<3x2xi32> {tam.slot = #tam.slot<table>},
                  %h: tensor<3x2xf64> {tam.slot = #tam.slot<table, 1>})
    -> (tensor<12x12xf64, #tam.sums<upper>> {tam.slot = #tam.slot<state>},
        tensor<12x4xf64, #tam.sums<full>> {tam.slot = #tam.slot<state, 4096>},
        tensor<2x12xf64, #tam.sums<transposed>>
            {tam.slot = #tam.slot<state, 8192>}) {
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i64
  // CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i64
  // CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i64
  // CHECK-DAG: %[[C12:.*]] = arith.constant 12 : i64
  // CHECK-DAG: %[[SCALE:.*]] = arith.constant 0.57735026918962584 : f64
  // CHECK: %[[S:.*]] = tamk.launch "stack"
  %points = tam.stack(%x : tensor<?xf64>) : tensor<?x1xf64>
  // CHECK: %[[T:.*]] = tamk.launch "tree_oblivious"
  %t = tam.tree %points, %f, %h {leaves = 4, oblivious}
      : tensor<?x1xf64>, tensor<3x2xi32>, tensor<3x2xf64>
      -> tensor<?x12xf64, #tam.multi_hot<3, 0.57735026918962584 : f64>>
  // CHECK: %[[B:.*]]:2 = tamk.launch "bspline"
  %b = tam.bspline %x, %p {intervals = 2, degree = 2}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x4xf64, #tam.banded<3>>
  // CHECK: %[[D:.*]] = tamk.launch "chebyshev"
  %d = tam.chebyshev %x {degree = 2}
      : tensor<?xf64> -> tensor<?x2xf64, #tam.dense>
  %ztt = tam.zeros : tensor<12x12xf64, #tam.sums<upper>>
  // Workspace for as many rows as a chunk has, at most a segment's.
  // CHECK: %[[SIZE:.*]] = affine.min #[[$WORKSPACE]]()[%[[CAPACITY:.*]]]
  // CHECK: %[[SPACE:.*]] = tensor.empty(%[[SIZE]]) : tensor<?xf64>
  // CHECK: tamk.launch "gram_multihot" ins(%[[T]] : tensor<?x3xi32>) absent [1] scalars(%{{.*}}, %[[C3]], %[[C12]], %[[SCALE]] : index, i64, i64, f64) outs(%{{.*}}, %[[SPACE]] : tensor<144xf64>, tensor<?xf64>)
  %tt = tam.gram %t, %t into %ztt
      : tensor<?x12xf64, #tam.multi_hot<3, 0.57735026918962584 : f64>>,
        tensor<?x12xf64, #tam.multi_hot<3, 0.57735026918962584 : f64>>
      -> tensor<12x12xf64, #tam.sums<upper>>
  %ztb = tam.zeros : tensor<12x4xf64, #tam.sums<full>>
  // CHECK: tamk.launch "gram_multihot_banded" ins(%[[T]], %[[B]]#0, %[[B]]#1, %{{.*}} : {{.*}}) scalars(%{{.*}}, %[[C3]], %[[C12]], %[[SCALE]], %[[C3]], %[[C4]] : index, i64, i64, f64, i64, i64) outs(%{{.*}} : tensor<48xf64>)
  %tb = tam.gram %t, %b weights %w : tensor<?xf64> into %ztb
      : tensor<?x12xf64, #tam.multi_hot<3, 0.57735026918962584 : f64>>,
        tensor<?x4xf64, #tam.banded<3>> -> tensor<12x4xf64, #tam.sums<full>>
  %zdt = tam.zeros : tensor<2x12xf64, #tam.sums<transposed>>
  // CHECK: tamk.launch "gram_multihot_dense" ins(%[[T]], %[[D]] : {{.*}}) absent [2] scalars(%{{.*}}, %[[C3]], %[[C12]], %[[SCALE]], %[[C2]] : index, i64, i64, f64, i64) outs(%{{.*}} : tensor<24xf64>)
  %dt = tam.gram %d, %t into %zdt : tensor<?x2xf64, #tam.dense>,
      tensor<?x12xf64, #tam.multi_hot<3, 0.57735026918962584 : f64>>
      -> tensor<2x12xf64, #tam.sums<transposed>>
  return %tt, %tb, %dt : tensor<12x12xf64, #tam.sums<upper>>,
      tensor<12x4xf64, #tam.sums<full>>,
      tensor<2x12xf64, #tam.sums<transposed>>
}
