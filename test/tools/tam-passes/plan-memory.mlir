// The planner inside the stock tool.
//
// RUN: %plugin-opt %s 2>%t.err \
// RUN:   --pass-pipeline="builtin.module(plan-memory,check-plan)" \
// RUN:   | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.err
//
// The tool without the plug-in reads what check-plan made, and a plan that is
// not kept.
//
// RUN: %plugin-opt %s \
// RUN:   --pass-pipeline="builtin.module(plan-memory{report=false},check-plan)" \
// RUN:   | %mlir-opt
// RUN: %plugin-opt %s \
// RUN:   --pass-pipeline="builtin.module(plan-memory{report=false keep-plan=false})" \
// RUN:   | %mlir-opt | FileCheck %s --check-prefix=PLAIN
// PLAIN: func.func @f(%{{.*}}: memref<64xi8>) {

// REMARK: remark: planned 2 of 2 allocations: peak 64 bytes, lower bound 64, before 128

// CHECK-LABEL: func.func @f(
// CHECK-SAME: memref<64xi8>) {
// CHECK: memref.view
// CHECK: cf.assert
func.func private @use(memref<8xf64>)
func.func @f() {
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  %b = memref.alloc() : memref<8xf64>
  call @use(%b) : (memref<8xf64>) -> ()
  return
}
