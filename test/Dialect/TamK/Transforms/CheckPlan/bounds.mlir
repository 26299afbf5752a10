// A buffer that exceeds its arena.
//
// RUN: tam-opt %s --check-plan -split-input-file -verify-diagnostics

func.func @end(%arena: memref<128xi8>) attributes {tamk.plan = #tamk.plan<arena_bytes = 0>} {
  %c72 = arith.constant 72 : index
  // expected-error @+1 {{wrong memory plan: buffer 3 begins at byte 72 and takes 64 of an arena of 128}}
  %a = memref.view %arena[%c72][] {tamk.buffer = 3} : memref<128xi8> to memref<8xf64>
  return
}

// -----

func.func @before(%arena: memref<128xi8>) attributes {tamk.plan = #tamk.plan<arena_bytes = 0>} {
  %c = arith.constant -8 : index
  // expected-error @+1 {{wrong memory plan: buffer 0 begins at byte -8 and takes 64 of an arena of 128}}
  %a = memref.view %arena[%c][] {tamk.buffer = 0} : memref<128xi8> to memref<8xf64>
  return
}
