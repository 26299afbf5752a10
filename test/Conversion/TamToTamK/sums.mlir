// Sums over rows: the kernel is named after the encodings, its operands come in
// its order, one-hot before banded before dense; `transposed` swaps them.
// Missing weights are listed as absent, by position.
//
// RUN: tam-opt %s --convert-tam-to-tamk --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @init(
// CHECK-SAME: %[[S:[^:]*]]: memref<9xf64> {tam.slot = #tam.slot<state>},
// CHECK-SAME: %[[D:[^:]*]]: memref<5xf64> {tam.slot = #tam.slot<state, 192>})
func.func @init()
    -> (tensor<3x3xf64, #tam.sums<upper>> {tam.slot = #tam.slot<state>},
        tensor<5x5xf64, #tam.sums<diagonal>> {tam.slot = #tam.slot<state, 192>})
{
  // All numbers are cleared: 9 and 5.
  // CHECK-DAG: %[[C9:.*]] = arith.constant 9 : i64
  // CHECK-DAG: %[[C5:.*]] = arith.constant 5 : i64
  // CHECK: %[[S0:.*]] = tensor.empty() : tensor<9xf64>
  // CHECK: %[[S1:.*]] = tamk.launch "zero" scalars(%[[C9]] : i64) outs(%[[S0]] : tensor<9xf64>) source "tam.zeros"
  %s = tam.zeros : tensor<3x3xf64, #tam.sums<upper>>
  // CHECK: %[[D1:.*]] = tamk.launch "zero" scalars(%[[C5]] : i64) outs(%{{.*}} : tensor<5xf64>) source "tam.zeros"
  %d = tam.zeros : tensor<5x5xf64, #tam.sums<diagonal>>
  // CHECK: bufferization.materialize_in_destination %[[S1]] in restrict writable %[[S]]
  // CHECK: bufferization.materialize_in_destination %[[D1]] in restrict writable %[[D]]
  return %s, %d : tensor<3x3xf64, #tam.sums<upper>>,
      tensor<5x5xf64, #tam.sums<diagonal>>
}

// An accumulator that is both argument and result is one memref, read and
// written.
//
// CHECK-LABEL: func.func @chunk(
// CHECK-SAME: %[[ROWS:[^:]*]]: index {tam.slot = #tam.slot<rows>},
// CHECK-SAME: %[[Y:[^:]*]]: memref<?xf64> {tam.slot = #tam.slot<column>},
// CHECK-SAME: %[[S:[^:]*]]: memref<1xf64> {tam.slot = #tam.slot<state>}) {
func.func @chunk(%rows: index {tam.slot = #tam.slot<rows>},
                 %capacity: index {tam.slot = #tam.slot<capacity>},
                 %y: tensor<?xf64> {tam.slot = #tam.slot<column>},
                 %s: tensor<1xf64, #tam.sums<full>>
                     {tam.slot = #tam.slot<state>})
    -> (tensor<1xf64, #tam.sums<full>> {tam.slot = #tam.slot<state>}) {
  // CHECK: %[[S0:.*]] = bufferization.to_tensor %[[S]] restrict writable : memref<1xf64>
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  // CHECK: %[[S1:.*]] = tamk.launch "rhs_dense" {{.*}} outs(%[[S0]] : tensor<1xf64>)
  %r = tam.rhs %o, %y into %s : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  // CHECK: bufferization.materialize_in_destination %[[S1]] in restrict writable %[[S]]
  // CHECK-NEXT: return{{$}}
  return %r : tensor<1xf64, #tam.sums<full>>
}

// Squares of columns, with weights and without, of what one launch makes of
// many inputs: scales, modes, then an input's values and parameters by turns.
//
// CHECK-LABEL: func.func @squares(
// CHECK-SAME: %[[ROWS:[^:]*]]: index {tam.slot = #tam.slot<rows>},
// CHECK-DAG: %[[SCALES:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf64>
// CHECK-DAG: %[[MODES:.*]] = arith.constant dense<[0, 3]> : tensor<2xi64>
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[V:.*]] = bufferization.to_tensor %arg2
// CHECK-DAG: %[[U:.*]] = bufferization.to_tensor %arg3
// CHECK-DAG: %[[P:.*]] = bufferization.to_tensor %arg4
// CHECK-DAG: %[[Q:.*]] = bufferization.to_tensor %arg5
// CHECK: %[[A:.*]] = tamk.launch "linear_columns" ins(%[[SCALES]], %[[MODES]], %[[V]], %[[P]], %[[U]], %[[Q]] : tensor<2xf64>, tensor<2xi64>, tensor<?xf64>, tensor<4xf64>, tensor<?xf64>, tensor<4xf64>) scalars(%[[ROWS]] : index) outs(%{{.*}} : tensor<?x2xf64>) source "tam.linear_columns"
// CHECK: %[[S1:.*]] = tamk.launch "squares_dense" ins(%[[A]] : tensor<?x2xf64>) absent [1] scalars(%[[ROWS]], %[[C2]] : index, i64) outs(%[[S0:.*]] : tensor<2xf64>) source "tam.squares"
// CHECK: tamk.launch "squares_dense" ins(%[[A]], %[[U]] : tensor<?x2xf64>, tensor<?xf64>) scalars(%[[ROWS]], %[[C2]] : index, i64) outs(%[[S1]] : tensor<2xf64>)
func.func @squares(%rows: index {tam.slot = #tam.slot<rows>},
                   %capacity: index {tam.slot = #tam.slot<capacity>},
                   %v: tensor<?xf64> {tam.slot = #tam.slot<column>},
                   %u: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
                   %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
                   %q: tensor<4xf64> {tam.slot = #tam.slot<parameters, 32>},
                   %s: tensor<2xf64, #tam.sums<full>>
                       {tam.slot = #tam.slot<state>})
    -> (tensor<2xf64, #tam.sums<full>> {tam.slot = #tam.slot<state>}) {
  %a = tam.linear_columns(%v, %u : tensor<?xf64>, tensor<?xf64>)
      parameters(%p, %q : tensor<4xf64>, tensor<4xf64>) scales [1.0, 2.0]
      {extrapolate = [#tam.extrapolate<continue>,
                      #tam.extrapolate<saturation>]}
      -> tensor<?x2xf64, #tam.dense>
  %s1 = tam.squares %a into %s : tensor<?x2xf64, #tam.dense>
      -> tensor<2xf64, #tam.sums<full>>
  %s2 = tam.squares %a weights %u : tensor<?xf64> into %s1
      : tensor<?x2xf64, #tam.dense> -> tensor<2xf64, #tam.sums<full>>
  return %s2 : tensor<2xf64, #tam.sums<full>>
}

// Every pair of encodings, in both orders.
//
// CHECK-LABEL: func.func @pairs(
// CHECK-SAME: %[[ROWS:[^:]*]]: index {tam.slot = #tam.slot<rows>},
// CHECK-SAME: %[[X:[^:]*]]: memref<?xf64> {tam.slot = #tam.slot<column>},
// CHECK-SAME: %[[W:[^:]*]]: memref<?xf64> {tam.slot = #tam.slot<column, 1>}
func.func @pairs(%rows: index {tam.slot = #tam.slot<rows>},
                 %capacity: index {tam.slot = #tam.slot<capacity>},
                 %x: tensor<?xf64> {tam.slot = #tam.slot<column>},
                 %w: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
                 %k: tensor<?xi32> {tam.slot = #tam.slot<column, 2>},
                 %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>})
    -> (tensor<2x2xf64, #tam.sums<upper>>
            {tam.slot = #tam.slot<state, 0>},
        tensor<7x7xf64, #tam.sums<upper>>
            {tam.slot = #tam.slot<state, 1024>},
        tensor<5x5xf64, #tam.sums<diagonal>>
            {tam.slot = #tam.slot<state, 2048>},
        tensor<2x2xf64, #tam.sums<full>>
            {tam.slot = #tam.slot<state, 3072>},
        tensor<7x2xf64, #tam.sums<full>>
            {tam.slot = #tam.slot<state, 4096>},
        tensor<7x7xf64, #tam.sums<full>>
            {tam.slot = #tam.slot<state, 5120>},
        tensor<5x2xf64, #tam.sums<full>>
            {tam.slot = #tam.slot<state, 6144>},
        tensor<5x7xf64, #tam.sums<full>>
            {tam.slot = #tam.slot<state, 7168>},
        tensor<5x5xf64, #tam.sums<full>>
            {tam.slot = #tam.slot<state, 8192>},
        tensor<2x7xf64, #tam.sums<transposed>>
            {tam.slot = #tam.slot<state, 9216>},
        tensor<2x5xf64, #tam.sums<transposed>>
            {tam.slot = #tam.slot<state, 10240>},
        tensor<7x5xf64, #tam.sums<transposed>>
            {tam.slot = #tam.slot<state, 11264>},
        tensor<2xf64, #tam.sums<full>>
            {tam.slot = #tam.slot<state, 12288>},
        tensor<7xf64, #tam.sums<full>>
            {tam.slot = #tam.slot<state, 13312>},
        tensor<5xf64, #tam.sums<full>>
            {tam.slot = #tam.slot<state, 14336>}) {
  // CHECK-DAG: %[[TX:.*]] = bufferization.to_tensor %[[X]] restrict : memref<?xf64>
  // CHECK-DAG: %[[TW:.*]] = bufferization.to_tensor %[[W]] restrict : memref<?xf64>
  // CHECK-DAG: %[[K:.*]] = bufferization.to_tensor %{{.*}} restrict : memref<?xi32>
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i64
  // CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i64
  // CHECK-DAG: %[[C5:.*]] = arith.constant 5 : i64
  // CHECK-DAG: %[[C7:.*]] = arith.constant 7 : i64
  // CHECK: %[[D:.*]] = tamk.launch "chebyshev"
  %d = tam.chebyshev %x {degree = 2}
      : tensor<?xf64> -> tensor<?x2xf64, #tam.dense>
  // CHECK: %[[B:.*]]:2 = tamk.launch "bspline"
  %b = tam.bspline %x, %p {intervals = 5, degree = 2}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x7xf64, #tam.banded<3>>
  %c = tam.levels %k {levels = 5}
      : tensor<?xi32> -> tensor<?x5xf64, #tam.one_hot>

  // Of a matrix with itself.
  %zdd = tam.zeros : tensor<2x2xf64, #tam.sums<upper>>
  // CHECK: tamk.launch "gram_dense" ins(%[[D]] : tensor<?x2xf64>) absent [1] scalars(%[[ROWS]], %[[C2]] : index, i64) outs(%{{.*}} : tensor<4xf64>) source "tam.gram"
  %dd = tam.gram %d, %d into %zdd : tensor<?x2xf64, #tam.dense>,
      tensor<?x2xf64, #tam.dense> -> tensor<2x2xf64, #tam.sums<upper>>
  // CHECK: tamk.launch "gram_dense" ins(%[[D]], %[[TW]] : tensor<?x2xf64>, tensor<?xf64>) scalars(
  %ddw = tam.gram %d, %d weights %w : tensor<?xf64> into %dd
      : tensor<?x2xf64, #tam.dense>, tensor<?x2xf64, #tam.dense>
      -> tensor<2x2xf64, #tam.sums<upper>>
  %zbb = tam.zeros : tensor<7x7xf64, #tam.sums<upper>>
  // CHECK: tamk.launch "gram_banded" ins(%[[B]]#0, %[[B]]#1 : tensor<?x3xf64>, tensor<?xi32>) absent [2] scalars(%[[ROWS]], %[[C3]], %[[C7]] : index, i64, i64) outs(%{{.*}} : tensor<49xf64>)
  %bb = tam.gram %b, %b into %zbb : tensor<?x7xf64, #tam.banded<3>>,
      tensor<?x7xf64, #tam.banded<3>> -> tensor<7x7xf64, #tam.sums<upper>>
  %zcc = tam.zeros : tensor<5x5xf64, #tam.sums<diagonal>>
  // CHECK: tamk.launch "gram_onehot" ins(%[[K]] : tensor<?xi32>) absent [1] scalars(%[[ROWS]], %[[C5]] : index, i64) outs(%{{.*}} : tensor<5xf64>)
  %cc = tam.gram %c, %c into %zcc : tensor<?x5xf64, #tam.one_hot>,
      tensor<?x5xf64, #tam.one_hot> -> tensor<5x5xf64, #tam.sums<diagonal>>

  // In the kernel's order.
  %zdd2 = tam.zeros : tensor<2x2xf64, #tam.sums<full>>
  // CHECK: tamk.launch "gram_dense_dense" ins(%[[D]], %[[D]] : {{.*}}) absent [2] scalars(%[[ROWS]], %[[C2]], %[[C2]] : index, i64, i64) outs(%{{.*}} : tensor<4xf64>)
  %dd2 = tam.gram %d, %d into %zdd2 : tensor<?x2xf64, #tam.dense>,
      tensor<?x2xf64, #tam.dense> -> tensor<2x2xf64, #tam.sums<full>>
  %zbd = tam.zeros : tensor<7x2xf64, #tam.sums<full>>
  // CHECK: tamk.launch "gram_banded_dense" ins(%[[B]]#0, %[[B]]#1, %[[D]], %[[TW]] : {{.*}}) scalars(%[[ROWS]], %[[C3]], %[[C7]], %[[C2]] : index, i64, i64, i64) outs(%{{.*}} : tensor<14xf64>)
  %bd = tam.gram %b, %d weights %w : tensor<?xf64> into %zbd
      : tensor<?x7xf64, #tam.banded<3>>, tensor<?x2xf64, #tam.dense>
      -> tensor<7x2xf64, #tam.sums<full>>
  %zbb2 = tam.zeros : tensor<7x7xf64, #tam.sums<full>>
  // CHECK: tamk.launch "gram_banded_banded" ins(%[[B]]#0, %[[B]]#1, %[[B]]#0, %[[B]]#1 : {{.*}}) absent [4] scalars(%[[ROWS]], %[[C3]], %[[C7]], %[[C3]], %[[C7]] : index, i64, i64, i64, i64) outs(%{{.*}} : tensor<49xf64>)
  %bb2 = tam.gram %b, %b into %zbb2 : tensor<?x7xf64, #tam.banded<3>>,
      tensor<?x7xf64, #tam.banded<3>> -> tensor<7x7xf64, #tam.sums<full>>
  %zcd = tam.zeros : tensor<5x2xf64, #tam.sums<full>>
  // CHECK: tamk.launch "gram_onehot_dense" ins(%[[K]], %[[D]] : {{.*}}) absent [2] scalars(%[[ROWS]], %[[C5]], %[[C2]] : index, i64, i64) outs(%{{.*}} : tensor<10xf64>)
  %cd = tam.gram %c, %d into %zcd : tensor<?x5xf64, #tam.one_hot>,
      tensor<?x2xf64, #tam.dense> -> tensor<5x2xf64, #tam.sums<full>>
  %zcb = tam.zeros : tensor<5x7xf64, #tam.sums<full>>
  // CHECK: tamk.launch "gram_onehot_banded" ins(%[[K]], %[[B]]#0, %[[B]]#1 : {{.*}}) absent [3] scalars(%[[ROWS]], %[[C5]], %[[C3]], %[[C7]] : index, i64, i64, i64) outs(%{{.*}} : tensor<35xf64>)
  %cb = tam.gram %c, %b into %zcb : tensor<?x5xf64, #tam.one_hot>,
      tensor<?x7xf64, #tam.banded<3>> -> tensor<5x7xf64, #tam.sums<full>>
  %zcc2 = tam.zeros : tensor<5x5xf64, #tam.sums<full>>
  // CHECK: tamk.launch "gram_onehot_onehot" ins(%[[K]], %[[K]] : {{.*}}) absent [2] scalars(%[[ROWS]], %[[C5]], %[[C5]] : index, i64, i64) outs(%{{.*}} : tensor<25xf64>)
  %cc2 = tam.gram %c, %c into %zcc2 : tensor<?x5xf64, #tam.one_hot>,
      tensor<?x5xf64, #tam.one_hot> -> tensor<5x5xf64, #tam.sums<full>>

  // The other way round: the same launches.
  %zdb = tam.zeros : tensor<2x7xf64, #tam.sums<transposed>>
  // CHECK: tamk.launch "gram_banded_dense" ins(%[[B]]#0, %[[B]]#1, %[[D]] : {{.*}}) absent [3] scalars(%[[ROWS]], %[[C3]], %[[C7]], %[[C2]] : index, i64, i64, i64) outs(%{{.*}} : tensor<14xf64>)
  %db = tam.gram %d, %b into %zdb : tensor<?x2xf64, #tam.dense>,
      tensor<?x7xf64, #tam.banded<3>> -> tensor<2x7xf64, #tam.sums<transposed>>
  %zdc = tam.zeros : tensor<2x5xf64, #tam.sums<transposed>>
  // CHECK: tamk.launch "gram_onehot_dense" ins(%[[K]], %[[D]], %[[TW]] : {{.*}}) scalars(%[[ROWS]], %[[C5]], %[[C2]] : index, i64, i64)
  %dc = tam.gram %d, %c weights %w : tensor<?xf64> into %zdc
      : tensor<?x2xf64, #tam.dense>, tensor<?x5xf64, #tam.one_hot>
      -> tensor<2x5xf64, #tam.sums<transposed>>
  %zbc = tam.zeros : tensor<7x5xf64, #tam.sums<transposed>>
  // CHECK: tamk.launch "gram_onehot_banded" ins(%[[K]], %[[B]]#0, %[[B]]#1 : {{.*}}) absent [3]
  %bc = tam.gram %b, %c into %zbc : tensor<?x7xf64, #tam.banded<3>>,
      tensor<?x5xf64, #tam.one_hot> -> tensor<7x5xf64, #tam.sums<transposed>>

  // Right-hand sides.
  %zd = tam.zeros : tensor<2xf64, #tam.sums<full>>
  // CHECK: tamk.launch "rhs_dense" ins(%[[D]], %[[TX]], %[[TW]] : {{.*}}) scalars(%[[ROWS]], %[[C2]] : index, i64) outs(%{{.*}} : tensor<2xf64>) source "tam.rhs"
  %rd = tam.rhs %d, %x weights %w : tensor<?xf64> into %zd
      : tensor<?x2xf64, #tam.dense>, tensor<?xf64>
      -> tensor<2xf64, #tam.sums<full>>
  %zb = tam.zeros : tensor<7xf64, #tam.sums<full>>
  // CHECK: tamk.launch "rhs_banded" ins(%[[B]]#0, %[[B]]#1, %[[TX]] : {{.*}}) absent [3] scalars(%[[ROWS]], %[[C3]], %[[C7]] : index, i64, i64) outs(%{{.*}} : tensor<7xf64>)
  %rb = tam.rhs %b, %x into %zb : tensor<?x7xf64, #tam.banded<3>>,
      tensor<?xf64> -> tensor<7xf64, #tam.sums<full>>
  %zc = tam.zeros : tensor<5xf64, #tam.sums<full>>
  // CHECK: tamk.launch "rhs_onehot" ins(%[[K]], %[[TX]] : {{.*}}) absent [2] scalars(%[[ROWS]], %[[C5]] : index, i64) outs(%{{.*}} : tensor<5xf64>)
  %rc = tam.rhs %c, %x into %zc : tensor<?x5xf64, #tam.one_hot>,
      tensor<?xf64> -> tensor<5xf64, #tam.sums<full>>
  return %ddw, %bb, %cc, %dd2, %bd, %bb2, %cd, %cb, %cc2, %db, %dc, %bc, %rd,
      %rb, %rc
      : tensor<2x2xf64, #tam.sums<upper>>, tensor<7x7xf64, #tam.sums<upper>>,
        tensor<5x5xf64, #tam.sums<diagonal>>, tensor<2x2xf64, #tam.sums<full>>,
        tensor<7x2xf64, #tam.sums<full>>, tensor<7x7xf64, #tam.sums<full>>,
        tensor<5x2xf64, #tam.sums<full>>, tensor<5x7xf64, #tam.sums<full>>,
        tensor<5x5xf64, #tam.sums<full>>,
        tensor<2x7xf64, #tam.sums<transposed>>,
        tensor<2x5xf64, #tam.sums<transposed>>,
        tensor<7x5xf64, #tam.sums<transposed>>, tensor<2xf64, #tam.sums<full>>,
        tensor<7xf64, #tam.sums<full>>, tensor<5xf64, #tam.sums<full>>
}
