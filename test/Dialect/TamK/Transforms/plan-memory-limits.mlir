// Sizes whose sums would overflow are refused; naming a constant takes no time.
//
// RUN: tam-opt %s --plan-memory=report=false -split-input-file -verify-diagnostics \
// RUN:   | FileCheck %s
// RUN: tam-opt %s -split-input-file -o /dev/null \
// RUN:   --plan-memory="report=false parallel-arenas=140737488355328"
// RUN: not tam-opt %s --plan-memory=parallel-arenas=-1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: expected 'parallel-arenas' of 0 or more, got -1

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

// -----

// The iterations count, not the most that there may be.
//
// CHECK-LABEL: func.func @iterations(
// CHECK-SAME: memref<128xi8>
func.func @iterations(%v: i8) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (2) {
    %a = memref.alloc() : memref<64xi8>
    memref.store %v, %a[%c0] : memref<64xi8>
  }
  return
}

// -----

// Each iteration's arena fits; two of them do not.
//
// CHECK-LABEL: func.func @large_iterations(
// CHECK-SAME: memref<70368744177728xi8>
func.func @large_iterations(%v: i8) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (2) {
    // expected-remark @+1 {{not planned: it is inside 'scf.forall', and the arenas of its iterations would be larger than any memory}}
    %a = memref.alloc() : memref<70368744177665xi8>
    memref.store %v, %a[%c0] : memref<70368744177665xi8>
  }
  scf.forall (%i) in (1) {
    %a = memref.alloc() : memref<70368744177665xi8>
    memref.store %v, %a[%c0] : memref<70368744177665xi8>
  }
  return
}
