// Structured ops use their operands; a fill at the end of a live range does not
// overlap the next.
//
// RUN: tam-opt %s --plan-memory="strict report=false" | FileCheck %s

func.func private @use(memref<8xf64>)

// Two at a time of three.
// CHECK-LABEL: func.func @f(
// CHECK-SAME: memref<128xi8>)
// CHECK-SAME: naive_bytes = 192
func.func @f(%x: memref<8xf64>) {
  %zero = arith.constant 0.0 : f64
  %a = memref.alloc() : memref<8xf64>
  linalg.fill ins(%zero : f64) outs(%a : memref<8xf64>)
  %b = memref.alloc() : memref<8xf64>
  linalg.add ins(%a, %x : memref<8xf64>, memref<8xf64>) outs(%b : memref<8xf64>)
  %c = memref.alloc() : memref<8xf64>
  linalg.add ins(%b, %x : memref<8xf64>, memref<8xf64>) outs(%c : memref<8xf64>)
  linalg.copy ins(%c : memref<8xf64>) outs(%x : memref<8xf64>)
  return
}
