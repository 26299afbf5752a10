// The arena as a global for each function and memory space, with a unique name
// and the requested alignment.
//
// RUN: tam-opt %s --plan-memory="arena=global report=false alignment=16" \
// RUN:   | FileCheck %s

func.func private @use(memref<8xf64>)
func.func private @use_space(memref<8xf64, 1>)

// CHECK-DAG: memref.global "private" @__arena_f : memref<64xi8> = uninitialized {alignment = 128 : i64}
// CHECK-DAG: memref.global "private" @__arena_f_{{[0-9]+}} : memref<64xi8, 1> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @__arena_g : memref<64xi8> = uninitialized {alignment = 16 : i64}

// CHECK-LABEL: func.func @f() attributes
// CHECK-DAG: %[[HERE:.*]] = memref.get_global @__arena_f : memref<64xi8>
// CHECK-DAG: %[[THERE:.*]] = memref.get_global @__arena_f_{{[0-9]+}} : memref<64xi8, 1>
// CHECK: memref.view %[[HERE]]
// CHECK: memref.view %[[THERE]]
func.func @f() {
  %a = memref.alloc() {alignment = 128 : i64} : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  %b = memref.alloc() : memref<8xf64, 1>
  call @use_space(%b) : (memref<8xf64, 1>) -> ()
  return
}

// CHECK-LABEL: func.func @g() attributes
// CHECK: memref.get_global @__arena_g
func.func @g() {
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  return
}
