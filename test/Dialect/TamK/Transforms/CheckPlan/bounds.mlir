// A buffer that exceeds its arena, or is not one of the plan.
//
// RUN: tam-opt %s --check-plan -split-input-file -verify-diagnostics

func.func @end(%arena: memref<128xi8>) attributes {
    tamk.plan = #tamk.plan<arena_bytes = 128, buffers = [
        <bytes = 64, offset = 0, first = 0, last = 0>,
        <bytes = 64, offset = 64, first = 0, last = 0>]>} {
  %c72 = arith.constant 72 : index
  // expected-error @+1 {{wrong memory plan: buffer 1 begins at byte 72 and takes 64 of an arena of 128}}
  %a = memref.view %arena[%c72][] {tamk.buffer = 1} : memref<128xi8> to memref<8xf64>
  return
}

// -----

func.func @before(%arena: memref<128xi8>) attributes {
    tamk.plan = #tamk.plan<arena_bytes = 128, buffers = [
        <bytes = 64, offset = 0, first = 0, last = 0>]>} {
  %c = arith.constant -8 : index
  // expected-error @+1 {{wrong memory plan: buffer 0 begins at byte -8 and takes 64 of an arena of 128}}
  %a = memref.view %arena[%c][] {tamk.buffer = 0} : memref<128xi8> to memref<8xf64>
  return
}

// -----

func.func @row(%arena: memref<128xi8>) attributes {
    tamk.plan = #tamk.plan<arena_bytes = 128, buffers = [
        <bytes = 64, offset = 0, first = 0, last = 0>]>} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{wrong memory plan: expected one of 1 buffers, got buffer 9223372036854775807}}
  %a = memref.view %arena[%c0][] {tamk.buffer = 9223372036854775807} : memref<128xi8> to memref<8xf64>
  return
}

// -----

func.func @elements(%arena: memref<128xi8>) attributes {
    tamk.plan = #tamk.plan<arena_bytes = 128, buffers = [
        <bytes = 64, offset = 0, first = 0, last = 0>]>} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{wrong memory plan: the bytes of buffer 0 are not known}}
  %a = memref.view %arena[%c0][] {tamk.buffer = 0} : memref<128xi8> to memref<4xvector<2x!llvm.ptr>>
  return
}

// -----

func.func @overflow(%arena: memref<128xi8>) attributes {
    tamk.plan = #tamk.plan<arena_bytes = 128, buffers = [
        <bytes = 64, offset = 0, first = 0, last = 0>]>} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{wrong memory plan: the bytes of buffer 0 are not known}}
  %a = memref.view %arena[%c0][] {tamk.buffer = 0} : memref<128xi8> to memref<2305843009213693952xf64>
  return
}
