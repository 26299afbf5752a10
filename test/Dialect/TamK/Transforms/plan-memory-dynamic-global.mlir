// A global has one size for all runs.
//
// RUN: tam-opt %s --plan-memory="dynamic=symbolic arena=global report=false" \
// RUN:   -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK: memref.alloc(
func.func @f(%n: index) {
  // expected-remark @+1 {{not planned: its size is not static, as a global has to be}}
  %a = memref.alloc(%n) : memref<?xf64>
  return
}
