// A view of a view of a view keeps the buffer alive.
//
// RUN: tam-opt %s --plan-memory="strict report=false" | FileCheck %s

func.func private @use(memref<8xf64>)
func.func private @use_any(memref<?xf64, strided<[?], offset: ?>>)

// The buffer is used after %b alone: the three share.
// CHECK-LABEL: func.func @f(
// CHECK-SAME: memref<128xi8>)
// CHECK-SAME: naive_bytes = 256
func.func @f() {
  %a = memref.alloc() : memref<16xf64>
  %v0 = memref.expand_shape %a [[0, 1]] output_shape [2, 8] : memref<16xf64> into memref<2x8xf64>
  %v1 = memref.subview %v0[1, 0][1, 8][1, 1] : memref<2x8xf64> to memref<8xf64, strided<[1], offset: 8>>
  %v2 = memref.cast %v1 : memref<8xf64, strided<[1], offset: 8>> to memref<?xf64, strided<[?], offset: ?>>
  %b = memref.alloc() : memref<8xf64>
  call @use(%b) : (memref<8xf64>) -> ()
  call @use_any(%v2) : (memref<?xf64, strided<[?], offset: ?>>) -> ()
  %c = memref.alloc() : memref<8xf64>
  call @use(%c) : (memref<8xf64>) -> ()
  return
}
