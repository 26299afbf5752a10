// The attribute that ties a view to its row of the plan (plan_c4).
//
// RUN: tam-opt %s -split-input-file -verify-diagnostics

// plan_c4
func.func @not_a_view(%m: memref<128xi8>) {
  // expected-error @+1 {{'tamk.buffer' belongs on a 'memref.view'}}
  %a = arith.constant {tamk.buffer = 0} 0 : index
  return
}

// -----

// plan_c4
func.func @not_a_row(%m: memref<128xi8>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'tamk.buffer' must be a row of the plan, an i64}}
  %a = memref.view %m[%c0][] {tamk.buffer = -1} : memref<128xi8> to memref<8xf64>
  return
}

// -----

// plan_c4
func.func @wide(%m: memref<128xi8>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'tamk.buffer' must be a row of the plan, an i64}}
  %a = memref.view %m[%c0][] {tamk.buffer = 5 : i128} : memref<128xi8> to memref<8xf64>
  return
}
