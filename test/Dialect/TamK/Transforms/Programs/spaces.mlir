// Allocations without a memory space are placed into bounded memories. The
// program prints the same before and after planning.
//
// RUN: %lower %s | %run-main > %t.before
// RUN: %plugin-opt %s -verify-diagnostics -o %t.mlir \
// RUN:   --pass-pipeline="builtin.module(plan-memory{arena=alloc spaces=1:0:1024,default:3})"
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: %plugin-opt %t.mlir --pass-pipeline="builtin.module(check-plan)" \
// RUN:   | sed -e 's/, 1>/>/g' | %plugin-opt --canonicalize \
// RUN:   | %lower | %run-main > %t.after
// RUN: diff %t.before %t.after

func.func private @printF64(f64)
func.func private @printNewline()

func.func private @show(%m: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %m[%c0] : memref<?xf64>
  call @printF64(%v) : (f64) -> ()
  call @printNewline() : () -> ()
  return
}

// All need 1,536 bytes at one time: the one of the fewest uses and bytes goes
// to the memory of cost 3, two uses of 512 bytes.
//
// CHECK-LABEL: func.func private @three(
// CHECK-DAG: %[[FAST:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1024xi8, 1>
// CHECK-DAG: %[[SLOW:.*]] = memref.alloc() {alignment = 64 : i64} : memref<512xi8>
// CHECK: %[[A:.*]] = memref.view %[[FAST]]{{.*}} to memref<64xf64, 1>
// CHECK: %[[PART:.*]] = memref.subview %[[A]]{{.*}} to memref<8xf64, strided<[1]>, 1>
// CHECK: memref.view %[[SLOW]]{{.*}} to memref<64xf64>
// CHECK: %[[C:.*]] = memref.view %[[FAST]]{{.*}} to memref<64xf64, 1>
// CHECK: %[[CAST:.*]] = memref.memory_space_cast %[[C]] : memref<64xf64, 1> to memref<64xf64>
// CHECK: scf.if
// CHECK: scf.yield %[[CAST]]
// expected-remark @+1 {{planned 3 of 3 allocations: peak 1536 bytes, lower bound 1536, before 1536, cost 3072 of at least 3072}}
func.func private @three(%p: i1) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %a = memref.alloc() : memref<64xf64>
  memref.store %one, %a[%c0] : memref<64xf64>
  %part = memref.subview %a[0][8][1]
      : memref<64xf64> to memref<8xf64, strided<[1]>>
  %b = memref.alloc() : memref<64xf64>
  memref.store %two, %b[%c0] : memref<64xf64>
  %c = memref.alloc() : memref<64xf64>
  memref.copy %a, %c : memref<64xf64> to memref<64xf64>
  %v = memref.load %part[%c0] : memref<8xf64, strided<[1]>>
  %w = memref.load %b[%c0] : memref<64xf64>
  %sum = arith.addf %v, %w : f64
  memref.store %sum, %c[%c0] : memref<64xf64>
  memref.store %v, %a[%c0] : memref<64xf64>
  %r = scf.if %p -> memref<64xf64> {
    scf.yield %c : memref<64xf64>
  } else {
    scf.yield %c : memref<64xf64>
  }
  %s = memref.cast %r : memref<64xf64> to memref<?xf64>
  call @show(%s) : (memref<?xf64>) -> ()
  memref.dealloc %a : memref<64xf64>
  memref.dealloc %b : memref<64xf64>
  memref.dealloc %c : memref<64xf64>
  return
}

func.func @main() {
  %true = arith.constant true
  call @three(%true) : (i1) -> ()
  return
}
