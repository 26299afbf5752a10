// Launches on tensors become launches on memrefs: a destination is updated in
// place, a result is computed in the runtime's memory.
//
// RUN: tam-opt %s --tamk-bufferize --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @in_place(
// CHECK-SAME: %[[V:[^:]*]]: memref<?xf64>, %[[P:[^:]*]]: memref<4xf64>, %[[ROWS:[^:]*]]: index, %[[CAPACITY:[^:]*]]: index, %[[S:[^:]*]]: memref<9xf64>)
// CHECK: %[[X:.*]] = memref.alloc(%[[CAPACITY]]) {{.*}} : memref<?xf64>
// CHECK: tamk.launch "normalize" ins(%[[V]], %[[P]] : memref<?xf64>, memref<4xf64>) scalars(%[[ROWS]] : index) outs(%[[X]] : memref<?xf64>) source "tam.normalize"{{$}}
// CHECK: %[[A:.*]] = memref.alloc(%[[CAPACITY]]) {{.*}} : memref<?x3xf64>
// CHECK: tamk.launch "chebyshev" ins(%[[X]] : memref<?xf64>) {{.*}} outs(%[[A]] : memref<?x3xf64>){{$}}
// CHECK: tamk.launch "gram_dense" ins(%[[A]] : memref<?x3xf64>) absent [1] {{.*}} outs(%[[S]] : memref<9xf64>){{$}}
// CHECK-NEXT: return
func.func @in_place(%v: memref<?xf64>, %p: memref<4xf64>, %rows: index,
                    %capacity: index, %s: memref<9xf64>) {
  %c0 = arith.constant 0 : i64
  %c3 = arith.constant 3 : i64
  %tv = bufferization.to_tensor %v restrict : memref<?xf64> to tensor<?xf64>
  %tp = bufferization.to_tensor %p restrict : memref<4xf64> to tensor<4xf64>
  %ts = bufferization.to_tensor %s restrict writable
      : memref<9xf64> to tensor<9xf64>
  %x0 = tensor.empty(%capacity) : tensor<?xf64>
  %x = tamk.launch "normalize" ins(%tv, %tp : tensor<?xf64>, tensor<4xf64>)
      scalars(%rows : index) outs(%x0 : tensor<?xf64>) source "tam.normalize"
      -> tensor<?xf64>
  %a0 = tensor.empty(%capacity) : tensor<?x3xf64>
  %a = tamk.launch "chebyshev" ins(%x : tensor<?xf64>)
      scalars(%rows, %c3, %c0 : index, i64, i64) outs(%a0 : tensor<?x3xf64>)
      -> tensor<?x3xf64>
  %g = tamk.launch "gram_dense" ins(%a : tensor<?x3xf64>) absent [1]
      scalars(%rows, %c3 : index, i64) outs(%ts : tensor<9xf64>)
      -> tensor<9xf64>
  bufferization.materialize_in_destination %g in restrict writable %s
      : (tensor<9xf64>, memref<9xf64>) -> ()
  return
}

// The result needs no buffer besides the runtime's.
//
// CHECK-LABEL: func.func @to_destination(
// CHECK-SAME: %[[OUT:[^:]*]]: memref<?x1xf64>)
// CHECK-NEXT: tamk.launch "offset" scalars(%{{.*}} : index) outs(%[[OUT]] : memref<?x1xf64>)
// CHECK-NEXT: return
func.func @to_destination(%rows: index, %capacity: index,
                          %out: memref<?x1xf64>) {
  %0 = tensor.empty(%capacity) : tensor<?x1xf64>
  %1 = tamk.launch "offset" scalars(%rows : index) outs(%0 : tensor<?x1xf64>)
      -> tensor<?x1xf64>
  bufferization.materialize_in_destination %1 in restrict writable %out
      : (tensor<?x1xf64>, memref<?x1xf64>) -> ()
  return
}

// Each of a launch's results is the buffer of its destination.
//
// CHECK-LABEL: func.func @two_results(
// CHECK: %[[V:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x4xf64>
// CHECK: %[[S:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?xi32>
// CHECK: tamk.launch "bspline" {{.*}} outs(%[[V]], %[[S]] : memref<?x4xf64>, memref<?xi32>)
// CHECK: tamk.launch "expand_banded" ins(%[[V]], %[[S]] :
func.func @two_results(%x: memref<?xf64>, %p: memref<4xf64>, %rows: index,
                       %capacity: index, %out: memref<?x7xf64>) {
  %c0 = arith.constant 0 : i64
  %c4 = arith.constant 4 : i64
  %c7 = arith.constant 7 : i64
  %tx = bufferization.to_tensor %x restrict : memref<?xf64> to tensor<?xf64>
  %tp = bufferization.to_tensor %p restrict : memref<4xf64> to tensor<4xf64>
  %tout = bufferization.to_tensor %out restrict writable
      : memref<?x7xf64> to tensor<?x7xf64>
  %v0 = tensor.empty(%capacity) : tensor<?x4xf64>
  %s0 = tensor.empty(%capacity) : tensor<?xi32>
  %v, %s = tamk.launch "bspline" ins(%tx, %tp : tensor<?xf64>, tensor<4xf64>)
      scalars(%rows, %c4, %c4, %c0 : index, i64, i64, i64)
      outs(%v0, %s0 : tensor<?x4xf64>, tensor<?xi32>)
      -> tensor<?x4xf64>, tensor<?xi32>
  %e = tamk.launch "expand_banded" ins(%v, %s : tensor<?x4xf64>, tensor<?xi32>)
      scalars(%rows, %c4, %c7, %c7, %c0 : index, i64, i64, i64, i64)
      outs(%tout : tensor<?x7xf64>) -> tensor<?x7xf64>
  bufferization.materialize_in_destination %e in restrict writable %out
      : (tensor<?x7xf64>, memref<?x7xf64>) -> ()
  return
}

// A chain of updates in the memory of a result, whose old contents are read
// before.
//
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[X:[^:]*]]: memref<?x1xf64>, %[[B:[^:]*]]: memref<1xf64>, %{{[^:]*}}: index, %{{[^:]*}}: index, %[[OUT:[^:]*]]: memref<?x2xf64>, %[[S:[^:]*]]: memref<4xf64>)
// CHECK-NOT: memref.alloc
// CHECK: tamk.launch "gram_dense" ins(%[[OUT]] : memref<?x2xf64>) {{.*}} outs(%[[S]] : memref<4xf64>)
// CHECK-NEXT: tamk.launch "predict_dense" ins(%[[X]], %[[B]] : {{.*}} outs(%[[OUT]] : memref<?x2xf64>)
// CHECK-NEXT: tamk.launch "predict_dense" ins(%[[X]], %[[B]] : {{.*}} outs(%[[OUT]] : memref<?x2xf64>)
// CHECK-NEXT: return
func.func @chain(%x: memref<?x1xf64>, %beta: memref<1xf64>, %rows: index,
                 %capacity: index, %out: memref<?x2xf64>, %s: memref<4xf64>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %tx = bufferization.to_tensor %x restrict
      : memref<?x1xf64> to tensor<?x1xf64>
  %tb = bufferization.to_tensor %beta restrict : memref<1xf64> to tensor<1xf64>
  %told = bufferization.to_tensor %out restrict writable
      : memref<?x2xf64> to tensor<?x2xf64>
  %ts = bufferization.to_tensor %s restrict writable
      : memref<4xf64> to tensor<4xf64>
  %0 = tensor.empty(%capacity) : tensor<?x2xf64>
  %g = tamk.launch "gram_dense" ins(%told : tensor<?x2xf64>) absent [1]
      scalars(%rows, %c2 : index, i64) outs(%ts : tensor<4xf64>)
      -> tensor<4xf64>
  %1 = tamk.launch "predict_dense"
      ins(%tx, %tb : tensor<?x1xf64>, tensor<1xf64>)
      scalars(%rows, %c1, %c2, %c0, %c0 : index, i64, i64, i64, i64)
      outs(%0 : tensor<?x2xf64>) -> tensor<?x2xf64>
  %2 = tamk.launch "predict_dense"
      ins(%tx, %tb : tensor<?x1xf64>, tensor<1xf64>)
      scalars(%rows, %c1, %c2, %c1, %c0 : index, i64, i64, i64, i64)
      outs(%1 : tensor<?x2xf64>) -> tensor<?x2xf64>
  bufferization.materialize_in_destination %2 in restrict writable %out
      : (tensor<?x2xf64>, memref<?x2xf64>) -> ()
  bufferization.materialize_in_destination %g in restrict writable %s
      : (tensor<4xf64>, memref<4xf64>) -> ()
  return
}

// Constants are globals, one for each value.
//
// CHECK-LABEL: func.func @constants(
// CHECK: %[[T:.*]] = memref.get_global @__constant_4xi64{{.*}} : memref<4xi64>
// CHECK-NOT: memref.get_global
// CHECK: tamk.launch "assemble_vector" ins(%[[T]], %{{.*}} : memref<4xi64>, memref<2xf64>)
// CHECK: tamk.launch "assemble_vector" ins(%[[T]], %{{.*}} : memref<4xi64>, memref<2xf64>)
func.func @constants(%a: memref<2xf64>, %b: memref<2xf64>) {
  %c2 = arith.constant 2 : i64
  %t = arith.constant dense<[0, 2, 0, 0]> : tensor<4xi64>
  %u = arith.constant dense<[0, 2, 0, 0]> : tensor<4xi64>
  %ta = bufferization.to_tensor %a restrict : memref<2xf64> to tensor<2xf64>
  %0 = tensor.empty() : tensor<2xf64>
  %1 = tamk.launch "assemble_vector"
      ins(%t, %ta : tensor<4xi64>, tensor<2xf64>) scalars(%c2 : i64)
      outs(%0 : tensor<2xf64>) -> tensor<2xf64>
  %2 = tensor.empty() : tensor<2xf64>
  %3 = tamk.launch "assemble_vector"
      ins(%u, %1 : tensor<4xi64>, tensor<2xf64>) scalars(%c2 : i64)
      outs(%2 : tensor<2xf64>) -> tensor<2xf64>
  bufferization.materialize_in_destination %3 in restrict writable %b
      : (tensor<2xf64>, memref<2xf64>) -> ()
  return
}
