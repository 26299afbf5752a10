// Sizes whose sums would overflow are refused; naming a constant takes no time.
//
// RUN: tam-opt %s --plan-memory=report=false -split-input-file -verify-diagnostics \
// RUN:   | FileCheck %s

// CHECK-LABEL: func.func @overflow()
func.func @overflow() {
  // expected-remark @+1 {{not planned: it is larger than any memory}}
  %a = memref.alloc() : memref<4611686018427387904xf64>
  // expected-remark @+1 {{not planned: it is larger than any memory}}
  %b = memref.alloc() : memref<1152921504606846975xf64>
  return
}

// -----

// CHECK-LABEL: func.func @constant(
// CHECK-SAME: length = 1,
// CHECK-SAME: first = 0, last = 1>
memref.global "private" constant @table : memref<2xi64> = dense<[1, 0]>
func.func @constant(%s: memref<1xf64>) {
  %n = arith.constant 1 : i64
  %table = memref.get_global @table : memref<2xi64>
  %b = memref.alloc() : memref<1xf64>
  tamk.launch "assemble_vector" ins(%table, %s : memref<2xi64>, memref<1xf64>)
      scalars(%n : i64) outs(%b : memref<1xf64>)
  return
}
