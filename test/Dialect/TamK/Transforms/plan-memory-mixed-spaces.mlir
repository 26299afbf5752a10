// Buffers of several spaces under one name.
//
// RUN: tam-opt %s --plan-memory="arena=global report=false" -split-input-file \
// RUN:   | FileCheck %s
// RUN: tam-opt %s --plan-memory="arena=global report=false spaces=1:0:1000,default:1" \
// RUN:   -split-input-file | FileCheck %s --check-prefix=CHOICE

// What is freed has the type of the default space, but it may lie in the arena
// of space 1, or in that of space 2: then there is nothing to free.
//
// CHECK-LABEL: func.func @freed_after_cast(
// CHECK-DAG: %[[ONE:.*]] = memref.get_global @{{.*}} : memref<64xi8, 1>
// CHECK-DAG: %[[TWO:.*]] = memref.get_global @{{.*}} : memref<64xi8, 2>
// CHECK: %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index %{{.*}} : memref<8xi64> -> index
// CHECK: memref.extract_aligned_pointer_as_index %[[ONE]]
// CHECK: %[[INONE:.*]] = arith.cmpi ult
// CHECK: memref.extract_aligned_pointer_as_index %[[TWO]]
// CHECK: %[[INTWO:.*]] = arith.cmpi ult
// CHECK: %[[IN:.*]] = arith.ori %[[INONE]], %[[INTWO]]
// CHECK: scf.if %[[IN]] {
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.dealloc
func.func @freed_after_cast(%c: i1, %d: i1, %arg: memref<8xi64>, %v: i64) -> i64 {
  %c0 = arith.constant 0 : index
  %first = memref.alloc() : memref<8xi64>
  memref.store %v, %first[%c0] : memref<8xi64>
  %x = memref.load %first[%c0] : memref<8xi64>
  memref.dealloc %first : memref<8xi64>
  %a = memref.alloc() : memref<8xi64, 1>
  %b = memref.alloc() : memref<8xi64, 2>
  %a0 = memref.memory_space_cast %a : memref<8xi64, 1> to memref<8xi64>
  %b0 = memref.memory_space_cast %b : memref<8xi64, 2> to memref<8xi64>
  %either = arith.select %d, %a0, %b0 : memref<8xi64>
  memref.store %x, %either[%c0] : memref<8xi64>
  %any = arith.select %c, %either, %arg : memref<8xi64>
  %y = memref.load %any[%c0] : memref<8xi64>
  memref.dealloc %any : memref<8xi64>
  return %y : i64
}

// -----

// Of two branches one has a space, the other gets one: they do not share bytes
// by rank.
//
// CHOICE-LABEL: func.func @branches(
// CHOICE-COUNT-2: memref.view
func.func @branches(%c: i1, %v: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %m = scf.if %c -> memref<8xf64> {
    %a = memref.alloc() : memref<8xf64>
    memref.store %v, %a[%c0] : memref<8xf64>
    scf.yield %a : memref<8xf64>
  } else {
    %b = memref.alloc() : memref<8xf64, 1>
    memref.store %v, %b[%c0] : memref<8xf64, 1>
    %bb = memref.memory_space_cast %b : memref<8xf64, 1> to memref<8xf64>
    scf.yield %bb : memref<8xf64>
  }
  %x = memref.load %m[%c0] : memref<8xf64>
  return %x : f64
}
