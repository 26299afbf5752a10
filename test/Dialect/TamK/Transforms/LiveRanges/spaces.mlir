// Each memory space has its own arena, as small as its own load.
//
// RUN: tam-opt %s --plan-memory="strict report=false" | FileCheck %s

func.func private @use(memref<8xf64>)
func.func private @use_there(memref<8xf64, 3>)

// CHECK-LABEL: func.func @f(
// CHECK-SAME: memref<64xi8>, %{{.*}}: memref<64xi8, 3>)
func.func @f() {
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  %b = memref.alloc() : memref<8xf64, 3>
  call @use_there(%b) : (memref<8xf64, 3>) -> ()
  %c = memref.alloc() : memref<8xf64>
  call @use(%c) : (memref<8xf64>) -> ()
  %d = memref.alloc() : memref<8xf64, 3>
  call @use_there(%d) : (memref<8xf64, 3>) -> ()
  return
}
