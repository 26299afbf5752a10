// One launch per input and feature map, in the kernel's order of operands.
// Temporaries have `capacity` rows; the boundary becomes memrefs.
//
// RUN: tam-opt %s --convert-tam-to-tamk --canonicalize | FileCheck %s
// RUN: tam-opt %s --convert-tam-to-tamk --tamk-verify-launches -o /dev/null

// CHECK-LABEL: func.func @structured(
// CHECK-SAME: %[[ROWS:[^:]*]]: index {tam.slot = #tam.slot<rows>},
// CHECK-SAME: %[[CAPACITY:[^:]*]]: index {tam.slot = #tam.slot<capacity>},
// CHECK-SAME: %[[V:[^:]*]]: memref<?xf64> {tam.slot = #tam.slot<column>},
// CHECK-SAME: %[[K:[^:]*]]: memref<?xi32> {tam.slot = #tam.slot<column, 1>},
// CHECK-SAME: %[[P:[^:]*]]: memref<4xf64> {tam.slot = #tam.slot<parameters>},
// CHECK-SAME: %[[OUT:[^:]*]]: memref<?x28xf64> {tam.slot = #tam.slot<output>}) {
func.func @structured(%rows: index {tam.slot = #tam.slot<rows>},
                      %capacity: index {tam.slot = #tam.slot<capacity>},
                      %v: tensor<?xf64> {tam.slot = #tam.slot<column>},
                      %k: tensor<?xi32> {tam.slot = #tam.slot<column, 1>},
                      %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>})
    -> (tensor<?x28xf64> {tam.slot = #tam.slot<output>}) {
  // What the runtime owns and the step does not return is not written.
  // CHECK-DAG: %[[TV:.*]] = bufferization.to_tensor %[[V]] restrict : memref<?xf64>
  // CHECK-DAG: %[[TK:.*]] = bufferization.to_tensor %[[K]] restrict : memref<?xi32>
  // CHECK-DAG: %[[TP:.*]] = bufferization.to_tensor %[[P]] restrict : memref<4xf64>
  // CHECK-DAG: %[[SCALE:.*]] = arith.constant 3.140000e+00 : f64
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i64
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i64
  // CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i64
  // CHECK-DAG: %[[C5:.*]] = arith.constant 5 : i64

  // CHECK: %[[X0:.*]] = tensor.empty(%[[CAPACITY]]) : tensor<?xf64>
  // CHECK: %[[X:.*]] = tamk.launch "normalize" ins(%[[TV]], %[[TP]] : tensor<?xf64>, tensor<4xf64>) scalars(%[[ROWS]] : index) outs(%[[X0]] : tensor<?xf64>) source "tam.normalize" -> tensor<?xf64>
  %x = tam.normalize %v, %p : tensor<?xf64>, tensor<4xf64>

  // CHECK: %[[O0:.*]] = tensor.empty(%[[CAPACITY]]) : tensor<?x1xf64>
  // CHECK: %[[O:.*]] = tamk.launch "offset" scalars(%[[ROWS]] : index) outs(%[[O0]] : tensor<?x1xf64>) source "tam.offset"
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>

  // Extrapolation: 0 continue, 1 constant, 2 linear, 3 saturation.
  // CHECK: %[[L:.*]] = tamk.launch "linear" ins(%[[X]] : tensor<?xf64>) scalars(%[[ROWS]], %[[SCALE]], %[[C0]] : index, f64, i64) outs(%{{.*}} : tensor<?x1xf64>) source "tam.linear"
  // CHECK: %[[OL:.*]] = tamk.launch "stack" ins(%[[O]], %[[L]] : {{.*}} source "tam.design"
  // CHECK: tamk.launch "expand_dense" ins(%[[OL]] : {{.*}} source "tam.design"
  %l = tam.linear %x {scale = 3.14 : f64}
      : tensor<?xf64> -> tensor<?x1xf64, #tam.dense>

  // CHECK: %[[F:.*]] = tamk.launch "fourier" ins(%[[X]] : tensor<?xf64>) scalars(%[[ROWS]], %[[C2]], %[[C1]], %[[C1]] : index, i64, i64, i64) outs(%{{.*}} : tensor<?x4xf64>) source "tam.fourier"
  // CHECK: tamk.launch "expand_dense" ins(%[[F]] : {{.*}} source "tam.design"
  %f = tam.fourier %x
      {order = 2, cyclic, extrapolate = #tam.extrapolate<constant>}
      : tensor<?xf64> -> tensor<?x4xf64, #tam.dense>

  // CHECK: %[[H:.*]] = tamk.launch "fourier" ins(%[[X]] : tensor<?xf64>) scalars(%[[ROWS]], %[[C1]], %[[C0]], %[[C0]] : index, i64, i64, i64) outs(%{{.*}} : tensor<?x2xf64>)
  // CHECK: tamk.launch "expand_dense" ins(%[[H]] : {{.*}} source "tam.design"
  %h = tam.fourier %x {order = 1}
      : tensor<?xf64> -> tensor<?x2xf64, #tam.dense>

  // CHECK: %[[T:.*]] = tamk.launch "chebyshev" ins(%[[X]] : tensor<?xf64>) scalars(%[[ROWS]], %[[C5]], %[[C3]] : index, i64, i64) outs(%{{.*}} : tensor<?x5xf64>) source "tam.chebyshev"
  // CHECK: tamk.launch "expand_dense" ins(%[[T]] : {{.*}} source "tam.design"
  %t = tam.chebyshev %x
      {degree = 5, extrapolate = #tam.extrapolate<saturation>}
      : tensor<?xf64> -> tensor<?x5xf64, #tam.dense>

  // CHECK: %[[B0:.*]] = tensor.empty(%[[CAPACITY]]) : tensor<?x4xf64>
  // CHECK: %[[S0:.*]] = tensor.empty(%[[CAPACITY]]) : tensor<?xi32>
  // CHECK: %[[B:.*]]:2 = tamk.launch "bspline" ins(%[[X]], %[[TP]] : tensor<?xf64>, tensor<4xf64>) scalars(%[[ROWS]], %[[C5]], %[[C3]], %[[C2]] : index, i64, i64, i64) outs(%[[B0]], %[[S0]] : tensor<?x4xf64>, tensor<?xi32>) source "tam.bspline"
  // CHECK: tamk.launch "expand_banded" ins(%[[B]]#0, %[[B]]#1 : {{.*}} source "tam.design"
  %b = tam.bspline %x, %p
      {intervals = 5, degree = 3, extrapolate = #tam.extrapolate<linear>}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x8xf64, #tam.banded<4>>

  // CHECK: %[[C:.*]] = tamk.launch "onehot" ins(%[[X]] : tensor<?xf64>) scalars(%[[ROWS]], %[[C5]] : index, i64) outs(%{{.*}} : tensor<?xi32>) source "tam.category"
  // CHECK: tamk.launch "expand_onehot" ins(%[[C]] : {{.*}} source "tam.design"
  %c = tam.category %x {levels = 5}
      : tensor<?xf64> -> tensor<?x5xf64, #tam.one_hot>

  // The levels' numbers are a one-hot matrix: nothing is launched.
  // CHECK-NOT: source "tam.levels"
  %n = tam.levels %k {levels = 2}
      : tensor<?xi32> -> tensor<?x2xf64, #tam.one_hot>

  // CHECK: %[[D:.*]] = tamk.launch "expand_onehot" ins(%[[TK]] :
  %d = tam.design(%o, %l, %f, %h, %t, %b, %c, %n
      : tensor<?x1xf64, #tam.dense>, tensor<?x1xf64, #tam.dense>,
        tensor<?x4xf64, #tam.dense>, tensor<?x2xf64, #tam.dense>,
        tensor<?x5xf64, #tam.dense>, tensor<?x8xf64, #tam.banded<4>>,
        tensor<?x5xf64, #tam.one_hot>, tensor<?x2xf64, #tam.one_hot>)
      : tensor<?x28xf64>
  // CHECK: bufferization.materialize_in_destination %[[D]] in restrict writable %[[OUT]]
  // CHECK-NEXT: return{{$}}
  return %d : tensor<?x28xf64>
}

// If a map is stored dense, a second launch expands the sparser result of its
// kernel.
//
// CHECK-LABEL: func.func @dense(
// CHECK-SAME: %[[ROWS:[^:]*]]: index {tam.slot = #tam.slot<rows>},
// CHECK-SAME: %[[CAPACITY:[^:]*]]: index {tam.slot = #tam.slot<capacity>},
// CHECK-SAME: %[[X:[^:]*]]: memref<?xf64>
// CHECK-SAME: %[[K:[^:]*]]: memref<?xi32>
// CHECK-SAME: %[[P:[^:]*]]: memref<4xf64>
func.func @dense(%rows: index {tam.slot = #tam.slot<rows>},
                 %capacity: index {tam.slot = #tam.slot<capacity>},
                 %x: tensor<?xf64> {tam.slot = #tam.slot<column>},
                 %k: tensor<?xi32> {tam.slot = #tam.slot<column, 1>},
                 %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>})
    -> (tensor<?x10xf64> {tam.slot = #tam.slot<output>}) {
  // CHECK-DAG: %[[TX:.*]] = bufferization.to_tensor %[[X]]
  // CHECK-DAG: %[[TK:.*]] = bufferization.to_tensor %[[K]]
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i64
  // CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i64
  // CHECK-DAG: %[[C5:.*]] = arith.constant 5 : i64
  // CHECK: %[[B:.*]]:2 = tamk.launch "bspline" {{.*}} -> tensor<?x2xf64>, tensor<?xi32>
  // CHECK: %[[E0:.*]] = tensor.empty(%[[CAPACITY]]) : tensor<?x5xf64>
  // CHECK: %[[E:.*]] = tamk.launch "expand_banded" ins(%[[B]]#0, %[[B]]#1 : tensor<?x2xf64>, tensor<?xi32>) scalars(%[[ROWS]], %[[C2]], %[[C5]], %[[C5]], %[[C0]] : index, i64, i64, i64, i64) outs(%[[E0]] : tensor<?x5xf64>) source "tam.bspline"
  // CHECK: tamk.launch "expand_dense" ins(%[[E]] : {{.*}} source "tam.design"
  %b = tam.bspline %x, %p {intervals = 4, degree = 1}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x5xf64, #tam.dense>
  // CHECK: %[[C:.*]] = tamk.launch "onehot" ins(%[[TX]] : tensor<?xf64>) scalars(%[[ROWS]], %[[C3]] : index, i64)
  // CHECK: %[[CE:.*]] = tamk.launch "expand_onehot" ins(%[[C]] : tensor<?xi32>) scalars(%[[ROWS]], %[[C3]], %[[C3]], %[[C0]] : index, i64, i64, i64) outs(%{{.*}} : tensor<?x3xf64>) source "tam.category"
  // CHECK: tamk.launch "expand_dense" ins(%[[CE]] : {{.*}} source "tam.design"
  %c = tam.category %x {levels = 3}
      : tensor<?xf64> -> tensor<?x3xf64, #tam.dense>
  // CHECK: %[[NE:.*]] = tamk.launch "expand_onehot" ins(%[[TK]] : tensor<?xi32>) scalars(%[[ROWS]], %[[C2]], %[[C2]], %[[C0]] : index, i64, i64, i64) outs(%{{.*}} : tensor<?x2xf64>) source "tam.levels"
  // CHECK: tamk.launch "expand_dense" ins(%[[NE]] : {{.*}} source "tam.design"
  %n = tam.levels %k {levels = 2}
      : tensor<?xi32> -> tensor<?x2xf64, #tam.dense>
  %d = tam.design(%b, %c, %n : tensor<?x5xf64, #tam.dense>,
                  tensor<?x3xf64, #tam.dense>, tensor<?x2xf64, #tam.dense>)
      : tensor<?x10xf64>
  return %d : tensor<?x10xf64>
}

// A dense copy of a matrix.
// CHECK-LABEL: func.func @copied(
func.func @copied(%rows: index {tam.slot = #tam.slot<rows>},
                  %capacity: index {tam.slot = #tam.slot<capacity>},
                  %x: tensor<?xf64> {tam.slot = #tam.slot<column>},
                  %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>})
    -> (tensor<?x5xf64> {tam.slot = #tam.slot<output>}) {
  // CHECK: %[[B:.*]]:2 = tamk.launch "bspline"
  %b = tam.bspline %x, %p {intervals = 4, degree = 1}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x5xf64, #tam.banded<2>>
  // CHECK: %[[E:.*]] = tamk.launch "expand_banded" ins(%[[B]]#0, %[[B]]#1 : {{.*}} source "tam.convert"
  %e = tam.convert %b : tensor<?x5xf64, #tam.banded<2>>
      -> tensor<?x5xf64, #tam.dense>
  // CHECK: tamk.launch "expand_dense" ins(%[[E]] :
  %d = tam.design(%e : tensor<?x5xf64, #tam.dense>) : tensor<?x5xf64>
  return %d : tensor<?x5xf64>
}

// Products, maps beyond the range and matrices side by side that are stored
// dense: launches expand the sparse results of their kernels.
// CHECK-LABEL: func.func @dense_from_sparse(
func.func @dense_from_sparse(
    %rows: index {tam.slot = #tam.slot<rows>},
    %capacity: index {tam.slot = #tam.slot<capacity>},
    %x: tensor<?xf64> {tam.slot = #tam.slot<column>},
    %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>})
    -> (tensor<?x18xf64> {tam.slot = #tam.slot<output>}) {
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
  // CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i64
  // CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i64
  // CHECK-DAG: %[[C6:.*]] = arith.constant 6 : i64
  // CHECK-DAG: %[[C9:.*]] = arith.constant 9 : i64
  // CHECK: %[[B:.*]]:2 = tamk.launch "bspline"
  %b = tam.bspline %x, %p {intervals = 2, degree = 1}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x3xf64, #tam.banded<2>>
  // The parts of tam.columns below, behind the op that makes them.
  // CHECK: tamk.launch "sparsify_banded" {{.*}} source "tam.columns"
  // CHECK: %[[S:.*]]:2 = tamk.launch "sparsify_banded" {{.*}} source "tam.columns"
  // CHECK: %[[K:.*]]:2 = tamk.launch "kronecker_sparse"
  // CHECK: %[[KE:.*]] = tamk.launch "expand_sparse" ins(%[[K]]#0, %[[K]]#1 : tensor<?x4xf64>, tensor<?x4xi32>) scalars(%{{.*}}, %[[C4]], %[[C9]], %[[C9]], %[[C0]] : index, i64, i64, i64, i64) outs(%{{.*}} : tensor<?x9xf64>) source "tam.kronecker"
  // CHECK: tamk.launch "expand_dense" ins(%[[KE]] : {{.*}} source "tam.design"
  %k = tam.kronecker %b, %b : tensor<?x3xf64, #tam.banded<2>>,
      tensor<?x3xf64, #tam.banded<2>> -> tensor<?x9xf64, #tam.dense>
  // CHECK: %[[M:.*]]:2 = tamk.launch "blend_sparse"
  // CHECK: %[[ME:.*]] = tamk.launch "expand_sparse" ins(%[[M]]#0, %[[M]]#1 : tensor<?x4xf64>, tensor<?x4xi32>) scalars(%{{.*}}, %[[C4]], %[[C3]], %[[C3]], %[[C0]] : index, i64, i64, i64, i64) outs(%{{.*}} : tensor<?x3xf64>) source "tam.blend"
  // CHECK: tamk.launch "expand_dense" ins(%[[ME]] : {{.*}} source "tam.design"
  %m = tam.blend %b, %b, %x : tensor<?x3xf64, #tam.banded<2>>,
      tensor<?x3xf64, #tam.banded<2>>, tensor<?xf64>
      -> tensor<?x3xf64, #tam.dense>
  // CHECK: %[[SE:.*]] = tamk.launch "expand_sparse" ins(%[[S]]#0, %[[S]]#1 : tensor<?x4xf64>, tensor<?x4xi32>) scalars(%{{.*}}, %[[C4]], %[[C6]], %[[C6]], %[[C0]] : index, i64, i64, i64, i64) outs(%{{.*}} : tensor<?x6xf64>) source "tam.columns"
  // CHECK: tamk.launch "expand_dense" ins(%[[SE]] : {{.*}} source "tam.design"
  %s = tam.columns(%b, %b : tensor<?x3xf64, #tam.banded<2>>,
      tensor<?x3xf64, #tam.banded<2>>) -> tensor<?x6xf64, #tam.dense>
  %d = tam.design(%k, %m, %s : tensor<?x9xf64, #tam.dense>,
                  tensor<?x3xf64, #tam.dense>, tensor<?x6xf64, #tam.dense>)
      : tensor<?x18xf64>
  return %d : tensor<?x18xf64>
}

// Bands are written one after another, and dense matrices into one, each behind
// the op that makes it.
// CHECK-LABEL: func.func @columns(
func.func @columns(
    %rows: index {tam.slot = #tam.slot<rows>},
    %capacity: index {tam.slot = #tam.slot<capacity>},
    %x: tensor<?xf64> {tam.slot = #tam.slot<column>},
    %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
    %g0: tensor<7x5xf64, #tam.sums<full>> {tam.slot = #tam.slot<state>})
    -> (tensor<7x5xf64, #tam.sums<full>> {tam.slot = #tam.slot<state>}) {
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i64
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i64
  // CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i64
  // CHECK-DAG: %[[C5:.*]] = arith.constant 5 : i64
  // CHECK-DAG: %[[C7:.*]] = arith.constant 7 : i64
  // CHECK: %[[A:.*]]:2 = tamk.launch "bspline"
  %a = tam.bspline %x, %p {intervals = 2, degree = 1}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x3xf64, #tam.banded<2>>
  // CHECK: %[[P:.*]]:2 = tamk.launch "place_band" ins(%[[A]]#0, %[[A]]#1 : tensor<?x2xf64>, tensor<?xi32>) scalars(%{{.*}}, %[[C2]], %[[C0]], %[[C0]] : index, i64, i64, i64) outs(%{{.*}}, %{{.*}} : tensor<?x4xf64>, tensor<?x2xi32>) source "tam.columns"
  // CHECK: %[[B:.*]]:2 = tamk.launch "bspline"
  %b = tam.bspline %x, %p {intervals = 3, degree = 1}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x4xf64, #tam.banded<2>>
  // CHECK: %[[Q:.*]]:2 = tamk.launch "place_band" ins(%[[B]]#0, %[[B]]#1 : tensor<?x2xf64>, tensor<?xi32>) scalars(%{{.*}}, %[[C2]], %[[C3]], %[[C1]] : index, i64, i64, i64) outs(%[[P]]#0, %[[P]]#1 : tensor<?x4xf64>, tensor<?x2xi32>) source "tam.columns"
  %bands = tam.columns(%a, %b : tensor<?x3xf64, #tam.banded<2>>,
      tensor<?x4xf64, #tam.banded<2>>) -> tensor<?x7xf64, #tam.bands<2, 2>>
  %c = tam.chebyshev %x {degree = 2} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.dense>
  %d = tam.chebyshev %x {degree = 3} : tensor<?xf64>
      -> tensor<?x3xf64, #tam.dense>
  // CHECK: %[[E:.*]] = tamk.launch "expand_dense" ins(%{{.*}} : tensor<?x2xf64>) scalars(%{{.*}}, %[[C2]], %[[C5]], %[[C0]] : index, i64, i64, i64) outs(%{{.*}} : tensor<?x5xf64>) source "tam.columns"
  // CHECK: %[[F:.*]] = tamk.launch "expand_dense" ins(%{{.*}} : tensor<?x3xf64>) scalars(%{{.*}}, %[[C3]], %[[C5]], %[[C2]] : index, i64, i64, i64) outs(%[[E]] : tensor<?x5xf64>) source "tam.columns"
  %dense = tam.columns(%c, %d : tensor<?x2xf64, #tam.dense>,
      tensor<?x3xf64, #tam.dense>) -> tensor<?x5xf64, #tam.dense>
  // CHECK: tamk.launch "gram_bands_dense" ins(%[[Q]]#0, %[[Q]]#1, %[[F]] : tensor<?x4xf64>, tensor<?x2xi32>, tensor<?x5xf64>) absent [3] scalars(%{{.*}}, %[[C2]], %[[C2]], %[[C7]], %[[C5]] : index, i64, i64, i64, i64)
  %g1 = tam.gram %bands, %dense into %g0
      : tensor<?x7xf64, #tam.bands<2, 2>>, tensor<?x5xf64, #tam.dense>
      -> tensor<7x5xf64, #tam.sums<full>>
  return %g1 : tensor<7x5xf64, #tam.sums<full>>
}

// Columns are written sixteen at a time.
// CHECK-LABEL: func.func @many_columns(
func.func @many_columns(
    %rows: index {tam.slot = #tam.slot<rows>},
    %capacity: index {tam.slot = #tam.slot<capacity>},
    %x: tensor<?xf64> {tam.slot = #tam.slot<column>},
    %y: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
    %b0: tensor<18xf64, #tam.sums<full>> {tam.slot = #tam.slot<state>})
    -> (tensor<18xf64, #tam.sums<full>> {tam.slot = #tam.slot<state>}) {
  // CHECK: %[[A:.*]] = tamk.launch "linear"
  // CHECK: %[[S:.*]] = tamk.launch "stack" {{.*}} outs(%{{.*}} : tensor<?x16xf64>) source "tam.columns"
  // CHECK: %[[E:.*]] = tamk.launch "expand_dense" ins(%[[S]] : tensor<?x16xf64>)
  // CHECK: %[[B:.*]] = tamk.launch "linear"
  // CHECK: %[[T:.*]] = tamk.launch "stack" ins(%[[B]], %[[B]] : {{.*}} outs(%{{.*}} : tensor<?x2xf64>) source "tam.columns"
  // CHECK: %[[F:.*]] = tamk.launch "expand_dense" ins(%[[T]] : tensor<?x2xf64>) {{.*}} outs(%[[E]] : tensor<?x18xf64>)
  // CHECK: tamk.launch "rhs_dense" ins(%[[F]],
  %a = tam.linear %x {scale = 1.0 : f64} : tensor<?xf64>
      -> tensor<?x1xf64, #tam.dense>
  %b = tam.linear %y {scale = 1.0 : f64} : tensor<?xf64>
      -> tensor<?x1xf64, #tam.dense>
  %c = tam.columns(%a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a,
                   %a, %b, %b : tensor<?x1xf64, #tam.dense>,
      tensor<?x1xf64, #tam.dense>,
      tensor<?x1xf64, #tam.dense>,
      tensor<?x1xf64, #tam.dense>,
      tensor<?x1xf64, #tam.dense>,
      tensor<?x1xf64, #tam.dense>,
      tensor<?x1xf64, #tam.dense>,
      tensor<?x1xf64, #tam.dense>,
      tensor<?x1xf64, #tam.dense>,
      tensor<?x1xf64, #tam.dense>,
      tensor<?x1xf64, #tam.dense>,
      tensor<?x1xf64, #tam.dense>,
      tensor<?x1xf64, #tam.dense>,
      tensor<?x1xf64, #tam.dense>,
      tensor<?x1xf64, #tam.dense>,
      tensor<?x1xf64, #tam.dense>,
      tensor<?x1xf64, #tam.dense>,
      tensor<?x1xf64, #tam.dense>)
      -> tensor<?x18xf64, #tam.dense>
  %b1 = tam.rhs %c, %y into %b0
      : tensor<?x18xf64, #tam.dense>, tensor<?xf64>
      -> tensor<18xf64, #tam.sums<full>>
  return %b1 : tensor<18xf64, #tam.sums<full>>
}
