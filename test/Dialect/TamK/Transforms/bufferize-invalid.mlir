// A program that would need a copy, or is no step, is an error.
//
// RUN: tam-opt %s --tamk-bufferize -split-input-file -verify-diagnostics

// expected-error @+1 {{'func.func' op expected a function of one block}}
func.func @blocks() {
  cf.br ^next
^next:
  return
}

// -----

func.func @op(%a: memref<2xf64>) {
  %ta = bufferization.to_tensor %a restrict writable
      : memref<2xf64> to tensor<2xf64>
  // expected-error @+1 {{'tensor.cast' op expected no op on tensors but launches}}
  %0 = tensor.cast %ta : tensor<2xf64> to tensor<?xf64>
  return
}

// -----

func.func @loop(%a: memref<2xf64>) {
  %ta = bufferization.to_tensor %a restrict writable
      : memref<2xf64> to tensor<2xf64>
  %c2 = arith.constant 2 : i64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'scf.for' op expected no op on tensors but launches}}
  scf.for %i = %c0 to %c1 step %c1 {
    %0 = tamk.launch "zero" scalars(%c2 : i64)
        outs(%ta : tensor<2xf64>) -> tensor<2xf64>
  }
  return
}

// -----

func.func @unknown(%a: tensor<2xf64>) {
  %c2 = arith.constant 2 : i64
  // expected-error @+1 {{'tamk.launch' op expected tensors that the function reads from arguments, makes or has as constants}}
  %0 = tamk.launch "zero" scalars(%c2 : i64)
      outs(%a : tensor<2xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @overwritten(%a: memref<2xf64>, %b: memref<2xf64>) {
  %ta = bufferization.to_tensor %a restrict writable
      : memref<2xf64> to tensor<2xf64>
  %c2 = arith.constant 2 : i64
  // expected-note @+1 {{they are written here}}
  %0 = tamk.launch "zero" scalars(%c2 : i64)
      outs(%ta : tensor<2xf64>) -> tensor<2xf64>
  // expected-error @+1 {{'tamk.launch' op expected no use of a tensor after its memory got other contents}}
  %1 = tamk.launch "zero" scalars(%c2 : i64)
      outs(%ta : tensor<2xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @allocation() {
  %a = memref.alloc() : memref<2xf64>
  // expected-error @+1 {{'bufferization.to_tensor' op expected an argument of the function}}
  %ta = bufferization.to_tensor %a restrict writable
      : memref<2xf64> to tensor<2xf64>
  return
}

// -----

func.func @twice(%a: memref<2xf64>) {
  %ta = bufferization.to_tensor %a restrict writable
      : memref<2xf64> to tensor<2xf64>
  // expected-error @+1 {{'bufferization.to_tensor' op expected one tensor of the argument's contents}}
  %tb = bufferization.to_tensor %a restrict writable
      : memref<2xf64> to tensor<2xf64>
  return
}

// -----

func.func @read_only(%a: memref<2xf64>) {
  %ta = bufferization.to_tensor %a restrict : memref<2xf64> to tensor<2xf64>
  %c2 = arith.constant 2 : i64
  // expected-error @+1 {{'tamk.launch' op expected destinations in memory that may be written}}
  %0 = tamk.launch "zero" scalars(%c2 : i64)
      outs(%ta : tensor<2xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @constant() {
  %c2 = arith.constant 2 : i64
  %0 = arith.constant dense<0.0> : tensor<2xf64>
  // expected-error @+1 {{'tamk.launch' op expected destinations in memory that may be written}}
  %1 = tamk.launch "zero" scalars(%c2 : i64)
      outs(%0 : tensor<2xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @after_result(%a: memref<2xf64>) {
  %ta = bufferization.to_tensor %a restrict writable
      : memref<2xf64> to tensor<2xf64>
  %c2 = arith.constant 2 : i64
  bufferization.materialize_in_destination %ta in restrict writable %a
      : (tensor<2xf64>, memref<2xf64>) -> ()
  // expected-error @+1 {{'tamk.launch' op expected no update of a result}}
  %0 = tamk.launch "zero" scalars(%c2 : i64)
      outs(%ta : tensor<2xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @input(%a: memref<2xf64>) {
  %ta = bufferization.to_tensor %a restrict writable
      : memref<2xf64> to tensor<2xf64>
  %c2 = arith.constant 2 : i64
  %t = arith.constant dense<[0, 2, 0, 0]> : tensor<4xi64>
  // expected-error @+1 {{'tamk.launch' op expected destinations that are no inputs, each of its own}}
  %0 = tamk.launch "assemble_vector"
      ins(%t, %ta : tensor<4xi64>, tensor<2xf64>) scalars(%c2 : i64)
      outs(%ta : tensor<2xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @same_destination(%a: memref<4xf64>) {
  %c2 = arith.constant 2 : i64
  %ta = bufferization.to_tensor %a restrict writable
      : memref<4xf64> to tensor<4xf64>
  // expected-error @+1 {{'tamk.launch' op expected destinations that are no inputs, each of its own}}
  %0:3 = tamk.launch "cholesky_solve" scalars(%c2 : i64)
      outs(%ta, %ta, %ta : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>)
      -> tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
  return
}

// -----

func.func @no_argument(%a: memref<2xf64>) {
  %ta = bufferization.to_tensor %a restrict writable
      : memref<2xf64> to tensor<2xf64>
  %b = memref.alloc() : memref<2xf64>
  // expected-error @+1 {{'bufferization.materialize_in_destination' op expected an argument of the function as the destination}}
  bufferization.materialize_in_destination %ta in restrict writable %b
      : (tensor<2xf64>, memref<2xf64>) -> ()
  return
}

// -----

func.func @type(%n: index, %a: memref<2xf64>) {
  %0 = tensor.empty(%n) : tensor<?xf64>
  // expected-error @+1 {{'bufferization.materialize_in_destination' op expected a destination of the tensor's type}}
  bufferization.materialize_in_destination %0 in restrict writable %a
      : (tensor<?xf64>, memref<2xf64>) -> ()
  return
}

// -----

func.func @unranked(%a: memref<*xf64>, %b: memref<*xf64>) {
  %ta = bufferization.to_tensor %a restrict : memref<*xf64> to tensor<*xf64>
  // expected-error @+1 {{'bufferization.materialize_in_destination' op expected a destination of the tensor's type}}
  bufferization.materialize_in_destination %ta in restrict writable %b
      : (tensor<*xf64>, memref<*xf64>) -> ()
  return
}

// -----

func.func @two_results(%a: memref<2xf64>) {
  %0 = tensor.empty() : tensor<2xf64>
  %1 = tensor.empty() : tensor<2xf64>
  bufferization.materialize_in_destination %0 in restrict writable %a
      : (tensor<2xf64>, memref<2xf64>) -> ()
  // expected-error @+1 {{'bufferization.materialize_in_destination' op expected one result in a destination}}
  bufferization.materialize_in_destination %1 in restrict writable %a
      : (tensor<2xf64>, memref<2xf64>) -> ()
  return
}

// -----

func.func @elsewhere(%a: memref<2xf64>, %b: memref<2xf64>) {
  %ta = bufferization.to_tensor %a restrict writable
      : memref<2xf64> to tensor<2xf64>
  // expected-error @+1 {{'bufferization.materialize_in_destination' op expected a result that is computed in its destination}}
  bufferization.materialize_in_destination %ta in restrict writable %b
      : (tensor<2xf64>, memref<2xf64>) -> ()
  return
}

// -----

func.func @old_contents(%a: memref<2xf64>, %b: memref<2xf64>) {
  %ta = bufferization.to_tensor %a restrict writable
      : memref<2xf64> to tensor<2xf64>
  %c2 = arith.constant 2 : i64
  %t = arith.constant dense<[0, 2, 0, 0]> : tensor<4xi64>
  %0 = tensor.empty() : tensor<2xf64>
  %1 = tamk.launch "zero" scalars(%c2 : i64)
      outs(%0 : tensor<2xf64>) -> tensor<2xf64>
  %2 = tensor.empty() : tensor<2xf64>
  %3 = tamk.launch "assemble_vector"
      ins(%t, %ta : tensor<4xi64>, tensor<2xf64>) scalars(%c2 : i64)
      outs(%2 : tensor<2xf64>) -> tensor<2xf64>
  bufferization.materialize_in_destination %3 in restrict writable %b
      : (tensor<2xf64>, memref<2xf64>) -> ()
  // expected-error @+1 {{'bufferization.materialize_in_destination' op expected no use of the destination's old contents after the first of the new ones}}
  bufferization.materialize_in_destination %1 in restrict writable %a
      : (tensor<2xf64>, memref<2xf64>) -> ()
  return
}

// -----

func.func @after_result(%a: memref<2xf64>, %b: memref<2xf64>) {
  %ta = bufferization.to_tensor %a restrict writable
      : memref<2xf64> to tensor<2xf64>
  %c2 = arith.constant 2 : i64
  %t = arith.constant dense<[0, 2, 0, 0]> : tensor<4xi64>
  %0 = tensor.empty() : tensor<2xf64>
  %1 = tamk.launch "zero" scalars(%c2 : i64)
      outs(%0 : tensor<2xf64>) -> tensor<2xf64>
  bufferization.materialize_in_destination %1 in restrict writable %a
      : (tensor<2xf64>, memref<2xf64>) -> ()
  %2 = tensor.empty() : tensor<2xf64>
  // expected-error @+1 {{'tamk.launch' op expected no use of the destination's old contents after the first of the new ones}}
  %3 = tamk.launch "assemble_vector"
      ins(%t, %ta : tensor<4xi64>, tensor<2xf64>) scalars(%c2 : i64)
      outs(%2 : tensor<2xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @read_after_result(%a: memref<2xf64>) {
  %c2 = arith.constant 2 : i64
  %0 = tensor.empty() : tensor<2xf64>
  %1 = tamk.launch "zero" scalars(%c2 : i64)
      outs(%0 : tensor<2xf64>) -> tensor<2xf64>
  bufferization.materialize_in_destination %1 in restrict writable %a
      : (tensor<2xf64>, memref<2xf64>) -> ()
  %ta = bufferization.to_tensor %a restrict writable
      : memref<2xf64> to tensor<2xf64>
  // expected-error @+1 {{'tamk.launch' op expected no use of the destination's old contents after the first of the new ones}}
  %2 = tamk.launch "zero" scalars(%c2 : i64)
      outs(%ta : tensor<2xf64>) -> tensor<2xf64>
  return
}
