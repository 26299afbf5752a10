// The choice of memory spaces: names, numbers, capacities, and what does not
// fit.
//
// RUN: tam-opt %s --plan-memory="report=false spaces=1:0:128,2:5" | FileCheck %s
// RUN: not tam-opt %s --plan-memory="spaces=1:0:64,2:5:64" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOROOM
// RUN: not tam-opt %s --plan-memory="spaces=1" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BADFORM
// RUN: not tam-opt %s --plan-memory="spaces=one:0" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BADNAME
// RUN: not tam-opt %s --plan-memory="spaces=1:-1" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BADCOST
// RUN: not tam-opt %s --plan-memory="spaces=1:0:64k" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BADCAPACITY
// RUN: not tam-opt %s --plan-memory="spaces=1:0,default:1,1:2" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWICE
// RUN: not tam-opt %s --plan-memory="spaces=1:0 reuse=branch-safe" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SAFE
// RUN: not tam-opt %s --plan-memory="spaces=1:0 dynamic=symbolic" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DYNAMIC
// RUN: not tam-opt %s --plan-memory="evict" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOSPACES

// NOROOM: error: no memory plan: {{.*}}
// BADFORM: error: in memory space '1' expected SPACE:COST or SPACE:COST:CAPACITY
// BADNAME: error: in memory space 'one:0' expected an attribute or 'default', got 'one'
// BADCOST: error: in memory space '1:-1' expected a cost of 0 or more, got '-1'
// BADCAPACITY: error: in memory space '1:0:64k' expected a capacity of 0 or more, got '64k'
// TWICE: error: in memory space '1:2' expected another one, it is listed before
// SAFE: error: spaces are chosen for the order of the program only: expected 'reuse=program'
// DYNAMIC: error: spaces are chosen for static sizes only: expected 'dynamic=leave'
// NOSPACES: error: buffers move between the memories of 'spaces' only: expected them with 'evict'

// An allocation with a space stays there and takes its bytes.
//
// CHECK-LABEL: func.func @f(
// CHECK-SAME: memref<128xi8, 1>, %{{[^:]*}}: memref<64xi8, 2>)
// CHECK: memref.view {{.*}} to memref<8xf64, 1>
// CHECK: memref.view {{.*}} to memref<8xf64, 2>
// CHECK: memref.view {{.*}} to memref<8xf64, 1>
func.func @f(%v: f64) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf64>
  memref.store %v, %a[%c0] : memref<8xf64>
  %b = memref.alloc() : memref<8xf64>
  memref.store %v, %b[%c0] : memref<8xf64>
  %c = memref.alloc() : memref<8xf64, 1>
  memref.store %v, %c[%c0] : memref<8xf64, 1>
  %0 = memref.load %a[%c0] : memref<8xf64>
  memref.store %0, %a[%c0] : memref<8xf64>
  %1 = memref.load %b[%c0] : memref<8xf64>
  %2 = memref.load %c[%c0] : memref<8xf64, 1>
  %3 = memref.load %a[%c0] : memref<8xf64>
  return
}

// CHECK-LABEL: func.func @nothing(
func.func @nothing() {
  return
}
