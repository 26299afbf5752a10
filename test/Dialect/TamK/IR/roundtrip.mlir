// The launch on tensors and on memrefs, with and without each of its optional
// parts, printed and parsed again, in the custom form and in the generic one.
//
// RUN: tam-opt %s | tam-opt | FileCheck %s
// RUN: tam-opt %s --mlir-print-op-generic | tam-opt | FileCheck %s
// RUN: tam-opt %s --emit-bytecode | tam-opt | FileCheck %s

// CHECK-LABEL: func.func @tensors(
// CHECK-SAME: %[[X:.*]]: tensor<?xf64>, %[[P:.*]]: tensor<4xf64>, %[[ROWS:.*]]: index, %[[K:.*]]: i64, %[[V0:.*]]: tensor<?x4xf64>, %[[S0:.*]]: tensor<?xi32>
func.func @tensors(%x: tensor<?xf64>, %p: tensor<4xf64>, %rows: index, %k: i64,
                   %v0: tensor<?x4xf64>, %s0: tensor<?xi32>)
    -> (tensor<?x4xf64>, tensor<?xi32>) {
  // CHECK: %[[R:.*]]:2 = tamk.launch "bspline" ins(%[[X]], %[[P]] : tensor<?xf64>, tensor<4xf64>) scalars(%[[ROWS]], %[[K]], %[[K]], %[[K]] : index, i64, i64, i64) outs(%[[V0]], %[[S0]] : tensor<?x4xf64>, tensor<?xi32>) source "tam.bspline" -> tensor<?x4xf64>, tensor<?xi32>
  %v, %s = tamk.launch "bspline" ins(%x, %p : tensor<?xf64>, tensor<4xf64>)
      scalars(%rows, %k, %k, %k : index, i64, i64, i64)
      outs(%v0, %s0 : tensor<?x4xf64>, tensor<?xi32>)
      source "tam.bspline" -> tensor<?x4xf64>, tensor<?xi32>
  // CHECK: return %[[R]]#0, %[[R]]#1
  return %v, %s : tensor<?x4xf64>, tensor<?xi32>
}

// A kernel without inputs; a scalar that is a number.
//
// CHECK-LABEL: func.func @no_inputs(
// CHECK-SAME: %[[ROWS:.*]]: index, %[[X:.*]]: memref<?xf64>, %[[SCALE:.*]]: f64, %[[MODE:.*]]: i64, %[[OUT:.*]]: memref<?x1xf64>)
func.func @no_inputs(%rows: index, %x: memref<?xf64>, %scale: f64, %mode: i64,
                     %out: memref<?x1xf64>) {
  // CHECK: tamk.launch "offset" scalars(%[[ROWS]] : index) outs(%[[OUT]] : memref<?x1xf64>){{$}}
  tamk.launch "offset" scalars(%rows : index) outs(%out : memref<?x1xf64>)
  // CHECK: tamk.launch "linear" ins(%[[X]] : memref<?xf64>) scalars(%[[ROWS]], %[[SCALE]], %[[MODE]] : index, f64, i64) outs(%[[OUT]] : memref<?x1xf64>){{$}}
  tamk.launch "linear" ins(%x : memref<?xf64>)
      scalars(%rows, %scale, %mode : index, f64, i64)
      outs(%out : memref<?x1xf64>)
  return
}

// An optional input that is given, and one that is left out; a destination that
// is also read.
//
// CHECK-LABEL: func.func @optional_input(
// CHECK-SAME: %[[A:.*]]: memref<?x3xf64>, %[[W:.*]]: memref<?xf64>, %[[I:.*]]: index, %[[N:.*]]: i64, %[[SUMS:.*]]: memref<9xf64>)
func.func @optional_input(%a: memref<?x3xf64>, %w: memref<?xf64>, %i: index,
                          %n: i64, %sums: memref<9xf64>) {
  // CHECK: tamk.launch "gram_dense" ins(%[[A]], %[[W]] : memref<?x3xf64>, memref<?xf64>) scalars(%[[I]], %[[N]] : index, i64) outs(%[[SUMS]] : memref<9xf64>){{$}}
  tamk.launch "gram_dense" ins(%a, %w : memref<?x3xf64>, memref<?xf64>)
      scalars(%i, %n : index, i64) outs(%sums : memref<9xf64>)
  // CHECK: tamk.launch "gram_dense" ins(%[[A]] : memref<?x3xf64>) absent [1] scalars(%[[I]], %[[N]] : index, i64) outs(%[[SUMS]] : memref<9xf64>) source "tam.gram"{{$}}
  tamk.launch "gram_dense" ins(%a : memref<?x3xf64>) absent [1]
      scalars(%i, %n : index, i64) outs(%sums : memref<9xf64>)
      source "tam.gram"
  return
}

// A list of inputs takes any number, none included.
//
// CHECK-LABEL: func.func @list(
// CHECK-SAME: %[[T:.*]]: memref<4xi64>, %[[B:.*]]: memref<1xf64>, %[[N:.*]]: i64, %[[OUT:.*]]: memref<2xf64>)
func.func @list(%t: memref<4xi64>, %b: memref<1xf64>, %n: i64,
                %out: memref<2xf64>) {
  // CHECK: tamk.launch "assemble_vector" ins(%[[T]], %[[B]], %[[B]] : memref<4xi64>, memref<1xf64>, memref<1xf64>) scalars(%[[N]] : i64) outs(%[[OUT]] : memref<2xf64>){{$}}
  tamk.launch "assemble_vector"
      ins(%t, %b, %b : memref<4xi64>, memref<1xf64>, memref<1xf64>)
      scalars(%n : i64) outs(%out : memref<2xf64>)
  // CHECK: tamk.launch "assemble_vector" ins(%[[T]] : memref<4xi64>) scalars(%[[N]] : i64) outs(%[[OUT]] : memref<2xf64>){{$}}
  tamk.launch "assemble_vector" ins(%t : memref<4xi64>) scalars(%n : i64)
      outs(%out : memref<2xf64>)
  return
}

// CHECK-LABEL: func.func private @planned() attributes {tamk.plan = #tamk.plan<arena_bytes = 64>}
func.func private @planned() attributes {tamk.plan = #tamk.plan<arena_bytes = 64>}

// A row loop: its parts of buffers may start anywhere.
//
// CHECK-LABEL: module @row_loops
// CHECK: func.func private @rows_0(
// CHECK-SAME: attributes {tamk.kernel}
// CHECK: %[[PART:.*]] = memref.subview
// CHECK: tamk.launch "offset" scalars(%{{.*}} : index) outs(%[[PART]] : memref<?xf64, strided<[1], offset: ?>>)
// CHECK: tamk.launder %{{.*}} : memref<1xf64>
// CHECK: } {tamk.rarity = 8 : i32}
module @row_loops {
  func.func private @rows_0(%x: memref<?xf64>, %rows: index,
                            %sums: memref<1xf64>) attributes {tamk.kernel} {
    %part = memref.subview %x[%rows] [%rows] [1]
        : memref<?xf64> to memref<?xf64, strided<[1], offset: ?>>
    tamk.launch "offset" scalars(%rows : index)
        outs(%part : memref<?xf64, strided<[1], offset: ?>>)
    %same = tamk.launder %sums : memref<1xf64>
    %is = arith.cmpi eq, %rows, %rows : index
    scf.if %is {
    } {tamk.rarity = 8 : i32}
    return
  }
}
// CHECK-LABEL: func.func @generated(
// CHECK-SAME: %[[X:.*]]: memref<?xf64>, %[[ROWS:.*]]: index, %[[SUMS:.*]]: memref<1xf64>)
func.func @generated(%x: memref<?xf64>, %rows: index, %sums: memref<1xf64>) {
  // CHECK: tamk.launch "rows_0" ins(%[[X]] : memref<?xf64>) scalars(%[[ROWS]] : index) outs(%[[SUMS]] : memref<1xf64>) {generated}
  tamk.launch "rows_0" ins(%x : memref<?xf64>)
      scalars(%rows : index) outs(%sums : memref<1xf64>)
      {generated}
  return
}
