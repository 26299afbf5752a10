// Penalties that break one constraint each (TamOps.td).
//
// RUN: tam-opt %s -split-input-file -verify-diagnostics

// penalty_c1: rows.
func.func @f() {
  // expected-error @+1 {{'tam.penalty' op expected as many rows and columns as #tam.coordinates counts, and a value for each entry or part}}
  %0 = tam.penalty rows [0] columns [0, 0] values [1.0, 1.0]
      : tensor<2x2xf64, #tam.coordinates<2>>
  return
}

// -----

// penalty_c1: columns.
func.func @f() {
  // expected-error @+1 {{'tam.penalty' op expected as many rows and columns as #tam.coordinates counts, and a value for each entry or part}}
  %0 = tam.penalty rows [0, 1] columns [0] values [1.0, 1.0]
      : tensor<2x2xf64, #tam.coordinates<2>>
  return
}

// -----

// penalty_c1: values.
func.func @f() {
  // expected-error @+1 {{'tam.penalty' op expected as many rows and columns as #tam.coordinates counts, and a value for each entry or part}}
  %0 = tam.penalty rows [0, 1] columns [0, 1] values [1.0]
      : tensor<2x2xf64, #tam.coordinates<2>>
  return
}

// -----

// penalty_c1: the type's count.
func.func @f() {
  // expected-error @+1 {{'tam.penalty' op expected as many rows and columns as #tam.coordinates counts, and a value for each entry or part}}
  %0 = tam.penalty rows [0, 1] columns [0, 1] values [1.0, 1.0]
      : tensor<2x2xf64, #tam.coordinates<3>>
  return
}

// -----

// penalty_c2: above the diagonal.
func.func @f() {
  // expected-error @+1 {{'tam.penalty' op expected 0 <= column <= row < 2, got row 0, column 1}}
  %0 = tam.penalty rows [0, 0] columns [0, 1] values [1.0, 1.0]
      : tensor<2x2xf64, #tam.coordinates<2>>
  return
}

// -----

// penalty_c2: beyond the last row.
func.func @f() {
  // expected-error @+1 {{'tam.penalty' op expected 0 <= column <= row < 2, got row 2, column 0}}
  %0 = tam.penalty rows [2] columns [0] values [1.0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  return
}

// -----

// penalty_c2: negative.
func.func @f() {
  // expected-error @+1 {{'tam.penalty' op expected 0 <= column <= row < 2, got row 1, column -1}}
  %0 = tam.penalty rows [1] columns [-1] values [1.0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  return
}

// -----

// penalty_c4
func.func @f() {
  // expected-error @+1 {{'tam.penalty' op expected finite values, got}}
  %0 = "tam.penalty"() <{rows = array<i32: 1>, columns = array<i32: 0>,
      values = array<f64: 0x7FF0000000000000>,
      operandSegmentSizes = array<i32: 0, 0>}>
      : () -> tensor<2x2xf64, #tam.coordinates<1>>
  return
}

// -----

// penalty_c1: a value for each part.
func.func @f(%s: tensor<2xf64>) {
  // expected-error @+1 {{'tam.penalty' op expected as many rows and columns as #tam.coordinates counts, and a value for each entry or part}}
  %0 = tam.penalty rows [0] columns [0] values [1.0]
      strengths(%s : tensor<2xf64>) parts [0, 1, 0, 0, 1, 1]
      : tensor<2x2xf64, #tam.coordinates<1>>
  return
}

// -----

// penalty_c5: strengths without parts.
func.func @f(%s: tensor<2xf64>) {
  // expected-error @+1 {{'tam.penalty' op expected both strengths and parts, or none}}
  %0 = "tam.penalty"(%s) <{rows = array<i32: 1>, columns = array<i32: 0>,
      values = array<f64: 1.0>, operandSegmentSizes = array<i32: 0, 1>}>
      : (tensor<2xf64>) -> tensor<2x2xf64, #tam.coordinates<1>>
  return
}

// -----

// penalty_c5: parts without strengths.
func.func @f() {
  // expected-error @+1 {{'tam.penalty' op expected both strengths and parts, or none}}
  %0 = "tam.penalty"() <{rows = array<i32: 1>, columns = array<i32: 0>,
      values = array<f64: 1.0>, parts = array<i32: 0, 0>,
      operandSegmentSizes = array<i32: 0, 0>}>
      : () -> tensor<2x2xf64, #tam.coordinates<1>>
  return
}

// -----

// penalty_c5: an entry that does not exist.
func.func @f(%s: tensor<2xf64>) {
  // expected-error @+1 {{'tam.penalty' op expected an entry, a number of strengths and their indices as part 1}}
  %0 = tam.penalty rows [0] columns [0] values [1.0, 1.0]
      strengths(%s : tensor<2xf64>) parts [0, 1, 0, -1, 1, 1]
      : tensor<2x2xf64, #tam.coordinates<1>>
  return
}

// -----

// penalty_c5: a strength that does not exist.
func.func @f(%s: tensor<2xf64>) {
  // expected-error @+1 {{'tam.penalty' op expected an entry, a number of strengths and their indices as part 0}}
  %0 = tam.penalty rows [0] columns [0] values [1.0]
      strengths(%s : tensor<2xf64>) parts [0, 1, 2]
      : tensor<2x2xf64, #tam.coordinates<1>>
  return
}

// -----

// penalty_c5: fewer strengths than their number says.
func.func @f(%s: tensor<2xf64>) {
  // expected-error @+1 {{'tam.penalty' op expected an entry, a number of strengths and their indices as part 0}}
  %0 = tam.penalty rows [0] columns [0] values [1.0]
      strengths(%s : tensor<2xf64>) parts [0, 2, 1]
      : tensor<2x2xf64, #tam.coordinates<1>>
  return
}

// -----

// penalty_c5: a part that ends before the sum that it reads.
func.func @f(%s: tensor<2xf64>) {
  // expected-error @+1 {{'tam.penalty' op expected an entry, a number of strengths and their indices as part 0}}
  %0 = tam.penalty rows [0] columns [0] values [1.0]
      strengths(%s : tensor<2xf64>) parts [0, -1]
      : tensor<2x2xf64, #tam.coordinates<1>>
  return
}

// -----

// penalty_c5: a sum behind the next one.
func.func @f(%s: tensor<2xf64>) {
  // expected-error @+1 {{'tam.penalty' op expected an entry, a number of strengths and their indices as part 0}}
  %0 = tam.penalty rows [0] columns [0] values [1.0]
      strengths(%s : tensor<2xf64>) parts [2, 0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  return
}

// -----

// penalty_c6: a part that reads an entry.
func.func @f(%s: tensor<2xf64>) {
  // expected-error @+1 {{'tam.penalty' op expected a sum of parts before it in part 1}}
  %0 = tam.penalty rows [0] columns [0] values [1.0]
      strengths(%s : tensor<2xf64>) parts [0, 0, 0, -1, 0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  return
}

// -----

// penalty_c6: a part of the sum that it reads.
func.func @f(%s: tensor<2xf64>) {
  // expected-error @+1 {{'tam.penalty' op expected a sum of parts before it in part 1}}
  %0 = tam.penalty rows [0] columns [0] values [1.0]
      strengths(%s : tensor<2xf64>) parts [1, 0, 1, -1, 1]
      : tensor<2x2xf64, #tam.coordinates<1>>
  return
}

// -----

// penalty_c6: a sum that grows after a part has read it.
func.func @f(%s: tensor<2xf64>) {
  // expected-error @+1 {{'tam.penalty' op expected no part of a sum behind one that reads it, got part 2}}
  %0 = tam.penalty rows [0] columns [0] values [1.0, 2.0]
      strengths(%s : tensor<2xf64>) parts [1, 0, 0, -1, 1, 1, 0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  return
}

// -----

// penalty_c3: a table without an element.
func.func @f(%w: tensor<3xf64>) {
  // expected-error @+1 {{'tam.penalty' op expected a table and an element for each entry}}
  %0 = "tam.penalty"(%w) <{rows = array<i32: 0>, columns = array<i32: 0>,
      values = array<f64: 1.0>, table = array<i32: 0>,
      operandSegmentSizes = array<i32: 1, 0>}>
      : (tensor<3xf64>) -> tensor<2x2xf64, #tam.coordinates<1>>
  return
}

// -----

// penalty_c3: an element that does not exist.
func.func @f(%w: tensor<3xf64>) {
  // expected-error @+1 {{'tam.penalty' op expected an element of the weights, got element 3 of table 0}}
  %0 = tam.penalty rows [0] columns [0] values [1.0]
      weights(%w : tensor<3xf64>) table [0] element [3]
      : tensor<2x2xf64, #tam.coordinates<1>>
  return
}
