// Results and memory that may change have no counterpart in a step.
//
// RUN: tam-opt %s --convert-tamk-to-llvm -split-input-file -verify-diagnostics

// expected-error @+1 {{'func.func' op expected a step without results, got 1}}
func.func @result(%s: memref<8xf64> {tam.slot = #tam.slot<state>})
    -> memref<8xf64> {
  return %s : memref<8xf64>
}

// -----

// expected-error @+1 {{'memref.global' op expected a constant with its elements}}
memref.global "private" @variable : memref<4xf64> = dense<1.0>
