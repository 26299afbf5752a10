// The sums of pairs of sparse matrices: the sizes of the matrices, then the
// pairs, then two buffers of each matrix. They are added to a matrix behind its
// blocks and penalties.
//
// RUN: tam-opt %s --convert-tam-to-tamk --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @chunk(
// CHECK-SAME: %[[ROWS:[^:]*]]: index {tam.slot = #tam.slot<rows>},
// CHECK-DAG: %[[COUNT:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[SIZES:.*]] = arith.constant dense<[2, 4, 2, 6, 1, 3]> : tensor<6xi64>
// CHECK-DAG: %[[PAIRS:.*]] = arith.constant dense<[0, 1, 2, 0]> : tensor<4xi32>
// CHECK: %[[A:.*]]:2 = tamk.launch "kronecker
// CHECK: %[[B:.*]]:2 = tamk.launch "kronecker
// CHECK: %[[C:.*]]:2 = tamk.launch "sparsify_onehot"
// CHECK: tamk.launch "gram_pairs" ins(%[[SIZES]], %[[PAIRS]], %[[A]]#0, %[[A]]#1, %[[B]]#0, %[[B]]#1, %[[C]]#0, %[[C]]#1 : tensor<6xi64>, tensor<4xi32>, {{.*}}) absent [2] scalars(%[[ROWS]], %[[COUNT]] : index, i64) outs({{.*}} : tensor<40xf64>)
func.func @chunk(%rows: index {tam.slot = #tam.slot<rows>},
                 %capacity: index {tam.slot = #tam.slot<capacity>},
                 %u: tensor<?xf64> {tam.slot = #tam.slot<column>},
                 %v: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
                 %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
                 %s: tensor<40xf64, #tam.sums<full>>
                     {tam.slot = #tam.slot<state>})
    -> (tensor<40xf64, #tam.sums<full>> {tam.slot = #tam.slot<state>}) {
  %x = tam.bspline %u, %p {intervals = 1, degree = 1} : tensor<?xf64>,
      tensor<4xf64> -> tensor<?x2xf64, #tam.banded<2>>
  %k = tam.category %v {levels = 2 : i64} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %l = tam.category %v {levels = 3 : i64} : tensor<?xf64>
      -> tensor<?x3xf64, #tam.one_hot>
  %a = tam.kronecker %x, %k : tensor<?x2xf64, #tam.banded<2>>,
                     tensor<?x2xf64, #tam.one_hot>
      -> tensor<?x4xf64, #tam.sparse<2>>
  %b = tam.kronecker %l, %x : tensor<?x3xf64, #tam.one_hot>,
                     tensor<?x2xf64, #tam.banded<2>>
      -> tensor<?x6xf64, #tam.sparse<2>>
  %c = tam.convert %l : tensor<?x3xf64, #tam.one_hot>
      -> tensor<?x3xf64, #tam.sparse<1>>
  %r = tam.gram_pairs %a, %b, %c into %s {first = array<i32: 0, 2>,
      second = array<i32: 1, 0>} : tensor<?x4xf64, #tam.sparse<2>>,
      tensor<?x6xf64, #tam.sparse<2>>, tensor<?x3xf64, #tam.sparse<1>>
      -> tensor<40xf64, #tam.sums<full>>
  return %r : tensor<40xf64, #tam.sums<full>>
}

// CHECK-LABEL: func.func @finish(
// CHECK-SAME: %[[S:[^:]*]]: memref<8xf64> {tam.slot = #tam.slot<state, 64>},
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[N:.*]] = arith.constant 3 : i64
// CHECK-DAG: %[[STARTS:.*]] = arith.constant dense<[0, 1, 3]> : tensor<3xi64>
// CHECK-DAG: %[[PAIRS:.*]] = arith.constant dense<[1, 0]> : tensor<2xi32>
// CHECK-DAG: %[[SUMS:.*]] = bufferization.to_tensor %[[S]]
// CHECK: %[[M:.*]] = tamk.launch "assemble_matrix"
// CHECK: tamk.launch "assemble_pairs" ins(%[[STARTS]], %[[PAIRS]], %[[SUMS]] : {{.*}}) scalars(%[[N]], %[[ONE]] : i64, i64) outs(%[[M]] : tensor<3x3xf64>)
func.func @finish(%rows: index {tam.slot = #tam.slot<rows>},
                  %g: tensor<1x1xf64, #tam.sums<upper>>
                      {tam.slot = #tam.slot<state>},
                  %s: tensor<8xf64, #tam.sums<full>>
                      {tam.slot = #tam.slot<state, 64>},
                  %h: tensor<2x2xf64, #tam.sums<upper>>
                      {tam.slot = #tam.slot<state, 128>},
                  %b: tensor<3xf64> {tam.slot = #tam.slot<parameters>})
    -> (tensor<3xf64> {tam.slot = #tam.slot<output>}) {
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %q = tam.penalty rows [1] columns [0] values [1.0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  %m = tam.normal_matrix %rows
      blocks(%g, %h : tensor<1x1xf64, #tam.sums<upper>>,
             tensor<2x2xf64, #tam.sums<upper>>)
      pairs(%s : tensor<8xf64, #tam.sums<full>>)
      penalties(%p, %q : tensor<1x1xf64, #tam.coordinates<1>>,
                tensor<2x2xf64, #tam.coordinates<1>>)
      {first = array<i32: 1>, second = array<i32: 0>} : tensor<3x3xf64>
  %x = tam.solve %m, %b {solver = #tam.solver<direct>}
      : tensor<3x3xf64>, tensor<3xf64>
  return %x : tensor<3xf64>
}
